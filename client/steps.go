package client

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Step is [tributary.Program.Step]. A key of [Client.Keyed] is for one step. The
// ages of a RetainJob are whole days, and the filter of a RecalculateJob cannot
// have ExternalID or ExternalInvoiceID. A VerifyJob answers the first 100 breaches; only
// the context limits it, and not Config.Timeout, and it is never sent again. An answer that is neither Done nor names
// another step is an error.
func (c *Client) Step(ctx context.Context, job affiliate.Job, at affiliate.Step) (affiliate.Progress, error) {
	if job == (affiliate.VerifyJob{}) {
		return c.verify(ctx)
	}
	path, body, barred := stepOf(job, at)
	if path == "" {
		return affiliate.Progress{Done: true}, nil // as on the engine: an empty value selects nothing
	}
	rq := c.post(path, body, affiliate.Once{})
	rq.goOnly(barred, barred != "")
	done, a, err := do[struct {
		affiliate.Progress
		Cursor affiliate.Opt[string]
	}](ctx, c, rq)
	done.Progress.Cursor = done.Cursor.Or("")
	switch next := done.Progress.Cursor; {
	case err == errNull:
		err = a.unreadable(err)
	case err == nil && !done.Done && (next == "" || next == at.Cursor):
		return affiliate.Progress{}, a.unreadable(errNoProgress)
	}
	return done.Progress, err
}

// errNoProgress means that a job is not done and names no new step: the next one would
// be the same again.
var errNoProgress = errors.New("the job is not done and has no next step")

// A place is the point from which a job continues, as it is sent.
type place struct {
	Cursor string `json:"cursor,omitzero"`
	Limit  int    `json:"limit,omitzero"`
}

// stepOf returns the request of a step; barred is the field that cannot be sent. Without
// a path there is nothing to do.
func stepOf(job affiliate.Job, at affiliate.Step) (path string, body any, barred string) {
	here := place(at)
	switch j := job.(type) {
	case affiliate.AssignTiersJob:
		return "/commission-tiers/assign", here, ""
	case affiliate.GrantBonusesJob:
		return "/bonuses/grant", here, ""
	case affiliate.RecalculateJob:
		return recalculation(j, here)
	case affiliate.EraseAffiliateJob:
		return affiliates + "/erase", struct {
			ID      uuid.UUID `json:"affiliateId,omitzero"`
			Forfeit bool      `json:"forfeit,omitzero"`
			place
		}{j.ID, j.Forfeit, here}, ""
	case affiliate.EraseReferralJob:
		return referrals + "/erase", struct {
			Ref string `json:"referralId,omitzero"`
			place
		}{j.Ref, here}, ""
	case affiliate.PruneJob:
		return "/prune", struct {
			Before time.Time `json:"before"`
			place
		}{j.Before.UTC(), here}, ""
	case affiliate.RetainJob:
		return retention(j, here)
	}
	return "/", nil, "Job"
}

func recalculation(j affiliate.RecalculateJob, here place) (path string, body any, barred string) {
	if !j.ExternalID.IsZero() || !j.ExternalInvoiceID.IsZero() {
		barred = "ExternalID"
	}
	if barred == "" && (none(j.AffiliateID) || none(j.AffiliateEmail) || none(j.ReferralID)) {
		return "", nil, ""
	}
	return sales + "/recalculate", struct {
		AffiliateID affiliate.Opt[uuid.UUID] `json:"affiliateId,omitzero"`
		Email       affiliate.Opt[string]    `json:"affiliateEmail,omitzero"`
		ReferralID  affiliate.Opt[string]    `json:"referralId,omitzero"`
		All         bool                     `json:"all,omitzero"`
		place
	}{j.AffiliateID, j.AffiliateEmail, j.ReferralID, j == affiliate.RecalculateJob{}, here}, barred
}

// none reports whether a field is set to nothing.
func none[T comparable](o affiliate.Opt[T]) bool {
	v, ok := o.Get()
	var zero T
	return !o.IsZero() && (!ok || v == zero)
}

const day = 24 * time.Hour

func retention(j affiliate.RetainJob, here place) (path string, body any, barred string) {
	if j.Retention == (affiliate.Retention{}) {
		return "", nil, "" // everything is kept
	}
	for _, age := range []time.Duration{j.Events, j.Receipts, j.Deliveries, j.Clicks, j.Holds} {
		if age%day != 0 {
			barred = "Retention in parts of days"
		}
	}
	return "/prune", struct {
		Retention affiliate.RetentionDays `json:"retention"`
		place
	}{affiliate.RetentionDays{Events: int64(j.Events / day), Receipts: int64(j.Receipts / day),
		Deliveries: int64(j.Deliveries / day), Clicks: int64(j.Clicks / day), Holds: int64(j.Holds / day)}, here}, barred
}

// Run is [tributary.Program.Run]: it steps through a job, and returns what was done,
// also when it ended with an error. A key of [Client.Keyed] is for one request and
// cannot be sent with it. What [Client.Step] says of the jobs holds here too; those
// over the books have no route.
func (c *Client) Run(ctx context.Context, job affiliate.Job) (sum affiliate.Progress, err error) {
	if c.once.Key != "" {
		rq := request{}
		rq.goOnly("Once.Key", true)
		return sum, rq.barred
	}
	for at := (affiliate.Step{}); ; {
		done, err := c.Step(ctx, job, at)
		sum.Looked, sum.Changed, sum.PayloadsPending = sum.Looked+done.Looked,
			sum.Changed+done.Changed, sum.PayloadsPending+done.PayloadsPending
		sum.Removed = affiliate.Retained{
			Events:     sum.Removed.Events + done.Removed.Events,
			Receipts:   sum.Removed.Receipts + done.Removed.Receipts,
			Deliveries: sum.Removed.Deliveries + done.Removed.Deliveries,
			Clicks:     sum.Removed.Clicks + done.Removed.Clicks,
			Payments:   sum.Removed.Payments + done.Removed.Payments,
			Holds:      sum.Removed.Holds + done.Removed.Holds,
		}
		sum.Verification = done.Verification
		if sum.Done = done.Done; err != nil || done.Done {
			return sum, err
		}
		at.Cursor = done.Cursor
	}
}

// EraseAffiliate is [tributary.Program.EraseAffiliate], in steps like
// [Client.Run].
func (c *Client) EraseAffiliate(ctx context.Context, id uuid.UUID) error {
	_, err := c.Run(ctx, affiliate.EraseAffiliateJob{ID: id, Forfeit: c.forfeit})
	return err
}

// EraseReferral is [tributary.Program.EraseReferral], in steps like
// [Client.Run].
func (c *Client) EraseReferral(ctx context.Context, ident string) error {
	_, err := c.Run(ctx, affiliate.EraseReferralJob{Ref: ident})
	return err
}
