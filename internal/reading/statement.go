package reading

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// statementLineOf returns a movement as a line of a statement.
func statementLineOf(rec record.Movement) (affiliate.StatementLine, error) {
	after, err := figuresOf(rec)
	amount := rec.Amount
	if owed(rec.From.Value()) {
		amount = amount.Neg()
	}
	m := movementOf(rec)
	return affiliate.StatementLine{
		Number: m.Number, At: m.At, Cause: m.Cause, SaleID: m.SaleID, CommissionID: m.CommissionID,
		PayoutID: m.PayoutID, AdjustmentID: m.AdjustmentID, Amount: amount, Owed: after.Owed,
	}, err
}

// changesOwed reports whether a movement changes what is owed. An opening of
// what was already paid does not.
func changesOwed(r *record.Movement) bool { return owed(r.From.Value()) != owed(r.To.Value()) }

// owed reports whether an account is a part of what is owed.
func owed(a affiliate.Account) bool {
	return a == affiliate.AccountHeld || a == affiliate.AccountPayable || a == affiliate.AccountInPayout
}

// figuresOf returns the accounts after a movement.
func figuresOf(rec record.Movement) (f affiliate.Figures, err error) {
	f = affiliate.Figures{Held: rec.Held, Payable: rec.Payable, InPayout: rec.InPayout, Paid: rec.Paid}
	if f.Owed, err = f.Held.Add(f.Payable); err == nil {
		f.Owed, err = f.Owed.Add(f.InPayout)
	}
	return f, err
}
