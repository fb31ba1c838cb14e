package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// saleMissing is the refusal of an unknown sale.
var saleMissing = scene.MissingError(affiliate.SaleNotFound, "Sale not found")

func rawObject(s string) affiliate.Opt[json.RawMessage] { return affiliate.Set(json.RawMessage(s)) }

// The effect of an update on the amounts of a sale of 100 at 20 %, after the
// updates before it.
func TestUpdateSaleMoney(t *testing.T) {
	type step struct {
		up          affiliate.SaleUpdate
		refund      string // instead of an update
		rate, total string
		earned      string
	}
	for name, steps := range map[string][]step{
		"total": {{affiliate.SaleUpdate{TotalEarned: scene.Amount("199.99")}, "", "20", "199.99", "40"}},
		"rate":  {{affiliate.SaleUpdate{CommissionRate: scene.Percent("12.5")}, "", "12.5", "100", "12.5"}},
		"both":  {{affiliate.SaleUpdate{TotalEarned: scene.Amount("50"), CommissionRate: scene.Percent("10")}, "", "10", "50", "5"}},
		"on what is kept": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("150")}, "", "20", "150", "20"},
			{affiliate.SaleUpdate{CommissionRate: scene.Percent("10")}, "", "10", "150", "10"},
		},
		"by hand, rounded": {{affiliate.SaleUpdate{CommissionEarned: scene.Amount("12.345")}, "", "20", "100", "12.35"}},
		"by hand wins over total and rate": {
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("300"), CommissionRate: scene.Percent("50"), CommissionEarned: scene.Amount("1")}, "", "50", "300", "1"},
			{affiliate.SaleUpdate{}, "150", "50", "300", "0.5"},
		},
		"by hand, then total": {
			{affiliate.SaleUpdate{CommissionEarned: scene.Amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("200")}, "", "20", "200", "40"},
		},
		"by hand, then the same total": { // contract 3.7: totalEarned computes the commission again
			{affiliate.SaleUpdate{CommissionEarned: scene.Amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("100")}, "", "20", "100", "20"},
		},
		"by hand, then the same rate": {
			{affiliate.SaleUpdate{CommissionEarned: scene.Amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{CommissionRate: scene.Percent("20")}, "", "20", "100", "20"},
		},
		"by hand, then a name": {
			{affiliate.SaleUpdate{CommissionEarned: scene.Amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{Name: scene.TextOf("n")}, "", "20", "100", "1"},
		},
		"by hand what it was, with a new total": {
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("200"), CommissionEarned: scene.Amount("20")}, "", "20", "200", "20"},
			{affiliate.SaleUpdate{}, "100", "20", "200", "10"},
		},
		"by hand twice, the second with a new total": {
			{affiliate.SaleUpdate{CommissionEarned: scene.Amount("30")}, "", "20", "100", "30"},
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("200"), CommissionEarned: scene.Amount("30")}, "", "20", "200", "30"},
			{affiliate.SaleUpdate{}, "1", "20", "200", "29.85"},
		},
		"by hand on a part, then refunded": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{CommissionEarned: scene.Amount("8")}, "", "20", "100", "8"},
			{affiliate.SaleUpdate{}, "25", "20", "100", "4"},
			{affiliate.SaleUpdate{}, "25", "20", "100", "0"},
		},
		"null rate is that of today": {
			{affiliate.SaleUpdate{CommissionRate: scene.Percent("5")}, "", "5", "100", "5"},
			{affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}, "", "20", "100", "20"},
		},
		"nothing left, by hand": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("50"), CommissionEarned: scene.Amount("5")}, "", "20", "50", "0"},
		},
		"nothing left": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{TotalEarned: scene.Amount("50")}, "", "20", "50", "0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewShop(t)
			sale := s.ToTomas("100")
			for i, st := range steps {
				s.Pass(time.Second)
				if st.refund != "" {
					scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount(st.refund)}))
				} else {
					got := scene.Must(s.UpdateSale(t.Context(), sale.ID, st.up))
					scene.Equal(t, scene.Must(s.Sale(t.Context(), sale.ID)), got, i)
				}
				got := scene.Must(s.Sale(t.Context(), sale.ID))
				rate, _ := got.CommissionRate.Get()
				scene.Equal(t, []string{st.rate, st.total, st.earned}, []string{rate.String(), got.TotalEarned.String(), got.CommissionEarned.String()}, i)
				s.Verifies()
			}
		})
	}
}

// Texts and metadata are set, kept and cleared; an equal value fires no event.
func TestUpdateSaleTexts(t *testing.T) {
	s := scene.NewShop(t)
	sale := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "e", ExternalInvoiceID: "i"})
	s.Pass(time.Hour)
	set := affiliate.SaleUpdate{
		Name: scene.TextOf(" Tom "), Email: scene.TextOf(" Other@Example.NET "), ExternalID: scene.TextOf("E"), ExternalInvoiceID: scene.TextOf("I"), Metadata: rawObject(`{ "b" : [1.50] }`),
	}
	want := sale
	want.Name, want.Email, want.ExternalID, want.ExternalInvoiceID = scene.TextOf("Tom"), scene.TextOf("other@example.net"), scene.TextOf("E"), scene.TextOf("I")
	want.Metadata, want.UpdatedAt = rawObject(`{"b":[1.50]}`), affiliate.TimeOf(s.Now)
	s.Fires(func() error {
		got, err := s.UpdateSale(t.Context(), sale.ID, set)
		scene.Equal(t, want, got)
		return err
	}, affiliate.SaleUpdated)
	s.Pass(time.Hour)
	for name, up := range map[string]affiliate.SaleUpdate{
		"same": set, "empty": {}, "same total": {TotalEarned: scene.Amount("100")}, "same money": {TotalEarned: scene.Amount("100.00"), CommissionEarned: scene.Amount("20")},
		"same ids": {ExternalID: scene.TextOf("E"), ExternalInvoiceID: scene.TextOf("I")},
	} {
		before := s.Dump()
		s.Fires(func() error {
			got, err := s.UpdateSale(t.Context(), sale.ID, up)
			scene.Equal(t, want, got, name)
			return err
		})
		scene.Equal(t, before, s.Dump(), name)
	}
	null := affiliate.Null[string]()
	s.Fires(func() error {
		got, err := s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Name: null, Email: null, ExternalID: null, ExternalInvoiceID: null, Metadata: affiliate.Null[json.RawMessage]()})
		if !got.Name.IsNull() || !got.Email.IsNull() || !got.ExternalID.IsNull() || !got.ExternalInvoiceID.IsNull() || !got.Metadata.IsNull() || !got.ReferralID.Equal(sale.ReferralID) {
			t.Errorf("cleared: %+v", got)
		}
		return err
	}, affiliate.SaleUpdated)
	if ref := scene.Must(s.Referral(t.Context(), s.Tomas.ID.String())); ref.Email != s.Tomas.Email || ref.Name != s.Tomas.Name {
		t.Error("the update reached the referral")
	}
	for _, id := range []string{"E", "e"} {
		if got := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: id}); got.ID == 0 {
			t.Errorf("%s was not freed", id)
		}
	}
	s.Verifies()
}

// Partial, repeated and full refunds: B417, B418.
func TestRefundSale(t *testing.T) {
	s := scene.NewShop(t)
	scene.Must(s.UpdateCode(t.Context(), s.ADA20.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
	sale := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Tomas.Email, TotalEarned: scene.Sum("199.99"), Tax: scene.Sum("9.99")})
	events := func(want ...affiliate.EventType) []affiliate.EventType { return want }
	for _, st := range []struct {
		in     affiliate.Refund
		reason affiliate.RefundReason
		earned string
		fires  []affiliate.EventType
	}{
		{affiliate.Refund{Amount: scene.Amount("99.99"), RefundID: "a"}, affiliate.RefundedInPart, "19", events(affiliate.SaleUpdated)},
		{affiliate.Refund{Amount: scene.Amount("99.99"), RefundID: "a"}, affiliate.RefundedAlready, "19", nil},
		{affiliate.Refund{Amount: scene.Amount("5"), RefundID: "a"}, affiliate.RefundedAlready, "19", nil},
		{affiliate.Refund{RefundID: "a"}, affiliate.RefundedAlready, "19", nil},
		{affiliate.Refund{Amount: scene.Amount("0.0001")}, affiliate.RefundedInPart, "19", events(affiliate.SaleUpdated)},
		{affiliate.Refund{Amount: scene.Amount("0.0001")}, affiliate.RefundedInPart, "19", events(affiliate.SaleUpdated)},
		{affiliate.Refund{RefundID: "b"}, affiliate.RefundedInFull, "0", events(affiliate.SaleDeleted)},
		{affiliate.Refund{RefundID: "b"}, affiliate.RefundedAlready, "0", nil},
		{affiliate.Refund{}, affiliate.RefundedAlready, "0", nil},
		{affiliate.Refund{Amount: scene.Amount("1000"), RefundID: "c"}, affiliate.RefundedAlready, "0", nil},
	} {
		s.Pass(time.Second)
		st.in.SaleID = sale.ID
		before := s.Dump()
		s.Fires(func() error {
			got, err := s.RefundSale(t.Context(), st.in)
			scene.Equal(t, affiliate.RefundResult{Success: true, AlreadyRefunded: st.reason == affiliate.RefundedAlready, Reason: st.reason}, got, st.in)
			return err
		}, st.fires...)
		if st.fires == nil && !cmp.Equal(before, s.Dump()) {
			t.Errorf("%+v changed records", st.in)
		}
		if got := scene.Must(s.Sale(t.Context(), sale.ID)); got.CommissionEarned.String() != st.earned || got.TotalEarned != sale.TotalEarned {
			t.Errorf("%+v: earned %v, want %s", st.in, got.CommissionEarned, st.earned)
		}
		s.Verifies()
	}
	got := scene.Must(s.Sale(t.Context(), sale.ID))
	if got.Status != affiliate.SaleRefunded || got.RefundedAmount != sale.TotalEarned || len(got.Commissions) != 1 {
		t.Errorf("%+v", got)
	}
	at, _ := got.RefundedAt.Get()
	if want := scene.Start.Add(7 * time.Second); !at.Equal(affiliate.TimeOf(want)) {
		t.Errorf("refundedAt %v, want %v", at, want)
	}
	scene.Equal(t, 1, scene.Must(s.Code(t.Context(), affiliate.CodeRef{ID: s.ADA20.ID})).TimesRedeemed)
	if a := scene.Must(s.Affiliate(t.Context(), "ada")); !a.TotalRevenue.IsZero() || !a.TotalCommissionEarned.IsZero() {
		t.Errorf("totals %v, %v", a.TotalRevenue, a.TotalCommissionEarned)
	}
}

// A flat commission is reduced by a refund too, and a sale without a commission
// can be refunded.
func TestRefundSaleFlat(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) {
		c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("10"), MaxPayments: 1}
	})
	first, second := s.ToTomas("3"), s.ToTomas("3")
	for _, sale := range []affiliate.Sale{first, second} {
		scene.Must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("1")}))
	}
	scene.Equal(t, scene.Sum("6.67"), scene.Must(s.Sale(t.Context(), first.ID)).CommissionEarned)
	s.Fires(func() error { _, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: second.ID}); return err }, affiliate.SaleDeleted)
	s.Verifies()
}

func TestRecalculateSales(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	plain, own := s.ToTomas("100"), s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, CommissionRate: scene.Percent("50")})
	hand, part, full := s.ToTomas("100"), s.ToTomas("100"), s.ToTomas("100")
	other := s.Sell(affiliate.SaleParams{Email: s.Bea.Email, ExternalID: "bob-1", ExternalInvoiceID: "inv-1"})
	scene.Must(s.UpdateSale(ctx, hand.ID, affiliate.SaleUpdate{CommissionEarned: scene.Amount("3")}))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: scene.Amount("50")}))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: full.ID}))
	inPayout := s.Sell(affiliate.SaleParams{Email: s.Customer("bob", "carol").Email})
	scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Bob.ID}))
	s.Sell(affiliate.SaleParams{Email: s.Bea.Email, ExternalID: "bob-2", ExternalInvoiceID: "inv-2"})
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), MaxPayments: 1}}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Ada.Person.ID, s.Bob.ID))
	s.Pass(time.Hour)

	nothing := map[string]affiliate.RecalculateJob{
		"unknown affiliate": {AffiliateID: affiliate.Set(uuid.Max)}, "unknown email": {AffiliateEmail: affiliate.Set("x@example.com")}, "no email": {AffiliateEmail: affiliate.Set("\x00")},
		"unknown referral": {ReferralID: affiliate.Set("nobody")}, "unknown id": {ExternalID: affiliate.Set("nope")}, "no id": {ExternalID: affiliate.Set("\x00")}, "unknown invoice": {ExternalInvoiceID: affiliate.Set("nope")},
		"in a payout": {ExternalID: affiliate.Set("bob-1")},
	}
	for name, f := range nothing {
		s.Fires(func() error {
			done, err := s.Run(ctx, f)
			scene.Equal(t, 0, done.Changed, name)
			return err
		})
	}
	recalculate := func(f affiliate.RecalculateJob, want int) {
		t.Helper()
		events := make([]affiliate.EventType, want)
		for i := range events {
			events[i] = affiliate.SaleUpdated
		}
		s.Fires(func() error {
			done, err := s.Run(ctx, f)
			scene.Equal(t, int64(want), done.Changed, f, want)
			return err
		}, events...)
	}
	recalculate(affiliate.RecalculateJob{ExternalInvoiceID: affiliate.Set("inv-2")}, 1)
	recalculate(affiliate.RecalculateJob{ReferralID: affiliate.Set(s.Tomas.Email)}, 2)
	recalculate(affiliate.RecalculateJob{}, 0)
	for id, want := range map[affiliate.SaleID]string{plain.ID: "30", own.ID: "50", hand.ID: "3", part.ID: "0", full.ID: "0", other.ID: "20", inPayout.ID: "20"} {
		scene.Equal(t, want, scene.Must(s.Sale(ctx, id)).CommissionEarned.String(), id)
	}
	s.Verifies()
	scene.Must(s.SetAffiliatePlan(ctx, uuid.Nil, s.Ada.Person.ID))
	recalculate(affiliate.RecalculateJob{AffiliateEmail: affiliate.Set("ADA@example.com")}, 2)
	s.Verifies()
}

// TestSaleRef: whatever takes a sale by its ids refuses one that no sale has.
func TestSaleRef(t *testing.T) {
	s, ctx := scene.NewCodeShop(t), t.Context()
	for name, call := range map[string]func(affiliate.SaleRef) error{
		"reverse": func(ref affiliate.SaleRef) error { return scene.ErrOf(s.ReverseSale(ctx, ref, affiliate.Reversal{})) },
		"restore": func(ref affiliate.SaleRef) error { return s.RestoreRedemption(ctx, ref) },
		"accept":  func(ref affiliate.SaleRef) error { return s.AcceptRedemption(ctx, ref) },
	} {
		scene.WantReason(t, name+" none", affiliate.MissingField, call(affiliate.SaleRef{}))
		for _, id := range []string{strings.Repeat("x", 256), strings.Repeat("x", 1<<20), "a\x00b", "\xff"} {
			scene.WantReason(t, name+" by id", affiliate.InvalidField, call(affiliate.SaleRef{ExternalID: id}))
			scene.WantReason(t, name+" by invoice", affiliate.InvalidField, call(affiliate.SaleRef{InvoiceID: id}))
		}
	}
}
