package mail_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/mail"
)

func berlin(month time.Month, day, hour, minute int) time.Time {
	return time.Date(2026, month, day, hour, minute, 0, 0, must(time.LoadLocation("Europe/Berlin")))
}

// pay pays an affiliate all that is payable.
func (s *shop) pay(of uuid.UUID, email string) {
	s.t.Helper()
	must(s.SetPayoutDetails(s.t.Context(), of, affiliate.PayoutDetails{Email: email, Method: "PAYPAL"}))
	must(s.CreatePayout(s.t.Context(), affiliate.PayoutParams{AffiliateID: of, ManuallyPaid: true}))
}

// TestPostStatements: on the first day of a month, from seven o'clock on in the program's zone, each
// affiliate hears once what was earned, paid and owed in the month before, who has any of it.
func TestPostStatements(t *testing.T) {
	s := newShop(t)
	ctx := t.Context()
	s.Operators, s.Off = nil, []mail.Kind{mail.Welcome, mail.Received, mail.FirstSale, mail.PayoutSent}
	bob, cleo, dan, eve, fay := s.add("Bob", "active"), s.add("Cleo", "active"), s.add("Dan", "active"), s.add("Eve", "inactive"), s.add("Fay", "active")
	for _, slug := range []string{"bob", "cleo", "eve", "fay"} {
		s.sell(slug, "o-"+slug)
	}
	s.pay(bob.ID, "bob@pay.example")
	must(s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, cleo.ID))
	must(0, s.StopMails(ctx, fay.ID))
	s.now = berlin(3, 31, 23, 59)
	s.sell("bob", "o-late")
	s.expect("in the month")
	s.now = berlin(4, 1, 0, 1) // still March in UTC
	s.sell("dan", "o-next")
	s.now = berlin(4, 1, 6, 59)
	s.expect("before seven in Berlin")
	s.now = berlin(4, 1, 7, 0)
	s.expect("at seven", "cleo@example.com: Beans: your statement for March 2026", "bob@example.com: Beans: your statement for March 2026")
	s.now = berlin(4, 1, 20, 0)
	s.expect("in the evening")
	s.now = berlin(3, 31, 23, 0)
	s.expect("by a clock that is late")
	s.now = berlin(4, 2, 8, 0)
	s.expect("and is not any more")
	s.now = berlin(4, 30, 20, 0)
	s.expect("at the end")
	must(0, s.Forfeiting().EraseAffiliate(ctx, cleo.ID))
	must(s.SetAffiliateStatus(ctx, affiliate.AffiliateActive, eve.ID))
	s.now = berlin(5, 3, 12, 0)
	got := s.round()
	if want := []string{"eve@example.com: Beans: your statement for April 2026", "dan@example.com: Beans: your statement for April 2026", "bob@example.com: Beans: your statement for April 2026"}; !cmp.Equal(got[1:], want) {
		t.Errorf("the next month, after two days: %q", got)
	}
	m := s.sent[3]
	for _, want := range []string{"in April 2026 you have earned EUR 0.00, and were paid EUR 0.00.\nAt its end Beans owed you EUR 9.98.", "https://partners.beans.example/partner/statements/2026-04\n", m.Unsubscribe} {
		if !strings.Contains(m.Text, want) {
			t.Errorf("it lacks %q:\n%s", want, m.Text)
		}
	}
	if !strings.HasPrefix(m.Unsubscribe, "https://partners.beans.example/mail/stop?of=") || m.ID != "statement-2026-04-"+bob.ID.String() || !strings.Contains(m.HTML, "<b>EUR 9.98</b>") {
		t.Errorf("got %+v", m)
	}
	s.sell("dan", "o-dan-2")
	s.pay(dan.ID, "dan@pay.example")
	s.round()
	s.now = berlin(6, 4, 8, 0)
	s.expect("more than three days late", "eve@example.com: Beans: your statement for May 2026", "dan@example.com: Beans: your statement for May 2026", "bob@example.com: Beans: your statement for May 2026")
	s.now = berlin(7, 1, 8, 0)
	s.Off = append(s.Off, mail.Statement)
	s.expect("what is off")
	s.Off = nil
	s.expect("and what is off no more, in the middle of a month")
	stop := s.Stop
	s.Stop, s.now = nil, berlin(8, 1, 8, 0)
	s.expect("without links that stop them")
	if log := s.log.String(); strings.Contains(log, "statements") {
		t.Errorf("the log: %s", log)
	}
	s.Stop, s.now = stop, berlin(11, 20, 8, 0)
	s.expect("after months without mails", "eve@example.com: Beans: your statement for October 2026", "bob@example.com: Beans: your statement for October 2026")
	if log := s.log.String(); !strings.Contains(log, `level=WARN msg="the statements of some months were not mailed" after=2026-07 until=2026-09`) {
		t.Errorf("the log: %s", log)
	}
}

// TestPostStatementSums: a statement has what the books say of the month.
func TestPostStatementSums(t *testing.T) {
	s := newShop(t)
	s.Operators, s.Off = nil, []mail.Kind{mail.Welcome, mail.FirstSale, mail.PayoutSent}
	ada := must(s.Affiliate(t.Context(), "ada"))
	s.sell("ada", "o-1")
	s.sell("ada", "o-2")
	s.now = berlin(4, 10, 12, 0)
	s.pay(ada.ID, "ada@pay.example")
	s.sell("ada", "o-3")
	must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: s.sell("ada", "o-4").ID}))
	s.Texts = read(t, folder(t, "statement.txt", "Subject: {{.Month.Format \"01/2006\"}}\n{{.Earned}} {{.Paid}} {{.Owed}}"))
	s.round()
	s.now = berlin(5, 1, 7, 0)
	s.round()
	if len(s.sent) != 1 || s.sent[0].Subject != "04/2026" || s.sent[0].Text != "EUR 9.98 EUR 19.96 EUR 9.98" {
		t.Errorf("got %+v", s.sent)
	}
}

// TestPostStatementsOfMany: statements of more affiliates than a page go to each of them once, though
// the mail server fails, one process dies after the other, and a mail to somebody is refused.
func TestPostStatementsOfMany(t *testing.T) {
	s := newShop(t)
	s.Operators, s.Off = nil, []mail.Kind{mail.Welcome, mail.FirstSale}
	const n = 250
	var want []string
	for i := range n {
		name := fmt.Sprintf("a%03d", i)
		s.add(name, "active")
		s.sell(name, "o-"+name)
		if i != 7 {
			want = append(want, name+"@example.com")
		}
	}
	s.round()
	s.now = berlin(4, 1, 7, 0)
	var got []string
	tried, post := 0, s.Post
	mailer := sending(func(m mail.Mail) error {
		switch tried++; {
		case strings.HasPrefix(m.ID, "welcome"):
			t.Errorf("got %+v", m)
		case m.To == "a007@example.com":
			return mail.ErrRefused
		case tried%83 == 0:
			return errors.New("down")
		}
		got = append(got, m.To)
		return nil
	})
	post.Mailer = mailer
	for i := range 12 {
		if _, err := post.Round(t.Context()); err != nil {
			t.Fatal(i, err)
		}
		s.now = s.now.Add(3 * time.Minute)
		if i%3 == 2 { // one that has heard of nothing but the store
			post = s.another()
			post.Operators, post.Off, post.Mailer = nil, s.Off, mailer
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if all := s.letters(); len(all) != 1 || all[0].Kind != mail.Statement || !all[0].Next.IsZero() {
		t.Errorf("letters %+v", all)
	}
}

// TestPostStatementsRest: while the mail server is down one mail a minute waits, and no more; other
// mails go first.
func TestPostStatementsRest(t *testing.T) {
	s := newShop(t)
	s.Operators, s.Off = nil, []mail.Kind{mail.Welcome, mail.FirstSale}
	flo := s.add("Flo", "inactive")
	for i := range 30 {
		name := fmt.Sprintf("a%03d", i)
		s.add(name, "active")
		s.sell(name, "o-"+name)
	}
	s.round()
	s.now, s.fails = berlin(4, 1, 7, 0), errors.New("down")
	must(s.SetAffiliateStatus(t.Context(), affiliate.AffiliateDeclined, flo.ID))
	s.round()
	if all := s.letters(); len(all) != 1 || all[0].Kind != mail.Declined {
		t.Errorf("after a mail that was not taken: letters %+v", all)
	}
	must(0, s.EraseAffiliate(t.Context(), flo.ID))
	for range 21 { // five minutes
		s.round()
		s.now = s.now.Add(15 * time.Second)
	}
	if n := len(s.letters()); n < 3 || n > 6 {
		t.Errorf("%d letters", n)
	}
	s.fails, s.now = nil, s.now.Add(time.Hour)
	eve := s.add("Eve", "inactive")
	must(s.SetAffiliateStatus(t.Context(), affiliate.AffiliateActive, eve.ID))
	if got := s.round(); len(got) != 32 || !strings.HasPrefix(got[0], "eve@") {
		t.Errorf("%d mails: %q", len(got), got)
	}
	if n := len(s.letters()); n != 0 {
		t.Errorf("%d letters", n)
	}
}

// TestPostStatementsEnd: statements that are switched off in the middle end, those of who is deleted
// meanwhile are none, and the first start sends none of the past.
func TestPostStatementsEnd(t *testing.T) {
	s := newShop(t)
	s.Operators, s.Off = nil, []mail.Kind{mail.Welcome, mail.FirstSale}
	for i := range 150 {
		name := fmt.Sprintf("a%03d", i)
		s.add(name, "active")
		s.sell(name, "o-"+name)
	}
	s.round()
	s.now = berlin(4, 1, 7, 0)
	s.Mailer = sending(func(m mail.Mail) error {
		s.sent = append(s.sent, m)
		if len(s.sent) == 10 {
			must(0, s.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{Email: "a120@example.com"}))
		}
		return nil
	})
	if got := s.round(); len(got) != 99 || slices.ContainsFunc(got, func(m string) bool { return strings.HasPrefix(m, "a120") }) {
		t.Errorf("%d mails of a page: %q", len(got), got)
	}
	s.Off = append(s.Off, mail.Statement)
	s.expect("off")
	s.Off = s.Off[:2]
	s.expect("and on")

	first := s.another()
	first.Values = s.Program.Values("another-mail")
	if got := s.roundOf(first); len(got) > 0 {
		t.Errorf("a first start mails %q", got)
	}
}
