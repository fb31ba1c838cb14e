package httpapi

import (
	_ "embed"
	"net/http"
)

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
		c.write(http.StatusOK, openAPI)
		return nil
	}}
}
