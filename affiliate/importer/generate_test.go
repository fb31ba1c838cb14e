package importer_test

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// A generatedSource has so many affiliates, each with a link and customers, and
// so many sales of theirs. Every third sale was paid.
type generatedSource struct{ affiliates, sales int }

// Rows are the rows, made as they are asked for.
func (g generatedSource) Rows(context.Context) iter.Seq2[importer.Row, error] {
	customers := g.sales / 10
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	return func(yield func(importer.Row, error) bool) {
		line := 0
		give := func(ref string, item importer.Item) bool {
			line++
			return yield(importer.Row{File: "generated", Line: line, Ref: ref, Item: item}, nil)
		}
		for i := range g.affiliates {
			link := imported.Link{Ref: fmt.Sprint("gen:link:", i), Slug: fmt.Sprint("partner-", i), Clicks: int64(i)}
			item := imported.Affiliate{FirstName: "P", LastName: fmt.Sprint(i), Email: fmt.Sprintf("p%d@example.com", i), CreatedAt: began, Links: []imported.Link{link}}
			if !give(fmt.Sprint("gen:affiliate:", i), importer.Affiliate{Affiliate: item}) {
				return
			}
		}
		for i := range customers {
			item := imported.Referral{CreatedAt: began.Add(time.Duration(i) * time.Minute), Via: []string{fmt.Sprint("gen:link:", i%g.affiliates)}}
			item.Email = fmt.Sprintf("c%d@example.net", i)
			if !give(fmt.Sprint("gen:customer:", i), importer.Referral{Referral: item}) {
				return
			}
		}
		for i := range g.sales {
			if !give(fmt.Sprint("gen:sale:", i), importer.Sale{Sale: g.sale(i, customers, began)}) {
				return
			}
		}
		for i := 0; i < g.sales; i += 3 {
			item := imported.Payout{PaidAt: began.Add(24 * 400 * time.Hour), Amount: affiliate.MustAmount("2.5"), Sales: []string{fmt.Sprint("gen:sale:", i)}}
			if !give(fmt.Sprint("gen:payout:", i), importer.Payout{Payout: item}) {
				return
			}
		}
	}
}

func (g generatedSource) sale(i, customers int, began time.Time) imported.Sale {
	return imported.Sale{
		CreatedAt: began.Add(time.Duration(i) * time.Minute), Customer: fmt.Sprint("gen:customer:", i%customers),
		TotalEarned: affiliate.MustAmount("12.5"), CommissionEarned: affiliate.MustAmount("2.5"), ExternalID: fmt.Sprint("ch_", i),
	}
}

func (g generatedSource) source() importer.Source { return g }
