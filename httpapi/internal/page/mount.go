package page

import (
	"crypto/sha256"
	_ "embed" // the style sheet and the script
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A Mount is the prefix that the paths of requests to the pages have when they arrive.
// Every URL in a page is relative, so the pages need not know what was stripped before.
type Mount struct{ prefix string }

// NewMount returns the Mount of a prefix; "" or "/": a handler before it has stripped
// the prefix.
//
// Errors: the prefix does not begin and end with a slash, or is not clean.
func NewMount(prefix string) (Mount, error) {
	if prefix == "" || prefix == "/" {
		return Mount{"/"}, nil
	}
	if !strings.HasPrefix(prefix, "/") || !strings.HasSuffix(prefix, "/") || prefix == "//" ||
		!clean(prefix[1:len(prefix)-1]) {
		return Mount{}, fmt.Errorf("the prefix %q does not begin and end with a slash, or is not clean", prefix)
	}
	return Mount{prefix}, nil
}

// Register puts pages on a mux, a pattern for each method that they answer, so that they do not
// conflict with a pattern of the host such as GET /.
func (m Mount) Register(mux *http.ServeMux, pages http.Handler) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		mux.Handle(method+" "+m.prefix, pages)
	}
}

// ErrNoPage means that a path has no page.
var ErrNoPage = errors.New("page: no such page")

// A Place is the target of a request: its path below the prefix, without a leading
// slash, and the relative path from there to the prefix, such as "./../".
type Place struct{ Path, Root string }

// Locate finds the place of a request. ok is false when it has answered with a redirect,
// from the prefix without its slash to the one with it. The error is [ErrNoPage]; Root
// is right then too.
func (m Mount) Locate(w http.ResponseWriter, r *http.Request) (at Place, ok bool, err error) {
	path := r.URL.Path
	at.Root = "./"
	sent, _, _ := strings.Cut(r.RequestURI, "?")
	if path != "" && path+"/" == m.prefix || path == "" && !strings.HasSuffix(sent, "/") {
		addSlash(w, r, sent)
		return at, false, nil
	}
	rest, below := strings.CutPrefix(path, m.prefix)
	if !below && m.prefix == "/" { // StripPrefix("/console/") leaves no slash
		rest, below = path, true
	}
	if !below {
		return at, true, ErrNoPage
	}
	hidden := strings.Count(strings.ToLower(r.URL.EscapedPath()), "%2f") // slashes that browsers do not count
	at.Root = "./" + strings.Repeat("../", max(0, strings.Count(rest, "/")-hidden))
	if hidden > 0 || !clean(strings.TrimSuffix(rest, "/")) {
		return at, true, ErrNoPage
	}
	at.Path = rest
	return at, true, nil
}

// addSlash sends the browser from the prefix without a slash to the one with it.
func addSlash(w http.ResponseWriter, r *http.Request, sent string) {
	to := "./" + sent[strings.LastIndexByte(sent, '/')+1:] + "/"
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusPermanentRedirect)
}

// clean reports whether a path has no empty segments and no dots.
func clean(path string) bool {
	return path == "" ||
		!slices.ContainsFunc(strings.Split(path, "/"),
			func(s string) bool { return s == "" || s == "." || s == ".." })
}

// Fits reports whether a path matches a pattern, in which {} stands for one segment that is not empty, and
// returns these segments.
func Fits(pattern, path string) (args []string, fits bool) {
	want, segments := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(segments) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w == "{}" && segments[i] != "":
			args = append(args, segments[i])
		case w != segments[i]:
			return nil, false
		}
	}
	return args, true
}

// OneLine returns a text in the form of logs: no line breaks, no invisible characters,
// none that change the direction of writing, at most 128 characters.
func OneLine(text string) string {
	line := strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if runes := []rune(line); len(runes) > 128 {
		return string(runes[:128])
	}
	return line
}

// Secure reports whether a cookie for this request must be limited to TLS. Only a
// browser on this machine needs no TLS, because nobody listens in between. A proxy on
// this machine speaks for others.
func Secure(r *http.Request) bool {
	return r.TLS != nil || !loopback(r.RemoteAddr) || forwarded(r.Header)
}

// loopback reports whether a peer is this machine.
func loopback(peer string) bool {
	at, err := netip.ParseAddrPort(peer)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// forwarded reports whether a proxy passed the request on, as its headers say.
func forwarded(h http.Header) bool {
	for name := range h {
		switch {
		case strings.HasPrefix(name, "X-Forwarded-"), strings.HasPrefix(name, "X-Original-"):
			return true
		}
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip",
			"True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip":
			return true
		}
	}
	return false
}

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
	h.Set("Content-Security-Policy",
		strings.Replace(policy, "frame-ancestors 'none'",
			"frame-ancestors "+strings.Join(origins, " "), 1))
	h.Del("X-Frame-Options")
}

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
func ServeAsset(w http.ResponseWriter, name string) bool { return serveAsset(w, name, Style, Script) }

func serveAsset(w http.ResponseWriter, name string, all ...Asset) bool {
	for _, a := range all {
		if a.Name == name {
			w.Header().Set("Content-Type", a.kind)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			_, _ = strings.NewReader(a.body).WriteTo(w)
			return true
		}
	}
	return false
}
