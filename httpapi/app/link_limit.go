package app

import (
	"net/netip"
	"slices"
	"sync"
	"time"
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

// A linkLimit counts the links that are mailed, so that who knows an email neither fills its mailbox
// nor keeps its owner out. It is of one process, and safe for concurrent use.
type linkLimit struct {
	now func() time.Time

	mu   sync.Mutex
	sent []sentLink // in the last while
}

type sentLink struct {
	at      time.Time
	mailbox string
	from    netip.Prefix
	known   bool // beside the others
}

// lets reports whether a link may be mailed to a mailbox, and counts it. known says that the browser
// which asks from a network has signed in before.
func (l *linkLimit) lets(mailbox string, from netip.Prefix, known bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, own, one, all := l.now(), 0, 0, 0
	l.sent = slices.DeleteFunc(l.sent, func(s sentLink) bool { return now.Sub(s.at) >= while })
	for _, s := range l.sent {
		switch {
		case s.mailbox != mailbox:
		case s.known:
			own++
		case s.from == from:
			one, all = one+1, all+1
		default:
			all++
		}
	}
	known = known && own < linksOfKnown
	if !known && (one >= linksOfNetwork || all >= linksOfMailbox) {
		return false
	}
	l.sent = append(l.sent, sentLink{now, mailbox, from, known})
	return true
}
