package console

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

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
		return form{
			Title: fmt.Sprint("Refund sale ", sale.ID), Button: "Book the refund", Back: fmt.Sprint("sales/", sale.ID),
			Effects: []string{
				fmt.Sprintf("The customer paid %s, and %s was refunded so far. This books a refund; it sends no money.", v.Money(sale.TotalEarned), v.Money(sale.RefundedAmount)),
				"The commission falls with what is left. The event sale.updated is sent.",
			},
			Fields: []field{
				{Name: "amount", Label: "Amount", Hint: "Empty: all that is left."},
				{Name: "refundId", Label: "Id of the refund", Hint: "At the payment provider. The same id counts once."},
				{Name: "clawback", Label: "Take the commission back from the next payout", Hint: "Needed when a payout has it already.", Type: "checkbox"},
			},
		}, nil
	},
	do: func(v *visit, p *affiliate.Program, in *input) (string, error) {
		id, err := v.saleID()
		if err != nil {
			return "", err
		}
		refund := affiliate.Refund{SaleID: id, Amount: in.amount("amount"), RefundID: in.text("refundId"), ClawBack: in.yes("clawback")}
		if in.err != nil {
			return "", in.err
		}
		_, err = p.RefundSale(v.ctx(), refund)
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
	do: func(v *visit, p *affiliate.Program, _ *input) (string, error) {
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
		ids, err := picked(v, "sales", saleID)
		if err != nil {
			return form{}, err
		}
		to := affiliate.ApprovalStatus(v.query.Get("to"))
		if !slices.Contains(approvals, to) {
			return form{}, badQuery("Choose what to do.")
		}
		verbs := map[affiliate.ApprovalStatus][2]string{
			affiliate.ApprovalAccepted: {"Accept", "Their commissions can be paid."}, affiliate.ApprovalDeclined: {"Decline", "Their commissions are not paid."},
			affiliate.ApprovalOnHold: {"Hold", "Their commissions wait until they are accepted or declined."},
		}
		f := form{Title: verbs[to][0] + " " + several(len(ids), "sale"), Button: verbs[to][0], Back: "sales?approval=ON_HOLD"}
		for _, id := range ids {
			sale, err := v.program.Sale(v.ctx(), id)
			if err != nil {
				return form{}, err
			}
			f.Effects = append(f.Effects, fmt.Sprintf("Sale %v: %s for %s", id, v.Money(sale.CommissionEarned), v.Short(sale.Affiliate.Name)))
		}
		f.Effects = append(f.Effects, verbs[to][1], "The event sale.updated is sent for each that changes.")
		return f, nil
	},
	do: func(v *visit, p *affiliate.Program, _ *input) (string, error) {
		ids, err := picked(v, "sales", saleID)
		if err != nil {
			return "", err
		}
		if _, err = p.ReviewCommissions(v.ctx(), affiliate.ApprovalStatus(v.query.Get("to")), ids...); err != nil || len(ids) > 1 {
			return "sales", err
		}
		return fmt.Sprint("sales/", ids[0]), nil
	},
}

// restoreRedemption gives a use of a code back.
var restoreRedemption = &action{
	name: "sales.restore-redemption", object: "sale", done: "The use of the code was given back.",
	form: func(v *visit) (form, error) {
		sale, err := v.sale()
		if err == nil && sale.PromotionalCodeID.IsZero() || sale.PromotionalCodeID.IsNull() {
			err = notAllowed("No promotional code was used for this sale.")
		}
		return form{
			Title: fmt.Sprint("Give the code of sale ", sale.ID, " back"), Button: "Give back", Back: fmt.Sprint("sales/", sale.ID),
			Effects: []string{"The uses of the code and of its coupon fall by one, so somebody else can use it. This works once for each sale. The sale stays as it is."},
		}, err
	},
	do: func(v *visit, p *affiliate.Program, _ *input) (string, error) {
		id, err := v.saleID()
		if err != nil {
			return "", err
		}
		return fmt.Sprint("sales/", id), p.RestoreRedemption(v.ctx(), id)
	},
}

// recalculateAffiliate and recalculateCustomer compute the commissions of sales
// anew, step by step.
var (
	recalculateAffiliate = recalculate("affiliates", "affiliate", func(id uuid.UUID) affiliate.SaleFilter {
		return affiliate.SaleFilter{AffiliateID: affiliate.Set(id)}
	})
	recalculateCustomer = recalculate("customers", "referral", func(id uuid.UUID) affiliate.SaleFilter {
		return affiliate.SaleFilter{ReferralID: affiliate.Set(id.String())}
	})
)

func recalculate(section, object string, of func(uuid.UUID) affiliate.SaleFilter) *action {
	return &action{
		name: section + ".recalculate", object: object, done: "Their sales were calculated anew.",
		form: func(v *visit) (form, error) {
			id, err := v.id(0)
			f := form{
				Title: "Calculate their sales anew", Button: "Calculate", Back: section + "/" + id.String(),
				Effects: []string{"Each commission that no payout has is computed by the rates of today. The event sale.updated is sent for each that changes."},
				Fields:  []field{{Name: paramCursor, Type: "hidden", Value: v.query.Get(paramCursor)}},
			}
			if v.query.Get(paramCursor) != "" {
				f.Title, f.Button = "Calculate their sales anew: there are more", "Go on"
			}
			return f, err
		},
		do: func(v *visit, p *affiliate.Program, in *input) (string, error) {
			id, err := v.id(0)
			if err != nil {
				return "", err
			}
			step, err := p.Step(v.ctx(), affiliate.RecalculateJob{SaleFilter: of(id)}, affiliate.Step{Cursor: in.Get(paramCursor), Limit: stepLimit})
			return v.goOn(section+"/"+id.String()+"/recalculate", section+"/"+id.String(), step), err
		},
	}
}
