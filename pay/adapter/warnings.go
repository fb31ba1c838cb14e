package adapter

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
)

// quiet is the shortest time between two log lines of one kind, because a payer can cause
// some of them with every payment.
const quiet = time.Hour

// The log lines about money that was left out, and about what a payment named.
const (
	saysForged = "payment event: an order, a customer or a code came without a right signature and was left out: " +
		"make what checkouts carry with Config.Carry, and keep a key in CarryKeys while subscriptions carry its signatures"
	saysCurrency = "payment event: it is in another currency than the program's, has no rate, and waits: " +
		"decide with DecidePayment that it is a sale of its own, with a rate, or give Config.Rate one and send the event again"
	saysUnit = "payment event: it is not known in which unit the provider counts this currency, and nothing was booked: " +
		"record the sale or its refund yourself"
	saysConflict = "payment event: the payment names a sale of which it is not and waits for a decision: " +
		"see Attention, and decide with DecidePayment"
	saysCode = "payment event: the code of a paid order was refused and nobody is credited: " +
		"preview codes before the payment, or record the sale yourself"
	saysRefused = "payment event: the program refused it and nothing was booked: " +
		"correct what the error says, and send the event again from the provider's dashboard"
	saysNobody = "payment event: a paid order names a click, a slug or a code that nobody has, and nobody is credited: " +
		"check what checkouts carry, and record the sale yourself if somebody is owed"
	saysNoCustomer = "payment event: a paid order names who brought its customer, and says neither by id nor by email who that is: " +
		"record the sale yourself with an email, then dismiss the payment with DecidePayment"
	saysLost = "payment event: a paid order carries something of this library's that cannot be read or names another program, and nobody is credited: " +
		"give checkouts what Config.Carry makes, unchanged, with tributary_program; expected where several programs share one account"
	saysElsewhere = "payment event: it is of the live mode or an account that this endpoint does not take, and carries who brought its customer: " +
		"check Config.Test, or Accounts"
	saysLines = "payment event: its lines were left out, so rules for products hold for all of the sale or nothing of it: " +
		"a list was cut (give Config.Lines), or its amounts do not add up; correct the sale if it matters"
	saysUnlisted = "payment event: it does not say what was bought, so rules for products hold for all of the sale or nothing of it: " +
		"give Config.Lines, or record such sales yourself"
	saysUnmarked = "payment events read again: payments of customers whom nobody is known to have brought credit nobody, and the provider's API does not say what their checkouts carried: " +
		"send those events again from the provider's dashboard that the endpoint did not get, or record the sales yourself"
)

// tooLong is the time after which no provider sends an event again by itself, so that a
// waiting payment will not be completed.
const tooLong = 3 * 24 * time.Hour

const saysWaits = "payment event: a payment that brought money has waited for more than three days: it credits nobody, or its sale may be wrong: " +
	"see Attention, and decide with DecidePayment; subscribe the endpoint to the events that are missing, and send them again"

// mostNamed is the number of waiting payments of which a warning says what they miss.
const mostNamed = 20

// warningOf returns what the log says of a result; empty: nothing was left out.
func warningOf(r *pay.Result) string {
	paid, _ := r.Action.Payment.Sale.Get()
	_, sold := r.Sale.Get()
	switch {
	case r.Action.Kind == pay.KindIgnored && r.Action.Reason == pay.OtherCurrency:
		return saysCurrency
	case r.Action.Kind == pay.KindIgnored && r.Action.Reason == pay.UnknownUnit:
		return saysUnit
	case r.Action.Reason == pay.LiveMode || r.Action.Reason == pay.OtherAccount:
		if r.Action.Carried.Lost || r.Action.Carried.Marks() {
			return saysElsewhere
		}
		return ""
	case r.Outcome == affiliate.SaleConflict || r.Refusal != nil && r.Refusal.Reason == affiliate.PaymentConflict:
		return saysConflict
	case r.Outcome == affiliate.SaleRefused || r.Refusal != nil && r.Refusal.CodeRefused():
		return saysCode
	case r.Refusal != nil:
		return saysRefused
	case r.Outcome == affiliate.SaleNoCustomer:
		return saysNoCustomer
	case r.Outcome == affiliate.SaleUnattributed && len(paid.Tries) > 0:
		return saysNobody
	case r.Action.Carried.Lost && !sold && brought(&r.Action):
		return saysLost
	case r.Outcome == affiliate.SaleRecorded &&
		(r.Action.NoLines == pay.LinesCut || r.Action.NoLines == pay.LinesUnclear):
		return saysLines
	}
	return ""
}

// brought reports whether an action is about money that came.
func brought(a *pay.Action) bool {
	switch a.Reason {
	case "":
		return a.Kind == pay.KindSale
	case pay.CoveredElsewhere, pay.FirstFromSession, pay.OneOffInvoice, pay.OtherCurrency, pay.UnknownUnit:
		return true
	}
	return false
}

// ruled reports whether terms in force have rules: those of the program, or of a plan.
func ruled(ctx context.Context, p *tributary.Program) bool {
	own, err := p.Terms(ctx)
	if err != nil {
		return false
	}
	if slices.ContainsFunc(own, func(v affiliate.DatedTerms) bool { return v.InForce && len(v.Rules) > 0 }) {
		return true
	}
	plans, err := p.Plans(ctx, affiliate.Page{})
	return err == nil && slices.ContainsFunc(plans.Items, func(plan affiliate.Plan) bool { return len(plan.Rules) > 0 })
}

// warnings count what was left out, by kind, and write it to the log.
type warnings struct {
	logger *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	of     map[string]*warning
	looked map[uuid.UUID]time.Time // when each program was asked what waits
}

// look asks a program, at most once an hour, whether a payment has waited for too long.
func (w *warnings) look(ctx context.Context, p *tributary.Program) {
	id, now := p.Config().ID, w.now()
	w.mu.Lock()
	due := now.Sub(w.looked[id]) >= quiet
	if due {
		w.looked[id] = now
	}
	w.mu.Unlock()
	if !due {
		return
	}
	waits, err := p.Attention(ctx, mostNamed)
	since, any := waits.OldestPaymentAt.Get()
	if err != nil || !any || now.Sub(since.Time()) <= tooLong {
		return
	}
	var missing []string
	for _, c := range waits.PaymentConflicts.Items {
		awaits := c.Awaits
		if c.Outcome == affiliate.SaleNoFirst {
			awaits = "the first payment of a renewal"
		}
		if awaits != "" && now.Sub(c.CreatedAt.Time()) > tooLong && !slices.Contains(missing, awaits) {
			missing = append(missing, awaits)
		}
	}
	w.logger.WarnContext(ctx, saysWaits, "program", id.String(), "since", since.String(), "payments", waits.PaymentConflicts.Count, "more", waits.PaymentConflicts.More,
		"missing", strings.Join(missing, "; "))
}

// A warning is one kind.
type warning struct {
	said   time.Time // when a line was written
	unsaid int       // events since then
}

// say counts an event, and writes a line when the last one of its kind is long ago.
func (w *warnings) say(ctx context.Context, text string, r *pay.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kind := w.of[text]
	if kind == nil {
		kind = &warning{}
		w.of[text] = kind
	}
	now := w.now()
	kind.unsaid++
	if now.Sub(kind.said) < quiet {
		return
	}
	var why affiliate.Reason
	if r.Refusal != nil {
		why = r.Refusal.Reason
	} else if len(r.Refused) > 0 {
		why = r.Refused[0].Reason
	}
	w.logger.WarnContext(ctx, text, "event", r.Action.Event.ID, "type", r.Action.Event.Type,
		"reason", string(why), "events", kind.unsaid)
	kind.said, kind.unsaid = now, 0
}
