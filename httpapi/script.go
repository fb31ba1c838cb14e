package httpapi

import (
	"crypto/sha256"
	_ "embed" // the click script
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// scriptPath is the path of the click script.
const scriptPath = "/t.js"

// clickScript is click.js, a function of the settings of a program, in fewer bytes.
// go test -C internal/integration ./scripts -update writes it.
//
//go:embed click.min.js
var clickScript string

// script answers the click script of a program, with the settings of the moment in it: a
// page makes no request before it has a click.
func (f finder) script() action {
	return action{run: func(c *call) error {
		p, err := f.of(c.r.Context(), c.r.URL.Query().Get("programId"))
		if errors.Is(err, affiliate.ErrNotFound) {
			return refusal.RefuseProgram.Err()
		}
		if err != nil {
			return err
		}
		is, err := p.Settings(c.r.Context())
		if err != nil {
			return err
		}
		text, err := scriptOf(p, is)
		if err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(text))
		for name, value := range map[string]string{
			"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": programMaxAge,
			"Cross-Origin-Resource-Policy": "cross-origin", "X-Content-Type-Options": "nosniff",
			"ETag": `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		} {
			c.w.Header().Set(name, value)
		}
		c.started, c.status = true, http.StatusOK
		http.ServeContent(c.w, c.r, "", time.Time{}, strings.NewReader(text))
		return nil
	}}
}

// scriptOf returns the script of a program with these settings.
func scriptOf(p *tributary.Program, is affiliate.Settings) (string, error) {
	names := []string{}
	for _, name := range append([]string{is.URLModifier}, is.OldURLModifiers...) {
		names = append(names, strings.ToLower(name))
	}
	given, err := json.Marshal([]any{is.ID, clickCookie(p), names, is.CookieDuration,
		strings.ToLower(is.CookieDomain)})
	return clickScript + "(" + string(given) + ");\n", err
}
