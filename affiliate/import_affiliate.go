package affiliate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// An ImportedAffiliate is an affiliate of another service with the links.
type ImportedAffiliate struct {
	Ref       string          // the service's id, 1–255 characters, unique among all refs; it must name no person
	FirstName string          `json:",omitzero"` // 0–100 characters; without both names: the local part of the email
	LastName  string          `json:",omitzero"`
	Email     string          `json:",omitzero"`
	Status    AffiliateStatus `json:",omitzero"` // any; empty: ACTIVE
	CreatedAt time.Time       `json:",omitzero"` // zero: now; in the future: refused
	Links     []ImportedLink  `json:",omitzero"` // none that can be stored: a link is made from the email

	PayoutEmail      string        `json:",omitzero"`
	PaymentMethod    PaymentMethod `json:",omitzero"`
	CommissionPlanID uuid.UUID     `json:",omitzero"`
	CommissionRate   Opt[Percent]  `json:",omitzero"` // the affiliate's own, of the type of their terms

	OnConflict SlugConflict `json:"-"` // a slug that another affiliate has
}

// An ImportedLink is a link of an [ImportedAffiliate].
type ImportedLink struct {
	Ref       string    `json:",omitzero"` // by which customers and sales name the link; empty: they cannot
	Slug      string    `json:",omitzero"` // what is no letter, digit or hyphen becomes a hyphen
	CreatedAt time.Time `json:",omitzero"` // zero: that of the affiliate
	Clicks    int64     `json:",omitzero"` // visits so far
}

// ImportAffiliates adds affiliates of another service with their links in one
// transaction, without events. An affiliate whose email is known stays as it is,
// and gets the links that are missing. Rows that cannot be imported are
// reported; the others are imported.
//
// A slug that another affiliate has is left out, renamed or refused, as the row
// says; each is noted. Who came by a link that was left out belongs to the
// affiliate of the row all the same.
//
// Errors: [BulkLimitExceeded]; those of the store. Of a row: [MissingField] and
// [InvalidField], [PlanNotFound], [SlugTaken], [LinkLimitReached].
//
// Effects: affiliates, links, their clicks in the totals, the ledger.
//
// Source: docs/import.md.
func (p *Program) ImportAffiliates(ctx context.Context, rows []ImportedAffiliate) (_ ImportReport, err error) {
	defer p.begin(&ctx, "ImportAffiliates", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "affiliate.import", refused: first(p.checkImport(len(rows)))}
	if p.once.Key != "" {
		rq.input = rows
	}
	drawn := make([]drawnAffiliate, len(rows))
	reading := &importReading{table: "affiliates"}
	for i := range rows {
		drawn[i] = drawnAffiliate{importDigest(rows[i]), randomSlug(p.ids.Fresh())}
		reading.refs = append(reading.refs, rows[i].Ref)
		reading.emails = append(reading.emails, strings.ToLower(rows[i].Email))
	}
	o.ahead = reading
	return importRows(o, rq, slices.Clone(rows), o.normalizeImportedAffiliate, func(im *importing, row *ImportedAffiliate, i int) (ImportRow, error) {
		return im.affiliate(row, &drawn[i])
	})
}

// A drawnAffiliate is what belongs to a row before the transaction.
type drawnAffiliate struct{ digest, random string }

func (o *op) normalizeImportedAffiliate(row *ImportedAffiliate) error {
	row.Links = slices.Clone(row.Links)
	row.Status = cmp.Or(row.Status, AffiliateActive)
	err := first(checkRef(row.Ref), requiredEmail("email", &row.Email))
	if err != nil {
		return err
	}
	row.FirstName, row.LastName = plaintext.Trim(row.FirstName), plaintext.Trim(row.LastName)
	if row.FirstName == "" && row.LastName == "" {
		row.FirstName, _, _ = strings.Cut(row.Email, "@")
	}
	for i := range row.Links {
		if err := o.normalizeImportedLink(&row.Links[i], &row.CreatedAt); err != nil {
			return err
		}
	}
	if err := first(
		checkText("firstName", row.FirstName, maxPersonName, false),
		checkText("lastName", row.LastName, maxPersonName, false),
		oneOf("status", row.Status, affiliateStatuses),
		oneOfOrNone("paymentMethod", row.PaymentMethod, paymentMethods),
		o.importedAt("createdAt", &row.CreatedAt),
	); err != nil {
		return err
	}
	if row.PayoutEmail == "" {
		return nil
	}
	return first(normalizeEmail("payoutEmail", &row.PayoutEmail))
}

func (o *op) normalizeImportedLink(link *ImportedLink, owner *time.Time) error {
	if link.CreatedAt.IsZero() {
		link.CreatedAt = *owner
	}
	if link.Ref != "" {
		if err := checkRef(link.Ref); err != nil {
			return err
		}
	}
	return first(
		fieldNotAtLeastZero.about("links.clicks").when(link.Clicks < 0),
		o.importedAt("links.createdAt", &link.CreatedAt),
	)
}

// affiliate stores a row.
func (im *importing) affiliate(row *ImportedAffiliate, drawn *drawnAffiliate) (ImportRow, error) {
	known, found, err := im.imported(row.Ref)
	if err != nil || found && known.Digest == drawn.digest {
		return ImportRow{Outcome: ImportExisting}, err
	}
	if found {
		return im.knownAffiliate(known, row, drawn)
	}
	rec, err := im.affiliateByEmail(row.Email)
	adopted := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return ImportRow{}, err
	}
	links := &importedLinks{importing: im, row: row}
	if err := links.plan(rec.ID); err != nil {
		return ImportRow{}, err
	}
	if !adopted {
		if rec, err = im.newAffiliate(row); err != nil {
			return ImportRow{}, err
		}
		if err := links.needOne(drawn.random); err != nil {
			return ImportRow{}, err
		}
		if err := im.tx.Affiliates.Insert(rec); err != nil {
			return ImportRow{}, internal("write affiliate", err)
		}
	}
	if _, err := links.store(rec); err != nil {
		return ImportRow{}, err
	}
	outcome := ImportCreated
	if adopted {
		outcome = ImportExisting
	}
	return ImportRow{Outcome: outcome}, im.enroll(ImportRecord{
		Ref: row.Ref, Kind: ImportedAsAffiliate, Object: rec.ID, Digest: drawn.digest, Adopted: adopted,
	})
}

// newAffiliate is a row as a record, checked against what is stored.
func (im *importing) newAffiliate(row *ImportedAffiliate) (AffiliateRecord, error) {
	terms, err := im.termsOf(row.CommissionPlanID, planNotFound)
	if err != nil {
		return AffiliateRecord{}, err
	}
	rec := AffiliateRecord{
		ID: im.newIDAt(row.CreatedAt), FirstName: row.FirstName, LastName: row.LastName, Email: row.Email,
		Status: row.Status, Source: SourceImported.forAffiliate(), PlanID: row.CommissionPlanID,
		PayoutEmail: row.PayoutEmail, PaymentMethod: row.PaymentMethod,
		CreatedAt: InstantOf(row.CreatedAt), UpdatedAt: InstantOf(row.CreatedAt),
	}
	if rate, ok := row.CommissionRate.Get(); ok {
		rec.Rate, rec.RateType = Set(rate), terms.Type
		if err := checkRate(rate, terms.Type); err != nil {
			return rec, err
		}
	}
	return rec, nil
}

// knownAffiliate adds the links that a row says besides what it said before.
func (im *importing) knownAffiliate(known ImportRecord, row *ImportedAffiliate, drawn *drawnAffiliate) (ImportRow, error) {
	rec, err := im.tx.Affiliates.Get(known.Object)
	if errors.Is(err, ErrNotFound) {
		return im.changed(&known, unknownRef.Of("ref")), nil
	}
	if err != nil {
		return ImportRow{}, err
	}
	links := &importedLinks{importing: im, row: row}
	if err := links.plan(rec.ID); err != nil {
		return ImportRow{}, err
	}
	added, err := links.store(rec)
	if err != nil {
		return ImportRow{}, err
	}
	if added == 0 {
		return im.changed(&known, fieldNotAsImported.Of("ref")), nil
	}
	known.Digest = drawn.digest
	return ImportRow{Outcome: ImportForwarded}, im.amend(known)
}
