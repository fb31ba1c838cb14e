package console

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// ProviderBooks are the payments of a provider, read from its API, beside those of the program.
type ProviderBooks struct {
	Reading string    // what is read at the moment, for people; empty: nothing
	Failed  string    // why the last reading failed; empty: it did not
	At      time.Time // of the last comparison; zero: there was none
	Since   time.Time // of its oldest payments

	Payments int // of customers whom somebody brought
	Others   int
	Sums     []ProviderSums // by currency

	Differences []ProviderDifference // the oldest first
	More        int                  // that are not listed
	CSV         func(io.Writer) error
}

// ProviderSums are what was paid, and what of it went back, at the provider and here.
type ProviderSums struct {
	Currency                               affiliate.Currency
	TheirPaid, TheirLost, OurPaid, OurLost affiliate.Amount
}

// A ProviderDifference is a payment about which a provider and the program do not agree.
type ProviderDifference struct {
	ID   uuid.UUID
	Kind string // missing, unknown, currency, paid, lost, waits: docs/reconcile.md
	At   time.Time
	Keys []string // ids at the provider
	ProviderSums
	PaymentID uuid.UUID // ours; zero: the program does not have it
	SaleID    affiliate.Opt[affiliate.SaleID]
	Waits     affiliate.SaleOutcome

	AcceptedBy, Why string // who said that it is right as it is, and why; empty: nobody
	AcceptedAt      time.Time
}

// Open reports whether it waits for somebody.
func (d *ProviderDifference) Open() bool { return d.AcceptedBy == "" }

// Is says what the two do not agree about, for people.
func (d *ProviderDifference) Is() string {
	switch d.Kind {
	case "missing":
		return "only the provider has it"
	case "unknown":
		return "only the program has it"
	case "currency":
		return "it is counted in another currency"
	case "paid":
		return "another amount"
	case "lost":
		return "another part of it went back"
	}
	return whyNoSale(affiliate.ConflictPayment{Outcome: d.Waits})
}

// waitingBook is the time after which a difference waits for somebody: until then the provider may still tell it.
const waitingBook = 24 * time.Hour

// differing returns what the books of providers do not agree about with the program, and did not a day ago.
func (v *visit) differing() (w affiliate.Waiting[waitingItem], err error) {
	if v.cfg.Providers == nil {
		return w, nil
	}
	all, err := v.cfg.Providers(v.program).Providers(v.Ctx())
	for _, p := range all {
		if p.Books == nil {
			continue
		}
		to := "providers/" + p.Name + "/books"
		if p.Books.Failed != "" {
			w.Items = append(w.Items, waitingItem{to, page.Named(page.Words(p.Name)) + " cannot be read: " + v.Short(p.Books.Failed)})
		}
		if p.Books.More > 0 {
			w.Items = append(w.Items, waitingItem{to, fmt.Sprintf("%s: %d payments differ that are not listed", page.Named(page.Words(p.Name)), p.Books.More)})
		}
		for _, d := range p.Books.Differences {
			if d.Open() && d.At.Before(v.program.Config().Now().Add(-waitingBook)) {
				w.Items = append(w.Items, waitingItem{to, fmt.Sprintf("%s %s of %s: %s", page.Named(page.Words(p.Name)), v.Short(strings.Join(d.Keys, " ")), v.Day(affiliate.TimeOf(d.At)), d.Is())})
			}
		}
	}
	w.Count = len(w.Items)
	w.Items = w.Items[:min(len(w.Items), shownCases)]
	return w, err
}

// providerBooks are the books of the provider of the path, which has an API that is read.
func (v *visit) providerBooks() (c connection, err error) {
	if c, err = v.provider(); err == nil && c.Books == nil {
		err = affiliate.ErrNotFound
	}
	return c, err
}

func providerBooksPage(v *visit) (view, error) {
	p, err := v.providerBooks()
	return view{title: "Books of " + page.Named(page.Words(p.Name)), template: "provider_books", Data: p.Provider}, err
}

// providerBooksFile answers the differences as a file.
func providerBooksFile(v *visit) error {
	p, err := v.providerBooks()
	if err != nil {
		return err
	}
	return v.download(p.Name+"-differences.csv", page.Marked(p.Books.CSV))
}

func toBooks(c connection) string { return "providers/" + c.Name + "/books" }

var readProvider = &action{
	name: "providers.read", object: "provider", done: "It is being read. Look again in a while.",
	form: func(v *visit) (form, error) {
		p, err := v.providerBooks()
		return form{Title: "Read " + page.Named(page.Words(p.Name)) + " again", Button: "Read", Back: toBooks(p),
			Effects: []string{"Payments and refunds that were never told are booked, as if they were told now. What is known stays as it is.",
				"Then both books are compared from that day on."},
			Fields: []field{{Name: "since", Label: "From", Type: "date", Required: true, Own: true,
				Value: v.dateOf(affiliate.TimeOf(v.program.Config().Now().AddDate(0, -1, 0)))}}}, err
	},
	do: doKept((*visit).providerBooks, toBooks, func(v *visit, p connection, in *input) error {
		since, err := affiliate.ParseDate(in.text("since"))
		if err != nil {
			return wrongField("since", "It is no day, such as 2026-10-01.")
		}
		from := since.FirstInstant(v.program.Config().Location)
		if from.After(v.program.Config().Now()) {
			return wrongField("since", "It has not come yet.")
		}
		return p.all.Read(v.Ctx(), p.Name, from, v.actor)
	}),
}

var acceptDifference = &action{
	name: "providers.accept", object: "provider", done: "It is right as it is.",
	form: func(v *visit) (form, error) {
		p, err := v.providerBooks()
		if err != nil {
			return form{}, err
		}
		id, err := v.id(1)
		i := slices.IndexFunc(p.Books.Differences, func(d ProviderDifference) bool { return d.ID == id && d.Open() })
		if err != nil || i < 0 {
			return form{}, affiliate.ErrNotFound
		}
		d := &p.Books.Differences[i]
		return form{Title: "Is this right as it is?", Button: "Accept", Back: toBooks(p),
			Effects: []string{fmt.Sprintf("%s of %s: %s. The provider has %s, of which %s went back; the program has %s, of which %s went back.",
				v.Short(strings.Join(d.Keys, " ")), v.Day(affiliate.TimeOf(d.At)), d.Is(), v.MoneyIn(d.TheirPaid, d.Currency), v.MoneyIn(d.TheirLost, d.Currency),
				v.MoneyIn(d.OurPaid, d.Currency), v.MoneyIn(d.OurLost, d.Currency)),
				"Nothing is booked. It waits for nobody any more, unless one of these amounts changes."},
			Fields: []field{{Name: "why", Label: "Why", Required: true}}}, nil
	},
	do: doKept((*visit).providerBooks, toBooks, func(v *visit, p connection, in *input) error {
		id, err := v.id(1)
		why := in.reason("why")
		if why == "" {
			in.wrong("why", "Say why it is right as it is.")
		}
		if err = cmp.Or(err, in.err); err != nil {
			return err
		}
		return p.all.Accept(v.Ctx(), p.Name, id, why, v.actor)
	}),
}
