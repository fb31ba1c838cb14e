package httpapi

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/money.md 4, 17.

type payoutChange struct {
	id               uuid.UUID
	status           affiliate.PayoutStatus
	failed, returned affiliate.Opt[string] // why
}

func payoutChangeOf(in *input) payoutChange {
	c := payoutChange{id: payoutTarget(in)}
	status := enum[affiliate.PayoutStatus](in, "status")
	if status.IsNull() {
		in.fault(refusal.FieldNull)
	}
	c.status = status.Or("")
	why := func(field string, of affiliate.PayoutStatus, other refusal.Refusal) affiliate.Opt[string] {
		reason := in.optOptional(field)
		switch {
		case reason.IsNull():
			in.fault(refusal.FieldNull)
		case !reason.IsZero() && c.status != of:
			in.fault(other)
		}
		return reason
	}
	c.failed = why("failedReason", affiliate.PayoutFailed, refusal.RefuseFailedReason)
	c.returned = why("returnedReason", affiliate.PayoutReturned, refusal.RefuseReturnedReason)
	return c
}

var payoutTarget = targetID("payoutId")

func changePayout(p *tributary.Program, ctx context.Context, in payoutChange) (affiliate.Payout, error) {
	if reason, there := in.failed.Get(); there && in.status == affiliate.PayoutFailed {
		return p.FailPayout(ctx, in.id, reason)
	}
	if reason, there := in.returned.Get(); there && in.status == affiliate.PayoutReturned {
		return p.ReturnPayout(ctx, in.id, reason)
	}
	return p.SetPayoutStatus(ctx, in.id, in.status)
}

// Source: docs/money.md 6, 17.

// examinedAtOnce is the number of affiliates that a request without a limit examines.
const examinedAtOnce = 500

func stepPayouts(p *tributary.Program, ctx context.Context, in affiliate.PayoutRun) (affiliate.PayoutRunResult, error) {
	in.Limit = cmp.Or(in.Limit, examinedAtOnce)
	run, err := p.RunPayouts(ctx, in)
	return run, inBody(err)
}

// previewPage is a page of the payouts that a run would make.
type previewPage struct {
	Lines []affiliate.PayoutLine `json:"lines"` // What it would do, oldest affiliate first.
	Next  affiliate.Opt[string]  `json:"next"`  // The cursor of the next page; null at the end.
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

func previewPayouts(p *tributary.Program, ctx context.Context, in preview) (previewPage, error) {
	list, err := p.PreviewPayouts(ctx, in.run, in.page)
	out := previewPage{Lines: list.Items, Next: affiliate.Null[string]()}
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
