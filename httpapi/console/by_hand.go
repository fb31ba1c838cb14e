package console

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// What is recorded by hand, because nothing has reported it.

var newSale = &action{
	name: "sales.create", object: "sale", done: "The sale was recorded. This is what it earns, and why.",
	form: func(v *visit) (form, error) {
		fields, err := v.creditFields()
		return form{
			Title: "Record a sale", Button: "Record", Back: "sales",
			Effects: []string{"It earns what it would have earned if your shop had reported it. The event sale.created is sent."},
			Fields: append(fields,
				field{Name: "totalEarned", Label: "What the customer paid", In: paramCurrency, Required: true},
				field{Name: paramCurrency, Label: "Currency", Value: string(v.Currency), Required: true},
				field{Name: "externalId", Label: "Number of the order", Hint: "An order is recorded once.",
					Value: v.query.Get(paramOrder)},
				field{Name: "paidAt", Label: "Paid on", Type: "date", Own: true,
					Hint: "Empty: now. Terms and codes are those of that day."},
				field{Name: "exchangeRate", Label: "Rate", More: true,
					Hint: "What one unit of the currency was worth in " + string(v.Currency) + ", such as 1.0842."},
				field{Name: "tax", Label: "Tax", In: paramCurrency, Hint: "How much of it was tax.", More: true},
				field{Name: "shipping", Label: "Shipping", In: paramCurrency, Hint: "How much of it was shipping.", More: true},
				field{Name: fieldLines, Label: "What was bought", Type: "textarea", Own: true, More: true,
					Hint: "Each in a line: product; pieces; what they cost together before discount and tax. Such as TEA-250; 2; 19.80"},
				field{Name: "promoCode", Label: "Code", Hint: "It is redeemed.", More: true},
				field{Name: "externalInvoiceId", Label: "Number of the invoice", More: true},
			),
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		who, err := v.creditTyped(in)
		sale := affiliate.SaleParams{ReferralID: who.ReferralID, Email: who.Email, Name: who.Name}
		in.into(&sale)
		sale.PaidAt, sale.Lines = in.paidOn(v), in.bought(in.currencyOf(paramCurrency))
		if err != nil || in.err != nil {
			return "", err
		}
		result, err := p.RecordSale(v.Ctx(), sale)
		return recorded(result, credited(err))
	},
}

// newConversion records what a customer did without a payment.
var newConversion = &action{
	name: "sales.convert", object: "sale", done: "The conversion was recorded. This is what it earns, and why.",
	form: func(v *visit) (form, error) {
		fields, err := v.creditFields()
		return form{
			Title: "Record a conversion", Button: "Record", Back: "sales",
			Effects: []string{"It is what a customer did without a payment, and is counted once for each customer. The event sale.created is sent."},
			Fields: append(append([]field{{Name: "conversion", Label: "What they did", Hint: "As your terms call it, such as signup.", Required: true}}, fields...),
				field{Name: "externalId", Label: "Your id of it", More: true},
				field{Name: "promoCode", Label: "Code", Hint: "It is not redeemed.", More: true},
			),
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		who, err := v.creditTyped(in)
		if err != nil {
			return "", err
		}
		sale := affiliate.ConversionParams{ReferralID: who.ReferralID, Email: who.Email, Name: who.Name}
		in.into(&sale)
		result, err := p.RecordConversion(v.Ctx(), sale)
		return recorded(result, credited(err))
	},
}

// paidOn reads the day of a payment as its beginning; of today, and of none, it is now.
func (in *input) paidOn(v *visit) time.Time {
	day, given := in.date("paidAt").Get()
	if !given || in.text("paidAt") == v.today() {
		return time.Time{}
	}
	return day.FirstInstant(v.program.Config().Location)
}

const fieldLines = "lines"

// bought reads the lines of an order.
func (in *input) bought(currency affiliate.Currency) (lines []affiliate.Line) {
	for i, text := range in.lines(fieldLines) {
		parts := strings.Split(text, ";")
		line, err := affiliate.Line{ID: strconv.Itoa(i + 1)}, errLine
		if len(parts) == 3 {
			var pieces affiliate.Amount
			line.ProductID = strings.TrimSpace(parts[0])
			pieces, err = affiliate.ParseAmount(strings.TrimSpace(parts[1]))
			line.Quantity = affiliate.Set(pieces)
		}
		if err == nil {
			line.Amount, err = exactly(strings.TrimSpace(parts[2]), currency)
		}
		if err != nil || line.ProductID == "" {
			in.wrong(fieldLines, fmt.Sprintf("Line %d is not product; pieces; amount in %s.", i+1, currency))
		}
		lines = append(lines, line)
	}
	return lines
}

var errLine = errors.New("console: a line has three parts")

// credited puts a refusal that is about who is credited at the field that names them.
func credited(err error) error {
	why, refused := page.Refusal(err)
	if !refused || why.Field != "referralId" {
		return err
	}
	at := *why
	at.Field = fieldAffiliate
	return &at
}

// recorded returns the page of what was recorded, or why there is nothing.
func recorded(result affiliate.SaleResult, err error) (string, error) {
	if err != nil {
		return "", err
	}
	switch result.Outcome {
	case affiliate.SaleRecorded:
		return fmt.Sprint("sales/", result.Sale.Or(affiliate.Sale{}).ID), nil
	case affiliate.SaleDuplicate:
		return "", wrongField("externalId", "This is recorded already: search the sales for it.")
	case affiliate.SaleInactiveCustomer:
		return "", wrongField(fieldCustomer, "This customer is submitted or declined, so nothing is recorded for them.")
	case affiliate.SaleUnattributed:
		return "", wrongField(fieldAffiliate, "Nobody can be credited: name the affiliate.")
	}
	return "sales", nil // a code of the house was redeemed, and credits nobody
}

// newCustomer records a customer whom an affiliate has brought.
var newCustomer = &action{
	name: "customers.create", object: "referral", done: "The customer was added.",
	form: func(v *visit) (form, error) {
		by, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate", Required: true, Own: true,
			Value: v.query.Get(paramAffiliate)})
		return form{
			Title: "Add a customer", Button: "Add", Back: "customers",
			Effects: []string{"The affiliate is credited with what the customer buys from now on. The event referral.created is sent."},
			Fields: []field{
				by, {Name: fieldName, Label: "Name", Required: true},
				{Name: fieldCustomer, Label: "Email", Type: "email", Required: true},
				{Name: "referredUserExternalId", Label: "Your id",
					Hint: "The user or account of your application.", Required: true},
				{Name: "plan", Label: "What they have bought", More: true},
			},
		}, err
	},
	refuses: func(v *visit, in *input) error {
		known, err := v.program.Referral(v.Ctx(), in.text(fieldCustomer))
		switch {
		case errors.Is(err, affiliate.ErrNotFound):
			return nil
		case err != nil:
			return err
		}
		by, err := v.payee(known.AffiliateID)
		if err != nil {
			return err
		}
		return wrongField(fieldCustomer,
			"This customer is known, and of "+page.Text(by, page.InList)+
				". Give them to another affiliate on their page.")
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		a, err := v.affiliateTyped(in, fieldAffiliate)
		if err != nil {
			return "", err
		}
		params := affiliate.ReferralParams{AffiliateID: a.ID.String(), Manual: true}
		in.into(&params)
		made, err := p.CreateReferral(v.Ctx(), params)
		return "customers/" + made.ID.String(), credited(err)
	},
}
