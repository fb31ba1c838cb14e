package payfile_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/memstore"
)

// A month: a run makes payouts, a file goes to PayPal, and its report comes back.
func Example() {
	ctx := context.Background()
	program, march := newMonth(ctx)

	due := affiliate.PayoutQuery{Status: affiliate.PayoutPending, RunID: affiliate.Set(march.ID)}
	files, refused, err := payfile.PayPal(program.Transfers(ctx, due), "2026-03", payfile.PayPalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range refused {
		fmt.Println("in no file:", r.PayoutID, r.Method, r.Err)
	}
	for _, f := range files {
		fmt.Println(f.Name, "pays", f.Total, f.Currency) // upload f.Data
	}

	file := "Recipient,Status,Unique ID,Reason\nada@example.com,Completed,PES99P9GEH,\n"
	all := affiliate.PayoutQuery{RunID: affiliate.Set(march.ID)} // PAID ones too: a report may be read again
	report, err := payfile.ReadResults(strings.NewReader(file), program.Transfers(ctx, all))
	if err != nil {
		log.Fatal(err)
	}
	applied, err := payfile.Apply(ctx, program, report.Results)
	if err != nil {
		log.Fatal(err) // apply all results again: those that were applied change nothing
	}
	fmt.Println("paid", applied.Paid, "failed", applied.Failed, "to look at", len(applied.Unknown)+len(applied.Conflicts))
	// Output:
	// 2026-03-paypal-USD-001.csv pays 9.98 USD
	// paid 1 failed 0 to look at 0
}

// ExampleRef prints the reference of a payout in a file.
func ExampleRef() {
	ref := payfile.Ref(uuid.MustParse("019cdc41-140a-7379-9d37-3412668ff59b"))
	fmt.Println(ref == payfile.Ref(uuid.MustParse("019cdc41-140a-7379-9d37-3412668ff59b")), len(ref) <= 30)
	// Output: true true
}

// newMonth is a program with a fixed clock in which a run has made a payout for Ada.
func newMonth(ctx context.Context) (*tributary.Program, affiliate.PayoutRunResult) {
	program, err := tributary.New(memstore.New(), tributary.Config{
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:   func() time.Time { return time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC) },
		Rand:  rand.NewChaCha8([32]byte{}),
	})
	if err != nil {
		log.Fatal(err)
	}
	ada, err := program.CreateAffiliate(ctx, affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada",
	})
	if err != nil {
		log.Fatal(err)
	}
	_, err = program.SetPayoutDetails(ctx, ada.ID, affiliate.PayoutDetails{Email: "ada@example.com", Method: "PAYPAL"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = program.RecordSale(ctx, affiliate.SaleParams{
		ReferralID: "ada", Email: "tomas@example.net", Name: "Tomas", TotalEarned: affiliate.MustAmount("49.90"),
	})
	if err != nil {
		log.Fatal(err)
	}
	run, err := program.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "2026-03"})
	if err != nil {
		log.Fatal(err)
	}
	return program, run
}
