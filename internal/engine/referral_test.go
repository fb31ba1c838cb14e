package engine_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
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

// The answer for a known customer is the existing referral: B337, B338.
func TestCreateReferralKnown(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	before := s.Dump()
	for name, in := range map[string]affiliate.ReferralParams{
		"of another": {AffiliateID: "bob"}, "with a refused code": {PromoCode: "NOPE"}, "of nobody": {AffiliateID: "nobody"}, "by a click": {AffiliateID: scene.JSON(s.Click.ID)},
	} {
		in.Name, in.Email, in.ReferredUserExternalID = "Other", "TOMAS@example.net", "other"
		s.Fires(func() error {
			got, err := s.CreateReferral(ctx, in)
			scene.Equal(t, s.Tomas, got, name)
			return err
		})
	}
	scene.Equal(t, before, s.Dump())
}

// TestCustomerOfAnother: an order that names another affiliate's click or code credits that
// one, and the customer stays whose it is.
func TestCustomerOfAnother(t *testing.T) {
	w := scene.New(t)
	ada, ben := w.Ada().Person, w.Join("ben")
	w.Refer("ada", "tomas@example.net")
	issue(w, ben.ID, "BEN10")
	click := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: ben.AffiliateLinks[0].Link}))
	for _, order := range []struct {
		by, code string
		of       uuid.UUID
	}{{"", "", ada.ID}, {strconv.FormatInt(int64(click.ID), 10), "", ben.ID}, {"", "BEN10", ben.ID}, {"", "", ada.ID}} {
		res := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{
			ReferralID: order.by, PromoCode: order.code, Email: "tomas@example.net", TotalEarned: affiliate.MustAmount("10"),
		}))
		sale, _ := res.Sale.Get()
		referral, _ := sale.Referral.Get()
		if sale.AffiliateID != order.of || referral.AffiliateID != ada.ID {
			t.Errorf("%v credits %s, and the customer is of %s", order, sale.AffiliateID, referral.AffiliateID)
		}
	}
}

func TestPushReferralStatus(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.Refused(scene.FieldError(affiliate.InvalidField, "subscriptionStatus", "subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED, PAST_DUE, CANCELLED"), func() error {
		return scene.ErrOf(s.PushReferralStatus(ctx, s.Tomas.Email, "past_due"))
	})
	s.Refused(scene.FieldError(affiliate.MissingField, "referralId", "Referral ID is required"), func() error {
		return scene.ErrOf(s.PushReferralStatus(ctx, "", affiliate.SubscriptionActive))
	})
	for _, ident := range []string{"nobody", uuid.Max.String()} {
		s.Refused(referralUnknown, func() error { _, err := s.PushReferralStatus(ctx, ident, affiliate.SubscriptionActive); return err })
	}
	for _, status := range []affiliate.SubscriptionStatus{"PAST_DUE", "CANCELLED", "SUBMITTED", "DECLINED", "ACTIVE"} {
		push := func() error {
			got, err := s.PushReferralStatus(ctx, s.Tomas.Email, status)
			if got.Status != status || got.SubscriptionStatus != status {
				t.Errorf("%s: %s, %s", status, got.Status, got.SubscriptionStatus)
			}
			return err
		}
		s.Fires(push, affiliate.ReferralUpdated)
		s.Fires(push)
	}
}

func TestSetReferralPlan(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"}))
	s.Refused(scene.FieldError(affiliate.PlanNotFound, "commissionPlanId", "Commission plan not found"), func() error {
		return scene.ErrOf(s.SetReferralPlan(ctx, uuid.Max, s.Tomas.ID))
	})
	s.Refused(referralUnknown, func() error { _, err := s.SetReferralPlan(ctx, plan.ID, s.Tomas.ID, uuid.Max); return err })
	set := func(plan uuid.UUID, want affiliate.Opt[uuid.UUID], events ...affiliate.EventType) {
		t.Helper()
		s.Fires(func() error {
			got, err := s.SetReferralPlan(ctx, plan, s.Tomas.ID, s.Bea.ID, s.Tomas.ID)
			if len(got) != 3 || got[0].ID != s.Tomas.ID || got[1].ID != s.Bea.ID || !got[1].CommissionPlanID.Equal(want) {
				t.Errorf("%+v", got)
			}
			return err
		}, events...)
		s.Verifies()
	}
	set(plan.ID, affiliate.Set(plan.ID), affiliate.ReferralUpdated, affiliate.ReferralUpdated)
	set(plan.ID, affiliate.Set(plan.ID))
	set(uuid.Nil, affiliate.Null[uuid.UUID](), affiliate.ReferralUpdated, affiliate.ReferralUpdated)
	set(uuid.Nil, affiliate.Null[uuid.UUID]())
	s.Fires(func() error {
		got, err := s.SetReferralPlan(ctx, plan.ID)
		if got == nil || len(got) != 0 {
			t.Errorf("%v", got)
		}
		return err
	})
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

// An import fires no event, keeps the customers' dates, orders lists by them,
// and stores the valid rows when others fail.
func TestImportReferrals(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "OFF", AffiliateID: s.Bob.ID, Active: affiliate.Set(false)}))
	scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "NOBODYS"}))
	plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p"}))
	scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Bob.ID))
	day := func(n int) time.Time { return scene.Start.AddDate(0, 0, -n).Add(7) }
	row := func(name string, at time.Time, change func(*imported.Referral)) imported.Referral {
		in := imported.Referral{CreatedAt: at, ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: name, Email: name + "@example.net", ReferredUserExternalID: name}}
		if change != nil {
			change(&in)
		}
		return in
	}
	rows := []imported.Referral{
		row("y1", day(1), nil),
		row("y3", day(3).In(time.FixedZone("x", 7200)), func(in *imported.Referral) { in.Status = affiliate.SubscriptionCancelled }),
		row("y2", day(2), func(in *imported.Referral) { in.AffiliateID, in.PromoCode = "", " off" }),
		row("now", time.Time{}, func(in *imported.Referral) { in.Manual, in.Integration = true, "SHOPIFY" }),
		row("tomas", day(9), nil),
		row("y1", day(9), func(in *imported.Referral) { in.Email = "Y1@example.net" }),
		row("bad", day(1), func(in *imported.Referral) { in.Email = "x" }),
		row("future", s.Now.Add(time.Microsecond), nil),
		row("ancient", time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC), nil),
		row("status", day(1), func(in *imported.Referral) { in.Status = "vip" }),
		row("nobodys", day(1), func(in *imported.Referral) { in.AffiliateID = "nobody" }),
		row("nocode", day(1), func(in *imported.Referral) { in.PromoCode = "NOPE" }),
		row("nulcode", day(1), func(in *imported.Referral) { in.PromoCode = "A\x00" }),
		row("unassigned", day(1), func(in *imported.Referral) { in.PromoCode = "NOBODYS" }),
		row("mismatch", day(1), func(in *imported.Referral) { in.AffiliateEmail = "bob@example.com" }),
		row("clicked", day(4), func(in *imported.Referral) { in.AffiliateID = scene.JSON(s.Click.ID) }),
	}
	kept := append([]imported.Referral{}, rows...)
	var report imported.Report
	s.Fires(func() (err error) { report, err = s.Imports().Referrals(ctx, rows); return err })
	scene.Equal(t, kept, rows)
	failed := map[int]string{}
	for _, f := range report.Failed {
		failed[f.Row] = f.Err.Error()
		if _, ok := errors.AsType[*affiliate.Error](f.Err); !ok && f.Err != affiliate.ErrNotFound {
			t.Errorf("row %d: %v", f.Row, f.Err)
		}
	}
	none := affiliate.ErrNotFound.Error()
	want := map[int]string{
		6: "Email is invalid", 7: "createdAt must be an ISO 8601 date", 8: "createdAt must be an ISO 8601 date",
		9: "status must be one of ACTIVE, SUBMITTED, DECLINED, PAST_DUE, CANCELLED", 10: none, 11: none, 12: none, 13: none,
		14: "The identifiers do not name the same record",
	}
	if diff := cmp.Diff(want, failed); diff != "" || report.Created != 5 || report.Existing != 2 {
		t.Errorf("created %d, existing %d, failures (-want +got):\n%s", report.Created, report.Existing, diff)
	}
	var order []string
	for r := range scene.OnlyValues(affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Referral], error) {
		return s.Referrals(ctx, affiliate.ReferralQuery{}, pg)
	})) {
		order = append(order, r.Name.Or(""))
	}
	if len(order) != 7 || order[3] != "y1" || order[4] != "y2" || order[5] != "y3" || order[6] != "clicked" {
		t.Errorf("order %v", order)
	}
	y2, y3, now := scene.Must(s.Referral(ctx, "y2@example.net")), scene.Must(s.Referral(ctx, "y3@example.net")), scene.Must(s.Referral(ctx, "now@example.net"))
	if diff := cmp.Diff([]any{
		s.Bob.ID, affiliate.MediumCoupon, affiliate.Set(plan.ID), affiliate.ReferralSource("IMPORTED"), affiliate.SubscriptionCancelled,
		affiliate.TimeOf(day(3)), affiliate.TimeOf(day(3)), affiliate.SubmissionManual, affiliate.Set[affiliate.Integration]("SHOPIFY"), affiliate.TimeOf(s.Now),
	}, []any{
		y2.AffiliateID, y2.ReferralMedium, y2.CommissionPlanID, y3.Source, y3.Status, y3.CreatedAt, y3.UpdatedAt,
		now.SubmissionType, now.IntegrationReferralSource, now.CreatedAt,
	}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scene.Equal(t, 5, scene.Must(s.Affiliate(ctx, "ada")).NumberOfReferredUsers)
	s.Verifies()
	s.Fires(func() error {
		return scene.ErrOf(s.UpdateReferral(ctx, "y3@example.net", affiliate.ReferralUpdate{Name: scene.TextOf("Z")}))
	}, affiliate.ReferralUpdated)
	s.Fires(func() error { return s.Forfeiting().DeleteReferral(ctx, "y3@example.net") }, affiliate.ReferralDeleted)
	s.Verifies()
	if empty := scene.Must(s.Imports().Referrals(ctx, nil)); !cmp.Equal(empty, imported.Report{}) {
		t.Errorf("%+v", empty)
	}
}
