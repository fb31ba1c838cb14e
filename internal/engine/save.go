package engine

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

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
// An event shows more than its record: an affiliate's links, the payout of a
// sale. When only that has changed, the caller saves the record as touched.

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
				record.ByEmail: refusal.AffiliateEmailTaken.Err(), record.ByExternalID: refusal.AffiliateExternalIDTaken.Err(),
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
		return couponReply{}, refusal.Taken(err, map[record.Index]*affiliate.Error{record.ByExternalID: refusal.CouponExternalIDTaken.Err()})
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
	return answer, o.emit(record.Event{Type: affiliate.PromocodeUpdated, ObjectID: rec.ID, Revision: rec.Revision}, CodeBody{rec, held})
}

// SaveReferral writes a changed referral. A new one is written earlier, before
// the totals that its event shows; see EmitReferral.
func (o *Op) SaveReferral(old, rec record.Referral) (affiliate.Referral, error) {
	if Same(old, rec) {
		return o.ReferralOf(old)
	}
	rec.Revision, rec.UpdatedAt = old.Revision+1, Later(o.Now, rec.UpdatedAt)
	if err := o.Tx.Referrals.Replace(rec); err != nil {
		return affiliate.Referral{}, refusal.Taken(err, map[record.Index]*affiliate.Error{record.ByEmail: refusal.ReferralEmailTaken.Err()})
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
