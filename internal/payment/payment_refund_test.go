package payment_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// A refundCheck is what happens to a payment of 120 with 20 tax, in the words of
// [payShop.play], and what it gives then.
type refundCheck struct{ name, story, want string }

var refundChecks = []refundCheck{
	{"41 a part", "S R:re_1:30", "15"},
	{"42 again", "S R:re_1:30 R:re_1:30 R:re_1:30:succeeded", "15"},
	{"43 the rest", "S R:re_1:30 R:re_2:90", "0"},
	{"44 the sale again", "S R:re_1:30 R:re_2:90 S", "0"},
	{"45 by refund and by sum", "S R:re_1:30 C:30", "15"},
	{"45 by sum and by refund", "S C:30 R:re_1:30", "15"},
	{"46 an older sum", "S C:50 C:30", "11.67"},
	{"47 pending, then succeeded", "S R:re_1:30:pending R:re_1:30", "15"},
	{"47 pending", "S R:re_1:30:pending", "20"},
	{"48 pending, then failed", "S R:re_1:30:pending R:re_1:30:failed", "20"},
	{"49 succeeded, then failed", "S R:re_1:30 R:re_1:30:failed", "20"},
	{"50 before the sale", "R:re_1:30 S", "15"},
	{"51 in full before the sale", "R:re_1:120 S", "0"},
	{"55 after a payout was paid", "S PP R:re_1:30", "15"},
	{"56 while a payout is pending", "S P R:re_1:30", "15"},
	{"57 a dispute", "S D:dp_1:120:withdrawn@1", "0"},
	{"57 a dispute that was won", "S D:dp_1:120:withdrawn@1 D:dp_1:120:won@2", "20"},
	{"57 and a refund after it", "S D:dp_1:120:withdrawn@1 D:dp_1:120:won@2 R:re_1:30", "15"},
	{"58 a dispute that was lost", "S D:dp_1:120:withdrawn@1 D:dp_1:120:lost@2", "0"},
	{"59 won first, opened later", "S D:dp_1:120:won@2 D:dp_1:120:withdrawn@1", "20"},
	{"59 lost, then won", "S D:dp_1:120:lost@1 D:dp_1:120:won@2", "20"},
	{"59 lost and won at one moment", "S D:dp_1:120:won@1 D:dp_1:120:lost@1", "20"},
	{"60 a part", "S D:dp_1:60:withdrawn@1", "10"},
	{"60 a part that was lost", "S D:dp_1:60:withdrawn@1 D:dp_1:60:lost@2", "10"},
	{"61 an inquiry", "S D:dp_1:120:inquiry@1 D:dp_1:120:released@2", "20"},
	{"62 refund and dispute", "S R:re_1:30 D:dp_1:120:withdrawn@1", "0"},
	{"62 dispute and refund", "S D:dp_1:120:withdrawn@1 R:re_1:30", "0"},
	{"62 and it was won", "S D:dp_1:120:withdrawn@1 R:re_1:30 D:dp_1:120:won@2", "15"},
	{"64 two disputes", "S D:dp_1:40:withdrawn@1 D:dp_2:30:withdrawn@1", "8.33"},
	{"64 the first was won", "S D:dp_1:40:withdrawn@1 D:dp_2:30:withdrawn@1 D:dp_1:40:won@2", "15"},
	{"71 the host's refund of the same id", "S H:30:re_1 R:re_1:30", "15"},
	{"71 the host's refund without an id", "S H:10: R:re_1:30", "13.33"},
	{"71 the provider's first", "S R:re_1:30 H:30:re_1", "15"},
	{"71 both, and the dispute was won", "S H:30: D:dp_1:120:withdrawn@1 D:dp_1:120:won@2", "15"},
}

// TestPaymentRefunds are the checks of refunds and disputes, by their numbers.
func TestPaymentRefunds(t *testing.T) {
	for _, c := range refundChecks {
		t.Run(c.name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			words := strings.Fields(c.story)
			s.Play(words...)
			sale := s.Gives("pi_1", c.want)
			before := len(s.EventTypes(0))
			s.Play(words[len(words)-1:]...)
			s.Gives("pi_1", c.want)
			if fired := s.EventTypes(before); len(fired) > 0 && words[len(words)-1][0] != 'H' {
				t.Errorf("the last word once more fired %v", fired)
			}
			if full := sale.Status == affiliate.SaleRefunded; full != (sale.RefundedAmount == sale.TotalEarned) || full == sale.RefundedAt.IsNull() {
				t.Errorf("status %s of %v refunded, events %v", sale.Status, sale.RefundedAmount, s.EventTypes(0))
			}
		})
	}
}

// TestPaymentEntries looks at the entries behind some of the checks.
func TestPaymentEntries(t *testing.T) {
	for _, c := range []struct{ name, story, want string }{
		{"49 a failed refund", "S R:re_1:30 R:re_1:30:failed", "20 "},
		{"57 a dispute and a refund", "S D:dp_1:120:withdrawn@1 D:dp_1:120:won@2 R:re_1:30", "15 "},
		{"57 after a payout", "S PP D:dp_1:120:lost@1 D:dp_1:120:won@2", "20 -20 20 "},
		{"57 won, lost, and won again after a payout", "S PP D:dp_1:120:lost@1 D:dp_1:120:won@2 D:dp_1:120:lost@3 D:dp_1:120:won@4", "20 -20 20 -20 20 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			s.Play(strings.Fields(c.story)...)
			got := ""
			for _, entry := range s.SaleOf("pi_1").Commissions {
				got += entry.CommissionEarned.String() + " "
			}
			if adjusted := s.AdjustmentsOf(s.SaleOf("pi_1").ID); got != c.want || len(adjusted) > 0 {
				t.Errorf("entries %s, want %s; adjustments %v", got, c.want, adjusted)
			}
		})
	}
	t.Run("55 after a payout was paid", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Play("S", "PP", "R:re_1:30")
		balance := scene.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID}))
		sale := s.SaleOf("pi_1")
		if last := sale.Commissions[len(sale.Commissions)-1]; last.CommissionEarned != scene.Sum("-5") || balance.Payable != scene.Sum("-5") || balance.Paid != scene.Sum("20") {
			t.Errorf("entry %v, balance %+v", last.CommissionEarned, balance)
		}
	})
	t.Run("51 the id stays", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Play("R:re_1:120", "S", "S")
		if sale := s.SaleOf("pi_1"); sale.Status != affiliate.SaleRefunded || sales(s) != 1 {
			t.Errorf("sale %s of %d", sale.Status, sales(s))
		}
	})
	t.Run("50 nothing is asked again", func(t *testing.T) {
		s := scene.NewPayShop(t)
		res := s.Reports(s.Refund("re_1", "30", affiliate.RefundSucceeded))
		s.Outcome(res, affiliate.SaleParked)
		res = s.Reports(s.Paid("pi_1", "120", "20", "1"))
		scene.Equal(t, scene.Sum("15"), res.Moved)
	})
	t.Run("a commission on hold waits for its review", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Play("S")
		id := s.SaleOf("pi_1").ID
		scene.Must(s.ReviewCommissions(t.Context(), affiliate.ApprovalOnHold, id))
		s.Play("D:dp_1:120:withdrawn@1", "D:dp_1:120:won@2")
		owes := func(want string) {
			t.Helper()
			if s.Verifies(); scene.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID})).Payable != scene.Sum(want) {
				t.Errorf("%v is payable, want %s", scene.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Mara.ID})).Payable, want)
			}
		}
		owes("0")
		scene.Must(s.ReviewCommissions(t.Context(), affiliate.ApprovalAccepted, id))
		owes("20")
		scene.Must(s.ReviewCommissions(t.Context(), affiliate.ApprovalDeclined, id))
		owes("0")
	})
	t.Run("the host changes the sale", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Play("S", "R:re_1:30")
		id := s.SaleOf("pi_1").ID
		sale := scene.Must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("240"))}))
		scene.Equal(t, scene.Sum("60"), sale.RefundedAmount)
		s.Gives("pi_1", "33")
		scene.Must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("120"))}))
		s.Gives("pi_1", "15")
		scene.Must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{CommissionRate: scene.Percent("10")}))
		s.Gives("pi_1", "7.5")
	})
	t.Run("a sale that was deleted is not recorded again", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Play("S", "R:re_1:30", "R:re_1:30:failed")
		scene.Must(0, s.DeleteSale(t.Context(), s.SaleOf("pi_1").ID))
		res := s.Reports(s.Paid("pi_1", "120", "20", "1"))
		s.Outcome(res, affiliate.SaleDuplicate)
		s.Play("R:re_2:10")
		if s.Verifies(); sales(s) != 0 || !res.Sale.IsNull() {
			t.Errorf("%d sales", sales(s))
		}
	})
	t.Run("late", func(t *testing.T) {
		s := scene.NewPayShop(t, func(c *tributary.Config) { c.RefundWindow = 24 * time.Hour })
		s.Play("S", "D:dp_1:60:withdrawn@1")
		s.Pass(25 * time.Hour)
		s.Play("R:re_1:30", "C:40", "D:dp_2:10:lost@1", "D:dp_1:60:won@2")
		s.Gives("pi_1", "20")
		payment := scene.Must(s.Payments().ProviderPayment(t.Context(), "stripe", "pi_1"))
		if len(payment.Refunds) != 1 || payment.Refunded != affiliate.Set(scene.Sum("40")) || len(payment.Disputes) != 2 || !payment.Lost.IsZero() {
			t.Errorf("payment %+v", payment)
		}
	})
}

// TestPaymentDigits are checks 65 to 70: what is left after parts.
func TestPaymentDigits(t *testing.T) {
	for name, c := range map[string]struct {
		currency   affiliate.Currency
		total, tax string
		refunds    []string
		want       []string
	}{
		"66 out of band": {"USD", "29", "0", []string{"10"}, []string{"3.8"}},
		"68 thirds":      {"USD", "109.99", "9.99", []string{"33.33", "33.33", "43.33"}, []string{"13.94", "7.88", "0"}},
		"69 JPY":         {"JPY", "1234", "112", []string{"617"}, []string{"112"}},
		"70 KWD":         {"KWD", "12.34", "0", []string{"1.23"}, []string{"2.222"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t, func(cfg *tributary.Config) { cfg.Currency = c.currency })
			s.Reports(s.Paid("pi_1", c.total, c.tax, "1"))
			for i, amount := range c.refunds {
				s.Reports(s.Refund(fmt.Sprint("re_", i), amount, affiliate.RefundSucceeded))
				s.Gives("pi_1", c.want[i])
			}
		})
	}
}

// TestPaymentLinks are the checks about ids that come apart and together.
func TestPaymentLinks(t *testing.T) {
	t.Run("52 in every order", func(t *testing.T) {
		for order := range permutations(3) {
			s := scene.NewPayShop(t)
			facts := []affiliate.PaymentFact{s.Paid("in_9", "29", "0", "1"), s.Refund("re_1", "29", affiliate.RefundSucceeded, "pi_9"), s.Fact("pi_9 in_9")}
			for _, i := range order {
				s.Reports(facts[i])
			}
			if s.Gives("in_9", "0"); sales(s) != 1 {
				t.Errorf("order %v: %d sales", order, sales(s))
			}
		}
	})
	t.Run("53 the link comes a day later", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Reports(s.Paid("in_9", "29", "0", "1"), s.Refund("re_1", "29", affiliate.RefundSucceeded, "pi_9"))
		s.Gives("in_9", "5.8")
		s.Pass(24 * time.Hour)
		s.Reports(s.Fact("in_9 pi_9"))
		s.Gives("pi_9", "0")
	})
	t.Run("one host's sale under two ids", func(t *testing.T) {
		s := scene.NewPayShop(t)
		order := func(p *affiliate.Paid) { p.ExternalID = "order-1" }
		s.Reports(scene.Altered(s.Paid("in_1", "120", "20", "1"), order), s.Refund("re_1", "30", affiliate.RefundSucceeded, "pi_1"))
		waits := s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "1"), order))
		s.Outcome(waits, affiliate.SaleConflict) // it may as well be a second payment
		s.Outcome(scene.Must(s.DecidePayment(t.Context(), waits.Payment.ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsSameSale})), affiliate.SaleDuplicate)
		a, b := s.Gives("in_1", "15"), s.Gives("pi_1", "15")
		scene.Equal(t, b.ID, a.ID)
	})
	t.Run("two sales of one payment", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Reports(s.Paid("in_1", "29", "0", "1"), s.Paid("pi_1", "29", "0", "1"))
		stored := s.Dump()
		_, err := s.Payments().ReportPayment(t.Context(), s.Fact("in_1 pi_1"))
		if !errors.Is(err, affiliate.PaymentConflict) || !strings.HasSuffix(err.Error(), "1, 2") {
			t.Errorf("error %v", err)
		}
		if fmt.Sprint(stored) != fmt.Sprint(s.Dump()) {
			t.Error("it changed something")
		}
	})
	t.Run("71 another amount", func(t *testing.T) {
		s := scene.NewPayShop(t)
		s.Play("S", "R:re_1:30")
		_, err := s.Payments().ReportPayment(t.Context(), s.Refund("re_1", "31", affiliate.RefundSucceeded))
		if !errors.Is(err, affiliate.InvalidField) {
			t.Errorf("error %v", err)
		}
		s.Gives("pi_1", "15")
	})
	t.Run("what leaves nothing", func(t *testing.T) {
		s := scene.NewPayShop(t)
		f := s.Paid("pi_1 in_1 cs_1", "29", "0")
		res := s.Reports(f)
		s.Outcome(res, affiliate.SaleUnattributed)
		if rows := s.Dump(); res.Payment.ID != uuid.Nil || len(rows["payments"])+len(rows["paymentkeys"])+len(rows["payers"]) != 0 {
			t.Errorf("kept %v", rows["payments"])
		}
	})
}

// The tax and shipping of refunds: of the facts, and of the host's own. Each sale is of 120
// with 20 tax, and earns 20 per cent of 100.

// named is a refund of pi_1 of which the provider says how much is tax.
func named(s *scene.PayShop, id, amount, tax string, state affiliate.RefundState) affiliate.PaymentFact {
	f := s.Refund(id, amount, state)
	f.Refunds[0].Tax, f.Refunds[0].Shipping = affiliate.Set(scene.Sum(tax)), affiliate.Set(affiliate.Amount{})
	return f
}

// The tax of a refund counts as much as the payment is worth: 40 of 240 euros, all of it
// tax, are 20 of the sale's 120 dollars, and leave the base as it is.
func TestPaymentPartsCounted(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Reports(scene.Altered(s.Paid("pi_1", "120", "20", "1"), func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum("240"), "EUR" }))
	f := named(s, "re_1", "40", "40", affiliate.RefundSucceeded)
	f.Currency = "EUR"
	s.Reports(f)
	scene.Equal(t, scene.Sum("20"), s.Gives("pi_1", "20").RefundedAmount)
}

// A refund of the facts moves money as a refund, and what brings it back, or says later
// what of it was tax, as a change of the sale.
func TestPaymentCauses(t *testing.T) {
	causes := func(s *scene.PayShop) (all []affiliate.Cause) {
		for m, err := range affiliate.All(t.Context(), s.Movements, affiliate.MovementQuery{AffiliateID: affiliate.Set(s.Mara.ID)}) {
			scene.Must(0, err)
			all = append(all, m.Cause)
		}
		slices.Reverse(all)
		return slices.Compact(all)
	}
	s := scene.NewPayShop(t)
	s.Play("S", "R:re_1:30")
	scene.Equal(t, []affiliate.Cause{affiliate.CauseSale, affiliate.CauseRefund}, causes(s))
	s.Play("R:re_1:30:failed")
	scene.Equal(t, []affiliate.Cause{affiliate.CauseSale, affiliate.CauseRefund, affiliate.CauseUpdate}, causes(s))
	s = scene.NewPayShop(t)
	s.Play("S", "R:re_1:20")
	s.Gives("pi_1", "16.67")
	s.Reports(named(s, "re_1", "20", "20", affiliate.RefundSucceeded))
	s.Gives("pi_1", "20")
	scene.Equal(t, []affiliate.Cause{affiliate.CauseSale, affiliate.CauseRefund, affiliate.CauseUpdate}, causes(s))
}

// lifecycles: what may happen to one payment, in the words of
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
	scene.Equal(t, 1, len(seen), seen)
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
