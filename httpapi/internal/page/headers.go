package page

import (
	"net/http"
	"strings"
)

// policy lets a page load its own style sheet, script and pictures, and nothing
// else. No page is shown inside another one.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Protect sets the headers of every page, error and asset.
func Protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "private, no-store")
}

// Frame lets pages be shown inside those of some origins, and of no others.
func Frame(h http.Header, origins []string) {
	if len(origins) == 0 {
		return
	}
	h.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors "+strings.Join(origins, " "), 1))
	h.Del("X-Frame-Options")
}
