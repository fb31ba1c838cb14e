package affiliate

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate/internal/plaintext"
)

// A keptPage is what a click keeps of the URL of a page, while it is put
// together: ASCII, at most maxClickText bytes.
type keptPage struct {
	text strings.Builder
	full bool
}

// pageOf is what a click keeps of the URL of a page: scheme, host, port and
// path, and of the query the parameters that the program keeps, as they are
// spelled. It is empty for what is no http or https URL. Anybody may send such
// an URL, and it goes on to hosts and webhooks: a script must not pass, and
// neither must what else was in the visitor's query.
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
	k.text.Grow(min(len(scheme)+len(host)+len(path)+len(query)+1, maxClickText))
	k.add(scheme)
	k.add(host)
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

// pageScheme cuts the scheme of a page off; empty: it is none.
func pageScheme(raw string) (scheme, rest string) {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(raw) > len(scheme) && plaintext.Lower(raw[:len(scheme)]) == scheme {
			return scheme, raw[len(scheme):]
		}
	}
	return "", raw
}

// validHostPort reports whether s is a host name or an address, with a port or
// without.
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
	return validHost(strings.TrimSuffix(host, "."))
}

// keepsParam reports whether a click keeps a parameter of a query: the slug's,
// those of campaigns, and those that the host named.
func (p *Program) keepsParam(pair string) bool {
	name, _, _ := strings.Cut(pair, "=")
	if strings.ContainsAny(name, "%+") {
		var err error
		if name, err = url.QueryUnescape(name); err != nil {
			return false
		}
	}
	return name == p.cfg.Param || strings.HasPrefix(name, "utm_") || slices.Contains(p.cfg.KeepParams, name)
}

// add appends a part of the URL, with what would not be safe in one escaped,
// until there is no more room. An escape is never cut in two.
func (k *keptPage) add(part string) {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(part) && !k.full; i++ {
		c, size := part[i], 1
		escaped := c == '%' && i+2 < len(part) && isHex(part[i+1]) && isHex(part[i+2])
		safe := escaped || plaintext.Alphanumeric(c) || strings.IndexByte("-._~!$&()*+,;=:@/?[]", c) >= 0
		if escaped || !safe {
			size = 3
		}
		if k.full = k.text.Len()+size > maxClickText; k.full {
			return
		}
		switch {
		case escaped:
			k.text.WriteString(part[i : i+3])
			i += 2
		case safe:
			k.text.WriteByte(c)
		default:
			k.text.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
}

// isHex reports whether c is a hexadecimal digit.
func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
