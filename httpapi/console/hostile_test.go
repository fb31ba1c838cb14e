package console_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/sample"
	"github.com/tributary-go/tributary/memstore"
)

// signatures are the elements of pages with the names of their attributes.
func signatures(t testing.TB, pages map[string]pageAnswer) map[string]string {
	all := map[string]string{}
	for at, page := range pages {
		for _, e := range elements(t, page) {
			names := slices.Sorted(maps.Keys(e.attrs))
			all[e.name+" "+strings.Join(names, " ")] = at
		}
	}
	return all
}

// TestHostileFill (check 46): no element, attribute or link is made from data,
// and what cannot be seen is shown.
func TestHostileFill(t *testing.T) {
	plain := newWorld(t)
	plain.fill("")
	known := signatures(t, crawl(t, plain.desk, "/"))
	for name, text := range sample.Hostile {
		t.Run(name, func(t *testing.T) {
			if name != "right to left" && name != "emoji" {
				atlength.Only(t, "reads every page once more")
			}
			w := newWorld(t)
			w.fill(text)
			pages := crawl(t, w.desk, "/")
			for signature, at := range signatures(t, pages) {
				if known[signature] == "" {
					t.Errorf("%s: <%s>", at, signature)
				}
			}
			for at, page := range pages {
				if hidden := unseen(t, page); hidden != "" {
					t.Errorf("%s has a character that cannot be seen in %s", at, hidden)
				}
				for _, e := range elements(t, page) {
					if href := e.attrs["href"]; strings.Contains(strings.ToLower(href), "javascript:") {
						t.Errorf("%s links to %s", at, href)
					}
				}
				if strings.HasPrefix(page.head.Get("Content-Type"), "text/csv") && regexp.MustCompile(`(?m)(^|,)"?=`).MatchString(page.body) {
					t.Errorf("%s has a formula: %s", at, page.body)
				}
			}
			page := w.get("affiliates/" + w.ada.ID.String())
			if name == "right to left" && !strings.Contains(page.text(), "XU+202Egnp.exe") {
				t.Error(page.text())
			}
			if name == "emoji" && !strings.Contains(page.text(), text) {
				t.Error(page.text())
			}
		})
	}
}

var typedText = regexp.MustCompile(`(?s)<textarea.*?</textarea>`)

// unseen is where a page has a character that cannot be seen, but for what can be
// edited, which is as it was typed.
func unseen(t testing.TB, page pageAnswer) string {
	const hidden = "\u202e\u200b\ufeff"
	for _, e := range elements(t, page) {
		for name, value := range e.attrs {
			if strings.ContainsAny(value, hidden) && (e.name != "input" && e.name != "textarea" || name != "value") {
				return e.name + " " + name
			}
		}
	}
	page.body = typedText.ReplaceAllString(page.body, "")
	if strings.HasPrefix(page.head.Get("Content-Type"), "text/html") && strings.ContainsAny(page.text(), hidden) {
		return "its text"
	}
	return ""
}

// TestLongestTexts (3.3): pages of the longest names stay within their bytes.
func TestLongestTexts(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for i := range 60 {
		long := strings.Repeat([]string{"n", "👩", "\"", "<"}[i%4], 98)
		must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: long, LastName: long, Email: fmt.Sprintf("%d%s@%s.example", i, strings.Repeat("m", 60), strings.Repeat("d", 60)), AffiliateStatus: "inactive"}))
	}
	long := strings.Repeat("ü\"<", 85)
	for i := range 60 {
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Name: long, Email: fmt.Sprintf("%d%s@x.example", i, strings.Repeat("m", 60)), TotalEarned: affiliate.MustAmount("99999999999"), ExternalID: fmt.Sprint(long[:200], i)}))
	}
	must(w.UpdateReferral(t.Context(), w.customer.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set(strings.Repeat("<\u200b\"", 3_333))}))
	crawl(t, w.desk, "/")
	if page := w.get("customers/" + w.customer.ID.String()); page.status != 200 || len(page.body) > maxPage {
		t.Errorf("%d, %d bytes", page.status, len(page.body))
	}
}

// TestStoreFails (check 51): a store that fails at any call is a 500 with the id
// of the request and nothing else, and each action is done wholly or not at all.
func TestStoreFails(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	check := func(at string, n int, page pageAnswer) {
		t.Helper()
		id := page.head.Get("X-Request-Id")
		if page.status != 500 || id == "" || !strings.Contains(page.body, id) || strings.Contains(page.body, "secret-detail") {
			t.Errorf("%s, call %d: %d %s", at, n, page.status, page.text())
		}
		protected(t, at, page)
	}
	parts, skip := 12, 6
	if !atlength.On() {
		parts, skip = 2, 1
	}
	for at := range crawl(t, w.desk, "/") {
		w.store.begin(0)
		ask(w.desk, "GET", at, "")
		most := w.store.calls
		for n := 1; n <= most; n += 1 + most/parts {
			w.store.begin(n)
			if page := ask(w.desk, "GET", at, ""); w.store.calls >= n {
				check(at, n, page)
			}
		}
	}
	w.store.begin(0)
	for _, d := range deeds(w) {
		form := w.ready(d.path, d.fields...)
		before := w.effects()
		if strings.HasSuffix(d.audit, ".erase") {
			continue // a job in steps goes on from where it was cut off; the tests of the engine prove it
		}
		inSteps := d.name == "run" || d.name == "delete hook" // they go on when their form is sent again
		for n := 1; ; n += 1 + n/skip {                       // every call at first, then some
			w.store.begin(n)
			page := w.send(d.path, form)
			done := w.store.calls < n
			w.store.begin(0)
			if done {
				// The last step may be done although its page failed; then nothing is left to do.
				if page.status != d.done() && !(inSteps && page.status == 409 && d.effect() == d.want) {
					t.Errorf("%s at last: %d %s", d.name, page.status, page.text())
				}
				break
			}
			if page.status == d.done() && d.effect() == d.want {
				break // what failed did not matter
			}
			check(d.name, n, page)
			if !inSteps && w.effects() != before {
				t.Fatalf("%s, call %d: half of it is done", d.name, n)
			}
		}
		if err := w.Verify(t.Context()); err != nil || d.effect() != d.want {
			t.Errorf("%s at last: %q, not %q; the books: %v", d.name, d.effect(), d.want, err)
		}
	}
}

// TestKeys (check 52): two consoles with one Key take each other's forms; with
// another, or none, the form is too old. Another program's ids are not there.
func TestKeys(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	path := "affiliates/new"
	other := func(k []byte) pageAnswer {
		cfg := w.cfg
		cfg.Key = k
		return ask(must(console.New(w.Program, cfg)), "POST", "/"+path, w.form(path, "firstName", "A", "lastName", "B", "email", uuid.NewString()+"@example.org").Encode())
	}
	if answer := other(key); answer.status != 303 {
		t.Errorf("one Key: %d", answer.status)
	}
	for _, k := range [][]byte{nil, make([]byte, 32)} {
		if answer := other(k); answer.status != 403 || !strings.Contains(answer.body, "too old") {
			t.Errorf("Key %q: %d %s", k, answer.status, answer.text())
		}
	}
	engine := w.Config()
	engine.ID = uuid.New()
	stranger := w.desk.For(must(tributary.New(memstore.New(), engine)))
	for _, at := range []string{"affiliates/" + w.ada.ID.String(), fmt.Sprint("sales/", w.free.ID), "payouts/" + w.payout.ID.String(), "webhooks/deliveries/" + w.delivery.String(), "customers/" + w.customer.ID.String()} {
		if page := ask(stranger, "GET", "/"+at, ""); page.status != 404 {
			t.Errorf("%s: %d", at, page.status)
		}
	}
	if answer := ask(stranger, "POST", "/"+path, w.form(path).Encode()); answer.status != 403 {
		t.Errorf("the form of another program: %d", answer.status)
	}
	crawl(t, stranger, "/")
}

// TestBooksPage (check 44): one button, a planted breach, and one check at a time.
func TestBooksPage(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	w.log.reset()
	page := w.send("books", w.form("books"))
	if page.status != 200 || !strings.Contains(page.text(), "The books hold") {
		t.Errorf("%d %s", page.status, page.text())
	}
	if lines := w.log.actions(); len(lines) != 1 || !strings.Contains(lines[0], "action=books.check object=program:"+w.Config().ID.String()) {
		t.Errorf("%q", lines)
	}
	must(0, w.store.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		return tx.Coupons.Insert(record.Coupon{ID: uuid.New(), Name: "<b>planted"})
	}))
	must(0, w.store.Store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		rec, err := tx.Totals.Get(w.ada.ID)
		rec.Clicks += 7
		return errors.Join(err, tx.Totals.Replace(rec))
	}))
	if page = w.send("books", w.form("books")); page.status != 200 || !strings.Contains(page.text(), "do not hold") || !strings.Contains(page.text(), w.ada.ID.String()) {
		t.Errorf("%d %s", page.status, page.text())
	}
}

// TestExplained (check 40): the figures on the page of a sale multiply out to the
// stored commission.
func TestExplained(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	figure := func(text, label string) (affiliate.Amount, bool) {
		found := regexp.MustCompile(regexp.QuoteMeta(label) + ` (−?[0-9,.]+)`).FindStringSubmatch(text)
		if found == nil {
			return affiliate.Amount{}, false
		}
		return must(affiliate.ParseAmount(strings.NewReplacer(",", "", "−", "-").Replace(found[1]))), true
	}
	for i := range 300 {
		in := affiliate.SaleParams{ReferralID: "ada", Email: "e@x.example", Name: "E", TotalEarned: affiliate.AmountFromScaled(int64(i*i%997+100) * 1_230_000 / 10000 * 10000), Tax: affiliate.MustAmount(fmt.Sprintf("0.%02d", i%100))}
		if i%3 == 0 {
			in.CommissionRate = affiliate.Set(affiliate.MustPercent(fmt.Sprintf("%d.%d", i%100, i%10)))
		}
		result, err := w.RecordSale(t.Context(), in)
		if err != nil {
			t.Fatalf("%d: %v of %s", i, err, in.TotalEarned)
		}
		sale := result.Sale.Or(affiliate.Sale{})
		text := w.get(fmt.Sprint("sales/", sale.ID)).text()
		base, ok1 := figure(text, "Base of the whole sale")
		said, ok2 := figure(text, "Commission")
		rate := regexp.MustCompile(`Rate, [a-z' ]+ ([0-9.]+) %`).FindStringSubmatch(text)
		if !ok1 || !ok2 || rate == nil {
			t.Fatalf("sale %d: %s", sale.ID, text)
		}
		whole, percent := must(base.Round("USD")), must(affiliate.ParseAmount(rate[1]))
		want := must(whole.Portion(percent, affiliate.MustAmount("100"), "USD"))
		if want != said || said != sale.CommissionEarned {
			t.Errorf("sale %d: %s %% of %s is %s, the page says %s, stored is %s", sale.ID, rate[1], base, want, said, sale.CommissionEarned)
		}
	}
}

// TestSourceReadsNoTables (check 50 and 3.3): no page trusts data, and none reads whole tables.
func TestSourceReadsNoTables(t *testing.T) {
	files := token.NewFileSet()
	entries := must(os.ReadDir("."))
	looked := 0
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		looked++
		ast.Inspect(must(parser.ParseFile(files, entry.Name(), nil, 0)), func(n ast.Node) bool {
			if c, ok := n.(*ast.CompositeLit); ok && len(c.Elts) == 0 {
				if typ, ok := c.Type.(*ast.SelectorExpr); ok && typ.Sel.Name == "Page" {
					t.Errorf("%s: a page without a limit", files.Position(n.Pos()))
				}
			}
			if name, ok := n.(*ast.Ident); ok && name.Name == "WithCodes" {
				t.Errorf("%s: all codes of a coupon", files.Position(n.Pos()))
			}
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			on := ""
			switch x := s.X.(type) {
			case *ast.Ident:
				on = x.Name
			case *ast.SelectorExpr:
				on = x.Sel.Name
			}
			if on == "template" && slices.Contains([]string{"HTML", "HTMLAttr", "JS", "JSStr", "URL", "CSS", "Srcset"}, s.Sel.Name) ||
				(on == "program" || on == "p") && slices.Contains([]string{"Run", "Verify", "WriteCoupons"}, s.Sel.Name) {
				t.Errorf("%s: %s.%s", files.Position(n.Pos()), on, s.Sel.Name)
			}
			return true
		})
	}
	if looked < 10 {
		t.Errorf("only %d files", looked)
	}
}

// hebrew is written from right to left, with letters that anybody may use.
const hebrew = " שלום"

// loose is where a page has a text of people that is not isolated from what stands
// beside it; empty: nowhere. The title of the window has no elements, and fields and
// choices say themselves that their text decides its direction.
func loose(t testing.TB, body string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []string
	isolated := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			for _, a := range e.Attr {
				if a.Name.Local == "dir" && a.Value == "auto" {
					name = "bdi"
				}
			}
			open = append(open, name)
			if name == "bdi" || name == "title" {
				isolated++
			}
		case xml.EndElement:
			if last := open[len(open)-1]; last == "bdi" || last == "title" {
				isolated--
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if isolated == 0 && strings.Contains(string(e), strings.TrimSpace(hebrew)) {
				return strings.Join(open, " ") + ": " + strings.TrimSpace(string(e))
			}
		}
	}
}

// TestValuesAreIsolated: on every page and form each text of people stands in an
// element that isolates it.
func TestValuesAreIsolated(t *testing.T) {
	w := newWorld(t)
	w.fill(hebrew)
	shown := 0
	for at, page := range crawl(t, w.desk, "/") {
		if !strings.HasPrefix(page.head.Get("Content-Type"), "text/html") {
			continue
		}
		shown += strings.Count(page.body, "<bdi>")
		if where := loose(t, page.body); where != "" {
			t.Errorf("%s: in %s", at, where)
		}
	}
	if shown < 500 {
		t.Errorf("only %d texts are isolated", shown)
	}
	if where := loose(t, "<p>Edit"+hebrew+"</p>"); where == "" {
		t.Error("a loose text is not found")
	}
}

// TestTypedAmounts: every field of money and percent reads what people
// type in one way, and refuses with an example what could be read in two.
func TestTypedAmounts(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	s := w.stock()
	ada := "affiliates/" + w.ada.ID.String()
	before := w.effects()
	for _, row := range []struct {
		path, field string
		more        []string
	}{
		{fmt.Sprint("sales/", w.free.ID, "/refund"), "amount", nil},
		{ada + "/adjust", "amount", []string{"kind", "BONUS", "reason", "r"}},
		{"payouts/new", "minimum", nil},
		{"coupons/new?kind=FLAT", "amountOff", []string{"name", "Flat", "currency", "USD"}},
		{"coupons/" + s.empty.ID.String() + "/edit", "amountOff", nil},
		{"coupons/" + s.coupon.ID.String() + "/codes/new", "minimumAmount", []string{"code", "TYPED"}},
		{"coupons/" + s.coupon.ID.String() + "/generate", "minimumAmount", []string{"affiliates", "ada@example.org"}},
		{"codes/" + s.code.ID.String() + "/edit", "minimumAmount", nil},
		{"tiers/new", "minRevenue", []string{"name", "T"}},
		{"tiers/" + s.tier.ID.String() + "/edit", "minRevenue", nil},
		{"terms/change", "maxPerSale", nil},
		{fmt.Sprint("sales/", w.lined.ID, "/refund"), "line-1", nil},
	} {
		for _, typed := range []string{"12,50", "1,23", "1,2345.00", "0,5", "1.250", "€5", "1e3", "12.345", "12.50.1", "ten"} {
			page := w.send(row.path, w.form(row.path, append(row.more, row.field, typed)...))
			if page.status != 400 || !strings.Contains(page.text(), "Enter an amount in USD, such as 12.50 or 1,250.00.") || w.effects() != before {
				t.Errorf("%s %s=%q: %d %s", row.path, row.field, typed, page.status, page.text())
			}
		}
	}
	for path, field := range map[string]string{ada + "/edit": "commissionRate", "plans/new": "commissionRate", "plans/" + s.plan.ID.String() + "/change": "commissionRate", "terms/change": "commissionRate", "tiers/new": "commissionRate", "coupons/new": "percentOff"} {
		for _, typed := range []string{"12,5", "1,250", "1e1", "ten"} {
			page := w.send(path, w.form(path, "name", "N", field, typed))
			if page.status != 400 || !strings.Contains(page.text(), "Enter a number, such as 12.5.") || w.effects() != before {
				t.Errorf("%s %s=%q: %d %s", path, field, typed, page.status, page.text())
			}
		}
	}
	adjust := ada + "/adjust"
	for typed, want := range map[string]string{"1,250.5": "1,250.50 USD", "1250.50": "1,250.50 USD", "$12.50": "12.50 USD", "1,234,567": "1,234,567.00 USD"} {
		if page := w.send(adjust, w.form(adjust, "kind", "BONUS", "reason", "r", "amount", typed)); page.status != 200 || !strings.Contains(page.text(), "Bonus of "+want) {
			t.Errorf("%q: %d %s", typed, page.status, page.text())
		}
	}
	code := "codes/" + s.code.ID.String()
	for query, want := range map[string]string{"?total=12%2C50": "Enter an amount in USD", "?total=1%2C250": "It works"} {
		if page := w.get(code + query); !strings.Contains(page.text(), want) {
			t.Errorf("%s: %s", query, page.text())
		}
	}
	edit := code + "/edit"
	if page := w.send(edit, w.form(edit, "minimumAmount", "1,250", "minimumAmountCurrency", "JPY")); page.status != 303 {
		t.Errorf("%d %s", page.status, page.text())
	}
	if page := w.send(edit, w.form(edit, "minimumAmount", "12.5")); page.status != 400 || !strings.Contains(page.text(), "Enter an amount in JPY, such as 12 or 1,250.") {
		t.Errorf("%d %s", page.status, page.text())
	}
}
