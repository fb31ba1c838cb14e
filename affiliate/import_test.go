package affiliate_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/memstore"
)

// The past of a small program at another service.
var (
	pastDay     = time.Date(2025, 5, 1, 10, 0, 0, 0, time.UTC)
	importedOne = []affiliate.ImportedAffiliate{{
		Ref: "old:affiliate:1", FirstName: "Mara", LastName: "Holm", Email: "mara@example.com", CreatedAt: pastDay,
		Links: []affiliate.ImportedLink{{Ref: "old:link:1", Slug: "mara", Clicks: 7}, {Ref: "old:link:2", Slug: "mara blog"}},
	}}
	importedCoupon = []affiliate.ImportedCoupon{{
		NewCoupon: affiliate.NewCoupon{Name: "Spring", PercentOff: percent("20")}, Ref: "old:coupon:1", CreatedAt: pastDay,
		Codes: []affiliate.ImportedCode{{NewCode: affiliate.NewCode{Code: "MARA20"}, Ref: "old:code:1", Via: []string{"old:affiliate:1"}, TimesRedeemed: 3}},
	}}
	importedCustomer = []affiliate.ImportedReferral{{
		NewReferral: affiliate.NewReferral{Name: "Tomas", Email: "tomas@example.net"}, Ref: "old:customer:1", Via: []string{"old:link:1"}, CreatedAt: pastDay,
		Payers: []affiliate.ProviderID{{Provider: "stripe", ID: "cus_T"}, {Provider: "paddle", ID: "ctm_T"}},
	}}
	importedSales = []affiliate.ImportedSale{
		{
			Ref: "old:sale:1", CreatedAt: pastDay, Customer: "old:customer:1", TotalEarned: sum("120"), Tax: sum("20"), Refunded: sum("30"), CommissionEarned: sum("15"),
			Keys: []affiliate.ProviderID{{Provider: "stripe", ID: "ch_1"}, {Provider: "stripe", ID: "in_1"}},
		},
		{Ref: "old:sale:2", CreatedAt: pastDay, Via: []string{"old:code:1"}, TotalEarned: sum("50"), CommissionEarned: sum("10")},
		{Ref: "old:bonus:1", CreatedAt: pastDay, Via: []string{"old:affiliate:1"}, CommissionEarned: sum("5")},
	}
	importedPayout = []affiliate.ImportedPayout{{Ref: "old:payout:1", PaidAt: pastDay, Sales: []string{"old:sale:2", "old:bonus:1"}, Amount: sum("15")}}
)

// imports are the import calls in their order.
var imports = []struct {
	name string
	call func(ctx context.Context, p *tributary.Program) (affiliate.ImportReport, error)
}{
	{"ImportAffiliates", func(ctx context.Context, p *tributary.Program) (affiliate.ImportReport, error) {
		return p.ImportAffiliates(ctx, importedOne)
	}},
	{"ImportCoupons", func(ctx context.Context, p *tributary.Program) (affiliate.ImportReport, error) {
		return p.ImportCoupons(ctx, importedCoupon)
	}},
	{"ImportReferrals", func(ctx context.Context, p *tributary.Program) (affiliate.ImportReport, error) {
		return p.ImportReferrals(ctx, importedCustomer)
	}},
	{"ImportSales", func(ctx context.Context, p *tributary.Program) (affiliate.ImportReport, error) {
		return p.ImportSales(ctx, importedSales)
	}},
	{"ImportPayouts", func(ctx context.Context, p *tributary.Program) (affiliate.ImportReport, error) {
		return p.ImportPayouts(ctx, importedPayout)
	}},
}

// newImported is a program after the first n import calls.
func newImported(t *testing.T, n int) *world {
	t.Helper()
	w := newWorld(t)
	for _, in := range imports[:n] {
		report, err := in.call(t.Context(), w.Program)
		if err != nil || len(report.Failed)+len(report.Notes) > 1 {
			t.Fatalf("%s: %+v, %v", in.name, report, err)
		}
	}
	w.verify()
	return w
}

// earns compares what the affiliate earned, after the opening of what is not in
// the books yet.
func (w *world) earns(want string) {
	w.t.Helper()
	must(w.OpenBooks(w.t.Context()))
	balance := must(w.Balance(w.t.Context(), must(w.Affiliate(w.t.Context(), "mara")).ID))
	if balance.Earned != sum(want) {
		w.t.Errorf("earned %v, want %s", balance.Earned, want)
	}
}

// Imports fire nothing, a second one changes nothing, and the same calls on a
// store that runs each closure twice store the same.
func TestImport(t *testing.T) {
	w := newImported(t, len(imports))
	w.earns("30")
	before := w.dump()
	for _, in := range imports {
		w.fires(func() error {
			report, err := in.call(t.Context(), w.Program)
			if report.Created+report.Changed+len(report.Failed) > 0 {
				t.Errorf("%s again: %+v", in.name, report)
			}
			return err
		})
	}
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		t.Errorf("the second time changed records:\n%s", diff)
	}
	twice := newWorldOn(t, conformance.Rerun(memstore.New()))
	for _, in := range imports {
		must(in.call(t.Context(), twice.Program))
	}
	twice.verify()
	twice.earns("30")
}

// Every call of an import fails once. The error is returned, and nothing has
// changed.
func TestImportFaults(t *testing.T) {
	ctx := context.Background()
	for i, in := range imports {
		t.Run(in.name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				w := newImported(t, i)
				before := w.dump()
				s := &probe{Store: w.store, failAt: n}
				_, err := in.call(ctx, w.With(s))
				if s.ops.Load() < n {
					if err != nil || n < 5 {
						t.Errorf("without a fault, after %d: %v", n-1, err)
					}
					return
				}
				if !errors.Is(err, errBoom) {
					t.Errorf("call %d: %v", n, err)
				}
				if diff := cmp.Diff(before, w.dump()); diff != "" {
					t.Fatalf("call %d changed records:\n%s", n, diff)
				}
			}
		})
	}
}

// What was refunded before the import is one of the payment's refunds: a sum of
// all refunds has it, and a refund by its id comes on top.
func TestImportedRefunds(t *testing.T) {
	report := func(w *world, f affiliate.PaymentFact) affiliate.PaymentResult {
		f.Provider, f.Keys, f.At, f.Currency = "stripe", []string{"in_1"}, w.now, "USD"
		return must(w.ReportPayment(t.Context(), f))
	}
	w := newImported(t, len(imports))
	report(w, affiliate.PaymentFact{Refunded: affiliate.Set(sum("30"))})
	w.earns("30")
	report(w, affiliate.PaymentFact{Refunded: affiliate.Set(sum("60"))})
	w.earns("25")
	report(w, affiliate.PaymentFact{Refunds: []affiliate.RefundFact{{ID: "re_2", Amount: sum("30"), State: affiliate.RefundSucceeded}}})
	w.earns("25")
	report(w, affiliate.PaymentFact{Refunds: []affiliate.RefundFact{{ID: "re_3", Amount: sum("60"), State: affiliate.RefundSucceeded}}})
	w.earns("15")
	w.verify()
}

// A second export in which more was refunded tells the payment of it too.
func TestImportedForward(t *testing.T) {
	w := newImported(t, len(imports))
	later := slices.Clone(importedSales)
	later[0].Refunded, later[0].CommissionEarned = sum("60"), sum("10")
	got := must(w.ImportSales(t.Context(), later))
	if got.Changed != 1 || len(got.Notes) > 0 || got.Rows[0].Outcome != affiliate.ImportForwarded {
		t.Errorf("%+v", got)
	}
	w.verify()
	w.earns("25")
	must(w.ReportPayment(t.Context(), affiliate.PaymentFact{Provider: "stripe", Keys: []string{"ch_1"}, At: w.now, Currency: "USD", Refunded: affiliate.Set(sum("60"))}))
	w.verify()
	w.earns("25")
}

// What the provider reported before the import is applied when the sale is there.
func TestImportAfterReports(t *testing.T) {
	w := newImported(t, 3)
	must(w.ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"ch_1", "pi_1"}, At: w.now, Currency: "USD",
		Refunds: []affiliate.RefundFact{{ID: "re_9", Amount: sum("30"), State: affiliate.RefundSucceeded}},
	}))
	must(w.ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"in_1"}, At: w.now, Currency: "USD",
		Disputes: []affiliate.DisputeFact{{ID: "dp_1", Amount: sum("60"), State: affiliate.DisputeWithdrawn}},
	}))
	w.verify()
	must(w.ImportSales(t.Context(), importedSales))
	w.verify()
	w.earns("15") // 30 refunded before, 30 since, 60 in dispute: nothing is left of the first sale
	payment := must(w.ProviderPayment(t.Context(), "stripe", "pi_1"))
	if diff := cmp.Diff([]string{"ch_1", "in_1", "pi_1"}, payment.Keys); diff != "" || payment.SaleID.IsNull() {
		t.Errorf("%+v", payment)
	}
	must(w.ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"in_1"}, At: w.now, Currency: "USD",
		Disputes: []affiliate.DisputeFact{{ID: "dp_1", Amount: sum("60"), State: affiliate.DisputeWon}},
	}))
	w.verify()
	w.earns("25")
}

// A payment that the provider reported, and of which there is a sale, is that
// sale; ids of two sales are refused, and so are those of a deleted one.
func TestImportReportedSale(t *testing.T) {
	w := newImported(t, 3)
	paid := func(key string) affiliate.SaleID {
		return must(w.ReportPayment(t.Context(), affiliate.PaymentFact{
			Provider: "stripe", Keys: []string{key}, Payer: affiliate.PayerFact{ID: "cus_T"}, At: w.now, Currency: "USD",
			Sale: affiliate.Set(affiliate.Paid{NewSale: affiliate.NewSale{TotalEarned: sum("100"), ExternalID: key}, Gross: sum("100")}),
		})).Sale.Or(affiliate.Sale{}).ID
	}
	one := paid("ch_1")
	w.earns("20")
	got := must(w.ImportSales(t.Context(), importedSales[:1]))
	if got.Existing != 1 || got.Created != 0 {
		t.Errorf("%+v", got)
	}
	w.earns("20")
	two := paid("in_1")
	row := importedSales[0]
	row.Ref = "old:sale:9"
	got = must(w.ImportSales(t.Context(), []affiliate.ImportedSale{row}))
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, affiliate.PaymentConflict) {
		t.Errorf("two sales: %+v", got)
	}
	for _, id := range []affiliate.SaleID{one, two} {
		if err := w.DeleteSale(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	got = must(w.ImportSales(t.Context(), []affiliate.ImportedSale{row}))
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, affiliate.UnknownRef) {
		t.Errorf("deleted: %+v", got)
	}
	w.verify()
}

// A customer is known by a payer, also when the email is another one, and is never
// moved to another affiliate.
func TestImportedPayers(t *testing.T) {
	w := newImported(t, 3)
	row := importedCustomer[0]
	row.Ref, row.Email = "new:customer:1", "tomas.new@example.net"
	got := must(w.ImportReferrals(t.Context(), []affiliate.ImportedReferral{row}))
	if got.Existing != 1 || got.Created != 0 {
		t.Errorf("%+v", got)
	}
	other := row
	other.Ref, other.Email, other.Payers = "old:customer:2", "vera@example.net", []affiliate.ProviderID{{Provider: "stripe", ID: "cus_V"}}
	if got := must(w.ImportReferrals(t.Context(), []affiliate.ImportedReferral{other})); got.Created != 1 {
		t.Errorf("%+v", got)
	}
	both := row
	both.Ref, both.Payers = "old:customer:3", append(slices.Clone(row.Payers), other.Payers...)
	got = must(w.ImportReferrals(t.Context(), []affiliate.ImportedReferral{both}))
	if len(got.Failed) != 1 || !errors.Is(got.Failed[0].Err, affiliate.IdentifiersMismatch) {
		t.Errorf("%+v", got)
	}
	for id, email := range map[string]string{"cus_T": "tomas@example.net", "cus_V": "vera@example.net"} {
		if ref := must(w.PayerReferral(t.Context(), "stripe", affiliate.PayerFact{ID: id})); ref.Email != email {
			t.Errorf("%s pays for %s", id, ref.Email)
		}
	}
	w.verify()
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
		sale, customer := importedSales[0], importedCustomer[0]
		sale.Ref, sale.Keys, customer.Ref, customer.Payers = "new:sale", ids, "new:customer", ids
		sales, customers := must(w.ImportSales(t.Context(), []affiliate.ImportedSale{sale})), must(w.ImportReferrals(t.Context(), []affiliate.ImportedReferral{customer}))
		for field, failed := range map[string][]affiliate.ImportFailure{"keys": sales.Failed, "payers": customers.Failed} {
			refusal := new(affiliate.Error)
			if len(failed) != 1 || !errors.As(failed[0].Err, &refusal) || refusal.Field != field {
				t.Errorf("%s: %s: %+v", name, field, failed)
			}
		}
	}
	bonus, mixed := importedSales[2], importedSales[0]
	bonus.Ref, bonus.Keys, mixed.Ref, mixed.Keys = "b", []affiliate.ProviderID{id("stripe", "ch")}, "m", []affiliate.ProviderID{id("stripe", "ch"), id("paddle", "ch")}
	if got := must(w.ImportSales(t.Context(), []affiliate.ImportedSale{bonus, mixed})); len(got.Failed) != 2 {
		t.Errorf("%+v", got)
	}
	w.verify()
}

// A call takes 1,000 rows.
func TestImportLimit(t *testing.T) {
	w := newWorld(t)
	rows := make([]affiliate.ImportedSale, 1001)
	if _, err := w.ImportSales(t.Context(), rows); !errors.Is(err, affiliate.BulkLimitExceeded) {
		t.Error(err)
	}
	if got := must(w.ImportSales(t.Context(), rows[:1000])); len(got.Failed) != 1000 {
		t.Errorf("%d failed", len(got.Failed))
	}
}
