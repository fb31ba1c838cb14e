package affiliate

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
)

// Attention is what waits for somebody who runs the program: see
// [Program.Attention].
//
// Source: docs/contract.md 4.6.
type Attention struct {
	PendingAffiliates Waiting[PendingAffiliate] `json:"pendingAffiliates"` // they are INACTIVE until somebody approves or declines them
	HeldSales         Waiting[HeldSale]         `json:"heldSales"`         // with a commission that is on hold
	FailingWebhooks   Waiting[FailingWebhook]   `json:"failingWebhooks"`   // disabled because they fail or are gone, or every attempt has failed for a while
	FailedDeliveries  Waiting[FailedDelivery]   `json:"failedDeliveries"`  // given up in the last 14 days
	FailedPayouts     Waiting[FailedPayout]     `json:"failedPayouts"`
	PaymentConflicts  Waiting[ConflictPayment]  `json:"paymentConflicts"` // they brought money and have no sale, until [Program.DecidePayment]
	OldestPaymentAt   Opt[Time]                 `json:"oldestPaymentAt"`  // when the oldest of those was reported; null: none waits
}

// Empty reports whether nothing waits.
func (a *Attention) Empty() bool {
	return a.PendingAffiliates.Count+a.HeldSales.Count+a.FailingWebhooks.Count+a.FailedDeliveries.Count+a.FailedPayouts.Count+a.PaymentConflicts.Count == 0
}

// Waiting is one list of [Attention]: the newest of what waits.
type Waiting[T any] struct {
	Count int  `json:"count"` // how many wait; at most 100
	More  bool `json:"more"`  // more than 100 wait
	Items []T  `json:"items"` // the newest first; never nil
}

// A PendingAffiliate waits for approval.
type PendingAffiliate struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// A HeldSale has a commission that is on hold.
type HeldSale struct {
	ID               SaleID          `json:"id"`
	AffiliateID      uuid.UUID       `json:"affiliateId"`
	CommissionEarned Amount          `json:"commissionEarned"`
	HoldReason       Opt[HoldReason] `json:"holdReason"` // of its first commission on hold
}

// A FailingWebhook is an endpoint that receives nothing.
type FailingWebhook struct {
	ID             uuid.UUID           `json:"id"`
	URL            string              `json:"url"`
	Status         EndpointStatus      `json:"status"`
	DisabledReason Opt[DisabledReason] `json:"disabledReason"`
	FirstFailureAt Opt[Time]           `json:"firstFailureAt"` // since when every attempt has failed
}

// A FailedDelivery was given up after its last attempt.
type FailedDelivery struct {
	ID        uuid.UUID `json:"id"`
	WebhookID uuid.UUID `json:"webhookId"`
	Event     EventType `json:"event"`
	CreatedAt Time      `json:"createdAt"`
}

// A FailedPayout did not reach the affiliate.
type FailedPayout struct {
	ID           uuid.UUID   `json:"id"`
	AffiliateID  uuid.UUID   `json:"affiliateId"`
	Amount       Amount      `json:"amount"`
	FailedReason Opt[string] `json:"failedReason"`
}

// A ConflictPayment is a payment that brought money and has no sale, though somebody may
// be owed. Outcome says why: it names a sale of which it is not, because its payer or its
// amounts differ ([SaleConflict]); its code was refused ([SaleRefused]); it names whom
// nobody is ([SaleUnattributed]); nothing told whom it may credit ([SaleParked]); or it is
// in another currency than the program's ([SaleOtherCurrency]).
type ConflictPayment struct {
	ID        uuid.UUID   `json:"id"`
	Provider  string      `json:"provider"`
	Keys      []string    `json:"keys"`    // the provider's ids of the payment, sorted
	PayerID   Opt[string] `json:"payerId"` // the provider's id of its customer; null: not known
	Outcome   SaleOutcome `json:"outcome"`
	SaleID    SaleID      `json:"saleId"` // the sale that it names; 0 when that was deleted, and when it names none
	Amount    Amount      `json:"amount"` // of the payment
	Currency  Currency    `json:"currency"`
	CreatedAt Time        `json:"createdAt"`
}

const (
	waitingShown = 5   // of each list, when the caller does not say
	waitingMost  = 20  // of each list
	waitingCount = 100 // counted at most

	failedLately = 14 * 24 * time.Hour // older deliveries that failed are not shown
)

// Attention returns what waits for somebody: n of each kind, the newest first. n
// is 1–20; 0 means 5. It reads at most 101 records of each kind from an index,
// and the endpoints, however large the program is.
//
// Errors: [InvalidQuery] (limit).
//
// Effects: none.
//
// Source: docs/contract.md 4.6.
func (p *Program) Attention(ctx context.Context, n int) (_ Attention, err error) {
	defer p.begin(&ctx, "Attention", reads).end(&err)
	if n < 0 || n > waitingMost {
		return Attention{}, RefuseWaitingLimit.Err()
	}
	if n == 0 {
		n = waitingShown
	}
	now := p.now()
	return view(ctx, p, func(o *op) (a Attention, err error) {
		if a.PendingAffiliates, err = newestIn(o.tx.Affiliates, string(AffiliateInactive), n, pendingOf); err != nil {
			return a, err
		}
		if a.HeldSales, err = newestIn(o.tx.Sales, string(ApprovalOnHold), n, heldOf); err != nil {
			return a, err
		}
		if a.FailingWebhooks, err = newestIn(o.failingEndpoints(), "", n, failingOf); err != nil {
			return a, err
		}
		if a.FailedDeliveries, err = newestIn(o.deliveriesSince(now.Add(-failedLately)), string(DeliveryFailed), n, undeliveredOf); err != nil {
			return a, err
		}
		if a.FailedPayouts, err = newestIn(o.tx.Payouts, string(PayoutFailed), n, unpaidOf); err != nil {
			return a, err
		}
		if a.PaymentConflicts, err = newestOf(o.tx.Payments, undecided, n, o.conflictOf); err != nil {
			return a, err
		}
		oldest, err := head(o.tx.Payments, Query{Key: undecided})
		a.OldestPaymentAt = timeOrNull(oldest.CreatedAt)
		return a, ignoreMissing(err)
	})
}

// newestIn lists the newest n records in a state, and counts on; an empty state is
// any.
func newestIn[R Record[R], T any](t Table[R], state string, n int, item func(R) T) (Waiting[T], error) {
	key := Key{}
	if state != "" {
		key = Key{Index: OfState, Text: state}
	}
	return newestOf(t, key, n, func(r R) (T, error) { return item(r), nil })
}

// newestOf lists the newest n records of a key, and counts on.
func newestOf[R Record[R], T any](t Table[R], key Key, n int, item func(R) (T, error)) (Waiting[T], error) {
	w := Waiting[T]{Items: []T{}}
	q := Query{Key: key, Desc: true, Limit: waitingCount + 1}
	for rec, err := range t.List(q) {
		if err != nil {
			return w, err
		}
		if w.Count == waitingCount {
			w.More = true
			break
		}
		if w.Count++; w.Count > n {
			continue
		}
		one, err := item(rec)
		if err != nil {
			return w, err
		}
		w.Items = append(w.Items, one)
	}
	return w, nil
}

// failingEndpoints are the endpoints that the engine disabled, and those to which
// every attempt fails. Somebody knows already of one that was disabled by hand.
func (o *op) failingEndpoints() Table[EndpointRecord] {
	return filtered[EndpointRecord]{Table: o.tx.Endpoints, keep: func(r EndpointRecord) bool {
		return r.DisabledReason != DisabledManual && (r.DisabledReason != "" || !r.FirstFailureAt.IsZero())
	}}
}

// deliveriesSince are the deliveries that were created at a time or later.
func (o *op) deliveriesSince(since Instant) Table[DeliveryRecord] {
	return filtered[DeliveryRecord]{
		Table: o.tx.Deliveries,
		keep:  func(r DeliveryRecord) bool { return createdIn(r, since, Instant{}) },
		over:  func(r DeliveryRecord) bool { return r.CreatedAt.Before(since.Add(-clockSlack)) },
	}
}

// PaymentConflict returns a payment that waits for [Program.DecidePayment].
//
// Errors: [ErrNotFound] when no such payment waits.
//
// Source: docs/contract.md 4.6.
func (p *Program) PaymentConflict(ctx context.Context, id uuid.UUID) (_ ConflictPayment, err error) {
	defer p.begin(&ctx, "PaymentConflict", reads).end(&err)
	return view(ctx, p, func(o *op) (ConflictPayment, error) {
		rec, err := o.waitingPayment(id)
		if err != nil {
			return ConflictPayment{}, err
		}
		return o.conflictOf(rec)
	})
}

// conflictOf is a payment that waits as it is listed.
func (o *op) conflictOf(r PaymentRecord) (ConflictPayment, error) {
	known, err := o.paymentOf(&r)
	if err != nil {
		return ConflictPayment{}, err
	}
	sale, err := o.saleIfThere(r.Conflict)
	return ConflictPayment{
		ID: r.ID, Provider: r.Provider, Keys: known.Keys, PayerID: orNull(r.PayerID),
		Outcome: cmp.Or(SaleOutcome(r.Left), SaleConflict), SaleID: SaleID(sale.Number),
		Amount: r.Gross.Or(Amount{}), Currency: known.Currency, CreatedAt: known.CreatedAt,
	}, err
}

func pendingOf(r AffiliateRecord) PendingAffiliate { return PendingAffiliate{ID: r.ID, Name: r.name()} }

func heldOf(r SaleRecord) HeldSale {
	h := HeldSale{ID: SaleID(r.Number), AffiliateID: r.AffiliateID}
	h.CommissionEarned, _ = r.commissionEarned() // its sum was checked when the sale was stored
	for i := range r.Commissions {
		if c := &r.Commissions[i]; c.Approval.Is(ApprovalOnHold) {
			h.HoldReason = orNull(c.HoldReason.Value())
			break
		}
	}
	return h
}

func failingOf(r EndpointRecord) FailingWebhook {
	f := FailingWebhook{
		ID: r.ID, URL: r.URL, Status: EndpointDisabled,
		DisabledReason: orNull(r.DisabledReason), FirstFailureAt: timeOrNull(r.FirstFailureAt),
	}
	if r.Active {
		f.Status = EndpointEnabled
	}
	return f
}

func undeliveredOf(r DeliveryRecord) FailedDelivery {
	return FailedDelivery{ID: r.ID, WebhookID: r.EndpointID, Event: r.Type, CreatedAt: TimeOf(r.CreatedAt.Time())}
}

func unpaidOf(r PayoutRecord) FailedPayout {
	return FailedPayout{ID: r.ID, AffiliateID: r.AffiliateID, Amount: r.Amount, FailedReason: orNull(r.FailedReason)}
}
