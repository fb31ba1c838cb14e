package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// A Post mails what the events of a program say. How far it is, what waits and what could not be
// sent are in Values. Of several on one store one works, and another goes on when that one is gone.
type Post struct {
	Program   *tributary.Program
	Values    tributary.Values
	Mailer    Mailer
	Texts     *Texts
	Pages     string   // URL of the pages for affiliates
	Console   string   // URL of the console, for operators
	Operators []string // who hears each morning what waits for them; none: nobody
	Off       []Kind   // what is not mailed

	// Proposed returns how many proposals wait, which operators hear. Nil: nobody proposes.
	Proposed func(context.Context) (int, error)

	// Stop returns the link by which an affiliate stops mails that are not necessary: who opens it
	// calls StopMails. Nil: there are no such mails.
	Stop func(uuid.UUID) string

	Logger *slog.Logger

	id   uuid.UUID      // of this one
	due  affiliate.Time // of the next letter that waits; zero: nobody knows
	rest affiliate.Time // until then no statements are mailed
	more bool           // statements are left for the next round, which need not wait
}

// A Letter is a mail that waits for another try, or that could not be sent.
type Letter struct {
	Kind  Kind           `json:"kind"`
	About string         `json:"about"`        // the id of an event, a payout or a case, a day, or a month and the id of an affiliate
	To    string         `json:"to,omitempty"` // an operator; empty: the affiliate
	Since affiliate.Time `json:"since"`
	Tries int            `json:"tries"`
	Next  affiliate.Time `json:"next,omitzero"` // not there: it is not tried again
	Error string         `json:"error"`
}

// name is that of the value with the letter, and the id of its mail.
func (l *Letter) name() string {
	name := string(l.Kind) + "-" + l.About
	if l.To != "" {
		name += "-" + uuid.NewSHA1(uuid.Nil, []byte(l.To)).String()
	}
	return name
}

// A state is how far a Post is.
type state struct {
	Position uuid.UUID      // of the last event that was looked at
	Failed   []uuid.UUID    // payouts that are FAILED, as their affiliates know
	Day      string         // of the last morning
	Holder   uuid.UUID      // the Post that works
	Until    affiliate.Time // it is gone
	Sheets   sheets
	Asked    asked
}

const (
	stateName    = "state"
	letterPrefix = "letter-"
	stopPrefix   = "stopped-"

	applicantPrefix = "applicant-"

	holdTime = 2 * time.Minute    // for which the Post that works need not be heard of
	pace     = 15 * time.Second   // between two looks at what waits
	patience = 3 * 24 * time.Hour // a mail that is later is not sent
	keepTime = 30 * 24 * time.Hour
	morning  = 7 // o'clock, in the program's zone
)

// backoff is the time before the next try.
var backoff = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	6 * time.Hour, 12 * time.Hour}

// errHeld means that another Post works.
var errHeld = errors.New("mail: another process sends the mails")

// Run mails until ctx ends.
func (p *Post) Run(ctx context.Context) {
	for ctx.Err() == nil {
		at, err := p.Round(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, errHeld) {
			p.Logger.Error("mail", "error", err)
		}
		if err != nil || !p.more {
			p.wait(ctx, at, err != nil)
		}
	}
	ctx = context.WithoutCancel(ctx)
	_ = p.change(ctx, func(s *state) { s.Until = affiliate.Time{} }) // else the next one waits
}

// wait returns at the next event, and after a while.
func (p *Post) wait(ctx context.Context, after uuid.UUID, failed bool) {
	ctx, cancel := context.WithTimeout(ctx, pace)
	defer cancel()
	if failed {
		<-ctx.Done()
		return
	}
	for _, err := range p.Program.Follow(ctx, after) {
		if err == nil { // more may follow at once, and a round writes
			wait(ctx, time.Second)
		}
		return
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Begin makes what happens from now on that which is mailed, if nothing ever was.
//
// Errors: those of the store.
func (p *Post) Begin(ctx context.Context) error {
	if err := p.newRound().begin(ctx); !errors.Is(err, errHeld) {
		return err
	}
	return nil
}

// newRound returns the work of now.
func (p *Post) newRound() *round {
	if p.id == uuid.Nil {
		p.id = uuid.New()
	}
	return &round{Post: p, now: affiliate.TimeOf(p.Program.Config().Now())}
}

// Round does what is to be done now, and returns the event to which it came.
//
// Errors: those of the store; another Post works.
func (p *Post) Round(ctx context.Context) (uuid.UUID, error) {
	r := p.newRound()
	if err := r.begin(ctx); err != nil {
		return uuid.Nil, err
	}
	err := r.events(ctx)
	for _, work := range []func(context.Context) error{r.failedPayouts, r.answers, r.mornings, r.waiting,
		r.statements} {
		if err == nil {
			err = work(ctx)
		}
	}
	return r.Position, err
}

// A round is the work of one moment.
type round struct {
	*Post
	state
	now  affiliate.Time
	down bool // the mail server: nothing more is tried
}

// change changes the state, unless another Post works.
func (p *Post) change(ctx context.Context, f func(*state)) error {
	now := affiliate.TimeOf(p.Program.Config().Now())
	return p.Values.Change(ctx, stateName, func(raw json.RawMessage) (json.RawMessage, error) {
		var s state
		if raw != nil {
			if err := json.Unmarshal(raw, &s); err != nil {
				return nil, err
			}
		}
		if s.Holder != p.id && s.Until.Time().After(now.Time()) {
			return nil, errHeld
		}
		s.Holder, s.Until = p.id, affiliate.TimeOf(now.Time().Add(holdTime))
		f(&s)
		return json.Marshal(s)
	})
}

// save writes how far the round is.
func (r *round) save(ctx context.Context) error {
	return r.change(ctx, func(s *state) {
		s.Position, s.Failed, s.Day, s.Sheets, s.Asked = r.Position, r.Failed, r.Day, r.Sheets, r.Asked
	})
}

// begin reads the state. At the first time all that is there counts as mailed.
func (r *round) begin(ctx context.Context) error {
	if err := r.change(ctx, func(s *state) { r.state = *s }); err != nil || r.Day != "" {
		return err
	}
	newest, err := r.Program.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 1})
	if err != nil {
		return err
	}
	for _, e := range newest.Items {
		r.Position = e.ID
	}
	if _, r.Failed, err = r.newlyFailed(ctx); err != nil {
		return err
	}
	if _, r.Asked, err = r.newlyAnswered(ctx); err != nil {
		return err
	}
	wait := affiliate.AffiliateQuery{Status: affiliate.AffiliateInactive}
	waiting, err := r.Program.Affiliates(ctx, wait, affiliate.Page{})
	if err != nil {
		return err
	}
	for _, a := range waiting.Items {
		if err := r.note(ctx, a.ID, a.Status); err != nil {
			return err
		}
	}
	at, err := r.local(ctx)
	if err != nil {
		return err
	}
	r.Day, r.Sheets.Month = at.Format(time.DateOnly), monthBefore(at)
	return r.save(ctx)
}

// events mails what new events say.
func (r *round) events(ctx context.Context) error {
	for {
		all, err := r.Program.EventsAfter(ctx, r.Position, 100)
		if err != nil || len(all) == 0 {
			return err
		}
		for _, e := range all {
			if err := r.event(ctx, e); err != nil {
				return err
			}
		}
		if err := r.save(ctx); err != nil {
			return err
		}
	}
}

// event mails what an event says, and notes it.
func (r *round) event(ctx context.Context, e affiliate.Event) error {
	says, err := r.read(ctx, e)
	if err != nil {
		return err
	}
	r.Position = e.ID
	mails := says.kind != "" && !slices.Contains(r.Off, says.kind)
	if mails && r.late(e.OccurredAt) {
		mails = false
		r.Logger.Warn("a mail is not sent: it is too late", "kind", says.kind, "about", e.ID)
	}
	if mails {
		letter := Letter{Kind: says.kind, About: e.ID.String(), Since: e.OccurredAt}
		if err := r.send(ctx, letter); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx) // else a mail that was sent is sent again
	}
	if says.of != uuid.Nil {
		if err := r.note(ctx, says.of, says.is); err != nil {
			return err
		}
	}
	if mails {
		return r.save(ctx)
	}
	return nil
}

func (r *round) late(since affiliate.Time) bool { return r.now.Time().Sub(since.Time()) > patience }

// newlyFailed returns the payouts that are FAILED, and those of whom nobody was told.
func (r *round) newlyFailed(ctx context.Context) (news []affiliate.Payout, all []uuid.UUID,
	err error) {
	failed, err := r.Program.Payouts(ctx, affiliate.PayoutQuery{Status: affiliate.PayoutFailed},
		affiliate.Page{})
	for _, one := range failed.Items {
		if len(all) == 1000 {
			break // of a list that nobody works on
		}
		if all = append(all, one.ID); !slices.Contains(r.Failed, one.ID) {
			news = append(news, one)
		}
	}
	return news, all, err
}

// failedPayouts tells affiliates whose payouts have failed, which no event says.
func (r *round) failedPayouts(ctx context.Context) error {
	news, all, err := r.newlyFailed(ctx)
	if err != nil || len(news) == 0 && len(all) == len(r.Failed) {
		return err
	}
	// Those of now alone, so that they fit into a value.
	r.Failed = slices.DeleteFunc(r.Failed, func(id uuid.UUID) bool { return !slices.Contains(all, id) })
	for _, one := range news {
		r.Failed = append(r.Failed, one.ID)
		if slices.Contains(r.Off, PayoutFailed) {
			continue
		}
		letter := Letter{Kind: PayoutFailed, About: one.ID.String() + "-" +
			fmt.Sprint(one.UpdatedAt.Time().UnixMilli()), Since: r.now}
		if err := r.deliver(ctx, letter); err != nil {
			return err
		}
	}
	r.Failed = all
	return r.save(ctx)
}

// local returns the time in the program's zone.
func (r *round) local(ctx context.Context) (time.Time, error) {
	is, err := r.Program.Settings(ctx)
	if err != nil {
		return time.Time{}, err
	}
	zone, err := time.LoadLocation(is.TimeZone)
	return r.now.Time().In(zone), err
}

// mornings tells operators once a day what waits for them.
func (r *round) mornings(ctx context.Context) error {
	at, err := r.local(ctx)
	day := at.Format(time.DateOnly)
	if err != nil || day <= r.Day || at.Hour() < morning {
		return err
	}
	r.Day = day
	for _, to := range r.Operators {
		if err := r.deliver(ctx, Letter{Kind: Attention, About: day, To: to, Since: r.now}); err != nil {
			return err
		}
	}
	return r.save(ctx)
}

// deliver sends a letter, and saves how far the round is.
func (r *round) deliver(ctx context.Context, letter Letter) error {
	if err := r.send(ctx, letter); err != nil {
		return err
	}
	return r.save(context.WithoutCancel(ctx))
}

// send sends a letter, or puts it with those that wait.
func (r *round) send(ctx context.Context, letter Letter) error {
	if err := r.try(ctx, &letter); err != nil || letter.Error == "" {
		return err
	}
	return r.put(context.WithoutCancel(ctx), &letter)
}

// try sends a letter. One that was not sent says why.
func (r *round) try(ctx context.Context, letter *Letter) error {
	m, err := r.compose(ctx, letter)
	_, badText := errors.AsType[*textError](err)
	switch {
	case !badText && (err != nil || m.To == ""):
		letter.Error = ""
		return err
	case badText:
		letter.Tries, letter.Error = letter.Tries+1, err.Error()
	case !r.down:
		m.ID = letter.name()
		letter.Tries++
		if err = r.Mailer.Send(ctx, m); err == nil {
			letter.Error = ""
			return nil
		}
		letter.Error = err.Error()
		r.down = !errors.Is(err, ErrRefused)
	}
	if letter.Error == "" {
		letter.Error = "the mail server takes no mails"
	}
	wait := backoff[min(max(letter.Tries-1, 0), len(backoff)-1)]
	if letter.Next = affiliate.TimeOf(r.now.Time().Add(wait)); errors.Is(err, ErrRefused) ||
		r.late(letter.Since) {
		letter.Next = affiliate.Time{}
	}
	r.Logger.Warn("a mail was not sent", "kind", letter.Kind, "about", letter.About, "tries",
		letter.Tries, "error", letter.Error)
	return nil
}

// put keeps a letter; one without an error goes.
func (r *round) put(ctx context.Context, letter *Letter) error {
	r.wake(letter)
	return r.Values.Change(ctx, letterPrefix+letter.name(), func(json.RawMessage) (json.RawMessage,
		error) {
		if letter.Error == "" {
			return nil, nil
		}
		return json.Marshal(letter)
	})
}

// wake has the letters read when one is due.
func (r *round) wake(letter *Letter) {
	if !letter.Next.IsZero() && letter.Next.Time().Before(r.due.Time()) {
		r.due = letter.Next
	}
}

// waiting tries again what is due, and forgets what nobody can do anything about.
func (r *round) waiting(ctx context.Context) error {
	if r.now.Time().Before(r.due.Time()) {
		return nil
	}
	var all []Letter
	for letter, err := range r.Letters(ctx) {
		if err != nil {
			return err
		}
		all = append(all, letter)
	}
	r.due = affiliate.TimeOf(r.now.Time().Add(time.Hour)) // for those that go
	for _, letter := range all {
		r.wake(&letter)
		switch {
		case letter.Next.IsZero() && r.now.Time().Sub(letter.Since.Time()) > keepTime:
			letter.Error = ""
		case letter.Next.IsZero() || letter.Next.Time().After(r.now.Time()) || r.down:
			continue
		default:
			if err := r.try(ctx, &letter); err != nil {
				return err
			}
		}
		sent := context.WithoutCancel(ctx)
		if err := errors.Join(r.put(sent, &letter), r.save(sent)); err != nil {
			return err
		}
	}
	return nil
}

// Letters yields the mails that wait for another try, and those that could not be sent in the last
// 30 days, the oldest first.
func (p *Post) Letters(ctx context.Context) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		for kept, err := range p.Values.All(ctx) {
			var letter Letter
			if err == nil && !strings.HasPrefix(kept.Name, letterPrefix) {
				continue
			}
			if err == nil {
				err = json.Unmarshal(kept.Value, &letter)
			}
			if !yield(letter, err) || err != nil {
				return
			}
		}
	}
}

// StopMails stops the mails to an affiliate that are not necessary.
func (p *Post) StopMails(ctx context.Context, of uuid.UUID) error {
	return p.Values.Change(ctx, stopPrefix+of.String(), func(json.RawMessage) (json.RawMessage,
		error) {
		return json.RawMessage("true"), nil
	})
}

// stopped reports whether an affiliate has stopped them.
func (p *Post) stopped(ctx context.Context, of uuid.UUID) (bool, error) {
	_, err := p.Values.Get(ctx, stopPrefix+of.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
