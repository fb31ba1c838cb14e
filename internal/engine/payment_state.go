package engine

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The state of a payment according to its facts. Nothing here depends on their order,
// except for the refund window: what comes after it does not count.

// refundRanks and disputeRanks list the states from the lowest to the highest.
var (
	RefundRanks  = []affiliate.RefundState{affiliate.RefundPending, affiliate.RefundSucceeded, affiliate.RefundFailed}
	DisputeRanks = []affiliate.DisputeState{affiliate.DisputeInquiry, affiliate.DisputeWithdrawn, affiliate.DisputeReleased, affiliate.DisputeLost, affiliate.DisputeWon}
)

// away reports whether the money of a dispute is gone.
func away(s affiliate.DisputeState) bool {
	return s == affiliate.DisputeWithdrawn || s == affiliate.DisputeLost
}

// A Shift is the id of the first fact that changed something; empty: none did.
type Shift string

// note records the first change.
func (s *Shift) note(id string) { *s = cmp.Or(*s, Shift(id)) }

// AddRefund adds a refund. Its state is the highest that was reported. A refund that
// succeeds after the window does not count.
func AddRefund(r *record.Payment, f affiliate.PaymentRefund, late bool, s *Shift) error {
	i := slices.IndexFunc(r.Refunds, func(known affiliate.PaymentRefund) bool { return known.ID == f.ID })
	if i < 0 {
		r.Refunds = append(r.Refunds, affiliate.PaymentRefund{ID: f.ID, Amount: f.Amount})
		i = len(r.Refunds) - 1
	}
	known := &r.Refunds[i]
	if known.Amount != f.Amount || named(known) && named(&f) && (known.Tax != f.Tax || known.Shipping != f.Shipping) {
		return refusal.FactAmountChanged.Of(f.ID)
	}
	if named(&f) && !named(known) {
		known.Tax, known.Shipping = f.Tax, f.Shipping
		if known.State == affiliate.RefundSucceeded {
			s.note(f.ID)
		}
	}
	if slices.Index(RefundRanks, f.State) <= slices.Index(RefundRanks, known.State) {
		return nil
	}
	known.State = f.State
	known.Late = f.Late || late && f.State == affiliate.RefundSucceeded
	s.note(f.ID)
	return nil
}

// AddDispute adds a dispute. Its state is the one with the latest time; at the same time,
// the one of the highest rank.
func AddDispute(r *record.Payment, f affiliate.PaymentDispute, late bool, s *Shift) error {
	i := slices.IndexFunc(r.Disputes, func(known affiliate.PaymentDispute) bool { return known.ID == f.ID })
	if i < 0 {
		r.Disputes = append(r.Disputes, affiliate.PaymentDispute{ID: f.ID, Amount: f.Amount})
		i = len(r.Disputes) - 1
	}
	known := &r.Disputes[i]
	known.Warning = known.Warning || f.Warning
	if known.Amount != f.Amount {
		return refusal.FactAmountChanged.Of(f.ID)
	}
	if known.State != "" && cmp.Or(f.At.Compare(known.At), slices.Index(DisputeRanks, f.State)-slices.Index(DisputeRanks, known.State)) <= 0 {
		return nil
	}
	was := known.State
	known.At, known.State = f.At, f.State
	switch {
	case was == f.State:
	case !away(f.State):
		known.Late = false
	case !away(was):
		known.Late = f.Late || late
	}
	if was != f.State {
		s.note(f.ID)
	}
	return nil
}

// AddRefunded adds a sum of refunds; the highest counts.
func AddRefunded(r *record.Payment, sum affiliate.Opt[affiliate.Amount], late bool, s *Shift) {
	v, ok := sum.Get()
	if !ok {
		return
	}
	to, none := &r.Refunded, affiliate.Amount{}
	if late {
		to = &r.Late
	}
	if v.Cmp(Greater(r.Refunded.Or(none), to.Or(none))) <= 0 {
		return
	}
	*to = affiliate.Set(v)
	s.note("refunded")
}

// PaymentCounts reports whether amounts of the payment are known.
func PaymentCounts(r *record.Payment) bool {
	return !r.Gross.IsZero() || !r.Refunded.IsZero() || !r.Late.IsZero() || len(r.Refunds)+len(r.Disputes) > 0
}

// DropForeign forgets a payment in another currency when the same payment is reported in
// the program's, unless it has a sale, or refunds and disputes are counted in the other one.
func DropForeign(r *record.Payment) {
	if (r.Foreign() || r.InAnother()) && len(r.Refunds)+len(r.Disputes) == 0 && r.Refunded.IsZero() && r.Late.IsZero() {
		r.Gross, r.Worth, r.Counted, r.Left, r.Rate = affiliate.Opt[affiliate.Amount]{}, affiliate.Opt[affiliate.Amount]{}, "", "", affiliate.ExchangeRate{}
		if r.InAnother() {
			r.Waiting = nil
		}
	}
}

// MergePayments adds all facts of another record of the same payment. Amounts in two currencies
// are refused.
func MergePayments(r *record.Payment, other *record.Payment, late bool, s *Shift) error {
	if r.Counted != other.Counted {
		same := *other
		DropForeign(&same)
		other = &same
		DropForeign(r)
	}
	switch {
	case !PaymentCounts(r):
		r.Counted, r.Worth, r.Rate = other.Counted, other.Worth, other.Rate
	case PaymentCounts(other) && r.Counted != other.Counted:
		return refusal.FieldOtherCurrency.Of("currency")
	}
	for _, f := range other.Refunds {
		if err := AddRefund(r, f, late, s); err != nil {
			return err
		}
	}
	for _, f := range other.Disputes {
		if err := AddDispute(r, f, late, s); err != nil {
			return err
		}
	}
	if !other.Stands.IsZero() {
		AddStanding(r, false, other.Stands)
	}
	if !other.Revoked.IsZero() {
		AddStanding(r, true, other.Revoked)
	}
	if raised, told := other.Raised.Get(); told {
		AddRaised(r, raised)
	}
	AddRefunded(r, other.Refunded, late, s)
	AddRefunded(r, other.Late, true, s)
	if r.Rate.IsZero() {
		r.Rate = other.Rate
	}
	r.PayerID = cmp.Or(r.PayerID, other.PayerID)
	if r.Sale == uuid.Nil && (len(r.Waiting) == 0 || r.Untold() && (len(other.Waiting) > 0 || !other.Gross.IsZero())) {
		if r.Waiting = other.Waiting; r.Untold() && !r.Gross.IsZero() {
			r.Waiting = nil // how much is known
		}
		if !other.Gross.IsZero() {
			r.Gross, r.ToldAt = other.Gross, other.ToldAt
		}
	}
	return nil
}

// LostOf returns how much of Gross is lost: the refunds, as their own sum or as the
// provider's, whichever is more, and what disputes hold.
func LostOf(r *record.Payment) (affiliate.Amount, error) {
	var refunds, failed, disputes affiliate.Amount
	var err error
	for _, f := range r.Refunds {
		switch {
		case err != nil:
		case f.State == affiliate.RefundSucceeded && !f.Late:
			refunds, err = refunds.Add(f.Amount)
		case f.State == affiliate.RefundFailed:
			failed, err = failed.Add(f.Amount)
		}
	}
	real := func(f affiliate.PaymentDispute) bool { return !f.Warning && f.State != affiliate.DisputeInquiry }
	came := slices.ContainsFunc(r.Disputes, real) // then nothing that warned of it counts
	for _, f := range r.Disputes {
		if err == nil && away(f.State) && !f.Late && !(f.Warning && came) {
			disputes, err = disputes.Add(f.Amount)
		}
	}
	if err != nil {
		return affiliate.Amount{}, err
	}
	sum, err := r.Refunded.Or(affiliate.Amount{}).Sub(failed)
	if err == nil && sum.Cmp(refunds) > 0 {
		refunds = sum
	}
	if err == nil {
		sum, err = refunds.Add(disputes)
	}
	return lesser(sum, r.Gross.Or(affiliate.Amount{})), err
}

// Knows reports whether a refund of the sale is one of the facts'.
func Knows(r *record.Payment, f *record.Refund) bool {
	return f.Fact ||
		slices.ContainsFunc(r.Refunds, func(known affiliate.PaymentRefund) bool { return known.ID == f.ID }) ||
		slices.ContainsFunc(r.Disputes, func(known affiliate.PaymentDispute) bool { return known.ID == f.ID })
}

// goal returns how much of a sale is refunded by its facts and by the host together, and
// the known parts of that, of the sale as it was charged. The facts take no more than the
// payment brought.
func (p *Program) goal(r *record.Payment, sale *record.Sale) (sum affiliate.Amount, named refundParts, err error) {
	lost, err := LostOf(r)
	if err != nil {
		return sum, named, err
	}
	if named, err = p.namedParts(r, sale); err == nil {
		sum, err = shareOf(sale.TotalEarned, lost, r.Gross.Or(affiliate.Amount{}), p.CurrencyOf(sale))
		sum = p.brought(r, sale, sum)
	}
	for i := range sale.Refunds { // and what the host refunded besides
		f := &sale.Refunds[i]
		if err != nil || Knows(r, f) {
			continue
		}
		if sum, err = sum.Add(f.Amount); err == nil {
			named, err = named.plus(f.Amount, f.Tax, f.Shipping)
		}
	}
	return lesser(sum, sale.TotalEarned), named, err
}

// namedParts adds up those refunds of the facts that named their tax and shipping, as parts
// of the sale. A host that booked a refund itself may know what the provider did not say.
func (p *Program) namedParts(r *record.Payment, sale *record.Sale) (sum refundParts, err error) {
	for _, f := range r.Refunds {
		if f.State != affiliate.RefundSucceeded || f.Late {
			continue
		}
		tax, shipping := f.Tax, f.Shipping
		for i := range sale.Refunds {
			if own := &sale.Refunds[i]; own.ID == f.ID && !own.Fact && own.Amount == f.Amount && !own.Tax.IsZero() {
				tax, shipping = own.Tax, own.Shipping
			}
		}
		if sum, err = sum.plus(f.Amount, tax, shipping); err != nil {
			return sum, err
		}
	}
	for _, part := range []*affiliate.Amount{&sum.Of, &sum.Tax, &sum.Shipping} {
		if err == nil {
			*part, err = shareOf(p.brought(r, sale, sale.TotalEarned), lesser(*part, r.Gross.Or(affiliate.Amount{})), r.Gross.Or(affiliate.Amount{}), p.CurrencyOf(sale))
		}
	}
	return sum, err
}

// brought limits a part of a sale, as it was charged, to what the payment brought: a payment
// that a person gave to a sale may be smaller than the sale.
func (p *Program) brought(r *record.Payment, sale *record.Sale, sum affiliate.Amount) affiliate.Amount {
	if cmp.Or(r.Counted, p.Cfg.Currency) == p.CurrencyOf(sale) {
		return lesser(sum, r.Gross.Or(affiliate.Amount{}))
	}
	return lesser(sum, r.Worth.Or(sum)) // records older than this field lack it
}

// shareOf returns the share of a total that was lost with a payment; when all of the
// payment is lost, it is exactly the total.
func shareOf(total, lost, gross affiliate.Amount, c affiliate.Currency) (affiliate.Amount, error) {
	switch {
	case lost.IsZero():
		return affiliate.Amount{}, nil
	case lost == gross:
		return total, nil
	}
	share, err := total.Portion(lost, gross, c)
	return lesser(share, total), err
}

func lesser(a, b affiliate.Amount) affiliate.Amount {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func Greater(a, b affiliate.Amount) affiliate.Amount {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
