package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/examples/quickstart/orders"
	"github.com/tributary-go/tributary/examples/serve"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// A tenant is a program, the key that opens it, and the sender of its webhooks.
type tenant struct {
	*tributary.Program
	key    string        // opens all of the program; empty: only the shared keys do
	shared []httpapi.Key // of the file
	sender *webhooks.Sender
}

// keys are all keys of the program.
func (t tenant) keys() []httpapi.Key {
	if t.key == "" {
		return t.shared
	}
	return append([]httpapi.Key{{Secret: t.key, Name: "owner"}}, t.shared...)
}

// checkKeys refuses keys that cannot work.
func checkKeys(set settings) error {
	for i, key := range set.keys {
		switch {
		case key == "":
			return errors.New("a key is empty")
		case slices.Contains(set.keys[:i], key):
			return errors.New("a key is given twice")
		case i > 0 && set.lasts:
			// Else the order of the keys would decide whose data each of them opens.
			return errors.New("a store that lasts has one program: give one key, or a file of keys")
		}
	}
	return nil
}

// tenants makes a program for each key, and one without for the shared keys when
// they are all. The shared keys open the first program. Links lead to page unless
// the settings say otherwise.
func tenants(ctx context.Context, store record.Store, set settings, shared []httpapi.Key, page string, logger *slog.Logger) ([]tenant, error) {
	var all []tenant
	keys := set.keys
	if len(keys) == 0 {
		keys = []string{""}
	}
	for i, key := range keys {
		cfg, err := configOf(i, set, page)
		if err != nil {
			return nil, err
		}
		if set.lasts {
			if err := serve.Secure(&cfg, set.getenv, logger); err != nil {
				return nil, err
			}
		}
		if set.demo && i == 0 {
			if err := fill(ctx, store, cfg, set.now()); err != nil {
				return nil, err
			}
		}
		if cfg, err = cfg.Kept(ctx, store); err != nil { // it serves the program that is there
			return nil, err
		}
		t, err := newTenant(store, cfg, key, set, logger)
		if err == nil {
			err = t.Ping(ctx)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			t.shared = shared
		}
		all = append(all, t)
	}
	return all, nil
}

// ProgramID is the id of the program in a store that lasts. It is the same in every
// store, so that a program can move from one to another.
const ProgramID = "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"

// configOf returns the configuration of the i-th program.
func configOf(i int, set settings, page string) (tributary.Config, error) {
	cfg := tributary.Config{Name: fmt.Sprintf("Program %d", i+1), Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}
	if set.demo && i == 0 {
		cfg = orders.Config()
	}
	cfg.Rand = set.rand
	cfg.Review = []affiliate.ReviewRule{affiliate.SelfReferral(), affiliate.Unnamed()} // held until somebody decides
	cfg.Destinations = []affiliate.Destination{{URL: page}}
	if len(set.destinations) > 0 {
		cfg.Destinations = nil
	}
	for _, url := range set.destinations {
		cfg.Destinations = append(cfg.Destinations, affiliate.Destination{URL: url})
	}
	if set.private {
		cfg.Addresses = serve.PrivateAddresses()
	}
	var err error
	switch {
	case set.lasts:
		cfg.ID, err = uuid.Parse(ProgramID)
	case cfg.ID == uuid.Nil:
		cfg.ID, err = uuid.NewRandomFromReader(set.rand)
	}
	return cfg, err
}

// newTenant makes a program with the clock of the settings.
func newTenant(store record.Store, cfg tributary.Config, key string, set settings, logger *slog.Logger) (tenant, error) {
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Now: set.now, Logger: logger}
	cfg.Logger = logger
	cfg.Now, cfg.OnEvents, cfg.Send = set.now, sender.Wake, sender.Send
	program, err := tributary.New(store, cfg)
	sender.Outbox = program
	return tenant{Program: program, key: key, sender: sender}, err
}

// fill runs the year of orders with its own clock, so that it ends less than a day
// ago. No endpoint exists yet, so nothing is delivered. The store gets all of the year
// or, when the server is ended meanwhile, nothing. A program that has affiliates already
// stays as it is.
func fill(ctx context.Context, store record.Store, cfg tributary.Config, now time.Time) error {
	program, err := tributary.New(store, cfg)
	if err != nil {
		return err
	}
	known, err := program.Affiliates(ctx, affiliate.Page{Limit: 1})
	if err != nil || len(known.Items) > 0 {
		return err
	}
	year := memstore.New()
	shop, err := orders.New(year, cfg)
	if err != nil {
		return err
	}
	shop.Later = max(0, now.Sub(orders.YearEnd).Truncate(24*time.Hour))
	if err := shop.Run(ctx, bytes.NewReader(orders.Year), func(int) {}); err != nil {
		return err
	}
	return store.Update(ctx, cfg.ID, func(tx *record.Tx) error {
		_, err := router.Copy(ctx, year, within{tx}, cfg.ID)
		return err
	})
}

// within is a store inside one transaction of another.
type within struct{ tx *record.Tx }

func (w within) View(_ context.Context, _ uuid.UUID, fn func(tx *record.Tx) error) error {
	return fn(w.tx)
}

func (w within) Update(_ context.Context, _ uuid.UUID, fn func(tx *record.Tx) error) error {
	return fn(w.tx)
}

// byID returns a function that finds a program by its public id.
func byID(all []tenant) func(context.Context, string) (*tributary.Program, error) {
	programs := map[string]*tributary.Program{}
	for _, t := range all {
		programs[t.Config().ID.String()] = t.Program
	}
	return func(_ context.Context, id string) (*tributary.Program, error) {
		if p := programs[id]; p != nil {
			return p, nil
		}
		return nil, affiliate.ErrNotFound
	}
}
