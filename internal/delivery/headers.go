package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

const (
	maxHeaders     = 10
	maxHeaderName  = 64
	maxHeaderValue = 4096
)

// check refuses headers that cannot be sent, in the order of their names.
func check(h affiliate.EndpointHeaders) *affiliate.Error {
	if len(h) > maxHeaders {
		return refusal.HeadersTooMany.Err()
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		switch canonical := plaintext.HeaderName(name); {
		case !validHeaderName(name), reservedHeader(canonical):
			return refusal.HeaderNameRefused.Of(name)
		case !validHeaderValue(h[name]):
			return refusal.HeaderValueRefused.Of(name)
		}
	}
	if again := h.Names(); len(slices.Compact(again)) != len(h) {
		return refusal.HeadersTwice.Err()
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
	case "Accept-Encoding", "Connection", "Expect", "Host", "Keep-Alive", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", "User-Agent":
		return true
	}
	for _, prefix := range []string{"Content-", "Proxy-", "Svix-", "Webhook-"} {
		if strings.HasPrefix(canonical, prefix) {
			return true
		}
	}
	return false
}

// sealHeaders returns what the store keeps of an endpoint's headers; nil for none.
// The text begins like a secret, because Config.Open returns such a text unchanged
// when it was stored before there was a Seal.
func sealHeaders(p *engine.Program, h affiliate.EndpointHeaders, endpoint uuid.UUID) ([]byte, error) {
	if len(h) == 0 {
		return nil, nil
	}
	plain := make(map[string]string, len(h))
	for name, value := range h {
		plain[plaintext.HeaderName(name)] = value
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, refusal.Internal("seal headers", err)
	}
	sealed, err := p.Seal(append([]byte(affiliate.SecretPrefix), raw...), endpoint)
	if err != nil {
		return nil, refusal.Internal("seal headers", err)
	}
	return sealed, nil
}

// headersOf opens the headers of an endpoint; false when that fails.
func headersOf(ctx context.Context, p *engine.Program, r *record.Endpoint) (h affiliate.EndpointHeaders, ok bool) {
	if len(r.Headers) == 0 {
		return nil, true
	}
	raw, err := p.Unseal(ctx, r.Headers, r.ID)
	raw, headers := bytes.CutPrefix(raw, []byte(affiliate.SecretPrefix))
	if err != nil || !headers || json.Unmarshal(raw, &h) != nil {
		return nil, false
	}
	return h, true
}

// leaksHeaders reports whether the update would send the endpoint's own headers to
// another receiver.
func leaksHeaders(up affiliate.EndpointUpdate, old record.Endpoint) bool {
	return len(old.HeaderNames) > 0 && up.Headers.IsZero() && otherReceiver(old.URL, up.URL.Or(old.URL))
}

// otherReceiver reports whether two URLs lead to different hosts, schemes or
// ports: a header of the one must not be sent to the other.
func otherReceiver(a, b string) bool {
	from, errFrom := url.Parse(a)
	to, errTo := url.Parse(b)
	return errFrom != nil || errTo != nil || from.Scheme != to.Scheme || !strings.EqualFold(from.Host, to.Host)
}
