package affiliate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// The rules of redemption: one function for the preview, the sale and the
// referral by code. Rules 3.5 and 3.6; contract 3.5.

// customer is the buyer that a request names.
type customer struct {
	known    bool           // an email was sent, or an identifier named a referral
	email    string         // canonical; may be empty
	referral ReferralRecord // zero: none yet
	gone     uuid.UUID      // of the erasure, when the email is of somebody who was erased; else zero
}

// order has the facts of a request, resolved as far as possible.
type order struct {
	basket    Opt[Amount] // before the discount, else the total
	customer  *customer
	affiliate uuid.UUID // the affiliate that the request names; zero: none
	product   string    // product id; empty: not sent
}

// verdict is the result of the rules for a code and an order.
type verdict struct {
	found      bool
	code       CodeRecord
	coupon     CouponRecord
	failures   []Failure // in the order of the contract's rows
	unverified []Reason  // rules of the code for which the order has no facts
}

// judge looks a code up, applies every rule to it and fills in the verdict. It
// only reads, and it allocates nothing when no rule fails. Its error is one of
// the store.
func (o *op) judge(text string, ord *order, v *verdict) (err error) {
	v.code, err = o.codeByText(text)
	if errors.Is(err, ErrNotFound) {
		v.fail(codeNotFound, Failure{})
		return nil
	}
	if err == nil {
		v.coupon, err = o.parentOf(&v.code)
	}
	if err != nil {
		return err
	}
	v.found = true
	earlier, err := o.boughtBefore(&v.code, ord.customer)
	if err != nil {
		return err
	}
	v.checkState(o.judgedAt())
	v.checkOrder(ord, o.cfg.Currency, earlier)
	hold, err := o.refusedHold(&v.code)
	o.checkOwnerOf(v, hold)
	return err
}

// refusedHold is the hold of new sales of the affiliate of a code, in a program that
// refuses codes for it. In others nothing is read.
func (o *op) refusedHold(code *CodeRecord) (HoldReason, error) {
	if !o.cfg.RefuseSuspended || code.AffiliateID == uuid.Nil {
		return "", nil
	}
	aff, err := o.tx.Affiliates.Get(code.AffiliateID)
	if err != nil {
		return "", internal("affiliate of a code", err)
	}
	return aff.Status.NewSales().Or(""), nil
}

// checkOwnerOf applies the rule about the affiliate of a code, whose new sales have
// this hold, if the program has it: row 15.
func (o *op) checkOwnerOf(v *verdict, hold HoldReason) {
	if o.cfg.RefuseSuspended && (hold == HoldAffiliateBanned || hold == HoldAffiliateDeactivated) {
		v.fail(codeSuspended, Failure{})
	}
}

// codeByText returns the live code with the text, in any letter case and
// spaces around it, or ErrNotFound.
func (o *op) codeByText(text string) (CodeRecord, error) {
	text, ok := canonicalCode(text)
	if !ok {
		return CodeRecord{}, ErrNotFound
	}
	return o.tx.Codes.Find(Key{Index: ByCode, Text: foldCode(text)})
}

// parentOf returns the coupon of a stored code. Every live code has one, so a
// missing coupon means a broken store.
func (o *op) parentOf(code *CodeRecord) (CouponRecord, error) {
	coupon, err := o.tx.Coupons.Get(code.CouponID)
	if errors.Is(err, ErrNotFound) {
		return coupon, fmt.Errorf("code %s has no coupon: %v", code.ID, err)
	}
	return coupon, err
}

// boughtBefore reports whether the customer of a first-order code has a live
// sale, refunded ones included. For other codes it reads nothing.
func (o *op) boughtBefore(code *CodeRecord, c *customer) (bool, error) {
	if !code.FirstTimeOrder || !c.known {
		return false, nil
	}
	keys := make([]Key, 0, 3)
	keys = appendText(keys, OfCustomer, c.email)
	if c.referral.Email != c.email {
		keys = appendText(keys, OfCustomer, c.referral.Email)
	}
	keys = appendID(keys, OfReferral, c.referral.ID)
	for _, key := range keys {
		if there, err := holds(o.tx.Sales, key); there || err != nil {
			return there, err
		}
	}
	return false, nil
}

// checkState applies the rules that do not depend on the order: rows 2–8. Expiry
// is judged at a time, limits by what they are.
func (v *verdict) checkState(at Instant) {
	code, coupon := &v.code, &v.coupon
	if !code.Active {
		v.fail(codeInactive, Failure{})
	}
	if !coupon.Valid {
		v.fail(couponInvalid, Failure{})
	}
	if passed(code.ExpiresAt, at) {
		v.fail(codeExpired, Failure{At: Set(TimeOf(code.ExpiresAt.Time()))})
	}
	if passed(coupon.RedeemBy, at) {
		v.fail(couponExpired, Failure{At: Set(TimeOf(coupon.RedeemBy.Time()))})
	}
	if reached(code.MaxRedemptions, code.TimesRedeemed) {
		v.fail(codeExhausted, Failure{Limit: Set(code.MaxRedemptions), Used: Set(code.TimesRedeemed)})
	}
	if reached(coupon.MaxRedemptions, coupon.TimesRedeemed) {
		v.fail(couponExhausted, Failure{Limit: Set(coupon.MaxRedemptions), Used: Set(coupon.TimesRedeemed)})
	}
	if code.AffiliateID == uuid.Nil {
		v.fail(codeUnassigned, Failure{})
	}
}

// passed reports whether a time limit has passed. The limit itself is still
// valid. A zero limit never passes.
func passed(limit, now Instant) bool { return !limit.IsZero() && now.After(limit) }

// reached reports whether a redemption limit is used up. Zero is no limit.
func reached(limit, used int64) bool { return limit > 0 && used >= limit }

// checkOrder applies the rules that depend on the order: rows 9–14.
func (v *verdict) checkOrder(ord *order, currency Currency, earlier bool) {
	code, coupon, buyer := &v.code, &v.coupon, ord.customer
	if code.FirstTimeOrder {
		v.decide(buyer.known, !earlier, notFirstOrder, Failure{})
	}
	if minimum, ok := code.MinimumAmount.Get(); ok {
		basket, sent := ord.basket.Get()
		if v.foreignMinimum(currency) {
			v.decide(sent, false, wrongCurrency, Failure{Currency: code.MinimumCurrency})
		} else {
			v.decide(sent, basket.Cmp(minimum) >= 0, belowMinimum, Failure{Amount: Set(minimum), Currency: currency})
		}
	}
	if code.LimitToAffiliate {
		v.decide(ord.affiliate != uuid.Nil, ord.affiliate == code.AffiliateID, wrongAffiliate, Failure{})
	}
	if code.LimitToCustomers {
		v.decide(buyer.known, buyer.is(code.CustomerID), wrongCustomer, Failure{})
	}
	if coupon.LimitToProducts {
		v.decide(ord.product != "", slices.Contains(coupon.ProductIDs, ord.product), wrongProduct, Failure{})
	}
}

// decide notes the result of a rule about the order: unverified when the order
// does not have the fact.
func (v *verdict) decide(sent, holds bool, row Refusal, data Failure) {
	if !sent {
		v.unverified = append(v.unverified, row.reason)
		return
	}
	if !holds {
		v.fail(row, data)
	}
}

// fail adds a failing row with its data.
func (v *verdict) fail(row Refusal, data Failure) {
	data.Reason, data.Message = row.reason, row.message
	v.failures = append(v.failures, data)
}

// is reports whether id is one of the customer's names: the referral's id, the
// host's own id, or an email.
func (c *customer) is(id string) bool {
	var room [36]byte
	if c.referral.ID != uuid.Nil && string(uuid7.Append(room[:0], c.referral.ID)) == id {
		return true
	}
	if c.gone != uuid.Nil && string(uuid7.Append(room[:0], c.gone)) == id {
		return true
	}
	if id == "" {
		return false
	}
	if id == c.referral.CustomerID {
		return true
	}
	if strings.IndexByte(id, '@') < 0 {
		return false
	}
	email, ok := mailbox.Canonical(id)
	return ok && (email == c.email || email == c.referral.Email)
}

// refusal is nil when the code works, else the error with every failing rule;
// the first one gives it its reason and text.
func (v *verdict) refusal() error {
	if len(v.failures) == 0 {
		return nil
	}
	kind := codeInactive.kind
	if !v.found {
		kind = codeNotFound.kind
	}
	head := v.failures[0]
	return &Error{Kind: kind, Reason: head.Reason, Message: head.Message, Failures: v.failures}
}

// discount is the discount of a coupon on a total; it is never more than the
// total. It is null without a total, and for an amount in another currency than
// the program's. Contract 4.1.
func (o *op) discount(c *CouponRecord, total Opt[Amount]) Opt[Amount] {
	whole, ok := total.Get()
	if !ok || c.Type == CouponFlat && c.Currency != o.cfg.Currency {
		return Null[Amount]()
	}
	var off Amount
	var err error
	if c.Type == CouponFlat {
		off, err = c.AmountOff.Round(o.cfg.Currency)
	} else {
		off, err = c.PercentOff.Of(whole, o.cfg.Currency)
	}
	if err != nil || off.Cmp(whole) > 0 { // the rounded value does not fit, so it is above every total
		return total
	}
	return Set(off)
}
