package affiliate

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Retention says how long a program keeps what it needs for a while only. Each
// age is counted from the time named here. Zero keeps the kind for ever.
// Payments without a sale, and payers without a referral, are kept for
// Config.PaymentMemory whatever the policy says.
// Records of the books (sales, commissions, payouts, referrals, redemptions) are
// never deleted.
type Retention struct {
	Events     time.Duration // since the event; one with a delivery stays, and so do later ones of its object
	Receipts   time.Duration // since the answer to the idempotency key; at least 24 hours
	Deliveries time.Duration // since the delivery was settled; a pending one stays
	Clicks     time.Duration // since the click, of those without a referral; at least Config.CookieDays days
}

// Retained is the number of records that were deleted, by kind.
type Retained struct {
	Events     int64 `json:"events"`
	Receipts   int64 `json:"receipts"`
	Deliveries int64 `json:"deliveries"`
	Clicks     int64 `json:"clicks"`
	Payments   int64 `json:"payments"` // those without a sale, and payers without a referral
}

// Retain deletes the records that are older than a policy says, and returns what
// it deleted, also when it ended with an error. What is still needed stays at
// any age: pending deliveries, events with a delivery and the later events of
// their objects, and clicks of a referral. So the history of an object has no
// gap, only a later start. Numbers of clicks stay as they are: the totals keep
// the clicks that were deleted.
//
// Retain searches in Views and deletes in transactions of at most 128 records, so
// it locks the program only for a few milliseconds at a time. After an error the
// deletes of earlier transactions remain: call it again. The engine never calls
// it; the host should, about once a day. See docs/retention.md for what a program
// keeps.
//
// Errors: [InvalidField] (events, receipts, deliveries, clicks) for an age that
// is negative; [RetentionTooShort] (receipts, clicks) for receipts younger than
// 24 hours and for clicks that still attribute. Nothing is deleted then. Those of
// the store.
//
// Effects: the deleted records; no event.
//
// Concurrency: several calls at once delete each record once, and each call
// counts its own deletes.
//
// Source: docs/retention.md.
func (p *Program) Retain(ctx context.Context, r Retention) (_ Retained, err error) {
	defer p.begin(&ctx, "Retain", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "retain", input: r, refused: p.checkRetention(r)}
	return writeAround(o, rq, nil, func() (Retained, error) {
		return p.prune(ctx, p.behind(r, o.now))
	})
}

// behind is the horizon of a policy at an instant.
func (p *Program) behind(r Retention, now Instant) horizon {
	return horizon{
		payments: now.Add(-p.cfg.PaymentMemory),
		events:   ago(now, r.Events), receipts: ago(now, r.Receipts),
		deliveries: ago(now, r.Deliveries), clicks: ago(now, r.Clicks),
	}
}

// checkRetention refuses a policy that would delete what is still needed.
func (p *Program) checkRetention(r Retention) error {
	return first(
		fieldNotAtLeastZero.about("events").when(r.Events < 0),
		fieldNotAtLeastZero.about("receipts").when(r.Receipts < 0),
		receiptsKeptTooShort.when(r.Receipts > 0 && r.Receipts < receiptLife),
		fieldNotAtLeastZero.about("deliveries").when(r.Deliveries < 0),
		fieldNotAtLeastZero.about("clicks").when(r.Clicks < 0),
		clicksKeptTooShort.when(r.Clicks > 0 && r.Clicks < p.clickWindow()),
	)
}

// ago is the instant an age before now; zero for none.
func ago(now Instant, age time.Duration) Instant {
	if age == 0 {
		return Instant{}
	}
	return now.Add(-age)
}

// clicksPruned keeps deleted clicks in the totals of their links and affiliates.
func (o *op) clicksPruned(gone []ClickRecord) error {
	n := make(map[uuid.UUID]int64)
	var owners []uuid.UUID
	for i := range gone {
		for _, owner := range [...]uuid.UUID{gone[i].LinkID, gone[i].AffiliateID} {
			if n[owner]++; n[owner] == 1 {
				owners = append(owners, owner)
			}
		}
	}
	for _, owner := range owners {
		if err := o.count(owner, tally{pruned: n[owner]}); err != nil {
			return err
		}
	}
	return nil
}
