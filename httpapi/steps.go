package httpapi

import (
	"context"

	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 4.6.

// stepped is the answer of a step of a job.
type stepped struct {
	Done    bool                  `json:"done"`
	Cursor  affiliate.Opt[string] `json:"cursor"`
	Looked  int64                 `json:"looked"`
	Changed int64                 `json:"changed"`
}

func steppedOf(done affiliate.Progress, err error) (stepped, error) {
	s := stepped{Done: done.Done, Cursor: affiliate.Null[string](), Looked: done.Looked, Changed: done.Changed}
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

func assignTiers(p *affiliate.Program, ctx context.Context, at affiliate.Step) (stepped, error) {
	return steppedOf(p.Step(ctx, affiliate.AssignTiersJob{}, at))
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
		in.fault(affiliate.RefuseNoSelection)
	}
	r.job.AffiliateEmail = in.optOptional("affiliateEmail")
	r.job.ReferralID = in.optOptional("referralId")
	in.flag("all")
	r.at = stepOf(in)
	return r
}

func recalculateSales(p *affiliate.Program, ctx context.Context, in recalculation) (stepped, error) {
	return steppedOf(p.Step(ctx, in.job, in.at))
}
