package httpapi

import (
	"net/http"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Source: docs/contract.md 4.6.

// shownBreaches is the largest number of breaches in an answer.
const shownBreaches = 100

// verified is the answer of a check of the books.
type verified struct {
	Holds    bool               `json:"holds"`
	Records  int64              `json:"records"`
	Breaches []affiliate.Breach `json:"breaches"`
	TookMs   int64              `json:"tookMs"`
}

// verification checks the books in the request, and shows the first breaches.
func verification() lookup {
	return lookup{single: true, answer: verified{}, run: func(c *call, _ query, _ string) error {
		c.takesLong()
		done, err := c.p.Step(c.r.Context(), affiliate.VerifyJob{}, affiliate.Step{})
		if err != nil {
			return err
		}
		v := done.Verification
		return c.answer(&verified{v.Holds, v.Records, v.Breaches[:min(len(v.Breaches), shownBreaches)], v.Took.Milliseconds()})
	}}
}

// takesLong removes the server's deadlines for this request. The read deadline
// matters too: when it passes, net/http ends the request's context. A writer
// without deadlines has none to remove.
func (c *call) takesLong() {
	w := http.NewResponseController(c.w)
	_ = w.SetWriteDeadline(time.Time{})
	_ = w.SetReadDeadline(time.Time{})
}
