package proofs_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
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

// check compares model and engine after every step: the records are equal, the
// counts only rise, the events are the expected ones, and Verify passes.
func (m *redeemMachine) check(rt *rapid.T) {
	want, got := m.lines(), m.shown(rt)
	sameLines(rt, "coupons", want.coupons, got.coupons)
	sameLines(rt, "codes", want.codes, got.codes)
	sameLines(rt, "referrals", want.referrals, got.referrals)
	sameLines(rt, "sales", want.sales, got.sales)
	sameLines(rt, "affiliates", want.affiliates, got.affiliates)
	sameLines(rt, "redemptions", want.ledger, got.ledger)
	m.story.check(rt)
	m.restored = nil
	if err := m.w.Verify(m.ctx); err != nil {
		rt.Errorf("Verify: %v", err)
	}
}

// counted checks that a count falls only for a redemption that was restored in
// this step: I03.
func (m *redeemMachine) counted(rt *rapid.T, what string, id uuid.UUID, n int64) {
	floor := m.counts[id]
	if slices.Contains(m.restored, id) {
		floor--
	}
	if n < floor || n < 0 {
		rt.Errorf("timesRedeemed of %s %s fell from %d to %d", what, id, m.counts[id], n)
	}
	m.counts[id] = n
}

// shown returns the records that the engine's lists show.
func (m *redeemMachine) shown(rt *rapid.T) (out shopLines) {
	for _, c := range scene.Must(m.w.Coupons(m.ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items {
		m.counted(rt, "coupon", c.ID, c.TimesRedeemed)
		var codes []string
		for _, k := range c.PromotionalCodes {
			codes = append(codes, k.Code)
		}
		out.coupons = append(out.coupons, fmt.Sprintln(couponLine(c), c.TimesRedeemed, orDash(c.DiscountTotal), codes))
	}
	for _, k := range scene.Must(m.w.Codes(m.ctx, affiliate.CodeQuery{}, affiliate.Page{})).Items {
		m.counted(rt, "code", k.ID, k.TimesRedeemed)
		out.codes = append(out.codes, fmt.Sprintln(codeLine(k), k.TimesRedeemed))
	}
	for _, r := range scene.Must(m.w.Referrals(m.ctx, affiliate.ReferralQuery{}, affiliate.Page{})).Items {
		out.referrals = append(out.referrals, fmt.Sprintln(r.ID, r.Email, r.AffiliateID, r.ReferredUserExternalID.Or(""), r.SubscriptionStatus,
			r.TotalRevenue, r.TotalCommission))
	}
	for _, x := range scene.Must(m.w.Sales(m.ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items {
		if sum := scene.CommissionSum(x); sum.Cmp(scene.RatOf(x.CommissionEarned)) != 0 {
			rt.Errorf("commissions of sale %d add up to %s, not %s", x.ID, sum, x.CommissionEarned)
		}
		out.sales = append(out.sales, fmt.Sprintln(x.ID, x.AffiliateID, orDash(x.ReferralID), orDash(x.AffiliateLinkID), orDash(x.PromotionalCodeID),
			x.Email.Or(""), x.ExternalID.Or(""), x.TotalEarned, x.RefundedAmount, x.CommissionEarned, x.Status))
	}
	for _, a := range scene.Must(m.w.Affiliates(m.ctx, affiliate.AffiliateQuery{}, affiliate.Page{})).Items {
		out.affiliates = append(out.affiliates, fmt.Sprintln(a.ID, a.NumberOfReferredUsers, a.TotalRevenue, a.TotalCommissionEarned))
	}
	out.ledger = m.redemptions(rt)
	return out
}

// redemptions returns the ledger, which no call shows whole.
func (m *redeemMachine) redemptions(rt *rapid.T) (lines []string) {
	err := m.w.Store.View(m.ctx, m.w.Config().ID, func(tx *record.Tx) error {
		lines = nil
		for r, err := range tx.Redemptions.List(record.Query{}) {
			if err != nil {
				return err
			}
			number := int64(0)
			if r.ExternalID == "" {
				number = int64(binary.BigEndian.Uint64(r.ID[8:]))
			}
			lines = append(lines, fmt.Sprintln(number, r.ExternalID, r.CodeID, r.Discount, "restored", !r.RestoredAt.IsZero(), r.Refunded, "over", r.Over))
		}
		return nil
	})
	if err != nil {
		rt.Fatalf("redemptions: %v", err)
	}
	slices.Sort(lines)
	return lines
}

func couponLine(c affiliate.Coupon) string {
	return fmt.Sprint(c.ID, " ", c.Name, " ", orDash(c.PercentOff), orDash(c.AmountOff), " max ", c.MaxRedemptions.Or(0), c.Valid,
		orDash(c.RedeemBy), c.LimitToProducts, c.ProductIDs, orDash(c.StartsAt), orDash(c.MaxDiscount), orDash(c.MaxDiscountTotal),
		c.MaxRedemptionsPerCustomer.Or(0), c.RestoreOnRefund)
}

func codeLine(k affiliate.Code) string {
	return fmt.Sprint(k.ID, " ", k.Code, " of ", k.CouponID, orDash(k.AffiliateID), k.Active, orDash(k.ExpiresAt), " max ", k.MaxRedemptions.Or(0),
		k.FirstTimeOrder, orDash(k.MinimumAmount), k.MinimumAmountCurrency.Or(""), k.LimitToCustomers, k.CustomerID.Or(""), k.LimitToAffiliate,
		orDash(k.StartsAt), orDash(k.MinimumQuantity), k.MaxRedemptionsPerCustomer.Or(0))
}

// mostHolds is how many holds of a customer may be open.
const mostHolds = 2

// A shopHold keeps a place from the call on until its time is over, or it ends.
type shopHold struct {
	id           string
	code, coupon uuid.UUID
	state        affiliate.HoldState // as it was ended; HELD: it was not
	until        time.Time
	basket, off  *big.Rat // nil: not known
	users        []string
}

func (h *shopHold) open(now time.Time) bool {
	return h.state == affiliate.HoldHeld && !now.After(h.until)
}

func (s *shop) holdNamed(id string) *shopHold {
	return find(s.holds, func(h *shopHold) bool { return h.id == id })
}

// held counts open holds but for one.
func (s *shop) held(now time.Time, own *shopHold, is func(*shopHold) bool) (n int64) {
	for _, h := range s.holds {
		if h != own && h.open(now) && is(h) {
			n++
		}
	}
	return n
}

// given is what the redemptions of a coupon took off.
func (s *shop) given(coupon uuid.UUID) *big.Rat {
	sum := new(big.Rat)
	for _, r := range s.ledger {
		if !r.restored && r.coupon == coupon {
			sum.Add(sum, r.off)
		}
	}
	return sum
}

// spent is what redemptions and open holds, but for one, have of a budget.
func (s *shop) spent(coupon uuid.UUID, now time.Time, own *shopHold) *big.Rat {
	sum := s.given(coupon)
	for _, h := range s.holds {
		if h != own && h.open(now) && h.coupon == coupon && h.off != nil {
			sum.Add(sum, h.off)
		}
	}
	return sum
}

// box returns the mailbox of an address.
func box(email string) string {
	local, domain, _ := strings.Cut(folded(strings.TrimSpace(email)), "@")
	if i := strings.Index(local, "+"); i > 0 {
		local = local[:i]
	}
	if domain == "gmail.com" || domain == "googlemail.com" {
		local, domain = strings.ReplaceAll(local, ".", ""), "gmail"
	}
	return local + "@" + domain
}

// names returns what a customer is known by.
func (b buyer) names() (names []string) {
	if b.email != "" {
		names = append(names, "box "+box(b.email))
	}
	if b.customer != "" {
		names = append(names, "customer "+b.customer)
	}
	if b.referral != nil {
		b.referral.names(func(r *shopReferral) bool {
			names = append(names, "referral "+r.id.String(), "box "+box(r.email))
			if r.external != "" {
				names = append(names, "customer "+r.external)
			}
			return false
		})
	}
	return append(names, b.held...)
}

// by returns the buyer of an order with a hold: who names nobody is whom the open hold is for.
func (b buyer) by(h *shopHold, now time.Time) buyer {
	if h != nil && h.open(now) && !b.named {
		b.held = h.users
	}
	return b
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// placesOf counts the places of a customer: redemptions that were made under a limit, and open holds.
func (s *shop) placesOf(names []string, now time.Time, own *shopHold, is func(code, coupon uuid.UUID) bool) int64 {
	n := s.held(now, own, func(h *shopHold) bool { return is(h.code, h.coupon) && share(h.users, names) })
	return n + s.used(func(r *shopRedemption) bool { return is(r.code, r.coupon) && share(r.users, names) })
}

// withoutLimits leaves out what a hold protects against.
func withoutLimits(fails []affiliate.Failure) []affiliate.Failure {
	limits := []affiliate.Reason{"code_expired", "coupon_expired", "not_started", "code_exhausted", "coupon_exhausted", "budget_spent", "customer_limit", "customer_required"}
	return slices.DeleteFunc(slices.Clone(fails), func(f affiliate.Failure) bool { return slices.Contains(limits, f.Reason) })
}

// endsBefore reports whether a time ends before it begins.
func endsBefore(from, to time.Time) bool { return !from.IsZero() && !to.IsZero() && to.Before(from) }

// putRat is put for an amount.
func putRat(dst **big.Rat, o affiliate.Opt[affiliate.Amount]) {
	if !o.IsZero() {
		*dst = ratOf(o)
	}
}

// sold returns the live sale with an external id.
func (s *shop) sold(external string) *shopSale {
	return find(s.sales, func(x *shopSale) bool { return external != "" && x.external == external })
}

// alone returns the redemption of an order that nobody was credited with.
func (s *shop) alone(external string) *shopRedemption {
	return find(s.ledger, func(r *shopRedemption) bool { return external != "" && r.order == external })
}

// priced is what a coupon takes off; nil: not known.
func (c *shopCoupon) priced(amount affiliate.Opt[affiliate.Amount]) *big.Rat {
	text := c.discount(amount)
	if text == "-" {
		return nil
	}
	return scene.RatOf(affiliate.MustAmount(text))
}

// holdIDs are few, so that they are held again.
var holdIDs = []string{"h1", "h2", "H2", "h3"}

// hold holds a place. It is refused exactly for what a sale is, and its price is that of the preview.
func (m *redeemMachine) hold(rt *rapid.T) {
	e := m.errand(rt)
	if maybe(rt, "without total", 6) {
		e.total = affiliate.Opt[affiliate.Amount]{}
	}
	in := affiliate.HoldParams{Order: e.order(), ID: choose(rt, "hold", holdIDs...), Until: m.w.Now.Add(choose(rt, "for", time.Millisecond, time.Hour, time.Hour, 24*time.Hour))}
	own := m.holdNamed(in.ID)
	seen, blank := affiliate.Evaluation{}, strings.Trim(e.code, " \t\n") == ""
	if !blank {
		seen = scene.Must(m.w.Evaluate(m.ctx, e.order()))
	}
	got, err := m.w.HoldRedemption(m.ctx, in)
	b := m.who(e).by(own, m.w.Now)
	switch {
	case blank:
		scene.RefusedAs(rt, "HoldRedemption", affiliate.MissingField, err)
		return
	case own != nil && own.state == affiliate.HoldConfirmed:
		scene.RefusedAs(rt, "HoldRedemption", affiliate.HoldIsConfirmed, err)
		return
	}
	k := m.codeTyped(e.code)
	fails, _ := m.judge(e.code, e, b, m.w.Now, own)
	if own != nil && own.open(m.w.Now) && k != nil && own.code == k.id {
		all := fails
		if fails = withoutLimits(fails); !share(own.users, b.names()) { // somebody else has a limit of their own
			fails = append(fails, slices.DeleteFunc(all, func(f affiliate.Failure) bool { return f.Reason != affiliate.CustomerLimit })...)
		}
	}
	if len(fails) > 0 {
		scene.RefusedAs(rt, "HoldRedemption", fails[0].Reason, err)
		refusal, _ := errors.AsType[*affiliate.Error](err)
		sameFailures(rt, "HoldRedemption", fails, refusal.Failures)
		return
	}
	if m.placesHeld(b, own) >= mostHolds {
		scene.RefusedAs(rt, "HoldRedemption", affiliate.HoldLimitReached, err)
		return
	}
	scene.RefusedAs(rt, "HoldRedemption", "", err)
	if own == nil && !seen.Valid {
		rt.Errorf("held, and the preview said %v", seen.Reasons)
	}
	h := &shopHold{
		id: in.ID, code: k.id, coupon: k.coupon, state: affiliate.HoldHeld, until: in.Until, users: b.names(), basket: ratOf(e.total), off: m.coupon(k.coupon).priced(e.total),
	}
	m.sameHold(rt, h, got)
	if orDash(got.Discount) != orDash(seen.Discount) || orDash(got.Total) != orDash(seen.Total) {
		rt.Errorf("held at %v, left %v; the preview said %v, left %v", orDash(got.Discount), orDash(got.Total), orDash(seen.Discount), orDash(seen.Total))
	}
	drop(&m.holds, func(x *shopHold) bool { return x == own })
	m.holds = append(m.holds, h)
}

// placesHeld counts the open holds of a customer.
func (m *redeemMachine) placesHeld(b buyer, own *shopHold) int64 {
	return m.held(m.w.Now, own, func(h *shopHold) bool { return share(h.users, b.names()) })
}

// sameHold compares a hold with the answer of a call.
func (m *redeemMachine) sameHold(rt *rapid.T, h *shopHold, got affiliate.Hold) {
	state := h.state
	if state == affiliate.HoldHeld && !h.open(m.w.Now) {
		state = affiliate.HoldLapsed
	}
	if got.ID != h.id || got.State != state || got.CouponID != h.coupon || orDash(got.Subtotal) != ratLine(h.basket) || orDash(got.Discount) != ratLine(h.off) || !got.Until.Time().Equal(h.until) {
		rt.Errorf("hold %s is %s, %v off %v until %v; want %s, %s off %s until %v", got.ID, got.State, orDash(got.Discount), orDash(got.Subtotal), got.Until,
			state, ratLine(h.off), ratLine(h.basket), h.until)
	}
}

// look compares a hold with the model.
func (m *redeemMachine) look(rt *rapid.T) {
	id := choose(rt, "hold", holdIDs...)
	got, err := m.w.Hold(m.ctx, id)
	if h := m.holdNamed(id); h != nil {
		scene.RefusedAs(rt, "Hold", "", err)
		m.sameHold(rt, h, got)
	} else if !errors.Is(err, affiliate.ErrNotFound) {
		rt.Errorf("Hold of nothing: %v", err)
	}
}

// release gives the place of a hold back.
func (m *redeemMachine) release(rt *rapid.T) {
	id := choose(rt, "hold", holdIDs...)
	got, err := m.w.ReleaseHold(m.ctx, id)
	h := m.holdNamed(id)
	switch {
	case h == nil:
		scene.RefusedAs(rt, "ReleaseHold", affiliate.HoldNotFound, err)
		return
	case h.state == affiliate.HoldConfirmed:
		scene.RefusedAs(rt, "ReleaseHold", affiliate.HoldIsConfirmed, err)
		return
	}
	scene.RefusedAs(rt, "ReleaseHold", "", err)
	if h.open(m.w.Now) {
		h.state = affiliate.HoldReleased
	}
	m.sameHold(rt, h, got)
}

// payHeld reports the sale of a hold.
func (m *redeemMachine) payHeld(rt *rapid.T) {
	e := m.errand(rt)
	if e.hold = choose(rt, "hold", holdIDs...); !maybe(rt, "code sent", 3) {
		e.code = ""
	}
	if h := m.holdNamed(e.hold); h != nil && h.basket != nil && maybe(rt, "as priced", 2) {
		left := h.basket
		if h.off != nil {
			left = scene.RatDiff(h.basket, h.off)
		}
		if left.Sign() > 0 {
			e.total, e.tax, e.shipping = affiliate.Set(affiliate.MustAmount(scene.Plain(left))), affiliate.Amount{}, affiliate.Amount{}
		}
	}
	m.record(rt, e)
}

// heldFor returns the hold of an order, and gives the order what the hold says; or what it is refused for.
func (m *redeemMachine) heldFor(e *errand) (*shopHold, affiliate.Reason) {
	if e.hold == "" {
		return nil, ""
	}
	h := m.holdNamed(e.hold)
	if h == nil {
		return nil, affiliate.HoldNotFound
	}
	k := m.code(h.code)
	switch {
	case h.state == affiliate.HoldConfirmed:
		return nil, affiliate.HoldIsConfirmed
	case k == nil:
		return nil, affiliate.CodeNotFound
	case strings.Trim(e.code, " \t\n") != "" && m.codeTyped(e.code) != k:
		return nil, affiliate.HoldOfAnotherCode
	}
	e.code = k.text
	if net := scene.RatDiff(ratOf(e.total), scene.RatSum(scene.RatOf(e.tax), scene.RatOf(e.shipping))); h.basket != nil && h.basket.Cmp(net) >= 0 {
		e.total = affiliate.Set(affiliate.MustAmount(scene.Plain(h.basket)))
	}
	return h, ""
}

// redeem writes a redemption into the model, and ends the hold of its order. No limit is passed but by a hold.
func (m *redeemMachine) redeem(rt *rapid.T, e errand, b buyer, sale affiliate.SaleID, h *shopHold) {
	k := m.codeTyped(e.code)
	c := m.coupon(k.coupon)
	row := &shopRedemption{sale: sale, code: k.id, coupon: c.id, off: c.priced(e.total)}
	if sale == 0 {
		row.order = e.external
	}
	if h != nil && h.off != nil && h.basket.Cmp(ratOf(e.total)) == 0 {
		row.off = h.off // the price is frozen
	}
	if row.off == nil {
		row.off = new(big.Rat)
	}
	if k.each > 0 || c.each > 0 {
		row.users = b.names()
	}
	if h != nil {
		fails, _ := m.judge(e.code, e, b, m.w.Now, h)
		ofOne := slices.ContainsFunc(fails, func(f affiliate.Failure) bool { return f.Reason == affiliate.CustomerLimit })
		row.over = len(fails) > 0 && !h.open(m.w.Now) || ofOne
		h.state = affiliate.HoldConfirmed
	}
	m.ledger = append(m.ledger, row)
	if h != nil {
		return
	}
	held := func(id uuid.UUID) int64 {
		return m.held(m.w.Now, nil, func(x *shopHold) bool { return x.code == id || x.coupon == id })
	}
	if k.max != 0 && m.usedCode(k.id)+held(k.id) > k.max || c.max != 0 && m.usedCoupon(c.id)+held(c.id) > c.max {
		rt.Errorf("a limit is exceeded: code %d of %d, coupon %d of %d", m.usedCode(k.id), k.max, m.usedCoupon(c.id), c.max)
	}
}

// giveBack gives the redemption of a sale back that was refunded in full, if its coupon says so.
func (m *redeemMachine) giveBack(x *shopSale) {
	row := find(m.ledger, func(r *shopRedemption) bool { return r.sale == x.id })
	if row == nil || row.restored {
		return
	}
	if c := m.coupon(row.coupon); c != nil && c.restores {
		row.restored, row.refunded = true, true
		m.restored = append(m.restored, row.code, row.coupon)
	}
}
