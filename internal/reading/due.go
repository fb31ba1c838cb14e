package reading

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A Due is the balance of an affiliate, and when what matures becomes payable.
type Due struct {
	Balance affiliate.Balance
	Days    []DueDay // the earliest first
}

// A DueDay is the amount that becomes payable on a day, and the day's beginning.
type DueDay struct {
	Day    affiliate.Time
	Amount affiliate.Amount
}

// DueTo returns what is due to an affiliate.
func DueTo(ctx context.Context, p *engine.Program, id uuid.UUID) (_ Due, err error) {
	defer p.Begin(&ctx, "Due", engine.Reads).End(&err)
	now := p.Now()
	return engine.View(ctx, p, func(o *engine.Op) (d Due, err error) {
		o.Now = now
		aff, err := o.AffiliateByID(id)
		if err != nil {
			return d, err
		}
		books, open, err := books(o, aff.ID)
		if err == nil && !open {
			err = refusal.BooksNotOpen.Err()
		}
		if err != nil {
			return d, err
		}
		d.Days, err = daysDue(o, aff.ID, &books)
		if err != nil {
			return d, refusal.Internal("read sales", err)
		}
		d.Balance, _, err = currentBalance(o, aff.ID)
		return d, err
	})
}

// daysDue sums up what matures by the day, in the program's zone, on which it becomes
// payable, the earliest first.
func daysDue(o *engine.Op, id uuid.UUID, books *record.Books) ([]DueDay, error) {
	days := []DueDay{}
	err := eachMaturing(o, id, books, func(from affiliate.Instant, earned affiliate.Amount) (err error) {
		year, month, day := from.Time().In(o.Cfg.Location).Date()
		at := affiliate.TimeOf(time.Date(year, month, day, 0, 0, 0, 0, o.Cfg.Location))
		i, there := slices.BinarySearchFunc(days, at,
			func(d DueDay, at affiliate.Time) int { return d.Day.Time().Compare(at.Time()) })
		if !there {
			days = slices.Insert(days, i, DueDay{Day: at})
		}
		days[i].Amount, err = days[i].Amount.Add(earned)
		return err
	})
	return days, err
}
