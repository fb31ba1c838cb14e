package httpapi

import (
	_ "embed"
	"net/http"
	"strconv"
	"time"

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

// attribution reads the choices of whom sales credit.
func attribution(in *input, name string) affiliate.Opt[affiliate.Attribution] {
	return nested(in, name, func(in *input) affiliate.Attribution {
		return affiliate.Attribution{
			Touch:    enum[affiliate.Touch](in, "touch").Or(""),
			Customer: enum[affiliate.CustomerCredit](in, "customer").Or(""),
			Code:     enum[affiliate.CodeCredit](in, "promoCode").Or(""),
		}
	})
}

// retentionDays reads how long old records are kept.
func retentionDays(in *input, name string) affiliate.Opt[affiliate.RetentionDays] {
	return nested(in, name, func(in *input) affiliate.RetentionDays {
		return affiliate.RetentionDays{Events: in.days("events"), Receipts: in.days("receipts"),
			Deliveries: in.days("deliveries"), Clicks: in.days("clicks"), Holds: in.days("holds")}
	})
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

// Source: docs/contract.md 4.6.

// shownBreaches is the largest number of breaches in an answer.
const shownBreaches = 100

// verifyAnswer is the finding of a check of the books.
type verifyAnswer struct {
	Holds    bool               `json:"holds"`    // True: there is no breach.
	Records  int64              `json:"records"`  // How many records were read.
	Breaches []affiliate.Breach `json:"breaches"` // The first 100 breaches.
	TookMs   int64              `json:"tookMs"`   // How many milliseconds it took.
}

// verification checks the books in the request, and shows the first breaches.
func verification() lookup {
	return lookup{single: true, answer: verifyAnswer{}, run: func(c *call, _ query, _ string) error {
		c.takesLong()
		done, err := c.p.Step(c.r.Context(), affiliate.VerifyJob{}, affiliate.Step{})
		if err != nil {
			return err
		}
		v := done.Verification
		return c.answer(&verifyAnswer{v.Holds, v.Records,
			v.Breaches[:min(len(v.Breaches), shownBreaches)], v.Took.Milliseconds()})
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

// openAPI is the OpenAPI 3.1 document of the API. A test makes it from the
// route table, the fields that each operation reads and the types that it
// answers, and compares the two. go test ./httpapi -run OpenAPI -update writes
// it.
//
//go:embed openapi.json
var openAPI []byte

// document returns the GET of the document.
//
// Source: docs/contract.md 4.3.
func document() action {
	return action{run: func(c *call) error {
		if _, err := parseQuery(c.r.URL.RawQuery); err != nil {
			return err
		}
		if c.quotes != nil {
			c.write(http.StatusOK, textDocument())
			return nil
		}
		c.write(http.StatusOK, openAPI)
		return nil
	}}
}
