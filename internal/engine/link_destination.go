package engine

import (
	"net/url"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// A target is a destination that was prepared when the program started: a full
// URL is the slug between two texts.
type target struct {
	base          string
	before, after string // of the slug
}

// targets prepares the destinations. The query of a link's URL has first the
// destination's own query with its order and spelling, then the slug, then the
// destination's extra parameters ordered by name; the fragment stays last.
// Other parameters with the name of the slug's parameter are removed, because
// the host's site could read the wrong one. Contract 2.4.
func targets(all []affiliate.Destination, param string) []target {
	ready := make([]target, 0, len(all))
	for _, d := range all {
		rest, fragment, hasFragment := strings.Cut(d.URL, "#")
		path, query, _ := strings.Cut(rest, "?")
		t := target{base: d.URL, before: path + "?"}
		if query = without(query, param); query != "" {
			t.before += query + "&"
		}
		t.before += url.QueryEscape(param) + "="
		if extra := extras(d.Params, param); extra != "" {
			t.after = "&" + extra
		}
		if hasFragment {
			t.after += "#" + fragment
		}
		ready = append(ready, t)
	}
	return ready
}

// without returns the query without the parameters of that name. All others keep
// their order and spelling.
func without(query, param string) string {
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if pair != "" && plain != param {
			kept = append(kept, pair)
		}
	}
	return strings.Join(kept, "&")
}

// extras returns the query of the extra parameters, ordered by name.
func extras(params url.Values, param string) string {
	kept := make(url.Values, len(params))
	for name, values := range params {
		if name != param {
			kept[name] = values
		}
	}
	return kept.Encode()
}

// fullURLs returns the slug on every destination; never nil.
func (p *Program) fullURLs(slug string) []affiliate.FullURL {
	urls := make([]affiliate.FullURL, len(p.targets))
	for i := range p.targets {
		t := &p.targets[i]
		urls[i] = affiliate.FullURL{BaseURL: t.base, FullURL: t.before + slug + t.after}
	}
	return urls
}
