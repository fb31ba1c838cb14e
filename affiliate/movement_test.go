package affiliate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// owes fails the test unless this is Ada's balance.
func (s saleShop) owes(want affiliate.Balance) {
	s.t.Helper()
	want.AffiliateID, want.Currency, want.At = s.ada.affiliate.ID, s.Config().Currency, affiliate.TimeOf(s.now)
	if diff := cmp.Diff(want, must(s.Balance(context.Background(), s.ada.affiliate.ID))); diff != "" {
		s.t.Errorf("balance (-want +got):\n%s", diff)
	}
}

// stands is owes with the amounts that are payable, in payouts, paid and earned.
func (s saleShop) stands(movements int64, payable, inPayout, paid, earned string) {
	s.t.Helper()
	s.owes(affiliate.Balance{Payable: sum(payable), InPayout: sum(inPayout), Paid: sum(paid), Earned: sum(earned), Movements: movements})
}

// moved are Ada's movements, oldest first, each as a line.
func (s saleShop) moved(f affiliate.MovementFilter) []string {
	s.t.Helper()
	f.AffiliateID = affiliate.Set(s.ada.affiliate.ID)
	lines := []string{}
	for m, err := range affiliate.All(context.Background(), s.Movements, f) {
		if err != nil {
			s.t.Fatal(err)
		}
		line := fmt.Sprintf("%d %s %v %s-%s", m.Number, m.Cause, m.Amount, m.From, m.To)
		if id, ok := m.SaleID.Get(); ok {
			line += fmt.Sprintf(" of sale %d, commission %d: sales %d, revenue %v, refunds %v", id, m.CommissionID.Or(0), m.Sales, m.Revenue, m.Refunds)
		}
		lines = append([]string{line}, lines...)
	}
	return lines
}

// docs/money.md, checks 6 and 20 with the balances of checks 2 to 19, in their
// order on one program.
func TestLedgerStory(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	pay := func() affiliate.Payout {
		return must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID}))
	}
	s.stands(0, "0", "0", "0", "0")
	s1 := s.toTomas("100")
	s.stands(1, "20", "0", "0", "20")
	p1 := pay()
	s.clawsBack(s1.ID, "60", "r1")
	s.stands(3, "-12", "20", "0", "8") // 6
	s.moves(p1, affiliate.PayoutPaid)
	s.stands(4, "-12", "0", "20", "8") // 7
	s.clawsBack(s1.ID, "", "")
	s.stands(5, "-20", "0", "20", "0") // 9
	s2 := s.toTomas("150")
	p2 := pay()
	must(s.UpdateSale(ctx, s2.ID, affiliate.SaleUpdate{TotalEarned: amount("200"), ClawBack: true}))
	s.stands(8, "10", "10", "20", "40") // 13
	s.moves(p2, affiliate.PayoutProcessing)
	must(s.FailPayout(ctx, p2.ID, "x"))
	s.stands(8, "10", "10", "20", "40") // 14
	must(s.CancelPayout(ctx, p2.ID))
	s.stands(9, "20", "0", "20", "40")
	pay() // 16
	bonus := s.adjust(affiliate.NewAdjustment{AffiliateID: s.ada.affiliate.ID, Kind: affiliate.AdjustBonus, Amount: sum("25")})
	s.stands(11, "25", "20", "20", "65") // 17
	must(s.RecordAdjustment(ctx, affiliate.NewAdjustment{Reverses: bonus.ID, Reason: "typo"}))
	s.stands(12, "0", "20", "20", "40") // 19
	s.verify()
	want := []string{ // 20
		"1 SALE 20 ACCRUAL-PAYABLE of sale 1, commission 1: sales 1, revenue 100, refunds 0",
		"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT",
		"3 CLAW_BACK 12 PAYABLE-ACCRUAL of sale 1, commission 2: sales 0, revenue 0, refunds 60",
		"4 PAYOUT_PAID 20 IN_PAYOUT-PAID",
		"5 CLAW_BACK 8 PAYABLE-ACCRUAL of sale 1, commission 3: sales 0, revenue 0, refunds 40",
		"6 SALE 30 ACCRUAL-PAYABLE of sale 2, commission 4: sales 1, revenue 150, refunds 0",
		"7 PAYOUT_CREATED 10 PAYABLE-IN_PAYOUT",
		"8 UPDATE 10 ACCRUAL-PAYABLE of sale 2, commission 5: sales 0, revenue 50, refunds 0",
		"9 PAYOUT_CANCELED 10 IN_PAYOUT-PAYABLE",
		"10 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT",
		"11 ADJUSTMENT 25 ACCRUAL-PAYABLE",
		"12 ADJUSTMENT 25 PAYABLE-ACCRUAL",
	}
	if diff := cmp.Diff(want, s.moved(affiliate.MovementFilter{})); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	for name, tt := range map[string]struct {
		filter affiliate.MovementFilter
		want   []string
	}{
		"payout":            {affiliate.MovementFilter{PayoutID: affiliate.Set(p1.ID)}, []string{want[1], want[3]}},
		"canceled payout":   {affiliate.MovementFilter{PayoutID: affiliate.Set(p2.ID)}, []string{want[6], want[8]}},
		"sale":              {affiliate.MovementFilter{SaleID: affiliate.Set(s1.ID)}, []string{want[0], want[2], want[4]}},
		"adjustment":        {affiliate.MovementFilter{AdjustmentID: affiliate.Set(bonus.ID)}, []string{want[10]}},
		"cause":             {affiliate.MovementFilter{Cause: affiliate.CausePayoutPaid}, []string{want[3]}},
		"sale and cause":    {affiliate.MovementFilter{SaleID: affiliate.Set(s1.ID), Cause: affiliate.CauseSale}, want[:1]},
		"sale and payout":   {affiliate.MovementFilter{SaleID: affiliate.Set(s1.ID), PayoutID: affiliate.Set(p1.ID)}, []string{}},
		"nothing":           {affiliate.MovementFilter{PayoutID: affiliate.Null[uuid.UUID]()}, []string{}},
		"unknown payout":    {affiliate.MovementFilter{PayoutID: affiliate.Set(uuid.Max)}, []string{}},
		"another affiliate": {affiliate.MovementFilter{AffiliateEmail: affiliate.Set("nobody@example.org")}, []string{}},
	} {
		if diff := cmp.Diff(tt.want, s.moved(tt.filter)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// M45, M46: what each change of a sale moves.
func TestMovements(t *testing.T) {
	ctx := t.Context()
	update := func(up affiliate.SaleUpdate) func(saleShop, affiliate.Sale) {
		return func(s saleShop, sale affiliate.Sale) { must(s.UpdateSale(ctx, sale.ID, up)) }
	}
	refund := func(part string) func(saleShop, affiliate.Sale) {
		return func(s saleShop, sale affiliate.Sale) {
			must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: amount(part)}))
		}
	}
	review := func(statuses ...affiliate.ApprovalStatus) func(saleShop, affiliate.Sale) {
		return func(s saleShop, sale affiliate.Sale) {
			for _, status := range statuses {
				must(s.ReviewCommissions(ctx, status, sale.ID))
			}
		}
	}
	remove := func(s saleShop, sale affiliate.Sale) { must(0, s.DeleteSale(ctx, sale.ID)) }
	canceled := func(s saleShop, sale affiliate.Sale) {
		p := s.payout()
		s.clawsBack(sale.ID, "", "")
		must(s.CancelPayout(ctx, p.ID))
	}
	byHand := func(s saleShop, _ affiliate.Sale) {
		s.payout(func(in *affiliate.NewPayout) { in.ManuallyPaid = true })
	}
	recalculate := func(s saleShop, _ affiliate.Sale) {
		must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.affiliate.ID}, affiliate.AffiliateUpdate{CommissionRate: percent("10")}))
		must(s.RecalculateSales(ctx, affiliate.SaleFilter{}))
	}
	const held, declined, accepted = affiliate.ApprovalOnHold, affiliate.ApprovalDeclined, affiliate.ApprovalAccepted
	for _, tt := range []struct {
		name string
		rate string
		do   []func(saleShop, affiliate.Sale)
		want []string
	}{
		{"a name", "", []func(saleShop, affiliate.Sale){update(affiliate.SaleUpdate{Name: textOf("x")})}, nil},
		{"a higher total", "", []func(saleShop, affiliate.Sale){update(affiliate.SaleUpdate{TotalEarned: amount("150")})},
			[]string{"2 UPDATE 10 ACCRUAL-PAYABLE of sale 1, commission 1: sales 0, revenue 50, refunds 0"}},
		{"a commission by hand", "", []func(saleShop, affiliate.Sale){update(affiliate.SaleUpdate{CommissionEarned: amount("5")})},
			[]string{"2 UPDATE 15 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0"}},
		{"refunds", "", []func(saleShop, affiliate.Sale){refund("60"), refund("40")}, []string{
			"2 REFUND 12 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 60",
			"3 REFUND 8 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 40",
		}},
		{"a refund that rounds to nothing", "", []func(saleShop, affiliate.Sale){refund("0.01")},
			[]string{"2 REFUND 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0.01"}},
		{"held and accepted", "", []func(saleShop, affiliate.Sale){review(held, accepted)}, []string{
			"2 REVIEW 20 PAYABLE-HELD of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"3 REVIEW 20 HELD-PAYABLE of sale 1, commission 1: sales 0, revenue 0, refunds 0",
		}},
		{"held, refunded, declined, refunded, held", "", []func(saleShop, affiliate.Sale){review(held), refund("50"), review(declined), refund("10"), review(held)}, []string{
			"2 REVIEW 20 PAYABLE-HELD of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"3 REFUND 10 HELD-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 50",
			"4 REVIEW 10 HELD-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"5 REFUND 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 10",
			"6 REVIEW 8 ACCRUAL-HELD of sale 1, commission 1: sales 0, revenue 0, refunds 0",
		}},
		{"deleted", "", []func(saleShop, affiliate.Sale){refund("50"), remove}, []string{
			"2 REFUND 10 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 50",
			"3 DELETION 10 PAYABLE-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds -50",
		}},
		{"deleted when declined", "", []func(saleShop, affiliate.Sale){review(declined), remove}, []string{
			"2 REVIEW 20 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"3 DELETION 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds 0",
		}},
		{"deleted after a canceled payout", "", []func(saleShop, affiliate.Sale){canceled, remove}, []string{
			"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT",
			"3 CLAW_BACK 20 PAYABLE-ACCRUAL of sale 1, commission 2: sales 0, revenue 0, refunds 100",
			"4 PAYOUT_CANCELED 20 IN_PAYOUT-PAYABLE",
			"5 DELETION 0 ACCRUAL-ACCRUAL of sale 1, commission 0: sales -1, revenue -100, refunds -100",
		}},
		{"53 manually paid", "", []func(saleShop, affiliate.Sale){byHand}, []string{"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT", "3 PAYOUT_PAID 20 IN_PAYOUT-PAID"}},
		{"a claw-back that rounds to nothing", "", []func(saleShop, affiliate.Sale){byHand, func(s saleShop, sale affiliate.Sale) { s.clawsBack(sale.ID, "0.01", "") }}, []string{
			"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT", "3 PAYOUT_PAID 20 IN_PAYOUT-PAID",
			"4 CLAW_BACK 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0.01",
		}},
		{"no commission", "0", []func(saleShop, affiliate.Sale){refund("50"), remove}, []string{
			"2 REFUND 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 50",
			"3 DELETION 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds -50",
		}},
		{"recalculated", "", []func(saleShop, affiliate.Sale){recalculate},
			[]string{"2 UPDATE 10 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSaleShop(t)
			in, first := affiliate.NewSale{Email: s.tomas.Email, TotalEarned: sum("100")}, "1 SALE 20 ACCRUAL-PAYABLE of sale 1, commission 1: sales 1, revenue 100, refunds 0"
			if tt.rate != "" {
				in.CommissionRate, first = percent(tt.rate), "1 SALE 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 1, revenue 100, refunds 0"
			}
			sale := s.sell(in)
			for _, do := range tt.do {
				do(s, sale)
				s.verify()
			}
			if diff := cmp.Diff(append([]string{first}, tt.want...), s.moved(affiliate.MovementFilter{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// M48: the time of a movement never goes back, and a range of time has exactly
// the movements in it. Numbers order those of one moment.
func TestMovementTimes(t *testing.T) {
	s := newSaleShop(t)
	for i := range 30 {
		s.toTomas("1")
		s.pass([]time.Duration{0, time.Microsecond, time.Millisecond, -time.Second, 2 * time.Second}[i%5])
	}
	s.verify()
	all := must(s.Movements(t.Context(), affiliate.MovementFilter{}, affiliate.Page{})).Items
	for i, m := range all {
		if want := int64(len(all) - i); m.Number != want {
			t.Fatalf("number %d, want %d", m.Number, want)
		}
		if i > 0 && m.At.Time().After(all[i-1].At.Time()) {
			t.Errorf("%d is at %v, %d at %v", m.Number, m.At, all[i-1].Number, all[i-1].At)
		}
	}
	from, to := all[20].At.Time(), all[5].At.Time()
	want := 0
	for _, m := range all {
		if at := m.At.Time(); !at.Before(from) && at.Before(to) {
			want++
		}
	}
	got := 0
	for m, err := range affiliate.Each(3, func(pg affiliate.Page) (affiliate.List[affiliate.Movement], error) {
		return s.Movements(t.Context(), affiliate.MovementFilter{From: from, To: to}, pg)
	}) {
		if err != nil || m.At.Time().Before(from) || !m.At.Time().Before(to) {
			t.Errorf("%v in the range from %v to %v, error %v", m.At, from, to, err)
		}
		got++
	}
	if got != want || want == 0 {
		t.Errorf("%d movements in the range, want %d", got, want)
	}
}

func TestMovementErrors(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		filter affiliate.MovementFilter
		want   affiliate.Error
	}{
		"cause": {affiliate.MovementFilter{Cause: "THEFT"}, fieldError(affiliate.InvalidQuery, "cause", "cause must be one of SALE, UPDATE, REFUND, CLAW_BACK, REVIEW, DELETION, ADJUSTMENT, PAYOUT_CREATED, PAYOUT_PAID, PAYOUT_CANCELED, OPENING, PAYOUT_RETURNED, MOVE")},
		"from":  {affiliate.MovementFilter{From: late}, fieldError(affiliate.InvalidQuery, "from", "from must be an ISO 8601 date")},
		"to":    {affiliate.MovementFilter{To: late}, fieldError(affiliate.InvalidQuery, "to", "to must be an ISO 8601 date")},
	} {
		t.Run(name, func(t *testing.T) {
			s.refused(tt.want, func() error { return errOf(s.Movements(ctx, tt.filter, affiliate.Page{})) })
		})
	}
	s.refused(missingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error { return errOf(s.Balance(ctx, uuid.Max)) })
}

// Deleting an affiliate takes everything back, and leaves the movements.
func TestMovementsOfDeletedAffiliate(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	s.toTomas("100")
	s.adjust(affiliate.NewAdjustment{AffiliateID: s.ada.affiliate.ID, Kind: affiliate.AdjustCorrection, Amount: sum("-5")})
	if err := s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.affiliate.ID}); err != nil {
		t.Fatal(err)
	}
	s.verify()
	want := []string{
		"1 SALE 20 ACCRUAL-PAYABLE of sale 1, commission 1: sales 1, revenue 100, refunds 0",
		"2 ADJUSTMENT 5 PAYABLE-ACCRUAL",
		"3 DELETION 20 PAYABLE-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds 0",
		"4 DELETION 5 ACCRUAL-PAYABLE",
	}
	if diff := cmp.Diff(want, s.moved(affiliate.MovementFilter{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if balances := must(s.Balances(ctx, affiliate.Page{})).Items; len(balances) != 1 || balances[0].AffiliateID != s.bob.ID {
		t.Errorf("balances %+v", balances)
	}
}
