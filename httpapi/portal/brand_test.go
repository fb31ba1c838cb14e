package portal_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/httpapi/portal"
)

// TestBrand: the pages have the host's color, logo and contact, and refuse what is none.
func TestBrand(t *testing.T) {
	var logo bytes.Buffer
	must(0, png.Encode(&logo, image.NewRGBA(image.Rect(0, 0, 40, 20))))
	plain := newWorld(t, "x")
	inside := plain.enter(plain.ada.ID)
	for _, tt := range []struct{ contact, link string }{
		{"help@Shop.example", `href="mailto:help@shop.example"`}, {"https://shop.example/help?x=1&y=2", `href="https://shop.example/help?x=1&amp;y=2"`},
	} {
		w := newWorld(t, "x", func(c *portal.Config) {
			c.Brand = portal.Brand{Color: "#ffcc00", Logo: logo.Bytes(), Contact: tt.contact}
		})
		page := w.get(w.enter(w.ada.ID), "").body
		if !strings.Contains(page, tt.link) || !strings.Contains(page, "Questions: ") {
			t.Errorf("the page lacks %s: %s", tt.link, page)
		}
		for _, asset := range []struct{ before, kind, has string }{
			{`<img src="./assets/`, "image/png", logo.String()}, {`<link rel="stylesheet" href="./assets/`, "text/css; charset=utf-8", "--accent: #"},
		} {
			_, name, _ := strings.Cut(page, asset.before)
			name, _, _ = strings.Cut(name, `"`)
			got := w.get("", "assets/"+name)
			if got.status != 200 || got.head.Get("Content-Type") != asset.kind || !strings.Contains(got.body, asset.has) {
				t.Errorf("%s: %d %s", name, got.status, got.head)
			}
			if got := plain.get("", "assets/"+name); got.status == 200 {
				t.Errorf("pages of another look have %s", name)
			}
		}
	}
	if page := plain.get(inside, "").body; strings.Contains(page, "<img") || strings.Contains(page, "Questions: ") {
		t.Errorf("a page without a brand: %s", page)
	}
	for name, b := range map[string]portal.Brand{
		"word": {Color: "green"}, "short": {Color: "#fff"}, "declaration": {Color: "#000;}*{"}, "sign": {Color: "#-00000"},
		"text": {Logo: []byte("<svg/>")}, "empty": {Logo: []byte{}}, "large": {Logo: append(bytes.Clone(logo.Bytes()), make([]byte, 200<<10)...)},
		"script": {Contact: "javascript:alert(1)"}, "no address": {Contact: "us"},
	} {
		plain.cfg.Brand = b
		if _, err := portal.New(plain.Program, plain.cfg); err == nil || !strings.Contains(err.Error(), "portal: Brand: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
