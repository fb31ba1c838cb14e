package httpapi

import (
	"cmp"
	"context"
	"errors"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/money.md 6, 17.

// examinedAtOnce is how many affiliates a request without a limit examines.
const examinedAtOnce = 500

func stepPayouts(p *tributary.Program, ctx context.Context, in affiliate.PayoutRun) (affiliate.PayoutRunResult, error) {
	in.Limit = cmp.Or(in.Limit, examinedAtOnce)
	run, err := p.RunPayouts(ctx, in)
	return run, inBody(err)
}

// A previewed is a page of a preview.
type previewed struct {
	Lines []affiliate.PayoutLine `json:"lines"`
	Next  affiliate.Opt[string]  `json:"next"`
}

// A preview is the settings of a run and a page of who would be paid.
type preview struct {
	run  affiliate.PayoutRun
	page affiliate.Page
}

var payoutRun = bodyOf[affiliate.PayoutRun]()

func previewOf(in *input) preview {
	run := payoutRun(in)
	return preview{run, affiliate.Page{Limit: cmp.Or(run.Limit, cursorLimit), Cursor: in.optional("cursor")}}
}

func previewPayouts(p *tributary.Program, ctx context.Context, in preview) (previewed, error) {
	list, err := p.PreviewPayouts(ctx, in.run, in.page)
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
func (in *input) limit(name string) int {
	n, there := in.ranged(name).Get()
	if there && n == 0 {
		n = outsideRange
	}
	return int(n)
}
