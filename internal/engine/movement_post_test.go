package engine_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// TestAccrue: what is owed besides comes in at most two transfers, none of them
// negative, and only what one account loses and the other gains goes from one to
// the other.
func TestAccrue(t *testing.T) {
	for held := int64(-3); held <= 3; held++ {
		for payable := int64(-3); payable <= 3; payable++ {
			var b engine.Booking
			if err := b.Accrue(affiliate.AmountFromScaled(held), affiliate.AmountFromScaled(payable)); err != nil {
				t.Fatal(err)
			}
			moves := b.Transfers()
			got := map[affiliate.Account]int64{}
			for _, m := range moves {
				if m.Amount.Sign() <= 0 {
					t.Errorf("held %d, payable %d: a transfer of %v", held, payable, m.Amount)
				}
				got[m.From] -= m.Amount.Scaled()
				got[m.To] += m.Amount.Scaled()
			}
			if got[affiliate.AccountHeld] != held || got[affiliate.AccountPayable] != payable || got[affiliate.AccountAccrual] != -held-payable {
				t.Errorf("held %d, payable %d: %v", held, payable, got)
			}
			transfers := 0
			if held*payable < 0 && held+payable != 0 || held*payable > 0 {
				transfers = 2
			} else if held != payable {
				transfers = 1
			}
			if len(moves) != transfers {
				t.Errorf("held %d, payable %d: %d transfers, want %d: %v", held, payable, len(moves), transfers, moves)
			}
			if held*payable >= 0 {
				continue
			}
			first, between := moves[0], min(max(held, -held), max(payable, -payable))
			if first.From == affiliate.AccountAccrual || first.To == affiliate.AccountAccrual || first.Amount.Scaled() != between {
				t.Errorf("held %d, payable %d: begins with %v", held, payable, first)
			}
		}
	}
}

// TestBookSaleTooLarge: commissions whose sum is too large book nothing.
func TestBookSaleTooLarge(t *testing.T) {
	entry := record.Commission{Earned: affiliate.AmountFromScaled(math.MaxInt64), Approval: affiliate.EnumOf(affiliate.ApprovalAccepted)}
	for name, sale := range map[string]record.Sale{
		"is":  {Commissions: []record.Commission{entry, entry}},
		"was": {Commissions: []record.Commission{entry, entry}, TotalEarned: affiliate.AmountFromScaled(1)},
	} {
		was, is := (*record.Sale)(nil), &sale
		if name == "was" {
			was, is = is, was
		}
		b, err := engine.BookSale(was, is, affiliate.CauseSale)
		if refusal, ok := errors.AsType[*affiliate.Error](err); !ok || refusal.Field != "commissionEarned" || len(b.Transfers()) != 0 {
			t.Errorf("%s: %d transfers, %v", name, len(b.Transfers()), err)
		}
	}
}
