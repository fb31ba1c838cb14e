package imports

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ImportReferrals implements tributary.Imports.Referrals.
func ImportReferrals(ctx context.Context, p *engine.Program, rows []imported.Referral) (_ imported.Report, err error) {
	defer p.Begin(&ctx, "ImportReferrals", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "referral.import", Refused: refusal.First(p.CheckBulk(len(rows)))}
	if p.Once.Key != "" {
		rq.Input = importInput(rows)
	}
	digests := make([]string, len(rows))
	reading := &importReading{table: "referrals"}
	for i := range rows {
		digests[i] = importDigest(rows[i])
		reading.refs = append(append(reading.refs, rows[i].Ref), rows[i].Via...)
		reading.emails = append(reading.emails, mailbox.Of(rows[i].Email))
		reading.payers = append(reading.payers, rows[i].Payers...)
	}
	o.Ahead = reading
	return importRows(o, rq, slices.Clone(rows), func(row *imported.Referral) error { return normalizeImported(o, row) }, func(im *importing, row *imported.Referral, i int) (imported.Row, error) {
		return im.referral(row, digests[i])
	})
}

// importInput returns the rows together with their fields that have no JSON.
func importInput(rows []imported.Referral) []any {
	input := make([]any, len(rows))
	for i, row := range rows {
		input[i] = []any{row, row.Integration, row.Manual}
	}
	return input
}

func normalizeImported(o *engine.Op, row *imported.Referral) error {
	if row.Unreferred {
		return normalizeOlder(row)
	}
	row.Status = cmp.Or(row.Status, affiliate.SubscriptionActive)
	normalize := func() error { return engine.NormalizeReferral(&row.ReferralParams) }
	if row.Ref != "" {
		normalize = func() error { return normalizeWithRef(row) }
	}
	if err := normalize(); err != nil {
		return err
	}
	return refusal.First(
		importedAt(o, "createdAt", &row.CreatedAt),
		refusal.OneOf("status", row.Status, subscriptionStatuses),
		checkProviderIDs("payers", row.Payers),
	)
}

// normalizeWithRef requires only an email, and something that attributes the
// customer.
func normalizeWithRef(row *imported.Referral) error {
	if err := refusal.First(checkRef(row.Ref), engine.RequiredEmail("email", &row.Email)); err != nil {
		return err
	}
	if row.Name = plaintext.Trim(row.Name); plaintext.Blank(row.Name) {
		row.Name, _, _ = strings.Cut(row.Email, "@")
	}
	in, host := row.ReferralParams, row.ReferredUserExternalID
	if len(row.Via) > 0 && in.PromoCode == "" && in.AffiliateEmail == "" && plaintext.Blank(in.AffiliateID) {
		in.AffiliateID = row.Via[0] // what attributes it is known later
	}
	in.ReferredUserExternalID = cmp.Or(host, row.Email)
	if err := engine.NormalizeReferral(&in); err != nil {
		return err
	}
	in.AffiliateID, in.ReferredUserExternalID = row.AffiliateID, host
	row.ReferralParams = in
	return nil
}

// normalizeOlder requires a name of the customer, and nobody who brought them.
func normalizeOlder(row *imported.Referral) error {
	if row.Email == "" && row.ReferredUserExternalID == "" {
		return refusal.EmailRequired.Err()
	}
	if row.Email != "" {
		if err := refusal.NormalizeEmail("email", &row.Email); err != nil {
			return err
		}
	}
	return refusal.First(
		refusal.Optional("referredUserExternalId", row.ReferredUserExternalID, refusal.MaxName),
		refusal.FieldNotAllowed.About("via").When(len(row.Via) > 0 || row.AffiliateID != "" ||
			row.AffiliateEmail != "" || row.PromoCode != ""),
	)
}

// older keeps that a customer is older than the program.
func (im *importing) older(row *imported.Referral) (imported.Row, error) {
	outcome := imported.Existing
	for _, name := range [...]engine.Name{{Kind: engine.NameMailbox, Text: row.Email},
		{Kind: engine.NameCustomer, Text: row.ReferredUserExternalID}} {
		if name.Text == "" {
			continue
		}
		ref := im.Cfg.OlderRef(name)
		_, found, err := importedAs(im.Op, ref)
		if err != nil {
			return imported.Row{}, err
		}
		if found {
			continue
		}
		outcome = imported.Created
		if err := im.enroll(record.Import{Ref: ref, Kind: record.ImportedAsCustomer, Object: im.NewID(), Adopted: true}); err != nil {
			return imported.Row{}, err
		}
	}
	return imported.Row{Outcome: outcome}, nil
}

// referral stores a row.
func (im *importing) referral(row *imported.Referral, digest string) (imported.Row, error) {
	if row.Unreferred {
		return im.older(row)
	}
	ledger, found, err := importedAs(im.Op, row.Ref)
	if err != nil {
		return imported.Row{}, err
	}
	if found && ledger.Digest != digest {
		return im.changed(&ledger, refusal.FieldNotAsImported.Of("ref")), nil
	}
	if found {
		return imported.Row{Outcome: imported.Existing}, nil
	}
	var who engine.Customer
	rec, err := im.referralOfPayers(row.Payers)
	if errors.Is(err, affiliate.ErrNotFound) {
		who, err = im.importedCustomer(row)
		rec = who.Referral
	}
	known := rec.ID != uuid.Nil
	if err == nil && !known {
		rec, err = im.newImported(row, who.Gone)
	}
	if err != nil {
		return imported.Row{}, err
	}
	if err := im.addPayers(row.Payers, &rec); err != nil {
		return imported.Row{}, err
	}
	if row.Ref != "" {
		err = im.enroll(record.Import{Ref: row.Ref, Kind: record.ImportedAsReferral, Object: rec.ID,
			Digest: digest, Adopted: known})
	}
	if known {
		return imported.Row{Outcome: imported.Existing}, err
	}
	return imported.Row{Outcome: imported.Created}, err
}

// importedCustomer finds the customer with the email of a row, or the erased one with its email or
// the host's id of it. It
// refuses an id that another customer has.
func (im *importing) importedCustomer(row *imported.Referral) (engine.Customer, error) {
	who, err := im.CustomerByEmail(row.Email)
	if err != nil || who.Found() {
		return who, err
	}
	if who, err = im.CustomerByHostID(row.ReferredUserExternalID); err != nil || who.Gone != uuid.Nil {
		return who, err
	}
	return engine.Customer{}, im.RefuseTakenHostID(row.ReferredUserExternalID, uuid.Nil)
}

// newImported stores a new referral; gone is the erasure of somebody who was erased.
func (im *importing) newImported(row *imported.Referral, gone uuid.UUID) (record.Referral, error) {
	from, medium, err := im.importOrigin(row)
	if err != nil {
		return record.Referral{}, err
	}
	rec := record.Referral{
		ID: im.NewIDAt(row.CreatedAt), AffiliateID: from.Affiliate.ID, PlanID: from.Affiliate.PlanID,
		Name: row.Name, Email: row.Email, CustomerID: row.ReferredUserExternalID, Plan: row.Plan,
		Status: row.Status, SubmissionType: engine.Submission(row.Manual), Medium: medium,
		Source: engine.ForReferral(affiliate.SourceImported), Integration: row.Integration,
		CreatedAt: affiliate.InstantOf(row.CreatedAt), UpdatedAt: affiliate.InstantOf(row.CreatedAt),
	}
	if medium == affiliate.MediumLink {
		rec.LinkID, rec.LandingPage = from.LinkID(), from.Click.LandingURL
	}
	if gone == uuid.Nil {
		return rec, im.InsertReferral(rec, from.Click)
	}
	rec = engine.BlankedReferral(rec)
	rec.Erased = im.Now
	if err := im.InsertReferral(rec, from.Click); err != nil {
		return rec, err
	}
	return rec, im.KeepErasure(gone, rec.ID)
}

// importOrigin finds the affiliate of a row. It does not apply the rules of a
// code.
func (im *importing) importOrigin(row *imported.Referral) (engine.Origin, affiliate.ReferralMedium, error) {
	to, err := follow(im.Op, row.Via)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return engine.Origin{Affiliate: to.affiliate, Link: record.Link{ID: to.link}}, to.medium, err
	}
	if len(row.Via) > 0 && row.PromoCode == "" && row.AffiliateID == "" && row.AffiliateEmail == "" {
		return engine.Origin{}, "", refusal.UnknownRef.Of("via")
	}
	if row.PromoCode == "" {
		from, err := im.NamedOrigin(row.AffiliateID, row.AffiliateEmail, im.Resolve)
		return from, affiliate.MediumLink, err
	}
	if !refusal.ValidCode(row.PromoCode) {
		return engine.Origin{}, "", affiliate.ErrNotFound
	}
	code, err := im.Tx.Codes.Find(record.Key{Index: record.ByCode, Text: record.FoldCode(row.PromoCode)})
	if err != nil {
		return engine.Origin{}, "", engine.Missed(err)
	}
	aff, err := im.Tx.Affiliates.Get(code.AffiliateID)
	return engine.Origin{Affiliate: aff}, affiliate.MediumCoupon, engine.Missed(err)
}
