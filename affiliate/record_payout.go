package affiliate

import "github.com/google/uuid"

// PayoutItem is one entry that a payout took: a commission by its number, with
// the number of its sale, or an adjustment. Both: the commission of a sale that was
// given to another affiliate since, which the adjustment stands for.
type PayoutItem struct {
	Sale       int64     `json:",omitzero"`
	Commission int64     `json:",omitzero"`
	Adjustment uuid.UUID `json:",omitzero"`
}
