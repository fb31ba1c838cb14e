package console_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// A deed is an action with what its form is given, and what it has done.
type deed struct {
	name, audit, object string
	path                string
	fields              []string
	refused             []string // fields with which it is refused
	field               string   // where the message of that stands
	effect              func() string
	want                string
	shown               string // on the page that answers the form; empty: it leads to another
}

func deeds(w *world) []deed {
	ctx := w.t.Context()
	person := func(id uuid.UUID) affiliate.Affiliate { return must(w.Affiliate(ctx, id.String())) }
	ada, idle := w.ada.ID.String(), w.idle.ID.String()
	sale := func(s affiliate.Sale) affiliate.Sale { return must(w.Sale(ctx, s.ID)) }
	free, held := fmt.Sprint(w.free.ID), fmt.Sprint(w.held.ID)
	found := func(q string) string {
		list := must(w.Affiliates(ctx, affiliate.AffiliateQuery{Search: affiliate.Set(q)}, affiliate.Page{Limit: 50}))
		return fmt.Sprint(len(list.Items))
	}
	all := []deed{
		{"create", "affiliates.create", "affiliate:", "affiliates/new", []string{"firstName", "Neo", "lastName", "N", "email", "neo@example.org"},
			[]string{"firstName", "Neo", "lastName", "N", "email", "no mail"}, "email", func() string { return found("neo@example.org") }, "1", ""},
		{"approve", "affiliates.status", "affiliate:" + idle, "affiliates/status?id=" + idle + "&to=ACTIVE", nil, nil, "", func() string { return string(person(w.idle.ID).Status) }, "ACTIVE", ""},
		{"details", "affiliates.payout-details", "affiliate:" + ada, "affiliates/" + ada + "/payout-details", []string{"payoutEmail", "new@pay.example", "paymentMethod", "PAYPAL"},
			[]string{"payoutEmail", "not an email", "paymentMethod", "PAYPAL"}, "payoutEmail", func() string { return person(w.ada.ID).PayoutEmail.Or("") }, "new@pay.example", ""},
		{"rate", "affiliates.update", "affiliate:" + ada, "affiliates/" + ada + "/edit", []string{"commissionRate", "12.5"}, []string{"commissionRate", "101"}, "commissionRate", func() string { return person(w.ada.ID).CommissionRate.String() }, "12.5", ""},
		{"adjust", "affiliates.adjust", "affiliate:" + ada, "affiliates/" + ada + "/adjust", []string{"kind", "BONUS", "amount", "7.77", "reason", "thanks"},
			[]string{"kind", "BONUS", "amount", "much", "reason", "thanks"}, "amount", func() string {
				return fmt.Sprint(len(must(w.Adjustments(ctx, affiliate.AdjustmentQuery{}, affiliate.Page{Limit: 50})).Items))
			}, "1", ""},
		{"refund", "sales.refund", "sale:" + free, "sales/" + free + "/refund", []string{"amount", "1.5"}, []string{"amount", "5000"}, "amount", func() string { return sale(w.free).RefundedAmount.String() }, "1.5", ""},
		{"review", "sales.review", "sale:" + held, "sales/review?id=" + held + "&to=ACCEPTED", nil, nil, "", func() string { return string(sale(w.held).Commissions[0].ApprovalStatus) }, "ACCEPTED", ""},
		{"paid", "payouts.status", "payout:" + w.payout.ID.String(), "payouts/" + w.payout.ID.String() + "/status?to=PAID", nil, nil, "",
			func() string { return string(must(w.Payout(ctx, w.payout.ID)).Status) }, "PAID", ""},
		{"replay", "webhooks.replay", "delivery:" + w.delivery.String(), "webhooks/deliveries/" + w.delivery.String() + "/replay", nil, nil, "",
			func() string { return string(must(w.Webhooks().Delivery(ctx, w.delivery)).State) }, "pending", ""},
		{"reverse", "sales.reverse", "sale:" + free, "sales/" + free + "/reverse", nil, nil, "", func() string {
			_, err := w.Sale(ctx, w.free.ID)
			return fmt.Sprint(err == affiliate.ErrNotFound)
		}, "true", ""},
	}
	return append(append(all, moreDeeds(w)...), deed{"run", "payouts.run", "run:2026-03", "payouts/new", []string{"externalId", "2026-03", "minimum", "0"}, []string{"externalId", "2026-03", "minimum", "-1"}, "minimum", func() string {
		return fmt.Sprint(len(must(w.PayoutRuns(ctx, affiliate.Page{Limit: 50})).Items))
	}, "2", ""})
}

// TestEachForm (checks 37 and 41): each action by its form has its effect once, its
// notice and its audit line; a refusal changes nothing, keeps what was typed and
// says why at the field.
func TestEachForm(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for _, d := range deeds(w) {
		t.Run(d.name, func(t *testing.T) {
			w.t = t
			if d.refused != nil {
				w.refuses(d)
			}
			w.log.reset()
			form := w.ready(d.path, d.fields...)
			answer := w.send(d.path, form)
			to := answer.head.Get("Location")
			if d.shown != "" {
				if answer.status != 200 || !strings.Contains(answer.text()+answer.body, d.shown) {
					t.Errorf("%d %s", answer.status, answer.text())
				}
			} else if answer.status != 303 || to == "" || strings.HasPrefix(to, "/") || strings.Contains(to, "://") {
				t.Fatalf("%d, Location %q: %s", answer.status, to, answer.text())
			}
			if got := d.effect(); got != d.want {
				t.Errorf("the effect is %q, not %q", got, d.want)
			}
			page := ask(w.desk, "GET", must(must(url.Parse("/"+d.path)).Parse(to)).String(), "")
			if d.shown == "" && (page.status != 200 || !strings.Contains(page.body, `class="notice"`)) {
				t.Errorf("%s: %d without a notice", to, page.status)
			}
			w.audited(d, "ok")
			before := w.effects()
			w.now = w.now.Add(time.Second)
			again := w.send(d.path, form)
			if again.status != answer.status || untimed(again.head.Get("Location")) != untimed(to) {
				t.Errorf("sent twice: %d %q %s", again.status, again.head.Get("Location"), again.text())
			}
			if w.effects() != before {
				t.Error("a form that is sent twice has two effects")
			}
		})
	}
	w.t = t
	if err := w.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// refuses sends what is refused.
func (w *world) refuses(d deed) {
	w.t.Helper()
	w.log.reset()
	form := w.form(d.path, d.refused...)
	before := w.effects()
	page := w.send(d.path, form)
	if movesMoney(d.path) && page.status == 200 {
		page = w.send(d.path, fieldsOf(w.t, page.body)) // the engine refuses it
	}
	if page.status != 400 || w.effects() != before {
		w.t.Errorf("%d, changed %v: %s", page.status, w.effects() != before, page.text())
	}
	kept, cannot := fieldsOf(w.t, page.body), map[string]bool{"token": true, "nonce": true}
	for _, e := range parse(w.t, page.body) {
		if e.name == "select" || e.attrs["type"] == "file" || e.attrs["type"] == "hidden" {
			cannot[e.attrs["name"]] = true // a choice that is none is none, and no browser keeps files
		}
	}
	for name := range form {
		if !cannot[name] && kept.Get(name) != form.Get(name) {
			w.t.Errorf("%s was %q and is %q", name, form.Get(name), kept.Get(name))
		}
	}
	if kept.Get("nonce") == form.Get("nonce") {
		w.t.Error("the form that is shown again has the same nonce")
	}
	invalid := ""
	for _, e := range parse(w.t, page.body) {
		if e.attrs["aria-invalid"] == "true" {
			invalid += e.attrs["name"]
		}
	}
	if invalid != d.field || !strings.Contains(page.body, `role="alert"`) {
		w.t.Errorf("the message is at %q, not at %q: %s", invalid, d.field, page.text())
	}
	if lines := w.log.actions(); len(lines) != 1 || strings.Contains(lines[0], "outcome=ok") {
		w.t.Errorf("a refusal is logged as %q", lines)
	}
}

// audited checks the one audit line.
func (w *world) audited(d deed, outcome string) {
	w.t.Helper()
	lines := w.log.actions()
	if len(lines) != 1 {
		w.t.Fatalf("%d audit lines: %q", len(lines), lines)
	}
	for _, want := range []string{" actor=ops ", " action=" + d.audit + " ", " object=" + d.object, " program=" + w.Config().ID.String() + " ", " request_id=", " outcome=" + outcome} {
		if !strings.Contains(lines[0]+" ", want) {
			w.t.Errorf("%q is not in %q", want, lines[0])
		}
	}
	_, object, _ := strings.Cut(lines[0], " object=")
	if object, _, _ = strings.Cut(object, " "); strings.HasSuffix(object, ":") || strings.HasSuffix(object, `:"`) {
		w.t.Errorf("the line does not name what was made: %q", lines[0])
	}
}

// TestForgedFormsOfEach (check 35): a form that the console did not make for this actor
// and path, or long ago, or that comes from elsewhere, does nothing.
func TestForgedFormsOfEach(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	for _, d := range append(deeds(w), deed{name: "books", path: "books"}) {
		path := d.path
		plain, _, _ := strings.Cut(path, "?")
		before := w.effects()
		form := func() url.Values { return w.form(path, d.fields...) }
		with := func(name, value string) url.Values { f := form(); f.Set(name, value); return f }
		other := "affiliates/new"
		if plain == other {
			other = "payouts/new"
		}
		token := form().Get("token")
		flipped := strings.Map(func(r rune) rune {
			if r == 'A' {
				return 'B'
			}
			return r
		}, token[:len(token)-3]+"AAA")
		for name, answer := range map[string]pageAnswer{
			"no token": w.send(path, with("token", "")), "no nonce": w.send(path, with("nonce", "")), "long nonce": w.send(path, with("nonce", strings.Repeat("n", 65))),
			"flipped": w.send(path, with("token", flipped)), "cut": w.send(path, with("token", token[:20])),
			"another path's": w.send(path, with("token", w.form(other).Get("token"))),
			"another actor":  w.send(path, form(), "Actor", "mallory"), "cross-site": w.send(path, form(), "Sec-Fetch-Site", "cross-site"),
			"same-site": w.send(path, form(), "Sec-Fetch-Site", "same-site"), "foreign origin": w.send(path, form(), "Origin", "https://evil.example"),
			"null origin": w.send(path, form(), "Origin", "null"), "multipart": w.send(path, form(), "Content-Type", "multipart/form-data; boundary=x"),
			"too large": w.send(path, with("junk", strings.Repeat("x", 2<<20))),
			"empty":     w.send(path, url.Values{}), "token in the query": ask(w.desk, "POST", "/"+plain+"?"+form().Encode(), ""),
		} {
			if answer.status != 403 && !(name == "token in the query" && answer.status == 400) {
				t.Errorf("%s, %s: %d %s", d.name, name, answer.status, answer.text())
			}
			protected(t, name, answer)
		}
		old := form()
		w.now = w.now.Add(13 * time.Hour)
		tooOld := 409 // it is shown again
		if d.path == "books" {
			tooOld = 403 // nothing was typed into it
		}
		if answer := w.send(path, old); answer.status != tooOld || !strings.Contains(answer.text(), "This form is too old") {
			t.Errorf("%s, 13 hours old: %d", d.name, answer.status)
		}
		future := form()
		w.now = w.now.Add(-13 * time.Hour)
		if answer := w.send(path, future); answer.status != 403 {
			t.Errorf("%s, from the future: %d", d.name, answer.status)
		}
		if w.effects() != before {
			t.Fatalf("%s: a forged form has changed something", d.name)
		}
	}
	if lines := w.log.actions(); len(lines) > 0 {
		t.Errorf("audit: %q", lines)
	}
}

// TestReadOnly (check 35): no form that changes anything, and no way to one.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	cfg := w.cfg
	cfg.ReadOnly, cfg.Logger = true, nil
	desk := must(console.New(w.Program, cfg))
	all := deeds(w)
	before := w.effects()
	for at, page := range crawl(t, desk, "/") {
		if strings.Contains(page.body, `method="post"`) || strings.Contains(page.body, `name="token"`) {
			t.Errorf("%s has a form", at)
		}
		if page.status != 200 {
			t.Errorf("%s: %d", at, page.status)
		}
		if answer := ask(desk, "POST", at, "a=b"); answer.status != 403 {
			t.Errorf("POST %s: %d", at, answer.status)
		}
		for _, e := range elements(t, page) {
			if to := e.attrs["action"]; strings.HasSuffix(to, "/status") || strings.HasSuffix(to, "/review") {
				t.Errorf("%s has a form to %s", at, to)
			}
		}
	}
	for _, d := range all {
		if answer := ask(desk, "POST", "/"+d.path, w.form(d.path, d.fields...).Encode()); answer.status != 403 {
			t.Errorf("%s: %d", d.name, answer.status)
		}
		if answer := ask(desk, "GET", "/"+d.path, ""); answer.status != 403 {
			t.Errorf("the form of %s: %d", d.name, answer.status)
		}
	}
	if w.effects() != before {
		t.Error("something has changed")
	}
}

// TestNewRefuses (check 31): what New refuses.
func TestNewRefuses(t *testing.T) {
	w := newWorld(t)
	for name, change := range map[string]func(*console.Config){
		"no Authorize": func(c *console.Config) { c.Authorize = nil }, "no Logger": func(c *console.Config) { c.Logger = nil },
		"prefix without end": func(c *console.Config) { c.Prefix = "/a" }, "prefix without slash": func(c *console.Config) { c.Prefix = "a/" },
		"dots": func(c *console.Config) { c.Prefix = "/a/../" }, "double": func(c *console.Config) { c.Prefix = "/a//b/" }, "only slashes": func(c *console.Config) { c.Prefix = "//" },
		"short key": func(c *console.Config) { c.Key = make([]byte, 31) },
	} {
		cfg := w.cfg
		change(&cfg)
		if _, err := console.New(w.Program, cfg); err == nil || !strings.HasPrefix(err.Error(), "console: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := console.New(nil, w.cfg); err == nil {
		t.Error("a nil program is taken")
	}
}

// untimed is where a page leads, without when it was said.
func untimed(location string) string {
	where, done, _ := strings.Cut(location, paramDone)
	name, _, _ := strings.Cut(done, "~")
	return where + name
}

const paramDone = "done="

// TestSaidOnce: a page says what was done a moment ago, and does not say it again when it is loaded later, while what an
// action leads to stays.
func TestSaidOnce(t *testing.T) {
	w := newWorld(t)
	form := w.form("affiliates/new", "firstName", "A", "lastName", "B", "email", "z@example.org")
	answer := w.send("affiliates/new", form)
	to := must(must(url.Parse("/affiliates/new")).Parse(answer.head.Get("Location"))).String()
	for _, wait := range []time.Duration{0, 30 * time.Second, 2 * time.Minute, 30 * 24 * time.Hour} {
		w.now = w.now.Add(wait)
		page := ask(w.desk, "GET", to, "")
		if said := strings.Contains(page.body, `class="notice"`); page.status != 200 || said != (wait < time.Minute) {
			t.Errorf("%s later: %d, said: %t", wait, page.status, said)
		}
	}
}

// TestKeptForm: a form that is sent without a login does nothing and comes back as it was filled in, also to a host with a
// page of its own, and once somebody has logged in it is done. Another site's form does not come back, nor one of nobody.
func TestKeptForm(t *testing.T) {
	w := newWorld(t)
	cfg := w.cfg
	cfg.Denied = http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusTeapot) })
	host := must(console.New(w.Program, cfg))
	typed := `Zoë "<script>&`
	form := w.form("affiliates/new", "firstName", typed, "lastName", "B", "email", "z@example.org")
	for name, desk := range map[string]http.Handler{"host": host, "console": w.desk} {
		answer := ask(desk, "POST", "/affiliates/new", form.Encode(), "Actor", "")
		if answer.status != 403 || strings.Contains(answer.body, "<script>") || strings.Contains(answer.body, "Northwind") {
			t.Errorf("%s: %d %s", name, answer.status, answer.body)
		}
		protected(t, name, answer)
		if diff := cmp.Diff(form, fieldsOf(t, answer.body)); diff != "" {
			t.Errorf("%s (-sent +kept):\n%s", name, diff)
		}
		foreign := ask(desk, "POST", "/affiliates/new", form.Encode(), "Actor", "", "Sec-Fetch-Site", "cross-site")
		forged := ask(desk, "POST", "/affiliates/new", "firstName=a", "Actor", "")
		if strings.Contains(foreign.body, "Zo") || strings.Contains(forged.body, "firstName") {
			t.Errorf("%s shows %s %s", name, foreign.body, forged.body)
		}
	}
	if answer := w.send("affiliates/new", form); answer.status != 303 {
		t.Errorf("after the login: %d %s", answer.status, answer.text())
	}
}

// TestDeniedEverywhere (checks 31 and 33): nobody who may not sees a page or an asset, and
// the host's own page has its own policy.
func TestDeniedEverywhere(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	cfg := w.cfg
	cfg.Denied = http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(rw, "log in")
	})
	host := must(console.New(w.Program, cfg))
	paths := slices.Collect(maps.Keys(crawl(t, w.desk, "/")))
	for _, at := range append(paths, "/nothing") {
		for _, method := range []string{"GET", "POST"} {
			page := ask(w.desk, method, at, "", "Actor", "")
			if page.status != 403 || strings.Contains(page.body, "Northwind") || strings.Contains(page.body, "assets") {
				t.Errorf("%s %s: %d %s", method, at, page.status, page.body)
			}
			protected(t, "denied", page)
		}
		page := ask(host, "GET", at, "", "Actor", "")
		if page.status != http.StatusTeapot || page.body != "log in" || page.head.Get("Content-Security-Policy") != "" {
			t.Fatalf("%s: %d %q, policy %q", at, page.status, page.body, page.head.Get("Content-Security-Policy"))
		}
	}
}

// TestActorsName (check 37): an actor with newlines forges no line.
func TestActorsName(t *testing.T) {
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Authorize = func(*http.Request) (string, bool) {
			return "eve\nlevel=INFO msg=\"console action\" actor=root\r\u2028" + strings.Repeat("x", 300), true
		}
	})
	w.log.reset()
	w.fill("")
	if answer := w.send("affiliates/new", w.form("affiliates/new", "firstName", "A", "lastName", "B", "email", "z@example.org")); answer.status != 303 {
		t.Fatal(answer.text())
	}
	if lines := w.log.actions(); len(lines) != 1 || strings.Contains(lines[0], `\n`) || strings.Contains(lines[0], strings.Repeat("x", 129)) {
		t.Errorf("%q", lines)
	}
}

// TestUnfitActions (3.3, settled in detail): what the state of an object does not
// allow is a 400 with the reason, on the form as on its POST, and nothing that
// does nothing says that it did.
func TestUnfitActions(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	before := w.effects()
	banned := must(w.Affiliate(t.Context(), must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{Status: affiliate.AffiliateBanned}, affiliate.Page{Limit: 1})).Items[0].ID.String())).ID.String()
	for _, path := range []string{fmt.Sprintf("sales/%d/reverse", w.paid.ID), "affiliates/status?to=ACTIVE&id=" + banned, "affiliates/status?to=DECLINED&id=" + w.ada.ID.String()} {
		if page := w.get(path); page.status != 400 {
			t.Errorf("the form %s: %d", path, page.status)
		}
	}
	form := w.form("affiliates/status?to=ACTIVE&id=" + w.idle.ID.String())
	for _, to := range []string{"NONE", "", "INVITED"} {
		if answer := w.send("affiliates/status?to="+to+"&id="+w.idle.ID.String(), form); answer.status != 400 {
			t.Errorf("to %q: %d %q", to, answer.status, answer.head.Get("Location"))
		}
	}
	if w.effects() != before {
		t.Error("something has changed")
	}
}

// TestBulk (checks 36, 37): several at once are done together, with a line each.
func TestBulk(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	two := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Two", LastName: "T", Email: "two@example.org", AffiliateStatus: "inactive"}))
	path := "affiliates/status?to=ACTIVE&id=" + w.idle.ID.String() + "&id=" + two.ID.String()
	if answer := w.send(path, w.form(path)); answer.status != 303 || len(w.log.actions()) != 2 {
		t.Errorf("%d %q", answer.status, w.log.actions())
	}
	missing := path + "&id=" + uuid.NewString()
	form := w.form(path)
	before := w.effects()
	if answer := w.send(missing, form); answer.status != 404 || w.effects() != before {
		t.Errorf("one that is not there: %d", answer.status)
	}
}

// What the console changes is said to be done by who is logged in, and the history shows it, with what
// has changed.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	of, edit := "affiliates/"+w.ada.ID.String(), "affiliates/"+w.ada.ID.String()+"/edit"
	if page := w.send(edit, w.form(edit, "lastName", "Byron", "externalId", "ada-7")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	newest := w.newest(w.ada.ID)
	if newest.Type != affiliate.AffiliateUpdated || newest.Actor != "ops" {
		t.Errorf("%s was done by %q", newest.Type, newest.Actor)
	}
	history := "events?object=" + w.ada.ID.String()
	if !strings.Contains(w.get(of).body, history) {
		t.Error("the page of an affiliate does not lead to its history")
	}
	for _, address := range []string{of, history, "events/" + newest.ID.String()} {
		if page := w.get(address).text(); !strings.Contains(page, "ops") {
			t.Errorf("%s does not say who: %s", address, page)
		}
	}
	for _, address := range []string{of, history} {
		if page := w.get(address).text(); !strings.Contains(page, "affiliate.updated last name, your own id ") {
			t.Errorf("%s does not say what: %s", address, page)
		}
	}
}

func (w *world) newest(object uuid.UUID) affiliate.Event {
	w.t.Helper()
	return must(w.Events(w.t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(object.String())}, affiliate.Page{Limit: 1})).Items[0]
}

// TestReason: who declines, bans or takes somebody back can say why, for one and for many. The history
// says it, as text, and receivers are not told. The reason of a move is there too.
func TestReason(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	waits := func(email string) affiliate.Affiliate {
		return must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "O", LastName: "O", Email: email, AffiliateStatus: "inactive"}))
	}
	other, third := waits("o@example.org"), waits("p@example.org")
	status := func(to affiliate.AffiliateStatus, ids ...uuid.UUID) string {
		path := "affiliates/status?to=" + string(to)
		for _, id := range ids {
			path += "&id=" + id.String()
		}
		return path
	}
	for _, c := range []struct {
		path, reason, says string
		of                 []uuid.UUID
	}{
		{status(affiliate.AffiliateDeclined, w.idle.ID, other.ID), "  <b>no site</b>\u202e ", "status: declined", []uuid.UUID{w.idle.ID, other.ID}},
		{"affiliates/" + other.ID.String() + "/take-back", "has a site", "status: active", []uuid.UUID{other.ID}},
		{status(affiliate.AffiliateBanned, other.ID), "buys by their own link", "status: banned", []uuid.UUID{other.ID}},
		{status(affiliate.AffiliateActive, third.ID), "", "status: active", []uuid.UUID{third.ID}},
	} {
		before := w.effects()
		if page := w.send(c.path, w.form(c.path, "reason", strings.Repeat("é", 501))); page.status != 400 || !strings.Contains(page.text(), "500 characters") || w.effects() != before {
			t.Errorf("%s: %d %s", c.path, page.status, page.text())
		}
		if page := w.send(c.path, w.form(c.path, "reason", c.reason)); page.status != 303 {
			t.Fatalf("%s: %d %s", c.path, page.status, page.text())
		}
		for _, id := range c.of {
			e := w.newest(id)
			if e.Actor != "ops" || e.Reason != strings.TrimSpace(c.reason) || strings.Contains(string(e.Payload), "site") {
				t.Errorf("%s: by %q because %q: %s", c.path, e.Actor, e.Reason, e.Payload)
			}
			says := "affiliate.updated " + c.says + " ops " + strings.ReplaceAll(e.Reason, "\u202e", "U+202E")
			if page := w.get("affiliates/" + id.String()).text(); !strings.Contains(page, says) {
				t.Errorf("%q is not on the page: %s", says, page)
			}
			if page := w.get("events/" + e.ID.String()).text(); e.Reason != "" && !strings.Contains(page, "by ops , because "+strings.ReplaceAll(e.Reason, "\u202e", "U+202E")) {
				t.Errorf("the page of the event does not say why: %s", page)
			}
		}
	}
	move := "customers/" + w.customer.ID.String() + "/move"
	if page := w.send(move, w.form(move, "affiliate", "idle", "reason", "they asked")); page.status != 303 || w.newest(w.customer.ID).Reason != "they asked" {
		t.Errorf("%d, because %q", page.status, w.newest(w.customer.ID).Reason)
	}
	sale := fmt.Sprint("sales/", w.free.ID)
	if page := w.send(sale+"/move", w.form(sale+"/move", "affiliate", "idle", "reason", "they asked too")); page.status != 303 || strings.Count(w.get(sale).text(), "they asked too") != 2 {
		t.Errorf("%d, %s", page.status, w.get(sale).text())
	}
}

// TestWhoMovedMoney: the page of a payout says who made it and who said that it was paid, and that of a sale who
// refunded it.
func TestWhoMovedMoney(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	at := "payouts/" + w.payout.ID.String()
	w.now = w.now.Add(time.Hour)
	must(w.By("bank").SetPayoutStatus(t.Context(), w.payout.ID, affiliate.PayoutPaid))
	w.now = w.now.Add(time.Hour)
	for range 60 {
		must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: w.ada.ID.String(), Email: "kim@example.net", Name: "Kim", TotalEarned: affiliate.MustAmount("10")}))
	}
	w.now = w.now.Add(time.Hour)
	back := w.form(at+"/status?to=RETURNED", "returnedReason", "no account")
	if page := w.send(at+"/status?to=RETURNED", back); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	page := w.get(at).text()
	if !strings.Contains(page, "Payout returned ops ") || !strings.Contains(page, "Payout paid bank ") || strings.Count(page, "Payout created") != 1 {
		t.Errorf("the payout: %s", page)
	}
	sale := fmt.Sprint("sales/", w.free.ID)
	if page := w.send(sale+"/refund", w.ready(sale+"/refund", "whole", "1")); page.status != 303 {
		t.Fatalf("%d %s", page.status, page.text())
	}
	if page := w.get(sale).text(); !strings.Contains(page, "Refund ops ") {
		t.Errorf("the sale: %s", page)
	}
}

// TestForfeitBox: the form that deletes or erases an affiliate asks for what is owed, by the program or by them, and does nothing
// until that is ticked. Whom nobody owes anything is not asked about it, also when a debt and what is on hold are the same.
func TestForfeitBox(t *testing.T) {
	for name, tt := range map[string]struct {
		books []string // adjustments
		held  string
		label string
	}{
		"nothing":              {nil, "", ""},
		"owed":                 {[]string{"12.5"}, "", "12.50 USD is owed, and is forfeited"},
		"in debt":              {[]string{"-7"}, "", "They owe 7.00 USD, and it is given up"},
		"settled":              {[]string{"-7", "7"}, "", ""},
		"in debt and on hold":  {[]string{"-7"}, "35", ""},
		"in debt and more due": {[]string{"-7"}, "50", "3.00 USD is owed, and is forfeited"},
	} {
		for _, form := range []string{"delete", "erase"} {
			t.Run(name+" "+form, func(t *testing.T) {
				w := newWorld(t, func(c *tributary.Config, _ *console.Config) { c.Terms.HoldDays = 30 })
				dora := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Dora", LastName: "D", Email: "dora@x.example", AffiliateLink: "dora"}))
				for _, amount := range tt.books {
					must(w.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: dora.ID, Kind: affiliate.AdjustCorrection, Amount: affiliate.MustAmount(amount), Reason: "by hand"}))
				}
				if tt.held != "" {
					must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "dora", Email: "b@x.example", Name: "B", TotalEarned: affiliate.MustAmount(tt.held)}))
				}
				path := "affiliates/" + dora.ID.String() + "/" + form
				page := w.get(path)
				if asked := strings.Contains(page.body, `name="forfeit"`); page.status != 200 || asked != (tt.label != "") || !strings.Contains(page.text(), tt.label) {
					t.Fatalf("%d %s", page.status, page.text())
				}
				fields := w.form(path)
				if tt.label != "" {
					refused := w.send(path, fields)
					if refused.status != 400 {
						t.Errorf("unticked: %d %s", refused.status, refused.text())
					}
					fields = fieldsOf(t, refused.body)
					fields.Set("forfeit", "1")
				}
				if done := w.send(path, fields); done.status != 303 {
					t.Errorf("%d %s", done.status, done.text())
				}
				if err := w.Verify(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
