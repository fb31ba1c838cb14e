package imports

import (
	"errors"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// forwardSale updates an imported sale to its newer state at the other service.
func (im *importing) forwardSale(known record.Import, row *imported.Sale, digest string) (imported.Row, error) {
	if known.Kind != record.ImportedAsSale || known.Adopted {
		return im.changed(&known, refusal.FieldNotAsImported.Of("ref")), nil
	}
	before, err := im.Tx.Sales.Get(known.Object)
	if errors.Is(err, affiliate.ErrNotFound) {
		return im.changed(&known, refusal.UnknownRef.Of("ref")), nil
	}
	if err != nil {
		return imported.Row{}, err
	}
	if why := holds(&known, &before, row); why != nil {
		return im.changed(&known, why), nil
	}
	rec := before.Clone()
	if err := im.advance(&rec, row); err != nil {
		return imported.Row{}, err
	}
	if engine.Same(before, rec) {
		return im.changed(&known, refusal.FieldNotAsImported.Of("ref")), nil
	}
	if err := im.NumberEntries(&rec); err != nil {
		return imported.Row{}, err
	}
	rec.UpdatedAt = engine.Later(im.Now, rec.UpdatedAt)
	if err := im.Tx.Sales.Replace(rec); err != nil {
		return imported.Row{}, refusal.Internal("write sale", err)
	}
	if err := im.forwardPayment(&rec); err != nil {
		return imported.Row{}, err
	}
	if err := im.tellSale(&before, &rec); err != nil {
		return imported.Row{}, err
	}
	if known.Figures, err = figures(&rec); err != nil {
		return imported.Row{}, err
	}
	known.Digest = digest
	return imported.Row{Outcome: imported.Forwarded, Stored: known.Figures}, im.amend(known)
}

// holds returns why a row does not update its sale, or nil: the sale was
// changed here, or the row differs in more than its newer state.
func holds(r *record.Import, sale *record.Sale, row *imported.Sale) *affiliate.Error {
	now, err := figures(sale)
	hand, byHand := sale.ByHand.Get()
	switch {
	case err != nil || now != r.Figures || !byHand || hand.Earned != now.Commission:
		return refusal.FieldNotAsImported.Of("ref") // refunded or changed here
	case row.TotalEarned != sale.TotalEarned:
		return refusal.FieldNotAsImported.Of("totalEarned")
	case row.Refunded.Cmp(sale.Refunded) < 0:
		return refusal.FieldNotAsImported.Of("refunded")
	case row.Refunded == sale.Refunded && row.CommissionEarned != now.Commission:
		return refusal.FieldNotAsImported.Of("commissionEarned")
	}
	return nil
}

// advance accepts a commission that was on hold, and refunds what was refunded
// since.
func (im *importing) advance(rec *record.Sale, row *imported.Sale) error {
	first := &rec.Commissions[0]
	if first.Approval.Is(affiliate.ApprovalOnHold) && row.Approval == affiliate.ApprovalAccepted {
		first.Approval, first.HoldReason = affiliate.EnumOf(row.Approval), affiliate.Enum[affiliate.HoldReason]{}
		first.UpdatedAt = engine.Later(im.Now, first.UpdatedAt)
	}
	if row.Refunded == rec.Refunded {
		return nil
	}
	if err := saleTakeImported(rec, row, im.Now); err != nil {
		return err
	}
	return im.Recompute(rec)
}
