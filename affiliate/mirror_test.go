package affiliate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A mirror is another system that follows the events of sales, as docs/receiver.md
// says, and reads adjustments and payouts by their routes, because these fire no
// events.
type mirror struct {
	after uuid.UUID // the last event that it got
	sales map[string]mirrored
}

// A mirrored is what a mirror has of a sale. The row of a deleted sale stays, for its
// revision.
type mirrored struct {
	revision int64
	gone     bool
	sale     affiliate.Sale
}

// follow takes the events that are new.
func (m *mirror) follow(w *world) {
	w.t.Helper()
	if m.sales == nil {
		m.sales = map[string]mirrored{}
	}
	for {
		events := must(w.EventsAfter(context.Background(), m.after, 1000))
		if len(events) == 0 {
			return
		}
		for _, e := range events {
			m.after = e.ID
			if e.Type.Family() == "sale" && e.Revision > m.sales[e.ObjectID].revision {
				m.sales[e.ObjectID] = rowOf(w, e)
			}
		}
	}
}

func rowOf(w *world, e affiliate.Event) mirrored {
	w.t.Helper()
	row := mirrored{revision: e.Revision, gone: e.Type == affiliate.SaleDeleted}
	if row.gone {
		return row
	}
	var payload struct{ Body affiliate.Sale }
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		w.t.Fatalf("%s: %v", e.Type, err)
	}
	row.sale = payload.Body
	return row
}

// check compares the mirror with the program: which sales stand, what they come to,
// and the balance of their affiliate.
func (m *mirror) check(w *world, owner uuid.UUID) {
	w.t.Helper()
	m.follow(w)
	standing := 0
	for _, sale := range must(w.Sales(context.Background(), affiliate.SaleFilter{}, affiliate.Page{Limit: 1000})).Items {
		row := m.sales[fmt.Sprint(sale.ID)]
		if row.gone != (sale.Status == affiliate.SaleRefunded) {
			w.t.Errorf("sale %d is %s, in the mirror gone is %v", sale.ID, sale.Status, row.gone)
		}
		if row.gone {
			continue
		}
		standing++
		row.sale.UpdatedAt, row.sale.Referral, row.sale.Affiliate = sale.UpdatedAt, sale.Referral, sale.Affiliate
		if diff := cmp.Diff(sale, row.sale); diff != "" {
			w.t.Errorf("sale %d (-program +mirror):\n%s", sale.ID, diff)
		}
	}
	for _, row := range m.sales {
		if !row.gone {
			standing--
		}
	}
	if standing != 0 {
		w.t.Errorf("the program has %d more sales than the mirror", standing)
	}
	balance := must(w.Balance(context.Background(), owner))
	if held, open := m.owed(w, owner); held != balance.Held || open != must(balance.Payable.Add(balance.Maturing)) {
		w.t.Errorf("the mirror has %v held and %v open, the balance is %+v", held, open, balance)
	}
}

// owed is what the mirror says of an affiliate: the commissions of its sales and the
// adjustments, less the payouts that stand.
func (m *mirror) owed(w *world, owner uuid.UUID) (held, open affiliate.Amount) {
	for _, row := range m.sales {
		if row.gone || row.sale.AffiliateID != owner {
			continue
		}
		for _, c := range row.sale.Commissions {
			switch c.ApprovalStatus {
			case affiliate.ApprovalOnHold:
				held = must(held.Add(c.CommissionEarned))
			case affiliate.ApprovalAccepted:
				open = must(open.Add(c.CommissionEarned))
			}
		}
	}
	page := affiliate.Page{Limit: 1000}
	for _, a := range must(w.Adjustments(context.Background(), affiliate.AdjustmentFilter{AffiliateID: affiliate.Set(owner)}, page)).Items {
		open = must(open.Add(a.Amount))
	}
	for _, p := range must(w.Payouts(context.Background(), affiliate.PayoutFilter{AffiliateID: affiliate.Set(owner)}, page)).Items {
		if p.Status != affiliate.PayoutCanceled && p.Status != affiliate.PayoutReturned {
			open = must(open.Sub(p.Amount))
		}
	}
	return held, open
}

// A sale whose dispute was won counts again, as often as that happens: its status, its
// figures and its commission, and whoever gets the events hears it.
func TestPaymentCountsAgain(t *testing.T) {
	for name, payout := range map[string]string{"before a payout": "S", "in a payout": "S P", "after a payout": "S PP"} {
		t.Run(name, func(t *testing.T) {
			s, m := newPayShop(t), &mirror{}
			s.play(strings.Fields(payout)...)
			link := func() affiliate.Link {
				return must(s.Links(t.Context(), affiliate.LinkFilter{Slug: affiliate.Set("mara")}, affiliate.Page{})).Items[0]
			}
			before, seen := link(), len(s.eventTypes(0))
			for _, step := range []struct {
				word, gives string
				status      affiliate.SaleStatus
				fires       affiliate.EventType
			}{
				{"D:dp_1:120:lost@1", "0", affiliate.SaleRefunded, affiliate.SaleDeleted},
				{"D:dp_1:120:won@2", "20", affiliate.SaleActive, affiliate.SaleUpdated},
				{"D:dp_1:120:lost@3", "0", affiliate.SaleRefunded, affiliate.SaleDeleted},
				{"D:dp_1:120:won@4", "20", affiliate.SaleActive, affiliate.SaleUpdated},
				{"R:re_1:120", "0", affiliate.SaleRefunded, affiliate.SaleDeleted},
				{"R:re_1:120:failed", "20", affiliate.SaleActive, affiliate.SaleUpdated},
			} {
				s.play(step.word)
				sale := s.gives("pi_1", step.gives)
				m.check(s.world, s.mara.ID)
				if sale.Status != step.status || sale.RefundedAt.IsNull() == (step.status == affiliate.SaleRefunded) {
					t.Errorf("after %s: status %s, refunded %v at %v", step.word, sale.Status, sale.RefundedAmount, sale.RefundedAt)
				}
				if diff := cmp.Diff([]affiliate.EventType{step.fires}, s.eventTypes(seen)); diff != "" {
					t.Errorf("%s fired (-want +got):\n%s", step.word, diff)
				}
				seen = len(s.eventTypes(0))
			}
			if diff := cmp.Diff(before, link()); diff != "" {
				t.Errorf("the figures of the link (-before +after):\n%s", diff)
			}
		})
	}
}

// What adjustments made up for, before a sale could count again, is not paid twice.
func TestPaymentAdjustedBefore(t *testing.T) {
	s := newPayShop(t)
	s.play("S", "D:dp_1:120:lost@1")
	made := must(s.RecordAdjustment(t.Context(), affiliate.NewAdjustment{
		AffiliateID: s.mara.ID, SaleID: s.saleOf("pi_1").ID, Kind: affiliate.AdjustDisputeWon, Amount: money("20"), Reason: "stripe dp_1: won",
	}))
	behind(t, s.world, func(tx *record.Tx) {
		for pay, err := range tx.Payments.List(record.Query{}) {
			must(0, err)
			pay.Peak, pay.Adjusted, pay.Adjustments = money("120"), money("20"), []uuid.UUID{made.ID}
			pay.Disputes[0].State = affiliate.DisputeWon
			must(0, tx.Payments.Replace(pay))
		}
	})
	s.gives("pi_1", "20")
	s.play("R:re_1:30")
	if sale := s.gives("pi_1", "15"); sale.Status != affiliate.SaleActive || sale.CommissionEarned != money("15") {
		t.Errorf("status %s, earned %v", sale.Status, sale.CommissionEarned)
	}
}
