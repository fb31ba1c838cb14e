package console_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"mime/multipart"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

// TestTwoEditors: two people who change different fields of one customer at once do
// not undo each other.
func TestTwoEditors(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := "customers/" + w.customer.ID.String() + "/edit"
	first, second := w.form(path, "name", "First"), w.form(path, "notes", "Second")
	for _, form := range []pageAnswer{w.send(path, first), w.send(path, second)} {
		if form.status != 303 {
			t.Fatalf("%d %s", form.status, form.text())
		}
	}
	r := must(w.Referral(t.Context(), w.customer.ID.String()))
	if r.Name.Or("") != "First" || r.Notes.Or("") != "Second" {
		t.Errorf("name %v, notes %v", r.Name, r.Notes)
	}
}

// TestMovePaidSale: a sale that a payout has is given to another affiliate when the form
// says that the payout of the former one is made up for.
func TestMovePaidSale(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := fmt.Sprint("sales/", w.paid.ID, "/move")
	payout, _ := must(w.Sale(t.Context(), w.paid.ID)).Commissions[0].PayoutID.Get()
	form := w.form(path, "affiliate", "banned", "reason", "their own customer")
	if form.Get("clawback") != "1" {
		t.Error("what a paid sale needs is not ticked")
	}
	form.Del("clawback")
	page := w.send(path, form)
	if page.status == 303 || !strings.Contains(page.text(), "Sale is part of a payout") {
		t.Errorf("without the tick: %d %s", page.status, page.text())
	}
	form = fieldsOf(t, page.body)
	form.Set("clawback", "yes")
	if page = w.send(path, form); page.status != 303 {
		t.Errorf("%d %s", page.status, page.text())
	}
	if s := must(w.Sale(t.Context(), w.paid.ID)); s.Affiliate.Email != "banned@example.org" {
		t.Errorf("it credits %s", s.Affiliate.Email)
	}
	if entries := w.get("payouts/" + payout.String()); !strings.Contains(entries.text(), fmt.Sprintf("Sale %d was given to another affiliate", w.paid.ID)) {
		t.Errorf("the payout shows %s", entries.text())
	}
}

// TestBatch (check 39): a used-up code has a full meter; the check of a batch makes
// nothing and shows samples; what is made can be had as a file.
func TestBatch(t *testing.T) {
	w := newWorld(t)
	w.fill("=cmd")
	s := w.stock()
	code := must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: s.coupon.ID, Code: "ONCE", AffiliateID: w.ada.ID, MaxRedemptions: affiliate.Set[int64](1)}))
	must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ONCE", Email: "once@x.example", Name: "O", TotalEarned: affiliate.MustAmount("10")}))
	if page := w.get("codes/" + code.ID.String()); !strings.Contains(page.body, `max="1" low="0" high="0" optimum="0" value="1"`) {
		t.Error(page.text())
	}
	w.now = w.now.Add(time.Minute)
	path := "coupons/" + s.coupon.ID.String() + "/generate"
	before := w.effects()
	fields := []string{"affiliates", "ada@example.org", "count", "500", "prefix", "X", "randomCharsLength", "6"}
	checked := w.form(path, fields...)
	checked.Set("check", "1")
	page := w.send(path, checked)
	if page.status != 200 || !strings.Contains(page.text(), "500 codes out of 308,915,776 that are possible.") || strings.Count(page.text(), "Such as X") != 3 || w.effects() != before {
		t.Errorf("%d, changed %v: %s", page.status, w.effects() != before, page.text())
	}
	page = w.send(path, fieldsOf(t, page.body))
	if page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	shown := w.get("coupons/" + strings.TrimPrefix(page.head.Get("Location"), "./../../coupons/"))
	file := ""
	for _, e := range parse(t, shown.body) {
		if strings.Contains(e.attrs["href"], "codes.csv?made=") {
			file = e.attrs["href"]
		}
	}
	got := w.get("coupons/" + file)
	rows := must(csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\ufeff"))).ReadAll())
	if got.status != 200 || len(rows) != 501 || got.head.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%s: %d, %d lines", file, got.status, len(rows))
	}
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[0], "X") || row[2] != "ada@example.org" {
			t.Errorf("%q", row)
		}
	}
	if too := w.send(path, w.form(path, "affiliates", "ada@example.org", "count", "500", "randomCharsLength", "1")); too.status != 400 {
		t.Errorf("too small a space: %d", too.status)
	}
}

// TestTry: the page of a code says what an order would get, and writes nothing.
func TestTry(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	code := must(w.Code(t.Context(), affiliate.CodeRef{Code: "ADA9"}))
	before := w.dump()
	for query, want := range map[string]string{
		"?total=100&email=new%40x.example": "It works Discount 20.00 USD To pay, before tax and shipping 80.00 USD",
		"?total=much":                      "Enter an amount",
		"?total=-1":                        "must be greater than zero",
	} {
		if page := w.get("codes/" + code.ID.String() + query); page.status != 200 || !strings.Contains(page.text(), want) {
			t.Errorf("%s: %d %s", query, page.status, page.text())
		}
	}
	must(w.UpdateCode(t.Context(), code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
	if page := w.get("codes/" + code.ID.String() + "?total=100"); !strings.Contains(page.text(), "It is refused") {
		t.Error(page.text())
	}
	must(w.UpdateCode(t.Context(), code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
	if w.dump() == before {
		t.Error("the dump does not see changes")
	}
}

// TestPayday (check 42): preview, run, file, results; the books say what the pages
// say.
func TestPayday(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	owed := must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: w.ada.ID})).Payable
	before := w.effects()
	preview := w.form("payouts/new", "externalId", "2026-03", "minimum", "1")
	page := w.send("payouts/new", preview)
	if page.status != 200 || w.effects() != before || !strings.Contains(page.text(), "Ada X PayPal "+owed.String()) {
		t.Errorf("%d, changed %v: %s, owed %s", page.status, w.effects() != before, page.text(), owed)
	}
	page = w.send("payouts/new", fieldsOf(t, page.body))
	if page.status != 303 || !strings.Contains(page.head.Get("Location"), "payouts/run?done=payouts.run~") {
		t.Fatalf("%d %v", page.status, page.head)
	}
	if run := w.get("payouts/run?externalId=2026-03"); run.status != 200 || !strings.Contains(run.text(), owed.String()) {
		t.Errorf("%d %s", run.status, run.text())
	}
	due := w.Transfers(t.Context(), affiliate.PayoutQuery{Status: affiliate.PayoutPending})
	files, refused, err := payfile.PayPal(due, w.now.Format("2006-01-02"), payfile.PayPalOptions{})
	if err != nil || len(files) != 1 || len(refused) > 0 {
		t.Fatal(len(files), refused, err)
	}
	file := w.get("payouts/paypal")
	if file.body != string(files[0].Data) || !strings.Contains(file.head.Get("Content-Disposition"), files[0].Name) {
		t.Errorf("the file is %q, not %q", file.body, files[0].Data)
	}
	if wise := w.get("payouts/wise?externalId=2026-03"); wise.status != 200 || strings.Contains(wise.body, "-wise-USD") || !strings.Contains(wise.body, "not-in-a-file.csv") {
		t.Errorf("who is paid by PayPal is in the file for Wise: %d %q", wise.status, wise.body)
	}
	if run := w.get("payouts/paypal?externalId=2026-03"); run.status != 200 || run.body == "" {
		t.Errorf("the file of the run: %d %q", run.status, run.body)
	}
	if bank := w.get("payouts/generic.csv?externalId=2026-03&method=BANK"); bank.status != 200 || strings.Count(bank.body, "\n") != 1 {
		t.Errorf("the file for the bank: %d %q", bank.status, bank.body)
	}
	if none := w.get("payouts/paypal?externalId=nothing"); none.status != 404 {
		t.Errorf("a run that does not exist: %d", none.status)
	}
	var results strings.Builder
	out := csv.NewWriter(&results)
	_ = out.Write([]string{"reference", "status", "reason"})
	n := 0
	for p, err := range due {
		must(0, err)
		if n++; n == 1 {
			_ = out.Write([]string{payfile.Ref(p.PayoutID), "Failed", "closed account"})
		} else {
			_ = out.Write([]string{payfile.Ref(p.PayoutID), "Completed", ""})
		}
	}
	out.Flush()
	for i, want := range []string{fmt.Sprintf("Paid now %d Failed now 1 Came back 0 Were so before 0", n-1), fmt.Sprintf("Paid now 0 Failed now 0 Came back 0 Were so before %d", n)} {
		if page := w.upload("payouts/results", results.String()); page.status != 200 || !strings.Contains(page.text(), want) {
			t.Errorf("file read %d times: %d %s", i+1, page.status, page.text())
		}
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// upload sends a file as a browser does.
func (w *world) upload(path, file string) pageAnswer {
	w.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name := range w.form(path) {
		if name != "file" {
			must(0, form.WriteField(name, w.form(path).Get(name)))
		}
	}
	part := must(form.CreateFormFile("file", "results.csv"))
	must(part.Write([]byte(file)))
	must(0, form.Close())
	r := httptest.NewRequest("POST", "/"+path, &body)
	r.Header.Set("Actor", "ops")
	r.Header.Set("Content-Type", form.FormDataContentType())
	rw := httptest.NewRecorder()
	w.desk.ServeHTTP(rw, r)
	return pageAnswer{rw.Code, rw.Result().Header, rw.Body.String()}
}

// TestFileOfSeveral: payments that a provider cannot make come with the file, and say
// why.
func TestFileOfSeveral(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	if file := w.get("payouts/wise"); file.status != 200 || file.head.Get("Content-Type") == "" {
		t.Errorf("%d %v", file.status, file.head)
	}
	nobody := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "No", LastName: "Details", Email: "no@example.org", AffiliateLink: "no-details"}))
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "no-details", Email: "buys@x.example", Name: "B", TotalEarned: affiliate.MustAmount("50")}))
	must(w.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateID: nobody.ID}))
	file := w.get("payouts/paypal")
	if file.status != 200 || file.head.Get("Content-Type") != "application/zip" || !strings.Contains(file.body, "not-in-a-file.csv") {
		t.Errorf("%d %v", file.status, file.head)
	}
}

// TestSecretOnce (check 43): a new secret is on the answer of its form, and on no
// other page.
func TestSecretOnce(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	hook := w.stock().hook
	page := w.send("webhooks/"+hook.ID.String()+"/rotate", w.form("webhooks/"+hook.ID.String()+"/rotate"))
	secret := ""
	for _, e := range parse(t, page.body) {
		if e.attrs["id"] == "secret" {
			secret = e.attrs["value"]
		}
	}
	if page.status != 200 || !strings.HasPrefix(secret, "whsec_") || len(secret) < 40 {
		t.Fatalf("%d, the secret is %q", page.status, secret)
	}
	for at, page := range crawl(t, w.desk, "/") {
		if strings.Contains(page.body, secret) || strings.Contains(page.body, "whsec_") {
			t.Errorf("%s shows a secret", at)
		}
	}
	if strings.Contains(w.log.String(), "whsec_") {
		t.Error("the log has a secret")
	}
}

// TestBadCursor (3.2): the page of a bad cursor leads to the first page of its list,
// by the same filters.
func TestBadCursor(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	page := w.get("affiliates?status=ACTIVE&cursor=x")
	if page.status != 400 || !strings.Contains(page.body, `href="./affiliates?status=ACTIVE"`) {
		t.Errorf("%d %s", page.status, page.body)
	}
}

// TestPayloadFile: what is too long for a page can be had as a file.
func TestPayloadFile(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	e := must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]
	file := w.get("events/" + e.ID.String() + "/payload.txt")
	if file.status != 200 || file.body != string(e.Payload) || file.head.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.Contains(file.head.Get("Content-Disposition"), "attachment") {
		t.Errorf("%d %v %s", file.status, file.head, file.body)
	}
	protected(t, "file", file)
}

// TestPreview: the page before a run says who is paid by what, who waits and why, and the sum of
// each method, which add up to what the run then pays.
func TestPreview(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.due("first", 2)
	for _, p := range must(w.Payouts(t.Context(), affiliate.PayoutQuery{Status: affiliate.PayoutPending}, affiliate.Page{Limit: 9})).Items {
		must(w.SetPayoutStatus(t.Context(), p.ID, affiliate.PayoutCanceled)) // owed again
	}
	page := w.send("payouts/new", w.form("payouts/new", "externalId", "2026-03"))
	for _, want := range []string{
		"3 payouts, ", " in all.", "What is paid, by method Paid by Payouts Amount in USD PayPal 1 ", " Wise 2 16.00 ",
		"Affiliate Paid by Note Amount in USD", "Pay Ee Wise Their last payout was canceled 8.00 Pay Ee Wise Their last payout was canceled 8.00", "planned X Not said Waits: Not yet due ",
	} {
		if !strings.Contains(page.text(), want) {
			t.Errorf("the preview does not say %q: %s", want, page.text())
		}
	}
	if to := w.send("payouts/new", fieldsOf(t, page.body)); to.status != 303 {
		t.Fatal(to.status, to.text())
	}
	run := must(w.PayoutRun(t.Context(), "2026-03"))
	if run.Created != 3 || !strings.Contains(page.text(), "3 payouts, "+run.Total.String()) {
		t.Errorf("paid %d, %s: the preview says %s", run.Created, run.Total, page.text())
	}
	shown := w.get("payouts/run?externalId=2026-03").text()
	for _, want := range []string{"Wise 2 16.00 Wise file Mark all as paid…", "PayPal file decimal comma", "Pay Ee 8.00 Wise Pending What is in it", "Waits Not yet due"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the run does not say %q: %s", want, shown)
		}
	}
}

// TestPayMethod: all payouts of a method become paid with one form, which repeats how many and how
// much, and pays no others however late or often it is sent.
func TestPayMethod(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	due, other := w.due("run", 3), w.due("other", 1)[0]
	const path = "payouts/paid?externalId=run&method=WISE"
	if page := w.get(path); !strings.Contains(page.text(), "3 payouts, 24.00 USD") {
		t.Error(page.text())
	}
	old := w.form(path)
	must(w.FailPayout(t.Context(), due[0].ID, "no such account"))
	page := w.send(path, old)
	if page.status != 409 || !strings.Contains(page.text(), "2 payouts, 16.00 USD") || w.statuses(due...) != "FAILED PENDING PENDING " {
		t.Errorf("%d, %s: %s", page.status, w.statuses(due...), page.text())
	}
	form := fieldsOf(t, page.body)
	for range 2 {
		if to := w.send(path, form); to.status != 303 || !strings.Contains(to.head.Get("Location"), "payouts/run?") {
			t.Errorf("%d %s", to.status, to.text())
		}
		if got := w.statuses(due...); got != "FAILED PAID PAID " {
			t.Errorf("they are %s", got)
		}
	}
	if got := w.statuses(other); got != "PENDING " {
		t.Errorf("that of the other run is %s", got)
	}
	run := w.get("payouts/run?externalId=run")
	for _, want := range []string{"Nothing: each payout of this run is settled.", "Failed no such account What is in it", "Wise Paid What is in it"} {
		if !strings.Contains(run.text(), want) {
			t.Errorf("the run does not say %q: %s", want, run.text())
		}
	}
	if none := w.get(path); none.status != 400 || !strings.Contains(none.text(), "Nothing of this run is still to be paid") {
		t.Errorf("%d %s", none.status, none.text())
	}
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestPayMethodGoesOn: a form that was cut off in the middle goes on with the rest when it is asked again.
func TestPayMethodGoesOn(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	due := w.due("run", 3)
	const path = "payouts/paid?externalId=run&method=WISE"
	form := w.form(path)
	must(w.SetPayoutStatus(t.Context(), due[0].ID, affiliate.PayoutProcessing))
	must(w.SetPayoutStatus(t.Context(), due[0].ID, affiliate.PayoutPaid))
	page := w.send(path, form)
	if page.status != 409 || !strings.Contains(page.text(), "2 payouts, 16.00 USD") {
		t.Fatalf("%d %s", page.status, page.text())
	}
	if to := w.send(path, fieldsOf(t, page.body)); to.status != 303 || w.statuses(due...) != "PAID PAID PAID " {
		t.Errorf("%d, %s", to.status, w.statuses(due...))
	}
}

// statuses are those of payouts, each with a space after it.
func (w *world) statuses(all ...affiliate.Payout) (said string) {
	for _, p := range all {
		said += fmt.Sprint(must(w.Payout(w.t.Context(), p.ID)).Status, " ")
	}
	return said
}

// sumOf adds up the column of a file.
func sumOf(t *testing.T, rows [][]string, column string) affiliate.Amount {
	t.Helper()
	var sum affiliate.Amount
	at := -1
	for i, name := range rows[0] {
		if name == column {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("no column %s in %q", column, rows[0])
	}
	for _, row := range rows[1:] {
		sum = must(sum.Add(affiliate.MustAmount(row[at])))
	}
	return sum
}

// The page of what is owed shows the total, its file adds up to it, and the statements of
// a month lead from the one to the other.
func TestOwed(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.now = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	march := must(w.TotalBalance(t.Context(), time.Time{}))
	w.now = time.Date(2026, 4, 9, 12, 0, 0, 0, time.UTC)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "kim@x.example", Name: "Kim", TotalEarned: affiliate.MustAmount("128964.43")}))
	must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustCorrection, Amount: affiliate.MustAmount("-7.5"), Reason: "r"}))
	must(w.SetPayoutStatus(t.Context(), w.payout.ID, affiliate.PayoutPaid))
	w.now = time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
	april := must(w.TotalBalance(t.Context(), time.Time{}))
	must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: w.free.ID}))
	if march.Owed == april.Owed || april.Paid == march.Paid {
		t.Fatalf("nothing happened: %+v, %+v", march, april)
	}
	for address, want := range map[string]affiliate.TotalBalance{"owed": must(w.TotalBalance(t.Context(), time.Time{})), "owed?at=2026-03-31": march, "owed?at=2026-04-30": april} {
		page := w.get(address).text()
		for _, figure := range []string{
			want.Owed.String(), want.Payable.String(), want.Maturing.String(), want.Held.String(), want.InPayout.String(), want.Debts.String(), want.Paid.String(),
		} {
			if whole, part, _ := strings.Cut(figure, "."); !strings.Contains(strings.ReplaceAll(page, ",", ""), strings.TrimSuffix(whole+"."+part, ".")) {
				t.Errorf("%s has no %s:\n%s", address, figure, page)
			}
		}
		rows := w.rowsOf(strings.Replace(address, "owed", "owed/csv", 1))
		if sum := sumOf(t, rows, "owed"); sum != want.Owed || sumOf(t, rows, "paid") != want.Paid {
			t.Errorf("%s: the file adds up to %s, the total is %s", address, sum, want.Owed)
		}
	}
	due := w.get("owed").body
	tick := regexp.MustCompile(`name="except" value="([^"]*)"`).FindAllStringSubmatch(due, -1)
	if len(tick) == 0 || strings.Contains(w.get("owed?at=2026-04-30").body, `name="except"`) {
		t.Fatalf("%d can be left out of a run, and none may of a day that is over", len(tick))
	}
	run := w.form("payouts/new?except=" + tick[0][1] + "&except=" + w.idle.ID.String())
	if lines := run.Get("except"); !strings.HasPrefix(lines, tick[0][1]+"\n"+w.idle.ID.String()) {
		t.Errorf("the run leaves out %q", lines)
	}
	sums := w.rowsOf("books/2026-04/csv")
	for column, want := range map[string]affiliate.Amount{
		"opening": march.Owed, "closing": april.Owed, "paid": must(april.Paid.Sub(march.Paid)), "adjustments": affiliate.MustAmount("-7.5"), "other": {}, "commission": affiliate.MustAmount("25792.89"),
	} {
		if got := sumOf(t, sums, column); got != want {
			t.Errorf("%s of April is %s, want %s", column, got, want)
		}
	}
	page := w.get("books").body
	for _, link := range []string{"owed?at=2026-04-30", "books/2026-04/csv", "reports?period=days&amp;since=2026-04-01&amp;until=2026-04-30"} {
		if !strings.Contains(page, `href="`+link) && !strings.Contains(page, `href="../`+link) {
			t.Errorf("the page Books does not lead to %s", link)
		}
	}
	for address, status := range map[string]int{"books/2026-05/csv": 400, "books/2026-4/csv": 404, "books/x/csv": 404, "owed?at=x": 400, "owed?at=2026-04-30T10:00:00Z": 400, "owed?cursor=x": 400, "owed/csv?at=x": 400, "owed?day=1": 400} {
		if page := w.get(address); page.status != status {
			t.Errorf("%s: %d, want %d", address, page.status, status)
		}
	}
}

var lineAmount = regexp.MustCompile(`<td class="num">([^<]*)</td><td class="num">`)

var nextPage = regexp.MustCompile(`href="([^"]*)" rel="next">More`)

// TestLongStatement (check 48): a statement that is too long for a page goes on on
// the next ones: every line is on one of them, once, between what was owed at the
// beginning and at the end.
func TestLongStatement(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for i := range 700 {
		in := affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount(fmt.Sprintf("%d.%02d", 1+i/100, i%100)), Reason: "bonus"}
		must(w.RecordAdjustment(t.Context(), in))
	}
	path := "affiliates/" + w.ada.ID.String() + "/statements/" + w.now.Format("2006-01")
	var pages []string
	var amounts [][]string
	query := ""
	for {
		page := w.get(path + query)
		if page.status != 200 || len(page.body) > 100_000 {
			t.Fatalf("%s: %d, %d bytes", query, page.status, len(page.body))
		}
		pages, amounts = append(pages, page.text()), append(amounts, lineAmount.FindAllStringSubmatch(page.body, -1)...)
		next := nextPage.FindStringSubmatch(page.body)
		if next == nil {
			break
		}
		query = next[1][strings.Index(next[1], "?"):]
	}
	if len(pages) != 3 {
		t.Errorf("%d pages", len(pages))
	}
	for i, page := range pages {
		if begins, ends := strings.Contains(page, "Owed at the beginning"), strings.Contains(page, "Owed at the end"); begins != (i == 0) || ends != (i == len(pages)-1) {
			t.Errorf("page %d of %d: begins %v, ends %v", i+1, len(pages), begins, ends)
		}
	}
	for i, amount := range amounts[len(amounts)-700:] {
		if want := fmt.Sprintf("%d.%02d\u00a0USD", 1+i/100, i%100); amount[1] != want {
			t.Fatalf("bonus %d is %s, want %s", i, amount[1], want)
		}
	}
	if page := w.get(path + "?cursor=x"); page.status != 400 {
		t.Errorf("a bad cursor: %d", page.status)
	}
}

// TestSaleByHandAbroad: an order in another currency is typed with its rate and its lines, and
// what is wrong is said where it is.
func TestSaleByHandAbroad(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	typed := func(lines, rate string) pageAnswer {
		return w.send("sales/new", w.form("sales/new", "affiliate", "ada@example.org", "email", "abroad@x.example", "name", "Abroad",
			"externalId", "abroad", "currency", "jpy", "exchangeRate", rate, "totalEarned", "1,980", "lines", lines))
	}
	for _, wrong := range []struct{ lines, rate, says string }{
		{"TEA; 2; 1980\nCUP; 1", "0.0067", "Line 2 is not product; pieces; amount in JPY."},
		{"TEA; two; 1980", "0.0067", "Line 1 is not product; pieces; amount in JPY."},
		{"; 2; 1980", "0.0067", "Line 1 is not product; pieces; amount in JPY."},
		{"TEA; 2; 1980.50", "0.0067", "Line 1 is not product; pieces; amount in JPY."},
		{"TEA; 2; 1980", "much", "Enter a rate, such as 1.0842."},
		{"TEA; 2; 1000", "0.0067", "ubtotal"}, // they cost less than what was paid
		{"TEA; 2; 1980", "", "ate"},           // the program has none
	} {
		if page := typed(wrong.lines, wrong.rate); page.status == 303 || !strings.Contains(page.text(), wrong.says) {
			t.Errorf("%q at %q: %d %s", wrong.lines, wrong.rate, page.status, page.text())
		}
	}
	if page := typed("TEA; 2; 1,500\n CUP ; 1.5; 600 ", "0.0067"); page.status != 303 {
		t.Fatal(page.text())
	}
	s := must(w.Sales(t.Context(), affiliate.SaleQuery{ExternalID: affiliate.Set("abroad")}, affiliate.Page{Limit: 1})).Items[0]
	was := s.Charged.Or(affiliate.Charge{})
	if got := fmt.Sprintf("%v %v, %v, %d lines", was.Currency, was.TotalEarned, s.TotalEarned, len(s.Lines)); got != "JPY 1980, 13.27, 2 lines" {
		t.Errorf("recorded as %s", got)
	}
}

// TestPeriods: lists are narrowed to a named period by a link, which keeps what else was asked.
func TestPeriods(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for list, keeps := range map[string]string{"sales?currency=USD": "currency=USD", "customers?status=ACTIVE": "status=ACTIVE"} {
		asked := w.get(list).body // on 13 March
		for name, days := range map[string][2]string{
			"This month": {"2026-03-01", "2026-03-13"}, "Last month": {"2026-02-01", "2026-02-28"},
			"This quarter": {"2026-01-01", "2026-03-13"}, "Last quarter": {"2025-10-01", "2025-12-31"},
		} {
			link := regexp.MustCompile(`href="(\?[^"]*)">` + name).FindStringSubmatch(asked)
			if link == nil || !strings.Contains(link[1], keeps) {
				t.Fatalf("%s has no link to %s that keeps %s: %q", list, name, keeps, link)
			}
			kind, _, _ := strings.Cut(list, "?")
			page := w.get(kind + html.UnescapeString(link[1])).body
			for _, has := range []string{`name="since" type="date" value="` + days[0], `name="until" type="date" value="` + days[1], `aria-current="true">` + name} {
				if !strings.Contains(page, has) {
					t.Errorf("%s, %s: the page lacks %s", list, name, has)
				}
			}
		}
	}
}
