package reading

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

func movementOf(rec record.Movement) affiliate.Movement {
	return affiliate.Movement{
		Number: rec.Number, AffiliateID: rec.AffiliateID, At: affiliate.TimeOf(rec.At.Time()), From: rec.From.Value(), To: rec.To.Value(),
		Amount: rec.Amount, Cause: rec.Cause.Value(), SaleID: engine.OrNull(affiliate.SaleID(rec.Sale)), CommissionID: engine.OrNull(affiliate.CommissionID(rec.Commission)),
		PayoutID: engine.OrNull(rec.PayoutID), AdjustmentID: engine.OrNull(rec.AdjustmentID), LinkID: engine.OrNull(rec.LinkID), CodeID: engine.OrNull(rec.CodeID),
		Sales: rec.Sales, Conversions: rec.Conversions, Revenue: rec.Revenue, Refunds: rec.Refunds, Actor: rec.Actor,
	}
}
