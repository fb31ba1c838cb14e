package affiliate

import (
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// What the facts of a payment say. Nothing here depends on the order in which
// they came, except for the refund window: what comes after it does not count.

// refundRanks and disputeRanks list the states from the lowest to the highest.
var (
	refundRanks  = []RefundState{RefundPending, RefundSucceeded, RefundFailed}
	disputeRanks = []DisputeState{DisputeInquiry, DisputeWithdrawn, DisputeReleased, DisputeLost, DisputeWon}
)

// away reports whether the money of a dispute is gone.
func (s DisputeState) away() bool { return s == DisputeWithdrawn || s == DisputeLost }

// A shift is the id of the first fact that changed something; empty: none did.
type shift string

// note remembers the first change.
func (s *shift) note(id string) { *s = cmp.Or(*s, shift(id)) }

// addRefund adds a refund. Its state is the highest of those that were reported.
// One that succeeds when it is late does not count.
func (r *PaymentRecord) addRefund(f PaymentRefund, late bool, s *shift) error {
	i := slices.IndexFunc(r.Refunds, func(known PaymentRefund) bool { return known.ID == f.ID })
	if i < 0 {
		r.Refunds = append(r.Refunds, PaymentRefund{ID: f.ID, Amount: f.Amount})
		i = len(r.Refunds) - 1
	}
	known := &r.Refunds[i]
	if known.Amount != f.Amount || known.named() && f.named() && (known.Tax != f.Tax || known.Shipping != f.Shipping) {
		return factAmountChanged.Of(f.ID)
	}
	if f.named() && !known.named() {
		known.Tax, known.Shipping = f.Tax, f.Shipping
		if known.State == RefundSucceeded {
			s.note(f.ID)
		}
	}
	if slices.Index(refundRanks, f.State) <= slices.Index(refundRanks, known.State) {
		return nil
	}
	known.State = f.State
	known.Late = f.Late || late && f.State == RefundSucceeded
	s.note(f.ID)
	return nil
}

// addDispute adds a dispute. Its state is the one of the latest moment, and at
// one moment that of the highest rank.
func (r *PaymentRecord) addDispute(f PaymentDispute, late bool, s *shift) error {
	i := slices.IndexFunc(r.Disputes, func(known PaymentDispute) bool { return known.ID == f.ID })
	if i < 0 {
		r.Disputes = append(r.Disputes, PaymentDispute{ID: f.ID, Amount: f.Amount})
		i = len(r.Disputes) - 1
	}
	known := &r.Disputes[i]
	known.Warning = known.Warning || f.Warning
	if known.Amount != f.Amount {
		return factAmountChanged.Of(f.ID)
	}
	if known.State != "" && cmp.Or(f.At.Compare(known.At), slices.Index(disputeRanks, f.State)-slices.Index(disputeRanks, known.State)) <= 0 {
		return nil
	}
	was := known.State
	known.At, known.State = f.At, f.State
	switch {
	case was == f.State:
	case !f.State.away():
		known.Late = false
	case !was.away():
		known.Late = f.Late || late
	}
	if was != f.State {
		s.note(f.ID)
	}
	return nil
}

// addRefunded adds a sum of refunds; the highest counts.
func (r *PaymentRecord) addRefunded(sum Opt[Amount], late bool, s *shift) {
	v, ok := sum.Get()
	if !ok {
		return
	}
	to, none := &r.Refunded, Amount{}
	if late {
		to = &r.Late
	}
	if v.Cmp(greater(r.Refunded.Or(none), to.Or(none))) <= 0 {
		return
	}
	*to = Set(v)
	s.note("refunded")
}

// counts reports whether amounts of the payment are known.
func (r *PaymentRecord) counts() bool {
	return !r.Gross.IsZero() || !r.Refunded.IsZero() || !r.Late.IsZero() || len(r.Refunds)+len(r.Disputes) > 0
}

// dropForeign forgets what was paid in another currency, when the program's is told of the
// payment, unless refunds and disputes are counted in it.
func (r *PaymentRecord) dropForeign() {
	if r.foreign() && len(r.Refunds)+len(r.Disputes) == 0 && r.Refunded.IsZero() && r.Late.IsZero() {
		r.Gross, r.Counted, r.Left = Opt[Amount]{}, "", ""
	}
}

// merge adds all facts of another record of the same payment. Amounts in two currencies
// are refused.
func (r *PaymentRecord) merge(other *PaymentRecord, late bool, s *shift) error {
	if r.Counted != other.Counted {
		same := *other
		same.dropForeign()
		other = &same
		r.dropForeign()
	}
	switch {
	case !r.counts():
		r.Counted, r.Worth = other.Counted, other.Worth
	case other.counts() && r.Counted != other.Counted:
		return fieldOtherCurrency.Of("currency")
	}
	for _, f := range other.Refunds {
		if err := r.addRefund(f, late, s); err != nil {
			return err
		}
	}
	for _, f := range other.Disputes {
		if err := r.addDispute(f, late, s); err != nil {
			return err
		}
	}
	r.addRefunded(other.Refunded, late, s)
	r.addRefunded(other.Late, true, s)
	r.PayerID = cmp.Or(r.PayerID, other.PayerID)
	if r.Sale == uuid.Nil && len(r.Waiting) == 0 {
		r.Waiting = other.Waiting
		if !other.Gross.IsZero() {
			r.Gross = other.Gross
		}
	}
	return nil
}

// lost is how much of Gross is away: what was refunded, by its refunds or by
// their sum, whichever is more, and what disputes hold.
func (r *PaymentRecord) lost() (Amount, error) {
	var refunds, failed, disputes Amount
	var err error
	for _, f := range r.Refunds {
		switch {
		case err != nil:
		case f.State == RefundSucceeded && !f.Late:
			refunds, err = refunds.Add(f.Amount)
		case f.State == RefundFailed:
			failed, err = failed.Add(f.Amount)
		}
	}
	real := func(f PaymentDispute) bool { return !f.Warning && f.State != DisputeInquiry }
	came := slices.ContainsFunc(r.Disputes, real) // then nothing that warned of it counts
	for _, f := range r.Disputes {
		if err == nil && f.State.away() && !f.Late && !(f.Warning && came) {
			disputes, err = disputes.Add(f.Amount)
		}
	}
	if err != nil {
		return Amount{}, err
	}
	sum, err := r.Refunded.Or(Amount{}).Sub(failed)
	if err == nil && sum.Cmp(refunds) > 0 {
		refunds = sum
	}
	if err == nil {
		sum, err = refunds.Add(disputes)
	}
	return lesser(sum, r.Gross.Or(Amount{})), err
}

// knows reports whether a refund of the sale is one of the facts'.
func (r *PaymentRecord) knows(f *RefundRecord) bool {
	return f.Fact ||
		slices.ContainsFunc(r.Refunds, func(known PaymentRefund) bool { return known.ID == f.ID }) ||
		slices.ContainsFunc(r.Disputes, func(known PaymentDispute) bool { return known.ID == f.ID })
}

// goal is how much of a sale is refunded by its facts and by the host together, and
// what is known of its parts. The facts take no more than the payment brought.
func (r *PaymentRecord) goal(sale *SaleRecord, c Currency) (sum Amount, named refundParts, err error) {
	lost, err := r.lost()
	if err != nil {
		return sum, named, err
	}
	if named, err = r.namedParts(sale, c); err == nil {
		sum, err = shareOf(sale.TotalEarned, lost, r.Gross.Or(Amount{}), c)
		sum = r.brought(sum)
	}
	for i := range sale.Refunds { // and what the host refunded besides
		f := &sale.Refunds[i]
		if err != nil || r.knows(f) {
			continue
		}
		if sum, err = sum.Add(f.Amount); err == nil {
			named, err = named.plus(f.Amount, f.Tax, f.Shipping)
		}
	}
	return lesser(sum, sale.TotalEarned), named, err
}

// namedParts adds up the refunds of the facts that say what is in them, as parts of the
// sale. A host that booked a refund by itself may know what the provider did not say.
func (r *PaymentRecord) namedParts(sale *SaleRecord, c Currency) (sum refundParts, err error) {
	for _, f := range r.Refunds {
		if f.State != RefundSucceeded || f.Late {
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
	for _, part := range []*Amount{&sum.of, &sum.tax, &sum.shipping} {
		if err == nil {
			*part, err = shareOf(r.brought(sale.TotalEarned), lesser(*part, r.Gross.Or(Amount{})), r.Gross.Or(Amount{}), c)
		}
	}
	return sum, err
}

// brought is as much of a sum as the payment brought: a sale may be of more than a
// payment that a person gave to it.
func (r *PaymentRecord) brought(sum Amount) Amount {
	if r.Counted != "" {
		return lesser(sum, r.Worth.Or(sum)) // records older than this field lack it
	}
	return lesser(sum, r.Gross.Or(Amount{}))
}

// shareOf is the part of a total that was lost of a payment: all of it, exactly,
// when all is lost.
func shareOf(total, lost, gross Amount, c Currency) (Amount, error) {
	switch {
	case lost.IsZero():
		return Amount{}, nil
	case lost == gross:
		return total, nil
	}
	share, err := total.Portion(lost, gross, c)
	return lesser(share, total), err
}

func lesser(a, b Amount) Amount {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func greater(a, b Amount) Amount {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
