package console

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A runSheet is the page of a payout run.
type runSheet struct {
	affiliate.PayoutRunResult
	Lines []paidLine
	Due   duePayouts
}

// A paidLine is the result of a run for one affiliate.
type paidLine struct {
	affiliate.PayoutLine
	Name    string
	Payout  affiliate.Payout // zero: there is none
	Waiting affiliate.Amount // what is not paid
}

// runPage shows the run that the query names, with its lines.
func runPage(v *visit) (view, error) {
	name := v.query.Get(paramRun)
	run, err := v.program.PayoutRun(v.Ctx(), name)
	if err != nil {
		return view{}, err
	}
	lines, err := v.program.PayoutLines(v.Ctx(), name, v.Page50())
	if err != nil {
		return view{}, err
	}
	d := runSheet{PayoutRunResult: run}
	if d.Due, err = v.due(run.ID); err != nil {
		return view{}, err
	}
	for _, line := range lines.Items {
		shown := paidLine{PayoutLine: line}
		if shown.Name, err = v.payee(line.AffiliateID); err != nil {
			return view{}, err
		}
		if shown.Waiting, err = v.waiting(line, run.StartedAt.Time()); err != nil {
			return view{}, err
		}
		if id, made := line.PayoutID.Get(); made {
			if shown.Payout, err = v.program.Payout(v.Ctx(), id); err != nil && !errors.Is(err, affiliate.ErrNotFound) {
				return view{}, err
			}
		}
		d.Lines = append(d.Lines, shown)
	}
	return view{title: "Payout run " + page.Named(name), template: "run", next: lines.Next, Data: &d}, nil
}

// paramRun is the name of a run.
const paramRun = "externalId"

// Running reports whether the run is not over.
func (s *runSheet) Running() bool { return s.Status == affiliate.RunRunning }

// Waits says why a run does not pay an affiliate.
func (*visit) Waits(why affiliate.SkipReason) string {
	switch why {
	case affiliate.SkipNothingMatured:
		return "Not yet due"
	case affiliate.SkipNegative:
		return "They owe more than is due"
	case affiliate.SkipNoPayoutMethod:
		return "No payout details"
	case affiliate.SkipBelowMinimum:
		return "Below the minimum"
	}
	return page.Words(why)
}

// waiting returns the balance of an affiliate that a run did not pay, at a moment. The line of a
// run has it, except when the affiliate is on hold or nothing was due.
func (v *visit) waiting(line affiliate.PayoutLine, at time.Time) (affiliate.Amount, error) {
	why := line.Skipped.Or("")
	if why != affiliate.SkipOnHold && why != affiliate.SkipNothingMatured {
		return line.Amount, nil
	}
	s, err := v.program.Statement(v.Ctx(), affiliate.AffiliateRef{ID: line.AffiliateID}, at, at.Add(time.Millisecond))
	if _, refused := page.Refusal(err); refused {
		return line.Amount, nil // the books are not open, or the affiliate is gone
	}
	if why == affiliate.SkipOnHold {
		return s.Closing.Held, err
	}
	return s.Closing.Payable, err
}

// A bounce is an affiliate whose newest payout did not arrive, or was canceled, and who is still paid as it was.
type bounce struct {
	affiliate.Affiliate
	why  string
	lost bool // it did not arrive
}

// bouncedLooks is the number of payouts of a status that are looked at, the newest.
const bouncedLooks = 200

// bounced returns the affiliates to whom another payout would go where the newest one did.
func (v *visit) bounced() (all []bounce, err error) {
	for _, status := range []affiliate.PayoutStatus{affiliate.PayoutFailed,
		affiliate.PayoutReturned, affiliate.PayoutCanceled} {
		list, err := v.program.Payouts(v.Ctx(), affiliate.PayoutQuery{Status: status},
			affiliate.Page{Limit: bouncedLooks})
		if err != nil {
			return nil, err
		}
		for _, p := range list.Items {
			newest, err := v.program.Payouts(v.Ctx(),
				affiliate.PayoutQuery{AffiliateID: affiliate.Set(p.AffiliateID)},
				affiliate.Page{Limit: 1})
			if err != nil {
				return nil, err
			}
			a, err := v.program.Affiliate(v.Ctx(), p.AffiliateID.String())
			switch {
			case errors.Is(err, affiliate.ErrNotFound):
			case err != nil:
				return nil, err
			case newest.Items[0].ID == p.ID && a.PayoutEmail.Or("") == p.PayeeEmail.Or("") &&
				a.PaymentMethod.Or("") == p.PaymentMethod.Or(""):
				b := bounce{a, "Their last payout was canceled", status != affiliate.PayoutCanceled}
				if b.lost {
					b.why = "Their last payout did not arrive" +
						strings.TrimSuffix(": "+
							v.WhyNotPaid(p.Status, p.FailedReason, p.ReturnedReason), ": ")
				}
				all = append(all, b)
			}
		}
	}
	return all, nil
}

// fieldExcept is the field with those whom a run leaves out, one in a line.
const fieldExcept = "except"

// exceptField is that field. A new run leaves out whose last payout did not arrive.
func (v *visit) exceptField() (field, error) {
	f := field{Name: fieldExcept, Label: "Leave out", Type: "textarea",
		Value: strings.ReplaceAll(strings.Join(v.query[fieldExcept], "\n"), ",", "\n"),
		Hint:  "Emails, ids or links of affiliates, one in a line. They wait for another run."}
	if v.query.Has(paramRun) {
		return f, nil // it goes on as it was begun
	}
	all, err := v.bounced()
	var lines []string
	for _, b := range all {
		if b.lost {
			lines = append(lines, b.Email)
		}
	}
	if f.Value = strings.TrimSpace(f.Value + "\n" + strings.Join(lines, "\n")); len(lines) > 0 {
		f.Hint += " Those by email are there because their last payout did not arrive, and it would go to the same address."
	}
	return f, err
}

// previewed is the number of lines on the preview of a run.
const previewed = 100

// runStep is the number of affiliates that one click pays.
const runStep = 1_000

// runPayouts makes a payout for everybody who is owed something.
var runPayouts = &action{
	name: "payouts.run", object: "run", names: paramRun, done: "This is what the run did.",
	form: func(v *visit) (form, error) {
		except, err := v.exceptField()
		if err != nil {
			return form{}, err
		}
		f := form{Title: "Run payouts", Button: "Make the payouts", Back: "payouts", Fields: []field{
			{Name: paramRun, Label: "Name of the run",
				Hint:     "Such as 2026-11. The same name with the same settings goes on with the same run and pays nobody twice.",
				Required: true, Value: cmp.Or(v.query.Get(paramRun), v.today())},
			{Name: "minimum", Label: "Minimum of a payout, in " + string(v.Currency),
				Hint: "Who is owed less waits.", Required: true,
				Value: cmp.Or(v.query.Get("minimum"), v.program.Config().PayoutMinimum.String())},
			{Name: "method", Label: "Only who is paid by", Value: v.query.Get("method"),
				Options: orNone("Any method", options(paymentMethods...))},
			{Name: "noDetails", Label: "Also who has not said how to be paid", Type: "checkbox",
				Value: v.query.Get("noDetails")},
			except,
		}}
		if did, _ := v.did(); did == "payouts.run" {
			f.Title, f.Button = "Run payouts: there are more affiliates", "Go on"
		}
		f.Effects = []string{"A payout is made for each affiliate who is owed something. It is pending until you say what became of it; no money is sent from here.", "The next page shows who would be paid what, before anything is made."}
		return f, nil
	},
	repeat: func(v *visit, in *input) (form, error) {
		run, err := v.runTyped(in)
		if err != nil {
			return form{}, err
		}
		if had, err := v.program.PayoutRun(v.Ctx(), run.ExternalID); err == nil && had.Status == affiliate.RunDone {
			return form{}, wrongField(paramRun, "A run with this name is done: give this one another name.")
		} else if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
			return form{}, err
		}
		return v.previewOf(run)
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		run, err := v.runTyped(in)
		if err != nil {
			return "", err
		}
		run.Limit = runStep
		result, err := p.RunPayouts(v.Ctx(), run)
		if result.Status == affiliate.RunRunning {
			more := url.Values{paramRun: {run.ExternalID}, "minimum": {in.text("minimum")},
				"method": {in.Get("method")}, "noDetails": {in.Get("noDetails")},
				fieldExcept: {joined(run.ExceptIDs)}}
			return "payouts/new?" + more.Encode(), err
		}
		return "payouts/run?" + url.Values{paramRun: {run.ExternalID}}.Encode(), err
	},
}

// previewOf returns whom a run would pay with one click, by what, and how much.
func (v *visit) previewOf(run affiliate.PayoutRun) (f form, err error) {
	list, err := v.program.PreviewPayouts(v.Ctx(), run, affiliate.Page{Limit: runStep})
	if err != nil {
		return f, err
	}
	if len(list.Items) == 0 && list.Next == "" {
		f.Effects = []string{"Nobody is owed anything."}
		return f, nil
	}
	all, err := v.bounced()
	if err != nil {
		return f, err
	}
	bounced := map[uuid.UUID]string{}
	for _, b := range all {
		bounced[b.ID] = b.why
	}
	in := " in " + string(v.Currency)
	lines := table{Caption: "Who is paid, and who waits",
		Head: []string{"Affiliate", "Paid by", "Note", "Amount" + in}, Numbers: 1}
	var sums methodSums
	for _, line := range list.Items {
		a, err := v.program.Affiliate(v.Ctx(), line.AffiliateID.String())
		if errors.Is(err, affiliate.ErrNotFound) {
			a.Name, err = line.AffiliateID.String(), nil
		}
		if err != nil {
			return f, err
		}
		why, waits := line.Skipped.Get()
		if !waits {
			if err := sums.add(affiliate.Transfer{Method: a.PaymentMethod.Or(""), Amount: line.Amount}); err != nil {
				return f, err
			}
		}
		note := bounced[a.ID]
		if waits {
			note = "Waits: " + v.Waits(why)
		}
		if row := len(lines.Rows); row < previewed || !waits && note != "" {
			sum, err := v.waiting(line, v.now())
			if err != nil {
				return f, err
			}
			if note != "" && !waits {
				row = 0 // where it is seen
			}
			lines.Rows = slices.Insert(lines.Rows, row,
				[]string{v.Short(a.Name), methodSaid(a.PaymentMethod.Or("")), note, v.Figure(sum)})
		}
	}
	if rest := len(list.Items) - len(lines.Rows); rest > 0 || list.Next != "" {
		lines.Caption = "The first " + page.Count(int64(len(lines.Rows)))
	}
	n, sum, err := sums.total()
	if err != nil {
		return f, err
	}
	f.Effects = []string{several(n, "payout") + ", " + v.Money(sum) + " in all."}
	if n := len(run.ExceptIDs); n > 0 {
		f.Effects = append(f.Effects, several(n, "affiliate")+" left out.")
	}
	if list.Next != "" {
		f.Effects = append(f.Effects,
			"These are of the first "+page.Count(runStep)+
				" affiliates. The next step goes on with the others.")
	}
	totals := table{Caption: "What is paid, by method", Head: []string{"Paid by", "Payouts", "Amount" + in}, Numbers: 2}
	for _, g := range sums {
		totals.Rows = append(totals.Rows,
			[]string{methodSaid(g.Method), page.Count(int64(g.Count())), v.Figure(g.Amount)})
	}
	if len(sums) > 0 {
		f.Tables = append(f.Tables, totals)
	}
	f.Tables = append(f.Tables, lines)
	return f, nil
}

// runTyped reads the form of a payout run.
func (v *visit) runTyped(in *input) (affiliate.PayoutRun, error) {
	run := affiliate.PayoutRun{ExternalID: in.text(paramRun),
		Minimum: in.amount("minimum"), NoDetails: in.yes("noDetails")}
	if method := in.Get("method"); method != "" {
		run.Methods = []affiliate.PaymentMethod{affiliate.PaymentMethod(method)}
	}
	for line := range strings.Lines(in.text(fieldExcept)) {
		one := &input{Values: url.Values{fieldExcept: {line}}}
		if one.text(fieldExcept) == "" {
			continue
		}
		a, err := v.affiliateTyped(one, fieldExcept)
		if why, refused := page.Refusal(err); refused {
			in.wrong(fieldExcept, page.Text(one.text(fieldExcept), page.InList)+": "+why.Message)
		} else if err != nil {
			return run, err
		}
		run.ExceptIDs = append(run.ExceptIDs, a.ID)
	}
	return run, in.err
}

// joined returns ids as a query has them.
func joined(ids []uuid.UUID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return strings.Join(texts, ",")
}

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
	i, found := slices.BinarySearchFunc(*s, t.Method,
		func(m methodSum, by affiliate.PaymentMethod) int { return cmp.Compare(m.Method, by) })
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
		for t, err := range v.program.Transfers(v.Ctx(),
			affiliate.PayoutQuery{RunID: affiliate.Set(run), Status: status}) {
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
		run, err := v.program.PayoutRun(v.Ctx(), name)
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
		f := form{Title: "Mark as paid: " + methodSaid(method) + ", run " + page.Named(name),
			Back: "payouts/run?" + url.Values{paramRun: {name}}.Encode()}
		lines := table{Caption: "What becomes paid",
			Head: []string{"To", "Email", "Amount in " + string(v.Currency)}, Numbers: 1}
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
			if _, err := v.oneOf(id).SetPayoutStatus(v.Ctx(), id, affiliate.PayoutPaid); err != nil {
				return "", err
			}
		}
		return to, nil
	},
}
