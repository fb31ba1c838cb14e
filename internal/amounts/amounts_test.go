package amounts_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/amounts"
)

// said is what a form makes of a text: an amount, or why it is refused.
func said(f amounts.Form, text string) string {
	a, err := f.Amount(text)
	return result(a.String(), err)
}

func result(text string, err error) string {
	switch {
	case errors.Is(err, amounts.ErrSyntax):
		return "syntax"
	case errors.Is(err, amounts.ErrAmbiguous):
		return "ambiguous"
	case errors.Is(err, amounts.ErrCurrency):
		return "currency"
	case err != nil:
		return strings.TrimPrefix(err.Error(), "affiliate: ")
	}
	return text
}

// TestAmount: a text is one amount, or it is refused; under a decimal point, a
// decimal comma, and where the text has to tell.
func TestAmount(t *testing.T) {
	point, comma, told := amounts.Form{Currency: "USD", Decimal: '.'}, amounts.Form{Currency: "USD", Decimal: ','}, amounts.Form{Currency: "USD"}
	for _, tt := range []struct{ text, point, comma, told string }{
		{"1250", "1250", "1250", "1250"},
		{"0", "0", "0", "0"},
		{"12.50", "12.5", "syntax", "12.5"},
		{"12,50", "syntax", "12.5", "12.5"},
		{"12,5", "syntax", "12.5", "12.5"},
		{"1.250", "ambiguous", "1250", "ambiguous"},
		{"1,250", "1250", "ambiguous", "1250"},
		{"0.125", "0.125", "syntax", "0.125"},
		{"0,125", "syntax", "0.125", "0.125"},
		{"1250.125", "1250.125", "syntax", "1250.125"},
		{"1,250.00", "1250", "syntax", "1250"},
		{"1.250,00", "syntax", "1250", "1250"},
		{"1,250,000", "1250000", "syntax", "1250000"},
		{"1.250.000", "syntax", "1250000", "1250000"},
		{"1,250.125", "1250.125", "syntax", "1250.125"},
		{"1 250,50", "syntax", "1250.5", "1250.5"},
		{"1\u00a0250.50", "1250.5", "syntax", "1250.5"},
		{"1\u2009250", "1250", "1250", "1250"},
		{"1\u202f250\u202f000", "1250000", "1250000", "1250000"},
		{"1'250.50", "1250.5", "syntax", "1250.5"},
		{"1’250", "1250", "1250", "1250"},
		{"1,25.00", "syntax", "syntax", "syntax"},
		{"12,5000", "syntax", "12.5", "12.5"},
		{"1,2500", "syntax", "1.25", "1.25"},
		{"1,250 000", "syntax", "syntax", "syntax"},
		{"1.250 000", "syntax", "syntax", "syntax"},
		{"0,250,000", "syntax", "syntax", "syntax"},
		{"1,00,000.00", "syntax", "syntax", "syntax"},
		{"1..5", "syntax", "syntax", "syntax"},
		{"1.5.", "syntax", "syntax", "syntax"},
		{".5", "syntax", "syntax", "syntax"},
		{"5.", "syntax", "syntax", "syntax"},
		{"1,250.", "syntax", "syntax", "syntax"},
		{"007", "syntax", "syntax", "syntax"},
		{"1e3", "syntax", "syntax", "syntax"},
		{"1.25E+03", "syntax", "syntax", "syntax"},
		{"0x10", "syntax", "syntax", "syntax"},
		{"", "syntax", "syntax", "syntax"},
		{"-", "syntax", "syntax", "syntax"},
		{"abc", "syntax", "syntax", "syntax"},
		{"1.00001", "more than 4 decimal places", "syntax", "more than 4 decimal places"},
		{"99999999999999999999", "amount out of range", "amount out of range", "amount out of range"},

		{"-12.50", "-12.5", "syntax", "-12.5"},
		{"12.50-", "-12.5", "syntax", "-12.5"},
		{"−12,50", "syntax", "-12.5", "-12.5"},
		{"+7", "7", "7", "7"},
		{"(12.50)", "-12.5", "syntax", "-12.5"},
		{"($1,250.00)", "-1250", "syntax", "-1250"},
		{"$(12.50)", "-12.5", "syntax", "-12.5"},
		{"-$4.50", "-4.5", "syntax", "-4.5"},
		{"$-4.50", "-4.5", "syntax", "-4.5"},
		{"(-4.50)", "syntax", "syntax", "syntax"},
		{"--5", "syntax", "syntax", "syntax"},
		{"-5-", "syntax", "syntax", "syntax"},
		{"(5", "syntax", "syntax", "syntax"},
		{"5)", "syntax", "syntax", "syntax"},
		{")5(", "syntax", "syntax", "syntax"},
		{"5()", "syntax", "syntax", "syntax"},

		{"$29", "29", "29", "29"},
		{"US$29", "29", "29", "29"},
		{"29 USD", "29", "29", "29"},
		{"usd 29", "29", "29", "29"},
		{"$29.00 USD", "29", "syntax", "29"},
		{"\u200e$29.00\u200f ", "29", "syntax", "29"},
		{"€100.00", "currency", "currency", "currency"},
		{"100,00 €", "currency", "currency", "currency"},
		{"CA$ 5", "currency", "currency", "currency"},
		{"5 EUR", "currency", "currency", "currency"},
		{"€5 USD", "currency", "currency", "currency"},
		{"5 XYZ", "syntax", "syntax", "syntax"},
		{"5%", "syntax", "syntax", "syntax"},
		{"$", "syntax", "syntax", "syntax"},
	} {
		for form, want := range map[amounts.Form]string{point: tt.point, comma: tt.comma, told: tt.told} {
			if got := said(form, tt.text); got != want {
				t.Errorf("%q with %q is %s, want %s", tt.text, form.Decimal, got, want)
			}
		}
	}
}

// TestThreeDecimals: in a currency of three decimals, three of them are no group
// where the form says so, and could be one where it does not.
func TestThreeDecimals(t *testing.T) {
	for _, tt := range []struct {
		decimal    byte
		text, want string
	}{
		{'.', "1.250", "1.25"}, {',', "1,250", "1.25"}, {'.', "1,250", "1250"}, {',', "1.250", "1250"},
		{0, "1.250", "ambiguous"}, {0, "1,250", "ambiguous"}, {0, "1,250.500", "1250.5"}, {0, "12.5", "12.5"},
	} {
		if got := said(amounts.Form{Currency: "KWD", Decimal: tt.decimal}, tt.text); got != tt.want {
			t.Errorf("%q with %q is %s, want %s", tt.text, tt.decimal, got, tt.want)
		}
	}
}

// TestRead: where the currency is not known, the reading says what it may be.
func TestRead(t *testing.T) {
	for text, want := range map[string]struct {
		currency affiliate.Currency
		many     bool
		decimal  byte
		cents    bool
	}{
		"€1,250": {"EUR", false, '.', false}, "$5": {"USD", true, 0, false}, "$5 CAD": {"CAD", false, 0, false}, "1,250": {"", false, '.', true},
		"1250": {}, "12,5": {"", false, ',', false},
	} {
		r, err := amounts.Form{}.Read(text)
		var first affiliate.Currency
		if len(r.Currencies) > 0 {
			first = r.Currencies[0]
		}
		if err != nil || first != want.currency || (len(r.Currencies) > 1) != want.many || r.Decimal != want.decimal || r.Cents != want.cents {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
	if got := said(amounts.Form{}, "KWD 1,250"); got != "ambiguous" {
		t.Errorf("KWD 1,250 is %s", got)
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct{ text, point, comma, told string }{
		{"20", "20", "20", "20"},
		{"12.5", "12.5", "syntax", "12.5"},
		{"12,5", "syntax", "12.5", "12.5"},
		{"33.333", "33.333", "syntax", "33.333"},
		{" 12.5\u00a0% ", "12.5", "syntax", "12.5"},
		{"1,250.00", "syntax", "syntax", "syntax"},
		{"1,2,3", "syntax", "syntax", "syntax"},
		{"1e1", "syntax", "syntax", "syntax"},
		{"−5%", "-5", "-5", "-5"},
		{"%", "syntax", "syntax", "syntax"},
		{"5%%", "syntax", "syntax", "syntax"},
		{"", "syntax", "syntax", "syntax"},
	} {
		for decimal, want := range map[byte]string{'.': tt.point, ',': tt.comma, 0: tt.told} {
			p, err := amounts.Form{Decimal: decimal}.Percent(tt.text)
			if got := result(p.String(), err); got != want {
				t.Errorf("%q with %q is %s, want %s", tt.text, decimal, got, want)
			}
		}
	}
}

// FuzzAmount: no text panics; what is read is read again from what is printed, in
// every form; and no form reads what the others read otherwise, but for one
// separator before three digits.
func FuzzAmount(f *testing.F) {
	for _, text := range []string{"$1,250.00", "(12,50 €)", "1.250.000", "1’250.5-", "+7 USD", "\u200e-5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := amounts.Form{Decimal: '.'}.Amount(text)
		if err == nil {
			if again, err := (amounts.Form{Currency: "KWD", Decimal: '.'}).Amount(a.String()); err != nil || again != a {
				t.Errorf("%q is %v, and then %v, %v", text, a, again, err)
			}
		}
		if told, toldErr := (amounts.Form{}).Amount(text); err == nil && toldErr == nil && told != a {
			t.Errorf("%q is %v, and told from the text %v", text, a, told)
		}
	})
}
