package importer_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

// An import fires nothing, and the books hold after it.
func TestCheck99(t *testing.T) {
	w := newWorld(t)
	must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: "https://hooks.example/all", Events: affiliate.EventTypes()}))
	before := len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items)
	report := w.run(generatedSource{affiliates: 100, sales: 9_800}.source(), importer.Options{})
	if rows := report.Created; rows[importer.Affiliates]+rows[importer.Referrals]+rows[importer.Sales] < 10_000 || len(report.Rejects) > 0 {
		t.Fatal(show(report))
	}
	if after := len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items); after != before {
		t.Errorf("%d events, before %d", after, before)
	}
	if strings.Contains(w.records(), "DeliveryRecord") {
		t.Error("there are deliveries")
	}
}

// What was paid is in a payout, what is due is payable, and what was
// voided is declined.
func TestCheck100(t *testing.T) {
	w := newWorld(t)
	w.run(rewardful(t), importer.Options{})
	got := w.balance("mara")
	if diff := cmp.Diff([]affiliate.Amount{sum("20"), sum("5.80"), {}, sum("25.80")}, []affiliate.Amount{got.Paid, got.Payable, got.InPayout, got.Earned}); diff != "" {
		t.Errorf("paid, payable, in payouts, earned (-want +got):\n%s", diff)
	}
	payouts := must(w.Payouts(t.Context(), affiliate.PayoutQuery{}, affiliate.Page{})).Items
	if len(payouts) != 1 || payouts[0].Amount != sum("20") || payouts[0].Status != affiliate.PayoutPaid || payouts[0].PaidAt.Or(affiliate.Time{}).String() != "2025-04-05T09:00:00.000Z" {
		t.Errorf("payouts %+v", payouts)
	}
	declined := affiliate.Amount{}
	for _, sale := range must(w.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
		for _, c := range sale.Commissions {
			if c.ApprovalStatus == affiliate.ApprovalDeclined {
				declined = must(declined.Add(c.CommissionEarned))
			}
		}
	}
	if declined != sum("7.84") {
		t.Errorf("declined %v", declined)
	}
}

// takenSlug has another affiliate with the slug mara.
func takenSlug(t *testing.T) *world {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Other", LastName: "Mara", Email: "other@example.com", AffiliateLink: "mara"}))
	return w
}

// A slug that another affiliate has is left out, with file and line,
// or renamed, or ends the run. The affiliate and the customers stay.
func TestCheck101(t *testing.T) {
	t.Run("Skip", func(t *testing.T) {
		w := takenSlug(t)
		report := w.run(rewardful(t), importer.Options{})
		if len(report.Rejects) == 0 || report.Rejected[importer.Links] != 1 {
			t.Fatal(show(report))
		}
		link := report.Rejects[0]
		if link.File != "rewardful-affiliates.json" || link.Line != 2 || link.Ref != "rewardful:link:link-mara" || !errors.Is(link.Err, affiliate.SlugTaken) || link.Kept != "affiliate" {
			t.Errorf("%+v", link)
		}
		mara := w.affiliateOf("mara@example.com")
		if len(mara.AffiliateLinks) != 1 || mara.AffiliateLinks[0].Link != "mara-2" { // made from the email
			t.Errorf("links %+v", mara.AffiliateLinks)
		}
		if tomas := must(w.Referral(t.Context(), "tomas@example.net")); tomas.AffiliateID != mara.ID {
			t.Errorf("the customer of the link is of %v", tomas.AffiliateID)
		}
	})
	t.Run("RenameSlug", func(t *testing.T) {
		w := takenSlug(t)
		report := w.run(rewardful(t), importer.Options{OnConflict: importer.RenameSlug})
		if len(report.Conflicts) == 0 || report.Conflicts[0].Kept != "mara-2" || report.Conflicts[0].Line != 2 || report.Rejected[importer.Links] != 0 {
			t.Error(show(report))
		}
		if tomas := must(w.Referral(t.Context(), "tomas@example.net")); tomas.AffiliateID != must(w.Affiliate(t.Context(), "mara-2")).ID {
			t.Errorf("the customer of the link is of %v", tomas.AffiliateID)
		}
	})
	t.Run("Fail", func(t *testing.T) {
		w := takenSlug(t)
		report, err := importer.Run(t.Context(), w.Program, rewardful(t), importer.Options{OnConflict: importer.Fail})
		if !errors.Is(err, importer.ErrConflict) || report.Rejected[importer.Affiliates] == 0 || report.Created[importer.Sales] != 0 {
			t.Errorf("%v\n%s", err, show(report))
		}
		w.verify()
	})
}

func (w *world) affiliateOf(email string) affiliate.Affiliate {
	for _, a := range w.affiliates() {
		if a.Email == email {
			return a
		}
	}
	w.t.Fatalf("no affiliate %s", email)
	return affiliate.Affiliate{}
}

// What cannot be in a slug becomes a hyphen, and the report says so.
func TestCheck102(t *testing.T) {
	w := newWorld(t)
	src := importer.CSV(textOf("mail,name,slug", "john@example.com,John Doe,john doe"), importer.Mapping{
		Kind: importer.Affiliates, Columns: map[string]string{"email": "mail", "name": "name", "slug": "slug"},
	})
	report := w.run(src, importer.Options{})
	if got := must(w.Affiliate(t.Context(), "john-doe")); got.Email != "john@example.com" {
		t.Errorf("%+v", got)
	}
	if len(report.Conflicts) != 1 || report.Conflicts[0].Kept != "john-doe" || report.Conflicts[0].Line != 2 || !errors.Is(report.Conflicts[0].Err, affiliate.SlugSyntax) {
		t.Error(show(report))
	}
}

// The column externalId is the host's own id of an affiliate. One that another affiliate has
// refuses its row, and an affiliate who is there already keeps what they have.
func TestExternalIDs(t *testing.T) {
	w := newWorld(t)
	for _, in := range []affiliate.AffiliateParams{
		{FirstName: "Lea", LastName: "Here", Email: "lea@example.com", ExternalID: "user-9", AffiliateLink: "lea"},
		{FirstName: "Tom", LastName: "Here", Email: "tom@example.com", AffiliateLink: "tom"},
	} {
		must(w.CreateAffiliate(t.Context(), in))
	}
	file := func() importer.Source {
		return importer.CSV(textOf("id,mail,name,user",
			"1,mara@example.com,Mara Holm,user-1", "2,john@example.com,John Doe,", "3,eve@example.com,Eve Moss,user-9", "4,lea@example.com,Lea Here,user-4",
			"5,tom@example.com,Tom Here,user-5", "6,kim@example.com,Kim Ray,user-1", "7,ida@example.com,Ida Ray,"+strings.Repeat("x", 256),
		), importer.Mapping{Kind: importer.Affiliates, Columns: map[string]string{"ref": "id", "email": "mail", "name": "name", "externalId": "user"}})
	}
	for range 2 { // the same file again changes nothing
		report := w.run(file(), importer.Options{})
		var got []string
		for _, r := range report.Rejects {
			got = append(got, fmt.Sprint(r.Line, " ", r.Err.Reason, " ", r.Field))
		}
		if diff := cmp.Diff([]string{"4 affiliate_external_id_taken user", "7 affiliate_external_id_taken user", "8 invalid_field user"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		ids := map[string]string{}
		for _, a := range w.affiliates() {
			ids[a.Email] = a.ExternalID
		}
		want := map[string]string{"mara@example.com": "user-1", "john@example.com": "", "lea@example.com": "user-9", "tom@example.com": ""}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	mara := must(w.Affiliate(t.Context(), "ext:user-1"))
	ensured := must(w.EnsureAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "M", LastName: "H", Email: "other@example.com", ExternalID: "user-1"}))
	if mara.Email != "mara@example.com" || ensured.ID != mara.ID {
		t.Errorf("user-1 is %s, and ensured %s", mara.Email, ensured.Email)
	}
	w.verify()
}

// Visits of the other service and visits here add up, and those of a
// deleted link stay with the affiliate.
func TestCheck103(t *testing.T) {
	w := newWorld(t)
	w.run(rewardful(t), importer.Options{})
	for range 3 {
		must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "mara"}))
	}
	links := must(w.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("mara")}, affiliate.Page{})).Items
	if got := w.affiliateOf("mara@example.com").NumberOfClicks; got != 123 || links[0].Clicks != 123 {
		t.Errorf("%d clicks of the affiliate, %d of the link, want 123", got, links[0].Clicks)
	}
	w.verify()
	must(w.CreateLink(t.Context(), affiliate.LinkParams{Link: "mara-new", AffiliateID: links[0].Affiliate.ID}))
	must(w.DeleteLink(t.Context(), affiliate.LinkRef{Slug: "mara"}))
	if got := w.affiliateOf("mara@example.com").NumberOfClicks; got != 123 {
		t.Errorf("%d clicks after the link was deleted, want 123", got)
	}
	w.verify()
}

// Uses at the other service count for the limit of a code.
func TestCheck104(t *testing.T) {
	w := newWorld(t)
	w.run(mappedCSV(t), importer.Options{})
	for i := range 41 {
		_, err := w.RecordSale(t.Context(), affiliate.SaleParams{
			PromoCode: "mara20", Email: fmt.Sprintf("c%d@example.net", i), Name: "C", TotalEarned: sum("10"), ExternalID: fmt.Sprint("new-", i),
		})
		if i < 40 && err != nil || i == 40 && !errors.Is(err, affiliate.CodeExhausted) {
			t.Fatalf("sale %d: %v", i+1, err)
		}
	}
	w.verify()
}

// A refund that the provider reports finds the imported payment by its
// charge, and a payment of the imported customer finds the affiliate by the payer.
func TestCheck105(t *testing.T) {
	w := newWorld(t)
	w.run(rewardful(t), importer.Options{})
	paid := must(w.Payments().ProviderPayment(t.Context(), "stripe", "ch_1"))
	fact := affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"ch_1", "pi_1"}, At: w.now, Currency: "USD",
		Refunds: []affiliate.RefundFact{{ID: "re_1", Amount: sum("30"), State: affiliate.RefundSucceeded}},
	}
	done := must(w.Payments().ReportPayment(t.Context(), fact))
	if sale := done.Sale.Or(affiliate.Sale{}); done.Payment.ID != paid.ID || sale.CommissionEarned != sum("15") || done.Moved != sum("-5") {
		t.Errorf("%+v", done)
	}
	w.verify()
	next := must(w.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"in_9"}, Payer: affiliate.PayerFact{ID: "cus_T", Email: "new@example.net"}, At: w.now, Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: sum("29"), ExternalID: "in_9"}, Gross: sum("29"), Renewal: true}),
	}))
	if sale := next.Sale.Or(affiliate.Sale{}); sale.AffiliateID != w.affiliateOf("mara@example.com").ID || sale.CommissionEarned != sum("5.80") {
		t.Errorf("%+v", next)
	}
	w.verify()
}

// A failingStore fails one Update.
type failingStore struct {
	record.Store
	at, seen int
	after    bool // the commit is made, and its answer is lost
}

var errCrash = errors.New("crashed")

func (f *failingStore) Update(ctx context.Context, program uuid.UUID, fn func(*record.Tx) error) error {
	f.seen++
	if f.seen == f.at && f.after {
		return errors.Join(f.Store.Update(ctx, program, fn), errCrash)
	}
	if f.seen == f.at {
		return f.Store.Update(ctx, program, func(tx *record.Tx) error { return errors.Join(fn(tx), errCrash) })
	}
	return f.Store.Update(ctx, program, fn)
}

// A run that crashed in any batch, before its commit or after it, ends
// as an undisturbed one when it is run again.
func TestCheck106(t *testing.T) {
	plan := generatedSource{affiliates: 5, sales: 60}
	whole := newWorld(t)
	whole.run(plan.source(), importer.Options{Batch: 10})
	want := whole.amounts()
	crashes := 0
	for at := 1; ; at++ {
		for _, after := range []bool{false, true} {
			store := &failingStore{Store: memstore.New(), at: at, after: after}
			w := newWorldOn(t, store)
			_, err := importer.Run(t.Context(), w.Program, plan.source(), importer.Options{Batch: 10})
			if err == nil {
				if crashes < 14 {
					t.Errorf("%d crashes", crashes)
				}
				return
			}
			if !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			crashes++
			w.verify()
			report := w.run(plan.source(), importer.Options{Batch: 10})
			if diff := cmp.Diff(want, w.amounts()); diff != "" {
				t.Fatalf("crash at %d, after the commit %v (-undisturbed +resumed):\n%s", at, after, diff)
			}
			if done := report.Created[importer.Sales] + report.Existing[importer.Sales]; done != 60 {
				t.Errorf("crash at %d: %d sales", at, done)
			}
		}
	}
}

// A commission that was pending in the first export and is paid in the
// second is brought forward, and nothing else changes.
func TestCheck107(t *testing.T) {
	mapping := importer.Mapping{
		Kind: importer.Sales, Columns: map[string]string{
			"ref": "id", "email": "mail", "affiliateEmail": "partner", "total": "total", "refunded": "back", "commission": "earned", "status": "state",
			"createdAt": "date", "paidAt": "paid",
		},
		Status: map[string]string{"pending": "ON_HOLD", "approved": "ACCEPTED", "paid": "PAID"},
	}
	header := "id,mail,partner,total,back,earned,state,date,paid"
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Holm", Email: "mara@example.com", AffiliateLink: "mara"}))
	export := func(rows ...string) importer.Report {
		return w.run(importer.CSV(textOf(append([]string{header}, rows...)...), mapping), importer.Options{})
	}
	export(
		"1,a@example.net,mara@example.com,100,0,20,pending,2026-01-01,",
		"2,b@example.net,mara@example.com,50,0,10,paid,2026-01-02,2026-02-05",
		"3,c@example.net,mara@example.com,30,0,6,approved,2026-01-03,",
	)
	events := len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items)
	report := export(
		"1,a@example.net,mara@example.com,100,0,20,paid,2026-01-01,2026-02-06", // paid since
		"2,b@example.net,mara@example.com,50,0,10,paid,2026-01-02,2026-02-05",
		"3,c@example.net,mara@example.com,30,15,3,approved,2026-01-03,", // half of it was refunded since
	)
	if report.Changed[importer.Sales] != 2 || report.Changed[importer.Payouts] != 1 || report.Existing[importer.Sales] != 1 || len(report.Conflicts) != 0 || len(report.Created) != 0 {
		t.Error(show(report))
	}
	got := w.balance("mara")
	if got.Paid != sum("30") || got.Payable != sum("3") || !got.Held.IsZero() {
		t.Errorf("%+v", got)
	}
	if again := export(
		"1,a@example.net,mara@example.com,100,0,20,paid,2026-01-01,2026-02-06",
		"2,b@example.net,mara@example.com,50,0,10,paid,2026-01-02,2026-02-05",
		"3,c@example.net,mara@example.com,30,15,3,approved,2026-01-03,",
	); again.Existing[importer.Sales] != 3 || len(again.Changed) != 0 {
		t.Error(show(again))
	}
	report = export("3,c@example.net,mara@example.com,99,15,3,approved,2026-01-03,") // another total: nothing is written
	if report.Changed[importer.Sales] != 1 || len(report.Conflicts) != 1 || report.Conflicts[0].Field != "total" || w.balance("mara") != got {
		t.Error(show(report))
	}
	if after := len(must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items); after != events {
		t.Errorf("%d events, before %d", after, events)
	}
}

// Five rows that cannot be imported, each with its line and its column.
// What is in another currency is added up by itself.
func TestCheck108(t *testing.T) {
	w := newWorld(t)
	src := importer.All(
		importer.CSV(textOf("id,mail,name,joined", "1,mara@example.com,Mara Holm,2025-01-01", "2,eve@example.com,Eve,2026-06-02", "3,nobody,No Body,2025-01-01"), importer.Mapping{
			Kind: importer.Affiliates, Columns: map[string]string{"ref": "id", "email": "mail", "name": "name", "createdAt": "joined"},
		}),
		importer.CSV(textOf("id,mail,partner", "1,,1"), importer.Mapping{
			Kind: importer.Referrals, Columns: map[string]string{"ref": "id", "email": "mail", "affiliate": "partner"},
		}),
		importer.CSV(textOf("id,partner,total,earned,money", "1,1,100,20,EUR", "2,1,-5,0,USD", "3,1,10,2,USD"), importer.Mapping{
			Kind: importer.Sales, Columns: map[string]string{"ref": "id", "affiliate": "partner", "total": "total", "commission": "earned", "currency": "money"},
		}),
	)
	report := w.run(src, importer.Options{})
	var got []string
	for _, r := range report.Rejects {
		got = append(got, fmt.Sprint(r.File, ":", r.Line, " ", r.Err.Reason, " ", r.Field))
	}
	if diff := cmp.Diff([]string{
		"affiliates.csv:3 invalid_field joined", "affiliates.csv:4 invalid_field mail", "referrals.csv:2 missing_field mail",
		"sales.csv:2 currency money", "sales.csv:3 invalid_field total",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if report.Refused["EUR"].Sales != sum("100") || report.Refused["EUR"].Commission != sum("20") || report.Stored["USD"].Sales != sum("10") {
		t.Error(show(report))
	}
}

// Two rows of one affiliate with two tokens are one affiliate with two
// links.
func TestCheck110(t *testing.T) {
	w := newWorld(t)
	src := func() importer.Source {
		return importer.Rewardful(importer.Files{Affiliates: strings.NewReader(
			"stripe_customer_id,first_name,last_name,email,paypal_email,wise_email,token\n" +
				",Mara,Holm,mara@example.com,pay@mara.example,,mara\n,Mara,Holm,Mara@Example.com,pay@mara.example,,mara-blog\n")})
	}
	w.run(src(), importer.Options{})
	all := w.affiliates()
	if len(all) != 1 || len(all[0].AffiliateLinks) != 2 || all[0].PayoutEmail.Or("") != "pay@mara.example" {
		t.Errorf("%+v", all)
	}
	if again := w.run(src(), importer.Options{}); again.Existing[importer.Affiliates] != 2 || len(again.Created)+len(again.Changed) > 0 {
		t.Error(show(again))
	}
}

// The report of each fixture is its golden file, and what the rows say
// is what is stored and what was refused.
func TestCheck96(t *testing.T) {
	eachFixture(t, func(t *testing.T, name string, src func(*testing.T) importer.Source) {
		w := newWorld(t)
		report := w.run(src(t), importer.Options{})
		golden(t, name+".golden", show(report))
	})
}

// A second run finds everything, and the store is the same byte for
// byte.
func TestCheck97(t *testing.T) {
	eachFixture(t, func(t *testing.T, _ string, src func(*testing.T) importer.Source) {
		w := newWorld(t)
		first := w.run(src(t), importer.Options{})
		before := w.records()
		second := w.run(src(t), importer.Options{})
		if diff := cmp.Diff(before, w.records()); diff != "" {
			t.Errorf("the store changed (-before +after):\n%s", diff)
		}
		known := map[string]int{}
		for kind, n := range first.Created {
			known[kind] += n
		}
		for kind, n := range first.Existing {
			known[kind] += n
		}
		if diff := cmp.Diff(known, second.Existing); diff != "" || len(second.Created)+len(second.Changed) > 0 {
			t.Errorf("existing (-want +got):\n%s\n%s", diff, show(second))
		}
		if diff := cmp.Diff(first.Source, second.Source); diff != "" {
			t.Errorf("what the rows say (-first +second):\n%s", diff)
		}
	})
}

// A dry run leaves the store untouched, and its report is that of the
// real one. It sees what is there already.
func TestCheck98(t *testing.T) {
	eachFixture(t, func(t *testing.T, name string, src func(*testing.T) importer.Source) {
		for _, before := range []string{"", "csv"} {
			t.Run("after "+before, func(t *testing.T) {
				w := newWorld(t)
				if before != "" {
					w.run(fixtures[before](t), importer.Options{})
				}
				was := w.records()
				dry := w.run(src(t), importer.Options{DryRun: true, Batch: 2})
				if diff := cmp.Diff(was, w.records()); diff != "" {
					t.Errorf("the store changed (-before +after):\n%s", diff)
				}
				if diff := cmp.Diff(show(dry), show(w.run(src(t), importer.Options{}))); diff != "" {
					t.Errorf("the reports (-dry +real):\n%s", diff)
				}
			})
		}
	})
}

// A generatedSource has so many affiliates, each with a link and customers, and
// so many sales of theirs. Every third sale was paid.
type generatedSource struct{ affiliates, sales int }

// Rows are the rows, made as they are asked for.
func (g generatedSource) Rows(context.Context) iter.Seq2[importer.Row, error] {
	customers := g.sales / 10
	began := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	return func(yield func(importer.Row, error) bool) {
		line := 0
		give := func(ref string, item importer.Item) bool {
			line++
			return yield(importer.Row{File: "generated", Line: line, Ref: ref, Item: item}, nil)
		}
		for i := range g.affiliates {
			link := imported.Link{Ref: fmt.Sprint("gen:link:", i), Slug: fmt.Sprint("partner-", i), Clicks: int64(i)}
			item := imported.Affiliate{FirstName: "P", LastName: fmt.Sprint(i), Email: fmt.Sprintf("p%d@example.com", i), CreatedAt: began, Links: []imported.Link{link}}
			if !give(fmt.Sprint("gen:affiliate:", i), importer.Affiliate{Affiliate: item}) {
				return
			}
		}
		for i := range customers {
			item := imported.Referral{CreatedAt: began.Add(time.Duration(i) * time.Minute), Via: []string{fmt.Sprint("gen:link:", i%g.affiliates)}}
			item.Email = fmt.Sprintf("c%d@example.net", i)
			if !give(fmt.Sprint("gen:customer:", i), importer.Referral{Referral: item}) {
				return
			}
		}
		for i := range g.sales {
			if !give(fmt.Sprint("gen:sale:", i), importer.Sale{Sale: g.sale(i, customers, began)}) {
				return
			}
		}
		for i := 0; i < g.sales; i += 3 {
			item := imported.Payout{PaidAt: began.Add(24 * 400 * time.Hour), Amount: affiliate.MustAmount("2.5"), Sales: []string{fmt.Sprint("gen:sale:", i)}}
			if !give(fmt.Sprint("gen:payout:", i), importer.Payout{Payout: item}) {
				return
			}
		}
	}
}

func (g generatedSource) sale(i, customers int, began time.Time) imported.Sale {
	return imported.Sale{
		CreatedAt: began.Add(time.Duration(i) * time.Minute), Customer: fmt.Sprint("gen:customer:", i%customers),
		TotalEarned: affiliate.MustAmount("12.5"), CommissionEarned: affiliate.MustAmount("2.5"), ExternalID: fmt.Sprint("ch_", i),
	}
}

func (g generatedSource) source() importer.Source { return g }
