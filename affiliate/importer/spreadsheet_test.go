package importer_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

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
