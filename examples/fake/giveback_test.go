package fake_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/examples/fake"
)

// paidShop is a shop whose first order was paid out to Ada: 9 of 45.
func paidShop(t *testing.T) (*tributary.Program, http.Handler, *client.Client) {
	engine, api, partners := newShop(t)
	must(fake.Checkout(t.Context(), partners, order))
	pay(t, engine)
	return engine, api, partners
}

// pay pays Ada what is payable to her.
func pay(t *testing.T, engine *tributary.Program) affiliate.Amount {
	payout := must(engine.CreatePayout(t.Context(), affiliate.PayoutParams{AffiliateEmail: "ada@example.com"}))
	return must(engine.SetPayoutStatus(t.Context(), payout.ID, affiliate.PayoutPaid)).Amount
}

// balance is what Ada is owed and was paid.
func balance(t *testing.T, engine *tributary.Program) (payable, paid string) {
	t.Helper()
	b := must(engine.Balance(t.Context(), affiliate.AffiliateRef{Email: "ada@example.com"}))
	if err := engine.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	return b.Payable.String(), b.Paid.String()
}

var back = fake.Return{OrderID: order.ID, ID: "refund-1", Amount: affiliate.Set(affiliate.MustAmount("20"))}

// TestGiveBack: a refund after the payout makes the next payout smaller, and a
// repeated report changes nothing.
func TestGiveBack(t *testing.T) {
	engine, _, partners := paidShop(t)
	for range 2 {
		if known, err := fake.GiveBack(t.Context(), partners, back); err != nil || !known {
			t.Fatalf("known %v, error %v", known, err)
		}
		if payable, paid := balance(t, engine); payable != "-4" || paid != "9" {
			t.Errorf("payable %s, paid %s; want -4 and 9", payable, paid)
		}
	}
	second := fake.Order{ID: "order-2", Email: order.Email, Name: order.Name, Basket: affiliate.MustAmount("50"), Total: affiliate.MustAmount("50")}
	must(fake.Checkout(t.Context(), partners, second))
	if got := pay(t, engine); got != affiliate.MustAmount("6") {
		t.Errorf("the next payout is %v, want 10 less 4", got)
	}
	rest := fake.Return{OrderID: order.ID, ID: "refund-2"}
	if _, err := fake.GiveBack(t.Context(), partners, rest); err != nil {
		t.Fatal(err)
	}
	if payable, paid := balance(t, engine); payable != "-5" || paid != "15" {
		t.Errorf("payable %s, paid %s; want -5 and 15", payable, paid)
	}
	sale := must(engine.Sales(t.Context(), affiliate.SaleQuery{ExternalID: affiliate.Set(order.ID)}, affiliate.Page{})).Items[0]
	if sale.Status != affiliate.SaleRefunded || !sale.CommissionEarned.IsZero() {
		t.Errorf("the sale is %s and earns %v", sale.Status, sale.CommissionEarned)
	}
}

// TestGiveBackOfNobody: an order that no affiliate brought is no error, and the
// shop learns that nothing was done, because the order may have yet to be reported.
func TestGiveBackOfNobody(t *testing.T) {
	_, _, partners := paidShop(t)
	if known, err := fake.GiveBack(t.Context(), partners, fake.Return{OrderID: "order-of-nobody", ID: "refund-1"}); err != nil || known {
		t.Errorf("known %v, error %v", known, err)
	}
}

// TestGiveBackTooMuch: a mistake of the shop is an error and changes nothing.
func TestGiveBackTooMuch(t *testing.T) {
	engine, _, partners := paidShop(t)
	much := back
	much.Amount = affiliate.Set(affiliate.MustAmount("45.01"))
	if _, err := fake.GiveBack(t.Context(), partners, much); !errors.Is(err, affiliate.RefundExceedsSale) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"0", "9"}, two(balance(t, engine))); diff != "" {
		t.Errorf("payable and paid (-want +got):\n%s", diff)
	}
}

func two(a, b string) []string { return []string{a, b} }

// TestGiveBackOutage: while the program cannot be reached, GiveBack returns an
// error. The shop reports the refund again later, and it counts once.
func TestGiveBackOutage(t *testing.T) {
	for name, down := range outages {
		t.Run(name, func(t *testing.T) {
			engine, api, partners := paidShop(t)
			if _, err := fake.GiveBack(t.Context(), down(api), back); err == nil {
				t.Error("no error")
			}
			if _, err := fake.GiveBack(t.Context(), partners, back); err != nil {
				t.Errorf("and again: %v", err)
			}
			if diff := cmp.Diff([]string{"-4", "9"}, two(balance(t, engine))); diff != "" {
				t.Errorf("payable and paid (-want +got):\n%s", diff)
			}
		})
	}
}
