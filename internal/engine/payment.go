package engine

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"

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

// PaymentBefore reports whether r stays when it is joined with another payment.
func PaymentBefore(r *record.Payment, other *record.Payment) bool {
	if (r.Sale != uuid.Nil) != (other.Sale != uuid.Nil) {
		return r.Sale != uuid.Nil
	}
	return bytes.Compare(r.ID[:], other.ID[:]) < 0
}

// SavePayment writes a payment that has changed.
func (o *Op) SavePayment(old record.Payment, rec *record.Payment) error {
	if rec.Sale != uuid.Nil { // a payment that has its sale waits for no decision of which it is
		if rec.Conflict = uuid.Nil; !doubts(rec.Left) {
			rec.Left = ""
		}
	}
	if Same(old, *rec) {
		return nil
	}
	rec.UpdatedAt = Later(o.Now, rec.UpdatedAt)
	if rec.ID == uuid.Nil {
		rec.ID = o.NewID()
	}
	if old.ID == uuid.Nil {
		rec.CreatedAt = o.Now
	}
	if err := Put(o.Tx.Payments, old, *rec); err != nil {
		return refusal.Internal("write payment", err)
	}
	return nil
}

// SettlePayment brings the sale of a payment to the state that the facts describe.
// Lost money is a refund of the sale. Money that came back, because a dispute was
// won or a refund failed, is a negative refund: the sale counts again. So the
// affiliate's result depends only on the facts and on the host's own refunds.
func (o *Op) SettlePayment(pay *record.Payment, sale *record.Sale, s Shift) error {
	if err := o.settle(pay, sale, s); err != nil {
		return err
	}
	pay.Left = doubtOf(pay, sale)
	return o.settlePlace(sale, pay)
}

// Seen is the decision of a person that the sale of a payment is right as it is.
const Seen = "seen"

// doubts reports whether a reason is about the sale that a payment has.
func doubts(left string) bool {
	return left == string(affiliate.SaleRevoked) || left == string(affiliate.SaleDiffers)
}

// doubtOf returns why the sale of a payment may be wrong, if nobody has said that it is right; empty: nothing says so.
func doubtOf(pay *record.Payment, sale *record.Sale) string {
	switch {
	case pay.Decided == Seen || sale.Status.Is(affiliate.SaleRefunded):
		return ""
	case isRevoked(pay):
		return string(affiliate.SaleRevoked)
	case !pay.Raised.IsZero():
		return string(affiliate.SaleDiffers)
	}
	return ""
}

// isRevoked reports whether a payment was last said to be cancelled or failed.
func isRevoked(pay *record.Payment) bool {
	return !pay.Revoked.IsZero() && !pay.Revoked.Before(pay.Stands)
}

// AddStanding adds whether a payment stands, as a report of a moment says.
func AddStanding(r *record.Payment, revoked bool, at affiliate.Instant) {
	was, last := isRevoked(r), &r.Stands
	if revoked {
		last = &r.Revoked
	}
	if *last = Later(at, *last); isRevoked(r) != was {
		unsee(r)
	}
}

// AddRaised adds what a payment was told to be besides.
func AddRaised(r *record.Payment, gross affiliate.Amount) {
	if was, told := r.Raised.Get(); !told || was.Cmp(gross) < 0 {
		r.Raised = affiliate.Set(gross)
		unsee(r)
	}
}

// unsee forgets that a person has seen a payment, of which something else was told since.
func unsee(r *record.Payment) {
	if r.Decided == Seen {
		r.Decided = ""
	}
}

// settle is SettlePayment but for the redemption.
func (o *Op) settle(pay *record.Payment, sale *record.Sale, s Shift) error {
	charged := AsCharged(sale)
	goal, named, err := o.goal(pay, charged)
	if err != nil {
		return err
	}
	if err := o.takeBackAdjusted(pay, sale); err != nil {
		return err
	}
	change, err := goal.Sub(charged.Refunded)
	if err != nil {
		return err
	}
	refunds, err := named.corrections(sale, change)
	if err != nil || len(refunds) == 0 {
		return err
	}
	before, cause := sale.Clone(), refundCause(sale)
	if change.Sign() <= 0 {
		cause = affiliate.CauseUpdate
	}
	for i := range refunds {
		refunds[i].ID, refunds[i].At, refunds[i].Fact = unusedRefundID(sale, cmp.Or(string(s), pay.ID.String())), o.Now, true
		sale.Refunds = append(sale.Refunds, refunds[i])
	}
	if err := o.giveBack(sale, change); err != nil {
		return err
	}
	if _, err := o.SaveSale(before, *sale, cause); err != nil {
		return err
	}
	*sale, err = o.Tx.Sales.Get(sale.ID)
	return err
}

// takeBackAdjusted reverses the adjustments by which earlier versions made up for
// returned money, when a sale could not count again.
func (o *Op) takeBackAdjusted(pay *record.Payment, sale *record.Sale) error {
	back, err := affiliate.Amount{}.Sub(pay.Adjusted)
	pay.Peak, pay.Adjusted, pay.Adjustments = affiliate.Amount{}, affiliate.Amount{}, nil
	if err != nil || back.IsZero() {
		return err
	}
	rec := record.Adjustment{
		ID: o.NewID(), AffiliateID: sale.AffiliateID, Sale: sale.Number, Kind: affiliate.AdjustCorrection, Amount: back,
		Reason: "The sale counts again", CreatedAt: o.Now,
	}
	if err := o.Tx.Adjustments.Insert(rec); err != nil {
		return refusal.Internal("write adjustment", err)
	}
	return o.Enter(rec.AffiliateID, BookAdjustment(&rec, affiliate.CauseAdjustment, rec.Amount))
}

// unusedRefundID returns an id that no refund of the sale has yet.
func unusedRefundID(sale *record.Sale, id string) string {
	free := id
	for n := 2; hasRefund(sale, free); n++ {
		free = id + ":" + strconv.Itoa(n)
	}
	return free
}

func hasRefund(r *record.Sale, id string) bool {
	for i := range r.Refunds {
		if r.Refunds[i].ID == id {
			return true
		}
	}
	return false
}

// saveWithFacts is SaveSale for a change by the host: the payment of the sale, if
// it has one, is settled again, because its result also depends on the host's
// refunds and the sale's terms.
func (o *Op) saveWithFacts(old, rec record.Sale, cause affiliate.Cause) (affiliate.Sale, error) {
	answer, err := o.SaveSale(old, rec, cause)
	if err != nil || Same(old, rec) {
		return answer, err
	}
	pay, err := o.Tx.Payments.Find(record.Key{Index: record.BySale, ID: rec.ID})
	if errors.Is(err, affiliate.ErrNotFound) {
		return answer, nil
	}
	if err != nil {
		return affiliate.Sale{}, err
	}
	sale, err := o.Tx.Sales.Get(rec.ID)
	if err != nil {
		return affiliate.Sale{}, refusal.Internal("read sale", err)
	}
	before, refunds := pay.Clone(), len(sale.Refunds)
	if pay.Left == string(affiliate.SaleDiffers) && old.TotalEarned != rec.TotalEarned {
		pay.Decided = Seen // it was corrected
	}
	if err := o.SettlePayment(&pay, &sale, ""); err != nil {
		return affiliate.Sale{}, err
	}
	if err := o.SavePayment(before, &pay); err != nil {
		return affiliate.Sale{}, err
	}
	if len(sale.Refunds) == refunds {
		return answer, nil
	}
	return o.saleOf(sale)
}
