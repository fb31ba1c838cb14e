package page

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Of any color that a host gives, text can be read on the grounds of the style sheet, and white or
// black on it; one that can be read already stays.
func TestLook(t *testing.T) {
	grounds := func(dark bool) []string { // what the style sheet has
		sheet := style
		if dark {
			_, sheet, _ = strings.Cut(sheet, "prefers-color-scheme: dark")
		}
		var all []string
		for _, name := range []string{"--ground: ", "--sheet: "} {
			_, color, _ := strings.Cut(sheet, name)
			all = append(all, color[:7])
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		var c rgb
		for i := range c {
			c[i] = rapid.Uint8().Draw(t, "part")
		}
		l, err := NewLook(c.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, own, _ := strings.Cut(l.Style.body, style)
		for i, part := range strings.SplitN(own, "@media", 2) {
			_, accent, _ := strings.Cut(part, "--accent: ")
			_, on, _ := strings.Cut(part, "--on-accent: ")
			is, err1 := parseColor(accent[:7])
			text, err2 := parseColor(on[:7])
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			changed := is != c
			for _, on := range append(grounds(i == 1), text.String()) {
				ground, _ := parseColor(on)
				if contrast(is, ground) < 4.5 {
					t.Errorf("%v for %v has the contrast %.2f with %v", is, c, contrast(is, ground), on)
				}
				changed = changed && contrast(c, ground) >= 4.5
			}
			if changed {
				t.Errorf("%v became %v", c, is)
			}
		}
	})
	if b := contrast(black, white); b < 20.9 || b > 21.1 {
		t.Errorf("black on white has the contrast %v", b)
	}
}
