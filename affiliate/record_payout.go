package affiliate

import "github.com/google/uuid"

// PayoutItem is one entry that a payout took: a commission by its number, with the
// number of its sale, or an adjustment. It has both when the sale has moved to
// another affiliate since: then the adjustment replaces the commission.
type PayoutItem struct {
	Sale       int64     `json:",omitzero"`
	Commission int64     `json:",omitzero"`
	Adjustment uuid.UUID `json:",omitzero"`
}
