package importer_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/internal/refusal"
)

// people reads affiliates with the columns mail and name.
func people(text string) importer.Source {
	return importer.CSV(strings.NewReader(text), importer.Mapping{
		Kind: importer.Affiliates, Columns: map[string]string{"email": "mail", "name": "name"},
	})
}

// lines are the rows of a source: line and email, or the reason why a row cannot
// be used.
func lines(t *testing.T, src importer.Source) (got []string, failed error) {
	t.Helper()
	for row, err := range src.Rows(t.Context()) {
		bad, refused := errors.AsType[*affiliate.Error](err)
		switch {
		case refused:
			got = append(got, fmt.Sprint(row.Line, " ", bad.Message))
		case err != nil:
			return got, err
		default:
			a := row.Item.(importer.Affiliate)
			got = append(got, fmt.Sprintf("%d %s %q", row.Line, a.Email, a.FirstName+"|"+a.LastName))
		}
	}
	return got, nil
}

// A CSV file with a byte order mark, semicolons, CRLF and a line break
// in quotes has the right line numbers.
func TestCheck109(t *testing.T) {
	got, err := lines(t, people("\ufeffmail;name\r\nada@example.com;\"Ada\r\nB; \"\"Countess\"\" L\"\r\n\r\nbad;x;y\r\nben@example.com;Ben O\r\n"))
	if diff := cmp.Diff([]string{
		`2 ada@example.com "Ada B; \"Countess\"|L"`, "5 row must have as many fields as the header", `6 ben@example.com "Ben|O"`,
	}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestReadCSV(t *testing.T) {
	long := strings.Repeat("x", 64<<10)
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"nothing":           {"", nil},
		"header alone":      {"mail,name\n", nil},
		"tabs":              {"mail\tname\na@b.example\tA, B\n", []string{`2 a@b.example "A,|B"`}},
		"no name of tabs":   {"\tmail\tname\n0\ta@b.example\tA B\n", []string{`2 a@b.example "A|B"`}},
		"no line at end":    {"mail,name\na@b.example,A B", []string{`2 a@b.example "A|B"`}},
		"formula":           {"mail,name\na@b.example,=1+1\n", []string{`2 a@b.example "=1+1|"`}},
		"quote in a field":  {"mail,name\na@b.example,A \"B\" C\n", []string{`2 a@b.example "A \"B\"|C"`}},
		"quote without end": {"mail,name\na@b.example,\"A\nb\n", []string{"2 row has a quote without an end"}},
		"no UTF-8":          {"mail,name\na@b.example,\xff\nc@d.example,C\n", []string{"2 " + refusal.FieldNotUTF8.Of("row").Message, `3 c@d.example "C|"`}},
		"longest field":     {"mail,name\na@b.example," + long + "\n", []string{fmt.Sprintf("2 a@b.example %q", long+"|")}},
		"field too long":    {"mail,name\na@b.example,x" + long + "\nc@d.example,C\n", []string{"2 row is too long", `3 c@d.example "C|"`}},
		"row too long":      {"mail,name\n" + strings.Repeat("x,", 1<<19) + "x\nc@d.example,C\n", []string{"2 row is too long", `3 c@d.example "C|"`}},
		"spaces":            {" mail , name \n a@b.example , A  B \n", []string{`2 a@b.example "A|B"`}},
		"carriage return":   {"mail,name\na@b.example,\"A B\r\"\n", []string{`2 a@b.example "A|B"`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(t, people(tt.text))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// The objects of a list come however an API, or a loop over its pages, leaves
// them.
func TestReadJSON(t *testing.T) {
	object := func(i int) string { return fmt.Sprintf(`{"mail":"a%d@b.example","name":"A } ] \" %d"}`, i, i) }
	want := []string{`1 a1@b.example "A } ] \"|1"`, `1 a2@b.example "A } ] \"|2"`}
	for name, text := range map[string]string{
		"array":            "[" + object(1) + ", " + object(2) + "]",
		"data":             `{"data": [` + object(1) + "," + object(2) + `], "pagination": {"next": [1, "]"], "n": 2}}`,
		"data at the end":  `{"pagination": {"next": 2}, "more": true, "data": [` + object(1) + "," + object(2) + `]}`,
		"items":            `{"items":[` + object(1) + "," + object(2) + "]}",
		"pages":            `{"data":[` + object(1) + `]} {"data":[]}{"data":[` + object(2) + "]}",
		"one after other":  object(1) + " " + object(2),
		"byte order mark":  "\ufeff[" + object(1) + "," + object(2) + "]",
		"arrays":           "[" + object(1) + "][" + object(2) + "]",
		"list inside":      `[{"data":[1],"mail":"a1@b.example","name":"A } ] \" 1"},` + object(2) + "]",
		"unknown members":  `[{"x":{"y":[{}]},"mail":"a1@b.example","name":"A } ] \" 1"},` + object(2) + "]",
		"numbers and null": `{"count":2,"next":null,"data":[` + object(1) + "," + object(2) + "]}",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(t, people(text))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	for name, tt := range map[string]struct {
		text string
		want []string
		fail bool
	}{
		"lines":            {object(1) + "\n\n" + object(2) + "\n", []string{`1 a1@b.example "A } ] \"|1"`, `3 a2@b.example "A } ] \"|2"`}, false},
		"no object":        {`[1, "x", ` + object(1) + "]", []string{"1 row must be an object", "1 row must be an object", `1 a1@b.example "A } ] \"|1"`}, false},
		"another kind":     {`[{"mail":["a"]}]`, []string{"1 mail must be a string"}, false},
		"no JSON":          {`[{"mail":tru}]`, []string{"1 Invalid JSON body"}, false},
		"too long":         {`[{"x":"` + strings.Repeat("x", 1<<20) + `"},` + object(1) + "]", []string{"1 row is too long", `1 a1@b.example "A } ] \"|1"`}, false},
		"field too long":   {`[{"mail":"` + strings.Repeat("x", 1+64<<10) + `"},` + object(1) + "]", []string{"1 mail is too long", `1 a1@b.example "A } ] \"|1"`}, false},
		"no UTF-8":         {"[{\"mail\":\"\xff\"}," + object(1) + "]", []string{"1 row contains invalid characters", `1 a1@b.example "A } ] \"|1"`}, false},
		"cut":              {"[" + object(1) + `,{"mail":"a`, []string{`1 a1@b.example "A } ] \"|1"`}, true},
		"cut after a row":  {"[" + object(1), []string{`1 a1@b.example "A } ] \"|1"`}, true},
		"too many closing": {object(1) + "]", []string{`1 a1@b.example "A } ] \"|1"`, "1 Invalid JSON body"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(t, people(tt.text))
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != tt.fail {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// Amounts are exact, and what is no amount refuses its row.
func TestReadAmounts(t *testing.T) {
	for text, want := range map[string]string{
		"1250.00": "1250", "$1,250.00": "1250", "-$4.50": "", "US$29": "29", "€0.1": "0.1", "CHF 7.25": "7.25", "1,234,567.8901": "1234567.8901", "": "0", ".5": "",
		"abc": "", "12,5": "12.5", "1,25.00": "", "1.2.3": "", "0.00001": "", "99999999999999999999": "", "12 USD": "12", "1.250": "", "NaN": "", "1e400": "", "--5": "", "$": "",
	} {
		t.Run(text, func(t *testing.T) {
			src := importer.CSV(textOf("id,total", `1,"`+text+`"`), importer.Mapping{Kind: importer.Sales, Columns: map[string]string{"ref": "id", "total": "total"}})
			for row, err := range src.Rows(t.Context()) {
				got := ""
				if err == nil {
					got = row.Item.(importer.Sale).TotalEarned.String()
				}
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
	for currency, want := range map[affiliate.Currency]string{"USD": "12.34", "JPY": "1234", "KWD": "1.234"} {
		src := importer.CSV(textOf("id,total", "1,1234"), importer.Mapping{Kind: importer.Sales, Columns: map[string]string{"ref": "id", "total": "total"}, Cents: true, Currency: currency})
		for row := range src.Rows(t.Context()) {
			if got := row.Item.(importer.Sale).TotalEarned.String(); got != want {
				t.Errorf("1234 of %s is %s, want %s", currency, got, want)
			}
		}
	}
}

// A mapping that names what there is not is an error before the first row.
func TestMappingErrors(t *testing.T) {
	for name, m := range map[string]importer.Mapping{
		"kind":   {Kind: "clicks"},
		"column": {Kind: importer.Sales, Columns: map[string]string{"totl": "x"}},
		"value":  {Kind: importer.Sales, Values: map[string]string{"email2": "x"}},
		"comma":  {Kind: importer.Sales, Comma: '"'},
		"sign":   {Kind: importer.Sales, Decimal: ';'},
		"words":  {Kind: importer.Sales, Status: map[string]string{"Paid": "PAID", "paid ": "DECLINED"}},
	} {
		w := newWorld(t)
		if _, err := importer.Run(t.Context(), w.Program, importer.CSV(textOf("a", "b"), m), importer.Options{}); err == nil || !strings.HasPrefix(err.Error(), "importer: Mapping") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := importer.Run(t.Context(), newWorld(t).Program, source{}, importer.Options{Batch: 1001}); err == nil {
		t.Error("a batch of 1001 rows is accepted")
	}
	if _, err := importer.Run(t.Context(), newWorld(t).Program, importer.Dub(importer.Files{Payouts: textOf("ID")}), importer.Options{}); err == nil {
		t.Error("Dub has no payouts")
	}
}

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

// TestFilesOfSpreadsheets: files as spreadsheets and old systems save them.
func TestFilesOfSpreadsheets(t *testing.T) {
	want := []string{`2 a@b.example "Åsa|Ek"`, `3 c@d.example "C|"`}
	plain := "mail,name\na@b.example,Åsa Ek\nc@d.example,C\n"
	wide := func(order binary.AppendByteOrder, mark string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune(mark + plain)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"semicolons":          {strings.ReplaceAll(plain, ",", ";"), want},
		"tabs":                {strings.ReplaceAll(plain, ",", "\t"), want},
		"carriage returns":    {strings.ReplaceAll(plain, "\n", "\r"), want},
		"UTF-16 little":       {wide(binary.LittleEndian, "\ufeff"), want},
		"UTF-16 big":          {wide(binary.BigEndian, "\ufeff"), want},
		"UTF-16 without mark": {wide(binary.LittleEndian, ""), want},
		"sep":                 {"sep=;\r\n" + strings.ReplaceAll(plain, ",", ";"), []string{`3 a@b.example "Åsa|Ek"`, `4 c@d.example "C|"`}},
		"quoted sep":          {"\"sep=|\"\n" + strings.ReplaceAll(plain, ",", "|"), []string{`3 a@b.example "Åsa|Ek"`, `4 c@d.example "C|"`}},
		"blank rows":          {"\n,\nmail,name\n,\na@b.example,Åsa Ek\n\"\",\" \"\n\u00a0,\n,,,,\nc@d.example,C\n", []string{`5 a@b.example "Åsa|Ek"`, `9 c@d.example "C|"`}},
		"half a pair":         {wide(binary.LittleEndian, "\ufeff")[:40] + "\x00\xd8a\x00\n\x00", []string{"2 row is not UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(t, people(tt.text))
			for i := range got {
				if before, _, cut := strings.Cut(got[i], "UTF-8."); cut {
					got[i] = before + "UTF-8"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	got, err := lines(t, people("mail,name\na@b.example,\xc5sa Ek\n"))
	if err != nil || len(got) != 1 || !strings.Contains(got[0], "Windows-1252") || !strings.Contains(got[0], "iconv -f WINDOWS-1252 -t UTF-8") {
		t.Errorf("Windows-1252: %q, %v", got, err)
	}
}

// money is what is read of the amounts of two rows, or why they are refused.
func readTotals(t *testing.T, m importer.Mapping, texts ...string) string {
	rows := "id\ttotal\n"
	for i, text := range texts {
		rows += fmt.Sprintf("%d\t%s\n", i+1, text)
	}
	m.Kind, m.Columns = importer.Sales, map[string]string{"ref": "id", "total": "total"}
	var got []string
	for row, err := range importer.CSV(strings.NewReader(rows), m).Rows(t.Context()) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		sale := row.Item.(importer.Sale)
		got = append(got, strings.TrimSpace(fmt.Sprint(sale.TotalEarned, " ", sale.Currency)))
	}
	return strings.Join(got, "; ")
}

// TestAmountsOfSpreadsheets: what an amount says for certain is read, and all else
// is refused.
func TestAmountsOfSpreadsheets(t *testing.T) {
	usd, comma, point := importer.Mapping{Currency: "USD"}, importer.Mapping{Currency: "USD", Decimal: ','}, importer.Mapping{Currency: "USD", Decimal: '.'}
	const two, other, none = "may be a thousand", "another sign before the decimals", "must be a number"
	for _, tt := range []struct {
		m     importer.Mapping
		want  string
		texts []string
	}{
		{usd, "12.5 USD; 1250.5 USD", []string{"12,50", "1.250,50"}},
		{usd, two, []string{"1.250"}},
		{importer.Mapping{}, two, []string{"1.250"}},
		{comma, "1250 USD; 12.5 USD", []string{"1.250", "12,50"}},
		{comma, two, []string{"1,250"}},
		{comma, none, []string{"12.50"}},
		{point, two, []string{"1.250"}},
		{point, none, []string{"12,50"}},
		{usd, other, []string{"12,50", "1,250"}},
		{usd, other, []string{"12.50", "12,50"}},
		{usd, "currency must be that of the program", []string{"€100.00"}},
		{importer.Mapping{}, "100 EUR", []string{"€100.00"}},
		{importer.Mapping{}, "100", []string{"$100.00"}},
		{usd, "100 USD; 100 USD; total takes back", []string{"100 USD", "US$100", "'-$4.00"}},
		{usd, "post it as an adjustment; 1250 USD; 1250 USD", []string{"(12.50)", "1\u2009250", "'1250"}},
		{usd, none, []string{"1.25E+03"}},
	} {
		if got := readTotals(t, tt.m, tt.texts...); !strings.Contains(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.texts, got, tt.want)
		}
	}
}

// TestSignsOfOtherCurrencies: where neither row nor mapping says the currency, the
// sign of an amount does, and what it was read by must fit the program.
func TestSignsOfOtherCurrencies(t *testing.T) {
	columns := func(m *importer.Mapping) {
		m.Columns = map[string]string{"ref": "id", "affiliateEmail": "partner", "total": "total"}
	}
	for _, tt := range []struct{ text, why string }{
		{"€100.00", "currency"}, {"CA$100.00", "currency"}, {"¥100", "currency"}, {"$100.00", ""}, {"100.00 usd", ""},
	} {
		w := partnered(t)
		report := w.run(salesOf("id,partner,total\n1,m@example.com,"+tt.text+"\n", columns), importer.Options{})
		if (report.Created[importer.Sales] == 1) != (tt.why == "") || tt.why != "" && report.Rejects[0].Err.Reason != affiliate.OtherCurrency {
			t.Errorf("%s:\n%s", tt.text, show(report))
		}
	}
	for _, cents := range []bool{true, false} {
		w := &world{t: t, Program: must(tributary.New(newWorld(t).store, tributary.Config{Currency: "KWD"}))}
		report, err := importer.Run(t.Context(), w.Program, salesOf("id;partner;total\n1;m@example.com;1,250\n", columns, func(m *importer.Mapping) { m.Cents = cents }), importer.Options{})
		if err != nil || report.Rejected[importer.Sales] != 1 {
			t.Errorf("cents %v: %v\n%s", cents, err, show(report))
		}
	}
}

// TestTotalsRow: the sums at the end of a table are named and not booked.
func TestTotalsRow(t *testing.T) {
	for _, last := range []string{"Total,,30,6,", ",,30,6,", "Summe:,,30,6,", ",Grand total,30,6,", ",,,TOTAL,6"} {
		w := partnered(t)
		report := w.run(salesOf("id,partner,total,earned,state\n1,m@example.com,10,2,ACCEPTED\n2,m@example.com,20,4,ACCEPTED\n"+last+"\n"), importer.Options{})
		if report.Created[importer.Sales] != 2 || len(report.Rejects) != 1 || report.Rejects[0].Line != 4 || w.balance("mara").Payable != sum("6") {
			t.Errorf("%s:\n%s", last, show(report))
		}
	}
}

// TestZonesOfTimes: letters of a zone that is not the file's are refused, because
// nobody knows their offset; they were read as UTC.
func TestZonesOfTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2025-01-31 23:00:00 EST": "", "2025-01-31 23:00:00 PST": "", "2025-07-31 23:00:00 IST": "", "2025-01-31 23:00:00 CET": "2025-01-31T22:00:00Z",
		"2025-07-31 23:00:00 CEST": "2025-07-31T21:00:00Z", "2025-01-31 23:00:00 UTC": "2025-01-31T23:00:00Z", "2025-01-31 23:00:00 GMT": "2025-01-31T23:00:00Z",
		"2025-01-31 23:00:00 -0500": "2025-02-01T04:00:00Z", "2025-01-31 23:00:00 +0000": "2025-01-31T23:00:00Z", "2025-01-31 23:00:00": "2025-01-31T22:00:00Z",
		"31 Jan 25 23:00 EST": "", "31 Jan 25 23:00 CET": "2025-01-31T22:00:00Z",
	} {
		got := ""
		src := importer.CSV(strings.NewReader("id\tdate\n1\t"+text+"\n"), importer.Mapping{
			Kind: importer.Sales, Columns: map[string]string{"ref": "id", "createdAt": "date"}, Values: map[string]string{"total": "0"}, Location: must(time.LoadLocation("Europe/Berlin")), Layouts: []string{time.RFC822},
		})
		for row, err := range src.Rows(t.Context()) {
			if err == nil {
				got = row.Item.(importer.Sale).CreatedAt.UTC().Format("2006-01-02T15:04:05Z07:00")
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestQuotesWithoutEnd: a quote without an end takes no row into its field, as long as
// another quote follows.
func TestQuotesWithoutEnd(t *testing.T) {
	got, err := lines(t, people("mail,name\na@b.example,\"Ada\"\nc@d.example,\"Cy\ne@f.example,Eve\ng@h.example,\"Gil\ni@j.example,Ida\nk@l.example,\"Kay\" \n"))
	want := []string{`2 a@b.example "Ada|"`, `3 row has a quote without an end`, `6 i@j.example "Ida|"`, `7 k@l.example "Kay|"`}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestSerialDates: a spreadsheet's number of a day is that day.
func TestSerialDates(t *testing.T) {
	for text, want := range map[string]string{
		"45658": "2025-01-01T00:00:00Z", "45658.5": "2025-01-01T12:00:00Z", "45658,25": "2025-01-01T06:00:00Z", "19999": "", "1735689600": "2025-01-01T00:00:00Z", "456580": "", "45658.x": "",
	} {
		got := ""
		src := importer.CSV(strings.NewReader("id\tdate\n1\t"+text+"\n"), importer.Mapping{Kind: importer.Sales, Columns: map[string]string{"ref": "id", "createdAt": "date"}, Values: map[string]string{"total": "0"}})
		for row, err := range src.Rows(t.Context()) {
			if err == nil {
				got = row.Item.(importer.Sale).CreatedAt.Format("2006-01-02T15:04:05Z07:00")
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// TestTwoCommissionsOfAnOrder: both are stored, the second without the ids; the same
// one again is named, and so are two with one ref.
func TestTwoCommissionsOfAnOrder(t *testing.T) {
	columns := func(m *importer.Mapping) {
		m.Columns = map[string]string{"ref": "id", "affiliateEmail": "partner", "total": "total", "commission": "earned", "externalId": "order"}
	}
	w := partnered(t)
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ben", LastName: "Ode", Email: "b@example.com", AffiliateLink: "ben"}))
	file := "id,partner,total,earned,order\n1,m@example.com,100,20,o-1\n2,b@example.com,100,10,o-1\n3,m@example.com,100,5,o-1\n4,m@example.com,100,20,o-1\n5,m@example.com,50,7,o-2\n5,m@example.com,50,3,o-2\n"
	report := w.run(salesOf(file, columns), importer.Options{})
	if w.balance("mara").Payable != sum("32") || w.balance("ben").Payable != sum("10") || report.Created[importer.Sales] != 4 {
		t.Error(show(report))
	}
	if source, stored, refused := report.Source["USD"].Commission, report.Stored["USD"].Commission, report.Refused["USD"].Commission; source != sum("65") || stored != sum("42") || refused != sum("23") {
		t.Error(show(report))
	}
	if len(report.Conflicts) != 3 || len(report.Rejects) != 1 || report.Rejects[0].Line != 7 || report.Rejects[0].Field != "id" {
		t.Error(show(report))
	}
	if again := w.run(salesOf(file, columns), importer.Options{}); len(again.Created)+len(again.Changed) > 0 || again.Stored["USD"] != report.Stored["USD"] {
		t.Error(show(again))
	}
}
