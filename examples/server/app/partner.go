package app

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/portal"
)

// partnerPath is where the pages for affiliates are.
const partnerPath = "/partner/"

// newPartner makes the pages for the affiliates of all programs, the first program's by
// themselves, and the link by which POST /api/v1/partner/token opens them. Their key is new at every start, so
// every visit ends when the server stops.
func newPartner(programs []*tributary.Program, set settings, base string, logger *slog.Logger) (pages http.Handler, first *portal.Portal, link *httpapi.PortalLink, err error) {
	key, random := make([]byte, 32), set.rand
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, key); err != nil {
		return nil, nil, nil, err
	}
	var all []*portal.Portal
	for _, p := range programs {
		cfg := portal.Config{Prefix: partnerPath, Key: key, Logger: logger}
		if set.demo {
			cfg.MaxLinks = 5
		}
		pages, err := portal.New(p, cfg)
		if err != nil {
			return nil, nil, nil, err
		}
		all = append(all, pages)
	}
	return portal.Many(all[0], all[1:]...), all[0], &httpapi.PortalLink{Key: key, URL: base + partnerPath}, nil
}
