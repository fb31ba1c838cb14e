package proofs_test

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
	"github.com/tributary-go/tributary/internal/scene"
)

// A mirror is another system that follows the events of sales, as docs/receiver.md
// says, and reads adjustments and payouts by their routes, because these fire no
// events.
type mirror struct {
	after uuid.UUID // the last event that it got
	sales map[string]mirroredSale
}

// A mirroredSale is a sale as a mirror has it. The row of a deleted sale stays, for its
// revision.
type mirroredSale struct {
	revision int64
	gone     bool
	sale     affiliate.Sale
}

// follow takes the events that are new.
func (m *mirror) follow(w *scene.World) {
	w.T.Helper()
	if m.sales == nil {
		m.sales = map[string]mirroredSale{}
	}
	for {
		events := scene.Must(w.EventsAfter(context.Background(), m.after, 1000))
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

func rowOf(w *scene.World, e affiliate.Event) mirroredSale {
	w.T.Helper()
	row := mirroredSale{revision: e.Revision, gone: e.Type == affiliate.SaleDeleted}
	if row.gone {
		return row
	}
	var payload struct{ Body affiliate.Sale }
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		w.T.Fatalf("%s: %v", e.Type, err)
	}
	row.sale = payload.Body
	return row
}

// check compares the mirror with the program: which sales stand, what they come to,
// and the balance of their affiliate.
func (m *mirror) check(w *scene.World, owner uuid.UUID) {
	w.T.Helper()
	m.follow(w)
	standing := 0
	for _, sale := range scene.Must(w.Sales(context.Background(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1000})).Items {
		row := m.sales[fmt.Sprint(sale.ID)]
		if row.gone != (sale.Status == affiliate.SaleRefunded) {
			w.T.Errorf("sale %d is %s, in the mirror gone is %v", sale.ID, sale.Status, row.gone)
		}
		if row.gone {
			continue
		}
		standing++
		row.sale.UpdatedAt, row.sale.Referral, row.sale.Affiliate = sale.UpdatedAt, sale.Referral, sale.Affiliate
		if diff := cmp.Diff(sale, row.sale); diff != "" {
			w.T.Errorf("sale %d (-program +mirror):\n%s", sale.ID, diff)
		}
	}
	for _, row := range m.sales {
		if !row.gone {
			standing--
		}
	}
	if standing != 0 {
		w.T.Errorf("the program has %d more sales than the mirror", standing)
	}
	balance := scene.Must(w.Balance(context.Background(), affiliate.AffiliateRef{ID: owner}))
	if held, open := m.owed(w, owner); held != balance.Held || open != scene.Must(balance.Payable.Add(balance.Maturing)) {
		w.T.Errorf("the mirror has %v held and %v open, the balance is %+v", held, open, balance)
	}
}

// owed is what the mirror says of an affiliate: the commissions of its sales and the
// adjustments, less the payouts that stand.
func (m *mirror) owed(w *scene.World, owner uuid.UUID) (held, open affiliate.Amount) {
	for _, row := range m.sales {
		if row.gone || row.sale.AffiliateID != owner {
			continue
		}
		for _, c := range row.sale.Commissions {
			switch c.ApprovalStatus {
			case affiliate.ApprovalOnHold:
				held = scene.Must(held.Add(c.CommissionEarned))
			case affiliate.ApprovalAccepted:
				open = scene.Must(open.Add(c.CommissionEarned))
			}
		}
	}
	page := affiliate.Page{Limit: 1000}
	for _, a := range scene.Must(w.Adjustments(context.Background(), affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(owner)}, page)).Items {
		open = scene.Must(open.Add(a.Amount))
	}
	for _, p := range scene.Must(w.Payouts(context.Background(), affiliate.PayoutQuery{AffiliateID: affiliate.Set(owner)}, page)).Items {
		if p.Status != affiliate.PayoutCanceled && p.Status != affiliate.PayoutReturned {
			open = scene.Must(open.Sub(p.Amount))
		}
	}
	return held, open
}

// A sale whose dispute was won counts again, as often as that happens: its status, its
// figures and its commission, and whoever gets the events hears it.
func TestPaymentCountsAgain(t *testing.T) {
	for name, payout := range map[string]string{"before a payout": "S", "in a payout": "S P", "after a payout": "S PP"} {
		t.Run(name, func(t *testing.T) {
			s, m := scene.NewPayShop(t), &mirror{}
			s.Play(strings.Fields(payout)...)
			link := func() affiliate.Link {
				return scene.Must(s.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("mara")}, affiliate.Page{})).Items[0]
			}
			before, seen := link(), len(s.EventTypes(0))
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
				s.Play(step.word)
				sale := s.Gives("pi_1", step.gives)
				m.check(s.World, s.Mara.ID)
				if sale.Status != step.status || sale.RefundedAt.IsNull() == (step.status == affiliate.SaleRefunded) {
					t.Errorf("after %s: status %s, refunded %v at %v", step.word, sale.Status, sale.RefundedAmount, sale.RefundedAt)
				}
				if diff := cmp.Diff([]affiliate.EventType{step.fires}, s.EventTypes(seen)); diff != "" {
					t.Errorf("%s fired (-want +got):\n%s", step.word, diff)
				}
				seen = len(s.EventTypes(0))
			}
			if diff := cmp.Diff(before, link()); diff != "" {
				t.Errorf("the figures of the link (-before +after):\n%s", diff)
			}
		})
	}
}

// What adjustments made up for, before a sale could count again, is not paid twice.
func TestPaymentAdjustedBefore(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Play("S", "D:dp_1:120:lost@1")
	made := scene.Must(s.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{
		AffiliateID: s.Mara.ID, SaleID: s.SaleOf("pi_1").ID, Kind: affiliate.AdjustDisputeWon, Amount: scene.Sum("20"), Reason: "stripe dp_1: won",
	}))
	scene.Behind(t, s.World, func(tx *record.Tx) {
		for pay, err := range tx.Payments.List(record.Query{}) {
			scene.Must(0, err)
			pay.Peak, pay.Adjusted, pay.Adjustments = scene.Sum("120"), scene.Sum("20"), []uuid.UUID{made.ID}
			pay.Disputes[0].State = affiliate.DisputeWon
			scene.Must(0, tx.Payments.Replace(pay))
		}
	})
	s.Gives("pi_1", "20")
	s.Play("R:re_1:30")
	if sale := s.Gives("pi_1", "15"); sale.Status != affiliate.SaleActive || sale.CommissionEarned != scene.Sum("15") {
		t.Errorf("status %s, earned %v", sale.Status, sale.CommissionEarned)
	}
}
