package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/sheet"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
)

// A Comparison says in what the payments that a provider has since a moment differ from those of a
// program.
type Comparison struct {
	Payments   int `json:"payments"`   // of customers whom somebody brought, or with a mark of this program
	Nobodys    int `json:"nobodys"`    // of others: they are not the program's business
	Foreign    int `json:"foreign"`    // with a mark of another program
	Unreadable int `json:"unreadable"` // events, which Map refused

	// Sums of Payments and of what only the program has, by currency. What they differ by is the sum
	// of Differences.
	Sums map[affiliate.Currency]Sums `json:"sums"`

	Differences []Difference `json:"differences"` // the oldest first
}

// Sums are what was paid, and what of it went back by refunds and disputes, at the provider and here.
type Sums struct {
	TheirPaid affiliate.Amount `json:"theirPaid"`
	TheirLost affiliate.Amount `json:"theirLost"`
	OurPaid   affiliate.Amount `json:"ourPaid"`
	OurLost   affiliate.Amount `json:"ourLost"`
}

// A Difference is a payment about which the two do not agree.
type Difference struct {
	Kind      DifferenceKind                  `json:"kind"`
	Keys      []string                        `json:"keys"` // ids at the provider
	At        affiliate.Time                  `json:"at"`   // when it was paid, or told, by the provider's clock
	Currency  affiliate.Currency              `json:"currency"`
	Sums      Sums                            `json:"sums"`
	PaymentID affiliate.Opt[uuid.UUID]        `json:"paymentId"` // ours; null: the program does not have it
	SaleID    affiliate.Opt[affiliate.SaleID] `json:"saleId"`    // ours; null: none
	Waits     affiliate.SaleOutcome           `json:"waits"`     // why it has no sale, or one that may be wrong; empty: it does not wait
}

var differenceHead = []string{"kind", "at", "currency", "theirPaid", "theirLost", "ourPaid", "ourLost", "saleId", "waits", "keys"}

// WriteCSV writes the differences: a header, and a row for each. Times and amounts are as in JSON, keys
// have a space between them, and every cell is in quotation marks.
//
// Errors: those of w.
//
// Source: docs/reconcile.md.
func (c *Comparison) WriteCSV(w io.Writer) error {
	out := sheet.NewWriter(w)
	_ = out.Write(differenceHead) // Error tells
	for _, d := range c.Differences {
		sale := ""
		if id, ok := d.SaleID.Get(); ok {
			sale = fmt.Sprint(id)
		}
		_ = out.Write([]string{string(d.Kind), d.At.String(), string(d.Currency), d.Sums.TheirPaid.String(), d.Sums.TheirLost.String(),
			d.Sums.OurPaid.String(), d.Sums.OurLost.String(), sale, string(d.Waits), strings.Join(d.Keys, " ")})
	}
	out.Flush()
	return out.Error()
}

// DifferenceKind says what two do not agree about.
type DifferenceKind string

// The differences, the first that holds.
const (
	DifferentMissing  DifferenceKind = "missing"  // the provider has it: it was never told
	DifferentUnknown  DifferenceKind = "unknown"  // the program has it, and the provider does not
	DifferentCurrency DifferenceKind = "currency" // it is counted in another currency
	DifferentPaid     DifferenceKind = "paid"     // another amount
	DifferentLost     DifferenceKind = "lost"     // another part of it went back
	DifferentWaits    DifferenceKind = "waits"    // it is known, and somebody has to decide: see Waits
)

// theirs is the affiliate of the books of a provider, who has all payments.
const theirs = "theirs"

// Compare reads what a provider told since a moment, and compares it with what a program has. It changes
// nothing. What the provider has is added up by the engine itself, in a program in memory: about 5 KiB
// for each payment.
//
// Errors: those of [Source.CatchUp].
//
// Source: docs/reconcile.md.
func (s Source) Compare(ctx context.Context, p *tributary.Program, from time.Time) (Comparison, error) {
	c := Comparison{Sums: map[affiliate.Currency]Sums{}, Differences: []Difference{}}
	if p == nil {
		return c, fmt.Errorf("%w: no program", ErrConfig)
	}
	book, err := newBook(ctx, p)
	if err != nil {
		return c, err
	}
	if err := s.Check(); err != nil {
		return c, err
	}
	h := s.hook(p)
	err = s.each(ctx, from, func(_ []byte, a pay.Action, unread error) error {
		if unread != nil {
			c.Unreadable++
			return nil
		}
		if here, err := h.program(ctx, a.Event.Account); err != nil || here == nil || here.Config().ID != book.of || elsewhere(&a) {
			return err
		}
		if err := s.credit(ctx, h, &a, true); err != nil {
			return err
		}
		return book.add(ctx, a)
	})
	if err != nil {
		return c, err
	}
	known := pairs{p, map[uuid.UUID]bool{}, map[uuid.UUID]bool{}}
	q := affiliate.ProviderPaymentQuery{Provider: s.Provider}
	for is, err := range affiliate.All(ctx, book.Payments().ProviderPayments, q) {
		if err == nil {
			err = c.compare(ctx, book, &is, known)
		}
		if err != nil {
			return c, err
		}
	}
	q.From = from
	var unknown []affiliate.ProviderPayment
	for ours, err := range affiliate.All(ctx, p.Payments().ProviderPayments, q) {
		if err == nil && !known.looked[ours.ID] {
			unknown = append(unknown, ours)
		}
		if err != nil {
			return c, err
		}
	}
	if unknown, err = s.untold(ctx, from, unknown); err != nil {
		return c, err
	}
	for i := range unknown {
		if err := c.unknown(ctx, &unknown[i], known); err != nil {
			return c, err
		}
	}
	slices.SortStableFunc(c.Differences, func(a, b Difference) int { return a.At.Time().Compare(b.At.Time()) })
	return c, nil
}

// edge is how long before it succeeded a payment may have been made, and a list may have it there.
const edge = 24 * time.Hour

// untold returns those of our payments that the provider does not tell. Those of the first day since a moment are looked for
// among what it tells of the day before too.
func (s Source) untold(ctx context.Context, from time.Time, ours []affiliate.ProviderPayment) ([]affiliate.ProviderPayment, error) {
	early := func(is affiliate.ProviderPayment) bool { return is.ToldAt.Time().Before(from.Add(edge)) }
	if !slices.ContainsFunc(ours, early) {
		return ours, nil
	}
	s.Progress = nil // it was called for these
	told := map[string]bool{}
	err := s.each(ctx, from.Add(-edge), func(_ []byte, a pay.Action, _ error) error {
		for _, key := range a.Payment.Keys {
			told[key] = true
		}
		return nil
	})
	return slices.DeleteFunc(ours, func(is affiliate.ProviderPayment) bool {
		return early(is) && slices.ContainsFunc(is.Keys, func(key string) bool { return told[key] })
	}), err
}

// pairs are our payments that the provider has, and those of them that were compared, each with one of the provider's.
type pairs struct {
	*tributary.Program
	looked, compared map[uuid.UUID]bool
}

// of returns our payment that fits one of the provider's best, and the others that have an id of it: two here are one there.
func (p pairs) of(ctx context.Context, is *affiliate.ProviderPayment) (ours affiliate.ProviderPayment, others []affiliate.ProviderPayment, err error) {
	var all []affiliate.ProviderPayment
	seen := map[uuid.UUID]bool{}
	for _, key := range is.Keys {
		found, err := p.Payments().ProviderPayment(ctx, is.Provider, key)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return ours, nil, err
		}
		if err == nil && !seen[found.ID] && !p.compared[found.ID] {
			all = append(all, found)
		}
		if err == nil {
			seen[found.ID], p.looked[found.ID] = true, true
		}
	}
	if _, paid := is.Gross.Get(); !paid || len(all) == 0 {
		return ours, nil, nil
	}
	rank := func(one *affiliate.ProviderPayment) (n int) {
		_, told := one.Gross.Get()
		for i, fits := range []bool{one.Lost == is.Lost, one.Gross == is.Gross, one.Currency == is.Currency, told} {
			if fits {
				n += 1 << i
			}
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b affiliate.ProviderPayment) int { return rank(&b) - rank(&a) })
	for i := range all {
		p.compared[all[i].ID] = true
	}
	return all[0], all[1:], nil
}

// brought reports whether somebody brought the payer of one of our payments, or may have.
func (p pairs) brought(ctx context.Context, ours *affiliate.ProviderPayment) (bool, error) {
	if _, sold := ours.SaleID.Get(); sold || ours.Waits != "" {
		return true, nil
	}
	payer, err := p.Payments().Payer(ctx, ours.Provider, affiliate.PayerFact{ID: ours.PayerID})
	return err == nil && !payer.Referral.IsNull(), err
}

// unknown notes a payment that only the program has, unless it is a trial, or a free order, or of nobody's customer.
func (c *Comparison) unknown(ctx context.Context, ours *affiliate.ProviderPayment, p pairs) error {
	gross := ours.Gross.Or(affiliate.Amount{})
	if gross.Sign() <= 0 {
		return nil
	}
	if is, err := p.brought(ctx, ours); err != nil || !is {
		return err
	}
	return c.note(Difference{Kind: DifferentUnknown, Keys: ours.Keys, At: ours.ToldAt, PaymentID: affiliate.Set(ours.ID), Currency: ours.Currency,
		Sums: Sums{OurPaid: gross, OurLost: ours.Lost}, SaleID: saleOf(ours), Waits: ours.Waits}, true)
}

// compare compares a payment of the provider with ours.
func (c *Comparison) compare(ctx context.Context, b *book, is *affiliate.ProviderPayment, p pairs) error {
	ours, others, err := p.of(ctx, is)
	for i := range others {
		err = cmp.Or(err, c.unknown(ctx, &others[i], p))
	}
	gross, paid := is.Gross.Get()
	if err != nil || !paid {
		return err
	}
	_, sold := ours.SaleID.Get()
	if marked, foreign := b.marks(is.Keys); !marked && !sold && ours.Waits == "" {
		payer, err := p.Payments().Payer(ctx, is.Provider, b.payer(is))
		switch {
		case err != nil:
			return err
		case foreign:
			c.Foreign++
			return nil
		case payer.Referral.IsNull():
			c.Nobodys++
			return nil
		}
	}
	_, told := ours.Gross.Get()
	d := Difference{Keys: is.Keys, At: is.ToldAt, Currency: is.Currency, PaymentID: affiliate.Null[uuid.UUID](), SaleID: saleOf(&ours), Waits: ours.Waits,
		Sums: Sums{TheirPaid: gross, TheirLost: is.Lost, OurPaid: ours.Gross.Or(affiliate.Amount{}), OurLost: ours.Lost}}
	if ours.ID != uuid.Nil {
		d.PaymentID = affiliate.Set(ours.ID)
	}
	c.Payments++
	switch {
	case !told && gross.Sign() > 0:
		d.Kind = DifferentMissing
	case told && ours.Currency != is.Currency: // a difference in each of them
		d.Kind = DifferentCurrency
		here := d
		here.Currency, here.Sums.TheirPaid, here.Sums.TheirLost = ours.Currency, affiliate.Amount{}, affiliate.Amount{}
		d.Sums.OurPaid, d.Sums.OurLost = affiliate.Amount{}, affiliate.Amount{}
		if err := c.note(here, true); err != nil {
			return err
		}
	case told && d.Sums.OurPaid != gross:
		d.Kind = DifferentPaid
	case told && ours.Lost != is.Lost:
		d.Kind = DifferentLost
	case ours.Waits != "":
		d.Kind = DifferentWaits
	}
	return c.note(d, d.Kind != "")
}

// saleOf returns the sale of a payment, or null.
func saleOf(p *affiliate.ProviderPayment) affiliate.Opt[affiliate.SaleID] {
	if id, ok := p.SaleID.Get(); ok {
		return affiliate.Set(id)
	}
	return affiliate.Null[affiliate.SaleID]()
}

// note adds up a payment, and notes it when it differs.
func (c *Comparison) note(d Difference, differs bool) error {
	sums := c.Sums[d.Currency]
	for _, part := range []struct {
		sum *affiliate.Amount
		add affiliate.Amount
	}{{&sums.TheirPaid, d.Sums.TheirPaid}, {&sums.TheirLost, d.Sums.TheirLost}, {&sums.OurPaid, d.Sums.OurPaid}, {&sums.OurLost, d.Sums.OurLost}} {
		var err error
		if *part.sum, err = part.sum.Add(part.add); err != nil {
			return err
		}
	}
	c.Sums[d.Currency] = sums
	if differs {
		c.Differences = append(c.Differences, d)
	}
	return nil
}

// A book is what a provider has: a program in memory, in which one affiliate has everything.
type book struct {
	*tributary.Program
	of      uuid.UUID // the program that is compared
	marked  map[string]bool
	foreign map[string]bool
	payers  map[string]affiliate.PayerFact // by their ids, and by those of their payments
}

func newBook(ctx context.Context, p *tributary.Program) (*book, error) {
	is := p.Config()
	shadow, err := tributary.New(memstore.New(), tributary.Config{Currency: is.Currency, Location: is.Location,
		Now: is.Now, RefundWindow: is.RefundWindow, Rate: is.Rate, CommissionOnTax: true, CommissionOnShipping: true})
	if err != nil {
		return nil, err
	}
	_, err = shadow.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: theirs, LastName: theirs, Email: "theirs@example.com", AffiliateLink: theirs})
	return &book{Program: shadow, of: is.ID, marked: map[string]bool{}, foreign: map[string]bool{}, payers: map[string]affiliate.PayerFact{}}, err
}

// add adds what an event tells.
func (b *book) add(ctx context.Context, a pay.Action) error {
	f := &a.Payment
	if len(f.Keys) == 0 {
		return nil
	}
	b.knows("payer "+f.Payer.ID, f.Payer)
	paid, says := f.Sale.Get()
	mine := a.Carried.Program == uuid.Nil || a.Carried.Program == b.of
	for _, key := range f.Keys {
		b.knows("payment "+key, f.Payer)
		b.marked[key] = b.marked[key] || mine && a.Carried.Marks() && a.Carried.Program == b.of || len(paid.Tries) > 0
		b.foreign[key] = b.foreign[key] || !mine
	}
	if says && a.Kind == pay.KindSale {
		paid.Tries = []affiliate.Credit{{ReferralID: theirs}}
		paid.HoldID, paid.Offer, paid.ReferredUserExternalID, paid.Lines = "", false, "", nil
		f.Sale = affiliate.Set(paid)
	}
	a.Carried, a.Wait, a.Tries = pay.Carried{}, false, nil
	result, err := pay.Apply(ctx, b.Program, a)
	if err == nil && result.Refusal != nil && result.Refusal.Kind == affiliate.KindInternal {
		err = result.Refusal
	}
	return err
}

// knows keeps what was told of a payer: a refund does not have all of it.
func (b *book) knows(as string, payer affiliate.PayerFact) {
	b.payers[as] = merged(payer, b.payers[as])
}

// merged returns what is known of a payer, and what only others say.
func merged(is, others affiliate.PayerFact) affiliate.PayerFact {
	return affiliate.PayerFact{ID: cmp.Or(is.ID, others.ID), Email: cmp.Or(is.Email, others.Email),
		Name: cmp.Or(is.Name, others.Name), CustomerID: cmp.Or(is.CustomerID, others.CustomerID)}
}

// payer returns what is known of who paid. A guest has no id.
func (b *book) payer(is *affiliate.ProviderPayment) (payer affiliate.PayerFact) {
	for _, key := range is.Keys {
		payer = merged(payer, b.payers["payment "+key])
	}
	if payer.ID = cmp.Or(is.PayerID, payer.ID); payer.ID != "" {
		payer.Email = cmp.Or(payer.Email, b.payers["payer "+payer.ID].Email)
	}
	return payer
}

// marks reports whether a payment with some ids names somebody of the program, or of another one.
func (b *book) marks(keys []string) (marked, foreign bool) {
	for _, key := range keys {
		marked, foreign = marked || b.marked[key], foreign || b.foreign[key]
	}
	return marked, foreign && !marked
}
