package app

import (
	"net/netip"
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

	mu    sync.Mutex
	since time.Time
	count map[string]int // since then
}

// lets reports whether a link may be mailed to a mailbox, and counts it. known says that the browser
// which asks from a network has signed in before.
func (l *linkLimit) lets(mailbox string, from netip.Prefix, known bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.now(); l.count == nil || now.Sub(l.since) >= while {
		l.since, l.count = now, map[string]int{}
	}
	own, one := mailbox+" known", mailbox+" "+from.String()
	switch {
	case known && l.count[own] < linksOfKnown:
		l.count[own]++
		return true
	case l.count[one] >= linksOfNetwork || l.count[mailbox] >= linksOfMailbox:
		return false
	}
	l.count[one]++
	l.count[mailbox]++
	return true
}
