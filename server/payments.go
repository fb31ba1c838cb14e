package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/app"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/creem"
	"github.com/tributary-go/tributary/pay/dodo"
	"github.com/tributary-go/tributary/pay/generic"
	"github.com/tributary-go/tributary/pay/lemonsqueezy"
	"github.com/tributary-go/tributary/pay/paddle"
	"github.com/tributary-go/tributary/pay/polar"
	"github.com/tributary-go/tributary/pay/shopify"
	"github.com/tributary-go/tributary/pay/stripe"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// A provider is an adapter of module pay, which is on when the variable of its secret is set, or when
// somebody connects it in the console.
type provider struct {
	name     string   // of the package; the path and, in capitals, the variables have it
	events   []string // to tick; none: a host reports by itself
	checkout string   // where the checkout carries the click
	options  []option // besides the secrets
	reads    string   // what the key of the API is, with which lost events are read; empty: they cannot be
	adapter  func(adapter.Config, *options) adapted
}

// An adapted provider is its adapter with a configuration.
type adapted struct {
	handler func(*tributary.Program) (http.Handler, error)
	read    func(event []byte) (pay.Action, error)
	source  func() (adapter.Source, error) // nil: lost events cannot be read
}

// adapt returns what configures an adapter.
func adapt[C any](handler func(*tributary.Program, C) (http.Handler, error), read func([]byte, C) (pay.Action, error),
	config func(adapter.Config, *options) C, source func(adapter.API, C) adapter.Source, api func(*options, C) adapter.API) func(adapter.Config, *options) adapted {
	return func(shared adapter.Config, o *options) adapted {
		cfg := config(shared, o)
		a := adapted{
			handler: func(p *tributary.Program) (http.Handler, error) { return handler(p, cfg) },
			read:    func(event []byte) (pay.Action, error) { return read(event, cfg) },
		}
		if source != nil {
			a.source = func() (adapter.Source, error) {
				is := api(o, cfg)
				if base := o.text(apiURLName); base != "" {
					is.Base = base
				}
				return source(is, cfg), o.err
			}
		}
		return a
	}
}

// An option is a variable of a provider, by the end of its name, with what it does, for people, and
// the values that it may have; none: any.
type option struct {
	name, label string
	choices     []string
	secret      bool // it is never shown
	address     bool // it says where the key of the API goes
}

var (
	testMode = option{name: "TEST", label: "Events of the test mode, and no others", choices: []string{"true", "false"}}
	ofShop   = func(label string, address bool) option { return option{name: "SHOP", label: label, address: address} }
)

func (p provider) path() string { return "/pay/" + p.name }

func providers() []provider {
	all := []provider{
		{"stripe", stripe.Events(), "in metadata of the session and of its subscription or payment intent, or as client_reference_id of a Payment Link", []option{
			testMode, {name: "ONE_OFF_INVOICES", label: "Invoices without a subscription are booked", choices: []string{"true", "false"}},
			{name: "FIRST", label: "The first payment of a subscription is taken from", choices: []string{"session", "invoice"}}}, "a restricted key, `rk_…`, that reads", adapt(stripe.Handler, stripe.Map, stripeConfig, stripe.Source,
			func(o *options, _ stripe.Config) adapter.API { return stripe.API(o.text(apiKeyName)) })},
		{"paddle", paddle.Events(), "in customData of Paddle.Checkout.open", []option{
			{name: "TOTALS", label: "The rate of another currency is taken from", choices: []string{string(paddle.PayoutTotals)}}}, "an API key that reads notifications", adapt(paddle.Handler, paddle.Map, paddleConfig, paddle.Source,
			func(o *options, _ paddle.Config) adapter.API { return paddle.API(o.text(apiKeyName)) })},
		{"polar", polar.Events(), "in metadata of POST /v1/checkouts", nil, "an access token that reads orders, refunds and subscriptions", adapt(polar.Handler, polar.Map, plain, polar.Source,
			func(o *options, _ polar.Config) adapter.API { return polar.API(o.text(apiKeyName)) })},
		{"lemonsqueezy", lemonsqueezy.Events(), "in checkout_data.custom of POST /v1/checkouts, or checkout[custom][…] of a link", []option{testMode}, "an API key", adapt(lemonsqueezy.Handler, lemonsqueezy.Map, lemonsqueezyConfig, lemonsqueezy.Source,
			func(o *options, _ lemonsqueezy.Config) adapter.API { return lemonsqueezy.API(o.text(apiKeyName)) })},
		{"dodo", dodo.Events(), "in metadata of POST /checkouts, or metadata_… of a static link", nil, "an API key", adapt(dodo.Handler, dodo.Map, plain, dodo.Source,
			func(o *options, _ dodo.Config) adapter.API { return dodo.API(o.text(apiKeyName)) })},
		{"creem", creem.Events(), "in metadata of POST /v1/checkouts", []option{testMode}, "", adapt(creem.Handler, creem.Map, creemConfig, nil, nil)},
		{"shopify", shopify.Topics(), "in attributes of the cart", []option{testMode, ofShop("Domain of the shop, such as beans.myshopify.com, when others can install the app", true)}, "the access token of an app that reads orders; with SHOP", adapt(shopify.Handler, shopify.Map, shopifyConfig, shopify.Source,
			func(o *options, cfg shopify.Config) adapter.API { return shopify.API(cfg.Shop, o.text(apiKeyName)) })},
		{"woocommerce", woocommerce.Topics(), "in meta_data of the order", []option{ofShop("A name of the shop, such as eu, when several have this program; it never changes", false)}, "consumer key and secret with a colon between them, `ck_…:cs_…`; with API_URL", adapt(woocommerce.Handler, woocommerce.Map, woocommerceConfig, woocommerce.Source, woocommerceAPI)},
		{"generic", nil, "what you like: carried of the report has it", nil, "", adapt(generic.Handler, generic.Map, plain, nil, nil)},
	}
	for i := range all {
		if p := &all[i]; p.reads != "" {
			p.options = append(p.options, option{name: apiKeyName, label: "For lost events, which are read again daily: " + strings.ReplaceAll(p.reads, "`", ""), secret: true},
				option{name: apiURLName, label: "The address of that API, when it is another one than usual", address: true})
		}
	}
	return all
}

// plain is the configuration of an adapter that has no options.
func plain(cfg adapter.Config, _ *options) adapter.Config { return cfg }

func stripeConfig(cfg adapter.Config, o *options) stripe.Config {
	first := stripe.FromSession
	if o.choice("FIRST", "session", "invoice") == "invoice" {
		first = stripe.FromInvoice
	}
	return stripe.Config{Config: cfg, Test: o.is(testMode.name), OneOffInvoices: o.is("ONE_OFF_INVOICES"), First: first}
}

func paddleConfig(cfg adapter.Config, o *options) paddle.Config {
	return paddle.Config{Config: cfg, Totals: paddle.Totals(o.choice("TOTALS", string(paddle.PayoutTotals)))}
}

func lemonsqueezyConfig(cfg adapter.Config, o *options) lemonsqueezy.Config {
	return lemonsqueezy.Config{Config: cfg, Test: o.is(testMode.name)}
}

func creemConfig(cfg adapter.Config, o *options) creem.Config {
	return creem.Config{Config: cfg, Test: o.is(testMode.name)}
}

func shopifyConfig(cfg adapter.Config, o *options) shopify.Config {
	return shopify.Config{Config: cfg, Test: o.is(testMode.name), Shop: o.text("SHOP")}
}

func woocommerceConfig(cfg adapter.Config, o *options) woocommerce.Config {
	return woocommerce.Config{Config: cfg, Shop: o.text("SHOP")}
}

// woocommerceAPI is at the address of the shop, which API_URL has.
func woocommerceAPI(o *options, _ woocommerce.Config) adapter.API {
	key, secret, _ := strings.Cut(o.text(apiKeyName), ":")
	is := woocommerce.API(o.text(apiURLName), key, secret)
	o.env = maps.Clone(o.env)
	delete(o.env, o.variable(apiURLName)) // its path is there by now
	return is
}

// variable is the name of a variable of the provider.
func (p provider) variable(name string) string {
	return "TRIBUTARY_" + strings.ToUpper(p.name) + "_" + name
}

// The names of the variables that every provider has. The old secret counts too, while the
// provider changes to the new one.
const secretName, oldSecretName = "SECRET", "OLD_SECRET"

// The names of the variables with which lost events are read. They do so without the secret too.
const apiKeyName, apiURLName = "API_KEY", "API_URL"

// variables are all variables of the provider, that of the secret first.
func (p provider) variables() (all []string) {
	all = []string{p.variable(secretName), p.variable(oldSecretName)}
	for _, o := range p.options {
		all = append(all, p.variable(o.name))
	}
	return all
}

// said tells the operator what to do at the provider, which has no use of a URL without https.
func (p provider) said(url string) string {
	said := fmt.Sprintf("payments of %s: have its events sent to %s: %s", p.name, url,
		strings.Join(p.events, ", "))
	if p.events == nil {
		said = "payments: report them to " + url + " as docs/payments-generic.md says"
	}
	if !strings.HasPrefix(url, "https://") {
		said += "\n  (others reach no http address: say with -url under which URL they reach this server)"
	}
	return said
}

// options reads the variables of a provider. The first that is wrong is its err.
type options struct {
	provider
	env  environment
	read []string // those that are set
	err  error
}

// text returns a variable, which may be unset and not empty.
func (o *options) text(name string) string {
	value, set := o.env[o.variable(name)]
	if set {
		o.read = append(o.read, o.variable(name))
	}
	if set && value == "" && o.err == nil {
		o.err = fmt.Errorf("%s is set and empty", o.variable(name))
	}
	return value
}

// choice returns a variable that has one of a few values, or is unset.
func (o *options) choice(name string, values ...string) string {
	value := o.text(name)
	if value != "" && !slices.Contains(values, value) && o.err == nil {
		o.err = fmt.Errorf("%s must be %s", o.variable(name), strings.Join(values, " or "))
	}
	return value
}

func (o *options) is(name string) bool { return o.choice(name, "true", "false") == "true" }

// secrets returns the secret, and the old one if there is one; none: the provider is off.
func (o *options) secrets() (all adapter.Secrets) {
	for _, name := range []string{secretName, oldSecretName} {
		if secret := o.text(name); secret != "" {
			all = append(all, secret)
		}
	}
	return all
}

// carryKeysVariable has the keys that sign what a checkout carries, for all providers.
const carryKeysVariable = "TRIBUTARY_CARRY_KEYS"

// carryKeys reads keys of 64 hex digits each, with commas between them.
func (e environment) carryKeys() (keys pay.Keys, err error) {
	text, set := e[carryKeysVariable]
	if !set {
		return nil, nil
	}
	for key := range strings.SplitSeq(text, ",") {
		raw, err := hex.DecodeString(strings.TrimSpace(key))
		if err != nil || len(raw) != 32 {
			return nil, errors.New(carryKeysVariable +
				" must have 64 hex digits, such as openssl rand -hex 32 makes") // it never shows them
		}
		keys = append(keys, raw)
	}
	return keys, nil
}

// checkPayments refuses variables with which no endpoint could start, before a store is made.
func (e environment) checkPayments() error {
	if err := e.unknown(); err != nil {
		return err
	}
	scratch, err := tributary.New(memstore.New(), tributary.Config{
		ID: uuid.MustParse(app.ProgramID), Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err == nil {
		_, err = e.connections(app.Host{Program: scratch})
	}
	return err
}

// receiverVariable ends like one of a provider, and is what receivers of our webhooks read.
const receiverVariable = "TRIBUTARY_WEBHOOK_SECRET"

// unknown returns an error for a variable that looks like one of a provider and is none, as after
// a slip of the pen, and for one of a provider that is off.
func (e environment) unknown() error {
	known, secrets := map[string]provider{}, []string{}
	for _, p := range providers() {
		secrets = append(secrets, p.variable(secretName))
		for _, name := range p.variables() {
			known[name] = p
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e)) {
		p, is := known[name]
		_, on := e[p.variable(secretName)]
		_, reads := e[p.variable(apiKeyName)]
		on = on || reads
		switch {
		case is && !on:
			return fmt.Errorf("%s is set without %s", name, p.variable(secretName))
		case !is && looksLike(name, secrets):
			return fmt.Errorf("%s is no variable of the server; the secrets of payment providers are %s",
				name, strings.Join(secrets, ", "))
		}
	}
	return nil
}

// looksLike reports whether a name is that of a secret, or begins as one of them does.
func looksLike(name string, secrets []string) bool {
	if strings.HasPrefix(name, "TRIBUTARY_") && strings.HasSuffix(name, "_"+secretName) {
		return name != receiverVariable && name != clientSecretVariable
	}
	return slices.ContainsFunc(secrets, func(secret string) bool {
		return strings.HasPrefix(name, strings.TrimSuffix(secret, secretName))
	})
}
