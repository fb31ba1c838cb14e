package affiliate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// An ImportedSale is a payment of the past with the commission that another
// service gave for it. A total of 0 with a commission is a bonus: an adjustment.
type ImportedSale struct {
	Ref            string    // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt      time.Time `json:",omitzero"` // zero: now; in the future: refused
	Customer       string    `json:",omitzero"` // ref of the customer; empty: by Email
	Email          string    `json:",omitzero"` // the customer's; nobody with it: the sale is of no customer
	Name           string    `json:",omitzero"` // empty: the customer's
	Via            []string  `json:",omitzero"` // refs of the link, the code or the affiliate; the first that was imported is credited
	AffiliateEmail string    `json:",omitzero"` // credited when no ref is; empty too: the customer's affiliate

	TotalEarned      Amount         `json:",omitzero"` // ≥ 0
	Tax              Amount         `json:",omitzero"`
	Shipping         Amount         `json:",omitzero"`
	Refunded         Amount         `json:",omitzero"` // 0 to TotalEarned, so far
	CommissionEarned Amount         `json:",omitzero"` // on what is kept; never calculated again, and reduced in proportion by later refunds
	Approval         ApprovalStatus `json:",omitzero"` // empty: ACCEPTED; a bonus is always ACCEPTED
	HoldReason       HoldReason     `json:",omitzero"` // unless ACCEPTED; empty: PROGRAM_SETTINGS
	ExternalID       string         `json:",omitzero"` // unique: with that of a sale that exists, the row is that sale; of an imported one, another commission of the order
	InvoiceID        string         `json:",omitzero"` // likewise
	Keys             []ProviderID   `json:",omitzero"` // the ids that one payment provider gave to the payment, ≤ 6: later reports find the sale by them, and a sale that one of them has is the row's
	Counts           bool           `json:",omitzero"` // it is one of the payments of Terms.MaxPayments
	Reason           string         `json:",omitzero"` // of a bonus; empty: "Bonus"
}

// bonus reports whether the row is no sale but a bonus.
func (r *ImportedSale) bonus() bool { return r.TotalEarned.IsZero() }

// ImportSales adds payments of the past with their commissions in one
// transaction, without events. No code is redeemed, and no rule decides about
// the commission: it is what the row says. A payment with an external id that a
// sale has is that sale, and nothing is written. If that sale was imported by
// another row, this is a second commission of the order, which is stored without
// the ids and noted; the same one again is only noted. Rows that cannot be
// imported are reported; the others are imported.
//
// A row that was imported before gets its newer state: ON_HOLD to ACCEPTED, and
// more refunded. Any other difference is noted and not written; when the sale was
// changed here since, nothing is.
//
// Errors: [BulkLimitExceeded]; those of the store. Of a row: [MissingField] and
// [InvalidField], [RefundExceedsSale], [UnknownRef], [AttributionRequired],
// [AffiliateNotFound].
//
// Effects: sales with their commissions, payments with their ids, adjustments,
// totals, movements of affiliates whose books are open, the ledger. Refunds and
// disputes that the provider reported before the import are applied then, as
// [Program.ReportPayment] does, with their events.
//
// Source: docs/import.md.
func (p *Program) ImportSales(ctx context.Context, rows []ImportedSale) (_ ImportReport, err error) {
	defer p.begin(&ctx, "ImportSales", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "sale.import", refused: first(p.checkImport(len(rows)))}
	if p.once.Key != "" {
		rq.input = rows
	}
	digests := make([]string, len(rows))
	reading := &importReading{table: "referrals"}
	for i := range rows {
		digests[i] = importDigest(rows[i])
		reading.refs = append(append(reading.refs, rows[i].Ref, rows[i].Customer), rows[i].Via...)
		reading.emails = append(reading.emails, rows[i].Email)
		reading.keys = append(reading.keys, rows[i].Keys...)
	}
	o.ahead = reading
	return importRows(o, rq, slices.Clone(rows), o.normalizeImportedSale, func(im *importing, row *ImportedSale, i int) (ImportRow, error) {
		return im.sale(row, digests[i])
	})
}

func (o *op) normalizeImportedSale(row *ImportedSale) error {
	row.Approval = cmp.Or(row.Approval, ApprovalAccepted)
	if row.Email != "" {
		if err := first(normalizeEmail("email", &row.Email)); err != nil {
			return err
		}
	}
	if row.Approval == ApprovalAccepted {
		row.HoldReason = ""
	} else {
		row.HoldReason = cmp.Or(row.HoldReason, HoldProgramSettings)
	}
	row.Name = plaintext.Trim(row.Name)
	if err := first(
		checkRef(row.Ref),
		o.importedAt("createdAt", &row.CreatedAt),
		optional("name", row.Name, maxName),
		oneOf("approval", row.Approval, approvalStatuses),
		oneOfOrNone("holdReason", row.HoldReason, holdReasons),
		optional("externalId", row.ExternalID, maxName),
		optional("externalInvoiceId", row.InvoiceID, maxName),
		row.checkKeys(),
		fieldNotAtLeastZero.about("totalEarned").when(row.TotalEarned.Sign() < 0),
		boundOfSale("totalEarned", row.TotalEarned),
		commissionNegative.when(row.CommissionEarned.Sign() < 0),
		boundOfSale("commissionEarned", row.CommissionEarned),
	); err != nil {
		return err
	}
	if rounded, err := row.CommissionEarned.Round(o.cfg.Currency); err != nil || rounded != row.CommissionEarned {
		return fieldTooFine.Of("commissionEarned")
	}
	if row.bonus() {
		return row.checkBonus()
	}
	return row.checkMoney()
}

// checkMoney checks the amounts of a sale against each other.
func (r *ImportedSale) checkMoney() error {
	paid := charge{r.TotalEarned, r.Tax, r.Shipping}
	if err := paid.check("tax"); err != nil {
		return err
	}
	return first(
		fieldNotAtLeastZero.about("refunded").when(r.Refunded.Sign() < 0),
		about("refunded", refundExceedsSale.when(r.Refunded.Cmp(r.TotalEarned) > 0)),
		fieldNotZero.about("commissionEarned").when(r.Refunded == r.TotalEarned && !r.CommissionEarned.IsZero()),
	)
}

// about is an error of another field.
func about(field string, err *Error) *Error {
	if err != nil {
		err.Field = field
	}
	return err
}

func (r *ImportedSale) checkBonus() error {
	r.Reason = cmp.Or(r.Reason, "Bonus")
	return first(
		totalNotPositive.when(r.CommissionEarned.IsZero()),
		fieldNotAllowed.about("tax").when(!r.Tax.IsZero()),
		fieldNotAllowed.about("shipping").when(!r.Shipping.IsZero()),
		fieldNotAllowed.about("refunded").when(!r.Refunded.IsZero()),
		oneOf("approval", r.Approval, []ApprovalStatus{ApprovalAccepted}),
		checkReason(r.Reason),
	)
}

// sale stores a row.
func (im *importing) sale(row *ImportedSale, digest string) (ImportRow, error) {
	known, found, err := im.imported(row.Ref)
	if err != nil {
		return ImportRow{}, err
	}
	if found && known.Digest == digest {
		return ImportRow{ImportExisting, known.Figures}, nil
	}
	if found {
		return im.forwardSale(known, row, digest)
	}
	who, err := im.creditImported(row)
	if err != nil {
		return ImportRow{}, err
	}
	if row.bonus() {
		return im.newBonus(row, digest, who.affiliate.ID)
	}
	for _, key := range appendText(appendText(nil, ByExternalID, row.ExternalID), ByInvoice, row.InvoiceID) {
		rec, err := im.tx.Sales.Find(key)
		if err == nil {
			return im.saleOfOrder(row, digest, &rec, who)
		}
		if !errors.Is(err, ErrNotFound) {
			return ImportRow{}, internal("look up sale", err)
		}
	}
	rec, err := im.saleOfKeys(row.Keys)
	if err == nil {
		return im.saleOfOrder(row, digest, &rec, who)
	}
	if !errors.Is(err, ErrNotFound) {
		return ImportRow{}, err
	}
	return im.newImportedSale(row, digest, who)
}

// An importCredit is whom an imported sale belongs to.
type importCredit struct {
	lead
	customer ReferralRecord // zero: nobody
	hidden   bool           // nothing may be stored that shows the customer
}

// creditImported finds customer and affiliate of a row.
func (im *importing) creditImported(row *ImportedSale) (who importCredit, err error) {
	found, err := im.customerOf(row)
	if err != nil {
		return who, err
	}
	who.customer = found.referral
	if who.hidden, err = im.hidden(&found, row.Email); err != nil {
		return who, err
	}
	who.lead, err = im.follow(row.Via)
	ref := &who.customer
	if errors.Is(err, ErrNotFound) && row.AffiliateEmail != "" {
		who.affiliate, err = im.affiliateByEmail(row.AffiliateEmail)
		if err != nil {
			return who, RefuseNoAffiliate.ifMissing(err)
		}
	}
	if errors.Is(err, ErrNotFound) && ref.ID == uuid.Nil {
		if len(row.Via) > 0 {
			return who, unknownRef.Of("via")
		}
		return who, saleAttributionRequired.Err()
	}
	if errors.Is(err, ErrNotFound) {
		if who.affiliate, err = im.tx.Affiliates.Get(ref.AffiliateID); err != nil {
			return who, internal("affiliate of a referral", err)
		}
	}
	if who.link == uuid.Nil && ref.AffiliateID == who.affiliate.ID {
		who.link = ref.LinkID
	}
	return who, err
}

// customerOf is the customer of a row: by ref, else by email.
func (im *importing) customerOf(row *ImportedSale) (customer, error) {
	if row.Customer == "" {
		return im.customerByEmail(row.Email)
	}
	known, found, err := im.imported(row.Customer)
	if err != nil {
		return customer{}, err
	}
	if !found || known.Kind != ImportedAsReferral {
		return customer{}, unknownRef.Of("customer")
	}
	ref, err := im.tx.Referrals.Get(known.Object)
	return customer{referral: ref}, unknownRef.about("customer").ifMissing(err)
}

// newBonus stores a bonus.
func (im *importing) newBonus(row *ImportedSale, digest string, affiliate uuid.UUID) (ImportRow, error) {
	if err := refuseTakenExternalID(im.tx.Adjustments, row.ExternalID, adjustmentExternalIDTaken); err != nil {
		return ImportRow{}, err
	}
	rec := AdjustmentRecord{
		ID: im.newIDAt(row.CreatedAt), AffiliateID: affiliate, Kind: AdjustBonus, Amount: row.CommissionEarned,
		Reason: row.Reason, ExternalID: row.ExternalID, CreatedAt: InstantOf(row.CreatedAt),
	}
	if err := im.tx.Adjustments.Insert(rec); err != nil {
		return ImportRow{}, internal("write adjustment", err)
	}
	books := im.books(affiliate)
	books.bonuses = append(books.bonuses, rec)
	stored, err := im.tx.Adjustments.Get(rec.ID)
	if err != nil {
		return ImportRow{}, internal("read adjustment", err)
	}
	figures := ImportFigures{Commission: stored.Amount}
	return ImportRow{ImportCreated, figures}, im.enroll(ImportRecord{
		Ref: row.Ref, Kind: ImportedAsBonus, Object: rec.ID, Digest: digest, Figures: figures,
	})
}

// saleOfOrder stores a row whose ids a sale has. A sale that was not imported is the
// row's. One of another row is the same order: a second commission is stored beside
// it, without the ids, which stay with the first; the same commission once more is
// noted and not stored.
func (im *importing) saleOfOrder(row *ImportedSale, digest string, rec *SaleRecord, who importCredit) (ImportRow, error) {
	if rec.Source != EnumOf(SourceImported.forSale()) {
		return im.adoptSale(row, digest, rec)
	}
	figures, err := rec.figures()
	if err != nil {
		return ImportRow{}, err
	}
	untouched := rec.UpdatedAt == rec.CreatedAt
	if rec.AffiliateID != who.affiliate.ID || rec.TotalEarned != row.TotalEarned || untouched && figures.Commission != row.CommissionEarned {
		im.note("", saleExternalIDTaken.Err(), "sale, without the ids of the payment")
		row.ExternalID, row.InvoiceID, row.Keys = "", "", nil
		return im.newImportedSale(row, digest, who)
	}
	im.note("", fieldOfAnotherRow.Of("externalId"), string(ImportedAsSale))
	return ImportRow{Outcome: ImportExisting}, im.enroll(ImportRecord{
		Ref: row.Ref, Kind: ImportedAsSale, Object: rec.ID, Digest: digest, Adopted: true,
	})
}

// adoptSale notes that a row is a sale that exists.
func (im *importing) adoptSale(row *ImportedSale, digest string, rec *SaleRecord) (ImportRow, error) {
	figures, err := rec.figures()
	if err != nil {
		return ImportRow{}, err
	}
	return ImportRow{ImportExisting, figures}, im.enroll(ImportRecord{
		Ref: row.Ref, Kind: ImportedAsSale, Object: rec.ID, Digest: digest, Figures: figures, Adopted: true,
	})
}

// figures are the amounts of a sale as an import adds them up.
func (r *SaleRecord) figures() (ImportFigures, error) {
	earned, err := r.commissionEarned()
	return ImportFigures{Sales: r.TotalEarned, Refunds: r.Refunded, Commission: earned}, err
}

// newImportedSale stores a sale with its commission.
func (im *importing) newImportedSale(row *ImportedSale, digest string, who importCredit) (ImportRow, error) {
	rec, err := im.importedSale(row, &who)
	if err != nil {
		return ImportRow{}, err
	}
	if err := im.tx.Sales.Insert(rec); err != nil {
		return ImportRow{}, internal("write sale", err)
	}
	if err := im.attach(row, &rec); err != nil {
		return ImportRow{}, err
	}
	if err := im.tellSale(nil, &rec); err != nil {
		return ImportRow{}, err
	}
	stored, err := im.tx.Sales.Get(rec.ID)
	if err != nil {
		return ImportRow{}, internal("read sale", err)
	}
	figures, err := stored.figures()
	if err != nil {
		return ImportRow{}, err
	}
	return ImportRow{ImportCreated, figures}, im.enroll(ImportRecord{
		Ref: row.Ref, Kind: ImportedAsSale, Object: rec.ID, Digest: digest, Figures: figures,
	})
}

// importedSale is a row as a record.
func (im *importing) importedSale(row *ImportedSale, who *importCredit) (SaleRecord, error) {
	number, err := im.tx.Next(SaleSequence)
	if err != nil {
		return SaleRecord{}, err
	}
	commission, err := im.tx.Next(CommissionSequence)
	if err != nil {
		return SaleRecord{}, err
	}
	at, ref := InstantOf(row.CreatedAt), &who.customer
	rec := SaleRecord{
		ID: im.newIDAt(row.CreatedAt), Number: number, AffiliateID: who.affiliate.ID, ReferralID: ref.ID, LinkID: who.link,
		ExternalID: row.ExternalID, InvoiceID: row.InvoiceID,
		Name: shared(cmp.Or(row.Name, ref.Name), ref.Name), Email: shared(cmp.Or(row.Email, ref.Email), ref.Email),
		TotalEarned: row.TotalEarned, Tax: row.Tax, Shipping: row.Shipping,
		Status: EnumOf(SaleActive), Trigger: EnumOf(TriggerPurchase), Source: EnumOf(SourceImported.forSale()),
		Past: !row.Counts, CreatedAt: at, UpdatedAt: at,
		Commissions: []CommissionRecord{{
			Number: commission, AffiliateID: who.affiliate.ID, Earned: row.CommissionEarned, Approval: EnumOf(row.Approval),
			HoldReason: EnumOf(row.HoldReason), CreatedAt: at, UpdatedAt: at,
		}},
	}
	if who.hidden {
		rec = rec.blanked()
	}
	return rec, rec.takeImported(row, at)
}

// takeImported sets what was refunded and earned as a row says it.
func (r *SaleRecord) takeImported(row *ImportedSale, at Instant) error {
	more, err := row.Refunded.Sub(r.Refunded)
	if err != nil {
		return err
	}
	if more.Sign() > 0 {
		r.Refunded = row.Refunded
		r.Refunds = append(r.Refunds, RefundRecord{Amount: more, At: at, Fact: len(row.Keys) > 0})
	}
	kept, err := r.kept()
	if err != nil {
		return err
	}
	r.ByHand = Set(HandSet{Earned: row.CommissionEarned, Kept: kept})
	if kept.IsZero() {
		r.Status, r.RefundedAt, r.DeletedFired = EnumOf(SaleRefunded), at, true
	}
	return nil
}
