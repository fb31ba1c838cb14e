package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/pay/adapter"
)

const (
	comparedKind = "server-compared"
	mostCompared = 60 << 10 // bytes; the store keeps 64 KiB
)

// A keptComparison is the last one, with what it did not look at again of those before, and what somebody
// accepted of it.
type keptComparison struct {
	At    time.Time `json:"at"`
	Since time.Time `json:"since"`
	adapter.Comparison
	More     int                    `json:"more,omitzero"`     // differences that found no place
	MoreFrom time.Time              `json:"moreFrom,omitzero"` // of the oldest of them
	Accepted map[uuid.UUID]accepted `json:"accepted,omitzero"`
}

// accepted says who found a difference right, and why.
type accepted struct {
	By  string    `json:"by"`
	Why string    `json:"why"`
	At  time.Time `json:"at"`
}

// differenceID names a difference, as long as its amounts, and what it waits for, are the same.
func differenceID(d *adapter.Difference) uuid.UUID {
	s := d.Sums
	return uuid.NewSHA1(uuid.Nil, fmt.Append(nil, d.Kind, d.Currency, s.TheirPaid, " ", s.TheirLost, " ", s.OurPaid, " ", s.OurLost, " ", d.Waits, " ", strings.Join(d.Keys, " ")))
}

// open returns the differences that nobody accepted.
func (k *keptComparison) open() (n int) {
	for i := range k.Differences {
		if _, is := k.Accepted[differenceID(&k.Differences[i])]; !is {
			n++
		}
	}
	return n + k.More
}

// with returns what is kept after a comparison of the payments since a moment: older differences
// stay, unless it looked at them again.
func (k keptComparison) with(found adapter.Comparison, since, now time.Time) keptComparison {
	again := map[string]bool{}
	for _, d := range found.Differences {
		for _, key := range d.Keys {
			again[key] = true
		}
	}
	older := slices.DeleteFunc(slices.Clone(k.Differences), func(d adapter.Difference) bool {
		return !d.At.Time().Before(since) || slices.ContainsFunc(d.Keys, func(key string) bool { return again[key] })
	})
	if !k.MoreFrom.Before(since) {
		k.More, k.MoreFrom = 0, time.Time{}
	}
	k.Comparison, k.At, k.Since = found, now, since
	k.Differences = slices.Concat(older, found.Differences)
	all := map[uuid.UUID]accepted{}
	for i := range k.Differences {
		id := differenceID(&k.Differences[i])
		if by, is := k.Accepted[id]; is {
			all[id] = by
		}
	}
	k.Accepted = all
	return k
}

// fitting returns the value as the store keeps it, without the newest differences, if they have no place.
func (k keptComparison) fitting() (raw json.RawMessage, err error) {
	for raw, err = json.Marshal(k); err == nil && len(raw) > mostCompared && len(k.Differences) > 0; raw, err = json.Marshal(k) {
		rest := len(k.Differences) * 3 / 4
		for i := range k.Differences[rest:] {
			d := &k.Differences[rest+i]
			if _, is := k.Accepted[differenceID(d)]; !is {
				k.More++
			}
			if at := d.At.Time(); k.MoreFrom.IsZero() || at.Before(k.MoreFrom) {
				k.MoreFrom = at
			}
		}
		k.Differences = k.Differences[:rest]
	}
	return raw, err
}

// settled returns the differences before a moment that are none any more: somebody decided, or what was missing was told.
func (c *connection) settled(ctx context.Context, provider string, since time.Time) (gone map[uuid.UUID]bool, err error) {
	raw, err := valueOf[json.RawMessage](ctx, c.comparisons(), c.name)
	var kept keptComparison
	if err == nil && json.Unmarshal(raw, &kept) != nil { // there is none, or it is of another version of the server
		kept = keptComparison{}
	}
	gone = map[uuid.UUID]bool{}
	for _, d := range kept.Differences {
		if err == nil && d.At.Time().Before(since) {
			gone[differenceID(&d)], err = c.settles(ctx, provider, &d)
		}
	}
	return gone, err
}

// settles reports whether the program has by now what a difference says that the provider has.
func (c *connection) settles(ctx context.Context, provider string, d *adapter.Difference) (bool, error) {
	ours := map[uuid.UUID]affiliate.ProviderPayment{}
	for _, key := range d.Keys {
		one, err := c.host.Program.Payments().ProviderPayment(ctx, provider, key)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return false, err
		}
		if paid := one.Gross.Or(affiliate.Amount{}); err == nil && paid.Sign() > 0 && one.Currency == d.Currency {
			ours[one.ID] = one
		}
	}
	if d.Sums.TheirPaid.Sign() == 0 {
		return len(ours) == 0, nil
	}
	for _, one := range ours {
		return len(ours) == 1 && one.Gross.Or(affiliate.Amount{}) == d.Sums.TheirPaid && one.Lost == d.Sums.TheirLost && one.Waits == "", nil
	}
	return false, nil
}

func (c *connection) comparisons() tributary.Values { return c.host.Program.Values(comparedKind) }

// changeComparison changes what is kept of comparisons.
func (c *connection) changeComparison(ctx context.Context, change func(keptComparison) (keptComparison, error)) error {
	return c.comparisons().Change(ctx, c.name, func(raw json.RawMessage) (json.RawMessage, error) {
		var k keptComparison
		if raw != nil {
			if err := json.Unmarshal(raw, &k); err != nil { // of another version of the server
				c.host.Logger.LogAttrs(ctx, slog.LevelWarn, "a comparison that was kept is unreadable, and begins anew", slog.String("provider", c.name), slog.Any("error", err))
				k = keptComparison{}
			}
		}
		k, err := change(k)
		if err != nil {
			return nil, err
		}
		return k.fitting()
	})
}

// compare compares the books since a moment, and keeps what it finds. open is the number of all differences that
// wait for somebody.
func (c *connection) compare(ctx context.Context, src adapter.Source, since time.Time) (found adapter.Comparison, open int, err error) {
	if found, err = src.Compare(ctx, c.host.Program, since); err != nil {
		return found, 0, err
	}
	gone, err := c.settled(ctx, src.Provider, since)
	if err != nil {
		return found, 0, err
	}
	err = c.changeComparison(ctx, func(k keptComparison) (keptComparison, error) {
		k.Differences = slices.DeleteFunc(slices.Clone(k.Differences), func(d adapter.Difference) bool { return gone[differenceID(&d)] })
		k = k.with(found, since, c.host.Program.Config().Now())
		open = k.open()
		return k, nil
	})
	return found, open, err
}

// books returns the comparisons that are kept, by the names of providers.
func (cs connections) books(ctx context.Context) (map[string]keptComparison, error) {
	all := map[string]keptComparison{}
	for v, err := range cs.all[0].comparisons().All(ctx) {
		if err != nil {
			return nil, err
		}
		var k keptComparison
		if json.Unmarshal(v.Value, &k) == nil { // else it begins anew
			all[v.Name] = k
		}
	}
	return all, nil
}

// shownBooks are those of a provider, for its page.
func (c *connection) shownBooks(k keptComparison) *console.ProviderBooks {
	c.mu.Lock()
	b := &console.ProviderBooks{Reading: c.reading, Failed: c.failed}
	c.mu.Unlock()
	b.At, b.Since, b.Payments, b.Others, b.More, b.CSV = k.At, k.Since, k.Payments, k.Nobodys+k.Foreign, k.More, k.WriteCSV
	for _, in := range slices.Sorted(maps.Keys(k.Sums)) {
		b.Sums = append(b.Sums, shownSums(in, k.Sums[in]))
	}
	for i := range k.Differences {
		d := &k.Differences[i]
		id := differenceID(d)
		by := k.Accepted[id]
		b.Differences = append(b.Differences, console.ProviderDifference{ID: id, Kind: string(d.Kind), At: d.At.Time(), Keys: d.Keys,
			ProviderSums: shownSums(d.Currency, d.Sums), PaymentID: d.PaymentID.Or(uuid.Nil), SaleID: d.SaleID, Waits: d.Waits,
			AcceptedBy: by.By, Why: by.Why, AcceptedAt: by.At})
	}
	return b
}

func shownSums(in affiliate.Currency, s adapter.Sums) console.ProviderSums {
	return console.ProviderSums{Currency: in, TheirPaid: s.TheirPaid, TheirLost: s.TheirLost, OurPaid: s.OurPaid, OurLost: s.OurLost}
}

// Read has the API of a provider read again.
func (cs connections) Read(_ context.Context, name string, since time.Time, by string) error {
	c, err := cs.named(name)
	if err != nil {
		return err
	}
	if !c.ask(since) {
		return refusedField("since", "Somebody has asked for it, and it will begin.")
	}
	c.host.Logger.Info("read a provider again", "provider", name, "since", since.Format(time.RFC3339), "by", by)
	return nil
}

// Accept keeps who found a difference right.
func (cs connections) Accept(ctx context.Context, name string, difference uuid.UUID, why, by string) error {
	c, err := cs.named(name)
	if err != nil {
		return err
	}
	return c.changeComparison(ctx, func(k keptComparison) (keptComparison, error) {
		if !slices.ContainsFunc(k.Differences, func(d adapter.Difference) bool { return differenceID(&d) == difference }) {
			return k, affiliate.ErrNotFound
		}
		if k.Accepted == nil {
			k.Accepted = map[uuid.UUID]accepted{}
		}
		k.Accepted[difference] = accepted{By: cmp.Or(by, "somebody"), Why: why, At: c.host.Program.Config().Now()}
		return k, nil
	})
}
