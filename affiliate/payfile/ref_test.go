package payfile_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

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
