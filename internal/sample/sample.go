// Package sample fills programs for the tests of pages: with some objects of every
// kind, and with texts that attack the people who look at them.
package sample

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Hostile holds texts that people may send, by what they attempt.
var Hostile = map[string]string{
	"markup": `"><script>alert(1)</script><img src=x onerror=alert(1)>`,
	"quotes": `' onmouseover='x" onload="y`, "template": `{{.}}${1}<!--`,
	"script URL": `javascript:alert(1)`, "right to left": "\u202egnp.exe\u200b\ufeff",
	"emoji": "👩\u200d👩\u200d👧‍👦🏳️‍🌈", "formula": `=cmd|'/c calc'!A1`,
}

// Objects are some of those that Fill makes.
type Objects struct {
	Ada, Idle affiliate.Affiliate // an active one and one that waits
	Customer  affiliate.Referral
	Paid      affiliate.Sale // in a payout
	Free      affiliate.Sale // in no payout
	Held      affiliate.Sale // on hold
	Lined     affiliate.Sale // with lines, by Plan
	Plan      affiliate.Plan // with rules
	Payout    affiliate.Payout
	Delivery  uuid.UUID // failed
	Conflict  uuid.UUID // a payment that names Paid
}

// Fill makes objects of every kind. It puts the texts, one after the other, into
// every field that people fill. pass advances the clock of the program.
func Fill(t testing.TB, p *tributary.Program, pass func(time.Duration), texts ...string) Objects {
	t.Helper()
	f := sampleProgram{Program: p, t: t, ctx: t.Context(), pass: pass, texts: texts}
	f.people()
	f.codes()
	f.sales()
	f.payouts()
	f.moreSales()
	f.lines()
	f.conflict()
	f.deliveries()
	f.cases()
	return f.made
}

// A sampleProgram is a program that is being filled.
type sampleProgram struct {
	*tributary.Program
	t     testing.TB
	ctx   context.Context
	pass  func(time.Duration)
	texts []string
	turn  int
	made  Objects

	click affiliate.Click
}

// text returns the text whose turn it is.
func (f *sampleProgram) text() string {
	if len(f.texts) == 0 {
		return ""
	}
	f.turn++
	return f.texts[f.turn%len(f.texts)]
}

// must returns the value of a call that has to succeed.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (f *sampleProgram) done(_ any, err error) {
	f.t.Helper()
	must[any](f.t)(nil, err)
}

func (f *sampleProgram) join(first, slug string) affiliate.Affiliate {
	f.pass(time.Minute)
	return must[affiliate.Affiliate](f.t)(f.CreateAffiliate(f.ctx,
		affiliate.AffiliateParams{FirstName: first, LastName: "X" + f.text(),
			Email: slug + "@example.org", AffiliateLink: slug}))
}

func (f *sampleProgram) people() {
	f.done(f.Webhooks().CreateEndpoint(f.ctx,
		affiliate.EndpointParams{URL: "https://hooks.example/a",
			Events: []affiliate.EventType{"*"}}))
	f.made.Plan = must[affiliate.Plan](f.t)(f.CreatePlan(f.ctx,
		affiliate.PlanParams{Name: "Gold" + f.text(),
			Terms: affiliate.Terms{Rate: affiliate.MustPercent("33.3"), HoldDays: 30}}))
	f.done(f.CreateTier(f.ctx,
		affiliate.TierParams{Tier: 1, Name: "One" + f.text(),
			Rate: affiliate.Set(affiliate.MustPercent("25"))}))
	f.made.Ada = f.join("Ada", "ada")
	f.done(f.UpdateAffiliate(f.ctx, affiliate.AffiliateRef{ID: f.made.Ada.ID},
		affiliate.AffiliateUpdate{Note: affiliate.Set("watch their refunds" + f.text())}))
	f.done(f.SetPayoutDetails(f.ctx, f.made.Ada.ID,
		affiliate.PayoutDetails{Method: "PAYPAL", Email: "ada@pay.example"}))
	f.done(f.CreateLink(f.ctx, affiliate.LinkParams{Link: "ada-two", AffiliateID: f.made.Ada.ID}))
	f.done(f.SetAffiliateStatus(f.ctx, affiliate.AffiliateDeactivated, f.join("deactivated", "deactivated").ID))
	f.done(f.Because("they spam"+f.text()).SetAffiliateStatus(f.ctx, affiliate.AffiliateBanned,
		f.join("banned", "banned").ID))
	f.join("declined", "declined")
	f.join("idle", "idle")
	f.done(f.SetAffiliatePlan(f.ctx, f.made.Plan.ID, f.join("planned", "planned").ID))
	f.made.Idle = must[affiliate.Affiliate](f.t)(f.CreateAffiliate(f.ctx,
		affiliate.AffiliateParams{FirstName: "Idle", LastName: "Y" + f.text(),
			Email: "idle2@example.org", AffiliateStatus: "inactive"}))
	f.done(f.InviteAffiliate(f.ctx,
		affiliate.AffiliateParams{FirstName: "Inv", LastName: "Z", Email: "inv@example.org"}))
}

func (f *sampleProgram) codes() {
	coupon := must[affiliate.Coupon](f.t)(f.CreateCoupon(f.ctx,
		affiliate.CouponParams{Name: "20 off" + f.text(),
			PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	for i := range 60 {
		f.done(f.CreateCode(f.ctx,
			affiliate.CodeParams{CouponID: coupon.ID, Code: fmt.Sprintf("ADA%d", i),
				AffiliateID: f.made.Ada.ID, MaxRedemptions: affiliate.Set(int64(5))}))
	}
}

func (f *sampleProgram) sell(in affiliate.SaleParams, total string) affiliate.Sale {
	f.pass(time.Hour)
	in.TotalEarned = affiliate.MustAmount(total)
	return must[affiliate.SaleResult](f.t)(f.RecordSale(f.ctx, in)).Sale.Or(affiliate.Sale{})
}

func (f *sampleProgram) sales() {
	f.click = must[affiliate.Click](f.t)(f.TrackClick(f.ctx,
		affiliate.ClickParams{Slug: "ada", DeviceID: "d",
			LandingURL: "https://beans.example/shop?x=1"}))
	f.made.Customer = must[affiliate.Referral](f.t)(f.CreateReferral(f.ctx,
		affiliate.ReferralParams{AffiliateID: "ada", Name: "Cus" + f.text(), Email: "cus@x.example",
			ReferredUserExternalID: "cus" + f.text(), Plan: "p"}))
	f.made.Paid = f.sell(affiliate.SaleParams{ReferralID: "ada", Email: "t@x.example",
		Name: "T" + f.text(), Tax: affiliate.MustAmount("9.5"), ExternalID: "o1" + f.text(),
		ExternalInvoiceID: "in" + f.text()}, "100")
	f.done(f.CreatePayout(f.ctx,
		affiliate.PayoutParams{AffiliateID: f.made.Ada.ID, ManuallyPaid: true,
			ExternalID: "p1" + f.text()}))
	f.done(f.RefundSale(f.ctx,
		affiliate.Refund{SaleID: f.made.Paid.ID, Amount: affiliate.Set(affiliate.MustAmount("10")),
			ClawBack: true}))
}

// cases makes one that was answered, and one that waits.
func (f *sampleProgram) cases() {
	asked := must[affiliate.Case](f.t)(f.OpenCase(f.ctx, affiliate.CaseParams{AffiliateID: f.made.Ada.ID,
		Kind: affiliate.SaleQuestion, SaleID: f.made.Paid.ID, Text: "Why so little?" + f.text()}))
	f.done(f.AnswerCase(f.ctx, asked.ID, affiliate.CaseAnswer{Answer: "It was refunded." + f.text()}))
	f.done(f.OpenCase(f.ctx, affiliate.CaseParams{AffiliateID: f.made.Ada.ID, Kind: affiliate.SaleClaim,
		ExternalID: "lost" + f.text(), Text: "My reader bought it." + f.text()}))
}

// payouts makes a payout of each state.
func (f *sampleProgram) payouts() {
	for i, status := range []affiliate.PayoutStatus{affiliate.PayoutProcessing,
		affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutReturned,
		affiliate.PayoutPending} {
		f.sell(affiliate.SaleParams{ReferralID: "ada", Email: "t@x.example", Name: "T"}, fmt.Sprint(300+i))
		made := must[affiliate.Payout](f.t)(f.CreatePayout(f.ctx, affiliate.PayoutParams{AffiliateID: f.made.Ada.ID}))
		switch status {
		case affiliate.PayoutProcessing:
			f.done(f.SetPayoutStatus(f.ctx, made.ID, status))
		case affiliate.PayoutFailed:
			f.done(f.SetPayoutStatus(f.ctx, made.ID, affiliate.PayoutProcessing))
			f.done(f.FailPayout(f.ctx, made.ID, "bank says no"+f.text()))
		case affiliate.PayoutCanceled:
			f.done(f.SetPayoutStatus(f.ctx, made.ID, affiliate.PayoutCanceled))
		case affiliate.PayoutReturned:
			f.done(f.SetPayoutStatus(f.ctx, made.ID, affiliate.PayoutPaid))
			f.done(f.ReturnPayout(f.ctx, made.ID, "bounced"+f.text()))
		default:
			f.made.Payout = made
		}
	}
}

// moreSales makes sales that no payout holds, more than a page shows.
func (f *sampleProgram) moreSales() {
	f.sell(affiliate.SaleParams{PromoCode: "ADA1", Email: "c@x.example", Name: "C"}, "80")
	f.sell(affiliate.SaleParams{ReferralID: fmt.Sprint(f.click.ID), Email: "k@x.example", Name: "K"}, "70.07")
	f.made.Held = f.sell(affiliate.SaleParams{ReferralID: "ada", Email: "ada@example.org",
		Name: "Self" + f.text()}, "60")
	full := f.sell(affiliate.SaleParams{Email: "cus@x.example", ReferralID: "cus@x.example"}, "55")
	f.done(f.RefundSale(f.ctx, affiliate.Refund{SaleID: full.ID}))
	for i := range 60 {
		f.made.Free = f.sell(affiliate.SaleParams{ReferralID: "ada",
			Email: fmt.Sprintf("b%d@x.example", i), Name: "B" + f.text(),
			Shipping: affiliate.MustAmount("1.1")}, "12.34")
	}
}

// lines makes rules, other terms to come, and a sale with lines of which some decide.
func (f *sampleProgram) lines() {
	rules := []affiliate.Rule{
		{Name: "Seats" + f.text(),
			When: affiliate.RuleWhen{Products: []string{"SEAT" + f.text(), "DESK"}, PaymentTo: 12},
			Pay:  affiliate.RulePay{Type: affiliate.RuleUnit, Rate: affiliate.MustPercent("2.5")},
			Firm: true},
		{Name: "New" + f.text(),
			When: affiliate.RuleWhen{Customer: affiliate.CustomerNew,
				NotCategories: []string{"gift" + f.text()}},
			Pay: affiliate.RulePay{Type: affiliate.RulePercentage,
				Rate: affiliate.MustPercent("40")}},
	}
	f.made.Plan = must[affiliate.Plan](f.t)(f.UpdatePlan(f.ctx, f.made.Plan.ID,
		affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set(rules)}}))
	later := affiliate.Set(affiliate.Day(2027, 1, 1))
	f.made.Plan = must[affiliate.Plan](f.t)(f.UpdatePlan(f.ctx, f.made.Plan.ID,
		affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("35")), From: later}}))
	f.done(f.SetTerms(f.ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("15")), From: later}))
	f.made.Lined = f.sell(affiliate.SaleParams{ReferralID: "planned", Email: "lines@x.example", Name: "L" + f.text(), Lines: []affiliate.Line{
		{ID: "1" + f.text(), ProductID: "DESK", PlanID: "p" + f.text(), Name: "Desk" + f.text(),
			Categories: []string{"office" + f.text()},
			Quantity:   affiliate.Set(affiliate.MustAmount("3")), Amount: affiliate.MustAmount("60")},
		{ProductID: "MILL" + f.text(), Amount: affiliate.MustAmount("50"), Discount: affiliate.MustAmount("10")},
	}}, "100")
}

// conflict reports a payment of somebody else that names an existing sale.
func (f *sampleProgram) conflict() {
	one := affiliate.MustAmount("1")
	res := must[affiliate.PaymentResult](f.t)(f.Payments().ReportPayment(f.ctx, affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"pi_" + f.text()}, At: f.Config().Now(), Currency: "USD",
		Payer: affiliate.PayerFact{ID: "cus_" + f.text(), Email: "eve@x.example"},
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: one,
			ExternalID: f.made.Paid.ExternalID.Or("")}, Gross: one,
			Tries: []affiliate.Credit{{ReferralID: fmt.Sprint(f.click.ID)}}}),
	}))
	if f.made.Conflict = res.Payment.ID; res.Outcome != affiliate.SaleConflict {
		f.t.Fatal(res.Outcome)
	}
}

// deliveries makes some attempts fail.
func (f *sampleProgram) deliveries() {
	for _, c := range must[[]affiliate.Claim](f.t)(f.Webhooks().ClaimDeliveries(f.ctx, 5, time.Minute)) {
		f.done(nil,
			f.Webhooks().SettleDeliveries(f.ctx,
				[]affiliate.Attempt{{Delivery: c.Delivery, Token: c.Token, At: f.Config().Now(),
					URL: c.URL, Status: 500, Response: "<b>no</b>" + f.text()}}))
		f.made.Delivery = c.Delivery
	}
}
