package console_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

// done is the status of the answer when a deed is done.
func (d deed) done() int {
	if d.shown != "" {
		return http.StatusOK
	}
	return http.StatusSeeOther
}

// A stock is what the program has, to do something to.
type stock struct {
	link, spare   affiliate.Link
	coupon, empty affiliate.Coupon
	code          affiliate.Code
	plan          affiliate.Plan
	tier          affiliate.Tier
	hook          affiliate.Endpoint
	extra         affiliate.Affiliate // has nothing
	extraCustomer affiliate.Referral
	twice         affiliate.Affiliate // is ada, too
	twiceCustomer affiliate.Referral  // is kim, too
	byCode        affiliate.Sale
	movable       affiliate.Sale // in no payout
	comes         string         // names the terms to come of the plan and of the program, in a query
	failed        affiliate.Payout
	paid          affiliate.Payout
	due           affiliate.Payout // pending, of the run "stock"
	hold          string           // open
	late          affiliate.Sale   // over a limit
	applies       affiliate.Affiliate
	asked         affiliate.Case // about the movable sale, which somebody else has
}

// stock is the same for every caller.
func (w *world) stock() stock {
	if w.kept == nil {
		made := w.newStock()
		w.kept = &made
	}
	return *w.kept
}

func (w *world) newStock() (s stock) {
	ctx := w.t.Context()
	one := affiliate.Page{Limit: 1}
	links := must(w.Links(ctx, affiliate.LinkQuery{AffiliateID: affiliate.Set(w.ada.ID)}, affiliate.Page{Limit: 50})).Items
	s.link, s.spare = links[0], links[1]
	s.coupon = must(w.Coupons(ctx, affiliate.CouponQuery{}, one)).Items[0]
	s.empty = must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Empty", CouponType: "FLAT", AmountOff: affiliate.Set(affiliate.MustAmount("5")), Currency: affiliate.Set(affiliate.Currency("USD"))}))
	s.code = must(w.Code(ctx, affiliate.CodeRef{Code: "ADA7"}))
	s.plan = must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "Spare"}))
	day := affiliate.Set(affiliate.Day(2030, 1, 1))
	must(w.UpdatePlan(ctx, s.plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("5")), From: day}}))
	must(w.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("21")), From: day}))
	s.comes = "?from=2030-01-01T00%3A00%3A00.000Z"
	s.tier = must(w.CreateTier(ctx, affiliate.TierParams{Tier: 9, Name: "Spare", MinReferrals: 1 << 20}))
	s.hook = must(w.Webhooks().Endpoints(ctx, one)).Items[0]
	s.extra = must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ex", LastName: "Tra", Email: uuid.NewString() + "@example.org"}))
	s.movable, _ = must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: must(w.Affiliate(ctx, "banned@example.org")).ID.String(), Email: uuid.NewString() + "@m.example", Name: "M", TotalEarned: affiliate.MustAmount("30")})).Sale.Get()
	s.extraCustomer = must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: s.extra.ID.String(), Name: "Ex", Email: uuid.NewString() + "@x.example", ReferredUserExternalID: uuid.NewString(), Plan: "p"}))
	s.applies = must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "App", LastName: "Lies", Email: uuid.NewString() + "@example.org", AffiliateStatus: "inactive"}))
	must(w.UpdateSale(ctx, s.movable.ID, affiliate.SaleUpdate{ExternalID: affiliate.Set("order-77")}))
	s.asked = must(w.OpenCase(ctx, affiliate.CaseParams{AffiliateID: w.ada.ID, Kind: affiliate.SaleClaim, ExternalID: "order-77", Text: "My reader bought it"}))
	s.twice = must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Twi", LastName: "Ce", Email: uuid.NewString() + "@example.org"}))
	s.twiceCustomer = must(w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: s.twice.ID.String(), Name: "Twi", Email: uuid.NewString() + "@x.example", ReferredUserExternalID: uuid.NewString(), Plan: "p"}))
	for _, sale := range must(w.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{Limit: 100})).Items {
		if _, ok := sale.PromotionalCodeID.Get(); ok {
			s.byCode = sale
		}
	}
	s.due = w.due("stock", 1)[0]
	s.hold = uuid.NewString()
	few := must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: s.coupon.ID, Code: uuid.NewString(), AffiliateID: w.ada.ID, MaxRedemptions: affiliate.Set[int64](1)}))
	gone := uuid.NewString()
	must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: gone, Order: affiliate.Order{PromoCode: few.Code}, Until: w.now.Add(time.Minute)}))
	w.now = w.now.Add(time.Hour)
	for _, in := range []affiliate.SaleParams{{PromoCode: few.Code}, {HoldID: gone}} {
		in.TotalEarned = affiliate.MustAmount("12")
		s.late = must(w.RecordSale(ctx, in)).Sale.Or(affiliate.Sale{})
	}
	must(w.HoldRedemption(ctx, affiliate.HoldParams{ID: s.hold, Order: affiliate.Order{PromoCode: s.code.Code}, Until: w.now.Add(12 * time.Hour)}))
	s.failed = must(w.Payouts(ctx, affiliate.PayoutQuery{Status: affiliate.PayoutProcessing}, one)).Items[0]
	s.paid = must(w.Payouts(ctx, affiliate.PayoutQuery{Status: affiliate.PayoutPaid}, one)).Items[0]
	return s
}

// due makes a run that pays people by Wise, 8.00 each.
func (w *world) due(run string, people int) []affiliate.Payout {
	ctx, payees := w.t.Context(), []uuid.UUID{}
	for range people {
		payee := must(w.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Pay", LastName: "Ee", Email: uuid.NewString() + "@example.org"}))
		must(w.SetPayoutDetails(ctx, payee.ID, affiliate.PayoutDetails{Method: "WISE", Email: "payee@pay.example"}))
		must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: payee.ID.String(), Email: uuid.NewString() + "@p.example", Name: "P", TotalEarned: affiliate.MustAmount("40")}))
		payees = append(payees, payee.ID)
	}
	made := must(w.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: run, AffiliateIDs: payees}))
	return must(w.Payouts(ctx, affiliate.PayoutQuery{RunID: affiliate.Set(made.ID)}, affiliate.Page{Limit: people})).Items
}

// moreDeeds are the actions of the objects in the stock.
func moreDeeds(w *world) []deed {
	ctx, s := w.t.Context(), w.stock()
	at := func(section string, id uuid.UUID, verb string) string {
		return section + "/" + id.String() + "/" + verb
	}
	person := func(id uuid.UUID) affiliate.Affiliate { return must(w.Affiliate(ctx, id.String())) }
	coupon := func() affiliate.Coupon {
		return must(w.Coupons(ctx, affiliate.CouponQuery{ID: affiliate.Set(s.coupon.ID)}, affiliate.Page{Limit: 1})).Items[0]
	}
	code := func() affiliate.Code { return must(w.Code(ctx, affiliate.CodeRef{ID: s.code.ID})) }
	customer := func() affiliate.Referral { return must(w.Referral(ctx, w.customer.ID.String())) }
	hook := func() affiliate.Endpoint { return must(w.Webhooks().Endpoint(ctx, s.hook.ID)) }
	gone := func(err error) string { return fmt.Sprint(errors.Is(err, affiliate.ErrNotFound)) }
	result := "Reference,Status,Reason\r\n" + payfile.Ref(s.failed.ID) + ",FAILED,no such account\r\n"
	return []deed{
		{"invite", "affiliates.invite", "affiliate:", "affiliates/invite", []string{"firstName", "In", "lastName", "Vited", "email", "invited@example.org"}, []string{"firstName", "", "lastName", "V", "email", "i@example.org"}, "firstName",
			func() string { return string(must(w.Affiliate(ctx, "invited@example.org")).Status) }, "INVITED", ""},
		{"edit", "affiliates.update", "affiliate:" + w.ada.ID.String(), at("affiliates", w.ada.ID, "edit"), []string{"lastName", "Byron", "commissionRate", ""}, []string{"email", "no mail"}, "email",
			func() string { return person(w.ada.ID).LastName }, "Byron", ""},
		{"decide", "affiliates.decide", "affiliate:" + s.applies.ID.String(), "affiliates/applications", []string{"to-" + s.applies.ID.String(), "DECLINED", "why-" + s.applies.ID.String(), "no site"},
			[]string{"to-" + s.applies.ID.String(), "DECLINED", "why-" + s.applies.ID.String(), strings.Repeat("x", 501)}, "why-" + s.applies.ID.String(), func() string { return string(person(s.applies.ID).Status) }, "DECLINED", ""},
		{"answer", "cases.answer", "case:" + s.asked.ID.String(), at("affiliates/cases", s.asked.ID, "answer"), []string{"answer", "It is\r\nyours"}, []string{"answer", " "}, "answer",
			func() string { c := must(w.Case(ctx, s.asked.ID)); return string(c.Status) + " " + c.Answer.Or("") }, "ANSWERED It is\nyours", ""},
		{"correct", "sales.correct", fmt.Sprint("sale:", s.movable.ID), fmt.Sprint("sales/", s.movable.ID, "/correct"), []string{"amount", "1.25", "reason", "agreed by mail"}, []string{"amount", "1.25", "commissionRate", "5", "reason", "both"}, "amount",
			func() string { return must(w.Sale(ctx, s.movable.ID)).CommissionEarned.String() }, "1.25", ""},
		{"plan", "affiliates.plan", "affiliate:" + s.extra.ID.String(), "affiliates/plan?id=" + s.extra.ID.String(), []string{"commissionPlanId", s.plan.ID.String()}, []string{"commissionPlanId", "x"}, "commissionPlanId",
			func() string { return fmt.Sprint(person(s.extra.ID).CommissionPlanID.Or(uuid.Nil) == s.plan.ID) }, "true", ""},
		{"no plan", "affiliates.plan", "affiliate:" + s.extra.ID.String(), "affiliates/plan?id=" + s.extra.ID.String(), []string{"commissionPlanId", ""}, nil, "",
			func() string { return fmt.Sprint(person(s.extra.ID).CommissionPlanID.IsNull()) }, "true", ""},
		{"tier", "affiliates.tier", "affiliate:" + s.extra.ID.String(), "affiliates/tier?id=" + s.extra.ID.String(), []string{"commissionTierId", s.tier.ID.String()}, []string{"commissionTierId", "x"}, "commissionTierId",
			func() string { return fmt.Sprint(person(s.extra.ID).CommissionTierID.Or(uuid.Nil) == s.tier.ID) }, "true", ""},
		{"exempt", "affiliates.tier-exempt", "affiliate:" + s.extra.ID.String(), at("affiliates", s.extra.ID, "tier-exempt"), []string{"exempt", "1"}, nil, "",
			func() string { return fmt.Sprint(person(s.extra.ID).ExemptFromCommissionTierChanges) }, "true", ""},
		{"pay", "payouts.create", "payout:", at("affiliates", w.ada.ID, "pay"), []string{"externalId", "by hand"}, nil, "", func() string {
			return must(w.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{Limit: 1})).Items[0].ExternalID.Or("")
		}, "by hand", ""},
		{"link", "links.create", "affiliate:" + w.ada.ID.String(), at("affiliates", w.ada.ID, "links/new"), []string{"link", "ada-spring"}, []string{"link", "a b"}, "link", w.linked("ada-spring"), "1", ""},
		{"rename", "links.rename", "link:" + s.link.ID.String(), at("links", s.link.ID, "rename"), []string{"newLink", "ada-renamed"}, []string{"newLink", "a b"}, "newLink", w.linked("ada-renamed"), "1", ""},
		{"unlink", "links.delete", "link:" + s.spare.ID.String(), at("links", s.spare.ID, "delete"), nil, nil, "", w.linked(s.spare.Link), "0", ""},
		{"coupon", "coupons.create", "coupon:", "coupons/new", []string{"name", "Summer", "percentOff", "15", "productIds", "p1\r\np2"}, []string{"name", "Summer", "percentOff", "150"}, "percentOff", func() string {
			c := must(w.Coupon(ctx, affiliate.CouponRef{Name: "Summer"}))
			return fmt.Sprint(c.PercentOff, c.LimitToProducts, c.ProductIDs)
		}, "15 true [p1 p2]", ""},
		{"edit coupon", "coupons.update", "coupon:" + s.coupon.ID.String(), at("coupons", s.coupon.ID, "edit"), []string{"maxRedemptions", "900"}, []string{"maxRedemptions", "many"}, "maxRedemptions",
			func() string { return fmt.Sprint(coupon().MaxRedemptions, coupon().PercentOff) }, "900 20", ""},
		{"invalid", "coupons.valid", "coupon:" + s.coupon.ID.String(), at("coupons", s.coupon.ID, "valid"), []string{"valid", ""}, nil, "", func() string { return fmt.Sprint(coupon().Valid) }, "false", ""},
		{"code", "codes.create", "code:", at("coupons", s.coupon.ID, "codes/new"), []string{"code", "SPRING", "affiliate", "ada@example.org", "minimumAmount", "10"}, []string{"code", "a b"}, "code",
			func() string { return fmt.Sprint(must(w.Code(ctx, affiliate.CodeRef{Code: "spring"})).MinimumAmount) }, "10", ""},
		{"generate", "coupons.generate", "coupon:" + s.coupon.ID.String(), at("coupons", s.coupon.ID, "generate"), []string{"affiliates", "ada@example.org\r\nidle2@example.org", "count", "3", "prefix", "GEN"},
			[]string{"affiliates", "nobody@example.org"}, "affiliates", func() string {
				return fmt.Sprint(len(must(w.Codes(ctx, affiliate.CodeQuery{Search: affiliate.Set("GEN")}, affiliate.Page{Limit: 50})).Items))
			}, "6", ""},
		{"edit code", "codes.update", "code:" + s.code.ID.String(), at("codes", s.code.ID, "edit"), []string{"maxRedemptions", "", "expiresAt", "2027-01-31"}, []string{"expiresAt", "soon"}, "expiresAt",
			func() string { return fmt.Sprint(code().MaxRedemptions, code().ExpiresAt) }, "null 2027-01-31T23:59:59.999Z", ""},
		{"give", "codes.give", "code:" + s.code.ID.String(), at("codes", s.code.ID, "give"), []string{"affiliate", ""}, []string{"affiliate", "nobody@example.org"}, "affiliate",
			func() string { return fmt.Sprint(code().AffiliateID) }, "null", ""},
		{"inactive", "codes.active", "code:" + s.code.ID.String(), at("codes", s.code.ID, "active"), []string{"active", ""}, nil, "", func() string { return fmt.Sprint(code().Active) }, "false", ""},
		{"delete code", "codes.delete", "code:" + s.code.ID.String(), at("codes", s.code.ID, "delete"), nil, nil, "", func() string {
			_, err := w.Code(ctx, affiliate.CodeRef{ID: s.code.ID})
			return gone(err)
		}, "true", ""},
		{"delete coupon", "coupons.delete", "coupon:" + s.empty.ID.String(), at("coupons", s.empty.ID, "delete"), nil, nil, "", func() string {
			_, err := w.Coupon(ctx, affiliate.CouponRef{ID: s.empty.ID})
			return gone(err)
		}, "true", ""},
		{"customer", "customers.update", "referral:" + w.customer.ID.String(), at("customers", w.customer.ID, "edit"), []string{"name", "Kim", "notes", "one\r\ntwo"}, []string{"email", "no mail"}, "email",
			func() string { return customer().Name.Or("") + ": " + customer().Notes.Or("") }, "Kim: one\ntwo", ""},
		{"customer status", "customers.status", "referral:" + w.customer.ID.String(), at("customers", w.customer.ID, "status"), []string{"subscriptionStatus", "PAST_DUE"}, []string{"subscriptionStatus", "x"}, "subscriptionStatus",
			func() string { return string(customer().SubscriptionStatus) }, "PAST_DUE", ""},
		{"customer plan", "customers.plan", "referral:" + w.customer.ID.String(), at("customers", w.customer.ID, "plan"), []string{"commissionPlanId", s.plan.ID.String()}, []string{"commissionPlanId", "x"}, "commissionPlanId",
			func() string { return fmt.Sprint(customer().CommissionPlanID) }, s.plan.ID.String(), ""},
		{"customer anew", "customers.recalculate", "referral:" + w.customer.ID.String(), at("customers", w.customer.ID, "recalculate"), nil, nil, "", func() string { return "" }, "", ""},
		{"affiliate anew", "affiliates.recalculate", "affiliate:" + w.ada.ID.String(), at("affiliates", w.ada.ID, "recalculate"), nil, nil, "", func() string { return "" }, "", ""},
		{"move customer", "customers.move", "referral:" + s.extraCustomer.ID.String(), at("customers", s.extraCustomer.ID, "move"), []string{"affiliate", "ada@example.org", "reason", "he said so"}, []string{"affiliate", "nobody@example.org", "reason", "x"}, "affiliate",
			func() string {
				return fmt.Sprint(must(w.Referral(ctx, s.extraCustomer.ID.String())).AffiliateID == w.ada.ID)
			}, "true", ""},
		{"move sale", "sales.move", "sale:" + fmt.Sprint(s.movable.ID), fmt.Sprint("sales/", s.movable.ID, "/move"), []string{"affiliate", "ada@example.org", "reason", "he said so"}, []string{"affiliate", "nobody@example.org", "reason", "x"}, "affiliate",
			func() string { return fmt.Sprint(must(w.Sale(ctx, s.movable.ID)).AffiliateID == w.ada.ID) }, "true", ""},
		{"merge customer", "customers.merge", "referral:" + s.twiceCustomer.ID.String(), at("customers", s.twiceCustomer.ID, "merge"), []string{"into", w.customer.Email, "reason", "he said so"}, []string{"into", "nobody@example.org"}, "into",
			func() string {
				return fmt.Sprint(must(w.Referral(ctx, s.twiceCustomer.ID.String())).ID == w.customer.ID)
			}, "true", ""},
		{"merge affiliate", "affiliates.merge", "affiliate:" + s.twice.ID.String(), at("affiliates", s.twice.ID, "merge"), []string{"into", "ada@example.org", "reason", "one person"}, []string{"into", "nobody@example.org"}, "into",
			func() string { return fmt.Sprint(must(w.Affiliate(ctx, s.twice.ID.String())).ID == w.ada.ID) }, "true", ""},
		{"erase customer", "customers.erase", "referral:" + s.extraCustomer.ID.String(), at("customers", s.extraCustomer.ID, "erase"), nil, nil, "", func() string {
			return must(w.Referral(ctx, s.extraCustomer.ID.String())).Email
		}, "", ""},
		{"erase affiliate", "affiliates.erase", "affiliate:" + s.extra.ID.String(), at("affiliates", s.extra.ID, "erase"), nil, []string{"cursor", "x"}, "", func() string {
			return must(w.Affiliate(ctx, s.extra.ID.String())).Email
		}, "", ""},
		{"delete customer", "customers.delete", "referral:" + s.extraCustomer.ID.String(), at("customers", s.extraCustomer.ID, "delete"), nil, nil, "", func() string {
			_, err := w.Referral(ctx, s.extraCustomer.ID.String())
			return gone(err)
		}, "true", ""},
		{"delete affiliate", "affiliates.delete", "affiliate:" + s.extra.ID.String(), at("affiliates", s.extra.ID, "delete"), nil, nil, "", func() string {
			_, err := w.Affiliate(ctx, s.extra.ID.String())
			return gone(err)
		}, "true", ""},
		{"take back", "affiliates.take-back", "affiliate:", at("affiliates", must(w.Affiliate(ctx, "banned@example.org")).ID, "take-back"), nil, nil, "",
			func() string { return string(must(w.Affiliate(ctx, "banned@example.org")).Status) }, "ACTIVE", ""},
		{"sale by hand", "sales.create", "sale:", "sales/new", []string{"affiliate", "ada@example.org", "email", "hand@x.example", "name", "Hand", "totalEarned", "50", "externalId", "hand"},
			[]string{"affiliate", "ada@example.org", "email", "hand@x.example", "name", "Hand", "totalEarned", "much"}, "totalEarned", func() string {
				return fmt.Sprint(len(must(w.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set("hand")}, affiliate.Page{Limit: 5})).Items))
			}, "1", ""},
		{"conversion by hand", "sales.convert", "sale:", "sales/convert", []string{"conversion", "signup", "affiliate", "ada@example.org", "email", "conv@x.example", "name", "Conv"},
			[]string{"conversion", " ", "affiliate", "ada@example.org", "email", "conv@x.example", "name", "Conv"}, "conversion", func() string {
				return must(w.Sales(ctx, affiliate.SaleQuery{ReferralID: affiliate.Set("conv@x.example")}, affiliate.Page{Limit: 5})).Items[0].Conversion
			}, "signup", ""},
		{"customer by hand", "customers.create", "referral:", "customers/new", []string{"affiliate", "ada@example.org", "name", "New", "email", "new@x.example", "referredUserExternalId", "u1"},
			[]string{"affiliate", "ada@example.org", "name", "New", "email", "cus@x.example", "referredUserExternalId", "u1"}, "email", func() string {
				return must(w.Referral(ctx, "new@x.example")).ReferredUserExternalID.Or("")
			}, "u1", ""},
		{"restore", "sales.restore-redemption", fmt.Sprint("sale:", s.byCode.ID), fmt.Sprint("sales/", s.byCode.ID, "/restore-redemption"), nil, nil, "",
			func() string { return fmt.Sprint(must(w.Code(ctx, affiliate.CodeRef{Code: "ADA1"})).TimesRedeemed) }, "0", ""},
		{"release", "holds.release", "hold:" + s.hold, "holds/release?hold=" + s.hold, nil, nil, "", func() string { return string(must(w.Hold(ctx, s.hold)).State) }, "RELEASED", ""},
		{"accept", "redemptions.accept", fmt.Sprint("redemption:", s.late.ID), fmt.Sprint("redemptions/accept?sale=", s.late.ID), nil, nil, "", func() string {
			return fmt.Sprint(must(w.Attention(ctx, 0)).Overdrawn.Count)
		}, "0", ""},
		{"decide", "payments.decide", "payment:" + w.conflict.String(), at("payments", w.conflict, "decide"), []string{"decision", "own"}, []string{"decision", "-"}, "decision",
			func() string {
				return must(w.Payments().ProviderPayment(ctx, "stripe", "pi_")).Gross.Or(affiliate.Amount{}).String() + w.conflicts()
			}, "1 0", ""},
		{"results", "payouts.results", "payout:" + s.failed.ID.String(), "payouts/results", []string{"file", result}, []string{"file", "nothing"}, "file",
			func() string { return string(must(w.Payout(ctx, s.failed.ID)).Status) }, "FAILED", "Failed now 1"},
		{"all of a method", "payouts.paid", "payout:" + s.due.ID.String(), "payouts/paid?externalId=stock&method=WISE", nil, nil, "",
			func() string { return string(must(w.Payout(ctx, s.due.ID)).Status) }, "PAID", ""},
		{"returned", "payouts.status", "payout:" + s.paid.ID.String(), at("payouts", s.paid.ID, "status?to=RETURNED"), []string{"returnedReason", "no such account"},
			[]string{"returnedReason", " "}, "returnedReason", func() string {
				p := must(w.Payout(ctx, s.paid.ID))
				return string(p.Status) + " " + p.ReturnedReason.Or("")
			}, "RETURNED no such account", ""},
		{"new plan", "plans.create", "plan:Fresh", "plans/new", []string{"name", "Fresh", "commissionRate", "12.5", "numberOfPayments", "3", "hold", "1"}, []string{"name", "Fresh", "commissionRate", "1", "numberOfMonths", "0"}, "numberOfMonths",
			func() string { return w.planNamed("Fresh") }, "12.5 3 null false", ""},
		{"edit plan", "plans.update", "plan:" + s.plan.ID.String(), at("plans", s.plan.ID, "edit"), []string{"name", "Rare", "hold", "1"}, []string{"name", " "}, "name",
			func() string {
				p := must(w.Plan(ctx, s.plan.ID))
				return fmt.Sprint(p.Name, p.AutoApproveRewards)
			}, "Rarefalse", ""},
		{"terms", "plans.terms", "plan:" + s.plan.ID.String(), at("plans", s.plan.ID, "change"),
			[]string{"commissionRate", "44", "holdDays", "7", "name-1", "Seats", "when-1", "product: SEAT\r\nMonths: 1-12", "pay-1", "UNIT", "rate-1", "2.5", "firm-1", "1", "name-2", "", "when-2", "", "pay-2", "NONE", "rate-2", ""},
			[]string{"name-1", "Seats", "when-1", "", "pay-1", "PERCENTAGE", "rate-1", "101"}, "rate-1",
			func() string {
				p := must(w.Plan(ctx, s.plan.ID))
				return fmt.Sprint(p.CommissionRate, p.HoldDays, p.Rules)
			}, "44 7 [{Seats {[SEAT] [] [] [] [] [] 0 0 1 12  [] []} {UNIT 2.5} true}]", ""},
		{"terms from a day", "plans.terms", "plan:" + s.plan.ID.String(), at("plans", s.plan.ID, "change"), []string{"from", "2031-01-01", "commissionRate", "15"}, []string{"from", "2026-03-01"}, "from",
			func() string { return said(must(w.Plan(ctx, s.plan.ID)).Versions, "2031") }, "15", ""},
		{"terms to come", "plans.terms", "plan:" + s.plan.ID.String(), at("plans", s.plan.ID, "change"+s.comes), []string{"commissionRate", "6"}, []string{"commissionRate", "101"}, "commissionRate",
			func() string { return said(must(w.Plan(ctx, s.plan.ID)).Versions, "2030") }, "6", ""},
		{"withdraw terms", "plans.withdraw", "plan:" + s.plan.ID.String(), at("plans", s.plan.ID, "withdraw"+s.comes), nil, nil, "",
			func() string { return said(must(w.Plan(ctx, s.plan.ID)).Versions, "2030") }, "", ""},
		{"terms of the program", "program.terms", "program:", "terms/change", []string{"from", "2031-01-01", "commissionRate", "15"}, []string{"from", "2030-01-01"}, "from",
			func() string { return said(must(w.Terms(ctx)), "2031") }, "15", ""},
		{"settings", "program.update", "program:", "settings/edit", []string{"cookieDuration", "33", "refundWindowSeconds", "14", "promoCode", "UNBROUGHT", "payoutMinimum", "1,250.50", "company", "Beans Ltd\r\nBath", "termsText", "Be honest.", "termsVersion", "1", "clicks", "90"}, []string{"cookieDomain", "x"}, "cookieDomain",
			func() string {
				s := must(w.Settings(ctx))
				return fmt.Sprint(s.CookieDuration, s.RefundWindowSeconds, s.Attribution, s.UpdatedBy, s.PayoutMinimum, s.TermsVersion, s.Retention) + fmt.Sprintf(" %q", s.Company)
			}, `33 1209600 {LAST EACH_ORDER UNBROUGHT} ops 1250.51{0 0 0 90 0} "Beans Ltd\nBath"`, ""},
		{"withdraw terms of the program", "program.withdraw", "program:", "terms/withdraw" + s.comes, nil, nil, "", func() string { return said(must(w.Terms(ctx)), "2030") }, "", ""},
		{"new tier", "tiers.create", "tier:Fresh", "tiers/new", []string{"tier", "3", "name", "Fresh", "minRevenue", "1,000", "commissionRate", "30"}, []string{"tier", "3", "name", "Fresh", "minRevenue", "x"}, "minRevenue",
			func() string { return w.tierNamed("Fresh") }, "1000 30", ""},
		{"edit tier", "tiers.update", "tier:" + s.tier.ID.String(), at("tiers", s.tier.ID, "edit"), []string{"minReferrals", "77", "tier", "8"}, []string{"minReferrals", "x"}, "minReferrals",
			func() string {
				t := must(w.Tier(ctx, s.tier.ID))
				return fmt.Sprint(t.MinReferrals, t.ConditionType, t.Tier)
			}, "77ALL8", ""},
		{"assign", "tiers.assign", "program:", "tiers/assign", nil, []string{"cursor", "x"}, "", func() string { return fmt.Sprint(person(w.ada.ID).CommissionTierID.IsNull()) }, "false", ""},
		{"give bonuses", "bonuses.grant", "program:", "bonuses/grant", nil, []string{"cursor", "x"}, "", func() string { return fmt.Sprint(must(w.Terms(ctx))[0].Bonuses == nil) }, "true", ""},
		{"delete tier", "tiers.delete", "tier:" + s.tier.ID.String(), at("tiers", s.tier.ID, "delete"), nil, nil, "", func() string { _, err := w.Tier(ctx, s.tier.ID); return gone(err) }, "true", ""},
		{"new hook", "webhooks.create", "webhook:", "webhooks/new", []string{"url", "https://hooks.example/new", "event-sale.created", ""}, []string{"url", "http://hooks.example/new"}, "url", func() string {
			for _, e := range must(w.Webhooks().Endpoints(ctx, affiliate.Page{Limit: 50})).Items {
				if e.URL == "https://hooks.example/new" {
					return fmt.Sprint(len(e.Events))
				}
			}
			return "none"
		}, "14", "whsec_"},
		{"edit hook", "webhooks.update", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "edit"), []string{"description", "shop"}, []string{"url", "nowhere"}, "url",
			func() string { return fmt.Sprint(hook().Description, len(hook().Events)) }, "shop 15", ""},
		{"headers", "webhooks.headers", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "headers"), []string{"headers", "authorization: Basic dTpw\r\nX-Key: a:b"}, []string{"headers", "X-Key"}, "headers",
			func() string { return fmt.Sprint(hook().HeaderNames) }, "[Authorization X-Key]", ""},
		{"rotate", "webhooks.rotate", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "rotate"), []string{"gracePeriodSeconds", "60"}, []string{"gracePeriodSeconds", "x"}, "gracePeriodSeconds",
			func() string { return fmt.Sprint(hook().PreviousSecretExpiresAt.IsNull()) }, "false", "whsec_"},
		{"test", "webhooks.test", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "test"), []string{"event", "sale.created"}, []string{"event", "x"}, "event", func() string { return "" }, "", "It was not taken"},
		{"replay range", "webhooks.replay-range", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "replay"), []string{"since", w.now.Format("2006-01-02")}, []string{"since", "2020-01-01"}, "since",
			func() string {
				return fmt.Sprint(len(must(w.Webhooks().Deliveries(ctx, affiliate.DeliveryQuery{State: affiliate.DeliveryFailed}, affiliate.Page{Limit: 50})).Items))
			}, "0", ""},
		{"off", "webhooks.active", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "active"), []string{"active", ""}, nil, "", func() string { return string(hook().Status) }, "disabled", ""},
		{"delete hook", "webhooks.delete", "webhook:" + s.hook.ID.String(), at("webhooks", s.hook.ID, "delete"), nil, nil, "", func() string { _, err := w.Webhooks().Endpoint(ctx, s.hook.ID); return gone(err) }, "true", ""},
	}
}

// said are the rates of the terms that begin in a year.
func said(versions []affiliate.DatedTerms, year string) (rates string) {
	for _, t := range versions {
		if from, ok := t.From.Get(); ok && strings.HasPrefix(from.String(), year) {
			rates += t.CommissionRate.String()
		}
	}
	return rates
}

// conflicts is how many payments wait for a decision.
func (w *world) conflicts() string {
	return fmt.Sprint(" ", must(w.Attention(w.t.Context(), 1)).PaymentConflicts.Count)
}

// linked is how many links have a name.
func (w *world) linked(slug string) func() string {
	return func() string {
		return fmt.Sprint(len(must(w.Links(w.t.Context(), affiliate.LinkQuery{Slug: affiliate.Set(slug)}, affiliate.Page{Limit: 5})).Items))
	}
}

func (w *world) planNamed(name string) string {
	for _, p := range must(w.Plans(w.t.Context(), affiliate.Page{Limit: 50})).Items {
		if p.Name == name {
			return fmt.Sprint(p.CommissionRate, " ", p.NumberOfPayments, " ", p.NumberOfMonths, " ", p.AutoApproveRewards)
		}
	}
	return "none"
}

func (w *world) tierNamed(name string) string {
	for _, t := range must(w.Tiers(w.t.Context(), affiliate.Page{Limit: 50})).Items {
		if strings.HasPrefix(t.Name, name) {
			return fmt.Sprint(t.MinRevenue, t.CommissionRate)
		}
	}
	return "none"
}

// TestWhoIsNamed: a form takes an affiliate by email, id, link, the host's own id or a part of the name
// that fits one alone. It offers whom a text fits, and does nothing where that is nobody or several.
func TestWhoIsNamed(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	own := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Own", LastName: "Id", Email: "own@example.org", ExternalID: "acct/7"}))
	path := fmt.Sprint("sales/", w.free.ID, "/move")
	for text, want := range map[string]string{
		"OWN@example.org": "", own.ID.String(): "", own.AffiliateLinks[0].Link: "", "ext:acct/7": "", "wn Id": "",
		"": "Name an affiliate.", "nobody": "No affiliate is called this.", "ext:acct": "No affiliate is called this.", strings.Repeat("n", 200): "No affiliate is called this.",
		"X": "This fits more than one affiliate: choose one, such as Own Id, own@example.org;", "a\x01": "No affiliate is called this.",
	} {
		page := w.send(path, w.form(path, "affiliate", text, "reason", "asked"))
		switch got := must(w.Sale(t.Context(), w.free.ID)).AffiliateID; {
		case want == "" && (page.status != 303 || got != own.ID):
			t.Errorf("%q: %d %s", text, page.status, page.text())
		case want != "" && (page.status != 400 || !strings.Contains(page.text(), want) || got != w.ada.ID):
			t.Errorf("%q: %d %s, want %q", text, page.status, page.text(), want)
		case text == "X" && !strings.Contains(page.body, `<option dir="auto" value="planned@example.org">planned X</option>`):
			t.Errorf("nobody is offered: %s", page.body)
		}
		must(w.UpdateSale(t.Context(), w.free.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(w.ada.ID)}))
	}
}

// TestMoveHasReason: who gives a sale or a customer away says why. It is kept in the metadata, beside
// what the host has there, and shown with who did it.
func TestMoveHasReason(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	sale, customer := fmt.Sprint("sales/", w.free.ID), "customers/"+w.customer.ID.String()
	must(w.UpdateSale(t.Context(), w.free.ID, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"big": 12345678901234567890, "tributary_moves": "mine"}`))}))
	for _, path := range []string{sale, customer} {
		if page := w.send(path+"/move", w.form(path+"/move", "affiliate", "idle")); page.status != 400 || !strings.Contains(page.text(), "Say why.") {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		if page := w.send(path+"/move", w.form(path+"/move", "affiliate", "idle", "reason", strings.Repeat("x", 501))); page.status != 400 || !strings.Contains(page.text(), "500 characters") {
			t.Errorf("%s: %d %s", path, page.status, page.text())
		}
		for i := range 12 {
			to := []string{"idle", "ada"}[i%2]
			if page := w.send(path+"/move", w.form(path+"/move", "affiliate", to, "reason", fmt.Sprint("<b>turn ", i))); page.status != 303 {
				t.Fatalf("%s: %d %s", path, page.status, page.text())
			}
		}
		shown := w.get(path).text()
		if n := strings.Count(shown, "by ops , away from this one : <b>turn"); n != 10 || !strings.Contains(shown, "<b>turn 11") || strings.Contains(shown, "<b>turn 1 ") {
			t.Errorf("%s shows %d moves: %s", path, n, shown)
		}
	}
	if raw := must(w.Sale(t.Context(), w.free.ID)).Metadata.Or(nil); !strings.Contains(string(raw), `"big":12345678901234567890`) {
		t.Errorf("what the host has is %s", raw)
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestByHand: what is recorded by hand credits as it would have been reported. What cannot be recorded is
// refused at its field and writes nothing.
func TestByHand(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for name, c := range map[string]struct {
		path   string
		fields []string
		credit string // the email of the affiliate; empty: it is refused
		want   string
	}{
		"new customer":      {"sales/new", []string{"email", "n1@x.example", "name", "N", "affiliate", "ada@example.org", "totalEarned", "1,000"}, "ada@example.org", "Why 200.00 USD?"},
		"known customer":    {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10"}, "ada@example.org", "They brought this customer before"},
		"by another":        {"sales/new", []string{"email", "cus@x.example", "affiliate", "idle", "totalEarned", "10"}, "idle@example.org", "The shop named them"},
		"by their own id":   {"sales/new", []string{"email", "ext:cus", "totalEarned", "10"}, "ada@example.org", "They brought this customer before"},
		"paid before":       {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "paidAt", "2026-03-02"}, "ada@example.org", "10.00 USD"},
		"by a code":         {"sales/new", []string{"email", "n2@x.example", "totalEarned", "10", "promoCode", "ADA3"}, "ada@example.org", "The promotional code of the order"},
		"conversion":        {"sales/convert", []string{"conversion", "signup", "email", "cus@x.example"}, "ada@example.org", "signup"},
		"nobody":            {"sales/new", []string{"email", "n3@x.example", "name", "N", "totalEarned", "10"}, "", "Nobody can be credited: name the affiliate."},
		"no email":          {"sales/new", []string{"email", "Cus", "totalEarned", "10"}, "", "A new one needs an email."},
		"order known":       {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "externalId", "o1"}, "", "This is recorded already"},
		"paid long ago":     {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "paidAt", "1999-12-31"}, "", "Paid on must not be"},
		"conversion again":  {"sales/convert", []string{"conversion", "signup2", "email", "n4@x.example", "affiliate", "nobody"}, "", "No affiliate is called this."},
		"more than the sum": {"sales/new", []string{"email", "cus@x.example", "totalEarned", "10", "tax", "11"}, "", "ax"},
	} {
		t.Run(name, func(t *testing.T) {
			before := w.effects()
			page := w.send(c.path, w.form(c.path, c.fields...))
			if c.credit == "" {
				if page.status != 400 || w.effects() != before || !strings.Contains(page.text(), c.want) {
					t.Errorf("%d, changed %v: %s", page.status, w.effects() != before, page.text())
				}
				return
			}
			if page.status != 303 {
				t.Fatalf("%d %s", page.status, page.text())
			}
			newest := must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1})).Items[0]
			if shown := w.get(fmt.Sprint("sales/", newest.ID)); newest.Affiliate.Email != c.credit || !strings.Contains(shown.text(), c.want) {
				t.Errorf("credits %s: %s", newest.Affiliate.Email, shown.text())
			}
			if paid := newest.PaidAt; name == "paid before" && paid.String() != "2026-03-02T00:00:00.000Z" {
				t.Errorf("paid at %s", paid)
			}
		})
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDates: a form that is saved as it was shown leaves the moments that it shows as days, or as moments
// where they are within a day.
func TestDates(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	code := w.stock().code
	path := "codes/" + code.ID.String() + "/edit"
	for _, c := range []struct{ sent, shown, kind, kept string }{
		{"2027-01-31", "2027-01-31", "date", "2027-01-31T23:59:59.999Z"},
		{"2027-02-01T12:00:00.000Z", "2027-02-01T12:00:00.000Z", "text", "2027-02-01T12:00:00.000Z"},
		{"", "", "date", "null"},
	} {
		if page := w.send(path, w.form(path, "expiresAt", c.sent)); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
		form := w.form(path, "maxRedemptions", fmt.Sprint(50+len(c.sent)))
		for _, e := range parse(t, w.get(path).body) {
			if e.attrs["name"] == "expiresAt" && (e.attrs["type"] != c.kind || e.attrs["value"] != c.shown) {
				t.Errorf("%q is shown as %s %q", c.sent, e.attrs["type"], e.attrs["value"])
			}
		}
		if page := w.send(path, form); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
		if got := fmt.Sprint(must(w.Code(t.Context(), affiliate.CodeRef{ID: code.ID})).ExpiresAt); got != c.kept {
			t.Errorf("%q is kept as %s", c.sent, got)
		}
	}
}

// TestCleared: a field that was emptied is taken away, also where it is a word of an enumeration.
func TestCleared(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	code := w.stock().code
	path := "codes/" + code.ID.String() + "/edit"
	for _, least := range []struct{ sum, currency, want string }{{"1,250", "USD", "1250 USD"}, {"", "", "null null"}} {
		if page := w.send(path, w.form(path, "minimumAmount", least.sum, "minimumAmountCurrency", least.currency)); page.status != 303 {
			t.Fatalf("%d %s", page.status, page.text())
		}
		now := must(w.Code(t.Context(), affiliate.CodeRef{ID: code.ID}))
		if got := fmt.Sprint(now.MinimumAmount, " ", now.MinimumAmountCurrency); got != least.want {
			t.Errorf("the smallest order is %s, want %s", got, least.want)
		}
	}
}

// convert reports a conversion that earns 5.
func (w *world) convert() affiliate.Sale {
	w.t.Helper()
	ctx := w.t.Context()
	must(w.SetTerms(ctx, affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{{
		Name: "sign-ups", When: affiliate.RuleWhen{Conversions: []string{"signup"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("5")},
	}})}))
	made := must(w.RecordConversion(ctx, affiliate.ConversionParams{Conversion: "signup", ReferralID: "ada", Email: "signs@x.example", Name: "S"}))
	return made.Sale.Or(affiliate.Sale{})
}

// TestTakeBackConversion: a conversion is taken back as a whole, so its form has no amount.
func TestTakeBackConversion(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	sale := w.convert()
	at := fmt.Sprint("sales/", sale.ID)
	if page := w.get(at); !strings.Contains(page.text(), "Take back…") || strings.Contains(page.text(), "Refund…") {
		t.Errorf("the page: %s", page.text())
	}
	page := w.get(at + "/refund")
	if !strings.Contains(page.text(), "It is the conversion “signup”, for which nobody paid. It is taken back as a whole. Its commission of 5.00 USD falls to nothing.") || strings.Contains(page.text(), "All that is left") {
		t.Errorf("the form: %s", page.text())
	}
	form := w.form(at + "/refund")
	for _, name := range []string{"amount", "whole", "tax", "shipping"} {
		if form.Has(name) {
			t.Errorf("it asks for %s", name)
		}
	}
	form.Set("amount", "1") // forged: there is no such field
	asked := w.send(at+"/refund", form)
	if asked.status != 200 || !strings.Contains(asked.text(), fmt.Sprint("Take sale ", sale.ID, " back. It is the conversion “signup”, for which nobody paid. Its commission of 5.00 USD falls to nothing.")) {
		t.Fatalf("%d %s", asked.status, asked.text())
	}
	for range 2 {
		if done := w.send(at+"/refund", fieldsOf(t, asked.body)); done.status != 303 {
			t.Fatalf("%d %s", done.status, done.text())
		}
	}
	if now := must(w.Sale(t.Context(), sale.ID)); now.Status != affiliate.SaleRefunded || !now.CommissionEarned.IsZero() {
		t.Errorf("%s, %s", now.Status, now.CommissionEarned)
	}
	events := must(w.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(fmt.Sprint(sale.ID))}, affiliate.Page{Limit: 1})).Items
	if events[0].Type != "sale.deleted" {
		t.Errorf("the event is %s", events[0].Type)
	}
	if page := w.get(at + "/reverse"); strings.Contains(page.text(), "The customer paid") {
		t.Errorf("the other form: %s", page.text())
	}
}

// TestRefundOfLines: a refund can name the lines that have an id. Their amounts, tax and shipping
// are its amount; what is wrong with one of them stands at its field.
func TestRefundOfLines(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := fmt.Sprint("sales/", w.lined.ID, "/refund")
	if page := w.get(path); !strings.Contains(page.text(), "Line 1 · Desk · DESK · p · office: it cost 60.00 USD, and 0.00 USD was refunded of it by name.") || strings.Contains(page.text(), "Of line 2") {
		t.Errorf("the form: %s", page.text())
	}
	before := w.effects()
	for _, row := range [][]string{
		{"line-1", "60.01"}, {"line-1", "x"}, {"line-1", "-1"}, {"amount", "5", "line-1", "4"}, {"whole", "1", "line-1", "4"}, {"line-1", "900000000000000", "tax", "900000000000000"},
	} {
		page := w.send(path, w.form(path, row...))
		if page.status == 200 {
			page = w.send(path, fieldsOf(t, page.body))
		}
		if page.status != 400 || w.effects() != before || !strings.Contains(page.body, `role="alert"`) || len(row) == 2 && !strings.Contains(page.body, `id="w-line-1"`) || fieldsOf(t, page.body).Get("line-1") != row[len(row)-1] && len(row) == 2 {
			t.Errorf("%v: %d %s", row, page.status, page.text())
		}
	}
	asked := w.send(path, w.form(path, "line-1", "20"))
	for _, says := range []string{"Refund 20.00 USD of sale", "80.00 USD of it is kept.", "20.00 USD of the refund: Line 1 · Desk · DESK · p · office."} {
		if !strings.Contains(asked.text(), says) {
			t.Errorf("it does not say %q: %s", says, asked.text())
		}
	}
	if done := w.send(path, fieldsOf(t, asked.body)); done.status != 303 {
		t.Fatalf("%d %s", done.status, done.text())
	}
	sale := must(w.Sale(t.Context(), w.lined.ID))
	if got := fmt.Sprint(sale.RefundedAmount, sale.Lines[0].Refunded, sale.Lines[1].Refunded); got != "20 20 0" {
		t.Errorf("refunded %s", got)
	}
	if page := w.get(fmt.Sprint("sales/", w.lined.ID)); !strings.Contains(page.text(), "60.00 USD 0.00 USD 20.00 USD Seats") {
		t.Errorf("the page: %s", page.text())
	}
	if page := w.get(path); !strings.Contains(page.text(), "20.00 USD was refunded of it by name") {
		t.Errorf("the form: %s", page.text())
	}
}

// TestChargedPages: a sale in another currency is shown with what was charged, and refunded in it.
func TestChargedPages(t *testing.T) {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"}))
	must(w.RecordSale(t.Context(), affiliate.SaleParams{
		ReferralID: "ada", Email: "ida@x.example", Name: "Ida", TotalEarned: affiliate.MustAmount("120"), Tax: affiliate.MustAmount("20"), Currency: "EUR", ExchangeRate: affiliate.MustExchangeRate("1.0842"),
		Lines: []affiliate.Line{{ID: "a", ProductID: "SEAT", Amount: affiliate.MustAmount("100")}},
	}))
	for path, says := range map[string]string{
		"sales":              "in USD Sale When Affiliate Customer Total Commission Status 1 10 Mar 2026, 09:00 Ada Moss ida@x.example 130.10 120.00 EUR 21.68",
		"sales?currency=eur": "ida@x.example 130.10 120.00 EUR",
		"sales?currency=USD": "No sale fits.",
		"sales?currency=EU":  "Currency must be an ISO 4217 code",
		"sales/1":            "Paid by the customer 120.00 EUR Less tax 20.00 EUR Base of the whole sale 100.00 EUR One EUR was worth 1.0842 USD Rate, of the program 20 % Exactly, before it is rounded 5421/250 Commission 21.68 USD",
		"sales/1 ":           "130.10 USD, charged as 120.00 EUR · recorded",
		"sales/1  ":          "SEAT 1 100.00 EUR 0.00 EUR",
		"sales/1/refund":     "The customer paid 120.00 EUR, which were 130.10 USD, and 0.00 EUR was refunded so far.",
	} {
		if page := w.get(strings.TrimSpace(path)); !strings.Contains(page.text(), says) {
			t.Errorf("%s does not say %q: %s", path, says, page.text())
		}
	}
	path := "sales/1/refund"
	asked := w.send(path, w.form(path, "line-1", "25", "tax", "5"))
	if !strings.Contains(asked.text(), "Refund 30.00 EUR of sale 1.") || !strings.Contains(asked.text(), "90.00 EUR of it is kept.") || !strings.Contains(asked.text(), "25.00 EUR of the refund: Line 1 · SEAT.") {
		t.Errorf("%d %s", asked.status, asked.text())
	}
	if done := w.send(path, fieldsOf(t, asked.body)); done.status != 303 {
		t.Fatalf("%d %s", done.status, done.text())
	}
	if page := w.get("sales/1"); !strings.Contains(page.text(), "Refunded 32.53 USD, of what was charged 30.00 EUR") {
		t.Error(page.text())
	}
	if page := w.get(path); !strings.Contains(page.text(), "All that is left: 90.00 EUR") || !strings.Contains(page.text(), "Amount in EUR") {
		t.Error(page.text())
	}
	asked = w.send(path, w.form(path, "whole", "1"))
	if done := w.send(path, fieldsOf(t, asked.body)); done.status != 303 {
		t.Fatalf("%d %s", done.status, done.text())
	}
	if sale := must(w.Sale(t.Context(), 1)); sale.Status != affiliate.SaleRefunded || !sale.CommissionEarned.IsZero() {
		t.Errorf("%s %s", sale.Status, sale.CommissionEarned)
	}
}
