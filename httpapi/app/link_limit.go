package app

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"time"

	"github.com/tributary-go/tributary"
)

// How many links are mailed to a mailbox in a while: those that one network asks for, those of all
// networks together, and beside these those of browsers in which it signed in before. More are not
// mailed, which nobody is told.
const (
	while          = 15 * time.Minute
	linksOfNetwork = 3
	linksOfMailbox = 12
	linksOfKnown   = 3
)

// A linkLimit counts the links that are mailed, by all servers on a store, so that who knows an email
// neither fills its mailbox nor keeps its owner out. It is safe for concurrent use.
type linkLimit struct {
	sent tributary.Values // a list of each mailbox, under its digest
	now  func() time.Time
}

// newLinkLimit returns that of a program.
func newLinkLimit(p *tributary.Program, now func() time.Time) linkLimit {
	return linkLimit{p.Values("server-mailed"), now}
}

type sentLink struct {
	At    time.Time    `json:"at"`
	From  netip.Prefix `json:"from"`
	Known bool         `json:"known,omitzero"` // beside the others
}

// lets reports whether a link may be mailed to a mailbox, and counts it. known says that the browser
// which asks from a network has signed in before.
func (l linkLimit) lets(ctx context.Context, mailbox string, from netip.Prefix, known bool) (lets bool, err error) {
	for v, err := range l.sent.All(ctx) {
		var sent []sentLink
		if err == nil {
			err = json.Unmarshal(v.Value, &sent)
		}
		if err == nil && l.now().Sub(sent[len(sent)-1].At) >= while { // it goes
			err = l.change(ctx, v.Name, func(sent []sentLink) []sentLink { return sent })
		}
		if err != nil {
			return false, err
		}
	}
	err = l.change(ctx, digestOf(mailbox), func(sent []sentLink) []sentLink {
		own, one := 0, 0
		for _, s := range sent {
			switch {
			case s.Known:
				own++
			case s.From == from:
				one++
			}
		}
		beside := known && own < linksOfKnown
		if lets = beside || one < linksOfNetwork && len(sent)-own < linksOfMailbox; lets {
			sent = append(sent, sentLink{l.now(), from, beside})
		}
		return sent
	})
	return lets, err
}

// change changes what was mailed to a mailbox in the last while.
func (l linkLimit) change(ctx context.Context, name string, f func([]sentLink) []sentLink) error {
	return l.sent.Change(ctx, name, func(was json.RawMessage) (json.RawMessage, error) {
		var sent []sentLink
		if was != nil {
			if err := json.Unmarshal(was, &sent); err != nil {
				return nil, err
			}
		}
		sent = f(slices.DeleteFunc(sent, func(s sentLink) bool { return l.now().Sub(s.At) >= while }))
		if len(sent) == 0 {
			return nil, nil
		}
		return json.Marshal(sent)
	})
}
