package tributary_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// What people ask, and docs/answers.md answers.

// paidInYear returns what an affiliate was paid in a calendar year of the program's zone.
func paidInYear(ctx context.Context, program *tributary.Program, who uuid.UUID, year int) (affiliate.Amount, error) {
	from := time.Date(year, time.January, 1, 0, 0, 0, 0, program.Config().Location)
	s, err := program.Statement(ctx, affiliate.AffiliateRef{ID: who}, from, from.AddDate(1, 0, 0))
	if err != nil {
		return affiliate.Amount{}, err
	}
	return s.Closing.Paid.Sub(s.Opening.Paid)
}

// monthlyFee pays an affiliate a fixed fee for a month, once however often it is called.
func monthlyFee(ctx context.Context, program *tributary.Program, who uuid.UUID, month time.Time, fee affiliate.Amount) error {
	_, err := program.RecordAdjustment(ctx, affiliate.AdjustmentParams{
		AffiliateID: who, Kind: affiliate.AdjustBonus, Amount: fee,
		Reason: "Fee of " + month.Format("January 2006"), ExternalID: fmt.Sprint("fee-", month.Format("2006-01"), "-", who),
	})
	if errors.Is(err, affiliate.AdjustmentExternalIDTaken) {
		return nil // it is there already
	}
	return err
}

// withDefault records a sale, and credits house where nobody else is credited.
func withDefault(ctx context.Context, program *tributary.Program, sale affiliate.SaleParams, house uuid.UUID) (affiliate.SaleResult, error) {
	res, err := program.RecordSale(ctx, sale)
	if err != nil || res.Outcome != affiliate.SaleUnattributed {
		return res, err
	}
	sale.ReferralID = house.String() // nothing was written, so the order can still be recorded
	return program.RecordSale(ctx, sale)
}

// keepRate puts the customers of today on a plan of their own, so that new terms are for new customers.
func keepRate(ctx context.Context, program *tributary.Program, rate affiliate.Percent) error {
	plan, err := program.CreatePlan(ctx, affiliate.PlanParams{Name: "As before", Terms: affiliate.Terms{Rate: rate}})
	if err != nil {
		return err
	}
	for customer, err := range affiliate.All(ctx, program.Referrals, affiliate.ReferralQuery{}) {
		if err != nil {
			return err
		}
		if _, err := program.SetReferralPlan(ctx, plan.ID, customer.ID); err != nil {
			return err
		}
	}
	return nil
}

func Example_answers() {
	now := time.Date(2026, time.March, 11, 9, 0, 0, 0, time.UTC)
	ctx := context.Background()
	program, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}, Now: func() time.Time { return now }})
	if err != nil {
		log.Fatal(err)
	}
	join := func(first string) affiliate.Affiliate {
		a, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: first, LastName: "L", Email: first + "@example.org"})
		if err != nil {
			log.Fatal(err)
		}
		return a
	}
	ada, house := join("ada"), join("house")
	sell := func(who, email, order string) affiliate.Sale {
		res, err := withDefault(ctx, program, affiliate.SaleParams{ReferralID: who, Email: email, Name: "K", ExternalID: order, TotalEarned: affiliate.MustAmount("100")}, house.ID)
		if err != nil {
			log.Fatal(err)
		}
		return res.Sale.Or(affiliate.Sale{})
	}
	fmt.Println("a stranger's order credits", sell("", "kim@example.net", "1").Affiliate.FirstName)
	sell(ada.ID.String(), "lou@example.net", "2")
	if err := keepRate(ctx, program, affiliate.MustPercent("20")); err != nil {
		log.Fatal(err)
	}
	if _, err := program.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("10"))}); err != nil {
		log.Fatal(err)
	}
	now = now.Add(time.Hour)
	fmt.Println("an old customer earns", sell("", "lou@example.net", "3").CommissionEarned, "and a new one", sell(ada.ID.String(), "new@example.net", "4").CommissionEarned)
	for range 2 { // a job that runs twice
		if err := monthlyFee(ctx, program, ada.ID, now, affiliate.MustAmount("50")); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := program.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada.ID, ManuallyPaid: true}); err != nil {
		log.Fatal(err)
	}
	paid, err := paidInYear(ctx, program, ada.ID, 2026)
	fmt.Println("paid in 2026:", paid, err)
	// Output:
	// a stranger's order credits house
	// an old customer earns 20 and a new one 10
	// paid in 2026: 100 <nil>
}
