package robustness

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/tributary-go/tributary/internal/api"
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
