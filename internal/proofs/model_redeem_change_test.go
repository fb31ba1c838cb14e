package proofs_test

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
