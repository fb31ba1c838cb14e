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
	rest, found := strings.CutPrefix(v.path, "affiliates/")
	of, at, _ = strings.Cut(rest, "/")
	if !found || v.cfg.PartnerPages == nil || at != "pages" && !strings.HasPrefix(at, "pages/") {
		return "", "", false
	}
	return of, strings.TrimPrefix(at, "pages"), true
}

// see shows a page of an affiliate.
func (v *visit) see(of, at string) {
	v.args = []string{of}
	a, err := ofAffiliate.named(v)
	if err != nil {
		v.fail(err)
		return
	}
	if !strings.HasPrefix(at, "/assets/") {
		v.logger().InfoContext(context.WithoutCancel(v.ctx()), "console look", "actor", v.actor, "object", "affiliate:"+a.ID.String(), "path", page.OneLine(at),
			"program", v.program.Config().ID.String(), "request_id", reqid.Of(v.ctx()))
	}
	before := strings.TrimSuffix(v.r.URL.Path, at)
	http.StripPrefix(before, v.cfg.PartnerPages(v.program, a.ID, "../../"+a.ID.String())).ServeHTTP(v.w, v.r)
}

// PartnerPages reports whether the pages of affiliates can be seen.
func (v *view) PartnerPages() bool { return v.cfg.PartnerPages != nil }
