package upkeep_test

import (
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

func sells(b *scene.Ledger, in affiliate.SaleParams) {
	b.T.Helper()
	scene.Must(b.RecordSale(b.T.Context(), in))
}

// An access report of somebody shows what is held under the names of those who were merged into them, and an erasure
// blanks it, in one call and in steps; their emails stay erased.
func TestEraseWhoWasMerged(t *testing.T) {
	for name, erase := range map[string]func(b *scene.Ledger) error{
		"one call":           func(b *scene.Ledger) error { return b.EraseReferral(t.Context(), "carl@customer.example") },
		"by the former name": func(b *scene.Ledger) error { return b.EraseReferral(t.Context(), "Quix@wood.example") },
		"steps": func(b *scene.Ledger) error {
			for at := (affiliate.Step{Limit: 1}); ; {
				p, err := b.Step(t.Context(), affiliate.EraseReferralJob{Ref: "carl@customer.example"}, at)
				if at.Cursor = p.Cursor; err != nil || p.Done {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, ctx := scene.NewLedger(t), t.Context()
			b.Customer = scene.Must(b.Referral(ctx, "carl@customer.example"))
			quix := scene.Must(b.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: b.Person.ID.String(), Name: "Quixwood", Email: "quix@wood.example", ReferredUserExternalID: "user-quix"}))
			sells(b, affiliate.SaleParams{Email: quix.Email, Name: "Quixwood", TotalEarned: scene.Sum("50"), ExternalID: "quix-1"})
			scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "QUIXONLY", LimitToCustomers: true, CustomerID: "user-quix"}))
			scene.Must(b.MergeReferrals(ctx, affiliate.Merge{From: quix.Email, Into: b.Customer.ID.String()}))
			b.Settle()
			shown := ""
			for _, r := range scene.Must(b.ReferralData(ctx, b.Customer.ID.String())).Records {
				shown += r.Kind + string(r.Data) + "\n"
			}
			for _, want := range []string{`name{"name":"quix@wood.example"}`, `name{"name":"user-quix"}`, "QUIXONLY", `"email":"quix@wood.example"`} {
				if !strings.Contains(shown, want) {
					t.Errorf("the report lacks %s", want)
				}
			}
			scene.Must(0, erase(b))
			b.Without("Quixwood")
			b.Without("quix@wood.example")
			b.Without("user-quix")
			sells(b, affiliate.SaleParams{Email: "quix@wood.example", Name: "Quixwood", TotalEarned: scene.Sum("20"), ExternalID: "quix-2"})
			b.Without("quix@wood.example")
			if got := scene.Must(b.Referral(ctx, quix.ID.String())); got.ID != b.Customer.ID {
				t.Errorf("the former id finds %s", got.ID)
			}
			b.Verifies()
		})
	}
}
