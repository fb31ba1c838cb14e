package httpapi

import (
	"context"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.6.

// stepAnswer is the work of one step of a job.
type stepAnswer struct {
	Done bool `json:"done"` // True: the job is over.
	// Where the next step goes on; null when the job is over.
	Cursor  affiliate.Opt[string] `json:"cursor"`
	Looked  int64                 `json:"looked"`  // How many records the step looked at.
	Changed int64                 `json:"changed"` // How many of them it changed.
}

func steppedOf(done affiliate.Progress, err error) (stepAnswer, error) {
	s := stepAnswer{Done: done.Done, Cursor: affiliate.Null[string](), Looked: done.Looked, Changed: done.Changed}
	if !done.Done {
		s.Cursor = affiliate.Set(done.Cursor)
	}
	return s, err
}

// stepOf reads where a job goes on.
func stepOf(in *input) affiliate.Step {
	at := affiliate.Step{Cursor: in.optional("cursor")}
	if n, given := in.ranged("limit").Get(); given {
		if at.Limit = int(n); n == 0 {
			at.Limit = outsideRange
		}
	}
	return at
}

func assignTiers(p *tributary.Program, ctx context.Context, at affiliate.Step) (stepAnswer, error) {
	return steppedOf(p.Step(ctx, affiliate.AssignTiersJob{}, at))
}

func grantBonuses(p *tributary.Program, ctx context.Context, at affiliate.Step) (stepAnswer, error) {
	return steppedOf(p.Step(ctx, affiliate.GrantBonusesJob{}, at))
}

type recalculation struct {
	job affiliate.RecalculateJob
	at  affiliate.Step
}

// recalculationOf reads which sales are meant. All of them must be asked for.
func recalculationOf(in *input) (r recalculation) {
	r.job.AffiliateID = in.optID("affiliateId")
	chosen := in.has("affiliateId") || in.has("affiliateEmail") || in.has("referralId")
	if all := in.value("all"); !chosen && string(all) != "true" && !in.faulty() && (all == nil || string(all) == "false" || string(all) == "null") {
		in.fault(refusal.RefuseNoSelection)
	}
	r.job.AffiliateEmail = in.optOptional("affiliateEmail")
	r.job.ReferralID = in.optOptional("referralId")
	in.flag("all")
	r.at = stepOf(in)
	return r
}

func recalculateSales(p *tributary.Program, ctx context.Context, in recalculation) (stepAnswer, error) {
	return steppedOf(p.Step(ctx, in.job, in.at))
}

// erasureAnswer is the work of one step of an erasure.
type erasureAnswer struct {
	stepAnswer
	// Payloads of this step that wait for a delivery: erase again later.
	PayloadsPending int64 `json:"payloadsPending"`
}

type erasure[J any] struct {
	job J
	at  affiliate.Step
}

func erasureOfAffiliate(in *input) erasure[affiliate.EraseAffiliateJob] {
	return erasure[affiliate.EraseAffiliateJob]{affiliate.EraseAffiliateJob{ID: oneAffiliate(in),
		Forfeit: in.flag("forfeit")}, stepOf(in)}
}

func erasureOfReferral(in *input) erasure[affiliate.EraseReferralJob] {
	return erasure[affiliate.EraseReferralJob]{affiliate.EraseReferralJob{Ref: referralTarget(in)}, stepOf(in)}
}

func eraseAffiliate(p *tributary.Program, ctx context.Context,
	in erasure[affiliate.EraseAffiliateJob]) (erasureAnswer, error) {
	return erasedOf(p.Step(ctx, in.job, in.at))
}

func eraseReferral(p *tributary.Program, ctx context.Context,
	in erasure[affiliate.EraseReferralJob]) (erasureAnswer, error) {
	return erasedOf(p.Step(ctx, in.job, in.at))
}

func erasedOf(done affiliate.Progress, err error) (erasureAnswer, error) {
	s, err := steppedOf(done, err)
	return erasureAnswer{s, done.PayloadsPending}, err
}

// pruneAnswer is the number of records that a step dropped.
type pruneAnswer struct {
	stepAnswer
	Removed affiliate.Retained `json:"removed"` // How many records of each kind.
}

// A pruneRequest says what is deleted: everything older than an instant, or than a
// policy allows.
type pruneRequest struct {
	before    affiliate.Opt[affiliate.Date]
	retention affiliate.Opt[affiliate.Retention]
	at        affiliate.Step
}

func pruningOf(in *input) pruneRequest {
	what := pruneRequest{before: in.date("before")}
	if in.has("before") == in.has("retention") && !in.faulty() {
		in.fault(refusal.RefuseNoAge)
	}
	what.retention, what.at = nested(in, "retention", retentionOf), stepOf(in)
	return what
}

// retentionOf reads ages in days.
func retentionOf(in *input) affiliate.Retention {
	age := func(name string) time.Duration { return time.Duration(in.days(name)) * 24 * time.Hour }
	r := affiliate.Retention{Events: age("events"), Receipts: age("receipts"),
		Deliveries: age("deliveries"), Clicks: age("clicks"), Holds: age("holds")}
	if r == (affiliate.Retention{}) && !in.faulty() {
		in.fault(refusal.RefuseNoAge)
	}
	return r
}

// mostDays is the largest age in a policy, in days.
const mostDays = 36_500

// days reads an age; absent: zero, which keeps the kind.
func (in *input) days(name string) int64 {
	n, given := in.ranged(name).Get()
	if given && (n < 1 || n > mostDays) {
		in.fault(refusal.FieldNotDays)
		return 0
	}
	return n
}

// prune runs a step of the job that was asked for.
func prune(p *tributary.Program, ctx context.Context, in pruneRequest) (pruneAnswer, error) {
	var job affiliate.Job = affiliate.RetainJob{Retention: in.retention.Or(affiliate.Retention{})}
	if before, given := in.before.Get(); given {
		job = affiliate.PruneJob{Before: before.FirstInstant(p.Config().Location)}
	}
	done, err := p.Step(ctx, job, in.at)
	s, err := steppedOf(done, err)
	return pruneAnswer{s, done.Removed}, err
}
