package affiliate

import (
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// EndpointHeaders are a receiver's own headers by name, such as "Authorization":
// "Basic …" or the key of a gateway. They are sent with every delivery and test,
// next to those that the sender sets.
//
//   - At most 10. A name has 1–64 letters, digits and hyphens, in any letter case;
//     one that differs from another only in letter case is refused.
//   - A value has 1–4,096 printable ASCII characters, without blanks at its ends.
//   - What the sender or HTTP itself sets is refused: Content-…, Webhook-…, Svix-…,
//     Proxy-…, Accept-Encoding, Connection, Expect, Host, Keep-Alive, Te, Trailer,
//     Transfer-Encoding, Upgrade and User-Agent.
//
// The values are credentials. Their JSON has them in clear, because it is the body
// of a request. When printed or logged, only the names are shown. The store keeps
// what Config.Seal returns for them, and no answer contains them.
//
// Source: docs/contract.md 2.12.
type EndpointHeaders map[string]string

// Names returns the names in their canonical form, sorted.
func (h EndpointHeaders) Names() []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, plaintext.HeaderName(name))
	}
	slices.Sort(names)
	return names
}

// IsZero reports whether there are no headers.
func (h EndpointHeaders) IsZero() bool { return len(h) == 0 }

// String returns the names.
func (h EndpointHeaders) String() string { return fmt.Sprint(h.Names()) }

// GoString returns the names.
func (h EndpointHeaders) GoString() string { return h.String() }

// Format writes the names whatever the verb and its flags.
func (h EndpointHeaders) Format(f fmt.State, _ rune) { io.WriteString(f, h.String()) }

// LogValue returns the names.
func (h EndpointHeaders) LogValue() slog.Value { return slog.AnyValue(h.Names()) }
