package imports

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ImportAffiliates implements tributary.Program.ImportAffiliates.
func ImportAffiliates(ctx context.Context, p *engine.Program, rows []affiliate.ImportedAffiliate) (_ affiliate.ImportReport, err error) {
	defer p.Begin(&ctx, "ImportAffiliates", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "affiliate.import", Refused: refusal.First(p.CheckImport(len(rows)))}
	if p.Once.Key != "" {
		rq.Input = rows
	}
	drawn := make([]drawnAffiliate, len(rows))
	reading := &importReading{table: "affiliates"}
	for i := range rows {
		drawn[i] = drawnAffiliate{importDigest(rows[i]), engine.RandomSlug(p.IDs.Fresh())}
		reading.refs = append(reading.refs, rows[i].Ref)
		reading.emails = append(reading.emails, strings.ToLower(rows[i].Email))
	}
	o.Ahead = reading
	return importRows(o, rq, slices.Clone(rows), func(row *affiliate.ImportedAffiliate) error { return normalizeImportedAffiliate(o, row) }, func(im *importing, row *affiliate.ImportedAffiliate, i int) (affiliate.ImportRow, error) {
		return im.affiliate(row, &drawn[i])
	})
}

// A drawnAffiliate holds what was computed and drawn for a row before the
// transaction.
type drawnAffiliate struct{ digest, random string }

func normalizeImportedAffiliate(o *engine.Op, row *affiliate.ImportedAffiliate) error {
	row.Links = slices.Clone(row.Links)
	row.Status = cmp.Or(row.Status, affiliate.AffiliateActive)
	err := refusal.First(checkRef(row.Ref), engine.RequiredEmail("email", &row.Email))
	if err != nil {
		return err
	}
	row.FirstName, row.LastName = plaintext.Trim(row.FirstName), plaintext.Trim(row.LastName)
	if row.FirstName == "" && row.LastName == "" {
		row.FirstName, _, _ = strings.Cut(row.Email, "@")
	}
	for i := range row.Links {
		if err := normalizeImportedLink(o, &row.Links[i], &row.CreatedAt); err != nil {
			return err
		}
	}
	if err := refusal.First(
		refusal.CheckText("firstName", row.FirstName, refusal.MaxPersonName, false),
		refusal.CheckText("lastName", row.LastName, refusal.MaxPersonName, false),
		refusal.OneOf("status", row.Status, affiliateStatuses),
		refusal.OneOfOrNone("paymentMethod", row.PaymentMethod, paymentMethods),
		importedAt(o, "createdAt", &row.CreatedAt),
	); err != nil {
		return err
	}
	if row.PayoutEmail == "" {
		return nil
	}
	return refusal.First(refusal.NormalizeEmail("payoutEmail", &row.PayoutEmail))
}

func normalizeImportedLink(o *engine.Op, link *affiliate.ImportedLink, owner *time.Time) error {
	if link.CreatedAt.IsZero() {
		link.CreatedAt = *owner
	}
	if link.Ref != "" {
		if err := checkRef(link.Ref); err != nil {
			return err
		}
	}
	return refusal.First(
		refusal.FieldNotAtLeastZero.About("links.clicks").When(link.Clicks < 0),
		importedAt(o, "links.createdAt", &link.CreatedAt),
	)
}

// affiliate stores a row.
func (im *importing) affiliate(row *affiliate.ImportedAffiliate, drawn *drawnAffiliate) (affiliate.ImportRow, error) {
	known, found, err := imported(im.Op, row.Ref)
	if err != nil || found && known.Digest == drawn.digest {
		return affiliate.ImportRow{Outcome: affiliate.ImportExisting}, err
	}
	if found {
		return im.knownAffiliate(known, row, drawn)
	}
	rec, err := im.FindAffiliateByEmail(row.Email)
	adopted := err == nil
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return affiliate.ImportRow{}, err
	}
	links := &importedLinks{importing: im, row: row}
	if err := links.plan(rec.ID); err != nil {
		return affiliate.ImportRow{}, err
	}
	if !adopted {
		if rec, err = im.newAffiliate(row); err != nil {
			return affiliate.ImportRow{}, err
		}
		if err := links.needOne(drawn.random); err != nil {
			return affiliate.ImportRow{}, err
		}
		if err := im.Tx.Affiliates.Insert(rec); err != nil {
			return affiliate.ImportRow{}, refusal.Internal("write affiliate", err)
		}
	}
	if _, err := links.store(rec); err != nil {
		return affiliate.ImportRow{}, err
	}
	outcome := affiliate.ImportCreated
	if adopted {
		outcome = affiliate.ImportExisting
	}
	return affiliate.ImportRow{Outcome: outcome}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsAffiliate, Object: rec.ID, Digest: drawn.digest, Adopted: adopted,
	})
}

// newAffiliate returns a row as a record, checked against what is stored.
func (im *importing) newAffiliate(row *affiliate.ImportedAffiliate) (record.Affiliate, error) {
	terms, err := im.TermsOf(row.CommissionPlanID, refusal.PlanNotFound)
	if err != nil {
		return record.Affiliate{}, err
	}
	rec := record.Affiliate{
		ID: im.NewIDAt(row.CreatedAt), FirstName: row.FirstName, LastName: row.LastName, Email: row.Email,
		Status: row.Status, Source: engine.ForAffiliate(affiliate.SourceImported), PlanID: row.CommissionPlanID,
		PayoutEmail: row.PayoutEmail, PaymentMethod: row.PaymentMethod,
		CreatedAt: affiliate.InstantOf(row.CreatedAt), UpdatedAt: affiliate.InstantOf(row.CreatedAt),
	}
	if rate, ok := row.CommissionRate.Get(); ok {
		rec.Rate, rec.RateType = affiliate.Set(rate), terms.Type
		if err := engine.CheckRate(rate, terms.Type); err != nil {
			return rec, err
		}
	}
	return rec, nil
}

// knownAffiliate adds the links that a row says besides what it said before.
func (im *importing) knownAffiliate(known record.Import, row *affiliate.ImportedAffiliate, drawn *drawnAffiliate) (affiliate.ImportRow, error) {
	rec, err := im.Tx.Affiliates.Get(known.Object)
	if errors.Is(err, affiliate.ErrNotFound) {
		return im.changed(&known, refusal.UnknownRef.Of("ref")), nil
	}
	if err != nil {
		return affiliate.ImportRow{}, err
	}
	links := &importedLinks{importing: im, row: row}
	if err := links.plan(rec.ID); err != nil {
		return affiliate.ImportRow{}, err
	}
	added, err := links.store(rec)
	if err != nil {
		return affiliate.ImportRow{}, err
	}
	if added == 0 {
		return im.changed(&known, refusal.FieldNotAsImported.Of("ref")), nil
	}
	known.Digest = drawn.digest
	return affiliate.ImportRow{Outcome: affiliate.ImportForwarded}, im.amend(known)
}
