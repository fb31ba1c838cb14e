package console

import (
	"errors"
	"slices"

	"github.com/tributary-go/tributary/affiliate"
)

// A Step is one of the first that a program takes.
type Step struct {
	Text string
	Path string // where it is taken, below the console; empty: not here
	Done bool
}

// firstSteps returns the steps of a young program: none once it has taken all, or has the sales that
// the overview shows.
func firstSteps(v *visit, s *summary) (all []Step, err error) {
	if len(s.Recent) >= recentSales {
		return nil, nil
	}
	someone, err1 := v.program.Affiliates(v.Ctx(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1})
	hooks, err2 := v.program.Webhooks().Endpoints(v.Ctx(), affiliate.Page{Limit: 1})
	var providers []Provider
	var err3, err4 error
	connect := Step{Text: "Say where changes are told", Path: "webhooks/new", Done: len(hooks.Items) > 0}
	if v.cfg.Providers != nil {
		providers, err3 = v.cfg.Providers(v.program).Providers(v.Ctx())
		connect.Text, connect.Path = "Connect your payment provider, or say where changes are told", "providers"
		connect.Done = connect.Done || slices.ContainsFunc(providers, func(p Provider) bool { return p.Connected != "" || p.Fixed })
	}
	if v.cfg.Steps != nil {
		all, err4 = v.cfg.Steps(v.Ctx(), v.program)
	}
	all = append(all,
		Step{"Add an affiliate, whose page has their link", "affiliates/new", len(someone.Items) > 0},
		Step{"See a click: follow that link", "", s.Clicks.Or(0) > 0},
		connect,
		Step{"See a sale: somebody buys by a link or a code", "", len(s.Recent) > 0})
	if !slices.ContainsFunc(all, func(s Step) bool { return !s.Done }) {
		all = nil
	}
	return all, errors.Join(err1, err2, err3, err4)
}
