package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// The attribution window of a click: docs/money.md 14, with the numbers of its
// rules and checks.

// window is the window of a program without CookieDays.
const window = 60 * 24 * time.Hour

// visit records a click and returns its id as a sale names it.
func visit(s scene.Shop, slug string) (affiliate.ClickID, string) {
	s.T.Helper()
	click := scene.Must(s.TrackClick(s.T.Context(), affiliate.ClickParams{Slug: slug, LandingURL: "https://beans.example/shop?ref=" + slug}))
	return click.ID, fmt.Sprint(click.ID)
}

// report records a sale of 10 with the fields of the row.
func report(s scene.Shop, in affiliate.SaleParams) affiliate.SaleResult {
	s.T.Helper()
	in.TotalEarned = affiliate.MustAmount("10")
	return scene.Must(s.RecordSale(s.T.Context(), in))
}

// joined returns the referral that a click was joined to; zero: none.
func joined(s scene.Shop, id affiliate.ClickID) uuid.UUID {
	s.T.Helper()
	var out uuid.UUID
	s.Raw(func(tx *record.Tx) error {
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
	s := scene.NewShop(t)
	_, first := visit(s, "ada")
	late, second := visit(s, "ada")
	s.Pass(window)
	got := report(s, affiliate.SaleParams{ReferralID: first, Email: "new@example.net", Name: "New"})
	scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
	scene.Equal(t, s.Ada.Person.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
	scene.Equal(t, affiliate.Null[affiliate.ClickID](), got.LateClick)

	for _, more := range []time.Duration{time.Microsecond, time.Second, 340 * 24 * time.Hour} {
		s.Pass(more)
		before := s.Dump()
		got = report(s, affiliate.SaleParams{ReferralID: second, Email: "newer@example.net", Name: "Newer"})
		want := affiliate.SaleResult{
			Outcome: affiliate.SaleUnattributed, Sale: affiliate.Null[affiliate.Sale](), Earlier: affiliate.Null[affiliate.Sale](),
			LateClick: affiliate.Set(late),
		}
		scene.Equal(t, want, got)
		scene.Equal(t, before, s.Dump())
	}
}

// Check 39: with a late click, a sale is attributed by its email and a new
// referral by nothing. A look-up still finds the click.
func TestClickWindowM75Check39(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	late, number := visit(s, "ada")
	s.Pass(window + time.Second)

	got := report(s, affiliate.SaleParams{ReferralID: number, Email: s.Bea.Email})
	sale := got.Sale.Or(affiliate.Sale{})
	scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
	scene.Equal(t, s.Bob.ID, sale.AffiliateID)
	scene.Equal(t, s.Bea.AffiliateLinkID, sale.AffiliateLinkID)
	scene.Equal(t, affiliate.Set(late), got.LateClick)
	scene.Equal(t, uuid.Nil, joined(s, late))

	in := affiliate.ReferralParams{AffiliateID: number, Name: "New", Email: "new@example.net", ReferredUserExternalID: "c"}
	before := s.Dump()
	if _, err := s.CreateReferral(ctx, in); err != affiliate.ErrNotFound {
		t.Errorf("a referral by a late click: %v", err)
	}
	scene.Equal(t, before, s.Dump())
	scene.Equal(t, s.Ada.Person.ID, scene.Must(s.Affiliate(ctx, number)).ID)
	s.Verifies()
}

// Check 40: a customer stays with its affiliate.
func TestClickWindowM75Check40(t *testing.T) {
	s := scene.NewShop(t)
	_, number := visit(s, "ada")
	got := report(s, affiliate.SaleParams{ReferralID: number, Email: "new@example.net", Name: "New"})
	scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
	s.Pass(400 * 24 * time.Hour)
	for _, in := range []affiliate.SaleParams{
		{Email: "new@example.net"}, {ReferralID: "new@example.net"}, {Email: s.Tomas.Email}, {ReferralID: s.Tomas.ID.String()},
		{ReferralID: number, Email: "new@example.net"},
	} {
		got := report(s, in)
		scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
		scene.Equal(t, s.Ada.Person.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
	}
}

// M75: the other rows of its table.
func TestClickWindowM75(t *testing.T) {
	ctx := t.Context()
	late := func(t *testing.T) (scene.Shop, affiliate.ClickID, string) {
		t.Helper()
		s := scene.NewShop(t)
		id, number := visit(s, "ada")
		s.Pass(window + time.Second)
		return s, id, number
	}
	t.Run("SlugOfTheseDigits", func(t *testing.T) {
		s, id, number := late(t)
		oldLink(s.World, s.Bob.ID, number)
		got := report(s, affiliate.SaleParams{ReferralID: number, Email: "new@example.net", Name: "New"})
		scene.Equal(t, s.Bob.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
		scene.Equal(t, affiliate.Set(id), got.LateClick)
		ref := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: number, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c"}))
		scene.Equal(t, s.Bob.ID, ref.AffiliateID)
		scene.Equal(t, affiliate.Null[string](), ref.InitialLandingPage)
		scene.Equal(t, uuid.Nil, joined(s, id))
		s.Verifies()
	})
	t.Run("Code", func(t *testing.T) {
		s, id, number := late(t)
		got := report(s, affiliate.SaleParams{PromoCode: "ADA20", ReferralID: number, Email: "new@example.net", Name: "New"})
		sale := got.Sale.Or(affiliate.Sale{})
		scene.Equal(t, s.Ada.Person.ID, sale.AffiliateID)
		scene.Equal(t, affiliate.Null[uuid.UUID](), sale.AffiliateLinkID)
		scene.Equal(t, int64(0), sale.Clicks)
		scene.Equal(t, affiliate.Set(id), got.LateClick)
		scene.Equal(t, uuid.Nil, joined(s, id))
	})
	t.Run("Row12", func(t *testing.T) { // evaluated as if the click had not been sent
		s, _, number := late(t)
		scene.Must(s.UpdateCode(ctx, s.Ada.ADA20.ID, affiliate.CodeUpdate{LimitToAffiliate: affiliate.Set(true)}))
		report(s, affiliate.SaleParams{PromoCode: "ADA20", ReferralID: number})
		_, bobs := visit(s, "bob")
		order := affiliate.Order{PromoCode: "ADA20", ReferralID: bobs}
		scene.Equal(t, []affiliate.Reason{affiliate.WrongAffiliate}, reasonsOf(scene.Must(s.Evaluate(ctx, order))))
		s.Pass(window + time.Second)
		e := scene.Must(s.Evaluate(ctx, order))
		scene.Equal(t, []affiliate.Reason{}, reasonsOf(e))
		scene.Equal(t, []affiliate.Reason{affiliate.WrongAffiliate}, e.Unverified)
	})
	t.Run("ReferralByCode", func(t *testing.T) {
		s, id, number := late(t)
		ref := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{
			PromoCode: "ADA20", AffiliateID: number, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c",
		}))
		scene.Equal(t, s.Ada.Person.ID, ref.AffiliateID)
		scene.Equal(t, uuid.Nil, joined(s, id))
	})
	t.Run("ReferralPassesOnToTheEmail", func(t *testing.T) {
		s, _, number := late(t)
		ref := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{
			AffiliateID: number, AffiliateEmail: s.Bob.Email, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c",
		}))
		scene.Equal(t, s.Bob.ID, ref.AffiliateID)
	})
	t.Run("Import", func(t *testing.T) { // an import is of the past: no check
		s, id, number := late(t)
		report := scene.Must(s.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: affiliate.ReferralParams{
			AffiliateID: number, Name: "N", Email: "n@example.net", ReferredUserExternalID: "c",
		}}}))
		scene.Equal(t, imported.Report{Created: 1, Rows: []imported.Row{{Outcome: imported.Created}}}, report)
		if joined(s, id) == uuid.Nil {
			t.Error("the click was not joined")
		}
	})
	t.Run("ReturningVisit", func(t *testing.T) { // a visit is recorded and attributes nothing
		s, _, _ := late(t)
		scene.Must(s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", Repeat: true}))
	})
	t.Run("Replay", func(t *testing.T) { // neither the wire nor a receipt names the late click
		s, id, number := late(t)
		in := affiliate.SaleParams{Once: affiliate.Once{Key: "k"}, ReferralID: number, Email: s.Bea.Email}
		scene.Equal(t, affiliate.Set(id), report(s, in).LateClick)
		again := report(s, in)
		scene.Equal(t, affiliate.SaleRecorded, again.Outcome)
		scene.Equal(t, affiliate.Null[affiliate.ClickID](), again.LateClick)
	})
	t.Run("ClockGoesBack", func(t *testing.T) { // a click of the future is not late
		s := scene.NewShop(t)
		_, number := visit(s, "ada")
		s.Pass(-400 * 24 * time.Hour)
		scene.Equal(t, affiliate.SaleRecorded, report(s, affiliate.SaleParams{ReferralID: number, Email: "n@example.net", Name: "N"}).Outcome)
	})
}

// M76: CookieDays is 1 to 36,500; zero is 60.
func TestCookieDaysM76(t *testing.T) {
	for _, days := range []int{-1, 36_501} {
		if _, err := tributary.New(scene.New(t).Store, tributary.Config{CookieDays: days}); err == nil {
			t.Errorf("%d days are accepted", days)
		}
	}
	for _, days := range []int{1, 36_500} {
		s := scene.NewShop(t, func(c *tributary.Config) { c.CookieDays = days })
		_, number := visit(s, "ada")
		s.Pass(time.Duration(days) * 24 * time.Hour)
		scene.Equal(t, affiliate.SaleRecorded, report(s, affiliate.SaleParams{ReferralID: number, Email: "a@example.net", Name: "A"}).Outcome)
		s.Pass(time.Microsecond)
		scene.Equal(t, affiliate.SaleUnattributed, report(s, affiliate.SaleParams{ReferralID: number, Email: "b@example.net", Name: "B"}).Outcome)
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
