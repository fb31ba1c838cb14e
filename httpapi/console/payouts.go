package console

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

var payoutStatuses = []affiliate.PayoutStatus{
	affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled,
}

type payoutList struct {
	Items    []affiliate.Payout
	Statuses []option
	Balances []owed
}

// An owed is what an affiliate is owed.
type owed struct {
	affiliate.Balance
	Name string
}

// payouts lists payouts, and on its first page what is owed.
func payouts(v *visit) (view, error) {
	list, err := v.program.Payouts(v.ctx(), affiliate.PayoutFilter{Status: affiliate.PayoutStatus(v.query.Get("status"))}, v.page50())
	if err != nil {
		return view{}, err
	}
	d := payoutList{Items: list.Items, Statuses: options(payoutStatuses...)}
	if v.query.Get(paramCursor) == "" && v.query.Get("status") == "" {
		if d.Balances, err = v.owed(); err != nil {
			return view{}, err
		}
	}
	return view{title: "Payouts", template: "payouts", next: list.Next, Data: &d}, nil
}

// owed are the balances of a page of affiliates who are owed something.
func (v *visit) owed() (all []owed, err error) {
	list, err := v.program.Balances(v.ctx(), affiliate.Page{Limit: 50})
	if err != nil {
		return nil, err
	}
	for _, b := range list.Items {
		if b.Payable.IsZero() && b.Held.IsZero() && b.Maturing.IsZero() {
			continue
		}
		name, err := v.payee(b.AffiliateID)
		if err != nil {
			return nil, err
		}
		all = append(all, owed{b, name})
	}
	return all, nil
}

// payoutPage shows a payout.
func payoutPage(v *visit) (view, error) {
	p, err := v.payout()
	if err != nil {
		return view{}, err
	}
	name, err := v.payee(p.AffiliateID)
	return view{title: "Payout to " + name, template: "payout", Data: struct {
		affiliate.Payout
		Name string
		To   []option
	}{p, name, payoutMoves(p.Status)}}, err
}

func (v *visit) payout() (affiliate.Payout, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Payout{}, err
	}
	return v.program.Payout(v.ctx(), id)
}

// payoutMoves are the statuses that a payout can get.
func payoutMoves(from affiliate.PayoutStatus) []option {
	switch from {
	case affiliate.PayoutPending:
		return options(affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutCanceled)
	case affiliate.PayoutProcessing:
		return options(affiliate.PayoutPaid, affiliate.PayoutFailed)
	case affiliate.PayoutFailed:
		return options(affiliate.PayoutProcessing, affiliate.PayoutCanceled)
	}
	return nil
}

// payoutStatus says what became of a payout.
var payoutStatus = &action{
	name: "payouts.status", object: "payout", done: "The status of the payout was changed.",
	form: func(v *visit) (form, error) {
		p, err := v.payout()
		if err != nil {
			return form{}, err
		}
		to := payoutMoves(p.Status)
		if len(to) == 0 {
			return form{}, notAllowed("This payout is " + strings.ToLower(words(p.Status)) + " and stays so.")
		}
		return form{
			Title: "What became of this payout?", Button: "Save", Back: "payouts/" + p.ID.String(),
			Effects: []string{"Paid: it stays as it is for good. Failed: it can be tried again or canceled. Canceled: what it took can be paid by the next run."},
			Fields: []field{
				{Name: "status", Label: "Status", Type: "select", Required: true, Options: to},
				{Name: "failedReason", Label: "Why it failed", Hint: "Only when it failed.", Type: "text"},
			},
		}, nil
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		status := affiliate.PayoutStatus(sent.Get("status"))
		reason := strings.TrimSpace(sent.Get("failedReason"))
		switch {
		case status == affiliate.PayoutFailed:
			_, err = p.FailPayout(v.ctx(), id, reason)
		case reason != "":
			err = wrongField("failedReason", "Leave this empty: the payout has not failed.")
		case status == affiliate.PayoutCanceled:
			_, err = p.CancelPayout(v.ctx(), id)
		default:
			_, err = p.SetPayoutStatus(v.ctx(), id, status)
		}
		return "payouts/" + id.String(), err
	},
}

// previewed is how many lines of a run its form shows.
const previewed = 100

// runPayouts makes a payout for everybody who is owed something.
var runPayouts = &action{
	name: "payouts.run", object: "run", names: "externalId", done: "The run has begun. Large ones go on: run the same name again until nothing is added.",
	form: func(v *visit) (form, error) {
		shown := view{visit: v}
		lines, err := v.program.PayoutPreview(v.ctx(), affiliate.PayoutRun{}, affiliate.Page{Limit: previewed})
		if err != nil {
			return form{}, err
		}
		f := form{Title: "Run payouts", Button: "Make the payouts", Back: "payouts", Fields: []field{
			{Name: "externalId", Label: "Name of the run", Hint: "Such as 2026-11. The same name goes on with the same run and pays nobody twice.", Type: "text", Required: true, Value: v.now().In(v.location()).Format("2006-01-02")},
			{Name: "minimum", Label: "Minimum of a payout", Hint: "Who is owed less waits.", Type: "text", Required: true, Value: "0"},
		}}
		f.Effects = []string{"Without a minimum these affiliates are paid now:"}
		for _, line := range lines.Items {
			name, err := v.payee(line.AffiliateID)
			if err != nil {
				return form{}, err
			}
			text := shown.Short(name) + ": " + shown.Money(line.Amount)
			if why, skipped := line.Skipped.Get(); skipped {
				text += ", waits: " + strings.ToLower(words(why))
			}
			f.Effects = append(f.Effects, text)
		}
		if lines.Next != "" {
			f.Effects = append(f.Effects, "… and more")
		}
		return f, nil
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		least, err := amount(sent, "minimum")
		if err != nil {
			return "", err
		}
		_, err = p.StepPayouts(v.ctx(), affiliate.PayoutRun{ExternalID: strings.TrimSpace(sent.Get("externalId")), Minimum: least}, 1000)
		return "payouts", err
	},
}

// payoutFile is the file of the payouts that are due, for people and banks.
func payoutFile(v *visit) error {
	var out bytes.Buffer
	if err := payfile.Generic(&out, v.program.Payments(v.ctx(), affiliate.PayoutFilter{Status: affiliate.PayoutPending})); err != nil {
		return err
	}
	v.attach("payouts-"+v.now().In(v.location()).Format("2006-01-02")+".csv", out.Bytes())
	return nil
}
