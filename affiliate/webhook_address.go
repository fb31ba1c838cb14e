package affiliate

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/internal/netrange"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// maxURL is the longest endpoint URL, in bytes.
const maxURL = 2048

// An AddressPolicy says which endpoint URLs are accepted and which addresses
// may be called. The zero policy requires https and refuses every address that
// is not on the public internet. The engine checks URLs with it, and does not
// resolve names. The sender checks every address that it dials.
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

// Allows reports whether an address may be called. An IPv4 address inside an IPv6
// one (mapped, or behind NAT64) counts as itself, a zone is ignored, and the
// zero Addr is refused.
//
// AllowNetworks opens ranges that are not public. The services that give out
// the credentials of a cloud machine stay closed in every case: 169.254.0.0/16,
// 168.63.129.16, 100.100.100.200, 192.0.0.192, fe80::/10, fd20:ce::254 and
// fd00:ec2::/32, in every form that a translator or a tunnel would send there:
// mapped, compatible and translated addresses, NAT64, 6to4, Teredo and ISATAP.
// The policy cannot know a NAT64 prefix of the host's own network: there the
// network itself must keep them closed.
//
// Source: docs/webhooks.md 6.
func (a AddressPolicy) Allows(addr netip.Addr) bool {
	return netrange.Allowed(addr, a.AllowNetworks)
}

func (a AddressPolicy) checkURL(raw string) *Error {
	if len(raw) > maxURL {
		return FieldTooLong.Of("url")
	}
	if !plaintext.Valid(raw, false) || strings.ContainsAny(raw, " #") {
		return urlNotHTTPS.Err()
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || !a.schemeOK(u.Scheme) || !a.portOK(u.Port()) {
		return urlNotHTTPS.Err()
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
			return urlNotHTTPS.Err()
		}
		return a.checkAddr(addr)
	}
	host = strings.TrimSuffix(plaintext.Lower(host), ".")
	if !validHost(host) {
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
	return a.checkAddr(addr)
}

func (a AddressPolicy) checkAddr(addr netip.Addr) *Error {
	if !a.Allows(addr) {
		return urlNotAllowed.Err()
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
	return plaintext.Dotted(host, func(label string) bool {
		return len(label) <= 63 && validSlug(strings.ReplaceAll(label, "_", "-"))
	})
}
