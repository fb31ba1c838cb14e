package console_test

import (
	"context"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// unsaid are the settings that are no values, which the page of settings cannot show.
var unsaid = map[string]bool{"Now": true, "NewID": true, "Rand": true, "OnNotice": true, "Hooks": true, "OnEvents": true, "Observer": true, "Logger": true, "Open": true}

// TestSettingsShowConfig: the page says each setting of the host, and no secret of it.
func TestSettingsShowConfig(t *testing.T) {
	sealed := func(data, _ []byte) ([]byte, error) { return data, nil }
	changes := map[string]func(*tributary.Config){
		"ID":           func(c *tributary.Config) { c.ID = uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9eff") },
		"Name":         func(c *tributary.Config) { c.Name = "Southwind" },
		"Currency":     func(c *tributary.Config) { c.Currency = "EUR" },
		"Location":     func(c *tributary.Config) { c.Location = time.FixedZone("Far/Off", 3600) },
		"Destinations": func(c *tributary.Config) { c.Destinations[0].Params = url.Values{"from": {"partner"}} },
		"Param":        func(c *tributary.Config) { c.Param = "via" },
		"OldParams":    func(c *tributary.Config) { c.OldParams = []string{"aff"} },
		"CountBots":    func(c *tributary.Config) { c.CountBots = true },
		"KeepParams":   func(c *tributary.Config) { c.KeepParams = []string{"gclid"} },
		"CookieDays":   func(c *tributary.Config) { c.CookieDays = 33 },
		"Attribution":  func(c *tributary.Config) { c.Attribution.Touch = affiliate.TouchFirst },
		"Terms":        func(c *tributary.Config) { c.Terms.Rate = affiliate.MustPercent("17.5") },
		"Rate": func(c *tributary.Config) {
			c.Rate = func(context.Context, affiliate.Currency, time.Time) (affiliate.ExchangeRate, error) {
				return affiliate.ExchangeRate{}, nil
			}
		},
		"CookieDomain":         func(c *tributary.Config) { c.CookieDomain = "shop.example" },
		"Limits":               func(c *tributary.Config) { c.Limits.Links = 12 },
		"NoAutoApprove":        func(c *tributary.Config) { c.NoAutoApprove = true },
		"CommissionOnTax":      func(c *tributary.Config) { c.CommissionOnTax = true },
		"CommissionOnShipping": func(c *tributary.Config) { c.CommissionOnShipping = true },
		"RealOrder":            func(c *tributary.Config) { c.RealOrder = affiliate.MustPercent("25") },
		"RefundWindow":         func(c *tributary.Config) { c.RefundWindow = 30 * 24 * time.Hour },
		"ErasureKey":           func(c *tributary.Config) { c.ErasureKey = []byte("a-secret-of-the-host") },
		"PaymentMemory":        func(c *tributary.Config) { c.PaymentMemory = 36 * time.Hour },
		"FreeOrders":           func(c *tributary.Config) { c.FreeOrders = true },
		"RefuseSuspended":      func(c *tributary.Config) { c.RefuseSuspended = true },
		"HouseCodes":           func(c *tributary.Config) { c.HouseCodes = true },
		"RequireCustomer":      func(c *tributary.Config) { c.RequireCustomer = true },
		"CascadeEvents":        func(c *tributary.Config) { c.CascadeEvents = true },
		"Review":               func(c *tributary.Config) { c.Review = nil },
		"Addresses": func(c *tributary.Config) {
			c.Addresses.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
		},
		"Seal":     func(c *tributary.Config) { c.Seal, c.Open = sealed, sealed },
		"Schedule": func(c *tributary.Config) { c.Schedule = []time.Duration{0, 90 * time.Minute} },
		"Send": func(c *tributary.Config) {
			c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { return affiliate.Attempt{} }
		},
	}
	plain := newWorld(t).get("settings").text()
	fields := reflect.TypeFor[tributary.Config]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		change, there := changes[name]
		if !there {
			if !unsaid[name] {
				t.Errorf("nobody looks whether the page says %s", name)
			}
			continue
		}
		page := newWorld(t, func(c *tributary.Config, _ *console.Config) { change(c) }).get("settings")
		if page.status != 200 || page.text() == plain {
			t.Errorf("the page does not say %s: %d %s", name, page.status, page.text())
		}
		if strings.Contains(page.body, "a-secret") {
			t.Errorf("the page has a secret: %s", page.text())
		}
	}
	for _, want := range []string{"Refunds are taken for ever", "Refunds are taken for 30 days", "Attempts of a delivery 2: at once, after 1h30m "} {
		if got := newWorld(t, func(c *tributary.Config, _ *console.Config) {
			if strings.Contains(want, "30 days") {
				changes["RefundWindow"](c)
			}
			changes["Schedule"](c)
		}).get("settings").text(); !strings.Contains(got, want) {
			t.Errorf("the page does not say %q: %s", want, got)
		}
	}
}

// TestSettingsTerms: the page has the terms of the program as a table, each with its day.
func TestSettingsTerms(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	if got := w.get("settings").text(); !strings.Contains(got, "From Pays Limits Rules 1 Jan 2027, 00:00 To come 15 % none 0 the beginning In force 20 % none 0") {
		t.Error(got)
	}
}
