package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// RequestID returns the id of the request that ctx belongs to; empty when it is none
// of a Handler. Every answer has it in X-Request-Id, and so has every line of
// [Config.Logger]. A request may bring its own id in that header: 1 to 64 of
// A–Z, a–z, 0–9, dot, underscore and hyphen. Any other one is replaced by a new
// id.
//
// The engine passes the context on, so an [affiliate.Observer] and a hook find
// the id too.
func RequestID(ctx context.Context) string { return reqid.Of(ctx) }

// traceID returns the trace of a valid traceparent (W3C Trace Context), for logs;
// empty: there is none.
func traceID(h http.Header) string {
	lines := h["Traceparent"]
	if len(lines) != 1 {
		return ""
	}
	parts := strings.Split(lines[0], "-")
	if len(parts) < 4 || !lowerHex(parts[0], 2) || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 ||
		!lowerHex(parts[1], 32) || !lowerHex(parts[2], 16) || !lowerHex(parts[3], 2) ||
		strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}

// lowerHex reports whether s has n digits of lower-case hex.
func lowerHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
