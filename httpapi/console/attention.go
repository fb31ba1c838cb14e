package console

import (
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// A concern is one kind of things that wait for somebody.
type concern struct {
	Badge string // what its items are, in a word or two
	Bad   bool   // something does not work; false: somebody has to decide
	List  string // the page of all of them
	Count string
	More  bool // there are more than the items
	Items []waitingItem
}

// A waitingItem is one thing that waits for somebody.
type waitingItem struct{ Path, Text string }

// shownCases is the number of cases in the overview.
const shownCases = 5

// concerns returns what waits for somebody, without the kinds of which nothing does.
func concerns(v *visit) (all []concern, err error) {
	a, err := v.program.Attention(v.Ctx(), 0)
	if err != nil {
		return nil, err
	}
	asked, err := v.openCases()
	if err != nil {
		return nil, err
	}
	asked.Items = asked.Items[:min(len(asked.Items), shownCases)]
	differing, err := v.differing()
	if err != nil {
		return nil, err
	}
	proposed, err := v.proposed()
	if err != nil {
		return nil, err
	}
	applications := applicationsPath
	if v.cfg.ReadOnly {
		applications = "affiliates?status=INACTIVE"
	}
	return shown(
		concernOf(concern{Badge: "Waits for approval", List: applications}, a.PendingAffiliates, func(p affiliate.PendingAffiliate) waitingItem {
			return waitingItem{"affiliates/" + p.ID.String(), v.Short(p.Name)}
		}),
		concernOf(concern{Badge: "Waits for an answer", List: casesPath + "?status=OPEN"}, asked, func(c affiliate.Case) waitingItem {
			return waitingItem{casesPath + "/" + c.ID.String(), subject(c, inList)}
		}),
		concernOf(concern{Badge: "Proposed", List: proposalsPath}, proposed, func(w waitingItem) waitingItem { return w }),
		concernOf(concern{Badge: "On hold", List: "sales?approval=ON_HOLD"}, a.HeldSales, func(s affiliate.HeldSale) waitingItem {
			text := fmt.Sprintf("Sale %v, %s", s.ID, v.Money(s.CommissionEarned))
			if why := v.Hold(s.HoldReason); why != "" {
				text += ": " + why
			}
			return waitingItem{fmt.Sprint("sales/", s.ID), text}
		}),
		concernOf(concern{Badge: "Payout failed", Bad: true, List: "payouts?status=FAILED"}, a.FailedPayouts, func(p affiliate.FailedPayout) waitingItem {
			text := v.Money(p.Amount)
			if why, told := p.FailedReason.Get(); told {
				text += ": " + v.Short(why)
			}
			return waitingItem{"payouts/" + p.ID.String(), text}
		}),
		concernOf(concern{Badge: "Payment without a sale", List: "payments"}, a.PaymentConflicts, func(p affiliate.ConflictPayment) waitingItem {
			to := "payments"
			if !v.cfg.ReadOnly {
				to += "/" + p.ID.String() + "/decide"
			}
			return waitingItem{to,
				fmt.Sprintf("%s of %s: %s", v.MoneyIn(p.Amount, p.Currency), v.Day(p.CreatedAt),
					whyNoSale(p))}
		}),
		concernOf(concern{Badge: "Books differ", List: "providers"}, differing, func(w waitingItem) waitingItem { return w }),
		concernOf(concern{Badge: "Over a limit", List: "redemptions"}, a.Overdrawn, func(r affiliate.OverdrawnRedemption) waitingItem {
			to := "redemptions"
			if !v.cfg.ReadOnly {
				to += "/accept?" + acceptQuery(&r)
			}
			return waitingItem{to, v.overdrawn(&r)}
		}),
		concernOf(concern{Badge: "Paid at one address", List: "affiliates"}, a.SharedPayees, func(s affiliate.SharedPayee) waitingItem {
			names := make([]string, len(s.Affiliates))
			for i, p := range s.Affiliates {
				names[i] = p.Name
			}
			return waitingItem{"affiliates/" + s.Affiliates[0].ID.String(),
				v.Short(strings.Join(names, ", ")) + ": " + v.Short(s.Affiliates[0].PayoutEmail)}
		}),
		concernOf(concern{Badge: "Budget", List: "terms"}, a.Budgets, func(b affiliate.BudgetUse) waitingItem {
			to := "terms"
			if plan, of := b.CommissionPlanID.Get(); of {
				to = "plans/" + plan.String()
			}
			return waitingItem{to, fmt.Sprintf("%s: %s are used", v.BudgetSaid(b.Budget), v.BudgetUsed(&b))}
		}),
		concernOf(concern{Badge: "Endpoint fails", Bad: true, List: "webhooks"}, a.FailingWebhooks, func(w affiliate.FailingWebhook) waitingItem {
			return waitingItem{"webhooks/" + w.ID.String(), v.Short(w.URL)}
		}),
		concernOf(concern{Badge: "Not delivered", Bad: true, List: "webhooks?state=failed"}, a.FailedDeliveries, func(d affiliate.FailedDelivery) waitingItem {
			return waitingItem{"webhooks/deliveries/" + d.ID.String(), string(d.Event) + " of " + v.Day(d.CreatedAt)}
		}),
	), nil
}

// concernOf fills a concern in from its list.
func concernOf[T any](c concern, w affiliate.Waiting[T], item func(T) waitingItem) concern {
	for _, one := range w.Items {
		c.Items = append(c.Items, item(one))
	}
	if c.Count = fmt.Sprint(w.Count); w.More {
		c.Count = fmt.Sprintf("more than %d", w.Count)
	}
	c.More = w.Count > len(w.Items)
	return c
}

// shown returns the concerns that have items.
func shown(all ...concern) (some []concern) {
	for _, c := range all {
		if len(c.Items) > 0 {
			some = append(some, c)
		}
	}
	return some
}
