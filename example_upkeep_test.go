package tributary_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// What a provider reports counts once, whatever it is reported as and how often.
func ExampleProgram_ReportPayment() {
	program, _, _ := newShop()
	ctx := context.Background()
	_, err := program.RecordSale(ctx, affiliate.SaleParams{ // Tomas came by Mara's code
		PromoCode: "MARA20", Email: "tomas@example.com", Name: "Tomas", TotalEarned: affiliate.MustAmount("20"),
	})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC) // as the provider sent it
	for range 2 {
		if err := report(ctx, program, at, affiliate.MustAmount("58"), affiliate.MustAmount("8")); err != nil {
			log.Fatal(err)
		}
	}
	sale, err := program.Sale(ctx, 2)
	fmt.Println(sale.Affiliate.Name, sale.CommissionEarned, err)
	// Output:
	// recorded
	// duplicate
	// Mara Lindqvist 5 <nil>
}

// report tells what the provider's event of a payment says.
func report(ctx context.Context, program *tributary.Program, at time.Time, total, tax affiliate.Amount) error {
	res, err := program.ReportPayment(ctx, affiliate.PaymentFact{
		Provider: "stripe",
		Keys:     []string{"pi_1", "in_1"}, // one payment
		Payer:    affiliate.PayerFact{ID: "cus_T", Email: "tomas@example.com", Name: "Tomas"},
		At:       at,
		Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{
			SaleParams: affiliate.SaleParams{TotalEarned: total, Tax: tax, ExternalID: "pi_1"},
			Gross:      total,
			Tries:      []affiliate.Credit{{CodeExternalID: "promo_1"}, {ReferralID: "17"}},
		}),
	})
	if err != nil {
		return err // report it again: the same fact changes nothing
	}
	fmt.Println(res.Outcome)
	return nil
}

// Payments of some providers have no email: the customer's own event brings it, before or
// after.
func ExampleProgram_ReportPayer() {
	program, _, _ := newShop()
	ctx := context.Background()
	total := affiliate.MustAmount("58")
	res, err := program.ReportPayment(ctx, affiliate.PaymentFact{
		Provider: "paddle",
		Keys:     []string{"txn_1"},
		Payer:    affiliate.PayerFact{ID: "ctm_T"}, // whose email is not known yet
		At:       time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC),
		Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{
			SaleParams: affiliate.SaleParams{TotalEarned: total, ExternalID: "txn_1"}, Gross: total,
			Tries: []affiliate.Credit{{ReferralID: "mara"}},
		}),
	})
	fmt.Println(res.Outcome, err)
	if err := program.ReportPayer(ctx, "paddle", affiliate.PayerFact{ID: "ctm_T", Email: "tomas@example.com", Name: "Tomas"}); err != nil {
		log.Fatal(err)
	}
	payer, err := program.Payer(ctx, "paddle", affiliate.PayerFact{ID: "ctm_T"})
	fmt.Println(payer.Referral.Or(affiliate.Referral{}).Email, err)
	// Output:
	// recorded <nil>
	// tomas@example.com <nil>
}

func ExampleProgram_Run() {
	program, _, _ := newShop()
	done, err := retain(context.Background(), program)
	fmt.Println(done.Removed.Events, err)
	// Output: 0 <nil>
}

// retain drops what is needed for a while only. A host calls it once a day.
func retain(ctx context.Context, program *tributary.Program) (affiliate.Progress, error) {
	return program.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{
		Events:     30 * 24 * time.Hour,
		Deliveries: 30 * 24 * time.Hour,
		Receipts:   48 * time.Hour,
		Clicks:     90 * 24 * time.Hour,
		Holds:      30 * 24 * time.Hour,
	}})
}
