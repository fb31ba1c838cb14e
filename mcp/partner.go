package mcp

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/partner"
)

// PartnerConfig says what an affiliate's assistant may see. The zero PartnerConfig is usable.
type PartnerConfig struct {
	HideCustomers bool // customers are not shown, not even masked
}

// Partner returns a server for one affiliate of a program in this process. Its tools are the
// methods of [tributary.Partner] that read: no argument names an affiliate, so it
// cannot see another. Nothing is read until a tool is called, and of an affiliate who does
// not exist the tools answer so.
//
// The server is safe for concurrent use.
func Partner(p *tributary.Program, of uuid.UUID, cfg PartnerConfig) *sdk.Server {
	s, v := newServer(aboutPartner), &partnerView{p, p.Partner(of), cfg}
	for _, t := range v.tools() {
		add(s, t)
	}
	return s
}

// A partnerView reads for the tools of an affiliate.
type partnerView struct {
	program *tributary.Program
	tributary.Partner
	cfg PartnerConfig
}

// tools lists the tools.
func (v *partnerView) tools() []tool {
	all := []tool{
		v.tool("profile", "Who you are in the program: your name, status, rate, totals, and whether your payout details are complete.", nil,
			func(ctx context.Context, _ input) (any, error) { return v.Profile(ctx) }),
		v.tool("terms", "By which terms your sales earn: those in force, and those to come.", nil,
			func(ctx context.Context, _ input) (any, error) { return v.Terms(ctx) }),
		v.tool("bonuses", "What you get besides commissions, and how far you are with it.", nil,
			func(ctx context.Context, _ input) (any, error) { return v.Bonuses(ctx) }),
		v.tool("offer", "What your links give customers without a code; nothing: null.", nil,
			func(ctx context.Context, _ input) (any, error) { return v.Offer(ctx) }),
		v.tool("balance", "What you are owed: held, not due yet and on which days it will be, payable, in payouts, and what was paid.", nil,
			func(ctx context.Context, _ input) (any, error) { return v.Due(ctx) }),
		v.tool("links", "Your links, with what they brought.", paged, listed(v.Links)),
		v.tool("codes", "Your promotional codes, whether each works, and why not.", paged, listed(v.Codes)),
		v.tool("sales", "The sales that credit you, newest first.", paged, listed(v.sales)),
		v.tool("sale",
			"Why a sale earned you what it did, when it is paid, and what has happened to it.",
			[]argument{saleArg}, v.sale),
		v.tool("payouts", "Your payouts, newest first.", paged, listed(v.Payouts)),
		v.tool("payout", "What is in one of your payouts.", append([]argument{payoutArg}, paged...), v.payout),
		v.tool("statement",
			"What you were owed at the beginning and the end of a period, and each change between, oldest first.",
			append(period(), paged...), v.statement),
		v.tool("report", "Clicks, customers, sales and commission of a period, by day, week, month, quarter or year.",
			append(period(), one("by", "How long a row is.", "day", "week", "month", "quarter", "year")), v.report),
		v.tool("breakdown", "What brought the clicks, sales and commission of a period, the most revenue first.",
			append(append(period(), one("by", "What the rows differ in.", "link", "promotionalCode", "landingPage", "utmSource", "utmMedium", "utmCampaign", "sub")), paged...), v.breakdown),
	}
	if !v.cfg.HideCustomers {
		all = append(all, v.tool("customers", "Your customers, masked.", paged, listed(v.Referrals)))
	}
	return all
}

// paged are the arguments of a list.
var paged = []argument{
	argument{name: limitArg}.bounded(true),
	{name: cursorArg,
		schema: map[string]any{"type": "string",
			"description": "The cursor of the answer before, to go on."}},
}

var saleArg = argument{name: "saleId", required: true,
	schema: map[string]any{"type": "integer", "description": "The id of the sale."}}

var payoutArg = argument{name: "payoutId", required: true,
	schema: map[string]any{"type": "string", "format": "uuid",
		"description": "The id of the payout."}}

// period are the arguments of a period.
func period() []argument {
	day := func(what string) map[string]any { return map[string]any{"type": "string", "description": what} }
	return []argument{
		{name: "from", required: true, schema: day("The first day, such as 2026-11-01, or a moment with its zone.")},
		{name: "to", required: true,
			schema: day("The last day, which is in it, or a moment with its zone, which is not.")},
	}
}

// one is an argument that is one of some words.
func one(name, what string, words ...string) argument {
	return argument{name: name, required: true,
		schema: map[string]any{"type": "string", "enum": words, "description": what}}
}

// entries are a page of a list before it is shown.
type entries struct {
	rows   any // or a record that the list is in
	next   string
	totals []affiliate.Bucket // what all pages add up to, on the first one
}

// tool returns a tool of the affiliate: what read returns is shown as the API's answers are.
func (v *partnerView) tool(name, what string, args []argument, read func(context.Context, input) (any, error)) tool {
	closed := false
	t := tool{args: args, run: func(ctx context.Context, in input) (any, error) {
		value, err := read(ctx, in)
		if err != nil {
			return nil, err
		}
		list, is := value.(entries)
		if !is {
			return v.shown(value, "")
		}
		out, err := v.shown(list.rows, list.next)
		if err != nil || list.totals == nil {
			return out, err
		}
		return out, v.total(out, list.totals)
	}}
	t.Name, t.Description = name, what
	t.Annotations = &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}
	return t
}

// shown makes a value of the engine an answer.
func (v *partnerView) shown(value any, cursor string) (any, error) {
	parts, err := partsOf(value)
	if err != nil {
		return nil, err
	}
	return v.shower().answer(parts, cursor), nil
}

func (v *partnerView) shower() shower {
	return shower{home: string(v.program.Config().Currency), items: mostRows}
}

// total puts the sum of buckets before the rows of a page.
func (v *partnerView) total(out any, buckets []affiliate.Bucket) error {
	parts, err := partsOf(buckets)
	if err != nil {
		return err
	}
	all, err := sum(parts.([]any))
	if err != nil {
		return err
	}
	s := v.shower()
	out.(*page).Totals = s.object(all, s.home)
	return nil
}

// partsOf returns a value as its JSON has it.
func partsOf(value any) (any, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return decode(raw)
}

// listed reads a page of a list.
func listed[T any](
	list func(context.Context, affiliate.Page) (affiliate.List[T], error)) func(context.Context, input) (any, error) {
	return func(ctx context.Context, in input) (any, error) {
		pg, err := in.page()
		if err != nil {
			return nil, err
		}
		found, err := list(ctx, pg)
		return entries{rows: found.Items, next: found.Next}, err
	}
}

// page returns the page that was asked for.
func (in input) page() (pg affiliate.Page, err error) {
	if pg.Limit, err = in.limit(); err == nil {
		pg.Cursor, err = in.text(cursorArg)
	}
	return pg, err
}

// sales lists the sales, without the customers when they are hidden.
func (v *partnerView) sales(ctx context.Context, pg affiliate.Page) (affiliate.List[partner.Sale], error) {
	list, err := v.Sales(ctx, pg)
	if v.cfg.HideCustomers {
		for i := range list.Items {
			list.Items[i].Customer = ""
		}
	}
	return list, err
}

// sale explains a sale, without the customer when customers are hidden.
func (v *partnerView) sale(ctx context.Context, in input) (any, error) {
	text, err := in.text(saleArg.name)
	if err != nil {
		return nil, err
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, affiliate.ErrNotFound
	}
	why, err := v.ExplainSale(ctx, affiliate.SaleID(id))
	if v.cfg.HideCustomers {
		why.Sale.Customer, why.CustomerSince, why.Payment = "", affiliate.Null[affiliate.Time](),
			affiliate.Null[int64]()
	}
	return why, err
}

func (v *partnerView) payout(ctx context.Context, in input) (any, error) {
	text, err := in.text(payoutArg.name)
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, affiliate.ErrNotFound
	}
	paid, err := v.Payout(ctx, id)
	if err != nil {
		return nil, err
	}
	pg, err := in.page()
	if err != nil {
		return nil, err
	}
	of, err := v.PayoutEntries(ctx, id, pg)
	sheet := struct {
		partner.Payout
		Entries []affiliate.PayoutEntry `json:"entries"`
	}{paid, of.Items}
	return entries{rows: sheet, next: of.Next}, err
}

func (v *partnerView) statement(ctx context.Context, in input) (any, error) {
	from, to, err := v.period(in)
	if err != nil {
		return nil, err
	}
	pg, err := in.page()
	if err != nil {
		return nil, err
	}
	sheet, err := v.Statement(ctx, from, to)
	if err != nil {
		return nil, err
	}
	lines, err := sheet.Page(pg)
	whole := struct {
		affiliate.Statement
		Lines []affiliate.StatementLine `json:"lines"`
	}{sheet, lines.Items}
	return entries{rows: whole, next: lines.Next}, err
}

func (v *partnerView) report(ctx context.Context, in input) (any, error) {
	from, to, by, err := v.ranged(in)
	if err != nil {
		return nil, err
	}
	rows, err := v.Report(ctx, from, to, affiliate.Interval(by))
	return entries{rows: rows, totals: rows}, err
}

func (v *partnerView) breakdown(ctx context.Context, in input) (any, error) {
	from, to, by, err := v.ranged(in)
	if err != nil {
		return nil, err
	}
	pg, err := in.page()
	if err != nil {
		return nil, err
	}
	found, err := v.Breakdown(ctx, from, to, affiliate.Dimension(by), pg)
	out := entries{rows: found.Items, next: found.Next}
	if err == nil && pg.Cursor == "" {
		out.totals, err = v.Report(ctx, from, to, affiliate.IntervalMonth)
	}
	return out, err
}

// ranged reads a period and what the rows differ in.
func (v *partnerView) ranged(in input) (from, to time.Time, by string, err error) {
	if from, to, err = v.period(in); err == nil {
		by, err = in.text("by")
	}
	return from, to, by, err
}

// period reads a period: its days are those of the program's zone.
func (v *partnerView) period(in input) (from, to time.Time, err error) {
	first, err := in.date("from")
	if err != nil {
		return from, to, err
	}
	last, err := in.date("to")
	zone := v.program.Config().Location
	return first.FirstInstant(zone), last.End(zone), err
}

// date reads a date.
func (in input) date(name string) (affiliate.Date, error) {
	text, err := in.text(name)
	if err != nil {
		return affiliate.Date{}, err
	}
	d, err := affiliate.ParseDate(text)
	if err != nil {
		return d, misuse("%s must be a date, such as 2026-11-30", name)
	}
	return d, nil
}
