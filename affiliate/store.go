package affiliate

import "errors"

// ErrNotFound means that a look-up found nothing. A wrapper of a store must keep it
// testable with errors.Is.
var ErrNotFound = errors.New("affiliate: not found")
