package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

type programSheet struct {
	affiliate.Settings
	Dated termsSheet // the terms of the program
	Plans []affiliate.Plan
	Tiers []affiliate.Tier
	Host  []settingGroup
}

// settings shows the program, its terms, plans and tiers, and what its host has configured.
func settings(v *visit) (view, error) {
	s, err1 := v.program.Settings(v.Ctx())
	terms, err2 := v.program.Terms(v.Ctx())
	plans, err3 := v.program.Plans(v.Ctx(), affiliate.Page{Limit: maxChoices})
	tiers, err4 := v.program.Tiers(v.Ctx(), affiliate.Page{Limit: maxChoices})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return view{}, err
	}
	dated := termsSheet{holder: holder{Path: "terms", Versions: terms}}
	dated.Shown = &terms[dated.now()]
	return view{title: "Settings", template: "settings", Data: &programSheet{s, dated, plans.Items,
		tiers.Items, hostSettings(v.program.Config())}}, nil
}

// A settingGroup is a part of what the host has configured, a settingRow one of its settings.
type (
	settingGroup struct {
		Title string
		Rows  []settingRow
	}
	settingRow struct {
		Name   string
		Values []string // one in a line
	}
)

// hostSettings returns the configuration for people. It has no secret: of a key it says whether there
// is one.
func hostSettings(c tributary.Config) []settingGroup {
	row := func(name string, values ...string) settingRow { return settingRow{name, values} }
	return []settingGroup{
		{"Money", []settingRow{
			row("Commission on tax", yesNo(c.CommissionOnTax)),
			row("Commission on shipping", yesNo(c.CommissionOnShipping)),
			row("Refunds are taken for", forTime(c.RefundWindow)),
			row("An email that only payers told counts when the first order was at least",
				c.RealOrder.String()+" % of the order"),
			row("Sales in other currencies",
				either(c.Rate != nil, "taken, at the host's rate",
					"only with a rate of their own")),
			row("Orders that cost nothing", either(c.FreeOrders, "recorded", "refused")),
			row("Payments without a sale are kept for", forTime(c.PaymentMemory)),
			row("Sales are held for review by", reviewSaid(c.Review)...),
		}},
		{"Codes and links", []settingRow{
			row("Links lead to", destinationsSaid(c.Destinations)...),
			row("Parameter of a link", append([]string{c.Param}, c.OldParams...)...),
			row("Visits of crawlers and link previews", either(c.CountBots, "are clicks", "are no clicks")),
			row("The cookie of a click is of", cmp.Or(c.CookieDomain, "each host")),
			row("Parameters that a click keeps", orNothing(c.KeepParams)...),
			row("Codes without an affiliate", either(c.HouseCodes, "work", "are refused")),
			row("Codes of banned or deactivated affiliates",
				either(c.RefuseSuspended, "are refused", "work, and the commission is held")),
			row("Codes with a limit per customer",
				either(c.RequireCustomer, "need to know the customer",
					"work for unknown customers too")),
			row("Links of an affiliate, at most", page.Count(int64(c.Limits.Links))),
			row("Places that a customer may hold", page.Count(int64(c.Limits.Holds))),
			row("Partial refunds of a sale, at most", page.Count(int64(c.Limits.Refunds))),
			row("Objects in one call, at most", page.Count(int64(c.Limits.Bulk))),
		}},
		{"Webhooks and data", []settingRow{
			row("Attempts of a delivery", scheduleSaid(c.Schedule)),
			row("Endpoints without https", either(c.Addresses.AllowHTTP, "allowed", "refused")),
			row("Closed networks that are open to endpoints", networksSaid(c.Addresses)...),
			row("A test of an endpoint", either(c.Send != nil, "is sent", "is not sent")),
			row("Deleting also tells of what goes with it", yesNo(c.CascadeEvents)),
			row("Secrets are stored", either(c.Seal != nil, "encrypted", "in plain text")),
			row("Erased emails are remembered by",
				either(len(c.ErasureKey) > 0, "a key of the host", "the id of the program")),
		}},
	}
}

func yesNo(yes bool) string { return either(yes, "yes", "no") }

func either(yes bool, then, otherwise string) string {
	if yes {
		return then
	}
	return otherwise
}

// forTime says how long something is; 0 is for ever.
func forTime(d time.Duration) string {
	switch {
	case d == 0:
		return "ever"
	case d%(24*time.Hour) == 0:
		return several(int(d/(24*time.Hour)), "day")
	}
	return shortly(d)
}

func orNothing(values []string) []string {
	if len(values) == 0 {
		return []string{"none"}
	}
	return values
}

func reviewSaid(rules []affiliate.ReviewRule) (reasons []string) {
	for _, rule := range rules {
		reasons = append(reasons, page.Words(rule.Reason))
	}
	return orNothing(reasons)
}

func destinationsSaid(all []affiliate.Destination) (said []string) {
	for _, d := range all {
		to := d.URL
		if u, err := url.Parse(to); err == nil {
			to = u.Redacted()
		}
		if len(d.Params) > 0 {
			to += " with " + d.Params.Encode()
		}
		said = append(said, to)
	}
	return orNothing(said)
}

func networksSaid(a affiliate.AddressPolicy) (said []string) {
	for _, network := range a.AllowNetworks {
		said = append(said, network.String())
	}
	return orNothing(said)
}

// scheduleSaid says how often a delivery is tried, and after which times.
func scheduleSaid(schedule []time.Duration) string {
	var after []string
	for _, d := range schedule {
		after = append(after, either(d == 0, "at once", "after "+shortly(d)))
	}
	return fmt.Sprint(len(schedule), ": ", strings.Join(after, ", "))
}

// shortly returns a duration without what is zero at its end.
func shortly(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
