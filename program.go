package tributary

import (
	"context"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/imports"
)

// Keyed returns the same program, and every write of it is repeatable with o. A
// Once in the input of a create is used instead of o. A key is for one call: a
// repeat of that call gets its first answer, and any other write with the key
// is refused as [affiliate.IdempotencyKeyReused].
//
//	p.Keyed(affiliate.Once{Key: "cancel-1042"}).DeleteSale(ctx, id)
//
// Reads ignore the key, and so do [Webhooks.ClaimDeliveries] and
// [Webhooks.SettleDeliveries], which have a token of their own. A write with
// several transactions ([Program.Run]) stores its receipt with the last one,
// so a repeat after an interruption does the rest.
//
// Source: docs/contract.md 1.8.
func (p *Program) Keyed(o affiliate.Once) *Program {
	return &Program{p.engine.Keyed(o)}
}

// Forfeiting returns a program whose [Program.DeleteAffiliate], [Program.DeleteReferral] and
// [Program.EraseAffiliate] give up what is owed, by the program or by the affiliate: commissions that
// are on hold, maturing or payable, and adjustments. Without it they are refused with
// [affiliate.MoneyOwed], which says the amount. The
// movements have the cause [affiliate.CauseForfeit]. Other methods are as they were.
//
//	p.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: id})
//
// Source: docs/money.md M13a.
func (p *Program) Forfeiting() *Program { return &Program{p.engine.Forfeiting()} }

// Partner returns the view of an affiliate. The affiliate need not exist: each call
// looks.
func (p *Program) Partner(affiliateID uuid.UUID) Partner {
	return Partner{p.engine, affiliateID}
}

// Ping checks whether the store can be used and keeps the program as the Config says: it
// runs one View. A host calls it at its start, after the migration, and in its readiness
// check. On a database it costs one statement, or a few as long as the program has no money.
//
// Errors: those of the store; the error of ctx; an error when the store lacks a
// table of [record.Tx]; an [*affiliate.SettingsError].
//
// Effects: none.
//
// Source: ours, because New opens nothing.
func (p *Program) Ping(ctx context.Context) error {
	return p.in(ctx).Ping(ctx)
}

// With returns the same program on another Store, such as one inside the host's own
// transaction.
func (p *Program) With(store record.Store) *Program {
	return &Program{p.engine.With(store)}
}

// From returns the same program, but records that it creates have the source
// src. The default is [affiliate.SourceAPI].
func (p *Program) From(src affiliate.Source) *Program {
	return &Program{p.engine.From(src)}
}

// By returns the same program, but the events of what it changes have actor as who did it:
// [affiliate.Event.Actor]. The HTTP API says the name of the key, the console who is logged
// in. Of a longer name the first 100 characters are kept. Deleting the person of the
// event leaves it, and Retain prunes it with the event: prefer an id to an email.
func (p *Program) By(actor string) *Program {
	return &Program{p.engine.By(actor)}
}

// Because returns the same program, but the events of what it changes have reason as why it
// was done: [affiliate.Event.Reason]. It is one line; of a longer one the first 500 characters
// are kept. Erasing a person of the event blanks it, and Retain prunes it with the event.
func (p *Program) Because(reason string) *Program {
	return &Program{p.engine.Because(reason)}
}

// Rehearsal returns the same program on [Rehearse] of its store: it sees its own
// writes, and nobody else does: neither Config.Hooks nor OnEvents are called. They are gone when the
// program is dropped.
//
// Source: ours, so that an import can be tried out.
func (p *Program) Rehearsal() *Program {
	return &Program{imports.Rehearsal(p.engine)}
}

// Settings returns the settings of the program, with its own terms that are in force.
//
// Source: docs/contract.md 4.6.
func (p *Program) Settings(ctx context.Context) (affiliate.Settings, error) {
	return p.in(ctx).Settings(ctx)
}

// UpdateSettings changes settings that Config leaves to the store, see Config.StoredSettings. This
// process goes by them at once, another one within five seconds.
//
// Errors: [affiliate.InvalidField]; [affiliate.SettingFixed] for a setting that Config has, and for
// the currency or the zone of a program with money; [affiliate.RetentionTooShort] (receipts, clicks,
// holds).
//
// Effects: the settings; no event.
//
// Source: docs/contract.md 2.15.
func (p *Program) UpdateSettings(ctx context.Context, up affiliate.SettingsUpdate) (affiliate.Settings, error) {
	return p.in(ctx).UpdateSettings(ctx, up)
}
