package mailbox

import (
	_ "embed"
	"strings"
)

// The lists say in their heads where they are from. A line of a head sorts before every domain.
var (
	//go:embed disposable.txt
	disposable string
	//go:embed free.txt
	free string
)

// Domain returns the domain of an address; empty: s is no address.
func Domain(s string) string {
	email, ok := Canonical(s)
	if !ok {
		return ""
	}
	_, domain, _ := strings.Cut(email, "@")
	return domain
}

// IsDisposable reports whether a domain is that of a provider of throw-away addresses, or below it.
func IsDisposable(domain string) bool { return listed(disposable, domain) }

// reserved are the domains of RFC 2606, which whoever tries something out takes.
const reserved = "example.com\nexample.net\nexample.org\n"

// IsPublic reports whether anybody can have a mailbox at a domain, which is that of a provider, or
// below it, or may say so, as at example.com.
func IsPublic(domain string) bool {
	return listed(free, domain) || listed(reserved, domain) || IsDisposable(domain)
}

// listed reports whether a list has a domain, or one above it.
func listed(list, domain string) bool {
	for domain != "" {
		if has(list, domain) {
			return true
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	return false
}

// has reports whether a list, whose lines are in order, has a line.
func has(list, line string) bool {
	for list != "" {
		start := strings.LastIndexByte(list[:len(list)/2], '\n') + 1
		end := start + strings.IndexByte(list[start:], '\n')
		switch middle := list[start:end]; {
		case line == middle:
			return true
		case line < middle:
			list = list[:start]
		default:
			list = list[end+1:]
		}
	}
	return false
}
