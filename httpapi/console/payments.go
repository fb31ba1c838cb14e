package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Payments of a provider that brought money and have no sale, and wait for a
// decision.

// A waitingList is the page of what waits for somebody.
type waitingList[T any] struct{ affiliate.Waiting[T] }

// Rest says how many more wait than are listed; empty: none.
func (l waitingList[T]) Rest() string {
	switch rest := l.Count - len(l.Items); {
	case l.More:
		return "more than " + fmt.Sprint(rest)
	case rest > 0:
		return fmt.Sprint(rest)
	}
	return ""
}

// WhyNoSale says why a payment has no sale.
func (*view) WhyNoSale(p affiliate.ConflictPayment) string { return whyNoSale(p) }

// doubted reports whether a payment waits because its sale may be wrong.
func doubted(p affiliate.ConflictPayment) bool {
	return p.Outcome == affiliate.SaleRevoked || p.Outcome == affiliate.SaleDiffers
}

// whyNoSale says why a payment has no sale, or one that may be wrong.
func whyNoSale(p affiliate.ConflictPayment) string {
	switch {
	case p.Outcome == affiliate.SaleRefused:
		return "its code was refused"
	case p.Outcome == affiliate.SaleUnattributed:
		return "it names nobody who exists"
	case p.Awaits != "":
		return "the event that tells how much has not come, or did not say who brought the customer: " + p.Awaits
	case p.Outcome == affiliate.SaleUnknownUnit:
		return "nobody knows how its provider counts the amount; record the sale yourself"
	case p.Outcome == affiliate.SaleNoCustomer:
		return "nothing says who paid; record the sale yourself with an email"
	case p.Outcome == affiliate.SaleNoFirst && p.PayerID.IsNull():
		return "it is a renewal by a code, and its first payment was not told: have the provider send that again, and then this one"
	case p.Outcome == affiliate.SaleNoFirst:
		return "it is a renewal by a code, and its first payment was not told: have the provider send that again, and it becomes a sale by itself"
	case p.Outcome == affiliate.SaleParked:
		return "nothing says whom to credit"
	case p.Outcome == affiliate.SaleRevoked:
		return "it is cancelled or failed, and no refund says what went back: refund its sale, if the customer has the money"
	case p.Outcome == affiliate.SaleDiffers:
		return "it was told again as of more, or of another day: correct the total of its sale, if the customer paid more"
	case p.Outcome == affiliate.SaleOtherCurrency:
		return "it is in another currency than the program's, which has no rate for it"
	case p.SaleID == 0:
		return "it names a sale that was deleted"
	}
	return fmt.Sprintf("it is not as in sale %v, which it names", p.SaleID)
}

// mostWaiting is the number of waiting objects that the engine shows at once.
const mostWaiting = 20

// conflicts lists the payments that wait, the newest first.
func conflicts(v *visit) (view, error) {
	a, err := v.program.Attention(v.Ctx(), mostWaiting)
	return view{title: "Payments without a sale", template: "conflicts",
		Data: waitingList[affiliate.ConflictPayment]{a.PaymentConflicts}}, err
}

// A disputedPayment is a payment next to the sale that it names.
type disputedPayment struct {
	affiliate.ConflictPayment
	sale  affiliate.Sale
	gone  bool // it names no sale that is there
	money string
}

var ofDisputed = noun[disputedPayment]{"payments", disputed}

func disputed(v *visit, id uuid.UUID) (d disputedPayment, err error) {
	if d.ConflictPayment, err = v.program.Payments().PaymentConflict(v.Ctx(), id); err != nil {
		return d, err
	}
	d.money = v.MoneyIn(d.Amount, d.Currency)
	if d.gone = d.SaleID == 0; d.gone {
		return d, nil
	}
	d.sale, err = v.program.Sale(v.Ctx(), d.SaleID)
	return d, err
}

// names returns the provider and its ids of the payment.
func (d *disputedPayment) names() string {
	text := page.Words(d.Provider)
	if len(d.Keys) > 0 {
		text += " " + page.Text(strings.Join(d.Keys, ", "), page.InList)
	}
	if payer, known := d.PayerID.Get(); known {
		text += ", of its customer " + page.Text(payer, page.InList)
	}
	return text
}

// stays describes the sale, which does not change.
func (d *disputedPayment) stays(v *visit) string {
	if d.gone {
		return "No sale changes."
	}
	buyer := "nobody who is known"
	if who := d.sale.Email.Or(d.sale.Name.Or("")); who != "" {
		buyer = v.Short(who)
	}
	return fmt.Sprintf("Sale %v is of %s, paid by %s, and %s was refunded. Its commission is %s for %s.",
		d.SaleID, v.Money(d.sale.TotalEarned), buyer, v.Money(d.sale.RefundedAmount), v.Money(d.sale.CommissionEarned), v.Short(d.sale.Affiliate.Name))
}

var decidePayment = &action{
	name: "payments.decide", object: "payment", done: "The decision was booked.",
	form: ofDisputed.form(func(v *visit, d disputedPayment) (form, error) {
		choices := []option{
			{noChoice, "Choose one…"},
			{string(affiliate.PaymentIsSameSale), fmt.Sprintf("The payment of sale %v", d.SaleID)},
			{string(affiliate.PaymentIsOwnSale), "Another payment: a sale of its own"},
			{string(affiliate.PaymentDismissed), "Neither: it is kept and earns nothing"},
		}
		if d.gone {
			choices = append(choices[:1:1], choices[2:]...)
		}
		if d.Outcome == affiliate.SaleParked || d.Outcome == affiliate.SaleUnknownUnit {
			choices = append(choices[:1:1], choices[2:]...)
		}
		so := "It changed nothing so far"
		if doubted(d.ConflictPayment) {
			so, choices = "It waits", []option{choices[0],
				{string(affiliate.PaymentDismissed), "Right as it is: its sale stays"}}
		}
		fields, err := v.decisionFields(d.ConflictPayment, choices)
		return form{
			Title: "What is this payment?", Button: "Decide",
			Effects: []string{
				fmt.Sprintf("%s was paid: %s, reported on %s. %s: %s.", d.money, d.names(),
					v.Day(d.CreatedAt), so, whyNoSale(d.ConflictPayment)),
				d.stays(v),
			},
			Fields: fields,
		}, err
	}),
	repeat: func(v *visit, in *input) (form, error) {
		d, err := ofDisputed.named(v)
		return form{Effects: d.means(v, in.decision())}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		said := affiliate.PaymentDecisionParams{Decision: in.decision()}
		if in.text(fieldAffiliate) != "" {
			by, err := v.affiliateTyped(in, fieldAffiliate)
			if err != nil {
				return "", err
			}
			said.ReferralID = by.ID.String()
		}
		if said.ExchangeRate = in.exchangeRate(); in.err != nil {
			return "", nil
		}
		result, err := p.DecidePayment(v.Ctx(), id, said)
		if sale, made := result.Sale.Get(); made {
			return fmt.Sprint("sales/", sale.ID), err
		}
		if err == nil && result.Waits != "" {
			d, err := disputed(v, id)
			return "", cmp.Or(err, wrongField("decision", "It waits on: "+whyNoSale(d.ConflictPayment)+"."))
		}
		return "payments", credited(err)
	},
}

// decisionFields are what a person says of a payment. Only a sale of its own asks whom it credits, and
// what its currency is worth where nobody knows.
func (v *visit) decisionFields(p affiliate.ConflictPayment, choices []option) ([]field, error) {
	all := []field{{Name: "decision", Label: "It is", Required: true, Options: choices}}
	if !slices.ContainsFunc(choices, func(o option) bool { return o.Value == string(affiliate.PaymentIsOwnSale) }) {
		return all, nil
	}
	by, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate", Own: true,
		Hint: "Who is credited with a sale of its own. Empty: whom the payment names."})
	if all = append(all, by); p.Currency != v.Currency {
		all = append(all, field{Name: fieldRate, Label: "Rate", Own: true,
			Hint: fmt.Sprintf("What 1 %s was worth in %s then, such as 1.0842: for a sale of its own.", p.Currency, v.Currency)})
	}
	return all, err
}

// fieldRate has a rate of exchange.
const fieldRate = "exchangeRate"

// exchangeRate reads what a currency is worth in the program's.
func (in *input) exchangeRate() affiliate.ExchangeRate {
	return read(in, fieldRate, affiliate.ParseExchangeRate, "Enter a number, such as 1.0842.").Or(affiliate.ExchangeRate{})
}

// decision reads the choice of a decision.
func (in *input) decision() affiliate.PaymentDecision {
	if in.text("decision") == noChoice {
		in.wrong("decision", "Choose what it is.")
	}
	return affiliate.PaymentDecision(in.text("decision"))
}

// means says what a decision does, with every amount.
func (d *disputedPayment) means(v *visit, decision affiliate.PaymentDecision) []string {
	var does string
	switch decision {
	case affiliate.PaymentIsSameSale:
		does = fmt.Sprintf("%s (%s) becomes the payment of sale %v. What is refunded of the payment, also what was reported already, is taken off the sale", d.money, d.names(), d.SaleID)
		if d.Currency == v.Currency {
			does += ", at most " + d.money
		}
		does += "."
	case affiliate.PaymentIsOwnSale:
		does = fmt.Sprintf("%s (%s) becomes a sale of its own. Who brought its customer earns a commission of it.",
			d.money, d.names())
	default:
		does = fmt.Sprintf("%s (%s) is kept and earns nothing.", d.money, d.names())
		if doubted(d.ConflictPayment) {
			does = fmt.Sprintf("%s (%s) stays the payment of sale %v and waits no more.", d.money, d.names(), d.SaleID)
		}
	}
	return []string{does, d.stays(v)}
}
