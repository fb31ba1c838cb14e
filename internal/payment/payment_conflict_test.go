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
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A payment takes the sale that it names when the customer and the amounts agree, and
// no other one. What it does not take it does not change, and a person decides.
func TestPaymentConflict(t *testing.T) {
	for name, row := range map[string]struct {
		total, tax string
		payer      affiliate.PayerFact
		want       affiliate.SaleOutcome
	}{
		"the customer":                      {"10000", "0", scene.Ines, affiliate.SaleDuplicate},
		"with tax that the host left out":   {"12000", "2000", scene.Ines, affiliate.SaleDuplicate},
		"somebody else":                     {"10000", "0", scene.Tomas, affiliate.SaleConflict},
		"somebody else with a small sum":    {"1", "0", scene.Tomas, affiliate.SaleConflict},
		"the customer with a small sum":     {"1", "0", scene.Ines, affiliate.SaleConflict},
		"the customer with a larger sum":    {"10000.01", "0", scene.Ines, affiliate.SaleConflict},
		"more, and the tax is too small":    {"12000", "1999", scene.Ines, affiliate.SaleConflict},
		"nobody who is known":               {"10000", "0", affiliate.PayerFact{ID: "cus_N"}, affiliate.SaleUnattributed},
		"the customer without a payer's id": {"10000", "0", affiliate.PayerFact{Email: "ines@example.com"}, affiliate.SaleDuplicate},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			sale := s.Hosts()
			f := scene.OfOrder(s.Paid("pi_1", row.total, row.tax, "1"), row.payer)
			s.Outcome(s.Reports(f, f), row.want)
			s.Reports(s.Refund("re_1", row.total, affiliate.RefundSucceeded))
			want := scene.Sum("2000")
			if row.want == affiliate.SaleDuplicate {
				want = scene.Sum("0")
			}
			scene.Equal(t, want, scene.Must(s.Sale(t.Context(), sale.ID)).CommissionEarned)
			s.Verifies()
		})
	}
}

// A payer who names an order before it is paid does not take it from who pays it, and
// a sale that was paid is not paid again by somebody else.
func TestPaymentConflictOfTwoPayments(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Outcome(s.Reports(scene.OfOrder(s.Paid("pi_1", "0.01", "0", "1"), scene.Tomas)), affiliate.SaleRecorded)
	real := s.Reports(scene.OfOrder(s.Paid("pi_2", "10000", "0", "1"), scene.Ines))
	s.Outcome(real, affiliate.SaleConflict)
	res := scene.Must(s.DecidePayment(t.Context(), real.Payment.ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale}))
	s.Outcome(res, affiliate.SaleRecorded)
	if sale := res.Sale.Or(affiliate.Sale{}); sale.CommissionEarned != scene.Sum("2000") || sale.ExternalID != affiliate.Set("pi_2") {
		t.Errorf("sale %+v", sale)
	}
	s.Verifies()
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
			s := scene.NewPayShop(t)
			sale := s.Hosts()
			f := scene.OfOrder(s.Paid("pi_1", "1", "0", "1"), scene.Tomas)
			waits := s.Reports(f)
			list := scene.Must(s.Attention(t.Context(), 0)).PaymentConflicts
			if list.Count != 1 || len(list.Items) != 1 || list.Items[0].ID != waits.Payment.ID || list.Items[0].SaleID != sale.ID || list.Items[0].Amount != scene.Sum("1") ||
				list.Items[0].Currency != "USD" || list.Items[0].PayerID != affiliate.Set("cus_T") || len(list.Items[0].Keys) != 1 || list.Items[0].Keys[0] != "pi_1" {
				t.Fatalf("attention %+v", list)
			}
			s.Outcome(scene.Must(s.DecidePayment(t.Context(), waits.Payment.ID, affiliate.PaymentDecisionParams{Decision: decision})), row.outcome)
			s.Outcome(s.Reports(f), row.again)
			s.Reports(s.Refund("re_1", "1", affiliate.RefundSucceeded))
			if got := scene.Must(s.Sale(t.Context(), sale.ID)); got.CommissionEarned != scene.Sum(row.host) || sales(s) != row.sales {
				t.Errorf("the host's sale earns %v of %d sales", got.CommissionEarned, sales(s))
			}
			scene.Equal(t, 0, scene.Must(s.Attention(t.Context(), 0)).PaymentConflicts.Count)
			if _, err := s.DecidePayment(t.Context(), waits.Payment.ID, affiliate.PaymentDecisionParams{Decision: decision}); !errors.Is(err, affiliate.PaymentNotFound) || !errors.Is(err, affiliate.ErrNotFound) {
				t.Errorf("again: %v", err)
			}
			s.Verifies()
		})
	}
}

// A renewal that names the order of the first payment is a sale of its own.
func TestRenewalNamesTheFirstOrder(t *testing.T) {
	s := scene.NewPayShop(t)
	first := scene.Altered(s.Paid("in_1", "29", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-1" })
	second := scene.Renewal(scene.Altered(s.Paid("in_2", "29", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-1" }))
	s.Outcome(s.Reports(first), affiliate.SaleRecorded)
	s.Outcome(s.Reports(second), affiliate.SaleRecorded)
	s.Outcome(s.Reports(second), affiliate.SaleDuplicate)
	s.Reports(s.Refund("re_1", "29", affiliate.RefundSucceeded, "in_2"))
	s.Gives("in_1", "5.8")
	s.Gives("in_2", "0")
}

// A payer who types the email of another customer credits that customer's affiliate,
// and does not change the customer's status, until the host says who the payer is.
func TestTypedEmail(t *testing.T) {
	s := scene.NewPayShop(t)
	ref := scene.Must(s.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "mara", Email: "ines@example.com", Name: "Ines", ReferredUserExternalID: "user-9"}))
	s.Now = s.Now.Add(time.Minute)
	status := func() affiliate.SubscriptionStatus {
		return scene.Must(s.Referral(t.Context(), ref.ID.String())).Status
	}
	cancel := func() error {
		_, err := s.Payments().ReportSubscription(t.Context(), affiliate.SubscriptionFact{
			Provider: "stripe", Payer: affiliate.PayerFact{ID: "cus_E"}, Subscription: "sub_1", Status: affiliate.SubscriptionCancelled, At: s.Now,
		})
		return err
	}
	f := s.Paid("pi_1", "100", "0")
	f.Payer = affiliate.PayerFact{ID: "cus_E", Email: "ines@example.com", Name: "Eve"}
	s.Reports(f)
	credited(s, s.Gives("pi_1", "20"), s.Mara)
	if err := cancel(); err != affiliate.ErrNotFound || status() != ref.Status {
		t.Errorf("%v, status %s", err, status())
	}
	if err := s.Payments().ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_E", Email: "ines@example.com"}); err != nil || status() != ref.Status {
		t.Errorf("%v, status %s", err, status())
	}
	s.Verifies()
	if err := s.Payments().ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_E", CustomerID: "user-9"}); err != nil || status() != affiliate.SubscriptionCancelled {
		t.Errorf("%v, status %s", err, status())
	}
}

// A payment that is counted in another currency takes no more off a sale than it brought
// either, in the program's currency, and its facts never meet those in another one.
func TestPaymentCountedTakesWhatItBrought(t *testing.T) {
	counted := func(f affiliate.PaymentFact, gross string) affiliate.PaymentFact {
		return scene.Altered(f, func(p *affiliate.Paid) { p.Gross, p.GrossCurrency = scene.Sum(gross), "EUR" })
	}
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	s := scene.NewPayShop(t)
	sale := s.Hosts()
	waits := s.Reports(counted(scene.OfOrder(s.Paid("pi_1", "1", "0", "1"), scene.Tomas), "0.9"))
	s.Outcome(waits, affiliate.SaleConflict)
	scene.Must(s.DecidePayment(t.Context(), waits.Payment.ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsSameSale}))
	s.Reports(euros(s.Refund("re_1", "0.45", affiliate.RefundSucceeded)))
	s.Reports(euros(s.Refund("re_2", "0.45", affiliate.RefundSucceeded)))
	scene.Equal(t, scene.Sum("1999.8"), scene.Must(s.Sale(t.Context(), sale.ID)).CommissionEarned)
	s.Verifies()
	s.Raw(func(tx *record.Tx) error {
		return scene.Edit(tx.Payments, nil, func(r *record.Payment) { r.Worth = affiliate.Set(scene.Sum("0.5")) })
	})
	if err := s.Verify(t.Context()); !scene.Says(err, "I82: it brought 0.5, and its refunds took 1 off its sale") {
		t.Errorf("nothing says that it took more than it brought: %v", err)
	}

	s = scene.NewPayShop(t)
	s.Outcome(s.Reports(scene.Altered(s.Paid("pi_1", "100", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-7" })), affiliate.SaleRecorded)
	second := s.Reports(counted(scene.Altered(s.Paid("pi_2", "100", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-7" }), "90"))
	s.Outcome(second, affiliate.SaleConflict)
	_, err := s.DecidePayment(t.Context(), second.Payment.ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsSameSale})
	scene.WantReason(t, "of another currency than the sale's payment", affiliate.InvalidField, err)
	s.Reports(s.Refund("re_1", "50", affiliate.RefundSucceeded))
	s.Gives("pi_1", "10")
	s.Verifies()
}

// A payment that brought money and credits nobody, though it names somebody, or though
// nothing says whom, waits in Attention until it is a sale or a person decides. A refund of
// nobody's payment, a payment that names nobody and one that was refunded do not.
func TestPaymentLeft(t *testing.T) {
	ctx := t.Context()
	s := scene.NewPayShop(t)
	waits := func(want ...affiliate.SaleOutcome) []affiliate.ConflictPayment {
		t.Helper()
		got := scene.Must(s.Attention(ctx, 20))
		var all []affiliate.SaleOutcome
		for _, p := range got.PaymentConflicts.Items {
			all = append(all, p.Outcome)
		}
		if !slices.Equal(all, want) || got.OldestPaymentAt.IsNull() != (len(want) == 0) {
			t.Errorf("%v wait since %v, want %v", all, got.OldestPaymentAt, want)
		}
		return got.PaymentConflicts.Items
	}
	organic := s.Paid("pi_0", "10", "0")
	organic.Payer = scene.Ines
	s.Reports(organic, s.Refund("re_0", "10", affiliate.RefundSucceeded, "pi_0"), s.Refund("re_9", "10", affiliate.RefundSucceeded, "pi_9"))
	waits()

	nobody := s.Paid("pi_1", "20", "0", "nobody")
	nobody.Payer.ID, nobody.Payer.Email = "cus_N", "nobody@example.com"
	s.Reports(nobody)
	first := affiliate.TimeOf(s.Now)
	s.Now = s.Now.Add(time.Hour)
	s.Reports(scene.Altered(s.Paid("pi_2", "30", "0"), func(p *affiliate.Paid) { p.Stage = affiliate.PaidOfAgreed }))
	scene.Must(s.UpdateCode(ctx, s.MaraCode.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	s.Reports(s.Paid("pi_3", "40", "0", "code:MARA20"))
	list := waits(affiliate.SaleRefused, affiliate.SaleParked, affiliate.SaleUnattributed)
	if got := scene.Must(s.Attention(ctx, 1)); got.OldestPaymentAt != affiliate.Set(first) || list[2].Amount != scene.Sum("20") || list[2].SaleID != 0 {
		t.Errorf("%+v", got)
	}

	own := func(id uuid.UUID) affiliate.SaleOutcome {
		t.Helper()
		return scene.Must(s.DecidePayment(ctx, id, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale})).Outcome
	}
	scene.Equal(t, affiliate.SaleRefused, own(list[0].ID))
	scene.Must(s.UpdateCode(ctx, s.MaraCode.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
	scene.Equal(t, affiliate.SaleRecorded, own(list[0].ID))
	waits(affiliate.SaleParked, affiliate.SaleUnattributed)
	_, err := s.DecidePayment(ctx, list[1].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale})
	scene.WantReason(t, "a sale of nothing that is known", affiliate.InvalidField, err)
	_, err = s.DecidePayment(ctx, list[1].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsSameSale})
	scene.WantReason(t, "the payment of no sale", affiliate.SaleNotFound, err)
	scene.Must(s.DecidePayment(ctx, list[1].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}))
	waits(affiliate.SaleUnattributed)
	s.Reports(s.Refund("re_1", "20", affiliate.RefundSucceeded))
	waits()

	fourth := s.Paid("pi_4", "50", "0", "nobody")
	fourth.Payer = scene.Ines
	s.Reports(fourth)
	dismissed := waits(affiliate.SaleUnattributed)[0]
	scene.Must(s.DecidePayment(ctx, dismissed.ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}))
	scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "mara", Email: scene.Ines.Email, Name: "Ines", ReferredUserExternalID: "user-9"}))
	scene.Must(0, s.Payments().ReportPayer(ctx, "stripe", scene.Ines))
	s.Outcome(s.Reports(fourth), affiliate.SaleUnattributed)
	waits()
	s.Verifies()
}

// A payment in another currency earns nothing. When it names somebody, or its payer is a
// known customer, it waits until a person dismisses it, unless it is refunded or the host
// recorded its order. What the program's currency says of a payment comes first.
func TestPaymentInOtherCurrency(t *testing.T) {
	ctx := t.Context()
	s := scene.NewPayShop(t)
	euros := func(f affiliate.PaymentFact) affiliate.PaymentFact { f.Currency = "EUR"; return f }
	waits := func(what string, want ...string) []affiliate.ConflictPayment {
		t.Helper()
		list := scene.Must(s.Attention(ctx, 20)).PaymentConflicts.Items
		var keys []string
		for _, p := range list {
			keys = append(keys, p.Keys[0])
			if p.Outcome != affiliate.SaleOtherCurrency || p.Currency != "EUR" || p.Amount != scene.Sum("10.005") {
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
	organic := euros(s.Paid("pi_0", "10.005", "0"))
	organic.Payer = scene.Ines
	stored := s.Dump()
	s.Outcome(s.Reports(organic), affiliate.SaleUnattributed)
	scene.Equal(t, stored, s.Dump())

	first := euros(s.Paid("pi_1", "10.005", "0", "1"))
	s.Outcome(s.Reports(first, first), affiliate.SaleOtherCurrency)
	list := waits("by a click", "pi_1")
	_, err := s.DecidePayment(ctx, list[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale})
	scene.WantReason(t, "a sale in another currency", affiliate.MissingField, err)
	_, err = s.DecidePayment(ctx, list[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsSameSale})
	scene.WantReason(t, "the payment of no sale", affiliate.SaleNotFound, err)
	_, err = s.Payments().ReportPayment(ctx, s.Refund("re_1", "1", affiliate.RefundSucceeded))
	scene.WantReason(t, "a refund in the program's currency", affiliate.InvalidField, err)
	s.Reports(euros(s.Refund("re_1", "10.005", affiliate.RefundSucceeded)))
	waits("refunded")
	s.Reports(euros(s.Refund("re_1", "10.005", affiliate.RefundFailed)))
	waits("the refund failed", "pi_1")
	scene.Must(s.DecidePayment(ctx, list[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}))
	s.Outcome(s.Reports(first), affiliate.SaleUnattributed)
	waits("dismissed")

	scene.Must(s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "1", Email: scene.Tomas.Email, Name: "Tomas", TotalEarned: scene.Sum("11"), ExternalID: "order-2"}))
	s.Outcome(s.Reports(euros(scene.Altered(s.Paid("pi_2", "10.005", "0", "1"), func(p *affiliate.Paid) { p.ExternalID = "order-2" }))), affiliate.SaleDuplicate)
	waits("recorded by the host")
	s.Outcome(s.Reports(euros(scene.Altered(s.Paid("pi_3", "10.005", "0"), func(p *affiliate.Paid) { p.Renewal = true }))), affiliate.SaleOtherCurrency)
	waits("of a known customer", "pi_3")

	s.Outcome(s.Reports(s.Paid("pi_3", "30", "0", "1")), affiliate.SaleRecorded)
	s.Outcome(s.Reports(euros(s.Paid("pi_3", "10.005", "0", "1"))), affiliate.SaleDuplicate)
	s.Gives("pi_3", "6")
	waits("the program's currency too")
	s.Reports(euros(s.Paid("pi_4", "10.005", "0", "1")), s.Paid("ch_4", "40", "0", "1"))
	s.Reports(s.Fact("pi_4 ch_4")) // two ids of one payment
	s.Gives("pi_4", "8")
	waits("joined")
}

// A payment that named another sale, which the host deleted since, becomes a sale of its
// own when it is told again, and waits for nobody.
func TestPaymentConflictDeleted(t *testing.T) {
	s := scene.NewPayShop(t)
	host := s.Hosts()
	f := scene.OfOrder(s.Paid("pi_1", "120", "20", "1"), scene.Tomas)
	s.Outcome(s.Reports(f), affiliate.SaleConflict)
	scene.Must(0, s.DeleteSale(t.Context(), host.ID))
	s.Outcome(s.Reports(f), affiliate.SaleRecorded)
	s.Gives("pi_1", "20")
	scene.Equal(t, 0, len(scene.Must(s.Attention(t.Context(), 20)).PaymentConflicts.Items))
}

// toldPayment is a payment of Tomas, so many hours after the first one.
type toldPayment struct {
	key    string
	after  int
	change func(*affiliate.Paid)
	tries  string
}

func renewed(p *affiliate.Paid) { p.Renewal = true }

func trial(p *affiliate.Paid) {
	*p = affiliate.Paid{Stage: affiliate.PaidNothing, Tries: p.Tries, SaleParams: affiliate.SaleParams{PaidAt: p.PaidAt}}
}

// fact: what a provider reports of it.
func (o toldPayment) fact(s *scene.PayShop, began time.Time, payer affiliate.PayerFact) affiliate.PaymentFact {
	f := s.Paid(o.key, "100", "0", strings.Fields(o.tries)...)
	f.Payer = payer
	return scene.Altered(f, func(p *affiliate.Paid) {
		if p.PaidAt = began.Add(time.Duration(o.after) * time.Hour); o.change != nil {
			o.change(p)
		}
	})
}

// booksOf: what must not depend on the order of reports.
func booksOf(s *scene.PayShop) string {
	ctx, lines := s.T.Context(), []string{}
	name := func(id fmt.Stringer) string {
		return map[string]string{s.Mara.ID.String(): "mara", s.Ben.ID.String(): "ben"}[id.String()]
	}
	for _, x := range scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		lines = append(lines, fmt.Sprintf("%s %s %s %t", x.ExternalID.Or(""), name(x.AffiliateID), x.CommissionEarned, x.PromotionalCodeID.IsNull()))
	}
	for _, r := range scene.Must(s.Referrals(ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items {
		lines = append(lines, fmt.Sprintf("customer of %s %q %q: %s", name(r.AffiliateID), r.Email, r.ReferredUserExternalID.Or(""), r.TotalRevenue))
	}
	for _, w := range scene.Must(s.Attention(ctx, 20)).PaymentConflicts.Items {
		lines = append(lines, fmt.Sprintf("%s waits: %s", w.Keys, w.Outcome))
	}
	lines = append(lines, fmt.Sprint("redeemed ", scene.Must(s.Program.Code(ctx, affiliate.CodeRef{ID: s.MaraCode.ID})).TimesRedeemed))
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What renewals earn that are told before the first payment of their customer is what that payment says, in every order,
// with an email or without, and however long after.
func TestRenewalsFirst(t *testing.T) {
	signed := scene.Tomas
	signed.CustomerID = "17"
	for name, tt := range map[string]struct {
		told  []toldPayment
		payer affiliate.PayerFact
		want  string // of the payments, whom they credit
	}{
		"a code and another's link":                   {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "ben"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"a code alone":                                {[]toldPayment{{"p1", 0, nil, "code:MARA20"}, {"p2", 1, renewed, "code:MARA20"}, {"p3", 2, renewed, "code:MARA20"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"a code, and renewals with and without marks": {[]toldPayment{{"p1", 0, nil, "code:MARA20"}, {"p2", 1, renewed, "code:MARA20"}, {"p3", 2, renewed, "ben"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"links of two":                                {[]toldPayment{{"p1", 0, nil, "mara"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "ben"}}, scene.Tomas, "p1 mara, p2 mara, p3 mara"},
		"a trial":                                     {[]toldPayment{{"p0", 0, trial, "code:MARA20"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "code:MARA20"}}, scene.Tomas, "p2 mara, p3 mara"},
		"a first one without a mark":                  {[]toldPayment{{"p1", 0, nil, ""}, {"p2", 1, renewed, "ben"}}, scene.Tomas, "p2 ben"},
		"a first one of nobody":                       {[]toldPayment{{"p1", 0, nil, "nowhere"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "code:MARA20"}}, scene.Tomas, "p1 ben, p2 ben, p3 ben"},
		"the host's id":                               {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}}, signed, "p1 mara, p2 mara"},
		"no email":                                    {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "code:MARA20"}}, affiliate.PayerFact{ID: "cus_T"}, "p1 mara, p2 mara, p3 mara"},
		"an email that is told last":                  {[]toldPayment{{"p1", 0, nil, "code:MARA20 ben"}, {"p2", 1, renewed, "ben"}, {"p3", 2, renewed, "ben"}}, affiliate.PayerFact{ID: "cus_E"}, "p1 mara, p2 mara, p3 mara"},
		"no email and no mark":                        {[]toldPayment{{"p1", 0, nil, "code:MARA20"}, {"p2", 1, renewed, ""}}, affiliate.PayerFact{ID: "cus_T"}, "p1 mara, p2 mara"},
	} {
		t.Run(name, func(t *testing.T) {
			first := ""
			for order := range permutations(len(tt.told)) {
				s := scene.NewPayShop(t, func(c *tributary.Config) { c.CookieDays = 1000 })
				began := s.Now
				s.Now = s.Now.Add(300 * day)
				for _, again := range []bool{false, true} {
					for _, i := range order {
						s.Now = s.Now.Add(time.Hour)
						s.Reports(tt.told[i].fact(s, began, tt.payer))
					}
					if tt.payer.ID == "cus_E" {
						scene.Must(0, s.Payments().ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_E", Email: scene.Tomas.Email, Name: "Tomas"}))
					}
					var got []string
					for line := range strings.SplitSeq(booksOf(s), "\n") {
						if words := strings.Fields(line); strings.HasPrefix(line, "p") {
							got = append(got, words[0]+" "+words[1])
						}
					}
					scene.Equal(t, tt.want, strings.Join(got, ", "), order, again)
				}
				s.Verifies()
				if books := booksOf(s); first == "" {
					first = books
				} else if books != first {
					t.Errorf("%v:\n%s\nand in another order:\n%s", order, books, first)
				}
			}
		})
	}
}

// Renewals whose first payment is never told are open for Config.PaymentMemory, and not for ever: so are those of a payer whose
// email nobody tells.
func TestRenewalsEnd(t *testing.T) {
	for name, payer := range map[string]affiliate.PayerFact{"no first payment": scene.Tomas, "no email": {ID: "cus_T"}} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t, func(c *tributary.Config) { c.CookieDays = 1000 })
			began := s.Now
			open := func() (n int) {
				for _, line := range s.Dump()["payments"] {
					n += strings.Count(line, `"Renewal":true`)
				}
				return n
			}
			for month := range 5 {
				s.Now = s.Now.Add(31 * day)
				s.Reports(toldPayment{fmt.Sprint("p", month+2), 24*31*month + 1, renewed, "ben"}.fact(s, began, payer))
				scene.Must(s.Run(t.Context(), affiliate.PruneJob{Before: s.Now}))
			}
			if n := open(); n != 3 { // of 0, 31 and 62 days
				t.Errorf("%d are open of 5", n)
			}
			s.Verifies()
			s.Reports(toldPayment{"p1", 0, nil, "code:MARA20"}.fact(s, began, payer))
			want := "customer of ben %q \"\": 600\np1 mara 20 false\np2 ben 20 true\np3 ben 20 true\np4 ben 20 true\np5 ben 20 true\np6 ben 20 true\nredeemed 1"
			scene.Equal(t, fmt.Sprintf(want, payer.Email), booksOf(s))
			if n := open(); n != 0 && payer.Email != "" {
				t.Errorf("%d are open after the first payment", n)
			}
			s.Verifies()
		})
	}
}

// What a payout holds of a renewal, and a customer whom a person moved, stay when the first payment is told.
func TestRenewalsFirstStay(t *testing.T) {
	first, second := toldPayment{"p1", 0, nil, "code:MARA20 ben"}, toldPayment{"p2", 1, renewed, "ben"}
	for name, tt := range map[string]struct {
		change func(s *scene.PayShop)
		want   string
	}{
		"paid out": {func(s *scene.PayShop) {
			scene.Must(s.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: s.Ben.ID}))
		}, "customer of ben \"tomas@example.com\" \"\": 200\np1 mara 20 false\np2 ben 20 true\nredeemed 1"},
		"moved": {func(s *scene.PayShop) {
			scene.Must(s.UpdateReferral(t.Context(), scene.Tomas.Email, affiliate.ReferralUpdate{AffiliateID: affiliate.Set(s.Mara.ID)}))
		}, "customer of mara \"tomas@example.com\" \"\": 200\np1 mara 20 false\np2 mara 20 true\nredeemed 1"},
		"named by the host": {func(s *scene.PayShop) {
			scene.Must(s.UpdateReferral(t.Context(), scene.Tomas.Email, affiliate.ReferralUpdate{ReferredUserExternalID: affiliate.Set("17")}))
		}, "customer of mara \"tomas@example.com\" \"17\": 200\np1 mara 20 false\np2 mara 20 true\nredeemed 1"},
		"another order of the customer": {func(s *scene.PayShop) {
			scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{TotalEarned: scene.Sum("100"), Email: scene.Tomas.Email, ExternalID: "o1"}))
		}, "customer of ben \"tomas@example.com\" \"\": 300\no1 ben 20 true\np1 mara 20 false\np2 ben 20 true\nredeemed 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			began := s.Now
			s.Now = s.Now.Add(2 * day)
			s.Reports(second.fact(s, began, scene.Tomas))
			tt.change(s)
			s.Reports(first.fact(s, began, scene.Tomas))
			scene.Equal(t, tt.want, booksOf(s))
			s.Verifies()
		})
	}
}

// A sale that may be wrong waits until the sale is refunded, deleted or corrected, by the host or by a report.
func TestDoubtedSale(t *testing.T) {
	at := func(f affiliate.PaymentFact, hours int) affiliate.PaymentFact {
		f.At = f.At.Add(time.Duration(hours-10) * time.Hour)
		return f
	}
	revoked := func(s *scene.PayShop) affiliate.PaymentFact {
		f := at(s.Fact("pi_1"), 2)
		f.Revoked = affiliate.Set(true)
		return f
	}
	raised := func(s *scene.PayShop) affiliate.PaymentFact { return at(s.Paid("pi_1", "150", "0", "mara"), 2) }
	for name, tt := range map[string]struct {
		doubt  func(s *scene.PayShop) affiliate.PaymentFact
		settle func(s *scene.PayShop, id affiliate.SaleID)
		want   string
	}{
		"revoked": {revoked, nil, "pi_1 mara 20 true\n[pi_1] waits: revoked"},
		"raised":  {raised, nil, "pi_1 mara 20 true\n[pi_1] waits: differs"},
		"refunded by hand": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: id}))
		}, "pi_1 mara 0 true"},
		"refunded": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			s.Reports(s.Refund("re_1", "100", affiliate.RefundSucceeded))
		}, "pi_1 mara 0 true"},
		"refunded in part": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			s.Reports(s.Refund("re_1", "50", affiliate.RefundSucceeded))
		}, "pi_1 mara 10 true\n[pi_1] waits: revoked"},
		"deleted": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(0, s.DeleteSale(t.Context(), id))
		}, ""},
		"corrected": {raised, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(s.UpdateSale(t.Context(), id, affiliate.SaleUpdate{TotalEarned: affiliate.Set(scene.Sum("150"))}))
		}, "pi_1 mara 30 true"},
		"raised once more": {raised, func(s *scene.PayShop, id affiliate.SaleID) {
			scene.Must(s.DecidePayment(t.Context(), scene.Must(s.Attention(t.Context(), 1)).PaymentConflicts.Items[0].ID, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentDismissed}))
			s.Reports(at(s.Paid("pi_1", "170", "0", "mara"), 3))
		}, "pi_1 mara 20 true\n[pi_1] waits: differs"},
		"stands, told before": {revoked, func(s *scene.PayShop, id affiliate.SaleID) {
			f := at(s.Fact("pi_1"), 1)
			f.Revoked = affiliate.Set(false)
			s.Reports(f)
		}, "pi_1 mara 20 true\n[pi_1] waits: revoked"},
	} {
		for _, reversed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", reversed), func(t *testing.T) {
				s := scene.NewPayShop(t)
				facts := []affiliate.PaymentFact{at(s.Paid("pi_1", "100", "0", "mara"), 0), tt.doubt(s)}
				if reversed {
					slices.Reverse(facts)
				}
				s.Reports(facts...)
				s.Reports(facts...)
				if tt.settle != nil {
					tt.settle(s, s.SaleOf("pi_1").ID)
				}
				var got []string
				for line := range strings.SplitSeq(booksOf(s), "\n") {
					if strings.Contains(line, "pi_1") {
						got = append(got, line)
					}
				}
				slices.Sort(got)
				slices.Reverse(got)
				scene.Equal(t, tt.want, strings.Join(got, "\n"))
				s.Verifies()
			})
		}
	}
}

// A rate of a decision from which no sale came is not kept: the next decision may say another one.
func TestDecideAnotherRate(t *testing.T) {
	ctx, s := t.Context(), scene.NewPayShop(t)
	euros := s.Paid("pi_2", "100", "0", "nobody")
	euros.Currency = "EUR"
	id := s.Reports(euros).Payment.ID
	own := affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale, ExchangeRate: affiliate.MustExchangeRate("125")}
	scene.Equal(t, affiliate.SaleOtherCurrency, scene.Must(s.DecidePayment(ctx, id, own)).Waits)
	own.ReferralID, own.ExchangeRate = "1", affiliate.MustExchangeRate("1.25")
	scene.Equal(t, scene.Sum("25"), scene.Must(s.DecidePayment(ctx, id, own)).Sale.Or(affiliate.Sale{}).CommissionEarned)
	s.Verifies()
}

// Whom a person names comes before the customer of a renewal.
func TestDecideWhomOfARenewal(t *testing.T) {
	ctx, s := t.Context(), scene.NewPayShop(t)
	s.Outcome(s.Reports(s.Paid("pi_1", "100", "0", "mara")), affiliate.SaleRecorded)
	again := scene.Altered(s.Paid("pi_2", "100", "0"), func(p *affiliate.Paid) { p.Renewal = true })
	again.Currency = "EUR"
	id := s.Reports(again).Payment.ID
	sale := scene.Must(s.DecidePayment(ctx, id, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale,
		ReferralID: s.Ben.ID.String(), ExchangeRate: affiliate.MustExchangeRate("1.25")})).Sale.Or(affiliate.Sale{})
	scene.Equal(t, s.Ben.ID, sale.AffiliateID)
	s.Verifies()
}
