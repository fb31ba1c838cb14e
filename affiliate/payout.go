package affiliate

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
)

// A Payout is a record of commissions that are paid together. No money is
// moved.
//
// Source: docs/contract.md 2.8.
type Payout struct {
	ID            uuid.UUID          `json:"id"`
	AffiliateID   uuid.UUID          `json:"affiliateId"`
	Amount        Amount             `json:"amount"`
	Status        PayoutStatus       `json:"status"`
	PaymentMethod Opt[PaymentMethod] `json:"paymentMethod"`
	PeriodStart   Opt[Time]          `json:"periodStart"` // of its oldest commission
	PeriodEnd     Opt[Time]          `json:"periodEnd"`
	ExternalID    Opt[string]        `json:"externalId"`
	ManuallyPaid  bool               `json:"manuallyPaid"`
	PaidAt        Opt[Time]          `json:"paidAt"`
	FailedReason  Opt[string]        `json:"failedReason"`
	CommissionIDs []CommissionID     `json:"commissionIds"` // oldest first
	CreatedAt     Time               `json:"createdAt"`
	UpdatedAt     Time               `json:"updatedAt"`
}

// NewPayout is the input of [Program.CreatePayout].
type NewPayout struct {
	AffiliateID  uuid.UUID
	Until        time.Time // of the sales, inclusive; zero: now
	ExternalID   string    // the host's own id of the payment
	ManuallyPaid bool      // paid outside already: the payout is PAID from the start
}

// PayoutFilter selects payouts. Every field that is set must fit; without one,
// all are selected. A field that is set to null or to a zero value selects
// nothing.
//
// Source: docs/contract.md 2.8.
type PayoutFilter struct{ AffiliateID Opt[uuid.UUID] }

// CreatePayout gathers everything that is payable to an affiliate: accepted
// commissions of its sales until then that no payout holds.
//
// Errors: [AffiliateNotFound], [InvalidField], [NothingPayable].
//
// Effects: the payout; payoutCreated and payoutId of the commissions, for good;
// sale.updated for each sale.
//
// Source: docs/rules.md 5.6.
func (p *Program) CreatePayout(ctx context.Context, in NewPayout) (Payout, error) {
	o := p.op(ctx)
	rq := request{name: "payout.create", input: in, refused: first(optional("externalId", in.ExternalID, maxName))}
	return write(o, rq, func() (Payout, error) {
		aff, err := o.tx.Affiliates.Get(in.AffiliateID)
		if err != nil {
			return Payout{}, affiliateNotFound.orOther(err)
		}
		until := in.Until
		if until.IsZero() {
			until = o.now
		}
		sales, err := o.payable(aff.ID, until)
		if err != nil {
			return Payout{}, err
		}
		if len(sales) == 0 {
			return Payout{}, nothingPayable.err()
		}
		rec := PayoutRecord{
			ID: o.newID(), AffiliateID: aff.ID, Status: PayoutPending, PaymentMethod: aff.PaymentMethod,
			PeriodStart: sales[0].CreatedAt, PeriodEnd: sales[len(sales)-1].CreatedAt, ExternalID: in.ExternalID,
			ManuallyPaid: in.ManuallyPaid, CreatedAt: o.now, UpdatedAt: o.now,
		}
		if in.ManuallyPaid {
			rec.Status, rec.PaidAt = PayoutPaid, o.now
		}
		return o.fillPayout(rec, sales)
	})
}

// payable lists the sales of an affiliate that a payout may take, oldest first.
func (o *op) payable(affiliate uuid.UUID, until time.Time) ([]SaleRecord, error) {
	var sales []SaleRecord
	for rec, err := range o.tx.Sales.List(Query{Key: Key{Index: OfPayable, ID: affiliate}}) {
		if err != nil {
			return nil, err
		}
		if !rec.CreatedAt.After(until) {
			sales = append(sales, rec)
		}
	}
	slices.SortStableFunc(sales, func(a, b SaleRecord) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return sales, nil
}

// fillPayout puts the accepted commissions of sales into a payout and stores
// it.
func (o *op) fillPayout(rec PayoutRecord, sales []SaleRecord) (Payout, error) {
	taken := make([]SaleRecord, len(sales))
	for i, sale := range sales {
		taken[i] = sale.Clone()
		for j := range taken[i].Commissions {
			c := &taken[i].Commissions[j]
			if !c.payable() {
				continue
			}
			c.PayoutID, c.ManuallyPaid, c.UpdatedAt = rec.ID, rec.ManuallyPaid, later(o.now, c.UpdatedAt)
			rec.Commissions = append(rec.Commissions, c.Number)
			var err error
			if rec.Amount, err = rec.Amount.Add(c.Earned); err != nil {
				return Payout{}, tooLargeFor("amount", err)
			}
		}
	}
	if err := o.tx.Payouts.Insert(rec); err != nil {
		return Payout{}, internal("write payout", err)
	}
	for i := range sales {
		if _, err := o.saveSale(sales[i], taken[i]); err != nil {
			return Payout{}, err
		}
	}
	return payoutOf(rec), nil
}

// SetPayoutStatus moves a payout on: PENDING to PROCESSING, either of them to
// PAID or FAILED, FAILED back to PROCESSING. PAID is final. The same status
// again changes nothing. A failed payout keeps its commissions.
//
// Errors: [InvalidField] (status), [PayoutNotFound], [StatusNotAllowed].
// Effects: the payout; when it becomes PAID, sale.updated for each sale.
// Source: docs/rules.md 5.6.
func (p *Program) SetPayoutStatus(ctx context.Context, id uuid.UUID, status PayoutStatus) (Payout, error) {
	rq := request{name: "payout.set-status", refused: first(oneOf("status", status, payoutStatuses))}
	return p.movePayout(ctx, rq, payoutMove{id, status, ""})
}

// FailPayout is [Program.SetPayoutStatus] with FAILED and the reason why
// (1–10,000 characters, newlines and tabs allowed).
//
// Errors: [InvalidField] (failedReason), [PayoutNotFound], [StatusNotAllowed].
//
// Effects: the payout; no event.
//
// Source: docs/contract.md 2.8.
func (p *Program) FailPayout(ctx context.Context, id uuid.UUID, reason string) (Payout, error) {
	rq := request{name: "payout.fail", refused: first(checkText("failedReason", reason, maxNotes, true))}
	if blank(reason) {
		rq.refused = invalid("failedReason", notEmpty)
	}
	return p.movePayout(ctx, rq, payoutMove{id, PayoutFailed, reason})
}

// A payoutMove takes a payout to a status.
type payoutMove struct {
	ID     uuid.UUID
	To     PayoutStatus
	Reason string // of a failure
}

func (p *Program) movePayout(ctx context.Context, rq request, m payoutMove) (Payout, error) {
	rq.input = m
	o := p.op(ctx)
	return write(o, rq, func() (Payout, error) {
		rec, err := o.tx.Payouts.Get(m.ID)
		if err != nil {
			return Payout{}, payoutNotFound.orOther(err)
		}
		if rec.Status == m.To && (m.Reason == "" || rec.FailedReason == m.Reason) {
			return payoutOf(rec), nil
		}
		if rec.Status != m.To && !slices.Contains(nextPayoutStatuses(rec.Status), m.To) {
			return Payout{}, statusNotAllowed.err()
		}
		rec.Status, rec.FailedReason, rec.UpdatedAt = m.To, m.Reason, later(o.now, rec.UpdatedAt)
		if m.To == PayoutPaid {
			rec.PaidAt = o.now
		}
		if err := o.tx.Payouts.Replace(rec); err != nil {
			return Payout{}, internal("write payout", err)
		}
		if m.To != PayoutPaid {
			return payoutOf(rec), nil
		}
		err = each(o.tx.Sales, Key{Index: OfPayout, ID: rec.ID}, func(sale SaleRecord) error {
			_, err := o.saveSale(sale, sale)
			return err
		})
		return payoutOf(rec), err
	})
}

// nextPayoutStatuses is where a payout may go from a status.
func nextPayoutStatuses(from PayoutStatus) []PayoutStatus {
	switch from {
	case PayoutPending:
		return []PayoutStatus{PayoutProcessing, PayoutPaid, PayoutFailed}
	case PayoutProcessing:
		return []PayoutStatus{PayoutPaid, PayoutFailed}
	case PayoutFailed:
		return []PayoutStatus{PayoutProcessing}
	}
	return nil
}

// Payout returns a payout.
//
// Errors: [ErrNotFound].
//
// Source: docs/contract.md 2.8.
func (p *Program) Payout(ctx context.Context, id uuid.UUID) (Payout, error) {
	return view(ctx, p, func(o *op) (Payout, error) {
		rec, err := o.tx.Payouts.Get(id)
		return payoutOf(rec), err
	})
}

// Payouts lists payouts, newest first.
//
// Errors: [InvalidQuery] for a bad page.
//
// Source: docs/contract.md 2.8.
func (p *Program) Payouts(ctx context.Context, f PayoutFilter, pg Page) (List[Payout], error) {
	l, err := p.listing(pg, "payouts", f)
	if err != nil {
		return List[Payout]{}, err
	}
	var c choice[PayoutRecord]
	c.byID(OfAffiliate, f.AffiliateID, func(r *PayoutRecord) uuid.UUID { return r.AffiliateID })
	return view(ctx, p, func(o *op) (List[Payout], error) {
		return chosen(o.tx.Payouts, c, l, func(rec PayoutRecord) (Payout, error) { return payoutOf(rec), nil })
	})
}

func payoutOf(rec PayoutRecord) Payout {
	ids := make([]CommissionID, len(rec.Commissions))
	for i, n := range rec.Commissions {
		ids[i] = CommissionID(n)
	}
	return Payout{
		ID: rec.ID, AffiliateID: rec.AffiliateID, Amount: rec.Amount, Status: rec.Status,
		PaymentMethod: orNull(rec.PaymentMethod), PeriodStart: timeOrNull(rec.PeriodStart),
		PeriodEnd: timeOrNull(rec.PeriodEnd), ExternalID: orNull(rec.ExternalID), ManuallyPaid: rec.ManuallyPaid,
		PaidAt: timeOrNull(rec.PaidAt), FailedReason: orNull(rec.FailedReason), CommissionIDs: ids,
		CreatedAt: TimeOf(rec.CreatedAt), UpdatedAt: TimeOf(rec.UpdatedAt),
	}
}
