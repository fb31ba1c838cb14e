package pay

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// ErrLater asks for the same event again, later: a renewal came before the first payment
// of its customer. Test it with errors.Is.
var ErrLater = errors.New("pay: try again later")

// A Result is the answer of [Apply].
type Result struct {
	Action                  Action                            // the applied one: Apply ignores more actions than a provider's package can
	affiliate.PaymentResult                                   // of a payment
	Referral                affiliate.Opt[affiliate.Referral] // of customer and status: as it is; null: none
	Refusal                 *affiliate.Error                  // why the program refused the action; nil: it did not
	Done                    bool                              // committed; false: ignored or refused
}

// Apply applies an action to a program. It can be repeated: an action that was applied
// changes nothing. With a program inside a transaction (tributary.Program.With) it is
// part of that transaction.
//
// A payment in a currency for which there is no rate, and a status of an unknown payer,
// become ignored. An ignored action still links ids that belong together, and a payment
// without a rate that names somebody waits ([affiliate.SaleOtherCurrency]).
//
// Errors: [ErrLater]; errors of the store, after which nothing has changed and the
// action can be applied again. Refusals by the program are no errors: they are in
// Result.
//
// Effects: those of [tributary.Payments.ReportPayment],
// [tributary.Payments.ReportPayer], [tributary.Program.CreateReferral] or
// [tributary.Payments.ReportSubscription].
//
// Concurrency: safe for concurrent use.
//
// Source: docs/payments-stripe.md.
func Apply(ctx context.Context, p *tributary.Program, a Action) (Result, error) {
	var home affiliate.Currency
	if a.Settled != "" {
		is, err := p.Settings(ctx) // not its Config, which another process may have changed
		if err != nil {
			return Result{}, err
		}
		home = is.Currency
	}
	if a.Settled == "" || a.Settled != home {
		a.Payment.ExchangeRate = affiliate.ExchangeRate{}
	}
	result := Result{Action: a}
	err := result.apply(ctx, p)
	if a := &result.Action; a.Reason == Revoked && result.Waits != affiliate.SaleRevoked {
		if a.Reason = ""; a.Kind == KindIgnored {
			a.Reason = Unpaid
		}
	}
	if refusal, ok := errors.AsType[*affiliate.Error](err); ok {
		result.Refusal, result.Done = refusal, false
		return result, nil
	}
	if err != nil {
		return Result{Action: a}, err
	}
	return result, nil
}

// apply applies the action by its kind.
func (r *Result) apply(ctx context.Context, p *tributary.Program) error {
	r.Action = r.Action.Carried.in(r.Action, p.Config().ID)
	switch a := &r.Action; a.Kind {
	case KindSale, KindLink, KindRefund, KindDispute:
		if err := r.early(ctx, p); err != nil {
			return err
		}
		if a.Kind == KindIgnored {
			return r.link(ctx, p)
		}
		return r.payment(ctx, p)
	case KindCustomer:
		return r.customer(ctx, p)
	case KindStatus:
		return r.status(ctx, p)
	case KindIgnored:
		return r.link(ctx, p)
	}
	return nil
}

// link reports which ids belong together, what was agreed and is not paid yet, or what a refund
// consists of, when an ignored action says so.
func (r *Result) link(ctx context.Context, p *tributary.Program) error {
	a := &r.Action
	paid, says := a.Payment.Sale.Get()
	if paid.Awaits != "" && len(paid.Tries) == 0 { // nobody waits for what another event tells, but for what was agreed
		agreed := paid.Stage == affiliate.PaidOfAgreed
		if agreed {
			kept, before, err := told(ctx, p, a.Payment)
			if err != nil {
				return err
			}
			agreed = kept && !before
		}
		if !agreed {
			a.Payment.Sale, says = affiliate.Opt[affiliate.Paid]{}, false
		}
	}
	noted := a.Reason == CoveredElsewhere && len(a.Payment.Refunds) > 0 || !a.Payment.Revoked.IsZero()
	if says || noted || (a.Reason == CoveredElsewhere || a.Reason == FirstFromSession) && len(a.Payment.Keys) > 1 {
		err := r.payment(ctx, p)
		if r.Outcome == affiliate.SaleRecorded {
			a.Kind, a.Reason = KindSale, ""
		}
		return err
	}
	return nil
}

// early returns ErrLater for a payment that should not come before another event. An
// invoice is left to its session when the session has come or is not waited for.
func (r *Result) early(ctx context.Context, p *tributary.Program) error {
	a := &r.Action
	switch {
	case a.Reason == FirstFromSession:
		return r.first(ctx, p)
	case !a.Wait || a.foreignMarks(p.Config().ID):
		return nil
	}
	payer, err := p.Payments().Payer(ctx, a.Payment.Provider, a.Payment.Payer)
	if err == nil && !payer.Known {
		return ErrLater
	}
	return err
}

// foreignMarks reports whether what a renewal carries is of another program.
func (a *Action) foreignMarks(program uuid.UUID) bool {
	paid, _ := a.Payment.Sale.Get()
	return a.Carried.Program != uuid.Nil && a.Carried.Program != program && len(paid.Tries) == 0
}

// first decides about the invoice of a first payment that its session would book. The
// invoice waits only when there is somebody to credit.
func (r *Result) first(ctx context.Context, p *tributary.Program) error {
	a := &r.Action
	_, before, err := told(ctx, p, a.Payment)
	if err != nil {
		return err
	}
	paid, _ := a.Payment.Sale.Get()
	mine := len(paid.Tries) > 0
	if !mine && !before {
		payer, err := p.Payments().Payer(ctx, a.Payment.Provider, a.Payment.Payer)
		if err != nil {
			return err
		}
		mine = payer.Known
	}
	switch {
	case before || !mine:
		f := &a.Payment
		a.Kind, a.Wait = KindIgnored, false
		*f = affiliate.PaymentFact{Provider: f.Provider, Keys: f.Keys,
			Payer: affiliate.PayerFact{ID: f.Payer.ID}, At: f.At, Currency: f.Currency}
	case a.Wait:
		return ErrLater
	default:
		a.Reason = ""
	}
	return nil
}

// told reports whether something of a payment is kept, and whether another event said that it
// was paid.
func told(ctx context.Context, p *tributary.Program, f affiliate.PaymentFact) (kept, paid bool, err error) {
	for _, key := range f.Keys {
		known, err := p.Payments().ProviderPayment(ctx, f.Provider, key)
		if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return false, false, err
		}
		_, gross := known.Gross.Get()
		kept, paid = kept || err == nil, paid || err == nil && gross
	}
	return kept, paid, nil
}

func (r *Result) payment(ctx context.Context, p *tributary.Program) (err error) {
	r.PaymentResult, err = p.Payments().ReportPayment(ctx, r.Action.Payment)
	r.Done = err == nil
	if a := &r.Action; r.Outcome == affiliate.SaleOtherCurrency {
		a.Kind, a.Reason = KindIgnored, OtherCurrency
	}
	return err
}

// status reports the state of a subscription.
func (r *Result) status(ctx context.Context, p *tributary.Program) error {
	ref, err := p.Payments().ReportSubscription(ctx, r.Action.Status)
	if errors.Is(err, affiliate.ErrNotFound) {
		r.Action.Kind, r.Action.Reason = KindIgnored, NoCustomer
		return nil
	}
	if err != nil {
		return err
	}
	r.Referral, r.Done = affiliate.Set(ref), true
	return nil
}

// customer reports a payer, who may be a new customer, or a free order.
func (r *Result) customer(ctx context.Context, p *tributary.Program) error {
	f := r.Action.Payment
	if _, free := f.Sale.Get(); free {
		if is, err := p.Settings(ctx); err != nil {
			return err
		} else if is.FreeOrders {
			return r.payment(ctx, p)
		}
	}
	if len(f.Keys) > 0 && len(r.Action.Tries) > 0 {
		if err := r.trial(ctx, p); err != nil {
			return err
		}
	}
	if f.Payer.ID == "" {
		return nil
	}
	err := p.Payments().ReportPayer(ctx, f.Provider, f.Payer)
	r.Done = err == nil
	return err
}

// trial reports a payment of nothing, which makes a customer and redeems a code.
func (r *Result) trial(ctx context.Context, p *tributary.Program) error {
	f := &r.Action.Payment
	is, err := p.Settings(ctx)
	if err != nil {
		return err
	}
	f.Currency, f.Sale = is.Currency, affiliate.Set(affiliate.Paid{Stage: affiliate.PaidNothing, Tries: r.Action.Tries})
	if err := r.payment(ctx, p); err != nil || r.Outcome != affiliate.SaleReferred {
		return err
	}
	payer, err := p.Payments().Payer(ctx, f.Provider, f.Payer)
	r.Referral = payer.Referral
	return err
}
