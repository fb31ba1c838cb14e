package upkeep

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// eraseAffiliate erases an affiliate.
func eraseAffiliate(j affiliate.EraseAffiliateJob) work {
	find := func(o *engine.Op) (subject, error) { return affiliateSubject(o, j.ID) }
	return work{
		name: "erase-affiliate", refused: refusal.First(refusal.RefuseNoAffiliateID.When(j.ID == uuid.Nil)),
		bound:  func(o *engine.Op) (string, error) { _, err := find(o); return "", err },
		phases: append([]phase{settling(find, j.Forfeit)}, erasing(find, affiliateHoldings())...),
	}
}

// eraseReferral erases a customer.
func eraseReferral(j affiliate.EraseReferralJob) work {
	find := func(o *engine.Op) (subject, error) { return customerSubject(o, j.Ref) }
	return work{
		name: "erase-referral", refused: refusal.First(refusal.ReferralIDRequired.When(plaintext.Blank(j.Ref))),
		bound: func(o *engine.Op) (string, error) {
			who, err := find(o)
			return string(who.id[:]), err
		},
		phases: erasing(find, customerHoldings()),
	}
}

// erasing returns the phases of an erasure.
func erasing(find func(*engine.Op) (subject, error), held []holding) []phase {
	phases := []phase{starting(find), blankingReceipts(find)}
	for _, h := range held {
		phases = append(phases, func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
			who, err := find(o)
			if err != nil {
				return stretch{}, err
			}
			return h.erase(o, &who, after, n)
		})
	}
	return append(phases, blankingEvents(find))
}

// settling returns the phase after which nothing is owed to an affiliate.
func settling(find func(*engine.Op) (subject, error), gives bool) phase {
	return func(o *engine.Op, _ uuid.UUID, _ int) (stretch, error) {
		who, err := find(o)
		if err == nil {
			err = settle(o, &who, gives)
		}
		return stretch{over: true}, err
	}
}

// starting returns the phase after which nothing more is stored of a customer.
func starting(find func(*engine.Op) (subject, error)) phase {
	return func(o *engine.Op, _ uuid.UUID, _ int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		done := stretch{over: true}
		changed, err := startErasing(o, &who)
		if changed {
			done.looked, done.changed = 1, 1
		}
		return done, err
	}
}

// replaced writes a record that has changed.
func replaced[R record.Record[R]](t record.Table[R], rec R, changed bool) (bool, error) {
	if !changed {
		return false, nil
	}
	if err := t.Replace(rec); err != nil {
		return false, refusal.Internal("erase", err)
	}
	return true, nil
}

// blankingReceipts returns the phase that blanks the person in stored answers.
func blankingReceipts(find func(*engine.Op) (subject, error)) phase {
	return func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		return walk(o.Tx.Receipts, record.Key{}, after, n, func(rec record.Receipt) (bool, error) {
			changed, err := eraseReceipt(o, rec, &who)
			if err != nil {
				err = refusal.Internal("erase receipt", err)
			}
			return changed, err
		})
	}
}

// blankingEvents returns the phase that removes the person from events. The
// transaction that handles the last of them also blanks the person.
func blankingEvents(find func(*engine.Op) (subject, error)) phase {
	return func(o *engine.Op, after uuid.UUID, n int) (stretch, error) {
		who, err := find(o)
		if err != nil {
			return stretch{}, err
		}
		pending := int64(0)
		done, err := walk(o.Tx.Events, record.Key{}, after, n, func(e record.Event) (bool, error) {
			changed, waits, err := eraseEvent(o, &who, e, who.in(e.Payload.Bytes()))
			if err != nil {
				return false, refusal.Internal("erase event", err)
			}
			if waits {
				pending++
			}
			return changed, nil
		})
		if done.pending = pending; err != nil || !done.over {
			return done, err
		}
		return done, endErasing(o, &who)
	}
}
