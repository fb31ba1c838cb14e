package imports_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The past of a small program at another service.
var ()

// newImported is a program after the first n import calls.
func newImported(t *testing.T, n int) *scene.World {
	t.Helper()
	w := scene.New(t)
	for _, in := range scene.Imports[:n] {
		report, err := in.Call(t.Context(), w.Program)
		if err != nil || len(report.Failed)+len(report.Notes) > 1 {
			t.Fatalf("%s: %+v, %v", in.Name, report, err)
		}
	}
	w.Verifies()
	return w
}

// earns compares what the affiliate earned, after the opening of what is not in
// the books yet.
func earns(w *scene.World, want string) {
	w.T.Helper()
	scene.Must(w.Run(w.T.Context(), affiliate.OpenBooksJob{}))
	balance := scene.Must(w.Balance(w.T.Context(), affiliate.AffiliateRef{ID: scene.Must(w.Affiliate(w.T.Context(), "mara")).ID}))
	if balance.Earned != scene.Sum(want) {
		w.T.Errorf("earned %v, want %s", balance.Earned, want)
	}
}

// Imports fire nothing, a second one changes nothing, and the same calls on a
// store that runs each closure twice store the same.
func TestImport(t *testing.T) {
	w := newImported(t, len(scene.Imports))
	earns(w, "30")
	before := w.Dump()
	for _, in := range scene.Imports {
		w.Fires(func() error {
			report, err := in.Call(t.Context(), w.Program)
			if report.Created+report.Changed+len(report.Failed) > 0 {
				t.Errorf("%s again: %+v", in.Name, report)
			}
			return err
		})
	}
	if diff := cmp.Diff(before, w.Dump()); diff != "" {
		t.Errorf("the second time changed records:\n%s", diff)
	}
	twice := scene.NewOn(t, conformance.Rerun(memstore.New()))
	for _, in := range scene.Imports {
		scene.Must(in.Call(t.Context(), twice.Program))
	}
	twice.Verifies()
	earns(twice, "30")
}

// Every call of an import fails once. The error is returned, and nothing has
// changed.
func TestImportFaults(t *testing.T) {
	ctx := context.Background()
	for i, in := range scene.Imports {
		t.Run(in.Name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				w := newImported(t, i)
				before := w.Dump()
				s := &scene.Probe{Store: w.Store, FailAt: n}
				_, err := in.Call(ctx, w.With(s))
				if s.Ops.Load() < n {
					if err != nil || n < 5 {
						t.Errorf("without a fault, after %d: %v", n-1, err)
					}
					return
				}
				if !errors.Is(err, scene.ErrBoom) {
					t.Errorf("call %d: %v", n, err)
				}
				if diff := cmp.Diff(before, w.Dump()); diff != "" {
					t.Fatalf("call %d changed records:\n%s", n, diff)
				}
			}
		})
	}
}

// What was refunded before the import is one of the payment's refunds: a sum of
// all refunds has it, and a refund by its id comes on top.
func TestImportedRefunds(t *testing.T) {
	report := func(w *scene.World, f affiliate.PaymentFact) affiliate.PaymentResult {
		f.Provider, f.Keys, f.At, f.Currency = "stripe", []string{"in_1"}, w.Now, "USD"
		return scene.Must(w.Payments().ReportPayment(t.Context(), f))
	}
	w := newImported(t, len(scene.Imports))
	report(w, affiliate.PaymentFact{Refunded: affiliate.Set(scene.Sum("30"))})
	earns(w, "30")
	report(w, affiliate.PaymentFact{Refunded: affiliate.Set(scene.Sum("60"))})
	earns(w, "25")
	report(w, affiliate.PaymentFact{Refunds: []affiliate.RefundFact{{ID: "re_2", Amount: scene.Sum("30"), State: affiliate.RefundSucceeded}}})
	earns(w, "25")
	report(w, affiliate.PaymentFact{Refunds: []affiliate.RefundFact{{ID: "re_3", Amount: scene.Sum("60"), State: affiliate.RefundSucceeded}}})
	earns(w, "15")
	w.Verifies()
}

// A second export in which more was refunded tells the payment of it too.
func TestImportedForward(t *testing.T) {
	w := newImported(t, len(scene.Imports))
	later := slices.Clone(scene.ImportedSales)
	later[0].Refunded, later[0].CommissionEarned = scene.Sum("60"), scene.Sum("10")
	got := scene.Must(w.Imports().Sales(t.Context(), later))
	if got.Changed != 1 || len(got.Notes) > 0 || got.Rows[0].Outcome != imported.Forwarded {
		t.Errorf("%+v", got)
	}
	w.Verifies()
	earns(w, "25")
	scene.Must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{Provider: "stripe", Keys: []string{"ch_1"}, At: w.Now, Currency: "USD", Refunded: affiliate.Set(scene.Sum("60"))}))
	w.Verifies()
	earns(w, "25")
}

// What the provider reported before the import is applied when the sale is there.
func TestImportAfterReports(t *testing.T) {
	w := newImported(t, 3)
	scene.Must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"ch_1", "pi_1"}, At: w.Now, Currency: "USD",
		Refunds: []affiliate.RefundFact{{ID: "re_9", Amount: scene.Sum("30"), State: affiliate.RefundSucceeded}},
	}))
	scene.Must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"in_1"}, At: w.Now, Currency: "USD",
		Disputes: []affiliate.DisputeFact{{ID: "dp_1", Amount: scene.Sum("60"), State: affiliate.DisputeWithdrawn}},
	}))
	w.Verifies()
	scene.Must(w.Imports().Sales(t.Context(), scene.ImportedSales))
	w.Verifies()
	earns(w, "15") // 30 refunded before, 30 since, 60 in dispute: nothing is left of the first sale
	payment := scene.Must(w.Payments().ProviderPayment(t.Context(), "stripe", "pi_1"))
	if diff := cmp.Diff([]string{"ch_1", "in_1", "pi_1"}, payment.Keys); diff != "" || payment.SaleID.IsNull() {
		t.Errorf("%+v", payment)
	}
	scene.Must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"in_1"}, At: w.Now, Currency: "USD",
		Disputes: []affiliate.DisputeFact{{ID: "dp_1", Amount: scene.Sum("60"), State: affiliate.DisputeWon}},
	}))
	w.Verifies()
	earns(w, "25")
}

// A payment that the provider reported, and of which there is a sale, is that
// sale; ids of two sales are refused, and so are those of a deleted one.
func TestImportReportedSale(t *testing.T) {
	w := newImported(t, 3)
	paid := func(key string) affiliate.SaleID {
		return scene.Must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
			Provider: "stripe", Keys: []string{key}, Payer: affiliate.PayerFact{ID: "cus_T"}, At: w.Now, Currency: "USD",
			Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("100"), ExternalID: key}, Gross: scene.Sum("100")}),
		})).Sale.Or(affiliate.Sale{}).ID
	}
	one := paid("ch_1")
	earns(w, "20")
	got := scene.Must(w.Imports().Sales(t.Context(), scene.ImportedSales[:1]))
	if got.Existing != 1 || got.Created != 0 {
		t.Errorf("%+v", got)
	}
	earns(w, "20")
	two := paid("in_1")
	row := scene.ImportedSales[0]
	row.Ref = "old:sale:9"
	got = scene.Must(w.Imports().Sales(t.Context(), []imported.Sale{row}))
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, affiliate.PaymentConflict) {
		t.Errorf("two sales: %+v", got)
	}
	for _, id := range []affiliate.SaleID{one, two} {
		scene.Must(0, w.DeleteSale(t.Context(), id))
	}
	got = scene.Must(w.Imports().Sales(t.Context(), []imported.Sale{row}))
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, affiliate.UnknownRef) {
		t.Errorf("deleted: %+v", got)
	}
	w.Verifies()
}

// A customer is known by a payer, also when the email is another one, and is never
// moved to another affiliate.
func TestImportedPayers(t *testing.T) {
	w := newImported(t, 3)
	row := scene.ImportedCustomer[0]
	row.Ref, row.Email = "new:customer:1", "tomas.new@example.net"
	got := scene.Must(w.Imports().Referrals(t.Context(), []imported.Referral{row}))
	if got.Existing != 1 || got.Created != 0 {
		t.Errorf("%+v", got)
	}
	other := row
	other.Ref, other.Email, other.Payers = "old:customer:2", "vera@example.net", []affiliate.ProviderID{{Provider: "stripe", ID: "cus_V"}}
	if got := scene.Must(w.Imports().Referrals(t.Context(), []imported.Referral{other})); got.Created != 1 {
		t.Errorf("%+v", got)
	}
	both := row
	both.Ref, both.Payers = "old:customer:3", append(slices.Clone(row.Payers), other.Payers...)
	got = scene.Must(w.Imports().Referrals(t.Context(), []imported.Referral{both}))
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, affiliate.IdentifiersMismatch) {
		t.Errorf("%+v", got)
	}
	for id, email := range map[string]string{"cus_T": "tomas@example.net", "cus_V": "vera@example.net"} {
		if ref := scene.Must(w.Payments().Payer(t.Context(), "stripe", affiliate.PayerFact{ID: id})).Referral.Or(affiliate.Referral{}); ref.Email != email {
			t.Errorf("%s pays for %s", id, ref.Email)
		}
	}
	w.Verifies()
}

// Ids of providers that cannot be are refused, each with its field.
func TestImportedIDs(t *testing.T) {
	w := newImported(t, 3)
	id := func(provider, id string) affiliate.ProviderID {
		return affiliate.ProviderID{Provider: provider, ID: id}
	}
	many := slices.Repeat([]affiliate.ProviderID{id("stripe", "x")}, 7)
	for name, ids := range map[string][]affiliate.ProviderID{
		"no provider": {id("", "ch")}, "a colon": {id("stripe:x", "ch")}, "no id": {id("stripe", " ")}, "a line break": {id("stripe", "c\nh")}, "too many": many,
	} {
		sale, customer := scene.ImportedSales[0], scene.ImportedCustomer[0]
		sale.Ref, sale.Keys, customer.Ref, customer.Payers = "new:sale", ids, "new:customer", ids
		sales, customers := scene.Must(w.Imports().Sales(t.Context(), []imported.Sale{sale})), scene.Must(w.Imports().Referrals(t.Context(), []imported.Referral{customer}))
		for field, failed := range map[string][]imported.Failure{"keys": sales.Failed, "payers": customers.Failed} {
			refusal := new(affiliate.Error)
			if len(failed) != 1 || !errors.As(failed[0].Err, &refusal) || refusal.Field != field {
				t.Errorf("%s: %s: %+v", name, field, failed)
			}
		}
	}
	bonus, mixed := scene.ImportedSales[2], scene.ImportedSales[0]
	bonus.Ref, bonus.Keys, mixed.Ref, mixed.Keys = "b", []affiliate.ProviderID{id("stripe", "ch")}, "m", []affiliate.ProviderID{id("stripe", "ch"), id("paddle", "ch")}
	if got := scene.Must(w.Imports().Sales(t.Context(), []imported.Sale{bonus, mixed})); len(got.Failed) != 2 {
		t.Errorf("%+v", got)
	}
	w.Verifies()
}

// A call takes 1,000 rows.
func TestImportLimit(t *testing.T) {
	w := scene.New(t)
	rows := make([]imported.Sale, 1001)
	if _, err := w.Imports().Sales(t.Context(), rows); !errors.Is(err, affiliate.BulkLimitExceeded) {
		t.Error(err)
	}
	if got := scene.Must(w.Imports().Sales(t.Context(), rows[:1000])); len(got.Failed) != 1000 {
		t.Errorf("%d failed", len(got.Failed))
	}
}
