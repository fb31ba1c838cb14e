package mail_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/mail"
	"github.com/tributary-go/tributary/memstore"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A shop is a program with a Post, whose mail server keeps what it takes.
type shop struct {
	*tributary.Program
	*mail.Post
	t     *testing.T
	now   time.Time
	sent  []mail.Mail
	fails error
	log   strings.Builder
}

// newShop has an affiliate, Ada, and applicants from before there were mails.
func newShop(t *testing.T, applicants ...string) *shop {
	t.Helper()
	s := &shop{t: t, now: time.Date(2026, 3, 11, 20, 0, 0, 0, time.UTC)}
	s.Program = must(tributary.New(memstore.New(), tributary.Config{
		Name: "Beans", Currency: "EUR", Location: must(time.LoadLocation("Europe/Berlin")), Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")},
		Destinations: []affiliate.Destination{{URL: "https://beans.example/"}}, Now: func() time.Time { return s.now }, Rand: rand.NewChaCha8([32]byte{1}),
	}))
	s.add("Ada", "active")
	for _, name := range applicants {
		s.add(name, "inactive")
	}
	s.Post = s.another()
	s.round()
	return s
}

// another returns a Post of another process.
func (s *shop) another() *mail.Post {
	return &mail.Post{Program: s.Program, Values: s.Program.Values("server-mail"), Mailer: s, Texts: must(mail.ReadTexts("")),
		Pages: "https://partners.beans.example/partner/", Console: "https://partners.beans.example/console/",
		Operators: []string{"ops@beans.example", "boss@beans.example"},
		Stop:      func(of uuid.UUID) string { return "https://partners.beans.example/mail/stop?of=" + of.String()[:4] },
		Logger:    slog.New(slog.NewTextHandler(&s.log, nil))}
}

func (s *shop) Send(_ context.Context, m mail.Mail) error {
	if s.fails == nil {
		s.sent = append(s.sent, m)
	}
	return s.fails
}

func (s *shop) add(name, status string) affiliate.Affiliate {
	s.t.Helper()
	return must(s.CreateAffiliate(s.t.Context(), affiliate.AffiliateParams{FirstName: name, LastName: "L", Email: strings.ToLower(name) + "@example.com",
		AffiliateLink: strings.ToLower(name), AffiliateStatus: status}))
}

func (s *shop) sell(slug, order string) affiliate.Sale {
	s.t.Helper()
	res := must(s.RecordSale(s.t.Context(), affiliate.SaleParams{ReferralID: slug, Email: order + "@buyer.example", Name: "B", TotalEarned: affiliate.MustAmount("49.90"), ExternalID: order}))
	sale, _ := res.Sale.Get()
	return sale
}

// round works, and returns whom it mailed what.
func (s *shop) round() (mailed []string) {
	s.t.Helper()
	return s.roundOf(s.Post)
}

func (s *shop) roundOf(p *mail.Post) (mailed []string) {
	s.t.Helper()
	s.sent = nil
	if _, err := p.Round(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for _, m := range s.sent {
		mailed = append(mailed, m.To+": "+m.Subject)
	}
	return mailed
}

// letters are those that were not sent.
func (s *shop) letters() (all []mail.Letter) {
	s.t.Helper()
	for l, err := range s.Letters(s.t.Context()) {
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

func (s *shop) expect(step string, want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.round()); diff != "" {
		s.t.Errorf("%s (-want +got):\n%s", step, diff)
	}
	if again := s.round(); again != nil {
		s.t.Errorf("%s: again %q", step, again)
	}
}

// TestPost: each event that concerns somebody is mailed once, to the one whom it concerns.
func TestPost(t *testing.T) {
	s := newShop(t, "Zoe")
	ctx := t.Context()
	s.expect("what was before there were mails")
	s.now = s.now.Add(40 * 24 * time.Hour)
	must(s.Program.Run(ctx, affiliate.RetainJob{Retention: affiliate.Retention{Events: 30 * 24 * time.Hour}}))
	s.Operators = nil
	zoe := must(s.Affiliate(ctx, "zoe"))
	must(s.SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, zoe.ID))
	s.expect("who applied before is declined, long after its events have gone", "zoe@example.com: Your application to Beans")
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: zoe.ID}, affiliate.AffiliateUpdate{Note: affiliate.Set("too few readers")}))
	s.expect("a note about her")
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: zoe.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
	s.expect("and is taken after all", "zoe@example.com: You are an affiliate of Beans")
	bob, eve := s.add("Bob", "inactive"), s.add("Eve", "inactive")
	s.expect("two apply", "bob@example.com: Your application to Beans has arrived", "eve@example.com: Your application to Beans has arrived")
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: bob.ID}, affiliate.AffiliateUpdate{Note: affiliate.Set("writes well")}))
	must(s.CreateLink(ctx, affiliate.LinkParams{AffiliateID: bob.ID, Link: "bob-2"}))
	s.expect("nobody has decided")
	must(s.SetAffiliateStatus(ctx, affiliate.AffiliateActive, bob.ID))
	must(s.Because("too <few> readers").SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, eve.ID))
	s.expect("the program decides", "bob@example.com: You are an affiliate of Beans", "eve@example.com: Your application to Beans")
	must(s.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, bob.ID))
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: bob.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("active")}))
	s.expect("on and off")
	must(s.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ivy", LastName: "L", Email: "ivy@example.com"}))
	s.add("Cleo", "active")
	s.expect("the program invites", "ivy@example.com: You are in the affiliate program of Beans", "cleo@example.com: You are in the affiliate program of Beans")
	s.sell("bob", "o-1")
	s.sell("bob", "o-2")
	s.expect("the first of two sales", "bob@example.com: Your first sale for Beans")
	must(s.SetPayoutDetails(ctx, bob.ID, affiliate.PayoutDetails{Email: "bob@pay.example", Method: "PAYPAL"}))
	paid := must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: bob.ID}))
	s.expect("a payout is made")
	must(s.SetPayoutStatus(ctx, paid.ID, affiliate.PayoutPaid))
	s.expect("and paid", "bob@example.com: Beans has paid you EUR 19.96")
	s.now = s.now.Add(time.Hour)
	for _, sale := range must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{Limit: 10})).Items {
		must(s.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("Kim")}))
	}
	s.expect("the sales change later")
	s.sell("bob", "o-3")
	s.sell("bob", "o-4")
	must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: bob.ID, ManuallyPaid: true}))
	s.expect("paid by hand", "bob@example.com: Beans has paid you EUR 19.96")
	s.sell("bob", "o-5")
	failing := must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: bob.ID}))
	must(s.FailPayout(ctx, failing.ID, "account closed"))
	s.expect("a payout fails", "bob@example.com: Beans could not pay you EUR 9.98")
	must(s.SetPayoutStatus(ctx, failing.ID, affiliate.PayoutProcessing))
	s.expect("it is tried again")
	s.now = s.now.Add(time.Hour)
	must(s.FailPayout(ctx, failing.ID, "account closed"))
	s.expect("and fails again", "bob@example.com: Beans could not pay you EUR 9.98")
	must(s.SetPayoutStatus(ctx, failing.ID, affiliate.PayoutProcessing))
	must(s.SetPayoutStatus(ctx, failing.ID, affiliate.PayoutPaid))
	s.expect("and is paid", "bob@example.com: Beans has paid you EUR 9.98")
	s.Off = []mail.Kind{mail.Welcome, mail.PayoutFailed}
	s.add("Dan", "active")
	s.sell("bob", "o-6")
	must(s.FailPayout(ctx, must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: bob.ID})).ID, "closed"))
	s.expect("what is off")
}

// TestPostAnswers: the answer to a case is mailed once, whether or not a round saw the case open; what
// was answered before the first round, what is off, and an answer to somebody erased are not.
func TestPostAnswers(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	ada := must(s.Affiliate(ctx, "ada"))
	ask := func(order string) uuid.UUID {
		return must(s.OpenCase(ctx, affiliate.CaseParams{AffiliateID: ada.ID, Kind: affiliate.SaleClaim, ExternalID: order, Text: "mine"})).ID
	}
	answer := func(id uuid.UUID) {
		must(s.AnswerCase(ctx, id, affiliate.CaseAnswer{Answer: "It <is>\nyours"}))
	}
	s.round()
	slow := ask("1")
	s.expect("a case is opened")
	answer(slow)
	quick := ask("2")
	answer(quick)
	waits := ask("3")
	s.round()
	if len(s.sent) != 2 {
		t.Fatalf("%d mails", len(s.sent))
	}
	if m := s.sent[0]; !strings.Contains(m.Text, "\n\nIt <is> yours\n\n") || !strings.Contains(m.HTML, "It &lt;is&gt; yours") || !strings.Contains(m.Text, "/partner/cases\n") || !strings.HasPrefix(m.ID, "answered-") {
		t.Errorf("it says %+v", m)
	}
	s.expect("nothing more")
	s.now = s.now.Add(time.Hour)
	must(s.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{Language: affiliate.Set("de")}))
	answer(waits)
	s.expect("in German", "ada@example.com: Beans hat Ihnen geantwortet")
	off := ask("4")
	s.expect("opened")
	s.Off = append(s.Off, mail.Answered)
	answer(off)
	s.expect("what is off")
	s.Off = nil
	s.expect("and on again")
}

// TestPostSays: a mail has what its reader needs, and the name of an applicant, whom nobody has looked
// at, is in none.
func TestPostSays(t *testing.T) {
	s := newShop(t)
	s.add("Eve", "inactive")
	s.round()
	if m := s.sent[0]; strings.Contains(m.Text+m.HTML+m.Subject, "Eve") || m.Unsubscribe != "" || !strings.HasPrefix(m.ID, "received-0") {
		t.Errorf("received: %+v", m)
	}
	s.Texts = read(t, folder(t, "received.txt", "Subject: Hello {{.Name}}.\n"))
	s.add("Mallory", "inactive")
	s.expect("a text of the host", "mallory@example.com: Hello .")
	eve := must(s.Affiliate(t.Context(), "eve"))
	must(s.Because("too <few> readers").SetAffiliateStatus(t.Context(), affiliate.AffiliateDeclined, eve.ID))
	s.round()
	if m := s.sent[0]; !strings.Contains(m.Text, "Hello Eve L,") || !strings.Contains(m.Text, "What it says: too <few> readers") || !strings.Contains(m.HTML, "too &lt;few&gt; readers") {
		t.Errorf("declined: %+v", m)
	}
	s.sell("ada", "o-1")
	s.round()
	if m := s.sent[0]; !strings.Contains(m.Text, "earned EUR 9.98:\n\nhttps://partners.beans.example/partner/sales\n") || !strings.HasPrefix(m.Unsubscribe, "https://partners.beans.example/mail/stop?of=") ||
		!strings.Contains(m.HTML, `href="`+m.Unsubscribe+`"`) || !strings.Contains(m.Text, m.Unsubscribe) {
		t.Errorf("first sale: %+v", m)
	}
	bob := s.add("Bob", "active")
	s.round()
	must(0, s.StopMails(t.Context(), bob.ID))
	s.sell("bob", "o-2")
	s.expect("the first sale of one who wants no such mails")
	s.Stop = nil
	s.add("Cleo", "active")
	s.sell("cleo", "o-3")
	s.expect("without links that stop them", "cleo@example.com: You are in the affiliate program of Beans")
}

// TestPostOfABadText: a text of the host that fails at one mail holds up no other.
func TestPostOfABadText(t *testing.T) {
	s := newShop(t)
	s.Texts = read(t, folder(t, "declined.txt", "Subject: {{slice .Reason 0 9}}\n"))
	eve := s.add("Eve", "inactive")
	s.round()
	must(s.Because("no").SetAffiliateStatus(t.Context(), affiliate.AffiliateDeclined, eve.ID))
	s.add("Bob", "active")
	s.expect("one of two", "bob@example.com: You are in the affiliate program of Beans")
	if all := s.letters(); len(all) != 1 || !strings.Contains(all[0].Error, "declined.txt") || all[0].Tries != 1 {
		t.Errorf("letters %+v", all)
	}
	s.Texts = must(mail.ReadTexts(""))
	s.now = s.now.Add(time.Minute)
	s.expect("with another text", "eve@example.com: Your application to Beans")
}

// TestPostMorning: operators hear once a day what waits, from seven o'clock on in the program's zone,
// and nothing when nothing does.
func TestPostMorning(t *testing.T) {
	s := newShop(t)
	s.Off = []mail.Kind{mail.Received}
	wait := 2
	s.Proposed = func(context.Context) (int, error) { return wait, nil }
	s.add("Eve", "inactive")
	s.now = time.Date(2026, 3, 11, 22, 30, 0, 0, time.UTC)
	s.expect("on the day of the start")
	s.now = time.Date(2026, 3, 12, 5, 59, 0, 0, time.UTC)
	s.expect("before seven in Berlin")
	s.now = time.Date(2026, 3, 12, 6, 0, 0, 0, time.UTC)
	if got := s.round(); !cmp.Equal(got, []string{"ops@beans.example: Beans: what waits for you", "boss@beans.example: Beans: what waits for you"}) {
		t.Errorf("at seven: %q", got)
	}
	if m := s.sent[0]; !strings.HasPrefix(m.Text, "- 1: affiliates wait for approval\n- 2: proposals wait for a decision\n\nhttps://partners.beans.example/console/\n") || m.ID == s.sent[1].ID {
		t.Errorf("got %+v", m)
	}
	wait = 0
	s.now = s.now.Add(12 * time.Hour)
	s.expect("in the evening")
	must(s.SetAffiliateStatus(t.Context(), affiliate.AffiliateDeclined, must(s.Affiliate(t.Context(), "eve")).ID))
	s.round()
	s.now = s.now.Add(24 * time.Hour)
	s.expect("nothing waits")
	s.fails = errors.New("down")
	s.add("Flo", "inactive")
	s.now = s.now.Add(12 * time.Hour)
	s.round()
	if n := len(s.letters()); n != 2 {
		t.Errorf("%d letters", n)
	}
	s.fails, s.now = nil, s.now.Add(24*time.Hour)
	if got := s.round(); len(got) != 2 || len(s.letters()) != 0 {
		t.Errorf("of a morning that has passed: %q, %v", got, s.letters())
	}
}

// TestPostTriesAgain: what the mail server does not take is tried again, later each time, is in the
// list, and is given up after three days.
func TestPostTriesAgain(t *testing.T) {
	s := newShop(t)
	s.fails, s.Operators = errors.New("down"), nil
	tried := 0
	s.Mailer = sending(func(m mail.Mail) error { tried++; return s.Send(t.Context(), m) })
	bob := s.add("Bob", "active")
	s.add("Cleo", "active")
	s.round()
	if all := s.letters(); len(all) != 2 || tried != 1 || all[0].Error != "down" || all[0].Tries != 1 || all[1].Tries != 0 || all[1].Error == "" {
		t.Fatalf("%d tries, letters %+v", tried, all)
	}
	var after []string
	start := s.now
	for range 100 {
		before := tried
		s.now = s.now.Add(time.Minute / 2)
		if s.round(); tried > before {
			after = append(after, s.now.Sub(start).String())
		}
	}
	if want := "[1m0s 1m30s 2m30s 6m0s 7m30s 36m0s 37m30s]"; fmt.Sprint(after) != want {
		t.Errorf("tried after %v, want %s", after, want)
	}
	s.fails = nil
	s.now = s.now.Add(3 * time.Hour)
	if got := s.round(); len(got) != 2 || len(s.letters()) != 0 {
		t.Errorf("mailed %q, letters %+v", got, s.letters())
	}
	s.fails = errors.New("down")
	s.add("Dan", "active")
	for range 40 {
		s.round()
		s.now = s.now.Add(3 * time.Hour)
	}
	if all := s.letters(); len(all) != 1 || !all[0].Next.IsZero() || all[0].Tries < 6 || all[0].Tries > 12 {
		t.Errorf("letters %+v", all)
	}
	s.fails = nil
	s.expect("given up")
	s.now = s.now.Add(31 * 24 * time.Hour)
	if s.round(); len(s.letters()) != 0 {
		t.Errorf("kept for ever: %+v", s.letters())
	}
	s.fails = fmt.Errorf("%w: no such mailbox", mail.ErrRefused)
	s.add("Eli", "active")
	s.add("Flo", "active")
	tried = 0
	s.round()
	if all := s.letters(); len(all) != 2 || tried != 2 || !all[0].Next.IsZero() {
		t.Errorf("refused for good: %d tries, %+v", tried, all)
	}
	s.fails = errors.New("down")
	s.now = s.now.Add(time.Hour)
	must(s.SetAffiliateStatus(t.Context(), affiliate.AffiliateDeactivated, bob.ID))
	s.add("Gus", "active")
	s.round()
	gus := must(s.Affiliate(t.Context(), "gus"))
	must(0, s.EraseAffiliate(t.Context(), gus.ID))
	s.fails = nil
	s.now = s.now.Add(time.Hour)
	if got := s.round(); got != nil || len(s.letters()) != 2 {
		t.Errorf("somebody who was erased meanwhile: %q, letters %+v", got, s.letters())
	}
	if log := s.log.String(); strings.Contains(log, "@") {
		t.Error(log)
	}
}

type sending func(mail.Mail) error

func (f sending) Send(_ context.Context, m mail.Mail) error { return f(m) }

// TestPostGoesOn: another process goes on where one has ended, or is not heard of any more; while one
// works the other mails nothing; and nobody is mailed about what is three days old.
func TestPostGoesOn(t *testing.T) {
	s := newShop(t)
	other := s.another()
	s.add("Bob", "active")
	if _, err := other.Round(t.Context()); err == nil || len(s.sent) > 0 {
		t.Errorf("two work: %q, error %v", s.sent, err)
	}
	s.expect("the one that works", "bob@example.com: You are in the affiliate program of Beans")
	s.add("Cleo", "active")
	s.now = s.now.Add(2 * time.Minute)
	if got := s.roundOf(other); len(got) != 1 {
		t.Errorf("the other, when nothing is heard of the first: %q", got)
	}
	if _, err := s.Round(t.Context()); err == nil {
		t.Error("two work")
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	other.Run(ctx) // which ends
	s.add("Dan", "active")
	s.expect("at once when the other has ended", "dan@example.com: You are in the affiliate program of Beans")
	s.add("Eli", "active")
	s.now = s.now.Add(73 * time.Hour)
	s.add("Flo", "active")
	got := s.round()
	if !cmp.Equal(got, []string{"flo@example.com: You are in the affiliate program of Beans"}) {
		t.Errorf("after three days: %q", got)
	}
}

// TestPostEndsInOrder: a process that is told to end while it sends a mail notes that it was sent.
func TestPostEndsInOrder(t *testing.T) {
	s := newShop(t)
	ctx, end := context.WithCancel(t.Context())
	s.Mailer = sending(func(m mail.Mail) error { end(); return nil })
	s.add("Bob", "active")
	s.add("Cleo", "active")
	s.Post.Run(ctx)
	s.Mailer = s
	s.expect("the next one", "cleo@example.com: You are in the affiliate program of Beans")
}

// TestPostSendsTwiceWithOneID: a process that dies between the mail and its note leaves a mail that is
// sent again, with the id that it had.
func TestPostSendsTwiceWithOneID(t *testing.T) {
	s := newShop(t)
	var ids []string
	s.Mailer = sending(func(m mail.Mail) error {
		ids = append(ids, m.ID)
		if len(ids) == 1 {
			s.now = s.now.Add(3 * time.Minute)
			if s.roundOf(s.another()) == nil { // as if this process had died
				t.Error("the other mails nothing")
			}
			ids = append(ids, s.sent[0].ID)
		}
		return nil
	})
	s.add("Bob", "active")
	_, err := s.Round(t.Context())
	if err == nil || len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("ids %q, error %v", ids, err)
	}
}

// TestPostOfALanguage: an affiliate is mailed in their language; operators are not.
func TestPostOfALanguage(t *testing.T) {
	s := newShop(t)
	dir := folder(t, "welcome.txt", "Subject: Hello\n")
	if err := os.Mkdir(dir+"/de", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"welcome", "attention"} {
		if err := os.WriteFile(dir+"/de/"+name+".txt", []byte("Subject: Hallo {{.Name}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Texts = read(t, dir)
	for _, row := range [][2]string{{"Bob", "de-AT"}, {"Cleo", "fr"}} {
		must(s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.add(row[0], "active").ID}, affiliate.AffiliateUpdate{Language: affiliate.Set(row[1])}))
	}
	s.add("Eve", "inactive")
	s.Off, s.now = []mail.Kind{mail.Received}, s.now.Add(12*time.Hour)
	s.expect("two languages, and operators", "bob@example.com: Hallo Bob L", "cleo@example.com: Hello", "ops@beans.example: Beans: what waits for you", "boss@beans.example: Beans: what waits for you")
}
