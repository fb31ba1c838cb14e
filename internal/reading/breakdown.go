package reading

import (
	"cmp"
	"context"
	"maps"
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
		affiliate.DimensionAffiliate, affiliate.DimensionLink, affiliate.DimensionCode,
		affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan,
		affiliate.DimensionLandingPage, affiliate.DimensionUTMSource, affiliate.DimensionUTMMedium,
		affiliate.DimensionUTMCampaign, affiliate.DimensionSub,
	}
	figures = []affiliate.Figure{
		affiliate.FigureRevenue, affiliate.FigureRefunds, affiliate.FigureCommission,
		affiliate.FigureSales, affiliate.FigureConversions,
		affiliate.FigureClicks, affiliate.FigureReferrals,
	}
)

// maxRows is the number of rows of the longest breakdown. They are all in memory, and
// visitors choose the texts of some dimensions.
const maxRows = 100_000

// Breakdown implements tributary.Program.Breakdown.
func Breakdown(ctx context.Context, p *engine.Program, q affiliate.BreakdownQuery,
	pg affiliate.Page) (_ affiliate.List[affiliate.BreakdownRow], err error) {
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
	b := breakdown{Program: p, by: q.By,
		in: []affiliate.Instant{affiliate.InstantOf(q.From), affiliate.InstantOf(q.To)}, rows: map[mark]*row{},
		origin: map[int64]origin{}}
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
	in     []affiliate.Instant // its two edges
	rows   map[mark]*row
	origin map[int64]origin // where sales came from, of those that were looked up lately
}

// A mark is the subject of a row: an id or a text, or neither.
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

// maxOrigins is the number of sales whose origins are remembered, so that a breakdown of
// many sales takes little memory. Most movements of a sale are close together.
const maxOrigins = 2_000

// An origin is the source of a sale, in the dimension of the breakdown.
type origin struct {
	mark
	name  string       // of a product
	parts []originPart // of a sale that several products share; its own mark is not used then
}

// An originPart is a product's part in a sale.
type originPart struct {
	mark
	name        string
	cost, earns int64 // what the amounts and the commission are shared out by
}

// fill reads everything that is counted.
func (b *breakdown) fill(ctx context.Context, of affiliate.Opt[uuid.UUID]) error {
	var key record.Key
	if !of.IsZero() {
		owner := of.Or(uuid.Nil)
		if owner == uuid.Nil {
			return nil
		}
		key = record.Key{Index: record.OfAffiliate, ID: owner}
		_, err := engine.View(ctx, b.Program,
			func(o *engine.Op) (record.Books, error) { return openSince(o, owner, b.in[0]) })
		if err != nil {
			return err
		}
	}
	sum := movementsBy(origins[b.by]...)
	sum.Key, sum.Edges = key, b.in
	err := sumMovements(ctx, b.Program, sum, b.addSums,
		func(recs []record.Movement) error { return b.addMovements(ctx, recs) })
	if err != nil || !visited(b.by) {
		return err
	}
	err = countClicks(ctx, b.Program, record.Sum{Key: key, Edges: b.in, By: b.visitColumn("full_landing_url")}, func(rec *record.Click, n int64) error {
		row, err := b.row(b.visit(rec.AffiliateID, rec.LinkID, rec.LandingURL))
		if err == nil {
			row.Clicks = more(row.Clicks, n)
		}
		return err
	})
	if err != nil {
		return err
	}
	return countReferrals(ctx, b.Program, record.Sum{Key: key, Edges: b.in, By: b.visitColumn("initial_landing_page")}, func(rec *record.Referral, n int64) error {
		row, err := b.row(b.visit(rec.AffiliateID, rec.LinkID, rec.LandingPage))
		if err == nil {
			row.Referrals = more(row.Referrals, n)
		}
		return err
	})
}

// origins has the columns that say where a movement came from.
var origins = map[affiliate.Dimension][]string{
	affiliate.DimensionAffiliate:   {"affiliate_id"},
	affiliate.DimensionLink:        {"affiliate_link_id"},
	affiliate.DimensionCode:        {"promotional_code_id"},
	affiliate.DimensionCoupon:      {"redemptions.coupon_id"},
	affiliate.DimensionPlan:        {"sales.why_commission_plan_id"},
	affiliate.DimensionProduct:     {"sales.status", "sales.product", "sales.product_name"}, // a sale has a status
	affiliate.DimensionLandingPage: landed,
	affiliate.DimensionUTMSource:   landed,
	affiliate.DimensionUTMMedium:   landed,
	affiliate.DimensionUTMCampaign: landed,
	affiliate.DimensionSub:         landed,
}

var landed = []string{"clicks.full_landing_url", "referrals.initial_landing_page"}

// visitColumn is the column on which the mark of a visit depends.
func (b *breakdown) visitColumn(page string) []string {
	if b.by == affiliate.DimensionAffiliate || b.by == affiliate.DimensionLink {
		return origins[b.by]
	}
	return []string{page}
}

// visited reports whether clicks and referrals have the dimension.
func visited(d affiliate.Dimension) bool {
	switch d {
	case affiliate.DimensionCode, affiliate.DimensionCoupon, affiliate.DimensionProduct, affiliate.DimensionPlan:
		return false
	}
	return true
}

// visit returns the mark of a click or a referral.
func (b *breakdown) visit(owner, link uuid.UUID, page string) mark {
	switch b.by {
	case affiliate.DimensionAffiliate:
		return mark{id: owner}
	case affiliate.DimensionLink:
		return mark{id: link}
	}
	return b.landed(page)
}

// landed returns the mark of a page on which a visitor landed.
func (b *breakdown) landed(page string) mark {
	var name string
	switch b.by {
	case affiliate.DimensionLandingPage:
		path, _, _ := strings.Cut(page, "?")
		return mark{text: path}
	case affiliate.DimensionUTMSource:
		name = "utm_source"
	case affiliate.DimensionUTMMedium:
		name = "utm_medium"
	case affiliate.DimensionUTMCampaign:
		name = "utm_campaign"
	case affiliate.DimensionSub:
		name = engine.ParamSub
	}
	return mark{text: engine.ParamOf(page, name)}
}

// addSums counts movements that the store has added up. Not done: several products share sales.
func (b *breakdown) addSums(sums []record.Summed) (done bool, err error) {
	for i := range sums {
		rec := sums[i].AnyRecord.(record.Movement)
		if !counts(&rec) {
			continue
		}
		from, one := b.originOfSum(&sums[i], &rec)
		if !one {
			clear(b.rows)
			return false, nil
		}
		if err := b.add(from, &rec); err != nil {
			return false, err
		}
	}
	return true, nil
}

// originOfSum returns where the movements of a sum came from. Not one: from several products.
func (b *breakdown) originOfSum(sum *record.Summed, rec *record.Movement) (from origin, one bool) {
	if id, said := b.saidBy(rec); said {
		return origin{mark: mark{id: id}}, true
	}
	page := ""
	for _, with := range sum.With {
		switch with := with.(type) {
		case record.Redemption:
			from.id = with.CouponID
		case record.Sale:
			if b.by == affiliate.DimensionPlan {
				from.id = with.Why.PlanID
			} else if len(with.Lines) == 0 {
				return from, false
			} else {
				from.text, from.name, _ = with.Product()
			}
		case record.Click:
			page = with.LandingURL
		case record.Referral:
			page = cmp.Or(page, with.LandingPage)
		}
	}
	if page != "" {
		from.mark = b.landed(page)
	}
	return from, true
}

// add counts a movement in the row of its origin.
func (b *breakdown) add(from origin, rec *record.Movement) error {
	row, err := b.row(from.mark)
	if err != nil {
		return err
	}
	row.name = max(row.name, from.name)
	return addMovement(&row.Activity, rec)
}

// addMovements counts a piece of the movements.
func (b *breakdown) addMovements(ctx context.Context, recs []record.Movement) error {
	recs = slices.DeleteFunc(recs, func(r record.Movement) bool { return !counts(&r) })
	if err := b.lookUp(ctx, recs); err != nil {
		return err
	}
	for i := range recs {
		if err := b.addMovement(&recs[i]); err != nil {
			return err
		}
	}
	return nil
}

// counts reports whether a movement changes what a report shows. Most move money from one
// account to the next.
func counts(r *record.Movement) bool {
	return !r.Cause.Is(affiliate.CauseOpening) &&
		(r.Sales != 0 || r.Conversions != 0 || !r.Revenue.IsZero() || !r.Refunds.IsZero() ||
			!engine.AccruedBy(r).IsZero())
}

// addMovement counts a movement in its row, or in those of the products of its sale.
func (b *breakdown) addMovement(rec *record.Movement) error {
	from := b.originOf(rec)
	if len(from.parts) == 0 {
		return b.add(from, rec)
	}
	cost, earns := make([]int64, len(from.parts)), make([]int64, len(from.parts))
	for i, part := range from.parts {
		cost[i], earns[i] = part.cost, part.earns
	}
	revenue, refunds, accrued := shareOut(rec.Revenue, cost), shareOut(rec.Refunds, cost), shareOut(rec.Amount, earns)
	for i, part := range from.parts {
		share := *rec
		share.Revenue, share.Refunds, share.Amount = revenue[i], refunds[i], accrued[i]
		if slices.ContainsFunc(from.parts[:i], func(earlier originPart) bool { return earlier.mark == part.mark }) {
			share.Sales, share.Conversions = 0, 0 // two lines of one product are one sale of it
		}
		if err := b.add(origin{mark: part.mark, name: part.name}, &share); err != nil {
			return err
		}
	}
	return nil
}

// shareOut shares out an amount, which may be negative.
func shareOut(a affiliate.Amount, weights []int64) []affiliate.Amount {
	sum, sign := a.Scaled(), int64(1)
	if sum < 0 {
		sum, sign = -sum, -1
	}
	shares := make([]affiliate.Amount, len(weights))
	for i, n := range engine.Spread(sum, weights, 1) {
		shares[i] = affiliate.AmountFromScaled(sign * n)
	}
	return shares
}

// originOf returns where a movement came from.
func (b *breakdown) originOf(rec *record.Movement) origin {
	if id, said := b.saidBy(rec); said {
		return origin{mark: mark{id: id}}
	}
	return b.origin[rec.Sale]
}

// saidBy returns what a movement itself says of the dimension, if it does.
func (b *breakdown) saidBy(rec *record.Movement) (id uuid.UUID, said bool) {
	switch b.by {
	case affiliate.DimensionAffiliate:
		return rec.AffiliateID, true
	case affiliate.DimensionLink:
		return rec.LinkID, true
	case affiliate.DimensionCode:
		return rec.CodeID, true
	}
	return id, false
}

// lookUp finds where the sales of movements came from, if the movements do not say it. A
// sale that is gone came from nowhere.
func (b *breakdown) lookUp(ctx context.Context, recs []record.Movement) error {
	if len(b.origin) > maxOrigins {
		clear(b.origin)
	}
	var sales []int64
	for i := range recs {
		if _, said := b.saidBy(&recs[i]); said || recs[i].Sale == 0 || b.knows(recs[i].Sale) {
			continue
		}
		sales = append(sales, recs[i].Sale)
	}
	if len(sales) == 0 {
		return nil
	}
	slices.Sort(sales)
	sales = slices.Compact(sales)
	found, err := engine.View(ctx, b.Program,
		func(o *engine.Op) (map[int64]origin, error) { return b.originsOf(o, sales) })
	maps.Copy(b.origin, found)
	return err
}

func (b *breakdown) knows(sale int64) bool { _, known := b.origin[sale]; return known }

// originsOf reads where sales came from. It says beforehand what it will read, so that a
// store behind a network reads it at once.
func (b *breakdown) originsOf(o *engine.Op, sales []int64) (map[int64]origin, error) {
	found := make(map[int64]origin, len(sales))
	if b.by == affiliate.DimensionCoupon {
		for _, n := range sales {
			o.Soon("redemptions", record.Key{ID: record.NumberID(n)})
		}
		for _, n := range sales {
			r, err := o.Tx.Redemptions.Get(record.NumberID(n))
			if engine.IgnoreMissing(err) != nil {
				return nil, refusal.Internal("read redemptions", err)
			}
			found[n] = origin{mark: mark{id: r.CouponID}}
		}
		return found, nil
	}
	recs, err := salesOf(o, sales)
	if err != nil {
		return nil, err
	}
	switch b.by {
	case affiliate.DimensionPlan:
		for i := range recs {
			found[recs[i].Number] = origin{mark: mark{id: recs[i].Why.PlanID}}
		}
		return found, nil
	case affiliate.DimensionProduct:
		for i := range recs {
			if found[recs[i].Number], err = b.products(&recs[i]); err != nil {
				return nil, refusal.Internal("share out a sale", err)
			}
		}
		return found, nil
	}
	return found, b.landings(o, recs, found)
}

// salesOf reads sales, without those that are gone.
func salesOf(o *engine.Op, numbers []int64) (recs []record.Sale, err error) {
	for _, n := range numbers {
		o.Soon("sales", numbered(n))
	}
	for _, n := range numbers {
		r, err := o.Tx.Sales.Find(numbered(n))
		if err == nil {
			recs = append(recs, r)
		} else if engine.IgnoreMissing(err) != nil {
			return nil, refusal.Internal("read sales", err)
		}
	}
	return recs, nil
}

// products returns the products of a sale. Several ones without lines have no amounts of
// their own, so their sale is nobody's.
func (b *breakdown) products(r *record.Sale) (from origin, err error) {
	var one bool
	if from.text, from.name, one = r.Product(); one {
		return from, nil
	}
	cost, earns, err := b.LineWeights(r)
	if err != nil {
		return from, err
	}
	if !slices.ContainsFunc(cost, positive) {
		cost[0] = 1
	}
	if !slices.ContainsFunc(earns, positive) {
		earns = cost
	}
	for i := range r.Lines {
		l := &r.Lines[i]
		from.parts = append(from.parts, originPart{mark{text: l.ProductID}, l.Name, cost[i], earns[i]})
	}
	return from, nil
}

func positive(n int64) bool { return n > 0 }

// landings adds the pages on which the customers of sales landed: of the click that
// credited the sale while it is stored, else the first page of the customer.
func (b *breakdown) landings(o *engine.Op, recs []record.Sale, found map[int64]origin) error {
	for i := range recs {
		if r := &recs[i]; r.Why.Click != 0 {
			o.Soon("clicks", numbered(r.Why.Click))
		} else if r.ReferralID != uuid.Nil {
			o.Soon("referrals", record.Key{ID: r.ReferralID})
		}
	}
	for i := range recs {
		r := &recs[i]
		page, err := "", error(nil)
		if r.Why.Click != 0 {
			var c record.Click
			c, err = o.Tx.Clicks.Find(numbered(r.Why.Click))
			page = c.LandingURL
		}
		if err = engine.IgnoreMissing(err); err == nil && page == "" && r.ReferralID != uuid.Nil {
			var ref record.Referral
			ref, err = o.Tx.Referrals.Get(r.ReferralID)
			page, err = ref.LandingPage, engine.IgnoreMissing(err)
		}
		if err != nil {
			return refusal.Internal("read where customers landed", err)
		}
		from := b.landed(page)
		found[r.Number] = origin{mark: mark{text: strings.Clone(from.text)}}
	}
	return nil
}

// named returns rows with the names of what they are about.
func (b *breakdown) named(ctx context.Context, rows []*row) ([]affiliate.BreakdownRow, error) {
	out := make([]affiliate.BreakdownRow, len(rows))
	for i, r := range rows {
		out[i] = affiliate.BreakdownRow{Value: r.String(), Name: engine.OrNull(r.name), Activity: r.Activity}
	}
	for some := range slices.Chunk(out, reportPiece) {
		names, err := engine.View(ctx, b.Program, func(o *engine.Op) ([]string, error) { return b.names(o, some) })
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			some[i].Name = engine.OrNull(name)
		}
	}
	return out, nil
}

// names reads the names of what rows are about; nil: the rows have them.
func (b *breakdown) names(o *engine.Op, rows []affiliate.BreakdownRow) ([]string, error) {
	switch b.by {
	case affiliate.DimensionAffiliate:
		return namesIn(o, "affiliates", o.Tx.Affiliates, rows, engine.NameOf)
	case affiliate.DimensionLink:
		return namesIn(o, "links", o.Tx.Links, rows, func(r record.Link) string { return r.Slug })
	case affiliate.DimensionCode:
		return namesIn(o, "codes", o.Tx.Codes, rows, func(r record.Code) string { return r.Code })
	case affiliate.DimensionCoupon:
		return namesIn(o, "coupons", o.Tx.Coupons, rows, func(r record.Coupon) string { return r.Name })
	case affiliate.DimensionPlan:
		return namesIn(o, "plans", o.Tx.Plans, rows, func(r record.Plan) string { return r.Name })
	}
	return nil, nil
}

// namesIn reads the names of the records of rows; those that are gone have none.
func namesIn[R record.Record[R]](o *engine.Op, table string, in record.Table[R], rows []affiliate.BreakdownRow, name func(R) string) ([]string, error) {
	ids, names := make([]uuid.UUID, len(rows)), make([]string, len(rows))
	for i := range rows {
		if rows[i].Value != "" {
			ids[i] = uuid.MustParse(rows[i].Value)
			o.Soon(table, record.Key{ID: ids[i]})
		}
	}
	for i, id := range ids {
		if id == uuid.Nil {
			continue
		}
		r, err := in.Get(id)
		if engine.IgnoreMissing(err) != nil {
			return nil, refusal.Internal("read names", err)
		}
		if err == nil {
			names[i] = name(r)
		}
	}
	return names, nil
}
