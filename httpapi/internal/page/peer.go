package page

import (
	"net/http"
	"net/netip"
	"strings"
)

// Secure reports whether a cookie for this request must be limited to TLS. Only a
// browser on this machine needs no TLS, because nobody listens in between. A proxy on
// this machine speaks for others.
func Secure(r *http.Request) bool {
	return r.TLS != nil || !loopback(r.RemoteAddr) || forwarded(r.Header)
}

// loopback reports whether a peer is this machine.
func loopback(peer string) bool {
	at, err := netip.ParseAddrPort(peer)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// forwarded reports whether a proxy passed the request on, as its headers say.
func forwarded(h http.Header) bool {
	for name := range h {
		switch {
		case strings.HasPrefix(name, "X-Forwarded-"), strings.HasPrefix(name, "X-Original-"):
			return true
		}
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip":
			return true
		}
	}
	return false
}
