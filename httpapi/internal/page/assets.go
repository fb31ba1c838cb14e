package page

import (
	"crypto/sha256"
	_ "embed" // the style sheet and the script
	"encoding/hex"
	"net/http"
	"strings"
)

//go:embed style.css
var style string

//go:embed script.js
var script string

// An Asset is a file that pages load. Its name has a part of its digest, so it
// can be kept for a year.
type Asset struct {
	Name string
	kind string
	body string
}

// The assets of every page.
var (
	Style  = newAsset("style", "css", "text/css; charset=utf-8", style)
	Script = newAsset("script", "js", "text/javascript; charset=utf-8", script)
)

func newAsset(name, ending, kind, body string) Asset {
	sum := sha256.Sum256([]byte(body))
	return Asset{name + "." + hex.EncodeToString(sum[:6]) + "." + ending, kind, body}
}

// ServeAsset answers with the asset of a name, and reports whether there is one.
func ServeAsset(w http.ResponseWriter, name string) bool {
	for _, a := range []Asset{Style, Script} {
		if a.Name == name {
			w.Header().Set("Content-Type", a.kind)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			_, _ = strings.NewReader(a.body).WriteTo(w)
			return true
		}
	}
	return false
}
