package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

var referralIDMissing = scene.FieldError(affiliate.MissingField, "referralId", "Referral ID is required")

// referralUnknown has status 400, not 404, as in the published API.
var referralUnknown = scene.FieldError(affiliate.ReferralNotFound, "", "Referral not found")

// Contract 3.6, POST: what conformance does not send.
func TestCreateReferralErrors(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	off := scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "OFF", AffiliateID: s.Ada.Person.ID, Active: affiliate.Set(false)}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "NOBODYS"}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "HERS", AffiliateID: s.Ada.Person.ID, LimitToAffiliate: true}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "VIP", AffiliateID: s.Ada.Person.ID, LimitToCustomers: true, CustomerID: "vip"}))
	integration := "integrationReferralSource must be one of JAVASCRIPT, MAKE, ZAPIER, STRIPE, SHOPIFY, WOOCOMMERCE, PADDLE, CHARGEBEE, MEMBERSTACK, POLAR, SKILLPLATE, ZYLVIE"
	mismatch := scene.FieldError(affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record")
	for _, tt := range []struct {
		name   string
		change func(*affiliate.ReferralParams)
		want   affiliate.Error
	}{
		{"ErrIntegration", func(in *affiliate.ReferralParams) { in.Integration = "nul\x00" }, scene.FieldError(affiliate.InvalidField, "integrationReferralSource", integration)},
		{"ErrMismatchUnknownEmail", func(in *affiliate.ReferralParams) { in.AffiliateEmail = "x@example.com" }, mismatch},
		{"ErrMismatchUnknownID", func(in *affiliate.ReferralParams) { in.AffiliateID, in.AffiliateEmail = "nobody", "bob@example.com" }, mismatch},
		{"ErrCodeInactive B340", func(in *affiliate.ReferralParams) { in.PromoCode = off.Code }, scene.StateError(affiliate.CodeInactive, "", "Promo code is not active")},
		{"ErrCodeUnassigned B340", func(in *affiliate.ReferralParams) { in.PromoCode = "NOBODYS" }, scene.StateError(affiliate.CodeUnassigned, "", "Promo code is not associated with an affiliate")},
		{"ErrWrongAffiliate", func(in *affiliate.ReferralParams) { in.AffiliateID, in.PromoCode = "bob", "HERS" }, scene.StateError(affiliate.WrongAffiliate, "", "Promo code can only be used by its assigned affiliate")},
		{"ErrWrongAffiliateByEmail", func(in *affiliate.ReferralParams) {
			in.AffiliateID, in.AffiliateEmail, in.PromoCode = "", "bob@example.com", "HERS"
		}, scene.StateError(affiliate.WrongAffiliate, "", "Promo code can only be used by its assigned affiliate")},
		{"ErrWrongAffiliateByEmailAlone", func(in *affiliate.ReferralParams) {
			in.AffiliateID, in.AffiliateEmail, in.PromoCode = "nobody", "bob@example.com", "HERS"
		}, scene.StateError(affiliate.WrongAffiliate, "", "Promo code can only be used by its assigned affiliate")},
		{"ErrWrongCustomer", func(in *affiliate.ReferralParams) { in.PromoCode = "VIP" }, scene.StateError(affiliate.WrongCustomer, "", "Promo code is limited to another customer")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			in := affiliate.ReferralParams{AffiliateID: "ada", Name: "N", Email: "n@example.net", ReferredUserExternalID: "n"}
			tt.change(&in)
			s.Refused(tt.want, func() error { _, err := s.CreateReferral(ctx, in); return err })
		})
	}
}

func TestCreateReferral(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Bob.ID))
	link, none := affiliate.Set(s.Ada.Person.AffiliateLinks[0].ID), affiliate.Null[uuid.UUID]()
	base := affiliate.Referral{
		AffiliateID: s.Ada.Person.ID, Plan: scene.TextOf("N/A"), SubscriptionStatus: affiliate.SubscriptionActive, Status: affiliate.SubscriptionActive,
		SubmissionType: affiliate.SubmissionAutomatic, ReferralMedium: affiliate.MediumLink, Source: "API",
		IntegrationReferralSource: affiliate.Null[affiliate.Integration](), InitialLandingPage: affiliate.Null[string](), Notes: affiliate.Null[string](),
		Metadata: affiliate.Null[json.RawMessage](), AffiliateProgramID: s.Config().ID, AffiliateLinkID: link, CommissionPlanID: none,
	}
	for i, tt := range []struct {
		name string
		in   affiliate.ReferralParams
		want func(*affiliate.Referral)
	}{
		{"slug", affiliate.ReferralParams{AffiliateID: "ADA", Plan: "Monthly"}, func(r *affiliate.Referral) { r.Plan = scene.TextOf("Monthly") }},
		{"affiliate id", affiliate.ReferralParams{AffiliateID: s.Ada.Person.ID.String()}, func(r *affiliate.Referral) { r.AffiliateLinkID = none }},
		{"affiliate email, its plan", affiliate.ReferralParams{AffiliateEmail: "BOB@example.com"}, func(r *affiliate.Referral) {
			r.AffiliateID, r.AffiliateLinkID, r.CommissionPlanID = s.Bob.ID, none, affiliate.Set(plan.ID)
		}},
		{"both agree", affiliate.ReferralParams{AffiliateID: "ada", AffiliateEmail: "ada@example.com"}, nil},
		{"blank beside a name", affiliate.ReferralParams{AffiliateID: "ada", AffiliateEmail: " "}, nil},
		{"click B341", affiliate.ReferralParams{AffiliateID: scene.JSON(s.Click.ID)}, func(r *affiliate.Referral) { r.InitialLandingPage = scene.TextOf("https://beans.example/shop?ref=ada") }},
		{"code before the others B341", affiliate.ReferralParams{PromoCode: " ada20 ", AffiliateID: "bob"}, func(r *affiliate.Referral) {
			r.ReferralMedium, r.AffiliateLinkID = affiliate.MediumCoupon, none
		}},
		{"code again: counts nothing", affiliate.ReferralParams{PromoCode: "ADA20", AffiliateID: scene.JSON(s.BobClick.ID)}, func(r *affiliate.Referral) {
			r.ReferralMedium, r.AffiliateLinkID = affiliate.MediumCoupon, none
		}},
		{"by hand", affiliate.ReferralParams{AffiliateID: "ada", Manual: true, Integration: "ZAPIER"}, func(r *affiliate.Referral) {
			r.SubmissionType, r.IntegrationReferralSource = affiliate.SubmissionManual, affiliate.Set[affiliate.Integration]("ZAPIER")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			s.Pass(time.Second)
			in := tt.in
			in.Name, in.Email, in.ReferredUserExternalID = "Kim", " K"+scene.JSON(i)+"@Example.net", "cust-"+scene.JSON(i)
			want := base
			want.Name, want.Email, want.ReferredUserExternalID = scene.TextOf("Kim"), "k"+scene.JSON(i)+"@example.net", scene.TextOf("cust-"+scene.JSON(i))
			want.CreatedAt, want.UpdatedAt = affiliate.TimeOf(s.Now), affiliate.TimeOf(s.Now)
			if tt.want != nil {
				tt.want(&want)
			}
			var got affiliate.Referral
			s.Fires(func() (err error) { got, err = s.CreateReferral(ctx, in); return err }, affiliate.ReferralCreated)
			want.ID = got.ID
			scene.Equal(t, want, got)
			for _, ident := range []string{got.ID.String(), " " + strings.ToUpper(got.Email)} {
				scene.Equal(t, got, scene.Must(s.Referral(ctx, ident)), ident)
			}
			s.Verifies()
		})
	}
	scene.Equal(t, 0, scene.Must(s.Code(ctx, affiliate.CodeRef{ID: s.ADA20.ID})).TimesRedeemed)
	scene.Equal(t, 1, s.Sell(affiliate.SaleParams{Email: "k5@example.net"}).Clicks)
	for ident, n := range map[string]int{"": 0, "x": 0, "x@example.net": 0, uuid.Max.String(): 0, "\x00": 0} {
		if _, err := s.Referral(ctx, ident); err != affiliate.ErrNotFound {
			t.Errorf("%q: %v, %d", ident, err, n)
		}
	}
}

// Contract 3.6, DELETE: B352–B357.
func TestDeleteReferral(t *testing.T) {
	ctx := t.Context()
	for _, cascade := range []bool{false, true} {
		s := scene.NewShop(t, func(c *tributary.Config) { c.CascadeEvents = cascade })
		for _, ident := range []string{"", " "} {
			s.Refused(referralIDMissing, func() error { return s.Forfeiting().DeleteReferral(ctx, ident) })
		}
		before := s.Dump()
		for _, ident := range []string{uuid.Max.String(), "x@example.net", "not an id", strings.Repeat("\x00\xff", 5<<10), s.Ada.Person.ID.String()} {
			if err := s.Forfeiting().DeleteReferral(ctx, ident); err != nil {
				t.Errorf("%.20q: %v", ident, err)
			}
		}
		scene.Equal(t, before, s.Dump())

		s.Sell(affiliate.SaleParams{ReferralID: scene.JSON(s.Click.ID), Email: s.Tomas.Email, PromoCode: ""})
		s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Tomas.Email})
		s.Sell(affiliate.SaleParams{ReferralID: "bob", Email: s.Tomas.Email})
		refunded := s.ToTomas("1")
		scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID}))
		events := []affiliate.EventType{affiliate.ReferralDeleted}
		if cascade {
			events = []affiliate.EventType{affiliate.SaleDeleted, affiliate.SaleDeleted, affiliate.SaleDeleted, affiliate.ReferralDeleted}
		}
		s.Fires(func() error { return s.Forfeiting().DeleteReferral(ctx, "TOMAS@example.NET") }, events...)
		s.Fires(func() error { return s.Forfeiting().DeleteReferral(ctx, s.Tomas.ID.String()) })
		scene.Equal(t, 0, len(scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items))
		if a := scene.Must(s.Affiliate(ctx, "ada")); !a.TotalRevenue.IsZero() || a.NumberOfReferredUsers != 0 || a.NumberOfClicks != 1 {
			t.Errorf("totals of the affiliate: %+v", a)
		}
		scene.Equal(t, 1, scene.Must(s.Code(ctx, affiliate.CodeRef{ID: s.ADA20.ID})).TimesRedeemed)
		s.Verifies()
		if again := s.Customer("bob", "tomas"); !again.TotalRevenue.IsZero() || again.ID == s.Tomas.ID {
			t.Errorf("its successor inherits: %+v", again)
		}

		s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
		scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Bob.ID}))
		s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
		s.Refused(scene.StateError(affiliate.InPayout, "", "Referral has sales that are part of a payout"), func() error { return s.Forfeiting().DeleteReferral(ctx, s.Bea.Email) })
		s.Verifies()
	}
}
