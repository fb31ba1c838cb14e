package httpapi

import "github.com/tributary-go/tributary/affiliate"

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
