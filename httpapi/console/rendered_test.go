package console_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

// TestRunLeavesOut: a new run proposes to leave out whose last payout did not arrive, says so of
// whom it pays all the same, and says of those who wait how much waits.
func TestRunLeavesOut(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ctx := t.Context()
	bounced := w.due("first", 2)
	email := func(p affiliate.Payout) string { return must(w.Affiliate(ctx, p.AffiliateID.String())).Email }
	more := func(p affiliate.Payout) {
		must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: p.AffiliateID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("5"), Reason: "r"}))
	}
	must(w.SetPayoutStatus(ctx, bounced[0].ID, affiliate.PayoutPaid))
	must(w.ReturnPayout(ctx, bounced[0].ID, "no such account"))
	must(w.FailPayout(ctx, bounced[1].ID, "blocked"))
	more(bounced[1])
	form := w.form("payouts/new", "externalId", "2026-03")
	if lines := form.Get("except"); !strings.Contains(lines, email(bounced[0])) || !strings.Contains(lines, email(bounced[1])) {
		t.Fatalf("a new run leaves out %q", lines)
	}
	form.Set("except", email(bounced[1])+"\r\n"+w.ada.Email)
	shown := w.send("payouts/new", form)
	for _, want := range []string{"2 affiliates left out.", "Pay Ee Wise Their last payout did not arrive: no such account 8.00"} {
		if !strings.Contains(shown.text(), want) {
			t.Errorf("the preview does not say %q: %s", want, shown.text())
		}
	}
	if regexp.MustCompile(`Waits: (On hold|Not yet due) 0\.00`).MatchString(shown.text()) {
		t.Errorf("who waits waits for nothing: %s", shown.text())
	}
	if to := w.send("payouts/new", fieldsOf(t, shown.body)); to.status != 303 {
		t.Fatal(to.status, to.text())
	}
	for _, line := range must(w.PayoutLines(ctx, "2026-03", affiliate.Page{Limit: 100})).Items {
		if line.AffiliateID == bounced[1].AffiliateID || line.AffiliateID == w.ada.ID {
			t.Errorf("who was left out has %+v", line)
		}
	}
	if run := w.get("payouts/run?externalId=2026-03").text(); regexp.MustCompile(`0\.00 Waits (On hold|Not yet due)`).MatchString(run) {
		t.Errorf("who waits waits for nothing: %s", run)
	}
	if wrong := w.send("payouts/new", w.form("payouts/new", "except", "nobody@nowhere.example")); wrong.status != 400 || !strings.Contains(wrong.text(), "nobody@nowhere.example: No affiliate is called this.") {
		t.Errorf("leaving nobody out: %d %s", wrong.status, wrong.text())
	}
	must(w.SetPayoutDetails(ctx, bounced[0].AffiliateID, affiliate.PayoutDetails{Method: "WISE", Email: "other@pay.example"}))
	if lines := w.form("payouts/new").Get("except"); strings.Contains(lines, email(bounced[0])) {
		t.Errorf("with another address they are left out: %q", lines)
	}
}

// TestOwedToCome: the page of a day to come says that it will change, and no page offers a month
// before there was an affiliate.
func TestOwedToCome(t *testing.T) {
	w := newWorld(t)
	if none := w.get("books").text(); !strings.Contains(none, "No month of the program is over yet.") {
		t.Error(none)
	}
	w.fill("")
	w.now = time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
	if today := w.get("owed?at=2026-05-02").text(); !strings.Contains(today, "what happens until then changes this") || strings.Contains(today, "changes nothing here") {
		t.Error(today)
	}
	if over := w.get("owed?at=2026-05-01").text(); !strings.Contains(over, "What happened later changes nothing here.") {
		t.Error(over)
	}
	first := w.get("affiliates/" + w.ada.ID.String() + "/statements/2026-03").text()
	if strings.Contains(first, "Month before") || !strings.Contains(first, "Month after") {
		t.Errorf("the first month: %s", first)
	}
	if last := w.get("affiliates/" + w.ada.ID.String() + "/statements/2026-05").text(); !strings.Contains(last, "Month before") || strings.Contains(last, "Month after") {
		t.Errorf("this month: %s", last)
	}
	for _, path := range []string{"books", "owed"} {
		shown := w.get(path).text()
		if !strings.Contains(shown, "April 2026") || !strings.Contains(shown, "March 2026") || strings.Contains(shown, "February 2026") {
			t.Errorf("the months of %s: %s", path, shown)
		}
	}
}

// TestSearchBeside: half an order number finds the order, also where it is the number of a sale;
// results say which order, when and whose; a payout is found by the reference in its file.
func TestSearchBeside(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	half := fmt.Sprint(int64(w.free.ID))
	other := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "zed@shop.example", Name: "Zed", TotalEarned: affiliate.MustAmount("10"), ExternalID: "9" + half + "77"})).Sale.Or(affiliate.Sale{})
	for _, path := range []string{"search?q=" + half, "sales?q=" + half} {
		shown := w.get(path).body
		for _, id := range []affiliate.SaleID{w.free.ID, other.ID} {
			if !strings.Contains(shown, fmt.Sprintf(`sales/%d"`, id)) {
				t.Errorf("%s does not lead to the sale %d", path, id)
			}
		}
	}
	if rows := w.rowsOf("sales/csv?q=" + half); len(rows) != 3 {
		t.Errorf("the file has %d rows", len(rows))
	}
	if shown := w.get("search?q=" + half).text(); !strings.Contains(shown, "9"+half+"77 · ") || !strings.Contains(shown, "2026 · Ada X · zed@shop.example") {
		t.Errorf("the results say %s", shown)
	}
	ref := payfile.Ref(w.payout.ID)
	for _, text := range []string{ref, strings.ToLower(ref), ref[:7]} {
		if shown := w.get("search?q=" + text); !strings.Contains(shown.body, "payouts/"+w.payout.ID.String()) {
			t.Errorf("%s finds %s", text, shown.text())
		}
	}
	if shown := w.get("payouts/" + w.payout.ID.String()).text(); !strings.Contains(shown, ref) {
		t.Errorf("the payout does not show its reference: %s", shown)
	}
}

// TestOneCancel: no form has two buttons that say Cancel.
func TestOneCancel(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for _, d := range append(deeds(w), deed{path: "payouts/" + w.payout.ID.String() + "/status?to=CANCELED"}) {
		shown := w.get(d.path)
		if n := len(regexp.MustCompile(`<(?:a|button)[^>]*>Cancel</`).FindAllString(shown.body, -1)); shown.status == 200 && n != 1 {
			t.Errorf("%s has %d buttons that say Cancel", d.path, n)
		}
	}
}

// TestSalesFilter: the page of sales filters by an affiliate and a code as they are typed, and the
// pages of both lead to all their sales.
func TestSalesFilter(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	s := w.stock()
	code := must(w.Code(t.Context(), affiliate.CodeRef{ID: s.byCode.PromotionalCodeID.Or(uuid.Nil)}))
	names := map[string]bool{}
	for _, e := range parse(t, w.get("sales").body) {
		names[e.attrs["name"]] = e.name == "input" && e.attrs["type"] != "hidden" || names[e.attrs["name"]]
	}
	if !names["affiliate"] || !names["code"] {
		t.Errorf("the page has the fields %v", names)
	}
	one := func(id affiliate.SaleID) string { return fmt.Sprintf(`sales/%d"`, id) }
	byCode := w.get("sales?code=" + url.QueryEscape(strings.ToLower(code.Code))).body
	if !strings.Contains(byCode, one(s.byCode.ID)) || strings.Contains(byCode, one(s.movable.ID)) {
		t.Error("the filter by a code does not filter")
	}
	byName := w.get("sales?affiliate=banned@example.org")
	if !strings.Contains(byName.body, one(s.movable.ID)) || strings.Contains(byName.body, one(w.free.ID)) || !strings.Contains(byName.body, `value="banned@example.org"`) {
		t.Errorf("the filter by an affiliate: %s", byName.text())
	}
	for path, to := range map[string]string{"affiliates/" + w.ada.ID.String(): "sales?affiliate=" + w.ada.ID.String(), "codes/" + code.ID.String(): "sales?code=" + code.ID.String()} {
		if !strings.Contains(w.get(path).body, to) || w.get(to).status != 200 {
			t.Errorf("%s does not lead to %s", path, to)
		}
	}
	for _, path := range []string{"sales?affiliate=nobody", "sales?code=NONE"} {
		if shown := w.get(path); shown.status != 400 {
			t.Errorf("%s: %d", path, shown.status)
		}
	}
}

// TestSpreadsheets: files of lists open in a spreadsheet by a double click: they begin with the mark
// of UTF-8, and with decimals=comma amounts have a comma and cells a semicolon between them.
func TestSpreadsheets(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.now = time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC)
	for _, path := range []string{"affiliates/csv", "customers/csv", "sales/csv", "codes/csv", "payouts/csv", "owed/csv", "reports/csv", "books/2026-03/csv", "affiliates/" + w.ada.ID.String() + "/statements/2026-03/csv"} {
		if file := w.get(path); file.status != 200 || !strings.HasPrefix(file.body, "\ufeff") {
			t.Errorf("%s: %d, begins with %.9q", path, file.status, file.body)
		}
	}
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "c@x.example", Name: "C 1.5", TotalEarned: affiliate.MustAmount("10.55"), ExternalID: "7.25"}))
	file := w.get("sales/csv?decimals=comma").body
	if !strings.Contains(file, `"10,55";`) || !strings.Contains(file, `"7.25";`) || !strings.Contains(file, `"C 1.5";`) || strings.Contains(file, `","`) {
		t.Errorf("%.600s", file)
	}
	if links := w.get("sales").body; !strings.Contains(links, "sales/csv?decimals=comma") {
		t.Error("the page does not offer it")
	}
}

// TestNamesOfFields: a refusal names a field as its label does, and what has no mark is never required.
func TestNamesOfFields(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	long := w.send("affiliates/new", w.form("affiliates/new", "firstName", strings.Repeat("x", 300), "lastName", "L", "email", "l@example.org"))
	if long.status != 400 || !strings.Contains(long.text(), "First name is too long") || strings.Contains(long.text(), "firstName") {
		t.Errorf("%d %s", long.status, long.text())
	}
	empty := regexp.MustCompile(`<label for="f-([^"]+)">[^<]*</label>`)
	forms, marked := 0, 0
	for _, d := range deeds(w) {
		shown := w.get(d.path)
		if shown.status != 200 || strings.Contains(shown.body, `type="file"`) {
			continue
		}
		form := fieldsOf(t, shown.body)
		for _, e := range parse(t, shown.body) {
			if name := e.attrs["name"]; strings.HasPrefix(e.attrs["id"], "f-") && e.name != "select" && !strings.HasPrefix(name, "was-") {
				form.Set(name, "")
			}
		}
		for i := 0; i+1 < len(d.fields); i += 2 { // what is required
			if regexp.MustCompile(`name="` + regexp.QuoteMeta(d.fields[i]) + `"[^>]* required`).MatchString(shown.body) {
				form.Set(d.fields[i], d.fields[i+1])
			}
		}
		refused := w.send(d.path, form)
		forms++
		if strings.Contains(shown.body, "<small>*</small>") != strings.Contains(shown.body, "* must be filled in.") {
			t.Errorf("%s: a mark without its meaning, or that without it", d.path)
		}
		marked += strings.Count(shown.body, "<small>*</small>")
		for _, m := range empty.FindAllStringSubmatch(refused.body, -1) {
			if wrong := regexp.MustCompile(`id="w-` + regexp.QuoteMeta(m[1]) + `"><bdi>([^<]*)`).FindStringSubmatch(refused.body); wrong != nil && strings.Contains(wrong[1], "required") {
				t.Errorf("%s: %s has no mark, and: %s", d.path, m[1], wrong[1])
			}
		}
	}
	if forms < 20 || marked < 20 {
		t.Errorf("only %d forms with %d marks", forms, marked)
	}
}

// TestRefusedCode: an order that a code refuses has no price, and a code that begins later is no fault.
func TestRefusedCode(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	s := w.stock()
	later := must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: s.coupon.ID, Code: "LATER", AffiliateID: w.ada.ID, StartsAt: affiliate.Set(affiliate.Day(2030, 1, 1))}))
	tried := w.get("codes/" + later.ID.String() + "?total=50&email=x@y.example")
	if !strings.Contains(tried.text(), "It is refused") || strings.Contains(tried.text(), "To pay") {
		t.Error(tried.text())
	}
	if strings.Contains(tried.body, `class="badge bad">From`) || !strings.Contains(tried.body, `class="badge warn">From 1 Jan 2030`) {
		t.Errorf("a code that begins later: %s", tried.text())
	}
	path := "coupons/" + s.coupon.ID.String() + "/generate"
	form := w.form(path, "affiliates", "ada@example.org", "count", "3", "prefix", "X", "firstName", "1", "check", "1")
	form.Del("randomChars")
	if shown := w.send(path, form).text(); strings.Contains(shown, "3 codes out of 1") {
		t.Error(shown)
	}
}

// TestOldForm: a form that is sent the next day keeps what was typed; one of somebody else does not.
func TestOldForm(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	form := w.form("affiliates/new", "firstName", "Typed", "lastName", "L", "email", "typed@example.org")
	w.now = w.now.Add(14 * time.Hour)
	before := w.effects()
	if other := w.send("affiliates/new", form, "Actor", "somebody else"); other.status != 403 || strings.Contains(other.body, "Typed") {
		t.Errorf("as somebody else: %d", other.status)
	}
	again := w.send("affiliates/new", form)
	if again.status != 409 || !strings.Contains(again.body, `value="Typed"`) || !strings.Contains(again.text(), "too old") || w.effects() != before {
		t.Fatalf("%d %s", again.status, again.text())
	}
	if sent := w.send("affiliates/new", fieldsOf(t, again.body)); sent.status != 303 {
		t.Errorf("sent again: %d %s", sent.status, sent.text())
	}
}

// TestCustomerBecause: the page of a customer says why their affiliate is credited, and nothing of
// what nobody has said that they bought.
func TestCustomerBecause(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	s := w.stock()
	buyer := must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: s.code.Code, Email: "because@x.example", Name: "B", TotalEarned: affiliate.MustAmount("20")})).Sale.Or(affiliate.Sale{})
	customer := must(w.Referral(t.Context(), "because@x.example"))
	shown := w.get("customers/" + customer.ID.String()).text()
	if !strings.Contains(shown, fmt.Sprintf("Because The promotional code of the order ( sale %d )", buyer.ID)) || strings.Contains(shown, "N/A") {
		t.Error(shown)
	}
	if by := w.get("customers/" + s.extraCustomer.ID.String()).text(); !strings.Contains(by, "Because A link of theirs, or the shop named them") {
		t.Error(by)
	}
}
