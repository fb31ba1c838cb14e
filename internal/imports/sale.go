package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// bonus reports whether the row is no sale but a bonus.
func bonus(r *imported.Sale) bool { return r.TotalEarned.IsZero() }

// pendingBonus reports whether a bonus is not accepted. An adjustment always is, so the row becomes a
// conversion, whose commission a person accepts or declines.
func pendingBonus(r *imported.Sale) bool { return bonus(r) && r.Approval != affiliate.ApprovalAccepted }

// ImportSales implements tributary.Imports.Sales.
func ImportSales(ctx context.Context, p *engine.Program, rows []imported.Sale) (_ imported.Report, err error) {
	defer p.Begin(&ctx, "ImportSales", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "sale.import", Refused: refusal.First(p.CheckImport(len(rows)))}
	if p.Once.Key != "" {
		rq.Input = rows
	}
	digests := make([]string, len(rows))
	reading := &importReading{table: "referrals"}
	for i := range rows {
		digests[i] = importDigest(rows[i])
		reading.refs = append(append(reading.refs, rows[i].Ref, rows[i].Customer), rows[i].Via...)
		reading.emails = append(reading.emails, rows[i].Email)
		reading.keys = append(reading.keys, rows[i].Keys...)
	}
	o.Ahead = reading
	return importRows(o, rq, slices.Clone(rows), func(row *imported.Sale) error { return normalizeImportedSale(o, row) }, func(im *importing, row *imported.Sale, i int) (imported.Row, error) {
		return im.sale(row, digests[i])
	})
}

func normalizeImportedSale(o *engine.Op, row *imported.Sale) error {
	row.Approval = cmp.Or(row.Approval, affiliate.ApprovalAccepted)
	if row.Email != "" {
		if err := refusal.First(refusal.NormalizeEmail("email", &row.Email)); err != nil {
			return err
		}
	}
	if row.Approval == affiliate.ApprovalAccepted {
		row.HoldReason = ""
	} else {
		row.HoldReason = cmp.Or(row.HoldReason, affiliate.HoldProgramSettings)
	}
	row.Name = plaintext.Trim(row.Name)
	if err := refusal.First(
		checkRef(row.Ref),
		importedAt(o, "createdAt", &row.CreatedAt),
		refusal.Optional("name", row.Name, refusal.MaxName),
		refusal.OneOf("approval", row.Approval, approvalStatuses),
		refusal.OneOfOrNone("holdReason", row.HoldReason, holdReasons),
		refusal.Optional("externalId", row.ExternalID, refusal.MaxName),
		refusal.Optional("externalInvoiceId", row.InvoiceID, refusal.MaxName),
		checkKeys(row),
		refusal.FieldNotAtLeastZero.About("totalEarned").When(row.TotalEarned.Sign() < 0),
		refusal.BoundOfSale("totalEarned", row.TotalEarned),
		refusal.CommissionNegative.When(row.CommissionEarned.Sign() < 0),
		refusal.BoundOfSale("commissionEarned", row.CommissionEarned),
	); err != nil {
		return err
	}
	if rounded, err := row.CommissionEarned.Round(o.Cfg.Currency); err != nil || rounded != row.CommissionEarned {
		return refusal.FieldTooFine.Of("commissionEarned")
	}
	if bonus(row) {
		return checkBonus(row)
	}
	return checkMoney(row)
}

// checkMoney checks the amounts of a sale against each other.
func checkMoney(r *imported.Sale) error {
	paid := engine.Charge{Total: r.TotalEarned, Tax: r.Tax, Shipping: r.Shipping}
	if err := paid.Check("tax"); err != nil {
		return err
	}
	return refusal.First(
		refusal.FieldNotAtLeastZero.About("refunded").When(r.Refunded.Sign() < 0),
		about("refunded", refusal.RefundExceedsSale.When(r.Refunded.Cmp(r.TotalEarned) > 0)),
		refusal.FieldNotZero.About("commissionEarned").When(r.Refunded == r.TotalEarned &&
			!r.CommissionEarned.IsZero()),
	)
}

// about returns an error of another field.
func about(field string, err *affiliate.Error) *affiliate.Error {
	if err != nil {
		err.Field = field
	}
	return err
}

func checkBonus(r *imported.Sale) error {
	r.Reason = cmp.Or(r.Reason, "Bonus")
	return refusal.First(
		refusal.TotalNotPositive.When(r.CommissionEarned.IsZero()),
		refusal.FieldNotAllowed.About("tax").When(!r.Tax.IsZero()),
		refusal.FieldNotAllowed.About("shipping").When(!r.Shipping.IsZero()),
		refusal.FieldNotAllowed.About("refunded").When(!r.Refunded.IsZero()),
		engine.CheckReason(r.Reason),
	)
}

// sale stores a row.
func (im *importing) sale(row *imported.Sale, digest string) (imported.Row, error) {
	known, found, err := importedAs(im.Op, row.Ref)
	if err != nil {
		return imported.Row{}, err
	}
	if found && known.Digest == digest {
		return imported.Row{Outcome: imported.Existing, Stored: known.Figures}, nil
	}
	if found {
		return im.forwardSale(known, row, digest)
	}
	who, err := im.creditImported(row)
	if err != nil {
		return imported.Row{}, err
	}
	switch {
	case pendingBonus(row):
		row.ExternalID, row.InvoiceID, row.Keys = "", "", nil // it is no order
		return im.newImportedSale(row, digest, who)
	case bonus(row):
		return im.newBonus(row, digest, who.affiliate.ID)
	}
	for _, key := range record.AppendText(record.AppendText(nil, record.ByExternalID,
		row.ExternalID), record.ByInvoice, row.InvoiceID) {
		rec, err := im.Tx.Sales.Find(key)
		if err == nil {
			return im.saleOfOrder(row, digest, &rec, who)
		}
		if !errors.Is(err, affiliate.ErrNotFound) {
			return imported.Row{}, refusal.Internal("look up sale", err)
		}
	}
	rec, err := im.saleOfKeys(row.Keys)
	if err == nil {
		return im.saleOfOrder(row, digest, &rec, who)
	}
	if !errors.Is(err, affiliate.ErrNotFound) {
		return imported.Row{}, err
	}
	return im.newImportedSale(row, digest, who)
}

// An importCredit is the affiliate and the customer of an imported sale.
type importCredit struct {
	lead
	customer record.Referral // zero: nobody
	hidden   bool            // nothing that shows the customer may be stored
}

// creditImported finds customer and affiliate of a row.
func (im *importing) creditImported(row *imported.Sale) (who importCredit, err error) {
	found, err := im.customerOf(row)
	if err != nil {
		return who, err
	}
	who.customer = found.Referral
	if who.hidden, err = im.Hidden(&found, row.Email); err != nil {
		return who, err
	}
	who.lead, err = follow(im.Op, row.Via)
	ref := &who.customer
	if errors.Is(err, affiliate.ErrNotFound) && row.AffiliateEmail != "" {
		who.affiliate, err = im.FindAffiliateByEmail(row.AffiliateEmail)
		if err != nil {
			return who, refusal.RefuseNoAffiliate.IfMissing(err)
		}
	}
	if errors.Is(err, affiliate.ErrNotFound) && ref.ID == uuid.Nil {
		if len(row.Via) > 0 {
			return who, refusal.UnknownRef.Of("via")
		}
		return who, refusal.SaleAttributionRequired.Err()
	}
	if errors.Is(err, affiliate.ErrNotFound) {
		if who.affiliate, err = im.Tx.Affiliates.Get(ref.AffiliateID); err != nil {
			return who, refusal.Internal("affiliate of a referral", err)
		}
	}
	if who.link == uuid.Nil && ref.AffiliateID == who.affiliate.ID {
		who.link = ref.LinkID
	}
	return who, err
}

// customerOf returns the customer of a row: by ref, else by email.
func (im *importing) customerOf(row *imported.Sale) (engine.Customer, error) {
	if row.Customer == "" {
		return im.CustomerByEmail(row.Email)
	}
	known, found, err := importedAs(im.Op, row.Customer)
	if err != nil {
		return engine.Customer{}, err
	}
	if !found || known.Kind != record.ImportedAsReferral {
		return engine.Customer{}, refusal.UnknownRef.Of("customer")
	}
	ref, err := im.ReferralByID(known.Object)
	return engine.Customer{Referral: ref}, refusal.UnknownRef.About("customer").IfMissing(err)
}

// newBonus stores a bonus.
func (im *importing) newBonus(row *imported.Sale, digest string, affiliateID uuid.UUID) (imported.Row, error) {
	if err := refusal.RefuseTakenExternalID(im.Tx.Adjustments, row.ExternalID, refusal.AdjustmentExternalIDTaken); err != nil {
		return imported.Row{}, err
	}
	rec := record.Adjustment{
		ID: im.NewIDAt(row.CreatedAt), AffiliateID: affiliateID, Kind: affiliate.AdjustBonus,
		Amount: row.CommissionEarned, Reason: row.Reason, ExternalID: row.ExternalID,
		CreatedAt: affiliate.InstantOf(row.CreatedAt),
	}
	if err := im.Tx.Adjustments.Insert(rec); err != nil {
		return imported.Row{}, refusal.Internal("write adjustment", err)
	}
	books := im.books(affiliateID)
	books.bonuses = append(books.bonuses, rec)
	stored, err := im.Tx.Adjustments.Get(rec.ID)
	if err != nil {
		return imported.Row{}, refusal.Internal("read adjustment", err)
	}
	figures := imported.Figures{Commission: stored.Amount}
	return imported.Row{Outcome: imported.Created, Stored: figures}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsBonus, Object: rec.ID, Digest: digest, Figures: figures,
	})
}

// saleOfOrder stores a row when a sale already has its ids. If that sale was not
// imported, the row stands for it. If another row imported it, this row is a second
// commission of the same order: it is stored without the ids, which stay with the
// first sale. When the same commission comes once more, it is noted and not stored.
func (im *importing) saleOfOrder(row *imported.Sale, digest string, rec *record.Sale,
	who importCredit) (imported.Row, error) {
	if rec.Source != affiliate.EnumOf(engine.ForSale(affiliate.SourceImported)) {
		return im.adoptSale(row, digest, rec)
	}
	figures, err := figures(rec)
	if err != nil {
		return imported.Row{}, err
	}
	untouched := rec.UpdatedAt == rec.CreatedAt
	if rec.AffiliateID != who.affiliate.ID || rec.TotalEarned != row.TotalEarned || untouched &&
		figures.Commission != row.CommissionEarned {
		im.note("", refusal.SaleExternalIDTaken.Err(), "sale, without the ids of the payment")
		row.ExternalID, row.InvoiceID, row.Keys = "", "", nil
		return im.newImportedSale(row, digest, who)
	}
	im.note("", refusal.FieldOfAnotherRow.Of("externalId"), string(record.ImportedAsSale))
	return imported.Row{Outcome: imported.Existing}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsSale, Object: rec.ID, Digest: digest, Adopted: true,
	})
}

// adoptSale records that a row stands for an existing sale.
func (im *importing) adoptSale(row *imported.Sale, digest string, rec *record.Sale) (imported.Row, error) {
	figures, err := figures(rec)
	if err != nil {
		return imported.Row{}, err
	}
	return imported.Row{Outcome: imported.Existing, Stored: figures}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsSale, Object: rec.ID, Digest: digest, Figures: figures, Adopted: true,
	})
}

// figures returns the amounts of a sale as an import adds them up.
func figures(r *record.Sale) (imported.Figures, error) {
	earned, err := engine.CommissionEarned(r)
	return imported.Figures{Sales: r.TotalEarned, Refunds: r.Refunded, Commission: earned}, err
}

// newImportedSale stores a sale with its commission.
func (im *importing) newImportedSale(row *imported.Sale, digest string, who importCredit) (imported.Row, error) {
	rec, err := im.importedSale(row, &who)
	if err != nil {
		return imported.Row{}, err
	}
	if err := im.Tx.Sales.Insert(rec); err != nil {
		return imported.Row{}, refusal.Internal("write sale", err)
	}
	if err := im.attach(row, &rec); err != nil {
		return imported.Row{}, err
	}
	if err := im.tellSale(nil, &rec); err != nil {
		return imported.Row{}, err
	}
	stored, err := im.Tx.Sales.Get(rec.ID)
	if err != nil {
		return imported.Row{}, refusal.Internal("read sale", err)
	}
	figures, err := figures(&stored)
	if err != nil {
		return imported.Row{}, err
	}
	return imported.Row{Outcome: imported.Created, Stored: figures}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsSale, Object: rec.ID, Digest: digest, Figures: figures,
	})
}

// importedSale returns a row as a record.
func (im *importing) importedSale(row *imported.Sale, who *importCredit) (record.Sale, error) {
	number, err := im.Tx.Next(record.SaleSequence)
	if err != nil {
		return record.Sale{}, err
	}
	conversion, err := im.conversionOf(row, who.customer.ID)
	if err != nil {
		return record.Sale{}, err
	}
	commission, err := im.Tx.Next(record.CommissionSequence)
	if err != nil {
		return record.Sale{}, err
	}
	at, ref := affiliate.InstantOf(row.CreatedAt), &who.customer
	rec := record.Sale{
		ID: im.NewIDAt(row.CreatedAt), Number: number, AffiliateID: who.affiliate.ID,
		ReferralID: ref.ID, LinkID: who.link, ExternalID: row.ExternalID, InvoiceID: row.InvoiceID,
		Name:  engine.Shared(cmp.Or(row.Name, ref.Name), ref.Name),
		Email: engine.Shared(cmp.Or(row.Email, ref.Email), ref.Email), TotalEarned: row.TotalEarned,
		Tax: row.Tax, Shipping: row.Shipping, Status: affiliate.EnumOf(affiliate.SaleActive),
		Trigger: affiliate.EnumOf(affiliate.TriggerPurchase),
		Source:  affiliate.EnumOf(engine.ForSale(affiliate.SourceImported)),
		Past:    !row.Counts && conversion == "", Conversion: conversion, CreatedAt: at, UpdatedAt: at,
		Commissions: []record.Commission{{
			Number: commission, AffiliateID: who.affiliate.ID, Earned: row.CommissionEarned,
			Approval: affiliate.EnumOf(row.Approval), HoldReason: affiliate.EnumOf(row.HoldReason),
			CreatedAt: at, UpdatedAt: at,
		}},
	}
	if conversion != "" {
		rec.Trigger = affiliate.EnumOf(affiliate.TriggerSignup)
	}
	if who.hidden {
		rec = engine.BlankedSale(rec)
	}
	return rec, saleTakeImported(&rec, row, at)
}

// conversionOf returns the name of a lead, which the customer has once; empty: the row is a
// sale.
func (im *importing) conversionOf(row *imported.Sale, customer uuid.UUID) (string, error) {
	if !pendingBonus(row) {
		return "", nil
	}
	for n := 1; ; n++ {
		name := "lead"
		if n > 1 {
			name = fmt.Sprint("lead ", n)
		}
		_, err := im.Tx.Sales.Find(record.ConversionKey(customer, name))
		if errors.Is(err, affiliate.ErrNotFound) {
			return name, nil
		}
		if err != nil {
			return "", refusal.Internal("look up conversion", err)
		}
	}
}

// saleTakeImported sets what was refunded and earned as a row says it.
func saleTakeImported(r *record.Sale, row *imported.Sale, at affiliate.Instant) error {
	more, err := row.Refunded.Sub(r.Refunded)
	if err != nil {
		return err
	}
	if more.Sign() > 0 {
		r.Refunded = row.Refunded
		r.Refunds = append(r.Refunds, record.Refund{Amount: more, At: at, Fact: len(row.Keys) > 0})
	}
	kept, err := engine.KeptOf(r)
	if err != nil {
		return err
	}
	r.ByHand = affiliate.Set(record.HandSet{Earned: row.CommissionEarned, Kept: kept})
	if kept.IsZero() && r.Conversion == "" {
		r.Status, r.RefundedAt, r.DeletedFired = affiliate.EnumOf(affiliate.SaleRefunded), at, true
	}
	return nil
}
