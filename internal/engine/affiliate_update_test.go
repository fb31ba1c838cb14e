package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestUpdateAffiliateRate: a rate is the affiliate's own, also when it equals the one that
// applied already, until null takes it away.
func TestUpdateAffiliateRate(t *testing.T) {
	w := scene.New(t)
	ref := affiliate.AffiliateRef{ID: w.Join("a").ID}
	for _, step := range []struct {
		to      affiliate.Opt[affiliate.Percent]
		rate    string
		own     bool
		changes int
	}{
		{affiliate.Null[affiliate.Percent](), "20", false, 0}, {scene.Percent("20"), "20", true, 1}, {scene.Percent("20"), "20", true, 0},
		{scene.Percent("33.5"), "33.5", true, 1}, {affiliate.Null[affiliate.Percent](), "20", false, 1},
	} {
		events := w.Fired(func() {
			scene.Must(w.UpdateAffiliate(t.Context(), ref, affiliate.AffiliateUpdate{CommissionRate: step.to}))
		})
		got := scene.Must(w.Affiliate(t.Context(), "a"))
		scene.Equal(t, []any{step.rate, step.own, step.changes}, []any{got.CommissionRate.String(), !got.UseCommissionPlanCommissionRate, len(events)})
	}
}

func TestAcceptInviteRefusals(t *testing.T) {
	w := scene.New(t)
	w.Join("used")
	a := scene.Must(w.InviteAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@b.co"}))
	for _, tt := range []struct {
		name string
		id   uuid.UUID
		up   affiliate.Acceptance
		want affiliate.Error
	}{
		{"ErrField", a.ID, affiliate.Acceptance{FirstName: affiliate.Null[string]()}, scene.FieldError(affiliate.InvalidField, "firstName", "firstName must not be null")},
		{"ErrUnknown", uuid.New(), affiliate.Acceptance{}, scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")},
		{"ErrSlugTaken", a.ID, affiliate.Acceptance{AffiliateLink: affiliate.Set("used")}, scene.StateError(affiliate.SlugTaken, "affiliateLink", "The requested affiliate link is already in use")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			w.Refused(tt.want, func() error { return scene.ErrOf(w.AcceptInvite(t.Context(), tt.id, tt.up)) })
		})
	}
}

func TestSetPayoutDetails(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	for _, tt := range []struct {
		name     string
		in       affiliate.PayoutDetails
		email    affiliate.Opt[string]
		method   affiliate.Opt[affiliate.PaymentMethod]
		complete bool
		events   int
	}{
		{"NothingKnown", affiliate.PayoutDetails{}, affiliate.Null[string](), affiliate.Null[affiliate.PaymentMethod](), false, 0},
		{"EmailOnly", affiliate.PayoutDetails{Email: " Pay@B.co"}, affiliate.Set("pay@b.co"), affiliate.Null[affiliate.PaymentMethod](), false, 1},
		{"Both", affiliate.PayoutDetails{Email: "pay@b.co", Method: "WISE_BANK"}, affiliate.Set("pay@b.co"), affiliate.Set(affiliate.PaymentMethod("WISE_BANK")), true, 1},
		{"Same", affiliate.PayoutDetails{Email: "PAY@b.co", Method: "WISE_BANK"}, affiliate.Set("pay@b.co"), affiliate.Set(affiliate.PaymentMethod("WISE_BANK")), true, 0},
		{"Cleared", affiliate.PayoutDetails{}, affiliate.Null[string](), affiliate.Null[affiliate.PaymentMethod](), false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			var got affiliate.Affiliate
			events := w.Fired(func() { got = scene.Must(w.SetPayoutDetails(t.Context(), a.ID, tt.in)) })
			scene.Equal(t, tt.email, got.PayoutEmail)
			scene.Equal(t, tt.method, got.PaymentMethod)
			scene.Equal(t, tt.complete, got.DetailsComplete)
			scene.Equal(t, tt.events, len(events))
		})
	}
	w.T = t
	w.Refused(scene.FieldError(affiliate.InvalidField, "payoutEmail", "Email is invalid"), func() error {
		return scene.ErrOf(w.SetPayoutDetails(t.Context(), a.ID, affiliate.PayoutDetails{Email: "x", Method: "y"}))
	})
	w.Refused(scene.FieldError(affiliate.InvalidField, "paymentMethod", "paymentMethod must be one of WISE, WISE_BANK, PAYPAL, BANK, CREDITS, COUPON, REFERLY"), func() error {
		return scene.ErrOf(w.SetPayoutDetails(t.Context(), a.ID, affiliate.PayoutDetails{Method: "paypal"}))
	})
	w.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return scene.ErrOf(w.SetPayoutDetails(t.Context(), uuid.New(), affiliate.PayoutDetails{}))
	})
}

func TestDeleteAffiliate(t *testing.T) { // I36, B307
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	w.Refer("a", "kim@b.co")
	w.SellTo("kim@b.co", "100")
	w.Refer("b", "lee@b.co")
	w.SellTo("lee@b.co", "50")
	code := issue(w, a.ID, "MARA20")
	scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: affiliate.MustAmount("7")}))
	before := w.Dump()
	w.Now = w.Now.Add(time.Hour)
	events := w.Fired(func() {
		scene.Must(0, w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{Email: "A@example.org"}))
	})
	if len(events) != 1 || events[0].Type != affiliate.AffiliateDeleted || events[0].Revision != 2 {
		t.Fatalf("fired %+v", events)
	}
	scene.Equal(t, map[string]any{"id": a.ID.String()}, scene.BodyOf[map[string]any](t, events[0]))
	gone := map[string]int{}
	for table, rows := range w.Dump() {
		if n := len(before[table]) - len(rows); n > 0 {
			gone[table] = n
		}
		for _, rec := range rows {
			if strings.Contains(rec, a.ID.String()) && table != "events" && table != "movements" && table != "aliases" { // whose slugs they were
				t.Errorf("%s still names the affiliate: %s", table, rec)
			}
		}
	}
	scene.Equal(t, map[string]int{"affiliates": 1, "links": 1, "clicks": 1, "referrals": 1, "sales": 2, "totals": 3}, gone)
	code.AffiliateID, code.Affiliate = affiliate.Null[uuid.UUID](), affiliate.Null[affiliate.AffiliateContact]()
	code.TimesRedeemed, code.UpdatedAt = 1, affiliate.TimeOf(w.Now)
	code.Coupon = affiliate.Opt[affiliate.Coupon]{}
	kept := scene.Must(w.Code(t.Context(), affiliate.CodeRef{ID: code.ID}))
	kept.Coupon = affiliate.Opt[affiliate.Coupon]{}
	scene.Equal(t, code, kept)
	w.Verifies()
	if got := scene.Must(w.Affiliate(t.Context(), "b")); got.ID != b.ID || got.TotalRevenue != affiliate.MustAmount("50") {
		t.Errorf("the other affiliate: %+v", got)
	}
}

func TestDeleteAffiliateRefusals(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	w.Refer("a", "kim@b.co")
	w.SellTo("kim@b.co", "100")
	scene.Must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: a.ID}))
	inPayout := scene.StateError(affiliate.InPayout, "", "Affiliate has commissions that are part of a payout")
	w.Refused(scene.FieldError(affiliate.MissingField, "affiliateId", "Affiliate ID is required"), func() error {
		return w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{})
	})
	w.Refused(scene.FieldError(affiliate.IdentifiersMismatch, "", "The identifiers do not name the same record"), func() error {
		return w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID, Email: b.Email})
	})
	w.Refused(inPayout, func() error { return w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}) }) // B306

	// The code credits a sale of a's customer to b. The customer stays a's.
	w = scene.New(t)
	a, b = w.Join("a"), w.Join("b")
	w.Refer("a", "kim@b.co")
	issue(w, b.ID, "BEE")
	byCode := affiliate.SaleParams{PromoCode: "BEE", Email: "kim@b.co", TotalEarned: affiliate.MustAmount("10")}
	scene.Must(w.RecordSale(t.Context(), byCode))
	scene.Must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: b.ID}))
	for _, id := range []uuid.UUID{a.ID, b.ID} {
		w.Refused(inPayout, func() error { return w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: id}) })
	}
}

// A sale that a code credited to another affiliate stays when the customer's
// affiliate is deleted. It loses its customer.
func TestDeleteAffiliateKeepsSalesOfOthers(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	w.Refer("a", "kim@b.co")
	issue(w, b.ID, "BEE")
	byCode := affiliate.SaleParams{PromoCode: "BEE", Email: "kim@b.co", TotalEarned: affiliate.MustAmount("10")}
	scene.Must(w.RecordSale(t.Context(), byCode))
	scene.Must(0, w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}))
	sales := scene.Must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
	if len(sales) != 1 || sales[0].Affiliate.ID != b.ID || !sales[0].Referral.IsNull() {
		t.Errorf("left: %+v", sales)
	}
	w.Verifies()
}

// A note is in every answer about an affiliate, and in no event. Null and an empty text take it away.
func TestNote(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	ada := w.Join("ada")
	ref := affiliate.AffiliateRef{ID: ada.ID}
	note := strings.Repeat("hush ü\n", 250) + strings.Repeat("x", 250)
	write := func(to affiliate.Opt[string]) {
		scene.Must(w.UpdateAffiliate(ctx, ref, affiliate.AffiliateUpdate{Note: to}))
	}
	for _, none := range []affiliate.Opt[string]{affiliate.Null[string](), affiliate.Set("")} {
		write(affiliate.Set(note))
		paid := scene.Must(w.SetPayoutDetails(ctx, ada.ID, affiliate.PayoutDetails{Method: "PAYPAL", Email: "ada@pay.example"}))
		scene.Equal(t, []string{note, note, note, note}, []string{
			scene.Must(w.Affiliate(ctx, "ada")).Note, paid.Note, scene.Must(w.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})).Items[0].Note,
			scene.Must(w.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1})).Items[0].Note,
		})
		write(none)
		if got := scene.JSON(scene.Must(w.Affiliate(ctx, "ada"))); strings.Contains(got, "note") {
			t.Errorf("after %v: %s", none, got)
		}
	}
	write(affiliate.Set(note))
	scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "T", Email: "t@example.net", ReferredUserExternalID: "c"}))
	scene.Must(w.RecordSale(ctx, affiliate.SaleParams{Email: "t@example.net", TotalEarned: scene.Sum("10")}))
	events := scene.Must(w.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})).Items
	for _, e := range events {
		if strings.Contains(string(e.Payload), "hush") || strings.Contains(string(e.Payload), `"note"`) {
			t.Errorf("%s shows the note: %s", e.Type, e.Payload)
		}
	}
	field := func(to string) affiliate.AffiliateUpdate { return affiliate.AffiliateUpdate{Note: affiliate.Set(to)} }
	for what, up := range map[string]affiliate.AffiliateUpdate{"is too long": field(strings.Repeat("é", 2001)), "contains invalid characters": field("a\r\nb")} {
		w.Refused(scene.FieldError(affiliate.InvalidField, "note", "note "+what), func() error { return scene.ErrOf(w.UpdateAffiliate(ctx, ref, up)) })
	}
	w.Verifies()
}

// A status that nobody gives is refused, also for an affiliate who has it.
func TestStatusGivenByNobody(t *testing.T) {
	w := scene.New(t)
	for _, status := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "x", ""} {
		a := scene.AffiliateIn(w, "a"+string(status), status)
		w.Refused(scene.FieldError(affiliate.InvalidField, "status", "status must be one of ACTIVE, DECLINED, DEACTIVATED, BANNED"), func() error {
			return scene.ErrOf(w.SetAffiliateStatus(t.Context(), status, a.ID))
		})
	}
}

// Next says what the calls do, for affiliates and for payouts.
func TestNextStatuses(t *testing.T) {
	for status, want := range map[affiliate.AffiliateStatus][]affiliate.AffiliateStatus{
		"INACTIVE": {"ACTIVE", "DECLINED"}, "ACTIVE": {"DEACTIVATED", "BANNED"}, "INVITED": nil, "DECLINED": nil, "DEACTIVATED": nil, "BANNED": nil,
	} {
		scene.Equal(t, want, status.Next())
	}
	for status, want := range map[affiliate.PayoutStatus][]affiliate.PayoutStatus{
		"PENDING": {"PROCESSING", "PAID", "FAILED", "CANCELED"}, "PROCESSING": {"PAID", "FAILED"}, "FAILED": {"PROCESSING", "CANCELED"}, "PAID": {"RETURNED"}, "CANCELED": nil, "RETURNED": nil,
	} {
		scene.Equal(t, want, status.Next())
	}
}

// PUT /affiliates sets ACTIVE or INACTIVE from any status.
func TestStatusWayBack(t *testing.T) {
	for _, from := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"} {
		w := scene.New(t)
		a := scene.AffiliateIn(w, "a", from)
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
		scene.Equal(t, affiliate.AffiliateActive, scene.Must(w.Affiliate(t.Context(), "a")).Status)
	}
}

// A ban holds later sales. Earlier commissions stay accepted (rule 4.1).
func TestBanHoldsLaterSales(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	w.Refer("a", "kim@b.co")
	before := w.SellTo("kim@b.co", "10")
	scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, a.ID))
	after := w.SellTo("kim@b.co", "10")
	scene.Equal(t, affiliate.ApprovalAccepted, scene.Must(w.Sale(t.Context(), before.ID)).Commissions[0].ApprovalStatus)
	scene.Equal(t, affiliate.ApprovalOnHold, after.Commissions[0].ApprovalStatus)
	scene.Equal(t, int64(1), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfReferredUsers)
}

func TestSetAffiliateTierAndExempt(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	tier := scene.Must(w.CreateTier(w.T.Context(), affiliate.TierParams{Tier: 2, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("30"))}))
	count := func(fn func() ([]affiliate.Affiliate, error)) int {
		return len(w.Fired(func() { scene.Must(fn()) }))
	}
	inTier := func(id uuid.UUID) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetAffiliateTier(t.Context(), id, a.ID) }
	}
	exempt := func(yes bool) func() ([]affiliate.Affiliate, error) {
		return func() ([]affiliate.Affiliate, error) { return w.SetTierExempt(t.Context(), yes, a.ID) }
	}
	scene.Equal(t, 1, count(exempt(true)))
	scene.Equal(t, 0, count(exempt(true)))
	scene.Equal(t, 1, count(inTier(tier.ID)))
	scene.Equal(t, 0, count(inTier(tier.ID)))
	got := scene.Must(w.Affiliate(t.Context(), "a"))
	scene.Equal(t, affiliate.Set(tier.ID), got.CommissionTierID)
	scene.Equal(t, affiliate.MustPercent("30"), got.CommissionRate)
	scene.Equal(t, true, got.ExemptFromCommissionTierChanges && got.UseCommissionPlanCommissionRate)
	scene.Equal(t, 1, count(inTier(uuid.Nil)))
	w.Refused(scene.MissingError(affiliate.TierNotFound, "Tier not found"), func() error {
		return scene.ErrOf(w.SetAffiliateTier(t.Context(), uuid.New(), a.ID))
	})
	w.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error {
		return scene.ErrOf(w.SetTierExempt(t.Context(), true, uuid.New()))
	})
}

// A customer of one affiliate can come back by a click of another. When the
// other affiliate is deleted, the click is deleted, and the customer's count of
// clicks falls.
func TestDeleteAffiliateWithClicksOfOthers(t *testing.T) {
	w := scene.New(t)
	w.Ada()
	ctx := t.Context()
	bea := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com", AffiliateLink: "bea"}))
	scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "T", Email: "t@example.net", ReferredUserExternalID: "c"}))
	click := scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "bea"}))
	scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: fmt.Sprint(click.ID), Email: "t@example.net", TotalEarned: affiliate.MustAmount("1")}))
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: bea.ID}))
	w.Verifies()

	next := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{Email: "t@example.net", TotalEarned: affiliate.MustAmount("1")}))
	if sale, _ := next.Sale.Get(); sale.Clicks != 0 {
		t.Errorf("the next sale counts %d clicks, want 0", sale.Clicks)
	}
}

// When a look-up misses a record, the unique index of the store refuses it with
// the same text.
func TestAffiliateUniqueIndexes(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	named := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "new@b.co", AffiliateLink: "A"}
	mailed := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: a.Email, AffiliateLink: "new"}
	self := affiliate.AffiliateRef{ID: a.ID}
	for name, tt := range map[string]struct {
		want string
		call func() error
	}{
		"CreateSlug":  {"The requested affiliate link is already in use", func() error { return scene.ErrOf(w.CreateAffiliate(t.Context(), named)) }},
		"CreateEmail": {"An affiliate with this email already exists", func() error { return scene.ErrOf(w.CreateAffiliate(t.Context(), mailed)) }},
		"UpdateSlug": {"The requested affiliate link is already in use", func() error {
			return scene.ErrOf(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("B")}))
		}},
		"UpdateEmail": {"An affiliate with this email already exists", func() error {
			return scene.ErrOf(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{Email: affiliate.Set(b.Email)}))
		}},
		"Link": {"This link already exists for this affiliate program", func() error {
			return scene.ErrOf(w.CreateLink(t.Context(), affiliate.LinkParams{Link: "B", AffiliateID: a.ID}))
		}},
		"Rename": {"This link already exists for this affiliate program", func() error {
			return scene.ErrOf(w.RenameLink(t.Context(), affiliate.LinkRef{ID: a.AffiliateLinks[0].ID}, "B"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			before := w.Dump()
			w.Probe.Blind = true
			err := tt.call()
			w.Probe.Blind = false
			if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Message != tt.want {
				t.Errorf("got %v", err)
			}
			scene.Equal(t, before, w.Dump())
		})
	}
}
