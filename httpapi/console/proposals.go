package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Proposals are what keys ask for that may not do it: Handler.Proposals of httpapi is one.
type Proposals interface {
	All(context.Context) ([]affiliate.Proposal, error) // the newest first
	Get(ctx context.Context, id uuid.UUID) (affiliate.Proposal, error)
	// Effect says what one would do now, and does nothing.
	Effect(ctx context.Context, id uuid.UUID) (affiliate.ProposalEffect, error)
	// Accept does what was proposed, once.
	Accept(ctx context.Context, id uuid.UUID, by string) (affiliate.Proposal, error)
	Decline(ctx context.Context, id uuid.UUID, by, reason string) (affiliate.Proposal, error)
}

const proposalsPath = "proposals"

// asksFor says for people what an operation is.
var asksFor = map[affiliate.ProposalOperation]string{
	"POST /sales/review":      "Accept or decline commissions",
	"POST /affiliates/status": "Change the status of affiliates",
	"POST /adjustments":       "Adjust what an affiliate is owed",
	"POST /payouts":           "Prepare a payout",
	"POST /payments/decide":   "Decide about a payment",
	"POST /cases/answer":      "Answer a case",
}

// A proposal is one, and where it is kept.
type proposal struct {
	all Proposals
	affiliate.Proposal
}

// Asks says what it asks for.
func (p proposal) Asks() string { return cmp.Or(asksFor[p.Operation], string(p.Operation)) }

// Open reports whether somebody can decide about it.
func (p proposal) Open() bool {
	return p.Status == affiliate.ProposalWaiting || p.Status == affiliate.ProposalAccepted
}

func (v *visit) proposals() (all []proposal, err error) {
	of, err := kept(v, v.cfg.Proposals)
	if err != nil {
		return nil, err
	}
	list, err := of.All(v.Ctx())
	for _, one := range list {
		all = append(all, proposal{of, one})
	}
	return all, err
}

// openProposal is the proposal of the path, about which somebody can decide.
func (v *visit) openProposal() (proposal, error) {
	id, err := v.id(0)
	if err != nil {
		return proposal{}, err
	}
	of, err := kept(v, v.cfg.Proposals)
	if err != nil {
		return proposal{}, err
	}
	is, err := of.Get(v.Ctx(), id)
	p := proposal{of, is}
	if err == nil && !p.Open() {
		err = notAllowed("This was decided meanwhile: it is " + strings.ToLower(page.Words(p.Status)) + ".")
	}
	return p, err
}

func proposalsPage(v *visit) (view, error) {
	all, err := v.proposals()
	return view{title: "Proposals", template: "proposals", Data: all}, err
}

// proposed are the proposals that wait for somebody.
func (v *visit) proposed() (w affiliate.Waiting[waitingItem], err error) {
	if v.cfg.Proposals == nil {
		return w, nil
	}
	all, err := v.proposals()
	for _, p := range all {
		if p.Open() {
			w.Items = append(w.Items, waitingItem{proposalsPath, p.Asks() + ": " + v.Short(p.Why)})
		}
	}
	w.Count = len(w.Items)
	w.Items = w.Items[:min(len(w.Items), shownCases)]
	return w, err
}

func doProposal(work func(*visit, proposal, *input) error) doer {
	return doKept((*visit).openProposal, func(proposal) string { return proposalsPath }, work)
}

var acceptProposal = &action{
	name: "proposals.accept", object: "proposal", done: "It was done.",
	form: func(v *visit) (form, error) {
		p, err := v.openProposal()
		if err != nil {
			return form{}, err
		}
		f, err := v.proposalForm(p, "Accept", "It is done in your name, once.")
		if err != nil {
			return f, err
		}
		if p.Status == affiliate.ProposalAccepted {
			f.Effects = append(f.Effects, fmt.Sprintf("%s accepted it on %s, and whether it was done is not known. It is not done twice: what is below is still to be done.",
				v.Short(p.DecidedBy.Or("")), v.When(p.DecidedAt)))
		}
		effect, err := p.all.Effect(v.Ctx(), p.ID)
		if err != nil {
			return form{}, err
		}
		money, err := v.movedBy(effect)
		if err != nil {
			return form{}, err
		}
		told, err := v.changedBy(effect)
		f.Tables = append(f.Tables, shownTables(money, told)...)
		return f, err
	},
	do: doProposal(func(v *visit, p proposal, _ *input) error {
		_, err := p.all.Accept(v.Ctx(), p.ID, v.actor)
		return err
	}),
}

var declineProposal = &action{
	name: "proposals.decline", object: "proposal", done: "It was declined.",
	form: func(v *visit) (form, error) {
		p, err := v.openProposal()
		if err != nil {
			return form{}, err
		}
		f, err := v.proposalForm(p, "Decline", "Nothing is changed. Who proposed it can read why.")
		f.Fields = []field{{Name: "reason", Label: "Why not", Required: true}}
		return f, err
	},
	do: doProposal(func(v *visit, p proposal, in *input) error {
		_, err := p.all.Decline(v.Ctx(), p.ID, v.actor, in.reason("reason"))
		return err
	}),
}

// proposalForm is a form about a proposal, with what it asks for.
func (v *visit) proposalForm(p proposal, button, effect string) (form, error) {
	asked := table{Caption: "What is asked", Head: []string{"Field", "Value"}}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(p.Body, &members); err != nil {
		return form{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		asked.Rows = append(asked.Rows, []string{v.Short(name), v.Long(plainJSON(members[name]))})
	}
	named, err := v.namedBy(members)
	if err != nil {
		return form{}, err
	}
	asked.Rows = append(asked.Rows, named...)
	return form{Title: button + " a proposal", Button: button, Back: proposalsPath, Tables: []table{asked}, Effects: []string{
		p.Asks() + ". Proposed by " + v.Short(p.ProposedBy) + " on " + v.When(p.CreatedAt) + ".",
		"Why, in its words: " + v.Long(p.Why), effect}}, nil
}

// namedBy says for people what the ids of a body name; what is gone has no row.
func (v *visit) namedBy(body map[string]json.RawMessage) (rows [][]string, err error) {
	var affiliates []string
	_ = json.Unmarshal(body["affiliateIds"], &affiliates) // what has none names nobody
	add := func(found error, more ...[]string) {
		if found == nil {
			rows = append(rows, more...)
		} else if err == nil && !errors.Is(found, affiliate.ErrNotFound) {
			err = found
		}
	}
	for _, id := range append(affiliates, plainJSON(body["affiliateId"])) {
		a, err := v.program.Affiliate(v.Ctx(), id)
		add(err, []string{"Affiliate", v.Long(a.Name)})
	}
	if id, none := uuid.Parse(plainJSON(body["caseId"])); none == nil {
		c, err := v.program.Case(v.Ctx(), id)
		who, lost := v.payeeOnce(c.AffiliateID)
		add(cmp.Or(err, lost), []string{"Affiliate", v.Long(who)}, []string{"Case", subject(c, inList)}, []string{"It says", v.Long(c.Text)})
	}
	if id, none := uuid.Parse(plainJSON(body["paymentId"])); none == nil {
		d, err := disputed(v, id)
		add(err, []string{"Payment", v.Long(d.money + ", " + d.names() + ": " + whyNoSale(d.ConflictPayment))}, []string{"Its sale", d.stays(v)})
	}
	return rows, err
}

// plainJSON returns a text as it is, and anything else as JSON.
func plainJSON(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// movedBy is the money that a proposal would move.
func (v *visit) movedBy(e affiliate.ProposalEffect) (table, error) {
	t := table{Caption: "Money that moves", Head: []string{"Affiliate", "From", "To", "Amount"}, Numbers: 1}
	for _, m := range e.Movements {
		name, err := v.payeeOnce(m.AffiliateID)
		if err != nil {
			return t, err
		}
		t.Rows = append(t.Rows, []string{v.Short(name), page.Words(m.From), page.Words(m.To), v.Money(m.Amount)})
	}
	return t, nil
}

// shownChanges is how many changes a form lists.
const shownChanges = 20

// changedBy is what a proposal would change of what events tell. What an object was like is in the
// event before, if that is still kept.
func (v *visit) changedBy(e affiliate.ProposalEffect) (table, error) {
	t := table{Caption: "What changes", Head: []string{"Of", "Field", "Was", "Becomes"}}
	for _, one := range e.Events {
		before, err := v.program.Events(v.Ctx(), affiliate.EventQuery{ObjectID: affiliate.Set(one.ObjectID)}, only)
		if err != nil {
			return t, err
		}
		was, is, of := map[string]string{}, map[string]string{}, string(one.Type)
		for _, b := range before.Items {
			leaves(was, "", toldOf(b))
			of += " " + one.ObjectID
		}
		leaves(is, "", toldOf(one))
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if was[name] != is[name] {
				t.Rows = append(t.Rows, []string{v.Short(of), v.Short(name), v.Short(was[name]), v.Short(is[name])})
			}
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Compare(depth(a[1]), depth(b[1])) })
	if more := len(t.Rows) - shownChanges; more > 0 {
		t.Rows = append(t.Rows[:shownChanges], []string{several(more, "more change"), "", "", ""})
	}
	return t, nil
}

// depth is how far inside an object a place is: what it says of itself, such as its status, comes first.
func depth(place string) int { return strings.Count(place, ".") + strings.Count(place, "[") }

// leaves puts the values of an event into a map, by their places: without ids and times, which say
// little to people and are others when it is done.
func leaves(into map[string]string, at string, members map[string]json.RawMessage) {
	for name, raw := range members {
		place := at + name
		var inner map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "At"):
		case json.Unmarshal(raw, &inner) == nil && inner != nil:
			leaves(into, place+".", inner)
		case json.Unmarshal(raw, &list) == nil && list != nil:
			for i, one := range list {
				leaves(into, place, map[string]json.RawMessage{fmt.Sprintf("[%d]", i): one})
			}
		default:
			into[place] = plainJSON(raw)
		}
	}
}

// shownTables returns the tables that have rows.
func shownTables(all ...table) []table {
	return slices.DeleteFunc(all, func(t table) bool { return len(t.Rows) == 0 })
}
