package proofs_test

import (
	"encoding/json"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A fullWorld is a shop in which every list of a record has an entry.
type fullWorld struct {
	scene.Shop
	coupon, code, plan, hook, waits, invited uuid.UUID
	sale, held                               affiliate.Sale
	ids                                      []any // of the records
}

var (
	ampleBudgets = func() []affiliate.Budget {
		return []affiliate.Budget{{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalYear, MaxRewards: 1000}}
	}
	ampleBonuses = func() []affiliate.Bonus {
		return []affiliate.Bonus{{Name: "each sign-up", From: affiliate.Day(2026, 1, 1), SignUps: 1, Times: 1000, Amount: scene.Sum("1")}}
	}
	giftRules = func() []affiliate.Rule {
		return []affiliate.Rule{
			{Name: "gifts", When: affiliate.RuleWhen{
				Products: []string{"MILL"}, Plans: []string{"yearly"}, Categories: []string{"gift"}, NotProducts: []string{"p"}, NotPlans: []string{"q"},
				NotCategories: []string{"c"}, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerPurchase},
			}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("5")}},
			{Name: "leads", When: affiliate.RuleWhen{Conversions: []string{"lead"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("3")}},
		}
	}
	giftLines = func() []affiliate.Line {
		return []affiliate.Line{{ID: "l1", ProductID: "MILL", PlanID: "yearly", Categories: []string{"gift"}, Amount: scene.Sum("100")}}
	}
)

func newFullWorld(t *testing.T) *fullWorld {
	w := &fullWorld{Shop: scene.NewShop(t, func(c *tributary.Config) {
		c.StoredSettings, c.ErasureKey = true, make([]byte, 16)
		c.Destinations = []affiliate.Destination{{URL: "https://beans.example/shop", Params: url.Values{"utm_source": {"partner"}}}}
		c.Terms.Rules, c.Terms.Budgets, c.Terms.Bonuses, c.Review = giftRules(), ampleBudgets(), ampleBonuses(), []affiliate.ReviewRule{affiliate.SelfReferral()}
		c.RequireCustomer, c.CascadeEvents = false, true
	})}
	ctx, must := t.Context(), scene.Must[affiliate.Affiliate]
	w.hook = scene.Must(w.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{
		URL: "https://hooks.example/a", Events: []affiliate.EventType{"*"}, Headers: affiliate.EndpointHeaders{"x-team": "beans"},
	})).ID
	must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Cleo", LastName: "C", Email: "cleo@example.com", AffiliateStatus: "inactive", Answers: []affiliate.Answer{{QuestionID: uuid.UUID{7}, Answer: "a blog"}},
	}))
	w.invited = must(w.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ivy", LastName: "I", Email: "ivy@example.com"})).ID
	for _, id := range []uuid.UUID{w.Ada.Person.ID, w.Bob.ID} {
		must(w.SetPayoutDetails(ctx, id, affiliate.PayoutDetails{Email: "pay@example.com", Method: affiliate.MethodPayPal}))
	}
	w.coupon = scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Mills", PercentOff: scene.Percent("10"), LimitToProducts: true, ProductIDs: []string{"MILL", "SEAT"}})).ID
	w.code = scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: w.coupon, Code: "MILLS", AffiliateID: w.Ada.Person.ID})).ID
	scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: w.coupon, Code: "OVER", AffiliateID: w.Ada.Person.ID, MaxRedemptions: affiliate.Set(int64(1)), ExpiresAt: affiliate.Set(affiliate.Day(2020, 1, 1))}))
	w.plan = scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Gold", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), HoldDays: 3, Rules: giftRules(), Budgets: ampleBudgets(), Bonuses: ampleBonuses(), OfferCouponID: w.coupon}})).ID
	scene.Must(w.UpdatePlan(ctx, w.plan, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{HoldDays: affiliate.Set(int64(5)), From: affiliate.Set(affiliate.Day(2027, 1, 1))}}))
	scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "Silver"}))
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "ada"}, "ada-new"))
	w.trades()
	w.Raw(func(tx *record.Tx) error { // a breach for Verify
		return scene.Edit(tx.Tiers, nil, func(r *record.Tier) { r.Name = "" })
	})
	for _, table := range record.Schema() {
		w.Raw(func(tx *record.Tx) error {
			for rec := range scene.OnlyValues(table.In(tx).List(record.Query{Limit: 3})) {
				w.ids = append(w.ids, rec.RecordID())
			}
			return nil
		})
	}
	return w
}

// trades records what happens in a shop.
func (w *fullWorld) trades() {
	ctx := w.T.Context()
	paid := w.Sell(affiliate.SaleParams{ReferralID: w.Tomas.ID.String(), ExternalID: "order-0"})
	bonus := affiliate.AdjustmentParams{AffiliateID: w.Ada.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("5")}
	w.Adjust(bonus)
	scene.Must(w.OpenCase(ctx, affiliate.CaseParams{AffiliateID: w.Bob.ID, Kind: affiliate.PayoutRequest}))
	w.Pass(time.Hour)
	scene.Must(w.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run-1"}))
	scene.Must(w.SetAffiliatePlan(ctx, w.plan, w.Ada.Person.ID, w.Bob.ID))
	payout := scene.Must(w.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items[0]
	w.Moves(payout, affiliate.PayoutPaid)
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: paid.ID, Amount: scene.Amount("10"), ClawBack: true, RefundID: "r1"}))
	w.Adjust(bonus)
	bonus.AffiliateID = w.Bob.ID
	w.Adjust(bonus)
	scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: w.Bob.ID}))
	w.sale = w.Sell(affiliate.SaleParams{PromoCode: "MILLS", ReferralID: w.Bob.ID.String(), Email: "tomas@example.net", Lines: giftLines(), ExternalID: "order-1"})
	w.held = w.Sell(affiliate.SaleParams{PromoCode: "MILLS", Email: "ada@example.com", Name: "A", Product: affiliate.Set(affiliate.Product{ProductID: "MILL", Name: "Mill"}), ExternalID: "order-2"})
	scene.Must(w.UpdateReferral(ctx, w.Tomas.Email, affiliate.ReferralUpdate{Metadata: affiliate.Set(json.RawMessage(`{"a":1}`))}))
	scene.Must(w.UpdateSale(ctx, w.held.ID, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"a":1}`))}))
	scene.Must(w.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "lead", ReferralID: w.Tomas.ID.String()}))
	scene.Must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: "h1", Until: w.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "MILLS", Lines: giftLines()}}))
	for _, f := range []affiliate.PaymentFact{paymentFact(w, "pi_1", "MILLS"), paymentFact(w, "pi_2", "OVER")} {
		scene.Must(w.Payments().ReportPayment(ctx, f))
	}
	waiting := scene.Must(w.Attention(ctx, 10)).PaymentConflicts.Items
	w.waits = waiting[0].ID
	scene.Must(w.Imports().Affiliates(ctx, importedRows("mara")))
	scene.Must(w.Imports().Sales(ctx, []imported.Sale{{Ref: "old:s", CreatedAt: scene.Start, Via: []string{"mara"}, TotalEarned: scene.Sum("9"), CommissionEarned: scene.Sum("1")}}))
	claims := scene.Must(w.Webhooks().ClaimDeliveries(ctx, 2, time.Minute))
	if err := w.Webhooks().SettleDeliveries(ctx, attempts(w, claims)); err != nil {
		w.T.Fatal(err)
	}
}

func attempts(w *fullWorld, claims []affiliate.Claim) (all []affiliate.Attempt) {
	for _, c := range claims {
		all = append(all, affiliate.Attempt{Delivery: c.Delivery, Token: c.Token, At: w.Now, URL: c.URL, Status: 500, Response: "no"})
	}
	return all
}

func paymentFact(w *fullWorld, key, code string) affiliate.PaymentFact {
	return affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{key, "in_" + key}, Payer: affiliate.PayerFact{ID: "cus_" + key, Email: key + "@example.net", Name: "P"}, At: w.Now, Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{
			SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("90"), Lines: giftLines(), ExternalID: "order-" + key}, Gross: scene.Sum("90"),
			Tries: []affiliate.Credit{{PromoCode: code}},
		}),
		Refunds:  []affiliate.RefundFact{{ID: "re_" + key, Amount: scene.Sum("10"), State: affiliate.RefundSucceeded}},
		Disputes: []affiliate.DisputeFact{{ID: "dp_" + key, Amount: scene.Sum("10"), State: affiliate.DisputeInquiry}},
	}
}

func importedRows(ref string) []imported.Affiliate {
	return []imported.Affiliate{
		{Ref: ref, FirstName: "Mara", LastName: "H", Email: ref + "@example.com", Links: []imported.Link{{Ref: ref + "l1", Slug: ref}, {Ref: ref + "l2", Slug: "bob"}}},
		{Ref: ref + "no", Email: "no"},
	}
}

// knownArguments are the values of each type that operations are called with. A type without
// any has its zero value.
func knownArguments(w *fullWorld) map[reflect.Type][]any {
	ada, coupon := w.Ada.Person, affiliate.Set(w.coupon)
	order := affiliate.Order{PromoCode: "MILLS", Lines: giftLines(), Commission: true}
	until := w.Now.Add(30 * time.Minute)
	lists := func(ids ...uuid.UUID) []any {
		all := make([]any, len(ids))
		for i, id := range ids {
			all[i] = []uuid.UUID{id}
		}
		return all
	}
	code := affiliate.CodeParams{
		CouponID: w.coupon, AffiliateID: ada.ID, IsAutoGenerated: true, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set(int64(12)),
	}
	many := affiliate.CodesParams{CodeParams: code, Count: 2, AffiliateIDs: []uuid.UUID{ada.ID, w.Bob.ID}}
	many.AffiliateID = uuid.Nil
	again := paymentFact(w, "pi_1", "MILLS")
	again.Payer.Email = "no email"
	if paid, ok := again.Sale.Get(); ok {
		paid.Gross = scene.Sum("95")
		again.Sale = affiliate.Set(paid)
	}
	settings := affiliate.SettingsUpdate{OldURLModifiers: affiliate.Set([]string{"r"}), KeptParameters: affiliate.Set([]string{"lang"})}
	terms := affiliate.TermsUpdate{Rules: affiliate.Set(giftRules()), Budgets: affiliate.Set(ampleBudgets()), Bonuses: affiliate.Set(ampleBonuses()), OfferCouponID: coupon, From: affiliate.Set(affiliate.Day(2027, 5, 1))}
	known := map[reflect.Type][]any{}
	for _, v := range []any{
		affiliate.ProviderPaymentQuery{Provider: "stripe"},
		settings, affiliate.AffiliateParams{FirstName: "N", LastName: "N", Email: "new@example.com", ExternalID: "user-1", Answers: []affiliate.Answer{{QuestionID: uuid.UUID{8}, Answer: "x"}}},
		affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("ada-more")}, affiliate.AffiliateActive, affiliate.AffiliateDeactivated,
		affiliate.Merge{From: "cleo@example.com", Into: ada.Email}, affiliate.Merge{From: w.Bea.Email, Into: w.Tomas.Email},
		affiliate.AdjustmentParams{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), Reason: "r"},
		affiliate.CaseParams{AffiliateID: ada.ID, Kind: affiliate.PayoutRequest}, affiliate.CaseAnswer{Answer: "a"},
		affiliate.LinkParams{AffiliateID: ada.ID, Link: "more"}, affiliate.LinkRef{Slug: "ada"}, affiliate.LinkRef{Slug: "ada-new"}, affiliate.ClickParams{Slug: "ada", Offer: true},
		affiliate.CouponParams{Name: "New", PercentOff: scene.Percent("5"), ProductIDs: []string{"A", "B"}, LimitToProducts: true},
		affiliate.CouponRef{ID: w.coupon}, affiliate.CouponUpdate{ProductIDs: affiliate.Set([]string{"C", "D"})},
		code, affiliate.CodeRef{Code: "MILLS"}, affiliate.CodeUpdate{Active: affiliate.Set(false)},
		many,
		order, affiliate.Order{PromoCode: "OVER", Email: ada.Email}, affiliate.Order{PromoCode: "MILLS", Email: ada.Email, TotalEarned: scene.Amount("10")},
		affiliate.CodesOrder{PromoCodes: []string{"MILLS", "OVER"}, Order: affiliate.Order{Lines: giftLines()}},
		affiliate.HoldParams{ID: "h2", Until: until, Order: order}, affiliate.HoldParams{ID: "h3", Until: until, Order: affiliate.Order{PromoCode: "MILLS", Subtotal: scene.Amount("10")}},
		affiliate.AffiliateQuery{}, affiliate.AffiliateQuery{OldestFirst: true}, affiliate.ReferralQuery{}, affiliate.ReferralQuery{OldestFirst: true},
		affiliate.CodeQuery{}, affiliate.CodeQuery{Usability: true}, affiliate.CouponQuery{}, affiliate.CouponQuery{WithCodes: true},
		affiliate.SaleQuery{}, affiliate.SaleQuery{OldestFirst: true},
		affiliate.HoldQuery{CodeID: affiliate.Set(w.code)}, affiliate.ReplayRange{WebhookID: w.hook, Since: affiliate.Set(affiliate.At(scene.Start))},
		affiliate.ReferralParams{AffiliateID: "bob", Name: "New", Email: "ref@example.net", ReferredUserExternalID: "u"}, affiliate.ReferralUpdate{Metadata: affiliate.Set(json.RawMessage(`{"c":3}`))}, affiliate.SubscriptionCancelled,
		affiliate.SaleParams{ReferralID: w.Tomas.ID.String(), TotalEarned: scene.Sum("80"), Lines: giftLines(), Email: "no email"},
		affiliate.SaleParams{ReferralID: w.Tomas.ID.String(), TotalEarned: scene.Sum("80"), ExternalID: "order-1"},
		affiliate.ConversionParams{Conversion: "lead", ReferralID: w.Bea.ID.String()}, w.sale.ID, w.held.ID, affiliate.SaleRef{ExternalID: "order-2"}, affiliate.Reversal{ClawBack: true},
		affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"b":2}`))}, affiliate.ApprovalAccepted,
		affiliate.Refund{SaleID: w.sale.ID, Lines: []affiliate.RefundLine{{ID: "l1", Amount: scene.Sum("5")}}, Amount: scene.Amount("5")},
		affiliate.PlanParams{Name: "New", Terms: affiliate.Terms{Rules: giftRules(), Budgets: ampleBudgets(), Bonuses: ampleBonuses()}}, affiliate.PlanUpdate{TermsUpdate: terms}, terms,
		affiliate.TierParams{Tier: 2, Name: "New"}, affiliate.SimulateQuery{Terms: affiliate.Terms{Rules: giftRules()}, PlanID: w.plan},
		affiliate.EndpointParams{URL: "https://hooks.example/c", Events: []affiliate.EventType{affiliate.SaleCreated}, Headers: affiliate.EndpointHeaders{"x-a": "1"}},
		affiliate.EndpointUpdate{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleCreated}), Headers: affiliate.Set(affiliate.EndpointHeaders{"x-b": "2"})},
		affiliate.Rotation{WebhookID: w.hook}, affiliate.EndpointTest{WebhookID: w.hook, Event: affiliate.SaleCreated},
		affiliate.PayoutParams{AffiliateID: ada.ID}, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutDetails{Email: "p@example.com", Method: affiliate.MethodPayPal},
		affiliate.PayoutRun{ExternalID: "run-2", Methods: []affiliate.PaymentMethod{affiliate.MethodPayPal}, AffiliateIDs: []uuid.UUID{ada.ID}, ExceptIDs: []uuid.UUID{w.Bob.ID}},
		affiliate.ReportQuery{From: scene.Start.Add(-time.Hour), To: until, By: affiliate.IntervalDay}, affiliate.BreakdownQuery{From: scene.Start.Add(-time.Hour), To: until, By: affiliate.DimensionProduct},
		affiliate.DimensionLink, affiliate.IntervalDay, affiliate.PaymentDecisionParams{Decision: affiliate.PaymentIsOwnSale}, paymentFact(w, "pi_3", "MILLS"), again, affiliate.PayerFact{ID: "cus_pi_1"},
		affiliate.SubscriptionFact{Provider: "stripe", Payer: affiliate.PayerFact{ID: "cus_pi_1"}, Subscription: "sub_1", Status: affiliate.SubscriptionPastDue, At: w.Now},
		importedRows("nora"), []imported.Coupon{{CouponParams: affiliate.CouponParams{Name: "Old", PercentOff: scene.Percent("5"), ProductIDs: []string{"A"}}, Ref: "old:c", Codes: []imported.Code{{
			CodeParams: affiliate.CodeParams{Code: "OLD5"}, Ref: "old:k", Via: []string{"mara"},
		}}}},
		[]imported.Referral{{ReferralParams: affiliate.ReferralParams{Name: "O", Email: "o@example.net"}, Ref: "old:r", Via: []string{"mara"}, Payers: []affiliate.ProviderID{{Provider: "stripe", ID: "cus_o"}}}},
		[]imported.Sale{{Ref: "old:s2", Via: []string{"mara"}, TotalEarned: scene.Sum("9"), CommissionEarned: scene.Sum("1"), Keys: []affiliate.ProviderID{{Provider: "stripe", ID: "ch_o"}}}},
		[]imported.Payout{{Ref: "old:p", PaidAt: w.Now, Sales: []string{"old:s"}, Amount: scene.Sum("1")}}, scene.Start.Add(-time.Hour), w.Now,
		2, time.Minute, uuid.Nil, []affiliate.SaleID{w.held.ID},
		"ada", "ada-new", "h1", "run-1", "stripe", "pi_1", ada.Email, ada.ID.String(), w.Tomas.ID.String(), "new-slug",
	} {
		known[reflect.TypeOf(v)] = append(known[reflect.TypeOf(v)], v)
	}
	known[reflect.TypeFor[uuid.UUID]()] = append(append(known[reflect.TypeFor[uuid.UUID]()], w.invited), w.ids...)
	known[reflect.TypeFor[[]uuid.UUID]()] = lists(ada.ID, w.Tomas.ID, w.code)
	known[reflect.TypeFor[affiliate.Job]()] = []any{affiliate.VerifyJob{}, affiliate.PruneJob{Before: w.Now}, affiliate.EraseReferralJob{Ref: w.Bea.Email}}
	return known
}
