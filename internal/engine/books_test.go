package engine_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
)

// money check 60 and M60: a program from before goes on at once. Its
// balances are shown after OpenBooks.
func TestOpenBooks(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	paid := s.ToTomas("100")
	s.Moves(s.PaysOut(), affiliate.PayoutPaid)
	waiting := s.ToTomas("50")
	s.PaysOut()
	refunded := s.ToTomas("30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: refunded.ID, Amount: scene.Amount("20")}))
	held := s.ToTomas("200")
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	s.Ages()
	s.Verifies()

	s.ClawsBack(paid.ID, "60", "r1") // writes go on
	s.ToTomas("10")
	s.Verifies()
	s.Refused(scene.BooksClosed, func() error { return scene.ErrOf(s.Balance(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})) })
	s.Pass(time.Hour)
	if balances := scene.Must(s.Balances(ctx, affiliate.Page{})).Items; len(balances) != 1 || balances[0].AffiliateID != s.Bob.ID {
		t.Errorf("balances before the books are open: %+v", balances)
	}
	scene.Equal(t, 1, scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed)
	s.Verifies()
	s.Owes(affiliate.Balance{Held: scene.Sum("40"), Payable: scene.Sum("-8"), InPayout: scene.Sum("10"), Paid: scene.Sum("20"), Earned: scene.Sum("62"), Movements: 6})
	want := []string{
		"1 CLAW_BACK 12 PAYABLE-ACCRUAL of sale 1, commission 5: sales 0, revenue 0, refunds 60",
		"2 SALE 2 ACCRUAL-PAYABLE of sale 5, commission 6: sales 1, revenue 10, refunds 0",
		"3 OPENING 40 ACCRUAL-HELD", "4 OPENING 2 ACCRUAL-PAYABLE", "5 OPENING 10 ACCRUAL-IN_PAYOUT", "6 OPENING 20 ACCRUAL-PAID",
	}
	scene.Equal(t, want, s.Moved(affiliate.MovementQuery{}))
	opening := scene.Must(s.Movements(ctx, affiliate.MovementQuery{Cause: affiliate.CauseOpening}, affiliate.Page{})).Items
	if first := opening[3]; first.Sales != 4 || first.Revenue != scene.Sum("380") || first.Refunds != scene.Sum("20") {
		t.Errorf("the opening counts %d sales, revenue %v, refunds %v", first.Sales, first.Revenue, first.Refunds)
	}
	before := s.Dump()
	scene.Equal(t, 0, scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed)
	scene.Equal(t, before, s.Dump())
	s.Raw(func(tx *record.Tx) error { // in their present form
		return scene.EachRow(tx.Payouts, func(r record.Payout) error {
			if len(r.Items) != 1 || len(r.Commissions) != 0 || r.Items[0].Sale != int64(paid.ID) && r.Items[0].Sale != int64(waiting.ID) {
				t.Errorf("payout %+v", r)
			}
			return nil
		})
	})
	scene.Must(0, s.DeleteSale(ctx, held.ID))
	s.Verifies()
}

// An affiliate without sales has open books. One whose only sale of before was
// refunded owes nothing, and is opened with the others.
func TestOpenBooksOfNobody(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	gone := s.ToTomas("100")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: gone.ID}))
	s.Ages()
	s.Stands(0, "0", "0", "0", "0")
	s.ToTomas("10")
	s.Refused(scene.BooksClosed, func() error { return scene.ErrOf(s.Balance(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})) })
	if n := scene.Must(s.Run(ctx, affiliate.OpenBooksJob{})).Changed; n != 1 {
		t.Errorf("%d books were opened", n)
	}
	s.Stands(2, "2", "0", "0", "2")
	want := []string{"1 SALE 2 ACCRUAL-PAYABLE of sale 2, commission 2: sales 1, revenue 10, refunds 0", "2 OPENING 0 ACCRUAL-ACCRUAL"}
	scene.Equal(t, want, s.Moved(affiliate.MovementQuery{}))
	s.Verifies()
}

// Books that were opened stay as they are when the first movement comes, and books that
// were not are not opened by a later one, even if the sales of before are gone.
func TestOpenBooksStay(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	opened := func() (at affiliate.Instant) {
		s.Raw(func(tx *record.Tx) error {
			at = scene.Must(tx.Totals.Get(s.Ada.Person.ID)).Books.Opened
			return nil
		})
		return at
	}
	old := s.ToTomas("30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: old.ID}))
	s.Ages()
	s.ToTomas("10") // a movement of books that are not open
	noSales := func(tx *record.Tx) error {
		return scene.EachRow(tx.Sales, func(r record.Sale) error { return tx.Sales.Delete(r.ID) })
	}
	s.Raw(noSales)
	s.ToTomas("10")
	if at := opened(); !at.IsZero() {
		t.Errorf("a movement opened the books at %v", at)
	}

	s = scene.NewShop(t)
	old = s.ToTomas("30")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: old.ID}))
	s.Ages()
	scene.Must(s.Run(ctx, affiliate.OpenBooksJob{}))
	want := opened()
	s.Raw(func(tx *record.Tx) error { // opened without anything to book
		totals := scene.Must(tx.Totals.Get(s.Ada.Person.ID))
		totals.Books.Number = 0
		return scene.ErrorsOf(tx.Totals.Replace(totals),
			scene.EachRow(tx.Movements, func(r record.Movement) error { return tx.Movements.Delete(r.ID) }),
			noSales(tx))
	})
	s.ToTomas("10")
	if at := opened(); at.IsZero() || at != want {
		t.Errorf("opened at %v, want %v", at, want)
	}
}

// TestVerifyMovements: I62 to I66, and I71.
func TestVerifyMovements(t *testing.T) {
	movement := func(cause affiliate.Cause, change func(*record.Movement)) func(*scene.Ledger, *record.Tx) error {
		return func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Movements, func(r record.Movement) bool { return r.Cause.Is(cause) }, change)
		}
	}
	books := func(change func(*record.Books)) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Totals, func(r record.Totals) bool { return r.ID == b.Person.ID }, func(r *record.Totals) { change(&r.Books) })
		}
	}
	const sale, refund, created = affiliate.CauseSale, affiliate.CauseRefund, affiliate.CausePayoutCreated
	scene.RunCorruptions(t, []scene.Corruption{
		{Name: "another number", Change: movement(sale, func(r *record.Movement) { r.Number = 7 }), Want: []string{"I62"}},
		{Name: "At going back", Change: movement(created, func(r *record.Movement) { r.At = r.At.Add(-time.Hour) }), Want: []string{"I62"}},
		{Name: "a negative amount", Change: movement(sale, func(r *record.Movement) { r.Amount = scene.Sum("-1") }), Want: []string{"I62", "I63", "I65"}},
		{Name: "no cause", Change: movement(refund, func(r *record.Movement) { r.Cause = affiliate.Enum[affiliate.Cause]{} }), Want: []string{"I81"}},
		{Name: "a memo counted as money", Change: movement(sale, func(r *record.Movement) { r.To = r.From }), Want: []string{"I62", "I63"}},
		{Name: "accounts after it", Change: movement(sale, func(r *record.Movement) { r.Paid = scene.Sum("1") }), Want: []string{"I63"}},
		{Name: "the last movement is gone", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Drop(tx.Movements, func(r record.Movement) bool { return r.Cause.Is(sale) && r.Sale == 5 })
		}, Want: []string{"I63", "I65", "I71"}},
		{Name: "a movement counts two sales", Change: movement(sale, func(r *record.Movement) { r.Sales = 2 }), Want: []string{"I71"}},
		{Name: "a movement counts other revenue", Change: movement(sale, func(r *record.Movement) { r.Revenue = scene.Sum("1") }), Want: []string{"I71"}},
		{Name: "a movement counts other refunds", Change: movement(refund, func(r *record.Movement) { r.Refunds = affiliate.Amount{} }), Want: []string{"I71"}},
		{Name: "books", Change: books(func(b *record.Books) { b.Held = scene.Sum("1") }), Want: []string{"I63", "I64"}},
		{Name: "books say another number", Change: books(func(b *record.Books) { b.Number++ }), Want: []string{"I63"}},
		{Name: "a payout was booked as paid", Change: movement(created, func(r *record.Movement) { r.Cause = affiliate.EnumOf(affiliate.CausePayoutPaid) }), Want: []string{"I66"}},
		{Name: "a payout is paid without a movement", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Payouts, nil, func(r *record.Payout) { r.Status, r.PaidAt = affiliate.PayoutPaid, r.CreatedAt })
		}, Want: []string{"I64", "I66"}},
		{Name: "movement of another sale", Change: movement(refund, func(r *record.Movement) { r.Sale = 99 }), Want: []string{"I65"}},
		{Name: "movement by another code", Change: movement(sale, func(r *record.Movement) { r.CodeID = uuid.Max }), Want: []string{"I65"}},
		{Name: "movement by another link", Change: func(_ *scene.Ledger, tx *record.Tx) error {
			return scene.Edit(tx.Movements, func(r record.Movement) bool { return r.LinkID != uuid.Nil }, func(r *record.Movement) { r.LinkID = uuid.Max })
		}, Want: []string{"I65"}},
		{Name: "movement of another commission", Change: movement(sale, func(r *record.Movement) { r.Commission = 99 }), Want: []string{"I65"}},
		{Name: "movement of another payout", Change: movement(created, func(r *record.Movement) { r.PayoutID = uuid.Max }), Want: []string{"I66"}},
	})
}

// TestAccrue: what is owed besides comes in at most two transfers, none of them
// negative, and only what one account loses and the other gains goes from one to
// the other.
func TestAccrue(t *testing.T) {
	for held := int64(-3); held <= 3; held++ {
		for payable := int64(-3); payable <= 3; payable++ {
			var b engine.Booking
			scene.Must(0, b.Accrue(affiliate.AmountFromScaled(held), affiliate.AmountFromScaled(payable)))
			moves := b.Transfers()
			got := map[affiliate.Account]int64{}
			for _, m := range moves {
				if m.Amount.Sign() <= 0 {
					t.Errorf("held %d, payable %d: a transfer of %v", held, payable, m.Amount)
				}
				got[m.From] -= m.Amount.Scaled()
				got[m.To] += m.Amount.Scaled()
			}
			if got[affiliate.AccountHeld] != held || got[affiliate.AccountPayable] != payable || got[affiliate.AccountAccrual] != -held-payable {
				t.Errorf("held %d, payable %d: %v", held, payable, got)
			}
			transfers := 0
			if held*payable < 0 && held+payable != 0 || held*payable > 0 {
				transfers = 2
			} else if held != payable {
				transfers = 1
			}
			scene.Equal(t, transfers, len(moves), held, payable, moves)
			if held*payable >= 0 {
				continue
			}
			first, between := moves[0], min(max(held, -held), max(payable, -payable))
			if first.From == affiliate.AccountAccrual || first.To == affiliate.AccountAccrual || first.Amount.Scaled() != between {
				t.Errorf("held %d, payable %d: begins with %v", held, payable, first)
			}
		}
	}
}

// TestBookSaleTooLarge: commissions whose sum is too large book nothing.
func TestBookSaleTooLarge(t *testing.T) {
	entry := record.Commission{Earned: affiliate.AmountFromScaled(math.MaxInt64), Approval: affiliate.EnumOf(affiliate.ApprovalAccepted)}
	for name, sale := range map[string]record.Sale{
		"is":  {Commissions: []record.Commission{entry, entry}},
		"was": {Commissions: []record.Commission{entry, entry}, TotalEarned: affiliate.AmountFromScaled(1)},
	} {
		was, is := (*record.Sale)(nil), &sale
		if name == "was" {
			was, is = is, was
		}
		b, err := engine.BookSale(was, is, affiliate.CauseSale)
		if refusal, ok := errors.AsType[*affiliate.Error](err); !ok || refusal.Field != "commissionEarned" || len(b.Transfers()) != 0 {
			t.Errorf("%s: %d transfers, %v", name, len(b.Transfers()), err)
		}
	}
}

var (
	adjustmentMissing = scene.MissingError(affiliate.AdjustmentNotFound, "Adjustment not found")
	adjustmentUndone  = scene.StateError(affiliate.AdjustmentReversed, "", "Adjustment was already reversed")
	adjustmentTaken   = scene.StateError(affiliate.AdjustmentExternalIDTaken, "externalId", "An adjustment with this external ID already exists")
)

// Every refusal of RecordAdjustment, with money check 18.
func TestRecordAdjustmentErrors(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale, bobs := s.ToTomas("100"), s.Sell(affiliate.SaleParams{Email: s.Bea.Email})
	first := s.Adjust(affiliate.AdjustmentParams{Kind: "BONUS", Amount: scene.Sum("25"), ExternalID: "b1"})
	undone := s.Adjust(affiliate.AdjustmentParams{Kind: "BONUS", Amount: scene.Sum("1")})
	back := s.Adjust(affiliate.AdjustmentParams{Reverses: undone.ID})
	ada := s.Ada.Person.ID
	type in = affiliate.AdjustmentParams
	field := func(name, text string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, name, name+" "+text)
	}
	missing := func(name, text string) affiliate.Error { return scene.FieldError(affiliate.MissingField, name, text) }
	positive, negative := field("amount", "must be greater than zero"), field("amount", "must be less than zero")
	for name, tt := range map[string]struct {
		in   in
		want affiliate.Error
	}{
		"nobody":              {in{Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r"}, missing("affiliateId", "Affiliate ID or email is required")},
		"no kind":             {in{AffiliateID: ada, Amount: scene.Sum("1"), Reason: "r"}, missing("kind", "Kind is required")},
		"no reason":           {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("1"), Reason: " \n"}, missing("reason", "Reason is required")},
		"no sale":             {in{AffiliateID: ada, Kind: "DISPUTE_WON", Amount: scene.Sum("1"), Reason: "r"}, missing("saleId", "Sale ID is required")},
		"no sale of a fee":    {in{AffiliateID: ada, Kind: "CHARGEBACK_FEE", Amount: scene.Sum("-1"), Reason: "r"}, missing("saleId", "Sale ID is required")},
		"kind":                {in{AffiliateID: ada, Kind: "bonus", Amount: scene.Sum("1"), Reason: "r"}, field("kind", "must be one of BONUS, CORRECTION, DISPUTE_WON, CHARGEBACK_FEE")},
		"bonus of less":       {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("-1"), Reason: "r"}, positive},
		"bonus of nothing":    {in{AffiliateID: ada, Kind: "BONUS", Reason: "r"}, positive},
		"bonus that rounds":   {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("0.0049"), Reason: "r"}, positive},
		"fee of more":         {in{AffiliateID: ada, SaleID: sale.ID, Kind: "CHARGEBACK_FEE", Amount: scene.Sum("5"), Reason: "r"}, negative},
		"fee that rounds":     {in{AffiliateID: ada, SaleID: sale.ID, Kind: "CHARGEBACK_FEE", Amount: scene.Sum("-0.0049"), Reason: "r"}, negative},
		"dispute of less":     {in{AffiliateID: ada, SaleID: sale.ID, Kind: "DISPUTE_WON", Amount: scene.Sum("-5"), Reason: "r"}, positive},
		"correction by 0":     {in{AffiliateID: ada, Kind: "CORRECTION", Reason: "r"}, field("amount", "must not be zero")},
		"too much":            {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("100000000000.01"), Reason: "r"}, field("amount", "is too large")},
		"too little":          {in{AffiliateID: ada, Kind: "CORRECTION", Amount: scene.Sum("-100000000000.01"), Reason: "r"}, field("amount", "is too large")},
		"far too much":        {in{AffiliateID: ada, Kind: "BONUS", Amount: affiliate.AmountFromScaled(1<<63 - 1), Reason: "r"}, field("amount", "is too large")},
		"reason":              {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "a\x00"}, field("reason", "contains invalid characters")},
		"long reason":         {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("1"), Reason: strings.Repeat("x", 10_001)}, field("reason", "is too long")},
		"external id":         {in{AffiliateID: ada, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r", ExternalID: " "}, field("externalId", "must not be empty")},
		"unknown affiliate":   {in{AffiliateID: uuid.Max, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r"}, scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")},
		"unknown sale":        {in{AffiliateID: ada, SaleID: 99, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r"}, saleMissing},
		"two affiliates":      {in{AffiliateID: ada, AffiliateEmail: s.Bob.Email, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r"}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdentifiersMismatch, Message: "The identifiers do not name the same record"}},
		"unknown email":       {in{AffiliateEmail: "nobody@example.com", Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r"}, scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")},
		"sale of another":     {in{AffiliateID: ada, SaleID: bobs.ID, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r"}, affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdentifiersMismatch, Message: "The identifiers do not name the same record"}},
		"external id twice":   {in{AffiliateID: s.Bob.ID, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "r", ExternalID: "b1"}, adjustmentTaken},
		"of a reversal":       {in{Reverses: first.ID, Reason: "r", ExternalID: "b1"}, adjustmentTaken},
		"reversal of nothing": {in{Reverses: uuid.Max, Reason: "r"}, adjustmentMissing},
		"reversed again":      {in{Reverses: undone.ID, Reason: "r"}, adjustmentUndone},
		"reversal reversed":   {in{Reverses: back.ID, Reason: "r"}, adjustmentUndone},
		"reversal, no reason": {in{Reverses: first.ID}, missing("reason", "Reason is required")},
		"reversal, whose":     {in{Reverses: first.ID, AffiliateID: ada, Reason: "r"}, field("affiliateId", "must not be sent")},
		"reversal, sale":      {in{Reverses: first.ID, SaleID: sale.ID, Reason: "r"}, field("saleId", "must not be sent")},
		"reversal, kind":      {in{Reverses: first.ID, Kind: "BONUS", Reason: "r"}, field("kind", "must not be sent")},
		"reversal, amount":    {in{Reverses: first.ID, Amount: scene.Sum("1"), Reason: "r"}, field("amount", "must not be sent")},
	} {
		t.Run(name, func(t *testing.T) {
			s.On(t)
			s.Refused(tt.want, func() error { _, err := s.RecordAdjustment(ctx, tt.in); return err })
		})
	}
	s.Verifies()
}

// An amount that cannot even be rounded is too large, not nothing.
func TestAdjustmentBeyondRounding(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) { c.Currency = "JPY" })
	in := affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: "BONUS", Amount: affiliate.AmountFromScaled(1<<63 - 1), Reason: "r"}
	s.Refused(scene.FieldError(affiliate.InvalidField, "amount", "amount is too large"), func() error { return scene.ErrOf(s.RecordAdjustment(t.Context(), in)) })
}

// Checks 17 and 19 of docs/money.md, and what an adjustment shows.
func TestAdjustments(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	bonus := affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: "BONUS", Amount: scene.Sum("25"), Reason: "spring\n2026", ExternalID: "b1"}
	var got affiliate.Adjustment
	s.Fires(func() (err error) { got, err = s.RecordAdjustment(ctx, bonus); return err })
	want := affiliate.Adjustment{
		ID: got.ID, AffiliateID: s.Ada.Person.ID, SaleID: affiliate.Null[affiliate.SaleID](), Kind: affiliate.AdjustBonus, Amount: scene.Sum("25"),
		Reason: "spring\n2026", BonusReason: scene.TextOf("spring\n2026"), ExternalID: scene.TextOf("b1"), ReversesID: affiliate.Null[uuid.UUID](),
		ReversedByID: affiliate.Null[uuid.UUID](), PayoutID: affiliate.Null[uuid.UUID](), CreatedAt: affiliate.TimeOf(s.Now),
	}
	scene.Equal(t, want, got)
	back := s.Adjust(affiliate.AdjustmentParams{Reverses: got.ID, Reason: "typo"})
	if id, _ := back.ReversesID.Get(); id != got.ID || back.Amount != scene.Sum("-25") || back.Kind != affiliate.AdjustBonus || back.BonusReason.Or("") != "typo" {
		t.Errorf("reversal %+v", back)
	}
	s.Refused(nothingToPay, func() error {
		return scene.ErrOf(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID}))
	})
	if id, _ := scene.Must(s.Adjustment(ctx, got.ID)).ReversedByID.Get(); id != back.ID {
		t.Errorf("reversed by %v, want %v", id, back.ID)
	}
	if list := scene.Must(s.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items; len(list) != 2 || list[0].ID != back.ID || list[1].ID != got.ID {
		t.Errorf("listed: %+v", list)
	}
	if a := scene.Must(s.Affiliate(ctx, s.Ada.Person.ID.String())); !a.TotalCommissionEarned.IsZero() {
		t.Errorf("an adjustment is in the totals: %v", a.TotalCommissionEarned)
	}
	if _, err := s.Adjustment(ctx, uuid.Max); err != affiliate.ErrNotFound {
		t.Errorf("unknown: %v", err)
	}
	yen := scene.NewShop(t, func(c *tributary.Config) { c.Currency = "JPY" })
	scene.Equal(t, scene.Sum("-1"), yen.Adjust(affiliate.AdjustmentParams{Kind: "CORRECTION", Amount: scene.Sum("-0.5")}).Amount)
	s.Verifies()
	yen.Verifies()
}

// Example C of docs/money.md, with payouts of what is left, and one that is
// canceled.
func TestAdjustmentsArePaid(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms.Rate = affiliate.MustPercent("10") })
	sale := s.ToTomas("50")
	s.Moves(s.PaysOut(), affiliate.PayoutPaid)
	scene.Must(s.ReverseSale(ctx, affiliate.SaleRef{ID: sale.ID}, affiliate.Reversal{ClawBack: true}))
	fee := s.Adjust(affiliate.AdjustmentParams{Kind: "CHARGEBACK_FEE", SaleID: sale.ID, Amount: scene.Sum("-15")})
	s.Pass(time.Hour)
	before := s.Now
	s.Pass(time.Hour)
	bonus := s.Adjust(affiliate.AdjustmentParams{Kind: "BONUS", Amount: scene.Sum("30")})
	late := affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, Until: before}
	s.Refused(nothingToPay, func() error { _, err := s.CreatePayout(ctx, late); return err })

	var p affiliate.Payout
	s.Fires(func() error { p = s.PaysOut(); return nil })
	if diff := cmp.Diff([]uuid.UUID{fee.ID, bonus.ID}, p.AdjustmentIDs); diff != "" || p.Amount != scene.Sum("10") || len(p.CommissionIDs) != 1 {
		t.Errorf("%v of %v %s", p.Amount, p.CommissionIDs, diff)
	}
	if end, _ := p.PeriodEnd.Get(); end != bonus.CreatedAt {
		t.Errorf("until %v", end)
	}
	if got := scene.Must(s.Adjustment(ctx, fee.ID)); !got.PayoutCreated || got.PayoutID.Or(uuid.Nil) != p.ID {
		t.Errorf("%+v", got)
	}
	held := s.Adjust(affiliate.AdjustmentParams{Reverses: fee.ID})
	scene.Equal(t, scene.Sum("15"), held.Amount)
	s.Refused(affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.InPayout, Message: "Affiliate has commissions that are part of a payout"}, func() error {
		return s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})
	})
	s.Verifies()
	s.Fires(func() error { _, err := s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled); return err })
	if got := scene.Must(s.Adjustment(ctx, fee.ID)); got.PayoutCreated || !got.PayoutID.IsNull() {
		t.Errorf("still in a payout: %+v", got)
	}
	s.Verifies()
	s.Adjust(affiliate.AdjustmentParams{Kind: "DISPUTE_WON", SaleID: sale.ID, Amount: scene.Sum("5")})
	if all := s.PaysOut(); all.Amount != scene.Sum("30") || len(all.AdjustmentIDs) != 4 {
		t.Errorf("%v of %v", all.Amount, all.AdjustmentIDs)
	}
	s.Verifies()
}

// An affiliate with adjustments alone: refused while a payout holds one, and
// gone with all of them.
func TestDeleteAdjustedAffiliate(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	bob := affiliate.AffiliateRef{ID: s.Bob.ID}
	s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: "BONUS", Amount: scene.Sum("5"), ExternalID: "x"})
	p := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Bob.ID}))
	scene.WantReason(t, "deleted", affiliate.InPayout, s.Forfeiting().DeleteAffiliate(ctx, bob))
	scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled))
	s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: "CORRECTION", Amount: scene.Sum("-5")})
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, bob))
	scene.Equal(t, 0, len(scene.Must(s.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items))
	s.Adjust(affiliate.AdjustmentParams{Kind: "BONUS", Amount: scene.Sum("5"), ExternalID: "x"})
	s.Verifies()
}

func TestAdjustmentFilter(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale := s.ToTomas("100")
	fee := s.Adjust(affiliate.AdjustmentParams{Kind: "CHARGEBACK_FEE", SaleID: sale.ID, Amount: scene.Sum("-1")})
	bonus := s.Adjust(affiliate.AdjustmentParams{Kind: "BONUS", Amount: scene.Sum("1")})
	p := s.PaysOut()
	bobs := s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: "BONUS", Amount: scene.Sum("1")})
	ids := func(list ...affiliate.Adjustment) (ids []uuid.UUID) {
		for _, a := range list {
			ids = append(ids, a.ID)
		}
		return ids
	}
	type f = affiliate.AdjustmentQuery
	ada := affiliate.Set(s.Ada.Person.ID)
	for name, tt := range map[string]struct {
		f    f
		want []uuid.UUID
	}{
		"all":             {f{}, ids(bobs, bonus, fee)},
		"of Ada":          {f{AffiliateID: ada}, ids(bonus, fee)},
		"by email":        {f{AffiliateEmail: scene.TextOf("bob@example.com")}, ids(bobs)},
		"of a sale":       {f{SaleID: affiliate.Set(sale.ID)}, ids(fee)},
		"of a kind":       {f{Kind: affiliate.AdjustBonus}, ids(bobs, bonus)},
		"Ada's bonus":     {f{AffiliateID: ada, Kind: affiliate.AdjustBonus}, ids(bonus)},
		"in a payout":     {f{PayoutID: affiliate.Set(p.ID)}, ids(bonus, fee)},
		"Bob's of Ada's":  {f{PayoutID: affiliate.Set(p.ID), AffiliateID: affiliate.Set(s.Bob.ID)}, nil},
		"of no sale":      {f{SaleID: affiliate.Set[affiliate.SaleID](0)}, nil},
		"of no payout":    {f{PayoutID: affiliate.Null[uuid.UUID]()}, nil},
		"of nobody":       {f{AffiliateID: affiliate.Set(uuid.Nil)}, nil},
		"unknown address": {f{AffiliateEmail: scene.TextOf("nobody@example.com")}, nil},
		"Bob of Ada":      {f{AffiliateID: ada, AffiliateEmail: scene.TextOf("bob@example.com")}, nil},
	} {
		scene.Equal(t, tt.want, ids(scene.Must(s.Adjustments(ctx, tt.f, affiliate.Page{})).Items...), name)
		n := 0
		for _, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Adjustment], error) {
			return s.Adjustments(ctx, tt.f, pg)
		}) {
			if n++; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		scene.Equal(t, len(tt.want), n, name)
	}
	scene.WantReason(t, "an unknown kind", affiliate.InvalidQuery, scene.ErrOf(s.Adjustments(ctx, f{Kind: "GIFT"}, affiliate.Page{})))
}

// A reason that names the affiliate goes with the affiliate's other data.
func TestEraseAdjusted(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	keyed := s.Keyed(affiliate.Once{Key: "k"})
	named := affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "for ADA@example.com"}
	shown := scene.Must(keyed.RecordAdjustment(ctx, named))
	other := s.Adjust(affiliate.AdjustmentParams{Kind: "BONUS", Amount: scene.Sum("1"), Reason: "spring"})
	bobs := s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: "BONUS", Amount: scene.Sum("1"), Reason: "like Ada Lovelace"})
	scene.Must(0, s.Forfeiting().EraseAffiliate(ctx, s.Ada.Person.ID))
	for id, want := range map[uuid.UUID]string{shown.ID: "", other.ID: "spring", bobs.ID: "like Ada Lovelace"} {
		if got := scene.Must(s.Adjustment(ctx, id)); got.Reason != want || got.Amount != scene.Sum("1") {
			t.Errorf("%+v, want the reason %q", got, want)
		}
	}
	if again := scene.Must(keyed.RecordAdjustment(ctx, named)); again.ID != shown.ID || again.Reason != "" || !again.BonusReason.IsNull() {
		t.Errorf("the receipt shows %+v", again)
	}
	s.Verifies()
}

// newHoldingShop is a program with a holding period at a moment of docs/money.md 5.
func newHoldingShop(t *testing.T, days int64) scene.Shop {
	t.Helper()
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms.HoldDays = days })
	s.Now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	return s
}

// payableAt fails the test unless the entries of a sale can be paid from these
// times on; zero: never.
func payableAt(s scene.Shop, id affiliate.SaleID, want ...time.Time) {
	s.T.Helper()
	got := []affiliate.Opt[affiliate.Time]{}
	for _, c := range scene.Must(s.Sale(s.T.Context(), id)).Commissions {
		got = append(got, c.PayableAt)
	}
	expected := []affiliate.Opt[affiliate.Time]{}
	for _, at := range want {
		if at.IsZero() {
			expected = append(expected, affiliate.Null[affiliate.Time]())
			continue
		}
		expected = append(expected, affiliate.Set(affiliate.TimeOf(at)))
	}
	scene.Equal(s.T, expected, got, id)
}

// money checks 24 and 25.
func TestHoldDays(t *testing.T) {
	ctx := t.Context()
	pay := func(s scene.Shop) (affiliate.Payout, error) {
		return s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID})
	}
	t.Run("24 matures", func(t *testing.T) {
		s := newHoldingShop(t, 30)
		sale, june := s.ToTomas("100"), time.Date(2026, 6, 9, 12, 0, 0, 0, time.UTC)
		payableAt(s, sale.ID, june)
		s.Now = june.Add(-time.Second)
		s.Refused(nothingToPay, func() error { return scene.ErrOf(pay(s)) })
		s.Owes(affiliate.Balance{Maturing: scene.Sum("20"), Earned: scene.Sum("20"), Movements: 1})
		s.Fires(func() error { s.Now = june; return nil })
		s.Owes(affiliate.Balance{Payable: scene.Sum("20"), Earned: scene.Sum("20"), Movements: 1})
		s.Fires(func() error {
			p, err := pay(s)
			scene.Equal(t, scene.Sum("20"), p.Amount)
			return err
		}, affiliate.SaleUpdated)
		s.Verifies()
	})
	t.Run("25 a debt is due at once", func(t *testing.T) {
		s := newHoldingShop(t, 30)
		s.ToTomas("100")
		scene.Must(s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: s.Ada.Person.ID, Kind: affiliate.AdjustCorrection, Amount: scene.Sum("-12"), Reason: "r"}))
		s.Refused(nothingToPay, func() error { return scene.ErrOf(pay(s)) })
		s.Owes(affiliate.Balance{Maturing: scene.Sum("20"), Payable: scene.Sum("-12"), Earned: scene.Sum("8"), Movements: 2})
		s.Pass(30 * 24 * time.Hour)
		scene.Equal(t, scene.Sum("8"), scene.Must(pay(s)).Amount)
		s.Verifies()
	})
}

func TestVerifyHoldDays(t *testing.T) {
	scene.Corrupted(t, func(_ *scene.Ledger, tx *record.Tx) error {
		return scene.Edit(tx.Sales, nil, func(r *record.Sale) { r.HoldDays = -1 })
	}, "I40")
}

// M19: a debt does not mature, also when the clock went back behind it.
func TestDebtDoesNotMature(t *testing.T) {
	s := scene.NewShop(t, func(c *tributary.Config) { c.Terms.HoldDays = 30 })
	sale := s.ToTomas("100")
	s.Pass(30 * 24 * time.Hour)
	s.PaysOut()
	s.ClawsBack(sale.ID, "60", "r1")
	s.Pass(-time.Second)
	got := scene.Must(s.Balance(t.Context(), affiliate.AffiliateRef{ID: s.Ada.Person.ID}))
	if !got.Maturing.IsZero() || got.Payable != scene.Sum("-12") {
		t.Errorf("maturing %v, payable %v", got.Maturing, got.Payable)
	}
}
