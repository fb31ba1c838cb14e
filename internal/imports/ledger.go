package imports

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/isodate"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The ledger of imports: refs, and the records that their rows made.

// checkRef checks the ref of a row.
func checkRef(ref string) *affiliate.Error {
	if plaintext.Blank(ref) {
		return refusal.FieldEmpty.Of("ref")
	}
	return refusal.CheckText("ref", ref, refusal.MaxName, false)
}

// importedAt returns the time of a row: zero is now.
func importedAt(o *engine.Op, field string, at *time.Time) *affiliate.Error {
	if at.IsZero() {
		*at = o.Now.Time()
	}
	*at = at.UTC().Truncate(time.Microsecond)
	if !isodate.InRange(*at) || at.After(o.Now.Time()) {
		return refusal.FieldNotADate.Of(field)
	}
	return nil
}

// importDigest returns a digest of a row, to see whether a repeated row has
// changed.
func importDigest(row any) string {
	raw, _ := json.Marshal(row) // texts, amounts and times always have JSON
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// importedAs returns the ledger's row of a ref. There may be none.
func importedAs(o *engine.Op, ref string) (rec record.Import, found bool, err error) {
	if ref == "" {
		return rec, false, nil
	}
	rec, err = o.Tx.Imports.Find(record.TextKey(record.ByRef, ref))
	if errors.Is(err, affiliate.ErrNotFound) {
		return rec, false, nil
	}
	return rec, err == nil, err
}

// enroll adds a row to the ledger.
func (im *importing) enroll(rec record.Import) error {
	rec.ID, rec.CreatedAt, rec.UpdatedAt = im.NewID(), im.Now, im.Now
	if err := im.Tx.Imports.Insert(rec); err != nil {
		return refusal.Internal("write import", err)
	}
	return nil
}

// amend writes what a row says now into the ledger.
func (im *importing) amend(rec record.Import) error {
	rec.UpdatedAt = engine.Later(im.Now, rec.UpdatedAt)
	if err := im.Tx.Imports.Replace(rec); err != nil {
		return refusal.Internal("write import", err)
	}
	return nil
}

// A lead is the affiliate that refs lead to, by a link, by a code or directly.
type lead struct {
	affiliate record.Affiliate
	link      uuid.UUID
	medium    affiliate.ReferralMedium
}

// follow finds the first of the refs that leads to an affiliate.
func follow(o *engine.Op, refs []string) (lead, error) {
	for _, ref := range refs {
		rec, found, err := importedAs(o, ref)
		if err != nil {
			return lead{}, err
		}
		if !found {
			continue
		}
		to, err := leadOf(o, &rec)
		if !errors.Is(err, affiliate.ErrNotFound) {
			return to, err
		}
	}
	return lead{}, affiliate.ErrNotFound
}

func leadOf(o *engine.Op, rec *record.Import) (to lead, err error) {
	owner := rec.Object
	to.medium = affiliate.MediumLink
	switch rec.Kind {
	case record.ImportedAsAffiliate:
	case record.ImportedAsLink:
		link, err := o.Tx.Links.Get(rec.Object)
		if err != nil {
			return to, err
		}
		owner, to.link = link.AffiliateID, link.ID
	case record.ImportedAsCode:
		code, err := o.Tx.Codes.Get(rec.Object)
		if err != nil {
			return to, err
		}
		owner, to.medium = code.AffiliateID, affiliate.MediumCoupon
	default:
		return to, affiliate.ErrNotFound
	}
	to.affiliate, err = o.AffiliateByID(owner)
	return to, err
}

// An importReading holds what a batch of rows will look up.
type importReading struct {
	refs   []string
	emails []string
	table  string // of the emails
	keys   []affiliate.ProviderID
	payers []affiliate.ProviderID
}

// Announce names the records that the rows look up by the texts of their input.
func (r *importReading) Announce(soon func(table string, key record.Key)) {
	for _, ref := range r.refs {
		engine.AnnounceText(soon, "imports", record.ByRef, ref)
	}
	for _, email := range r.emails {
		engine.AnnounceText(soon, r.table, record.ByEmail, email)
	}
	for _, key := range r.keys {
		soon("paymentkeys", record.OfProvider(record.ByPayment, key.Provider, key.ID))
	}
	for _, payer := range r.payers {
		soon("payers", record.OfProvider(record.ByPayer, payer.Provider, payer.ID))
	}
}
