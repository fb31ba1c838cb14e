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

// Contract 3.6, POST: every row.
func TestCreateReferralErrors(t *testing.T) {
	s := scene.NewShop(t)
	ctx := t.Context()
	long := strings.Repeat("é", 256)
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
		{"ErrNobody B332", func(in *affiliate.ReferralParams) { in.AffiliateID, in.Name = "", "" }, scene.FieldError(affiliate.AttributionRequired, "", "Affiliate ID, affiliate email, or Promo Code is required")},
		{"ErrNobodyBlank", func(in *affiliate.ReferralParams) { in.AffiliateID, in.AffiliateEmail, in.PromoCode = " ", " ", " " }, scene.FieldError(affiliate.AttributionRequired, "", "Affiliate ID, affiliate email, or Promo Code is required")},
		{"ErrName B333", func(in *affiliate.ReferralParams) { in.Name, in.Email = "", "" }, scene.FieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrNameBlank", func(in *affiliate.ReferralParams) { in.Name = "\u00a0 " }, scene.FieldError(affiliate.MissingField, "name", "Name is required")},
		{"ErrNameLong", func(in *affiliate.ReferralParams) { in.Name = long }, scene.FieldError(affiliate.InvalidField, "name", "name is too long")},
		{"ErrNameNUL", func(in *affiliate.ReferralParams) { in.Name = "a\x00b" }, scene.FieldError(affiliate.InvalidField, "name", "name contains invalid characters")},
		{"ErrEmail B334", func(in *affiliate.ReferralParams) { in.Email, in.ReferredUserExternalID = " ", "" }, scene.FieldError(affiliate.MissingField, "email", "Email is required")},
		{"ErrEmailSyntax B334", func(in *affiliate.ReferralParams) { in.Email, in.ReferredUserExternalID = "x", "" }, scene.FieldError(affiliate.InvalidField, "email", "Email is invalid")},
		{"ErrEmailKelvin", func(in *affiliate.ReferralParams) { in.Email = "\u212a@example.net" }, scene.FieldError(affiliate.InvalidField, "email", "Email is invalid")},
		{"ErrExternalID B335", func(in *affiliate.ReferralParams) { in.ReferredUserExternalID, in.Plan = "", " " }, scene.FieldError(affiliate.MissingField, "referredUserExternalId", "Referred user external ID is required")},
		{"ErrExternalIDLong", func(in *affiliate.ReferralParams) { in.ReferredUserExternalID = long }, scene.FieldError(affiliate.InvalidField, "referredUserExternalId", "referredUserExternalId is too long")},
		{"ErrPlanBlank", func(in *affiliate.ReferralParams) { in.Plan = " " }, scene.FieldError(affiliate.InvalidField, "plan", "plan must not be empty")},
		{"ErrPlanUTF8", func(in *affiliate.ReferralParams) { in.Plan = "\xff" }, scene.FieldError(affiliate.InvalidField, "plan", "plan contains invalid characters")},
		{"ErrIntegration", func(in *affiliate.ReferralParams) { in.Integration = "nul\x00" }, scene.FieldError(affiliate.InvalidField, "integrationReferralSource", integration)},
		{"ErrMismatch B339", func(in *affiliate.ReferralParams) { in.AffiliateEmail = "bob@example.com" }, mismatch},
		{"ErrMismatchUnknownEmail", func(in *affiliate.ReferralParams) { in.AffiliateEmail = "x@example.com" }, mismatch},
		{"ErrMismatchUnknownID", func(in *affiliate.ReferralParams) { in.AffiliateID, in.AffiliateEmail = "nobody", "bob@example.com" }, mismatch},
		{"ErrCodeUnknown B340", func(in *affiliate.ReferralParams) { in.PromoCode = "NOPE" }, scene.FieldError(affiliate.CodeNotFound, "", "Promo code not found")},
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

// B336: when no affiliate is found, the error is ErrNotFound.
func TestCreateReferralOfNobody(t *testing.T) {
	s := scene.NewShop(t)
	before := s.Dump()
	for _, in := range []affiliate.ReferralParams{
		{AffiliateID: "nobody"}, {AffiliateID: "999"}, {AffiliateID: uuid.Max.String()}, {AffiliateID: "99999999999999999999999"},
		{AffiliateEmail: "x@example.com"}, {AffiliateEmail: "no email"}, {AffiliateID: "nobody", AffiliateEmail: "x@example.com"},
		{AffiliateID: "\x00\xff" + strings.Repeat("x", 1<<20)}, {AffiliateID: s.Tomas.ID.String()}, {AffiliateID: "ada@example.com"},
	} {
		in.Name, in.Email, in.ReferredUserExternalID = "N", "n@example.net", "n"
		if _, err := s.CreateReferral(t.Context(), in); err != affiliate.ErrNotFound {
			t.Errorf("%.40q, %q: %v", in.AffiliateID, in.AffiliateEmail, err)
		}
	}
	if diff := cmp.Diff(before, s.Dump()); diff != "" {
		t.Error(diff)
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
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, ident := range []string{got.ID.String(), " " + strings.ToUpper(got.Email)} {
				if diff := cmp.Diff(got, scene.Must(s.Referral(ctx, ident))); diff != "" {
					t.Errorf("%s: %s", ident, diff)
				}
			}
			s.Verifies()
		})
	}
	if code := scene.Must(s.Code(ctx, affiliate.CodeRef{ID: s.ADA20.ID})); code.TimesRedeemed != 0 {
		t.Errorf("referrals redeemed %d", code.TimesRedeemed)
	}
	if sale := s.Sell(affiliate.SaleParams{Email: "k5@example.net"}); sale.Clicks != 1 {
		t.Errorf("%d clicks of the customer who came by one", sale.Clicks)
	}
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
			if diff := cmp.Diff(s.Tomas, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			return err
		})
	}
	if diff := cmp.Diff(before, s.Dump()); diff != "" {
		t.Error(diff)
	}
}

// Contract 3.6, PUT: every row, in its order.
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

func TestUpdateReferralErrors(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	long := strings.Repeat("x", 256)
	status := func(v affiliate.SubscriptionStatus) affiliate.ReferralUpdate {
		return affiliate.ReferralUpdate{SubscriptionStatus: affiliate.Set(v)}
	}
	statusUnknown := scene.FieldError(affiliate.InvalidField, "subscriptionStatus", "subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED")
	for _, tt := range []struct {
		name, ident string
		up          affiliate.ReferralUpdate
		want        affiliate.Error
	}{
		{"ErrNoID B344", " ", affiliate.ReferralUpdate{Name: scene.TextOf("")}, referralIDMissing},
		{"ErrName", "nobody", affiliate.ReferralUpdate{Name: scene.TextOf(" "), Email: scene.TextOf("x")}, scene.FieldError(affiliate.InvalidField, "name", "name must not be empty")},
		{"ErrNameLong", s.Tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf(long)}, scene.FieldError(affiliate.InvalidField, "name", "name is too long")},
		{"ErrEmailNull", s.Tomas.Email, affiliate.ReferralUpdate{Email: affiliate.Null[string]()}, scene.FieldError(affiliate.InvalidField, "email", "email must not be null")},
		{"ErrEmailBlank", "nobody", affiliate.ReferralUpdate{Email: scene.TextOf(" "), Plan: scene.TextOf("")}, scene.FieldError(affiliate.InvalidField, "email", "email must not be empty")},
		{"ErrEmail", "nobody", affiliate.ReferralUpdate{Email: scene.TextOf("x"), Plan: scene.TextOf("")}, scene.FieldError(affiliate.InvalidField, "email", "Email is invalid")},
		{"ErrExternalID", s.Tomas.Email, affiliate.ReferralUpdate{ReferredUserExternalID: scene.TextOf("")}, scene.FieldError(affiliate.InvalidField, "referredUserExternalId", "referredUserExternalId must not be empty")},
		{"ErrExternalIDNUL", s.Tomas.Email, affiliate.ReferralUpdate{ReferredUserExternalID: scene.TextOf("\x00")}, scene.FieldError(affiliate.InvalidField, "referredUserExternalId", "referredUserExternalId contains invalid characters")},
		{"ErrPlan", s.Tomas.Email, affiliate.ReferralUpdate{Plan: scene.TextOf(long)}, scene.FieldError(affiliate.InvalidField, "plan", "plan is too long")},
		{"ErrStatus B347", "nobody", status("vip"), statusUnknown},
		{"ErrStatusProvider B347", s.Tomas.Email, status(affiliate.SubscriptionPastDue), statusUnknown},
		{"ErrStatusCase B347", s.Tomas.Email, status("active"), statusUnknown},
		{"ErrStatusNull", s.Tomas.Email, affiliate.ReferralUpdate{SubscriptionStatus: affiliate.Null[affiliate.SubscriptionStatus]()}, scene.FieldError(affiliate.InvalidField, "subscriptionStatus", "subscriptionStatus must not be null")},
		{"ErrNotes B351", s.Tomas.Email, affiliate.ReferralUpdate{Notes: scene.TextOf(strings.Repeat("é", 10_001))}, scene.FieldError(affiliate.InvalidField, "notes", "notes is too long")},
		{"ErrNotesControl", s.Tomas.Email, affiliate.ReferralUpdate{Notes: scene.TextOf("\r")}, scene.FieldError(affiliate.InvalidField, "notes", "notes contains invalid characters")},
		{"ErrMetadata B350", s.Tomas.Email, affiliate.ReferralUpdate{Metadata: rawObject("[]")}, scene.FieldError(affiliate.InvalidField, "metadata", "metadata must be an object")},
		{"ErrMetadataLong", s.Tomas.Email, affiliate.ReferralUpdate{Metadata: rawObject(`{"a":"` + strings.Repeat("x", 16_384) + `"}`)}, scene.FieldError(affiliate.InvalidField, "metadata", "metadata is too long")},
		{"ErrUnknown B345", "nobody", affiliate.ReferralUpdate{Email: scene.TextOf(s.Bea.Email)}, referralUnknown},
		{"ErrUnknownText", "\x00" + strings.Repeat("\xff", 1<<20), affiliate.ReferralUpdate{}, referralUnknown},
		{"ErrEmailTaken B349", s.Tomas.ID.String(), affiliate.ReferralUpdate{Email: scene.TextOf("BEA@example.net"), Name: scene.TextOf("n")}, scene.StateError(affiliate.ReferralEmailTaken, "email", "A referral with this email already exists")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			s.Refused(tt.want, func() error { _, err := s.UpdateReferral(ctx, tt.ident, tt.up); return err })
		})
	}
}

func TestUpdateReferral(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.Pass(time.Hour)
	notes := "line\n\ttab " + strings.Repeat("é", 9_990)
	set := affiliate.ReferralUpdate{
		Name: scene.TextOf("Tom"), Email: scene.TextOf(" TOM@example.net"), ReferredUserExternalID: scene.TextOf("c2"), Plan: scene.TextOf("Yearly"),
		SubscriptionStatus: affiliate.Set(affiliate.SubscriptionSubmitted), Notes: scene.TextOf(notes), Metadata: rawObject(`{ "a" : 1.0 }`),
	}
	want := s.Tomas
	want.Name, want.Email, want.ReferredUserExternalID, want.Plan = scene.TextOf("Tom"), "tom@example.net", scene.TextOf("c2"), scene.TextOf("Yearly")
	want.SubscriptionStatus, want.Status, want.Notes = affiliate.SubscriptionSubmitted, affiliate.SubscriptionSubmitted, scene.TextOf(notes)
	want.Metadata, want.UpdatedAt = rawObject(`{"a":1.0}`), affiliate.TimeOf(s.Now)
	update := func(ident string, up affiliate.ReferralUpdate, events ...affiliate.EventType) {
		t.Helper()
		s.Fires(func() error {
			got, err := s.UpdateReferral(ctx, ident, up)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			return err
		}, events...)
		s.Verifies()
	}
	update("tomas@EXAMPLE.net", set, affiliate.ReferralUpdated)
	s.Pass(time.Hour)
	update(s.Tomas.ID.String(), set)
	update("tom@example.net", affiliate.ReferralUpdate{})
	want.Notes, want.UpdatedAt = scene.TextOf(""), affiliate.TimeOf(s.Now)
	update("tom@example.net", affiliate.ReferralUpdate{Notes: scene.TextOf("")}, affiliate.ReferralUpdated)
	null := affiliate.Null[string]()
	want.Name, want.ReferredUserExternalID, want.Plan, want.Notes, want.Metadata = null, null, null, null, affiliate.Null[json.RawMessage]()
	update("tom@example.net", affiliate.ReferralUpdate{Name: null, ReferredUserExternalID: null, Plan: null, Notes: null, Metadata: affiliate.Null[json.RawMessage]()}, affiliate.ReferralUpdated)
	s.Customer("bob", "tomas") // the address can be used again
	s.Verifies()
}

func TestPushReferralStatus(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.Refused(scene.FieldError(affiliate.InvalidField, "subscriptionStatus", "subscriptionStatus must be one of ACTIVE, SUBMITTED, DECLINED, PAST_DUE, CANCELLED"), func() error {
		_, err := s.PushReferralStatus(ctx, s.Tomas.Email, "past_due")
		return err
	})
	s.Refused(scene.FieldError(affiliate.MissingField, "referralId", "Referral ID is required"), func() error {
		_, err := s.PushReferralStatus(ctx, "", affiliate.SubscriptionActive)
		return err
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
		_, err := s.SetReferralPlan(ctx, uuid.Max, s.Tomas.ID)
		return err
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
		if diff := cmp.Diff(before, s.Dump()); diff != "" {
			t.Errorf("B354: %s", diff)
		}

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
		if left := scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items; len(left) != 0 {
			t.Errorf("left: %+v", left)
		}
		if a := scene.Must(s.Affiliate(ctx, "ada")); !a.TotalRevenue.IsZero() || a.NumberOfReferredUsers != 0 || a.NumberOfClicks != 1 {
			t.Errorf("totals of the affiliate: %+v", a)
		}
		if code := scene.Must(s.Code(ctx, affiliate.CodeRef{ID: s.ADA20.ID})); code.TimesRedeemed != 1 {
			t.Errorf("counter %d", code.TimesRedeemed)
		}
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

func TestReferralFilters(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	same := scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "n", Email: "n@example.net", ReferredUserExternalID: "cust-n"}))
	for name, tt := range map[string]struct {
		f    affiliate.ReferralQuery
		want []uuid.UUID
	}{
		"all":               {affiliate.ReferralQuery{}, []uuid.UUID{same.ID, s.Bea.ID, s.Tomas.ID}},
		"affiliate":         {affiliate.ReferralQuery{AffiliateID: affiliate.Set(s.Bob.ID)}, []uuid.UUID{s.Bea.ID}},
		"email":             {affiliate.ReferralQuery{AffiliateEmail: affiliate.Set(" ADA@example.com")}, []uuid.UUID{same.ID, s.Tomas.ID}},
		"external id":       {affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set("cust-bea")}, []uuid.UUID{s.Bea.ID}},
		"external id, case": {affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set("CUST-bea")}, nil},
		"unknown B358":      {affiliate.ReferralQuery{AffiliateID: affiliate.Set(uuid.Max)}, nil},
		"unknown email":     {affiliate.ReferralQuery{AffiliateEmail: affiliate.Set("x@example.com")}, nil},
		"no email":          {affiliate.ReferralQuery{AffiliateEmail: affiliate.Set("\x00")}, nil},
		"no text":           {affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set("\x00")}, nil},
		"endless text":      {affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set(strings.Repeat("é", 1<<20))}, nil},
	} {
		list, err := s.Referrals(ctx, tt.f, affiliate.Page{})
		var got []uuid.UUID
		for _, r := range list.Items {
			got = append(got, r.ID)
		}
		if err != nil || list.Items == nil || !cmp.Equal(tt.want, got) {
			t.Errorf("%s: %v, %s", name, err, cmp.Diff(tt.want, got))
		}
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
	if diff := cmp.Diff(kept, rows); diff != "" {
		t.Errorf("the caller's rows changed: %s", diff)
	}
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
	if a := scene.Must(s.Affiliate(ctx, "ada")); a.NumberOfReferredUsers != 5 {
		t.Errorf("%d referred users", a.NumberOfReferredUsers)
	}
	s.Verifies()
	s.Fires(func() error {
		_, err := s.UpdateReferral(ctx, "y3@example.net", affiliate.ReferralUpdate{Name: scene.TextOf("Z")})
		return err
	}, affiliate.ReferralUpdated)
	s.Fires(func() error { return s.Forfeiting().DeleteReferral(ctx, "y3@example.net") }, affiliate.ReferralDeleted)
	s.Verifies()
	if empty := scene.Must(s.Imports().Referrals(ctx, nil)); !cmp.Equal(empty, imported.Report{}) {
		t.Errorf("%+v", empty)
	}
}
