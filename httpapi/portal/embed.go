package portal

import (
	"crypto/sha256"
	_ "embed" // the element
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// embedPath is the path of a script with an element for pages that show these in a frame.
const embedPath = "embed.js"

//go:embed embed.js
var embedScript string

// serveEmbed answers the script of the element.
func serveEmbed(w http.ResponseWriter, r *http.Request) {
	sum, h := sha256.Sum256([]byte(embedScript)), w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(embedScript))
}

// framed reports whether a browser shows the answer in a frame of a page that may show it.
func (t *Portal) framed(r *http.Request) bool {
	return len(t.cfg.Frames) > 0 && r.Header.Get("Sec-Fetch-Dest") == "iframe"
}
