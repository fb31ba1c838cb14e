package proofs_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// typedCode draws a code as a customer types it.
func (m *redeemMachine) typedCode(rt *rapid.T) string {
	if len(m.codes) == 0 || maybe(rt, "stranger", 12) {
		return choose(rt, "stranger text", append(strangers, modelTexts...)...)
	}
	return typed(rt, choose(rt, "code", m.codes...).text)
}

func (m *redeemMachine) errand(rt *rapid.T) errand {
	totals := []string{"0.01", "0.05", "9.99", "24.9999", "25", "25.0001", "99.95", "199.99"}
	e := errand{
		code: m.typedCode(rt), referralID: choose(rt, "referralId", m.idents()...),
		email:   choose(rt, "email", "", "", "c1@example.com", " C1@Example.COM ", "c2@example.com", "c1+Shop@example.com", "t.om@gmail.com", "Tom+2@googlemail.com"),
		pieces:  choose(rt, "pieces", affiliate.Opt[affiliate.Amount]{}, affiliate.Set(affiliate.MustAmount("1.9999")), affiliate.Set(affiliate.MustAmount("2"))),
		product: choose(rt, "product", "", "", "beans", "tea"), external: choose(rt, "externalId", "", "", "", "", "", "order-1", "order-2", "Order-2"),
		name:  choose(rt, "name", "", "Tomas Berg", "Tomas Berg"),
		total: affiliate.Set(affiliate.MustAmount(choose(rt, "total", totals...))),
		rate:  optionally(rt, "rate", affiliate.MustPercent("0"), affiliate.MustPercent("12.3456"), affiliate.MustPercent("100")),
	}
	if maybe(rt, "referralId not sent", 2) {
		e.referralID = ""
	}
	if maybe(rt, "without code", 6) {
		e.code = ""
	}
	if maybe(rt, "deductions", 3) {
		e.tax, e.shipping = affiliate.MustAmount(choose(rt, "tax", "0.0033", "9.5")), affiliate.MustAmount(choose(rt, "shipping", "0", "0.0067"))
	}
	return e
}

func (e errand) order() affiliate.Order {
	return affiliate.Order{
		PromoCode: e.code, TotalEarned: e.total, Email: e.email, ReferralID: e.referralID,
		Product: affiliate.Set(affiliate.Product{ProductID: e.product, Quantity: e.pieces}),
	}
}

func (e errand) sale() affiliate.SaleParams {
	return affiliate.SaleParams{
		PromoCode: e.code, ReferralID: e.referralID, Email: e.email, Name: e.name, TotalEarned: e.total.Or(affiliate.Amount{}),
		Tax: e.tax, Shipping: e.shipping, ExternalID: e.external, CommissionRate: e.rate, HoldID: e.hold,
		Product: affiliate.Set(affiliate.Product{ProductID: e.product, Quantity: e.pieces}),
	}
}

// preview compares Evaluate with the rules. Rules without input are unverified.
func (m *redeemMachine) preview(rt *rapid.T) {
	e := m.errand(rt)
	if maybe(rt, "without total", 3) {
		e.total = affiliate.Opt[affiliate.Amount]{}
	}
	m.evaluate(rt, e)
}

func (m *redeemMachine) evaluate(rt *rapid.T, e errand) affiliate.Evaluation {
	got, err := m.w.Evaluate(m.ctx, e.order())
	if strings.Trim(e.code, " \t\n") == "" {
		scene.RefusedAs(rt, "Evaluate", affiliate.MissingField, err)
		return got
	}
	scene.RefusedAs(rt, "Evaluate", "", err)
	fails, open := m.judge(e.code, e, m.who(e), m.w.Now, nil)
	sameFailures(rt, "Evaluate", fails, got.Reasons)
	if m.sharesBasket(e) {
		open = append(open, affiliate.ProductShare) // no errand has a price
	}
	if !slices.Equal(got.Unverified, open) {
		rt.Errorf("Evaluate: unverified %v, want %v", got.Unverified, open)
	}
	if got.Valid != (len(fails) == 0) {
		rt.Errorf("Evaluate: valid %v with the reasons %v", got.Valid, got.Reasons)
	}
	discount, name := "-", "-"
	if k := m.codeTyped(e.code); k != nil {
		discount, name = m.coupon(k.coupon).discount(e.total), k.text
	}
	if orDash(got.Discount) != discount {
		rt.Errorf("Evaluate: discount %v of %v, want %v", orDash(got.Discount), orDash(e.total), discount)
	}
	if c, _ := got.Code.Get(); c.Code != strings.TrimPrefix(name, "-") {
		rt.Errorf("Evaluate: code %q, want %q", c.Code, name)
	}
	return got
}

// sharesBasket reports whether a coupon is for some products, and the basket may be of others too.
func (m *redeemMachine) sharesBasket(e errand) bool {
	k := m.codeTyped(e.code)
	_, sent := e.total.Get()
	if k == nil || !sent {
		return false
	}
	c := m.coupon(k.coupon)
	return c.limited && (e.product == "" || slices.Contains(c.products, e.product))
}

// sameFailures compares reasons and their data; another test compares the
// texts.
func sameFailures(rt *rapid.T, call string, want, got []affiliate.Failure) {
	bare := slices.Clone(got)
	for i := range bare {
		if bare[i].Message == "" {
			rt.Errorf("%s: %s has no text", call, bare[i].Reason)
		}
		bare[i].Message = ""
	}
	if !slices.EqualFunc(want, bare, func(a, b affiliate.Failure) bool { return cmp.Equal(a, b) }) {
		rt.Errorf("%s: failing rules (-model +engine):\n%s", call, cmp.Diff(want, bare))
	}
}

func (m *redeemMachine) sell(rt *rapid.T) { m.record(rt, m.errand(rt)) }

// previewAndSell compares the preview with the sale that follows: I13.
func (m *redeemMachine) previewAndSell(rt *rapid.T) {
	e := m.errand(rt)
	if strings.Trim(e.code, " \t\n") == "" {
		rt.Skip("no code")
	}
	seen := m.evaluate(rt, e)
	got, err := m.record(rt, e)
	if err == nil && got.Outcome == affiliate.SaleDuplicate {
		return // a duplicate comes before all rules of a code
	}
	refusal, refused := errors.AsType[*affiliate.Error](err)
	if refused && refusal.Reason == affiliate.InvalidField {
		return // the preview has no tax and shipping
	}
	if refused && refusal.Reason == affiliate.MissingField && seen.Valid {
		return // a house code without anybody to credit, and the order has no id
	}
	if seen.Valid == refused {
		rt.Errorf("the preview said valid %v, the sale %v", seen.Valid, err)
	}
	if refused && !cmp.Equal(seen.Reasons, refusal.Failures) {
		rt.Errorf("reasons (-preview +sale):\n%s", cmp.Diff(seen.Reasons, refusal.Failures))
	}
	sale, recorded := got.Sale.Get()
	if seen.Valid && got.Outcome != affiliate.SaleInactiveCustomer && got.Outcome != affiliate.SaleRedeemed && !recorded {
		rt.Errorf("the preview said valid, the outcome is %s", got.Outcome)
	}
	if recorded && sale.TotalEarned != e.total.Or(affiliate.Amount{}) {
		rt.Errorf("the discount was priced on %v, the sale is of %v", e.total, sale.TotalEarned)
	}
}

// record reports a sale and computes the expected result: contract 3.7.
func (m *redeemMachine) record(rt *rapid.T, e errand) (affiliate.SaleResult, error) {
	got, err := m.w.RecordSale(m.ctx, e.sale())
	b := m.who(e)
	e.paid = e.total.Or(affiliate.Amount{})
	h, hold := m.heldFor(&e)
	b = b.by(h, m.w.Now)
	outcome, want, fails := m.outcome(e, b, h, hold)
	scene.RefusedAs(rt, "RecordSale", want, err)
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		sameFailures(rt, "RecordSale", fails, refusal.Failures)
		return got, err
	}
	if got.Outcome != outcome {
		rt.Fatalf("RecordSale: %s, want %s", got.Outcome, outcome)
	}
	alone := m.alone(e.external) != nil && m.sold(e.external) == nil
	if earlier, ok := got.Earlier.Get(); ok != (outcome == affiliate.SaleDuplicate && !alone) || ok && earlier.ExternalID.Or("") != e.external {
		rt.Errorf("RecordSale: %s with the earlier sale %v", outcome, earlier.ID)
	}
	sale, ok := got.Sale.Get()
	if ok != (outcome == affiliate.SaleRecorded) {
		rt.Fatalf("RecordSale: %s with the sale %v", outcome, sale.ID)
	}
	if ok {
		m.book(rt, e, b, sale, h)
	}
	if outcome == affiliate.SaleRedeemed {
		m.redeem(rt, e, b, 0, h)
	}
	return got, nil
}

// outcome returns what the contract says about a reported sale. refused is what its hold is refused for.
func (m *redeemMachine) outcome(e errand, b buyer, h *shopHold, refused affiliate.Reason) (affiliate.SaleOutcome, affiliate.Reason, []affiliate.Failure) {
	byCode := strings.Trim(e.code, " \t\n") != ""
	switch {
	case !byCode && e.hold == "" && e.referralID == "" && e.email == "":
		return "", affiliate.AttributionRequired, nil
	case scene.RatSum(scene.RatOf(e.tax), scene.RatOf(e.shipping)).Cmp(scene.RatOf(e.paid)) > 0:
		return "", affiliate.InvalidField, nil
	case m.sold(e.external) != nil, m.house && m.alone(e.external) != nil:
		return affiliate.SaleDuplicate, "", nil
	case refused != "":
		return "", refused, nil
	}
	if byCode {
		fails, _ := m.judge(e.code, e, b, m.w.Now, h)
		if h != nil {
			fails = withoutLimits(fails)
		}
		if len(fails) > 0 {
			return "", fails[0].Reason, fails
		}
		if m.codeTyped(e.code).affiliate == uuid.Nil && b.affiliate == uuid.Nil && b.referral == nil {
			if e.external == "" {
				return "", affiliate.MissingField, nil
			}
			return affiliate.SaleRedeemed, "", nil
		}
	} else if b.affiliate == uuid.Nil && b.referral == nil {
		return affiliate.SaleUnattributed, "", nil
	}
	if !byCode && b.referral == nil && (b.email == "" || e.name == "") {
		return "", affiliate.MissingField, nil
	}
	if b.referral != nil && (b.referral.status == affiliate.SubscriptionSubmitted || b.referral.status == affiliate.SubscriptionDeclined) {
		return affiliate.SaleInactiveCustomer, "", nil
	}
	return affiliate.SaleRecorded, "", nil
}

// book writes the sale into the model: the credited affiliate, the customer,
// the money and the redemption.
func (m *redeemMachine) book(rt *rapid.T, e errand, b buyer, sale affiliate.Sale, h *shopHold) {
	x := &shopSale{
		id: sale.ID, affiliate: b.affiliate, link: b.link, email: b.email, external: e.external,
		total: scene.RatOf(sale.TotalEarned), rate: scene.PercentRat(e.rate.Or(affiliate.MustPercent("20"))), refunded: new(big.Rat),
	}
	x.base = scene.RatDiff(x.total, scene.RatSum(scene.RatOf(e.tax), scene.RatOf(e.shipping)))
	if email := folded(strings.TrimSpace(e.email)); email != "" {
		x.email = email // the sale keeps the email that was sent
	}
	k := m.codeTyped(e.code)
	if strings.Trim(e.code, " \t\n") == "" {
		k = nil
	}
	switch {
	case k != nil:
		if m.redeem(rt, e, b, sale.ID, h); k.affiliate != uuid.Nil {
			x.affiliate, x.link = k.affiliate, uuid.Nil
		} else if b.affiliate == uuid.Nil {
			x.affiliate, x.link = b.referral.affiliate, b.referral.link
		}
		x.code = k.id
	case b.affiliate == uuid.Nil:
		x.affiliate, x.link = b.referral.affiliate, b.referral.link
	}
	if slices.Contains(m.goneSales, sale.ID) || m.sale(sale.ID) != nil {
		rt.Errorf("the number %d is given out again", sale.ID)
	}
	if b.referral == nil && b.email != "" {
		r, ok := sale.Referral.Get()
		if !ok {
			rt.Fatalf("sale %d of a new customer has no referral", sale.ID)
		}
		b.referral = &shopReferral{id: r.ID, affiliate: x.affiliate, email: b.email, status: affiliate.SubscriptionActive, link: x.link}
		m.referrals = append(m.referrals, b.referral)
		m.story.foretell(affiliate.ReferralCreated, r.ID)
	}
	if b.referral != nil {
		x.referral = b.referral.id
	}
	m.sales = append(m.sales, x)
	m.story.foretell(affiliate.SaleCreated, sale.ID)
}

// refer attributes a customer by code. The code is evaluated as for a sale, and
// nothing is counted (rule 3.3).
func (m *redeemMachine) refer(rt *rapid.T) {
	in := affiliate.ReferralParams{
		PromoCode: m.typedCode(rt), Name: "Tomas Berg", Email: choose(rt, "email", "c1@example.com", "C2@example.com", "c4@example.com"),
		ReferredUserExternalID: choose(rt, "external id", "ext-1", "ext-2"), AffiliateID: choose(rt, "affiliateId", m.idents()...),
	}
	got, err := m.w.CreateReferral(m.ctx, in)
	if strings.Trim(in.PromoCode, " \t\n") == "" {
		if in.AffiliateID == "" {
			scene.RefusedAs(rt, "CreateReferral", affiliate.AttributionRequired, err)
			return
		}
		m.referWithoutCode(rt, in, got, err)
		return
	}
	if m.taken(in.ReferredUserExternalID, in.Email) {
		scene.RefusedAs(rt, "CreateReferral", affiliate.ReferralExternalIDTaken, err)
		return
	}
	if r := m.referral(in.Email); r != nil {
		scene.RefusedAs(rt, "CreateReferral", "", err)
		if got.ID != r.id {
			rt.Errorf("CreateReferral: %v, want the one that is there", got.ID)
		}
		m.knownAs(r, in.ReferredUserExternalID)
		return
	}
	named := m.who(errand{referralID: m.affiliateIdent(in.AffiliateID)}).affiliate
	b := buyer{named: true, email: folded(in.Email), customer: in.ReferredUserExternalID, affiliate: named}
	fails, _ := m.judge(in.PromoCode, errand{}, b, m.w.Now, nil)
	if len(fails) > 0 {
		scene.RefusedAs(rt, "CreateReferral", fails[0].Reason, err)
		refusal, _ := errors.AsType[*affiliate.Error](err)
		sameFailures(rt, "CreateReferral", fails, refusal.Failures)
		return
	}
	owner, link := m.codeTyped(in.PromoCode).affiliate, uuid.Nil
	if owner == uuid.Nil { // a house code refers nobody
		to := m.who(errand{referralID: m.affiliateIdent(in.AffiliateID)})
		owner, link = to.affiliate, to.link
	}
	if owner == uuid.Nil {
		scene.RefusedAs(rt, "CreateReferral", affiliate.CodeUnassigned, err)
		return
	}
	scene.RefusedAs(rt, "CreateReferral", "", err)
	m.addReferral(in, got.ID, owner, link)
}

// affiliateIdent returns ident where an affiliateId may be a referral's.
func (m *redeemMachine) affiliateIdent(ident string) string {
	if m.referral(ident) != nil {
		return ""
	}
	return ident
}

func (m *redeemMachine) referWithoutCode(rt *rapid.T, in affiliate.ReferralParams, got affiliate.Referral, err error) {
	to := m.who(errand{referralID: m.affiliateIdent(in.AffiliateID)})
	switch {
	case m.taken(in.ReferredUserExternalID, in.Email):
		scene.RefusedAs(rt, "CreateReferral", affiliate.ReferralExternalIDTaken, err)
	case m.referral(in.Email) != nil:
		scene.RefusedAs(rt, "CreateReferral", "", err)
		m.knownAs(m.referral(in.Email), in.ReferredUserExternalID)
	case to.affiliate == uuid.Nil:
		if !errors.Is(err, affiliate.ErrNotFound) {
			rt.Errorf("CreateReferral for nobody: %v", err)
		}
	default:
		scene.RefusedAs(rt, "CreateReferral", "", err)
		m.addReferral(in, got.ID, to.affiliate, to.link)
	}
}

// knownAs gives a customer without the host's id the one of a request.
func (m *redeemMachine) knownAs(r *shopReferral, external string) {
	if r.external == "" {
		r.external = external
		m.story.foretell(affiliate.ReferralUpdated, r.id)
	}
}

func (m *redeemMachine) addReferral(in affiliate.ReferralParams, id, owner, link uuid.UUID) {
	m.referrals = append(m.referrals, &shopReferral{
		id: id, affiliate: owner, link: link, email: folded(in.Email), external: in.ReferredUserExternalID, status: affiliate.SubscriptionActive,
	})
	m.story.foretell(affiliate.ReferralCreated, id)
}
