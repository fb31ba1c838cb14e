package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/ticket"
	"github.com/tributary-go/tributary/internal/refusal"
)

// A PortalLink says where the partner pages, of package portal, are.
type PortalLink struct {
	Key []byte // the Key of the pages' Config: at least 32 bytes
	URL string // of the pages, https or http, such as "https://shop.example/partner/"
}

// tokens makes the tokens that open partner pages.
type tokens struct {
	ticket.Sealer
	url string
}

// seal checks a link.
//
// Errors: the key is shorter than 32 bytes; the URL cannot be that of pages.
func (l *PortalLink) seal() (*tokens, error) {
	if l == nil {
		return nil, nil
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" || !strings.HasSuffix(u.Path, "/") {
		return nil, fmt.Errorf("httpapi: Config.Portal.URL %q is no http or https URL that ends with a slash", l.URL)
	}
	sealer, err := ticket.New(ticket.Token, l.Key)
	if err != nil {
		return nil, errors.New("httpapi: Config.Portal: " + err.Error())
	}
	return &tokens{sealer, l.URL}, nil
}

// The lifetimes of a token, in seconds.
const (
	defaultTokenTTL  = 60
	shortestTokenTTL = 30
	longestTokenTTL  = 3600
)

// A tokenOrder says whose pages a token opens, and for how long.
type tokenOrder struct {
	affiliate uuid.UUID
	ttl       int64
}

func tokenOrderOf(in *input) tokenOrder {
	return tokenOrder{oneAffiliate(in), in.ranged("ttlSeconds").Or(defaultTokenTTL)}
}

// issuedToken opens the pages of an affiliate for a while.
type issuedToken struct {
	Token string `json:"token"` // Can be used until it expires.
	// Where it opens them: redirect the affiliate's click there at once.
	URL       string         `json:"url"`
	ExpiresAt affiliate.Time `json:"expiresAt"` // From then on it opens nothing.
}

// issueToken makes a token for an affiliate who exists. Nothing is stored.
func issueToken(p *tributary.Program, c *call, order tokenOrder) error {
	switch {
	case order.affiliate == uuid.Nil:
		return refusal.RefuseNoAffiliateID.Err()
	case order.ttl < shortestTokenTTL || order.ttl > longestTokenTTL:
		return refusal.RefuseTokenTTL.Err()
	case c.h.tokens == nil:
		return refusal.RefuseNoPortal.Err()
	}
	if err := exists(c.r.Context(), p, order.affiliate); err != nil {
		return err
	}
	cfg := p.Config()
	expires := cfg.Now().Add(time.Duration(order.ttl) * time.Second).Truncate(time.Second)
	token := c.h.tokens.Seal(ticket.Ticket{Program: cfg.ID, Affiliate: order.affiliate,
		Expires: expires, ID: uuid.New()})
	return c.answer(&issuedToken{token,
		c.h.tokens.url + "enter?" + url.Values{"token": {token}}.Encode(),
		affiliate.TimeOf(expires)})
}

// exists refuses an affiliate who does not exist.
func exists(ctx context.Context, p *tributary.Program, id uuid.UUID) error {
	_, err := p.Affiliate(ctx, id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return refusal.RefuseNoAffiliate.Err()
	}
	return err
}
