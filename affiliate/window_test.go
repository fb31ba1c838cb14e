package affiliate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// The attribution window of a click: docs/money.md 14, with the numbers of its
// rules and checks.

// window is the window of a program without CookieDays.
const window = 60 * 24 * time.Hour

// visit records a click and returns its id as a sale names it.
func (s saleShop) visit(slug string) (affiliate.ClickID, string) {
	s.t.Helper()
	click := must(s.TrackClick(s.t.Context(), affiliate.NewClick{Slug: slug, LandingURL: "https://beans.example/shop?ref=" + slug}))
	return click.ID, fmt.Sprint(click.ID)
}

// report records a sale of 10 with the fields of the row.
func (s saleShop) report(in affiliate.NewSale) affiliate.SaleResult {
	s.t.Helper()
	in.TotalEarned = affiliate.MustAmount("10")
	return must(s.RecordSale(s.t.Context(), in))
}

// joined returns the referral that a click was joined to; zero: none.
func (s saleShop) joined(id affiliate.ClickID) uuid.UUID {
	s.t.Helper()
	var out uuid.UUID
	s.insert(func(tx *record.Tx) error {
		for rec, err := range tx.Clicks.List(record.Query{}) {
			if err != nil {
				return err
			}
			if affiliate.ClickID(rec.Number) == id {
				out = rec.ReferralID
			}
		}
		return nil
	})
	return out
}

// Check 38: a click attributes until its time + 60 days, inclusive, and no
// longer.
func TestClickWindowM75Check38(t *testing.T) {
	s := newSaleShop(t)
	_, first := s.visit("ada")
	late, second := s.visit("ada")
	s.pass(window)
	got := s.report(affiliate.NewSale{ReferralID: first, Email: "new@example.net", Name: "New"})
	equal(t, affiliate.SaleRecorded, got.Outcome)
	equal(t, s.ada.affiliate.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
	equal(t, affiliate.Null[affiliate.ClickID](), got.LateClick)

	for _, more := range []time.Duration{time.Microsecond, time.Second, 340 * 24 * time.Hour} {
		s.pass(more)
		before := s.dump()
		got = s.report(affiliate.NewSale{ReferralID: second, Email: "newer@example.net", Name: "Newer"})
		want := affiliate.SaleResult{
			Outcome: affiliate.SaleUnattributed, Sale: affiliate.Null[affiliate.Sale](), Earlier: affiliate.Null[affiliate.Sale](),
			LateClick: affiliate.Set(late),
		}
		equal(t, want, got)
		equal(t, before, s.dump())
	}
}

// Check 39: with a late click, a sale is attributed by its email and a new
// referral by nothing. A look-up still finds the click.
func TestClickWindowM75Check39(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	late, number := s.visit("ada")
	s.pass(window + time.Second)

	got := s.report(affiliate.NewSale{ReferralID: number, Email: s.bea.Email})
	sale := got.Sale.Or(affiliate.Sale{})
	equal(t, affiliate.SaleRecorded, got.Outcome)
	equal(t, s.bob.ID, sale.AffiliateID)
	equal(t, s.bea.AffiliateLinkID, sale.AffiliateLinkID)
	equal(t, affiliate.Set(late), got.LateClick)
	equal(t, uuid.Nil, s.joined(late))

	in := affiliate.NewReferral{AffiliateID: number, Name: "New", Email: "new@example.net", ReferredUserExternalID: "c"}
	before := s.dump()
	if _, err := s.CreateReferral(ctx, in); err != affiliate.ErrNotFound {
		t.Errorf("a referral by a late click: %v", err)
	}
	equal(t, before, s.dump())
	equal(t, s.ada.affiliate.ID, must(s.Affiliate(ctx, number)).ID)
	s.verify()
}

// Check 40: a customer stays with its affiliate.
func TestClickWindowM75Check40(t *testing.T) {
	s := newSaleShop(t)
	_, number := s.visit("ada")
	got := s.report(affiliate.NewSale{ReferralID: number, Email: "new@example.net", Name: "New"})
	equal(t, affiliate.SaleRecorded, got.Outcome)
	s.pass(400 * 24 * time.Hour)
	for _, in := range []affiliate.NewSale{
		{Email: "new@example.net"}, {ReferralID: "new@example.net"}, {Email: s.tomas.Email}, {ReferralID: s.tomas.ID.String()},
		{ReferralID: number, Email: "new@example.net"},
	} {
		got := s.report(in)
		equal(t, affiliate.SaleRecorded, got.Outcome)
		equal(t, s.ada.affiliate.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
	}
}

// M75: the other rows of its table.
func TestClickWindowM75(t *testing.T) {
	ctx := t.Context()
	late := func(t *testing.T) (saleShop, affiliate.ClickID, string) {
		t.Helper()
		s := newSaleShop(t)
		id, number := s.visit("ada")
		s.pass(window + time.Second)
		return s, id, number
	}
	t.Run("SlugOfTheseDigits", func(t *testing.T) {
		s, id, number := late(t)
		s.oldLink(s.bob.ID, number)
		got := s.report(affiliate.NewSale{ReferralID: number, Email: "new@example.net", Name: "New"})
		equal(t, s.bob.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
		equal(t, affiliate.Set(id), got.LateClick)
		ref := must(s.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: number, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c"}))
		equal(t, s.bob.ID, ref.AffiliateID)
		equal(t, affiliate.Null[string](), ref.InitialLandingPage)
		equal(t, uuid.Nil, s.joined(id))
		s.verify()
	})
	t.Run("Code", func(t *testing.T) {
		s, id, number := late(t)
		got := s.report(affiliate.NewSale{PromoCode: "ADA20", ReferralID: number, Email: "new@example.net", Name: "New"})
		sale := got.Sale.Or(affiliate.Sale{})
		equal(t, s.ada.affiliate.ID, sale.AffiliateID)
		equal(t, affiliate.Null[uuid.UUID](), sale.AffiliateLinkID)
		equal(t, int64(0), sale.Clicks)
		equal(t, affiliate.Set(id), got.LateClick)
		equal(t, uuid.Nil, s.joined(id))
	})
	t.Run("Row12", func(t *testing.T) { // evaluated as if the click had not been sent
		s, _, number := late(t)
		must(s.UpdateCode(ctx, s.ada.code.ID, affiliate.CodeUpdate{LimitToAffiliate: affiliate.Set(true)}))
		s.report(affiliate.NewSale{PromoCode: "ADA20", ReferralID: number})
		_, bobs := s.visit("bob")
		order := affiliate.Order{PromoCode: "ADA20", ReferralID: bobs}
		equal(t, []affiliate.Reason{affiliate.WrongAffiliate}, reasonsOf(must(s.Evaluate(ctx, order))))
		s.pass(window + time.Second)
		e := must(s.Evaluate(ctx, order))
		equal(t, []affiliate.Reason{}, reasonsOf(e))
		equal(t, []affiliate.Reason{affiliate.WrongAffiliate}, e.Unverified)
	})
	t.Run("ReferralByCode", func(t *testing.T) {
		s, id, number := late(t)
		ref := must(s.CreateReferral(ctx, affiliate.NewReferral{
			PromoCode: "ADA20", AffiliateID: number, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c",
		}))
		equal(t, s.ada.affiliate.ID, ref.AffiliateID)
		equal(t, uuid.Nil, s.joined(id))
	})
	t.Run("ReferralPassesOnToTheEmail", func(t *testing.T) {
		s, _, number := late(t)
		ref := must(s.CreateReferral(ctx, affiliate.NewReferral{
			AffiliateID: number, AffiliateEmail: s.bob.Email, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c",
		}))
		equal(t, s.bob.ID, ref.AffiliateID)
	})
	t.Run("Import", func(t *testing.T) { // an import is of the past: no check
		s, id, number := late(t)
		report := must(s.ImportReferrals(ctx, []affiliate.ImportedReferral{{NewReferral: affiliate.NewReferral{
			AffiliateID: number, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c",
		}}}))
		equal(t, affiliate.ImportReport{Created: 1, Rows: []affiliate.ImportRow{{Outcome: affiliate.ImportCreated}}}, report)
		if s.joined(id) == uuid.Nil {
			t.Error("the click was not joined")
		}
	})
	t.Run("ReturningVisit", func(t *testing.T) { // a visit is recorded and attributes nothing
		s, _, _ := late(t)
		must(s.TrackClick(ctx, affiliate.NewClick{Slug: "ada", Repeat: true}))
	})
	t.Run("Replay", func(t *testing.T) { // neither the wire nor a receipt names the late click
		s, id, number := late(t)
		in := affiliate.NewSale{Once: affiliate.Once{Key: "k"}, ReferralID: number, Email: s.bea.Email}
		equal(t, affiliate.Set(id), s.report(in).LateClick)
		again := s.report(in)
		equal(t, affiliate.SaleRecorded, again.Outcome)
		equal(t, affiliate.Null[affiliate.ClickID](), again.LateClick)
	})
	t.Run("ClockGoesBack", func(t *testing.T) { // a click of the future is not late
		s := newSaleShop(t)
		_, number := s.visit("ada")
		s.pass(-400 * 24 * time.Hour)
		equal(t, affiliate.SaleRecorded, s.report(affiliate.NewSale{ReferralID: number, Email: "n@example.net", Name: "N"}).Outcome)
	})
}

// M76: CookieDays is 1 to 36,500; zero is 60.
func TestCookieDaysM76(t *testing.T) {
	for _, days := range []int{-1, 36_501} {
		if _, err := tributary.New(newWorld(t).store, tributary.Config{CookieDays: days}); err == nil {
			t.Errorf("%d days are accepted", days)
		}
	}
	for _, days := range []int{1, 36_500} {
		s := newSaleShop(t, func(c *tributary.Config) { c.CookieDays = days })
		_, number := s.visit("ada")
		s.pass(time.Duration(days) * 24 * time.Hour)
		equal(t, affiliate.SaleRecorded, s.report(affiliate.NewSale{ReferralID: number, Email: "a@example.net", Name: "A"}).Outcome)
		s.pass(time.Microsecond)
		equal(t, affiliate.SaleUnattributed, s.report(affiliate.NewSale{ReferralID: number, Email: "b@example.net", Name: "B"}).Outcome)
	}
}

// reasonsOf returns the reasons of an evaluation.
func reasonsOf(e affiliate.Evaluation) []affiliate.Reason {
	out := []affiliate.Reason{}
	for _, f := range e.Reasons {
		out = append(out, f.Reason)
	}
	return out
}
