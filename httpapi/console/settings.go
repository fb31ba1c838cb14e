package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
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

// Editable reports whether some settings are not the host's.
func (s *programSheet) Editable() bool {
	return slices.ContainsFunc(programFields, func(f field) bool {
		return !slices.Contains(s.SetByCode, settingOf(f.Name))
	})
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

// programFields are the settings that the store can keep. Those of a choice and of days are
// read by editSettings.
var programFields = []field{
	{Name: "name", Label: "Name", Required: true},
	{Name: "currency", Label: "Currency", Required: true,
		Hint: "Such as USD. It cannot change once somebody has paid or earned."},
	{Name: "timeZone", Label: "Time zone", Required: true,
		Hint: "Such as Europe/Berlin. It cannot change once somebody has paid or earned."},
	{Name: "destinations", Label: "Links lead to", Type: "textarea", Own: true,
		Hint: "Whole addresses, such as https://shop.example/, one in a line."},
	{Name: "autoApprove", Label: "New affiliates are active at once", Type: "checkbox"},
	{Name: "cookieDuration", Label: "A click counts for so many days", Type: "number"},
	{Name: "cookieDomain", Label: "The cookie of a click is of",
		Hint: "A domain such as shop.example. Empty: each host has its own."},
	{Name: "attribution", Label: "A sale credits", Own: true, Options: []option{
		{"LAST", "the last click of a visitor"}, {"FIRST", "the first click of a visitor"}}},
	{Name: "customer", Label: "A known customer", Own: true, Options: []option{
		{"EACH_ORDER", "credits whom each order names"},
		{"KEEP", "credits always the same affiliate"}}},
	{Name: "promoCode", Label: "A code", Own: true, Options: []option{
		{"ALWAYS", "credits its owner first"},
		{"UNBROUGHT", "credits its owner when nobody brought the customer"}}},
	{Name: "refundWindowSeconds", Label: "Refunds are taken for so many days", Type: "number",
		Hint: "Empty: for ever.", Own: true},
	{Name: "payoutMinimum", Label: "Minimum of a payout", Required: true,
		Hint: "In the currency of the program. Who is owed less waits, unless a run has another minimum."},
	{Name: "company", Label: "Who pays", Type: "textarea",
		Hint: "Name, postal address and tax number, as statements say them. Empty: the name of the program."},
	{Name: "termsText", Label: "Terms that applicants accept", Type: "textarea",
		Hint: "The text, or the address of a page with it. Empty: none."},
	{Name: "termsVersion", Label: "Version of these terms",
		Hint: "Such as 2026-11. Another text needs another version."},
	{Name: "commissionOnTax", Label: "Commission on tax", Type: "checkbox"},
	{Name: "commissionOnShipping", Label: "Commission on shipping", Type: "checkbox"},
	{Name: "freeOrders", Label: "Orders that cost nothing are recorded", Type: "checkbox"},
	{Name: "houseCodes", Label: "Codes without an affiliate work", Type: "checkbox"},
	{Name: "refuseSuspended", Label: "Codes of banned and deactivated affiliates are refused",
		Type: "checkbox"},
	{Name: "requireCustomer", Label: "Codes with a limit per customer need to know the customer",
		Type: "checkbox", More: true},
	{Name: "countBots", Label: "Visits of crawlers are clicks", Type: "checkbox", More: true},
	{Name: "urlModifier", Label: "Parameter of a link", Hint: "Empty: ref.", More: true},
	{Name: "oldUrlModifiers", Label: "Parameters of older links", Type: "textarea", More: true,
		Hint: "One in a line, such as via."},
	{Name: "keptParameters", Label: "Parameters that a click keeps", Type: "textarea", More: true,
		Hint: "One in a line, besides sub and utm_*."},
	{Name: "cascadeEvents", Label: "Deleting also tells of what goes with it", Type: "checkbox",
		More: true},
	{Name: "events", Label: "Events are kept for so many days", Type: "number", Hint: unsaidDays, More: true},
	{Name: "deliveries", Label: "Deliveries of webhooks are kept for so many days", Type: "number", Hint: unsaidDays,
		More: true},
	{Name: "receipts", Label: "Answers to repeated requests are kept for so many days", Type: "number",
		Hint: unsaidDays, More: true},
	{Name: "clicks", Label: "Clicks without a customer are kept for so many days", Type: "number", Hint: unsaidDays,
		More: true},
	{Name: "holds", Label: "Places held for orders are kept for so many days", Type: "number", Hint: unsaidDays,
		More: true},
}

const unsaidDays = "Empty: as long as the server does."

// settingOf returns the setting that a field is a part of.
func settingOf(field string) string {
	switch field {
	case "customer", "promoCode":
		return "attribution"
	case "events", "deliveries", "receipts", "clicks", "holds":
		return "retention"
	}
	return field
}

const secondsOfDay = 24 * 60 * 60

// editSettings changes what the host leaves to the store.
var editSettings = &action{
	name: "program.update", object: "program", done: "The settings were saved.",
	form: func(v *visit) (form, error) {
		s, err := v.program.Settings(v.Ctx())
		fields := v.filled(s.Retention, v.filled(s, slices.DeleteFunc(slices.Clone(programFields), func(f field) bool {
			return slices.Contains(s.SetByCode, settingOf(f.Name))
		})...)...)
		for i := range fields {
			switch f := &fields[i]; f.Name {
			case "destinations":
				f.Value = strings.Join(destinationURLs(s), "\n")
			case "attribution":
				f.Value = cmp.Or(string(s.Attribution.Touch), "LAST")
			case "customer":
				f.Value = cmp.Or(string(s.Attribution.Customer), "EACH_ORDER")
			case "promoCode":
				f.Value = cmp.Or(string(s.Attribution.Code), "ALWAYS")
			case "refundWindowSeconds":
				f.Value = ""
				if n, limited := s.RefundWindowSeconds.Get(); limited {
					f.Value = strconv.FormatInt(max(1, n/secondsOfDay), 10)
				}
			}
		}
		check := ""
		if !slices.Contains(s.SetByCode, "attribution") {
			check = "Whom would the sales of the last 90 days have credited?"
		}
		return form{Title: "Settings of the program", Button: "Save", Check: check, Back: "settings", Edits: true,
			Fields:  fields,
			Effects: []string{"What happens from now on goes by them. Recorded sales stay as they are."}}, err
	},
	check: func(v *visit, _ form, in *input) ([]string, error) {
		sum, all, err := v.simulated(affiliate.SimulateQuery{Attribution: affiliate.Set(in.attribution())})
		if err != nil {
			return nil, err
		}
		said := []string{fmt.Sprintf("The last 90 days: %s of %s would have credited another affiliate. All together earned %s, and would have earned %s%s. Nothing was saved.",
			several(int(sum.Lost), "sale"), salesAnd(&sum), v.Money(sum.Was), v.Money(sum.Would), v.moreOrLess(sum.Difference))}
		who, err := v.changedMost(all)
		return append(said, who...), err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		is, err := p.Settings(v.Ctx())
		if err != nil {
			return "", err
		}
		up, kept := affiliate.SettingsUpdate{}, is.Retention
		var ages, others []field
		for _, f := range in.fields {
			if settingOf(f.Name) == "retention" && in.changed(f.Name) {
				ages = append(ages, f)
			} else if settingOf(f.Name) != "retention" {
				others = append(others, f)
			}
		}
		in.fieldsInto(&up, others)
		if in.changed("destinations") {
			up.Destinations = affiliate.Set(in.lines("destinations"))
		}
		if in.changed("attribution") || in.changed("customer") || in.changed("promoCode") {
			up.Attribution = affiliate.Set(in.attribution())
		}
		if up.RefundWindowSeconds = in.whole("refundWindowSeconds"); up.RefundWindowSeconds.Or(0) > 0 {
			up.RefundWindowSeconds = affiliate.Set(up.RefundWindowSeconds.Or(0) * secondsOfDay)
		}
		if in.fieldsInto(&kept, ages); len(ages) > 0 {
			up.Retention = affiliate.Set(kept)
		}
		if in.err != nil {
			return "", in.err
		}
		_, err = p.UpdateSettings(v.Ctx(), up)
		return "settings", err
	},
}

// attribution reads whom sales are to credit.
func (in *input) attribution() affiliate.Attribution {
	return affiliate.Attribution{Touch: affiliate.Touch(in.text("attribution")),
		Customer: affiliate.CustomerCredit(in.text("customer")), Code: affiliate.CodeCredit(in.text("promoCode"))}
}

func destinationURLs(s affiliate.Settings) (urls []string) {
	for _, d := range s.Destinations {
		urls = append(urls, d.URL)
	}
	return urls
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
			row("Minimum of a payout", c.PayoutMinimum.String()+" "+string(c.Currency)),
			row("Who pays", strings.Split(cmp.Or(c.Company, c.Name), "\n")...),
			row("Terms that applicants accept", cmp.Or(c.TermsVersion, "none")),
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
			row("Old records are kept for", retentionSaid(c.Retention)...),
			row("Secrets are stored", either(c.Seal != nil, "encrypted", "in plain text")),
			row("Erased emails are remembered by",
				either(len(c.ErasureKey) > 0, "a key of the host", "the id of the program")),
		}},
	}
}

// retentionSaid says how long old records are kept, where the settings do.
func retentionSaid(r affiliate.Retention) (said []string) {
	for _, of := range []struct {
		what string
		age  time.Duration
	}{{"events", r.Events}, {"deliveries", r.Deliveries}, {"answers to repeated requests", r.Receipts},
		{"clicks", r.Clicks}, {"holds", r.Holds}} {
		if of.age > 0 {
			said = append(said, of.what+": "+forTime(of.age))
		}
	}
	if len(said) == 0 {
		return []string{"as long as the server does"}
	}
	return said
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
