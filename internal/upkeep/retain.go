package upkeep

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// behind is the horizon of a policy at an instant.
func behind(p *engine.Program, r affiliate.Retention, now affiliate.Instant) horizon {
	return horizon{
		payments: now.Add(-p.Cfg.PaymentMemory),
		events:   ago(now, r.Events), receipts: ago(now, r.Receipts),
		deliveries: ago(now, r.Deliveries), clicks: ago(now, r.Clicks), holds: ago(now, r.Holds),
	}
}

// checkRetention refuses a policy that would delete what is still needed.
func checkRetention(p *engine.Program, r affiliate.Retention) error {
	return refusal.First(
		refusal.FieldNotAtLeastZero.About("events").When(r.Events < 0),
		refusal.FieldNotAtLeastZero.About("receipts").When(r.Receipts < 0),
		refusal.ReceiptsKeptTooShort.When(r.Receipts > 0 && r.Receipts < engine.ReceiptLife),
		refusal.FieldNotAtLeastZero.About("deliveries").When(r.Deliveries < 0),
		refusal.FieldNotAtLeastZero.About("clicks").When(r.Clicks < 0),
		refusal.ClicksKeptTooShort.When(r.Clicks > 0 && r.Clicks < p.ClickWindow()),
		refusal.FieldNotAtLeastZero.About("holds").When(r.Holds < 0),
		refusal.HoldsKeptTooShort.When(r.Holds > 0 && r.Holds < affiliate.MaxHold),
	)
}

// ago returns the instant an age before now; zero for none.
func ago(now affiliate.Instant, age time.Duration) affiliate.Instant {
	if age == 0 {
		return affiliate.Instant{}
	}
	return now.Add(-age)
}

// clicksPruned keeps deleted clicks in the totals of their links and affiliates.
func clicksPruned(o *engine.Op, gone []record.Click) error {
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
		if err := o.Count(owner, engine.Tally{Pruned: n[owner]}); err != nil {
			return err
		}
	}
	return nil
}

// holdsDropped gives the places of deleted holds back that lapsed and that nobody took.
func holdsDropped(o *engine.Op, gone []record.Hold) error {
	for i := range gone {
		if gone[i].State != affiliate.HoldHeld {
			continue
		}
		if err := o.Unplace(&gone[i]); err != nil {
			return err
		}
	}
	return nil
}
