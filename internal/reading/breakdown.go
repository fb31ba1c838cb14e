package reading

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

var (
	dimensions = []affiliate.Dimension{
		affiliate.DimensionAffiliate, affiliate.DimensionLink, affiliate.DimensionCode, affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan,
		affiliate.DimensionLandingPage, affiliate.DimensionUTMSource, affiliate.DimensionUTMMedium, affiliate.DimensionUTMCampaign, affiliate.DimensionSub,
	}
	figures = []affiliate.Figure{
		affiliate.FigureRevenue, affiliate.FigureRefunds, affiliate.FigureCommission, affiliate.FigureSales, affiliate.FigureConversions,
		affiliate.FigureClicks, affiliate.FigureReferrals,
	}
)

// maxRows is the number of rows of the longest breakdown. They are all in memory, and
// visitors choose the texts of some dimensions.
const maxRows = 100_000

// Breakdown implements tributary.Program.Breakdown.
func Breakdown(ctx context.Context, p *engine.Program, q affiliate.BreakdownQuery, pg affiliate.Page) (_ affiliate.List[affiliate.BreakdownRow], err error) {
	defer p.Begin(&ctx, "Breakdown", engine.Reads).End(&err)
	var none affiliate.List[affiliate.BreakdownRow]
	q.From, q.To, q.Sort = q.From.UTC(), q.To.UTC(), cmp.Or(q.Sort, affiliate.FigureRevenue)
	if err := checkBreakdown(&q); err != nil {
		return none, err
	}
	l, err := p.Listing(pg, "breakdown", q)
	if err == nil {
		l, err = l.Open()
	}
	if err != nil {
		return none, err
	}
	b := breakdown{Program: p, by: q.By, in: span{affiliate.InstantOf(q.From), affiliate.InstantOf(q.To)}, rows: map[mark]*row{}, origin: map[int64]origin{}}
	if err := b.fill(ctx, q.AffiliateID); err != nil {
		return none, err
	}
	out := affiliate.List[affiliate.BreakdownRow]{}
	shown, next, err := pageOf(b.ranked(q.Sort), l.Query, l.Scope)
	if err == nil {
		out.Next = next
		out.Items, err = b.named(ctx, shown)
	}
	return out, err
}

// pageOf returns a page of rows that are all in memory: its cursor is the place in them.
func pageOf[R any](rows []R, q record.Query, scope string) (shown []R, next string, err error) {
	from := int(engine.NumberIn(q.After))
	if from < 0 || from > len(rows) {
		return nil, "", refusal.CursorInvalid.Err()
	}
	shown = rows[from:]
	if q.Limit > 0 && len(shown) > q.Limit {
		shown = shown[:q.Limit]
		next = engine.SealCursor(record.NumberID(int64(from+len(shown))), scope)
	}
	return shown, next, nil
}

// checkBreakdown refuses a question that has no answer.
func checkBreakdown(q *affiliate.BreakdownQuery) error {
	if q.By == "" {
		return refusal.ByRequired.Err()
	}
	if err := checkPeriod(q.From, q.To); err != nil {
		return err
	}
	return refusal.First(
		engine.InQuery(refusal.OneOf("by", q.By, dimensions)),
		engine.InQuery(refusal.OneOf("sort", q.Sort, figures)),
	)
}

// A breakdown is being filled.
type breakdown struct {
	*engine.Program
	by     affiliate.Dimension
	in     span
	rows   map[mark]*row
	origin map[int64]origin // where sales came from, of those that were looked up lately
}

// A mark is what a row is about: an id or a text, or neither.
type mark struct {
	id   uuid.UUID
	text string
}

func (m mark) String() string {
	if m.id != uuid.Nil {
		return m.id.String()
	}
	return m.text
}

// A row is a row of a breakdown.
type row struct {
	mark
	name string // of a product
	affiliate.Activity
}

// row returns the row of a mark.
func (b *breakdown) row(m mark) (*row, error) {
	r := b.rows[m]
	if r != nil {
		return r, nil
	}
	if len(b.rows) == maxRows {
		return nil, refusal.BreakdownTooLarge.Err()
	}
	r = &row{mark: mark{m.id, strings.Clone(m.text)}}
	if visited(b.by) {
		r.Clicks, r.Referrals = affiliate.Set[int64](0), affiliate.Set[int64](0)
	} else {
		r.Clicks, r.Referrals = affiliate.Null[int64](), affiliate.Null[int64]()
	}
	b.rows[r.mark] = r
	return r, nil
}

// ranked returns the rows, the greatest first.
func (b *breakdown) ranked(by affiliate.Figure) []*row {
	rows := make([]*row, 0, len(b.rows))
	for _, r := range b.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(x, y *row) int {
		return cmp.Or(compareFigure(by, &y.Activity, &x.Activity), strings.Compare(x.String(), y.String()))
	})
	return rows
}

// compareFigure compares two activities by a figure.
func compareFigure(by affiliate.Figure, x, y *affiliate.Activity) int {
	switch by {
	case affiliate.FigureRefunds:
		return x.Refunds.Cmp(y.Refunds)
	case affiliate.FigureCommission:
		return x.Commission.Cmp(y.Commission)
	case affiliate.FigureSales:
		return cmp.Compare(x.Sales, y.Sales)
	case affiliate.FigureConversions:
		return cmp.Compare(x.Conversions, y.Conversions)
	case affiliate.FigureClicks:
		return cmp.Compare(x.Clicks.Or(0), y.Clicks.Or(0))
	case affiliate.FigureReferrals:
		return cmp.Compare(x.Referrals.Or(0), y.Referrals.Or(0))
	}
	return x.Revenue.Cmp(y.Revenue)
}
