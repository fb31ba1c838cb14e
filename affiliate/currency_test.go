package affiliate_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

func TestParseCurrency(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     affiliate.Currency
		err      error
	}{
		{"Upper", "USD", "USD", nil},
		{"Lower", "usd", "USD", nil},
		{"Mixed", "eUr", "EUR", nil},
		{"FundsCode", "CHW", "CHW", nil},
		{"Metal", "XAU", "XAU", nil},
		{"CaribbeanGuilder", "XCG", "XCG", nil},
		{"Empty", "", "", affiliate.ErrCurrency},
		{"Short", "US", "", affiliate.ErrCurrency},
		{"Long", "USDD", "", affiliate.ErrCurrency},
		{"Sign", "U$D", "", affiliate.ErrCurrency},
		{"FullWidth", "ＵＳＤ", "", affiliate.ErrCurrency},
		{"DotlessI", "ıN", "", affiliate.ErrCurrency}, // three bytes
		{"Unknown", "ZZZ", "", affiliate.ErrCurrency},
		{"Withdrawn", "BGN", "", affiliate.ErrCurrency},
		{"Space", " USD", "", affiliate.ErrCurrency},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := affiliate.ParseCurrency(tt.in)
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCurrencyDigits(t *testing.T) {
	for c, want := range map[affiliate.Currency]int{
		"USD": 2, "EUR": 2, "JPY": 0, "KRW": 0, "VND": 0, "ISK": 0, "CLP": 0, "UYI": 0, "XOF": 0,
		"KWD": 3, "TND": 3, "BHD": 3, "CLF": 4, "UYW": 4, "HUF": 2, "MGA": 2, "MRU": 2, "XAU": 2, "": 2, "ZZZ": 2,
	} {
		if got := c.Digits(); got != want {
			t.Errorf("%q has %d digits, want %d", c, got, want)
		}
	}
}

// TestCurrencyTable counts the codes by their digits, so that a code that is
// missing, or is in one table only, is found.
func TestCurrencyTable(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	got := map[int]int{}
	for _, a := range letters {
		for _, b := range letters {
			for _, c := range letters {
				code := string([]rune{a, b, c})
				if _, err := affiliate.ParseCurrency(code); err == nil {
					got[affiliate.Currency(code).Digits()]++
				} else if affiliate.Currency(code).Digits() != 2 {
					t.Errorf("%s has digits and is unknown", code)
				}
			}
		}
	}
	if diff := cmp.Diff(map[int]int{0: 17, 2: 152, 3: 7, 4: 2}, got); diff != "" {
		t.Error(diff)
	}
}
