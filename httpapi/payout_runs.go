package httpapi

import (
	"cmp"
	"context"
	"errors"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/money.md 6, 17.

// A payoutRun is the settings of a run, whose end may be a plain date, and the page
// or the piece that is asked for.
type payoutRun struct {
	affiliate.PayoutRun
	until affiliate.Opt[affiliate.Date]
	page  affiliate.Page
}

func payoutRunOf(in *input) (r payoutRun) {
	r.ExternalID = in.name("externalId")
	r.until = in.date("until")
	r.Minimum = in.amount("minimum").Or(affiliate.Amount{})
	r.Currency = in.currency()
	r.Methods = texts[affiliate.PaymentMethod](in, "methods").Or(nil)
	r.NoDetails = in.flag("noDetails")
	r.AffiliateIDs, _ = in.idList("affiliateIds")
	r.ExceptIDs, _ = in.idList("exceptIds")
	r.page.Limit = in.limit()
	return r
}

// settings returns the settings as the program takes them.
func (r *payoutRun) settings(p *tributary.Program) affiliate.PayoutRun {
	r.Until = endOf(p, r.until)
	return r.PayoutRun
}

// examinedAtOnce is how many affiliates a request without a limit examines.
const examinedAtOnce = 500

func stepPayouts(p *tributary.Program, ctx context.Context, in payoutRun) (affiliate.PayoutRunResult, error) {
	in.Limit = cmp.Or(in.page.Limit, examinedAtOnce)
	run, err := p.RunPayouts(ctx, in.settings(p))
	return run, inBody(err)
}

// A previewed is a page of a preview.
type previewed struct {
	Lines []affiliate.PayoutLine `json:"lines"`
	Next  affiliate.Opt[string]  `json:"next"`
}

func previewOf(in *input) payoutRun {
	r := payoutRunOf(in)
	if r.page.Cursor = in.optional("cursor"); r.page.Limit == 0 {
		r.page.Limit = cursorLimit
	}
	return r
}

func previewPayouts(p *tributary.Program, ctx context.Context, in payoutRun) (previewed, error) {
	list, err := p.PreviewPayouts(ctx, in.settings(p), in.page)
	out := previewed{Lines: list.Items, Next: affiliate.Null[string]()}
	if list.Next != "" {
		out.Next = affiliate.Set(list.Next)
	}
	return out, inBody(err)
}

// inBody returns an error of the engine about limit or cursor, which a POST has in its
// body and not in its query.
func inBody(err error) error {
	if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Reason == affiliate.InvalidQuery {
		refused.Reason = affiliate.InvalidField
	}
	return err
}

// limit reads how many records a POST answers or looks at; 0 when it is absent.
func (in *input) limit() int {
	n, there := in.ranged("limit").Get()
	if there && n == 0 {
		n = outsideRange
	}
	return int(n)
}
