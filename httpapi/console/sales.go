package console

import (
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

type saleList struct {
	Items               []affiliate.Sale
	Statuses, Approvals []option
	Held                bool // the list has only sales on hold, which can be decided
}

var approvals = []affiliate.ApprovalStatus{affiliate.ApprovalAccepted, affiliate.ApprovalOnHold, affiliate.ApprovalDeclined}

// sales lists sales, or those that a search text names.
func sales(v *visit) (view, error) {
	shown := view{title: "Sales", template: "sales"}
	d := saleList{Statuses: options(affiliate.SaleActive, affiliate.SaleRefunded), Approvals: options(approvals...)}
	if text := strings.TrimSpace(v.query.Get("q")); text != "" {
		items, err := v.namedSales(text)
		d.Items, shown.Data = items, &d
		return shown, err
	}
	q := affiliate.SaleQuery{
		Status: affiliate.SaleStatus(v.query.Get("status")), ApprovalStatus: affiliate.ApprovalStatus(v.query.Get("approval")),
	}
	for name, date := range map[string]*affiliate.Opt[affiliate.Date]{"since": &q.Since, "until": &q.Until} {
		if text := v.query.Get(name); text != "" {
			day, err := affiliate.ParseDate(text)
			if err != nil {
				return view{}, badQuery("The date " + name + " must be as 2026-03-31.")
			}
			*date = affiliate.Set(day)
		}
	}
	list, err := v.program.SearchSales(v.ctx(), q, v.page50())
	d.Items, d.Held = list.Items, q.ApprovalStatus == affiliate.ApprovalOnHold
	shown.next, shown.Data = list.Next, &d
	return shown, err
}

// namedSales are the sales that have a number, an external id, an invoice or a
// customer.
func (v *visit) namedSales(text string) ([]affiliate.Sale, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		sale, err := v.program.Sale(v.ctx(), affiliate.SaleID(n))
		if err == nil {
			return []affiliate.Sale{sale}, nil
		}
		if !errors.Is(err, affiliate.ErrNotFound) {
			return nil, err
		}
	}
	some := affiliate.Set(text)
	for _, f := range []affiliate.SaleFilter{{ExternalID: some}, {ExternalInvoiceID: some}} {
		list, err := v.program.Sales(v.ctx(), f, affiliate.Page{Limit: 50})
		if err != nil || len(list.Items) > 0 {
			return list.Items, err
		}
	}
	list, err := v.program.SearchSales(v.ctx(), affiliate.SaleQuery{ReferralID: some}, affiliate.Page{Limit: 50})
	return list.Items, err
}

// A saleSheet is the page of a sale.
type saleSheet struct {
	affiliate.Sale
	Why                 affiliate.Explanation
	Refunds             []affiliate.Movement
	Code                string
	Held, InPayout, All bool // All: refunded in full
}

// salePage shows a sale and why it earned its commission.
func salePage(v *visit) (view, error) {
	sale, err := v.sale()
	if err != nil {
		return view{}, err
	}
	d := saleSheet{Sale: sale, All: sale.Status == affiliate.SaleRefunded}
	if d.Why, err = v.program.ExplainSale(v.ctx(), sale.ID); err != nil {
		return view{}, err
	}
	for _, c := range sale.Commissions {
		d.Held = d.Held || c.ApprovalStatus == affiliate.ApprovalOnHold
		d.InPayout = d.InPayout || c.PayoutCreated
	}
	for _, m := range d.Why.Movements {
		if !m.Refunds.IsZero() {
			d.Refunds = append(d.Refunds, m)
		}
	}
	if id, ok := sale.PromotionalCodeID.Get(); ok {
		code, err := v.program.Code(v.ctx(), affiliate.CodeRef{ID: id})
		if err == nil {
			d.Code = code.Code
		} else if !errors.Is(err, affiliate.ErrNotFound) {
			return view{}, err
		}
	}
	return view{title: fmt.Sprint("Sale ", sale.ID), template: "sale", Data: &d}, nil
}

// Credited says by what the affiliate is credited.
func (s *saleSheet) Credited() string {
	switch s.Why.Credit.By {
	case affiliate.CreditCode:
		return "The promotional code of the order"
	case affiliate.CreditClick:
		return "A click on their link"
	case affiliate.CreditLink:
		return "The link that the shop named"
	case affiliate.CreditAffiliate:
		return "The shop named them"
	case affiliate.CreditReferral:
		return "They brought this customer before"
	case affiliate.CreditEmail:
		return "They brought a customer with this email before"
	}
	return "Not known: the sale is older than these records"
}

// RateFrom says where the rate comes from.
func (s *saleSheet) RateFrom() string {
	switch s.Why.Terms.RateFrom {
	case affiliate.RateOfSale:
		return "given with the sale"
	case affiliate.RateOfAffiliate:
		return "the affiliate's own"
	case affiliate.RateOfTier:
		return "of their tier"
	case affiliate.RateOfPlan:
		return "of the plan"
	case affiliate.RateOfProgram:
		return "of the program"
	}
	return "not known"
}

// Percent reports whether the commission is a part of the base.
func (s *saleSheet) Percent() bool {
	return s.Why.Terms.CommissionType == affiliate.CommissionPercentage
}

// Inexact reports whether the commission was rounded.
func (s *saleSheet) Inexact() bool {
	exact, ok := new(big.Rat).SetString(s.Why.Arithmetic.Exact)
	rounded, known := new(big.Rat).SetString(s.Why.Arithmetic.Rounded.String())
	return ok && known && exact.Cmp(rounded) != 0
}

// sale is the one that the path names.
func (v *visit) sale() (affiliate.Sale, error) {
	id, err := v.saleID()
	if err != nil {
		return affiliate.Sale{}, err
	}
	return v.program.Sale(v.ctx(), id)
}

func (v *visit) saleID() (affiliate.SaleID, error) {
	n, err := strconv.ParseInt(v.args[0], 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != v.args[0] {
		return 0, affiliate.ErrNotFound
	}
	return affiliate.SaleID(n), nil
}

// refundSale gives money back.
var refundSale = &action{
	name: "sales.refund", object: "sale", done: "The refund was booked.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		if err != nil {
			return form{}, err
		}
		if sale.Status == affiliate.SaleRefunded {
			return form{}, notAllowed("This sale is refunded in full.")
		}
		f := view{visit: v}
		return form{
			Title: fmt.Sprint("Refund sale ", sale.ID), Button: "Book the refund", Back: fmt.Sprint("sales/", sale.ID),
			Effects: []string{
				fmt.Sprintf("The customer paid %s, and %s was refunded so far. This books a refund; it sends no money.", f.Money(sale.TotalEarned), f.Money(sale.RefundedAmount)),
				"The commission falls with what is left. The event sale.updated is sent.",
			},
			Fields: []field{
				{Name: "amount", Label: "Amount", Hint: "Empty: all that is left.", Type: "text"},
				{Name: "refundId", Label: "Id of the refund", Hint: "At the payment provider. The same id counts once.", Type: "text"},
				{Name: "clawback", Label: "Take the commission back from the next payout", Hint: "Needed when a payout has it already.", Type: "checkbox"},
			},
		}, nil
	},
	do: func(v *visit, p *affiliate.Program, sent url.Values) (string, error) {
		id, err := v.saleID()
		if err != nil {
			return "", err
		}
		in := affiliate.Refund{SaleID: id, RefundID: strings.TrimSpace(sent.Get("refundId")), ClawBack: sent.Get("clawback") != ""}
		if strings.TrimSpace(sent.Get("amount")) != "" {
			sum, err := amount(sent, "amount")
			if err != nil {
				return "", err
			}
			in.Amount = affiliate.Set(sum)
		}
		_, err = p.RefundSale(v.ctx(), in)
		return fmt.Sprint("sales/", id), err
	},
}

// reverseSale takes a sale out of the books.
var reverseSale = &action{
	name: "sales.reverse", object: "sale", done: "The sale was reversed.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		if slices.ContainsFunc(sale.Commissions, func(c affiliate.Commission) bool { return c.PayoutCreated }) {
			return form{}, notAllowed("A payout has the commission of this sale: refund it instead.")
		}
		return form{
			Title: fmt.Sprint("Reverse sale ", sale.ID), Button: "Reverse", Back: fmt.Sprint("sales/", sale.ID),
			Effects: []string{"The sale is deleted, as if it had never been, and the event sale.deleted is sent.", "Where a payout has its commission this is refused: refund the sale instead."},
		}, err
	},
	do: func(v *visit, p *affiliate.Program, _ url.Values) (string, error) {
		id, err := v.saleID()
		if err != nil {
			return "", err
		}
		_, err = p.ReverseSale(v.ctx(), affiliate.SaleRef{ID: id}, affiliate.Reversal{})
		return "sales", err
	},
}

// reviewSales decides about the commissions of the sales of the query.
var reviewSales = &action{
	name: "sales.review", object: "sale", done: "The decision was booked.",
	form: func(v *visit) (form, error) {
		ids, err := v.saleIDs()
		if err != nil {
			return form{}, err
		}
		to, known := oneOf(v.query, "to", approvals...)
		if !known {
			return form{}, badQuery("Choose what to do.")
		}
		verbs := map[affiliate.ApprovalStatus][2]string{
			affiliate.ApprovalAccepted: {"Accept", "Their commissions can be paid."}, affiliate.ApprovalDeclined: {"Decline", "Their commissions are not paid."},
			affiliate.ApprovalOnHold: {"Hold", "Their commissions wait until they are accepted or declined."},
		}
		f := form{Title: verbs[to][0] + " " + several(len(ids), "sale"), Button: verbs[to][0], Back: "sales?approval=ON_HOLD"}
		shown := view{visit: v}
		for _, id := range ids {
			sale, err := v.program.Sale(v.ctx(), id)
			if err != nil {
				return form{}, err
			}
			f.Effects = append(f.Effects, fmt.Sprintf("Sale %v: %s for %s", id, shown.Money(sale.CommissionEarned), shown.Short(sale.Affiliate.Name)))
		}
		f.Effects = append(f.Effects, verbs[to][1], "The event sale.updated is sent for each that changes.")
		return f, nil
	},
	do: func(v *visit, p *affiliate.Program, _ url.Values) (string, error) {
		ids, err := v.saleIDs()
		if err != nil {
			return "", err
		}
		if _, err = p.ReviewCommissions(v.ctx(), affiliate.ApprovalStatus(v.query.Get("to")), ids...); err != nil || len(ids) > 1 {
			return "sales", err
		}
		return fmt.Sprint("sales/", ids[0]), nil
	},
}

func (v *visit) saleIDs() (ids []affiliate.SaleID, err error) {
	for _, text := range v.query[paramID] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, badQuery("An id is wrong.")
		}
		ids = append(ids, affiliate.SaleID(n))
	}
	if len(ids) == 0 || len(ids) > 50 {
		return nil, badQuery("Tick 1 to 50 sales first.")
	}
	return ids, nil
}

// payee is the name of an affiliate, or their id when they are gone.
func (v *visit) payee(id uuid.UUID) (string, error) {
	a, err := v.program.Affiliate(v.ctx(), id.String())
	if errors.Is(err, affiliate.ErrNotFound) {
		return id.String(), nil
	}
	return a.Name, err
}
