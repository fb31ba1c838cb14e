package affiliate

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
)

// EraseAffiliateJob is [Program.EraseAffiliate] in steps. The affiliate itself is
// blanked at the end, in the transaction that has seen the last event, so nothing
// that shows them is missed; until then it is as it was. PayloadsPending says how
// many payloads wait for a delivery: run the job again later.
type EraseAffiliateJob struct {
	ID uuid.UUID
}

// EraseReferralJob is [Program.EraseReferral] in steps, like [EraseAffiliateJob].
type EraseReferralJob struct {
	Ref string // referral id or email
}

func (j EraseAffiliateJob) work(*Program) work {
	find := func(o *op) (AffiliateRecord, person, error) {
		rec, err := o.tx.Affiliates.Get(j.ID)
		return rec, person{id: j.ID, email: rec.Email}, RefuseNoAffiliate.ifMissing(err)
	}
	own := Key{Index: OfAffiliate, ID: j.ID}
	return work{
		name: "erase-affiliate", refused: first(RefuseNoAffiliateID.when(j.ID == uuid.Nil)),
		bound: func(o *op) (string, error) { _, _, err := find(o); return "", err },
		phases: []phase{
			blankingReceipts(find),
			func(o *op, after uuid.UUID, n int) (stretch, error) {
				return walk(o.tx.Payouts, own, after, n, func(r PayoutRecord) (bool, error) {
					return replaced(o.tx.Payouts, r.blanked(), r.PayeeName != "" || r.PayeeEmail != "")
				})
			},
			func(o *op, after uuid.UUID, n int) (stretch, error) {
				rec, _, err := find(o)
				if err != nil {
					return stretch{}, err
				}
				return walk(o.tx.Adjustments, own, after, n, func(r AdjustmentRecord) (bool, error) {
					blank := r.without(&rec)
					return replaced(o.tx.Adjustments, blank, blank.Reason != r.Reason)
				})
			},
			blankingEvents(find, func(o *op, rec AffiliateRecord) error {
				_, err := o.saveAffiliate(rec, rec.blanked())
				return err
			}),
		},
	}
}

func (j EraseReferralJob) work(*Program) work {
	find := func(o *op) (ReferralRecord, person, error) {
		rec, err := o.findReferral(j.Ref)
		return rec, person{id: rec.ID, email: rec.Email, customer: rec.CustomerID}, referralNotFound.ifMissing(err)
	}
	return work{
		name: "erase-referral", refused: first(referralIDRequired.when(plaintext.Blank(j.Ref))),
		bound: func(o *op) (string, error) {
			rec, _, err := find(o)
			return string(rec.ID[:]), err
		},
		phases: []phase{
			blankingReceipts(find),
			ofReferral(find, func(o *op, rec ReferralRecord, after uuid.UUID, n int) (stretch, error) {
				return walk(o.tx.Clicks, Key{Index: OfReferral, ID: rec.ID}, after, n, func(r ClickRecord) (bool, error) {
					blank := r.blanked()
					return replaced(o.tx.Clicks, blank, blank != r)
				})
			}),
			ofReferral(find, func(o *op, rec ReferralRecord, after uuid.UUID, n int) (stretch, error) {
				return o.blankingSales(Key{Index: OfReferral, ID: rec.ID}, after, n)
			}),
			ofReferral(find, func(o *op, rec ReferralRecord, after uuid.UUID, n int) (stretch, error) {
				if rec.Email == "" {
					return stretch{over: true}, nil
				}
				return o.blankingSales(textKey(OfCustomer, rec.Email), after, n)
			}),
			ofReferral(find, func(o *op, rec ReferralRecord, after uuid.UUID, n int) (stretch, error) {
				return walk(o.tx.Codes, Key{}, after, n, func(r CodeRecord) (bool, error) {
					return replaced(o.tx.Codes, r.limitedTo(rec), r.isLimitedTo(rec))
				})
			}),
			ofReferral(find, func(o *op, rec ReferralRecord, after uuid.UUID, n int) (stretch, error) {
				return walk(o.tx.Payers, Key{Index: OfReferral, ID: rec.ID}, after, n, func(r PayerRecord) (bool, error) {
					return replaced(o.tx.Payers, r.blanked(), r.Email != "" || r.Name != "")
				})
			}),
			blankingEvents(find, func(o *op, rec ReferralRecord) error {
				_, err := o.saveReferral(rec, rec.blanked())
				return err
			}),
		},
	}
}

// ofReferral is a phase about the customer, who is found in each transaction.
func ofReferral(find func(*op) (ReferralRecord, person, error), do func(o *op, rec ReferralRecord, after uuid.UUID, n int) (stretch, error)) phase {
	return func(o *op, after uuid.UUID, n int) (stretch, error) {
		rec, _, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		return do(o, rec, after, n)
	}
}

func (o *op) blankingSales(key Key, after uuid.UUID, n int) (stretch, error) {
	return walk(o.tx.Sales, key, after, n, func(r SaleRecord) (bool, error) {
		return replaced(o.tx.Sales, r.blanked(), r.Name != "" || r.Email != "" || len(r.Metadata) > 0)
	})
}

// replaced writes a record that has changed.
func replaced[R Record[R]](t Table[R], rec R, changed bool) (bool, error) {
	if !changed {
		return false, nil
	}
	if err := t.Replace(rec); err != nil {
		return false, internal("erase", err)
	}
	return true, nil
}

// blankingReceipts is the phase that blanks the person in stored answers.
func blankingReceipts[R any](find func(*op) (R, person, error)) phase {
	return func(o *op, after uuid.UUID, n int) (stretch, error) {
		_, who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		return walk(o.tx.Receipts, Key{}, after, n, func(rec ReceiptRecord) (bool, error) {
			changed, err := o.eraseReceipt(rec, who)
			if err != nil {
				err = internal("erase receipt", err)
			}
			return changed, err
		})
	}
}

// blankingEvents is the phase that empties the payloads that show the person. The
// transaction that sees the last of them blanks the person as well.
func blankingEvents[R any](find func(*op) (R, person, error), blank func(*op, R) error) phase {
	return func(o *op, after uuid.UUID, n int) (stretch, error) {
		rec, who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		pending := int64(0)
		done, err := walk(o.tx.Events, Key{}, after, n, func(e EventRecord) (bool, error) {
			if !who.in(e.Payload.Bytes()) {
				return false, nil
			}
			erased, err := o.erasePayload(e)
			if err != nil {
				return false, internal("erase payload", err)
			}
			if !erased {
				pending++
			}
			return erased, nil
		})
		if done.pending = pending; err != nil || !done.over {
			return done, err
		}
		return done, blank(o, rec)
	}
}
