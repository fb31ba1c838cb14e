package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// What happens after a sale: refunds, chargebacks, bonuses and payouts.

// giveBack refunds the sale of an order. The shop reports every refund, also
// those of orders that no affiliate brought.
func (s *Shop) giveBack(ctx context.Context, r row) error {
	sale, err := s.saleOf(ctx, r)
	if err != nil {
		return s.tried(r, err, "no sale")
	}
	return s.refund(ctx, r, affiliate.Refund{
		SaleID: sale.ID, Amount: r.amount, RefundID: r.refund, ClawBack: r.clawback.Or(false),
	})
}

// saleOf returns the sale of an order.
func (s *Shop) saleOf(ctx context.Context, r row) (affiliate.Sale, error) {
	sales, err := s.Sales(ctx, affiliate.SaleQuery{ExternalID: affiliate.Set(r.id)}, affiliate.Page{})
	if err != nil {
		return affiliate.Sale{}, err
	}
	if len(sales.Items) == 0 {
		return affiliate.Sale{}, affiliate.ErrNotFound
	}
	return sales.Items[0], nil
}

func (s *Shop) refund(ctx context.Context, r row, in affiliate.Refund) error {
	result, err := s.RefundSale(ctx, in)
	if err == nil {
		s.Outcomes[Outcome{r.kind, string(result.Reason)}]++
	}
	return err
}

func (s *Shop) cancel(ctx context.Context, r row) error {
	_, err := s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: r.id}, affiliate.Reversal{})
	if errors.Is(err, affiliate.SaleNotFound) {
		err = affiliate.ErrNotFound
	}
	return s.tried(r, err, "no sale")
}

// chargeBack refunds the whole sale, so that it keeps its id: the bank may yet
// give the payment back.
func (s *Shop) chargeBack(ctx context.Context, r row) error {
	sale, err := s.saleOf(ctx, r)
	if err != nil {
		return s.tried(r, err, "no sale")
	}
	if err := s.refund(ctx, r, affiliate.Refund{SaleID: sale.ID, ClawBack: true}); err != nil {
		return err
	}
	if _, ok := r.amount.Get(); !ok {
		return nil
	}
	fee, err := affiliate.Amount{}.Sub(r.amount.Or(affiliate.Amount{}))
	if err != nil {
		return err
	}
	_, err = s.RecordAdjustment(ctx, affiliate.AdjustmentParams{
		AffiliateID: sale.AffiliateID, SaleID: sale.ID, Kind: affiliate.AdjustChargebackFee, Amount: fee,
		Reason: "The bank's fee", ExternalID: "fee of " + r.id,
	})
	return err
}

// winBack pays again what a chargeback took. The sale stays refunded.
func (s *Shop) winBack(ctx context.Context, r row) error {
	sale, err := s.saleOf(ctx, r)
	if err != nil {
		return s.tried(r, err, "no sale")
	}
	lost, err := s.taken(ctx, sale.ID)
	if err != nil {
		return err
	}
	_, err = s.RecordAdjustment(ctx, affiliate.AdjustmentParams{
		AffiliateID: sale.AffiliateID, SaleID: sale.ID, Kind: affiliate.AdjustDisputeWon, Amount: lost,
		Reason: "The bank decided for us", ExternalID: "won " + r.id,
	})
	if err != nil {
		return err
	}
	fees := affiliate.AdjustmentQuery{SaleID: affiliate.Set(sale.ID), Kind: affiliate.AdjustChargebackFee}
	for fee, err := range affiliate.All(ctx, s.Adjustments, fees) {
		if err == nil {
			_, err = s.RecordAdjustment(ctx,
				affiliate.AdjustmentParams{Reverses: fee.ID, Reason: "The bank gives its fee back"})
		}
		if err != nil {
			return err
		}
	}
	s.Outcomes[Outcome{r.kind, "recorded"}]++
	return nil
}

// taken returns what the last refund of a sale took from its affiliate.
func (s *Shop) taken(ctx context.Context, sale affiliate.SaleID) (affiliate.Amount, error) {
	for m, err := range affiliate.All(ctx, s.Movements, affiliate.MovementQuery{SaleID: affiliate.Set(sale)}) {
		if err != nil || m.Cause == affiliate.CauseClawBack || m.Cause == affiliate.CauseRefund {
			return m.Amount, err
		}
	}
	return affiliate.Amount{}, mistake("the sale was not refunded")
}

func (s *Shop) bonus(ctx context.Context, r row) error {
	id, err := s.affiliateID(ctx, r.email)
	if err != nil {
		return err
	}
	_, err = s.RecordAdjustment(ctx, affiliate.AdjustmentParams{
		AffiliateID: id, Kind: affiliate.AdjustBonus, Amount: r.amount.Or(affiliate.Amount{}),
		Reason: r.name, ExternalID: r.id,
	})
	return err
}

func (s *Shop) setPayee(ctx context.Context, r row) error {
	id, err := s.affiliateID(ctx, r.email)
	if err == nil {
		_, err = s.SetPayoutDetails(ctx, id, affiliate.PayoutDetails{Email: r.paypal, Method: "PAYPAL"})
	}
	return err
}

// end returns until as an instant; zero when it is not given.
func (s *Shop) end(r row) time.Time {
	if until, ok := r.until.Get(); ok {
		return until.Instant(s.Config().Location)
	}
	return time.Time{}
}

func (s *Shop) payOut(ctx context.Context, r row) error {
	id, err := s.affiliateID(ctx, r.email)
	if err != nil {
		return err
	}
	payout, err := s.CreatePayout(ctx, affiliate.PayoutParams{
		AffiliateID: id, ExternalID: r.id, Until: s.end(r), Minimum: r.minimum.Or(affiliate.Amount{}),
	})
	if err == nil {
		s.payouts[r.id] = payout.ID
	}
	return err
}

// payRun pays everybody to whom enough is due. Why the others are not paid is in
// the lines of the run.
func (s *Shop) payRun(ctx context.Context, r row) error {
	name := r.id
	if s.later > 0 {
		name = "run-" + r.at.Format(time.DateOnly)
	}
	run, err := s.RunPayouts(ctx, affiliate.PayoutRun{
		ExternalID: name, Until: s.end(r), Minimum: r.minimum,
	})
	if err == nil {
		s.runs[r.id] = run.ID
	}
	return err
}

func (s *Shop) paid(ctx context.Context, r row) error {
	return s.eachPayout(ctx, r, func(p affiliate.Payout) error {
		if r.email == "" && p.Status != affiliate.PayoutPending && p.Status != affiliate.PayoutProcessing {
			return nil
		}
		_, err := s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid)
		return err
	})
}

func (s *Shop) failed(ctx context.Context, r row) error {
	return s.eachPayout(ctx, r, func(p affiliate.Payout) error {
		_, err := s.FailPayout(ctx, p.ID, r.name)
		return err
	})
}

func (s *Shop) canceled(ctx context.Context, r row) error {
	return s.eachPayout(ctx, r, func(p affiliate.Payout) error {
		_, err := s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled)
		return err
	})
}

// eachPayout calls do with the payout that a row names, or with those of the run
// that it names. The email selects one of them.
func (s *Shop) eachPayout(ctx context.Context, r row, do func(affiliate.Payout) error) error {
	if id, ok := s.payouts[r.id]; ok {
		payout, err := s.Payout(ctx, id)
		if err == nil {
			err = do(payout)
		}
		return err
	}
	run, ok := s.runs[r.id]
	if !ok {
		return mistake(fmt.Sprintf("there is no payout %q", r.id))
	}
	of := affiliate.PayoutQuery{RunID: affiliate.Set(run)}
	if r.email != "" {
		id, err := s.affiliateID(ctx, r.email)
		if err != nil {
			return err
		}
		of.AffiliateID = affiliate.Set(id)
	}
	found := false
	for payout, err := range affiliate.All(ctx, s.Payouts, of) {
		if err == nil {
			found, err = true, do(payout)
		}
		if err != nil {
			return err
		}
	}
	if !found && r.email != "" {
		return mistake(fmt.Sprintf("%q paid nothing to %s", r.id, r.email))
	}
	return nil
}
