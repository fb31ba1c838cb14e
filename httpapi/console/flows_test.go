package console_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"mime/multipart"
	"net/http/httptest"
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
