package console_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

type anyProviders = console.Providers

// A payBook has one payment provider.
type payBook struct {
	anyProviders
	connected string
	books     *console.ProviderBooks
	read      time.Time
	accepted  string
}

func (b *payBook) Read(_ context.Context, name string, since time.Time, by string) error {
	b.read = since
	return nil
}

func (b *payBook) Accept(_ context.Context, name string, id uuid.UUID, why, by string) error {
	b.accepted = name + " " + id.String() + " " + why + " " + by
	return nil
}

func (b *payBook) Providers(context.Context) ([]console.Provider, error) {
	return []console.Provider{{Name: "stripe", Connected: b.connected, Books: b.books}}, nil
}

// undone are the steps of the overview that are not done, with their links, and how many it lists.
func (w *world) undone() (all []string, listed int) {
	w.t.Helper()
	page := w.get("").body
	_, section, _ := strings.Cut(page, `<h2 id="steps">First steps</h2>`)
	section, _, _ = strings.Cut(section, "</section>")
	for _, s := range regexp.MustCompile(`(Done|To do)</span></span> <span>(?:<a href="([^"]*)">)?([^<]*)<`).FindAllStringSubmatch(section, -1) {
		if listed++; s[1] == "To do" {
			all = append(all, strings.TrimSuffix(s[3], "…")+" "+s[2])
		}
	}
	return all, listed
}

// TestFirstSteps: the overview of a young program lists what it needs, and ticks off what is stored;
// the list is gone when all is done, and when the overview is full of sales.
func TestFirstSteps(t *testing.T) {
	var hosts []console.Step
	book := new(payBook)
	change := func(_ *tributary.Config, c *console.Config) {
		c.Steps = func(context.Context, *tributary.Program) ([]console.Step, error) { return hosts, nil }
		c.Providers = func(*tributary.Program) console.Providers { return book }
	}
	w := newWorld(t, change)
	hosts = []console.Step{{Text: "Let mails go out"}, {Text: "Say where links lead to", Path: "settings/edit", Done: true}}
	is := func(name string, want ...string) {
		t.Helper()
		got, listed := w.undone()
		if diff := cmp.Diff(want, got); diff != "" || listed != 6 && len(want) > 0 {
			t.Errorf("%s: %d steps (-want +got):\n%s", name, listed, diff)
		}
	}
	const mails, someone, click = "Let mails go out ", "Add an affiliate, whose page has their link ./affiliates/new", "See a click: follow that link "
	const connect, sale = "Connect your payment provider, or say where changes are told ./providers", "See a sale: somebody buys by a link or a code "
	is("nothing is done", mails, someone, click, connect, sale)
	ada := must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}))
	is("an affiliate", mails, click, connect, sale)
	must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada", DeviceID: "d"}))
	is("a click", mails, connect, sale)
	book.connected = "ada"
	is("a provider", mails, sale)
	book.connected = ""
	is("none any more", mails, connect, sale)
	must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: "https://shop.example/hook", Events: affiliate.EventTypes()}))
	is("an endpoint", mails, sale)
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: ada.ID.String(), Email: "c@example.net", Name: "C", TotalEarned: affiliate.MustAmount("10")}))
	is("a sale", mails)
	hosts[0].Done = true
	is("all is done")
	if _, listed := w.undone(); listed != 0 {
		t.Errorf("it lists %d steps that are done", listed)
	}

	w = newWorld(t)
	if got, listed := w.undone(); len(got) != 4 || listed != 4 || !strings.HasPrefix(got[2], "Say where changes are told ./webhooks/new") {
		t.Errorf("a host without a server is told %q", got)
	}
	hosts[0].Done = false
	w = newWorld(t, change)
	w.fill("")
	if got, listed := w.undone(); listed != 0 {
		t.Errorf("a program that runs is told %q", got)
	}
	reader := newWorld(t, change, func(_ *tributary.Config, c *console.Config) { c.ReadOnly = true })
	if got, _ := reader.undone(); len(got) != 5 || strings.Contains(strings.Join(got, ""), "./") {
		t.Errorf("a reader is led to %q", got)
	}
	w = newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Steps = func(context.Context, *tributary.Program) ([]console.Step, error) { return nil, errors.New("down") }
	})
	if page := w.get(""); page.status != 500 {
		t.Errorf("when it cannot be known: %d", page.status)
	}
}
