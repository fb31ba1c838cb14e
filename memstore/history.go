package memstore

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A history has the moments of a program that long Views still see. While there
// is none, it costs a commit one comparison.
//
// A goroutine that holds mu never waits for the lock of the program.
type history struct {
	held    atomic.Int32 // the number of moments
	mu      sync.RWMutex // guards the rest, and the pasts of all tables
	moments []*moment    // oldest first
	last    uint64       // the number of the newest moment there ever was
}

// A moment is the state of a program after one commit and before the next.
type moment struct {
	number uint64 // rises with time
	views  int    // how many Views see it
	over   bool   // a commit came after it
}

// hold returns the current moment for a View. The caller holds the lock of the
// program, so nothing is committed meanwhile.
func (h *history) hold() *moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.newest(); now != nil && !now.over {
		now.views++
		return now
	}
	h.last++
	now := &moment{number: h.last, views: 1}
	h.setMoments(append(h.moments, now))
	return now
}

// leave returns the reverse of hold. It reports whether the moment was given up.
func (h *history) leave(m *moment) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m.views--
	if m.views > 0 {
		return false
	}
	i := slices.Index(h.moments, m)
	h.setMoments(slices.Delete(h.moments, i, i+1))
	return true
}

func (h *history) setMoments(moments []*moment) {
	h.moments = moments
	h.held.Store(int32(len(moments)))
}

// newest returns the newest moment that is held, or nil.
func (h *history) newest() *moment {
	if len(h.moments) == 0 {
		return nil
	}
	return h.moments[len(h.moments)-1]
}

// remember keeps what the Update is about to overwrite for the Views of held
// moments.
func (p *program) remember() {
	p.history.mu.Lock()
	defer p.history.mu.Unlock()
	now := p.history.newest()
	if now == nil || len(p.changed) == 0 {
		return
	}
	now.over = true
	for _, tab := range p.changed {
		tab.remember(now)
	}
}

// release ends a View of a moment, and frees what no other View needs. It does
// so in steps, because a commit waits for each.
func (p *program) release(m *moment) {
	if !p.history.leave(m) {
		return
	}
	for !p.forget(mergeStep) {
	}
}

// forget does one step of release, which moves up to step records. It reports
// whether nothing is left to do.
func (p *program) forget(step uint32) bool {
	p.history.mu.Lock()
	defer p.history.mu.Unlock()
	for _, tab := range p.tables {
		if !tab.forget(p.history.moments, step) {
			return false
		}
	}
	return true
}
