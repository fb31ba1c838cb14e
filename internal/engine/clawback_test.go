package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// entriesOf are the amounts of a sale's commissions.
func entriesOf(s scene.Shop, id affiliate.SaleID) (amounts []string) {
	s.T.Helper()
	for i, c := range scene.Must(s.Sale(s.T.Context(), id)).Commissions {
		scene.Equal(s.T, (i > 0), c.ClawBack, i, id)
		amounts = append(amounts, c.CommissionEarned.String())
	}
	return amounts
}

// has fails the test unless a sale has these commissions, which add up to what
// it earned.
func has(s scene.Shop, id affiliate.SaleID, earned string, entries ...string) {
	s.T.Helper()
	scene.Equal(s.T, entries, entriesOf(s, id), id)
	sale := scene.Must(s.Sale(s.T.Context(), id))
	if sale.CommissionEarned != scene.Sum(earned) || scene.CommissionSum(sale).Cmp(scene.RatOf(scene.Sum(earned))) != 0 {
		s.T.Errorf("sale %d earned %v, want %s", id, sale.CommissionEarned, earned)
	}
}

var (
	inPayoutBatch  = scene.StateError(affiliate.IncludedInPayout, "", "Sale is included in a payout")
	paidOut        = scene.StateError(affiliate.AlreadyPaid, "", "Sale has already been paid out")
	paidByHand     = scene.StateError(affiliate.ManuallyPaid, "", "Sale has been marked as manually paid")
	nothingToPay   = scene.StateError(affiliate.NothingPayable, "", "Nothing is payable to this affiliate")
	belowTheLeast  = scene.StateError(affiliate.BelowPayoutMinimum, "", "The payable amount is below the payout minimum")
	partOfAPayout  = scene.StateError(affiliate.InPayout, "", "Sale is part of a payout")
	outsideTheTime = scene.StateError(affiliate.OutsideRefundWindow, "", "Sale is outside the refund window")
)

// money checks 1–5 and 7–16, in their order on one program.
func TestClawBackStory(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	pay := func(in affiliate.PayoutParams) (affiliate.Payout, error) {
		in.AffiliateID = s.Ada.Person.ID
		return s.CreatePayout(ctx, in)
	}
	refund := func(in affiliate.Refund) func() error {
		return func() error { _, err := s.RefundSale(ctx, in); return err }
	}
	// 1, 2
	s1 := s.ToTomas("100")
	if at, ok := s1.Commissions[0].PayableAt.Get(); !ok || at != s1.CreatedAt {
		t.Errorf("payableAt %v, recorded %v", s1.Commissions[0].PayableAt, s1.CreatedAt)
	}
	var p1 affiliate.Payout
	s.Fires(func() (err error) { p1, err = pay(affiliate.PayoutParams{}); return err }, affiliate.SaleUpdated)
	// 3, 4, 5
	s.Refused(inPayoutBatch, refund(affiliate.Refund{SaleID: s1.ID, Amount: scene.Amount("60")}))
	part := affiliate.Refund{SaleID: s1.ID, Amount: scene.Amount("60"), RefundID: "r1", ClawBack: true}
	s.Fires(refund(part), affiliate.SaleUpdated)
	has(s, s1.ID, "8", "20", "-12")
	s.Fires(refund(part))
	s.Fires(refund(affiliate.Refund{SaleID: s1.ID, RefundID: "r1"}))
	has(s, s1.ID, "8", "20", "-12")
	if got := scene.Must(s.Payout(ctx, p1.ID)); !cmp.Equal(got, p1) {
		t.Errorf("the payout changed: %s", cmp.Diff(p1, got))
	}
	// 7, 8, 9, 10
	s.Fires(func() error { s.Moves(p1, affiliate.PayoutPaid); return nil }, affiliate.SaleUpdated)
	s.Refused(paidOut, refund(affiliate.Refund{SaleID: s1.ID, Amount: scene.Amount("40")}))
	s.Fires(refund(affiliate.Refund{SaleID: s1.ID, ClawBack: true}), affiliate.SaleDeleted)
	has(s, s1.ID, "0", "20", "-12", "-8")
	if got := scene.Must(s.Sale(ctx, s1.ID)); got.Status != affiliate.SaleRefunded || got.RefundedAt.IsNull() {
		t.Errorf("%s, refunded at %v", got.Status, got.RefundedAt)
	}
	s.Refused(nothingToPay, func() error { _, err := pay(affiliate.PayoutParams{}); return err })
	s.Verifies()
	// 11, 12
	s2 := s.ToTomas("150")
	s.Refused(belowTheLeast, func() error { _, err := pay(affiliate.PayoutParams{Minimum: scene.Sum("11")}); return err })
	var p2 affiliate.Payout
	s.Fires(func() (err error) { p2, err = pay(affiliate.PayoutParams{Minimum: scene.Sum("10")}); return err }, affiliate.SaleUpdated)
	if p2.Amount != scene.Sum("10") || len(p2.CommissionIDs) != 3 {
		t.Errorf("second payout %v of %v", p2.Amount, p2.CommissionIDs)
	}
	s.Refused(partOfAPayout, func() error { return s.DeleteSale(ctx, s1.ID) })
	s.Refused(partOfAPayout, func() error { return s.DeleteSale(ctx, s2.ID) })
	// 13
	up := affiliate.SaleUpdate{TotalEarned: scene.Amount("200")}
	s.Refused(partOfAPayout, func() error { _, err := s.UpdateSale(ctx, s2.ID, up); return err })
	up.ClawBack = true
	s.Fires(func() error { _, err := s.UpdateSale(ctx, s2.ID, up); return err }, affiliate.SaleUpdated)
	has(s, s2.ID, "40", "30", "10")
	s.Fires(func() error { _, err := s.UpdateSale(ctx, s2.ID, up); return err })
	// 14, 15
	s.Moves(p2, affiliate.PayoutProcessing)
	cancel := func() error { _, err := s.SetPayoutStatus(ctx, p2.ID, affiliate.PayoutCanceled); return err }
	s.Refused(scene.PayoutStuck, cancel)
	scene.Must(s.FailPayout(ctx, p2.ID, "x"))
	s.Fires(cancel, affiliate.SaleUpdated)
	canceled := scene.Must(s.Payout(ctx, p2.ID))
	if at, ok := canceled.CanceledAt.Get(); !ok || at != affiliate.TimeOf(s.Now) || canceled.Amount != scene.Sum("10") || !cmp.Equal(canceled.CommissionIDs, p2.CommissionIDs) {
		t.Errorf("canceled %+v", canceled)
	}
	if c := scene.Must(s.Sale(ctx, s2.ID)).Commissions[0]; c.PayoutCreated || !c.PayoutID.IsNull() {
		t.Errorf("still in a payout: %+v", c)
	}
	s.Fires(cancel)
	s.Refused(scene.PayoutStuck, func() error { _, err := s.SetPayoutStatus(ctx, p2.ID, affiliate.PayoutPaid); return err })
	s.Refused(scene.PayoutStuck, func() error { _, err := s.SetPayoutStatus(ctx, p1.ID, affiliate.PayoutCanceled); return err })
	s.Verifies()
	// 16
	p3 := scene.Must(pay(affiliate.PayoutParams{}))
	if p3.Amount != scene.Sum("20") || len(p3.CommissionIDs) != 4 {
		t.Errorf("third payout %v of %v", p3.Amount, p3.CommissionIDs)
	}
	s.Verifies()
}

// the examples of docs/money.md, and money checks 50–53: each change of what a payout took is
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
				s := scene.NewShop(t, func(c *tributary.Config) {
					if tt.change != nil {
						tt.change(c)
					}
				})
				sale := s.ToTomas(tt.total)
				p := s.PaysOut(func(in *affiliate.PayoutParams) { in.ManuallyPaid = byHand })
				if byHand {
					s.Refused(paidByHand, func() error {
						return scene.ErrOf(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID}))
					})
				} else {
					s.Moves(p, affiliate.PayoutPaid)
				}
				for _, part := range tt.parts {
					s.ClawsBack(sale.ID, part, "")
					s.Verifies()
				}
				has(s, sale.ID, tt.earned, append([]string{tt.first}, tt.entries...)...)
			})
		}
	}
}

// The refusals that the flag does not lift, and check 54.
func TestClawBackRefusals(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t, func(c *tributary.Config) { c.RefundWindow = 30 * 24 * time.Hour })
	sale := s.ToTomas("100")
	s.PaysOut()
	claw := affiliate.Refund{SaleID: sale.ID, ClawBack: true}
	over := claw
	over.Amount = scene.Amount("100.01")
	s.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.RefundExceedsSale, Field: "amount", Message: "Refund amount exceeds the amount left on the sale"},
		func() error { _, err := s.RefundSale(ctx, over); return err })
	s.Pass(31 * 24 * time.Hour)
	s.Refused(outsideTheTime, func() error { _, err := s.RefundSale(ctx, claw); return err })
	s.Refused(outsideTheTime, func() error {
		return scene.ErrOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{ClawBack: true}))
	})
	s.Refused(saleMissing, func() error {
		return scene.ErrOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: 99}, affiliate.Reversal{ClawBack: true}))
	})
	s.Refused(scene.FieldError(affiliate.InvalidField, "refundId", "refundId must not be empty"), func() error {
		return scene.ErrOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{RefundID: " "}))
	})
	s.Refused(partOfAPayout, func() error {
		return scene.ErrOf(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, sale.ID))
	})
}

// A dispute: the sale stays with its external ids, once (docs/money.md M12).
func TestReverseSaleClawsBack(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	paid := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "e1", TotalEarned: scene.Sum("50")})
	p := s.PaysOut()
	s.Moves(p, affiliate.PayoutPaid)
	open := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "e2"})
	part := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "e3"})
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: part.ID}))
	reverse := func(id string, how affiliate.Reversal) func() error {
		return func() error { return scene.ErrOf(s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: id}, how)) }
	}
	s.Refused(partOfAPayout, reverse("e1", affiliate.Reversal{RefundID: "d1"}))
	claw := affiliate.Reversal{ClawBack: true, RefundID: "d1"}
	s.Fires(reverse("e1", claw), affiliate.SaleDeleted)
	has(s, paid.ID, "0", "10", "-10")
	s.Fires(reverse("e1", claw))
	s.Fires(reverse("e1", affiliate.Reversal{ClawBack: true}))
	if again := scene.Must(s.RecordSale(ctx, affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "e1", TotalEarned: scene.Sum("50")})); again.Outcome != affiliate.SaleDuplicate {
		t.Errorf("the payment was delivered again: %s", again.Outcome)
	}
	// In no payout: removed, as without the flag.
	s.Fires(reverse("e2", claw), affiliate.SaleDeleted)
	s.Fires(reverse("e3", claw))
	for _, id := range []affiliate.SaleID{open.ID, part.ID} {
		if _, err := s.Sale(ctx, id); err != affiliate.ErrNotFound {
			t.Errorf("sale %d: %v", id, err)
		}
	}
	s.Refused(saleMissing, reverse("e2", claw))
	s.Verifies()
}

// Details of the payee are those of the moment; erasing blanks them.
func TestPayoutFreezesPayee(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	ada := s.Ada.Person.ID
	scene.Must(s.SetPayoutDetails(ctx, ada, affiliate.PayoutDetails{Email: "pay@example.com", Method: "WISE"}))
	s.ToTomas("100")
	keyed := s.Keyed(affiliate.Once{Key: "k"})
	p := scene.Must(keyed.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada}))
	scene.Must(s.SetPayoutDetails(ctx, ada, affiliate.PayoutDetails{Email: "new@example.com", Method: "PAYPAL"}))
	if p.PayeeName.Or("") != "Ada Lovelace" || p.PayeeEmail.Or("") != "pay@example.com" || !cmp.Equal(p, scene.Must(s.Payout(ctx, p.ID))) {
		t.Errorf("%+v", p)
	}
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, ada))
	for name, got := range map[string]affiliate.Payout{
		"payout": scene.Must(s.Payout(ctx, p.ID)), "receipt": scene.Must(keyed.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada})),
	} {
		if !got.PayeeName.IsNull() || !got.PayeeEmail.IsNull() || got.Amount != p.Amount || got.PaymentMethod != p.PaymentMethod {
			t.Errorf("%s: %+v", name, got)
		}
	}
	s.Verifies()
}

func TestPayoutFilter(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.ToTomas("100")
	first := s.PaysOut()
	scene.Must(s.SetPayoutStatus(ctx, first.ID, affiliate.PayoutCanceled))
	second := s.PaysOut()
	ids := func(f affiliate.PayoutQuery) (ids []string) {
		for _, p := range scene.Must(s.Payouts(ctx, f, affiliate.Page{})).Items {
			ids = append(ids, p.ID.String())
		}
		return ids
	}
	ada := affiliate.Set(s.Ada.Person.ID)
	for name, tt := range map[string]struct {
		f    affiliate.PayoutQuery
		want []string
	}{
		"all":      {affiliate.PayoutQuery{}, []string{second.ID.String(), first.ID.String()}},
		"pending":  {affiliate.PayoutQuery{Status: affiliate.PayoutPending}, []string{second.ID.String()}},
		"canceled": {affiliate.PayoutQuery{Status: affiliate.PayoutCanceled, AffiliateID: ada}, []string{first.ID.String()}},
		"by email": {affiliate.PayoutQuery{AffiliateEmail: scene.TextOf("ADA@example.com")}, []string{second.ID.String(), first.ID.String()}},
		"two":      {affiliate.PayoutQuery{AffiliateEmail: scene.TextOf("ada@example.com"), AffiliateID: affiliate.Set(s.Bob.ID)}, nil},
		"no email": {affiliate.PayoutQuery{AffiliateEmail: scene.TextOf("nobody@example.com")}, nil},
		"of Bob":   {affiliate.PayoutQuery{Status: affiliate.PayoutPending, AffiliateID: affiliate.Set(s.Bob.ID)}, nil},
	} {
		scene.Equal(t, tt.want, ids(tt.f), name)
		var paid []string
		for payment := range s.Transfers(ctx, tt.f) {
			paid = append([]string{payment.PayoutID.String()}, paid...)
		}
		scene.Equal(t, tt.want, paid, name)
	}
	unknown := affiliate.PayoutQuery{Status: "SENT"}
	_, err := s.Payouts(ctx, unknown, affiliate.Page{})
	for _, late := range s.Transfers(ctx, unknown) {
		if !errors.Is(err, affiliate.InvalidQuery) || !errors.Is(late, affiliate.InvalidQuery) {
			t.Errorf("an unknown status: %v, %v", err, late)
		}
	}
	s.Refused(scene.FieldError(affiliate.InvalidField, "minimum", "minimum must be at least 0"), func() error {
		return scene.ErrOf(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, Minimum: scene.Sum("-1")}))
	})
}

// Check 57: many refunds at once, beside payouts. Each is booked once, and the
// entries add up to what is kept.
func TestClawBacksAtOnce(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale := s.ToTomas("100")
	s.Moves(s.PaysOut(), affiliate.PayoutPaid)
	s.ToTomas("1000")
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			in := affiliate.Refund{SaleID: sale.ID, Amount: scene.Amount("1"), RefundID: fmt.Sprint("r", i), ClawBack: true}
			for range 2 {
				if _, err := s.RefundSale(ctx, in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		wg.Go(func() {
			_, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID})
			if err != nil && !errors.Is(err, affiliate.NothingPayable) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got := scene.Must(s.Sale(ctx, sale.ID))
	if got.RefundedAmount != scene.Sum("50") || got.CommissionEarned != scene.Sum("10") || scene.CommissionSum(got).Cmp(scene.RatOf(scene.Sum("10"))) != 0 {
		t.Errorf("refunded %v, earned %v, commissions %v", got.RefundedAmount, got.CommissionEarned, scene.CommissionSum(got))
	}
	s.Verifies()
}
