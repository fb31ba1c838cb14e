package affiliate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A refundCheck is what happens to a payment of 120 with 20 tax, in the words of
// [payShop.play], and what it gives then.
type refundCheck struct{ name, story, want string }

// play reports facts about pi_1, one a word:
//
//	S                the sale, with the keys pi_1 and cs_1
//	R:id:amount      a refund that succeeded; R:id:amount:pending, :failed
//	C:amount         the sum of refunds
//	D:id:amount:state@n  a dispute, n minutes after the beginning
//	H:amount:id      a refund by the host
//	L                a link of pi_1 and in_1
//	P, PP            a payout, PENDING or PAID
func (s *payShop) play(words ...string) {
	s.t.Helper()
	for _, word := range words {
		what, at, _ := strings.Cut(word, "@")
		arg := append(strings.Split(what, ":"), "", "", "")
		switch arg[0] {
		case "S":
			s.report(s.paid("pi_1 cs_1", "120", "20", "1"))
		case "R":
			state := affiliate.RefundState(arg[3])
			if state == "" {
				state = affiliate.RefundSucceeded
			}
			s.report(s.refund(arg[1], arg[2], state))
		case "C":
			s.report(s.cumulative(arg[1]))
		case "D":
			after, _ := time.ParseDuration("0" + at + "m")
			s.report(s.dispute(arg[1], arg[2], affiliate.DisputeState(arg[3]), after-time.Hour))
		case "H":
			must(s.RefundSale(s.t.Context(), affiliate.Refund{SaleID: s.saleOf("pi_1").ID, Amount: affiliate.Set(money(arg[1])), RefundID: arg[2], ClawBack: true}))
		case "L":
			s.report(s.fact("pi_1 in_1"))
		case "P":
			s.payout()
		case "PP":
			must(s.SetPayoutStatus(s.t.Context(), s.payout(), affiliate.PayoutPaid))
		default:
			s.t.Fatalf("no word %q", word)
		}
	}
}

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
			s := newPayShop(t)
			words := strings.Fields(c.story)
			s.play(words...)
			sale := s.gives("pi_1", c.want)
			before := len(s.eventTypes(0))
			s.play(words[len(words)-1:]...)
			s.gives("pi_1", c.want)
			if fired := s.eventTypes(before); len(fired) > 0 && words[len(words)-1][0] != 'H' {
				t.Errorf("the last word once more fired %v", fired)
			}
			if full := sale.Status == affiliate.SaleRefunded; full != (sale.RefundedAmount == sale.TotalEarned) || full == sale.RefundedAt.IsNull() {
				t.Errorf("status %s of %v refunded, events %v", sale.Status, sale.RefundedAmount, s.eventTypes(0))
			}
		})
	}
}

// What the host refunded is not taken again when the provider says that all is lost, and
// the answer is the sale as it is then.
func TestPaymentLostTwice(t *testing.T) {
	s := newPayShop(t)
	s.report(s.paid("pi_1", "120", "20", "1"))
	id := s.saleOf("pi_1").ID
	must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: id, Amount: affiliate.Set(money("60"))}))
	s.pass(time.Hour)
	res := s.report(s.refund("re_1", "120", affiliate.RefundSucceeded))
	sale := s.gives("pi_1", "0")
	if got, _ := res.Sale.Get(); cmp.Diff(sale, got) != "" {
		t.Errorf("the answer (-stored +got):\n%s", cmp.Diff(sale, got))
	}
	s.report(s.paid("pi_2", "120", "20", "1"))
	s.report(s.refund("re_2", "60", affiliate.RefundSucceeded, "pi_2"))
	s.pass(time.Hour)
	updated := must(s.UpdateSale(t.Context(), s.saleOf("pi_2").ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(money("150"))}))
	if stored := s.saleOf("pi_2"); cmp.Diff(stored, updated) != "" {
		t.Errorf("the answer of an update (-stored +got):\n%s", cmp.Diff(stored, updated))
	}
	s.verify()
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
			s := newPayShop(t)
			s.play(strings.Fields(c.story)...)
			got := ""
			for _, entry := range s.saleOf("pi_1").Commissions {
				got += entry.CommissionEarned.String() + " "
			}
			if adjusted := s.adjustments(s.saleOf("pi_1").ID); got != c.want || len(adjusted) > 0 {
				t.Errorf("entries %s, want %s; adjustments %v", got, c.want, adjusted)
			}
		})
	}
	t.Run("55 after a payout was paid", func(t *testing.T) {
		s := newPayShop(t)
		s.play("S", "PP", "R:re_1:30")
		balance := must(s.Balance(t.Context(), s.mara.ID))
		sale := s.saleOf("pi_1")
		if last := sale.Commissions[len(sale.Commissions)-1]; last.CommissionEarned != money("-5") || balance.Payable != money("-5") || balance.Paid != money("20") {
			t.Errorf("entry %v, balance %+v", last.CommissionEarned, balance)
		}
	})
	t.Run("51 the id stays", func(t *testing.T) {
		s := newPayShop(t)
		s.play("R:re_1:120", "S", "S")
		if sale := s.saleOf("pi_1"); sale.Status != affiliate.SaleRefunded || s.sales() != 1 {
			t.Errorf("sale %s of %d", sale.Status, s.sales())
		}
	})
	t.Run("50 nothing is asked again", func(t *testing.T) {
		s := newPayShop(t)
		res := s.report(s.refund("re_1", "30", affiliate.RefundSucceeded))
		s.outcome(res, affiliate.SaleParked)
		res = s.report(s.paid("pi_1", "120", "20", "1"))
		if res.Moved != money("15") {
			t.Errorf("moved %v", res.Moved)
		}
	})
	t.Run("a commission on hold waits for its review", func(t *testing.T) {
		s := newPayShop(t)
		s.play("S")
		id := s.saleOf("pi_1").ID
		must(s.ReviewCommissions(t.Context(), affiliate.ApprovalOnHold, id))
		s.play("D:dp_1:120:withdrawn@1", "D:dp_1:120:won@2")
		owes := func(want string) {
			t.Helper()
			if s.verify(); must(s.Balance(t.Context(), s.mara.ID)).Payable != money(want) {
				t.Errorf("%v is payable, want %s", must(s.Balance(t.Context(), s.mara.ID)).Payable, want)
			}
		}
		owes("0")
		must(s.ReviewCommissions(t.Context(), affiliate.ApprovalAccepted, id))
		owes("20")
		must(s.ReviewCommissions(t.Context(), affiliate.ApprovalDeclined, id))
		owes("0")
	})
	t.Run("the host changes the sale", func(t *testing.T) {
		s := newPayShop(t)
		s.play("S", "R:re_1:30")
		id := s.saleOf("pi_1").ID
		sale := must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(money("240"))}))
		if sale.RefundedAmount != money("60") {
			t.Errorf("refunded %v of 240", sale.RefundedAmount)
		}
		s.gives("pi_1", "33")
		must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(money("120"))}))
		s.gives("pi_1", "15")
		must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{CommissionRate: percent("10")}))
		s.gives("pi_1", "7.5")
	})
	t.Run("a sale that was deleted is not recorded again", func(t *testing.T) {
		s := newPayShop(t)
		s.play("S", "R:re_1:30", "R:re_1:30:failed")
		if err := s.DeleteSale(t.Context(), s.saleOf("pi_1").ID); err != nil {
			t.Fatal(err)
		}
		res := s.report(s.paid("pi_1", "120", "20", "1"))
		s.outcome(res, affiliate.SaleDuplicate)
		s.play("R:re_2:10")
		if s.verify(); s.sales() != 0 || !res.Sale.IsNull() {
			t.Errorf("%d sales", s.sales())
		}
	})
	t.Run("late", func(t *testing.T) {
		s := newPayShop(t, func(c *tributary.Config) { c.RefundWindow = 24 * time.Hour })
		s.play("S", "D:dp_1:60:withdrawn@1")
		s.pass(25 * time.Hour)
		s.play("R:re_1:30", "C:40", "D:dp_2:10:lost@1", "D:dp_1:60:won@2")
		s.gives("pi_1", "20")
		payment := must(s.ProviderPayment(t.Context(), "stripe", "pi_1"))
		if len(payment.Refunds) != 1 || payment.Refunded != affiliate.Set(money("40")) || len(payment.Disputes) != 2 || !payment.Lost.IsZero() {
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
			s := newPayShop(t, func(cfg *tributary.Config) { cfg.Currency = c.currency })
			s.report(s.paid("pi_1", c.total, c.tax, "1"))
			for i, amount := range c.refunds {
				s.report(s.refund(fmt.Sprint("re_", i), amount, affiliate.RefundSucceeded))
				s.gives("pi_1", c.want[i])
			}
		})
	}
}

// TestPaymentLinks are the checks about ids that come apart and together.
func TestPaymentLinks(t *testing.T) {
	t.Run("52 in every order", func(t *testing.T) {
		for order := range permutations(3) {
			s := newPayShop(t)
			facts := []affiliate.PaymentFact{s.paid("in_9", "29", "0", "1"), s.refund("re_1", "29", affiliate.RefundSucceeded, "pi_9"), s.fact("pi_9 in_9")}
			for _, i := range order {
				s.report(facts[i])
			}
			if s.gives("in_9", "0"); s.sales() != 1 {
				t.Errorf("order %v: %d sales", order, s.sales())
			}
		}
	})
	t.Run("53 the link comes a day later", func(t *testing.T) {
		s := newPayShop(t)
		s.report(s.paid("in_9", "29", "0", "1"), s.refund("re_1", "29", affiliate.RefundSucceeded, "pi_9"))
		s.gives("in_9", "5.8")
		s.pass(24 * time.Hour)
		s.report(s.fact("in_9 pi_9"))
		s.gives("pi_9", "0")
	})
	t.Run("one host's sale under two ids", func(t *testing.T) {
		s := newPayShop(t)
		order := func(p *affiliate.Paid) { p.ExternalID = "order-1" }
		s.report(altered(s.paid("in_1", "120", "20", "1"), order), s.refund("re_1", "30", affiliate.RefundSucceeded, "pi_1"))
		waits := s.report(altered(s.paid("pi_1", "120", "20", "1"), order))
		s.outcome(waits, affiliate.SaleConflict) // it may as well be a second payment
		s.outcome(must(s.DecidePayment(t.Context(), waits.Payment.ID, affiliate.PaymentIsSameSale)), affiliate.SaleDuplicate)
		a, b := s.gives("in_1", "15"), s.gives("pi_1", "15")
		if a.ID != b.ID {
			t.Errorf("sales %d and %d", a.ID, b.ID)
		}
	})
	t.Run("two sales of one payment", func(t *testing.T) {
		s := newPayShop(t)
		s.report(s.paid("in_1", "29", "0", "1"), s.paid("pi_1", "29", "0", "1"))
		stored := s.dump()
		_, err := s.ReportPayment(t.Context(), s.fact("in_1 pi_1"))
		if !errors.Is(err, affiliate.PaymentConflict) || !strings.HasSuffix(err.Error(), "1, 2") {
			t.Errorf("error %v", err)
		}
		if fmt.Sprint(stored) != fmt.Sprint(s.dump()) {
			t.Error("it changed something")
		}
	})
	t.Run("71 another amount", func(t *testing.T) {
		s := newPayShop(t)
		s.play("S", "R:re_1:30")
		_, err := s.ReportPayment(t.Context(), s.refund("re_1", "31", affiliate.RefundSucceeded))
		if !errors.Is(err, affiliate.InvalidField) {
			t.Errorf("error %v", err)
		}
		s.gives("pi_1", "15")
	})
	t.Run("what leaves nothing", func(t *testing.T) {
		s := newPayShop(t)
		f := s.paid("pi_1 in_1 cs_1", "29", "0")
		res := s.report(f)
		s.outcome(res, affiliate.SaleUnattributed)
		if rows := s.dump(); res.Payment.ID != uuid.Nil || len(rows["payments"])+len(rows["paymentkeys"])+len(rows["payers"]) != 0 {
			t.Errorf("kept %v", rows["payments"])
		}
	})
}
