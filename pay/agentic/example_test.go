package agentic_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/agentic"
)

// complete records the sale of a session that was paid, with the claims of its agent: of when it was created, and of
// when it was completed. What a claim says never keeps the order from being completed.
func complete(ctx context.Context, program *tributary.Program, issuer agentic.Issuer, sale affiliate.SaleParams, claims ...agentic.Attribution) error {
	settings, err := program.Settings(ctx)
	if err != nil {
		return err
	}
	credit, err := issuer.Choose(program.Config().ID, settings.Attribution.Touch, claims...)
	if err != nil {
		slog.WarnContext(ctx, "an agent's claim credits nobody", "order", sale.ExternalID, "error", err)
	}
	sale.ReferralID = credit.ReferralID
	_, err = program.RecordSale(ctx, sale)
	return err
}

// An order that an agent placed credits the affiliate whose token it brought.
func ExampleIssuer() {
	publish := func(issuer agentic.Issuer, program, affiliate uuid.UUID) (string, error) {
		return issuer.Token(program, affiliate, 30*24*time.Hour)
	}
	_, _ = publish, complete
}

// TestExample: the function of the documentation credits by our token, and completes an order with a claim that is not ours.
func TestExample(t *testing.T) {
	p, mara := shop(t)
	i := issuer(key(1))
	token, err := i.Token(p.Config().ID, mara.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for n, claim := range []string{fmt.Sprintf(`{"provider": %q, "token": %q, "touchpoint": "last"}`, i.Provider, token), `{"provider": "net.example", "token": "x"}`} {
		sale := affiliate.SaleParams{TotalEarned: affiliate.MustAmount("50"), Email: fmt.Sprintf("c%d@customers.example", n), Name: "C", ExternalID: fmt.Sprint("o", n)}
		a, err := agentic.Parse([]byte(claim))
		if err != nil {
			t.Fatal(err)
		}
		if err := complete(t.Context(), p, i, sale, a); err != nil {
			t.Fatal(err)
		}
	}
	sales, err := p.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})
	if err != nil || len(sales.Items) != 1 || sales.Items[0].Affiliate.ID != mara.ID || sales.Items[0].CommissionEarned != affiliate.MustAmount("10") {
		t.Errorf("%+v, %v", sales.Items, err)
	}
	if err := complete(t.Context(), p, i, affiliate.SaleParams{}); err == nil {
		t.Error("no sale, and no error")
	}
}
