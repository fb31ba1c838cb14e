package httpapi_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

// A limiter lets each address make so many requests in a time, in one process. Behind a
// proxy all requests come from its address: take the one that your proxy vouches for.
type limiter struct {
	most  int
	every time.Duration
	now   func() time.Time

	mu          sync.Mutex
	since       time.Time
	count, last map[netip.Prefix]int // of this time and of the one before
}

// limit is a Config.Limit.
func (l *limiter) limit(r *http.Request) (retryAfter time.Duration) {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return l.every
	}
	bits := 32
	if at.Addr().Unmap().Is6() {
		bits = 64 // a whole network belongs to one subscriber
	}
	from, _ := at.Addr().Unmap().WithZone("").Prefix(bits)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Sub(l.since) >= l.every {
		l.since, l.last, l.count = now, l.count, map[netip.Prefix]int{}
	}
	_, known := l.count[from]
	_, before := l.last[from]
	full := len(l.count) >= 100_000 && !known && !before // no more memory than this, and known addresses are served
	if l.count[from] >= l.most || full {
		return l.since.Add(l.every).Sub(now)
	}
	l.count[from]++
	return 0
}

// Who asks too often is answered 429, before the key is looked at.
func ExampleConfig_limit() {
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	perMinute := &limiter{most: 2, every: time.Minute, now: func() time.Time { return now }}
	api, err := httpapi.New(newProgram(memstore.New(), uuid.Nil), httpapi.Config{
		APIKeys: []string{"a-key-for-these-tests"}, Limit: perMinute.limit,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, wait := range []time.Duration{0, 0, 20 * time.Second, 40 * time.Second} {
		now = now.Add(wait)
		r := httptest.NewRequest("GET", "/api/v1/sales", nil)
		r.Header.Set("Authorization", "Bearer a-key-for-these-tests")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		fmt.Printf("%s %d %q\n", now.Format(time.TimeOnly), w.Code, w.Header().Get("Retry-After"))
	}
	// Output:
	// 09:00:00 200 ""
	// 09:00:00 200 ""
	// 09:00:20 429 "40"
	// 09:01:00 200 ""
}
