package affiliate

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// PayoutRun is the input of [Program.RunPayouts] and [Program.PreviewPayouts]:
// the settings of a run that pays every affiliate to whom enough is due.
//
// Source: docs/money.md 6.
type PayoutRun struct {
	ExternalID   string          `json:"externalId,omitzero"`    // required: the run's identity, 1–255 characters; a preview needs none
	Until        time.Time       `json:"until,omitzero"`         // as of [NewPayout]; zero: the moment of the first call
	Minimum      Amount          `json:"minimum,omitzero"`       // of each payout, ≥ 0
	Currency     Currency        `json:"currency,omitzero"`      // of Minimum: the program's, in any letter case; zero: the program's
	Methods      []PaymentMethod `json:"methods,omitempty"`      // only affiliates who are paid in one of these ways; empty: all
	NoDetails    bool            `json:"noDetails,omitzero"`     // also affiliates without a payment method or a payout email
	AffiliateIDs []uuid.UUID     `json:"affiliateIds,omitempty"` // only these affiliates, at most 10,000; empty: all
}

// PayoutRunResult is a payout run: what it did, or, while it is RUNNING, has done
// so far.
type PayoutRunResult struct {
	ID         uuid.UUID `json:"id"`
	ExternalID string    `json:"externalId"`
	Status     RunStatus `json:"status"`
	Until      Time      `json:"until"`
	Created    int64     `json:"created"` // payouts
	Skipped    int64     `json:"skipped"` // affiliates with something open who were paid nothing
	Total      Amount    `json:"total"`   // of the payouts
	StartedAt  Time      `json:"startedAt"`
	FinishedAt Opt[Time] `json:"finishedAt"`
}

// A PayoutLine is what a run does for one affiliate with something open. In a
// preview PayoutID is null.
type PayoutLine struct {
	AffiliateID uuid.UUID       `json:"affiliateId"`
	Amount      Amount          `json:"amount"` // paid, or not paid for the reason
	PayoutID    Opt[uuid.UUID]  `json:"payoutId"`
	Skipped     Opt[SkipReason] `json:"skipped"` // null: it is paid
}

const (
	maxRunAffiliates = 10_000 // ids of a run's settings
	affiliatesAtOnce = 500    // that a run examines in one View
)

// checkRun checks the settings. Only a run needs an external id.
func (p *Program) checkRun(in *PayoutRun, externalID *Error) error {
	return first(
		externalID,
		fieldNotAtLeastZero.about("minimum").when(in.Minimum.Sign() < 0),
		p.ownCurrency(&in.Currency),
		in.checkMethods(),
		runAffiliatesTooMany.when(len(in.AffiliateIDs) > maxRunAffiliates),
	)
}

func (in *PayoutRun) checkMethods() *Error {
	for _, method := range in.Methods {
		if err := oneOf("methods", method, paymentMethods); err != nil {
			return err
		}
	}
	return nil
}

// record is a run with these settings that begins now.
func (in *PayoutRun) record(now Instant) RunRecord {
	run := RunRecord{
		ExternalID: in.ExternalID, Until: now, Minimum: in.Minimum, Methods: in.Methods, NoDetails: in.NoDetails,
		AffiliateIDs: in.AffiliateIDs, Status: RunRunning, StartedAt: now,
	}
	if !in.Until.IsZero() {
		run.SentUntil = InstantOf(in.Until)
		run.Until = run.SentUntil
	}
	return run
}

// sameSettings reports whether two runs were sent the same settings.
func (r *RunRecord) sameSettings(s *RunRecord) bool {
	return r.SentUntil == s.SentUntil && r.Minimum == s.Minimum && r.NoDetails == s.NoDetails &&
		slices.Equal(r.Methods, s.Methods) && slices.Equal(r.AffiliateIDs, s.AffiliateIDs)
}

// result is the run as callers see it; counts are of its lines.
func (r *RunRecord) result(counts RunCounts) PayoutRunResult {
	return PayoutRunResult{
		ID: r.ID, ExternalID: r.ExternalID, Status: r.Status, Until: TimeOf(r.Until.Time()),
		Created: counts.Created, Skipped: counts.Skipped, Total: counts.Total,
		StartedAt: TimeOf(r.StartedAt.Time()), FinishedAt: timeOrNull(r.FinishedAt),
	}
}

func lineOf(rec LineRecord) PayoutLine {
	return PayoutLine{AffiliateID: rec.AffiliateID, Amount: rec.Amount, PayoutID: orNull(rec.PayoutID), Skipped: orNull(rec.Skipped)}
}

// add counts a line.
func (c *RunCounts) add(rec *LineRecord) (err error) {
	if rec.Skipped != "" {
		c.Skipped++
		return nil
	}
	c.Created++
	c.Total, err = c.Total.Add(rec.Amount)
	return err
}
