package payfile_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/memstore"
)

const (
	adaRef = "P889O4HQEM"
	oldRef = "poFGHBDS6HOAPQ95C6" // as earlier versions wrote it
)

func TestReadResults(t *testing.T) {
	second := pay(numbered(1))
	ref := payfile.Ref(second.PayoutID)
	known := list(pay(), second)
	for name, tt := range map[string]struct {
		text string
		want []payfile.Result
	}{
		"PayPal": {"\ufeffTransaction ID,Recipient,Status,Unique ID,Reason\r\nT1,a@b.co,Completed," + adaRef + ",\r\nT2,c@d.co,BLOCKED," + ref + ",Receiver is unregistered\r\n",
			[]payfile.Result{{payoutID, payfile.Paid, "Completed", "", "T1"}, {second.PayoutID, payfile.Failed, "BLOCKED", "Receiver is unregistered", "T2"}}},
		"Wise": {"ID,paymentReference,Status,Error message\n9," + adaRef + ",Funds sent,\n10," + ref + ",processing,\n",
			[]payfile.Result{{payoutID, payfile.Paid, "Funds sent", "", "9"}, {second.PayoutID, payfile.Waiting, "processing", "", "10"}}},
		"OwnWords": {"REFERENCE,Transaction status\n'" + adaRef + ",Teleported\n,\n" + ref + "\n",
			[]payfile.Result{{payoutID, payfile.Unknown, "Teleported", "", ""}, {second.PayoutID, payfile.Waiting, "", "", ""}}},
		"TwiceTheSame": {"reference,result\n" + adaRef + ",PAID\n" + adaRef + ",SUCCESS\n", []payfile.Result{{payoutID, payfile.Paid, "PAID", "", ""}}},
		"Nothing":      {"reference,result\n", nil},
		"Unseen":       {"\u200bReference,Status\u00a0\n\u2060" + adaRef[:4] + " " + adaRef[4:8] + "\u00a0" + adaRef[8:] + "\u200b,Completed\u200b\n", []payfile.Result{{payoutID, payfile.Paid, "Completed", "", ""}}},
	} {
		got, err := payfile.ReadResults(strings.NewReader(tt.text), known)
		if diff := cmp.Diff(tt.want, got.Results); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestReadResultsErrors: what cannot be a result of these payments is refused
// with its line (check 59).
func TestReadResultsErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":      "payfile: the file is empty",
		"a,b\n": "payfile: line 1 is no header: it has none of the columns Customer ID, Unique ID, paymentReference, Payment Reference, Reference",
		"Status,Reference, status \nCompleted," + adaRef + ",Returned\n": "payfile: line 1 has the column Status twice",
		"reference\n": "payfile: line 1 is no header: it has none of the columns Status, Transaction Status, result",
		"reference,status\n" + adaRef + ",PAID\n" + adaRef + ",RETURNED\n": "payfile: line 3: the payment " + adaRef + " is returned here and paid in line 2",
		"reference,status\n\"x,PAID\n":                                     "payfile: parse error on line 2, column 9: extraneous or missing \" in quoted-field",
	} {
		_, err := payfile.ReadResults(strings.NewReader(text), list(pay()))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := payfile.ReadResults(strings.NewReader("reference,status\n"), broken); !errors.Is(err, errStore) {
		t.Errorf("payments that fail: %v", err)
	}
	if _, err := payfile.ReadResults(iotest.ErrReader(errStore), list()); !errors.Is(err, errStore) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// TestReadResultsTried: a payment that was tried again at the provider stands in its
// history once for each try, in any order. One try that paid is what counts, and two
// that paid are two payments.
func TestReadResultsTried(t *testing.T) {
	const (
		cancelled, completed, refunded = adaRef + ",T1,20.00,CANCELLED,", adaRef + ",T2,20.00,COMPLETED,", adaRef + ",T3,20.00,REFUNDED,"
		pending, failed, odd           = adaRef + ",T4,-20.00,PENDING,", adaRef + ",T5,,FAILED,closed", adaRef + ",T6,20.00,Teleported,"
		again, other                   = adaRef + ",T7,20.00,Paid,", adaRef + ",T8,30.00,CANCELLED,"
	)
	said := func(state payfile.State, said, reason, id string) []payfile.Result {
		return []payfile.Result{{PayoutID: payoutID, State: state, Said: said, Reason: reason, ProviderID: id}}
	}
	for name, tt := range map[string]struct {
		lines [2]string
		want  []payfile.Result
		err   string // with the lines in this order
	}{
		"OneOfTwoPaid":    {[2]string{cancelled, completed}, said(payfile.Paid, "COMPLETED", "", "T2"), ""},
		"PaidAndWaiting":  {[2]string{pending, completed}, said(payfile.Paid, "COMPLETED", "", "T2"), ""},
		"FailedAndWaits":  {[2]string{failed, pending}, said(payfile.Waiting, "PENDING", "", "T4"), ""},
		"BackAndFailed":   {[2]string{failed, refunded}, said(payfile.Returned, "REFUNDED", "", "T3"), ""},
		"SameLine":        {[2]string{completed, completed}, said(payfile.Paid, "COMPLETED", "", "T2"), ""},
		"ErrPaidTwice":    {[2]string{completed, again}, nil, "payfile: line 3: the payment " + adaRef + ` is paid here as "T7" and in line 2 as "T2": it was paid twice`},
		"ErrPaidAndBack":  {[2]string{completed, refunded}, nil, "payfile: line 3: the payment " + adaRef + " is returned here and paid in line 2"},
		"ErrUnknown":      {[2]string{odd, failed}, nil, "payfile: line 3: the payment " + adaRef + " is failed here and unknown in line 2"},
		"ErrOtherAmount":  {[2]string{completed, other}, nil, "payfile: line 3: the payment " + adaRef + ` has the amount "30.00" here and "20.00" in line 2`},
		"ErrOtherAmount2": {[2]string{cancelled, other}, nil, "payfile: line 3: the payment " + adaRef + ` has the amount "30.00" here and "20.00" in line 2`},
	} {
		for i, lines := range [][2]string{tt.lines, {tt.lines[1], tt.lines[0]}} {
			got, err := payfile.ReadResults(strings.NewReader("Reference,ID,Amount,Status,Reason\n"+lines[0]+"\n"+lines[1]+"\n"), list(pay()))
			if diff := cmp.Diff(tt.want, got.Results); diff != "" || (err != nil) != (tt.err != "") {
				t.Errorf("%s %d: %v (-want +got):\n%s", name, i, err, diff)
			}
			if i == 0 && err != nil && err.Error() != tt.err {
				t.Errorf("%s: %q, want %q", name, err, tt.err)
			}
		}
	}
	both := said(payfile.Failed, "CANCELLED", "", "T1")
	if got, err := payfile.ReadResults(strings.NewReader("Reference,ID,Status,Reason\n"+adaRef+",T1,CANCELLED,\n"+adaRef+",T5,FAILED,closed\n"), list(pay())); err != nil || !cmp.Equal(got.Results, both) {
		t.Errorf("two that failed: %+v, %v", got.Results, err)
	}
	three := "Reference,ID,Status\n" + adaRef + ",T3,REFUNDED\n" + adaRef + ",T4,PENDING\n" + adaRef + ",T2,PAID\n"
	if _, err := payfile.ReadResults(strings.NewReader(three), list(pay())); err == nil {
		t.Error("one that came back, one that waits and one that paid: no error")
	}
}

// TestFilledIn: a file of Generic with its last columns filled in is read back,
// whatever the other texts are.
func TestFilledIn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := pay(func(p *payfile.Transfer) {
			p.Name, p.Note = rapid.String().Draw(rt, "name"), rapid.String().Draw(rt, "note")
			p.PayoutID = uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(rt, "id"))
		})
		var data bytes.Buffer
		must(0, payfile.Generic(&data, list(p)))
		filled := strings.TrimSuffix(data.String(), `,"",""`+"\r\n") + ",FAILED,account closed\r\n"
		got, err := payfile.ReadResults(strings.NewReader(filled), list(p))
		if diff := cmp.Diff([]payfile.Result{{p.PayoutID, payfile.Failed, "FAILED", "account closed", ""}}, got.Results); diff != "" || err != nil {
			rt.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// paidProgram is a program in which three affiliates have a payout each.
func paidProgram(t *testing.T) (*tributary.Program, []affiliate.Payout) {
	t.Helper()
	p := must(tributary.New(memstore.New(), tributary.Config{
		Name: "Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/"}}, Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
	}))
	var payouts []affiliate.Payout
	for _, name := range []string{"ada", "bo", "cy"} {
		aff := must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: name, LastName: "Doe", Email: name + "@example.org"}))
		must(p.SetPayoutDetails(t.Context(), aff.ID, affiliate.PayoutDetails{Email: "pay-" + name + "@example.org", Method: "PAYPAL"}))
		must(p.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: aff.ID.String(), Email: "of-" + name + "@x.example", Name: "T", TotalEarned: affiliate.MustAmount("100")}))
		payouts = append(payouts, must(p.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: aff.ID})))
	}
	return p, payouts
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestApply: from the engine's payouts to a file, and from the provider's report
// back to the engine. The same report again changes nothing (check 59).
func TestApply(t *testing.T) {
	p, payouts := paidProgram(t)
	ctx := t.Context()
	files, refused, err := payfile.PayPal(p.Transfers(ctx, affiliate.PayoutQuery{}), "2026-06", payfile.PayPalOptions{})
	if err != nil || refused != nil || files[0].Total.String() != "60" || !strings.HasPrefix(string(files[0].Data), "pay-ada@example.org,20.00,USD,") {
		t.Fatalf("%+v %v %v", files, refused, err)
	}
	must(p.FailPayout(ctx, payouts[2].ID, "the bank was closed"))
	report := "Reference,Status,Reason\n" + payfile.Ref(payouts[0].ID) + ",SUCCESS,\n" +
		payfile.Ref(payouts[1].ID) + ",RETURNED,\"no\u0085account\"\n" + payfile.Ref(payouts[2].ID) + ",COMPLETED,\n"
	results := must(payfile.ReadResults(strings.NewReader(report), p.Transfers(ctx, affiliate.PayoutQuery{}))).Results
	for _, want := range []payfile.ApplyResult{{Paid: 2, Failed: 1}, {Unchanged: 3}} {
		got, err := payfile.Apply(ctx, p, results)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	var got []string
	for _, before := range payouts {
		after := must(p.Payout(ctx, before.ID))
		got = append(got, string(after.Status)+" "+after.FailedReason.Or("-"))
	}
	if diff := cmp.Diff([]string{"PAID -", "FAILED no account", "PAID -"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := p.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// TestApplyReturned: what the provider sends back after it was paid is owed again;
// what it sends back before was not paid.
func TestApplyReturned(t *testing.T) {
	p, payouts := paidProgram(t)
	ctx := t.Context()
	must(p.SetPayoutStatus(ctx, payouts[0].ID, affiliate.PayoutPaid))
	must(p.SetPayoutStatus(ctx, payouts[1].ID, affiliate.PayoutPaid))
	read := func(words ...string) []payfile.Result {
		report := "Reference,Status,Reason\n"
		for i, word := range words {
			report += payfile.Ref(payouts[i].ID) + "," + word + ",\n"
		}
		return must(payfile.ReadResults(strings.NewReader(report), p.Transfers(ctx, affiliate.PayoutQuery{}))).Results
	}
	back := read("Reversed", "bounced back", "Returned")
	for _, want := range []payfile.ApplyResult{{Returned: 2, Failed: 1}, {Unchanged: 3}} {
		if diff := cmp.Diff(want, must(payfile.Apply(ctx, p, back))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	var got []string
	for _, before := range payouts {
		after, owed := must(p.Payout(ctx, before.ID)), must(p.Balance(ctx, affiliate.AffiliateRef{ID: before.AffiliateID}))
		got = append(got, string(after.Status)+" "+after.ReturnedReason.Or("-")+" "+owed.Payable.String()+" "+owed.Paid.String())
	}
	if diff := cmp.Diff([]string{"RETURNED Reversed 20 0", "RETURNED bounced back 20 0", "FAILED - 0 0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	paid := read("Completed", "FAILED")
	want := payfile.ApplyResult{Unchanged: 1, Conflicts: []payfile.Conflict{{Result: paid[0], Status: affiliate.PayoutReturned}}}
	if diff := cmp.Diff(want, must(payfile.Apply(ctx, p, paid))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := p.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// TestApplyConflicts: what contradicts a final payout is reported and left.
func TestApplyConflicts(t *testing.T) {
	p, payouts := paidProgram(t)
	ctx := t.Context()
	must(p.SetPayoutStatus(ctx, payouts[0].ID, affiliate.PayoutPaid))
	must(p.SetPayoutStatus(ctx, payouts[1].ID, affiliate.PayoutCanceled))
	results := []payfile.Result{
		{PayoutID: payouts[0].ID, State: payfile.Failed, Said: "FAILED"}, {PayoutID: payouts[1].ID, State: payfile.Paid, Said: "PAID"},
		{PayoutID: payouts[1].ID, State: payfile.Failed, Said: "FAILED"},
		{PayoutID: payouts[2].ID, State: payfile.Waiting}, {PayoutID: payouts[2].ID, State: payfile.Unknown, Said: "Teleported"},
	}
	want := payfile.ApplyResult{
		Unchanged: 1, Waiting: 1, Unknown: results[4:],
		Conflicts: []payfile.Conflict{{Result: results[0], Status: affiliate.PayoutPaid}, {Result: results[1], Status: affiliate.PayoutCanceled}},
	}
	got, err := payfile.Apply(ctx, p, results)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, state := range []payfile.State{payfile.Paid, payfile.Failed} {
		got, err = payfile.Apply(ctx, p, []payfile.Result{{PayoutID: payouts[2].ID, State: payfile.Failed, Reason: " \x00 "}, {PayoutID: payoutID, State: state}})
		if !errors.Is(err, affiliate.ErrNotFound) || got.Paid+got.Failed+got.Unchanged != 1 {
			t.Errorf("an unknown payout: %+v, %v", got, err)
		}
	}
	if after := must(p.Payout(ctx, payouts[2].ID)); after.FailedReason.Or("") != "failed" {
		t.Errorf("the reason is %v", after.FailedReason)
	}
}

// TestPayments: in the order of creation, through every page, and only what the
// filter selects.
func TestPayments(t *testing.T) {
	p, payouts := paidProgram(t)
	ctx := t.Context()
	must(p.SetPayoutStatus(ctx, payouts[1].ID, affiliate.PayoutPaid))
	ids := func(f affiliate.PayoutQuery) (out []uuid.UUID) {
		for pay, err := range p.Transfers(ctx, f) {
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, pay.PayoutID)
		}
		return out
	}
	for name, tt := range map[string]struct {
		f    affiliate.PayoutQuery
		want []uuid.UUID
	}{
		"All":     {affiliate.PayoutQuery{}, []uuid.UUID{payouts[0].ID, payouts[1].ID, payouts[2].ID}},
		"Pending": {affiliate.PayoutQuery{Status: affiliate.PayoutPending}, []uuid.UUID{payouts[0].ID, payouts[2].ID}},
		"Of":      {affiliate.PayoutQuery{AffiliateID: affiliate.Set(payouts[1].AffiliateID)}, []uuid.UUID{payouts[1].ID}},
		"Nobody":  {affiliate.PayoutQuery{AffiliateID: affiliate.Set(uuid.Nil)}, nil},
	} {
		if diff := cmp.Diff(tt.want, ids(tt.f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	got := payfile.Transfer{}
	for pay, err := range p.Transfers(ctx, affiliate.PayoutQuery{}) {
		if got = pay; err != nil {
			t.Fatal(err)
		}
		break
	}
	want := payfile.Transfer{
		PayoutID: payouts[0].ID, Status: affiliate.PayoutPending, Amount: affiliate.MustAmount("20"), Currency: "USD",
		Method: "PAYPAL", Name: "ada Doe", Email: "pay-ada@example.org",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
