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

// changed draws a field of an update: usually not given, sometimes null.
func changed[T any](rt *rapid.T, label string, nullable bool, from ...T) affiliate.Opt[T] {
	if nullable && maybe(rt, label+" null", 6) {
		return affiliate.Null[T]()
	}
	if !maybe(rt, label+"?", 3) {
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(choose(rt, label, from...))
}

// put sets dst to the value of an update; null is the zero value.
func put[T any](dst *T, o affiliate.Opt[T]) {
	if !o.IsZero() {
		*dst, _ = o.Get()
	}
}

func (m *redeemMachine) changeCoupon(rt *rapid.T) {
	id := m.aCoupon(rt)
	up := affiliate.CouponUpdate{
		MaxRedemptions: changed[int64](rt, "limit", true, 1, 2, 5), Valid: changed(rt, "valid", false, true, true, false),
		LimitToProducts: changed(rt, "limited", false, true, false),
		ProductIDs:      changed(rt, "products", false, []string{"tea"}, []string{"beans", "tea"}), RestoreOnRefund: changed(rt, "restored", false, true, false),
		MaxRedemptionsPerCustomer: changed[int64](rt, "per customer", true, 1, 2), StartsAt: m.start(rt),
		MaxDiscountTotal: changed(rt, "budget", true, affiliate.MustAmount("1"), affiliate.MustAmount("40")),
		MaxDiscount:      changed(rt, "most", true, affiliate.MustAmount("1"), affiliate.MustAmount("20")),
	}
	if !maybe(rt, "same date", 2) {
		up.RedeemBy = m.moment(rt)
	}
	_, err := m.w.UpdateCoupon(m.ctx, id, up)
	if endsBefore(instantOf(up.StartsAt), instantOf(up.RedeemBy)) { // whatever the coupon is
		scene.RefusedAs(rt, "UpdateCoupon", affiliate.InvalidField, err)
		return
	}
	c := m.coupon(id)
	if c == nil {
		scene.RefusedAs(rt, "UpdateCoupon", affiliate.CouponNotFound, err)
		return
	}
	was := *c
	put(&c.max, up.MaxRedemptions)
	put(&c.valid, up.Valid)
	put(&c.limited, up.LimitToProducts)
	put(&c.products, up.ProductIDs)
	if !up.RedeemBy.IsZero() {
		c.redeemBy = instantOf(up.RedeemBy)
	}
	put(&c.restores, up.RestoreOnRefund)
	put(&c.each, up.MaxRedemptionsPerCustomer)
	if !up.StartsAt.IsZero() {
		c.starts = instantOf(up.StartsAt)
	}
	putRat(&c.budget, up.MaxDiscountTotal)
	if c.percent != nil {
		putRat(&c.most, up.MaxDiscount)
	}
	if c.limited && len(c.products) == 0 {
		scene.RefusedAs(rt, "UpdateCoupon", affiliate.MissingField, err)
		*c = was
		return
	}
	if endsBefore(c.starts, c.redeemBy) {
		scene.RefusedAs(rt, "UpdateCoupon", affiliate.InvalidField, err)
		*c = was
		return
	}
	scene.RefusedAs(rt, "UpdateCoupon", "", err)
	if was.line() != c.line() {
		m.story.foretell(affiliate.CouponUpdated, id)
	}
}

func (m *redeemMachine) aCode(rt *rapid.T) uuid.UUID {
	var ids []uuid.UUID
	for _, k := range m.codes {
		ids = append(ids, k.id)
	}
	return m.one(rt, "code", ids)
}

func (m *redeemMachine) changeCode(rt *rapid.T) {
	id := m.aCode(rt)
	up := affiliate.CodeUpdate{
		Active: changed(rt, "active", false, true, true, false), MaxRedemptions: changed[int64](rt, "limit", true, 1, 2, 5),
		FirstTimeOrder: changed(rt, "first", false, true, false), LimitToAffiliate: changed(rt, "limit to affiliate", false, true, false),
		LimitToCustomers: changed(rt, "limit to customers", false, true, false), CustomerID: changed(rt, "customer", true, m.customerNames()...),
		MinimumAmount:         changed(rt, "minimum", true, affiliate.MustAmount("0.01"), affiliate.MustAmount("25")),
		MinimumAmountCurrency: changed[affiliate.Currency](rt, "currency", false, "USD", "EUR"),
		ExpiresAt:             m.moment(rt), StartsAt: m.start(rt), MaxRedemptionsPerCustomer: changed[int64](rt, "per customer", true, 1, 2),
		MinimumQuantity: changed(rt, "pieces", true, affiliate.MustAmount("2"), affiliate.MustAmount("1")),
	}
	if maybe(rt, "rename", 4) {
		up.Code = affiliate.Set(typed(rt, choose(rt, "text", modelTexts...)))
	}
	if maybe(rt, "give", 4) {
		up.AffiliateID = affiliate.Set(m.anAffiliate(rt))
	} else if maybe(rt, "take away", 12) {
		up.AffiliateID = affiliate.Null[uuid.UUID]()
	}
	_, err := m.w.UpdateCode(m.ctx, id, up)
	if endsBefore(instantOf(up.StartsAt), instantOf(up.ExpiresAt)) { // whatever the code is
		scene.RefusedAs(rt, "UpdateCode", affiliate.InvalidField, err)
		return
	}
	k := m.code(id)
	if k == nil {
		scene.RefusedAs(rt, "UpdateCode", affiliate.PromotionalCodeNotFound, err)
		return
	}
	was := *k
	want := m.applyCode(k, up)
	scene.RefusedAs(rt, "UpdateCode", want, err)
	if want != "" {
		*k = was
	} else if was.line() != k.line() {
		m.story.foretell(affiliate.PromocodeUpdated, id)
	}
}

// applyCode applies the update as the contract says, or returns its refusal.
func (m *redeemMachine) applyCode(k *shopCode, up affiliate.CodeUpdate) affiliate.Reason {
	put(&k.active, up.Active)
	put(&k.max, up.MaxRedemptions)
	put(&k.first, up.FirstTimeOrder)
	put(&k.limitAffiliate, up.LimitToAffiliate)
	put(&k.limitCustomer, up.LimitToCustomers)
	put(&k.customer, up.CustomerID)
	if !up.ExpiresAt.IsZero() {
		k.expires = instantOf(up.ExpiresAt)
	}
	if !up.StartsAt.IsZero() {
		k.starts = instantOf(up.StartsAt)
	}
	put(&k.each, up.MaxRedemptionsPerCustomer)
	putRat(&k.pieces, up.MinimumQuantity)
	if minimum, ok := up.MinimumAmount.Get(); ok {
		k.minimum = scene.RatOf(minimum)
	} else if up.MinimumAmount.IsNull() {
		k.minimum = nil
	}
	if currency, ok := up.MinimumAmountCurrency.Get(); ok {
		k.currency = string(currency)
	}
	if k.minimum == nil {
		k.currency = ""
	} else if k.currency == "" {
		k.currency = "USD"
	}
	if id, ok := up.AffiliateID.Get(); ok && m.affiliate(id) == nil {
		return affiliate.AffiliateNotFound
	}
	put(&k.affiliate, up.AffiliateID)
	if k.limitCustomer && k.customer == "" {
		return affiliate.MissingField
	}
	if (!up.StartsAt.IsZero() || !up.ExpiresAt.IsZero()) && endsBefore(k.starts, k.expires) {
		return affiliate.InvalidField
	}
	if text, ok := up.Code.Get(); ok {
		if other := m.codeTyped(text); other != nil && other != k {
			return affiliate.CodeTaken
		}
		k.text = strings.Trim(text, " \t\n")
	}
	return ""
}

func (m *redeemMachine) deleteCoupon(rt *rapid.T) {
	id := m.aCoupon(rt)
	_, err := m.w.DeleteCoupon(m.ctx, id)
	if m.coupon(id) == nil {
		scene.RefusedAs(rt, "DeleteCoupon", affiliate.CouponNotFound, err)
		return
	}
	scene.RefusedAs(rt, "DeleteCoupon", "", err)
	for _, k := range m.codes {
		if k.coupon == id {
			m.gone = append(m.gone, k.id)
		}
	}
	drop(&m.codes, func(k *shopCode) bool { return k.coupon == id })
	drop(&m.coupons, func(c *shopCoupon) bool { return c.id == id })
	m.gone = append(m.gone, id)
	m.story.foretell(affiliate.CouponDeleted, id)
}

func (m *redeemMachine) deleteCode(rt *rapid.T) {
	id := m.aCode(rt)
	_, err := m.w.DeleteCode(m.ctx, id)
	if m.code(id) == nil {
		scene.RefusedAs(rt, "DeleteCode", affiliate.PromotionalCodeNotFound, err)
		return
	}
	scene.RefusedAs(rt, "DeleteCode", "", err)
	drop(&m.codes, func(k *shopCode) bool { return k.id == id })
	m.gone = append(m.gone, id)
	m.story.foretell(affiliate.PromocodeDeleted, id)
}

// deleteAffiliate deletes its links, referrals and sales; its codes stay,
// unassigned (rule 4.7).
func (m *redeemMachine) deleteAffiliate(rt *rapid.T) {
	id := m.anAffiliate(rt)
	scene.RefusedAs(rt, "DeleteAffiliate", "", m.w.Forfeiting().DeleteAffiliate(m.ctx, affiliate.AffiliateRef{ID: id}))
	if m.affiliate(id) == nil {
		return
	}
	m.loseSales(func(x *shopSale) bool { return x.affiliate == id })
	for _, r := range slices.Clone(m.referrals) {
		if r.affiliate == id {
			m.dropReferral(r)
		}
	}
	for _, k := range m.codes {
		if k.affiliate == id {
			k.affiliate = uuid.Nil
		}
	}
	drop(&m.affiliates, func(a *shopAffiliate) bool { return a.id == id })
	m.gone = append(m.gone, id)
	m.story.foretell(affiliate.AffiliateDeleted, id)
}

func (m *redeemMachine) loseSales(gone func(*shopSale) bool) {
	for _, x := range m.sales {
		if gone(x) {
			m.goneSales = append(m.goneSales, x.id)
		}
	}
	m.dropSales(gone)
}

// deleteReferral deletes the customer's sales too (rule 4.7).
func (m *redeemMachine) deleteReferral(rt *rapid.T) {
	ident := choose(rt, "referral", m.idents()...)
	if ident == "" {
		rt.Skip("nobody")
	}
	scene.RefusedAs(rt, "DeleteReferral", "", m.w.Forfeiting().DeleteReferral(m.ctx, ident))
	r := m.referral(ident)
	if r == nil || r.id.String() != ident && box(r.email) != box(ident) { // by the name of somebody who was merged nobody is deleted
		return
	}
	m.loseSales(func(x *shopSale) bool { return x.referral == r.id })
	m.dropReferral(r)
	m.gone = append(m.gone, r.id)
	m.story.foretell(affiliate.ReferralDeleted, r.id)
}

func (m *redeemMachine) aSale(rt *rapid.T) affiliate.SaleID {
	if len(m.goneSales) > 0 && maybe(rt, "sale gone", 6) {
		return choose(rt, "sale", m.goneSales...)
	}
	return anyFrom(rt, "sale", m.sales).id
}

func (m *redeemMachine) deleteSale(rt *rapid.T) {
	id := m.aSale(rt)
	if done := find(m.sales, (*shopSale).refundedInFull); done != nil && maybe(rt, "a refunded one", 2) {
		id = done.id
	}
	scene.RefusedAs(rt, "DeleteSale", "", m.w.DeleteSale(m.ctx, id))
	x := m.sale(id)
	if x == nil {
		return
	}
	if !x.refundedInFull() {
		m.story.foretell(affiliate.SaleDeleted, id)
	}
	m.loseSales(func(y *shopSale) bool { return x == y })
}

// idents returns the values that a referralId may have.
func (m *redeemMachine) idents() []string {
	out := []string{"", "", "", "c1@example.com", "C2@Example.com", "nobody", "9999999999999999999999", uuid.Nil.String()}
	for _, r := range m.referrals {
		out = append(out, r.id.String())
	}
	for _, a := range m.affiliates {
		out = append(out, a.id.String(), folded(a.slug))
	}
	if len(m.gone) > 0 {
		out = append(out, m.gone[len(m.gone)-1].String())
	}
	return out
}

func (m *redeemMachine) setStatus(rt *rapid.T) {
	ident := choose(rt, "referral", m.idents()...)
	if !maybe(rt, "anybody", 6) {
		ident = anyFrom(rt, "customer", m.referrals).email
	}
	status := choose(rt, "status", affiliate.SubscriptionActive, affiliate.SubscriptionActive, affiliate.SubscriptionPastDue,
		affiliate.SubscriptionCancelled, affiliate.SubscriptionSubmitted, affiliate.SubscriptionDeclined)
	_, err := m.w.PushReferralStatus(m.ctx, ident, status)
	r := m.referral(ident)
	if ident == "" || r == nil {
		want := affiliate.ReferralNotFound
		if ident == "" {
			want = affiliate.MissingField
		}
		scene.RefusedAs(rt, "PushReferralStatus", want, err)
		return
	}
	scene.RefusedAs(rt, "PushReferralStatus", "", err)
	if r.status != status {
		r.status = status
		m.story.foretell(affiliate.ReferralUpdated, r.id)
	}
}

func (m *redeemMachine) refund(rt *rapid.T) {
	in := affiliate.Refund{SaleID: m.aSale(rt), RefundID: choose(rt, "refundId", "", "r1", "r1", "R1")}
	x := m.sale(in.SaleID)
	if !maybe(rt, "the rest", 3) {
		in.Amount = affiliate.Set(affiliate.MustAmount(choose(rt, "amount", "0.0001", "0.01", "3.33", "5", "24.9999")))
	}
	got, err := m.w.RefundSale(m.ctx, in)
	if x == nil {
		scene.RefusedAs(rt, "RefundSale", affiliate.SaleNotFound, err)
		return
	}
	if x.refundedInFull() || in.RefundID != "" && slices.Contains(x.refunds, in.RefundID) {
		scene.RefusedAs(rt, "RefundSale", "", err)
		if got != (affiliate.RefundResult{Success: true, AlreadyRefunded: true, Reason: affiliate.RefundedAlready}) {
			rt.Errorf("RefundSale again: %+v", got)
		}
		return
	}
	left := scene.RatDiff(x.total, x.refunded)
	amount := left
	if given, ok := in.Amount.Get(); ok {
		amount = scene.RatOf(given)
	}
	if amount.Cmp(left) > 0 {
		scene.RefusedAs(rt, "RefundSale", affiliate.RefundExceedsSale, err)
		return
	}
	scene.RefusedAs(rt, "RefundSale", "", err)
	x.refunded, x.refunds = scene.RatSum(x.refunded, amount), append(x.refunds, in.RefundID)
	want := affiliate.RefundResult{Success: true, Reason: affiliate.RefundedInPart}
	if x.refundedInFull() {
		want.Reason = affiliate.RefundedInFull
		m.giveBack(x)
		m.story.foretell(affiliate.SaleDeleted, x.id)
	} else {
		m.story.foretell(affiliate.SaleUpdated, x.id)
	}
	if got != want {
		rt.Errorf("RefundSale: %+v, want %+v", got, want)
	}
}

// restore gives a redemption back, once for each sale, even if the sale was
// deleted.
func (m *redeemMachine) restore(rt *rapid.T) {
	ref, row := affiliate.SaleRef{}, (*shopRedemption)(nil)
	if maybe(rt, "of an order", 4) {
		ref.ExternalID = choose(rt, "order", "order-1", "order-2", "Order-2")
		if x := m.sold(ref.ExternalID); x != nil {
			row = find(m.ledger, func(r *shopRedemption) bool { return r.sale == x.id })
		} else {
			row = m.alone(ref.ExternalID)
		}
	} else {
		ref.ID = m.aSale(rt)
		row = find(m.ledger, func(r *shopRedemption) bool { return r.sale == ref.ID })
	}
	err := m.w.RestoreRedemption(m.ctx, ref)
	switch {
	case row == nil:
		scene.RefusedAs(rt, "RestoreRedemption", affiliate.RedemptionNotFound, err)
	case row.restored:
		scene.RefusedAs(rt, "RestoreRedemption", affiliate.RedemptionRestored, err)
	default:
		scene.RefusedAs(rt, "RestoreRedemption", "", err)
		row.restored = true
		m.restored = append(m.restored, row.code, row.coupon)
	}
}
