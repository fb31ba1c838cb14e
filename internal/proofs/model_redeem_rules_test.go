package proofs_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A shop is a naive model of redemption: lists that are searched from end to
// end, and counts that are computed each time. Rule 3; contract 3.5 and 3.7.
type shop struct {
	affiliates []*shopAffiliate
	coupons    []*shopCoupon
	codes      []*shopCode
	referrals  []*shopReferral
	sales      []*shopSale
	ledger     []*shopRedemption
	holds      []*shopHold
	house      bool // codes need no affiliate
	strict     bool // a limit per customer needs a customer
}

type shopAffiliate struct {
	id   uuid.UUID
	slug string
	link uuid.UUID
}

type shopCoupon struct {
	id       uuid.UUID
	name     string
	percent  *big.Rat // nil: flat
	flat     *big.Rat
	currency string
	max      int64 // 0: no limit
	valid    bool
	redeemBy time.Time
	limited  bool
	products []string
	starts   time.Time
	most     *big.Rat // of one order; nil: no limit
	budget   *big.Rat // nil: none
	each     int64    // per customer; 0: no limit
	restores bool
}

type shopCode struct {
	id, coupon, affiliate uuid.UUID
	text                  string
	active                bool
	expires               time.Time
	max                   int64
	first                 bool
	minimum               *big.Rat
	currency              string
	limitCustomer         bool
	customer              string
	limitAffiliate        bool
	starts                time.Time
	pieces                *big.Rat // nil: no minimum
	each                  int64
}

type shopReferral struct {
	id, affiliate, link uuid.UUID
	email, external     string
	status              affiliate.SubscriptionStatus
	former              []*shopReferral // who were merged into them
}

// names calls do with each customer whose names are theirs.
func (r *shopReferral) names(is func(*shopReferral) bool) bool {
	return is(r) || slices.ContainsFunc(r.former, func(f *shopReferral) bool { return f.names(is) })
}

type shopSale struct {
	id                        affiliate.SaleID
	affiliate, referral, link uuid.UUID
	code                      uuid.UUID
	email, external           string
	total, base, rate         *big.Rat
	refunded                  *big.Rat
	refunds                   []string
}

// A shopRedemption stays when its sale and its code are deleted.
type shopRedemption struct {
	sale         affiliate.SaleID // 0: nobody was credited
	order        string           // its external id, without a sale
	code, coupon uuid.UUID
	off          *big.Rat
	users        []string // what the customer was known by, when there was a limit per customer
	over         bool
	refunded     bool
	restored     bool
}

func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

func (s *shop) affiliate(id uuid.UUID) *shopAffiliate {
	return find(s.affiliates, func(a *shopAffiliate) bool { return a.id == id })
}

func (s *shop) coupon(id uuid.UUID) *shopCoupon {
	return find(s.coupons, func(c *shopCoupon) bool { return c.id == id })
}

func (s *shop) code(id uuid.UUID) *shopCode {
	return find(s.codes, func(c *shopCode) bool { return c.id == id })
}

func (s *shop) codeTyped(text string) *shopCode {
	text = folded(strings.Trim(text, " \t\n"))
	return find(s.codes, func(c *shopCode) bool { return folded(c.text) == text })
}

func (s *shop) sale(id affiliate.SaleID) *shopSale {
	return find(s.sales, func(x *shopSale) bool { return x.id == id })
}

// referral returns the one with the id, or else the one with the mailbox of the email.
func (s *shop) referral(ident string) *shopReferral {
	if r := find(s.referrals, func(r *shopReferral) bool {
		return r.names(func(f *shopReferral) bool { return f.id.String() == ident })
	}); r != nil {
		return r
	}
	return find(s.referrals, func(r *shopReferral) bool {
		return strings.Contains(ident, "@") && r.names(func(f *shopReferral) bool { return box(f.email) == box(ident) })
	})
}

// taken reports whether another customer than the one with the email has the host's id.
func (s *shop) taken(external, email string) bool {
	r := find(s.referrals, func(r *shopReferral) bool {
		return r.names(func(f *shopReferral) bool { return f.external == external })
	})
	return r != nil && r != s.referral(email)
}

// used counts the redemptions that were not restored.
func (s *shop) used(is func(*shopRedemption) bool) (n int64) {
	for _, r := range s.ledger {
		if !r.restored && is(r) {
			n++
		}
	}
	return n
}

func (s *shop) usedCode(id uuid.UUID) int64 {
	return s.used(func(r *shopRedemption) bool { return r.code == id })
}

func (s *shop) usedCoupon(id uuid.UUID) int64 {
	return s.used(func(r *shopRedemption) bool { return r.coupon == id })
}

// An errand is the input of a request.
type errand struct {
	code, referralID, email, name, external, product string
	total                                            affiliate.Opt[affiliate.Amount]
	tax, shipping, paid                              affiliate.Amount
	pieces                                           affiliate.Opt[affiliate.Amount]
	hold                                             string // the id of a hold
	rate                                             affiliate.Opt[affiliate.Percent]
}

// A buyer is the customer that an errand names, and the affiliate that its
// referralId names.
type buyer struct {
	named     bool
	email     string
	referral  *shopReferral
	customer  string   // the external id of a customer who is not a referral yet
	held      []string // names of whom the order is held for, when it names nobody
	affiliate uuid.UUID
	link      uuid.UUID
}

// who resolves referralId, then email: contract 1.5 and 3.7 step 4.
func (s *shop) who(e errand) buyer {
	var b buyer
	if r := s.referral(e.referralID); e.referralID != "" && r != nil {
		return buyer{named: true, email: r.email, referral: r, affiliate: r.affiliate, link: r.link}
	}
	for _, a := range s.affiliates {
		if e.referralID == a.id.String() {
			b.affiliate = a.id
		} else if e.referralID != "" && folded(e.referralID) == folded(a.slug) {
			b.affiliate, b.link = a.id, a.link
		}
	}
	if email := folded(strings.TrimSpace(e.email)); email != "" {
		b.named, b.email, b.referral = true, email, s.referral(email)
	}
	return b
}

// bought reports whether the customer has a live sale that is not refunded in full.
func (s *shop) bought(b buyer) bool {
	return slices.ContainsFunc(s.sales, func(x *shopSale) bool {
		return x.refunded.Cmp(x.total) < 0 && (x.email != "" && box(x.email) == box(b.email) || b.referral != nil && x.referral == b.referral.id)
	})
}

// goesBy reports whether id names the customer: row 13.
func (b buyer) goesBy(id string) bool {
	if b.referral != nil && b.referral.names(func(f *shopReferral) bool {
		return id == f.id.String() || id == f.external || strings.Contains(id, "@") && box(id) == box(f.email)
	}) {
		return true
	}
	return strings.Contains(id, "@") && box(id) == box(b.email) || id == b.customer
}

// judge evaluates contract 3.5 row by row. own is the hold of the order, whose place does not count; nil: none.
func (s *shop) judge(text string, e errand, b buyer, now time.Time, own *shopHold) (fails []affiliate.Failure, open []affiliate.Reason) {
	code := s.codeTyped(text)
	if code == nil {
		return []affiliate.Failure{{Reason: "code_not_found"}}, nil
	}
	coupon := s.coupon(code.coupon)
	fail := func(f affiliate.Failure) { fails = append(fails, f) }
	decided := func(sent, holds bool, f affiliate.Failure) {
		if !sent {
			open = append(open, f.Reason)
		} else if !holds {
			fail(f)
		}
	}
	if !code.active {
		fail(affiliate.Failure{Reason: "code_inactive"})
	}
	if !coupon.valid {
		fail(affiliate.Failure{Reason: "coupon_invalid"})
	}
	if !code.expires.IsZero() && now.After(code.expires) {
		fail(affiliate.Failure{Reason: "code_expired", At: affiliate.Set(affiliate.TimeOf(code.expires))})
	}
	if !coupon.redeemBy.IsZero() && now.After(coupon.redeemBy) {
		fail(affiliate.Failure{Reason: "coupon_expired", At: affiliate.Set(affiliate.TimeOf(coupon.redeemBy))})
	}
	// Holds are told of where they make the difference.
	used := func(times, held, limit int64) int64 {
		if times >= limit {
			return times
		}
		return times + held
	}
	if n := used(s.usedCode(code.id), s.held(now, own, func(h *shopHold) bool { return h.code == code.id }), code.max); code.max != 0 && n >= code.max {
		fail(affiliate.Failure{Reason: "code_exhausted", Limit: affiliate.Set(code.max), Used: affiliate.Set(n)})
	}
	if n := used(s.usedCoupon(coupon.id), s.held(now, own, func(h *shopHold) bool { return h.coupon == coupon.id }), coupon.max); coupon.max != 0 && n >= coupon.max {
		fail(affiliate.Failure{Reason: "coupon_exhausted", Limit: affiliate.Set(coupon.max), Used: affiliate.Set(n)})
	}
	if code.affiliate == uuid.Nil && !s.house {
		fail(affiliate.Failure{Reason: "code_unassigned"})
	}
	if code.first {
		decided(b.named, !s.bought(b), affiliate.Failure{Reason: "not_first_order"})
	}
	total, sent := e.total.Get()
	if code.minimum != nil && code.currency == "USD" {
		minimum := affiliate.MustAmount(scene.Plain(code.minimum))
		decided(sent, scene.RatOf(total).Cmp(code.minimum) >= 0,
			affiliate.Failure{Reason: "below_minimum", Amount: affiliate.Set(minimum), Currency: "USD"})
	} else if code.minimum != nil {
		decided(sent, false, affiliate.Failure{Reason: "wrong_currency", Currency: affiliate.Currency(code.currency)})
	}
	if code.limitAffiliate {
		decided(b.affiliate != uuid.Nil, b.affiliate == code.affiliate, affiliate.Failure{Reason: "wrong_affiliate"})
	}
	if code.limitCustomer {
		decided(b.named, b.goesBy(code.customer), affiliate.Failure{Reason: "wrong_customer"})
	}
	if coupon.limited {
		decided(e.product != "", slices.Contains(coupon.products, e.product), affiliate.Failure{Reason: "wrong_product"})
	}
	if coupon.percent == nil && coupon.currency != "USD" {
		decided(sent, false, affiliate.Failure{Reason: "other_currency", Currency: affiliate.Currency(coupon.currency)})
	}
	from := code.starts
	if coupon.starts.After(from) {
		from = coupon.starts
	}
	if now.Before(from) {
		fail(affiliate.Failure{Reason: "not_started", At: affiliate.Set(affiliate.TimeOf(from))})
	}
	if coupon.budget != nil && s.spent(coupon.id, now, own).Cmp(coupon.budget) >= 0 {
		fail(affiliate.Failure{Reason: "budget_spent", Amount: affiliate.Set(affiliate.MustAmount(scene.Plain(coupon.budget)))})
	}
	if code.pieces != nil {
		pieces, known := e.pieces.Get()
		decided(known, scene.RatOf(pieces).Cmp(code.pieces) >= 0,
			affiliate.Failure{Reason: "below_quantity", Amount: affiliate.Set(affiliate.MustAmount(scene.Plain(code.pieces)))})
	}
	if code.each == 0 && coupon.each == 0 {
		return fails, open
	}
	if names := b.names(); len(names) == 0 {
		decided(s.strict, false, affiliate.Failure{Reason: map[bool]affiliate.Reason{true: "customer_required", false: "customer_limit"}[s.strict]})
	} else if n := s.placesOf(names, now, own, func(k, c uuid.UUID) bool { return k == code.id }); code.each > 0 && n >= code.each {
		fail(affiliate.Failure{Reason: "customer_limit", Limit: affiliate.Set(code.each), Used: affiliate.Set(n)})
	} else if n := s.placesOf(names, now, own, func(k, c uuid.UUID) bool { return c == coupon.id }); coupon.each > 0 && n >= coupon.each {
		fail(affiliate.Failure{Reason: "customer_limit", Limit: affiliate.Set(coupon.each), Used: affiliate.Set(n)})
	}
	return fails, open
}

// discount is contract 4.1. A discount is never above the amount, even when a
// percentage is rounded up.
func (c *shopCoupon) discount(given affiliate.Opt[affiliate.Amount]) string {
	amount, ok := given.Get()
	if !ok || c.percent == nil && c.currency != "USD" {
		return "-"
	}
	total, off := scene.RatOf(amount), c.flat
	if c.percent != nil {
		off = scene.Share(c.percent, total)
	}
	off = scene.Cents(off)
	if c.most != nil && off.Cmp(c.most) > 0 {
		off = scene.Cents(c.most)
	}
	if off.Cmp(total) > 0 {
		off = total
	}
	return scene.Plain(off)
}

// commission is the rate on what is left of the base, rounded once.
func (x *shopSale) commission() *big.Rat {
	kept := new(big.Rat).Quo(scene.RatDiff(x.total, x.refunded), x.total)
	return scene.Cents(scene.Share(x.rate, kept.Mul(kept, x.base)))
}

func (x *shopSale) refundedInFull() bool { return x.refunded.Cmp(x.total) == 0 }

// drop removes the records for which gone is true.
func drop[T any](list *[]*T, gone func(*T) bool) { *list = slices.DeleteFunc(*list, gone) }

func (s *shop) dropSales(gone func(*shopSale) bool) { drop(&s.sales, gone) }

func (s *shop) dropReferral(r *shopReferral) {
	drop(&s.referrals, func(x *shopReferral) bool { return x == r })
	for _, x := range s.sales {
		if x.referral == r.id {
			x.referral = uuid.Nil
		}
	}
}

// line returns the coupon with its terms.
func (c *shopCoupon) line() string {
	return fmt.Sprint(c.id, " ", c.name, " ", ratLine(c.percent), ratLine(c.flat), " max ", c.max, c.valid, timeLine(c.redeemBy), c.limited, c.products,
		timeLine(c.starts), ratLine(c.most), ratLine(c.budget), c.each, c.restores)
}

// line returns the code with its terms.
func (k *shopCode) line() string {
	return fmt.Sprint(k.id, " ", k.text, " of ", k.coupon, idLine(k.affiliate), k.active, timeLine(k.expires), " max ", k.max, k.first,
		ratLine(k.minimum), k.currency, k.limitCustomer, k.customer, k.limitAffiliate, timeLine(k.starts), ratLine(k.pieces), k.each)
}

// lines returns all records of the model, newest first, as the engine shows
// them.
func (s *shop) lines() (out shopLines) {
	for _, c := range slices.Backward(s.coupons) {
		var codes []string
		for _, k := range slices.Backward(s.codes) {
			if k.coupon == c.id {
				codes = append(codes, k.text)
			}
		}
		given := "-"
		if c.budget != nil {
			given = scene.Plain(s.given(c.id))
		}
		out.coupons = append(out.coupons, fmt.Sprintln(c.line(), s.usedCoupon(c.id), given, codes))
	}
	for _, k := range slices.Backward(s.codes) {
		out.codes = append(out.codes, fmt.Sprintln(k.line(), s.usedCode(k.id)))
	}
	for _, r := range s.ledger {
		out.ledger = append(out.ledger, fmt.Sprintln(r.sale, r.order, r.code, scene.Plain(r.off), "restored", r.restored, r.refunded, "over", r.over))
	}
	slices.Sort(out.ledger)
	for _, r := range slices.Backward(s.referrals) {
		revenue, earned, _ := s.sums(func(x *shopSale) bool { return x.referral == r.id })
		out.referrals = append(out.referrals, fmt.Sprintln(r.id, r.email, idLine(r.affiliate), r.external, r.status, scene.Plain(revenue), scene.Plain(earned)))
	}
	for _, x := range slices.Backward(s.sales) {
		status := affiliate.SaleActive
		if x.refundedInFull() {
			status = affiliate.SaleRefunded
		}
		out.sales = append(out.sales, fmt.Sprintln(x.id, x.affiliate, idLine(x.referral), idLine(x.link), idLine(x.code), x.email, x.external,
			scene.Plain(x.total), scene.Plain(x.refunded), scene.Plain(x.commission()), status))
	}
	for _, a := range slices.Backward(s.affiliates) {
		revenue, earned, _ := s.sums(func(x *shopSale) bool { return x.affiliate == a.id })
		referred := 0
		for _, r := range s.referrals {
			if r.affiliate == a.id {
				referred++
			}
		}
		out.affiliates = append(out.affiliates, fmt.Sprintln(a.id, referred, scene.Plain(revenue), scene.Plain(earned)))
	}
	return out
}

// sums adds up what is left of some sales after refunds, and their commissions.
// Sales that were refunded in full do not count (rule 5.7).
func (s *shop) sums(of func(*shopSale) bool) (revenue, earned *big.Rat, n int) {
	revenue, earned = new(big.Rat), new(big.Rat)
	for _, x := range s.sales {
		if of(x) && !x.refundedInFull() {
			revenue.Add(revenue, scene.RatDiff(x.total, x.refunded))
			earned.Add(earned, x.commission())
			n++
		}
	}
	return revenue, earned, n
}

func ratLine(r *big.Rat) string {
	if r == nil {
		return "-"
	}
	return scene.Plain(r)
}

// shopLines is a shop, or the engine's records, in comparable form.
type shopLines struct{ coupons, codes, referrals, sales, affiliates, ledger []string }
