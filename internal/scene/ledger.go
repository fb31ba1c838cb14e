package scene

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A Ledger is a program with records of every kind that Verify checks.
type Ledger struct {
	*World
	Ada
	Link      affiliate.Link
	Customer  affiliate.Referral
	SalesMade []affiliate.Sale // by code, by referral, refunded in part, refunded in full, in a payout
	PaidOut   affiliate.Payout
	Hooked    affiliate.IssuedEndpoint
	Disabled  affiliate.IssuedEndpoint
}

// NewLedger returns a Ledger on a store of its own.
func NewLedger(t testing.TB, change ...func(*tributary.Config)) *Ledger {
	t.Helper()
	ctx := context.Background()
	b := &Ledger{World: New(t, change...)}
	b.Hooked = Must(b.Webhooks().CreateEndpoint(ctx,
		affiliate.EndpointParams{URL: "https://hooks.example/a",
			Events: []affiliate.EventType{"*"}}))
	b.Disabled = Must(b.Webhooks().CreateEndpoint(ctx,
		affiliate.EndpointParams{URL: "https://hooks.example/b",
			Events: []affiliate.EventType{affiliate.SaleCreated}, Active: affiliate.Set(false)}))
	b.Ada = b.World.Ada()
	b.Link = Must(b.CreateLink(ctx, affiliate.LinkParams{Link: "ada-spring", AffiliateID: b.Person.ID}))
	click := Must(b.TrackClick(ctx,
		affiliate.ClickParams{Slug: "ada-spring", DeviceID: "device-1",
			LandingURL: "https://beans.example/?ref=ada-spring", Referrer: "https://blog.example",
			UserAgent: "Browser"}))
	b.Pass(time.Second)
	b.Customer = Must(b.CreateReferral(ctx,
		affiliate.ReferralParams{AffiliateID: fmt.Sprint(click.ID), Name: "Carl Customer",
			Email: "carl@customer.example", ReferredUserExternalID: "user-77"}))
	sale := func(in affiliate.SaleParams) affiliate.Sale {
		b.Pass(time.Second)
		in.TotalEarned = Sum("100")
		res := Must(b.RecordSale(ctx, in))
		got, ok := res.Sale.Get()
		if !ok {
			t.Fatalf("sale: %s", res.Outcome)
		}
		b.SalesMade = append(b.SalesMade, got)
		return got
	}
	sale(affiliate.SaleParams{PromoCode: "ada20", ExternalID: "order-1"})
	sale(affiliate.SaleParams{ReferralID: b.Customer.ID.String(), ExternalID: "order-2"})
	part := sale(affiliate.SaleParams{Email: "carl@customer.example", Tax: Sum("10")})
	Must(b.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: affiliate.Set(Sum("30")), RefundID: "r1"}))
	full := sale(affiliate.SaleParams{ReferralID: "ada-spring", Email: "dora@customer.example", Name: "Dora Customer"})
	Must(b.RefundSale(ctx, affiliate.Refund{SaleID: full.ID}))
	b.PaidOut = Must(b.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: b.Person.ID}))
	sale(affiliate.SaleParams{PromoCode: "ADA20", Email: "carl@customer.example"})
	b.Pass(time.Second)
	b.Verifies()
	return b
}

// Settle marks every pending delivery as delivered. The answers repeat the
// request.
func (b *Ledger) Settle() {
	b.T.Helper()
	b.Raw(func(tx *record.Tx) error {
		for q, err := range tx.Queue.List(record.Query{}) {
			if err != nil {
				return err
			}
			d, err := tx.Deliveries.Get(q.DeliveryID)
			if err != nil {
				return err
			}
			event, err := tx.Events.Get(d.EventID)
			if err != nil {
				return err
			}
			d = d.Clone()
			d.State, d.NextAttemptAt, d.UpdatedAt = affiliate.DeliveryDelivered,
				affiliate.Instant{}, affiliate.InstantOf(b.Now)
			d.Attempts = append(d.Attempts,
				record.Attempt{At: affiliate.InstantOf(b.Now), Status: 200,
					Response: string(event.Payload.Bytes())})
			if err := tx.Deliveries.Replace(d); err != nil {
				return err
			}
			if err := tx.Queue.Delete(q.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// Opened returns the dump with all base64 values decoded.
func (b *Ledger) Opened() string {
	var all strings.Builder
	for table, rows := range b.Dump() {
		for _, row := range rows {
			all.WriteString(table + " " + booksBytes.ReplaceAllStringFunc(row, func(s string) string {
				raw, err := base64.StdEncoding.DecodeString(booksBytes.FindStringSubmatch(s)[2])
				if err != nil {
					b.T.Fatal(err)
				}
				return string(raw)
			}) + "\n")
		}
	}
	return all.String()
}

// Without fails the test if a table has one of the words.
func (b *Ledger) Without(words ...string) {
	b.T.Helper()
	for line := range strings.Lines(b.Opened()) {
		for _, word := range words {
			if strings.Contains(line, word) {
				b.T.Errorf("%q is left in %s", word, line)
			}
		}
	}
}

// Edit changes the first record of a table that fits.
func Edit[R record.Record[R]](t record.Table[R], fits func(R) bool, change func(*R)) error {
	for rec, err := range t.List(record.Query{}) {
		if err != nil {
			return err
		}
		if fits != nil && !fits(rec) {
			continue
		}
		rec = rec.Clone()
		change(&rec)
		return t.Replace(rec)
	}
	return errors.New("no record fits")
}

// Drop deletes the records of a table that fit, at least one.
func Drop[R record.Record[R]](t record.Table[R], fits func(R) bool) error {
	for rec, err := range t.List(record.Query{}) {
		if err != nil {
			return err
		}
		if fits == nil || fits(rec) {
			return t.Delete(rec.RecordID())
		}
	}
	return errors.New("no record fits")
}

// Broken lists the invariants that Verify names, each once, in order.
func Broken(err error) []string {
	names := []string{}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return names
	}
	for _, err := range joined.Unwrap() {
		breach, ok := errors.AsType[*affiliate.Breach](err)
		if !ok {
			return []string{"no breach: " + err.Error()}
		}
		names = append(names, breach.Invariant)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Corrupted runs one case on its own program.
func Corrupted(t *testing.T, change func(b *Ledger, tx *record.Tx) error, want ...string) {
	t.Helper()
	b := NewLedger(t)
	b.Raw(func(tx *record.Tx) error { return change(b, tx) })
	err := b.Verify(t.Context())
	if diff := cmp.Diff(want, Broken(err)); diff != "" {
		t.Errorf("invariants (-want +got):\n%s\n%v", diff, err)
	}
	if err != nil && !strings.Contains(err.Error(), "affiliate: "+want[0]+": ") {
		t.Errorf("the text does not name %s: %v", want[0], err)
	}
	ReportEquals(t, b.Program, err)
}

// Corruption is a change of the records behind the engine, which Verify has to find.
type Corruption struct {
	Name   string
	Change func(b *Ledger, tx *record.Tx) error
	Want   []string
}

// RunCorruptions runs each corruption on a ledger of its own.
func RunCorruptions(t *testing.T, cases []Corruption) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Want[0]+" "+c.Name, func(t *testing.T) { Corrupted(t, c.Change, c.Want...) })
	}
}

// Ages brings the records into the form that they had before there were
// movements.
func (w *World) Ages() {
	w.T.Helper()
	w.Raw(func(tx *record.Tx) error {
		return ErrorsOf(
			EachRow(tx.Movements, func(r record.Movement) error { return tx.Movements.Delete(r.ID) }),
			EachRow(tx.Totals, func(r record.Totals) error {
				r.Books = record.Books{}
				return tx.Totals.Replace(r)
			}),
			EachRow(tx.Sales, func(r record.Sale) error {
				r = r.Clone()
				for i := range r.Commissions {
					r.Commissions[i].Frozen = false
				}
				return tx.Sales.Replace(r)
			}),
			EachRow(tx.Payouts, func(r record.Payout) error {
				for _, item := range r.Items {
					r.Commissions = append(r.Commissions, item.Commission)
				}
				r.Items = nil
				return tx.Payouts.Replace(r)
			}),
		)
	})
}

// ErrorsOf returns the first error.
func ErrorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// EachRow runs fn on every record of a table.
func EachRow[R record.Record[R]](table record.Table[R], fn func(R) error) error {
	var recs []R
	for rec, err := range table.List(record.Query{}) {
		if err != nil {
			return err
		}
		recs = append(recs, rec)
	}
	for _, rec := range recs {
		if err := fn(rec); err != nil {
			return err
		}
	}
	return nil
}

// BooksClosed is the refusal of a question that needs open books.
var BooksClosed = StateError(affiliate.BooksNotOpen, "", "The books of this affiliate are not open yet")

var booksBytes = regexp.MustCompile(`"(Payload|Answer|Refusal|Value)":"([A-Za-z0-9+/=]*)"`)

// breachesOf returns the error of Verify as data.
func breachesOf(err error) []affiliate.Breach {
	breaches := []affiliate.Breach{}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			breach, _ := errors.AsType[*affiliate.Breach](err)
			breaches = append(breaches, *breach)
		}
	}
	return breaches
}

// ReportEquals checks that a VerifyJob finds what Verify found (console, check
// 19). booksCorrupted calls it for every planted corruption.
func ReportEquals(t *testing.T, p *tributary.Program, verified error) affiliate.Verification {
	t.Helper()
	got := Must(p.Step(t.Context(), affiliate.VerifyJob{}, affiliate.Step{})).Verification
	byText := cmpopts.SortSlices(func(a, b affiliate.Breach) bool { return a.Error() < b.Error() })
	if diff := cmp.Diff(breachesOf(verified), got.Breaches, byText); diff != "" || got.Holds != (verified == nil) || got.Records == 0 {
		t.Errorf("the report holds %v, %d records (-Verify +report):\n%s", got.Holds, got.Records, diff)
	}
	return got
}

// A Saying is a corruption and the detail that Verify reports. Several
// checks share an invariant, so the detail shows which of them found it.
type Saying struct {
	Name   string
	Change func(b *Ledger, tx *record.Tx) error
	Want   string // the invariant and a part of the detail
}

// RunSayings runs each saying on a ledger of its own.
func RunSayings(t *testing.T, cases []Saying) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			b := NewLedger(t)
			b.Raw(func(tx *record.Tx) error { return c.Change(b, tx) })
			err := b.Verify(t.Context())
			if !Says(err, c.Want) {
				t.Errorf("nothing says %q: %v", c.Want, err)
			}
		})
	}
}

// Says reports whether a line names the invariant and has the detail.
func Says(err error, want string) bool {
	invariant, detail, _ := strings.Cut(want, ": ")
	if err == nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(err.Error(), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "affiliate: "+invariant+": ") && strings.Contains(line, detail)
	})
}
