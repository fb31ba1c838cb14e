package affiliate_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// hosts is a sale of 10,000 that the host recorded for Ines, by Mara.
func (s *payShop) hosts() affiliate.Sale {
	s.t.Helper()
	res := must(s.RecordSale(s.t.Context(), affiliate.NewSale{
		ReferralID: "mara", Email: "ines@example.com", Name: "Ines", TotalEarned: money("10000"), ExternalID: "order-1042",
	}))
	return res.Sale.Or(affiliate.Sale{})
}

// order makes a payment name the host's order.
func order(f affiliate.PaymentFact, payer affiliate.PayerFact) affiliate.PaymentFact {
	f = altered(f, func(p *affiliate.Paid) { p.ExternalID = "order-1042" })
	f.Payer = payer
	return f
}

var ines = affiliate.PayerFact{ID: "cus_I", Email: "ines@example.com", Name: "Ines"}

// A payment takes the sale that it names when the customer and the amounts agree, and
// no other one. What it does not take it does not change, and a person decides.
func TestPaymentConflict(t *testing.T) {
	for name, row := range map[string]struct {
		total, tax string
		payer      affiliate.PayerFact
		want       affiliate.SaleOutcome
	}{
		"the customer":                      {"10000", "0", ines, affiliate.SaleDuplicate},
		"with tax that the host left out":   {"12000", "2000", ines, affiliate.SaleDuplicate},
		"somebody else":                     {"10000", "0", tomas, affiliate.SaleConflict},
		"somebody else with a small sum":    {"1", "0", tomas, affiliate.SaleConflict},
		"the customer with a small sum":     {"1", "0", ines, affiliate.SaleConflict},
		"the customer with a larger sum":    {"10000.01", "0", ines, affiliate.SaleConflict},
		"more, and the tax is too small":    {"12000", "1999", ines, affiliate.SaleConflict},
		"nobody who is known":               {"10000", "0", affiliate.PayerFact{ID: "cus_N"}, affiliate.SaleUnattributed},
		"the customer without a payer's id": {"10000", "0", affiliate.PayerFact{Email: "ines@example.com"}, affiliate.SaleDuplicate},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPayShop(t)
			sale := s.hosts()
			f := order(s.paid("pi_1", row.total, row.tax, "1"), row.payer)
			s.outcome(s.report(f, f), row.want)
			s.report(s.refund("re_1", row.total, affiliate.RefundSucceeded))
			want := money("2000")
			if row.want == affiliate.SaleDuplicate {
				want = money("0")
			}
			if got := must(s.Sale(t.Context(), sale.ID)); got.CommissionEarned != want {
				t.Errorf("the sale earns %v, want %v", got.CommissionEarned, want)
			}
			if err := s.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A payer who names an order before it is paid does not take it from who pays it, and
// a sale that was paid is not paid again by somebody else.
func TestPaymentConflictOfTwoPayments(t *testing.T) {
	s := newPayShop(t)
	s.outcome(s.report(order(s.paid("pi_1", "0.01", "0", "1"), tomas)), affiliate.SaleRecorded)
	real := s.report(order(s.paid("pi_2", "10000", "0", "1"), ines))
	s.outcome(real, affiliate.SaleConflict)
	res := must(s.DecidePayment(t.Context(), real.Payment.ID, affiliate.PaymentIsOwnSale))
	s.outcome(res, affiliate.SaleRecorded)
	if sale := res.Sale.Or(affiliate.Sale{}); sale.CommissionEarned != money("2000") || sale.ExternalID != affiliate.Set("pi_2") {
		t.Errorf("sale %+v", sale)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// An order that was paid twice, by a customer who clicked again, has one payment that
// brought it: what becomes of the other one takes nothing off it, and a person decides.
func TestPaymentOfAPaidOrder(t *testing.T) {
	for name, host := range map[string]bool{"a sale of the payment": false, "a sale of the host": true} {
		t.Run(name, func(t *testing.T) {
			s := newPayShop(t)
			if host {
				s.hosts()
			}
			s.report(order(s.paid("pi_1", "10000", "0", "1"), ines))
			again := order(s.paid("pi_2", "10000", "0", "1"), ines)
			s.outcome(s.report(again), affiliate.SaleConflict)
			s.report(s.refund("re_1", "10000", affiliate.RefundSucceeded, "pi_2"))
			s.outcome(s.report(again), affiliate.SaleConflict)
			s.gives("pi_1", "2000")
			s.report(s.refund("re_2", "5000", affiliate.RefundSucceeded, "pi_1"))
			s.gives("pi_1", "1000")
			if list := must(s.Attention(t.Context(), 0)).PaymentConflicts; list.Count != 1 {
				t.Errorf("attention %+v", list)
			}
			if err := s.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a person says of a conflict holds, also when the facts come again.
func TestDecidePayment(t *testing.T) {
	for decision, row := range map[affiliate.PaymentDecision]struct {
		outcome affiliate.SaleOutcome
		again   affiliate.SaleOutcome
		host    string // what the host's sale earns after the payment of 1.00 was refunded
		sales   int
	}{
		affiliate.PaymentIsSameSale: {affiliate.SaleDuplicate, affiliate.SaleDuplicate, "1999.8", 1},
		affiliate.PaymentIsOwnSale:  {affiliate.SaleRecorded, affiliate.SaleDuplicate, "2000", 2},
		affiliate.PaymentDismissed:  {affiliate.SaleUnattributed, affiliate.SaleUnattributed, "2000", 1},
	} {
		t.Run(string(decision), func(t *testing.T) {
			s := newPayShop(t)
			sale := s.hosts()
			f := order(s.paid("pi_1", "1", "0", "1"), tomas)
			waits := s.report(f)
			list := must(s.Attention(t.Context(), 0)).PaymentConflicts
			if list.Count != 1 || len(list.Items) != 1 || list.Items[0].ID != waits.Payment.ID || list.Items[0].SaleID != sale.ID || list.Items[0].Amount != money("1") ||
				list.Items[0].Currency != "USD" || list.Items[0].PayerID != affiliate.Set("cus_T") || len(list.Items[0].Keys) != 1 || list.Items[0].Keys[0] != "pi_1" {
				t.Fatalf("attention %+v", list)
			}
			s.outcome(must(s.DecidePayment(t.Context(), waits.Payment.ID, decision)), row.outcome)
			s.outcome(s.report(f), row.again)
			s.report(s.refund("re_1", "1", affiliate.RefundSucceeded))
			if got := must(s.Sale(t.Context(), sale.ID)); got.CommissionEarned != money(row.host) || s.sales() != row.sales {
				t.Errorf("the host's sale earns %v of %d sales", got.CommissionEarned, s.sales())
			}
			if list := must(s.Attention(t.Context(), 0)).PaymentConflicts; list.Count != 0 {
				t.Errorf("attention %+v", list)
			}
			if _, err := s.DecidePayment(t.Context(), waits.Payment.ID, decision); !errors.Is(err, affiliate.PaymentNotFound) || !errors.Is(err, affiliate.ErrNotFound) {
				t.Errorf("again: %v", err)
			}
			if err := s.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A renewal that names the order of the first payment is a sale of its own.
func TestRenewalNamesTheFirstOrder(t *testing.T) {
	s := newPayShop(t)
	first := altered(s.paid("in_1", "29", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-1" })
	second := renewal(altered(s.paid("in_2", "29", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-1" }))
	s.outcome(s.report(first), affiliate.SaleRecorded)
	s.outcome(s.report(second), affiliate.SaleRecorded)
	s.outcome(s.report(second), affiliate.SaleDuplicate)
	s.report(s.refund("re_1", "29", affiliate.RefundSucceeded, "in_2"))
	s.gives("in_1", "5.8")
	s.gives("in_2", "0")
}

// A payer who types the email of another customer credits that customer's affiliate,
// and does not change the customer's status, until the host says who the payer is.
func TestTypedEmail(t *testing.T) {
	s := newPayShop(t)
	ref := must(s.CreateReferral(t.Context(), affiliate.NewReferral{AffiliateID: "mara", Email: "ines@example.com", Name: "Ines", ReferredUserExternalID: "user-9"}))
	s.now = s.now.Add(time.Minute)
	status := func() affiliate.SubscriptionStatus { return must(s.Referral(t.Context(), ref.ID.String())).Status }
	cancel := func() error {
		_, err := s.ReportSubscription(t.Context(), affiliate.SubscriptionFact{
			Provider: "stripe", Payer: affiliate.PayerFact{ID: "cus_E"}, Subscription: "sub_1", Status: affiliate.SubscriptionCancelled, At: s.now,
		})
		return err
	}
	f := s.paid("pi_1", "100", "0")
	f.Payer = affiliate.PayerFact{ID: "cus_E", Email: "ines@example.com", Name: "Eve"}
	s.report(f)
	s.credited(s.gives("pi_1", "20"), s.mara)
	if err := cancel(); err != affiliate.ErrNotFound || status() != ref.Status {
		t.Errorf("%v, status %s", err, status())
	}
	if err := s.ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_E", Email: "ines@example.com"}); err != nil || status() != ref.Status {
		t.Errorf("%v, status %s", err, status())
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_E", CustomerID: "user-9"}); err != nil || status() != affiliate.SubscriptionCancelled {
		t.Errorf("%v, status %s", err, status())
	}
}

// A payment that is counted in another currency takes no more off a sale than it brought
// either, in the program's currency, and its facts never meet those in another one.
func TestPaymentCountedTakesWhatItBrought(t *testing.T) {
	counted := func(f affiliate.PaymentFact, gross string) affiliate.PaymentFact {
		return altered(f, func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = money(gross), "EUR" })
	}
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	s := newPayShop(t)
	sale := s.hosts()
	waits := s.report(counted(order(s.paid("pi_1", "1", "0", "1"), tomas), "0.9"))
	s.outcome(waits, affiliate.SaleConflict)
	must(s.DecidePayment(t.Context(), waits.Payment.ID, affiliate.PaymentIsSameSale))
	s.report(euros(s.refund("re_1", "0.45", affiliate.RefundSucceeded)))
	s.report(euros(s.refund("re_2", "0.45", affiliate.RefundSucceeded)))
	if got := must(s.Sale(t.Context(), sale.ID)); got.CommissionEarned != money("1999.8") {
		t.Errorf("a payment of 1.00 leaves %v of the commission of 2,000.00", got.CommissionEarned)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	s.raw(func(tx *record.Tx) error {
		return booksEdit(tx.Payments, nil, func(r *record.Payment) { r.Worth = affiliate.Set(money("0.5")) })
	})
	if err := s.Verify(t.Context()); !booksSays(err, "I82: it brought 0.5, and its refunds took 1 off its sale") {
		t.Errorf("nothing says that it took more than it brought: %v", err)
	}

	s = newPayShop(t)
	s.outcome(s.report(altered(s.paid("pi_1", "100", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-7" })), affiliate.SaleRecorded)
	second := s.report(counted(altered(s.paid("pi_2", "100", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-7" }), "90"))
	s.outcome(second, affiliate.SaleConflict)
	_, err := s.DecidePayment(t.Context(), second.Payment.ID, affiliate.PaymentIsSameSale)
	wantReason(t, "of another currency than the sale's payment", affiliate.InvalidField, err)
	s.report(s.refund("re_1", "50", affiliate.RefundSucceeded))
	s.gives("pi_1", "10")
	if err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// A payment that brought money and credits nobody, though it names somebody, or though
// nothing says whom, waits in Attention until it is a sale or a person decides. A refund of
// nobody's payment, a payment that names nobody and one that was refunded do not.
func TestPaymentLeft(t *testing.T) {
	ctx := t.Context()
	s := newPayShop(t)
	waits := func(want ...affiliate.SaleOutcome) []affiliate.ConflictPayment {
		t.Helper()
		got := must(s.Attention(ctx, 20))
		var all []affiliate.SaleOutcome
		for _, p := range got.PaymentConflicts.Items {
			all = append(all, p.Outcome)
		}
		if !slices.Equal(all, want) || got.OldestPaymentAt.IsNull() != (len(want) == 0) {
			t.Errorf("%v wait since %v, want %v", all, got.OldestPaymentAt, want)
		}
		return got.PaymentConflicts.Items
	}
	organic := s.paid("pi_0", "10", "0")
	organic.Payer = ines
	s.report(organic, s.refund("re_0", "10", affiliate.RefundSucceeded, "pi_0"), s.refund("re_9", "10", affiliate.RefundSucceeded, "pi_9"))
	waits()

	s.report(s.paid("pi_1", "20", "0", "nobody"))
	first := affiliate.TimeOf(s.now)
	s.now = s.now.Add(time.Hour)
	s.report(altered(s.paid("pi_2", "30", "0"), func(p *affiliate.Paid) { p.Stage = affiliate.PaidOfAgreed }))
	must(s.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	s.report(s.paid("pi_3", "40", "0", "code:MARA20"))
	list := waits(affiliate.SaleRefused, affiliate.SaleParked, affiliate.SaleUnattributed)
	if got := must(s.Attention(ctx, 1)); got.OldestPaymentAt != affiliate.Set(first) || list[2].Amount != money("20") || list[2].SaleID != 0 {
		t.Errorf("%+v", got)
	}

	own := func(id uuid.UUID) affiliate.SaleOutcome {
		t.Helper()
		return must(s.DecidePayment(ctx, id, affiliate.PaymentIsOwnSale)).Outcome
	}
	if got := own(list[0].ID); got != affiliate.SaleRefused {
		t.Errorf("tried again while the code is refused: %s", got)
	}
	must(s.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
	if got := own(list[0].ID); got != affiliate.SaleRecorded {
		t.Errorf("tried again: %s", got)
	}
	waits(affiliate.SaleParked, affiliate.SaleUnattributed)
	_, err := s.DecidePayment(ctx, list[1].ID, affiliate.PaymentIsOwnSale)
	wantReason(t, "a sale of nothing that is known", affiliate.InvalidField, err)
	_, err = s.DecidePayment(ctx, list[1].ID, affiliate.PaymentIsSameSale)
	wantReason(t, "the payment of no sale", affiliate.SaleNotFound, err)
	must(s.DecidePayment(ctx, list[1].ID, affiliate.PaymentDismissed))
	waits(affiliate.SaleUnattributed)
	s.report(s.refund("re_1", "20", affiliate.RefundSucceeded))
	waits()

	fourth := s.paid("pi_4", "50", "0", "nobody")
	fourth.Payer = ines
	s.report(fourth)
	dismissed := waits(affiliate.SaleUnattributed)[0]
	must(s.DecidePayment(ctx, dismissed.ID, affiliate.PaymentDismissed))
	must(s.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: "mara", Email: ines.Email, Name: "Ines", ReferredUserExternalID: "user-9"}))
	if err := s.ReportPayer(ctx, "stripe", ines); err != nil {
		t.Fatal(err)
	}
	s.outcome(s.report(fourth), affiliate.SaleUnattributed)
	waits()
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// A payment in another currency earns nothing. When it names somebody, or its payer is a
// known customer, it waits until a person dismisses it, unless it is refunded or the host
// recorded its order. What the program's currency says of a payment comes first.
func TestPaymentInOtherCurrency(t *testing.T) {
	ctx := t.Context()
	s := newPayShop(t)
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	waits := func(what string, want ...string) []affiliate.ConflictPayment {
		t.Helper()
		list := must(s.Attention(ctx, 20)).PaymentConflicts.Items
		var keys []string
		for _, p := range list {
			keys = append(keys, p.Keys[0])
			if p.Outcome != affiliate.SaleOtherCurrency || p.Currency != "EUR" || p.Amount != money("10.005") {
				t.Errorf("%s: %+v", what, p)
			}
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%s: %v wait, want %v", what, keys, want)
		}
		if err := s.Verify(ctx); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		return list
	}
	organic := euros(s.paid("pi_0", "10.005", "0"))
	organic.Payer = ines
	stored := s.dump()
	s.outcome(s.report(organic), affiliate.SaleUnattributed)
	if diff := cmp.Diff(stored, s.dump()); diff != "" {
		t.Errorf("a payment that nobody brought is stored: %s", diff)
	}

	first := euros(s.paid("pi_1", "10.005", "0", "1"))
	s.outcome(s.report(first, first), affiliate.SaleOtherCurrency)
	list := waits("by a click", "pi_1")
	_, err := s.DecidePayment(ctx, list[0].ID, affiliate.PaymentIsOwnSale)
	wantReason(t, "a sale in another currency", affiliate.InvalidField, err)
	_, err = s.DecidePayment(ctx, list[0].ID, affiliate.PaymentIsSameSale)
	wantReason(t, "the payment of no sale", affiliate.SaleNotFound, err)
	_, err = s.ReportPayment(ctx, s.refund("re_1", "1", affiliate.RefundSucceeded))
	wantReason(t, "a refund in the program's currency", affiliate.InvalidField, err)
	s.report(euros(s.refund("re_1", "10.005", affiliate.RefundSucceeded)))
	waits("refunded")
	s.report(euros(s.refund("re_1", "10.005", affiliate.RefundFailed)))
	waits("the refund failed", "pi_1")
	must(s.DecidePayment(ctx, list[0].ID, affiliate.PaymentDismissed))
	s.outcome(s.report(first), affiliate.SaleUnattributed)
	waits("dismissed")

	must(s.RecordSale(ctx, affiliate.NewSale{ReferralID: "1", Email: tomas.Email, Name: "Tomas", TotalEarned: money("11"), ExternalID: "order-2"}))
	s.outcome(s.report(euros(altered(s.paid("pi_2", "10.005", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-2" }))), affiliate.SaleDuplicate)
	waits("recorded by the host")
	s.outcome(s.report(euros(altered(s.paid("pi_3", "10.005", "0"), func(p *affiliate.Paid) { p.Renewal = true }))), affiliate.SaleOtherCurrency)
	waits("of a known customer", "pi_3")

	s.outcome(s.report(s.paid("pi_3", "30", "0", "1")), affiliate.SaleRecorded)
	s.outcome(s.report(euros(s.paid("pi_3", "10.005", "0", "1"))), affiliate.SaleDuplicate)
	s.gives("pi_3", "6")
	waits("the program's currency too")
	s.report(euros(s.paid("pi_4", "10.005", "0", "1")), s.paid("ch_4", "40", "0", "1"))
	s.report(s.fact("pi_4 ch_4")) // two ids of one payment
	s.gives("pi_4", "8")
	waits("joined")
}
