package page

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // logos
	_ "image/png"
	"math"
	"net/http"
	"slices"
	"strconv"
)

// A Look is how pages look: their style sheet, and the picture beside the name of the program.
type Look struct {
	Style Asset
	Logo  Asset // without a name: none
}

// maxLogo is the size of the largest logo.
const maxLogo = 200 << 10

// NewLook returns the look with a color, such as #0b5d57, and a logo, PNG or JPEG. Where the
// color is hard to read it is darker, on dark screens lighter. Empty: as [Style] has it; nil: no
// logo.
func NewLook(color string, logo []byte) (l Look, err error) {
	l.Style = Style
	if color != "" {
		c, err := parseColor(color)
		if err != nil {
			return l, err
		}
		light, dark := c.toward(black, "#ffffff", "#f6f5f2"), c.toward(white, "#1c2225", "#14181a")
		l.Style = newAsset("style", "css", "text/css; charset=utf-8", style+fmt.Sprintf(
			":root { --accent: %v; --on-accent: #ffffff; }\n@media screen and (prefers-color-scheme: dark) {\n"+
				"  :root { --accent: %v; --on-accent: #14181a; }\n}\n", light, dark))
	}
	if logo == nil {
		return l, nil
	}
	_, kind, err := image.DecodeConfig(bytes.NewReader(logo))
	if err != nil || len(logo) > maxLogo {
		return l, errors.New("the logo is no PNG or JPEG of at most 200 KiB")
	}
	l.Logo = newAsset("logo", kind, "image/"+kind, string(logo))
	return l, nil
}

// Serve answers with the asset of a name, and reports whether there is one.
func (l *Look) Serve(w http.ResponseWriter, name string) bool {
	return serveAsset(w, name, l.Style, l.Logo, Script)
}

// An rgb is a color.
type rgb [3]uint8

var black, white = rgb{}, rgb{255, 255, 255}

func parseColor(text string) (c rgb, err error) {
	n, err := strconv.ParseUint(text[min(1, len(text)):], 16, 24)
	if err != nil || len(text) != 7 || text[0] != '#' {
		return c, fmt.Errorf("the color %q is not as #0b5d57", text)
	}
	return rgb{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil
}

// String returns the color as style sheets have it.
func (c rgb) String() string { return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]) }

// readable is the contrast at which text can be read, of WCAG 2.2, 1.4.3.
const readable = 4.5

// toward returns the color with as much of another one as it takes to read it on all grounds.
func (c rgb) toward(other rgb, grounds ...string) rgb {
	for share := 0; ; share++ {
		mixed := c
		for i := range mixed {
			mixed[i] = uint8((int(c[i])*(100-share) + int(other[i])*share) / 100)
		}
		if share == 100 || !slices.ContainsFunc(grounds, func(on string) bool {
			ground, _ := parseColor(on)
			return contrast(mixed, ground) < readable
		}) {
			return mixed
		}
	}
}

// contrast returns the contrast of two colors, 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := a.luminance()+0.05, b.luminance()+0.05
	return max(x, y) / min(x, y)
}

// luminance returns how light a color is, 0 to 1.
func (c rgb) luminance() (sum float64) {
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} {
		v := float64(c[i]) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
