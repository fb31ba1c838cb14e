package serve

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

// TestLimiter: each address has a limit of its own in a minute, and a limiter that
// counts as many addresses as it can goes on serving those that it knows, also of the
// minute before.
func TestLimiter(t *testing.T) {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	l := &Limiter{Most: 2, Now: func() time.Time { return now }, most: 10}
	ask := func(from string) time.Duration {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		return l.Limit(r)
	}
	const shop = "192.0.2.7:1"
	for i, want := range []time.Duration{0, 0, time.Minute, time.Minute} {
		if got := ask(shop); got != want {
			t.Errorf("request %d: %v, want %v", i+1, got, want)
		}
	}
	now = now.Add(time.Minute)
	for i := range 30 { // an attacker with many addresses comes first in the new minute
		want := time.Duration(0)
		if i >= 10 {
			want = time.Minute
		}
		if got := ask(fmt.Sprintf("198.51.100.%d:1", i)); got != want {
			t.Errorf("address %d: %v, want %v", i, got, want)
		}
	}
	if got := ask(shop); got != 0 {
		t.Errorf("the shop, known from the minute before, waits for %v", got)
	}
	if got := ask("198.51.100.3:9"); got != 0 {
		t.Errorf("a known address waits for %v", got)
	}
	now = now.Add(3 * time.Minute)
	if got := ask("203.0.113.9:1"); got != 0 || len(l.last) != 0 {
		t.Errorf("after a while: %v, %d known", got, len(l.last))
	}
	if got := (&Limiter{}).Limit(httptest.NewRequest("GET", "/", nil)); got != 0 {
		t.Errorf("without a limit: %v", got)
	}
}

// TestLimiterSource: only a proxy that is named speaks for others, and an address of
// IPv6 counts with its network.
func TestLimiterSource(t *testing.T) {
	proxies, err := ParseProxies("10.0.0.0/8, 127.0.0.1,fd00::/8,")
	if err != nil {
		t.Fatal(err)
	}
	l := &Limiter{Proxies: proxies}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"192.0.2.7:1", "198.51.100.9", "192.0.2.7/32"}, {"10.1.2.3:1", "198.51.100.9", "198.51.100.9/32"},
		{"10.1.2.3:1", "203.0.113.1, 198.51.100.9", "198.51.100.9/32"}, {"10.1.2.3:1", "198.51.100.9, 10.0.0.2", "198.51.100.9/32"},
		{"127.0.0.1:1", "", "127.0.0.1/32"}, {"127.0.0.1:1", "unknown", "127.0.0.1/32"}, {"127.0.0.2:1", "198.51.100.9", "127.0.0.2/32"},
		{"[2001:db8:1:2:3::4]:1", "", "2001:db8:1:2::/64"}, {"[::ffff:10.0.0.1]:1", "2001:db8::1", "2001:db8::/64"}, {"@", "198.51.100.9", "invalid Prefix"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		r.Header.Set("X-Forwarded-For", c.forwarded)
		if got := l.Source(r).String(); got != c.want {
			t.Errorf("%s for %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
	for _, bad := range []string{"shop", "10.0.0.0/99", "10.0.0.0/8 192.0.2.1"} {
		if got, err := ParseProxies(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
	if all, err := ParseProxies(""); all != nil || err != nil {
		t.Errorf("none: %v, %v", all, err)
	}
	_ = netip.Prefix{}
}
