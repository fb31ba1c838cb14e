package importer_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

var update = flag.Bool("update", false, "write the golden reports")

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func sum(text string) affiliate.Amount { return affiliate.MustAmount(text) }

// A world is a program on a store in memory.
type world struct {
	*tributary.Program
	t     *testing.T
	store record.Store
	now   time.Time
}

func newWorld(t *testing.T) *world { return newWorldOn(t, memstore.New()) }

func newWorldOn(t *testing.T, store record.Store) *world {
	t.Helper()
	w := &world{t: t, store: store, now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	w.Program = must(tributary.New(store, tributary.Config{
		ID: uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), Name: "Northwind Beans",
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Now:   func() time.Time { return w.now },
	}))
	return w
}

// run imports and checks the books.
func (w *world) run(src importer.Source, o importer.Options) importer.Report {
	w.t.Helper()
	report, err := importer.Run(w.t.Context(), w.Program, src, o)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, show(report))
	}
	w.verify()
	return report
}

func (w *world) verify() {
	w.t.Helper()
	if err := w.Verify(w.t.Context()); err != nil {
		w.t.Error(err)
	}
}

// records are all records of the program as JSON, a table after the other.
func (w *world) records() string {
	w.t.Helper()
	var b strings.Builder
	err := w.store.View(w.t.Context(), w.Config().ID, func(tx *record.Tx) error {
		b.Reset()
		for _, table := range record.Schema() {
			for rec, err := range table.In(tx).List(record.Query{}) {
				if err != nil {
					return err
				}
				if table.Name != "receipts" {
					fmt.Fprintf(&b, "%T %s\n", rec, must(json.Marshal(rec)))
				}
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// amounts are what is stored of each imported ref, for a comparison of two
// programs whose ids differ.
func (w *world) amounts() string {
	var lines []string
	err := w.store.View(w.t.Context(), w.Config().ID, func(tx *record.Tx) error {
		lines = nil
		for rec, err := range tx.Imports.List(record.Query{}) {
			if err != nil {
				return err
			}
			lines = append(lines, fmt.Sprint(rec.Ref, " ", rec.Kind, " ", rec.Adopted, " ", rec.Figures, " ", rec.Digest))
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, aff := range w.affiliates() {
		balance, err := w.Balance(w.t.Context(), affiliate.AffiliateRef{ID: aff.ID})
		lines = append(lines, fmt.Sprint(aff.Email, " ", aff.NumberOfClicks, " ", balance.Payable, " ", balance.Held, " ", balance.InPayout, " ", balance.Paid, " ", err))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func (w *world) affiliates() []affiliate.Affiliate {
	return must(w.Affiliates(w.t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1000})).Items
}

// balance is the balance of the affiliate with an email.
func (w *world) balance(email string) affiliate.Balance {
	w.t.Helper()
	return must(w.Balance(w.t.Context(), affiliate.AffiliateRef{ID: must(w.Affiliate(w.t.Context(), email)).ID}))
}

// open opens a file of testdata.
func open(t *testing.T, name string) *os.File {
	t.Helper()
	f := must(os.Open(filepath.Join("testdata", name)))
	t.Cleanup(func() { f.Close() })
	return f
}

// The sources of the fixtures. Each call opens the files anew.
func rewardful(t *testing.T) importer.Source {
	return importer.Rewardful(importer.Files{
		Affiliates: open(t, "rewardful-affiliates.json"), Coupons: open(t, "rewardful-coupons.json"),
		Customers: open(t, "rewardful-customers.json"), Commissions: open(t, "rewardful-commissions.json"),
		Discount: affiliate.CouponParams{PercentOff: affiliate.Set(affiliate.MustPercent("20"))},
	})
}

func dub(t *testing.T) importer.Source {
	return importer.Dub(importer.Files{Affiliates: open(t, "dub-partners.csv"), Commissions: open(t, "dub-commissions.csv")})
}

func mappedCSV(t *testing.T) importer.Source {
	return importer.All(
		importer.CSV(open(t, "csv-affiliates.csv"), importer.Mapping{
			Kind:    importer.Affiliates,
			Columns: map[string]string{"ref": "partner", "name": "full name", "email": "mail", "status": "state", "createdAt": "joined", "slug": "slug", "clicks": "visits"},
			Status:  map[string]string{"live": "ACTIVE", "gone": "DEACTIVATED"},
		}),
		importer.CSV(open(t, "csv-codes.csv"), importer.Mapping{
			Kind:    importer.Codes,
			Columns: map[string]string{"code": "code", "affiliate": "partner", "timesRedeemed": "uses", "maxRedemptions": "most"},
			Values:  map[string]string{"percentOff": "20"},
		}),
		importer.CSV(open(t, "csv-referrals.csv"), importer.Mapping{
			Kind:    importer.Referrals,
			Columns: map[string]string{"ref": "customer", "email": "mail", "name": "name", "affiliate": "partner", "createdAt": "since"},
		}),
		importer.CSV(open(t, "csv-sales.csv"), importer.Mapping{
			Kind: importer.Sales,
			Columns: map[string]string{
				"ref": "order", "customer": "customer", "affiliate": "partner", "total": "paid", "tax": "tax", "commission": "commission",
				"status": "state", "createdAt": "date", "paidAt": "paid on",
			},
			Status: map[string]string{"paid": "PAID", "approved": "ACCEPTED", "rejected": "DECLINED", "waiting": "ON_HOLD"},
		}),
		importer.CSV(open(t, "csv-payouts.csv"), importer.Mapping{
			Kind:    importer.Payouts,
			Columns: map[string]string{"ref": "id", "sales": "sales", "amount": "sum", "paidAt": "when"},
		}),
	)
}

var fixtures = map[string]func(*testing.T) importer.Source{"rewardful": rewardful, "dub": dub, "csv": mappedCSV}

// eachFixture runs a sub-test for each service.
func eachFixture(t *testing.T, test func(t *testing.T, name string, src func(*testing.T) importer.Source)) {
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		t.Run(name, func(t *testing.T) { test(t, name, fixtures[name]) })
	}
}

// show is a report as text, without the time that it took.
func show(r importer.Report) string { return r.String() }

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(0, os.WriteFile(path, []byte(got), 0o644))
	}
	want := must(os.ReadFile(path))
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// textOf is a CSV file in memory.
func textOf(lines ...string) *strings.Reader {
	return strings.NewReader(strings.Join(lines, "\n") + "\n")
}

// source is a Source of rows.
type source []importer.Row

func (s source) Rows(context.Context) iter.Seq2[importer.Row, error] {
	return func(yield func(importer.Row, error) bool) {
		for _, row := range s {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func TestMain(m *testing.M) { atlength.Main(m) }
