package main

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

const want = `Ben pays 20: Ada has 5.00, 1 of 5 rewards
Cleo pays 20: Ada has 10.00, 2 of 5 rewards
Dan pays 20: Ada has 15.00, 3 of 5 rewards
Eve pays 20: Ada has 20.00, 4 of 5 rewards
Finn pays 20: Ada has 25.00, 5 of 5 rewards
Gus pays 20: Ada has 25.00, 5 of 5 rewards
Ben has it back: Ada has 20.00, 4 of 5 rewards
Hal pays 20: Ada has 25.00, 5 of 5 rewards
welcome: Ben has 0.00, Cleo has 4.00
an invoice of 20 takes credit: Ada has 5.00, 5 of 5 rewards
Cleo has it back: Ada has 0.00, 4 of 5 rewards
the books hold
`

// shared is the server of the tests, which TestMain stops.
var shared struct {
	once   sync.Once
	server *pgtest.Cluster
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		_ = shared.server.Stop()
	}
	os.Exit(code)
}

// database returns the connection string of a database: the named one, or that of the tests' own
// server.
func database(t *testing.T) string {
	t.Helper()
	if dsn := os.Getenv("TRIBUTARY_TEST_DATABASE_URL"); dsn != "" {
		return dsn
	}
	shared.once.Do(func() { shared.server, shared.err = pgtest.Start(context.Background(), false) })
	if pgtest.Missing(shared.err, os.Getenv("CI")) {
		t.Skip("SKIPPED: ", shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server.URL()
}

// A world is a database with two processes, and the time of both.
type world struct {
	t    *testing.T
	both [2]*service
	now  time.Time
}

// newWorld makes the tables, and two services that share nothing but the database.
func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, dsn := t.Context(), database(t)
	w := &world{t: t, now: time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)}
	for i := range w.both {
		pool, err := pgxpool.New(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(pool.Close)
		w.both[i], err = newService(pool, "http://acme.example/", func() time.Time { return w.now })
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.both[0].pool.Exec(ctx, tables); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := w.both[0].pool.Exec(context.WithoutCancel(ctx), "DROP SCHEMA invite, invite_tributary CASCADE")
		if err != nil {
			t.Error(err)
		}
	})
	if err := w.both[0].store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return w
}

// must stops the test at an error.
func (w *world) must(errs ...error) {
	w.t.Helper()
	if err := errors.Join(errs...); err != nil {
		w.t.Fatal(err)
	}
}

// has checks what the next invoice of a user can take.
func (w *world) has(who, id, want string) {
	w.t.Helper()
	if got, err := w.both[1].credit(w.t.Context(), id); err != nil || got.Format("USD") != want {
		w.t.Errorf("%s has %v, want %s; error %v", who, got, want, err)
	}
}

// rewards checks how many rewards an inviter has.
func (w *world) rewards(id string, month, ever int64) {
	w.t.Helper()
	inv, err := w.both[1].inviter(w.t.Context(), id)
	if err != nil || inv.ThisMonth != month || inv.Ever != ever {
		w.t.Errorf("%d rewards this month and %d in all, want %d and %d; error %v",
			inv.ThisMonth, inv.Ever, month, ever, err)
	}
}

// verify checks the books, and that what was paid out is in the wallets or was spent.
func (w *world) verify() {
	w.t.Helper()
	ctx, s := w.t.Context(), w.both[0]
	w.must(s.program.Verify(ctx))
	var kept money
	w.must(s.pool.QueryRow(ctx, `SELECT (SELECT sum(credit) FROM invite.users)
		+ (SELECT coalesce(sum(credit), 0) FROM invite.invoices WHERE status <> 'refunded')`).Scan(&kept))
	total, err := s.program.TotalBalance(ctx, time.Time{})
	if err != nil || !total.Paid.Equal(kept.Amount) {
		w.t.Errorf("the program has paid %v, the host has %v; error %v", total.Paid, kept, err)
	}
}

// member signs somebody up and returns their id.
func (w *world) member(s *service, name, invitation string) string {
	w.t.Helper()
	u := user{Email: strings.ToLower(name) + "@example.net", First: name, Last: "Lee"}
	id, _, err := s.signIn(w.t.Context(), u, invitation)
	w.must(err)
	return id
}

// friend signs somebody up who pays the first invoice, and returns their id.
func (w *world) friend(name, invitation string) string {
	w.t.Helper()
	ctx, s := w.t.Context(), w.both[0]
	id := w.member(s, name, invitation)
	w.must(s.bill(ctx, id, 1), s.pay(ctx, id, 1))
	return id
}

// grant gives the bonuses, in both processes at once and twice.
func (w *world) grant() {
	w.t.Helper()
	for range 2 {
		var work sync.WaitGroup
		var errs [2]error
		for i, s := range w.both {
			work.Go(func() { _, errs[i] = s.program.Run(w.t.Context(), affiliate.GrantBonusesJob{}) })
		}
		work.Wait()
		w.must(errs[:]...)
	}
}

// A browser has cookies, and asks one of the processes.
type browser struct {
	client *http.Client
	base   string
}

func newBrowser(t *testing.T, base string) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{&http.Client{Jar: jar}, base}
}

// see asks for a page, or sends a form, and returns the page that it leads to.
func (b browser) see(path string, form ...string) (string, error) {
	ask := func() (*http.Response, error) { return b.client.Get(b.base + path) }
	if len(form) > 0 {
		values := url.Values{}
		for i := 0; i < len(form); i += 2 {
			values.Set(form[i], form[i+1])
		}
		ask = func() (*http.Response, error) { return b.client.PostForm(b.base+path, values) }
	}
	res, err := ask()
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, res.Status, body)
	}
	return string(body), err
}

// TestRun compares what the example prints, and looks for what it leaves behind.
func TestRun(t *testing.T) {
	ctx, dsn := t.Context(), database(t)
	var out strings.Builder
	if err := run(ctx, dsn, 0, &out); err != nil || out.String() != want {
		t.Errorf("error %v, output:\n%s\nwant:\n%s", err, out.String(), want)
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var left int
	err = conn.QueryRow(ctx, "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'invite%'").Scan(&left)
	if err != nil || left > 0 {
		t.Errorf("%d schemas are left behind; error %v", left, err)
	}
}

// TestRace: twenty friends of Ada pay at once, in two processes, when four of five places of the
// month are taken.
func TestRace(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	ada := w.member(w.both[0], "Ada", "")
	friends := []string{}
	for i := range perMonth - 1 {
		friends = append(friends, w.friend(fmt.Sprintf("Early%d", i), "ada"))
	}
	var servers [2]*httptest.Server
	for i, s := range w.both {
		servers[i] = httptest.NewServer(s.handler())
		defer servers[i].Close()
	}
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, 20)
	for i := range errs {
		b := newBrowser(t, servers[i%2].URL)
		ready.Add(1)
		done.Go(func() {
			_, err1 := b.see("/?ref=ada")
			_, err2 := b.see("/login", "email", fmt.Sprintf("late%d@example.net", i), "first", "Late", "last", "Lee")
			_, err3 := b.see("/bill", "number", "1")
			ready.Done()
			<-start
			_, err4 := b.see("/pay", "number", "1")
			errs[i] = errors.Join(err1, err2, err3, err4)
		})
	}
	ready.Wait()
	w.rewards(ada, perMonth-1, perMonth-1)
	close(start)
	done.Wait()
	w.must(errs...)
	w.rewards(ada, perMonth, perMonth)
	w.has("Ada", ada, "25.00")
	w.verify()

	winner, rewarded, all := "", 0, 0
	for friend, err := range affiliate.All(ctx, w.both[0].program.Referrals, affiliate.ReferralQuery{}) {
		w.must(err)
		all++
		id := friend.ReferredUserExternalID.Or("")
		if friend.TotalRevenue.Format("USD") != "20.00" {
			t.Errorf("%s paid %v", friend.Email, friend.TotalRevenue)
		}
		if friend.TotalCommission.Sign() == 0 {
			friends = append(friends, id)
			continue
		}
		rewarded++
		if strings.HasPrefix(friend.Email, "late") {
			winner, friends = id, append(friends, id)
		}
	}
	if all != 24 || rewarded != perMonth || len(friends) != 24 || winner == "" {
		t.Fatalf("%d friends of whom %d are rewarded, the fifth is %q", all, rewarded, winner)
	}

	w.grant()
	for _, friend := range friends {
		w.has("a friend", friend, "4.00")
	}

	w.must(w.both[1].refund(ctx, winner, 1), w.both[0].refund(ctx, winner, 1))
	w.has("Ada after a refund", ada, "20.00")
	w.rewards(ada, perMonth-1, perMonth-1)
	w.grant()
	w.has("who has the money back", winner, "0.00")
	w.friend("Next", "ada")
	w.friend("Last", "ada")
	w.has("Ada when the place is taken again", ada, "25.00")
	w.rewards(ada, perMonth, perMonth)
	w.verify()
}

// TestInvoices: an invoice that is asked for many times at once takes the credit once, and to the
// cent; what is taken back after that lowers what the next one takes.
func TestInvoices(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	ada := w.member(w.both[0], "Ada", "")
	var friends []string
	for i := range perMonth {
		friends = append(friends, w.friend(fmt.Sprintf("Friend%d", i), "ada"))
	}
	w.both[0].price, w.both[1].price = affiliate.MustAmount("19.99"), affiliate.MustAmount("19.99")
	atOnce := func(do func(*service, context.Context, string, int) error, number int) {
		var work sync.WaitGroup
		errs := make([]error, 10)
		for i := range errs {
			work.Go(func() { errs[i] = do(w.both[i%2], ctx, ada, number) })
		}
		work.Wait()
		w.must(errs...)
		w.verify()
	}
	atOnce((*service).bill, 1)
	w.has("Ada", ada, "5.01")
	w.must(w.both[0].refund(ctx, friends[0], 1), w.both[0].refund(ctx, friends[1], 1))
	w.has("Ada, who owes", ada, "-4.99")
	atOnce((*service).bill, 2)
	w.has("Ada, who owes as much", ada, "-4.99")
	atOnce((*service).pay, 2)
	w.must(w.both[0].bill(ctx, ada, 4), w.both[0].bill(ctx, ada, 0), w.both[0].pay(ctx, ada, 3))
	w.friend("Friend8", "ada")
	w.has("Ada, rewarded again", ada, "0.01")
	atOnce((*service).bill, 3)
	w.has("Ada", ada, "0.00")
	atOnce((*service).refund, 1)
	w.has("Ada, with the credit of the first invoice", ada, "19.99")
	atOnce((*service).refund, 2)
	atOnce((*service).pay, 2)
	w.has("Ada, whose second invoice took none", ada, "19.99")

	var got string
	w.must(w.both[0].pool.QueryRow(ctx, `SELECT
		string_agg(concat_ws(' ', number, total, credit, status), ', ' ORDER BY number)
		FROM invite.invoices WHERE user_id = $1`, ada).Scan(&got))
	if want := "1 19.99 19.99 refunded, 2 19.99 0 refunded, 3 19.99 0.01 open"; got != want {
		t.Errorf("invoices: %s\nwant: %s", got, want)
	}
}

// TestTogether: what the host cannot store, the program has not booked, and the other way round. A
// refusal of the program costs nobody the account.
func TestTogether(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	s := w.both[0]
	run := func(statement string) {
		t.Helper()
		_, err := s.pool.Exec(ctx, statement)
		w.must(err)
	}
	ada := w.member(s, "Ada", "")
	w.friend("Ben", "ada")
	cleo := w.member(s, "Cleo", "ada")
	w.must(s.bill(ctx, cleo, 1))

	run("ALTER TABLE invite.invoices ADD CONSTRAINT broken CHECK (false) NOT VALID")
	if bill, pay := s.bill(ctx, ada, 1), s.pay(ctx, cleo, 1); bill == nil || pay == nil {
		t.Fatalf("the host stores invoices: %v, %v", bill, pay)
	}
	w.has("Ada", ada, "5.00")
	w.rewards(ada, 1, 1)
	w.verify()
	run("ALTER TABLE invite.invoices DROP CONSTRAINT broken")
	run("ALTER TABLE invite.invoices ADD CONSTRAINT broken CHECK (user_id <> '" + cleo + "' OR sale IS NULL)")
	if err := s.pay(ctx, cleo, 1); err == nil {
		t.Fatal("the host stores the sale")
	}
	w.has("Ada", ada, "5.00")
	w.rewards(ada, 1, 1)
	run("ALTER TABLE invite.invoices DROP CONSTRAINT broken")
	run("ALTER SCHEMA invite_tributary RENAME TO invite_away")
	_, _, err := s.signIn(ctx, user{Email: "dan@example.net", First: "Dan", Last: "Lee"}, "ada")
	if pay := s.pay(ctx, cleo, 1); err == nil || pay == nil {
		t.Fatalf("without the program: %v, %v", err, pay)
	}
	run("ALTER SCHEMA invite_away RENAME TO invite_tributary")
	w.has("Dan, whom nobody brought", w.member(s, "Dan", "nobody"), "0.00")
	w.must(s.bill(ctx, ada, 1), s.pay(ctx, cleo, 1))
	w.has("Ada, whose invoice has taken 5", ada, "5.00")
	w.rewards(ada, 2, 2)
	w.verify()
}

// TestLimits: each month has five places, and life has twenty.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	ada := w.member(w.both[0], "Ada", "")
	for month := range int64(5) {
		for i := range perMonth + 1 {
			w.friend(fmt.Sprintf("Friend%d-%d", month, i), "ada")
		}
		ever := min((month+1)*perMonth, forLife)
		w.rewards(ada, ever-month*perMonth, ever)
		w.now = w.now.AddDate(0, 1, 0)
	}
	w.has("Ada", ada, "100.00")
	w.verify()
}

// TestPages: the pages have the figures, what people type is text, and the end is in order.
func TestPages(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- w.both[0].serve(ctx, 0, writer) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("at the end: %v", err)
		}
	}()
	var base string
	_, err := fmt.Fscanf(reader, "serving on %s\n", &base)
	w.must(err)
	expect := func(b browser, path string, parts ...string) {
		t.Helper()
		page, err := b.see(path)
		w.must(err)
		for _, part := range parts {
			if !strings.Contains(page, part) {
				t.Errorf("%s has no %q:\n%s", path, part, page)
			}
		}
		if strings.Contains(page, "<script") {
			t.Errorf("%s has a script:\n%s", path, page)
		}
	}
	send := func(b browser, path string, form ...string) {
		t.Helper()
		_, err := b.see(path, form...)
		w.must(err)
	}
	ada, ben := newBrowser(t, base), newBrowser(t, base)
	const script = `<script>alert("Ben")</script>`
	escaped := template.HTMLEscapeString(script) + " Lee"
	for _, path := range []string{"/", "/billing", "/invite"} {
		expect(ada, path, "Sign in")
	}
	send(ada, "/login", "email", " Ada@Example.com ", "first", "Ada", "last", "Lovelace")
	expect(ada, "/billing", "Ada Lovelace", "Credit: 0.00 USD", `value="1">Next invoice`)
	expect(ada, "/invite", "http://acme.example/?ref=ada<", "0 of 5 this month, 0 of 20 in all")

	expect(ben, "/?ref=ada", "Sign in")
	send(ben, "/login", "email", "ben@example.net", "first", script, "last", "Lee")
	expect(ben, "/billing", escaped)
	expect(ada, "/invite", "<li>"+escaped+"</li>", "0 of 5")
	send(ben, "/bill", "number", "1")
	expect(ben, "/billing", `<td>Invoice 1<td>20.00<td>0.00 by credit`, `value="1">Pay 20.00`, `value="2">Next`)
	send(ben, "/pay", "number", "1")
	expect(ben, "/billing", `0.00 by credit<td>paid`)
	expect(ada, "/invite", escaped+" has paid</li>", "1 of 5 this month, 1 of 20 in all")
	expect(ada, "/billing", "Credit: 5.00 USD")
	w.grant()
	expect(ben, "/billing", "Credit: 4.00 USD")
	send(ada, "/bill", "number", "1")
	expect(ada, "/billing", "Credit: 0.00 USD", `<td>20.00<td>5.00 by credit`, "Pay 15.00", `value="2">Next invoice`)
	w.verify()
}

// TestRefused: forms of other sites, sessions that are none, and texts that are none get nothing.
func TestRefused(t *testing.T) {
	w := newWorld(t)
	id, token, err := w.both[0].signIn(t.Context(), user{Email: "ada@example.com", First: "Ada", Last: "Lovelace"}, "")
	w.must(err)
	own := "session=" + token
	for _, row := range []struct {
		name, path, form, cookie, site string
		status                         int
	}{
		{"OtherSite", "/bill", "number=1", own, "cross-site", 403},
		{"SignInFromOtherSite", "/login", "email=ada@example.com", "", "cross-site", 403},
		{"NoSession", "/bill", "number=1", "", "same-origin", 303},
		{"EmptySession", "/bill", "number=1", "session=", "same-origin", 303},
		{"ForgedSession", "/bill", "number=1", "session=" + id, "same-origin", 303},
		{"NoNumber", "/bill", "", own, "same-origin", 400},
		{"LongNumber", "/bill", "number=99999999999", own, "same-origin", 400},
		{"NotNext", "/bill", "number=2", own, "same-origin", 303},
		{"BelowZero", "/bill", "number=-1", own, "same-origin", 303},
		{"NotBilled", "/pay", "number=1", own, "same-origin", 303},
		{"Nameless", "/login", "email=new@example.net", "", "same-origin", 400},
		{"NoEmail", "/login", "email=new&first=New&last=Lee", "", "same-origin", 400},
		{"ZeroByte", "/login", "email=new@example.net&first=N%00&last=Lee", "", "same-origin", 400},
		{"NoUTF8", "/login", "email=new@example.net&first=N%ff&last=Lee", "", "same-origin", 400},
		{"Huge", "/login", "email=new@example.net&first=New&last=" + strings.Repeat("e", 1<<15), "", "same-origin", 400},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", row.path, strings.NewReader(row.form))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Cookie", row.cookie)
			r.Header.Set("Sec-Fetch-Site", row.site)
			answer := httptest.NewRecorder()
			w.both[0].handler().ServeHTTP(answer, r)
			if answer.Code != row.status {
				t.Errorf("%d %s, want %d", answer.Code, answer.Body, row.status)
			}
		})
	}
	var users, invoices int
	w.must(w.both[0].pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM invite.users),
		(SELECT count(*) FROM invite.invoices)`).Scan(&users, &invoices))
	if users != 1 || invoices != 0 {
		t.Errorf("%d users and %d invoices, want Ada and nothing", users, invoices)
	}
}

// TestSelf: nobody is rewarded for inviting themselves, nor for who is a user already, and one
// mailbox is one friend.
func TestSelf(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(w.both[0].handler())
	defer server.Close()
	comes := func(email string) string {
		t.Helper()
		b := newBrowser(t, server.URL)
		for _, step := range [][]string{
			{"/?ref=ada"}, {"/login", "email", email, "first", "A", "last", "Lee"},
			{"/bill", "number", "1"}, {"/pay", "number", "1"},
		} {
			_, err := b.see(step[0], step[1:]...)
			w.must(err)
		}
		var id string
		w.must(w.both[0].pool.QueryRow(t.Context(), "SELECT id FROM invite.users WHERE email = $1", email).Scan(&id))
		return id
	}
	ada := w.member(w.both[0], "Ada", "")
	comes("ada@example.net")
	w.member(w.both[0], "Old", "")
	comes("old@example.net")
	w.rewards(ada, 0, 0)
	second := comes("ada+2@example.net")
	w.grant()
	w.has("Ada, who invited Ada", ada, "0.00")
	w.has("Ada's second account", second, "0.00")
	w.rewards(ada, 1, 1) // on hold, until somebody declines it

	ben := comes("ben@example.net")
	again := comes("ben+2@example.net")
	w.grant()
	w.has("Ada, who invited Ben", ada, "5.00")
	w.has("Ben", ben, "4.00")
	w.has("Ben's second account", again, "0.00")
	w.verify()
}
