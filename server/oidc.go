package main

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/tributary-go/tributary/httpapi/app"
)

// The variables of the environment that name an identity provider, and this server there.
const (
	issuerVariable       = "TRIBUTARY_OIDC_ISSUER"
	clientIDVariable     = "TRIBUTARY_OIDC_CLIENT_ID"
	clientSecretVariable = "TRIBUTARY_OIDC_CLIENT_SECRET"
)

// An oidcProvider signs people in by OpenID Connect.
type oidcProvider struct {
	issuer, host string
	client       oauth2.Config
	http         *http.Client
	found        atomic.Pointer[oidc.Provider] // nil: it has not answered yet
}

// identityProvider returns the provider of the variables; nil: there is none.
func (e environment) identityProvider() (*oidcProvider, error) {
	var set int
	for _, name := range [...]string{issuerVariable, clientIDVariable, clientSecretVariable} {
		if e[name] != "" {
			set++
		}
	}
	switch set {
	case 0:
		return nil, nil
	case 3:
	default:
		return nil, fmt.Errorf("%s, %s and %s are set together", issuerVariable, clientIDVariable, clientSecretVariable)
	}
	at, err := url.Parse(e[issuerVariable])
	if err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" ||
		at.Scheme != "https" && (at.Scheme != "http" || !onThisMachine(at.Hostname())) {
		return nil, errors.New(issuerVariable + " must be like https://accounts.example, as the provider writes it")
	}
	return &oidcProvider{issuer: e[issuerVariable], host: at.Host, http: &http.Client{Timeout: 10 * time.Second},
		client: oauth2.Config{ClientID: e[clientIDVariable], ClientSecret: e[clientSecretVariable],
			Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail}}}, nil
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Host names the provider.
func (p *oidcProvider) Host() string { return p.host }

// at returns the provider, which is asked for its addresses until it answers, and this server there.
func (p *oidcProvider) at(ctx context.Context, s app.SignIn) (*oidc.Provider, oauth2.Config, error) {
	found := p.found.Load()
	if found == nil {
		var err error
		if found, err = oidc.NewProvider(oidc.ClientContext(ctx, p.http), p.issuer); err != nil {
			return nil, oauth2.Config{}, err
		}
		p.found.Store(found)
	}
	client := p.client
	client.Endpoint, client.RedirectURL = found.Endpoint(), s.Back
	return found, client, nil
}

// Begin returns the URL of the page of the provider.
func (p *oidcProvider) Begin(ctx context.Context, s app.SignIn) (string, error) {
	_, client, err := p.at(ctx, s)
	if err != nil {
		return "", err
	}
	return client.AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

// Email returns the verified email of who came back with a code.
func (p *oidcProvider) Email(ctx context.Context, s app.SignIn, code string) (string, error) {
	if code == "" {
		return "", errors.New("it sent no code")
	}
	provider, client, err := p.at(ctx, s)
	if err != nil {
		return "", err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	token, err := client.Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if failed, is := errors.AsType[*oauth2.RetrieveError](err); is {
		return "", fmt.Errorf("it takes no code: %s %q", failed.Response.Status, failed.ErrorCode) // its text has bodies
	}
	if err != nil {
		return "", err
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: client.ClientID}).Verify(ctx, raw)
	if err != nil {
		return "", err
	}
	var claims struct {
		Email    string
		Verified bool `json:"email_verified"`
	}
	switch err := id.Claims(&claims); {
	case err != nil:
		return "", err
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(s.Nonce)) != 1:
		return "", errors.New("the nonce is that of another sign-in")
	case claims.Email == "" || !claims.Verified:
		return "", errors.New("it does not say that the email is verified")
	}
	return claims.Email, nil
}
