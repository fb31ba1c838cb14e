package tributary_test

import (
	"testing"

	"github.com/tributary-go/tributary/internal/pasted"
)

// TestPages: the blocks of these pages compile as pasted, beside what they take from the host.
func TestPages(t *testing.T) {
	pasted.Build(t, map[string]string{
		"docs/answers.md":       "",
		"docs/console.md":       "var sessions map[string]string",
		"docs/import.md":        "",
		"docs/links.md":         linksHost,
		"docs/observability.md": "",
		"docs/operations.md":    "",
		"docs/partner-pages.md": "import \"github.com/google/uuid\"\n\nvar sessions map[string]uuid.UUID",
		"docs/retention.md":     "",
		"docs/stores.md":        "",
		"docs/terms.md":         "",
		"docs/testing.md":       "",
	})
}

const linksHost = `
import (
	"net/http"
	"time"
)

type limiter struct {
	most  int
	every time.Duration
	now   func() time.Time
}

func (*limiter) limit(*http.Request) time.Duration { return 0 }
`
