package partner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestPartnerDue: what matures is told by the day of the program's zone, and its sum is what
// the balance says.
func TestPartnerDue(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t, scene.Zoned("Europe/Berlin"), func(c *tributary.Config) { c.Terms.HoldDays = 30 })
	ada := w.Join("ada")
	for i, total := range []string{"100", "50", "30", "70"} {
		sale := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "c@x.example", Name: "C", TotalEarned: scene.Sum(total)})).Sale.Or(affiliate.Sale{})
		if total == "70" {
			scene.Must(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sale.ID))
		}
		w.Pass(time.Duration(1+i) * 7 * time.Hour)
	}
	due := scene.Must(w.Partner(ada.ID).Due(ctx))
	scene.Equal(t, scene.Must(w.Partner(ada.ID).Balance(ctx)), due.Balance)
	sum, before := affiliate.Amount{}, time.Time{}
	for _, d := range due.Days {
		at := d.Day.Time().In(w.Config().Location)
		if at.Hour() != 0 || !at.After(before) {
			t.Errorf("the day %v", at)
		}
		before, sum = at, scene.Must(sum.Add(d.Amount))
	}
	if sum != due.Balance.Maturing || sum != scene.Sum("36") || len(due.Days) != 2 || due.Balance.Held != scene.Sum("14") {
		t.Errorf("got %+v", due)
	}
	w.Pass(660 * time.Hour)
	if due = scene.Must(w.Partner(ada.ID).Due(ctx)); len(due.Days) != 1 || due.Days[0].Amount != due.Balance.Maturing || due.Balance.Payable != scene.Sum("30") {
		t.Errorf("later: %+v", due)
	}
	w.Pass(9 * 24 * time.Hour)
	if due = scene.Must(w.Partner(ada.ID).Due(ctx)); len(due.Days) != 0 || due.Days == nil {
		t.Errorf("at the end: %+v", due)
	}
	if _, err := w.Partner(uuid.Max).Due(ctx); err != affiliate.ErrNotFound {
		t.Errorf("nobody: %v", err)
	}
}

// TestPartnerExplainSale: an affiliate learns why a sale earned what it did, from the
// explanation that the program has, without names, ids and what happened before it was theirs.
func TestPartnerExplainSale(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	ada, bob := w.Join("ada"), w.Join("bob")
	scene.Must(w.SetTerms(ctx, affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{{Name: "secret rule", When: affiliate.RuleWhen{Products: []string{"secret product"}}, Pay: affiliate.RulePay{Type: affiliate.RuleFlat, Rate: affiliate.MustPercent("7")}}})}))
	sale := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "bob", Email: "secret@buyer.example", Name: "Secret", ExternalID: "secret order", Tax: scene.Sum("10"), TotalEarned: scene.Sum("110"), Lines: []affiliate.Line{
		{ID: "secret line", ProductID: "secret product", Amount: scene.Sum("60")}, {ProductID: "secret other", Amount: scene.Sum("40")},
	}})).Sale.Or(affiliate.Sale{})
	if _, err := w.Partner(ada.ID).ExplainSale(ctx, sale.ID); err != affiliate.ErrNotFound {
		t.Errorf("of somebody else: %v", err)
	}
	w.Pass(time.Hour)
	scene.Must(w.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(ada.ID)}))
	w.Pass(time.Hour)
	scene.Must(w.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("11"))}))
	whole := scene.Must(w.ExplainSale(ctx, sale.ID))
	got := scene.Must(w.Partner(ada.ID).ExplainSale(ctx, sale.ID))
	if got.Base != whole.Base || got.Arithmetic != whole.Arithmetic || got.By != whole.Credit.By || got.Sale.CommissionEarned != whole.Arithmetic.Rounded || len(got.Lines) != 2 || got.Lines[0].Exact != whole.Lines[0].Exact || len(got.Entries) != len(whole.Commissions) {
		t.Errorf("got %+v, the program has %+v", got, whole)
	}
	shown := scene.JSON(got)
	for _, secret := range []string{"ecret", "buyer", bob.ID.String(), ada.ID.String()} {
		if strings.Contains(shown, secret) {
			t.Errorf("it shows %s: %s", secret, shown)
		}
	}
	earned := affiliate.Amount{}
	for _, c := range got.Changes {
		if c.From == affiliate.AccountAccrual {
			earned = scene.Must(earned.Add(c.Amount))
		}
		if c.To == affiliate.AccountAccrual {
			earned = scene.Must(earned.Sub(c.Amount))
		}
	}
	if len(got.Changes) != 2 || len(whole.Movements) <= 2 || earned != got.Sale.CommissionEarned || got.Changes[0].At.Time().After(got.Changes[1].At.Time()) {
		t.Errorf("changes %+v of %+v", got.Changes, whole.Movements)
	}
	for _, id := range []affiliate.SaleID{0, -1, sale.ID + 1} {
		if _, err := w.Partner(ada.ID).ExplainSale(ctx, id); err != affiliate.ErrNotFound {
			t.Errorf("%d: %v", id, err)
		}
	}
}
