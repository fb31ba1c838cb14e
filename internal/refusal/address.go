package refusal

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/netrange"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// maxURL is the longest endpoint URL, in bytes.
const maxURL = 2048

// CheckURL checks the URL of an endpoint: https (or http, where allowed), a
// host, no user info, no fragment, port 443, 80 with AllowHTTP, or 1024 and
// above, at most 2,048 bytes. A literal address, in any spelling that a
// resolver may take for one, must be allowed.
//
// Errors: [affiliate.InvalidField] and [affiliate.URLNotAllowed] on url.
//
// Source: docs/contract.md 2.12 and 4.2.
func CheckURL(a affiliate.AddressPolicy, raw string) error {
	if err := BadURL(a, raw); err != nil {
		return err
	}
	return nil
}

func BadURL(a affiliate.AddressPolicy, raw string) *affiliate.Error {
	if len(raw) > maxURL {
		return FieldTooLong.Of("url")
	}
	if !plaintext.Valid(raw, false) || strings.ContainsAny(raw, " #") {
		return urlNotHTTPS.Err()
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || !schemeOK(a, u.Scheme) || !portOK(a, u.Port()) {
		return urlNotHTTPS.Err()
	}
	return checkHost(a, u.Hostname(), strings.HasPrefix(u.Host, "["))
}

func schemeOK(a affiliate.AddressPolicy, scheme string) bool {
	return scheme == "https" || scheme == "http" && a.AllowHTTP
}

// portOK keeps endpoints away from mail, shell and other low ports. No port is
// the scheme's own.
func portOK(a affiliate.AddressPolicy, port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && (n == 443 || n == 80 && a.AllowHTTP || n >= 1024)
}

// checkHost checks a host without its brackets and port.
func checkHost(a affiliate.AddressPolicy, host string, bracketed bool) *affiliate.Error {
	if bracketed {
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is6() {
			return urlNotHTTPS.Err()
		}
		return checkAddr(a, addr)
	}
	host = strings.TrimSuffix(plaintext.Lower(host), ".")
	if !ValidHost(host) {
		return urlNotHTTPS.Err()
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if !netrange.Numeric(last) {
		return nil
	}
	addr, ok := netrange.ParseIPv4(host)
	if !ok { // no domain name ends in a number, so a resolver could only guess
		return urlNotAllowed.Err()
	}
	return checkAddr(a, addr)
}

func checkAddr(a affiliate.AddressPolicy, addr netip.Addr) *affiliate.Error {
	if !a.Allows(addr) {
		return urlNotAllowed.Err()
	}
	return nil
}

// ValidHost reports whether host, in lower case and without a trailing dot, is
// labels of letters, digits, hyphens and underscores. Names in other scripts
// are given in their ASCII form: what a resolver makes of the others varies.
func ValidHost(host string) bool {
	if len(host) > 253 {
		return false
	}
	return plaintext.Dotted(host, func(label string) bool {
		return len(label) <= 63 && ValidSlug(strings.ReplaceAll(label, "_", "-"))
	})
}
