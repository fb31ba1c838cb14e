package affiliate

import (
	"errors"

	"github.com/google/uuid"
)

// The save methods write a change of a record together with its event, one for
// each kind of record with events. They take the old record, or the zero record
// for a new one, and the new record, and return the API's answer. They raise
// Revision and UpdatedAt. A record that has not changed is not written and
// fires nothing.
//
// An event shows more than its record: an affiliate's links, the payout of a
// sale. When only that has changed, the caller saves the record as touched.

// put inserts rec when old is the zero record, and otherwise replaces old.
func put[R Record[R]](t Table[R], old, rec R) error {
	if old.RecordID() == uuid.Nil {
		return t.Insert(rec)
	}
	return t.Replace(rec)
}

// saveAffiliate writes an affiliate. The caller has written its links.
func (o *op) saveAffiliate(old, rec AffiliateRecord) (Affiliate, error) {
	if same(old, rec) {
		return o.affiliateOf(old)
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, later(o.now, rec.UpdatedAt)
	if err := put(o.tx.Affiliates, old, rec); err != nil {
		if errors.Is(err, ErrExists) {
			return Affiliate{}, taken(err, map[Index]*Error{ByEmail: affiliateEmailTaken.Err()})
		}
		return Affiliate{}, internal("write affiliate", err)
	}
	answer, err := o.affiliateOf(rec)
	if err != nil {
		return Affiliate{}, err
	}
	body, err := o.affiliateBody(rec, answer)
	if err != nil {
		return Affiliate{}, err
	}
	event := EventRecord{Type: AffiliateUpdated, ObjectID: rec.ID, Revision: rec.Revision}
	if old.ID == uuid.Nil {
		event.Type = AffiliateCreated
	}
	if err := o.emit(event, o.lists.freeze(body)); err != nil {
		return Affiliate{}, err
	}
	if old.Status.unapproved() && rec.Status == AffiliateActive {
		err = o.releaseApproved(rec.ID)
	}
	return answer, err
}

// touched is the affiliate after one of its links was written.
func (r AffiliateRecord) touched() AffiliateRecord {
	r.Revision++
	return r
}

// saveCoupon writes a coupon. The event and the receipt keep records, from which
// the answer is built after the transaction.
func (o *op) saveCoupon(old, rec CouponRecord) (couponReply, error) {
	if same(old, rec) {
		body, err := o.couponBody(old)
		return couponReply{body: body}, err
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, later(o.now, rec.UpdatedAt)
	if err := put(o.tx.Coupons, old, rec); err != nil {
		return couponReply{}, taken(err, map[Index]*Error{ByExternalID: couponExternalIDTaken.Err()})
	}
	event := EventRecord{Type: CouponUpdated, ObjectID: rec.ID, Revision: rec.Revision}
	if old.ID == uuid.Nil {
		event.Type = CouponCreated
		body := couponBody{coupon: o.couponOf(rec)}
		return couponReply{body: body}, o.emit(event, body)
	}
	body, err := o.couponBody(rec)
	if err != nil {
		return couponReply{}, err
	}
	return couponReply{body: body}, o.emit(event, body)
}

// saveCode writes a changed code. New ones are written by the batch.
func (o *op) saveCode(old, rec CodeRecord) (Code, error) {
	if same(old, rec) {
		return o.fullCode(old, parents{})
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, later(o.now, rec.UpdatedAt)
	held, err := o.parentsOf(rec, parents{})
	if err != nil {
		return Code{}, err
	}
	answer, err := o.fullCode(rec, parents{}) // it shares nothing with the event
	if err != nil {
		return Code{}, err
	}
	if err := o.tx.Codes.Replace(rec); err != nil {
		return Code{}, taken(err, codeClashes(codeTaken))
	}
	return answer, o.emit(EventRecord{Type: PromocodeUpdated, ObjectID: rec.ID, Revision: rec.Revision}, codeBody{rec, held})
}

// saveReferral writes a changed referral. A new one is written before what its
// event shows, its totals, is there; see emitReferral.
func (o *op) saveReferral(old, rec ReferralRecord) (Referral, error) {
	if same(old, rec) {
		return o.referralOf(old)
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, later(o.now, rec.UpdatedAt)
	if err := o.tx.Referrals.Replace(rec); err != nil {
		return Referral{}, taken(err, map[Index]*Error{ByEmail: referralEmailTaken.Err()})
	}
	return o.emitReferral(ReferralUpdated, rec)
}

// emitReferral fires an event of a stored referral and returns the referral.
func (o *op) emitReferral(typ EventType, rec ReferralRecord) (Referral, error) {
	body, err := o.referralBody(rec)
	if err != nil {
		return Referral{}, err
	}
	answer := body.Referral
	answer.Metadata = metadataOf(rec.Metadata) // it shares nothing with the event
	return answer, o.emit(EventRecord{Type: typ, ObjectID: rec.ID, Revision: rec.Revision}, body)
}

// saveSale writes a changed sale with its totals and movements. A change that
// refunds the whole fires sale.deleted, and nothing is fired while it stays so.
// When the sale counts again, sale.updated says it. New sales are written when
// they are recorded. A change without a cause moves nothing between the accounts.
func (o *op) saveSale(old, rec SaleRecord, cause Cause) (Sale, error) {
	if same(old, rec) {
		return o.saleOf(old)
	}
	if err := o.numberEntries(&rec); err != nil {
		return Sale{}, err
	}
	if err := o.moveSale(&old, &rec, cause); err != nil {
		return Sale{}, err
	}
	rec.DeletedFired = rec.Status.Is(SaleRefunded)
	rec.Revision, rec.UpdatedAt = old.Revision, later(o.now, rec.UpdatedAt)
	if !old.DeletedFired || !rec.DeletedFired {
		rec.Revision++
	}
	if err := o.tx.Sales.Replace(rec); err != nil {
		return Sale{}, taken(err, map[Index]*Error{
			ByExternalID: saleExternalIDTaken.Err(), ByInvoice: saleInvoiceIDTaken.Err(),
		})
	}
	b, err := o.saleBody(rec)
	if err != nil {
		return Sale{}, err
	}
	switch {
	case !rec.DeletedFired:
		err = o.emit(rec.event(SaleUpdated), b)
	case !old.DeletedFired:
		err = o.emitDeleted(SaleDeleted, rec.ID, rec.Number, rec.Revision)
	}
	return b.sale(), err
}

// event is an event of the sale as it is.
func (r *SaleRecord) event(typ EventType) EventRecord {
	return EventRecord{Type: typ, ObjectID: r.ID, Number: r.Number, Revision: r.Revision}
}

// touched is the sale after its payout has changed.
func (r SaleRecord) touched() SaleRecord {
	r.Revision++
	return r
}
