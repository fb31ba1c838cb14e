package engine

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// operations reports whether somebody watches operations.
func operations(o *affiliate.Observer) bool { return o.Begin != nil || o.End != nil }

// observerComplete fills in the clock, which is not needed when nobody watches.
func observerComplete(o *affiliate.Observer) {
	if operations(o) && o.Clock == nil {
		o.Clock = time.Now
	}
}
