package affiliate

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// EraseAffiliateJob is [Program.EraseAffiliate] in steps. The affiliate itself is
// blanked at the end, in the transaction that has seen the last event, so nothing
// that shows them is missed; until then it is as it was. PayloadsPending says how
// many payloads wait for a delivery: run the job again later.
type EraseAffiliateJob struct {
	ID uuid.UUID
}

// EraseReferralJob is [Program.EraseReferral] in steps, like [EraseAffiliateJob].
// From the first step nothing more is stored of the customer. That nothing shows an
// email is known at the end.
type EraseReferralJob struct {
	Ref string // referral id or email
}

func (EraseAffiliateJob) job() {}
func (EraseReferralJob) job()  {}

// eraseAffiliate erases an affiliate.
func eraseAffiliate(j EraseAffiliateJob) work {
	find := func(o *op) (subject, error) { return o.affiliateSubject(j.ID) }
	return work{
		name: "erase-affiliate", refused: first(RefuseNoAffiliateID.when(j.ID == uuid.Nil)),
		bound:  func(o *op) (string, error) { _, err := find(o); return "", err },
		phases: erasing(find, affiliateHoldings()),
	}
}

// eraseReferral erases a customer.
func eraseReferral(j EraseReferralJob) work {
	find := func(o *op) (subject, error) { return o.customerSubject(j.Ref) }
	return work{
		name: "erase-referral", refused: first(referralIDRequired.when(plaintext.Blank(j.Ref))),
		bound: func(o *op) (string, error) {
			who, err := find(o)
			return string(who.id[:]), err
		},
		phases: erasing(find, customerHoldings()),
	}
}

// erasing are the phases of an erasure.
func erasing(find func(*op) (subject, error), held []holding) []phase {
	phases := []phase{starting(find), blankingReceipts(find)}
	for _, h := range held {
		phases = append(phases, func(o *op, after uuid.UUID, n int) (stretch, error) {
			who, err := find(o)
			if err != nil {
				return stretch{}, err
			}
			return h.erase(o, &who, after, n)
		})
	}
	return append(phases, blankingEvents(find))
}

// starting is the phase after which nothing more is stored of a customer.
func starting(find func(*op) (subject, error)) phase {
	return func(o *op, _ uuid.UUID, _ int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		done := stretch{over: true}
		changed, err := o.startErasing(&who)
		if changed {
			done.looked, done.changed = 1, 1
		}
		return done, err
	}
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
func blankingReceipts(find func(*op) (subject, error)) phase {
	return func(o *op, after uuid.UUID, n int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		return walk(o.tx.Receipts, Key{}, after, n, func(rec ReceiptRecord) (bool, error) {
			changed, err := o.eraseReceipt(rec, &who)
			if err != nil {
				err = internal("erase receipt", err)
			}
			return changed, err
		})
	}
}

// blankingEvents is the phase that empties the payloads that show the person. The
// transaction that sees the last of them blanks the person as well.
func blankingEvents(find func(*op) (subject, error)) phase {
	return func(o *op, after uuid.UUID, n int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		pending := int64(0)
		done, err := walk(o.tx.Events, Key{}, after, n, func(e EventRecord) (bool, error) {
			if !who.in(e.Payload.Bytes()) {
				return false, nil
			}
			if err := o.noteShown(&who); err != nil {
				return false, err
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
		return done, o.endErasing(&who)
	}
}
