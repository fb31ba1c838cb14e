package affiliate_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// TestPayoutEntries: what a payout took, with the reasons of its adjustments, adds up to
// its amount, in pages; what was deleted after it was canceled has no amount.
func TestPayoutEntries(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	a := w.ada().affiliate
	sell := func(total string) affiliate.Sale {
		return must(w.RecordSale(ctx, affiliate.NewSale{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: sum(total)})).Sale.Or(affiliate.Sale{})
	}
	first := sell("100")
	sell("50")
	must(w.RecordAdjustment(ctx, affiliate.NewAdjustment{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: sum("7.5"), Reason: "spring"}))
	p := must(w.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: a.ID}))
	walk := func(limit int) (said []string, total affiliate.Amount) {
		for pg := (affiliate.Page{Limit: limit}); ; {
			list := must(w.PayoutEntries(ctx, p.ID, pg))
			for _, e := range list.Items {
				said = append(said, fmt.Sprint(e.SaleID, " ", e.Kind, " ", e.Reason, " ", e.Amount))
				total = must(total.Add(e.Amount.Or(affiliate.Amount{})))
			}
			if pg.Cursor = list.Next; pg.Cursor == "" {
				return said, total
			}
		}
	}
	want := []string{"1 null null 20", "2 null null 10", "null BONUS spring 7.5"}
	for _, limit := range []int{0, 1, 2, 3} {
		said, total := walk(limit)
		equal(t, want, said)
		equal(t, p.Amount, total)
	}
	for _, pg := range []affiliate.Page{{Limit: -1}, {Limit: 1001}, {Cursor: "x"}, {Cursor: "-1"}, {Cursor: "01"}} {
		if _, err := w.PayoutEntries(ctx, p.ID, pg); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", pg, err)
		}
	}
	if _, err := w.PayoutEntries(ctx, uuid.New(), affiliate.Page{}); !errors.Is(err, affiliate.ErrNotFound) {
		t.Error(err)
	}
	if _, err := w.Partner(uuid.New()).PayoutEntries(ctx, p.ID, affiliate.Page{}); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("somebody else sees it: %v", err)
	}
	must(w.CancelPayout(ctx, p.ID))
	must(0, w.DeleteSale(ctx, first.ID))
	said, _ := walk(0)
	equal(t, "1 null null null", said[0])
}

// TestHeldForAffiliates: an affiliate is told why a commission is on hold, but not that a
// rule suspects the sale.
func TestHeldForAffiliates(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t, func(cfg *tributary.Config) { cfg.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
	a := w.ada().affiliate
	sell := func(email string) {
		must(w.RecordSale(ctx, affiliate.NewSale{ReferralID: "ada", Email: email, Name: "Kim", TotalEarned: sum("100")}))
	}
	sell("kim@example.net")
	sell(a.Email)
	must(w.BanAffiliates(ctx, a.ID))
	sell("lee@example.net")
	var told []string
	for _, s := range must(w.Partner(a.ID).Sales(ctx, affiliate.Page{})).Items {
		told = append(told, s.HoldReason.String())
	}
	equal(t, []string{"AFFILIATE_BANNED", "PROGRAM_SETTINGS", "null"}, told)
}
