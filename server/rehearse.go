package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// samples has an event of each provider, of a payment of 120.00 with 20.00 of tax.
//
//go:embed samples
var samples embed.FS

// optionsOf returns the options of a provider: those of variables, or those that the store keeps.
func (c *connection) optionsOf(ctx context.Context) (*options, error) {
	if c.fixed != nil {
		return &options{provider: c.provider, env: c.env}, nil
	}
	kept, err := valueOf[keptConnection](ctx, c.values(), c.name)
	return &options{provider: c.provider, env: kept.env(c.provider)}, err
}

// Sample returns an event of a provider, of a payment in the currency of the program. It names the
// newest link of the newest of ten ACTIVE affiliates who has one, else the slug nobody. It is the
// same all day.
func (cs connections) Sample(ctx context.Context, name string) (event string, err error) {
	c, err := cs.named(name)
	if err != nil {
		return "", err
	}
	o, err := c.optionsOf(ctx)
	if err != nil {
		return "", err
	}
	is, err := c.host.Program.Settings(ctx)
	if err != nil {
		return "", err
	}
	newest, err := c.host.Program.Affiliates(ctx, affiliate.AffiliateQuery{Status: affiliate.AffiliateActive}, affiliate.Page{Limit: 10})
	if err != nil {
		return "", err
	}
	day := c.host.Program.Config().Now().UTC().Truncate(24 * time.Hour)
	data := map[string]any{"Program": is.ID, "Currency": is.Currency, "Lower": strings.ToLower(string(is.Currency)),
		"Time": day.Format(time.RFC3339), "Unix": day.Unix(), "Test": o.is(testMode.name), "Slug": "nobody"}
	for _, a := range slices.Backward(newest.Items) {
		if n := len(a.AffiliateLinks); n > 0 {
			data["Slug"] = a.AffiliateLinks[n-1].Link
		}
	}
	text, err := template.ParseFS(samples, "samples/"+name+".json")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = text.Execute(&b, data)
	return b.String(), err
}

// Rehearse says what an event of a provider would do, and does nothing. Nobody looks whether it is
// signed, so it proves neither the secret nor the URL.
func (cs connections) Rehearse(ctx context.Context, name, event string) (r console.Rehearsed, err error) {
	c, err := cs.named(name)
	if err != nil {
		return r, err
	}
	o, err := c.optionsOf(ctx)
	if err != nil {
		return r, err
	}
	action, err := c.adapter(adapter.Config{CarryKeys: c.keys}, o).read([]byte(event))
	if err != nil {
		return r, &affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.InvalidField, Field: "event",
			Message: fmt.Sprintf("This is no event of %s: %v", name, err)}
	}
	action.Wait = false // else it would be tried again later
	result, err := pay.Apply(ctx, c.host.Program.Rehearsal(), action)
	return console.Rehearsed{Became: becameOf(result), Sale: result.Sale}, err
}
