package proofs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestModelHostilePayer: whatever a payer names, types, pays, gives back and cancels, the
// order of another customer earns what it did, that customer keeps the status, and the
// order's own payment is still taken. Left out is the payer who names the order, types its
// customer's email and pays what it cost: nothing tells that one from its customer.
func TestModelHostilePayer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := scene.NewPayShop(t)
		ctx := t.Context()
		sale := s.Hosts()
		s.Now = s.Now.Add(time.Minute)
		customer := sale.ReferralID.Or(uuid.Nil)
		before := scene.Must(s.Referral(ctx, customer.String())).Status
		eve := affiliate.PayerFact{ID: "cus_E", Email: "eve@example.com", Name: "Eve"}
		payments := 0
		emails, taxes := []string{"eve@example.com"}, []string{"0", "0.01"}
		if rapid.Bool().Draw(rt, "typed") {
			emails, taxes = append(emails, "ines@example.com"), taxes[:1] // 10000.01 with its tax is what the order cost
		}
		pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, name) }
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			key := fmt.Sprint("pi_", rapid.IntRange(1, 3).Draw(rt, "payment"))
			f := s.Fact(key)
			switch f.Payer = eve; pick("does", "pays", "refunds", "disputes", "cancels", "changes") {
			case "pays":
				total := pick("total", "0.01", "1", "9999.99", "10000.01", "12000")
				f = s.Paid(key, total, pick("tax", taxes...), "ben")
				f.Payer = eve
				f = scene.Altered(f, func(p *affiliate.Paid) {
					p.ExternalID = pick("order", "order-1042", "order-9")
					p.Renewal = rapid.Bool().Draw(rt, "renewal")
				})
				payments++
			case "refunds":
				f.Refunds = []affiliate.RefundFact{{ID: fmt.Sprint("re_", payments), Amount: scene.Sum("10000"), State: affiliate.RefundSucceeded}}
			case "disputes":
				f.Disputes = []affiliate.DisputeFact{{ID: "dp_" + key, Amount: scene.Sum("10000"), State: affiliate.DisputeLost}}
			case "cancels":
				_, _ = s.Payments().ReportSubscription(ctx, affiliate.SubscriptionFact{
					Provider: "stripe", Payer: eve, Subscription: "sub_E", Status: affiliate.SubscriptionCancelled, At: s.Now,
				})
				continue
			case "changes":
				eve.Email = pick("email", emails...)
				_ = s.Payments().ReportPayer(ctx, "stripe", eve)
				continue
			}
			_, _ = s.Payments().ReportPayment(ctx, f) // an amount that changed is refused
		}
		if got := scene.Must(s.Sale(ctx, sale.ID)); got.CommissionEarned != sale.CommissionEarned || got.RefundedAmount != sale.RefundedAmount || got.Status != sale.Status {
			rt.Fatalf("the order earns %v, is %s, refunded %v", got.CommissionEarned, got.Status, got.RefundedAmount)
		}
		if got := scene.Must(s.Referral(ctx, customer.String())).Status; got != before {
			rt.Fatalf("the customer is %s, was %s", got, before)
		}
		s.Outcome(s.Reports(scene.OfOrder(s.Paid("pi_real", "10000", "0", "1"), scene.Ines)), affiliate.SaleDuplicate)
		scene.Must(0, s.Verify(ctx))
	})
}
