package engine

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Settings implements tributary.Program.Settings.
func (p *Program) Settings(ctx context.Context) (_ affiliate.Settings, err error) {
	defer p.Begin(&ctx, "Settings", Reads).End(&err)
	c := p.Cfg
	terms, err := View(ctx, p, func(o *Op) (affiliate.ProgramTerms, error) {
		own, err := o.programTerms()
		if err != nil {
			return affiliate.ProgramTerms{}, err
		}
		return shownTerms(termsAt(own, o.Now)), nil
	})
	if err != nil {
		return affiliate.Settings{}, err
	}
	return affiliate.Settings{
		ID: c.ID, Name: c.Name, Currency: c.Currency, TimeZone: c.Location.String(), URLModifier: c.Param, OldURLModifiers: slices.Clone(c.OldParams), CookieDuration: c.CookieDays,
		Destinations: shownDestinations(c.Destinations), Attribution: c.Attribution, Terms: terms,
		AutoApprove: !c.NoAutoApprove, CommissionOnTax: c.CommissionOnTax, CommissionOnShipping: c.CommissionOnShipping,
		RefundWindowSeconds: OrNull(int64(c.RefundWindow / time.Second)), CascadeEvents: c.CascadeEvents,
		DeliverySchedule: inSeconds(c.Schedule),
	}, nil
}

func shownDestinations(all []affiliate.Destination) []affiliate.LinkDestination {
	shown := make([]affiliate.LinkDestination, len(all))
	for i, d := range all {
		params := url.Values{}
		maps.Copy(params, d.Params)
		for name := range params {
			params[name] = slices.Clone(params[name])
		}
		shown[i] = affiliate.LinkDestination{URL: d.URL, Params: params}
	}
	return shown
}

func inSeconds(all []time.Duration) []int64 {
	out := make([]int64, len(all))
	for i, d := range all {
		out[i] = int64(d / time.Second)
	}
	return out
}
