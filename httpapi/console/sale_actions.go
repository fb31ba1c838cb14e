package console

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// refundSale gives money back, or takes a conversion back.
var refundSale = &action{
	name: "sales.refund", object: "sale", done: "The refund was booked.",
	form: func(v *visit) (form, error) {
		sale, left, err := v.refundable()
		if err != nil {
			return form{}, err
		}
		f := form{Title: fmt.Sprint("Refund sale ", sale.ID), Button: "Book the refund",
			Back: fmt.Sprint("sales/", sale.ID)}
		if sale.Conversion != "" {
			f.Title, f.Button = fmt.Sprint("Take sale ", sale.ID, " back"), "Take back"
			f.Effects = []string{v.paidSoFar(&sale) + " It is taken back as a whole.",
				"Its commission of " + v.Money(sale.CommissionEarned) +
					" falls to nothing. The event sale.deleted is sent."}
		} else {
			f.Effects = []string{v.paidSoFar(&sale) + " This books a refund; it sends no money.",
				"The commission falls with what is left. The event sale.updated is sent."}
			f.Fields = v.refundFields(&sale, left)
			f.Effects = append(f.Effects, v.linesSaid(&sale)...)
		}
		f.Fields = append(f.Fields, clawback(&sale)...)
		f.Fields = append(f.Fields,
			field{Name: "refundId", Label: "Id of the refund",
				Hint: "At the payment provider. The same id counts once.", More: true})
		return f, nil
	},
	repeat: func(v *visit, in *input) (form, error) {
		sale, left, err := v.refundable()
		return form{Effects: v.refundOnceMore(&sale, left, in)}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		sale, err := v.sale()
		if err != nil {
			return "", err
		}
		refund := in.refund(&sale)
		if in.err != nil {
			return "", in.err
		}
		_, err = p.RefundSale(v.Ctx(), refund)
		return fmt.Sprint("sales/", sale.ID), atLine(err, &sale, refund.Lines)
	},
}

// paidSoFar says what was paid for a sale, and refunded of it.
func (v *visit) paidSoFar(sale *affiliate.Sale) string {
	if sale.Conversion != "" {
		return "It is the conversion “" + page.Text(sale.Conversion, page.InList) + "”, for which nobody paid."
	}
	if _, other := sale.Charged.Get(); other {
		return fmt.Sprintf("The customer paid %s, which were %s, and %s was refunded so far.",
			v.Charged(*sale), v.Money(sale.TotalEarned), v.ChargedBack(*sale))
	}
	return fmt.Sprintf("The customer paid %s, and %s was refunded so far.",
		v.Money(sale.TotalEarned), v.Money(sale.RefundedAmount))
}

// refundFields are the amounts of a refund: of the sale, or of its lines.
func (v *visit) refundFields(sale *affiliate.Sale, left affiliate.Amount) []field {
	of := v.currencyOf(sale)
	in := " in " + string(of)
	fields := []field{
		{Name: "amount", Label: "Amount" + in, Hint: "Of a part, such as 12.50."},
		{Name: "whole", Label: "All that is left: " + v.MoneyIn(left, of),
			Hint: "Instead of an amount.", Type: "checkbox"},
		{Name: "tax", Label: "Tax" + in,
			Hint: "How much of the amount was tax. Empty: as large a part as of the sale.",
			More: true},
		{Name: "shipping", Label: "Shipping" + in, Hint: "How much of the amount was shipping.", More: true},
	}
	for n, i := range namedLines(sale) {
		if n == maxLines {
			break
		}
		fields = append(fields,
			field{Name: inRow("line", n+1), Label: "Of line " + strconv.Itoa(i+1) + in,
				Hint: "Without tax and shipping."})
	}
	return fields
}

// linesSaid says of which lines a refund can be.
func (v *visit) linesSaid(sale *affiliate.Sale) (said []string) {
	named, of := namedLines(sale), v.currencyOf(sale)
	switch {
	case len(sale.Lines) == 0:
		return nil
	case len(named) == 0:
		return []string{"The lines of the sale have no ids, so a refund is of all of them."}
	}
	said = append(said, "A refund can say of which lines it is. Then leave the amount empty: it is what they are together, with tax and shipping.")
	for _, i := range named[:min(len(named), maxLines)] {
		part := salePart{SaleLine: sale.Lines[i]}
		said = append(said,
			lineNamed(sale, i)+": it cost "+v.MoneyIn(part.net(), of)+", and "+
				v.MoneyIn(part.Refunded, of)+" was refunded of it by name.")
	}
	if rest := len(named) - maxLines; rest > 0 {
		said = append(said, "And "+several(rest, "line")+" more, which the HTTP API can name.")
	}
	return said
}

// lineNamed names a line of a sale.
func lineNamed(sale *affiliate.Sale, i int) string {
	return strings.Join(append([]string{"Line " + strconv.Itoa(i+1)},
		salePart{SaleLine: sale.Lines[i]}.Says()...), " · ")
}

// maxLines is the largest number of lines in the form of a refund.
const maxLines = 50

// namedLines returns the indices of the lines that a refund can name: those that have an id.
func namedLines(sale *affiliate.Sale) (named []int) {
	for i := range sale.Lines {
		if sale.Lines[i].ID.Or("") != "" {
			named = append(named, i)
		}
	}
	return named
}

// refundOnceMore says what a refund will do.
func (v *visit) refundOnceMore(sale *affiliate.Sale, left affiliate.Amount, in *input) []string {
	refund, lines, of := in.refund(sale), []string(nil), v.currencyOf(sale)
	if sale.Conversion != "" {
		lines = append(lines,
			fmt.Sprintf("Take sale %v back. ", sale.ID)+v.paidSoFar(sale)+" Its commission of "+
				v.Money(sale.CommissionEarned)+" falls to nothing.")
	} else {
		lines = append(lines,
			fmt.Sprintf("Refund %s of sale %v. ", v.MoneyIn(refund.Amount.Or(left), of), sale.ID)+
				v.paidSoFar(sale))
		if rest, err := left.Sub(refund.Amount.Or(left)); err == nil && rest.Sign() >= 0 {
			lines = append(lines,
				v.MoneyIn(rest, of)+" of it is kept. The commission was "+
					v.Money(sale.CommissionEarned)+" and falls with that.")
		}
	}
	for _, part := range []struct {
		of  affiliate.Opt[affiliate.Amount]
		was string
	}{{refund.Tax, "tax"}, {refund.Shipping, "shipping"}} {
		if sum, given := part.of.Get(); given {
			lines = append(lines, v.MoneyIn(sum, of)+" of the refund was "+part.was+".")
		}
	}
	for n, i := range namedLines(sale) {
		if sum, given := in.amountOf(inRow("line", n+1), of).Get(); given {
			lines = append(lines, v.MoneyIn(sum, of)+" of the refund: "+lineNamed(sale, i)+".")
		}
	}
	if refund.ClawBack {
		lines = append(lines, "The commission is taken back from the next payout.")
	}
	return lines
}

// currencyOf returns the currency in which a sale was charged, and is refunded.
func (v *visit) currencyOf(sale *affiliate.Sale) affiliate.Currency {
	return sale.Charged.Or(affiliate.Charge{Currency: v.Currency}).Currency
}

// refundable returns the sale of the path, and what can be refunded of it.
func (v *visit) refundable() (sale affiliate.Sale, left affiliate.Amount, err error) {
	if sale, err = v.sale(); err != nil {
		return sale, left, err
	}
	if sale.Status == affiliate.SaleRefunded {
		return sale, left, notAllowed("This sale is refunded in full.")
	}
	left, err = sale.TotalEarned.Sub(sale.RefundedAmount)
	if c, other := sale.Charged.Get(); other {
		left, err = c.TotalEarned.Sub(c.RefundedAmount)
	}
	return sale, left, err
}

// refund reads the form of a refund: an amount, the amounts of lines, or all that is left. A
// conversion has no amount.
func (in *input) refund(sale *affiliate.Sale) affiliate.Refund {
	r := affiliate.Refund{SaleID: sale.ID, RefundID: in.text("refundId"), ClawBack: in.yes("clawback")}
	if sale.Conversion != "" {
		return r
	}
	if c, other := sale.Charged.Get(); other {
		r.Currency = c.Currency
	}
	of := cmp.Or(r.Currency, in.currency)
	r.Amount, r.Tax, r.Shipping = in.amountOf("amount", of), in.amountOf("tax", of), in.amountOf("shipping", of)
	r.Lines = in.refundLines(sale, of)
	switch whole, given := in.yes("whole"), !r.Amount.IsZero(); {
	case whole && (given || len(r.Lines) > 0):
		in.wrong("amount", "Leave the amounts empty, or untick that all is refunded.")
	case !whole && !given && len(r.Lines) > 0:
		r.Amount = in.sumOf(&r)
	case !whole && !given:
		in.wrong("amount", "Enter an amount, or tick that all that is left is refunded.")
	}
	return r
}

// refundLines reads the amounts of the lines that a refund names.
func (in *input) refundLines(sale *affiliate.Sale, of affiliate.Currency) (lines []affiliate.RefundLine) {
	for n, i := range namedLines(sale) {
		if sum, given := in.amountOf(inRow("line", n+1), of).Get(); given {
			if sum.Sign() <= 0 {
				in.wrong(inRow("line", n+1), "Enter an amount above zero.")
			}
			lines = append(lines, affiliate.RefundLine{ID: sale.Lines[i].ID.Or(""), Amount: sum})
		}
	}
	return lines
}

// sumOf returns the amount of a refund of lines: they, its tax and its shipping.
func (in *input) sumOf(r *affiliate.Refund) affiliate.Opt[affiliate.Amount] {
	sum, err := r.Tax.Or(affiliate.Amount{}).Add(r.Shipping.Or(affiliate.Amount{}))
	for _, l := range r.Lines {
		if err == nil {
			sum, err = sum.Add(l.Amount)
		}
	}
	if err != nil {
		in.wrong("amount", "The amounts are too large.")
	}
	return affiliate.Set(sum)
}

var lineField = regexp.MustCompile(`^lines\[(\d+)\]`)

// atLine puts a refusal of the engine at the field of the line that it is about.
func atLine(err error, sale *affiliate.Sale, lines []affiliate.RefundLine) error {
	why, refused := page.Refusal(err)
	if !refused {
		return err
	}
	m := lineField.FindStringSubmatch(why.Field)
	if m == nil {
		return err
	}
	at := *why
	at.Message = strings.TrimPrefix(why.Message, why.Field+" ")
	for n, i := range namedLines(sale) {
		if of, tooLarge := strconv.Atoi(m[1]); tooLarge == nil && of < len(lines) && sale.Lines[i].ID.Or("") == lines[of].ID {
			at.Field = inRow("line", n+1)
		}
	}
	return &at
}

// clawback is the tick that a change needs when a payout has the commission.
func clawback(sale *affiliate.Sale) (f []field) {
	if slices.ContainsFunc(sale.Commissions, func(c affiliate.Commission) bool { return c.PayoutCreated }) {
		f = []field{{Name: "clawback", Label: "Take the commission back from the next payout",
			Hint: "Needed, because a payout has it already.", Type: "checkbox", Value: "1"}}
	}
	return f
}

var moveSale = &action{
	name: "sales.move", object: "sale", done: "The sale was given to another affiliate.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		if err != nil {
			return form{}, err
		}
		fields, err := v.moveFields()
		return form{
			Title: fmt.Sprint("Give sale ", sale.ID, " to another affiliate"), Button: "Give",
			Back: v.caseOr(fmt.Sprint("sales/", sale.ID)),
			Effects: []string{
				fmt.Sprintf("It earns %s for %s now.", v.Money(sale.CommissionEarned),
					page.Text(sale.Affiliate.Name, page.InList)),
				"The commission is calculated anew, by the terms of the new affiliate. A rate and a commission that were set for this sale alone are dropped. The event sale.updated is sent.",
				"A payout that has its commission stays as it is. What it has is taken back from the next payout of the former affiliate.",
			},
			Fields: append(fields, clawback(&sale)...), State: string(sale.Metadata.Or(nil)),
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		sale, err := v.sale()
		if err != nil {
			return "", err
		}
		to, err := v.affiliateTyped(in, fieldAffiliate)
		if err != nil {
			return "", err
		}
		p = in.because(p)
		metadata, err := v.moved(in, sale.Metadata, sale.AffiliateID)
		if err == nil {
			_, err = p.UpdateSale(v.Ctx(), sale.ID,
				affiliate.SaleUpdate{AffiliateID: affiliate.Set(to.ID),
					ClawBack: in.yes("clawback"), Metadata: metadata})
		}
		return v.caseOr(fmt.Sprint("sales/", sale.ID)), err
	},
}

// correctSale sets what a sale earns.
var correctSale = &action{
	name: "sales.correct", object: "sale", done: "The commission was corrected.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		return form{
			Title: fmt.Sprint("Correct the commission of sale ", sale.ID), Button: "Correct",
			Back: fmt.Sprint("sales/", sale.ID),
			Effects: []string{
				fmt.Sprintf("It earns %s for %s now. ", v.Money(sale.CommissionEarned),
					page.Text(sale.Affiliate.Name, page.InList)) + v.paidSoFar(&sale),
				"What it earns then is set by hand: later terms do not change it. A refund still takes its part.",
				"The difference is a movement of its own. The event sale.updated is sent."},
			Fields: append([]field{
				{Name: "amount", Label: "Commission in " + string(v.Currency), Perhaps: true,
					Hint: "What it earns in all, such as 12.50."},
				{Name: fieldOwnRate, Label: "Or a rate in percent", Perhaps: true,
					Hint: "What it earns is calculated anew by this rate."},
				{Name: fieldReason, Label: "Reason", Required: true,
					Hint: "The history of the sale shows it."}}, clawback(&sale)...),
		}, err
	},
	repeat: func(v *visit, in *input) (form, error) {
		sale, err := v.sale()
		up := in.correction()
		to := v.Money(up.CommissionEarned.Or(affiliate.Amount{}))
		if rate, by := up.CommissionRate.Get(); by {
			to = "what " + rate.String() + " % make"
		}
		return form{Effects: []string{
			fmt.Sprintf("The commission of sale %v, for %s: from %s to %s.", sale.ID,
				v.Short(sale.Affiliate.Name), v.Money(sale.CommissionEarned), to),
			"Reason: " + v.Short(in.text(fieldReason))}}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		sale, err := v.sale()
		if err != nil {
			return "", err
		}
		up, p := in.correction(), in.because(p)
		if in.err != nil {
			return "", in.err
		}
		_, err = p.UpdateSale(v.Ctx(), sale.ID, up)
		return fmt.Sprint("sales/", sale.ID), err
	},
}

const fieldOwnRate = "commissionRate"

// correction reads what a sale earns from now on: an amount or a rate, and why.
func (in *input) correction() affiliate.SaleUpdate {
	up := affiliate.SaleUpdate{CommissionEarned: in.amount("amount"),
		CommissionRate: in.percent(fieldOwnRate), ClawBack: in.yes("clawback")}
	if up.CommissionEarned.IsZero() == up.CommissionRate.IsZero() {
		in.wrong("amount", "Enter an amount, or a rate.")
	}
	if in.text(fieldReason) == "" {
		in.wrong(fieldReason, "Say why.")
	}
	return up
}

// reverseSale removes a sale from the books.
var reverseSale = &action{
	name: "sales.reverse", object: "sale", done: "The sale was reversed.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		if slices.ContainsFunc(sale.Commissions, func(c affiliate.Commission) bool { return c.PayoutCreated }) {
			return form{}, notAllowed("A payout has the commission of this sale: refund it instead.")
		}
		return form{
			Title: fmt.Sprint("Reverse sale ", sale.ID), Button: "Reverse", Danger: true,
			Back: fmt.Sprint("sales/", sale.ID),
			Effects: []string{
				v.paidSoFar(&sale) + " The commission is " + v.Money(sale.CommissionEarned) + ".",
				"The sale is deleted, as if it had never been, and the event sale.deleted is sent.",
				"Where a payout has its commission this is refused: refund the sale instead.",
			},
		}, err
	},
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		id, err := v.saleID()
		if err != nil {
			return "", err
		}
		_, err = p.ReverseSale(v.Ctx(), affiliate.SaleRef{ID: id}, affiliate.Reversal{})
		return "sales", err
	},
}

// reviewSales decides about the commissions of the sales of the query.
var reviewSales = &action{
	name: "sales.review", object: "sale", done: "The decision was booked.",
	form: func(v *visit) (form, error) {
		ids, err := picked(v, "sales", saleID)
		if err != nil {
			return form{}, err
		}
		to := affiliate.ApprovalStatus(v.query.Get("to"))
		if !slices.Contains(approvals, to) {
			return form{}, badQuery("Choose what to do.")
		}
		verbs := map[affiliate.ApprovalStatus][2]string{
			affiliate.ApprovalAccepted: {"Accept", "Their commissions can be paid."},
			affiliate.ApprovalDeclined: {"Decline", "Their commissions are not paid."},
			affiliate.ApprovalOnHold:   {"Hold", "Their commissions wait until they are accepted or declined."},
		}
		f := form{Title: verbs[to][0] + " " + several(len(ids), "sale"), Button: verbs[to][0], Back: backTo(v, "sales", ids),
			Fields: []field{whyField()}}
		for _, id := range ids {
			sale, err := v.program.Sale(v.Ctx(), id)
			if err != nil {
				return form{}, err
			}
			f.Effects = append(f.Effects,
				fmt.Sprintf("Sale %v: %s for %s, now %s", id, v.Money(sale.CommissionEarned),
					v.Short(sale.Affiliate.Name), decided(sale)))
		}
		f.Effects = append(f.Effects, verbs[to][1], "The event sale.updated is sent for each that changes.")
		return f, nil
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		p = in.because(p)
		ids, err := picked(v, "sales", saleID)
		if err = cmp.Or(err, in.err); err != nil {
			return "", err
		}
		_, err = p.ReviewCommissions(v.Ctx(), affiliate.ApprovalStatus(v.query.Get("to")), ids...)
		return backTo(v, "sales", ids), err
	},
}

// decided returns what was decided about the commissions of a sale.
func decided(sale affiliate.Sale) string {
	var all []string
	for _, c := range sale.Commissions {
		if word := strings.ToLower(page.Words(c.ApprovalStatus)); !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return cmp.Or(strings.Join(all, ", "), "without a commission")
}

var restoreRedemption = &action{
	name: "sales.restore-redemption", object: "sale", done: "The use of the code was given back.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		if err == nil && sale.PromotionalCodeID.IsZero() || sale.PromotionalCodeID.IsNull() {
			err = notAllowed("No promotional code was used for this sale.")
		}
		return form{
			Title: fmt.Sprint("Give the code of sale ", sale.ID, " back"), Button: "Give back",
			Back:    fmt.Sprint("sales/", sale.ID),
			Effects: []string{"The uses of the code and of its coupon fall by one, so somebody else can use it. This works once for each sale. The sale stays as it is."},
		}, err
	},
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		id, err := v.saleID()
		if err != nil {
			return "", err
		}
		return fmt.Sprint("sales/", id), p.RestoreRedemption(v.Ctx(), affiliate.SaleRef{ID: id})
	},
}
