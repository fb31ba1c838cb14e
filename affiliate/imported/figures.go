package imported

import "github.com/tributary-go/tributary/affiliate"

// A Kind says what kind of record a record.Import stands for.
type Kind string

// Figures are the amounts of imported rows, in the program's currency.
type Figures struct {
	Sales      affiliate.Amount `json:",omitzero"` // totals of sales
	Refunds    affiliate.Amount `json:",omitzero"` // of these sales
	Commission affiliate.Amount `json:",omitzero"` // of these sales, declined ones too, and bonuses
	Payouts    affiliate.Amount `json:",omitzero"`
}
