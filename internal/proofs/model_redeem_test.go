package proofs_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A redeemMachine makes the same calls with coupons, codes, sales and refunds
// on the engine and on a shop.
type redeemMachine struct {
	shop
	w         *scene.World
	story     chronicle
	ctx       context.Context
	born      int // counts names, so that each is new
	gone      []uuid.UUID
	goneSales []affiliate.SaleID
	counts    map[uuid.UUID]int64 // timesRedeemed after the previous step
	restored  []uuid.UUID         // the codes and coupons whose counts may fall in this step
}

func TestModelRedemption(t *testing.T) {
	onModelStores(t, func(rt *rapid.T, w *scene.World) {
		m := &redeemMachine{ctx: context.Background(), counts: map[uuid.UUID]int64{}}
		m.house, m.strict = rapid.Bool().Draw(rt, "house codes"), rapid.Bool().Draw(rt, "customers required")
		w = scene.NewOn(w.T, w.Store, func(c *tributary.Config) {
			c.HouseCodes, c.RequireCustomer, c.Limits.Holds = m.house, m.strict, mostHolds
		})
		m.w, m.story = w, chronicle{w: w}
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
			"merge":            m.merge,
			"set status":       m.setStatus,
			"preview":          m.preview,
			"restore":          m.restore,
			"release":          m.release,
			"look at a hold":   m.look,
			"time passes":      m.pass,
			"":                 m.check,
		}
		for i := range 6 { // the most frequent actions
			actions[fmt.Sprint("sell ", i)] = m.sell
			actions[fmt.Sprint("preview and sell ", i)] = m.previewAndSell
			actions[fmt.Sprint("refund ", i/2)] = m.refund
			actions[fmt.Sprint("hold ", i/2)] = m.hold
			actions[fmt.Sprint("pay what is held ", i/2)] = m.payHeld
		}
		rt.Repeat(actions)
	})
}

// seldom runs an action that deletes or ends something less often.
func (m *redeemMachine) seldom(rt *rapid.T, action func(*rapid.T)) {
	if !maybe(rt, "really", 4) {
		rt.Skip("not this time")
	}
	action(rt)
}

// fresh returns a text that no other step gets.
func (m *redeemMachine) fresh(prefix string) string {
	m.born++
	return fmt.Sprint(prefix, m.born)
}

func (m *redeemMachine) newAffiliate(rt *rapid.T) {
	slug := m.fresh("Slug-")
	a, err := m.w.CreateAffiliate(m.ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: slug + "@example.com", AffiliateLink: slug,
	})
	scene.RefusedAs(rt, "CreateAffiliate", "", err)
	m.affiliates = append(m.affiliates, &shopAffiliate{id: a.ID, slug: slug, link: a.AffiliateLinks[0].ID})
	m.story.foretell(affiliate.AffiliateCreated, a.ID)
}

// limit draws small limits, so that they are reached.
func limit(rt *rapid.T) affiliate.Opt[int64] { return optionally[int64](rt, "limit", 1, 1, 2, 3) }

// moment draws a date around now, in milliseconds.
func (m *redeemMachine) moment(rt *rapid.T) affiliate.Opt[affiliate.Date] {
	if !maybe(rt, "date", 3) {
		return affiliate.Opt[affiliate.Date]{}
	}
	d := choose(rt, "until", 0, -time.Millisecond, time.Millisecond, time.Hour, time.Hour, 24*time.Hour, 24*time.Hour)
	return affiliate.Set(affiliate.At(m.w.Now.Add(d)))
}

// start draws a beginning around now.
func (m *redeemMachine) start(rt *rapid.T) affiliate.Opt[affiliate.Date] {
	if !maybe(rt, "start", 5) {
		return affiliate.Opt[affiliate.Date]{}
	}
	return affiliate.Set(affiliate.At(m.w.Now.Add(choose(rt, "from", -time.Millisecond, 0, time.Millisecond, time.Hour))))
}

// seldomOf draws a value that is mostly not given.
func seldomOf[T any](rt *rapid.T, label string, from ...T) affiliate.Opt[T] {
	if !maybe(rt, label+"?", 4) {
		return affiliate.Opt[T]{}
	}
	return affiliate.Set(choose(rt, label, from...))
}

// ratOf returns an amount that may be missing; nil: it is.
func ratOf(o affiliate.Opt[affiliate.Amount]) *big.Rat {
	a, ok := o.Get()
	if !ok {
		return nil
	}
	return scene.RatOf(a)
}

func instantOf(o affiliate.Opt[affiliate.Date]) time.Time {
	d, ok := o.Get()
	if !ok {
		return time.Time{}
	}
	return d.Instant(time.UTC)
}

func (m *redeemMachine) newCoupon(rt *rapid.T) {
	in := affiliate.CouponParams{
		Name: m.fresh("Coupon "), MaxRedemptions: limit(rt), RedeemBy: m.moment(rt), Valid: optionally(rt, "valid", true, true, true, true, false),
		LimitToProducts: maybe(rt, "limited", 5), ProductIDs: choose(rt, "products", nil, []string{"beans"}, []string{"mugs", "beans"}),
		StartsAt: m.start(rt), MaxDiscountTotal: seldomOf(rt, "budget", affiliate.MustAmount("0.01"), affiliate.MustAmount("10"), affiliate.MustAmount("40")),
		MaxRedemptionsPerCustomer: seldomOf[int64](rt, "per customer", 1, 1, 2), RestoreOnRefund: maybe(rt, "restored", 3),
	}
	c := &shopCoupon{
		name: in.Name, max: in.MaxRedemptions.Or(0), valid: in.Valid.Or(true), redeemBy: instantOf(in.RedeemBy),
		limited: in.LimitToProducts, products: in.ProductIDs, starts: instantOf(in.StartsAt), budget: ratOf(in.MaxDiscountTotal),
		each: in.MaxRedemptionsPerCustomer.Or(0), restores: in.RestoreOnRefund,
	}
	if maybe(rt, "flat", 3) {
		off, currency := choose(rt, "off", "0.004", "5", "9.995", "1000"), choose(rt, "currency", "USD", "USD", "EUR")
		in.CouponType, in.AmountOff, in.Currency = affiliate.CouponFlat, affiliate.Set(affiliate.MustAmount(off)), affiliate.Set(affiliate.Currency(currency))
		c.flat, c.currency = scene.RatOf(affiliate.MustAmount(off)), currency
	} else {
		off := affiliate.MustPercent(choose(rt, "off", "1", "12.5", "20", "33.3333", "100"))
		in.PercentOff = affiliate.Set(off)
		in.MaxDiscount = seldomOf(rt, "most", affiliate.MustAmount("0.01"), affiliate.MustAmount("4.999"), affiliate.MustAmount("20"))
		c.percent, c.most = scene.PercentRat(off), ratOf(in.MaxDiscount)
	}
	got, err := m.w.CreateCoupon(m.ctx, in)
	if in.LimitToProducts && len(in.ProductIDs) == 0 {
		scene.RefusedAs(rt, "CreateCoupon", affiliate.MissingField, err)
		return
	}
	if endsBefore(c.starts, c.redeemBy) {
		scene.RefusedAs(rt, "CreateCoupon", affiliate.InvalidField, err)
		return
	}
	scene.RefusedAs(rt, "CreateCoupon", "", err)
	c.id = got.ID
	m.coupons = append(m.coupons, c)
	m.story.foretell(affiliate.CouponCreated, c.id)
}

// modelTexts are few, so that they clash.
var modelTexts = []string{"SPRING", "Autumn20", "mara-20", `A"<b>%41`, "kiss"}

// strangers are texts that wrong case folding would take for one of the codes.
var strangers = []string{"ſPRING", "\u212Aiss", "k\u0131ss", "SPR ING", "=SPRING", "", "nobody"}

// one draws one of the live records, or seldom a deleted one.
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

// customerNames returns the values that a code may be limited to.
func (m *redeemMachine) customerNames() []string {
	names := []string{"c1@example.com", "c2@example.com", "ext-1"}
	for _, r := range m.referrals {
		names = append(names, r.id.String())
	}
	return names
}

func (m *redeemMachine) newCode(rt *rapid.T) {
	in := affiliate.CodeParams{
		CouponID: m.aCoupon(rt), Code: typed(rt, choose(rt, "code", modelTexts...)),
		Active: optionally(rt, "active", true, true, true, true, false), ExpiresAt: m.moment(rt), MaxRedemptions: limit(rt),
		FirstTimeOrder: maybe(rt, "first", 3), LimitToAffiliate: maybe(rt, "limit to affiliate", 4),
		LimitToCustomers: maybe(rt, "limit to customer", 6), StartsAt: m.start(rt), MaxRedemptionsPerCustomer: seldomOf[int64](rt, "per customer", 1, 1, 2),
		MinimumQuantity: seldomOf(rt, "pieces", affiliate.MustAmount("2"), affiliate.MustAmount("0.5")),
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
	case endsBefore(instantOf(in.StartsAt), instantOf(in.ExpiresAt)):
		want = affiliate.InvalidField
	case in.LimitToCustomers && in.CustomerID == "":
		want = affiliate.MissingField
	case m.coupon(in.CouponID) == nil:
		want = affiliate.CouponNotFound
	case in.AffiliateID != uuid.Nil && m.affiliate(in.AffiliateID) == nil:
		want = affiliate.AffiliateNotFound
	case m.codeTyped(in.Code) != nil:
		want = affiliate.CodeTaken
	}
	if scene.RefusedAs(rt, "CreateCode", want, err); want != "" {
		return
	}
	k := &shopCode{
		id: got.ID, coupon: in.CouponID, affiliate: in.AffiliateID, text: strings.Trim(in.Code, " \t\n"), active: in.Active.Or(true),
		expires: instantOf(in.ExpiresAt), max: in.MaxRedemptions.Or(0), first: in.FirstTimeOrder,
		limitCustomer: in.LimitToCustomers, customer: in.CustomerID, limitAffiliate: in.LimitToAffiliate,
		starts: instantOf(in.StartsAt), each: in.MaxRedemptionsPerCustomer.Or(0), pieces: ratOf(in.MinimumQuantity),
	}
	if minimum, ok := in.MinimumAmount.Get(); ok {
		k.minimum, k.currency = scene.RatOf(minimum), strings.ToUpper(string(in.MinimumAmountCurrency.Or("USD")))
	}
	m.codes = append(m.codes, k)
	m.story.foretell(affiliate.PromocodeCreated, k.id)
}

func (m *redeemMachine) pass(rt *rapid.T) {
	m.w.Pass(choose(rt, "time", time.Millisecond, time.Hour-time.Millisecond, time.Hour, 24*time.Hour))
}
