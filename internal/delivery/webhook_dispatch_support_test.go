package delivery_test

import (
	"slices"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// told collects notices.
func told(into *[]affiliate.Notice, kinds ...affiliate.NoticeKind) func(*tributary.Config) {
	return func(c *tributary.Config) {
		c.OnNotice = func(n affiliate.Notice) {
			if len(kinds) == 0 || slices.Contains(kinds, n.Kind) {
				*into = append(*into, n)
			}
		}
	}
}
