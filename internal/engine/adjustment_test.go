package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	back := s.Adjust(affiliate.AdjustmentParams{Reverses: got.ID, Reason: "typo"})
	if id, _ := back.ReversesID.Get(); id != got.ID || back.Amount != scene.Sum("-25") || back.Kind != affiliate.AdjustBonus || back.BonusReason.Or("") != "typo" {
		t.Errorf("reversal %+v", back)
	}
	s.Refused(nothingToPay, func() error {
		_, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID})
		return err
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
	if got := yen.Adjust(affiliate.AdjustmentParams{Kind: "CORRECTION", Amount: scene.Sum("-0.5")}); got.Amount != scene.Sum("-1") {
		t.Errorf("rounded to %v", got.Amount)
	}
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
	if held.Amount != scene.Sum("15") {
		t.Errorf("the fee was given back: %v", held.Amount)
	}
	s.Refused(affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.InPayout, Message: "Affiliate has commissions that are part of a payout"}, func() error {
		return s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: s.Ada.Person.ID})
	})
	s.Verifies()
	s.Fires(func() error { _, err := s.CancelPayout(ctx, p.ID); return err })
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
	if err := s.Forfeiting().DeleteAffiliate(ctx, bob); !errors.Is(err, affiliate.InPayout) {
		t.Errorf("deleted: %v", err)
	}
	scene.Must(s.CancelPayout(ctx, p.ID))
	s.Adjust(affiliate.AdjustmentParams{AffiliateID: s.Bob.ID, Kind: "CORRECTION", Amount: scene.Sum("-5")})
	scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, bob))
	if list := scene.Must(s.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{})).Items; len(list) != 0 {
		t.Errorf("left: %+v", list)
	}
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
		if diff := cmp.Diff(tt.want, ids(scene.Must(s.Adjustments(ctx, tt.f, affiliate.Page{})).Items...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		n := 0
		for _, err := range affiliate.Each(1, func(pg affiliate.Page) (affiliate.List[affiliate.Adjustment], error) {
			return s.Adjustments(ctx, tt.f, pg)
		}) {
			if n++; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n != len(tt.want) {
			t.Errorf("%s: %d in pages of one", name, n)
		}
	}
	if _, err := s.Adjustments(ctx, f{Kind: "GIFT"}, affiliate.Page{}); !errors.Is(err, affiliate.InvalidQuery) {
		t.Errorf("an unknown kind: %v", err)
	}
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
