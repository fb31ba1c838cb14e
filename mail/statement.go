package mail

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// sheets is how far the statements of a month are. They go to a page of affiliates in each round, so
// that they hold up no other mail.
type sheets struct {
	Month  string      // whose statements are mailed, or were
	Open   bool        // there are affiliates who may get one still
	Cursor string      // of the page of affiliates whose turn it is
	Told   []uuid.UUID // on this page
}

const (
	monthLayout = "2006-01"
	sheetsPage  = 100
	sheetsRest  = time.Minute // after the mail server has not taken one
)

// dueSince returns when the statements of the month before became due.
func dueSince(at time.Time) time.Time {
	year, month, _ := at.Add(-morning * time.Hour).Date()
	return time.Date(year, month, 1, morning, 0, 0, 0, at.Location())
}

// monthBefore returns the last month whose statements are due.
func monthBefore(at time.Time) string { return dueSince(at).AddDate(0, -1, 0).Format(monthLayout) }

// statements mails what affiliates earned in a month, from seven o'clock of the first day behind it on.
func (r *round) statements(ctx context.Context) error {
	r.more = false
	at, err := r.local(ctx)
	if err != nil {
		return err
	}
	wanted := r.Stop != nil && !slices.Contains(r.Off, Statement)
	if month := monthBefore(at); month > r.Sheets.Month || r.Sheets.Open && !wanted {
		if wanted {
			r.missed(dueSince(at).AddDate(0, -1, 0))
		}
		r.Sheets = sheets{Month: month, Open: wanted}
		if err := r.save(ctx); err != nil {
			return err
		}
	}
	if !r.Sheets.Open || r.down || r.now.Time().Before(r.rest.Time()) {
		return nil
	}
	page, err := r.Program.Affiliates(ctx, affiliate.AffiliateQuery{},
		affiliate.Page{Limit: sheetsPage, Cursor: r.Sheets.Cursor})
	if err != nil {
		return err
	}
	for _, a := range page.Items {
		if err := r.tell(ctx, a, at.Location()); err != nil {
			return err
		}
		if r.down {
			r.rest = affiliate.TimeOf(r.now.Time().Add(sheetsRest))
			return nil
		}
	}
	r.more = page.Next != ""
	r.Sheets = sheets{Month: r.Sheets.Month, Open: r.more, Cursor: page.Next}
	return r.save(ctx)
}

// missed says whose statements are not mailed any more: those of months before the one that is due,
// because nothing was mailed since. Who wants them has them on the pages.
func (r *round) missed(due time.Time) {
	if r.Sheets.Open {
		r.Logger.Warn("the statements of a month were not all mailed", "month", r.Sheets.Month)
	}
	if before := due.AddDate(0, -1, 0).Format(monthLayout); before > r.Sheets.Month {
		r.Logger.Warn("the statements of some months were not mailed", "after", r.Sheets.Month, "until", before)
	}
}

// tell mails an affiliate the statement, unless that was done, or there is nothing to say.
func (r *round) tell(ctx context.Context, a affiliate.Affiliate, zone *time.Location) error {
	switch a.Status {
	case affiliate.AffiliateActive, affiliate.AffiliateDeactivated, affiliate.AffiliateBanned:
	default:
		return nil // who was not taken sees no statement
	}
	if slices.Contains(r.Sheets.Told, a.ID) {
		return nil
	}
	is, err := r.sumsOf(ctx, a.ID, r.Sheets.Month, zone)
	if err != nil || is.zero() {
		return err
	}
	r.Sheets.Told = append(r.Sheets.Told, a.ID)
	return r.deliver(ctx, Letter{Kind: Statement, About: r.Sheets.Month + "-" + a.ID.String(),
		Since: r.now})
}

// sums are what a statement of a month comes to.
type sums struct {
	from               time.Time
	earned, paid, owed affiliate.Amount
}

func (s sums) zero() bool { return s.earned.IsZero() && s.paid.IsZero() && s.owed.IsZero() }

// sumsOf returns the sums of an affiliate; zero ones of who is gone, or whose books begin later.
func (r *round) sumsOf(ctx context.Context, of uuid.UUID, month string,
	zone *time.Location) (is sums, err error) {
	if is.from, err = time.ParseInLocation(monthLayout, month, zone); err != nil {
		return is, err
	}
	s, err := r.Program.Statement(ctx, affiliate.AffiliateRef{ID: of}, is.from,
		is.from.AddDate(0, 1, 0))
	if errors.Is(err, affiliate.ErrNotFound) || errors.Is(err, affiliate.BooksNotOpen) {
		return is, nil
	}
	if err != nil {
		return is, err
	}
	is.owed = s.Closing.Owed
	if is.paid, err = s.Closing.Paid.Sub(s.Opening.Paid); err == nil {
		is.earned, err = s.Closing.Owed.Sub(s.Opening.Owed)
	}
	if err == nil {
		is.earned, err = is.earned.Add(is.paid)
	}
	return is, err
}

// aboutMonth returns the affiliate of a statement, and completes its data.
func (r *round) aboutMonth(ctx context.Context, letter *Letter, data *Data,
	c affiliate.Currency) (of uuid.UUID, err error) {
	end := min(len(monthLayout), len(letter.About))
	month := letter.About[:end]
	if of, err = uuid.Parse(letter.About[min(end+1, len(letter.About)):]); err != nil {
		return of, err
	}
	at, err := r.local(ctx)
	if err != nil {
		return of, err
	}
	is, err := r.sumsOf(ctx, of, month, at.Location())
	if err != nil {
		return of, err
	}
	data.Month, data.Link = is.from, data.Link+"statements/"+month
	data.Earned, data.Paid, data.Owed = money(is.earned, c), money(is.paid, c), money(is.owed, c)
	return r.wanted(ctx, of, data)
}
