package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Providers is how payment providers reach a program, kept by the host. Errors that are an
// [*affiliate.Error] are shown; Field is secret, or the name of an option.
type Providers interface {
	Providers(context.Context) ([]Provider, error)
	// Connect takes the events of a provider that are signed with a secret. options are by name.
	Connect(ctx context.Context, name, secret string, options map[string]string, by string) error
	Disconnect(ctx context.Context, name string) error
	// Sample returns an event as a provider sends it, to be rehearsed. It is the same for a while.
	Sample(ctx context.Context, name string) (event string, err error)
	// Rehearse says what an event would do, and does nothing. Field of an error is event.
	Rehearse(ctx context.Context, name, event string) (Rehearsed, error)
	// Read begins to read the API of a provider with Books again since a moment, and answers at once.
	// Field of an error is since.
	Read(ctx context.Context, name string, since time.Time, by string) error
	// Accept says that a difference of the Books is right as it is.
	Accept(ctx context.Context, name string, difference uuid.UUID, why, by string) error
}

// Rehearsed is what an event would do.
type Rehearsed struct {
	Became string
	Sale   affiliate.Opt[affiliate.Sale] // that the payment would have; null: none
}

// A Provider is a payment provider, connected or not.
type Provider struct {
	Name      string
	URL       string   // that takes its events
	Events    []string // to tick there; none: all, or the host reports by itself
	Checkout  string   // what a checkout carries, and where
	Connected string   // who connected it; empty: it is not connected
	Fixed     bool     // the configuration of the server connects it, and it cannot be changed here
	Options   []ProviderOption
	Last      []ProviderEvent // the newest first
	Books     *ProviderBooks  // nil: its API is not read

	// Refused is the number of requests since the server started that nobody can say came from the
	// provider: they were not signed with the secret, or it is not connected. RefusedAt is when the
	// last came.
	Refused   int
	RefusedAt time.Time
}

// A ProviderOption is a setting of a provider beside the secret.
type ProviderOption struct {
	Name, Label string
	Choices     []string // none: any text
	Value       string   // that it has; empty: none, or a secret
	Secret      bool     // it is never shown
	Kept        bool     // there is one
}

// A ProviderEvent is an event that came from a provider, and what became of it.
type ProviderEvent struct {
	At               time.Time
	ID, Type, Became string
}

func providersPage(v *visit) (view, error) {
	ps, err := kept(v, v.cfg.Providers)
	if err != nil {
		return view{}, err
	}
	all, err := ps.Providers(v.Ctx())
	return view{title: "Payment providers", template: "providers", Data: all}, err
}

// A connection is a provider, and how it is reached.
type connection struct {
	all Providers
	Provider
}

// provider returns the provider that the path names.
func (v *visit) provider() (c connection, err error) {
	if c.all, err = kept(v, v.cfg.Providers); err != nil {
		return c, err
	}
	all, err := c.all.Providers(v.Ctx())
	i := slices.IndexFunc(all, func(p Provider) bool { return p.Name == v.Args[0] })
	if err != nil || i < 0 {
		return c, cmp.Or(err, affiliate.ErrNotFound)
	}
	c.Provider = all[i]
	return c, nil
}

// A shownProvider is a provider on its page, with what a checkout carries of a visitor.
type shownProvider struct {
	Provider
	Carried string
}

func providerPage(v *visit) (view, error) {
	p, err := v.provider()
	carried := fmt.Sprintf(`{"tributary_click": "1042", "tributary_program": "%s"}`, v.program.Config().ID)
	return view{title: "Payments by " + page.Named(page.Words(p.Name)), template: "provider",
		Data: shownProvider{p.Provider, carried}}, err
}

// providerForm is a form about the provider of the path, unless the server's configuration has it.
func providerForm(fill func(Provider) form) func(*visit) (form, error) {
	return func(v *visit) (form, error) {
		p, err := v.provider()
		if err == nil && p.Fixed {
			err = notAllowed("A variable of the server connects " + page.Words(p.Name) + ".")
		}
		if err != nil {
			return form{}, err
		}
		f := fill(p.Provider)
		f.Back = "providers/" + p.Name
		return f, nil
	}
}

// doProvider does something with the provider of the path.
func doProvider(work func(*visit, connection, *input) error) doer {
	return doKept((*visit).provider, func(c connection) string { return "providers/" + c.Name }, work)
}

var connectProvider = &action{
	name: "providers.connect", object: "provider", done: "Its events are taken.",
	form: providerForm(func(p Provider) form {
		f := form{Title: "Connect " + page.Named(page.Words(p.Name)), Button: "Connect",
			Effects: []string{"The server keeps the secret sealed, and never shows it again."},
			Fields: []field{{Name: "secret", Label: "Secret with which it signs its events", Required: true, Type: "password",
				Hint: "It is shown where you add " + p.URL + " as the receiver."}}}
		for _, o := range p.Options {
			one := field{Name: o.Name, Label: o.Label, Value: o.Value}
			if o.Secret {
				one.Type = "password"
			}
			if o.Kept {
				one.Hint = "There is one. Leave this empty to keep it."
			}
			if o.Choices != nil {
				one.Options = []option{{"", "As usual"}}
			}
			for _, c := range o.Choices {
				one.Options = append(one.Options, option{c, page.Words(c)})
			}
			f.Fields = append(f.Fields, one)
		}
		return f
	}),
	do: doProvider(func(v *visit, p connection, in *input) error {
		options := map[string]string{}
		for _, o := range p.Options {
			if value := in.text(o.Name); value != "" {
				options[o.Name] = value
			}
		}
		return p.all.Connect(v.Ctx(), p.Name, in.text("secret"), options, v.actor)
	}),
}

var rehearseProvider = &action{
	name: "providers.rehearse", object: "provider", done: "The event was rehearsed.",
	form: func(v *visit) (form, error) {
		p, err := v.provider()
		if err != nil {
			return form{}, err
		}
		event, err := p.all.Sample(v.Ctx(), p.Name)
		return form{Title: "Rehearse an event of " + page.Named(page.Words(p.Name)), Button: "Rehearse", Back: "providers/" + p.Name,
			Effects: []string{"Nothing is booked. You see what the event would do."},
			Fields: []field{{Name: "event", Label: "Event", Type: "textarea", Required: true, Value: event,
				Hint: "A sample, with a link of the newest affiliate; or paste the body of one that it has sent."}}}, err
	},
	do: doProvider(func(v *visit, p connection, in *input) error {
		r, err := p.all.Rehearse(v.Ctx(), p.Name, in.text("event"))
		if err == nil {
			sale, made := r.Sale.Get()
			v.answered = &view{title: "What it would do", template: "rehearsed", Data: &rehearsal{p.Name, r.Became, made, sale}}
		}
		return err
	}),
}

// A rehearsal is what an event would do, and the sale, if Made.
type rehearsal struct {
	Provider, Became string
	Made             bool
	Sale             affiliate.Sale
}

var disconnectProvider = &action{
	name: "providers.disconnect", object: "provider", done: "Its events are refused from now on.",
	form: providerForm(func(p Provider) form {
		return form{Title: "Disconnect " + page.Named(page.Words(p.Name)), Button: "Disconnect", Danger: true,
			Effects: []string{"Its payments make no sale any more, and its refunds take nothing back. What came stays."}}
	}),
	do: doProvider(func(v *visit, p connection, _ *input) error { return p.all.Disconnect(v.Ctx(), p.Name) }),
}
