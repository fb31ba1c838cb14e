package reading_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// money checks 6 and 20 with the balances of checks 2 to 19, in their
// order on one program.
func TestLedgerStory(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	pay := func() affiliate.Payout {
		return scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID}))
	}
	s.Stands(0, "0", "0", "0", "0")
	s1 := s.ToTomas("100")
	s.Stands(1, "20", "0", "0", "20")
	p1 := pay()
	s.ClawsBack(s1.ID, "60", "r1")
	s.Stands(3, "-12", "20", "0", "8") // 6
	s.Moves(p1, affiliate.PayoutPaid)
	s.Stands(4, "-12", "0", "20", "8") // 7
	s.ClawsBack(s1.ID, "", "")
	s.Stands(5, "-20", "0", "20", "0") // 9
	s2 := s.ToTomas("150")
	p2 := pay()
	scene.Must(s.UpdateSale(ctx, s2.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("200"), ClawBack: true}))
	s.Stands(8, "10", "10", "20", "40") // 13
	s.Moves(p2, affiliate.PayoutProcessing)
	scene.Must(s.FailPayout(ctx, p2.ID, "x"))
	s.Stands(8, "10", "10", "20", "40") // 14
	scene.Must(s.SetPayoutStatus(ctx, p2.ID, affiliate.PayoutCanceled))
	s.Stands(9, "20", "0", "20", "40")
	pay() // 16
	bonus := s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("25")})
	s.Stands(11, "25", "20", "20", "65") // 17
	scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: bonus.ID, Reason: "typo"}))
	s.Stands(12, "0", "20", "20", "40") // 19
	s.Verifies()
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
	scene.Equal(t, want, s.Moved(affiliate.MovementQuery{}))
	for name, tt := range map[string]struct {
		filter affiliate.MovementQuery
		want   []string
	}{
		"payout":            {affiliate.MovementQuery{PayoutID: affiliate.Set(p1.ID)}, []string{want[1], want[3]}},
		"canceled payout":   {affiliate.MovementQuery{PayoutID: affiliate.Set(p2.ID)}, []string{want[6], want[8]}},
		"sale":              {affiliate.MovementQuery{SaleID: affiliate.Set(s1.ID)}, []string{want[0], want[2], want[4]}},
		"adjustment":        {affiliate.MovementQuery{AdjustmentID: affiliate.Set(bonus.ID)}, []string{want[10]}},
		"cause":             {affiliate.MovementQuery{Cause: affiliate.CausePayoutPaid}, []string{want[3]}},
		"sale and cause":    {affiliate.MovementQuery{SaleID: affiliate.Set(s1.ID), Cause: affiliate.CauseSale}, want[:1]},
		"sale and payout":   {affiliate.MovementQuery{SaleID: affiliate.Set(s1.ID), PayoutID: affiliate.Set(p1.ID)}, []string{}},
		"nothing":           {affiliate.MovementQuery{PayoutID: affiliate.Null[uuid.UUID]()}, []string{}},
		"unknown payout":    {affiliate.MovementQuery{PayoutID: affiliate.Set(uuid.Max)}, []string{}},
		"another affiliate": {affiliate.MovementQuery{AffiliateEmail: affiliate.Set("nobody@example.org")}, []string{}},
	} {
		scene.Equal(t, tt.want, s.Moved(tt.filter), name)
	}
}

// M45, M46: what each change of a sale moves.
func TestMovements(t *testing.T) {
	ctx := t.Context()
	update := func(up affiliate.SaleUpdate) func(scene.Shop, affiliate.Sale) {
		return func(s scene.Shop, sale affiliate.Sale) { scene.Must(s.UpdateSale(ctx, sale.ID, up)) }
	}
	refund := func(part string) func(scene.Shop, affiliate.Sale) {
		return func(s scene.Shop, sale affiliate.Sale) {
			scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount(part)}))
		}
	}
	review := func(statuses ...affiliate.ApprovalStatus) func(scene.Shop, affiliate.Sale) {
		return func(s scene.Shop, sale affiliate.Sale) {
			for _, status := range statuses {
				scene.Must(s.ReviewCommissions(ctx, status, sale.ID))
			}
		}
	}
	remove := func(s scene.Shop, sale affiliate.Sale) { scene.Must(0, s.DeleteSale(ctx, sale.ID)) }
	canceled := func(s scene.Shop, sale affiliate.Sale) {
		p := s.PaysOut()
		s.ClawsBack(sale.ID, "", "")
		scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled))
	}
	byHand := func(s scene.Shop, _ affiliate.Sale) {
		s.PaysOut(func(in *affiliate.PayoutParams) { in.ManuallyPaid = true })
	}
	recalculate := func(s scene.Shop, _ affiliate.Sale) {
		scene.Must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}, affiliate.AffiliateUpdate{CommissionRate: scene.Percent("10")}))
		scene.Must(s.Run(ctx, affiliate.RecalculateJob{}))
	}
	const held, declined, accepted = affiliate.ApprovalOnHold, affiliate.ApprovalDeclined, affiliate.ApprovalAccepted
	for _, tt := range []struct {
		name string
		rate string
		do   []func(scene.Shop, affiliate.Sale)
		want []string
	}{
		{"a name", "", []func(scene.Shop, affiliate.Sale){update(affiliate.SaleUpdate{Name: scene.TextOf("x")})}, nil},
		{"a higher total", "", []func(scene.Shop, affiliate.Sale){update(affiliate.SaleUpdate{TotalEarned: scene.Amount("150")})},
			[]string{"2 UPDATE 10 ACCRUAL-PAYABLE of sale 1, commission 1: sales 0, revenue 50, refunds 0"}},
		{"a commission by hand", "", []func(scene.Shop, affiliate.Sale){update(affiliate.SaleUpdate{CommissionEarned: scene.Amount("5")})},
			[]string{"2 UPDATE 15 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0"}},
		{"refunds", "", []func(scene.Shop, affiliate.Sale){refund("60"), refund("40")}, []string{
			"2 REFUND 12 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 60",
			"3 REFUND 8 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 40",
		}},
		{"a refund that rounds to nothing", "", []func(scene.Shop, affiliate.Sale){refund("0.01")},
			[]string{"2 REFUND 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0.01"}},
		{"held and accepted", "", []func(scene.Shop, affiliate.Sale){review(held, accepted)}, []string{
			"2 REVIEW 20 PAYABLE-HELD of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"3 REVIEW 20 HELD-PAYABLE of sale 1, commission 1: sales 0, revenue 0, refunds 0",
		}},
		{"held, refunded, declined, refunded, held", "", []func(scene.Shop, affiliate.Sale){review(held), refund("50"), review(declined), refund("10"), review(held)}, []string{
			"2 REVIEW 20 PAYABLE-HELD of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"3 REFUND 10 HELD-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 50",
			"4 REVIEW 10 HELD-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"5 REFUND 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 10",
			"6 REVIEW 8 ACCRUAL-HELD of sale 1, commission 1: sales 0, revenue 0, refunds 0",
		}},
		{"deleted", "", []func(scene.Shop, affiliate.Sale){refund("50"), remove}, []string{
			"2 REFUND 10 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 50",
			"3 DELETION 10 PAYABLE-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds -50",
		}},
		{"deleted when declined", "", []func(scene.Shop, affiliate.Sale){review(declined), remove}, []string{
			"2 REVIEW 20 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0",
			"3 DELETION 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds 0",
		}},
		{"deleted after a canceled payout", "", []func(scene.Shop, affiliate.Sale){canceled, remove}, []string{
			"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT",
			"3 CLAW_BACK 20 PAYABLE-ACCRUAL of sale 1, commission 2: sales 0, revenue 0, refunds 100",
			"4 PAYOUT_CANCELED 20 IN_PAYOUT-PAYABLE",
			"5 DELETION 0 ACCRUAL-ACCRUAL of sale 1, commission 0: sales -1, revenue -100, refunds -100",
		}},
		{"53 manually paid", "", []func(scene.Shop, affiliate.Sale){byHand}, []string{"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT", "3 PAYOUT_PAID 20 IN_PAYOUT-PAID"}},
		{"a claw-back that rounds to nothing", "", []func(scene.Shop, affiliate.Sale){byHand, func(s scene.Shop, sale affiliate.Sale) { s.ClawsBack(sale.ID, "0.01", "") }}, []string{
			"2 PAYOUT_CREATED 20 PAYABLE-IN_PAYOUT", "3 PAYOUT_PAID 20 IN_PAYOUT-PAID",
			"4 CLAW_BACK 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0.01",
		}},
		{"no commission", "0", []func(scene.Shop, affiliate.Sale){refund("50"), remove}, []string{
			"2 REFUND 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 50",
			"3 DELETION 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds -50",
		}},
		{"recalculated", "", []func(scene.Shop, affiliate.Sale){recalculate},
			[]string{"2 UPDATE 10 PAYABLE-ACCRUAL of sale 1, commission 1: sales 0, revenue 0, refunds 0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := scene.NewShop(t)
			in, first := affiliate.SaleParams{Email: s.Tomas.Email, TotalEarned: scene.Sum("100")}, "1 SALE 20 ACCRUAL-PAYABLE of sale 1, commission 1: sales 1, revenue 100, refunds 0"
			if tt.rate != "" {
				in.CommissionRate, first = scene.Percent(tt.rate), "1 SALE 0 ACCRUAL-ACCRUAL of sale 1, commission 1: sales 1, revenue 100, refunds 0"
			}
			sale := s.Sell(in)
			for _, do := range tt.do {
				do(s, sale)
				s.Verifies()
			}
			scene.Equal(t, append([]string{first}, tt.want...), s.Moved(affiliate.MovementQuery{}))
		})
	}
}

// M48: the time of a movement never goes back, and a range of time has exactly
// the movements in it. Numbers order those of one moment.
func TestMovementTimes(t *testing.T) {
	s := scene.NewShop(t)
	for i := range 30 {
		s.ToTomas("1")
		s.Pass([]time.Duration{0, time.Microsecond, time.Millisecond, -time.Second, 2 * time.Second}[i%5])
	}
	s.Verifies()
	all := scene.Must(s.Movements(t.Context(), affiliate.MovementQuery{}, affiliate.Page{})).Items
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
		return s.Movements(t.Context(), affiliate.MovementQuery{From: from, To: to}, pg)
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
	s := scene.NewShop(t)
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		filter affiliate.MovementQuery
		want   affiliate.Error
	}{
		"cause": {affiliate.MovementQuery{Cause: "THEFT"}, scene.FieldError(affiliate.InvalidQuery, "cause", "cause must be one of SALE, UPDATE, REFUND, CLAW_BACK, REVIEW, DELETION, FORFEIT, ADJUSTMENT, PAYOUT_CREATED, PAYOUT_PAID, PAYOUT_CANCELED, OPENING, PAYOUT_RETURNED, MOVE, MERGE")},
		"from":  {affiliate.MovementQuery{From: late}, scene.FieldError(affiliate.InvalidQuery, "from", "from must be an ISO 8601 date")},
		"to":    {affiliate.MovementQuery{To: late}, scene.FieldError(affiliate.InvalidQuery, "to", "to must be an ISO 8601 date")},
	} {
		t.Run(name, func(t *testing.T) {
			s.Refused(tt.want, func() error { return scene.ErrOf(s.Movements(ctx, tt.filter, affiliate.Page{})) })
		})
	}
	s.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), func() error { return scene.ErrOf(s.Balance(ctx, affiliate.AffiliateRef{ID: uuid.Max})) })
}

// Deleting an affiliate takes everything back, and leaves the movements.
func TestMovementsOfDeletedAffiliate(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("-5")})
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	s.Verifies()
	want := []string{
		"1 SALE 20 ACCRUAL-PAYABLE of sale 1, commission 1: sales 1, revenue 100, refunds 0",
		"2 ADJUSTMENT 5 PAYABLE-ACCRUAL",
		"3 FORFEIT 20 PAYABLE-ACCRUAL of sale 1, commission 1: sales -1, revenue -100, refunds 0",
		"4 FORFEIT 5 ACCRUAL-PAYABLE",
	}
	scene.Equal(t, want, s.Moved(affiliate.MovementQuery{}))
	if balances := scene.Must(s.Balances(ctx, affiliate.Page{})).Items; len(balances) != 1 || balances[0].AffiliateID != s.Bob.ID {
		t.Errorf("balances %+v", balances)
	}
}

// totalIn is a total in one line, without what is zero.
func totalIn(b affiliate.TotalBalance) (line string) {
	for _, f := range []struct {
		name   string
		amount affiliate.Amount
	}{{"held", b.Held}, {"maturing", b.Maturing}, {"payable", b.Payable}, {"inPayout", b.InPayout}, {"debts", b.Debts}, {"owed", b.Owed}, {"paid", b.Paid}} {
		if !f.amount.IsZero() {
			line += f.name + " " + f.amount.String() + " "
		}
	}
	return line + fmt.Sprint("of ", b.Affiliates)
}

// recount adds the rows up, in another way than TotalBalance.
func recount(w *scene.World, at time.Time) string {
	w.T.Helper()
	total := affiliate.TotalBalance{}
	add := func(to *affiliate.Amount, some affiliate.Amount) { *to = scene.Must(to.Add(some)) }
	last := affiliate.Amount{}
	for b, err := range affiliate.Every(w.T.Context(), func(x context.Context, pg affiliate.Page) (affiliate.List[affiliate.Balance], error) {
		return w.RankedBalances(x, at, pg)
	}) {
		if err != nil {
			w.T.Fatal(err)
		}
		owed := scene.Must(b.Earned.Sub(b.Paid))
		if total.Affiliates > 0 && owed.Cmp(last) > 0 {
			w.T.Errorf("%v is after %v", owed, last)
		}
		last = owed
		total.Affiliates++
		add(&total.Held, b.Held)
		add(&total.Maturing, b.Maturing)
		add(&total.InPayout, b.InPayout)
		add(&total.Paid, b.Paid)
		add(&total.Owed, owed)
		if b.Payable.Sign() < 0 {
			add(&total.Debts, b.Payable.Neg())
		} else {
			add(&total.Payable, b.Payable)
		}
	}
	return totalIn(total)
}

// M94, M95: totals of the past stay what they were when they were totals of now.
func TestTotalBalance(t *testing.T) {
	ctx := t.Context()
	terms := affiliate.Terms{Type: affiliate.CommissionPercentage, Rate: affiliate.MustPercent("20"), HoldDays: 30}
	w := scene.New(t, func(c *tributary.Config) { c.Terms = terms })
	type seen struct {
		at   time.Time
		want string
	}
	var days []seen
	day := func(want string, later ...string) {
		t.Helper()
		scene.Equal(t, want, totalIn(scene.Must(w.TotalBalance(ctx, time.Time{}))))
		scene.Equal(t, want, recount(w, time.Time{}))
		w.Pass(12 * time.Hour)
		days = append(days, seen{w.Now, append(later, want)[0]})
		w.Pass(12 * time.Hour)
	}
	day("of 0")
	ada, bob, cy := w.Join("ada"), w.Join("bob"), w.Join("cy")
	for _, name := range []string{"ada", "bob", "cy"} {
		w.Refer(name, name+"-customer@b.co")
	}
	sold := w.SellTo("ada-customer@b.co", "200")
	w.SellTo("bob-customer@b.co", "100")
	day("maturing 60 owed 60 of 2")
	gone := w.SellTo("cy-customer@b.co", "50")
	scene.Must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: bob.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("-25"), Reason: "a fee"}))
	day("maturing 70 debts 25 owed 45 of 3", "maturing 60 payable 10 debts 25 owed 45 of 3") // later cy's sale is gone
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sold.ID, Amount: scene.Amount("60"), RefundID: "r"}))
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, gone.ID))
	day("held 10 maturing 48 debts 25 owed 33 of 3")
	w.Pass(29 * 24 * time.Hour)
	day("held 10 payable 28 debts 5 owed 33 of 3")
	payout := scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada.ID}))
	day("held 10 inPayout 28 debts 5 owed 33 of 3")
	scene.Must(w.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid))
	day("held 10 debts 5 owed 5 paid 28 of 3")
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: cy.ID}))
	day("debts 5 owed -5 paid 28 of 2")
	w.SellTo("bob-customer@b.co", "1000")
	for _, d := range days {
		want := d.want
		scene.Equal(t, want, totalIn(scene.Must(w.TotalBalance(ctx, d.at))), d.at)
		scene.Equal(t, want, recount(w, d.at), d.at)
	}
	for after, want := range map[time.Duration]string{0: "maturing 200 debts 5 owed 195 paid 28 of 2", 29 * 24 * time.Hour: "maturing 200 debts 5 owed 195 paid 28 of 2", 30 * 24 * time.Hour: "payable 195 owed 195 paid 28 of 2"} {
		scene.Equal(t, want, totalIn(scene.Must(w.TotalBalance(ctx, w.Now.Add(time.Microsecond+after)))), after)
	}
	w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidQuery, Field: "at", Message: "at must be an ISO 8601 date"}, func() error {
		return scene.ErrOf(w.TotalBalance(ctx, w.Now.AddDate(9000, 0, 0)))
	})
	w.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidQuery, Message: "Invalid cursor", Field: "cursor"}, func() error {
		return scene.ErrOf(w.RankedBalances(ctx, time.Time{}, affiliate.Page{Cursor: "x"}))
	})
	first := scene.Must(w.RankedBalances(ctx, time.Time{}, affiliate.Page{Limit: 1}))
	second := scene.Must(w.RankedBalances(ctx, time.Time{}, affiliate.Page{Limit: 1, Cursor: first.Next}))
	if got := []uuid.UUID{first.Items[0].AffiliateID, second.Items[0].AffiliateID}; !slices.Equal(got, []uuid.UUID{bob.ID, ada.ID}) || second.Next != "" {
		t.Error(cmp.Diff([]uuid.UUID{bob.ID, ada.ID}, got), second.Next)
	}
}

// Affiliates whose books were not open are left out, and counted.
func TestTotalOfClosedBooks(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.ToTomas("100")
	s.Ages()
	s.Pass(time.Hour)
	before := s.Now
	wants := func(when string, at time.Time, notOpen int64, want string) {
		t.Helper()
		got := scene.Must(s.TotalBalance(ctx, at))
		if got.NotOpen != notOpen || totalIn(got) != want {
			t.Errorf("%s: %d books are not open, %s; want %d, %s", when, got.NotOpen, totalIn(got), notOpen, want)
		}
	}
	wants("before", time.Time{}, 1, "of 0")
	s.Pass(time.Hour)
	scene.Must(s.Run(ctx, affiliate.OpenBooksJob{}))
	s.Pass(time.Hour)
	wants("open now", time.Time{}, 0, "payable 20 owed 20 of 1")
	wants("open at the moment", s.Now, 0, "payable 20 owed 20 of 1")
	wants("before they were opened", before, 1, "of 0")
}

// statistics are the statistics that sales change.
type statistics struct {
	LinkSales                             int64
	LinkRevenue                           affiliate.Amount
	AffiliateRevenue, AffiliateCommission affiliate.Amount
	ReferralRevenue, ReferralCommission   affiliate.Amount
}

func statisticsOf(w *scene.World, slug, customer string) statistics {
	w.T.Helper()
	ctx := w.T.Context()
	link := scene.Must(w.Links(ctx, affiliate.LinkQuery{Slug: affiliate.Set(slug)}, affiliate.Page{})).Items[0]
	a, r := scene.Must(w.Affiliate(ctx, slug)), scene.Must(w.Referral(ctx, customer))
	return statistics{link.Sales, link.TotalRevenue, a.TotalRevenue, a.TotalCommissionEarned, r.TotalRevenue, r.TotalCommission}
}

// sums returns the statistics of so many sales, of what is left of them, and of
// their commissions.
func sums(sales int64, kept, earned string) statistics {
	return statistics{sales, scene.Sum(kept), scene.Sum(kept), scene.Sum(earned), scene.Sum(kept), scene.Sum(earned)}
}

// Statistics count what is left after refunds: a sale that is refunded in full
// does not count, however it was refunded, and its later deletion subtracts
// nothing more (rule 5.7).
func TestTotalsCountWhatIsKept(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	w.Join("ada")
	w.Refer("ada", "kim@b.co")
	const link, kim = "ada", "kim@b.co"
	stands := w.SellTo(kim, "100")
	w.SellTo(kim, "50")
	big := w.SellTo(kim, "1000")
	scene.Equal(t, sums(3, "1150", "230"), statisticsOf(w, link, kim))

	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("400"), RefundID: "r1"}))
	scene.Equal(t, sums(3, "750", "150"), statisticsOf(w, link, kim))
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("400"), RefundID: "r1"})) // the same refund again
	scene.Equal(t, sums(3, "750", "150"), statisticsOf(w, link, kim))
	scene.Must(w.UpdateSale(ctx, big.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("900")}))
	scene.Equal(t, sums(3, "650", "130"), statisticsOf(w, link, kim))
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID}))
	scene.Equal(t, sums(2, "150", "30"), statisticsOf(w, link, kim))
	scene.Equal(t, affiliate.SaleRefunded, scene.Must(w.Sale(ctx, big.ID)).Status)
	w.Verifies()

	scene.Must(w.UpdateSale(ctx, big.ID, affiliate.SaleUpdate{Name: scene.TextOf("Kim")})) // a text of a refunded sale
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, big.ID))
	scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, big.ID))
	scene.Must(w.Run(ctx, affiliate.RecalculateJob{}))
	scene.Equal(t, sums(2, "150", "30"), statisticsOf(w, link, kim))
	scene.Must(0, w.DeleteSale(ctx, big.ID))
	scene.Equal(t, sums(2, "150", "30"), statisticsOf(w, link, kim))

	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: stands.ID, Amount: scene.Amount("25")}))
	scene.Must(w.UpdateSale(ctx, stands.ID, affiliate.SaleUpdate{TotalEarned: scene.Amount("25")})) // the total now equals what was refunded
	scene.Equal(t, sums(1, "50", "10"), statisticsOf(w, link, kim))
	w.Verifies()
	scene.Must(0, w.Forfeiting().DeleteReferral(ctx, kim))
	a := scene.Must(w.Affiliate(ctx, link))
	scene.Equal(t, []affiliate.Amount{{}, {}}, []affiliate.Amount{a.TotalRevenue, a.TotalCommissionEarned})
	w.Verifies()
}

// For a tier, a sale that was refunded in full does not count, and a partly
// refunded one counts with the rest (rule 5.7).
func TestTiersCountWhatIsKept(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	a := w.Join("ada")
	w.Refer("ada", "kim@b.co")
	gold := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "gold", MinRevenue: scene.Sum("1000")}))
	tier := func() affiliate.Opt[uuid.UUID] {
		scene.Must(w.Run(ctx, affiliate.AssignTiersJob{}))
		return scene.Must(w.Affiliate(ctx, a.ID.String())).CommissionTierID
	}
	big := w.SellTo("kim@b.co", "1500")
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("500")}))
	scene.Equal(t, affiliate.Set(gold.ID), tier())
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID, Amount: scene.Amount("0.01")}))
	scene.Equal(t, affiliate.Null[uuid.UUID](), tier())
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: big.ID}))
	w.SellTo("kim@b.co", "999.99")
	scene.Equal(t, affiliate.Null[uuid.UUID](), tier())
	w.SellTo("kim@b.co", "0.01")
	scene.Equal(t, affiliate.Set(gold.ID), tier())
}

// A payment that was refunded in full does not count among the payments after
// which a plan stops.
func TestPaymentsCountWhatIsKept(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
	w.Join("ada")
	w.Refer("ada", "kim@b.co")
	first := w.SellTo("kim@b.co", "100")
	scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: first.ID, Amount: scene.Amount("99.99")}))
	second := w.SellTo("kim@b.co", "100")
	scene.Equal(t, 0, len(second.Commissions))
	for _, id := range []affiliate.SaleID{first.ID, second.ID} {
		scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: id}))
	}
	scene.Equal(t, 1, len(w.SellTo("kim@b.co", "100").Commissions))
	scene.Equal(t, 0, len(w.SellTo("kim@b.co", "100").Commissions))
	w.Verifies()
}
