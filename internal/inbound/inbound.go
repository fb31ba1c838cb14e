// Package inbound has what receivers of signed requests share.
package inbound

import (
	"mime"
	"net/http"
	"strings"
	"time"
)

// PlainJSON reports whether the headers of a request declare JSON in UTF-8
// without a content encoding.
func PlainJSON(h http.Header) bool {
	if strings.Join(h["Content-Encoding"], "") != "" || len(h["Content-Type"]) != 1 {
		return false
	}
	media, params, err := mime.ParseMediaType(h["Content-Type"][0])
	charset := params["charset"]
	return err == nil && media == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// ParseSeconds reads a time in seconds since 1970: 1 to 11 digits without a
// leading zero. Every language reads this spelling the same way.
func ParseSeconds(s string) (time.Time, bool) {
	if len(s) == 0 || len(s) > 11 || s[0] == '0' && len(s) > 1 {
		return time.Time{}, false
	}
	var seconds int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, false
		}
		seconds = seconds*10 + int64(s[i]-'0')
	}
	return time.Unix(seconds, 0).UTC(), true
}

// Age returns how old the time of a request is. It is negative for one in the future.
// Only whole seconds of now are used, since at has no others.
func Age(now, at time.Time) time.Duration { return time.Unix(now.Unix(), 0).Sub(at) }
