package robustness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/internal/atlength"
)

// A trade is what the clients of one history do, and the model of it. It is made
// anew for each history.
type trade interface {
	// open makes the records that the clients share.
	open(ctx context.Context, ops api.Operations) error
	// call draws a call, makes it and returns its input and its output, and whether
	// it was a read. A read without an answer says nothing about the state.
	call(ctx context.Context, ops api.Operations, r *rand.Rand, at turn) (in any, out outputOfCall, read bool)
	// initial is the state after open.
	initial() any
	// step returns the states after a call that gave this output: none, when the
	// output is impossible.
	step(state, in, out any) []any
}

// An outputOfCall is the output of a call.
type outputOfCall interface{ ended() fate }

// A turn is one call of a client.
type turn struct {
	ahead bool // by a process whose clock is ahead
	late  bool // the history is in its last third
}

// A fate is how a call ended. The zero fate is a success.
type fate struct {
	why     string // the reasons of a refusal
	limit   bool   // it was refused because something is used up or taken
	unknown bool   // there was no answer: it happened or it did not
	said    string // what the caller got instead of an answer
}

func (f fate) ended() fate { return f }

// A history is what the clients of a trade saw.
type history struct {
	calls    []porcupine.Operation
	overlaps int // pairs of calls by two clients that overlap
	limits   int // refusals at a limit
	unknown  int // writes without an answer
	unread   int // reads without an answer: they are not among the calls
	said     string
}

// forever is later than every answer: a call without one may happen at any time.
const forever = int64(1) << 62

// take runs a trade: clients × calls.
func take(ctx context.Context, tr trade, w world, clients, calls int, seed uint64) history {
	var (
		wg     sync.WaitGroup
		begin  = make(chan struct{})
		seen   = make([][]porcupine.Operation, clients)
		unread = make([][]string, clients)
		since  = time.Now()
	)
	for c := range clients {
		wg.Go(func() {
			r, mine := rand.New(rand.NewPCG(seed, uint64(c))), w.client(c)
			<-begin
			for n := range calls {
				call := time.Since(since).Nanoseconds()
				in, out, read := tr.call(ctx, mine, r, turn{w.ahead && c%2 == 1, 3*n >= 2*calls})
				end := time.Since(since).Nanoseconds()
				if out.ended().unknown {
					end = forever
				}
				if read && end == forever {
					unread[c] = append(unread[c], out.ended().said)
					continue
				}
				seen[c] = append(seen[c], porcupine.Operation{ClientId: c, Input: in, Call: call, Output: out, Return: end})
			}
		})
	}
	close(begin)
	wg.Wait()
	h := history{}
	for c, mine := range seen {
		h.unread += len(unread[c])
		for _, said := range unread[c] {
			h.said = said
		}
		for _, op := range mine {
			if f := op.Output.(outputOfCall).ended(); f.unknown {
				h.unknown++
				h.said = f.said
			} else if f.limit {
				h.limits++
			}
		}
		h.calls = append(h.calls, mine...)
	}
	h.overlaps = overlaps(h.calls)
	return h
}

// overlaps counts the pairs of calls by different clients that overlap in time.
// A call without an answer overlaps with nothing here.
func overlaps(calls []porcupine.Operation) (pairs int) {
	for i, a := range calls {
		for _, b := range calls[:i] {
			if a.ClientId != b.ClientId && a.Return != forever && b.Return != forever && a.Call < b.Return && b.Call < a.Return {
				pairs++
			}
		}
	}
	return pairs
}

// patience is how long the check of one history may take: a second as a rule, and
// longer when many calls had no answer, or the machine is busy. That of a history with a
// planted bug is given up sooner: the next one may show it at once.
const patience, shortPatience = 3 * time.Minute, time.Second

// judge checks a history against the model of its trade.
func judge(tr trade, h history, patience time.Duration) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(modelOf(tr, h), h.calls, patience)
}

// steps returns the states after a call: none when apply says that the answer is
// impossible. Without an answer the call happened or not, and apply gets nil.
func steps[S comparable, Out outputOfCall](s S, out Out, apply func(s *S, out *Out) bool) []any {
	next := s
	switch {
	case !out.ended().unknown:
		if !apply(&next, &out) {
			return nil
		}
		return []any{next}
	case !apply(&next, nil) || next == s:
		return []any{s}
	}
	return []any{s, next}
}

func modelOf(tr trade, h history) porcupine.Model {
	if h.unknown > 0 {
		model := porcupine.NondeterministicModel{
			Init: func() []any { return []any{tr.initial()} },
			Step: tr.step,
		}
		return model.ToModel()
	}
	return porcupine.Model{
		Init: tr.initial,
		Step: func(state, in, out any) (bool, any) {
			if next := tr.step(state, in, out); len(next) > 0 {
				return true, next[0]
			}
			return false, state
		},
	}
}

// A goal is how many histories a target gets of each trade, and of what size.
type goal struct {
	target         target
	short, long    int
	clients, calls int
}

// trades makes a trade by its name.
var trades = map[string]func() trade{
	"redemption": func() trade { return new(redemption) },
	"signup":     func() trade { return new(signup) },
	"spending":   func() trade { return new(spending) },
	"treasury":   func() trade { return new(treasury) },
}

// histories takes the histories of a goal: none may be illegal or undecided, every
// call has an answer unless the target loses some, and all but one in twenty must show
// contention.
func histories(t *testing.T, goals ...goal) {
	for _, g := range goals {
		for name, fresh := range trades {
			t.Run(g.target.name+"/"+name, func(t *testing.T) {
				n := g.short
				if atlength.On() && !testing.Short() {
					n = g.long
				}
				var y tally
				calls := g.calls
				if name == "treasury" { // its states are large, and the check of a long history takes long
					calls = calls / 2
				}
				for i := range n {
					y.run(t, g.target, plant{}, fresh(), g.clients, calls, seedOf(t.Name(), i))
				}
				t.Log(&y)
				t.Attr("histories", y.String())
				if y.illegal+y.undecided+y.unverified > 0 {
					t.Errorf("%s", y.first)
				}
				if most := g.target.unanswered(y.operations); y.unknown > most {
					t.Errorf("%d calls had no answer, want at most %d; the last: %s", y.unknown, most, y.said)
				}
				if y.leastOverlaps < leastOverlaps {
					t.Errorf("a history has %d pairs of calls at once, want %d", y.leastOverlaps, leastOverlaps)
				}
				if y.dull > 1+y.histories/20 { // what a history asks for is drawn: now and then nothing is used up
					t.Errorf("%d histories show no contention", y.dull)
				}
			})
		}
	}
}

// unanswered is how many of so many calls may have no answer.
func (tg target) unanswered(calls int) int {
	if tg.loses {
		return calls / 10
	}
	return 0
}

// TestHistoriesInMemory is G01 and G04.
func TestHistoriesInMemory(t *testing.T) {
	histories(t,
		goal{target: inMemory(), short: 60, long: 6_700, clients: 8, calls: 100},
		goal{target: inMemoryRerun(), short: 30, long: 700, clients: 8, calls: 100},
		goal{target: inMemoryLosing(), short: 30, long: 700, clients: 8, calls: 60},
		goal{target: inMemoryApart(), short: 30, long: 700, clients: 8, calls: 100},
	)
}

// lateThings are the things that planted bugs do after they answered.
type lateThings struct{ wg sync.WaitGroup }

func newLate() *lateThings { return &lateThings{} }

func (l *lateThings) do(fn func()) { l.wg.Go(fn) }

func (l *lateThings) wait() { l.wg.Wait() }

// losing returns a store in which every n-th Update has no answer: by turns it
// committed, and it did not. An Update that fails by itself has an answer, and
// is not counted.
func losing(s record.Store, n int64) record.Store { return &loser{Store: s, n: n} }

type loser struct {
	record.Store
	n, updates int64
}

// Update commits or not, and forgets to say so now and then.
func (l *loser) Update(ctx context.Context, program uuid.UUID, fn func(tx *record.Tx) error) error {
	turn := int64(0)
	err := l.Store.Update(ctx, program, func(tx *record.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if turn == 0 { // the first run of the closure
			turn = atomic.AddInt64(&l.updates, 1)
		}
		if turn%l.n == 0 && turn/l.n%2 == 0 {
			return conformance.ErrInjected
		}
		return nil
	})
	if err == nil && turn%l.n == 0 {
		return conformance.ErrInjected
	}
	return err
}

// notFound is the why of a call whose record is missing, whatever it is called.
const notFound = "not found"

// fateOf reads the error of a call.
func fateOf(err error) fate {
	if err == nil {
		return fate{}
	}
	if lost, ok := errors.AsType[*client.Error](err); ok && (lost.Status < 400 || lost.Status >= 500) {
		return fate{unknown: true, said: err.Error()}
	}
	refusal, ok := errors.AsType[*affiliate.Error](err)
	switch {
	case errors.Is(err, affiliate.CodeNotFound):
		return fate{why: string(affiliate.CodeNotFound)}
	case errors.Is(err, affiliate.ErrNotFound):
		return fate{why: notFound}
	case !ok:
		return fate{unknown: true, said: err.Error()}
	case refusal.Kind == affiliate.KindNotFound, strings.HasSuffix(string(refusal.Reason), "_not_found"):
		return fate{why: notFound}
	}
	return fate{why: reasons(refusal), limit: atLimit(refusal)}
}

// atLimit reports whether one of the rules that refused is about something that
// is used up, taken or settled.
func atLimit(refusal *affiliate.Error) bool {
	return refusalAtLimit[refusal.Reason] || slices.ContainsFunc(refusal.Failures, func(f affiliate.Failure) bool { return refusalAtLimit[f.Reason] })
}

// reasons joins every failing rule of a refusal.
func reasons(refusal *affiliate.Error) string {
	if len(refusal.Failures) == 0 {
		return string(refusal.Reason)
	}
	return failing(refusal.Failures)
}

func failing(rules []affiliate.Failure) string {
	var names []string
	for _, f := range rules {
		names = append(names, string(f.Reason))
	}
	return strings.Join(names, " ")
}

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

// explain shows where the check of a history is stuck: the last calls of the
// longest order that the model accepts, and the calls that could come next, of
// which none fits.
func explain(tr trade, h history) string {
	_, info := porcupine.CheckOperationsVerbose(modelOf(tr, h), h.calls, patience)
	var longest []porcupine.Operation
	for _, part := range info.PartialLinearizationsOperations() {
		for _, order := range part {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	done := map[[2]int64]bool{}
	key := func(op porcupine.Operation) [2]int64 { return [2]int64{int64(op.ClientId), op.Call} }
	for _, op := range longest {
		done[key(op)] = true
	}
	var next []porcupine.Operation
	first := forever
	for _, op := range h.calls {
		if !done[key(op)] {
			next = append(next, op)
			first = min(first, op.Return)
		}
	}
	next = slices.DeleteFunc(next, func(op porcupine.Operation) bool { return op.Call > first })
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d of %d calls in order; the last of them:", len(longest), len(h.calls))
	for _, op := range longest[max(0, len(longest)-12):] {
		fmt.Fprintf(&b, "\n  client %d: %+v → %+v", op.ClientId, op.Input, op.Output)
	}
	b.WriteString("\nnone of these can be next:")
	for _, op := range next {
		fmt.Fprintf(&b, "\n  client %d: %+v → %+v", op.ClientId, op.Input, op.Output)
	}
	return b.String()
}
