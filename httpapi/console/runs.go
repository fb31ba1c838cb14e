package console

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// A runSheet is the page of a payout run.
type runSheet struct {
	affiliate.PayoutRunResult
	Lines []paidLine
	Files listing
}

// A paidLine is the result of a run for one affiliate.
type paidLine struct {
	affiliate.PayoutLine
	Name string
}

// runPage shows the run that the query names, with its lines.
func runPage(v *visit) (view, error) {
	name := v.query.Get(paramRun)
	run, err := v.program.PayoutRun(v.ctx(), name)
	if err != nil {
		return view{}, err
	}
	lines, err := v.program.PayoutLines(v.ctx(), name, v.page50())
	if err != nil {
		return view{}, err
	}
	d := runSheet{PayoutRunResult: run, Files: filesOf(name)}
	d.Lines, err = v.lines(lines.Items)
	return view{title: "Payout run " + page.Named(name), template: "run", next: lines.Next, Data: &d}, err
}

// paramRun is the name of a run.
const paramRun = "externalId"

// Running reports whether the run is not over.
func (s *runSheet) Running() bool { return s.Status == affiliate.RunRunning }

// lines returns lines with the names of their affiliates.
func (v *visit) lines(all []affiliate.PayoutLine) (named []paidLine, err error) {
	for _, line := range all {
		name, err := v.payee(line.AffiliateID)
		if err != nil {
			return nil, err
		}
		named = append(named, paidLine{line, name})
	}
	return named, nil
}

// previewed is the number of lines on the preview of a run.
const previewed = 100

// runStep is the number of affiliates that one click pays.
const runStep = 1_000

// runPayouts makes a payout for everybody who is owed something.
var runPayouts = &action{
	name: "payouts.run", object: "run", names: paramRun, done: "This is what the run did.",
	form: func(v *visit) (form, error) {
		f := form{Title: "Run payouts", Button: "Make the payouts", Back: "payouts", Fields: []field{
			{Name: paramRun, Label: "Name of the run", Hint: "Such as 2026-11. The same name with the same settings goes on with the same run and pays nobody twice.", Required: true, Value: cmp.Or(v.query.Get(paramRun), v.today())},
			{Name: "minimum", Label: "Minimum of a payout, in " + string(v.Currency), Hint: "Who is owed less waits.", Required: true, Value: cmp.Or(v.query.Get("minimum"), "0")},
			{Name: "method", Label: "Only who is paid by", Value: v.query.Get("method"), Options: orNone("Any method", options(paymentMethods...))},
			{Name: "noDetails", Label: "Also who has not said how to be paid", Type: "checkbox", Value: v.query.Get("noDetails")},
		}}
		if v.did() == "payouts.run" {
			f.Title, f.Button = "Run payouts: there are more affiliates", "Go on"
		}
		f.Effects = []string{"A payout is made for each affiliate who is owed something. It is pending until you say what became of it; no money is sent from here.", "The next page shows who would be paid what, before anything is made."}
		return f, nil
	},
	repeat: func(v *visit, in *input) ([]string, error) {
		run := in.run()
		if in.err != nil {
			return nil, in.err
		}
		return v.previewOf(run)
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		run := in.run()
		if in.err != nil {
			return "", in.err
		}
		run.Limit = runStep
		result, err := p.RunPayouts(v.ctx(), run)
		if result.Status == affiliate.RunRunning {
			more := url.Values{paramRun: {run.ExternalID}, "minimum": {run.Minimum.String()}, "method": {in.Get("method")}, "noDetails": {in.Get("noDetails")}}
			return "payouts/new?" + more.Encode(), err
		}
		return "payouts/run?" + url.Values{paramRun: {run.ExternalID}}.Encode(), err
	},
}

// previewOf returns whom a run would pay with one click, and how much.
func (v *visit) previewOf(run affiliate.PayoutRun) (found []string, err error) {
	list, err := v.program.PreviewPayouts(v.ctx(), run, affiliate.Page{Limit: runStep})
	if err != nil {
		return nil, err
	}
	var total affiliate.Amount
	paid := 0
	for _, line := range list.Items {
		if line.Skipped.IsNull() {
			paid++
			if total, err = total.Add(line.Amount); err != nil {
				return nil, err
			}
		}
	}
	lines, err := v.lines(list.Items[:min(len(list.Items), previewed)])
	for _, line := range lines {
		text := v.Short(line.Name) + ": " + v.Money(line.Amount)
		if why, skipped := line.Skipped.Get(); skipped {
			text += ", waits: " + strings.ToLower(page.Words(why))
		}
		found = append(found, text)
	}
	switch {
	case len(found) == 0 && list.Next == "":
		return []string{"Nobody is owed anything."}, err
	case list.Next != "" || len(list.Items) > previewed:
		found = append(found, "… and more")
	}
	return append([]string{several(paid, "payout") + ", " + v.Money(total) + " in all:"}, found...), err
}

// run reads the form of a payout run.
func (in *input) run() affiliate.PayoutRun {
	run := affiliate.PayoutRun{ExternalID: in.text(paramRun), Minimum: in.amount("minimum").Or(affiliate.Amount{}), NoDetails: in.yes("noDetails")}
	if method := in.Get("method"); method != "" {
		run.Methods = []affiliate.PaymentMethod{affiliate.PaymentMethod(method)}
	}
	return run
}
