package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// What the store keeps of the Config. A program without money is what its Config says; with
// money, a Config of another currency or zone is refused. Until there is money every
// transaction that writes looks, since another process may open the program otherwise and be the
// first that earns. Source: docs/rules.md 1.4.

// Kept implements tributary.Config.Kept.
func (c Config) Kept(ctx context.Context, store record.Store) (Config, error) {
	var kept record.Settings
	err := store.View(ctx, c.ID, func(tx *record.Tx) (err error) {
		if kept, err = tx.Settings.Get(uuid.Max); errors.Is(err, affiliate.ErrNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return c, refusal.Internal("affiliate: read settings", err)
	}
	if c.Currency = cmp.Or(c.Currency, kept.Currency); c.Location == nil {
		if c.Location, err = time.LoadLocation(kept.TimeZone); err != nil {
			return c, fmt.Errorf("affiliate: the zone of the program: %w", err)
		}
	}
	return c, nil
}

// agree refuses a Config that says something else than the store keeps. It returns what is
// to be written in the place of what is kept, zero for nothing, and whether this is final.
func (p *Program) agree(tx *record.Tx) (change record.Settings, final bool, err error) {
	kept, err := tx.Settings.Get(uuid.Max)
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return change, false, refusal.Internal("read settings", err)
	}
	if final, err = holdsMoney(tx); err != nil {
		return change, false, refusal.Internal("look for money", err)
	}
	is := kept
	is.ID, is.Name, is.Currency, is.TimeZone = uuid.Max, p.Cfg.Name, p.Cfg.Currency, p.Cfg.Location.String()
	switch {
	case is == kept:
		return change, final, nil
	case final && kept.ID == uuid.Nil:
		return is, final, checkAdopted(tx, is.Currency)
	case final && is.Currency != kept.Currency:
		return change, false, &affiliate.SettingsError{Setting: "currency", Kept: string(kept.Currency), Given: string(is.Currency)}
	case final && is.TimeZone != kept.TimeZone:
		return change, false, &affiliate.SettingsError{Setting: "zone", Kept: kept.TimeZone, Given: is.TimeZone}
	}
	return is, final, nil
}

// checkAdopted refuses a currency in which the store, which keeps none, has sales as charged in
// another one than the program's.
func checkAdopted(tx *record.Tx, c affiliate.Currency) error {
	for sale, err := range tx.Sales.List(record.Query{Desc: true, Limit: 1000}) {
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if len(sale.Charged) > 0 && sale.Charged[0].Currency == c {
			return &affiliate.SettingsError{Setting: "currency", Kept: "another currency", Given: string(c)}
		}
	}
	return nil
}

// keep writes what agree returned.
func (o *Op) keep(tx *record.Tx, is record.Settings) error {
	is.UpdatedAt = Later(o.Now, is.UpdatedAt)
	err := tx.Settings.Replace(is)
	if errors.Is(err, affiliate.ErrNotFound) {
		is.CreatedAt = o.Now
		err = tx.Settings.Insert(is)
	}
	if err != nil {
		return refusal.Internal("write settings", err)
	}
	return nil
}

// holdsMoney reports whether the store has an amount in the currency of the program that
// somebody paid or earned.
func holdsMoney(tx *record.Tx) (bool, error) {
	for _, look := range [...]func() (bool, error){anyOf(tx.Sales), anyOf(tx.Movements), anyOf(tx.Redemptions), anyOf(tx.Payments), anyOf(tx.Payouts)} {
		if found, err := look(); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

func anyOf[T record.AnyRecord](t record.Table[T]) func() (bool, error) {
	return func() (bool, error) {
		for _, err := range t.List(record.Query{Limit: 1, Desc: true}) {
			return err == nil, err
		}
		return false, nil
	}
}

// announceSettings tells the store what agree reads.
func (p *Program) announceSettings(tx *record.Tx) {
	if tx.Soon == nil {
		return
	}
	tx.Soon("settings", record.Key{ID: uuid.Max})
	for _, name := range [...]string{"sales", "movements", "redemptions", "payments", "payouts"} {
		tx.Soon(name, record.Key{})
	}
}
