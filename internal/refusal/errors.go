package refusal

import (
	"errors"
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
)

// Internal wraps an error that the caller cannot fix. Adapters log it and
// answer a fixed text. A reference to a missing record means a broken store and
// not a failed look-up, so an [affiliate.ErrNotFound] inside is hidden.
func Internal(op string, err error) error {
	if errors.Is(err, affiliate.ErrNotFound) {
		return fmt.Errorf("%s: %v", op, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}
