package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// The rules of redemption: one function for the preview, the sale and the
// referral by code. Rules 3.5 and 3.6; contract 3.5.

// Customer is the buyer that a request names.
type Customer struct {
	Known    bool            // an email was sent, or an identifier named a referral
	Email    string          // canonical; may be empty
	HostID   string          // the host's id of the customer, as it was sent; may be empty
	Referral record.Referral // zero: none yet
	ByEmail  bool            // the email alone says which Referral, and anybody can type an email
	Apart    bool            // the email is another customer's, who may be somebody else
	Gone     uuid.UUID       // the erasure, when the email belongs to an erased person; else zero

	bought affiliate.Opt[bool] // an order before this one; not set: nobody asked
	places *places             // nil: nobody asked
}

// Found reports whether a referral, or an erased person, is the customer.
func (c *Customer) Found() bool { return c.Referral.ID != uuid.Nil || c.Gone != uuid.Nil }

// StandApart makes the customer of an order somebody of their own, of whom the email says nothing: it may be planted.
func (c *Customer) StandApart() { c.Referral, c.Apart = record.Referral{}, true }

// places are those that a customer has.
type places struct {
	customer []uuid.UUID // digests of what the customer is known by
	used     []record.Use
}

// order has the facts of a request, resolved as far as possible.
type order struct {
	basket    affiliate.Opt[affiliate.Amount] // before the discount, else the total
	customer  *Customer
	affiliate uuid.UUID // the affiliate that the request names; zero: none
	product   string    // product id; empty: not sent
	lines     []affiliate.Line
	quantity  affiliate.Opt[affiliate.Amount] // of the product
	hold      *record.Hold                    // that the order was held by; nil: none
	anew      bool                            // the hold has lapsed, and is to hold a place again
	unpaid    bool                            // it is to be held, again or for the first time
}

// orderOf returns the facts of an order in a preview.
func orderOf(in *affiliate.Order, who *identity) order {
	product, _ := in.Product.Get()
	return order{
		basket: basketOf(in.Subtotal, in.TotalEarned), customer: &who.Customer, affiliate: who.Origin.Affiliate.ID,
		product: product.ProductID, lines: in.Lines, quantity: product.Quantity,
	}
}

// verdict is the result of the rules for a code and an order.
type verdict struct {
	found      bool
	offer      bool // there is no code: it is what the link gives
	code       record.Code
	coupon     record.Coupon
	failures   []affiliate.Failure // in the order of the contract's rows
	unverified []affiliate.Reason  // rules of the code for which the order has no facts
	lapsed     []record.Hold       // whose places are free, and which are counted no more

	idleOfCode, idleOfCoupon heldPlaces // whose places are free too, and which are still counted

	customer []uuid.UUID      // digests of what the customer is known by; nil: nothing asks for them
	over     bool             // the order is over a limit, which its hold had kept a place of
	discount affiliate.Amount // of a sale, in the program's currency
}

// judge looks a code up, applies every rule to it and fills in the verdict. The basket of
// the order is in a currency, empty: the program's, which stands apart so that an order stays off the heap. It
// only reads, and it allocates nothing when no rule fails. Its error is one of
// the store.
func (o *Op) judge(text string, in affiliate.Currency, ord *order, v *verdict) (err error) {
	v.code, err = o.CodeByText(text)
	if errors.Is(err, affiliate.ErrNotFound) {
		v.fail(refusal.CodeNotFound, affiliate.Failure{})
		return nil
	}
	if err == nil {
		v.coupon, err = o.ParentOf(&v.code)
	}
	if err != nil {
		return err
	}
	v.found = true
	return o.judgeFound(in, ord, v)
}

// judgeOrder judges the code of an order, or the offer that it asks for.
func (o *Op) judgeOrder(code string, offer bool, in affiliate.Currency, who *identity, ord *order, v *verdict) error {
	if offer && plaintext.Blank(code) { // a code is before the offer
		return o.judgeOffer(who, in, ord, v)
	}
	return o.judge(code, in, ord, v)
}

// judgeFound applies every rule to a code and its coupon.
func (o *Op) judgeFound(in affiliate.Currency, ord *order, v *verdict) error {
	if err := o.freePlaces(v, ord.hold); err != nil {
		return err
	}
	earlier, err := o.boughtBefore(&v.code, ord.customer)
	if err != nil {
		return err
	}
	v.checkState(o.judgedAt(), o.Cfg.HouseCodes)
	currency := cmp.Or(in, o.Cfg.Currency)
	mine, err := o.limitedTo(&v.code, ord.customer)
	if err != nil {
		return err
	}
	v.checkOrder(ord, currency, earlier, mine)
	hold, err := o.RefusedHold(&v.code)
	o.checkOwnerOf(v, hold)
	_, priced := ord.basket.Get()
	o.checkCoupon(v, priced, currency)
	v.checkPeriod(o.judgedAt())
	v.checkQuantity(ord)
	if err == nil {
		own := uuid.Nil
		if ord.hold != nil {
			own = ord.hold.ID
		}
		err = o.checkPlaces(v, ord.customer, own)
	}
	if h := ord.hold; err == nil && h != nil && !ord.anew && h.CodeID == v.code.ID && h.CouponID == v.coupon.ID {
		another := false
		if ord.unpaid {
			another, err = o.heldForAnother(h.ID, v)
		}
		v.forgive(passed(h.Until, o.Now) || h.State != affiliate.HoldHeld, another)
	}
	return err
}

// RefusedHold returns the hold on new sales of a code's affiliate, in a program
// that refuses codes because of it. In other programs it reads nothing.
func (o *Op) RefusedHold(code *record.Code) (affiliate.HoldReason, error) {
	if !o.Cfg.RefuseSuspended || code.AffiliateID == uuid.Nil {
		return "", nil
	}
	aff, err := o.Tx.Affiliates.Get(code.AffiliateID)
	if err != nil {
		return "", refusal.Internal("affiliate of a code", err)
	}
	return aff.Status.NewSales().Or(""), nil
}

// checkOwnerOf applies row 15, the rule about holds on new sales of the code's
// affiliate, if the program has it.
func (o *Op) checkOwnerOf(v *verdict, hold affiliate.HoldReason) {
	if o.Cfg.RefuseSuspended && (hold == affiliate.HoldAffiliateBanned || hold == affiliate.HoldAffiliateDeactivated) {
		v.fail(refusal.CodeSuspended, affiliate.Failure{})
	}
}

// CodeByText returns the live code with the text, in any letter case and
// spaces around it, or ErrNotFound.
func (o *Op) CodeByText(text string) (record.Code, error) {
	text, ok := canonicalCode(text)
	if !ok {
		return record.Code{}, affiliate.ErrNotFound
	}
	return o.Tx.Codes.Find(record.Key{Index: record.ByCode, Text: record.FoldCode(text)})
}

// ParentOf returns the coupon of a stored code. Every live code has one, so a
// missing coupon means a broken store.
func (o *Op) ParentOf(code *record.Code) (record.Coupon, error) {
	coupon, err := o.Tx.Coupons.Get(code.CouponID)
	if errors.Is(err, affiliate.ErrNotFound) {
		return coupon, fmt.Errorf("code %s has no coupon: %v", code.ID, err)
	}
	return coupon, err
}

// boughtBefore reports whether the customer of a first-order code has an order, or is older
// than the program. For other codes it reads nothing.
func (o *Op) boughtBefore(code *record.Code, c *Customer) (bool, error) {
	if !code.FirstTimeOrder || !c.Known {
		return false, nil
	}
	if had, read := c.bought.Get(); read {
		return had, nil
	}
	keys := make([]record.Key, 0, 3)
	keys = record.AppendText(keys, record.OfCustomer, mailbox.Of(c.Email))
	if c.Referral.Email != c.Email {
		keys = record.AppendText(keys, record.OfCustomer, mailbox.Of(c.Referral.Email))
	}
	keys = record.AppendID(keys, record.OfReferral, c.Referral.ID)
	for _, key := range keys {
		if there, err := o.ordered(key, code.ID); there || err != nil {
			c.bought = affiliate.Set(there)
			return there, err
		}
	}
	older, err := o.older(c)
	c.bought = affiliate.Set(older)
	return older, err
}

// ordered reports whether a sale with this key is an order before this one. What was paid after an
// order that is told late is none, unless it redeemed the code.
func (o *Op) ordered(key record.Key, code uuid.UUID) (bool, error) {
	late := o.judgedAt().Before(o.Now)
	order, err := o.firstSale(key, func(r *record.Sale) bool {
		return isOrder(r) && !(late && PaidOf(r).After(o.PaidAt) && r.CodeID != code)
	})
	return order.ID != uuid.Nil, err
}

// isOrder reports whether a sale counts among the orders of its customer, which say whether the next
// one is the first: no conversion is one, and nothing that was refunded in full.
//
// Source: docs/rules.md 3.5, docs/terms.md T13.
func isOrder(r *record.Sale) bool { return r.Conversion == "" && !r.Status.Is(affiliate.SaleRefunded) }

// checkState applies the rules that do not depend on the order: rows 2–8. Expiry is
// checked at the given time, limits as they are now. house: codes need no affiliate.
func (v *verdict) checkState(at affiliate.Instant, house bool) {
	code, coupon := &v.code, &v.coupon
	if !code.Active {
		v.fail(refusal.CodeInactive, affiliate.Failure{})
	}
	if !coupon.Valid {
		v.fail(refusal.CouponInvalid, affiliate.Failure{})
	}
	if passed(code.ExpiresAt, at) {
		v.fail(refusal.CodeExpired, affiliate.Failure{At: affiliate.Set(affiliate.TimeOf(code.ExpiresAt.Time()))})
	}
	if passed(coupon.RedeemBy, at) {
		v.fail(refusal.CouponExpired, affiliate.Failure{At: affiliate.Set(affiliate.TimeOf(coupon.RedeemBy.Time()))})
	}
	if held := v.codeHeld(); reached(code.MaxRedemptions, code.TimesRedeemed+held) {
		v.fail(refusal.CodeExhausted, exhausted(code.MaxRedemptions, code.TimesRedeemed, held))
	}
	if held := v.couponHeld(); reached(coupon.MaxRedemptions, coupon.TimesRedeemed+held) {
		v.fail(refusal.CouponExhausted, exhausted(coupon.MaxRedemptions, coupon.TimesRedeemed, held))
	}
	if code.AffiliateID == uuid.Nil && !house {
		v.fail(refusal.CodeUnassigned, affiliate.Failure{})
	}
}

// exhausted is the data of a limit that is used up: by redemptions, or by these with the places that are held.
func exhausted(limit, used, held int64) affiliate.Failure {
	if !reached(limit, used) {
		used += held
	}
	return affiliate.Failure{Limit: affiliate.Set(limit), Used: affiliate.Set(used)}
}

// passed reports whether a time limit has passed. The limit itself is still
// valid. A zero limit never passes.
func passed(limit, now affiliate.Instant) bool { return !limit.IsZero() && now.After(limit) }

// reached reports whether a redemption limit is used up. Zero is no limit.
func reached(limit, used int64) bool { return limit > 0 && used >= limit }

// checkOrder applies the rules that depend on the order: rows 9–14. earlier: its customer has bought before; mine:
// nobody else may use the code.
func (v *verdict) checkOrder(ord *order, currency affiliate.Currency, earlier, mine bool) {
	code, coupon, buyer := &v.code, &v.coupon, ord.customer
	if code.FirstTimeOrder {
		v.decide(buyer.Known, !earlier, refusal.NotFirstOrder, affiliate.Failure{})
	}
	if minimum, ok := code.MinimumAmount.Get(); ok {
		basket, sent := ord.basket.Get()
		if v.foreignMinimum(currency) {
			v.decide(sent, false, refusal.WrongCurrency, affiliate.Failure{Currency: code.MinimumCurrency})
		} else {
			v.decide(sent, basket.Cmp(minimum) >= 0, refusal.BelowMinimum, affiliate.Failure{Amount: affiliate.Set(minimum), Currency: currency})
		}
	}
	if code.LimitToAffiliate {
		v.decide(ord.affiliate != uuid.Nil, ord.affiliate == code.AffiliateID, refusal.WrongAffiliate, affiliate.Failure{})
	}
	if code.LimitToCustomers {
		v.decide(buyer.Known, mine, refusal.WrongCustomer, affiliate.Failure{})
	}
	if coupon.LimitToProducts {
		v.decide(ord.product != "" || productsKnown(ord.lines), ord.has(coupon.ProductIDs), refusal.WrongProduct, affiliate.Failure{})
	}
}

// has reports whether one of the products is in the order.
func (o *order) has(products []string) bool {
	return slices.Contains(products, o.product) ||
		slices.ContainsFunc(o.lines, func(l affiliate.Line) bool { return slices.Contains(products, l.ProductID) })
}

// productsKnown reports whether a line says its product.
func productsKnown(lines []affiliate.Line) bool {
	return slices.ContainsFunc(lines, func(l affiliate.Line) bool { return l.ProductID != "" })
}

// decide records the result of a rule about the order: unverified when the order
// lacks the fact.
func (v *verdict) decide(sent, holds bool, row refusal.Refusal, data affiliate.Failure) {
	if !sent {
		v.unverified = append(v.unverified, row.Reason)
		return
	}
	if !holds {
		v.fail(row, data)
	}
}

// fail adds a failing row with its data.
func (v *verdict) fail(row refusal.Refusal, data affiliate.Failure) {
	data.Reason, data.Message = row.Reason, row.Message
	v.failures = append(v.failures, data)
}

// is reports whether id is one of the customer's names: the referral's id, the
// host's own id, or an address of their mailbox.
func (c *Customer) is(id string) bool {
	var room [36]byte
	if c.Referral.ID != uuid.Nil && string(uuid7.Append(room[:0], c.Referral.ID)) == id {
		return true
	}
	if c.Gone != uuid.Nil && string(uuid7.Append(room[:0], c.Gone)) == id {
		return true
	}
	if id == "" {
		return false
	}
	if id == c.Referral.CustomerID || id == c.HostID {
		return true
	}
	if strings.IndexByte(id, '@') < 0 {
		return false
	}
	return SameMailbox(id, c.Email) || SameMailbox(id, c.Referral.Email)
}

// refusal returns nil when the code works, else the error with every failing rule;
// the first one gives it its reason and text.
func (v *verdict) refusal() error {
	if len(v.failures) == 0 {
		return nil
	}
	kind := refusal.CodeInactive.Kind
	if !v.found && !v.offer {
		kind = refusal.CodeNotFound.Kind
	}
	head := v.failures[0]
	return &affiliate.Error{Kind: kind, Reason: head.Reason, Message: head.Message, Failures: v.failures}
}

// discountLines takes the discount of a coupon off the lines of an order, and returns it.
// A coupon that is for some products takes it off theirs alone, unless no line says its
// product.
func (o *Op) discountLines(c *record.Coupon, lines []affiliate.StoredLine, in affiliate.Currency) affiliate.Opt[affiliate.Amount] {
	known := slices.ContainsFunc(lines, func(l affiliate.StoredLine) bool { return l.ProductID != "" })
	weights, whole := make([]int64, len(lines)), int64(0)
	for i := range lines {
		l := &lines[i]
		if !c.LimitToProducts || !known || slices.Contains(c.ProductIDs, l.ProductID) {
			weights[i] = left(l)
			whole += weights[i]
		}
	}
	off := o.discount(c, affiliate.Set(affiliate.AmountFromScaled(whole)), in)
	sum, priced := off.Get()
	if !priced {
		return off
	}
	for i, share := range Spread(sum.Scaled(), weights, in.Unit().Scaled()) {
		lines[i].CodeDiscount = affiliate.AmountFromScaled(share)
	}
	return off
}

// discount returns the discount of a coupon on a total in a currency; it is never more than
// the total. It is null without a total, and for an amount in another
// currency. Contract 4.1.
func (o *Op) discount(c *record.Coupon, total affiliate.Opt[affiliate.Amount], in affiliate.Currency) affiliate.Opt[affiliate.Amount] {
	whole, ok := total.Get()
	if !ok || o.foreignAmount(c, in) {
		return affiliate.Null[affiliate.Amount]()
	}
	var off affiliate.Amount
	var err error
	if c.Type == affiliate.CouponFlat {
		off, err = c.AmountOff.Round(in)
	} else {
		off, err = c.PercentOff.Of(whole, in)
		if most := c.MaxDiscount; !most.IsZero() && (err != nil || off.Cmp(most) > 0) {
			off, err = most.Round(in)
		}
	}
	if err != nil || off.Cmp(whole) > 0 { // the rounded value does not fit, so it is above every total
		return total
	}
	return affiliate.Set(off)
}
