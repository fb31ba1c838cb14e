package console

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// What is to be paid of a run, by method, and that all of a method is paid.

// A methodSum is the payouts of one method.
type methodSum struct {
	Method affiliate.PaymentMethod // empty: not said
	Amount affiliate.Amount
	Each   []affiliate.Transfer
}

// Count returns how many payouts there are.
func (m methodSum) Count() int { return len(m.Each) }

// methodSums are sorted by method.
type methodSums []methodSum

// add counts a payout.
func (s *methodSums) add(t affiliate.Transfer) (err error) {
	i, found := slices.BinarySearchFunc(*s, t.Method, func(m methodSum, by affiliate.PaymentMethod) int { return cmp.Compare(m.Method, by) })
	if !found {
		*s = slices.Insert(*s, i, methodSum{Method: t.Method})
	}
	m := &(*s)[i]
	m.Each = append(m.Each, t)
	m.Amount, err = m.Amount.Add(t.Amount)
	return err
}

// total returns the number of all payouts, and their sum.
func (s methodSums) total() (n int, sum affiliate.Amount, err error) {
	for _, m := range s {
		if sum, err = sum.Add(m.Amount); err != nil {
			return n, sum, err
		}
		n += m.Count()
	}
	return n, sum, nil
}

// methodSaid returns a method for people.
func methodSaid(method affiliate.PaymentMethod) string {
	if method == "" {
		return "Not said"
	}
	return page.Words(method)
}

const (
	mostDue  = 1_000 // payouts that the page of a run counts
	paidStep = 500   // payouts that one click marks as paid
)

// duePayouts are those of a run that are not settled.
type duePayouts struct {
	Methods methodSums
	More    bool // there are more than mostDue
}

// due returns the payouts of a run that are pending or on their way.
func (v *visit) due(run uuid.UUID) (d duePayouts, err error) {
	left := mostDue
	for _, status := range []affiliate.PayoutStatus{affiliate.PayoutPending, affiliate.PayoutProcessing} {
		for t, err := range v.program.Transfers(v.ctx(), affiliate.PayoutFilter{RunID: affiliate.Set(run), Status: status}) {
			if err != nil {
				return d, err
			}
			if left--; left < 0 {
				d.More = true
				return d, nil
			}
			if err := d.Methods.add(t); err != nil {
				return d, err
			}
		}
	}
	return d, nil
}

// Said returns the method for people.
func (m methodSum) Said() string { return methodSaid(m.Method) }

// Of returns the query that names the payouts of the method in a run.
func (m methodSum) Of(run string) string {
	return "?" + url.Values{paramRun: {run}, paramMethod: {string(m.Method)}}.Encode()
}

// Wise and PayPal report which file the method has; Listed, whether it is a general one.
func (m methodSum) PayPal() bool { return m.Method == "PAYPAL" }
func (m methodSum) Wise() bool   { return m.Method == "WISE" }
func (m methodSum) Listed() bool { return !m.PayPal() && !m.Wise() && m.Method != "" }

// payMethod says that all payouts of a method of a run are paid. Each is a write of its own; the
// form has their ids, so that it goes on with the same ones when it is sent again.
var payMethod = &action{
	name: "payouts.paid", object: "payout", done: "The payouts were marked as paid.",
	form: func(v *visit) (form, error) {
		name, method := v.query.Get(paramRun), affiliate.PaymentMethod(v.query.Get(paramMethod))
		run, err := v.program.PayoutRun(v.ctx(), name)
		if err != nil {
			return form{}, err
		}
		d, err := v.due(run.ID)
		if err != nil {
			return form{}, err
		}
		i := slices.IndexFunc(d.Methods, func(m methodSum) bool { return m.Method == method })
		if i < 0 {
			return form{}, notAllowed("Nothing of this run is still to be paid in this way.")
		}
		each := d.Methods[i].Each
		more := d.More || len(each) > paidStep
		each = each[:min(len(each), paidStep)]
		f := form{Title: "Mark as paid: " + methodSaid(method) + ", run " + page.Named(name), Back: "payouts/run?" + url.Values{paramRun: {name}}.Encode()}
		lines := table{Caption: "What becomes paid", Head: []string{"To", "Email", "Amount in " + string(v.Currency)}, Numbers: 1}
		var sum affiliate.Amount
		ids := make([]string, len(each))
		for n, t := range each {
			if sum, err = sum.Add(t.Amount); err != nil {
				return form{}, err
			}
			ids[n] = t.PayoutID.String()
			if n < previewed {
				lines.Rows = append(lines.Rows, []string{v.Short(t.Name), v.Short(t.Email), v.Figure(t.Amount)})
			}
		}
		if len(each) > previewed {
			lines.Caption = "The first " + page.Count(previewed)
		}
		what := several(len(each), "payout") + ", " + v.Money(sum)
		f.Button = "Mark as paid: " + what
		f.Effects = []string{what + ". What becomes paid stays so unless the money comes back."}
		if more {
			f.Effects = append(f.Effects, "There are more. Do it once more after these.")
		}
		f.Tables, f.State = []table{lines}, strings.Join(ids, ",")
		f.Fields = []field{{Name: "payouts", Type: "hidden", Value: f.State}}
		return f, nil
	},
	do: func(v *visit, _ *tributary.Program, in *input) (string, error) {
		to := "payouts/run?" + url.Values{paramRun: {v.query.Get(paramRun)}}.Encode()
		for text := range strings.SplitSeq(in.Get("payouts"), ",") {
			id, err := uuid.Parse(text)
			if err != nil {
				return "", badQuery("An id is wrong.")
			}
			v.objects = append(v.objects, id.String())
			one := v.once
			one.Key += "-" + id.String()
			if _, err := v.program.From(affiliate.SourceManual).By(v.actor).Keyed(one).SetPayoutStatus(v.ctx(), id, affiliate.PayoutPaid); err != nil {
				return "", err
			}
		}
		return to, nil
	},
}
