package scene

import (
	"encoding/binary"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// ScaleID returns the n-th id of a kind.
func ScaleID(kind byte, n int) (id uuid.UUID) {
	id[0], id[6], id[8] = 1, 0x70, 0x80
	id[1] = kind
	binary.BigEndian.PutUint32(id[2:], uint32(n))
	return id
}

// Crowd stores n affiliates who earned something: of one in a hundred it is
// open, of the others it was paid.
func Crowd(t *testing.T, store record.Store, program uuid.UUID, n int) (due int) {
	t.Helper()
	const at = 1000
	old := affiliate.InstantOf(Start)
	for from := 0; from < n; from += at {
		err := store.Update(t.Context(), program, func(tx *record.Tx) error {
			for i := from; i < min(n, from+at); i++ {
				open := i%100 == 50
				c := record.Commission{Number: 1<<40 + int64(i), AffiliateID: ScaleID(1, i),
					Earned: Sum("20"), Approval: affiliate.EnumOf(affiliate.ApprovalAccepted),
					CreatedAt: old, UpdatedAt: old}
				if !open {
					c.PayoutID, c.Frozen = ScaleID(3, i), true
				}
				if open {
					due++
				}
				if err := crowdMember(tx, i, c, old); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return due
}

func crowdMember(tx *record.Tx, i int, c record.Commission, old affiliate.Instant) error {
	email := uuid.UUID(ScaleID(1, i)).String() + "@example.org"
	aff := record.Affiliate{
		ID: ScaleID(1, i), FirstName: "A", LastName: "B", Email: email, PayoutEmail: email, PaymentMethod: "PAYPAL",
		Status: affiliate.AffiliateActive, Source: "MANUAL", Revision: 1, CreatedAt: old, UpdatedAt: old,
	}
	if err := tx.Affiliates.Insert(aff); err != nil {
		return err
	}
	sale := record.Sale{
		ID: ScaleID(2, i), Number: 1<<40 + int64(i), AffiliateID: aff.ID, TotalEarned: Sum("100"), Rate: Percent("20"),
		RateType: affiliate.EnumOf(affiliate.CommissionPercentage), Status: affiliate.EnumOf(affiliate.SaleActive),
		Commissions: []record.Commission{c}, Revision: 1, CreatedAt: old, UpdatedAt: old,
	}
	if err := tx.Sales.Insert(sale); err != nil {
		return err
	}
	return tx.Totals.Insert(record.Totals{ID: aff.ID, Sales: 1, Revenue: Sum("100"),
		Commission: Sum("20"), Books: bookOf(c, old)})
}

// bookOf are open books with one commission.
func bookOf(c record.Commission, opened affiliate.Instant) record.Books {
	if c.PayoutID != uuid.Nil {
		return record.Books{Paid: c.Earned, Number: 3, Opened: opened}
	}
	return record.Books{Payable: c.Earned, Number: 1, Opened: opened}
}
