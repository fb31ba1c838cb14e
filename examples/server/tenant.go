package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/examples/internal/orders"
	"github.com/tributary-go/tributary/examples/serve"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/webhooks"
)

// A tenant is a program, the key that opens it, and the sender of its webhooks.
type tenant struct {
	*affiliate.Program
	key    string
	sender *webhooks.Sender
}

// tenants makes a program for each key. Links lead to page unless the settings
// say otherwise.
func tenants(ctx context.Context, set settings, page string, logger *slog.Logger) ([]tenant, error) {
	store := memstore.New()
	var all []tenant
	for i, key := range set.keys {
		if slices.Contains(set.keys[:i], key) {
			return nil, errors.New("a key is given twice")
		}
		cfg, err := configOf(i, set, page)
		if err != nil {
			return nil, err
		}
		if set.demo && i == 0 {
			if err := fill(ctx, store, cfg); err != nil {
				return nil, err
			}
		}
		t, err := newTenant(store, cfg, key, set, logger)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// configOf returns the configuration of the i-th program.
func configOf(i int, set settings, page string) (affiliate.Config, error) {
	cfg := affiliate.Config{Name: fmt.Sprintf("Program %d", i+1), Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}}
	if set.demo && i == 0 {
		cfg = orders.Config()
	}
	cfg.Rand = set.rand
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
	if cfg.ID == uuid.Nil {
		cfg.ID, err = uuid.NewRandomFromReader(set.rand)
	}
	return cfg, err
}

// newTenant makes a program with the clock of the settings.
func newTenant(store affiliate.Store, cfg affiliate.Config, key string, set settings, logger *slog.Logger) (tenant, error) {
	sender := &webhooks.Sender{Addresses: cfg.Addresses, Now: set.now, Logger: logger}
	cfg.Logger = logger
	cfg.Now, cfg.OnEvents, cfg.Send = set.now, sender.Wake, sender.Send
	program, err := affiliate.New(store, cfg)
	sender.Outbox = program
	return tenant{program, key, sender}, err
}

// fill runs the year of orders with its own clock. No endpoint exists yet, so
// nothing is delivered.
func fill(ctx context.Context, store affiliate.Store, cfg affiliate.Config) error {
	shop, err := orders.New(store, cfg)
	if err != nil {
		return err
	}
	return shop.Run(ctx, bytes.NewReader(orders.Year), func(int) {})
}

const (
	keyPrefix = "tributary_"
	keyBytes  = 32
	keyDigits = 43 // of a number of so many bytes in base 62
)

// newKey makes a key that nobody can guess: 32 random bytes in base 62. Its
// prefix helps to find a key that leaked into a file or a log.
func newKey(random io.Reader) (string, error) {
	raw := make([]byte, keyBytes)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", err
	}
	digits := new(big.Int).SetBytes(raw).Text(62)
	return keyPrefix + strings.Repeat("0", keyDigits-len(digits)) + digits, nil
}

// byID returns a function that finds a program by its public id.
func byID(all []tenant) func(context.Context, string) (*affiliate.Program, error) {
	programs := map[string]*affiliate.Program{}
	for _, t := range all {
		programs[t.Config().ID.String()] = t.Program
	}
	return func(_ context.Context, id string) (*affiliate.Program, error) {
		if p := programs[id]; p != nil {
			return p, nil
		}
		return nil, affiliate.ErrNotFound
	}
}
