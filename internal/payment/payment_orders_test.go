package payment_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// lifecycles are what may happen to one payment, in the words of
// [payShop.play]; the answer does not depend on their order.
var lifecycles = []struct{ story, want string }{
	{"S R:re_1:30 L", "15"},
	{"S R:re_1:30 R:re_2:90", "0"},
	{"S R:re_1:30:pending R:re_1:30 R:re_1:30:failed", "20"},
	{"S R:re_1:30 R:re_1:30:failed R:re_2:40", "13.33"},
	{"S C:30 C:50 R:re_1:30 R:re_2:20", "11.67"},
	{"S C:30 R:re_1:30 R:re_1:30:failed L", "20"},
	{"S D:dp_1:120:withdrawn@1 D:dp_1:120:won@2 L", "20"},
	{"S D:dp_1:120:inquiry@1 D:dp_1:120:released@2", "20"},
	{"S D:dp_1:60:withdrawn@1 D:dp_1:60:lost@2 R:re_1:30", "5"},
	{"S D:dp_1:120:withdrawn@1 D:dp_1:120:won@2 R:re_1:30 R:re_2:33.33", "9.45"},
	{"S D:dp_1:40:withdrawn@1 D:dp_2:30:withdrawn@1 D:dp_1:40:won@2 D:dp_2:30:lost@3", "15"},
	{"S D:dp_1:120:lost@1 D:dp_1:120:won@2 D:dp_1:120:lost@3 R:re_1:10", "0"},
	{"S R:re_1:100 D:dp_1:100:withdrawn@1 D:dp_1:100:won@2 R:re_1:100:failed", "20"},
	{"S L R:re_1:30 R:re_1:30:failed D:dp_1:60:withdrawn@1 D:dp_1:60:won@2 C:10", "20"},
}

// TestPaymentOrders plays each lifecycle in all orders, each fact a second time
// at another place, and all of them once more at the end. Money and balance are
// the same each time.
func TestPaymentOrders(t *testing.T) {
	for _, life := range lifecycles {
		t.Run(life.story, func(t *testing.T) { inAllOrders(t, life.story, life.want, "") })
		t.Run("in euros/"+life.story, func(t *testing.T) { inAllOrders(t, life.story, life.want, "EUR") })
	}
}

// inAllOrders plays a lifecycle in a currency that is worth the same as the program's.
func inAllOrders(t *testing.T, story, want string, currency affiliate.Currency) {
	words := strings.Fields(story)
	played, seen := 0, map[string]bool{}
	for order := range permutations(len(words)) {
		if len(words) > 5 && played%5 != 0 && !atlength.On() { // 5,040 orders take a while
			played++
			continue
		}
		twice := played % len(words)
		var story []string
		for i, at := range order {
			story = append(story, words[at])
			if i == len(words)-1-twice/2 {
				story = append(story, words[twice])
			}
		}
		s := scene.NewPayShop(t, scene.Worth("EUR", "1"))
		s.In = currency
		s.Program = s.With(s.Store) // without the probe, which is slow
		s.Play(story...)
		s.Play(words...)
		if sale := s.SaleOf("pi_1"); s.Worth(sale.ID) != scene.Sum(want) || sale.Charged.IsZero() != (currency == "") {
			t.Fatalf("order %v gives %v, want %s; charged %v", story, s.Worth(sale.ID), want, sale.Charged)
		}
		balance := scene.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID}))
		seen[fmt.Sprint(balance.Held, balance.Payable, balance.Maturing, balance.Earned)] = true
		if played%7 == 0 {
			s.Verifies()
		}
		played++
	}
	if len(seen) != 1 {
		t.Errorf("balances %v", seen)
	}
}

// TestPaymentSetsAgree plays facts of one payment in parts, so that they come
// together in one fact, or one by one.
func TestPaymentSetsAgree(t *testing.T) {
	one := scene.NewPayShop(t)
	all := one.Paid("pi_1 in_1 cs_1", "120", "20", "1")
	all.Refunds = []affiliate.RefundFact{{ID: "re_1", Amount: scene.Sum("30"), State: affiliate.RefundSucceeded}, {ID: "re_2", Amount: scene.Sum("20"), State: affiliate.RefundFailed}}
	all.Disputes = []affiliate.DisputeFact{{ID: "dp_1", Amount: scene.Sum("40"), State: affiliate.DisputeWithdrawn}}
	all.Refunded = affiliate.Set(scene.Sum("50"))
	one.Reports(all)
	one.Gives("pi_1", "8.33")
	parts := scene.NewPayShop(t)
	parts.Play("C:50", "R:re_2:20:failed", "D:dp_1:40:withdrawn", "R:re_1:30", "S", "L")
	parts.Gives("pi_1", "8.33")
	keys := scene.Must(parts.Payments().ProviderPayment(t.Context(), "stripe", "cs_1")).Keys
	if !slices.Equal(keys, []string{"cs_1", "in_1", "pi_1"}) {
		t.Errorf("keys %v", keys)
	}
}
