package netrange

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"strings"
)

// Numeric reports whether a label is a number to the C library, of any size:
// decimal, octal or hexadecimal.
func Numeric(label string) bool {
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

// ParseIPv4 reads an IPv4 address in the forms that the C library takes: one to
// four numbers, the last of which fills the bytes that are left.
func ParseIPv4(host string) (netip.Addr, bool) {
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
