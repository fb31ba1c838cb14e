package affiliate_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestCodeRefused: CodeRefused reports true for the rules of a promotional code
// and false for every other refusal.
func TestCodeRefused(t *testing.T) {
	rules := map[affiliate.Reason]bool{}
	for _, reason := range []affiliate.Reason{
		"code_not_found", "code_inactive", "coupon_invalid", "code_expired", "coupon_expired", "code_exhausted", "coupon_exhausted",
		"code_unassigned", "not_first_order", "below_minimum", "wrong_currency", "wrong_affiliate", "wrong_customer", "wrong_product", "affiliate_suspended", "other_currency",
		"not_started", "budget_spent", "below_quantity", "customer_limit", "customer_required", "no_offer",
	} {
		rules[reason] = true
	}
	for _, e := range append(refusal.Refusals(), &affiliate.Error{}, &affiliate.Error{Reason: "brand_new"}) {
		if e.CodeRefused() != rules[e.Reason] {
			t.Errorf("%s %q: CodeRefused is %v", e.Reason, e.Message, e.CodeRefused())
		}
		if e.CodeRefused() && e.Kind.Status() != 400 {
			t.Errorf("%s is answered %d", e.Reason, e.Kind.Status())
		}
	}

	w := scene.New(t)
	w.Ada()
	sale := affiliate.SaleParams{PromoCode: "NOPE", TotalEarned: affiliate.MustAmount("1")}
	for name, c := range map[string]struct {
		p    *tributary.Program
		sale affiliate.SaleParams
		want bool
	}{
		"unknown":    {w.Program, sale, true},
		"bad input":  {w.Program, affiliate.SaleParams{PromoCode: "ADA20"}, false},
		"store down": {w.With(conformance.FailAt(w.Store, 1)), sale, false},
	} {
		_, err := c.p.RecordSale(t.Context(), c.sale)
		e, ok := errors.AsType[*affiliate.Error](err)
		if err == nil || (ok && e.CodeRefused()) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFailurePrints: a failure is printed as a sentence with its data.
func TestFailurePrints(t *testing.T) {
	at := affiliate.TimeOf(time.Date(2026, 3, 31, 23, 59, 59, 999e6, time.UTC))
	for _, tt := range []struct {
		failure affiliate.Failure
		want    string
	}{
		{affiliate.Failure{Reason: affiliate.CodeNotFound, Message: "Promo code not found"}, "Promo code not found"},
		{affiliate.Failure{Reason: affiliate.CodeNotFound}, "code_not_found"},
		{affiliate.Failure{Message: "It is used up", Limit: affiliate.Set(int64(3)), Used: affiliate.Set(int64(3))}, "It is used up (3 of 3 used)"},
		{affiliate.Failure{Message: "It has expired", At: affiliate.Set(at)}, "It has expired (valid until 2026-03-31T23:59:59.999Z)"},
		{affiliate.Failure{Message: "Too little", Amount: affiliate.Set(affiliate.MustAmount("12.5")), Currency: "EUR"}, "Too little (the minimum is 12.5 EUR)"},
		{affiliate.Failure{Message: "Wrong currency", Currency: "EUR"}, "Wrong currency (the minimum is in EUR)"},
	} {
		if got := fmt.Sprint(tt.failure); got != tt.want {
			t.Errorf("it prints %q, want %q", got, tt.want)
		}
	}
}
