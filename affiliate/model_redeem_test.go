package affiliate_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

// A redeemMachine plays coupons, codes, sales and refunds on the engine and on a
// shop.
type redeemMachine struct {
	shop
	w         *world
	story     chronicle
	ctx       context.Context
	born      int // names that are never drawn twice
	gone      []uuid.UUID
	goneSales []affiliate.SaleID
	counts    map[uuid.UUID]int64 // timesRedeemed after the step before
	restored  []uuid.UUID         // what this step may count down
}

func TestModelRedemption(t *testing.T) {
	onModelStores(t, func(rt *rapid.T, w *world) {
		m := &redeemMachine{w: w, story: chronicle{w: w}, ctx: context.Background(), counts: map[uuid.UUID]int64{}}
		for range 2 {
			m.newAffiliate(rt)
		}
		m.newCoupon(rt)
		m.newCode(rt)
		m.newCode(rt)
		actions := map[string]func(*rapid.T){
			"new affiliate":    m.newAffiliate,
			"new coupon":       m.newCoupon,
			"new code":         m.newCode,
			"change coupon":    m.changeCoupon,
			"change code":      m.changeCode,
			"delete coupon":    func(rt *rapid.T) { m.seldom(rt, m.deleteCoupon) },
			"delete code":      func(rt *rapid.T) { m.seldom(rt, m.deleteCode) },
			"delete affiliate": func(rt *rapid.T) { m.seldom(rt, m.deleteAffiliate) },
			"delete referral":  func(rt *rapid.T) { m.seldom(rt, m.deleteReferral) },
			"delete sale":      func(rt *rapid.T) { m.seldom(rt, m.deleteSale) },
			"refer":            m.refer,
			"set status":       func(rt *rapid.T) { m.seldom(rt, m.setStatus) },
			"preview":          m.preview,
			"refund":           m.refund,
			"restore":          m.restore,
			"time passes":      m.pass,
			"":                 m.check,
		}
		for i := range 5 { // most of what happens
			actions[fmt.Sprint("sell ", i)] = m.sell
			actions[fmt.Sprint("preview and sell ", i)] = m.previewAndSell
		}
		rt.Repeat(actions)
	})
}

// seldom keeps what ends things from ending them all.
func (m *redeemMachine) seldom(rt *rapid.T, action func(*rapid.T)) {
	if !maybe(rt, "really", 6) {
		rt.Skip("not this time")
	}
	action(rt)
}

// fresh is a text that no other step gets.
func (m *redeemMachine) fresh(prefix string) string {
	m.born++
	return fmt.Sprint(prefix, m.born)
}

func (m *redeemMachine) newAffiliate(rt *rapid.T) {
	slug := m.fresh("Slug-")
	a, err := m.w.CreateAffiliate(m.ctx, affiliate.NewAffiliate{
		FirstName: "Ada", LastName: "Lovelace", Email: slug + "@example.com", AffiliateLink: slug,
	})
	refusedAs(rt, "CreateAffiliate", "", err)
	m.affiliates = append(m.affiliates, &shopAffiliate{id: a.ID, slug: slug, link: a.AffiliateLinks[0].ID})
	m.story.foretell(affiliate.AffiliateCreated, a.ID)
}

// limits are drawn small, so that they are reached.
func limit(rt *rapid.T) affiliate.Opt[int64] { return optionally[int64](rt, "limit", 1, 1, 2, 3) }

// moment is a date around now, to the millisecond.
func (m *redeemMachine) moment(rt *rapid.T) affiliate.Opt[affiliate.Date] {
	if !maybe(rt, "date", 3) {
		return affiliate.Opt[affiliate.Date]{}
	}
	d := choose(rt, "until", 0, -time.Millisecond, time.Millisecond, time.Hour, time.Hour, 24*time.Hour, 24*time.Hour)
	return affiliate.Set(affiliate.At(m.w.now.Add(d)))
}

func instantOf(o affiliate.Opt[affiliate.Date]) time.Time {
	d, ok := o.Get()
	if !ok {
		return time.Time{}
	}
	return d.Instant(time.UTC)
}

func (m *redeemMachine) newCoupon(rt *rapid.T) {
	in := affiliate.NewCoupon{
		Name: m.fresh("Coupon "), MaxRedemptions: limit(rt), RedeemBy: m.moment(rt), Valid: optionally(rt, "valid", true, true, true, true, false),
		LimitToProducts: maybe(rt, "limited", 5), ProductIDs: choose(rt, "products", nil, []string{"beans"}, []string{"mugs", "beans"}),
	}
	c := &shopCoupon{
		name: in.Name, max: in.MaxRedemptions.Or(0), valid: in.Valid.Or(true), redeemBy: instantOf(in.RedeemBy),
		limited: in.LimitToProducts, products: in.ProductIDs,
	}
	if maybe(rt, "flat", 3) {
		off, currency := choose(rt, "off", "0.004", "5", "9.995", "1000"), choose(rt, "currency", "USD", "USD", "EUR")
		in.CouponType, in.AmountOff, in.Currency = affiliate.CouponFlat, affiliate.Set(affiliate.MustAmount(off)), affiliate.Set(affiliate.Currency(currency))
		c.flat, c.currency = ratOf(affiliate.MustAmount(off)), currency
	} else {
		off := affiliate.MustPercent(choose(rt, "off", "1", "12.5", "20", "33.3333", "100"))
		in.PercentOff = affiliate.Set(off)
		c.percent = percentRat(off)
	}
	got, err := m.w.CreateCoupon(m.ctx, in)
	if in.LimitToProducts && len(in.ProductIDs) == 0 {
		refusedAs(rt, "CreateCoupon", affiliate.MissingField, err)
		return
	}
	refusedAs(rt, "CreateCoupon", "", err)
	c.id = got.ID
	m.coupons = append(m.coupons, c)
	m.story.foretell(affiliate.CouponCreated, c.id)
}

// texts are few, so that they clash.
var modelTexts = []string{"SPRING", "Autumn20", "mara-20", `A"<b>%41`, "kiss"}

// strangers are texts that a wrong folding takes for one of the codes.
var strangers = []string{"ſPRING", "\u212Aiss", "k\u0131ss", "SPR ING", "=SPRING", "", "nobody"}

// one draws one of some records that live, or seldom one that is gone.
func (m *redeemMachine) one(rt *rapid.T, label string, live []uuid.UUID) uuid.UUID {
	if len(m.gone) > 0 && maybe(rt, label+" gone", 10) {
		return choose(rt, label, m.gone...)
	}
	return anyFrom(rt, label, live)
}

func (m *redeemMachine) aCoupon(rt *rapid.T) uuid.UUID {
	var ids []uuid.UUID
	for _, c := range m.coupons {
		ids = append(ids, c.id)
	}
	return m.one(rt, "coupon", ids)
}

func (m *redeemMachine) anAffiliate(rt *rapid.T) uuid.UUID {
	var ids []uuid.UUID
	for _, a := range m.affiliates {
		ids = append(ids, a.id)
	}
	return m.one(rt, "affiliate", ids)
}

// customerNames are what a code may be limited to.
func (m *redeemMachine) customerNames() []string {
	names := []string{"c1@example.com", "c2@example.com", "ext-1"}
	for _, r := range m.referrals {
		names = append(names, r.id.String())
	}
	return names
}

func (m *redeemMachine) newCode(rt *rapid.T) {
	in := affiliate.NewCode{
		CouponID: m.aCoupon(rt), Code: typed(rt, choose(rt, "code", modelTexts...)),
		Active: optionally(rt, "active", true, true, true, true, false), ExpiresAt: m.moment(rt), MaxRedemptions: limit(rt),
		FirstTimeOrder: maybe(rt, "first", 3), LimitToAffiliate: maybe(rt, "limit to affiliate", 4),
		LimitToCustomers: maybe(rt, "limit to customer", 6),
	}
	if !maybe(rt, "unassigned", 12) {
		in.AffiliateID = m.anAffiliate(rt)
	}
	if !maybe(rt, "no customer", 4) {
		in.CustomerID = choose(rt, "customer id", m.customerNames()...)
	}
	if maybe(rt, "minimum", 4) {
		in.MinimumAmount = affiliate.Set(choose(rt, "minimum amount", affiliate.MustAmount("0"), affiliate.MustAmount("25")))
		in.MinimumAmountCurrency = optionally[affiliate.Currency](rt, "minimum currency", "usd", "usd", "EUR")
	}
	got, err := m.w.CreateCode(m.ctx, in)
	want := affiliate.Reason("")
	switch {
	case in.LimitToCustomers && in.CustomerID == "":
		want = affiliate.MissingField
	case m.coupon(in.CouponID) == nil:
		want = affiliate.CouponNotFound
	case in.AffiliateID != uuid.Nil && m.affiliate(in.AffiliateID) == nil:
		want = affiliate.AffiliateNotFound
	case m.codeTyped(in.Code) != nil:
		want = affiliate.CodeTaken
	}
	if refusedAs(rt, "CreateCode", want, err); want != "" {
		return
	}
	k := &shopCode{
		id: got.ID, coupon: in.CouponID, affiliate: in.AffiliateID, text: strings.Trim(in.Code, " \t\n"), active: in.Active.Or(true),
		expires: instantOf(in.ExpiresAt), max: in.MaxRedemptions.Or(0), first: in.FirstTimeOrder,
		limitCustomer: in.LimitToCustomers, customer: in.CustomerID, limitAffiliate: in.LimitToAffiliate,
	}
	if minimum, ok := in.MinimumAmount.Get(); ok {
		k.minimum, k.currency = ratOf(minimum), strings.ToUpper(string(in.MinimumAmountCurrency.Or("USD")))
	}
	m.codes = append(m.codes, k)
	m.story.foretell(affiliate.PromocodeCreated, k.id)
}

// changed is a field of an update: mostly not given, sometimes null.
func changed[T any](rt *rapid.T, label string, nullable bool, from ...T) affiliate.Opt[T] {
	if nullable && maybe(rt, label+" null", 6) {
		return affiliate.Null[T]()
	}
	if !maybe(rt, label+"?", 3) {
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(choose(rt, label, from...))
}

// put sets dst to what an update gives; null is the zero value.
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
		ProductIDs:      changed(rt, "products", false, []string{"tea"}, []string{"beans", "tea"}),
	}
	if !maybe(rt, "same date", 2) {
		up.RedeemBy = m.moment(rt)
	}
	_, err := m.w.UpdateCoupon(m.ctx, id, up)
	c := m.coupon(id)
	if c == nil {
		refusedAs(rt, "UpdateCoupon", affiliate.CouponNotFound, err)
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
	if c.limited && len(c.products) == 0 {
		refusedAs(rt, "UpdateCoupon", affiliate.MissingField, err)
		*c = was
		return
	}
	refusedAs(rt, "UpdateCoupon", "", err)
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
		ExpiresAt:             m.moment(rt),
	}
	if maybe(rt, "rename", 4) {
		up.Code = affiliate.Set(typed(rt, choose(rt, "text", modelTexts...)))
	}
	_, err := m.w.UpdateCode(m.ctx, id, up)
	k := m.code(id)
	if k == nil {
		refusedAs(rt, "UpdateCode", affiliate.PromotionalCodeNotFound, err)
		return
	}
	was := *k
	want := m.applyCode(k, up)
	refusedAs(rt, "UpdateCode", want, err)
	if want != "" {
		*k = was
	} else if was.line() != k.line() {
		m.story.foretell(affiliate.PromocodeUpdated, id)
	}
}

// applyCode is the update as the contract tells it, or why it is refused.
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
	if minimum, ok := up.MinimumAmount.Get(); ok {
		k.minimum = ratOf(minimum)
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
	if k.limitCustomer && k.customer == "" {
		return affiliate.MissingField
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
		refusedAs(rt, "DeleteCoupon", affiliate.CouponNotFound, err)
		return
	}
	refusedAs(rt, "DeleteCoupon", "", err)
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
		refusedAs(rt, "DeleteCode", affiliate.PromotionalCodeNotFound, err)
		return
	}
	refusedAs(rt, "DeleteCode", "", err)
	drop(&m.codes, func(k *shopCode) bool { return k.id == id })
	m.gone = append(m.gone, id)
	m.story.foretell(affiliate.PromocodeDeleted, id)
}

// deleteAffiliate takes links, referrals and sales with it; codes stay,
// unassigned (rule 4.7).
func (m *redeemMachine) deleteAffiliate(rt *rapid.T) {
	id := m.anAffiliate(rt)
	refusedAs(rt, "DeleteAffiliate", "", m.w.DeleteAffiliate(m.ctx, affiliate.AffiliateRef{ID: id}))
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

// deleteReferral takes the customer's sales with it (Seed, States).
func (m *redeemMachine) deleteReferral(rt *rapid.T) {
	ident := choose(rt, "referral", m.idents()...)
	if ident == "" {
		rt.Skip("nobody")
	}
	refusedAs(rt, "DeleteReferral", "", m.w.DeleteReferral(m.ctx, ident))
	r := m.referral(ident)
	if r == nil {
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
	refusedAs(rt, "DeleteSale", "", m.w.DeleteSale(m.ctx, id))
	x := m.sale(id)
	if x == nil {
		return
	}
	if !x.refundedInFull() {
		m.story.foretell(affiliate.SaleDeleted, id)
	}
	m.loseSales(func(y *shopSale) bool { return x == y })
}

// idents are what a referralId may hold.
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
	status := choose(rt, "status", affiliate.SubscriptionActive, affiliate.SubscriptionActive, affiliate.SubscriptionPastDue, affiliate.SubscriptionCancelled)
	_, err := m.w.PushReferralStatus(m.ctx, ident, status)
	r := m.referral(ident)
	if ident == "" || r == nil {
		refusedAs(rt, "PushReferralStatus", affiliate.ReferralNotFound, err)
		return
	}
	refusedAs(rt, "PushReferralStatus", "", err)
	if r.status != status {
		r.status = status
		m.story.foretell(affiliate.ReferralUpdated, r.id)
	}
}

// code draws what a customer types.
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
		email:   choose(rt, "email", "", "", "c1@example.com", " C1@Example.COM ", "c2@example.com"),
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
		e.tax, e.shipping = affiliate.MustAmount("0.0033"), affiliate.MustAmount(choose(rt, "shipping", "0", "0.0067"))
	}
	return e
}

func (e errand) order() affiliate.Order {
	return affiliate.Order{
		PromoCode: e.code, TotalEarned: e.total, Email: e.email, ReferralID: e.referralID,
		Product: affiliate.Set(affiliate.Product{ProductID: e.product}),
	}
}

func (e errand) sale() affiliate.NewSale {
	return affiliate.NewSale{
		PromoCode: e.code, ReferralID: e.referralID, Email: e.email, Name: e.name, TotalEarned: e.total.Or(affiliate.Amount{}),
		Tax: e.tax, Shipping: e.shipping, ExternalID: e.external, CommissionRate: e.rate,
		Product: affiliate.Set(affiliate.Product{ProductID: e.product}),
	}
}

// preview compares Evaluate with the rules. What is not sent is not guessed.
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
		refusedAs(rt, "Evaluate", affiliate.MissingField, err)
		return got
	}
	refusedAs(rt, "Evaluate", "", err)
	fails, open := m.judge(e.code, e, m.who(e), m.w.now)
	sameFailures(rt, "Evaluate", fails, got.Reasons)
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

// sameFailures compares reasons and their data; texts are pinned elsewhere.
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

// previewAndSell holds the preview against the sale that follows: I13.
func (m *redeemMachine) previewAndSell(rt *rapid.T) {
	e := m.errand(rt)
	if strings.Trim(e.code, " \t\n") == "" {
		rt.Skip("no code")
	}
	seen := m.evaluate(rt, e)
	got, err := m.record(rt, e)
	if err == nil && got.Outcome == affiliate.SaleDuplicate {
		return // it is recognised before any rule of a code
	}
	refusal, refused := errors.AsType[*affiliate.Error](err)
	if seen.Valid == refused {
		rt.Errorf("the preview said valid %v, the sale %v", seen.Valid, err)
	}
	if refused && !cmp.Equal(seen.Reasons, refusal.Failures) {
		rt.Errorf("reasons (-preview +sale):\n%s", cmp.Diff(seen.Reasons, refusal.Failures))
	}
	sale, recorded := got.Sale.Get()
	if seen.Valid && got.Outcome != affiliate.SaleInactiveCustomer && !recorded {
		rt.Errorf("the preview said valid, the outcome is %s", got.Outcome)
	}
	if recorded && sale.TotalEarned != e.total.Or(affiliate.Amount{}) {
		rt.Errorf("the discount was priced on %v, the sale is of %v", e.total, sale.TotalEarned)
	}
}

// record reports a sale and foretells what becomes of it: contract 3.7.
func (m *redeemMachine) record(rt *rapid.T, e errand) (affiliate.SaleResult, error) {
	got, err := m.w.RecordSale(m.ctx, e.sale())
	b := m.who(e)
	outcome, want, fails := m.outcome(e, b)
	refusedAs(rt, "RecordSale", want, err)
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		sameFailures(rt, "RecordSale", fails, refusal.Failures)
		return got, err
	}
	if got.Outcome != outcome {
		rt.Fatalf("RecordSale: %s, want %s", got.Outcome, outcome)
	}
	if earlier, ok := got.Earlier.Get(); ok != (outcome == affiliate.SaleDuplicate) || ok && earlier.ExternalID.Or("") != e.external {
		rt.Errorf("RecordSale: %s with the earlier sale %v", outcome, earlier.ID)
	}
	sale, ok := got.Sale.Get()
	if ok != (outcome == affiliate.SaleRecorded) {
		rt.Fatalf("RecordSale: %s with the sale %v", outcome, sale.ID)
	}
	if ok {
		m.book(rt, e, b, sale)
	}
	return got, nil
}

// outcome is what the contract says of a reported sale.
func (m *redeemMachine) outcome(e errand, b buyer) (affiliate.SaleOutcome, affiliate.Reason, []affiliate.Failure) {
	byCode := strings.Trim(e.code, " \t\n") != ""
	total, _ := e.total.Get()
	switch {
	case !byCode && e.referralID == "" && e.email == "":
		return "", affiliate.AttributionRequired, nil
	case ratSum(ratOf(e.tax), ratOf(e.shipping)).Cmp(ratOf(total)) > 0:
		return "", affiliate.InvalidField, nil
	case e.external != "" && slices.ContainsFunc(m.sales, func(x *shopSale) bool { return x.external == e.external }):
		return affiliate.SaleDuplicate, "", nil
	}
	if byCode {
		if fails, _ := m.judge(e.code, e, b, m.w.now); len(fails) > 0 {
			return "", fails[0].Reason, fails
		}
	} else if b.affiliate == uuid.Nil && b.referral == nil {
		return affiliate.SaleUnattributed, "", nil
	}
	if !byCode && b.referral == nil && (b.email == "" || e.name == "") {
		return "", affiliate.MissingField, nil
	}
	if b.referral != nil && b.referral.status != affiliate.SubscriptionActive {
		return affiliate.SaleInactiveCustomer, "", nil
	}
	return affiliate.SaleRecorded, "", nil
}

// book writes the sale into the model: who is credited, the customer, the money
// and the ledger.
func (m *redeemMachine) book(rt *rapid.T, e errand, b buyer, sale affiliate.Sale) {
	x := &shopSale{
		id: sale.ID, affiliate: b.affiliate, link: b.link, email: b.email, external: e.external,
		total: ratOf(sale.TotalEarned), rate: percentRat(e.rate.Or(affiliate.MustPercent("20"))), refunded: new(big.Rat),
	}
	x.base = ratDiff(x.total, ratSum(ratOf(e.tax), ratOf(e.shipping)))
	if email := folded(strings.TrimSpace(e.email)); email != "" {
		x.email = email // what was sent stays on the sale, whoever the customer is
	}
	k := m.codeTyped(e.code)
	if strings.Trim(e.code, " \t\n") == "" {
		k = nil
	}
	switch {
	case k != nil:
		x.affiliate, x.link, x.code = k.affiliate, uuid.Nil, k.id
		m.ledger = append(m.ledger, &shopRedemption{sale: sale.ID, code: k.id, coupon: k.coupon})
		if c := m.coupon(k.coupon); k.max != 0 && m.usedCode(k.id) > k.max || c.max != 0 && m.usedCoupon(c.id) > c.max {
			rt.Errorf("a limit is exceeded: code %d of %d, coupon %d of %d", m.usedCode(k.id), k.max, m.usedCoupon(c.id), c.max)
		}
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

// refer attributes a customer by code: judged like a sale, and nothing counted
// (rule 3.3).
func (m *redeemMachine) refer(rt *rapid.T) {
	in := affiliate.NewReferral{
		PromoCode: m.typedCode(rt), Name: "Tomas Berg", Email: choose(rt, "email", "c1@example.com", "C2@example.com", "c4@example.com"),
		ReferredUserExternalID: choose(rt, "external id", "ext-1", "ext-2"), AffiliateID: choose(rt, "affiliateId", m.idents()...),
	}
	got, err := m.w.CreateReferral(m.ctx, in)
	if strings.Trim(in.PromoCode, " \t\n") == "" {
		if in.AffiliateID == "" {
			refusedAs(rt, "CreateReferral", affiliate.AttributionRequired, err)
			return
		}
		m.referWithoutCode(rt, in, got, err)
		return
	}
	if r := m.referral(in.Email); r != nil {
		refusedAs(rt, "CreateReferral", "", err)
		if got.ID != r.id {
			rt.Errorf("CreateReferral: %v, want the one that is there", got.ID)
		}
		return
	}
	named := m.who(errand{referralID: m.affiliateIdent(in.AffiliateID)}).affiliate
	b := buyer{named: true, email: folded(in.Email), customer: in.ReferredUserExternalID, affiliate: named}
	fails, _ := m.judge(in.PromoCode, errand{}, b, m.w.now)
	if len(fails) > 0 {
		refusedAs(rt, "CreateReferral", fails[0].Reason, err)
		refusal, _ := errors.AsType[*affiliate.Error](err)
		sameFailures(rt, "CreateReferral", fails, refusal.Failures)
		return
	}
	refusedAs(rt, "CreateReferral", "", err)
	m.addReferral(in, got.ID, m.codeTyped(in.PromoCode).affiliate, uuid.Nil)
}

// affiliateIdent is an identifier where affiliateId takes no referral.
func (m *redeemMachine) affiliateIdent(ident string) string {
	if m.referral(ident) != nil {
		return ""
	}
	return ident
}

func (m *redeemMachine) referWithoutCode(rt *rapid.T, in affiliate.NewReferral, got affiliate.Referral, err error) {
	to := m.who(errand{referralID: m.affiliateIdent(in.AffiliateID)})
	switch {
	case m.referral(in.Email) != nil:
		refusedAs(rt, "CreateReferral", "", err)
	case to.affiliate == uuid.Nil:
		if !errors.Is(err, affiliate.ErrNotFound) {
			rt.Errorf("CreateReferral for nobody: %v", err)
		}
	default:
		refusedAs(rt, "CreateReferral", "", err)
		m.addReferral(in, got.ID, to.affiliate, to.link)
	}
}

func (m *redeemMachine) addReferral(in affiliate.NewReferral, id, owner, link uuid.UUID) {
	m.referrals = append(m.referrals, &shopReferral{
		id: id, affiliate: owner, link: link, email: folded(in.Email), external: in.ReferredUserExternalID, status: affiliate.SubscriptionActive,
	})
	m.story.foretell(affiliate.ReferralCreated, id)
}

func (m *redeemMachine) refund(rt *rapid.T) {
	in := affiliate.Refund{SaleID: m.aSale(rt), RefundID: choose(rt, "refundId", "", "", "r1", "r2", "R2")}
	x := m.sale(in.SaleID)
	if !maybe(rt, "the rest", 4) {
		in.Amount = affiliate.Set(affiliate.MustAmount(choose(rt, "amount", "0.0001", "0.01", "3.33", "5", "24.9999")))
	}
	got, err := m.w.RefundSale(m.ctx, in)
	if x == nil {
		refusedAs(rt, "RefundSale", affiliate.SaleNotFound, err)
		return
	}
	if x.refundedInFull() || in.RefundID != "" && slices.Contains(x.refunds, in.RefundID) {
		refusedAs(rt, "RefundSale", "", err)
		if got != (affiliate.RefundResult{Success: true, AlreadyRefunded: true, Reason: affiliate.RefundedAlready}) {
			rt.Errorf("RefundSale again: %+v", got)
		}
		return
	}
	left := ratDiff(x.total, x.refunded)
	amount := left
	if given, ok := in.Amount.Get(); ok {
		amount = ratOf(given)
	}
	if amount.Cmp(left) > 0 {
		refusedAs(rt, "RefundSale", affiliate.RefundExceedsSale, err)
		return
	}
	refusedAs(rt, "RefundSale", "", err)
	x.refunded, x.refunds = ratSum(x.refunded, amount), append(x.refunds, in.RefundID)
	want := affiliate.RefundResult{Success: true, Reason: affiliate.RefundedInPart}
	if x.refundedInFull() {
		want.Reason = affiliate.RefundedInFull
		m.story.foretell(affiliate.SaleDeleted, x.id)
	} else {
		m.story.foretell(affiliate.SaleUpdated, x.id)
	}
	if got != want {
		rt.Errorf("RefundSale: %+v, want %+v", got, want)
	}
}

// restore gives a redemption back, once for each sale, also for one that is gone.
func (m *redeemMachine) restore(rt *rapid.T) {
	id := m.aSale(rt)
	err := m.w.RestoreRedemption(m.ctx, id)
	row := find(m.ledger, func(r *shopRedemption) bool { return r.sale == id })
	switch {
	case row == nil:
		refusedAs(rt, "RestoreRedemption", affiliate.RedemptionNotFound, err)
	case row.restored:
		refusedAs(rt, "RestoreRedemption", affiliate.RedemptionRestored, err)
	default:
		refusedAs(rt, "RestoreRedemption", "", err)
		row.restored = true
		m.restored = append(m.restored, row.code, row.coupon)
	}
}

func (m *redeemMachine) pass(rt *rapid.T) {
	m.w.pass(choose(rt, "time", time.Millisecond, time.Hour-time.Millisecond, time.Hour, 24*time.Hour))
}
