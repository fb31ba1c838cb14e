package partner_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPartner (console check 29): what an affiliate among 200 sees is about
// them alone, its customers are masked, and each object has exactly its fields.
func TestPartner(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Secret name", PercentOff: affiliate.Set(affiliate.MustPercent("10")), RedeemBy: affiliate.Set(affiliate.Day(2027, 1, 31)), MaxRedemptions: affiliate.Set[int64](8675309)}))
	var all []affiliate.Affiliate
	for i := range 200 {
		slug := "p" + strings.Repeat("x", i%3) + uuid.NewString()[:8]
		a := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "First" + slug, LastName: "Last" + slug, Email: slug + "@partner.example", AffiliateLink: slug}))
		all = append(all, a)
		scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "C" + slug, AffiliateID: a.ID, ExpiresAt: affiliate.Set(affiliate.Day(2026, 12, 31))}))
		scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: a.ID.String(), Email: "cust" + slug + "@buyer.example", Name: "Name" + slug, ReferredUserExternalID: "ext" + slug, Plan: "plan" + slug}))
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{
			PromoCode: "C" + slug, Email: "other" + slug + "@buyer.example", Name: "Buyer" + slug, TotalEarned: affiliate.MustAmount("50"), ExternalID: "order" + slug, ExternalInvoiceID: "inv" + slug,
			Product: affiliate.Set(affiliate.Product{ProductID: "product" + slug}),
		}))
	}
	me := all[57]
	slug := strings.TrimSuffix(me.Email, "@partner.example")
	partner := w.Partner(me.ID)
	profile := scene.Must(partner.Profile(ctx))
	links := scene.Must(partner.Links(ctx, affiliate.Page{}))
	codes := scene.Must(partner.Codes(ctx, affiliate.Page{}))
	referrals := scene.Must(partner.Referrals(ctx, affiliate.Page{}))
	sales := scene.Must(partner.Sales(ctx, affiliate.Page{}))
	balance := scene.Must(partner.Balance(ctx))
	from := w.Now.Truncate(24 * time.Hour)
	statement := scene.Must(partner.Statement(ctx, from, from.AddDate(0, 0, 2)))
	report := scene.Must(partner.Report(ctx, from, from.AddDate(0, 0, 2), affiliate.IntervalDay))
	rows := scene.Must(partner.Breakdown(ctx, from, from.AddDate(0, 0, 2), affiliate.DimensionCode, affiliate.Page{}))
	if len(rows.Items) != 1 || rows.Items[0].Name.Or("") != "C"+slug || rows.Items[0].Revenue != report[0].Revenue {
		t.Errorf("the breakdown: %+v", rows)
	}
	for _, of := range []affiliate.Dimension{affiliate.DimensionAffiliate, affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan} {
		if _, err := partner.Breakdown(ctx, from, from.AddDate(0, 0, 2), of, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("by %s: %v", of, err)
		}
	}
	if len(links.Items) != 1 || len(codes.Items) != 1 || len(referrals.Items) != 2 || len(sales.Items) != 1 || balance.AffiliateID != me.ID || statement.AffiliateID != me.ID || report[0].Sales != 1 {
		t.Fatalf("%d links, %d codes, %d customers, %d sales, the balance of %s, a report of %d", len(links.Items), len(codes.Items), len(referrals.Items), len(sales.Items), balance.AffiliateID, report[0].Sales)
	}
	shown := scene.JSON([]any{profile, links, codes, referrals, sales, balance, statement, report, rows})
	for _, a := range all {
		other := strings.TrimSuffix(a.Email, "@partner.example")
		if a.ID != me.ID && (strings.Contains(shown, other) || strings.Contains(shown, a.ID.String())) {
			t.Errorf("it shows something of %s", other)
		}
	}
	for _, secret := range []string{"cust" + slug, "other" + slug, "Name" + slug, "Buyer" + slug, "ext" + slug, "plan" + slug, "order" + slug, "inv" + slug, "product" + slug, "Secret name", "8675309", "buyer.example"} {
		if strings.Contains(shown, secret) {
			t.Errorf("it shows %s: %s", secret, shown)
		}
	}
	if s := sales.Items[0]; s.Customer != "o***@b***.example" || s.PromoCode.Or("") != "C"+slug || s.ApprovalStatus.Or("") != affiliate.ApprovalAccepted || s.PayoutCreated {
		t.Errorf("got %+v", s)
	}
	if c := codes.Items[0]; !c.Usable || c.ExpiresAt.Or(affiliate.Time{}).Time().Year() != 2026 || c.TimesRedeemed != 1 || !c.MaxRedemptions.IsNull() {
		t.Errorf("got %+v", c)
	}
	for name, object := range map[string]any{
		"id name email status commissionRate payoutEmail paymentMethod detailsComplete numberOfClicks numberOfReferredUsers totalRevenue totalCommissionEarned createdAt program": profile,
		"name currency": profile.Program,
		"id link fullURLs clicks referrals sales totalRevenue createdAt":                                                                                            links.Items[0],
		"id code usable reasons expiresAt couponType percentOff amountOff currency minimumAmount minimumAmountCurrency firstTimeOrder timesRedeemed maxRedemptions": codes.Items[0],
		"id customer subscriptionStatus totalRevenue totalCommission createdAt":                                                                                     referrals.Items[0],
		"id customer totalEarned refundedAmount commissionEarned approvalStatus holdReason payoutCreated status promoCode link createdAt":                           sales.Items[0],
	} {
		var fields map[string]json.RawMessage
		scene.Must(0, json.Unmarshal([]byte(scene.JSON(object)), &fields))
		scene.Equal(t, slices.Sorted(slices.Values(strings.Fields(name))), slices.Sorted(maps.Keys(fields)))
	}
	if err := scene.ErrOf(w.Partner(uuid.New()).Profile(ctx)); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}

// The partner says how to be paid while active; the refusal of any other changes
// nothing.
func TestPartnerPayoutDetails(t *testing.T) {
	w := scene.New(t)
	a := w.Join("ada")
	events := w.FiredTypes(func() {
		for range 2 {
			got := scene.Must(w.Partner(a.ID).SetPayoutDetails(t.Context(), affiliate.PayoutDetails{Email: "Me@Pay.example", Method: "PAYPAL"}))
			if got.PayoutEmail.Or("") != "me@pay.example" || !got.DetailsComplete {
				t.Errorf("got %+v", got)
			}
		}
	})
	scene.Equal(t, []string{"affiliate.updated " + a.ID.String()}, events)
	for _, status := range []affiliate.AffiliateStatus{"INACTIVE", "INVITED", "DECLINED", "DEACTIVATED", "BANNED"} {
		b := scene.AffiliateIn(w, strings.ToLower(string(status)), status)
		w.Refused(scene.StateError(affiliate.StatusNotAllowed, "", "The present status does not allow this change"), func() error {
			return scene.ErrOf(w.Partner(b.ID).SetPayoutDetails(t.Context(), affiliate.PayoutDetails{Method: "PAYPAL"}))
		})
	}
}

func TestMaskEmail(t *testing.T) {
	id := uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9f31")
	for email, want := range map[string]string{
		"tomas@example.net": "t***@e***.net", "ab@x.io": "***@***.io", "": "customer-9f31", "no-email": "customer-9f31", "a@b": "customer-9f31",
		"élise@mail.example.co.uk": "é***@m***.uk", "abc@de.fr": "a***@***.fr",
	} {
		if got := affiliate.MaskEmail(email, id); got != want {
			t.Errorf("%q: got %q, want %q", email, got, want)
		}
	}
}
