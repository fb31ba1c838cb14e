package affiliate

import "errors"

// forwardSale brings a sale forward that has gone on at the other service.
func (im *importing) forwardSale(known ImportRecord, row *ImportedSale, digest string) (ImportRow, error) {
	if known.Kind != ImportedAsSale || known.Adopted {
		return im.changed(&known, fieldNotAsImported.Of("ref")), nil
	}
	before, err := im.tx.Sales.Get(known.Object)
	if errors.Is(err, ErrNotFound) {
		return im.changed(&known, unknownRef.Of("ref")), nil
	}
	if err != nil {
		return ImportRow{}, err
	}
	if why := known.holds(&before, row); why != nil {
		return im.changed(&known, why), nil
	}
	rec := before.Clone()
	if err := im.advance(&rec, row); err != nil {
		return ImportRow{}, err
	}
	if same(before, rec) {
		return im.changed(&known, fieldNotAsImported.Of("ref")), nil
	}
	if err := im.numberEntries(&rec); err != nil {
		return ImportRow{}, err
	}
	rec.UpdatedAt = later(im.now, rec.UpdatedAt)
	if err := im.tx.Sales.Replace(rec); err != nil {
		return ImportRow{}, internal("write sale", err)
	}
	if err := im.forwardPayment(&rec); err != nil {
		return ImportRow{}, err
	}
	if err := im.tellSale(&before, &rec); err != nil {
		return ImportRow{}, err
	}
	if known.Figures, err = rec.figures(); err != nil {
		return ImportRow{}, err
	}
	known.Digest = digest
	return ImportRow{ImportForwarded, known.Figures}, im.amend(known)
}

// holds tells why a row does not bring its sale forward: the sale was changed
// here, or the row says something else than that it has gone on.
func (r *ImportRecord) holds(sale *SaleRecord, row *ImportedSale) *Error {
	now, err := sale.figures()
	hand, byHand := sale.ByHand.Get()
	switch {
	case err != nil || now != r.Figures || !byHand || hand.Earned != now.Commission:
		return fieldNotAsImported.Of("ref") // refunded or changed here
	case row.TotalEarned != sale.TotalEarned:
		return fieldNotAsImported.Of("totalEarned")
	case row.Refunded.Cmp(sale.Refunded) < 0:
		return fieldNotAsImported.Of("refunded")
	case row.Refunded == sale.Refunded && row.CommissionEarned != now.Commission:
		return fieldNotAsImported.Of("commissionEarned")
	}
	return nil
}

// advance accepts a commission that was on hold, and refunds what was refunded
// since.
func (im *importing) advance(rec *SaleRecord, row *ImportedSale) error {
	first := &rec.Commissions[0]
	if first.Approval.Is(ApprovalOnHold) && row.Approval == ApprovalAccepted {
		first.Approval, first.HoldReason = EnumOf(row.Approval), Enum[HoldReason]{}
		first.UpdatedAt = later(im.now, first.UpdatedAt)
	}
	if row.Refunded == rec.Refunded {
		return nil
	}
	if err := rec.takeImported(row, im.now); err != nil {
		return err
	}
	return im.recompute(rec)
}
