package affiliate

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Allows reports whether an address may be called. An IPv4 address inside an IPv6
// one (mapped, or behind NAT64) counts as itself, a zone is ignored, and the
// zero Addr is refused.
//
// AllowNetworks opens ranges that are not public. Whatever it opens, the
// services that hand out the credentials of a cloud machine to whoever asks stay
// closed: 169.254.0.0/16, 168.63.129.16, 100.100.100.200, 192.0.0.192,
// fe80::/10, fd20:ce::254 and fd00:ec2::/32, in every form that a translator or
// a tunnel would send there: mapped, compatible and translated addresses, NAT64,
// 6to4, Teredo and ISATAP. A NAT64 prefix of the host's own network is known to
// nobody else: there the network must keep them closed.
//
// Source: docs/webhooks.md 6.
func (a AddressPolicy) Allows(addr netip.Addr) bool {
	addr = addr.WithZone("").Unmap()
	if !addr.IsValid() || neverOpen(addr) {
		return false
	}
	if nat64().Contains(addr) {
		return a.Allows(v4In(addr, 12, 13, 14, 15))
	}
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	return slices.ContainsFunc(a.AllowNetworks, within) || !slices.ContainsFunc(closedNetworks(), within)
}

// neverOpen reports whether an address without a zone, or one that is carried in
// it, is of what no setting opens.
func neverOpen(addr netip.Addr) bool {
	if slices.ContainsFunc(neverOpened(), func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return true
	}
	return addr.Is6() && slices.ContainsFunc(carried(addr), neverOpen)
}

// neverOpened lists the link-local ranges and the services beyond them that
// clouds give to each of their machines.
func neverOpened() []netip.Prefix {
	return []netip.Prefix{
		v4(169, 254, 0, 0, 16), v4(168, 63, 129, 16, 32), v4(100, 100, 100, 200, 32), v4(192, 0, 0, 192, 32),
		v6(0xfe80, 0, 0, 10), v6(0xfd00, 0xec2, 0, 32),
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0xfd, 1: 0x20, 3: 0xce, 14: 0x02, 15: 0x54}), 128),
	}
}

// carried lists the IPv4 addresses that an IPv6 address may stand for. Where the
// form leaves it open how long the prefix is, each possibility is in the list.
func carried(addr netip.Addr) []netip.Addr {
	raw := addr.As16()
	last := v4In(addr, 12, 13, 14, 15)
	var all []netip.Addr
	switch {
	case v6(0, 0, 0, 64).Contains(addr): // compatible, and translated by SIIT
		all = append(all, last)
	case nat64().Contains(addr):
		all = append(all, last)
	case v6(0x64, 0xff9b, 1, 48).Contains(addr): // NAT64 of a local network, RFC 6052 and 8215
		all = append(all, last, v4In(addr, 6, 7, 9, 10), v4In(addr, 7, 9, 10, 11), v4In(addr, 9, 10, 11, 12))
	case v6(0x2002, 0, 0, 16).Contains(addr): // 6to4
		all = append(all, v4In(addr, 2, 3, 4, 5))
	case v6(0x2001, 0, 0, 32).Contains(addr): // Teredo: the server, and the client with its bits flipped
		all = append(all, v4In(addr, 4, 5, 6, 7), netip.AddrFrom4([4]byte{^raw[12], ^raw[13], ^raw[14], ^raw[15]}))
	}
	if raw[8]&^0x02 == 0 && raw[9] == 0 && raw[10] == 0x5e && raw[11] == 0xfe { // ISATAP
		all = append(all, last)
	}
	return all
}

// v4In is the IPv4 address in these bytes of an IPv6 address.
func v4In(addr netip.Addr, a, b, c, d int) netip.Addr {
	raw := addr.As16()
	return netip.AddrFrom4([4]byte{raw[a], raw[b], raw[c], raw[d]})
}

// nat64 is the well-known prefix: hosts behind DNS64 see all of IPv4 there.
func nat64() netip.Prefix { return v6(0x64, 0xff9b, 0, 96) }

// closedNetworks lists what is not public: the special-purpose registries of
// IANA. It is wider than [netip.Addr.IsPrivate], which knows no carrier ranges,
// no 0/8, no 240/4 and no embedded addresses.
func closedNetworks() []netip.Prefix {
	return []netip.Prefix{
		v4(0, 0, 0, 0, 8), v4(10, 0, 0, 0, 8), v4(100, 64, 0, 0, 10), v4(127, 0, 0, 0, 8), v4(172, 16, 0, 0, 12),
		v4(192, 0, 0, 0, 24), v4(192, 0, 2, 0, 24), v4(192, 88, 99, 0, 24), v4(192, 168, 0, 0, 16), v4(198, 18, 0, 0, 15),
		v4(198, 51, 100, 0, 24), v4(203, 0, 113, 0, 24), v4(224, 0, 0, 0, 4), v4(240, 0, 0, 0, 4),
		v6(0, 0, 0, 8), v6(0x64, 0xff9b, 1, 48), v6(0x100, 0, 0, 64), v6(0x2001, 0, 0, 23), v6(0x2001, 0xdb8, 0, 32),
		v6(0x2002, 0, 0, 16), v6(0x3fff, 0, 0, 20), v6(0x5f00, 0, 0, 16), v6(0xfc00, 0, 0, 7), v6(0xfec0, 0, 0, 10),
		v6(0xff00, 0, 0, 8),
	}
}

// v4 is the network a.b.c.d/bits, v6 the network a:b:c::/bits. They parse
// nothing: an address is checked for every attempt of a delivery.
func v4(a, b, c, d byte, bits int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c, d}), bits)
}

func v6(a, b, c uint16, bits int) netip.Prefix {
	raw := [16]byte{byte(a >> 8), byte(a), byte(b >> 8), byte(b), byte(c >> 8), byte(c)}
	return netip.PrefixFrom(netip.AddrFrom16(raw), bits)
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
		return fieldTooLong.Of("url")
	}
	if !validText(raw, false) || strings.ContainsAny(raw, " #") {
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
	host = strings.TrimSuffix(lowerASCII(host), ".")
	if !validHost(host) {
		return urlNotHTTPS.Err()
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if !numeric(last) {
		return nil
	}
	addr, ok := parseIPv4(host)
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
