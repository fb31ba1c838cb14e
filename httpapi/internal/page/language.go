package page

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A Language is what the pages say to somebody: its texts, by the English ones. How it writes
// numbers, money and time are texts too. The zero Language is English, as it stands in the code.
type Language struct {
	tag   string
	texts map[string]string
}

// NewLanguage returns the Language of a tag such as de or pt-BR. What has no text there is
// English.
func NewLanguage(tag string, texts map[string]string) Language { return Language{tag, texts} }

// Lang returns the tag of the language.
func (l Language) Lang() string { return cmp.Or(l.tag, "en") }

// T returns a text of the language, with its arguments, as package fmt writes them.
func (l Language) T(english string, args ...any) string {
	text := cmp.Or(l.texts[english], english)
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Say is T for a sentence in which arguments are what people gave: they stand isolated, so that
// their direction of writing moves nothing beside them. Those that are HTML stand as they are.
func (l Language) Say(english string, args ...any) template.HTML {
	safe := make([]any, len(args))
	for i, a := range args {
		is, made := a.(template.HTML)
		if !made {
			is = template.HTML("<bdi>" + template.HTMLEscapeString(l.Short(a)) + "</bdi>")
		}
		safe[i] = is
	}
	return template.HTML(fmt.Sprintf(template.HTMLEscapeString(l.T(english)), safe...))
}

// Code returns what somebody types as it stands, for Say.
func (Language) Code(text string) template.HTML {
	return template.HTML("<code>" + template.HTMLEscapeString(text) + "</code>")
}

// Several returns the form of a text that is for a number, with that number. The forms have a |
// between them: "%s day|%s days".
func (l Language) Several(n int64, english string) string {
	text, own := l.texts[english]
	if !own {
		text, l = english, Language{}
	}
	forms := strings.Split(text, "|")
	form := forms[min(pluralOf(l.tag).form(n), len(forms)-1)]
	if !strings.Contains(form, "%") {
		return form
	}
	return fmt.Sprintf(form, l.Count(n))
}

// PluralForms returns how many forms a language has where English has so many: one, or two.
func PluralForms(tag string, english int) int {
	if english == 1 {
		return 1
	}
	return pluralOf(tag).forms
}

// A plural is how many forms a language has for numbers of things, and which is for a number.
type plural struct {
	forms int
	form  func(n int64) int
}

// pluralOf returns the plural of a language: as in English, where CLDR does not say else.
func pluralOf(tag string) plural {
	few := func(n int64) bool { return n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14) }
	switch base, _, _ := strings.Cut(tag, "-"); strings.ToLower(base) {
	case "ja", "ko", "zh", "th", "vi", "id":
		return plural{1, func(int64) int { return 0 }}
	case "fr", "pt":
		return plural{2, func(n int64) int { return pick(n <= 1, false) }}
	case "cs", "sk":
		return plural{3, func(n int64) int { return pick(n == 1, n >= 2 && n <= 4) }}
	case "pl":
		return plural{3, func(n int64) int { return pick(n == 1, few(n)) }}
	case "ru", "uk", "be", "sr", "hr", "bs":
		return plural{3, func(n int64) int { return pick(n%10 == 1 && n%100 != 11, few(n)) }}
	}
	return plural{2, func(n int64) int { return pick(n == 1, false) }}
}

// pick returns 0 for one, 1 for a few, and else the last form.
func pick(one, few bool) int {
	switch {
	case one:
		return 0
	case few:
		return 1
	}
	return 2
}

// The texts that say how a language writes numbers, money and time.
const (
	NumberText = "1,234.5"    // with what stands between thousands and before decimals
	MoneyText  = "%s\u00a0%s" // a number and its currency
	WhenText   = "2 Jan 2006, 15:04"
	DayText    = "2 Jan 2006"
	MonthText  = "January 2006"
)

// Marks returns what stands between thousands, and before decimals, in a number as NumberText is
// one.
func Marks(number string) (group, point string, ok bool) {
	rest, one := strings.CutPrefix(number, "1")
	group, rest, more := strings.Cut(rest, "234")
	point, five := strings.CutSuffix(rest, "5")
	ok = one && more && five && point != "" && !strings.ContainsAny(group+point, "0123456789")
	return group, point, ok
}

// Number returns an exact number, as code writes it, for people: 12.5.
func (l Language) Number(n string) string {
	_, point, _ := Marks(l.T(NumberText))
	return strings.Replace(n, ".", point, 1)
}

// Grouped returns a number for people, with thousands set apart: 1,234.5.
func (l Language) Grouped(number string) string {
	group, point, _ := Marks(l.T(NumberText))
	whole, rest, decimals := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if decimals {
		rest = point + rest
	}
	return sign + whole + rest
}

// Amount returns an amount for people, with its currency: 1,234.50 USD. No line ends between the
// two.
func (l Language) Amount(a affiliate.Amount, c affiliate.Currency) string {
	return l.T(MoneyText, l.Grouped(a.Format(c)), l.T(string(c)))
}

// Date returns a time by one of the texts for that.
func (l Language) Date(at time.Time, english string) string {
	layout := l.T(english)
	text := at.Format(layout)
	for _, month := range []string{"January", "Jan"} {
		if strings.Contains(layout, month) {
			name := at.Format(month)
			return strings.Replace(text, name, l.T(name), 1)
		}
	}
	return text
}
