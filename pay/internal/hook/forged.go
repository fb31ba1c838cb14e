package hook

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/tributary-go/tributary/pay"
)

// quiet is how often at most the log says that data came without a right signature:
// a payer can send it with every payment.
const quiet = time.Hour

// forgeries counts the events whose data came without a right signature, and says
// so in the log.
type forgeries struct {
	logger *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	said   time.Time // when a line was written
	unsaid int       // events since then
}

// say counts an event, and writes a line when the last one is long ago.
func (f *forgeries) say(ctx context.Context, e pay.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	f.unsaid++
	if now.Sub(f.said) < quiet {
		return
	}
	f.logger.WarnContext(ctx, "payment event: an order, a customer or a code came without a right signature and was left out: "+
		"make what checkouts carry with Config.Carry, and keep a key in CarryKeys while subscriptions carry its signatures",
		"event", e.ID, "type", e.Type, "events", f.unsaid)
	f.said, f.unsaid = now, 0
}
