package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// NumberIn returns the number in an id that record.NumberID made.
func NumberIn(id uuid.UUID) int64 { return int64(binary.BigEndian.Uint64(id[8:])) }

var ImportKinds = []imported.Kind{
	record.ImportedAsAffiliate, record.ImportedAsLink, record.ImportedAsCoupon, record.ImportedAsCode,
	record.ImportedAsReferral, record.ImportedAsCustomer, record.ImportedAsSale,
	record.ImportedAsBonus, record.ImportedAsPayout,
}

// CommissionFrozen reports whether a payout holds the entry or ever held it. Its amount
// never changes then. Records from versions without cancelable payouts have only
// PayoutID.
func CommissionFrozen(c *record.Commission) bool { return c.Frozen || c.PayoutID != uuid.Nil }

// SaleFrozen reports whether an entry of the sale is frozen.
func SaleFrozen(r *record.Sale) bool {
	return slices.ContainsFunc(r.Commissions, func(c record.Commission) bool { return CommissionFrozen(&c) })
}

// inPayout reports whether a payout holds an entry of the sale.
func inPayout(r *record.Sale) bool {
	return slices.ContainsFunc(r.Commissions, func(c record.Commission) bool { return c.PayoutID != uuid.Nil })
}

// IgnoreMissing returns nil for the error of a look-up that found nothing.
func IgnoreMissing(err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	return err
}

// The save methods write a change of a record together with its event, one for
// each kind of record with events. They take the old record, or the zero record
// for a new one, and the new record, and return the API's answer. They raise
// Revision and UpdatedAt. A record that has not changed is not written and
// fires nothing.
//
// An event shows more than its record: an affiliate's links, the payout of a sale. When only
// that has changed, the record equals the stored one and would not be saved: the caller raises its
// Revision first (touched).

// Put inserts rec when old is the zero record, and otherwise replaces old.
func Put[R record.Record[R]](t record.Table[R], old, rec R) error {
	if old.RecordID() == uuid.Nil {
		return t.Insert(rec)
	}
	return t.Replace(rec)
}

// SaveAffiliate writes an affiliate. The caller has written its links.
func (o *Op) SaveAffiliate(old, rec record.Affiliate) (affiliate.Affiliate, error) {
	if Same(old, rec) {
		return o.affiliateOf(old)
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, Later(o.Now, rec.UpdatedAt)
	if err := Put(o.Tx.Affiliates, old, rec); err != nil {
		if errors.Is(err, record.ErrExists) {
			return affiliate.Affiliate{}, refusal.Taken(err, map[record.Index]*affiliate.Error{
				record.ByEmail:      refusal.AffiliateEmailTaken.Err(),
				record.ByExternalID: refusal.AffiliateExternalIDTaken.Err(),
			})
		}
		return affiliate.Affiliate{}, refusal.Internal("write affiliate", err)
	}
	answer, err := o.affiliateOf(rec)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	body, err := o.affiliateBody(rec, answer)
	if err != nil {
		return affiliate.Affiliate{}, err
	}
	event := record.Event{Type: affiliate.AffiliateUpdated, ObjectID: rec.ID, Revision: rec.Revision}
	if old.ID == uuid.Nil {
		event.Type = affiliate.AffiliateCreated
	}
	if err := o.emit(event, o.lists.freeze(body)); err != nil {
		return affiliate.Affiliate{}, err
	}
	if old.Status.Unapproved() && rec.Status == affiliate.AffiliateActive {
		err = o.releaseApproved(rec.ID)
	}
	return answer, err
}

// touched marks an affiliate as changed after one of its links was written.
func touched(r record.Affiliate) record.Affiliate {
	r.Revision++
	return r
}

// saveCoupon writes a coupon. The event and the receipt keep records, from which
// the answer is built after the transaction.
func (o *Op) saveCoupon(old, rec record.Coupon) (couponReply, error) {
	if Same(old, rec) {
		body, err := o.couponBody(old)
		return couponReply{body: body}, err
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, Later(o.Now, rec.UpdatedAt)
	if err := Put(o.Tx.Coupons, old, rec); err != nil {
		return couponReply{}, refusal.Taken(err,
			map[record.Index]*affiliate.Error{record.ByExternalID: refusal.CouponExternalIDTaken.Err()})
	}
	event := record.Event{Type: affiliate.CouponUpdated, ObjectID: rec.ID, Revision: rec.Revision}
	if old.ID == uuid.Nil {
		event.Type = affiliate.CouponCreated
		body := CouponBody{Coupon: o.CouponOf(rec)}
		return couponReply{body: body}, o.emit(event, body)
	}
	body, err := o.couponBody(rec)
	if err != nil {
		return couponReply{}, err
	}
	return couponReply{body: body}, o.emit(event, body)
}

// saveCode writes a changed code. New ones are written by the batch.
func (o *Op) saveCode(old, rec record.Code) (affiliate.Code, error) {
	if Same(old, rec) {
		return o.fullCode(old, parents{})
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, Later(o.Now, rec.UpdatedAt)
	held, err := o.parentsOf(rec, parents{})
	if err != nil {
		return affiliate.Code{}, err
	}
	answer, err := o.fullCode(rec, parents{}) // it shares nothing with the event
	if err != nil {
		return affiliate.Code{}, err
	}
	if err := o.Tx.Codes.Replace(rec); err != nil {
		return affiliate.Code{}, refusal.Taken(err, CodeClashes(refusal.CodeTaken))
	}
	return answer, o.emit(record.Event{Type: affiliate.PromocodeUpdated, ObjectID: rec.ID,
		Revision: rec.Revision}, CodeBody{rec, held})
}

// SaveReferral writes a changed referral. A new one is written earlier, before
// the totals that its event shows; see EmitReferral.
func (o *Op) SaveReferral(old, rec record.Referral) (affiliate.Referral, error) {
	if Same(old, rec) {
		return o.ReferralOf(old)
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, Later(o.Now, rec.UpdatedAt)
	if err := o.Tx.Referrals.Replace(rec); err != nil {
		return affiliate.Referral{}, refusal.Taken(err,
			map[record.Index]*affiliate.Error{record.ByEmail: refusal.ReferralEmailTaken.Err()})
	}
	return o.EmitReferral(affiliate.ReferralUpdated, rec)
}

// EmitReferral fires an event of a stored referral and returns the referral.
func (o *Op) EmitReferral(typ affiliate.EventType, rec record.Referral) (affiliate.Referral, error) {
	body, err := o.referralBody(rec)
	if err != nil {
		return affiliate.Referral{}, err
	}
	answer := body.Referral
	answer.Metadata = metadataOf(rec.Metadata) // it shares nothing with the event
	return answer, o.emit(record.Event{Type: typ, ObjectID: rec.ID, Revision: rec.Revision}, body)
}

// SaveSale writes a changed sale with its totals and movements. A change that
// refunds the whole fires sale.deleted, and while the sale stays refunded nothing
// is fired. When the sale counts again, sale.updated says so. New sales are
// written when they are recorded. A change without a cause moves nothing between
// the accounts.
func (o *Op) SaveSale(old, rec record.Sale, cause affiliate.Cause) (affiliate.Sale, error) {
	if err := o.fit(&old, &rec); err != nil {
		return affiliate.Sale{}, err
	}
	if Same(old, rec) {
		return o.saleOf(old)
	}
	if err := o.NumberEntries(&rec); err != nil {
		return affiliate.Sale{}, err
	}
	if err := o.moveSale(&old, &rec, cause); err != nil {
		return affiliate.Sale{}, err
	}
	rec.DeletedFired = rec.Status.Is(affiliate.SaleRefunded)
	rec.Revision, rec.UpdatedAt = old.Revision, Later(o.Now, rec.UpdatedAt)
	if !old.DeletedFired || !rec.DeletedFired {
		rec.Revision++
	}
	if err := o.Tx.Sales.Replace(rec); err != nil {
		return affiliate.Sale{}, refusal.Taken(err, map[record.Index]*affiliate.Error{
			record.ByExternalID: refusal.SaleExternalIDTaken.Err(), record.ByInvoice: refusal.SaleInvoiceIDTaken.Err(),
		})
	}
	if rec.Status != old.Status {
		if err := o.settlePlace(&rec, nil); err != nil {
			return affiliate.Sale{}, err
		}
	}
	b, err := o.SaleBody(rec)
	if err != nil {
		return affiliate.Sale{}, err
	}
	switch {
	case !rec.DeletedFired:
		err = o.emit(event(&rec, affiliate.SaleUpdated), b)
	case !old.DeletedFired:
		err = o.emitDeleted(affiliate.SaleDeleted, rec.ID, rec.Number, rec.Revision)
	}
	return b.Sale(), err
}

// event returns an event of the sale in its current state.
func event(r *record.Sale, typ affiliate.EventType) record.Event {
	return record.Event{Type: typ, ObjectID: r.ID, Number: r.Number, Revision: r.Revision}
}

// Touched marks a sale as changed after its payout has changed.
func Touched(r record.Sale) record.Sale {
	r.Revision++
	return r
}

// Same reports whether two states of a record are equal in every field. Nothing
// else decides whether a record has changed, and new fields are included
// automatically. An empty list equals a nil one, because a store may return
// either.
//
// It compares UpdatedAt and Revision too, so callers ask before they raise them.
func Same[R record.Record[R]](a, b R) bool {
	return SameValue(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem())
}

// SameValue compares as Same does, at any depth.
func SameValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		return sameStruct(a, b)
	case reflect.Slice, reflect.Array:
		return sameList(a, b)
	default:
		return a.Equal(b)
	}
}

func sameStruct(a, b reflect.Value) bool {
	for i := range a.NumField() {
		if !SameValue(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}

func sameList(a, b reflect.Value) bool {
	if a.Type().Elem().Kind() == reflect.Uint8 {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !SameValue(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

// IsMemo reports whether the movement moves nothing between the accounts.
func IsMemo(r *record.Movement) bool { return r.From == r.To }

// MovementID returns the id of a movement: 48 bits of milliseconds, 10 of
// microseconds, 32 of the number and 32 of the affiliate, besides version and
// variant. So ids are in the order of time, the ids of an affiliate are in the order
// of their numbers, and a range of time is a range of ids.
func MovementID(at affiliate.Instant, number int64, affiliate uuid.UUID) uuid.UUID {
	hash := uint64(14695981039346656037) // FNV-1a
	for _, b := range affiliate {
		hash = (hash ^ uint64(b)) * 1099511628211
	}
	low := uint64(uint32(number))<<32 | (hash^hash>>32)&(1<<32-1) // 64 bits, of which two are before the variant
	id := FirstMovement(at)
	id[7] |= byte(low >> 62)
	binary.BigEndian.PutUint64(id[8:], 1<<63|low&(1<<62-1))
	return id
}

// FirstMovement returns an id below those of all movements at this time, and above
// those of earlier ones.
func FirstMovement(at affiliate.Instant) uuid.UUID {
	id := uuid7.Stamp(uuid.UUID{}, at.Time())
	var micros uint16
	if at.Time().UnixMilli() >= 0 { // earlier times have one stamp
		micros = uint16(at.Time().UnixMicro() % 1000)
	}
	binary.BigEndian.PutUint16(id[6:], 0x7000|micros<<2)
	id[8] = 1 << 7
	return id
}

// Ever is the value of Opened for an affiliate whose books began with its first
// movement.
var Ever = affiliate.Instant{}.Add(time.Microsecond)

// AccountOf returns the field of an account; nil for ACCRUAL.
func AccountOf(b *record.Books, name affiliate.Account) *affiliate.Amount {
	switch name {
	case affiliate.AccountHeld:
		return &b.Held
	case affiliate.AccountPayable:
		return &b.Payable
	case affiliate.AccountInPayout:
		return &b.InPayout
	case affiliate.AccountPaid:
		return &b.Paid
	}
	return nil
}

// MoveBetween moves an amount between two accounts.
func MoveBetween(b *record.Books, from, to affiliate.Account, amount affiliate.Amount) (err error) {
	if account := AccountOf(b, from); account != nil {
		if *account, err = account.Sub(amount); err != nil {
			return TooLargeFor("commissionEarned", err)
		}
	}
	if account := AccountOf(b, to); account != nil {
		if *account, err = account.Add(amount); err != nil {
			return TooLargeFor("commissionEarned", err)
		}
	}
	return nil
}

// next returns the time of the next movement. It never goes back, whatever the clock
// does, and is after the time until which the books are closed.
func next(b *record.Books, now affiliate.Instant) affiliate.Instant {
	return Later(Later(now, b.LastAt), b.ClosedUntil.Add(time.Microsecond))
}

// AccruedBy returns what a movement adds to the total of everything owed and paid.
func AccruedBy(r *record.Movement) affiliate.Amount {
	switch {
	case IsMemo(r):
		return affiliate.Amount{}
	case r.From.Is(affiliate.AccountAccrual):
		return r.Amount
	case r.To.Is(affiliate.AccountAccrual):
		return r.Amount.Neg()
	}
	return affiliate.Amount{}
}

// deduction returns what the program deducts.
func (p *Program) deduction() affiliate.Deduction {
	switch tax, shipping := !p.Cfg.CommissionOnTax, !p.Cfg.CommissionOnShipping; {
	case tax && shipping:
		return affiliate.DeductBoth
	case tax:
		return affiliate.DeductTax
	case shipping:
		return affiliate.DeductShipping
	}
	return affiliate.DeductNothing
}

// Deducted returns what is deducted from the total of a sale: as recorded with it,
// or for an old sale without that, what the program deducts.
func (p *Program) Deducted(r *record.Sale) (tax, shipping affiliate.Amount) {
	how := r.Why.Deduct.Value()
	if how == "" {
		how = p.deduction()
	}
	if how == affiliate.DeductTax || how == affiliate.DeductBoth {
		tax = r.Tax
	}
	if how == affiliate.DeductShipping || how == affiliate.DeductBoth {
		shipping = r.Shipping
	}
	return tax, shipping
}

// sources records the source of a deal's rate.
func sources(w *record.Why, d *deal) {
	w.RateFrom, w.PlanFrom = affiliate.EnumOf(d.rateFrom), affiliate.EnumOf(d.planFrom)
	w.PlanID, w.TierID = d.planID, d.tierID
}

// IsNumbered reports whether events of the type have the number of their object.
func IsNumbered(t affiliate.EventType) bool { return t.Family() == "sale" }

// EndsObject reports whether the type is that of a deletion.
func EndsObject(t affiliate.EventType) bool { return ActionOf(t) == "deleted" }

// ActionOf returns the part of a type after the dot.
func ActionOf(t affiliate.EventType) string { return string(t[min(len(t), len(t.Family())+1):]) }

// canonicalCode returns a code without blanks around it and invisible
// characters, and whether the result is a valid code.
//
// Source: docs/rules.md 1.9.
func canonicalCode(s string) (string, bool) {
	s = plaintext.Bare(s)
	return s, refusal.ValidCode(s)
}
