package client_test

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// plansAndTiers is the part of the story in which the program is administered.
func (s *teller) plansAndTiers(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	told[affiliate.Settings](s, "settings")(c.Settings(x))
	type P = affiliate.Plan
	rate := affiliate.MustPercent
	gold := told[P](s, "plan")(c.CreatePlan(x, affiliate.PlanParams{
		Name: "Gold <&>", Terms: affiliate.Terms{Rate: rate("25"), MaxPayments: 3, HoldDays: 7}, AutoApproveRewards: affiliate.Set(false),
	}))
	flat := told[P](s, "plan that is flat")(c.CreatePlan(x, affiliate.PlanParams{Name: "Flat", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: rate("250"), MaxMonths: 2}, PaymentTrigger: affiliate.TriggerSignup}))
	for _, in := range []affiliate.PlanParams{
		{}, {Name: "p"}, {Name: "p", Terms: affiliate.Terms{Rate: rate("101")}}, {Name: "p", Terms: affiliate.Terms{Type: "flat"}}, {Name: "p", Terms: affiliate.Terms{MaxPayments: -1}},
		{Name: "p", Terms: affiliate.Terms{MaxMonths: 1201}}, {Name: "p", Terms: affiliate.Terms{HoldDays: -1}}, {Name: "p", PaymentTrigger: "x"},
	} {
		told[P](s, "plan")(c.CreatePlan(x, in))
	}
	for _, up := range []affiliate.PlanUpdate{
		{}, {Name: affiliate.Set("Gold")}, {TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("30")), MaxPayments: affiliate.Null[int64](), MaxMonths: affiliate.Set[int64](6)}}, {TermsUpdate: affiliate.TermsUpdate{HoldDays: affiliate.Set[int64](1)}, AutoApproveRewards: affiliate.Set(true)},
		{TermsUpdate: affiliate.Terms{Rate: rate("35"), MaxPayments: 2}.Update()}, {TermsUpdate: affiliate.TermsUpdate{MaxMonths: affiliate.Set[int64](0)}}, {Name: affiliate.Null[string]()}, {TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("101"))}},
		{TermsUpdate: affiliate.TermsUpdate{MaxPayments: affiliate.Set[int64](-1)}}, {TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Set[affiliate.CommissionType]("x")}}, {TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Null[affiliate.CommissionType]()}}, {PaymentTrigger: affiliate.Set(affiliate.TriggerBonus)},
	} {
		told[P](s, "update plan")(c.UpdatePlan(x, gold.ID, up))
	}
	ruled := affiliate.Terms{Rate: rate("10"), MonthsFrom: affiliate.MonthsFromReferral, Rules: []affiliate.Rule{
		{
			Name: "r", Firm: true, Pay: affiliate.RulePay{Type: affiliate.RuleUnit, Rate: rate("0.5")}, When: affiliate.RuleWhen{
				Products: []string{"a"}, Plans: []string{"b"}, Categories: []string{"c"}, NotProducts: []string{"d"}, NotPlans: []string{"e"}, NotCategories: []string{"f"},
				PaymentFrom: 1, PaymentTo: 2, MonthFrom: 1, MonthTo: 3, Customer: affiliate.CustomerReturning, Triggers: []affiliate.PaymentTrigger{affiliate.TriggerPurchase},
			},
		},
		{Name: "s", Pay: affiliate.RulePay{Type: affiliate.RulePercentage}},
	}}
	never := ruled.Clone()
	never.Rules[1].When = affiliate.RuleWhen{Customer: affiliate.CustomerNew, PaymentFrom: 2}
	rules := told[P](s, "plan with rules")(c.CreatePlan(x, affiliate.PlanParams{Name: "Rules", Terms: ruled}))
	told[P](s, "plan with a rule that never holds")(c.CreatePlan(x, affiliate.PlanParams{Name: "Rules", Terms: never}))
	for _, up := range []affiliate.PlanUpdate{
		{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(ruled.Rules[:1])}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(never.Rules)}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Null[[]affiliate.Rule]()}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(ruled.Rules)}}, {TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{})}},
		{TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Set(affiliate.MonthsFromPayment)}}, {TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Null[affiliate.MonthsFrom]()}}, {TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Set(affiliate.MonthsFrom("x"))}},
		{TermsUpdate: ruled.Update()}, {TermsUpdate: affiliate.Terms{Rate: rate("11")}.Update()},
		{TermsUpdate: affiliate.TermsUpdate{MaxPerSale: affiliate.Set(affiliate.MustAmount("30")), MaxPerCustomer: affiliate.Set(affiliate.MustAmount("50"))}}, {TermsUpdate: affiliate.TermsUpdate{MaxPerSale: affiliate.Null[affiliate.Amount]()}},
		{TermsUpdate: affiliate.Terms{Rate: rate("11"), MaxPerSale: affiliate.MustAmount("3")}.Update()}, {TermsUpdate: affiliate.TermsUpdate{MaxPerCustomer: affiliate.Set(affiliate.MustAmount("-1"))}},
	} {
		told[P](s, "update rules")(c.UpdatePlan(x, rules.ID, up))
	}
	later := affiliate.Set(affiliate.Day(2099, 1, 1))
	for _, up := range []affiliate.PlanUpdate{
		{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("15")), From: later}}, {TermsUpdate: affiliate.TermsUpdate{HoldDays: affiliate.Set[int64](9), From: later}}, {TermsUpdate: affiliate.TermsUpdate{From: later}}, {TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(rate("15")), From: affiliate.Set(affiliate.Day(2001, 1, 1))}},
		{TermsUpdate: affiliate.TermsUpdate{Withdraw: affiliate.Set(affiliate.Day(2098, 1, 1))}}, {TermsUpdate: affiliate.TermsUpdate{From: affiliate.Null[affiliate.Date]()}}, {TermsUpdate: affiliate.TermsUpdate{Withdraw: affiliate.Null[affiliate.Date]()}},
	} {
		told[P](s, "update dates")(c.UpdatePlan(x, rules.ID, up))
	}
	told[P](s, "a plan with dates")(c.Plan(x, rules.ID))
	told[P](s, "without dates")(c.UpdatePlan(x, rules.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Withdraw: later}}))
	type T = []affiliate.DatedTerms
	told[T](s, "terms")(c.Terms(x))
	ruledLater := ruled.Update()
	ruledLater.From = later
	for _, up := range []affiliate.TermsUpdate{
		{}, ruledLater, {Rate: affiliate.Set(rate("15")), MaxPerSale: affiliate.Set(affiliate.MustAmount("9")), From: later}, {Rate: affiliate.Set(rate("101"))},
		{Rules: affiliate.Set(never.Rules), From: later}, {Withdraw: later}, {Withdraw: later},
	} {
		told[T](s, "set terms")(c.SetTerms(x, up))
	}
	told[any](s, "delete plan with rules")(nil, c.DeletePlan(x, rules.ID))
	told[P](s, "update no plan")(c.UpdatePlan(x, anID, affiliate.PlanUpdate{}))
	told[P](s, "update which plan?")(c.UpdatePlan(x, uuid.Nil, affiliate.PlanUpdate{}))
	for _, id := range []uuid.UUID{gold.ID, anID, uuid.Nil} {
		told[P](s, "get plan")(c.Plan(x, id))
	}
	told[affiliate.List[P]](s, "plans")(c.Plans(x, affiliate.Page{}))
	told[int](s, "plans in pages")(pages(func(pg affiliate.Page) (affiliate.List[P], error) { return c.Plans(x, pg) }))
	silver := s.tiers()
	s.bulk(ada, gold, silver)
	told[P](s, "type of a plan in use")(c.UpdatePlan(x, gold.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Set(affiliate.CommissionFlat)}}))
	for _, id := range []uuid.UUID{gold.ID, flat.ID, flat.ID, uuid.Nil} {
		told[any](s, "delete plan")(nil, c.DeletePlan(x, id))
	}
	for _, id := range []uuid.UUID{silver.ID, anID, uuid.Nil} {
		told[any](s, "delete tier")(nil, c.DeleteTier(x, id))
	}
	s.invitations()
}

// tiers makes tiers and returns one.
func (s *teller) tiers() affiliate.Tier {
	c, x := s.Operations, s.ctx
	type T = affiliate.Tier
	silver := told[T](s, "tier")(c.CreateTier(x, affiliate.TierParams{Tier: 1, Name: "Silver", Emoji: "s", MinReferrals: 3, MinRevenue: affiliate.MustAmount("0.5"), Rate: affiliate.Set(affiliate.MustPercent("22"))}))
	for _, in := range []affiliate.TierParams{
		{}, {Tier: 1}, {Tier: -1, Name: "t"}, {Tier: 2, Name: "t", MinReferrals: -1}, {Tier: 2, Name: "t", MinRevenue: affiliate.MustAmount("-1")}, {Tier: 2, Name: "t", ConditionType: "x"},
		{Tier: 2, Name: "t", Rate: affiliate.Set(affiliate.MustPercent("101"))},
	} {
		told[T](s, "tier")(c.CreateTier(x, in))
	}
	for _, up := range []affiliate.TierUpdate{
		{}, {Name: affiliate.Set("Steel"), Emoji: affiliate.Null[string]()}, {Tier: affiliate.Set[int64](2), Rate: affiliate.Null[affiliate.Percent]()}, {MinRevenue: affiliate.Null[affiliate.Amount]()},
		{ConditionType: affiliate.Set(affiliate.ConditionSome), MinReferrals: affiliate.Set[int64](9)}, {Tier: affiliate.Set[int64](0)},
	} {
		told[T](s, "update tier")(c.UpdateTier(x, silver.ID, up))
	}
	told[T](s, "update which tier?")(c.UpdateTier(x, uuid.Nil, affiliate.TierUpdate{}))
	told[T](s, "get tier")(c.Tier(x, silver.ID))
	told[T](s, "get no tier")(c.Tier(x, anID))
	told[affiliate.List[T]](s, "tiers")(c.Tiers(x, affiliate.Page{}))
	return silver
}

// bulk changes affiliates, most of them several at once.
func (s *teller) bulk(ada affiliate.Affiliate, plan affiliate.Plan, tier affiliate.Tier) {
	c, x := s.Operations, s.ctx
	type A = []affiliate.Affiliate
	join := func(email, status string) uuid.UUID {
		return told[affiliate.Affiliate](s, "join")(c.CreateAffiliate(x, affiliate.AffiliateParams{FirstName: "P", LastName: "Q", Email: email, AffiliateStatus: status})).ID
	}
	first, second := join("pending1@example.com", "inactive"), join("pending2@example.com", "inactive")
	told[A](s, "approve none of two")(c.SetAffiliateStatus(x, affiliate.AffiliateActive, first, anID))
	told[A](s, "approve")(c.SetAffiliateStatus(x, affiliate.AffiliateActive, second, first))
	told[A](s, "approve again")(c.SetAffiliateStatus(x, affiliate.AffiliateActive, second, first))
	told[A](s, "decline")(c.SetAffiliateStatus(x, affiliate.AffiliateDeclined, first))
	told[A](s, "deactivate")(c.SetAffiliateStatus(x, affiliate.AffiliateDeactivated, first))
	told[A](s, "ban")(c.SetAffiliateStatus(x, affiliate.AffiliateBanned, second))
	told[A](s, "ban the deactivated")(c.SetAffiliateStatus(x, affiliate.AffiliateBanned, first))
	told[A](s, "plan")(c.SetAffiliatePlan(x, plan.ID, ada.ID, first))
	told[A](s, "no such plan")(c.SetAffiliatePlan(x, anID, ada.ID))
	told[A](s, "no plan")(c.SetAffiliatePlan(x, uuid.Nil, first))
	told[A](s, "plan of nobody")(c.SetAffiliatePlan(x, plan.ID, anID))
	told[A](s, "tier")(c.SetAffiliateTier(x, tier.ID, ada.ID))
	told[A](s, "no such tier")(c.SetAffiliateTier(x, anID, ada.ID))
	told[A](s, "no tier")(c.SetAffiliateTier(x, uuid.Nil, ada.ID))
	told[A](s, "exempt")(c.SetTierExempt(x, true, ada.ID, first))
	told[A](s, "not exempt")(c.SetTierExempt(x, false, ada.ID, first))
	for _, d := range []affiliate.PayoutDetails{{Email: "Pay@example.com", Method: "PAYPAL"}, {Email: "x"}, {Method: "CASH"}, {}} {
		told[affiliate.Affiliate](s, "payout details")(c.SetPayoutDetails(x, first, d))
	}
	told[affiliate.Affiliate](s, "payout details of nobody")(c.SetPayoutDetails(x, anID, affiliate.PayoutDetails{}))
	told[affiliate.Affiliate](s, "whose payout details?")(c.SetPayoutDetails(x, uuid.Nil, affiliate.PayoutDetails{}))
}

func (s *teller) invitations() {
	c, x := s.Operations, s.ctx
	type A = affiliate.Affiliate
	in := affiliate.AffiliateParams{
		FirstName: "In", LastName: "V", Email: "invited@example.com", AffiliateStatus: "active",
		Answers: []affiliate.Answer{{QuestionID: anID, Answer: "a\nb"}},
	}
	guest := told[A](s, "invite")(c.InviteAffiliate(x, in))
	told[A](s, "invite again")(c.InviteAffiliate(x, in))
	in.Email, in.Answers[0].Answer = "other@example.com", ""
	told[A](s, "invite without an answer")(c.InviteAffiliate(x, in))
	told[A](s, "invite nobody")(c.InviteAffiliate(x, affiliate.AffiliateParams{}))
	told[A](s, "accept badly")(c.AcceptInvite(x, guest.ID, affiliate.AffiliateUpdate{Email: affiliate.Set("x")}))
	told[A](s, "accept")(c.AcceptInvite(x, guest.ID, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Ina"), AffiliateLink: affiliate.Set("ina"), CommissionRate: affiliate.Set(affiliate.MustPercent("12"))}))
	told[A](s, "accept again")(c.AcceptInvite(x, guest.ID, affiliate.AffiliateUpdate{}))
	told[A](s, "accept for nobody")(c.AcceptInvite(x, anID, affiliate.AffiliateUpdate{}))
	told[A](s, "accept for whom?")(c.AcceptInvite(x, uuid.Nil, affiliate.AffiliateUpdate{}))
}

// codesAndClicks is the part of the story about many codes, clicks, and what
// payment providers report.
func (s *teller) codesAndClicks(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	coupon := told[affiliate.Coupon](s, "coupon for many")(c.CreateCoupon(x, affiliate.CouponParams{Name: "Many", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	told[affiliate.List[affiliate.Coupon]](s, "one summary")(c.Coupons(x, affiliate.CouponQuery{ID: affiliate.Set(coupon.ID)}, affiliate.Page{}))
	batch := func(count int, length int64) affiliate.CodesParams {
		return affiliate.CodesParams{Count: count, CodeParams: affiliate.CodeParams{
			CouponID: coupon.ID, AffiliateID: ada.ID, Prefix: "many", CodeStructure: affiliate.Set(affiliate.CodeStructure{FirstName: true, RandomChars: length > 0}), RandomCharsLength: affiliate.Set(max(length, 1)),
		}}
	}
	var made []affiliate.Code
	for _, in := range []affiliate.CodesParams{batch(3, 8), batch(1, 0), batch(2, 0), batch(20, 1), {Count: 1}, {Count: 1, AffiliateIDs: []uuid.UUID{anID}, CodeParams: batch(1, 8).CodeParams}} {
		told[affiliate.KeySpace](s, "check codes")(c.CheckCodes(x, in))
		codes, err := c.GenerateCodes(x, in)
		for _, k := range codes {
			told[[]any](s, "code")([]any{k.ID, len(k.Code), k.CouponID, k.AffiliateID}, nil)
		}
		told[int](s, "codes")(len(codes), err)
		made = append(made, codes...)
	}
	for _, in := range []affiliate.ClickParams{
		{Slug: "ADA", LandingURL: "https://beans.example/shop?ref=ada&token=x", Referrer: "https://blog.example/a?b", UserAgent: "curl", DeviceID: "d", Repeat: true}, {Slug: "ada"},
		{Slug: "nobody"}, {}, {Slug: "ada", DeviceID: "a\x00"},
	} {
		told[affiliate.Click](s, "click")(c.TrackClick(x, in))
	}
	sale := told[affiliate.SaleResult](s, "by a generated code")(c.RecordSale(x, affiliate.SaleParams{PromoCode: made[0].Code, Email: "gen@example.com", Name: "G", TotalEarned: affiliate.MustAmount("50"), ExternalID: "gen-1", ExternalInvoiceID: "gen-i"})).Sale.Or(affiliate.Sale{})
	customer := sale.Referral.Or(affiliate.Referral{})
	type R = affiliate.Referral
	for _, status := range []affiliate.SubscriptionStatus{"ACTIVE", "SUBMITTED", "DECLINED", "PAST_DUE", "CANCELLED", "", "x"} {
		told[R](s, "push "+string(status))(c.PushReferralStatus(x, "gen@example.com", status))
	}
	told[R](s, "push for nobody")(c.PushReferralStatus(x, "nobody@example.com", "ACTIVE"))
	told[R](s, "push for whom?")(c.PushReferralStatus(x, "", "ACTIVE"))
	plan := told[affiliate.Plan](s, "plan of a referral")(c.CreatePlan(x, affiliate.PlanParams{Name: "VIP", Terms: affiliate.Terms{Rate: affiliate.MustPercent("40")}}))
	told[[]R](s, "set plan")(c.SetReferralPlan(x, plan.ID, customer.ID))
	told[[]R](s, "no such plan")(c.SetReferralPlan(x, anID, customer.ID))
	told[[]R](s, "plan of no referral")(c.SetReferralPlan(x, plan.ID, anID))
	told[[]R](s, "no plan")(c.SetReferralPlan(x, uuid.Nil, customer.ID))
	type V = affiliate.ReversedSale
	for _, ref := range []affiliate.SaleRef{{}, {ID: 999}, {ExternalID: "none"}, {InvoiceID: "gen-i"}, {ExternalID: "gen-1"}} {
		told[V](s, "reverse")(c.ReverseSale(x, ref, affiliate.Reversal{}))
	}
	told[V](s, "reverse how?")(c.ReverseSale(x, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{ClawBack: true, RefundID: " "}))
	for _, id := range []affiliate.SaleID{sale.ID, sale.ID, 999, 0} {
		told[any](s, "restore")(nil, c.RestoreRedemption(x, affiliate.SaleRef{ID: id}))
	}
}
