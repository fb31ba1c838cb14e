package payfile_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

var payoutID = uuid.MustParse("0197d9e0-8a41-7c22-b6f0-d1c2b3a49586")

// pay is a payment of 8 USD to Ada, changed.
func pay(change ...func(*payfile.Transfer)) payfile.Transfer {
	p := payfile.Transfer{
		PayoutID: payoutID, Status: affiliate.PayoutPending, Amount: affiliate.MustAmount("8"), Currency: "USD",
		Method: "PAYPAL", Name: "Ada Okafor", Email: "ada@example.com", Note: "Partner payout 2026-06",
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

// numbered gives a payment the n-th id.
func numbered(n int) func(*payfile.Transfer) {
	return func(p *payfile.Transfer) { binary.BigEndian.PutUint32(p.PayoutID[12:], uint32(n)) }
}

func in(currency affiliate.Currency) func(*payfile.Transfer) {
	return func(p *payfile.Transfer) { p.Currency = currency }
}

// list yields payments.
func list(all ...payfile.Transfer) iter.Seq2[payfile.Transfer, error] {
	return func(yield func(payfile.Transfer, error) bool) {
		for _, p := range all {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// byWise are payments that are made by Wise.
func byWise(all iter.Seq2[payfile.Transfer, error]) iter.Seq2[payfile.Transfer, error] {
	return func(yield func(payfile.Transfer, error) bool) {
		for p, err := range all {
			p.Method = "WISE"
			if !yield(p, err) {
				return
			}
		}
	}
}

var errStore = errors.New("the store is down")

// broken yields a payment and then an error.
func broken(yield func(payfile.Transfer, error) bool) {
	if yield(pay(), nil) {
		yield(payfile.Transfer{}, errStore)
	}
}

func TestRef(t *testing.T) {
	if got := payfile.Ref(payoutID); got != "P889O4HQEM" {
		t.Errorf("%s", got)
	}
}

func TestFormats(t *testing.T) {
	yen := pay(in("JPY"), numbered(1), func(p *payfile.Transfer) { p.Amount = affiliate.MustAmount("1200") })
	forint := pay(in("HUF"), numbered(2), func(p *payfile.Transfer) { p.Amount = affiliate.MustAmount("350") })
	dinar := pay(in("KWD"), numbered(3), func(p *payfile.Transfer) { p.Amount = affiliate.MustAmount("3.5") })
	ref1, ref2 := payfile.Ref(yen.PayoutID), payfile.Ref(forint.PayoutID)
	type text struct{ Name, Data string }
	texts := func(files []payfile.File, refused []payfile.Refusal, err error) []text {
		if refused != nil || err != nil {
			t.Fatalf("refused %v, error %v", refused, err)
		}
		var out []text
		for _, f := range files {
			out = append(out, text{f.Name, string(f.Data)})
		}
		return out
	}
	got := [][]text{texts(payfile.PayPal(list(pay(), forint, yen), "2026-06", payfile.PayPalOptions{}))}
	got = append(got, texts(payfile.Wise(byWise(list(pay(), yen, dinar)), "2026-06", payfile.WiseOptions{Source: "EUR", ReceiverType: "BUSINESS"})))
	got = append(got, texts(payfile.Wise(byWise(list(pay())), "a", payfile.WiseOptions{})))
	var generic bytes.Buffer
	err := payfile.Generic(&generic, list(pay(), pay(numbered(1), func(p *payfile.Transfer) { p.Status, p.Email, p.Method = affiliate.PayoutCanceled, "", "" })))
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, []text{{"", generic.String()}})
	const wise = "name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency\r\n"
	want := [][]text{
		{
			{"2026-06-paypal-HUF-001.csv", "ada@example.com,350,HUF," + ref2 + ",Partner payout 2026-06,PAYPAL\r\n"},
			{"2026-06-paypal-JPY-001.csv", "ada@example.com,1200,JPY," + ref1 + ",Partner payout 2026-06,PAYPAL\r\n"},
			{"2026-06-paypal-USD-001.csv", "ada@example.com,8.00,USD,P889O4HQEM,Partner payout 2026-06,PAYPAL\r\n"},
		},
		{
			{"2026-06-wise-JPY-001.csv", wise + "Ada Okafor,ada@example.com," + ref1 + ",BUSINESS,target,1200,EUR,JPY\r\n"},
			{"2026-06-wise-KWD-001.csv", wise + "Ada Okafor,ada@example.com," + payfile.Ref(dinar.PayoutID) + ",BUSINESS,target,3.500,EUR,KWD\r\n"},
			{"2026-06-wise-USD-001.csv", wise + "Ada Okafor,ada@example.com,P889O4HQEM,BUSINESS,target,8.00,EUR,USD\r\n"},
		},
		{{"a-wise-USD-001.csv", wise + "Ada Okafor,ada@example.com,P889O4HQEM,PERSON,target,8.00,USD,USD\r\n"}},
		{{"", `"payoutId","reference","affiliateName","email","method","payoutStatus","amount","currency","note","result","reason"` + "\r\n" +
			`"0197d9e0-8a41-7c22-b6f0-d1c2b3a49586","P889O4HQEM","Ada Okafor","ada@example.com","PAYPAL","PENDING","8.00","USD","Partner payout 2026-06","",""` + "\r\n" +
			`"` + yen.PayoutID.String() + `","` + ref1 + `","Ada Okafor","","","CANCELED","8.00","USD","Partner payout 2026-06","",""` + "\r\n"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSplit is the first part of check 59: files are split by currency and by the
// provider's limit, in the order of currencies and of payouts.
func TestSplit(t *testing.T) {
	var all []payfile.Transfer
	for n := range 5001 {
		all = append(all, pay(numbered(5001-n)))
	}
	for n := range 3 {
		all = append(all, pay(numbered(6000+n), in("EUR")))
	}
	files, refused, err := payfile.PayPal(list(all...), "x", payfile.PayPalOptions{})
	if err != nil || refused != nil {
		t.Fatal(refused, err)
	}
	got := []string{}
	for _, f := range files {
		got = append(got, fmt.Sprint(f.Name, " ", f.Count, " ", f.Total, " ", strings.Count(string(f.Data), "\r\n")))
	}
	want := []string{"x-paypal-EUR-001.csv 3 24 3", "x-paypal-USD-001.csv 5000 40000 5000", "x-paypal-USD-002.csv 1 8 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	slices.Reverse(all)
	again, _, _ := payfile.PayPal(list(all...), "x", payfile.PayPalOptions{})
	if diff := cmp.Diff(files, again, cmp.Comparer(affiliate.Amount.Equal)); diff != "" {
		t.Error("another order of the payments gives other files")
	}
	if files, _, _ = payfile.Wise(byWise(list(all...)), "x", payfile.WiseOptions{}); len(files) != 7 || files[5].Count != 1000 || files[6].Count != 1 {
		t.Errorf("%d files for Wise", len(files))
	}
}

// TestRefused: a payment that no file can pay is left out, and named; an email
// that a spreadsheet would calculate too (check 59).
func TestRefused(t *testing.T) {
	email := func(s string) func(*payfile.Transfer) { return func(p *payfile.Transfer) { p.Email = s } }
	status := func(s affiliate.PayoutStatus) func(*payfile.Transfer) {
		return func(p *payfile.Transfer) { p.Status = s }
	}
	files, refused, err := payfile.PayPal(list(
		pay(numbered(1), status(affiliate.PayoutPaid)), pay(numbered(2), status(affiliate.PayoutCanceled)), pay(numbered(3), status(affiliate.PayoutFailed)),
		pay(numbered(4), status(affiliate.PayoutProcessing)), pay(numbered(5), email("")), pay(numbered(6), email("+a@b.co")), pay(numbered(7), email("a\n@b.co")),
		pay(numbered(8), func(p *payfile.Transfer) { p.Amount = affiliate.Amount{} }),
	), "x", payfile.PayPalOptions{})
	if err != nil || len(files) != 1 || files[0].Count != 1 {
		t.Fatalf("%+v, %v", files, err)
	}
	got := map[uint32]error{}
	for _, r := range refused {
		got[binary.BigEndian.Uint32(r.PayoutID[12:])] = r.Err
	}
	want := map[uint32]error{1: payfile.ErrStatus, 2: payfile.ErrStatus, 4: payfile.ErrStatus, 5: payfile.ErrNoEmail, 6: payfile.ErrEmail, 7: payfile.ErrEmail, 8: payfile.ErrAmount}
	for n, err := range want {
		if got[n] != err {
			t.Errorf("payment %d: %v, want %v", n, got[n], err)
		}
	}
	if len(got) != len(want) {
		t.Errorf("refused: %v", got)
	}
}

func TestWriteErrors(t *testing.T) {
	most := pay(func(p *payfile.Transfer) { p.Amount = affiliate.MustAmount("922337203685477.5807") })
	for name, tt := range map[string]struct {
		call func() error
		want string
	}{
		"Payments": {func() error { _, _, err := payfile.PayPal(broken, "x", payfile.PayPalOptions{}); return err }, errStore.Error()},
		"Generic":  {func() error { return payfile.Generic(io.Discard, broken) }, errStore.Error()},
		"Twins": {func() error {
			_, _, err := payfile.PayPal(list(pay(), pay()), "x", payfile.PayPalOptions{})
			return err
		},
			"payfile: the payouts 0197d9e0-8a41-7c22-b6f0-d1c2b3a49586 and 0197d9e0-8a41-7c22-b6f0-d1c2b3a49586 have the same reference P889O4HQEM: write them into separate files"},
		"GenericTwins": {func() error { return payfile.Generic(io.Discard, list(pay(), pay())) },
			"payfile: the payouts 0197d9e0-8a41-7c22-b6f0-d1c2b3a49586 and 0197d9e0-8a41-7c22-b6f0-d1c2b3a49586 have the same reference P889O4HQEM: write them into separate files"},
		"Label":      {func() error { _, _, err := payfile.PayPal(list(), "../x", payfile.PayPalOptions{}); return err }, "payfile: the label must be 1–64 characters of A–Z a–z 0–9 . _ -"},
		"LabelEmpty": {func() error { _, _, err := payfile.PayPal(list(), "", payfile.PayPalOptions{}); return err }, "payfile: the label must be 1–64 characters of A–Z a–z 0–9 . _ -"},
		"Source": {func() error {
			_, _, err := payfile.Wise(list(), "x", payfile.WiseOptions{Source: "XXX!"})
			return err
		}, affiliate.ErrCurrency.Error()},
		"Receiver": {func() error {
			_, _, err := payfile.Wise(list(), "x", payfile.WiseOptions{ReceiverType: "ROBOT"})
			return err
		}, "payfile: the receiver type must be PERSON or BUSINESS"},
		"Overflow": {func() error {
			_, _, err := payfile.PayPal(list(most, pay(numbered(1))), "x", payfile.PayPalOptions{})
			return err
		}, "payfile: the total of a file: " + affiliate.ErrAmountRange.Error()},
		"Full": {func() error {
			return payfile.Generic(fullWriter{}, func(yield func(payfile.Transfer, error) bool) {
				for n := 0; n < 1000 && yield(pay(numbered(n)), nil); n++ {
				}
			})
		}, "the disk is full"},
	} {
		if err := tt.call(); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// fullWriter is a writer that takes nothing.
type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestNoFormulas: whatever the texts are, no cell of any file begins a formula,
// and the file has the same cells when it is read again.
func TestNoFormulas(t *testing.T) {
	text := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("=+-@\t\r\n \u00a0',\"ab")), rapid.Rune()))
	rapid.Check(t, func(rt *rapid.T) {
		p := pay(func(p *payfile.Transfer) {
			p.Name, p.Email, p.Note = text.Draw(rt, "name"), text.Draw(rt, "email"), text.Draw(rt, "note")
		})
		var data bytes.Buffer
		must(0, payfile.Generic(&data, list(p)))
		all := []payfile.File{{Data: data.Bytes()}}
		for _, write := range []func() ([]payfile.File, []payfile.Refusal, error){
			func() ([]payfile.File, []payfile.Refusal, error) {
				return payfile.PayPal(list(p), "x", payfile.PayPalOptions{})
			},
			func() ([]payfile.File, []payfile.Refusal, error) {
				return payfile.Wise(byWise(list(p)), "x", payfile.WiseOptions{})
			},
		} {
			files, refused, err := write()
			if err != nil || len(files)+len(refused) != 1 {
				rt.Fatalf("%d files, %d refused, error %v", len(files), len(refused), err)
			}
			all = append(all, files...)
		}
		for _, file := range all {
			rows, err := csv.NewReader(bytes.NewReader(file.Data)).ReadAll()
			if err != nil {
				rt.Fatalf("%v in %q", err, file.Data)
			}
			for _, cell := range slices.Concat(rows...) {
				bare := strings.TrimLeft(cell, " \t\u00a0")
				if bare != "" && strings.ContainsRune("=+-@\r", rune(bare[0])) || strings.ContainsAny(cell, "\r\n") || strings.HasPrefix(cell, "\t") {
					rt.Fatalf("cell %q", cell)
				}
			}
		}
	})
}

// TestGuardedNames: no name is calculated by a spreadsheet (check 59).
func TestGuardedNames(t *testing.T) {
	for name, want := range map[string]string{
		"=HYPERLINK(1)": "'=HYPERLINK(1)", " \u00a0@x": "' \u00a0@x", "\tx": "'\tx", "a\r\nb\rc\nd": "a b c d", "Ada": "Ada", "a=b": "a=b", "": "", "'": "'",
	} {
		var data bytes.Buffer
		if err := payfile.Generic(&data, list(pay(func(p *payfile.Transfer) { p.Name = name }))); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&data).ReadAll()
		if err != nil || rows[1][2] != want {
			t.Errorf("%q is %q, want %q, error %v", name, rows[1][2], want, err)
		}
	}
}

func TestNoteIsCut(t *testing.T) {
	files, _, err := payfile.PayPal(list(pay(func(p *payfile.Transfer) { p.Note = strings.Repeat("é", 401) })), "x", payfile.PayPalOptions{})
	if err != nil || !strings.Contains(string(files[0].Data), ","+strings.Repeat("é", 400)+",") {
		t.Errorf("%v %s", err, files[0].Data)
	}
}

// TestRefIsShort: a reference fits into the narrowest bank that
// Wise pays through, and no two payouts of 5,000 share one, nor the eight characters
// that are left of one that was cut.
func TestRefIsShort(t *testing.T) {
	whole, cut := map[string]bool{}, map[string]int{}
	for n := range 5000 {
		ref := payfile.Ref(pay(numbered(n)).PayoutID)
		if len(ref) != 10 || strings.Trim(ref, "ABCDEFGHIJKLMNOPQRSTUV0123456789") != "" || ref[0] != 'P' {
			t.Fatalf("%q", ref)
		}
		whole[ref] = true
		cut[ref[:8]]++
	}
	if len(whole) != 5000 || len(cut) < 4999 {
		t.Errorf("%d references, %d when cut", len(whole), len(cut))
	}
}

// TestReadCutReferences: a reference is found in any letter case, when a bank has
// cut it, and in the form of earlier versions; what could be of two payouts is
// refused, and what is too short to be sure is another's.
func TestReadCutReferences(t *testing.T) {
	second := pay(numbered(1))
	ref := payfile.Ref(payoutID)
	for sent, want := range map[string]string{
		ref: "ours", strings.ToLower(ref): "ours", ref[:9]: "ours", ref[:8]: "ours", " " + ref + " ": "ours",
		oldRef: "ours", oldRef[:16]: "ours", ref[:7]: "foreign", ref + "X": "foreign", "P": "foreign", "": "foreign", "PARTNERSHI": "foreign",
		oldRef[:11]: `payfile: line 2: the reference "POFGHBDS6HO" may be that of the payout ` + second.PayoutID.String() + " or of " + payoutID.String() +
			": set these two by hand, and leave the line out",
	} {
		report, err := payfile.ReadResults(strings.NewReader("reference,result\n"+sent+",PAID\n"), list(pay(), second))
		got := "foreign"
		switch {
		case err != nil:
			got = err.Error()
		case len(report.Results) == 1 && report.Results[0].PayoutID == payoutID && report.Foreign == nil:
			got = "ours"
		case cmp.Diff(payfile.Report{Foreign: []int{2}}, report) != "":
			got = fmt.Sprint(report)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", sent, got, want)
		}
	}
}

// TestReadResultsAsTheyCome: a Wise history with other transfers, and files as
// spreadsheets of several countries save them.
func TestReadResultsAsTheyCome(t *testing.T) {
	ref, second := payfile.Ref(payoutID), pay(numbered(1))
	ref2 := payfile.Ref(second.PayoutID)
	want := payfile.Report{Results: []payfile.Result{
		{PayoutID: payoutID, State: payfile.Paid, Said: "COMPLETED"}, {PayoutID: second.PayoutID, State: payfile.Waiting},
	}, Foreign: []int{2, 4}}
	utf16of := func(text string, order binary.AppendByteOrder) string {
		out := order.AppendUint16(nil, 0xfeff)
		for _, unit := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, unit)
		}
		return string(out)
	}
	plain := "Status,Reference,Amount\nCOMPLETED,rent,\"1,00\"\nCOMPLETED," + ref + ",\"8,00\"\nCANCELLED,,\n," + ref2 + ",\"1.250,00\"\n"
	semicolons := "Status;Reference;Amount\nCOMPLETED;rent;1,00\nCOMPLETED;" + ref + ";8,00\nCANCELLED;;\n;" + ref2 + ";1.250,00\n"
	for name, text := range map[string]string{
		"Commas": plain, "Mark": "\ufeff" + plain, "Semicolons": "\ufeff" + semicolons, "CR": strings.ReplaceAll(plain, "\n", "\r"),
		"Tabs":  strings.ReplaceAll(semicolons, ";", "\t"),
		"UTF16": utf16of(strings.ReplaceAll(semicolons, ";", "\t"), binary.LittleEndian), "UTF16BE": utf16of(plain, binary.BigEndian),
	} {
		got, err := payfile.ReadResults(strings.NewReader(text), list(pay(), second))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	got, err := payfile.ReadResults(strings.NewReader("sep=;\r\n"+semicolons), list(pay(), second))
	if diff := cmp.Diff(want.Results, got.Results); diff != "" || err != nil {
		t.Errorf("sep: %v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"reference,amount,result\n" + ref + ",8,00,PAID\n": "payfile: line 2: there are more cells than in the header: put those with a separator in quotes",
		"\xff\xfex": "payfile: the file is not complete: half a character is at its end",
	} {
		if _, err := payfile.ReadResults(strings.NewReader(text), list(pay())); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestPayPalCurrencies: what PayPal does not pay is refused, and
// no decimals are written where it takes none.
func TestPayPalCurrencies(t *testing.T) {
	amount := func(s string) func(*payfile.Transfer) {
		return func(p *payfile.Transfer) { p.Amount = affiliate.MustAmount(s) }
	}
	for name, tt := range map[string]struct {
		currency affiliate.Currency
		amount   string
		comma    bool
		want     string
	}{
		"HUF": {"HUF", "1200", false, ",1200,"}, "TWD": {"TWD", "35", true, ",35,"}, "JPY": {"JPY", "900", false, ",900,"},
		"EUR": {"EUR", "12.5", false, ",12.50,"}, "EUR comma": {"EUR", "1250.5", true, ",\"1250,50\","},
		"HUF part": {"HUF", "1200.5", false, payfile.ErrDecimals.Error()}, "TWD part": {"TWD", "0.01", false, payfile.ErrDecimals.Error()},
		"KRW": {"KRW", "8", false, payfile.ErrCurrency.Error()}, "KWD": {"KWD", "8", false, payfile.ErrCurrency.Error()}, "INR": {"INR", "8", false, payfile.ErrCurrency.Error()},
		"ZAR": {"ZAR", "8", false, payfile.ErrCurrency.Error()}, "TRY": {"TRY", "8", false, payfile.ErrCurrency.Error()}, "AED": {"AED", "8", false, payfile.ErrCurrency.Error()},
	} {
		files, refused, err := payfile.PayPal(list(pay(in(tt.currency), amount(tt.amount))), "x", payfile.PayPalOptions{DecimalComma: tt.comma})
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(refused) == 1:
			got = refused[0].Err.Error()
		default:
			got = string(files[0].Data)
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestFileOfOneMethod: nobody is in the files of two providers,
// nobody who is being paid is in one, and who is left out is named with the method.
func TestFileOfOneMethod(t *testing.T) {
	by := func(m affiliate.PaymentMethod) func(*payfile.Transfer) {
		return func(p *payfile.Transfer) { p.Method = m }
	}
	all := []payfile.Transfer{pay(numbered(1))}
	for n, m := range []affiliate.PaymentMethod{"WISE", "WISE_BANK", "BANK", "CREDITS", ""} {
		all = append(all, pay(numbered(2+n), by(m)))
	}
	all = append(all, pay(numbered(9), func(p *payfile.Transfer) { p.Status = affiliate.PayoutProcessing }))
	paypal, leftByPayPal, err1 := payfile.PayPal(list(all...), "x", payfile.PayPalOptions{})
	wise, leftByWise, err2 := payfile.Wise(list(all...), "x", payfile.WiseOptions{})
	if err1 != nil || err2 != nil || len(paypal) != 1 || len(wise) != 1 || paypal[0].Count != 1 || wise[0].Count != 1 {
		t.Fatalf("%+v %+v %v %v", paypal, wise, err1, err2)
	}
	said := func(refused []payfile.Refusal) (out []string) {
		for _, r := range refused {
			out = append(out, fmt.Sprintf("%d %s %v", binary.BigEndian.Uint32(r.PayoutID[12:]), r.Method, r.Err))
		}
		return out
	}
	other, status := payfile.ErrMethod.Error(), payfile.ErrStatus.Error()
	want := []string{"2 WISE " + other, "3 WISE_BANK " + other, "4 BANK " + other, "5 CREDITS " + other, "6  " + other, "9 PAYPAL " + status}
	if diff := cmp.Diff(want, said(leftByPayPal)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want[0] = "1 PAYPAL " + other
	if diff := cmp.Diff(want, said(leftByWise)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
