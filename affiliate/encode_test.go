package affiliate_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// marshaled returns the JSON of a value by json.Marshal. For a byte that is not
// UTF-8, Go 1.26 writes the escape of U+FFFD and Go 1.27 the character. Here
// both become the escape.
func marshaled(v any) string { return escaped(scene.Must(json.Marshal(v))) }

// escaped replaces the character U+FFFD by its escape.
func escaped(document []byte) string { return strings.ReplaceAll(string(document), "\ufffd", `\ufffd`) }

// TestReplacedBytes: the encoders write the same bytes with every version of
// Go, because the payload of an event is signed.
func TestReplacedBytes(t *testing.T) {
	got := string((&affiliate.Link{Link: "a\xffb", Program: affiliate.LinkProgram{Name: "a\ufffdb"}}).AppendJSON(nil))
	for _, want := range []string{`"link":"a\ufffdb"`, "\"name\":\"a\ufffdb\""} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

// TestAppendJSON: the encoders of frequent answers write what json.Marshal
// writes, byte for byte except for the spelling of U+FFFD (marshaled).
func TestAppendJSON(t *testing.T) {
	t.Run("Affiliate", appendsJSON(func(v *affiliate.Affiliate) appender { return v }))
	t.Run("Link", appendsJSON(func(v *affiliate.Link) appender { return v }))
	t.Run("Coupon", appendsJSON(func(v *affiliate.Coupon) appender { return v }))
	t.Run("Code", appendsJSON(func(v *affiliate.Code) appender { return v }))
	t.Run("Referral", appendsJSON(func(v *affiliate.Referral) appender { return v }))
	t.Run("Sale", appendsJSON(func(v *affiliate.Sale) appender { return v }))
}

type appender interface{ AppendJSON(dst []byte) []byte }

func appendsJSON[T any](of func(*T) appender) func(*testing.T) {
	return func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			v := drawn[T](rt, true)
			if want, got := marshaled(v), escaped(of(&v).AppendJSON([]byte("x"))[1:]); got != want {
				rt.Fatalf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func FuzzCodeAppendJSON(f *testing.F) {
	f.Add("ADA20", "a<b>&\u2028\u2029", "\xff\xe2\x80", int64(125000), int64(1773221058442))
	f.Add("\x00\x1f\"\\\b\f\n\r\t\x7f", "", "🎉", int64(-1), int64(-62135596800000))
	f.Fuzz(func(t *testing.T, code, external, email string, scaled, ms int64) {
		at := affiliate.TimeOf(time.UnixMilli(ms))
		if year := at.Time().Year(); year < 1 || year > 9999 {
			t.Skip()
		}
		c := affiliate.Code{
			Code: code, ExternalID: affiliate.Set(external), ExpiresAt: affiliate.Set(at), MinimumAmount: affiliate.Set(affiliate.AmountFromScaled(scaled)),
			Affiliate: affiliate.Set(affiliate.AffiliateContact{Email: email}), CreatedAt: at, UpdatedAt: at,
			Coupon: affiliate.Set(affiliate.Coupon{Name: external, ProductIDs: []string{code, email}, CreatedAt: at, UpdatedAt: at}),
		}
		if want, got := marshaled(c), escaped(c.AppendJSON(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// soldOnce is a real sale with texts that JSON escapes, and its frozen event.
func soldOnce(tb testing.TB) (affiliate.Sale, record.Payload) {
	tb.Helper()
	store := memstore.New()
	p, _ := benchkit.Shop(tb, store, 1)
	result := scene.Must(p.RecordSale(tb.Context(), affiliate.SaleParams{
		PromoCode: "CODE0", TotalEarned: scene.SaleTotal, ExternalID: `o-1 <"&`, Name: "Ünï & <b>\u2028", Email: "u@example.com",
		Product: affiliate.Set(affiliate.Product{ProductID: "<beans>"}),
	}))
	sale, _ := result.Sale.Get()
	var payload record.Payload
	err := store.View(tb.Context(), p.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{Desc: true, Limit: 1}) {
			payload = rec.Payload
			return err
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return sale, payload
}

// TestSaleEventEncoder: the body of a sale's event has the bytes that
// encoding/json makes of the sale, with the oldest link.
func TestSaleEventEncoder(t *testing.T) {
	sale, payload := soldOnce(t)
	sale.Affiliate.Link = affiliate.Set("slug-0")
	want := string(scene.Must(json.Marshal(sale)))
	_, got, _ := strings.Cut(string(payload.Bytes()), `"body":`)
	if got != want+"}" {
		t.Errorf("the body is\n%s, want\n%s", got, want)
	}
}

// BenchmarkSaleEvent is why events of sales have an encoder of their own:
// x-floor is the whole event over its body alone in encoding/json.
func BenchmarkSaleEvent(b *testing.B) {
	sale, payload := soldOnce(b)
	benchkit.Versus(b, 3000,
		benchkit.Each(func() { scene.Must(json.Marshal(sale)) }), benchkit.Each(func() { payload.Bytes() }))
}

// Decoding an encoded object returns an equal object; receipts and clients need
// this. All fields of the objects are drawn.
func TestRoundTrip(t *testing.T) {
	t.Run("Sale", roundTrips[affiliate.Sale])
	t.Run("Coupon", roundTrips[affiliate.Coupon])
	t.Run("Code", roundTrips[affiliate.Code])
	t.Run("Referral", roundTrips[affiliate.Referral])
	t.Run("Affiliate", roundTrips[affiliate.Affiliate])
	t.Run("Link", roundTrips[affiliate.Link])
	t.Run("Payout", roundTrips[affiliate.Payout])
	t.Run("Evaluation", roundTrips[affiliate.Evaluation])
	t.Run("Plan", roundTrips[affiliate.Plan])
	t.Run("Tier", roundTrips[affiliate.Tier])
	t.Run("Click", roundTrips[affiliate.Click])
	t.Run("Endpoint", roundTrips[affiliate.Endpoint])
	t.Run("AffiliateBody", roundTrips[affiliate.AffiliateBody])
	t.Run("ReferralBody", roundTrips[affiliate.ReferralBody])
	t.Run("Error", roundTrips[affiliate.Error])
}

func roundTrips[T any](t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := drawn[T](rt, false)
		var y T
		raw, err := json.Marshal(x)
		if err != nil {
			rt.Fatalf("encode: %v", err)
		}
		if err := json.Unmarshal(raw, &y); err != nil {
			rt.Fatalf("decode %s: %v", raw, err)
		}
		if diff := cmp.Diff(x, y); diff != "" {
			rt.Fatalf("decode(encode(x)) (-x +decoded) of %s:\n%s", raw, diff)
		}
		again, err := json.Marshal(y)
		if err != nil || !bytes.Equal(raw, again) {
			rt.Fatalf("encoded again: %v\n%s\n%s", err, raw, again)
		}
	})
}

// TestPayloadEmpty: an empty payload is nil again after a store has written it
// as JSON and read it.
func TestPayloadEmpty(t *testing.T) {
	var again record.Payload
	scene.Must(0, json.Unmarshal(scene.Must(json.Marshal(record.Payload{})), &again))
	for name, p := range map[string]record.Payload{"stored": again, "of no bytes": record.PayloadOf([]byte{})} {
		if raw := p.Bytes(); raw != nil || !p.IsZero() {
			t.Errorf("%s: Bytes is %q and not nil, IsZero %v", name, raw, p.IsZero())
		}
	}
}

// shape returns the keys of a JSON value in order, without the values: a null
// is key=null, a list key[first entry] or key[], an object key{…}.
func shape(raw []byte) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	text, _ := shapeOf(dec)
	return text
}

func shapeOf(dec *json.Decoder) (text string, null bool) {
	switch scene.Must(dec.Token()) {
	case json.Delim('{'):
		var keys []string
		for dec.More() {
			key := scene.Must(dec.Token()).(string)
			value, null := shapeOf(dec)
			if null {
				value = "=null"
			}
			keys = append(keys, key+value)
		}
		scene.Must(dec.Token())
		return "{" + strings.Join(keys, " ") + "}", false
	case json.Delim('['):
		var first string
		for n := 0; dec.More(); n++ {
			if entry, _ := shapeOf(dec); n == 0 {
				first = entry
				if first == "" {
					first = "…"
				}
			}
		}
		scene.Must(dec.Token())
		return "[" + first + "]", false
	case nil:
		return "", true
	}
	return "", false
}

// The objects of contract 2 and 4.1, keys in the order of its examples.
const (
	linkEntryShape   = "{id link userId programId createdAt updatedAt}"
	contactShape     = "{id firstName lastName email}"
	planShape        = "{id name commissionRate commissionType numberOfPayments numberOfMonths=null paymentTrigger autoApproveRewards rewardType holdDays}"
	tierShape        = "{id tier name emoji=null minReferrals minRevenue conditionType commissionRate=null}"
	summaryShape     = "{id firstName lastName name email status link=null affiliateLinks[" + linkEntryShape + "]}"
	commissionShape  = "{id saleId affiliateId commissionEarned approvalStatus rewardType payoutCreated payoutId=null manuallyPaid holdReason=null bonusReason=null clawback payableAt riskReasons[] createdAt updatedAt}"
	affiliateShape   = "{id firstName lastName name email commissionRate useCommissionPlanCommissionRate exemptFromCommissionTierChanges affiliateLink=null link=null affiliateLinks[" + linkEntryShape + "] status source commissionPlanId commissionTierId affiliateGroupId=null programId payoutEmail=null paymentMethod=null detailsComplete emailVerified=null image=null numberOfReferredUsers numberOfClicks totalRevenue totalCommissionEarned createdAt updatedAt}"
	linkShape        = "{id link affiliate{id name email} program{id name currency} clicks referrals sales totalRevenue fullURLs[{baseUrl fullUrl}] createdAt updatedAt}"
	couponHead       = "{id name couponType percentOff amountOff=null currency=null duration durationInMonths=null maxRedemptions=null timesRedeemed limitToProducts productIds[] collectionIds[] valid redeemBy=null externalId=null integrationType=null couponCategory autoCouponRule=null affiliateProgramId createdAt updatedAt"
	codeHead         = "{id code couponId affiliateId externalId=null active expiresAt=null maxRedemptions=null timesRedeemed firstTimeOrder minimumAmount=null minimumAmountCurrency=null limitToCustomers customerId=null limitToAffiliate isAutoGenerated isAffiliateGenerated createdAt updatedAt"
	couponShape      = couponHead + " promotionalCodes[" + codeHead + " affiliate" + contactShape + "}]}"
	codeShape        = codeHead + " coupon" + couponHead + "} affiliate" + contactShape + "}"
	referralHead     = "{id affiliateId name email referredUserExternalId plan subscriptionStatus status submissionType referralMedium source integrationReferralSource=null totalRevenue totalCommission initialLandingPage notes=null metadata=null affiliateProgramId affiliateLinkId commissionPlanId createdAt updatedAt"
	referralShape    = referralHead + "}"
	saleShape        = "{id affiliateId referralId affiliateProgramId affiliateLinkId promotionalCodeId=null externalId=null externalInvoiceId=null name email totalEarned subtotal=null taxAmount shippingAmount commissionRate commissionEarned productsBought[…] clicks status refundedAmount refundedAt=null paymentTrigger source integrationSalesSource=null metadata=null createdAt updatedAt affiliate" + summaryShape + " referral" + referralShape + " commissions[" + commissionShape + "]}"
	bareSaleShape    = "{id affiliateId referralId=null affiliateProgramId affiliateLinkId=null promotionalCodeId externalId=null externalInvoiceId=null name=null email=null totalEarned subtotal=null taxAmount shippingAmount commissionRate commissionEarned productsBought[] clicks status refundedAmount refundedAt=null paymentTrigger source integrationSalesSource=null metadata=null createdAt updatedAt affiliate" + summaryShape + " referral=null commissions[" + commissionShape + "]}"
	payoutShape      = "{id affiliateId amount currency status paymentMethod=null payeeName payeeEmail=null periodStart periodEnd externalId=null manuallyPaid paidAt=null failedReason=null canceledAt=null returnedAt=null returnedReason=null commissionIds[…] adjustmentIds[] runId=null createdAt updatedAt}"
	adjustmentShape  = "{id affiliateId saleId=null kind amount reason bonusReason externalId=null reversesId=null reversedById=null payoutCreated payoutId=null createdAt}"
	endpointHead     = "{id url events[…] description=null active svixHeaders headerNames[] status disabledReason=null disabledAt=null firstFailureAt=null lastSuccessAt=null pausedUntil=null"
	endpointTail     = " secretHint previousSecretExpiresAt=null createdAt updatedAt}"
	deliveryHead     = "{id webhookId eventId event state attemptCount nextAttemptAt createdAt updatedAt attempts[]"
	affiliateEEShape = "commissionPlan" + planShape + " commissionTier" + tierShape + " promotionalCodes[{id code active expiresAt=null couponId}] questionAnswers[{id questionId answer}]}"
)

// inEvent returns a shape as in events, where link is the slug of the oldest
// link.
func inEvent(shape string) string { return strings.ReplaceAll(shape, " link=null", " link") }

func affiliateBodyShape() string {
	return inEvent(strings.TrimSuffix(affiliateShape, "}")) + " " + affiliateEEShape
}

// Every response object and every event body has exactly the documented keys in
// the documented order, with null and [] where the contract says so.
func TestWireShapes(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t)
	hook := w.Hook(affiliate.EventTypes()...)
	plan := scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Standard", Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), MaxPayments: 12}}))
	tier := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "Green bean", ConditionType: affiliate.ConditionAll}))
	mara := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: "mara@example.org", AffiliateLink: "mara", CommissionPlanID: plan.ID,
		Answers: []affiliate.Answer{{QuestionID: hook.ID, Answer: "news"}},
	}))
	scene.Must(w.SetAffiliateTier(ctx, tier.ID, mara.ID))
	coupon := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Autumn 20", PercentOff: scene.Percent("20")}))
	code := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "MARA20", AffiliateID: mara.ID}))
	scene.Must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: mara.ID}, affiliate.AffiliateUpdate{FirstName: scene.TextOf("M")}))
	click := scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "mara", LandingURL: "https://beans.example/shop?ref=mara"}))
	referral := scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: scene.JSON(click.ID), Name: "Tomas", Email: "tomas@example.net", ReferredUserExternalID: "cust-1"}))
	res := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{Email: referral.Email, TotalEarned: scene.Sum("129.50"), Product: affiliate.Set(affiliate.Product{ProductID: "beans"})}))
	sale, _ := res.Sale.Get()
	bareRes := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA20", TotalEarned: scene.Sum("5")}))
	bare, _ := bareRes.Sale.Get()
	scene.Must(w.UpdateReferral(ctx, referral.Email, affiliate.ReferralUpdate{Name: scene.TextOf("Tom")}))
	scene.Must(w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: scene.TextOf("Winter")}))
	scene.Must(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true), FirstTimeOrder: affiliate.Set(true)}))
	deliveries := scene.Must(w.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{}, affiliate.Page{})).Items
	payload := strings.Replace(shape(scene.Must(json.Marshal(scene.Must(w.Webhooks().Delivery(ctx, deliveries[0].ID))))), deliveryHead+" payload", "", 1)
	if !strings.HasPrefix(payload, "{event eventId occurredAt programId revision body{") {
		t.Errorf("payload of a delivery: %s", payload)
	}
	got := map[string]any{
		"affiliate": scene.Must(w.Affiliate(ctx, "mara")), "link": scene.Must(w.Links(ctx, affiliate.LinkQuery{}, affiliate.Page{})).Items[0],
		"coupon": scene.Must(w.Coupon(ctx, affiliate.CouponRef{ID: coupon.ID})), "code": scene.Must(w.Code(ctx, affiliate.CodeRef{ID: code.ID})),
		"referral": scene.Must(w.Referral(ctx, referral.Email)), "sale": scene.Must(w.Sale(ctx, sale.ID)), "bare sale": bare,
		"evaluation":     scene.Must(w.Evaluate(ctx, affiliate.Order{PromoCode: "MARA20", TotalEarned: scene.Amount("19.99")})),
		"bad evaluation": scene.Must(w.Evaluate(ctx, affiliate.Order{PromoCode: "NOPE"})),
		"plan":           scene.Must(w.Plans(ctx, affiliate.Page{})).Items[0], "tier": scene.Must(w.Tiers(ctx, affiliate.Page{})).Items[0],
		"endpoint": scene.Must(w.Webhooks().Endpoint(ctx, hook.ID)), "issued endpoint": hook, "delivery": deliveries[0],
		"click": click, "refund": scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("1")})),
		"payout":     scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: mara.ID})),
		"case":       scene.Must(w.OpenCase(ctx, affiliate.CaseParams{AffiliateID: mara.ID, Kind: affiliate.PayoutRequest})),
		"adjustment": scene.Must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: mara.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), Reason: "r"})),
	}
	want := map[string]string{
		"affiliate": affiliateShape, "link": linkShape, "coupon": couponShape, "code": codeShape, "referral": referralShape, "sale": saleShape, "bare sale": bareSaleShape,
		"evaluation":     "{valid reasons[] unverified[…] discount total risks[] promotionalCode{id code} coupon" + couponHead + "} affiliate" + contactShape + "}",
		"bad evaluation": "{valid reasons[{reason message}] unverified[] discount=null total=null risks[] promotionalCode=null coupon=null affiliate=null}",
		"plan":           strings.TrimSuffix(planShape, "}") + " createdAt updatedAt}", "tier": strings.TrimSuffix(tierShape, "}") + " createdAt updatedAt}", "payout": payoutShape, "adjustment": adjustmentShape,
		"endpoint": endpointHead + endpointTail, "issued endpoint": endpointHead + strings.TrimSuffix(endpointTail, "}") + " secret}", "delivery": deliveryHead + "}",
		"case":   "{id affiliateId kind saleId=null externalId=null text status answer=null answeredAt=null actor=null createdAt}",
		"click":  "{id affiliateId affiliateLinkId referralId=null deviceId=null uniqueClick fullLandingUrl documentReferrer=null userAgent=null createdAt}",
		"refund": "{success alreadyRefunded reason}",
	}
	for name, v := range got {
		if diff := cmp.Diff(strings.Fields(want[name]), strings.Fields(shape(scene.Must(json.Marshal(v))))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	// Deleted: all five.
	other := scene.Must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "O", LastName: "T", Email: "o@example.com"}))
	kim := scene.Must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: other.ID.String(), Name: "K", Email: "k@example.net", ReferredUserExternalID: "k"}))
	gone := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{Email: kim.Email, TotalEarned: scene.Sum("1")}))
	goneSale, _ := gone.Sale.Get()
	scene.Must(0, w.DeleteSale(ctx, goneSale.ID))
	scene.Must(0, w.Forfeiting().DeleteReferral(ctx, kim.Email))
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: other.ID}))
	scene.Must(w.DeleteCode(ctx, code.ID))
	scene.Must(w.DeleteCoupon(ctx, coupon.ID))

	// The last event of each type of an object that has all fields, and the
	// first event of objects that are created.
	saleBody := inEvent(saleShape)
	paid := strings.Replace(saleBody, "payoutId=null", "payoutId", 1)
	referralBody := inEvent(referralHead + " affiliate" + summaryShape + " commissionPlan" + planShape + "}")
	bodies := map[affiliate.EventType]string{
		affiliate.AffiliateUpdated: affiliateBodyShape(),
		affiliate.AffiliateCreated: strings.NewReplacer(" commissionTierId ", " commissionTierId=null ", "commissionTier"+tierShape, "commissionTier=null", "promotionalCodes[{id code active expiresAt=null couponId}]", "promotionalCodes[]").Replace(affiliateBodyShape()),
		affiliate.ReferralCreated:  referralBody, affiliate.ReferralUpdated: referralBody,
		affiliate.SaleCreated: saleBody, affiliate.SaleUpdated: paid,
		affiliate.CouponCreated: couponHead + " promotionalCodes[]}", affiliate.CouponUpdated: couponShape,
		affiliate.PromocodeCreated: codeShape, affiliate.PromocodeUpdated: codeShape,
	}
	for _, typ := range affiliate.EventTypes() {
		events := scene.Must(w.Events(ctx, affiliate.EventQuery{Type: typ}, affiliate.Page{})).Items
		if len(events) == 0 {
			t.Errorf("no %s", typ)
			continue
		}
		event := events[len(events)-1] // the oldest
		switch typ {
		case affiliate.AffiliateUpdated:
			event = events[0]
		case affiliate.SaleUpdated: // of the sale with a customer, in the payout
			for _, e := range events {
				if e.ObjectID == scene.JSON(sale.ID) {
					event = e
					break
				}
			}
		}
		body, ok := bodies[typ]
		if !ok {
			body = "{id}"
		}
		wantShape := "{event eventId occurredAt programId revision body" + body + "}"
		if diff := cmp.Diff(strings.Fields(wantShape), strings.Fields(shape(event.Payload))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", typ, diff)
		}
		if prefix := `{"event":"` + string(typ) + `","eventId":"` + event.MessageID() + `","occurredAt":"`; !strings.HasPrefix(string(event.Payload), prefix) {
			t.Errorf("%s: %.120s", typ, event.Payload)
		}
		if bytes.Contains(event.Payload, []byte("password")) || bytes.ContainsAny(event.Payload, "\n") {
			t.Errorf("%s: %s", typ, event.Payload)
		}
	}
	w.Verifies()
}

// The bytes of a deleted event, with the clock and ids of the suite.
func TestWireDeletedBytes(t *testing.T) {
	s := scene.NewShop(t)
	sale := s.ToTomas("1")
	scene.Must(0, s.DeleteSale(t.Context(), sale.ID))
	event := scene.Must(s.Events(t.Context(), affiliate.EventQuery{Type: affiliate.SaleDeleted}, affiliate.Page{})).Items[0]
	want := `{"event":"sale.deleted","eventId":"` + event.MessageID() + `","occurredAt":"2026-03-11T09:24:18.442Z",` +
		`"programId":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01","revision":2,"body":{"id":1}}`
	if diff := cmp.Diff(want, string(event.Payload)); diff != "" {
		t.Error(diff)
	}
}
