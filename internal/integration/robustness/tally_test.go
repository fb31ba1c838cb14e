package robustness

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A tally adds up histories.
type tally struct {
	histories, operations, illegal, undecided, unverified int
	unknown, overlaps, leastOverlaps, limits              int
	dull                                                  int           // histories without contention
	slowest                                               time.Duration // check
	first                                                 string
	said                                                  string // by the last call without an answer, instead of one
}

const leastOverlaps = 50

func (y *tally) add(seed uint64, h history, found porcupine.CheckResult, books error) {
	y.histories++
	y.operations += len(h.calls)
	y.unknown += h.unknown + h.unread
	if h.said != "" {
		y.said = h.said
	}
	y.overlaps += h.overlaps
	y.limits += h.limits
	if y.histories == 1 || h.overlaps < y.leastOverlaps {
		y.leastOverlaps = h.overlaps
	}
	if h.overlaps < leastOverlaps || h.limits == 0 {
		y.dull++
	}
	switch {
	case found == porcupine.Illegal:
		y.illegal++
		y.note(seed, "is not linearizable")
	case found == porcupine.Unknown:
		y.undecided++
		y.note(seed, "could not be decided")
	case books != nil:
		y.unverified++
		y.note(seed, "left wrong books: "+books.Error())
	}
}

// note keeps what the first history with a finding shows.
func (y *tally) note(seed uint64, what string) {
	if y.first == "" {
		y.first = fmt.Sprintf("history %d of %d calls (seed %d) %s", y.histories, y.operations, seed, what)
	}
}

func (y *tally) String() string {
	return fmt.Sprintf("histories=%d operations=%d illegal=%d unknown=%d unverified=%d unanswered=%d overlaps=%d least=%d refusals=%d slowest=%.1fs",
		y.histories, y.operations, y.illegal, y.undecided, y.unverified, y.unknown, y.overlaps, y.leastOverlaps, y.limits, y.slowest.Seconds())
}

// run takes one history of a trade on a target and adds it to the tally.
func (y *tally) run(t *testing.T, tg target, pl plant, tr trade, clients, calls int, seed uint64) {
	t.Helper()
	_, stopped := tr.(*treasury)
	w := tg.open(t, pl, stopped)
	ctx := context.Background()
	if err := tr.open(ctx, api.Of(w.program)); err != nil {
		t.Fatalf("%s: %v", tg.name, err)
	}
	h := take(ctx, tr, w, clients, calls, seed)
	w.settle()
	since, longest := time.Now(), patience
	if pl.name != "" {
		longest = shortPatience
	}
	found := judge(tr, h, longest)
	y.slowest = max(y.slowest, time.Since(since))
	if found == porcupine.Illegal && pl.name == "" && y.illegal == 0 {
		t.Log(explain(tr, h))
	}
	books := w.program.Verify(ctx)
	if books == nil {
		books = announced(ctx, w.program)
	}
	y.add(seed, h, found, books)
}

// announced checks that the first event of every affiliate, coupon, code and sale is
// its creation. Verify cannot: there, events of before may have been pruned.
func announced(ctx context.Context, p *tributary.Program) error {
	first := map[string]affiliate.EventType{}
	events, err := p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})
	for _, e := range events.Items {
		if e.Revision == 1 {
			first[e.ObjectID] = e.Type
		}
	}
	silent := func(typ affiliate.EventType, id any) {
		if err == nil && first[fmt.Sprint(id)] != typ {
			err = fmt.Errorf("%v is there without %s, its first event is %q", id, typ, first[fmt.Sprint(id)])
		}
	}
	affiliates, failed := p.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})
	err = errors.Join(err, failed)
	for _, a := range affiliates.Items {
		silent(affiliate.AffiliateCreated, a.ID)
	}
	coupons, failed := p.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})
	err = errors.Join(err, failed)
	for _, c := range coupons.Items {
		silent(affiliate.CouponCreated, c.ID)
		for _, code := range c.PromotionalCodes {
			silent(affiliate.PromocodeCreated, code.ID)
		}
	}
	sales, failed := p.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})
	err = errors.Join(err, failed)
	for _, s := range sales.Items {
		silent(affiliate.SaleCreated, s.ID)
	}
	return err
}

// refusalAtLimit are the reasons that show that callers wanted the same thing.
var refusalAtLimit = map[affiliate.Reason]bool{
	affiliate.CodeExhausted: true, affiliate.CouponExhausted: true, affiliate.NotFirstOrder: true, affiliate.SlugTaken: true,
	affiliate.AffiliateEmailTaken: true, affiliate.NothingPayable: true, affiliate.IncludedInPayout: true, affiliate.AlreadyPaid: true, affiliate.InPayout: true,
	affiliate.StatusNotAllowed: true,
}
