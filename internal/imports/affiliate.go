package imports

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ImportAffiliates implements tributary.Imports.Affiliates.
func ImportAffiliates(ctx context.Context, p *engine.Program,
	rows []imported.Affiliate) (_ imported.Report, err error) {
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
	return importRows(o, rq, slices.Clone(rows), func(row *imported.Affiliate) error { return normalizeImportedAffiliate(o, row) }, func(im *importing, row *imported.Affiliate, i int) (imported.Row, error) {
		return im.affiliate(row, &drawn[i])
	})
}

// A drawnAffiliate holds what was computed and drawn for a row before the
// transaction.
type drawnAffiliate struct{ digest, random string }

func normalizeImportedAffiliate(o *engine.Op, row *imported.Affiliate) error {
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
		refusal.Optional("externalId", row.ExternalID, refusal.MaxName),
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

func normalizeImportedLink(o *engine.Op, link *imported.Link, owner *time.Time) error {
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
func (im *importing) affiliate(row *imported.Affiliate, drawn *drawnAffiliate) (imported.Row, error) {
	known, found, err := importedAs(im.Op, row.Ref)
	if err != nil || found && known.Digest == drawn.digest {
		return imported.Row{Outcome: imported.Existing}, err
	}
	if found {
		return im.knownAffiliate(known, row, drawn)
	}
	rec, err := im.FindAffiliateByEmail(row.Email)
	adopted := err == nil
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return imported.Row{}, err
	}
	links := &importedLinks{importing: im, row: row}
	if err := links.plan(rec.ID); err != nil {
		return imported.Row{}, err
	}
	if !adopted {
		if rec, err = im.newAffiliate(row); err != nil {
			return imported.Row{}, err
		}
		if err := links.needOne(drawn.random); err != nil {
			return imported.Row{}, err
		}
		if err := im.Tx.Affiliates.Insert(rec); err != nil {
			return imported.Row{}, refusal.Internal("write affiliate", err)
		}
	}
	if _, err := links.store(rec); err != nil {
		return imported.Row{}, err
	}
	outcome := imported.Created
	if adopted {
		outcome = imported.Existing
	}
	return imported.Row{Outcome: outcome}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsAffiliate, Object: rec.ID, Digest: drawn.digest, Adopted: adopted,
	})
}

// newAffiliate returns a row as a record, checked against what is stored.
func (im *importing) newAffiliate(row *imported.Affiliate) (record.Affiliate, error) {
	terms, err := im.TermsOf(row.CommissionPlanID, refusal.PlanNotFound)
	if err != nil {
		return record.Affiliate{}, err
	}
	if err := im.RefuseTakenSellerID(row.ExternalID, uuid.Nil); err != nil {
		return record.Affiliate{}, err
	}
	rec := record.Affiliate{
		ID: im.NewIDAt(row.CreatedAt), FirstName: row.FirstName, LastName: row.LastName,
		Email: row.Email, ExternalID: row.ExternalID, Status: row.Status,
		Source: engine.ForAffiliate(affiliate.SourceImported), PlanID: row.CommissionPlanID,
		PaymentMethod: row.PaymentMethod, CreatedAt: affiliate.InstantOf(row.CreatedAt),
		UpdatedAt: affiliate.InstantOf(row.CreatedAt),
	}
	if err := im.SetPayee(&rec, row.PayoutEmail); err != nil {
		return rec, err
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
func (im *importing) knownAffiliate(known record.Import, row *imported.Affiliate,
	drawn *drawnAffiliate) (imported.Row, error) {
	rec, err := im.AffiliateByID(known.Object)
	if errors.Is(err, affiliate.ErrNotFound) {
		return im.changed(&known, refusal.UnknownRef.Of("ref")), nil
	}
	if err != nil {
		return imported.Row{}, err
	}
	links := &importedLinks{importing: im, row: row}
	if err := links.plan(rec.ID); err != nil {
		return imported.Row{}, err
	}
	added, err := links.store(rec)
	if err != nil {
		return imported.Row{}, err
	}
	if added == 0 {
		return im.changed(&known, refusal.FieldNotAsImported.Of("ref")), nil
	}
	known.Digest = drawn.digest
	return imported.Row{Outcome: imported.Forwarded}, im.amend(known)
}
