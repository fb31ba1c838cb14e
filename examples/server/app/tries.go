package app

import (
	"net/netip"
	"sync"
	"time"
)

// How many wrong keys may come from an address in how much time, and how many
// addresses are remembered.
const (
	maxTries     = 10
	triesTime    = time.Minute
	maxAddresses = 1024
)

// tries are the wrong keys of the last minute. It is safe for concurrent use.
type tries struct {
	now func() time.Time

	mu   sync.Mutex
	last map[netip.Addr][]time.Time // oldest first, at most maxTries
}

func newTries(now func() time.Time) *tries {
	return &tries{now: now, last: map[netip.Addr][]time.Time{}}
}

// wrong counts a wrong key of an address, and returns how long the address has to
// wait when too many came. A right key is never refused for them: whoever shares the
// address, such as that of a proxy, would keep its owner out.
func (t *tries) wrong(from netip.Addr) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	recent := t.last[from]
	for len(recent) > 0 && now.Sub(recent[0]) >= triesTime {
		recent = recent[1:]
	}
	if len(recent) >= maxTries {
		return triesTime - now.Sub(recent[0])
	}
	if _, known := t.last[from]; !known && len(t.last) >= maxAddresses {
		t.makeRoom(now)
	}
	t.last[from] = append(recent, now)
	return 0
}

// makeRoom forgets the addresses whose tries are over and, when there are none,
// the one that has been quiet for longest.
func (t *tries) makeRoom(now time.Time) {
	var quiet netip.Addr
	var since time.Time
	for from, recent := range t.last {
		last := recent[len(recent)-1]
		if now.Sub(last) >= triesTime {
			delete(t.last, from)
		} else if since.IsZero() || last.Before(since) {
			quiet, since = from, last
		}
	}
	if len(t.last) >= maxAddresses {
		delete(t.last, quiet)
	}
}

// source returns the address whose tries are counted together: with IPv6 the network
// that one customer has. Behind a proxy it is the proxy's, for all: no header
// decides it, since anybody can send one.
func source(remote string) netip.Addr {
	port, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	addr := port.Addr().Unmap()
	if addr.Is4() {
		return addr
	}
	return netip.PrefixFrom(addr.WithZone(""), 64).Masked().Addr()
}
