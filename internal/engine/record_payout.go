package engine

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// ItemsOf returns what a payout took. A payout that is older than its list of items
// has only the numbers of its commissions; their sales are looked up.
func (o *Op) ItemsOf(rec *record.Payout) ([]affiliate.PayoutItem, error) {
	if len(rec.Items) > 0 {
		return rec.Items, nil
	}
	sales := map[int64]int64{}
	err := o.EachSaleIn(rec, func(sale record.Sale) error {
		for i := range sale.Commissions {
			sales[sale.Commissions[i].Number] = sale.Number
		}
		return nil
	})
	items := make([]affiliate.PayoutItem, 0, len(rec.Commissions))
	for _, n := range rec.Commissions {
		items = append(items, affiliate.PayoutItem{Sale: sales[n], Commission: n})
	}
	return items, err
}

// EachSaleIn runs fn on every existing sale with a commission that the payout took:
// the sales of a canceled payout may have been deleted.
func (o *Op) EachSaleIn(rec *record.Payout, fn func(record.Sale) error) error {
	if len(rec.Items) == 0 {
		return Each(o.Tx.Sales, record.Key{Index: record.OfPayout, ID: rec.ID}, fn) // a record older than Items
	}
	done := make(map[int64]bool, len(rec.Items))
	var numbers []int64
	for _, item := range rec.Items {
		if !done[item.Sale] && item.Sale != 0 && item.Adjustment == uuid.Nil {
			done[item.Sale] = true
			numbers = append(numbers, item.Sale)
		}
	}
	for some := range slices.Chunk(numbers, salesAtOnce) {
		if err := o.eachSale(some, fn); err != nil {
			return err
		}
	}
	return nil
}

// salesAtOnce is the number of sales that are announced together.
const salesAtOnce = 500

// eachSale runs fn on those sales that exist, and announces what their events show.
func (o *Op) eachSale(numbers []int64, fn func(record.Sale) error) error {
	for _, n := range numbers {
		o.Soon("sales", record.Key{Index: record.ByNumber, ID: record.NumberID(n)})
	}
	sales := make([]record.Sale, 0, len(numbers))
	for _, n := range numbers {
		sale, err := o.SaleByNumber(affiliate.SaleID(n))
		if errors.Is(err, affiliate.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		sales = append(sales, sale)
	}
	return o.shown(sales, fn)
}

// shown runs fn on sales, and announces what their changes and events need.
func (o *Op) shown(sales []record.Sale, fn func(record.Sale) error) error {
	for some := range slices.Chunk(sales, salesAtOnce) {
		for i := range some {
			o.Soon("payments", record.Key{Index: record.BySale, ID: some[i].ID})
			if id := some[i].ReferralID; id != uuid.Nil {
				o.Soon("referrals", record.Key{ID: id})
				o.Soon("totals", record.Key{ID: id})
			}
		}
		for i := range some {
			if err := fn(some[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// CommissionsIn returns the numbers of the commissions that the payout took.
func CommissionsIn(r *record.Payout) []int64 {
	if len(r.Items) == 0 {
		return r.Commissions
	}
	numbers := make([]int64, 0, len(r.Items))
	for _, item := range r.Items {
		if item.Commission != 0 {
			numbers = append(numbers, item.Commission)
		}
	}
	return numbers
}

// AdjustmentsIn returns the adjustments that the payout took.
func AdjustmentsIn(r *record.Payout) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, item := range r.Items {
		if item.Commission == 0 {
			ids = append(ids, item.Adjustment)
		}
	}
	return ids
}

// IsLive reports whether the payout holds what it took.
func IsLive(r *record.Payout) bool {
	return r.Status != affiliate.PayoutCanceled && r.Status != affiliate.PayoutReturned
}

// IsMoved reports whether the adjustment was booked with the movement of its sale to
// another affiliate, so that it has no movement of its own.
func IsMoved(r *record.Adjustment) bool {
	return r.Kind == affiliate.AdjustMove && r.Reverses == uuid.Nil
}
