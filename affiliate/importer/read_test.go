package importer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
