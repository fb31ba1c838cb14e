package webhooks

import (
	"context"
	"sync"
)

// slots limits how many requests of a sender run at once: those of Drain, of
// Run and of tests of endpoints together.
type slots struct {
	all   chan struct{} // has one element for each request
	tests chan struct{} // has one element for each test: tests may take half of the slots

	mu   sync.Mutex
	urls map[string]*turn // the URLs that are tested
}

// A turn lets one test of a URL run at a time; the others wait.
type turn struct {
	now  chan struct{} // has one element while a test runs
	used int           // how many tests run or wait
}

func newSlots(n int) *slots {
	return &slots{
		all: make(chan struct{}, n), tests: make(chan struct{}, max(n/2, 1)), urls: make(map[string]*turn),
	}
}

// take takes all free slots. When none is free and wait is true, it waits for
// one until ctx ends.
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

// give gives slots back to those who wait for one.
func (s *slots) give(n int) {
	for range n {
		<-s.all
	}
}

// takeForTest waits for the slot of a test until ctx ends. It returns a
// function that gives the slot back, or nil when no slot became free. Only one
// test of a URL runs at a time, so many tests of a hanging URL take one slot;
// and all tests together take at most half of the slots.
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
		if ctx.Err() != nil { // ctx may have ended when the slot became free
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
