package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
	"github.com/tributary-go/tributary/internal/unseen"
)

// Proposals of operations, which wait for a person. They are the host's values, and not in the
// engine, because an operation is a thing of this API.
//
// Source: docs/contract.md 4.8.

const (
	proposalsKind   = "server-proposals"
	maxProposed     = 100                 // of a key that wait, and of all that were decided
	maxProposedBody = 16 << 10            // bytes
	maxWhy          = 400                 // characters: the reason of an event has 500
	proposalLapses  = 30 * 24 * time.Hour // whether it was decided or not: it may name a person
	proposalRepeats = 23 * time.Hour      // one that may have been done: its idempotency key answers a day
)

// Proposals are what was proposed to a program, for the people who decide. A host without the console
// of this module shows them on pages of its own. It is a value, safe for concurrent use.
type Proposals struct {
	h *Handler
	p *tributary.Program
}

// Proposals returns those of a program.
func (h *Handler) Proposals(p *tributary.Program) Proposals { return Proposals{h, p} }

// All returns them, the newest first: at most some hundreds.
func (ps Proposals) All(ctx context.Context) ([]affiliate.Proposal, error) {
	all, err := ps.stored(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, ps.lapsed)
	slices.Reverse(all)
	return all, nil
}

// stored returns those that the store has, the oldest first.
func (ps Proposals) stored(ctx context.Context) ([]affiliate.Proposal, error) {
	all := []affiliate.Proposal{}
	for v, err := range ps.values().All(ctx) {
		if err != nil {
			return nil, err
		}
		is, err := ps.open(v.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, is)
	}
	return all, nil
}

// Waiting returns how many wait for a person.
func (ps Proposals) Waiting(ctx context.Context) (n int, err error) {
	all, err := ps.All(ctx)
	for _, is := range all {
		if is.Status == affiliate.ProposalWaiting {
			n++
		}
	}
	return n, err
}

// Get returns one.
//
// Errors: [affiliate.ErrNotFound].
func (ps Proposals) Get(ctx context.Context, id uuid.UUID) (is affiliate.Proposal, err error) {
	v, err := ps.values().Get(ctx, id.String())
	if err != nil {
		return is, err
	}
	if is, err = ps.open(v.Value); err == nil && ps.lapsed(is) {
		err = affiliate.ErrNotFound
	}
	return is, err
}

// Effect returns what a proposal would do if it were accepted now, and does nothing.
//
// Errors: those of the operation; [affiliate.ErrNotFound].
func (ps Proposals) Effect(ctx context.Context, id uuid.UUID) (affiliate.ProposalEffect, error) {
	is, err := ps.Get(ctx, id)
	if err != nil {
		return affiliate.ProposalEffect{}, err
	}
	return ps.rehearse(ctx, is)
}

// Accept does what was proposed, as the person by: once, whoever accepts it and however often. Its
// events have by as who did it, and why it was proposed.
//
// Errors: [affiliate.ErrNotFound]; [affiliate.StatusNotAllowed] of one that was decided; those of the
// operation, after which it is FAILED. After any other error it is ACCEPTED, and can be accepted
// again for a day: it may be done, and is not done twice.
func (ps Proposals) Accept(ctx context.Context, id uuid.UUID, by string) (affiliate.Proposal, error) {
	is, err := ps.decide(ctx, id, func(is *affiliate.Proposal) error {
		switch {
		case !ps.acceptable(*is):
			return refusal.StatusNotAllowed.Err()
		case is.Status == affiliate.ProposalAccepted:
			return nil
		}
		is.Status, is.DecidedBy, is.DecidedAt = affiliate.ProposalAccepted, affiliate.Set(by), affiliate.Set(affiliate.TimeOf(ps.now()))
		return nil
	})
	if err != nil {
		return is, err
	}
	ctx = context.WithoutCancel(ctx) // who goes away now would leave it half done
	doer := ps.p.By(is.DecidedBy.Or(by)).Because("proposed by " + is.ProposedBy + ": " + is.Why)
	did := ps.h.perform(ctx, doer, is)
	refused, ok := errors.AsType[*affiliate.Error](did)
	if did != nil && (!ok || refused.Kind == affiliate.KindInternal) {
		return is, did
	}
	is, err = ps.decide(ctx, id, func(is *affiliate.Proposal) error {
		is.Status = affiliate.ProposalDone
		if did != nil {
			is.Status, is.Reason = affiliate.ProposalFailed, affiliate.Set(refused.Message)
		}
		return nil
	})
	return is, cmp.Or(did, err)
}

// Decline says that a proposal will not be done, and why; of one that was accepted and can no longer
// be done again, that it is over.
//
// Errors: [affiliate.ErrNotFound]; [affiliate.StatusNotAllowed] of one that was decided;
// [affiliate.MissingField], [affiliate.InvalidField] (reason).
func (ps Proposals) Decline(ctx context.Context, id uuid.UUID, by, reason string) (affiliate.Proposal, error) {
	if err := refusal.First(refusal.Required("reason", reason, refusal.ReasonRequired, maxWhy)); err != nil {
		return affiliate.Proposal{}, err
	}
	return ps.decide(ctx, id, func(is *affiliate.Proposal) error {
		over := is.Status == affiliate.ProposalAccepted && !ps.acceptable(*is)
		if is.Status != affiliate.ProposalWaiting && !over {
			return refusal.StatusNotAllowed.Err()
		}
		is.Status, is.Reason = affiliate.ProposalDeclined, affiliate.Set(reason)
		is.DecidedBy, is.DecidedAt = affiliate.Set(by), affiliate.Set(affiliate.TimeOf(ps.now()))
		return nil
	})
}

func (ps Proposals) values() tributary.Values { return ps.p.Values(proposalsKind) }

func (ps Proposals) now() time.Time { return ps.p.Config().Now() }

func (ps Proposals) open(raw json.RawMessage) (is affiliate.Proposal, err error) {
	return is, json.Unmarshal(raw, &is)
}

func (ps Proposals) lapsed(is affiliate.Proposal) bool {
	return ps.now().Sub(is.CreatedAt.Time()) > proposalLapses
}

// acceptable reports whether it waits, or was accepted and may still be done.
func (ps Proposals) acceptable(is affiliate.Proposal) bool {
	since := ps.now().Sub(is.DecidedAt.Or(affiliate.Time{}).Time())
	return is.Status == affiliate.ProposalWaiting || is.Status == affiliate.ProposalAccepted && since < proposalRepeats
}

// decide changes a proposal.
func (ps Proposals) decide(ctx context.Context, id uuid.UUID, change func(*affiliate.Proposal) error) (is affiliate.Proposal, err error) {
	err = ps.values().Change(ctx, id.String(), func(raw json.RawMessage) (json.RawMessage, error) {
		if raw == nil {
			return nil, affiliate.ErrNotFound
		}
		if is, err = ps.open(raw); err != nil || ps.lapsed(is) {
			return nil, cmp.Or(err, affiliate.ErrNotFound)
		}
		if err := change(&is); err != nil {
			return nil, err
		}
		return json.Marshal(is)
	})
	return is, err
}

// propose keeps a proposal that could be done now. What waits already is not kept twice.
func propose(p *tributary.Program, c *call, in affiliate.ProposalParams) error {
	ctx, ps := c.r.Context(), Proposals{c.h, p}
	body, err := json.Marshal(in.Body) // as it is kept: it is compared
	if err != nil {
		return err
	}
	var says struct{ ManuallyPaid bool }
	_ = json.Unmarshal(body, &says) // of another type: the operation refuses it
	if err := refusal.First(
		refusal.RefuseNoOperation.When(in.Operation == ""),
		refusal.OneOf("operation", in.Operation, affiliate.ProposalOperations()),
		refusal.RefuseNoProposedBody.When(in.Body == nil),
		refusal.FieldTooLong.About("body").When(len(body) > maxProposedBody),
		refusal.FieldNotAllowed.About("body.manuallyPaid").When(says.ManuallyPaid), // nobody is asked to say that it was paid
		refusal.Required("why", in.Why, refusal.RefuseNoWhy, maxWhy),
	); err != nil {
		return err
	}
	is := affiliate.Proposal{Status: affiliate.ProposalWaiting, Operation: in.Operation, Body: body, Why: in.Why,
		ProposedBy: strings.ToValidUTF8(c.keyName, "\uFFFD"), CreatedAt: affiliate.TimeOf(ps.now()), DecidedBy: affiliate.Null[string](),
		DecidedAt: affiliate.Null[affiliate.Time](), Reason: affiliate.Null[string]()}
	kept, err := ps.besides(ctx, is)
	if err != nil {
		return err
	}
	if old, there := kept.same.Get(); there {
		return c.encode(&old)
	}
	is.ID = uuid.NewSHA1(p.Config().ID, fmt.Append(nil, is.ProposedBy, "\n", is.Operation, "\n", is.Why, "\n", kept.before, is.CreatedAt, string(body)))
	if _, err := ps.rehearse(ctx, is); err != nil {
		if refused, ok := errors.AsType[*affiliate.Error](err); ok && refused.Field != "" {
			refused.Field = "body." + refused.Field
		}
		return err
	}
	if kept.waiting >= maxProposed {
		return refusal.ProposalsTooMany.Err()
	}
	err = ps.values().Change(ctx, is.ID.String(), func(raw json.RawMessage) (json.RawMessage, error) {
		if raw != nil { // sent twice in this millisecond
			is, err = ps.open(raw)
			return raw, err
		}
		return json.Marshal(is)
	})
	if err != nil {
		return err
	}
	return c.encode(&is)
}

// keptProposals are those that are kept when another one comes.
type keptProposals struct {
	same    affiliate.Opt[affiliate.Proposal] // that asks for the same, of the same key, and may still be done
	before  int                               // how often the same was proposed
	waiting int                               // of the key
}

// besides returns what is kept beside a proposal, and forgets what has lapsed and the oldest of what was decided.
func (ps Proposals) besides(ctx context.Context, is affiliate.Proposal) (kept keptProposals, err error) {
	all, err := ps.stored(ctx)
	if err != nil {
		return kept, err
	}
	var gone, decided []uuid.UUID
	for _, old := range all {
		own := old.ProposedBy == is.ProposedBy
		same := own && old.Operation == is.Operation && bytes.Equal(old.Body, is.Body) && old.Why == is.Why
		if same {
			kept.before++
		}
		switch {
		case ps.lapsed(old):
			gone = append(gone, old.ID)
		case !ps.acceptable(old):
			decided = append(decided, old.ID)
		case same:
			kept.same = affiliate.Set(old)
		case own:
			kept.waiting++
		}
	}
	gone = append(gone, decided[:max(0, len(decided)-maxProposed)]...)
	for _, one := range gone {
		if err := ps.values().Change(ctx, one.String(), func(json.RawMessage) (json.RawMessage, error) { return nil, nil }); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// proposed answers proposals.
func proposed() []lookup {
	return []lookup{
		one("id", func(p *tributary.Program, ctx context.Context, id string) (affiliate.Proposal, error) {
			return Proposals{p: p}.Get(ctx, idOf(id))
		}),
		all(func(p *tributary.Program, ctx context.Context, pg affiliate.Page) (list affiliate.List[affiliate.Proposal], err error) {
			list.Items, err = Proposals{p: p}.All(ctx)
			if pg.Cursor != "" && err == nil {
				i := slices.IndexFunc(list.Items, func(is affiliate.Proposal) bool { return is.ID.String() == pg.Cursor })
				if i < 0 {
					return list, refusal.CursorInvalid.Err()
				}
				list.Items = list.Items[i+1:]
			}
			if pg.Limit > 0 && len(list.Items) > pg.Limit {
				list.Items = list.Items[:pg.Limit]
				list.Next = list.Items[pg.Limit-1].ID.String()
			}
			return list, err
		}),
	}
}

// rehearse returns what a proposal would do now.
func (ps Proposals) rehearse(ctx context.Context, is affiliate.Proposal) (e affiliate.ProposalEffect, err error) {
	ctx = unseen.Context(ctx)
	tried, began := ps.p.Rehearsal(), ps.now().Truncate(time.Millisecond)
	if err := ps.h.perform(ctx, tried, is); err != nil {
		return e, err
	}
	moved := affiliate.MovementQuery{From: began}
	if e.Movements, err = added(func(p *tributary.Program) ([]affiliate.Movement, error) {
		return newest(p.Movements(ctx, moved, affiliate.Page{Limit: shownOfEffect}))
	}, tried, ps.p, func(m affiliate.Movement) any { return [2]any{m.AffiliateID, m.Number} }); err != nil {
		return e, err
	}
	e.Events, err = added(func(p *tributary.Program) ([]affiliate.Event, error) {
		return newest(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: shownOfEffect}))
	}, tried, ps.p, func(e affiliate.Event) any { return e.ID })
	return e, err
}

// shownOfEffect is how much of an effect is looked at.
const shownOfEffect = 200

func newest[T any](list affiliate.List[T], err error) ([]T, error) { return list.Items, err }

// added returns what one program has and another does not, the oldest first. The other is read later:
// what is added to it meanwhile is in both.
func added[T any](read func(*tributary.Program) ([]T, error), here, there *tributary.Program, key func(T) any) ([]T, error) {
	all, err := read(here)
	if err != nil {
		return nil, err
	}
	known, err := read(there)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(one T) bool {
		return slices.ContainsFunc(known, func(k T) bool { return key(k) == key(one) })
	})
	slices.Reverse(all)
	return all, nil
}

// perform does in this process what is proposed, as a key of the scope full does it, once. It drops the
// answer. What was done already is done no more in a rehearsal either.
func (h *Handler) perform(ctx context.Context, p *tributary.Program, is affiliate.Proposal) error {
	method, path, _ := strings.Cut(string(is.Operation), " ")
	r, err := http.NewRequestWithContext(ctx, method, prefix+path, bytes.NewReader(is.Body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "proposal-"+is.ID.String())
	found, _, refused := h.find(r)
	if refused != nil {
		return refused
	}
	c := newCall(h, nowhere{}, r)
	defer c.free()
	strictly := *found
	strictly.action.strict = true // a person is shown nothing that is not read
	c.route, c.p, c.scope = &strictly, p, ScopeFull
	return found.action.run(c)
}

// nowhere is a writer of an answer that nobody reads.
type nowhere struct{}

func (nowhere) Header() http.Header            { return http.Header{} }
func (nowhere) Write(part []byte) (int, error) { return len(part), nil }
func (nowhere) WriteHeader(int)                {}
