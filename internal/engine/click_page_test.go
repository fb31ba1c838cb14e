package engine_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// pages maps URLs of pages to what a click keeps of them, in a program whose
// slug parameter is ref and that also keeps campaign.
func pages() map[string]string {
	long := strings.Repeat("x", 3000)
	return map[string]string{
		"":                              "",
		"https://b.co":                  "https://b.co",
		"https://b.co/":                 "https://b.co/",
		"http://localhost:8080/a/b?":    "http://localhost:8080/a/b",
		"HTTPS://B.co/Shop":             "https://B.co/Shop",
		"https://[2001:db8::1]:81/a":    "https://[2001:db8::1]:81/a",
		"https://my_shop.b.co/a%20b;c":  "https://my_shop.b.co/a%20b;c",
		"https://b.co/100%/%4x/%41":     "https://b.co/100%25/%254x/%41",
		"https://b.co/é":                "https://b.co/%C3%A9",
		`https://b.co/"><script>`:       "https://b.co/%22%3E%3Cscript%3E",
		"https://ida:secret@b.co/a":     "https://b.co/a",
		"https://b.co/a#token=1&ref=b":  "https://b.co/a",
		"https://b.co/a?token=1#?ref=b": "https://b.co/a",

		"https://b.co/?ref=x&reset_token=SECRET&email=a@b.co": "https://b.co/?ref=x",
		"https://b.co/?a=1&utm_source=n&b&ref=x&utm_b=é":      "https://b.co/?utm_source=n&ref=x&utm_b=%C3%A9",
		"https://b.co/?campaign=1&Campaign=2&REF=3&UTM_a=4":   "https://b.co/?campaign=1",
		"https://b.co/?%72ef=x&r%65f&ref=%zz":                 "https://b.co/?%72ef=x&r%65f&ref=%25zz",
		"https://b.co/?%zz=x&ref;utm_a=1&&=ref":               "https://b.co/",
		`https://b.co/?utm_a="><b>'`:                          "https://b.co/?utm_a=%22%3E%3Cb%3E%27",
		"https://b.co/?utm_a=" + long:                         "https://b.co/?utm_a=" + long[:492],
		"https://b.co/" + long:                                "https://b.co/" + long[:499],
		"https://b.co/" + long[:498] + "é":                    "https://b.co/" + long[:498],
		"https://b.co/" + long[:497] + "é":                    "https://b.co/" + long[:497],
		"https://b.co/" + long[:496] + "é":                    "https://b.co/" + long[:496] + "%C3",

		"javascript:alert(1)":                      "",
		" javascript:alert(1)":                     "",
		"JavaScript://b.co/%0aalert(1)":            "",
		"data:text/html,<script>alert(1)</script>": "",
		"vbscript:x":                               "", "file:///etc/passwd": "", "ftp://b.co/": "", "blob:https://b.co/1": "",
		"android-app://com.example/": "", "about:blank": "", "https:b.co": "", "https:/b.co": "",
		"https:///a": "", "https://": "", "//b.co/a": "", "/shop?ref=x": "", "b.co": "", "x": "",
		"https://b.co:port/": "", `https://"onload=x/`: "", "https://a b/": "", "https://бух.example/": "", " https://b.co/": "",
	}
}

// TestClickPages: of the URLs of a click, the origin, the path and the allowed
// parameters are kept. A URL that is not a page is dropped, and the click
// counts.
func TestClickPages(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.KeepParams = []string{"campaign"} })
	w.Join("a")
	for in, want := range pages() {
		kept := affiliate.Set(want)
		if want == "" {
			kept = affiliate.Null[string]()
		}
		got := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: in}))
		if got.FullLandingURL != kept || !got.DocumentReferrer.IsNull() {
			t.Errorf("landing page %.80q: kept %.80q, want %.80q", in, got.FullLandingURL.Or(""), want)
		}
		got = scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", Referrer: in}))
		if got.DocumentReferrer != kept || !got.FullLandingURL.IsNull() {
			t.Errorf("referrer %.80q: kept %.80q, want %.80q", in, got.DocumentReferrer.Or(""), want)
		}
	}
	scene.Equal(t, int64(2*len(pages())), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfClicks)
}

// TestClickPagesParam: the parameter of the slug is the one of the program.
func TestClickPagesParam(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Param = "via" })
	w.Join("a")
	got := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: "https://b.co/?ref=a&via=b&campaign=c"}))
	scene.Equal(t, affiliate.Set("https://b.co/?via=b"), got.FullLandingURL)
}

// TestClickPagesAny: for any input, the stored text is an ASCII URL of a page
// with allowed parameters only, and cleaning it again changes nothing.
func TestClickPagesAny(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"https://", "HTTP://", "javascript:", "b.co", "user:pw@", ":80", "/", "//", `\`, "?", "&", "#", "=", ";", "%", "%41", "%3", "ref", "utm_", "token",
			"é", "🙂", `"`, "'", "<", ">", " ", "+", strings.Repeat("y", 700), strings.Repeat("é", 300),
		}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "page") {
			in = "https://b.co" + in
		}
		got, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: in})
		if err != nil || got.FullLandingURL.IsNull() {
			return
		}
		kept := got.FullLandingURL.Or("")
		if len(kept) > 512 || strings.Trim(kept, printable) != "" || strings.ContainsAny(kept, "\"'<>`# ") {
			t.Errorf("%q: kept %q", in, kept)
		}
		u := scene.Must(url.Parse(kept))
		if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
			t.Errorf("%q: kept %q", in, kept)
		}
		_, query, _ := strings.Cut(kept, "?")
		for name := range strings.SplitSeq(query, "&") {
			name, _, _ = strings.Cut(name, "=")
			name, err := url.QueryUnescape(name)
			if len(kept) < 504 && query != "" && (err != nil || name != "ref" && !strings.HasPrefix(name, "utm_")) {
				t.Errorf("%q: kept %q of %q", in, name, kept)
			}
		}
		if again := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: kept})); len(kept) < 504 && again.FullLandingURL != got.FullLandingURL {
			t.Errorf("%q is kept as %q", kept, again.FullLandingURL.Or(""))
		}
	})
}

// printable is ASCII without space and control characters.
var printable = func() string {
	var b strings.Builder
	for c := byte('!'); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()
