package affiliate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/internal/isodate"
)

// ImportReferrals adds customers of the past in one transaction, without
// events. Rows that cannot be imported are reported; the others are imported.
//
// Errors: [BulkLimitExceeded]; those of the store.
//
// Effects: the referrals, with their own createdAt, and the totals of
// affiliates and links.
//
// Source: docs/contract.md 7.1; docs/rules.md 4.6.
func (p *Program) ImportReferrals(ctx context.Context, rows []ImportedReferral) (_ ImportReport, err error) {
	defer p.begin(&ctx, "ImportReferrals", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "referral.import", refused: first(p.checkBulk(len(rows)))}
	if p.once.Key != "" {
		rq.input = importInput(rows)
	}
	rows = slices.Clone(rows)
	refused := make([]error, len(rows))
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		refused[i] = o.normalizeImported(&rows[i])
		ids[i] = p.ids.At(rows[i].CreatedAt)
	}
	return write(o, rq, func() (ImportReport, error) {
		var report ImportReport
		for i := range rows {
			err := refused[i]
			created := false
			if err == nil {
				created, err = o.importReferral(&rows[i], ids[i])
			}
			switch {
			case err != nil && worthKeeping(err):
				report.Failed = append(report.Failed, ImportFailure{Row: i, Err: err})
			case err != nil:
				return ImportReport{}, err
			case created:
				report.Created++
			default:
				report.Existing++
			}
		}
		return report, nil
	})
}

// importInput is the rows together with their fields that have no JSON.
func importInput(rows []ImportedReferral) []any {
	input := make([]any, len(rows))
	for i, row := range rows {
		input[i] = []any{row, row.Integration, row.Manual}
	}
	return input
}

// A keptReport is a report in a receipt.
type keptReport struct {
	Created, Existing int
	Failed            []storedFailure
}

type storedFailure struct {
	Row     int
	Refusal *Error // nil: ErrNotFound
}

func (r *ImportReport) keep() (answer StoredAnswer, outcome string) {
	k := keptReport{Created: r.Created, Existing: r.Existing}
	for _, f := range r.Failed {
		refusal, _ := errors.AsType[*Error](f.Err)
		k.Failed = append(k.Failed, storedFailure{f.Row, refusal})
	}
	raw, _ := json.Marshal(k) // numbers and refusals always have JSON
	return StoredAnswer{raw: raw}, ""
}

func (r *ImportReport) restore(answer []byte, _ string) error {
	var k keptReport
	if err := json.Unmarshal(answer, &k); err != nil {
		return err
	}
	*r = ImportReport{Created: k.Created, Existing: k.Existing}
	for _, f := range k.Failed {
		failure := ImportFailure{Row: f.Row, Err: ErrNotFound}
		if f.Refusal != nil {
			failure.Err = f.Refusal
		}
		r.Failed = append(r.Failed, failure)
	}
	return nil
}

func (o *op) normalizeImported(row *ImportedReferral) error {
	if row.CreatedAt.IsZero() {
		row.CreatedAt = o.now.Time()
	}
	row.CreatedAt = row.CreatedAt.UTC().Truncate(time.Microsecond)
	if row.Status == "" {
		row.Status = SubscriptionActive
	}
	if err := normalizeReferral(&row.NewReferral); err != nil {
		return err
	}
	if !isodate.InRange(row.CreatedAt) || row.CreatedAt.After(o.now.Time()) {
		return FieldNotADate.Of("createdAt")
	}
	return first(oneOf("status", row.Status, subscriptionStatuses))
}

// importReferral stores one row, and reports false when the customer existed.
func (o *op) importReferral(row *ImportedReferral, id uuid.UUID) (created bool, err error) {
	if _, err := o.referralByEmail(row.Email); !errors.Is(err, ErrNotFound) {
		return false, err
	}
	from, medium, err := o.importOrigin(row)
	if err != nil {
		return false, err
	}
	rec := ReferralRecord{
		ID: id, AffiliateID: from.affiliate.ID, PlanID: from.affiliate.PlanID,
		Name: row.Name, Email: row.Email, CustomerID: row.ReferredUserExternalID, Plan: row.Plan,
		Status: row.Status, SubmissionType: submission(row.Manual), Medium: medium,
		Source: SourceImported.forReferral(), Integration: row.Integration,
		CreatedAt: InstantOf(row.CreatedAt), UpdatedAt: InstantOf(row.CreatedAt),
	}
	if medium == MediumLink {
		rec.LinkID, rec.LandingPage = from.linkID(), from.click.LandingURL
	}
	return true, o.insertReferral(rec, from.click)
}

// importOrigin finds the affiliate of a row. It does not apply the rules of a
// code.
func (o *op) importOrigin(row *ImportedReferral) (origin, ReferralMedium, error) {
	if row.PromoCode == "" {
		from, err := o.namedOrigin(row.AffiliateID, row.AffiliateEmail, o.resolve)
		return from, MediumLink, err
	}
	if !validCode(row.PromoCode) {
		return origin{}, "", ErrNotFound
	}
	code, err := o.tx.Codes.Find(Key{Index: ByCode, Text: foldCode(row.PromoCode)})
	if err != nil {
		return origin{}, "", missed(err)
	}
	aff, err := o.tx.Affiliates.Get(code.AffiliateID)
	return origin{affiliate: aff}, MediumCoupon, missed(err)
}
