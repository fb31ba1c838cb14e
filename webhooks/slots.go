package webhooks

import (
	"context"
	"sync"
)

// slots bounds the requests of a sender that are under way at once, whoever
// makes them: Drain, Run, and tests of endpoints.
type slots struct {
	all   chan struct{} // holds one for each request
	tests chan struct{} // and one for each test: not all slots are for them

	mu   sync.Mutex
	urls map[string]*turn // of tests
}

// A turn is who tests one URL: one at a time, the others wait.
type turn struct {
	now  chan struct{} // holds one while somebody does
	used int           // by whom, with those who wait
}

func newSlots(n int) *slots {
	return &slots{
		all: make(chan struct{}, n), tests: make(chan struct{}, max(n/2, 1)), urls: make(map[string]*turn),
	}
}

// take takes all slots that are free. Where there is none it waits for one, if
// it is told to, until ctx ends.
func (s *slots) take(ctx context.Context, wait bool) (n int) {
	for {
		select {
		case s.all <- struct{}{}:
			n++
			continue
		default:
		}
		if n > 0 || !wait {
			return n
		}
		select {
		case s.all <- struct{}{}:
			n++
		case <-ctx.Done():
			return 0
		}
	}
}

// give gives slots back. Whoever waits for one gets it.
func (s *slots) give(n int) {
	for range n {
		<-s.all
	}
}

// takeForTest waits for the slot of a test until ctx ends, and returns what
// gives it back; nil: there was none. A URL is tested once at a time, so that
// many tests of one that hangs hold one slot, and tests have half of all.
func (s *slots) takeForTest(ctx context.Context, url string) (give func()) {
	t := s.enter(url)
	taken := []chan struct{}{}
	give = func() {
		for i := len(taken) - 1; i >= 0; i-- {
			<-taken[i]
		}
		s.leave(url, t)
	}
	for _, c := range []chan struct{}{t.now, s.tests, s.all} {
		select {
		case c <- struct{}{}:
			taken = append(taken, c)
		case <-ctx.Done():
		}
		if ctx.Err() != nil { // both may have come at once
			give()
			return nil
		}
	}
	return give
}

func (s *slots) enter(url string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.urls[url]
	if t == nil {
		t = &turn{now: make(chan struct{}, 1)}
		s.urls[url] = t
	}
	t.used++
	return t
}

func (s *slots) leave(url string, t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.used--; t.used == 0 {
		delete(s.urls, url)
	}
}
