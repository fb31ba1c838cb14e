package affiliate

// ImportKind says what kind of record a record.Import stands for.
type ImportKind string

// ImportFigures are the amounts of imported rows, in the program's currency.
type ImportFigures struct {
	Sales      Amount `json:",omitzero"` // totals of sales
	Refunds    Amount `json:",omitzero"` // of these sales
	Commission Amount `json:",omitzero"` // of these sales, declined ones too, and bonuses
	Payouts    Amount `json:",omitzero"`
}
