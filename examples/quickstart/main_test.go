package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/demo"
	"github.com/tributary-go/tributary/affiliate/record"
)

var update = flag.Bool("update", false, "write testdata/report.txt")

// start runs the program as main does.
func start(t *testing.T, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, stdin, &out, &errs)
	return code, out.String(), errs.String()
}

// reportOf runs rows under the usual columns, and expects the books to hold.
func reportOf(t *testing.T, rows ...string) string {
	t.Helper()
	file := "at,kind,id,email,name,link,code,amount,options\n" + strings.Join(rows, "\n") + "\n"
	code, stdout, stderr := start(t, strings.NewReader(file), "-orders", "-")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	return stdout
}

const golden = "testdata/report.txt"

// report is the expected output for the year. TestReport compares it.
func report(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReport(t *testing.T) {
	code, got, stderr := start(t, nil)
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr %q; want 0 and silence", code, stderr)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(strings.Split(report(t), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("report (-want +got), -update writes it anew:\n%s", diff)
	}
}

// TestAgain: a second run, from the file, prints the same bytes.
func TestAgain(t *testing.T) {
	want := report(t)
	t.Chdir("../../affiliate/demo")
	code, got, _ := start(t, nil, "-orders", "orders.csv")
	if code != 0 || got != want {
		t.Errorf("exit code %d, report (-want +got):\n%s", code, cmp.Diff(want, got))
	}
}

// TestEverythingOccurs: the year has each outcome, each refusal of a code and
// each type of event at least once.
func TestEverythingOccurs(t *testing.T) {
	year := report(t)
	var want []string
	for _, e := range affiliate.EventTypes() {
		want = append(want, string(e)+` +[1-9]\d*`)
	}
	for _, o := range []affiliate.SaleOutcome{
		affiliate.SaleRecorded, affiliate.SaleDuplicate, affiliate.SaleUnattributed, affiliate.SaleInactiveCustomer, "refused",
	} {
		want = append(want, `order +`+string(o)+` +[1-9]\d*`)
	}
	for _, r := range []affiliate.RefundReason{affiliate.RefundedInFull, affiliate.RefundedInPart, affiliate.RefundedAlready} {
		want = append(want, `refund +`+string(r)+` +[1-9]\d*`)
	}
	for _, r := range []affiliate.Reason{
		affiliate.CodeNotFound, affiliate.CodeInactive, affiliate.CouponInvalid, affiliate.CodeExpired,
		affiliate.CouponExpired, affiliate.CodeExhausted, affiliate.CouponExhausted, affiliate.CodeUnassigned,
		affiliate.NotFirstOrder, affiliate.BelowMinimum, affiliate.WrongCurrency, affiliate.WrongAffiliate,
		affiliate.WrongCustomer, affiliate.WrongProduct,
	} {
		want = append(want, string(r)+` +[1-9]\d* +`+regexp.QuoteMeta(textOf(t, r)))
	}
	for _, rule := range demo.Config().Terms.Rules {
		want = append(want, rule.Name+` .* [1-9]\d* +\d+\.\d\d`)
	}
	want = append(want, `Rows that could not be used: 3`, `Verify: holds \([1-9]\d* records, [1-9]\d* events checked\)`)
	for _, line := range want {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(year) {
			t.Errorf("the report has no line %q", line)
		}
	}
}

// textOf returns the text of a reason.
func textOf(t *testing.T, reason affiliate.Reason) string {
	t.Helper()
	for _, e := range tributary.Refusals() {
		if e.Reason == reason {
			return e.Message
		}
	}
	t.Fatalf("no refusal has the reason %q", reason)
	return ""
}

func TestRows(t *testing.T) {
	for _, tt := range []struct{ name, row, want string }{
		{"ErrUnknownKind", "2025-01-02T10:00:00Z,ordr,1,,,,,5,", `there is no kind "ordr"`},
		{"ErrAmount", `2025-01-02T10:00:00Z,order,1,,,ada,,"12,50",`, `amount "12,50": not an amount such as 42.50`},
		{"ErrAmountDecimals", "2025-01-02T10:00:00Z,order,1,,,ada,,0.00001,", `amount "0.00001": not an amount such as 42.50`},
		{"ErrDate", "2025-06-31T10:00:00Z,order,1,,,ada,,5,", `at "2025-06-31T10:00:00Z": not a time such as 2025-02-04T18:20:43Z`},
		{"ErrNoDate", ",order,1,,,ada,,5,", "a row needs at and kind"},
		{"ErrNoKind", "2025-01-02T10:00:00Z,,1,,,ada,,5,", "a row needs at and kind"},
		{"ErrTimeGoesBack", "2025-01-01T08:59:59Z,click,,,,ada,,,", "time goes back: the row before is at 2025-01-01T09:00:00Z"},
		{"ErrQuote", `2025-01-02T10:00:00Z,order,"1,,,ada,,5,`, "not CSV: column 41: extraneous or missing \" in quoted-field"},
		{"ErrTooManyValues", "2025-01-02T10:00:00Z,order,1,,,ada,,5,,", "10 values for 9 columns"},
		{"ErrOption", "2025-01-02T10:00:00Z,order,1,,,ada,,5,tax", `option "tax" is not name=value`},
		{"ErrUnknownOption", "2025-01-02T10:00:00Z,order,1,,,ada,,5,vat=1", `vat "1": there is no such value`},
		{"ErrForeignOption", "2025-01-02T10:00:00Z,order,1,,,ada,,5,limit=1", "order has no limit"},
		{"ErrTwice", "2025-01-02T10:00:00Z,order,1,,,ada,,5,amount=6", "amount is there twice"},
		{"ErrMissing", "2025-01-02T10:00:00Z,order,1,,,ada,,,", "order needs amount"},
		{"ErrFlag", "2025-01-02T10:00:00Z,code,,,Five,,X,,first=1", `first "1": not yes or no`},
		{"ErrNumber", "2025-01-02T10:00:00Z,coupon,,,C,,,,percent=5 limit=1.5", `limit "1.5": not a whole number`},
		{"ErrLines", "2025-01-02T10:00:00Z,order,1,,,ada,,5,lines=house", `lines "house": not lines such as house:24.00|gift-card:20.00`},
		{"ErrPercent", "2025-01-02T10:00:00Z,coupon,,,C,,,,percent=5%", `percent "5%": not a rate such as 12.5`},
		{"ErrUntil", "2025-01-02T10:00:00Z,coupon,,,C,,,,percent=5 until=May", `until "May": not a day such as 2025-05-31`},
		{"ErrCurrency", "2025-01-02T10:00:00Z,code,,,Five,,X,,minimum=1 currency=XXY", `currency "XXY": not a currency such as USD`},
		{"ErrNoCoupon", "2025-01-02T10:00:00Z,code,,,Six,,X,,", `there is no coupon "Six"`},
		{"ErrNoCode", "2025-01-02T10:00:00Z,code-delete,,,,,X,,", `there is no code "X"`},
		{"ErrNoAffiliate", "2025-01-02T10:00:00Z,payout,P,eve@x.example,,,,,", `there is no affiliate "eve@x.example"`},
		{"ErrNoPlan", "2025-01-02T10:00:00Z,affiliate-plan,,ada@x.example,Gold,,,,", `there is no plan "Gold"`},
		{"ErrDays", "2025-01-02T10:00:00Z,plan,,,P,,,,percent=5 days=month", `days "month": not a whole number`},
		{"ErrClawBack", "2025-01-02T10:00:00Z,refund,NB-1,,,,,,clawback=1", `clawback "1": not yes or no`},
		{"ErrNoBonus", "2025-01-02T10:00:00Z,bonus,,eve@x.example,Thanks,,,5,", `there is no affiliate "eve@x.example"`},
		{"ErrNoRun", "2025-01-02T10:00:00Z,payout-failed,R,,,,,,", `there is no payout "R"`},
		{"ErrNoPayout", "2025-01-02T10:00:00Z,payout-paid,P,,,,,,", `there is no payout "P"`},
		{"ErrPending", "2025-01-02T10:00:00Z,affiliate,,eve@x.example,Eve E,,,,status=asleep", `status "asleep" is not pending`},
		{"ErrStatus", "2025-01-02T10:00:00Z,affiliate-status,,ada@x.example,,,,,status=asleep", `status "asleep" is none of approved, declined, deactivated, banned`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reportOf(t,
				"2025-01-01T09:00:00Z,affiliate,,ada@x.example,Ada Moss,ada,,,",
				"2025-01-01T09:00:00Z,coupon,,,Five,,,5,",
				tt.row,
				"2025-02-01T09:00:00Z,order,NB-1,ida@x.example,Ida Holm,ada,,40,",
			)
			for _, want := range []string{
				"\nRows that could not be used: 1\n  line 4: " + tt.want + "\n",
				"\nNorthwind Beans", ": standard input, 3 rows from 2025-01-01 to 2025-02-01\n",
				"\nAda Moss   ACTIVE       0          1      1    40.00      0.00        4.80\n",
				"\nAda Moss  0.00      4.80     0.00       0.00  0.00    4.80\n",
			} {
				if !strings.Contains("\n"+got, want) {
					t.Errorf("the report lacks %q:\n%s", want, got)
				}
			}
		})
	}
}

// TestLayout: files in other layouts than the shipped one.
func TestLayout(t *testing.T) {
	files := map[string]string{
		"OwnColumns":   "kind,at,tax,amount,link,id,email,name\naffiliate,2025-01-01T09:00:00Z,,,ada,,ada@x.example,Ada Moss\norder,2025-01-02T09:00:00Z,2.50,42.50,ada,NB-1,ida@x.example,Ida Holm\n",
		"ShortRows":    "at,kind,id,email,name,link,amount,options\n2025-01-01T09:00:00Z,affiliate,,ada@x.example,Ada Moss,ada\n2025-01-02T09:00:00Z,order,NB-1,ida@x.example,Ida Holm,ada,42.50,tax=2.50\n",
		"Spreadsheet":  "\ufeffat,kind,id,email,name,link,amount,options\r\n2025-01-01T09:00:00Z,affiliate,,ada@x.example,Ada Moss,ada,,\r\n2025-01-02T10:00:00+01:00,order,NB-1,ida@x.example,Ida Holm,ada,42.50,tax=2.50\r\n",
		"Comments":     "# the shop\n\nat,kind,id,email,name,link,amount,options\n# one\n2025-01-01T09:00:00Z,affiliate,,ada@x.example,Ada Moss,ada,,\n\n2025-01-02T09:00:00Z,order,NB-1,ida@x.example,Ida Holm,ada,42.50,tax=2.50",
		"SpacedFields": "at, kind, id, email, name, link, amount, options\n2025-01-01T09:00:00Z, affiliate, , ada@x.example, Ada Moss, ada, ,\n2025-01-02T09:00:00Z , order, NB-1, ida@x.example, \"Ida Holm\", ada , 42.50, tax=2.50\n",
	}
	_, want, _ := start(t, strings.NewReader(files["OwnColumns"]), "-orders", "-")
	if !strings.Contains(want, "Ada Moss   ACTIVE       0          1      1    42.50      0.00        4.80") {
		t.Fatalf("the report lacks the sale:\n%s", want)
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			code, got, stderr := start(t, strings.NewReader(file), "-orders", "-")
			if code != 0 || stderr != "" {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManyBadRows(t *testing.T) {
	got := reportOf(t, strings.Repeat("2025-01-01T09:00:00Z,nap\n", maxUnused+3))
	if strings.Count(got, `there is no kind "nap"`) != maxUnused || !strings.Contains(got, "\n  and 3 more\n") {
		t.Errorf("report:\n%s", got)
	}
}

func TestUnreadable(t *testing.T) {
	broken := errors.New("the disk is on fire")
	missing := filepath.Join(t.TempDir(), "none.csv")
	for _, tt := range []struct {
		name  string
		stdin io.Reader
		args  []string
		code  int
		want  string
	}{
		{"ErrNoFile", nil, []string{"-orders", missing}, 1, "quickstart: open " + missing + ": "},
		{"ErrFolder", nil, []string{"-orders", t.TempDir()}, 1, "quickstart: "},
		{"ErrReading", iotest.ErrReader(broken), []string{"-orders", "-"}, 1, "quickstart: standard input: the disk is on fire\n"},
		{"ErrEmpty", strings.NewReader(""), []string{"-orders", "-"}, 1, "quickstart: standard input: the file is empty: its first line names the columns\n"},
		{"ErrNoHeader", strings.NewReader("2025-01-02T10:00:00Z,click\n"), []string{"-orders", "-"}, 1, `quickstart: standard input: line 1: there is no column "2025-01-02T10:00:00Z"` + "\n"},
		{"ErrColumnMissing", strings.NewReader("at,id\n"), []string{"-orders", "-"}, 1, `quickstart: standard input: line 1: the first line names the columns, and there is no column "kind"` + "\n"},
		{"ErrColumnTwice", strings.NewReader("at,kind,at\n"), []string{"-orders", "-"}, 1, `quickstart: standard input: line 1: the column "at" is there twice` + "\n"},
		{"ErrHeaderQuote", strings.NewReader("at,\"kind\n"), []string{"-orders", "-"}, 1, "quickstart: standard input: line 1: not CSV: "},
		{"ErrArgument", nil, []string{"my.csv"}, 2, `quickstart: unexpected argument "my.csv"; the file goes after -orders` + "\n"},
		{"ErrFlag", nil, []string{"-order", "my.csv"}, 2, "flag provided but not defined: -order\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := start(t, tt.stdin, tt.args...)
			if code != tt.code || !strings.HasPrefix(stderr, tt.want) || stdout != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q; want %d, nothing, %q…", code, stdout, stderr, tt.code, tt.want)
			}
		})
	}
}

// TestHelp: -h and the package comment list every kind of row and every value.
func TestHelp(t *testing.T) {
	code, _, help := start(t, nil, "-h")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(source), "\npackage main")
	for _, column := range []string{"at", "kind", "id", "email", "name", "link", "code", "amount"} {
		if !strings.Contains(comment, "//\t"+column+" ") {
			t.Errorf("the package comment does not explain the column %s", column)
		}
	}
	var rows []string
	for line := range strings.Lines(comment) {
		if strings.HasPrefix(line, "//\t20") {
			rows = append(rows, strings.TrimSpace(line[3:]))
		}
	}
	if got := reportOf(t, rows...); len(rows) != 11 || strings.Contains(got, "refused") || strings.Contains(got, "not be used") {
		t.Errorf("the %d rows of the package comment do not all run:\n%s", len(rows), got)
	}
	for _, k := range demo.Kinds() {
		if !strings.Contains(help, "\n  "+k.Name+" ") {
			t.Errorf("-h does not show %s", k.Name)
		}
	}
}

// TestBroken: books that do not hold are reported and end in exit code 1.
func TestBroken(t *testing.T) {
	s, err := newBooks()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), bytes.NewReader(demo.Year), func(int) {}); err != nil {
		t.Fatal(err)
	}
	err = s.store.Update(t.Context(), s.Config().ID, func(tx *record.Tx) error {
		for code, err := range tx.Codes.List(record.Query{Limit: 1}) {
			if err != nil {
				return err
			}
			code.TimesRedeemed++
			return tx.Codes.Replace(code)
		}
		return errors.New("there is no code")
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	holds, err := s.report(t.Context(), "orders.csv", &out)
	if holds || err != nil || !strings.Contains(out.String(), "\nVerify: does not hold\naffiliate: I01: code ") {
		t.Errorf("holds %v, error %v, report:\n%s", holds, err, out.String())
	}
}

// TestInternal: an error that lies in no row ends the run.
func TestInternal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, nil, nil, &out, &errs)
	if got := errs.String(); code != 1 || out.Len() != 0 ||
		!strings.HasPrefix(got, "quickstart: orders.csv: line 2: ") || !strings.HasSuffix(got, "context canceled\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, out.String(), got)
	}
}

// TestShown: a text of people moves nothing on a terminal.
func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", `a "b" \ c`: `a "b" \ c`, "José 店": "José 店", "a\u202eb": `a\u202eb`, "\x1b[2J": `\x1b[2J`, "a\nb": `a\nb`, "\ufeffa": `\ufeffa`,
	} {
		if got := shown(in); got != want {
			t.Errorf("%q is shown as %s, not %s", in, got, want)
		}
	}
}
