package affiliate_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// entries are the amounts of a sale's commissions.
func (s saleShop) entries(id affiliate.SaleID) (amounts []string) {
	s.t.Helper()
	for i, c := range must(s.Sale(s.t.Context(), id)).Commissions {
		if c.ClawBack != (i > 0) {
			s.t.Errorf("commission %d of sale %d: clawback %v", i, id, c.ClawBack)
		}
		amounts = append(amounts, c.CommissionEarned.String())
	}
	return amounts
}

// has fails the test unless a sale has these commissions, which add up to what
// it earned.
func (s saleShop) has(id affiliate.SaleID, earned string, entries ...string) {
	s.t.Helper()
	if diff := cmp.Diff(entries, s.entries(id)); diff != "" {
		s.t.Errorf("commissions of sale %d (-want +got):\n%s", id, diff)
	}
	sale := must(s.Sale(s.t.Context(), id))
	if sale.CommissionEarned != sum(earned) || commissionSum(sale).Cmp(ratOf(sum(earned))) != 0 {
		s.t.Errorf("sale %d earned %v, want %s", id, sale.CommissionEarned, earned)
	}
}

// clawsBack refunds a part of a sale that a payout holds; an empty amount is all
// that is left.
func (s saleShop) clawsBack(id affiliate.SaleID, part, refundID string) affiliate.RefundReason {
	s.t.Helper()
	in := affiliate.Refund{SaleID: id, RefundID: refundID, ClawBack: true}
	if part != "" {
		in.Amount = amount(part)
	}
	return must(s.RefundSale(s.t.Context(), in)).Reason
}

// moves sets the status of a payout.
func (s saleShop) moves(p affiliate.Payout, to affiliate.PayoutStatus) affiliate.Payout {
	s.t.Helper()
	return must(s.SetPayoutStatus(s.t.Context(), p.ID, to))
}

var (
	inPayoutBatch  = stateError(affiliate.IncludedInPayout, "", "Sale is included in a payout")
	paidOut        = stateError(affiliate.AlreadyPaid, "", "Sale has already been paid out")
	paidByHand     = stateError(affiliate.ManuallyPaid, "", "Sale has been marked as manually paid")
	nothingToPay   = stateError(affiliate.NothingPayable, "", "Nothing is payable to this affiliate")
	belowTheLeast  = stateError(affiliate.BelowPayoutMinimum, "", "The payable amount is below the payout minimum")
	partOfAPayout  = stateError(affiliate.InPayout, "", "Sale is part of a payout")
	outsideTheTime = stateError(affiliate.OutsideRefundWindow, "", "Sale is outside the refund window")
)

// docs/money.md, checks 1–5 and 7–16, in their order on one program.
func TestClawBackStory(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	pay := func(in affiliate.NewPayout) (affiliate.Payout, error) {
		in.AffiliateID = s.ada.affiliate.ID
		return s.CreatePayout(ctx, in)
	}
	refund := func(in affiliate.Refund) func() error {
		return func() error { _, err := s.RefundSale(ctx, in); return err }
	}
	// 1, 2
	s1 := s.toTomas("100")
	if at, ok := s1.Commissions[0].PayableAt.Get(); !ok || at != s1.CreatedAt {
		t.Errorf("payableAt %v, recorded %v", s1.Commissions[0].PayableAt, s1.CreatedAt)
	}
	var p1 affiliate.Payout
	s.fires(func() (err error) { p1, err = pay(affiliate.NewPayout{}); return err }, affiliate.SaleUpdated)
	// 3, 4, 5
	s.refused(inPayoutBatch, refund(affiliate.Refund{SaleID: s1.ID, Amount: amount("60")}))
	part := affiliate.Refund{SaleID: s1.ID, Amount: amount("60"), RefundID: "r1", ClawBack: true}
	s.fires(refund(part), affiliate.SaleUpdated)
	s.has(s1.ID, "8", "20", "-12")
	s.fires(refund(part))
	s.fires(refund(affiliate.Refund{SaleID: s1.ID, RefundID: "r1"}))
	s.has(s1.ID, "8", "20", "-12")
	if got := must(s.Payout(ctx, p1.ID)); !cmp.Equal(got, p1) {
		t.Errorf("the payout changed: %s", cmp.Diff(p1, got))
	}
	// 7, 8, 9, 10
	s.fires(func() error { s.moves(p1, affiliate.PayoutPaid); return nil }, affiliate.SaleUpdated)
	s.refused(paidOut, refund(affiliate.Refund{SaleID: s1.ID, Amount: amount("40")}))
	s.fires(refund(affiliate.Refund{SaleID: s1.ID, ClawBack: true}), affiliate.SaleDeleted)
	s.has(s1.ID, "0", "20", "-12", "-8")
	if got := must(s.Sale(ctx, s1.ID)); got.Status != affiliate.SaleRefunded || got.RefundedAt.IsNull() {
		t.Errorf("%s, refunded at %v", got.Status, got.RefundedAt)
	}
	s.refused(nothingToPay, func() error { _, err := pay(affiliate.NewPayout{}); return err })
	s.verify()
	// 11, 12
	s2 := s.toTomas("150")
	s.refused(belowTheLeast, func() error { _, err := pay(affiliate.NewPayout{Minimum: sum("11")}); return err })
	var p2 affiliate.Payout
	s.fires(func() (err error) { p2, err = pay(affiliate.NewPayout{Minimum: sum("10")}); return err }, affiliate.SaleUpdated)
	if p2.Amount != sum("10") || len(p2.CommissionIDs) != 3 {
		t.Errorf("second payout %v of %v", p2.Amount, p2.CommissionIDs)
	}
	s.refused(partOfAPayout, func() error { return s.DeleteSale(ctx, s1.ID) })
	s.refused(partOfAPayout, func() error { return s.DeleteSale(ctx, s2.ID) })
	// 13
	up := affiliate.SaleUpdate{TotalEarned: amount("200")}
	s.refused(partOfAPayout, func() error { _, err := s.UpdateSale(ctx, s2.ID, up); return err })
	up.ClawBack = true
	s.fires(func() error { _, err := s.UpdateSale(ctx, s2.ID, up); return err }, affiliate.SaleUpdated)
	s.has(s2.ID, "40", "30", "10")
	s.fires(func() error { _, err := s.UpdateSale(ctx, s2.ID, up); return err })
	// 14, 15
	s.moves(p2, affiliate.PayoutProcessing)
	cancel := func() error { _, err := s.CancelPayout(ctx, p2.ID); return err }
	s.refused(payoutStuck, cancel)
	must(s.FailPayout(ctx, p2.ID, "x"))
	s.fires(cancel, affiliate.SaleUpdated)
	canceled := must(s.Payout(ctx, p2.ID))
	if at, ok := canceled.CanceledAt.Get(); !ok || at != affiliate.TimeOf(s.now) || canceled.Amount != sum("10") || !cmp.Equal(canceled.CommissionIDs, p2.CommissionIDs) {
		t.Errorf("canceled %+v", canceled)
	}
	if c := must(s.Sale(ctx, s2.ID)).Commissions[0]; c.PayoutCreated || !c.PayoutID.IsNull() {
		t.Errorf("still in a payout: %+v", c)
	}
	s.fires(cancel)
	s.refused(payoutStuck, func() error { _, err := s.SetPayoutStatus(ctx, p2.ID, affiliate.PayoutPaid); return err })
	s.refused(payoutStuck, func() error { _, err := s.CancelPayout(ctx, p1.ID); return err })
	s.verify()
	// 16
	p3 := must(pay(affiliate.NewPayout{}))
	if p3.Amount != sum("20") || len(p3.CommissionIDs) != 4 {
		t.Errorf("third payout %v of %v", p3.Amount, p3.CommissionIDs)
	}
	s.verify()
}

// docs/money.md, examples and checks 50–53: each change of what a payout took is
// a further entry of the difference, and they add up exactly.
func TestClawBackRounds(t *testing.T) {
	flat := affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5")}
	for _, tt := range []struct {
		name           string
		change         func(*tributary.Config)
		total, first   string
		parts, entries []string
		earned         string
	}{
		{"50 example B", nil, "20.01", "4", []string{"6.67", "6.67", "6.67"}, []string{"-1.33", "-1.34", "-1.33"}, "0"},
		{"51 flat", func(c *tributary.Config) { c.Terms = flat }, "100", "5", []string{"60"}, []string{"-3"}, "2"},
		{"52 yen", func(c *tributary.Config) { c.Currency, c.Terms.Rate = "JPY", affiliate.MustPercent("10") }, "1255", "126", []string{"255"}, []string{"-26"}, "100"},
		{"a part that rounds to nothing", nil, "100", "20", []string{"0.01", "0.01", "0.01"}, []string{"-0.01"}, "19.99"},
	} {
		for _, byHand := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				s := newSaleShop(t, func(c *tributary.Config) {
					if tt.change != nil {
						tt.change(c)
					}
				})
				sale := s.toTomas(tt.total)
				p := s.payout(func(in *affiliate.NewPayout) { in.ManuallyPaid = byHand })
				if byHand {
					s.refused(paidByHand, func() error {
						_, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID})
						return err
					})
				} else {
					s.moves(p, affiliate.PayoutPaid)
				}
				for _, part := range tt.parts {
					s.clawsBack(sale.ID, part, "")
					s.verify()
				}
				s.has(sale.ID, tt.earned, append([]string{tt.first}, tt.entries...)...)
			})
		}
	}
}

// The refusals that the flag does not lift, and check 54.
func TestClawBackRefusals(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t, func(c *tributary.Config) { c.RefundWindow = 30 * 24 * time.Hour })
	sale := s.toTomas("100")
	s.payout()
	claw := affiliate.Refund{SaleID: sale.ID, ClawBack: true}
	over := claw
	over.Amount = amount("100.01")
	s.refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.RefundExceedsSale, Field: "amount", Message: "Refund amount exceeds the amount left on the sale"},
		func() error { _, err := s.RefundSale(ctx, over); return err })
	s.pass(31 * 24 * time.Hour)
	s.refused(outsideTheTime, func() error { _, err := s.RefundSale(ctx, claw); return err })
	s.refused(outsideTheTime, func() error {
		return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{ClawBack: true}))
	})
	s.refused(saleMissing, func() error {
		return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: 99}, affiliate.Reversal{ClawBack: true}))
	})
	s.refused(fieldError(affiliate.InvalidField, "refundId", "refundId must not be empty"), func() error {
		return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{RefundID: " "}))
	})
	s.refused(partOfAPayout, func() error {
		_, err := s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, sale.ID)
		return err
	})
}

// Of the refusals, the one that is first in the order manually paid, paid,
// included, whichever entry has it.
func TestRefundOfSeveralPayouts(t *testing.T) {
	s := newSaleShop(t)
	sale := s.toTomas("100")
	other := s.toTomas("500")
	refused := func(want affiliate.Error) {
		t.Helper()
		s.refused(want, func() error {
			_, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID})
			return err
		})
	}
	first := s.payout()
	refused(inPayoutBatch)
	s.clawsBack(sale.ID, "10", "")
	s.toTomas("100")
	s.moves(s.payout(), affiliate.PayoutPaid)
	refused(paidOut)
	s.clawsBack(sale.ID, "10", "")
	s.toTomas("100")
	s.payout(func(in *affiliate.NewPayout) { in.ManuallyPaid = true })
	refused(paidByHand)
	must(s.FailPayout(t.Context(), first.ID, "bounced"))
	must(s.CancelPayout(t.Context(), first.ID))
	refused(paidByHand)
	s.refused(inPayoutOf("Referral has sales that are part of a payout"), func() error { return s.DeleteReferral(t.Context(), s.tomas.Email) })
	s.has(sale.ID, "16", "20", "-2", "-2")
	s.has(other.ID, "100", "100")
	s.verify()
}

func inPayoutOf(text string) affiliate.Error { return stateError(affiliate.InPayout, "", text) }

// A sale whose payouts are all canceled is in no payout, but what they took
// stays frozen: its changes need no flag, and append.
func TestCanceledPayoutFrees(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	sale := s.toTomas("100")
	must(s.CancelPayout(ctx, s.payout().ID))
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: amount("60")}))
	s.has(sale.ID, "8", "20", "-12")
	must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{CommissionEarned: amount("11")}))
	s.has(sale.ID, "11", "20", "-12", "3")
	held := must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sale.ID))[0]
	for _, c := range held.Commissions {
		if c.ApprovalStatus != affiliate.ApprovalOnHold || c.HoldReason.IsNull() {
			t.Errorf("held: %+v", c)
		}
	}
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: amount("20")}))
	s.has(sale.ID, "5.5", "20", "-12", "3", "-5.5")
	if c := must(s.Sale(ctx, sale.ID)).Commissions[3]; c.ApprovalStatus != affiliate.ApprovalOnHold {
		t.Errorf("an entry beside one on hold is %s", c.ApprovalStatus)
	}
	s.refused(nothingToPay, func() error {
		_, err := s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID})
		return err
	})
	must(s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, sale.ID))
	s.verify()
	again := s.payout()
	if again.Amount != sum("5.5") || len(again.CommissionIDs) != 4 {
		t.Errorf("%v of %v", again.Amount, again.CommissionIDs)
	}
	must(s.CancelPayout(ctx, again.ID))
	if err := s.DeleteSale(ctx, sale.ID); err != nil {
		t.Error(err)
	}
	s.verify()
	if err := s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.ada.affiliate.ID}); err != nil {
		t.Error(err)
	}
	if left := must(s.Payouts(ctx, affiliate.PayoutFilter{}, affiliate.Page{})).Items; len(left) != 0 {
		t.Errorf("canceled payouts without an affiliate: %v", left)
	}
	s.verify()
}

// A dispute: the sale stays with its external ids, once (docs/money.md M12).
func TestReverseSaleClawsBack(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	paid := s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: "e1", TotalEarned: sum("50")})
	p := s.payout()
	s.moves(p, affiliate.PayoutPaid)
	open := s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: "e2"})
	part := s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: "e3"})
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: part.ID}))
	reverse := func(id string, how affiliate.Reversal) func() error {
		return func() error { return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: id}, how)) }
	}
	s.refused(partOfAPayout, reverse("e1", affiliate.Reversal{RefundID: "d1"}))
	claw := affiliate.Reversal{ClawBack: true, RefundID: "d1"}
	s.fires(reverse("e1", claw), affiliate.SaleDeleted)
	s.has(paid.ID, "0", "10", "-10")
	s.fires(reverse("e1", claw))
	s.fires(reverse("e1", affiliate.Reversal{ClawBack: true}))
	if again := must(s.RecordSale(ctx, affiliate.NewSale{Email: s.tomas.Email, ExternalID: "e1", TotalEarned: sum("50")})); again.Outcome != affiliate.SaleDuplicate {
		t.Errorf("the payment was delivered again: %s", again.Outcome)
	}
	// In no payout: removed, as without the flag.
	s.fires(reverse("e2", claw), affiliate.SaleDeleted)
	s.fires(reverse("e3", claw))
	for _, id := range []affiliate.SaleID{open.ID, part.ID} {
		if _, err := s.Sale(ctx, id); err != affiliate.ErrNotFound {
			t.Errorf("sale %d: %v", id, err)
		}
	}
	s.refused(saleMissing, reverse("e2", claw))
	s.verify()
}

// Details of the payee are those of the moment; erasing blanks them.
func TestPayoutFreezesPayee(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	ada := s.ada.affiliate.ID
	must(s.SetPayoutDetails(ctx, ada, affiliate.PayoutDetails{Email: "pay@example.com", Method: "WISE"}))
	s.toTomas("100")
	keyed := s.Keyed(affiliate.Once{Key: "k"})
	p := must(keyed.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: ada}))
	must(s.SetPayoutDetails(ctx, ada, affiliate.PayoutDetails{Email: "new@example.com", Method: "PAYPAL"}))
	if p.PayeeName.Or("") != "Ada Lovelace" || p.PayeeEmail.Or("") != "pay@example.com" || !cmp.Equal(p, must(s.Payout(ctx, p.ID))) {
		t.Errorf("%+v", p)
	}
	if err := s.EraseAffiliate(ctx, ada); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]affiliate.Payout{
		"payout": must(s.Payout(ctx, p.ID)), "receipt": must(keyed.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: ada})),
	} {
		if !got.PayeeName.IsNull() || !got.PayeeEmail.IsNull() || got.Amount != p.Amount || got.PaymentMethod != p.PaymentMethod {
			t.Errorf("%s: %+v", name, got)
		}
	}
	s.verify()
}

func TestPayoutFilter(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	s.toTomas("100")
	first := s.payout()
	must(s.CancelPayout(ctx, first.ID))
	second := s.payout()
	ids := func(f affiliate.PayoutFilter) (ids []string) {
		for _, p := range must(s.Payouts(ctx, f, affiliate.Page{})).Items {
			ids = append(ids, p.ID.String())
		}
		return ids
	}
	ada := affiliate.Set(s.ada.affiliate.ID)
	for name, tt := range map[string]struct {
		f    affiliate.PayoutFilter
		want []string
	}{
		"all":      {affiliate.PayoutFilter{}, []string{second.ID.String(), first.ID.String()}},
		"pending":  {affiliate.PayoutFilter{Status: affiliate.PayoutPending}, []string{second.ID.String()}},
		"canceled": {affiliate.PayoutFilter{Status: affiliate.PayoutCanceled, AffiliateID: ada}, []string{first.ID.String()}},
		"by email": {affiliate.PayoutFilter{AffiliateEmail: textOf("ADA@example.com")}, []string{second.ID.String(), first.ID.String()}},
		"two":      {affiliate.PayoutFilter{AffiliateEmail: textOf("ada@example.com"), AffiliateID: affiliate.Set(s.bob.ID)}, nil},
		"no email": {affiliate.PayoutFilter{AffiliateEmail: textOf("nobody@example.com")}, nil},
		"of Bob":   {affiliate.PayoutFilter{Status: affiliate.PayoutPending, AffiliateID: affiliate.Set(s.bob.ID)}, nil},
	} {
		if diff := cmp.Diff(tt.want, ids(tt.f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		var paid []string
		for payment := range s.Transfers(ctx, tt.f) {
			paid = append([]string{payment.PayoutID.String()}, paid...)
		}
		if diff := cmp.Diff(tt.want, paid); diff != "" {
			t.Errorf("%s: payments, newest first (-want +got):\n%s", name, diff)
		}
	}
	unknown := affiliate.PayoutFilter{Status: "SENT"}
	_, err := s.Payouts(ctx, unknown, affiliate.Page{})
	for _, late := range s.Transfers(ctx, unknown) {
		if !errors.Is(err, affiliate.InvalidQuery) || !errors.Is(late, affiliate.InvalidQuery) {
			t.Errorf("an unknown status: %v, %v", err, late)
		}
	}
	s.refused(fieldError(affiliate.InvalidField, "minimum", "minimum must be at least 0"), func() error {
		_, err := s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID, Minimum: sum("-1")})
		return err
	})
}

// A debt is taken whatever Until says: nobody is paid past what is known.
func TestPayoutTakesDebtsAfterUntil(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	old := s.toTomas("100")
	s.moves(s.payout(), affiliate.PayoutPaid)
	s.pass(time.Hour)
	until := s.now
	open := s.toTomas("100")
	s.pass(time.Hour)
	s.toTomas("100")
	s.clawsBack(old.ID, "50", "")
	p := must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID, Until: until}))
	refunded := must(s.Sale(ctx, old.ID)).Commissions[1]
	want := []affiliate.CommissionID{open.Commissions[0].ID, refunded.ID}
	start, _ := p.PeriodStart.Get()
	end, _ := p.PeriodEnd.Get()
	if diff := cmp.Diff(want, p.CommissionIDs); diff != "" || p.Amount != sum("10") || start != open.CreatedAt || end != refunded.CreatedAt {
		t.Errorf("%v from %v to %v %s", p.Amount, start, end, diff)
	}
	s.verify()
}

// Every store call of a claw-back failed once: all or nothing.
func TestClawBackFaults(t *testing.T) {
	s := newSaleShop(t)
	sale := s.toTomas("100")
	s.moves(s.payout(), affiliate.PayoutPaid)
	s.everyFailure(func() error {
		return errOf(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: amount("50"), ClawBack: true}))
	})
	s.has(sale.ID, "10", "20", "-10")
	s.verify()
}

// Check 57: many refunds at once, beside payouts. Each is booked once, and the
// entries add up to what is kept.
func TestClawBacksAtOnce(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	sale := s.toTomas("100")
	s.moves(s.payout(), affiliate.PayoutPaid)
	s.toTomas("1000")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			in := affiliate.Refund{SaleID: sale.ID, Amount: amount("1"), RefundID: fmt.Sprint("r", i), ClawBack: true}
			for range 2 {
				if _, err := s.RefundSale(ctx, in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		wg.Go(func() {
			_, err := s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID})
			if err != nil && !errors.Is(err, affiliate.NothingPayable) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := must(s.Sale(ctx, sale.ID))
	if got.RefundedAmount != sum("50") || got.CommissionEarned != sum("10") || commissionSum(got).Cmp(ratOf(sum("10"))) != 0 {
		t.Errorf("refunded %v, earned %v, commissions %v", got.RefundedAmount, got.CommissionEarned, commissionSum(got))
	}
	s.verify()
}
