package console

import (
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
)

// atMost is how many of each kind the overview names.
const atMost = 5

// needs finds what waits for somebody.
func (s *summary) needs(v *visit) error {
	pending, err := v.program.SearchAffiliates(v.ctx(), affiliate.AffiliateQuery{Status: affiliate.AffiliateInactive}, affiliate.Page{Limit: atMost})
	if err != nil {
		return err
	}
	for _, a := range pending.Items {
		s.Waiting = append(s.Waiting, needed{"affiliates/" + a.ID.String(), v.Short(a.Name)})
	}
	held, err := v.program.SearchSales(v.ctx(), affiliate.SaleQuery{ApprovalStatus: affiliate.ApprovalOnHold}, affiliate.Page{Limit: atMost})
	if err != nil {
		return err
	}
	for _, sale := range held.Items {
		s.Held = append(s.Held, needed{fmt.Sprint("sales/", sale.ID), fmt.Sprintf("Sale %v, %s", sale.ID, v.Money(sale.CommissionEarned))})
	}
	failed, err := v.program.Payouts(v.ctx(), affiliate.PayoutFilter{Status: affiliate.PayoutFailed}, affiliate.Page{Limit: atMost})
	if err != nil {
		return err
	}
	for _, p := range failed.Items {
		s.FailedPayouts = append(s.FailedPayouts, needed{"payouts/" + p.ID.String(), v.Money(p.Amount) + " to " + v.Short(p.PayeeName.Or("an affiliate"))})
	}
	hooks, err := v.program.Endpoints(v.ctx(), affiliate.Page{Limit: 50})
	if err != nil {
		return err
	}
	for _, e := range hooks.Items {
		if !e.DisabledReason.IsNull() || !e.FirstFailureAt.IsNull() {
			s.Disabled = append(s.Disabled, needed{"webhooks", v.Short(e.URL)})
		}
	}
	s.AnyNeeded = len(s.Waiting)+len(s.Held)+len(s.FailedPayouts)+len(s.Disabled) > 0
	return nil
}
