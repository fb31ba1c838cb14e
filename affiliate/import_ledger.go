package affiliate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// The ledger of imports: refs, and what became of them.

// checkRef checks the ref of a row.
func checkRef(ref string) *Error {
	if plaintext.Blank(ref) {
		return FieldEmpty.Of("ref")
	}
	return checkText("ref", ref, maxName, false)
}

// importedAt is the time of a row: zero is now.
func (o *op) importedAt(field string, at *time.Time) *Error {
	if at.IsZero() {
		*at = o.now.Time()
	}
	*at = at.UTC().Truncate(time.Microsecond)
	if !isodate.InRange(*at) || at.After(o.now.Time()) {
		return FieldNotADate.Of(field)
	}
	return nil
}

// importDigest tells a row from the same row with other contents.
func importDigest(row any) string {
	raw, _ := json.Marshal(row) // texts, amounts and times always have JSON
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// imported is the ledger's row of a ref. There may be none.
func (o *op) imported(ref string) (rec ImportRecord, found bool, err error) {
	if ref == "" {
		return rec, false, nil
	}
	rec, err = o.tx.Imports.Find(textKey(ByRef, ref))
	if errors.Is(err, ErrNotFound) {
		return rec, false, nil
	}
	return rec, err == nil, err
}

// enroll adds a row to the ledger.
func (im *importing) enroll(rec ImportRecord) error {
	rec.ID, rec.CreatedAt, rec.UpdatedAt = im.newID(), im.now, im.now
	if err := im.tx.Imports.Insert(rec); err != nil {
		return internal("write import", err)
	}
	return nil
}

// amend writes what a row says now into the ledger.
func (im *importing) amend(rec ImportRecord) error {
	rec.UpdatedAt = later(im.now, rec.UpdatedAt)
	if err := im.tx.Imports.Replace(rec); err != nil {
		return internal("write import", err)
	}
	return nil
}

// A lead is where refs lead to: an affiliate, by a link or a code or directly.
type lead struct {
	affiliate AffiliateRecord
	link      uuid.UUID
	medium    ReferralMedium
}

// follow finds the first of the refs that leads to an affiliate.
func (o *op) follow(refs []string) (lead, error) {
	for _, ref := range refs {
		rec, found, err := o.imported(ref)
		if err != nil {
			return lead{}, err
		}
		if !found {
			continue
		}
		to, err := o.leadOf(&rec)
		if !errors.Is(err, ErrNotFound) {
			return to, err
		}
	}
	return lead{}, ErrNotFound
}

func (o *op) leadOf(rec *ImportRecord) (to lead, err error) {
	owner := rec.Object
	to.medium = MediumLink
	switch rec.Kind {
	case ImportedAsAffiliate:
	case ImportedAsLink:
		link, err := o.tx.Links.Get(rec.Object)
		if err != nil {
			return to, err
		}
		owner, to.link = link.AffiliateID, link.ID
	case ImportedAsCode:
		code, err := o.tx.Codes.Get(rec.Object)
		if err != nil {
			return to, err
		}
		owner, to.medium = code.AffiliateID, MediumCoupon
	default:
		return to, ErrNotFound
	}
	to.affiliate, err = o.tx.Affiliates.Get(owner)
	return to, err
}

// An importReading is what a batch of rows will look up.
type importReading struct {
	refs   []string
	emails []string
	table  string // of the emails
	keys   []ProviderID
	payers []ProviderID
}

// Announce names the records that the rows look up by the texts of their input.
func (r *importReading) Announce(soon func(table string, key Key)) {
	for _, ref := range r.refs {
		announceText(soon, "imports", ByRef, ref)
	}
	for _, email := range r.emails {
		announceText(soon, r.table, ByEmail, email)
	}
	for _, key := range r.keys {
		soon("paymentkeys", ofProvider(ByPayment, key.Provider, key.ID))
	}
	for _, payer := range r.payers {
		soon("payers", ofProvider(ByPayer, payer.Provider, payer.ID))
	}
}
