package serve

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// maxAddresses is the number of addresses that a Limiter counts in a minute.
const maxAddresses = 100_000

// A Limiter limits the requests of each address in a minute, in one process. When it has
// counted too many addresses it refuses new ones, and still serves those that it knows
// from this minute and the last. It is safe for concurrent use.
type Limiter struct {
	Most    int              // in a minute; zero: no limit
	Proxies []netip.Prefix   // whose X-Forwarded-For is believed; none: nobody's
	Now     func() time.Time // nil: time.Now

	mu          sync.Mutex
	since       time.Time
	count, last map[netip.Prefix]int
	most        int // addresses; zero: maxAddresses
}

// Limit returns an httpapi.Config.Limit.
func (l *Limiter) Limit(r *http.Request) (retryAfter time.Duration) {
	if l.Most <= 0 {
		return 0
	}
	from := l.Source(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if passed := now.Sub(l.since); passed >= time.Minute || l.count == nil {
		l.last = l.count
		if passed >= 2*time.Minute {
			l.last = nil
		}
		l.since, l.count = now, map[netip.Prefix]int{}
	}
	_, known := l.count[from]
	_, before := l.last[from]
	room := l.most
	if room == 0 {
		room = maxAddresses
	}
	if l.count[from] >= l.Most || !known && !before && len(l.count) >= room {
		return l.since.Add(time.Minute).Sub(now)
	}
	l.count[from]++
	return 0
}

func (l *Limiter) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// Source returns the network of one subscriber that a request comes from: the peer's, or
// the one that the proxies vouch for, which is the last that is none of theirs.
func (l *Limiter) Source(r *http.Request) netip.Prefix {
	port, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{} // all such requests together
	}
	at := port.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && l.proxy(at); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = hop.Unmap().WithZone("")
	}
	bits := 32
	if at.Is6() {
		bits = 64
	}
	from, _ := at.Prefix(bits)
	return from
}

func (l *Limiter) proxy(at netip.Addr) bool {
	for _, p := range l.Proxies {
		if p.Contains(at) {
			return true
		}
	}
	return false
}

// ParseProxies reads networks or addresses, separated by commas.
func ParseProxies(text string) (all []netip.Prefix, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		network, err := netip.ParsePrefix(part)
		if addr, lone := netip.ParseAddr(part); lone == nil {
			network, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, network.Masked())
	}
	return all, nil
}
