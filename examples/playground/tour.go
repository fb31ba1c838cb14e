package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A step is one of the tour: what somebody does, and what the program makes of it.
type step struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Call  string `json:"call"` // what a host writes
	do    func(*world, context.Context) (Outcome, error)
}

// An Outcome is what a step did: sentences, and the page of the console that shows it.
type Outcome struct {
	Said []string `json:"said"`
	Page string   `json:"page"`
}

func (o *Outcome) say(format string, args ...any) {
	o.Said = append(o.Said, fmt.Sprintf(format, args...))
}

const maraEmail = "mara@roastnotes.example"

var amount = affiliate.MustAmount

// steps are the tour, in its order. Each can be taken again, and begins with what it needs.
var steps = []step{
	{"checkout", "A customer types a code", "Lina has coffee for 32.00 in her basket, and Mara's code. The shop asks what the code takes off, charges the rest, and records the sale.",
		`evaluation, err := program.Evaluate(ctx, affiliate.Order{PromoCode: "MARA15", Subtotal: basket})
result, err := program.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA15", TotalEarned: total, …})`, (*world).checkout},
	{"why", "Why so much?", "Every sale says who was credited, by what, and how the commission was counted.",
		`explanation, err := program.ExplainSale(ctx, sale.ID)`, (*world).why},
	{"refund", "A part goes back", "One bag was stale: 8.00 are refunded. The commission is counted anew on what is left, so that many small refunds take as much as a large one.",
		`program.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(amount), RefundID: "re_1"})`, (*world).refund},
	{"race", "Fifty buyers, three places", "A code is for the first three orders. Fifty requests race for it.",
		`code.MaxRedemptions = affiliate.Set[int64](3) // and fifty goroutines that call RecordSale`, (*world).race},
	{"dispute", "A dispute after the payout", "Two payments come by a link, a month passes, the affiliate is paid; then the customer's bank takes one of them back. In the month old events and clicks are deleted, so there are fewer records.",
		`program.Payments().ReportPayment(ctx, affiliate.PaymentFact{Keys: []string{"pi_1"}, Disputes: …})`, (*world).dispute},
	{"terms", "What would 15 per cent have cost?", "The program's rate is 12 per cent; tiers and rules of single products have rates of their own. The last three months are calculated with 15 in place of 12. Nothing is written.",
		`for difference, err := range program.Simulate(ctx, affiliate.SimulateQuery{From: …, Terms: terms}) { … }`, (*world).terms},
}

// ServeHTTP answers the tour: GET steps, POST the name of a step, POST clock?days=7, GET verify, POST break, POST mend.
func (w *world) tour(rw http.ResponseWriter, r *http.Request) {
	var answer any
	var err error
	switch name := r.PathValue("what"); name {
	case "steps":
		answer = steps
	case "clock":
		answer, err = w.pass(r.Context(), r.URL.Query().Get("days"))
	case "verify":
		answer, err = w.verified(r.Context())
	case "break", "mend":
		answer, err = w.spoil(r.Context(), name == "break")
	default:
		err = affiliate.ErrNotFound
		for _, s := range steps {
			if s.Name == name {
				answer, err = s.do(w, r.Context())
			}
		}
	}
	rw.Header().Set("Content-Type", "application/json")
	if err != nil {
		rw.WriteHeader(http.StatusConflict)
		answer = Outcome{Said: []string{err.Error()}}
	}
	_ = json.NewEncoder(rw).Encode(answer)
}

// mara is the affiliate of the tour, who has a link and codes since the beginning of the year.
func (w *world) mara(ctx context.Context) (affiliate.Affiliate, error) {
	return w.Affiliate(ctx, maraEmail)
}

// money is an amount of the program, for people.
func (w *world) money(a affiliate.Amount) string { return a.Format(w.Config().Currency) }

// next is a number that no step has had.
func (w *world) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return w.n
}

// checkout: a code is evaluated, and the sale recorded.
func (w *world) checkout(ctx context.Context) (o Outcome, err error) {
	n := w.next()
	basket := affiliate.Set(amount("32"))
	e, err := w.Evaluate(ctx, affiliate.Order{PromoCode: "MARA15", Subtotal: basket, Email: fmt.Sprintf("lina%d@customers.example", n)})
	if err != nil {
		return o, err
	}
	total, priced := e.Total.Get()
	if !e.Valid || !priced {
		return o, fmt.Errorf("the code is refused: %v", e.Reasons)
	}
	o.say("Before the payment: the code takes off %v, and %v is left to pay.", w.money(e.Discount.Or(affiliate.Amount{})), w.money(total))
	res, err := w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "MARA15", Subtotal: basket, TotalEarned: total,
		Email: fmt.Sprintf("lina%d@customers.example", n), Name: "Lina Okafor", ExternalID: fmt.Sprint("tour-", n)})
	if err != nil {
		return o, err
	}
	sale, _ := res.Sale.Get()
	w.mu.Lock()
	w.sale = sale.ID
	w.mu.Unlock()
	o.say("After it: sale %d of %v, for which %s earns %v.", sale.ID, w.money(sale.TotalEarned), sale.Affiliate.Name, w.money(sale.CommissionEarned))
	o.say("The same order once more would be a duplicate, and change nothing.")
	o.Page = fmt.Sprint("console/sales/", sale.ID)
	return o, nil
}

// last is the sale of the last checkout; a first one is made when there is none.
func (w *world) last(ctx context.Context) (affiliate.Sale, error) {
	w.mu.Lock()
	id := w.sale
	w.mu.Unlock()
	if id == 0 {
		if _, err := w.checkout(ctx); err != nil {
			return affiliate.Sale{}, err
		}
		return w.last(ctx)
	}
	return w.Sale(ctx, id)
}

func (w *world) why(ctx context.Context) (o Outcome, err error) {
	sale, err := w.last(ctx)
	if err != nil {
		return o, err
	}
	e, err := w.ExplainSale(ctx, sale.ID)
	if err != nil {
		return o, err
	}
	o.say("%s was credited by %s.", sale.Affiliate.Name, strings.ToLower(string(e.Credit.By)))
	o.say("%v was paid; the rate is applied to %v.", w.money(e.Base.TotalEarned), w.money(e.Base.Base))
	if !e.Base.Refunded.IsZero() {
		o.say("%v of it was refunded; what is left, %v, earns.", w.money(e.Base.Refunded), w.money(e.Base.Kept))
	}
	o.say("%v per cent, from the %s: exactly %s, rounded once to %v.", e.Terms.CommissionRate.Or(affiliate.Percent{}), strings.ToLower(string(e.Terms.RateFrom)), e.Arithmetic.Exact, w.money(e.Arithmetic.Rounded))
	o.say("A payout may take it %d days after the sale.", e.Terms.HoldDays)
	o.Page = fmt.Sprint("console/sales/", sale.ID)
	return o, nil
}

func (w *world) refund(ctx context.Context) (o Outcome, err error) {
	before, err := w.last(ctx)
	if err == nil && !refundable(before) {
		if _, err = w.checkout(ctx); err == nil {
			before, err = w.last(ctx)
		}
	}
	if err != nil {
		return o, err
	}
	if _, err = w.RefundSale(ctx, affiliate.Refund{SaleID: before.ID, Amount: affiliate.Set(amount("8")), RefundID: fmt.Sprint("re_", w.next())}); err != nil {
		return o, err
	}
	after, err := w.Sale(ctx, before.ID)
	if err != nil {
		return o, err
	}
	o.say("%v of %v is refunded; the commission was %v and is %v.", w.money(after.RefundedAmount), w.money(after.TotalEarned), w.money(before.CommissionEarned), w.money(after.CommissionEarned))
	o.Page = fmt.Sprint("console/sales/", after.ID)
	return o, nil
}

// refundable says whether a sale has 8.00 left, and nobody was paid for it: then no refund needs ClawBack.
func refundable(sale affiliate.Sale) bool {
	left, err := sale.TotalEarned.Sub(sale.RefundedAmount)
	return err == nil && left.Cmp(amount("8")) >= 0 &&
		!slices.ContainsFunc(sale.Commissions, func(c affiliate.Commission) bool { return c.ManuallyPaid || c.PayoutCreated })
}

func (w *world) race(ctx context.Context) (o Outcome, err error) {
	n := w.next()
	text := fmt.Sprint("FIRST3-", n)
	coupon, err := w.CreateCoupon(ctx, affiliate.CouponParams{Name: text, PercentOff: affiliate.Set(affiliate.MustPercent("10"))})
	if err != nil {
		return o, err
	}
	code, err := w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: text, AffiliateEmail: maraEmail, MaxRedemptions: affiliate.Set[int64](3)})
	if err != nil {
		return o, err
	}
	var mu sync.Mutex
	won, refused := 0, map[affiliate.Reason]int{}
	var buyers sync.WaitGroup
	for i := range 50 {
		buyers.Go(func() {
			_, failed := w.RecordSale(ctx, affiliate.SaleParams{PromoCode: text, TotalEarned: amount("20"), Name: "Buyer",
				Email: fmt.Sprintf("buyer%d-%d@customers.example", n, i), ExternalID: fmt.Sprintf("race-%d-%d", n, i)})
			mu.Lock()
			defer mu.Unlock()
			if why, ok := errors.AsType[*affiliate.Error](failed); ok {
				refused[why.Reason]++
			} else if failed != nil {
				err = failed
			} else {
				won++
			}
		})
	}
	if buyers.Wait(); err != nil {
		return o, err
	}
	o.say("%d of 50 have the discount; %d were told: %s.", won, refused[affiliate.CodeExhausted], affiliate.CodeExhausted)
	o.say("With one process or with ten on one database: never four, and never a place that stays free.")
	o.Page = "console/codes/" + code.ID.String()
	return o, nil
}

func (w *world) dispute(ctx context.Context) (o Outcome, err error) {
	mara, err := w.mara(ctx)
	if err != nil {
		return o, err
	}
	n := w.next()
	var payment affiliate.PaymentFact
	for _, paid := range []string{"400", "250"} {
		id := fmt.Sprintf("pi_%s_%d", paid, n)
		payment = affiliate.PaymentFact{Provider: "stripe", Keys: []string{id}, At: w.Config().Now(), Currency: w.Config().Currency,
			Payer: affiliate.PayerFact{ID: fmt.Sprint("cus_", n), Email: fmt.Sprintf("noor%d@customers.example", n), Name: "Noor Haddad"},
			Sale: affiliate.Set(affiliate.Paid{Gross: amount(paid), Tries: []affiliate.Credit{{ReferralID: "mara"}},
				SaleParams: affiliate.SaleParams{TotalEarned: amount(paid), ExternalID: id}})}
		sold, err := w.Payments().ReportPayment(ctx, payment)
		if err != nil {
			return o, err
		}
		sale, _ := sold.Sale.Get()
		o.say("A payment of %v earns %v.", w.money(sale.TotalEarned), w.money(sale.CommissionEarned))
	}
	if _, err = w.pass(ctx, "31"); err != nil {
		return o, err
	}
	payout, err := w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: mara.ID, ExternalID: fmt.Sprint("tour-", n), ManuallyPaid: true})
	if err != nil {
		return o, err
	}
	o.say("A month later everything that is due is paid: %v.", w.money(payout.Amount))
	payment.Sale, payment.At = affiliate.Opt[affiliate.Paid]{}, w.Config().Now()
	payment.Disputes = []affiliate.DisputeFact{{ID: fmt.Sprint("dp_", n), Amount: amount("250"), State: affiliate.DisputeWithdrawn}}
	if _, err = w.Payments().ReportPayment(ctx, payment); err != nil {
		return o, err
	}
	b, err := w.Balance(ctx, affiliate.AffiliateRef{ID: mara.ID})
	if err != nil {
		return o, err
	}
	o.say("The bank takes the 250.00 back: what is payable to Mara is %v, which the next payouts deduct. If the shop wins the dispute, the commission comes back.", w.money(b.Payable))
	o.Page = "console/affiliates/" + mara.ID.String()
	return o, nil
}

func (w *world) terms(ctx context.Context) (o Outcome, err error) {
	terms := w.Config().Terms
	terms.Rate = affiliate.MustPercent("15")
	var all affiliate.Difference
	people := 0
	for d, err := range w.Simulate(ctx, affiliate.SimulateQuery{From: w.Config().Now().AddDate(0, -3, 0), Terms: terms}) {
		if err == nil {
			err = all.Add(d)
		}
		if err != nil {
			return o, err
		}
		people++
	}
	o.say("%d sales of %d affiliates in three months: %v was earned, %v it would have been, %v more.", all.Sales, people, w.money(all.Was), w.money(all.Would), w.money(all.Difference))
	o.Page = "console/terms"
	return o, nil
}

// A check is what Verify finds.
type check struct {
	Holds   bool     `json:"holds"`
	Records int64    `json:"records"`
	Said    []string `json:"said"`
}

func (w *world) verified(ctx context.Context) (c check, err error) {
	done, err := w.Step(ctx, affiliate.VerifyJob{}, affiliate.Step{})
	v := done.Verification
	c.Holds, c.Records, c.Said = v.Holds, v.Records, []string{}
	for i := range v.Breaches[:min(3, len(v.Breaches))] {
		c.Said = append(c.Said, v.Breaches[i].Error())
	}
	return c, err
}

// spoil takes a cent out of the commission of the newest sale, behind the program's back, or puts it back.
func (w *world) spoil(ctx context.Context, breaks bool) (o Outcome, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if (w.broken != uuid.Nil) == breaks {
		if breaks {
			return o, errors.New("the cent is out already")
		}
		return o, errors.New("no cent is missing")
	}
	err = w.store.Update(ctx, w.Config().ID, func(tx *record.Tx) error {
		for r, err := range tx.Sales.List(record.Query{Desc: true}) {
			if err != nil {
				return err
			}
			if len(r.Commissions) == 0 || !breaks && r.ID != w.broken {
				continue
			}
			cent := affiliate.MustAmount("-0.01")
			if !breaks {
				cent = affiliate.MustAmount("0.01")
			}
			r = r.Clone()
			if r.Commissions[0].Earned, err = r.Commissions[0].Earned.Add(cent); err != nil {
				return err
			}
			o = Outcome{}
			o.say("The commission of sale %d is a cent less, and no movement says why.", r.Number)
			w.broken = r.ID
			return tx.Sales.Replace(r)
		}
		return affiliate.ErrNotFound
	})
	if err == nil && !breaks {
		w.broken, o.Said = uuid.Nil, []string{"The cent is back."}
	}
	return o, err
}
