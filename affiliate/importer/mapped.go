package importer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The rows of a file with a mapping.

func (c *mappingWalk) affiliate(row *Row, _ *entry) {
	a := imported.Affiliate{
		Email: c.field("email"), FirstName: c.field("firstName"), LastName: c.field("lastName"),
		Status: affiliate.AffiliateStatus(c.word("status")), CreatedAt: c.at("createdAt"),
		ExternalID: c.field("externalId"), PayoutEmail: c.field("payoutEmail"),
		PaymentMethod: affiliate.PaymentMethod(strings.ToUpper(c.field("paymentMethod"))),
	}
	if name := c.field("name"); name != "" {
		a.FirstName, a.LastName = splitName(name)
	}
	if rate := c.field("commissionRate"); rate != "" {
		a.CommissionRate = affiliate.Set(c.percent(c.Columns["commissionRate"]))
	}
	for i, slug := range c.slugs() {
		a.Links = append(a.Links, imported.Link{Ref: c.ref(Links, strings.ToLower(slug)), Slug: slug})
		if i == 0 {
			a.Links[0].Clicks = c.number("clicks")
		}
	}
	row.Ref = c.refOf(strings.ToLower(a.Email), c.field("slug"))
	row.Item = Affiliate{a}
}

func (c *mappingWalk) code(row *Row, _ *entry) {
	text, currency := c.field("code"), c.currencyOf()
	in := imported.Coupon{CreatedAt: c.at("createdAt"), TimesRedeemed: c.number("timesRedeemed")}
	group := c.field("coupon")
	in.Name = cmp.Or(c.field("name"), group, text)
	if percent := c.field("percentOff"); percent != "" {
		in.PercentOff = affiliate.Set(c.percent(c.Columns["percentOff"]))
	}
	if off := c.money("amountOff", currency); !off.IsZero() {
		in.CouponType, in.AmountOff, in.Currency = affiliate.CouponFlat, affiliate.Set(off),
			affiliate.Set(c.said(currency))
	}
	in.Duration = affiliate.Duration(strings.ToLower(c.field("duration")))
	if months := c.number("durationInMonths"); months != 0 {
		in.DurationInMonths = affiliate.Set(months)
	}
	if most := c.number("couponMaxRedemptions"); most != 0 {
		in.MaxRedemptions = affiliate.Set(most)
	}
	in.Valid = c.flag("couponActive")
	code := imported.Code{Ref: c.ref(Codes, "#"+digest(strings.ToUpper(text))),
		Via: c.refer(Affiliates, "affiliate"), TimesRedeemed: in.TimesRedeemed}
	code.Code, code.AffiliateEmail, code.ExternalID = text, c.affiliateEmail(), c.field("externalId")
	if most := c.number("maxRedemptions"); most != 0 {
		code.MaxRedemptions = affiliate.Set(most)
	}
	if most := c.number("maxRedemptionsPerCustomer"); most != 0 {
		code.MaxRedemptionsPerCustomer = affiliate.Set(most)
	}
	given := func(a affiliate.Amount) (none affiliate.Opt[affiliate.Amount]) {
		if a.IsZero() {
			return none
		}
		return affiliate.Set(a)
	}
	if code.MinimumAmount = given(c.money("minimumAmount", currency)); !code.MinimumAmount.IsZero() && c.said(currency) != "" {
		code.MinimumAmountCurrency = affiliate.Set(c.said(currency))
	}
	if pieces := c.Columns["minimumQuantity"]; pieces != "" {
		code.MinimumQuantity = given(c.amount(pieces))
	}
	in.MaxDiscount, in.MaxDiscountTotal = given(c.money("maxDiscount", currency)),
		given(c.money("maxDiscountTotal", currency))
	code.StartsAt, code.ExpiresAt = c.day("startsAt"), c.day("expiresAt")
	code.Active = c.flag("active")
	if group != "" {
		in.ExternalID, in.TimesRedeemed = c.ref(Coupons, group), 0 // the sum of its codes
		if c.coupons == nil {
			c.coupons = map[string]string{}
		}
		terms := fmt.Sprint(in.CouponParams)
		if before, again := c.coupons[group]; again && before != terms {
			c.refuse(refusal.FieldOtherCoupon.Of(c.column("coupon")))
		}
		c.coupons[group] = terms
	}
	in.Codes = []imported.Code{code}
	if ref := c.refOf(strings.ToUpper(text)); ref != "" {
		row.Ref = c.ref(Coupons, strings.TrimPrefix(ref, c.ref(c.Kind, "")))
	}
	row.Item = Coupon{in}
}

// flag returns what a field says that is TRUE or FALSE.
func (c *mappingWalk) flag(field string) (none affiliate.Opt[bool]) {
	if word := c.word(field); word != "" {
		return affiliate.Set(word == "TRUE")
	}
	return none
}

func (c *mappingWalk) customer(row *Row, _ *entry) {
	in := imported.Referral{Unreferred: true}
	in.Email, in.ReferredUserExternalID = c.field("email"), c.field("customerId")
	row.Ref, row.Item = c.refOf(strings.ToLower(in.Email), in.ReferredUserExternalID), Referral{in}
}

func (c *mappingWalk) referral(row *Row, _ *entry) {
	in := imported.Referral{CreatedAt: c.at("createdAt"),
		Status: affiliate.SubscriptionStatus(c.word("status")), Via: c.via()}
	in.Name, in.Email, in.ReferredUserExternalID = c.field("name"), c.field("email"), c.field("customerId")
	in.AffiliateEmail, in.Plan = c.affiliateEmail(), c.field("plan")
	in.Payers = providerIDs(c.Provider, c.field("payer"))
	row.Ref = c.refOf(strings.ToLower(in.Email))
	row.Item = Referral{in}
}

func (c *mappingWalk) sale(row *Row, _ *entry) {
	currency := c.currencyOf()
	s := imported.Sale{
		CreatedAt: c.at("createdAt"), Email: c.field("email"), Name: c.field("name"), Via: c.via(),
		AffiliateEmail: c.affiliateEmail(), TotalEarned: c.money("total", currency),
		Tax: c.money("tax", currency), Shipping: c.money("shipping", currency),
		Refunded: c.money("refunded", currency), CommissionEarned: c.money("commission", currency),
		ExternalID: c.field("externalId"), InvoiceID: c.field("invoiceId"),
		Reason: c.field("reason"),
	}
	if !s.TotalEarned.IsZero() {
		s.Keys = providerIDs(c.Provider, c.field("keys"))
	}
	for _, ref := range c.refer(Referrals, "customer") {
		s.Customer = ref
	}
	payment := c.state(&s)
	if paid := c.field("totalCurrency"); paid != "" && !strings.EqualFold(paid, string(c.said(currency))) {
		c.refuse(refusal.RefuseOtherCurrency.On(c.column("totalCurrency")))
	}
	id := s.ExternalID
	if id == "" {
		id = digest(c.field("email"), c.field("createdAt"), c.field("total"), c.field("commission"),
			c.field("invoiceId"), c.field("customer"), c.field("affiliate"))
	}
	row.Ref = c.refOf(id)
	currency = c.said(currency)
	if c.word("type") == "BONUS" && s.TotalEarned.IsZero() && s.CommissionEarned.IsZero() && c.bad == nil {
		return // it says nothing
	}
	row.Item = Sale{s, currency}
	if c.bad == nil && payment != "" && !s.CommissionEarned.IsZero() {
		c.gather(row.Ref, &s, currency, payment)
	}
}

// state sets what the row says of its kind, approval and payment, and returns PAID, or
// PENDING when it is in a payout that is not paid; empty: it is not. What a column says and
// another does not agree with is refused, and so is what would be passed over.
func (c *mappingWalk) state(s *imported.Sale) (payment string) {
	word, payment, kind := c.word("status"), c.word("payment"), c.word("type")
	accepted := word == "" || word == "ACCEPTED" || word == "PAID"
	switch {
	case c.bad != nil:
	case payment == "UNPAID" && word == "PAID", payment != "" && payment != "UNPAID" && !accepted:
		c.refuse(refusal.FieldOtherState.Of(c.column("payment")))
	case word == "PAID", payment == "" && accepted && (c.field("paidAt") != "" || s.CreatedAt.Before(c.PaidBefore)):
		payment = "PAID"
	case payment == "UNPAID":
		payment = ""
	}
	for _, field := range []string{"paidAt", "payout"} {
		if c.field(field) != "" && payment != "PAID" && (payment == "" || field == "paidAt") {
			c.refuse(refusal.FieldNotPaid.Of(c.column(field)))
		}
	}
	for _, taken := range []struct {
		field string
		sum   affiliate.Amount
	}{{"total", s.TotalEarned}, {"commission", s.CommissionEarned}} {
		if taken.sum.Sign() < 0 || kind == "REFUND" {
			c.refuse(refusal.FieldClawback.Of(c.column(taken.field)))
		}
	}
	switch {
	case kind == "BONUS" && !s.TotalEarned.IsZero():
		c.refuse(refusal.FieldNotOfABonus.Of(c.column("total")))
	case kind != "BONUS" && !c.Leads && c.field("total") == "" && !s.CommissionEarned.IsZero():
		c.refuse(refusal.FieldNoTotal.Of(c.column("total")))
	}
	switch word {
	case "", "ACCEPTED", "PAID":
	case "REFUNDED":
		s.Refunded, s.CommissionEarned = s.TotalEarned, affiliate.Amount{}
	default:
		s.Approval = affiliate.ApprovalStatus(word)
	}
	return payment
}

// gather records a sale that was paid, or is PENDING. Its affiliate is that of the row, or
// that of the customer, which only the program knows.
func (c *mappingWalk) gather(ref string, s *imported.Sale, currency affiliate.Currency, payment string) {
	g := paidGroup{affiliate: c.field("affiliate"), payout: c.field("payout"), currency: currency}
	if g.affiliate == "" {
		g.affiliate = "#" + digest(cmp.Or(
			strings.ToLower(s.AffiliateEmail), strings.ToLower(c.field("slug")),
			strings.ToUpper(c.field("code")), s.Customer, strings.ToLower(s.Email),
		))
	}
	if g.payout != "" {
		g.affiliate = ""
	}
	at := c.at("paidAt")
	if payment == "PAID" && at.IsZero() {
		at = s.CreatedAt
	}
	c.paid.add(g, ref, s.CommissionEarned, at, c.Location)
}

func (c *mappingWalk) payout(row *Row, _ *entry) {
	currency := c.currencyOf()
	p := imported.Payout{
		CreatedAt: c.at("createdAt"), PaidAt: c.at("paidAt"), Status: affiliate.PayoutStatus(c.word("status")),
		Amount: c.money("amount", currency), ExternalID: c.field("externalId"),
	}
	for _, id := range listOf(c.field("sales")) {
		p.Sales = append(p.Sales, c.ref(Sales, id))
	}
	row.Ref = c.refOf(strings.Join(p.Sales, "\n"))
	row.Item = Payout{Payout: p, Currency: c.said(currency)}
}
