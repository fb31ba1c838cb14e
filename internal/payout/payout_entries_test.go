package payout_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPayoutEntries: what a payout took, with the reasons of its adjustments, adds up to
// its amount, in pages; what was deleted after it was canceled has no amount.
func TestPayoutEntries(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	a := w.Ada().Person
	sell := func(total string) affiliate.Sale {
		return scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum(total)})).Sale.Or(affiliate.Sale{})
	}
	first := sell("100")
	sell("50")
	scene.Must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("7.5"), Reason: "spring"}))
	p := scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID}))
	walk := func(limit int) (said []string, total affiliate.Amount) {
		for pg := (affiliate.Page{Limit: limit}); ; {
			list := scene.Must(w.PayoutEntries(ctx, p.ID, pg))
			for _, e := range list.Items {
				said = append(said, fmt.Sprint(e.SaleID, " ", e.Kind, " ", e.Reason, " ", e.Amount))
				total = scene.Must(total.Add(e.Amount.Or(affiliate.Amount{})))
			}
			if pg.Cursor = list.Next; pg.Cursor == "" {
				return said, total
			}
		}
	}
	want := []string{"1 null null 20", "2 null null 10", "null BONUS spring 7.5"}
	for _, limit := range []int{0, 1, 2, 3} {
		said, total := walk(limit)
		scene.Equal(t, want, said)
		scene.Equal(t, p.Amount, total)
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
	scene.Must(w.CancelPayout(ctx, p.ID))
	scene.Must(0, w.DeleteSale(ctx, first.ID))
	said, _ := walk(0)
	scene.Equal(t, "1 null null null", said[0])
}

// TestHeldForAffiliates: an affiliate is told why a commission is on hold, but not that a
// rule suspects the sale.
func TestHeldForAffiliates(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t, func(cfg *tributary.Config) { cfg.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
	a := w.Ada().Person
	sell := func(email string) {
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: email, Name: "Kim", TotalEarned: scene.Sum("100")}))
	}
	sell("kim@example.net")
	sell(a.Email)
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a.ID))
	sell("lee@example.net")
	var told []string
	for _, s := range scene.Must(w.Partner(a.ID).Sales(ctx, affiliate.Page{})).Items {
		told = append(told, s.HoldReason.String())
	}
	scene.Equal(t, []string{"AFFILIATE_BANNED", "PROGRAM_SETTINGS", "null"}, told)
}
