package importer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// sales reads sales with all columns that hang on money.
func salesOf(text string, change ...func(*importer.Mapping)) importer.Source {
	m := importer.Mapping{
		Kind:    importer.Sales,
		Columns: map[string]string{"ref": "id", "affiliateEmail": "partner", "total": "total", "commission": "earned", "status": "state"},
	}
	for _, f := range change {
		f(&m)
	}
	return importer.CSV(strings.NewReader(text), m)
}

// partnered is a world with one affiliate.
func partnered(t *testing.T) *world {
	w := newWorld(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Holm", Email: "m@example.com", AffiliateLink: "mara"}))
	return w
}

// TestMissingColumn: a column that the mapping names and the file lacks ends the
// import before its first row, and both are named.
func TestMissingColumn(t *testing.T) {
	for name, tt := range map[string]struct {
		src  importer.Source
		want []string
	}{
		"status": {salesOf("id,partner,total,earned,status\n1,m@example.com,10,2,DECLINED\n"), []string{`"state"`, `"status"`, `"earned"`}},
		"two":    {salesOf("id,partner,state\n1,m@example.com,DECLINED\n"), []string{`"earned", "total"`, `"id", "partner", "state"`}},
		"none":   {salesOf("x\n"), []string{`"earned"`, `"x"`}},
		"twice":  {salesOf("id,partner,total,earned,state, State \n1,m@example.com,10,2,DECLINED,ACCEPTED\n"), []string{`"State" twice, as columns 5 and 6`}},
		"marks":  {salesOf("id,partner,total,ear\u202ened\n"), []string{`"ear\u202ened"`}},
		"dub commissions": {
			importer.Dub(importer.Files{Commissions: strings.NewReader("id,type,amount,earnings,currency\n")}), []string{`"Status"`, `"Partner ID" or "Partner email"`, `"earnings"`},
		},
		"dub partners": {importer.Dub(importer.Files{Affiliates: strings.NewReader("ID,Name,Email\n")}), []string{`"Status"`, `"Enrolled at" or "Created at"`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := partnered(t)
			report, err := importer.Run(t.Context(), w.Program, tt.src, importer.Options{})
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %s", err, want)
				}
			}
			if len(report.Created) > 0 {
				t.Error(show(report))
			}
		})
	}
}

// TestOptionalColumn: a field that the mapping says is optional may have no column,
// and a member of an object must be there as well.
func TestOptionalColumn(t *testing.T) {
	w := partnered(t)
	optional := func(m *importer.Mapping) { m.Optional = []string{"status"} }
	report := w.run(salesOf("id,partner,total,earned\n1,m@example.com,10,2\n", optional), importer.Options{})
	if report.Created[importer.Sales] != 1 {
		t.Error(show(report))
	}
	report = w.run(salesOf(`[{"id":2,"partner":"m@example.com","total":10,"earned":2},{"id":3,"partner":"m@example.com","total":10,"earned":1.250,"state":null}]`), importer.Options{})
	if report.Created[importer.Sales] != 1 || report.Rejected[importer.Sales] != 1 || report.Rejects[0].Field != "state" || report.Stored["USD"].Commission != sum("1.25") {
		t.Error(show(report))
	}
	if _, err := importer.Run(t.Context(), w.Program, salesOf("", func(m *importer.Mapping) { m.Optional = []string{"stat"} }), importer.Options{}); err == nil {
		t.Error("an unknown optional field is accepted")
	}
}

// TestBlankStatus: a blank status is what the mapping says of it, and else that of a
// row without one.
func TestBlankStatus(t *testing.T) {
	for _, tt := range []struct {
		words map[string]string
		want  string
	}{
		{nil, "2"}, {map[string]string{"ok": "ACCEPTED"}, "2"}, {map[string]string{"ok": "ACCEPTED", "": "DECLINED"}, "0"}, {map[string]string{" ": "ON_HOLD"}, "0"},
	} {
		w := partnered(t)
		w.run(salesOf("id,partner,total,earned,state\n1,m@example.com,10,2,\u00a0\n", func(m *importer.Mapping) { m.Status = tt.words }), importer.Options{})
		if got := w.balance("mara").Payable.String(); got != tt.want {
			t.Errorf("%v: payable %s, want %s", tt.words, got, tt.want)
		}
	}
}

// TestMembersTwice: which of two members with one name counts, nobody knows.
func TestMembersTwice(t *testing.T) {
	w := partnered(t)
	report := w.run(salesOf(`[{"id":1,"partner":"m@example.com","total":10,"earned":2,"earned":200,"state":"ACCEPTED"}]`), importer.Options{})
	if report.Rejected[importer.Sales]+report.Rejected["rows"] != 1 || !w.balance("mara").Payable.IsZero() {
		t.Error(show(report))
	}
}

// TestRewardfulIsWhole: lists that were not expanded, an amount that is not there and
// files that are no lists of the API are named, where a commission was 0, a sale was a
// bonus, and customers were passed over.
func TestRewardfulIsWhole(t *testing.T) {
	mara := func() *strings.Reader {
		return strings.NewReader(`[{"id":"a","first_name":"Mara","last_name":"Holm","email":"m@example.com","state":"active"}]`)
	}
	w := newWorld(t)
	report := w.run(importer.Rewardful(importer.Files{
		Affiliates: mara(),
		Commissions: strings.NewReader(`[{"id":"c1","currency":"USD","state":"due","sale":{"charge_amount_cents":1000,"affiliate":{"id":"a"}}},
{"id":"c2","amount":200,"currency":"USD","state":"due","sale":{"affiliate":{"id":"a"}}},
{"id":"c3","amount":200,"currency":"USD","state":"due","sale":"sale-1"},
{"id":"c4","amount":null,"currency":"USD","state":"due","sale":{"charge_amount_cents":1000,"affiliate":{"id":"a"}}},
{"id":"c5","amount":200,"currency":"USD","state":"due","sale":{"charge_amount_cents":1000,"affiliate":{"id":"a"}}}]`),
		Payouts: strings.NewReader(`[{"id":"p1","amount":200,"currency":"USD","state":"paid","paid_at":"2025-03-01T00:00:00Z"}]`),
	}), importer.Options{})
	var got []string
	for _, reject := range report.Rejects {
		got = append(got, strings.TrimPrefix(reject.Ref, "rewardful:")+" "+reject.Err.Field)
	}
	want := []string{"commission:c1 amount", "commission:c2 sale.charge_amount_cents", "commission:c3 sale.charge_amount_cents", "commission:c4 amount", "payout:p1 commissions"}
	if diff := cmp.Diff(want, got); diff != "" || report.Created[importer.Sales] != 1 || w.balance("m").Payable != sum("2") {
		t.Errorf("(-want +got):\n%s\n%s", diff, show(report))
	}
	for name, files := range map[string]importer.Files{
		"customers":   {Customers: strings.NewReader("id,email\nr,t@example.net\n")},
		"commissions": {Commissions: strings.NewReader("id,state,currency,sale.charge_amount_cents\nc1,due,USD,1000\n")},
	} {
		w := newWorld(t)
		if _, err := importer.Run(t.Context(), w.Program, importer.Rewardful(files), importer.Options{}); err == nil || !strings.Contains(err.Error(), "importer: "+name+": it is no JSON") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeadersMatch: without regard to case and to blanks and marks around them.
func TestHeadersMatch(t *testing.T) {
	w := partnered(t)
	report := w.run(salesOf("\ufeff ID\u00a0,\u200bPartner,TOTAL ,\"Earned\",sTaTe,,\n1,m@example.com,10,2,DECLINED,,\n"), importer.Options{})
	if report.Created[importer.Sales] != 1 || !w.balance("mara").Payable.IsZero() {
		t.Error(show(report))
	}
}

// TestUnknownWords: a state that nobody has described is refused, where it was read
// as the best of all.
func TestUnknownWords(t *testing.T) {
	w := newWorld(t)
	report := w.run(importer.Dub(importer.Files{Affiliates: strings.NewReader("ID,Name,Email,Status,Enrolled at\npn_1,A B,a@example.com,suspended,2025-01-01\n")}), importer.Options{})
	if report.Rejected[importer.Affiliates] != 1 || len(w.affiliates()) != 0 {
		t.Error(show(report))
	}
	w = partnered(t)
	report = w.run(importer.Dub(importer.Files{Commissions: strings.NewReader("id,type,amount,earnings,currency,status,invoiceId,createdAt,partnerEmail,customerId,customerEmail\n" +
		"cm_1,order,$10.00,$2.00,usd,pending,,2025-01-01,m@example.com,,\n")}), importer.Options{})
	if report.Rejected[importer.Sales] != 1 || report.Refused["USD"].Commission != sum("2") {
		t.Error(show(report))
	}
	report = w.run(importer.Rewardful(importer.Files{
		Affiliates:  strings.NewReader(`[{"id":"a","first_name":"A","last_name":"B","email":"a@example.com","state":"blocked"}]`),
		Commissions: strings.NewReader(`[{"id":"c","amount":200,"currency":"USD","state":"rejected","sale":{"charge_amount_cents":1000,"affiliate":{"id":"a"}}}]`),
	}), importer.Options{})
	if report.Rejected[importer.Affiliates] != 1 || report.Rejected[importer.Sales] != 1 {
		t.Error(show(report))
	}
}

// TestReportIsOneScript: what turns the direction of a text, is not seen, or moves
// the cursor stands in the report as its number.
func TestReportIsOneScript(t *testing.T) {
	w := partnered(t)
	report := w.run(salesOf("id,partner,total,earned,state\n\"a\u202eb\u2066c\u200bd\x1b[2Je\u0085f\u2028g\",m@example.com,x,2,ACCEPTED\n"), importer.Options{})
	text := show(report)
	if !strings.Contains(text, `csv:sales:a\u202eb\u2066c\u200bd\x1b[2Je\u0085f\u2028g: `) {
		t.Errorf("%q", text)
	}
}

// TestDubAsItComes: the columns by their ids, negative amounts with the apostrophe,
// and the file of customers with their links.
func TestDubAsItComes(t *testing.T) {
	w := newWorld(t)
	files := func() importer.Files {
		return importer.Files{
			Affiliates: strings.NewReader("ID,Name,Email,Country,Status,Enrolled at,Clicks\npn_ada,Ada Okoro,ada@example.com,NG,approved,2025-01-02T08:00:00.000Z,70\n"),
			Customers: strings.NewReader("id,name,email,avatar,externalId,stripeCustomerId,country,sales,saleAmount,createdAt,firstSaleAt,subscriptionCanceledAt,link,partnerId,partnerName,partnerEmail,partnerTenantId\n" +
				"cus_7,Nils,nils@example.net,,user-7,cus_S7,SE,1,$80.00,2025-02-01T10:00:00.000Z,,,https://go.northwind.example/ada-blog,pn_ada,Ada Okoro,ada@example.com,\n" +
				"cus_8,Lead,lead@example.net,,user-8,,SE,0,$0.00,2025-02-02T10:00:00.000Z,,,https://go.northwind.example/ada-blog,pn_ada,Ada Okoro,ada@example.com,\n"),
			Commissions: strings.NewReader("id,type,amount,earnings,currency,status,invoiceId,quantity,createdAt,updatedAt,partnerId,partnerName,partnerEmail,partnerTenantId,customerId,customerName,customerEmail,customerExternalId\n" +
				"cm_1,sale,\"$1,080.00\",$216.00,usd,pending,in_71,1,2025-03-01T10:00:00.000Z,,pn_ada,Ada Okoro,ada@example.com,,cus_7,Nils,nils@example.net,user-7\n" +
				"cm_2,custom,$0.00,'-$16.00,usd,pending,,1,2025-03-02T10:00:00.000Z,,pn_ada,Ada Okoro,ada@example.com,,,,,\n"),
		}
	}
	report := w.run(importer.Dub(files()), importer.Options{})
	if diff := cmp.Diff(map[string]int{importer.Affiliates: 1, importer.Referrals: 2, importer.Sales: 1}, report.Created); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, show(report))
	}
	links := must(w.Links(t.Context(), affiliate.LinkQuery{}, affiliate.Page{})).Items
	if len(links) != 1 || links[0].Link != "ada-blog" || links[0].Clicks != 70 || links[0].Referrals != 2 {
		t.Errorf("%+v", links)
	}
	if source := report.Source["USD"]; source.Sales != sum("1080") || source.Commission != sum("200") || report.Refused["USD"].Commission != sum("-16") || report.Unread != 0 {
		t.Error(show(report))
	}
	if again := w.run(importer.Dub(files()), importer.Options{}); len(again.Created)+len(again.Changed) > 0 {
		t.Error(show(again))
	}
}
