package affiliate

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Settings is the part of a program's [Config] that its administrators see. It
// is read only, because a configuration is code of the host.
//
// Source: docs/contract.md 2.15.
type Settings struct {
	ID                   uuid.UUID         `json:"id"`
	Name                 string            `json:"name"`
	Currency             Currency          `json:"currency"`
	TimeZone             string            `json:"timeZone"`       // name of an IANA zone
	URLModifier          string            `json:"urlModifier"`    // the query parameter of the slug
	CookieDuration       int               `json:"cookieDuration"` // days for which a click attributes
	Destinations         []LinkDestination `json:"destinations"`
	Terms                ProgramTerms      `json:"terms"`
	AutoApprove          bool              `json:"autoApprove"` // affiliates created without a status are ACTIVE
	CommissionOnTax      bool              `json:"commissionOnTax"`
	CommissionOnShipping bool              `json:"commissionOnShipping"`
	RefundWindowSeconds  Opt[int64]        `json:"refundWindowSeconds"` // null: no limit
	CascadeEvents        bool              `json:"cascadeEvents"`       // deletes also fire the events of the children
	DeliverySchedule     []int64           `json:"deliverySchedule"`    // seconds before each attempt
}

// LinkDestination is a [Destination] as it is answered.
type LinkDestination struct {
	URL    string     `json:"url"`
	Params url.Values `json:"params"` // never nil
}

// ProgramTerms are the [Terms] of affiliates without a rate, tier or plan of
// their own, as they are answered.
type ProgramTerms struct {
	CommissionType   CommissionType `json:"commissionType"`
	CommissionRate   Percent        `json:"commissionRate"`
	NumberOfPayments Opt[int64]     `json:"numberOfPayments"` // null: no limit
	NumberOfMonths   Opt[int64]     `json:"numberOfMonths"`   // null: no limit
	HoldDays         int64          `json:"holdDays"`
}

// Settings returns the settings of the program. It reads no store; the context
// is for callers over the network.
//
// Source: docs/contract.md 4.6.
func (p *Program) Settings(ctx context.Context) (_ Settings, err error) {
	defer p.begin(&ctx, "Settings", reads).end(&err)
	c := p.cfg
	return Settings{
		ID: c.ID, Name: c.Name, Currency: c.Currency, TimeZone: c.Location.String(), URLModifier: c.Param, CookieDuration: c.CookieDays,
		Destinations: shownDestinations(c.Destinations),
		Terms: ProgramTerms{
			CommissionType: c.Terms.Type, CommissionRate: c.Terms.Rate, NumberOfPayments: orNull(c.Terms.MaxPayments),
			NumberOfMonths: orNull(c.Terms.MaxMonths), HoldDays: c.Terms.HoldDays,
		},
		AutoApprove: !c.NoAutoApprove, CommissionOnTax: c.CommissionOnTax, CommissionOnShipping: c.CommissionOnShipping,
		RefundWindowSeconds: orNull(int64(c.RefundWindow / time.Second)), CascadeEvents: c.CascadeEvents,
		DeliverySchedule: inSeconds(c.Schedule),
	}, nil
}

func shownDestinations(all []Destination) []LinkDestination {
	shown := make([]LinkDestination, len(all))
	for i, d := range all {
		params := url.Values{}
		maps.Copy(params, d.Params)
		for name := range params {
			params[name] = slices.Clone(params[name])
		}
		shown[i] = LinkDestination{d.URL, params}
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
