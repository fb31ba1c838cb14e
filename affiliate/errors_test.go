package affiliate_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
)

// TestCodeRefused: CodeRefused reports true for the rules of a promotional code
// and false for every other refusal.
func TestCodeRefused(t *testing.T) {
	rules := map[affiliate.Reason]bool{}
	for _, reason := range []affiliate.Reason{
		"code_not_found", "code_inactive", "coupon_invalid", "code_expired", "coupon_expired", "code_exhausted", "coupon_exhausted",
		"code_unassigned", "not_first_order", "below_minimum", "wrong_currency", "wrong_affiliate", "wrong_customer", "wrong_product",
	} {
		rules[reason] = true
	}
	for _, e := range append(affiliate.Refusals(), &affiliate.Error{}, &affiliate.Error{Reason: "brand_new"}) {
		if e.CodeRefused() != rules[e.Reason] {
			t.Errorf("%s %q: CodeRefused is %v", e.Reason, e.Message, e.CodeRefused())
		}
		if e.CodeRefused() && e.Kind.Status() != 400 {
			t.Errorf("%s is answered %d", e.Reason, e.Kind.Status())
		}
	}

	w := newWorld(t)
	w.ada()
	sale := affiliate.NewSale{PromoCode: "NOPE", TotalEarned: affiliate.MustAmount("1")}
	for name, c := range map[string]struct {
		p    *affiliate.Program
		sale affiliate.NewSale
		want bool
	}{
		"unknown":    {w.Program, sale, true},
		"bad input":  {w.Program, affiliate.NewSale{PromoCode: "ADA20"}, false},
		"store down": {w.With(conformance.FailAt(w.store, 1)), sale, false},
	} {
		_, err := c.p.RecordSale(t.Context(), c.sale)
		e, ok := errors.AsType[*affiliate.Error](err)
		if err == nil || (ok && e.CodeRefused()) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
