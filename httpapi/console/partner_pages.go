package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/httpapi/internal/reqid"
)

// The pages of an affiliate as they see them, at affiliates/{}/pages/.

// seen returns whose pages the path asks for, and the path there.
func (v *visit) seen() (of, at string, ok bool) {
	rest, found := strings.CutPrefix(v.Path, "affiliates/")
	of, at, _ = strings.Cut(rest, "/")
	if !found || v.cfg.PartnerPages == nil || at != "pages" && !strings.HasPrefix(at, "pages/") {
		return "", "", false
	}
	return of, strings.TrimPrefix(at, "pages"), true
}

// see shows a page of an affiliate.
func (v *visit) see(of, at string) {
	v.Args = []string{of}
	a, err := ofAffiliate.named(v)
	if err != nil {
		v.fail(err)
		return
	}
	if !strings.HasPrefix(at, "/assets/") {
		v.Logger.InfoContext(context.WithoutCancel(v.Ctx()), "console look", "actor", v.actor, "object", "affiliate:"+a.ID.String(), "path", page.OneLine(at),
			"program", v.program.Config().ID.String(), "request_id", reqid.Of(v.Ctx()))
	}
	before := strings.TrimSuffix(v.R.URL.Path, at)
	http.StripPrefix(before, v.cfg.PartnerPages(v.program, a.ID, "../../"+a.ID.String())).ServeHTTP(v.W, v.R)
}

// PartnerPages reports whether the pages of affiliates can be seen.
func (v *view) PartnerPages() bool { return v.cfg.PartnerPages != nil }
