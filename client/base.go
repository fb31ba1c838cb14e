package client

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// root is the prefix of the contract's paths, below the base URL.
const root = "/api/v1"

// parseBase reads a base URL. Its errors do not show the URL, because it may
// hold a password.
func parseBase(s string, plain bool) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("client: the base URL must be absolute: https://host")
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, errors.New("client: the base URL must have no user info, query or fragment")
	}
	if u.Scheme == "http" && !plain && !loopback(u.Hostname()) {
		return nil, errors.New("client: the base URL must be https: the API key would be sent in the clear; see Config.PlainHTTP")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	if strings.HasSuffix(u.Path, root) {
		return nil, errors.New("client: the base URL is what stands before " + root)
	}
	return u, nil
}

// loopback reports whether the name or address of a host is a loopback one.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// at returns the URL of a path of the contract.
func at(base url.URL, path string, query url.Values) *url.URL {
	if base.RawPath != "" {
		base.RawPath += root + path
	}
	base.Path += root + path
	base.RawQuery = query.Encode()
	return &base
}
