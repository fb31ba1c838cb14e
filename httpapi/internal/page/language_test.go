package page_test

import (
	"testing"

	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// TestSeveral: the form for a number is the one that CLDR has for the language.
func TestSeveral(t *testing.T) {
	const english, two, three = "%s day|%s days", "%s a|%s b", "%s a|%s b|%s c"
	for _, row := range []struct {
		tag, forms string
		n          int64
		want       string
	}{
		{"en", "", 1, "1 day"}, {"en", "", 0, "0 days"}, {"en", "", 1000, "1,000 days"}, {"pl", "", 3, "3 days"},
		{"de", two, 1, "1 a"}, {"de-AT", two, 2, "2 b"}, {"fr", two, 0, "0 a"}, {"fr", two, 2, "2 b"}, {"pt-BR", two, 1, "1 a"}, {"de", "einer|%s b", 1, "einer"},
		{"pl", three, 1, "1 a"}, {"pl", three, 22, "22 b"}, {"pl", three, 12, "12 c"}, {"pl", three, 21, "21 c"}, {"pl", three, 5, "5 c"},
		{"ru", three, 21, "21 a"}, {"ru", three, 11, "11 c"}, {"uk", three, 34, "34 b"}, {"cs", three, 4, "4 b"}, {"cs", three, 22, "22 c"},
		{"ja", "%s 日", 1, "1 日"},
	} {
		texts := map[string]string{}
		if row.forms != "" {
			texts[english] = row.forms
		}
		if got := page.NewLanguage(row.tag, texts).Several(row.n, english); got != row.want {
			t.Errorf("%s, %q: %q, want %q", row.tag, row.forms, got, row.want)
		}
	}
}
