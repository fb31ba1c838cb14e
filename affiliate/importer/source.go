package importer

import (
	"context"
	"iter"

	"github.com/tributary-go/tributary/affiliate"
)

// A Source gives the rows of an import, in the order affiliates, coupons,
// referrals, sales, payouts: a row names others by their refs, and they come
// before it.
//
// A row that cannot be read comes with an [*affiliate.Error], and the next one
// follows; its Item is then what could be read. Any other error ends the walk.
// Each walk reads the files where they stand: for another one, make another
// Source.
type Source interface {
	Rows(ctx context.Context) iter.Seq2[Row, error]
}

// A Row is one thing to import.
type Row struct {
	File string // as reports name it
	Line int    // of the row's first line, from 1, the header included
	Ref  string // such as "rewardful:affiliate:8f2c…": stable, unique, and it names no person
	Item Item   // nil: it could not be read

	read, size int64 // bytes of the file up to here, and all of them; 0: not known
	money      money // how its amounts were read
}

// An Item is what a row brings: an [Affiliate], a [Coupon], a [Referral], a
// [Sale] or a [Payout].
type Item interface{ item() }

// An Affiliate is an affiliate with the links. Ref and OnConflict are set by
// [Run].
type Affiliate struct{ affiliate.ImportedAffiliate }

// A Coupon is a coupon with its codes. Ref is set by [Run].
type Coupon struct{ affiliate.ImportedCoupon }

// A Referral is a customer. Ref is set by [Run].
type Referral struct{ affiliate.ImportedReferral }

// A Sale is a payment with its commission, or a bonus. Ref is set by [Run].
type Sale struct {
	affiliate.ImportedSale
	Currency affiliate.Currency // of all its amounts; empty: the program's
}

// A Payout is a payout. Ref is set by [Run].
type Payout struct {
	affiliate.ImportedPayout
	Currency affiliate.Currency // of its amount; empty: the program's

	// Gathered marks a payout that the reader made of commissions which the
	// service says are paid, without saying by which payout. Commissions that
	// were rejected are taken out of it, and off its amount.
	Gathered bool
}

func (Affiliate) item() {}
func (Coupon) item()    {}
func (Referral) item()  {}
func (Sale) item()      {}
func (Payout) item()    {}

// The kinds of rows, as reports count them. Links and codes that were left out
// of their rows are counted too.
const (
	Affiliates = "affiliates"
	Links      = "links"
	Coupons    = "coupons"
	Codes      = "codes"
	Referrals  = "referrals"
	Sales      = "sales"
	Payouts    = "payouts"
)

// kindOf returns the kind of a row.
func kindOf(item Item) string {
	switch item.(type) {
	case Affiliate:
		return Affiliates
	case Coupon:
		return Coupons
	case Referral:
		return Referrals
	case Sale:
		return Sales
	case Payout:
		return Payouts
	}
	return "rows"
}

// All returns the rows of several sources, one source after another.
func All(sources ...Source) Source { return all(sources) }

type all []Source

func (s all) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, source := range s {
			for row, err := range source.Rows(ctx) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// rows is a Source that is a function.
type rows func(ctx context.Context, yield func(Row, error) bool)

func (s rows) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) { s(ctx, yield) }
}
