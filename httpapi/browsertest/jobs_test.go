package browsertest

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// The jobs for which people open the pages, each from the first page on, and what it
// costs them.

// mostClicks is how many clicks a job may take: on links, buttons, and fields that are
// typed into or chosen from.
const mostClicks = 8

// job does a job from the first page on, with clicks alone: no address is typed.
func (tb *tab) job(do func()) {
	tb.Helper()
	tb.open("/")
	clicks, typed := tb.clicks, tb.typed
	do()
	if clicks = tb.clicks - clicks; clicks > mostClicks || clicks == 0 {
		tb.Errorf("the job takes %d clicks, and may take %d", clicks, mostClicks)
	}
	if tb.typed > typed {
		tb.Errorf("%d addresses have to be typed", tb.typed-typed)
	}
	tb.Logf("%d clicks", clicks)
}

// TestApprove: an applicant is approved from the first page.
func TestApprove(t *testing.T) {
	scriptsOnAndOff(t, func(t *testing.T, open func(*world) *tab) {
		w := newWorld(t).fill()
		tb := open(w)
		tb.job(func() {
			tb.press("Idle Y")
			tb.press("Approve…")
			tb.press("Approve")
			tb.says("Idle Y")
		})
		if got := must(w.AffiliateByEmail(t.Context(), w.made.Idle.Email))(t); got.Status != affiliate.AffiliateActive {
			t.Errorf("the affiliate is %s", got.Status)
		}
	})
}
