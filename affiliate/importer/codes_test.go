package importer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate/importer"
)

// TestLimitsOfCodes: limits, budgets and windows of another service's codes are taken over, and a field
// that no code has is refused by its name.
func TestLimitsOfCodes(t *testing.T) {
	read := func(columns map[string]string, file string) (out []string, err error) {
		for row, failed := range importer.CSV(strings.NewReader(file), importer.Mapping{Kind: importer.Codes, Columns: columns, Values: map[string]string{"percentOff": "20"}, Currency: "USD"}).Rows(t.Context()) {
			if err = failed; err != nil {
				return out, err
			}
			c := row.Item.(importer.Coupon)
			code := c.Codes[0]
			out = append(out, fmt.Sprint(code.Code, " ", code.StartsAt, " ", code.ExpiresAt, " ", code.MinimumAmount, " ", code.MinimumAmountCurrency, " ", code.MinimumQuantity, " ", code.MaxRedemptionsPerCustomer, " ", c.MaxDiscount, " ", c.MaxDiscountTotal))
		}
		return out, nil
	}
	columns := map[string]string{
		"code": "code", "startsAt": "starts", "expiresAt": "ends", "minimumAmount": "from", "minimumQuantity": "pieces",
		"maxRedemptionsPerCustomer": "each", "maxDiscount": "cap", "maxDiscountTotal": "budget",
	}
	got := must(read(columns, "code;starts;ends;from;pieces;each;cap;budget\nA;2026-08-10;2026-08-31;19.50;2.5;1;30;5000\nB;2026-08-10T09:00:00Z;;;;;;\n"))
	want := []string{
		"A 2026-08-10 2026-08-31 19.5 USD 2.5 1 30 5000",
		"B 2026-08-10T09:00:00Z not given not given not given not given not given not given not given",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	delete(columns, "maxDiscount")
	columns["stackable"] = "cap"
	if _, err := read(columns, "code\nA\n"); err == nil || !strings.Contains(err.Error(), "stackable") {
		t.Errorf("a field that no code has: %v", err)
	}
}
