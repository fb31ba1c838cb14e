package imported

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A Payout is a payout of another service: the imported commissions
// and bonuses that it paid or is going to pay.
type Payout struct {
	Ref        string                 // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt  time.Time              `json:",omitzero"` // zero: PaidAt, else now; in the future: refused
	PaidAt     time.Time              `json:",omitzero"` // only of PAID; zero: CreatedAt
	Status     affiliate.PayoutStatus `json:",omitzero"` // any but CANCELED; empty: PAID with PaidAt, else PENDING
	Sales      []string               `json:",omitzero"` // refs of sales and bonuses of one affiliate, all ACCEPTED
	Amount     affiliate.Amount       `json:",omitzero"` // > 0: the sum of their commissions
	ExternalID string                 `json:",omitzero"`
}
