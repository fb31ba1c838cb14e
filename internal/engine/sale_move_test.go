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
