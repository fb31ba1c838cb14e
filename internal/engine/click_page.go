package engine

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A keptPage builds the URL of a page that a click keeps: ASCII, at most
// maxClickText bytes.
type keptPage struct {
	text strings.Builder
	full bool
}

// pageOf returns the URL of a page in the form that a click keeps: scheme, host,
// port and path, and from the query the parameters that the program keeps,
// spelled as they were. It is empty for a text that is not an http or https URL.
// Anybody can send such a URL, and hosts and webhooks receive it, so neither a
// script nor the rest of the visitor's query may pass.
//
// Source: docs/contract.md 5.1.
func (p *Program) pageOf(raw string) string {
	raw, _, _ = strings.Cut(raw, "#")
	raw, query, _ := strings.Cut(raw, "?")
	scheme, rest := pageScheme(raw)
	end := strings.IndexByte(rest, '/')
	if end < 0 {
		end = len(rest)
	}
	host, path := rest[:end], rest[end:]
	host = host[strings.LastIndexByte(host, '@')+1:]
	if scheme == "" || !validHostPort(host) {
		return ""
	}
	var k keptPage
	k.text.Grow(min(len(scheme)+len(host)+len(path)+len(query)+1, refusal.MaxClickText))
	k.text.WriteString(scheme)
	k.text.WriteString(host)
	k.add(path)
	separator := "?"
	for query != "" && !k.full {
		var pair string
		if pair, query, _ = strings.Cut(query, "&"); !p.keepsParam(pair) {
			continue
		}
		k.add(separator)
		k.add(pair)
		separator = "&"
	}
	return k.text.String()
}

// pageScheme cuts off the scheme of a page. The scheme is empty for any other
// text.
func pageScheme(raw string) (scheme, rest string) {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(raw) > len(scheme) && plaintext.Lower(raw[:len(scheme)]) == scheme {
			return scheme, raw[len(scheme):]
		}
	}
	return "", raw
}

// validHostPort reports whether s is a host name or an address, with or without
// a port.
func validHostPort(s string) bool {
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		host, port = s[:i], s[i+1:]
	}
	if len(port) > 5 || strings.Trim(port, "0123456789") != "" {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return err == nil && addr.Is6() && addr.Zone() == "" && strings.HasSuffix(inner, "]")
	}
	return refusal.ValidHost(strings.TrimSuffix(host, "."))
}

// ParamSub is the query parameter with the partner's own mark of where a visit came from.
const ParamSub = "sub"

// keepsParam reports whether a click keeps a parameter of a query: that of the
// slug, the partner's mark, those of campaigns, and those that the host configured.
func (p *Program) keepsParam(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	if strings.IndexByte(name, '%') >= 0 || strings.IndexByte(name, '+') >= 0 {
		var err error
		if name, err = url.QueryUnescape(name); err != nil {
			return false
		}
	}
	return name == p.Cfg.Param || slices.Contains(p.Cfg.OldParams, name) || name == ParamSub || strings.HasPrefix(name, "utm_") || slices.Contains(p.Cfg.KeepParams, name)
}

// add appends a part of the URL until the limit is reached, and escapes unsafe
// characters. It never cuts an escape in two.
func (k *keptPage) add(part string) {
	for part != "" && !k.full {
		n, room := safeLen(part), refusal.MaxClickText-k.text.Len()
		if n > 0 {
			k.full = n > room
			k.text.WriteString(part[:min(n, room)])
		} else if k.full = room < len("%XX"); !k.full {
			n = k.escape(part)
		}
		part = part[n:]
	}
}

// escape appends the first character of a part, escaped unless it is an escape
// already, and returns how many bytes of the part that is.
func (k *keptPage) escape(part string) int {
	const digits = "0123456789ABCDEF"
	if len(part) > 2 && part[0] == '%' && isHex(part[1]) && isHex(part[2]) {
		k.text.WriteString(part[:3])
		return 3
	}
	k.text.Write([]byte{'%', digits[part[0]>>4], digits[part[0]&15]})
	return 1
}

// safeLen returns the number of bytes at the start of a part that need no
// escape.
func safeLen(part string) int {
	for i := range len(part) {
		if !safe(part[i]) {
			return i
		}
	}
	return len(part)
}

// safe reports whether c needs no escape.
func safe(c byte) bool {
	switch c {
	case '-', '.', '_', '~', '!', '$', '&', '(', ')', '*', '+', ',', ';', '=', ':', '@', '/', '?', '[', ']':
		return true
	}
	return plaintext.Alphanumeric(c)
}

// isHex reports whether c is a hexadecimal digit.
func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
