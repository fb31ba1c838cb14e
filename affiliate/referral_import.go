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

// An ImportedReferral is a customer of the past, from another service or a
// historical resync. A promotional code only attributes it, even when the code
// could not be used today.
type ImportedReferral struct {
	NewReferral
	CreatedAt time.Time          // zero: now; in the future: refused
	Status    SubscriptionStatus // zero: ACTIVE

	// Ref is the service's id, 1–255 characters, unique among all refs; it must
	// name no person. With it Name and ReferredUserExternalID may be left out,
	// and the row is found again when it comes a second time. Empty: only the
	// email tells a row from another.
	Ref string `json:",omitzero"`

	// Via names by refs the link, the code or the affiliate through which the
	// customer came. The first that was imported decides, before the fields of
	// NewReferral.
	Via []string `json:",omitzero"`

	// Payers are the ids that payment providers gave to the customer, ≤ 6: later
	// reports find the customer by them. A customer who is known by one of them is
	// the row's, before one with its email.
	Payers []ProviderID `json:",omitzero"`
}

// ImportReferrals adds customers of the past in one transaction, without
// events. Rows that cannot be imported are reported; the others are imported. A
// customer whose email is known stays as it is.
//
// Errors: [BulkLimitExceeded]; those of the store. Of a row: [MissingField] and
// [InvalidField], [AttributionRequired], [IdentifiersMismatch], [UnknownRef];
// [ErrNotFound] when no affiliate could be found.
//
// Effects: the referrals, with their own createdAt, their payers, the totals of
// affiliates and links, and the ledger for rows with a Ref.
//
// Source: docs/contract.md 7.1; docs/rules.md 4.6; docs/import.md.
func (p *Program) ImportReferrals(ctx context.Context, rows []ImportedReferral) (_ ImportReport, err error) {
	defer p.begin(&ctx, "ImportReferrals", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "referral.import", refused: first(p.checkBulk(len(rows)))}
	if p.once.Key != "" {
		rq.input = importInput(rows)
	}
	digests := make([]string, len(rows))
	reading := &importReading{table: "referrals"}
	for i := range rows {
		digests[i] = importDigest(rows[i])
		reading.refs = append(append(reading.refs, rows[i].Ref), rows[i].Via...)
		reading.emails = append(reading.emails, strings.ToLower(rows[i].Email))
		reading.payers = append(reading.payers, rows[i].Payers...)
	}
	o.ahead = reading
	return importRows(o, rq, slices.Clone(rows), o.normalizeImported, func(im *importing, row *ImportedReferral, i int) (ImportRow, error) {
		return im.referral(row, digests[i])
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

func (o *op) normalizeImported(row *ImportedReferral) error {
	row.Status = cmp.Or(row.Status, SubscriptionActive)
	normalize := func() error { return normalizeReferral(&row.NewReferral) }
	if row.Ref != "" {
		normalize = row.normalizeWithRef
	}
	if err := normalize(); err != nil {
		return err
	}
	return first(
		o.importedAt("createdAt", &row.CreatedAt),
		oneOf("status", row.Status, subscriptionStatuses),
		checkProviderIDs("payers", row.Payers),
	)
}

// normalizeWithRef requires only an email, and something that attributes the
// customer.
func (row *ImportedReferral) normalizeWithRef() error {
	if err := first(checkRef(row.Ref), requiredEmail("email", &row.Email)); err != nil {
		return err
	}
	if row.Name = plaintext.Trim(row.Name); plaintext.Blank(row.Name) {
		row.Name, _, _ = strings.Cut(row.Email, "@")
	}
	in, host := row.NewReferral, row.ReferredUserExternalID
	if len(row.Via) > 0 && in.PromoCode == "" && in.AffiliateEmail == "" && plaintext.Blank(in.AffiliateID) {
		in.AffiliateID = row.Via[0] // what attributes it is known later
	}
	in.ReferredUserExternalID = cmp.Or(host, row.Email)
	if err := normalizeReferral(&in); err != nil {
		return err
	}
	in.AffiliateID, in.ReferredUserExternalID = row.AffiliateID, host
	row.NewReferral = in
	return nil
}

// referral stores a row.
func (im *importing) referral(row *ImportedReferral, digest string) (ImportRow, error) {
	ledger, found, err := im.imported(row.Ref)
	if err != nil {
		return ImportRow{}, err
	}
	if found && ledger.Digest != digest {
		return im.changed(&ledger, fieldNotAsImported.Of("ref")), nil
	}
	if found {
		return ImportRow{Outcome: ImportExisting}, nil
	}
	var who customer
	rec, err := im.referralOfPayers(row.Payers)
	if errors.Is(err, ErrNotFound) {
		who, err = im.customerByEmail(row.Email)
		rec = who.referral
	}
	known := rec.ID != uuid.Nil
	if err == nil && !known {
		rec, err = im.newImported(row, who.gone)
	}
	if err != nil {
		return ImportRow{}, err
	}
	if err := im.addPayers(row.Payers, &rec); err != nil {
		return ImportRow{}, err
	}
	if row.Ref != "" {
		err = im.enroll(ImportRecord{Ref: row.Ref, Kind: ImportedAsReferral, Object: rec.ID, Digest: digest, Adopted: known})
	}
	if known {
		return ImportRow{Outcome: ImportExisting}, err
	}
	return ImportRow{Outcome: ImportCreated}, err
}

// newImported stores a new referral; gone is the erasure of somebody who was erased.
func (im *importing) newImported(row *ImportedReferral, gone uuid.UUID) (ReferralRecord, error) {
	from, medium, err := im.importOrigin(row)
	if err != nil {
		return ReferralRecord{}, err
	}
	rec := ReferralRecord{
		ID: im.newIDAt(row.CreatedAt), AffiliateID: from.affiliate.ID, PlanID: from.affiliate.PlanID,
		Name: row.Name, Email: row.Email, CustomerID: row.ReferredUserExternalID, Plan: row.Plan,
		Status: row.Status, SubmissionType: submission(row.Manual), Medium: medium,
		Source: SourceImported.forReferral(), Integration: row.Integration,
		CreatedAt: InstantOf(row.CreatedAt), UpdatedAt: InstantOf(row.CreatedAt),
	}
	if medium == MediumLink {
		rec.LinkID, rec.LandingPage = from.linkID(), from.click.LandingURL
	}
	if gone == uuid.Nil {
		return rec, im.insertReferral(rec, from.click)
	}
	rec = rec.blanked()
	rec.Erased = im.now
	if err := im.insertReferral(rec, from.click); err != nil {
		return rec, err
	}
	return rec, im.keepErasure(gone, rec.ID)
}

// importOrigin finds the affiliate of a row. It does not apply the rules of a
// code.
func (im *importing) importOrigin(row *ImportedReferral) (origin, ReferralMedium, error) {
	to, err := im.follow(row.Via)
	if !errors.Is(err, ErrNotFound) {
		return origin{affiliate: to.affiliate, link: LinkRecord{ID: to.link}}, to.medium, err
	}
	if len(row.Via) > 0 && row.PromoCode == "" && row.AffiliateID == "" && row.AffiliateEmail == "" {
		return origin{}, "", unknownRef.Of("via")
	}
	if row.PromoCode == "" {
		from, err := im.namedOrigin(row.AffiliateID, row.AffiliateEmail, im.resolve)
		return from, MediumLink, err
	}
	if !validCode(row.PromoCode) {
		return origin{}, "", ErrNotFound
	}
	code, err := im.tx.Codes.Find(Key{Index: ByCode, Text: foldCode(row.PromoCode)})
	if err != nil {
		return origin{}, "", missed(err)
	}
	aff, err := im.tx.Affiliates.Get(code.AffiliateID)
	return origin{affiliate: aff}, MediumCoupon, missed(err)
}
