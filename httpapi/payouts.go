package httpapi

import (
	"context"

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

func payoutTarget(in *input) uuid.UUID {
	defer in.targeted()
	return in.id("payoutId")
}

func changePayout(p *tributary.Program, ctx context.Context, in payoutChange) (affiliate.Payout, error) {
	if reason, there := in.failed.Get(); there && in.status == affiliate.PayoutFailed {
		return p.FailPayout(ctx, in.id, reason)
	}
	if reason, there := in.returned.Get(); there && in.status == affiliate.PayoutReturned {
		return p.ReturnPayout(ctx, in.id, reason)
	}
	return p.SetPayoutStatus(ctx, in.id, in.status)
}
