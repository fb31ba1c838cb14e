package affiliate

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
)

// An ImportedPayout is a payout of another service: what it paid, or is going
// to pay, of the commissions and bonuses that were imported.
type ImportedPayout struct {
	Ref        string       // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt  time.Time    `json:",omitzero"` // zero: PaidAt, else now; in the future: refused
	PaidAt     time.Time    `json:",omitzero"` // only of PAID; zero: CreatedAt
	Status     PayoutStatus `json:",omitzero"` // any but CANCELED; empty: PAID with PaidAt, else PENDING
	Sales      []string     `json:",omitzero"` // refs of sales and bonuses of one affiliate, all ACCEPTED
	Amount     Amount       `json:",omitzero"` // > 0: the sum of their commissions
	ExternalID string       `json:",omitzero"`
}

// ImportPayouts adds payouts of another service in one transaction, without
// events. Its commissions belong to the payout from then on, so that nobody pays
// them again. Rows that cannot be imported are reported; the others are imported.
//
// A row that was imported before gets its newer state: a status that follows, and
// commissions that came since. Any other difference is noted and not written.
//
// Errors: [BulkLimitExceeded]; those of the store. Of a row: [InvalidField],
// [UnknownRef], [IdentifiersMismatch] when the sales are of several affiliates,
// [IncludedInPayout] when another payout has one of them.
//
// Effects: payouts, the commissions in them, movements of affiliates whose books
// are open, the ledger.
//
// Source: docs/import.md.
func (p *Program) ImportPayouts(ctx context.Context, rows []ImportedPayout) (_ ImportReport, err error) {
	defer p.begin(&ctx, "ImportPayouts", writes).end(&err)
	o := p.op(ctx)
	rq := request{name: "payout.import", refused: first(p.checkImport(len(rows)))}
	if p.once.Key != "" {
		rq.input = rows
	}
	digests := make([]string, len(rows))
	reading := &importReading{}
	for i := range rows {
		digests[i] = importDigest(rows[i])
		reading.refs = append(append(reading.refs, rows[i].Ref), rows[i].Sales...)
	}
	o.ahead = reading
	return importRows(o, rq, slices.Clone(rows), o.normalizeImportedPayout, func(im *importing, row *ImportedPayout, i int) (ImportRow, error) {
		return im.payout(row, digests[i])
	})
}

// importablePayouts are the statuses of an imported payout.
var importablePayouts = slices.DeleteFunc(slices.Clone(payoutStatuses), func(s PayoutStatus) bool { return s == PayoutCanceled || s == PayoutReturned })

func (o *op) normalizeImportedPayout(row *ImportedPayout) error {
	if row.Status == "" {
		row.Status = PayoutPending
		if !row.PaidAt.IsZero() {
			row.Status = PayoutPaid
		}
	}
	if row.CreatedAt.IsZero() {
		row.CreatedAt = row.PaidAt
	}
	if row.PaidAt.IsZero() {
		row.PaidAt = row.CreatedAt
	}
	return first(
		checkRef(row.Ref),
		oneOf("status", row.Status, importablePayouts),
		o.importedAt("createdAt", &row.CreatedAt),
		o.importedAt("paidAt", &row.PaidAt),
		FieldEmpty.about("sales").when(len(row.Sales) == 0),
		FieldNotDistinct.about("sales").when(len(distinct(row.Sales)) < len(row.Sales)),
		adjustmentNotPositive.when(row.Amount.Sign() <= 0),
		optional("externalId", row.ExternalID, maxName),
	)
}

// payout stores a row.
func (im *importing) payout(row *ImportedPayout, digest string) (ImportRow, error) {
	known, found, err := im.imported(row.Ref)
	if err != nil {
		return ImportRow{}, err
	}
	if found && known.Digest == digest {
		return ImportRow{ImportExisting, known.Figures}, nil
	}
	if found {
		return im.forwardPayout(known, row, digest)
	}
	held := paying{importing: im}
	if err := held.collect(row, uuid.Nil); err != nil {
		return ImportRow{}, err
	}
	aff, err := im.tx.Affiliates.Get(held.owner)
	if err != nil {
		return ImportRow{}, internal("affiliate of a payout", err)
	}
	at := InstantOf(row.CreatedAt)
	rec := PayoutRecord{
		ID: im.newIDAt(row.CreatedAt), AffiliateID: aff.ID, ExternalID: row.ExternalID,
		PaymentMethod: aff.PaymentMethod, PayeeName: aff.name(), PayeeEmail: aff.PayoutEmail, CreatedAt: at, UpdatedAt: at,
	}
	if err := held.put(&rec, row); err != nil {
		return ImportRow{}, err
	}
	if err := im.tx.Payouts.Insert(rec); err != nil {
		return ImportRow{}, internal("write payout", err)
	}
	figures, err := im.paid(rec.ID)
	if err != nil {
		return ImportRow{}, err
	}
	return ImportRow{ImportCreated, figures}, im.enroll(ImportRecord{
		Ref: row.Ref, Kind: ImportedAsPayout, Object: rec.ID, Digest: digest, Figures: figures,
	})
}

// paid are the figures of a stored payout.
func (im *importing) paid(id uuid.UUID) (ImportFigures, error) {
	rec, err := im.tx.Payouts.Get(id)
	if err != nil {
		return ImportFigures{}, internal("read payout", err)
	}
	return ImportFigures{Payouts: rec.Amount}, nil
}

// forwardPayout brings a payout forward that has gone on at the other service.
func (im *importing) forwardPayout(known ImportRecord, row *ImportedPayout, digest string) (ImportRow, error) {
	rec, err := im.tx.Payouts.Get(known.Object)
	if errors.Is(err, ErrNotFound) || known.Kind != ImportedAsPayout {
		return im.changed(&known, unknownRef.Of("ref")), nil
	}
	if err != nil {
		return ImportRow{}, err
	}
	rec = rec.Clone()
	held := paying{importing: im}
	why := held.collect(row, rec.ID)
	refusal, refused := errors.AsType[*Error](why)
	switch {
	case why != nil && !refused:
		return ImportRow{}, why
	case refused:
		return im.changed(&known, refusal), nil
	case held.owner != rec.AffiliateID || held.kept != len(rec.Items):
		return im.changed(&known, fieldNotAsImported.Of("sales")), nil
	case rec.Status != row.Status && !slices.Contains(rec.Status.Next(), row.Status):
		return im.changed(&known, fieldNotAsImported.Of("status")), nil
	case rec.Status == row.Status && len(held.fresh) == 0:
		return im.changed(&known, fieldNotAsImported.Of("ref")), nil
	}
	if err := held.put(&rec, row); err != nil {
		return ImportRow{}, err
	}
	rec.UpdatedAt = later(im.now, rec.UpdatedAt)
	if err := im.tx.Payouts.Replace(rec); err != nil {
		return ImportRow{}, internal("write payout", err)
	}
	if known.Figures, err = im.paid(rec.ID); err != nil {
		return ImportRow{}, err
	}
	known.Digest = digest
	return ImportRow{ImportForwarded, known.Figures}, im.amend(known)
}

// A paying is what the refs of a payout name.
type paying struct {
	*importing
	owner   uuid.UUID
	sales   []SaleRecord // of fresh
	bonuses []AdjustmentRecord
	fresh   []openEntry // that no payout has
	kept    int         // entries that the payout itself has
	sum     Amount
}

// collect finds the entries that a row names, and checks that they are free, or
// in the payout self, and add up to its amount.
func (h *paying) collect(row *ImportedPayout, self uuid.UUID) error {
	for _, ref := range row.Sales {
		known, found, err := h.imported(ref)
		if err != nil {
			return err
		}
		switch {
		case !found:
			return unknownRef.Of("sales")
		case known.Kind == ImportedAsSale:
			err = h.addSale(known.Object, self)
		case known.Kind == ImportedAsBonus:
			err = h.addBonus(known.Object, self)
		default:
			return unknownRef.Of("sales")
		}
		if err != nil {
			return err
		}
	}
	if h.sum != row.Amount {
		return fieldNotTheSum.Of("amount")
	}
	return nil
}

func (h *paying) addSale(id, self uuid.UUID) error {
	rec, err := h.tx.Sales.Get(id)
	if err != nil {
		return unknownRef.about("sales").ifMissing(err)
	}
	fresh := false
	for i := range rec.Commissions {
		c := &rec.Commissions[i]
		if c.Earned.IsZero() {
			continue
		}
		if !c.Approval.Is(ApprovalAccepted) {
			return fieldNotAccepted.Of("sales")
		}
		item := PayoutItem{Sale: rec.Number, Commission: c.Number}
		at := rec.entryTime(c)
		if err := h.take(openEntry{item, at, at, c.Earned}, rec.AffiliateID, c.PayoutID, self); err != nil {
			return err
		}
		fresh = fresh || c.PayoutID == uuid.Nil
	}
	if fresh {
		h.sales = append(h.sales, rec)
	}
	return nil
}

func (h *paying) addBonus(id, self uuid.UUID) error {
	rec, err := h.tx.Adjustments.Get(id)
	if err != nil {
		return unknownRef.about("sales").ifMissing(err)
	}
	item := PayoutItem{Adjustment: rec.ID}
	if rec.PayoutID == uuid.Nil {
		h.bonuses = append(h.bonuses, rec)
	}
	return h.take(openEntry{item, rec.CreatedAt, rec.CreatedAt, rec.Amount}, rec.AffiliateID, rec.PayoutID, self)
}

// take counts an entry that is in the payout in, or in none.
func (h *paying) take(e openEntry, owner, in, self uuid.UUID) (err error) {
	if h.owner == uuid.Nil {
		h.owner = owner
	}
	switch {
	case owner != h.owner:
		return identifiersMismatch.on("sales")
	case in != uuid.Nil && in != self:
		return includedInPayout.on("sales")
	case in != uuid.Nil:
		h.kept++
	default:
		h.fresh = append(h.fresh, e)
	}
	h.sum, err = h.sum.Add(e.amount)
	return tooLargeFor("amount", err)
}

// put puts the entries into the payout and gives it the row's status.
func (h *paying) put(rec *PayoutRecord, row *ImportedPayout) error {
	wasHeld, wasPaid := rec.split()
	slices.SortFunc(h.fresh, openEntry.compare)
	for _, e := range h.fresh {
		rec.Items = append(rec.Items, e.PayoutItem)
		if rec.PeriodStart.IsZero() || e.at.Before(rec.PeriodStart) {
			rec.PeriodStart = e.at
		}
		rec.PeriodEnd = later(e.at, rec.PeriodEnd)
	}
	rec.Amount, rec.Status = h.sum, row.Status
	if rec.Status == PayoutPaid && rec.PaidAt.IsZero() {
		rec.PaidAt = InstantOf(row.PaidAt)
	}
	rec.UpdatedAt = later(rec.PaidAt, rec.UpdatedAt)
	held, paid := rec.split()
	held, err := held.Sub(wasHeld)
	if err == nil {
		paid, err = paid.Sub(wasPaid)
	}
	if err != nil {
		return tooLargeFor("amount", err)
	}
	if err := h.tellPayout(rec.AffiliateID, held, paid); err != nil {
		return err
	}
	return h.mark(rec.ID)
}

// split is the amount of a payout by its account: held, or paid.
func (r *PayoutRecord) split() (held, paid Amount) {
	if r.Status == PayoutPaid {
		return Amount{}, r.Amount
	}
	return r.Amount, Amount{}
}

// mark puts the fresh entries into the payout.
func (h *paying) mark(payout uuid.UUID) error {
	for _, rec := range h.sales {
		rec = rec.Clone()
		for i := range rec.Commissions {
			if c := &rec.Commissions[i]; c.payable() {
				c.PayoutID, c.Frozen, c.UpdatedAt = payout, true, later(h.now, c.UpdatedAt)
			}
		}
		rec.UpdatedAt = later(h.now, rec.UpdatedAt)
		if err := h.tx.Sales.Replace(rec); err != nil {
			return internal("write sale", err)
		}
	}
	for _, rec := range h.bonuses {
		rec.PayoutID = payout
		if err := h.tx.Adjustments.Replace(rec); err != nil {
			return internal("write adjustment", err)
		}
	}
	return nil
}
