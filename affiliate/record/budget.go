package record

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Budget is a stored [affiliate.BudgetUse]. There is none before a sale takes something, and
// none when all gave back what they took.
type Budget struct {
	ID      uuid.UUID         // begins with From; the rest stands for whose it is and what it counts
	PlanID  uuid.UUID         // whose terms have it; zero: the program's
	OwnerID uuid.UUID         // the affiliate whose sales share it; zero: everybody's
	From    affiliate.Instant // zero: it has no periods
	affiliate.Budget
	Commission affiliate.Amount // that sales took, without what was declined
	Rewards    int64            // how many of them
	Status     affiliate.BudgetStatus
}

// RecordID returns the budget's id.
func (r Budget) RecordID() uuid.UUID { return r.ID }

// Clone returns r: it holds no changeable memory.
func (r Budget) Clone() Budget { return r }

// AppendKeys appends OfAffiliate, of one that an affiliate has whole, OfKind and OfState.
func (r Budget) AppendKeys(dst []Key) []Key {
	dst = AppendID(dst, OfAffiliate, r.OwnerID)
	return append(dst, TextKey(OfKind, string(r.Of)), TextKey(OfState, string(r.Status)))
}

// Draw is what counts a sale in a budget.
type Draw struct {
	ID      uuid.UUID // of the budget, there or not
	PlanID  uuid.UUID
	OwnerID uuid.UUID
	From    affiliate.Instant
	affiliate.Budget
	// What the sale may earn at most since the budget cut it; not given: it did not.
	Most affiliate.Opt[affiliate.Amount] `json:",omitzero"`
	Left affiliate.Amount                `json:",omitzero"` // what was left of its commission then
}
