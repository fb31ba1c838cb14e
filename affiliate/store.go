package affiliate

import (
	"errors"
)

// Errors that a store returns. A wrapper must keep them testable with
// errors.Is.
var (
	ErrNotFound = errors.New("affiliate: not found")
)
