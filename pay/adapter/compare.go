package adapter

import (
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
	c := Comparison{Sums: map[affiliate.Currency]Sums{}}
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
		if err := s.credit(ctx, h, &a, true); err != nil {
			return err
		}
		return book.add(ctx, a)
	})
	if err != nil {
		return c, err
	}
	known := map[uuid.UUID]bool{} // ours
	q := affiliate.ProviderPaymentQuery{Provider: s.Provider}
	for is, err := range affiliate.All(ctx, book.Payments().ProviderPayments, q) {
		if err == nil {
			err = c.compare(ctx, p, book, &is, known)
		}
		if err != nil {
			return c, err
		}
	}
	q.From = from
	for ours, err := range affiliate.All(ctx, p.Payments().ProviderPayments, q) {
		if err != nil {
			return c, err
		}
		if gross := ours.Gross.Or(affiliate.Amount{}); gross.Sign() > 0 && !known[ours.ID] { // else a trial, or a free order
			err = c.note(Difference{Kind: DifferentUnknown, Keys: ours.Keys, At: ours.ToldAt, PaymentID: affiliate.Set(ours.ID), Currency: ours.Currency,
				Sums: Sums{OurPaid: gross, OurLost: ours.Lost}, SaleID: saleOf(&ours), Waits: ours.Waits}, true)
			if err != nil {
				return c, err
			}
		}
	}
	slices.SortStableFunc(c.Differences, func(a, b Difference) int { return a.At.Time().Compare(b.At.Time()) })
	return c, nil
}

// compare compares a payment of the provider with ours.
func (c *Comparison) compare(ctx context.Context, p *tributary.Program, b *book, is *affiliate.ProviderPayment, known map[uuid.UUID]bool) error {
	gross, paid := is.Gross.Get()
	var ours affiliate.ProviderPayment
	for _, key := range is.Keys {
		found, err := p.Payments().ProviderPayment(ctx, is.Provider, key)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return err
		}
		if err == nil {
			ours, known[found.ID] = found, true
		}
	}
	if !paid {
		return nil
	}
	_, sold := ours.SaleID.Get()
	if marked, foreign := b.marks(is.Keys); !marked && !sold && ours.Waits == "" {
		payer, err := p.Payments().Payer(ctx, is.Provider, b.payers[is.PayerID])
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
	d := Difference{Keys: is.Keys, At: is.ToldAt, Currency: is.Currency, PaymentID: affiliate.Null[uuid.UUID](), SaleID: saleOf(&ours), Waits: ours.Waits,
		Sums: Sums{TheirPaid: gross, TheirLost: is.Lost, OurPaid: ours.Gross.Or(affiliate.Amount{}), OurLost: ours.Lost}}
	if ours.ID != uuid.Nil {
		d.PaymentID = affiliate.Set(ours.ID)
	}
	switch _, told := ours.Gross.Get(); {
	case !told:
		d.Kind = DifferentMissing
	case ours.Currency != is.Currency:
		d.Kind = DifferentCurrency
	case d.Sums.OurPaid != gross:
		d.Kind = DifferentPaid
	case ours.Lost != is.Lost:
		d.Kind = DifferentLost
	case ours.Waits != "":
		d.Kind = DifferentWaits
	}
	c.Payments++
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
	payers  map[string]affiliate.PayerFact // by their ids, as they were told last
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
	b.payers[f.Payer.ID] = f.Payer
	paid, says := f.Sale.Get()
	mine := a.Carried.Program == uuid.Nil || a.Carried.Program == b.of
	for _, key := range f.Keys {
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

// marks reports whether a payment with some ids names somebody of the program, or of another one.
func (b *book) marks(keys []string) (marked, foreign bool) {
	for _, key := range keys {
		marked, foreign = marked || b.marked[key], foreign || b.foreign[key]
	}
	return marked, foreign && !marked
}
