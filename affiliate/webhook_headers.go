package affiliate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// EndpointHeaders are headers of a receiver's own by their names, such as
// "Authorization": "Basic …" or a key that a gateway wants. They are sent with
// every delivery and test, next to those that the sender sets.
//
//   - At most 10. A name has 1–64 letters, digits and hyphens, in any letter case;
//     one that differs from another only in letter case is refused.
//   - A value has 1–4,096 printable ASCII characters, without blanks at its ends.
//   - What the sender or HTTP itself sets is refused: Content-…, Webhook-…, Svix-…,
//     Proxy-…, Accept-Encoding, Connection, Expect, Host, Keep-Alive, Te, Trailer,
//     Transfer-Encoding, Upgrade and User-Agent.
//
// The values are credentials. The JSON has them in clear, since it is the body of
// a request. When they are printed or logged, only their names are shown. The store
// keeps them as Config.Seal gives them, and no answer has them.
//
// Source: docs/contract.md 2.12.
type EndpointHeaders map[string]string

const (
	maxHeaders     = 10
	maxHeaderName  = 64
	maxHeaderValue = 4096
)

// Names are the names in their canonical form, sorted.
func (h EndpointHeaders) Names() []string {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, plaintext.HeaderName(name))
	}
	slices.Sort(names)
	return names
}

// IsZero reports whether there are none.
func (h EndpointHeaders) IsZero() bool { return len(h) == 0 }

// String returns the names.
func (h EndpointHeaders) String() string { return fmt.Sprint(h.Names()) }

// GoString returns the names.
func (h EndpointHeaders) GoString() string { return h.String() }

// Format writes the names whatever the verb and its flags.
func (h EndpointHeaders) Format(f fmt.State, _ rune) { io.WriteString(f, h.String()) }

// LogValue is the names.
func (h EndpointHeaders) LogValue() slog.Value { return slog.AnyValue(h.Names()) }

// check refuses headers that cannot be sent, in the order of their names.
func (h EndpointHeaders) check() *Error {
	if len(h) > maxHeaders {
		return headersTooMany.Err()
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		switch canonical := plaintext.HeaderName(name); {
		case !validHeaderName(name), reservedHeader(canonical):
			return headerNameRefused.Of(name)
		case !validHeaderValue(h[name]):
			return headerValueRefused.Of(name)
		}
	}
	if again := h.Names(); len(slices.Compact(again)) != len(h) {
		return headersTwice.Err()
	}
	return nil
}

func validHeaderName(name string) bool {
	return name != "" && len(name) <= maxHeaderName && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}

func validHeaderValue(value string) bool {
	return value != "" && len(value) <= maxHeaderValue && strings.Trim(value, " ") == value &&
		!strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' })
}

// reservedHeader reports whether the sender or HTTP itself sets a header.
func reservedHeader(canonical string) bool {
	switch canonical {
	case "Accept-Encoding", "Connection", "Expect", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent":
		return true
	}
	for _, prefix := range []string{"Content-", "Proxy-", "Svix-", "Webhook-"} {
		if strings.HasPrefix(canonical, prefix) {
			return true
		}
	}
	return false
}

// sealHeaders is what the store keeps of the headers of an endpoint; nothing of
// none. It begins as a secret does: Config.Open returns such a text unchanged when
// it was stored before there was a Seal.
func (p *Program) sealHeaders(h EndpointHeaders, endpoint uuid.UUID) ([]byte, error) {
	if len(h) == 0 {
		return nil, nil
	}
	plain := make(map[string]string, len(h))
	for name, value := range h {
		plain[plaintext.HeaderName(name)] = value
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, internal("seal headers", err)
	}
	sealed, err := p.seal(append([]byte(SecretPrefix), raw...), endpoint)
	if err != nil {
		return nil, internal("seal headers", err)
	}
	return sealed, nil
}

// headersOf opens the headers of an endpoint; false when that fails.
func (p *Program) headersOf(ctx context.Context, r *EndpointRecord) (h EndpointHeaders, ok bool) {
	if len(r.Headers) == 0 {
		return nil, true
	}
	raw, err := p.unseal(ctx, r.Headers, r.ID)
	raw, headers := bytes.CutPrefix(raw, []byte(SecretPrefix))
	if err != nil || !headers || json.Unmarshal(raw, &h) != nil {
		return nil, false
	}
	return h, true
}

// leaksHeaders reports whether the update would send the endpoint's own headers to
// another receiver.
func (up EndpointUpdate) leaksHeaders(old EndpointRecord) bool {
	return len(old.HeaderNames) > 0 && up.Headers.IsZero() && otherReceiver(old.URL, up.URL.Or(old.URL))
}

// otherReceiver reports whether two URLs lead to different hosts, schemes or
// ports: a header of the one must not be sent to the other.
func otherReceiver(a, b string) bool {
	from, errFrom := url.Parse(a)
	to, errTo := url.Parse(b)
	return errFrom != nil || errTo != nil || from.Scheme != to.Scheme || !strings.EqualFold(from.Host, to.Host)
}
