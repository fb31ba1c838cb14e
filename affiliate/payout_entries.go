package affiliate

import "github.com/google/uuid"

// A PayoutEntry is something that a payout took: a commission or an adjustment.
type PayoutEntry struct {
	SaleID       Opt[SaleID]         `json:"saleId"`       // of a commission, and of an adjustment that belongs to a sale
	CommissionID Opt[CommissionID]   `json:"commissionId"` // null: it is an adjustment
	AdjustmentID Opt[uuid.UUID]      `json:"adjustmentId"` // null: it is a commission; with one: see [AdjustMove]
	Kind         Opt[AdjustmentKind] `json:"kind"`
	Reason       Opt[string]         `json:"reason"` // of the adjustment
	Amount       Opt[Amount]         `json:"amount"` // as it is now; null: it was deleted since the payout let it go
	At           Opt[Time]           `json:"at"`     // of the sale, or of the entry when it came later
}
