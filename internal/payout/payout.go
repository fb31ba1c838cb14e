package payout

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// check refuses a status or a method that does not exist. On the wire the filter is
// a query, so its errors are of the query.
func check(f affiliate.PayoutFilter) error {
	return refusal.First(engine.InQuery(refusal.OneOfOrNone("status", f.Status, affiliate.PayoutStatuses())), engine.InQuery(refusal.OneOfOrNone("method", f.Method, affiliate.PaymentMethods())))
}

func payoutOf(o *engine.Op, rec record.Payout) affiliate.Payout {
	ids := []affiliate.CommissionID{}
	for _, n := range engine.CommissionsIn(&rec) {
		ids = append(ids, affiliate.CommissionID(n))
	}
	return affiliate.Payout{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Amount: rec.Amount, Currency: o.Cfg.Currency, Status: rec.Status,
		PaymentMethod: engine.OrNull(rec.PaymentMethod), PeriodStart: refusal.TimeOrNull(rec.PeriodStart),
		PeriodEnd: refusal.TimeOrNull(rec.PeriodEnd), ExternalID: engine.OrNull(rec.ExternalID), ManuallyPaid: rec.ManuallyPaid,
		PaidAt: refusal.TimeOrNull(rec.PaidAt), FailedReason: engine.OrNull(rec.FailedReason), CommissionIDs: ids, AdjustmentIDs: engine.AdjustmentsIn(&rec),
		PayeeName: engine.OrNull(rec.PayeeName), PayeeEmail: engine.OrNull(rec.PayeeEmail), CanceledAt: refusal.TimeOrNull(rec.CanceledAt), RunID: engine.OrNull(rec.RunID),
		ReturnedAt: refusal.TimeOrNull(rec.ReturnedAt), ReturnedReason: engine.OrNull(rec.ReturnedReason),
		CreatedAt: affiliate.TimeOf(rec.CreatedAt.Time()), UpdatedAt: affiliate.TimeOf(rec.UpdatedAt.Time()),
	}
}
