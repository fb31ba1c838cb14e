package engine

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Keyed implements tributary.Program.Keyed.
func (p *Program) Keyed(o affiliate.Once) *Program {
	q := *p
	q.Once = o
	return &q
}

// ReceiptLife is the time for which an answer is kept.
const ReceiptLife = 24 * time.Hour

// A Request describes a write for its receipt.
type Request struct {
	Once    affiliate.Once   // from the input; without a key the program's is used
	Name    string           // of the operation
	Input   any              // digested as JSON when the caller gives no digest, together with its fields that are not in the JSON
	Refused error            // the error of the preparation, or nil; with a key it is stored too
	Secret  affiliate.Secret // a secret in the answer, which is stored separately and sealed; empty: none
}
