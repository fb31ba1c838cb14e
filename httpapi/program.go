package httpapi

import (
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Source: docs/contract.md 4.6.

// settings answers the settings of the program.
func settings() lookup {
	return lookup{single: true, answer: affiliate.Settings{}, run: func(c *call, _ query, _ string) error {
		s, err := c.p.Settings(c.r.Context())
		if err != nil {
			return err
		}
		return c.answer(&s)
	}}
}

// attention answers what waits for somebody.
func attention() lookup {
	return lookup{single: true, filters: []string{paramLimit}, answer: affiliate.Attention{}, run: func(c *call, q query, _ string) error {
		n := 0
		if text, there := q.get(paramLimit); there {
			var err error
			if n, err = strconv.Atoi(text); err != nil || n < 1 || strconv.Itoa(n) != text {
				return refusal.RefuseWaitingLimit.Err()
			}
		}
		a, err := c.p.Attention(c.r.Context(), n)
		if err != nil {
			return err
		}
		return c.answer(&a)
	}}
}
