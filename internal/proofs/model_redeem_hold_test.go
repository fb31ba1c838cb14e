package proofs_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
