package affiliate

import (
	"errors"
	"math"
	"testing"
)

// TestAccrue: what is owed besides comes in at most two transfers, none of them
// negative, and only what one account loses and the other gains goes from one to
// the other.
func TestAccrue(t *testing.T) {
	for held := int64(-3); held <= 3; held++ {
		for payable := int64(-3); payable <= 3; payable++ {
			var b booking
			if err := b.accrue(AmountFromScaled(held), AmountFromScaled(payable)); err != nil {
				t.Fatal(err)
			}
			got := map[Account]int64{}
			for _, m := range b.moves[:b.n] {
				if m.amount.Sign() <= 0 {
					t.Errorf("held %d, payable %d: a transfer of %v", held, payable, m.amount)
				}
				got[m.from] -= m.amount.Scaled()
				got[m.to] += m.amount.Scaled()
			}
			if got[AccountHeld] != held || got[AccountPayable] != payable || got[AccountAccrual] != -held-payable {
				t.Errorf("held %d, payable %d: %v", held, payable, got)
			}
			transfers := 0
			if held*payable < 0 && held+payable != 0 || held*payable > 0 {
				transfers = 2
			} else if held != payable {
				transfers = 1
			}
			if b.n != transfers {
				t.Errorf("held %d, payable %d: %d transfers, want %d: %v", held, payable, b.n, transfers, b.moves[:b.n])
			}
			first, between := b.moves[0], min(max(held, -held), max(payable, -payable))
			if held*payable < 0 && (first.from == AccountAccrual || first.to == AccountAccrual || first.amount.n != between) {
				t.Errorf("held %d, payable %d: begins with %v", held, payable, first)
			}
		}
	}
}

// TestBookSaleTooLarge: commissions whose sum is too large book nothing.
func TestBookSaleTooLarge(t *testing.T) {
	entry := CommissionRecord{Earned: AmountFromScaled(math.MaxInt64), Approval: EnumOf(ApprovalAccepted)}
	for name, sale := range map[string]SaleRecord{
		"is":  {Commissions: []CommissionRecord{entry, entry}},
		"was": {Commissions: []CommissionRecord{entry, entry}, TotalEarned: Amount{1}},
	} {
		was, is := (*SaleRecord)(nil), &sale
		if name == "was" {
			was, is = is, was
		}
		b, err := bookSale(was, is, CauseSale)
		if refusal, ok := errors.AsType[*Error](err); !ok || refusal.Field != "commissionEarned" || b.n != 0 {
			t.Errorf("%s: %d transfers, %v", name, b.n, err)
		}
	}
}
