package robustness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A treasury is the trade of one affiliate's sales of 100 at 20 %, refunds with
// and without claw-back, bonuses, payouts with every status, and balances. It
// stops the clocks, because a payout takes what was recorded up to its own time;
// clients of a process whose clock is ahead see what others cannot pay yet.
type treasury struct {
	mara uuid.UUID
	left struct {
		sync.Mutex
		sales, payouts, bonuses int // how many more may be tried
	}
	sales   ids[affiliate.SaleID]
	payouts ids[uuid.UUID]
	bonuses ids[uuid.UUID]
}

const mostSales, mostPayouts, mostBonuses = 20, 40, 12

type moneyVerb uint8

const (
	earn moneyVerb = iota
	giveBack
	unmake
	award
	takeBack // the bonus
	payOut
	setStatus
	readBalance
	readPayout
	readSale
)

// A moneyIn is one call.
type moneyIn struct {
	verb   moneyVerb
	ahead  bool // by a process whose clock is ahead
	sale   affiliate.SaleID
	record uuid.UUID // payout or bonus
	part   int       // of a refund: its id; 0: the whole rest
	claw   bool
	ext    int
	status affiliate.PayoutStatus
}

// A moneyOut is its answer.
type moneyOut struct {
	fate
	sale    affiliate.SaleID
	record  uuid.UUID
	again   bool
	amount  int16 // of a payout, or the commission of a sale
	status  affiliate.PayoutStatus
	balance balance
}

// A balance is what readBalance shows, in whole units.
type balance struct{ payable, inPayout, paid, earned int16 }

func (d *treasury) open(ctx context.Context, ops api.Operations) error {
	d.left.sales, d.left.payouts, d.left.bonuses = mostSales, mostPayouts, mostBonuses
	mara, err := ops.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Mara", LastName: "L", Email: "mara@example.com"})
	if err != nil {
		return err
	}
	d.mara = mara.ID
	coupon, err := ops.CreateCoupon(ctx, affiliate.CouponParams{Name: "All", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	if err != nil {
		return err
	}
	_, err = ops.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: codeText(1), AffiliateID: mara.ID})
	return err
}

// draw is a call at random.
func (d *treasury) draw(r *rand.Rand, at turn) moneyIn {
	in := moneyIn{ahead: at.ahead, claw: r.IntN(4) > 0}
	for _, v := range []struct {
		verb  moneyVerb
		share int
	}{{earn, 10}, {giveBack, 18}, {unmake, 4}, {award, 8}, {takeBack, 6}, {payOut, 16}, {setStatus, 34}, {readBalance, 40}, {readPayout, 40}, {readSale, 100}} {
		if in.verb = v.verb; r.IntN(100) < v.share {
			break
		}
	}
	known := true
	switch in.verb {
	case earn:
		known = d.spend(&d.left.sales)
	case giveBack, unmake, readSale:
		in.part = r.IntN(4)
		in.sale, known = d.sales.draw(r)
	case award:
		in.ext = 1 + r.IntN(8)
		known = d.spend(&d.left.bonuses)
	case takeBack:
		in.record, known = d.bonuses.draw(r)
		known = known && d.spend(&d.left.bonuses)
	case payOut:
		known = d.spend(&d.left.payouts)
	case setStatus, readPayout:
		all := []affiliate.PayoutStatus{affiliate.PayoutPaid, affiliate.PayoutProcessing, affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutCanceled, affiliate.PayoutReturned}
		in.status = all[r.IntN(len(all))]
		in.record, known = d.payouts.draw(r)
	}
	if !known {
		return moneyIn{verb: readBalance, ahead: at.ahead}
	}
	return in
}

// spend reports whether something may be tried once more.
func (d *treasury) spend(left *int) bool {
	d.left.Lock()
	defer d.left.Unlock()
	*left--
	return *left >= 0
}

func (d *treasury) call(ctx context.Context, ops api.Operations, r *rand.Rand, at turn) (any, outputOfCall, bool) {
	in := d.draw(r, at)
	out := d.answer(ctx, ops, in)
	return in, out, in.verb >= readBalance
}

func (d *treasury) answer(ctx context.Context, ops api.Operations, in moneyIn) (out moneyOut) {
	var err error
	switch in.verb {
	case earn:
		got, failed := ops.RecordSale(ctx, affiliate.SaleParams{PromoCode: codeText(1), TotalEarned: affiliate.MustAmount("100")})
		if s, ok := got.Sale.Get(); ok {
			out.sale = s.ID
			d.sales.add(s.ID)
		}
		err = failed
	case giveBack:
		re := affiliate.Refund{SaleID: in.sale, ClawBack: in.claw}
		if in.part > 0 {
			re.RefundID, re.Amount = fmt.Sprint("r", in.part), affiliate.Set(affiliate.MustAmount("40"))
		}
		got, failed := ops.RefundSale(ctx, re)
		out.again, err = got.AlreadyRefunded, failed
	case unmake:
		err = ops.DeleteSale(ctx, in.sale)
	case award, takeBack:
		return d.bonus(ctx, ops, in)
	case payOut, setStatus, readPayout:
		return d.payout(ctx, ops, in)
	case readSale:
		got, failed := ops.Sale(ctx, in.sale)
		out.amount, err = units(got.CommissionEarned), failed
	case readBalance:
		got, failed := ops.Balance(ctx, affiliate.AffiliateRef{ID: d.mara})
		err = failed
		out.balance = balance{units(got.Payable) + units(got.Maturing), units(got.InPayout), units(got.Paid), units(got.Earned)}
	}
	out.fate = fateOf(err)
	return out
}

func (d *treasury) bonus(ctx context.Context, ops api.Operations, in moneyIn) moneyOut {
	bonus := affiliate.AdjustmentParams{AffiliateID: d.mara, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("6"), Reason: "r", ExternalID: fmt.Sprint("b", in.ext)}
	if in.verb == takeBack {
		bonus = affiliate.AdjustmentParams{Reverses: in.record, Reason: "r"}
	}
	got, err := ops.RecordAdjustment(ctx, bonus)
	if err == nil && in.verb == award {
		d.bonuses.add(got.ID)
	}
	return moneyOut{fate: fateOf(err), record: got.ID}
}

func (d *treasury) payout(ctx context.Context, ops api.Operations, in moneyIn) moneyOut {
	var got affiliate.Payout
	var err error
	switch in.verb {
	case payOut:
		if got, err = ops.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: d.mara}); err == nil {
			d.payouts.add(got.ID)
		}
	case setStatus:
		got, err = ops.SetPayoutStatus(ctx, in.record, in.status)
	case readPayout:
		got, err = ops.Payout(ctx, in.record)
	}
	return moneyOut{fate: fateOf(err), record: got.ID, amount: units(got.Amount), status: got.Status}
}

// units is an amount in whole units.
func units(a affiliate.Amount) int16 { return int16(a.Scaled() / 10_000) }
