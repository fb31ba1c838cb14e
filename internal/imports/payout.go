package imports

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payout"
	"github.com/tributary-go/tributary/internal/refusal"
)

// ImportPayouts implements tributary.Imports.Payouts.
func ImportPayouts(ctx context.Context, p *engine.Program, rows []imported.Payout) (_ imported.Report, err error) {
	defer p.Begin(&ctx, "ImportPayouts", engine.Writes).End(&err)
	o := p.Op(ctx)
	rq := engine.Request{Name: "payout.import", Refused: refusal.First(p.CheckImport(len(rows)))}
	if p.Once.Key != "" {
		rq.Input = rows
	}
	digests := make([]string, len(rows))
	reading := &importReading{}
	for i := range rows {
		digests[i] = importDigest(rows[i])
		reading.refs = append(append(reading.refs, rows[i].Ref), rows[i].Sales...)
	}
	o.Ahead = reading
	return importRows(o, rq, slices.Clone(rows), func(row *imported.Payout) error { return normalizeImportedPayout(o, row) }, func(im *importing, row *imported.Payout, i int) (imported.Row, error) {
		return im.payout(row, digests[i])
	})
}

// importablePayouts are the statuses of an imported payout.
var importablePayouts = slices.DeleteFunc(affiliate.PayoutStatuses(), func(s affiliate.PayoutStatus) bool {
	return s == affiliate.PayoutCanceled || s == affiliate.PayoutReturned
})

func normalizeImportedPayout(o *engine.Op, row *imported.Payout) error {
	if row.Status == "" {
		row.Status = affiliate.PayoutPending
		if !row.PaidAt.IsZero() {
			row.Status = affiliate.PayoutPaid
		}
	}
	if row.CreatedAt.IsZero() {
		row.CreatedAt = row.PaidAt
	}
	if row.PaidAt.IsZero() {
		row.PaidAt = row.CreatedAt
	}
	return refusal.First(
		checkRef(row.Ref),
		refusal.OneOf("status", row.Status, importablePayouts),
		importedAt(o, "createdAt", &row.CreatedAt),
		importedAt(o, "paidAt", &row.PaidAt),
		refusal.FieldEmpty.About("sales").When(len(row.Sales) == 0),
		refusal.FieldNotDistinct.About("sales").When(len(engine.Distinct(row.Sales)) < len(row.Sales)),
		refusal.AdjustmentNotPositive.When(row.Amount.Sign() <= 0),
		refusal.Optional("externalId", row.ExternalID, refusal.MaxName),
	)
}

// payout stores a row.
func (im *importing) payout(row *imported.Payout, digest string) (imported.Row, error) {
	known, found, err := importedAs(im.Op, row.Ref)
	if err != nil {
		return imported.Row{}, err
	}
	if found && known.Digest == digest {
		return imported.Row{Outcome: imported.Existing, Stored: known.Figures}, nil
	}
	if found {
		return im.forwardPayout(known, row, digest)
	}
	held := payoutEntries{importing: im}
	if err := held.collect(row, uuid.Nil); err != nil {
		return imported.Row{}, err
	}
	aff, err := im.Tx.Affiliates.Get(held.owner)
	if err != nil {
		return imported.Row{}, refusal.Internal("affiliate of a payout", err)
	}
	at := affiliate.InstantOf(row.CreatedAt)
	rec := record.Payout{
		ID: im.NewIDAt(row.CreatedAt), AffiliateID: aff.ID, ExternalID: row.ExternalID,
		PaymentMethod: aff.PaymentMethod, PayeeName: engine.NameOf(aff),
		PayeeEmail: aff.PayoutEmail, CreatedAt: at, UpdatedAt: at,
	}
	if err := held.put(&rec, row); err != nil {
		return imported.Row{}, err
	}
	if err := im.Tx.Payouts.Insert(rec); err != nil {
		return imported.Row{}, refusal.Internal("write payout", err)
	}
	figures, err := im.paid(rec.ID)
	if err != nil {
		return imported.Row{}, err
	}
	return imported.Row{Outcome: imported.Created, Stored: figures}, im.enroll(record.Import{
		Ref: row.Ref, Kind: record.ImportedAsPayout, Object: rec.ID, Digest: digest, Figures: figures,
	})
}

// paid returns the figures of a stored payout.
func (im *importing) paid(id uuid.UUID) (imported.Figures, error) {
	rec, err := im.Tx.Payouts.Get(id)
	if err != nil {
		return imported.Figures{}, refusal.Internal("read payout", err)
	}
	return imported.Figures{Payouts: rec.Amount}, nil
}

// forwardPayout updates an imported payout to its newer state at the other
// service.
func (im *importing) forwardPayout(known record.Import, row *imported.Payout, digest string) (imported.Row, error) {
	rec, err := im.Tx.Payouts.Get(known.Object)
	if errors.Is(err, affiliate.ErrNotFound) || known.Kind != record.ImportedAsPayout {
		return im.changed(&known, refusal.UnknownRef.Of("ref")), nil
	}
	if err != nil {
		return imported.Row{}, err
	}
	rec = rec.Clone()
	held := payoutEntries{importing: im}
	why := held.collect(row, rec.ID)
	denied, refused := errors.AsType[*affiliate.Error](why)
	switch {
	case why != nil && !refused:
		return imported.Row{}, why
	case refused:
		return im.changed(&known, denied), nil
	case held.owner != rec.AffiliateID || held.kept != len(rec.Items):
		return im.changed(&known, refusal.FieldNotAsImported.Of("sales")), nil
	case rec.Status != row.Status && !slices.Contains(rec.Status.Next(), row.Status):
		return im.changed(&known, refusal.FieldNotAsImported.Of("status")), nil
	case rec.Status == row.Status && len(held.fresh) == 0:
		return im.changed(&known, refusal.FieldNotAsImported.Of("ref")), nil
	}
	if err := held.put(&rec, row); err != nil {
		return imported.Row{}, err
	}
	rec.UpdatedAt = engine.Later(im.Now, rec.UpdatedAt)
	if err := im.Tx.Payouts.Replace(rec); err != nil {
		return imported.Row{}, refusal.Internal("write payout", err)
	}
	if known.Figures, err = im.paid(rec.ID); err != nil {
		return imported.Row{}, err
	}
	known.Digest = digest
	return imported.Row{Outcome: imported.Forwarded, Stored: known.Figures}, im.amend(known)
}

// payoutEntries holds the entries that the refs of a payout name.
type payoutEntries struct {
	*importing
	owner   uuid.UUID
	sales   []record.Sale // of fresh
	bonuses []record.Adjustment
	fresh   []payout.OpenEntry // that no payout has
	kept    int                // entries that the payout itself has
	sum     affiliate.Amount
}

// collect finds the entries that a row names. It checks that they are free, or
// in the payout self, and that they add up to its amount.
func (h *payoutEntries) collect(row *imported.Payout, self uuid.UUID) error {
	for _, ref := range row.Sales {
		known, found, err := importedAs(h.importing.Op, ref)
		if err != nil {
			return err
		}
		switch {
		case !found:
			return refusal.UnknownRef.Of("sales")
		case known.Kind == record.ImportedAsSale:
			err = h.addSale(known.Object, self)
		case known.Kind == record.ImportedAsBonus:
			err = h.addBonus(known.Object, self)
		default:
			return refusal.UnknownRef.Of("sales")
		}
		if err != nil {
			return err
		}
	}
	if h.sum != row.Amount {
		return refusal.FieldNotTheSum.Of("amount")
	}
	return nil
}

func (h *payoutEntries) addSale(id, self uuid.UUID) error {
	rec, err := h.Tx.Sales.Get(id)
	if err != nil {
		return refusal.UnknownRef.About("sales").IfMissing(err)
	}
	fresh := false
	for i := range rec.Commissions {
		c := &rec.Commissions[i]
		if c.Earned.IsZero() {
			continue
		}
		if !c.Approval.Is(affiliate.ApprovalAccepted) {
			return refusal.FieldNotAccepted.Of("sales")
		}
		item := affiliate.PayoutItem{Sale: rec.Number, Commission: c.Number}
		at := engine.EntryTime(&rec, c)
		if err := h.take(payout.OpenEntry{PayoutItem: item, At: at, PayableAt: at, Amount: c.Earned}, rec.AffiliateID, c.PayoutID, self); err != nil {
			return err
		}
		fresh = fresh || c.PayoutID == uuid.Nil
	}
	if fresh {
		h.sales = append(h.sales, rec)
	}
	return nil
}

func (h *payoutEntries) addBonus(id, self uuid.UUID) error {
	rec, err := h.Tx.Adjustments.Get(id)
	if err != nil {
		return refusal.UnknownRef.About("sales").IfMissing(err)
	}
	item := affiliate.PayoutItem{Adjustment: rec.ID}
	if rec.PayoutID == uuid.Nil {
		h.bonuses = append(h.bonuses, rec)
	}
	return h.take(payout.OpenEntry{PayoutItem: item, At: rec.CreatedAt, PayableAt: rec.CreatedAt,
		Amount: rec.Amount}, rec.AffiliateID, rec.PayoutID, self)
}

// take counts an entry that is in the payout in, or in none.
func (h *payoutEntries) take(e payout.OpenEntry, owner, in, self uuid.UUID) (err error) {
	if h.owner == uuid.Nil {
		h.owner = owner
	}
	switch {
	case owner != h.owner:
		return refusal.IdentifiersMismatch.On("sales")
	case in != uuid.Nil && in != self:
		return refusal.IncludedInPayout.On("sales")
	case in != uuid.Nil:
		h.kept++
	default:
		h.fresh = append(h.fresh, e)
	}
	h.sum, err = h.sum.Add(e.Amount)
	return engine.TooLargeFor("amount", err)
}

// put puts the entries into the payout and gives it the row's status.
func (h *payoutEntries) put(rec *record.Payout, row *imported.Payout) error {
	wasHeld, wasPaid := split(rec)
	slices.SortFunc(h.fresh, payout.OpenEntry.Compare)
	for _, e := range h.fresh {
		rec.Items = append(rec.Items, e.PayoutItem)
		if rec.PeriodStart.IsZero() || e.At.Before(rec.PeriodStart) {
			rec.PeriodStart = e.At
		}
		rec.PeriodEnd = engine.Later(e.At, rec.PeriodEnd)
	}
	rec.Amount, rec.Status = h.sum, row.Status
	if rec.Status == affiliate.PayoutPaid && rec.PaidAt.IsZero() {
		rec.PaidAt = affiliate.InstantOf(row.PaidAt)
	}
	rec.UpdatedAt = engine.Later(rec.PaidAt, rec.UpdatedAt)
	held, paid := split(rec)
	held, err := held.Sub(wasHeld)
	if err == nil {
		paid, err = paid.Sub(wasPaid)
	}
	if err != nil {
		return engine.TooLargeFor("amount", err)
	}
	if err := h.tellPayout(rec.AffiliateID, held, paid); err != nil {
		return err
	}
	return h.mark(rec.ID)
}

// split returns the amount of a payout by its account: held, or paid.
func split(r *record.Payout) (held, paid affiliate.Amount) {
	if r.Status == affiliate.PayoutPaid {
		return affiliate.Amount{}, r.Amount
	}
	return r.Amount, affiliate.Amount{}
}

// mark puts the fresh entries into the payout.
func (h *payoutEntries) mark(payout uuid.UUID) error {
	for _, rec := range h.sales {
		rec = rec.Clone()
		for i := range rec.Commissions {
			if c := &rec.Commissions[i]; c.Payable() {
				c.PayoutID, c.Frozen, c.UpdatedAt = payout, true, engine.Later(h.Now, c.UpdatedAt)
			}
		}
		rec.UpdatedAt = engine.Later(h.Now, rec.UpdatedAt)
		if err := h.Tx.Sales.Replace(rec); err != nil {
			return refusal.Internal("write sale", err)
		}
	}
	for _, rec := range h.bonuses {
		rec.PayoutID = payout
		if err := h.Tx.Adjustments.Replace(rec); err != nil {
			return refusal.Internal("write adjustment", err)
		}
	}
	return nil
}
