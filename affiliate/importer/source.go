package importer

import (
	"context"
	"iter"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
)

// A Source yields the rows of an import in the order affiliates, coupons,
// referrals, sales, payouts, because a row names earlier rows by their refs.
//
// A row that cannot be read comes with an [*affiliate.Error] and an Item with
// what could be read, and the next row follows. Any other error ends the walk.
// A walk begins where the files stand: for another one, make another Source.
type Source interface {
	Rows(ctx context.Context) iter.Seq2[Row, error]
}

// A Row is one thing to import.
type Row struct {
	File string // as reports name it
	Line int    // of the row's first line, from 1, the header included
	Ref  string // such as "rewardful:affiliate:8f2c…": stable, unique, and not the name of a person
	Item Item   // nil: it could not be read

	read, size int64 // bytes of the file up to here, and all of them; 0: not known
	money      money // how its amounts were read

	columns func(field string) string // the columns of its fields; nil: those are their names
}

// An Item is the content of a row: an [Affiliate], a [Coupon], a [Referral], a
// [Sale] or a [Payout].
type Item interface{ item() }

// An Affiliate is an affiliate with their links. [Run] sets Ref and OnConflict.
type Affiliate struct{ imported.Affiliate }

// A Coupon is a coupon with its codes. [Run] sets Ref.
type Coupon struct{ imported.Coupon }

// A Referral is a customer. [Run] sets Ref.
type Referral struct{ imported.Referral }

// A Sale is a payment with its commission, or a bonus. [Run] sets Ref.
type Sale struct {
	imported.Sale
	Currency affiliate.Currency // of all its amounts; empty: the program's
}

// A Payout is a payout. [Run] sets Ref.
type Payout struct {
	imported.Payout
	Currency affiliate.Currency // of its amount; empty: the program's

	// Gathered marks a payout that the reader made of commissions that the
	// service reports as paid without a payout. Rejected commissions are
	// removed from it, and its amount is reduced.
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
	Customers  = "customers" // of a mapping; reports count them among the referrals
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
