package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// A mover is a program with Ada, whose sales go to Bob.
type mover struct {
	*scene.World
	ada scene.Ada
	bob affiliate.Affiliate
	ref affiliate.Referral
}

func newMover(t *testing.T, options ...func(*tributary.Config)) mover {
	w := scene.New(t, options...)
	m := mover{World: w, ada: w.Ada()}
	plan := scene.Must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "Half", Terms: affiliate.Terms{Rate: affiliate.MustPercent("50"), HoldDays: 7}}))
	m.bob = scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bob", LastName: "Hopper", Email: "bob@example.com", AffiliateLink: "bob", CommissionPlanID: plan.ID}))
	m.ref = scene.Must(w.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "ada", ReferredUserExternalID: "u1", Email: "c@example.com", Name: "C"}))
	return m
}

// sale is one of 100 to Ada's customer.
func (m mover) sale(id string) affiliate.Sale {
	m.T.Helper()
	result := scene.Must(m.RecordSale(m.T.Context(), affiliate.SaleParams{ReferralID: m.ref.ID.String(), TotalEarned: affiliate.MustAmount("100"), ExternalID: id}))
	sale, ok := result.Sale.Get()
	if !ok {
		m.T.Fatalf("no sale: %s", result.Outcome)
	}
	return sale
}

func (m mover) to(id uuid.UUID) affiliate.SaleUpdate {
	return affiliate.SaleUpdate{AffiliateID: affiliate.Set(id)}
}

func (m mover) balance(id uuid.UUID) string {
	b := scene.Must(m.Balance(m.T.Context(), affiliate.AffiliateRef{ID: id}))
	return b.Held.String() + " held, " + b.Payable.String() + " payable, " + b.Maturing.String() + " maturing"
}

// A sale that is given to another affiliate keeps its id, day and external ids. Its
// commission is by the terms of the new one, both ledgers say why, and it can go back.
func TestMoveSale(t *testing.T) {
	m := newMover(t)
	before := m.sale("order-1")
	m.Now = m.Now.Add(time.Hour)
	ada, bob := m.ada.Person.ID, m.bob.ID
	moved := scene.Must(m.UpdateSale(t.Context(), before.ID, m.to(bob)))
	if moved.ID != before.ID || !moved.CreatedAt.Equal(before.CreatedAt) || moved.ExternalID != before.ExternalID || moved.ReferralID != before.ReferralID {
		t.Errorf("moved: %+v", moved)
	}
	if got := moved.CommissionEarned.String(); got != "50" || moved.AffiliateID != bob || moved.Commissions[0].AffiliateID != bob {
		t.Errorf("it earns %s for %s", got, moved.AffiliateID)
	}
	if a, b := m.balance(ada), m.balance(bob); a != "0 held, 0 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	for id, want := range map[uuid.UUID]string{ada: "PAYABLE ACCRUAL 20", bob: "ACCRUAL PAYABLE 50"} {
		list := scene.Must(m.Movements(t.Context(), affiliate.MovementQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{Limit: 1})).Items
		if got := string(list[0].From) + " " + string(list[0].To) + " " + list[0].Amount.String(); got != want || list[0].Cause != affiliate.CauseMove {
			t.Errorf("the ledger of %s: %s because of %s, want %s", id, got, list[0].Cause, want)
		}
	}
	m.Verifies()
	back := scene.Must(m.UpdateSale(t.Context(), before.ID, m.to(ada)))
	if got := back.CommissionEarned.String(); got != "20" || m.balance(ada) != "0 held, 20 payable, 0 maturing" || m.balance(bob) != "0 held, 0 payable, 0 maturing" {
		t.Errorf("back at Ada it earns %s: %s; Bob %s", got, m.balance(ada), m.balance(bob))
	}
	m.Verifies()
}

// A move with an amount beside it, of a sale with a refund, of a free and of a coded
// one: totals, reports and books follow.
func TestMoveSaleOfEachKind(t *testing.T) {
	m := newMover(t, func(c *tributary.Config) { c.FreeOrders = true })
	bob := m.bob.ID
	part := m.sale("part")
	scene.Must(m.RefundSale(t.Context(), affiliate.Refund{SaleID: part.ID, Amount: affiliate.Set(affiliate.MustAmount("40"))}))
	scene.Equal(t, "30", scene.Must(m.UpdateSale(t.Context(), part.ID, m.to(bob))).CommissionEarned.String())
	hand := m.sale("hand")
	scene.Must(m.UpdateSale(t.Context(), hand.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Set(affiliate.MustAmount("3"))}))
	scene.Equal(t, "50", scene.Must(m.UpdateSale(t.Context(), hand.ID, m.to(bob))).CommissionEarned.String())
	both := m.to(bob)
	both.CommissionRate = affiliate.Set(affiliate.MustPercent("10"))
	scene.Equal(t, "10", scene.Must(m.UpdateSale(t.Context(), m.sale("both").ID, both)).CommissionEarned.String())
	coded, _ := scene.Must(m.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: affiliate.MustAmount("100"), Email: "d@example.com", Name: "D"})).Sale.Get()
	free, _ := scene.Must(m.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", Free: true, Subtotal: affiliate.Set(affiliate.MustAmount("9")), Email: "e@example.com", Name: "E"})).Sale.Get()
	for _, s := range []affiliate.Sale{coded, free} {
		scene.Must(m.UpdateSale(t.Context(), s.ID, m.to(bob)))
	}
	m.Verifies()
	scene.Must(m.RefundSale(t.Context(), affiliate.Refund{SaleID: coded.ID}))
	scene.Must(0, m.DeleteSale(t.Context(), part.ID))
	m.Verifies()
	a, b := scene.Must(m.Affiliate(t.Context(), m.ada.Person.ID.String())), scene.Must(m.Affiliate(t.Context(), bob.String()))
	if a.TotalCommissionEarned.String() != "0" || b.TotalCommissionEarned.String() != "60" {
		t.Errorf("Ada has earned %s, Bob %s", a.TotalCommissionEarned, b.TotalCommissionEarned)
	}
}

// The limits of the new terms count as of the day of the sale.
func TestMoveSaleBeyondLimits(t *testing.T) {
	m := newMover(t)
	one := scene.Must(m.CreatePlan(t.Context(), affiliate.PlanParams{Name: "One", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxPayments: 1}}))
	eve := scene.Must(m.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Eve", LastName: "E", Email: "eve@example.com", CommissionPlanID: one.ID}))
	first, second := m.sale("1"), m.sale("2")
	a, b := scene.Must(m.UpdateSale(t.Context(), first.ID, m.to(eve.ID))), scene.Must(m.UpdateSale(t.Context(), second.ID, m.to(eve.ID)))
	if a.CommissionEarned.String() != "10" || b.CommissionEarned.String() != "0" {
		t.Errorf("the first earns %s, the second %s", a.CommissionEarned, b.CommissionEarned)
	}
	m.Verifies()
	total := affiliate.SaleUpdate{TotalEarned: affiliate.Set(affiliate.MustAmount("200"))}
	scene.Equal(t, "0", scene.Must(m.UpdateSale(t.Context(), second.ID, total)).CommissionEarned.String())
	scene.Must(m.Run(t.Context(), affiliate.RecalculateJob{}))
	scene.Equal(t, "100", scene.Must(m.UpdateSale(t.Context(), second.ID, m.to(m.bob.ID))).CommissionEarned.String())
	m.Verifies()
}

// A sale that is beyond the limits of its new terms has no rule and no cap. It keeps the
// month that it had when it was given away: a later refund of the first payment does not make
// it one of the first month.
func TestMoveRuledSaleBeyondLimits(t *testing.T) {
	for name, limit := range map[string]func(*affiliate.Terms){
		"payments": func(terms *affiliate.Terms) { terms.MaxPayments = 1 },
		"months":   func(terms *affiliate.Terms) { terms.MaxMonths = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMover(t, pays(ruled("half", "50", "dear")), func(c *tributary.Config) { c.Terms.MaxPerSale = scene.Sum("40") })
			ctx := t.Context()
			terms := affiliate.Terms{Rate: affiliate.MustPercent("30"), Rules: []affiliate.Rule{ruled("all", "60")}, MaxPerSale: scene.Sum("50")}
			limit(&terms)
			short := scene.Must(m.CreatePlan(ctx, affiliate.PlanParams{Name: "Short", Terms: terms}))
			scene.Must(m.SetAffiliatePlan(ctx, short.ID, m.bob.ID))
			first := m.sale("1")
			m.Pass(40 * 24 * time.Hour)
			sold := scene.Must(m.RecordSale(ctx, affiliate.SaleParams{ReferralID: m.ref.ID.String(), TotalEarned: scene.Sum("100"), Lines: []affiliate.Line{line("d", "dear", "90"), line("c", "cheap", "10")}}))
			second, _ := sold.Sale.Get()
			scene.Equal(t, scene.Sum("40"), second.CommissionEarned)
			moved := scene.Must(m.UpdateSale(ctx, second.ID, m.to(m.bob.ID)))
			e := scene.Must(m.ExplainSale(ctx, second.ID))
			if !moved.CommissionEarned.IsZero() || !moved.Lines[0].Rule.IsNull() || e.Lines != nil || !e.Arithmetic.Cap.IsZero() || e.Terms.Over.IsZero() {
				t.Errorf("at Bob it earns %v by %v: %+v", moved.CommissionEarned, moved.Lines[0].Rule, e)
			}
			m.Verifies()
			scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: first.ID}))
			for d, err := range m.Simulate(ctx, affiliate.SimulateQuery{PlanID: short.ID, Terms: terms}) {
				if err != nil || d.Changed != 0 {
					t.Errorf("under the same terms: %+v, %v", d, err)
				}
			}
			back := scene.Must(m.UpdateSale(ctx, second.ID, m.to(m.ada.Person.ID)))
			if back.CommissionEarned != scene.Sum("40") || back.Lines[0].Rule != scene.TextOf("half") || !back.Lines[1].Rule.IsNull() {
				t.Errorf("back at Ada it earns %v: %+v", back.CommissionEarned, back.Lines)
			}
			m.Verifies()
		})
	}
}

// A hold of the new affiliate applies, and an older review does not.
func TestMoveSaleToHeld(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	scene.Must(m.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, m.bob.ID))
	moved := scene.Must(m.UpdateSale(t.Context(), sale.ID, m.to(m.bob.ID)))
	scene.Equal(t, affiliate.ApprovalOnHold, moved.Commissions[0].ApprovalStatus)
	scene.Must(m.ReviewCommissions(t.Context(), affiliate.ApprovalDeclined, sale.ID))
	scene.Equal(t, affiliate.ApprovalAccepted, scene.Must(m.UpdateSale(t.Context(), sale.ID, m.to(m.ada.Person.ID))).Commissions[0].ApprovalStatus)
	m.Verifies()
}

// Without clawback what a payout holds stays with its affiliate; a refused move changes
// nothing.
func TestMoveSaleRefused(t *testing.T) {
	m := newMover(t)
	paid, refunded := m.sale("paid"), m.sale("refunded")
	scene.Must(m.RefundSale(t.Context(), affiliate.Refund{SaleID: refunded.ID}))
	scene.Must(m.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: m.ada.Person.ID}))
	move := func(id affiliate.SaleID, up affiliate.SaleUpdate) func() error {
		return func() error { _, err := m.UpdateSale(t.Context(), id, up); return err }
	}
	inPayout := affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.InPayout, Message: "Sale is part of a payout"}
	m.Refused(inPayout, move(paid.ID, m.to(m.bob.ID)))
	m.Refused(affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.SaleHasBeenRefunded, Message: "Sale has been refunded"}, move(refunded.ID, m.to(m.bob.ID)))
	m.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.AffiliateNotFound, Message: "Affiliate not found"}, move(paid.ID, m.to(uuid.New())))
}

// A customer who is given to another affiliate brings that one their future sales.
func TestMoveReferral(t *testing.T) {
	m := newMover(t)
	old := m.sale("old")
	moved := scene.Must(m.UpdateReferral(t.Context(), m.ref.ID.String(), affiliate.ReferralUpdate{AffiliateID: affiliate.Set(m.bob.ID)}))
	scene.Equal(t, m.bob.ID, moved.AffiliateID)
	if s := m.sale("new"); s.AffiliateID != m.bob.ID || s.CommissionEarned.String() != "50" {
		t.Errorf("the next sale credits %s with %s", s.AffiliateID, s.CommissionEarned)
	}
	scene.Equal(t, m.ada.Person.ID, scene.Must(m.Sale(t.Context(), old.ID)).AffiliateID)
	m.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.AffiliateNotFound, Message: "Affiliate not found"}, func() error {
		return scene.ErrOf(m.UpdateReferral(t.Context(), m.ref.ID.String(), affiliate.ReferralUpdate{AffiliateID: affiliate.Set(uuid.New())}))
	})
	m.Verifies()
}

// claw moves a sale with clawback.
func (m mover) claw(id affiliate.SaleID, to uuid.UUID) affiliate.Sale {
	m.T.Helper()
	up := m.to(to)
	up.ClawBack = true
	return scene.Must(m.UpdateSale(m.T.Context(), id, up))
}

func (m mover) paysAda(status affiliate.PayoutStatus) affiliate.Payout {
	m.T.Helper()
	p := scene.Must(m.CreatePayout(m.T.Context(), affiliate.PayoutParams{AffiliateID: m.ada.Person.ID}))
	return scene.Must(m.SetPayoutStatus(m.T.Context(), p.ID, status))
}

// kept are the adjustments of an affiliate with the cause that a sale was moved.
func (m mover) kept(of uuid.UUID) (lines []string) {
	for _, a := range scene.Must(m.Adjustments(m.T.Context(), affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(of), Kind: affiliate.AdjustMove}, affiliate.Page{})).Items {
		lines = append([]string{fmt.Sprintf("%v of sale %d, in a payout: %v", a.Amount, a.SaleID.Or(0), a.PayoutCreated)}, lines...)
	}
	return lines
}

// A sale whose commission was paid, or that a payout holds, is moved with clawback: the
// payout stays as it is, the former affiliate owes the amount, the new one earns by own
// terms, and both ledgers say why.
func TestMovePaidSale(t *testing.T) {
	for _, status := range []affiliate.PayoutStatus{affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutFailed, affiliate.PayoutPaid} {
		t.Run(string(status), func(t *testing.T) {
			ctx := t.Context()
			m := newMover(t)
			ada, bob := m.ada.Person.ID, m.bob.ID
			sale := m.sale("order-1")
			p := m.paysAda(status)
			entries := scene.Must(m.PayoutEntries(ctx, p.ID, affiliate.Page{})).Items
			m.Refused(partOfAPayout, func() error { return scene.ErrOf(m.UpdateSale(ctx, sale.ID, m.to(bob))) })
			m.Pass(1)
			var moved affiliate.Sale
			m.Fires(func() error { moved = m.claw(sale.ID, bob); return nil }, affiliate.SaleUpdated)
			if len(moved.Commissions) != 1 || moved.Commissions[0].AffiliateID != bob || moved.CommissionEarned != scene.Sum("50") || moved.Commissions[0].PayoutCreated {
				t.Errorf("moved: %+v", moved.Commissions)
			}
			m.Fires(func() error { m.claw(sale.ID, bob); return nil })
			if got := scene.Must(m.Payout(ctx, p.ID)); !cmp.Equal(p, got) {
				t.Errorf("the payout changed: %s", cmp.Diff(p, got))
			}
			after := scene.Must(m.PayoutEntries(ctx, p.ID, affiliate.Page{})).Items
			if len(after) != 1 || after[0].Amount != entries[0].Amount || after[0].At != entries[0].At || after[0].SaleID != entries[0].SaleID || after[0].CommissionID != entries[0].CommissionID {
				t.Errorf("the payout took %+v, now %+v", entries, after)
			}
			for id, want := range map[uuid.UUID]string{ada: "PAYABLE ACCRUAL 20", bob: "ACCRUAL PAYABLE 50"} {
				last := scene.Must(m.Movements(ctx, affiliate.MovementQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{Limit: 1})).Items[0]
				if got := fmt.Sprint(last.From, " ", last.To, " ", last.Amount); got != want || last.Cause != affiliate.CauseMove || last.SaleID != affiliate.Set(sale.ID) {
					t.Errorf("the ledger of %s: %s because of %s, want %s", id, got, last.Cause, want)
				}
			}
			want := []string{fmt.Sprintf("20 of sale %d, in a payout: true", sale.ID), fmt.Sprintf("-20 of sale %d, in a payout: false", sale.ID)}
			scene.Equal(t, want, m.kept(ada))
			if a, b := m.balance(ada), m.balance(bob); a != "0 held, -20 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
				t.Errorf("Ada: %s; Bob: %s", a, b)
			}
			if status == affiliate.PayoutPending { // Bob's sale is not paid then
				m.Fires(func() error { return scene.ErrOf(m.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid)) })
			}
			m.Verifies()
		})
	}
}

// What is taken back lowers the next payout of the former affiliate.
func TestMovePaidSaleIsNetted(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, m.bob.ID)
	m.sale("2")
	m.Refused(nothingToPay, func() error {
		return scene.ErrOf(m.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: m.ada.Person.ID}))
	})
	m.sale("3")
	if p := m.paysAda(affiliate.PayoutPaid); p.Amount != scene.Sum("20") || len(p.CommissionIDs) != 2 || len(p.AdjustmentIDs) != 1 {
		t.Errorf("the next payout: %+v", p)
	}
	m.Verifies()
}

// A payout that is canceled or comes back after the move owes its amount again. With
// what was taken back it is nothing, and the former affiliate can be deleted.
func TestMovePaidSaleThenPayoutUndone(t *testing.T) {
	for name, tt := range map[string]struct {
		was, to affiliate.PayoutStatus
	}{
		"canceled":            {affiliate.PayoutPending, affiliate.PayoutCanceled},
		"canceled after fail": {affiliate.PayoutFailed, affiliate.PayoutCanceled},
		"returned":            {affiliate.PayoutPaid, affiliate.PayoutReturned},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			m := newMover(t)
			ada := m.ada.Person.ID
			sale := m.sale("1")
			p := m.paysAda(tt.was)
			m.claw(sale.ID, m.bob.ID)
			m.Refused(scene.StateError(affiliate.InPayout, "", "Affiliate has commissions that are part of a payout"), func() error { return m.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada}) })
			m.Fires(func() error { return scene.ErrOf(m.SetPayoutStatus(ctx, p.ID, tt.to)) })
			scene.Equal(t, "0 held, 0 payable, 0 maturing", m.balance(ada))
			m.Refused(nothingToPay, func() error { return scene.ErrOf(m.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada})) })
			m.Verifies()
			m.sale("2")
			if next := m.paysAda(affiliate.PayoutPending); next.Amount != scene.Sum("20") || len(next.AdjustmentIDs) != 2 {
				t.Errorf("the next payout: %+v", next)
			} else {
				scene.Must(m.SetPayoutStatus(ctx, next.ID, affiliate.PayoutCanceled))
			}
			m.Verifies()
			scene.Must(0, m.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada}))
			m.Verifies()
			scene.Equal(t, scene.Sum("50"), scene.Must(m.Sale(ctx, sale.ID)).CommissionEarned)
		})
	}
}

// After the move the sale is the new affiliate's alone: refunds, reviews, totals and the
// deletion do not ask for the payout of the former one.
func TestMovedPaidSaleGoesOn(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	part, gone := m.sale("part"), m.sale("gone")
	m.paysAda(affiliate.PayoutPaid)
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: scene.Amount("40"), ClawBack: true})) // 20 of which 8 are taken back, open
	for _, s := range []affiliate.Sale{part, gone} {
		m.claw(s.ID, m.bob.ID)
	}
	scene.Equal(t, "0 held, -40 payable, 0 maturing", m.balance(m.ada.Person.ID))
	if s := scene.Must(m.Sale(ctx, part.ID)); s.CommissionEarned != scene.Sum("30") || len(s.Commissions) != 1 {
		t.Errorf("with 60 left Bob's commissions are %+v", s.Commissions)
	}
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: scene.Amount("10")}))
	scene.Must(m.UpdateSale(ctx, part.ID, affiliate.SaleUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent("10"))}))
	scene.Must(m.ReviewCommissions(ctx, affiliate.ApprovalOnHold, part.ID))
	scene.Equal(t, "5 held, 0 payable, 50 maturing", m.balance(m.bob.ID))
	m.Verifies()
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: part.ID}))
	scene.Must(0, m.DeleteSale(ctx, gone.ID))
	m.Verifies()
	if a, b := m.balance(m.ada.Person.ID), m.balance(m.bob.ID); a != "0 held, -40 payable, 0 maturing" || b != "0 held, 0 payable, 0 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
}

// A sale goes from one to the other and back, a payout after each: each is owed what the
// sale earns with them, less what they were paid.
func TestMovePaidSaleBack(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	ada, bob := m.ada.Person.ID, m.bob.ID
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, bob)
	m.Pass(8 * 24 * 3600e9)
	p := scene.Must(m.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: bob, ManuallyPaid: true}))
	scene.Equal(t, scene.Sum("20"), m.claw(sale.ID, ada).CommissionEarned)
	if a, b := m.balance(ada), m.balance(bob); a != "0 held, 0 payable, 0 maturing" || b != "0 held, -50 payable, 0 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
	scene.Must(m.ReturnPayout(ctx, p.ID, "x"))
	m.claw(sale.ID, bob)
	if a, b := m.balance(ada), m.balance(bob); a != "0 held, -20 payable, 0 maturing" || b != "0 held, 50 payable, 0 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
}

// What payouts took and let go is in no payout: the sale is moved without the flag.
func TestMoveSaleOfCanceledPayout(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	canceled := m.paysAda(affiliate.PayoutCanceled)
	moved := scene.Must(m.UpdateSale(ctx, sale.ID, m.to(m.bob.ID)))
	if len(moved.Commissions) != 1 || moved.CommissionEarned != scene.Sum("50") || len(m.kept(m.ada.Person.ID)) != 0 {
		t.Errorf("moved: %+v, %v", moved.Commissions, m.kept(m.ada.Person.ID))
	}
	if got := scene.Must(m.Payout(ctx, canceled.ID)); !cmp.Equal(canceled, got) {
		t.Errorf("the payout changed: %s", cmp.Diff(canceled, got))
	}
	if a, b := m.balance(m.ada.Person.ID), m.balance(m.bob.ID); a != "0 held, 0 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
}

// Entries of one sale in several payouts: each payout keeps its own, and the sum is
// taken back once.
func TestMoveSaleOfSeveralPayouts(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	first := m.paysAda(affiliate.PayoutPaid)
	scene.Must(m.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("50"), ClawBack: true}))
	m.sale("2")
	second := m.paysAda(affiliate.PayoutPaid) // 20 less 10
	m.claw(sale.ID, m.bob.ID)
	want := []string{"20 of sale %d, in a payout: true", "-10 of sale %d, in a payout: true", "-10 of sale %d, in a payout: false"}
	for i := range want {
		want[i] = fmt.Sprintf(want[i], sale.ID)
	}
	scene.Equal(t, want, m.kept(m.ada.Person.ID))
	for _, p := range []affiliate.Payout{first, second} {
		if got := scene.Must(m.Payout(ctx, p.ID)); !cmp.Equal(p, got) {
			t.Errorf("the payout changed: %s", cmp.Diff(p, got))
		}
	}
	scene.Must(m.ReturnPayout(ctx, second.ID, "x"))
	scene.Equal(t, "0 held, 0 payable, 0 maturing", m.balance(m.ada.Person.ID))
	m.Verifies()
}

// The payout of an older version lists numbers of commissions alone; it keeps them too.
func TestMoveSaleOfOlderPayout(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	p := m.paysAda(affiliate.PayoutPaid)
	m.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Payouts.Get(p.ID)).Clone()
		for _, item := range rec.Items {
			rec.Commissions = append(rec.Commissions, item.Commission)
		}
		rec.Items = nil
		return tx.Payouts.Replace(rec)
	})
	m.claw(sale.ID, m.bob.ID)
	if got := scene.Must(m.Payout(ctx, p.ID)); !cmp.Equal(p, got) {
		t.Errorf("the payout changed: %s", cmp.Diff(p, got))
	}
	scene.Must(m.ReturnPayout(ctx, p.ID, "x"))
	scene.Equal(t, "0 held, 0 payable, 0 maturing", m.balance(m.ada.Person.ID))
	m.Verifies()
}

// Books that were opened after such a move have what was taken back.
func TestMovePaidSaleBeforeBooks(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.Ages()
	m.claw(sale.ID, m.bob.ID)
	scene.Must(m.Run(ctx, affiliate.OpenBooksJob{}))
	if a, b := m.balance(m.ada.Person.ID), m.balance(m.bob.ID); a != "0 held, -20 payable, 0 maturing" || b != "0 held, 0 payable, 50 maturing" {
		t.Errorf("Ada: %s; Bob: %s", a, b)
	}
	m.Verifies()
}

// What was taken back can be given again, as any adjustment; nobody records one of the
// kind.
func TestMoveAdjustments(t *testing.T) {
	ctx := t.Context()
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, m.bob.ID)
	back := scene.Must(m.Adjustments(ctx, affiliate.AdjustmentQuery{Kind: affiliate.AdjustMove}, affiliate.Page{Limit: 1})).Items[0]
	if want := fmt.Sprintf("Sale %d was given to another affiliate", sale.ID); back.Amount != scene.Sum("-20") || back.Reason != want {
		t.Errorf("taken back: %+v", back)
	}
	scene.Must(m.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: back.ID, Reason: "she keeps it"}))
	scene.Equal(t, "0 held, 0 payable, 0 maturing", m.balance(m.ada.Person.ID))
	m.Refused(scene.FieldError(affiliate.InvalidField, "kind", "kind must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE"), func() error {
		return scene.ErrOf(m.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: m.bob.ID, SaleID: sale.ID, Kind: affiliate.AdjustMove, Amount: scene.Sum("1"), Reason: "r"}))
	})
	m.Verifies()
}

// Every store call of such a move failed once: all or nothing.
func TestMovePaidSaleFaults(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	up := m.to(m.bob.ID)
	up.ClawBack = true
	everyFailure(m.World, func() error { return scene.ErrOf(m.UpdateSale(t.Context(), sale.ID, up)) })
	m.Verifies()
}

// Verify finds adjustments of a move that do not add up to nothing.
func TestVerifyMovedSale(t *testing.T) {
	m := newMover(t)
	sale := m.sale("1")
	m.paysAda(affiliate.PayoutPaid)
	m.claw(sale.ID, m.bob.ID)
	back := scene.Must(m.Adjustments(t.Context(), affiliate.AdjustmentQuery{}, affiliate.Page{Limit: 1})).Items[0]
	m.Raw(func(tx *record.Tx) error {
		rec := scene.Must(tx.Adjustments.Get(back.ID))
		rec.Amount = scene.Sum("-19")
		return tx.Adjustments.Replace(rec)
	})
	want := fmt.Sprintf("I73: sale %d: the adjustments of affiliate %s, whom it was taken from, add up to 1", sale.ID, m.ada.Person.ID)
	if err := m.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
