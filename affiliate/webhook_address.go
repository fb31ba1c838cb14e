package affiliate

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxURL is the longest endpoint URL, in bytes.
const maxURL = 2048

// An AddressPolicy says which endpoint URLs are accepted and which addresses
// may be called. The zero policy asks for https and refuses every address that
// is not on the public internet. The engine checks URLs with it, the sender
// every address that it dials: a name in a URL is not resolved here.
type AddressPolicy struct {
	AllowHTTP     bool           // accept http URLs and port 80; for tests and closed networks
	AllowNetworks []netip.Prefix // ranges that are open although they are not public; see Allows for what stays closed
}

// CheckURL checks the URL of an endpoint: https (or http, where allowed), a
// host, no user info, no fragment, port 443, 80 with AllowHTTP, or 1024 and
// above, at most 2,048 bytes. A literal address, in any spelling that a
// resolver may take for one, must be allowed.
//
// Errors: [InvalidField] and [URLNotAllowed] on url.
//
// Source: docs/contract.md 2.12 and 4.2.
func (a AddressPolicy) CheckURL(raw string) error {
	if err := a.checkURL(raw); err != nil {
		return err
	}
	return nil
}

func (a AddressPolicy) checkURL(raw string) *Error {
	if len(raw) > maxURL {
		return invalid("url", tooLong)
	}
	if !validText(raw, false) || strings.ContainsAny(raw, " #") {
		return urlNotHTTPS.err()
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || !a.schemeOK(u.Scheme) || !a.portOK(u.Port()) {
		return urlNotHTTPS.err()
	}
	return a.checkHost(u.Hostname(), strings.HasPrefix(u.Host, "["))
}

func (a AddressPolicy) schemeOK(scheme string) bool {
	return scheme == "https" || scheme == "http" && a.AllowHTTP
}

// portOK keeps endpoints away from mail, shell and other low ports. No port is
// the scheme's own.
func (a AddressPolicy) portOK(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && (n == 443 || n == 80 && a.AllowHTTP || n >= 1024)
}

// checkHost checks a host without its brackets and port.
func (a AddressPolicy) checkHost(host string, bracketed bool) *Error {
	if bracketed {
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is6() {
			return urlNotHTTPS.err()
		}
		return a.checkAddr(addr)
	}
	host = strings.TrimSuffix(lowerASCII(host), ".")
	if !validHost(host) {
		return urlNotHTTPS.err()
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if !numeric(last) {
		return nil
	}
	addr, ok := parseIPv4(host)
	if !ok { // no domain name ends in a number, so a resolver could only guess
		return urlNotAllowed.err()
	}
	return a.checkAddr(addr)
}

func (a AddressPolicy) checkAddr(addr netip.Addr) *Error {
	if !a.Allows(addr) {
		return urlNotAllowed.err()
	}
	return nil
}

// validHost reports whether host, in lower case and without a trailing dot, is
// labels of letters, digits, hyphens and underscores. Names in other scripts
// are given in their ASCII form: what a resolver makes of the others varies.
func validHost(host string) bool {
	if len(host) > 253 {
		return false
	}
	return dotted(host, func(label string) bool {
		return len(label) <= 63 && validSlug(strings.ReplaceAll(label, "_", "-"))
	})
}

// numeric reports whether a label is a number to the C library, of any size:
// decimal, octal or hexadecimal.
func numeric(label string) bool {
	digits, alphabet := label, "0123456789"
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		digits, alphabet = rest, "0123456789abcdef"
	}
	return strings.Trim(digits, alphabet) == ""
}

// number reads a part of an address as inet_aton does.
func number(part string) (uint64, bool) {
	digits, base := part, 10
	if rest, ok := strings.CutPrefix(part, "0x"); ok {
		digits, base = "0"+rest, 16
	} else if len(part) > 1 && part[0] == '0' {
		base = 8
	}
	n, err := strconv.ParseUint(digits, base, 32)
	return n, err == nil
}

// parseIPv4 reads an IPv4 address in the forms that the C library takes: one to
// four numbers, the last of which fills the bytes that are left.
func parseIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, ok := number(part)
		room := 8
		if i == len(parts)-1 {
			room = 8 * (5 - len(parts))
		}
		if !ok || n>>room != 0 {
			return netip.Addr{}, false
		}
		value = value<<room | n
	}
	var raw [4]byte
	binary.BigEndian.PutUint32(raw[:], uint32(value))
	return netip.AddrFrom4(raw), true
}
