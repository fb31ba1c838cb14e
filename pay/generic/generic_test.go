package generic_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// TestCredit: a report credits the first of those whom it names that exists.
func TestCredit(t *testing.T) {
	for _, row := range []struct {
		name   string
		credit []object
		mara   string
		ben    string
	}{
		{"slug", []object{{"slug": "mara"}}, "20.00", "0.00"},
		{"click", []object{{"click": "2"}}, "0.00", "20.00"},
		{"click as a number", []object{{"click": 2}}, "0.00", "20.00"},
		{"code before click", []object{{"code": "MARA20"}, {"click": "2"}}, "20.00", "0.00"},
		{"unknown code", []object{{"code": "NOBODY"}, {"click": "2"}}, "0.00", "20.00"},
		{"nobody", []object{}, "0.00", "0.00"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			status, answer := post(s, payment(s, object{"paid": object{"amount": 100, "credit": row.credit}}))
			shoptest.Same(t, "status", status, 200)
			s.Want(s.Mara, row.mara)
			s.Want(s.Ben, row.ben)
			if booked := row.mara != row.ben; booked != strings.Contains(answer, `"outcome":"recorded","saleId":1`) {
				t.Error(answer)
			}
		})
	}
}

// TestWhole: one report can tell all of a payment, with lines, tax, shipping, a refund and a
// dispute, and its repeat changes nothing.
func TestWhole(t *testing.T) {
	s := newShop(t)
	report := payment(s, object{
		"ids": []string{"p1", "in_1"},
		"paid": object{
			"amount": "130.50", "tax": "20.50", "shipping": "10", "orderId": "order-7", "invoiceId": "in_1", "credit": []object{{"slug": "mara"}},
			"lines": []object{{"id": "l1", "productId": "beans", "quantity": 2, "amount": "120", "discount": "20"}},
		},
		"refunds":  []object{{"id": "r1", "amount": "30.50", "tax": "20.50", "shipping": "10", "state": "succeeded"}},
		"disputes": []object{{"id": "d1", "amount": "100", "state": "won"}},
	})
	for range 2 {
		if status, answer := post(s, report); status != 200 {
			t.Fatal(status, answer)
		}
	}
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set("order-7"))
	shoptest.Same(t, "lines", len(sale.Lines), 1)
	s.Want(s.Mara, "20.00") // 20 % of 100: the refund was of tax and shipping
	if _, answer := post(s, payment(s, object{"paid": nil, "ids": []string{"in_1"}, "refunded": "130.50"})); !strings.Contains(answer, `"done":true`) {
		t.Error(answer)
	}
	s.Want(s.Mara, "0.00")
}

// TestRefusals: what is wrong in a report is said to its sender, and changes nothing.
func TestRefusals(t *testing.T) {
	of := func(name string, v any) object { return object{name: v} }
	for _, row := range []struct {
		name    string
		changes object
		status  int
		says    string
	}{
		{"misspelt", of("amout", "1"), 400, "has a field that is not known"},
		{"misspelt within", of("paid", object{"amount": "1", "taxes": "1"}), 400, "paid has a field that is not known"},
		{"no provider", of("provider", nil), 400, "provider is missing"},
		{"no ids", of("ids", nil), 400, "all other ids are missing"},
		{"no currency", of("currency", nil), 400, "currency is missing"},
		{"no amount", of("paid", object{"tax": "1"}), 400, "paid.amount is missing"},
		{"a binary float", of("paid", object{"amount": json.Number("0.30000000000000004")}), 400, "paid.amount has more than 4 decimals"},
		{"comma", of("paid", object{"amount": "1,50"}), 400, "paid.amount is not an amount"},
		{"below zero", of("refunded", "-1"), 400, "refunded is below zero"},
		{"another type", of("type", "sale"), 400, "type is none of"},
		{"no id", of("id", nil), 400, "is missing"},
		{"state", of("refunds", []object{{"id": "r1", "amount": "1", "state": "SUCCEEDED"}}), 400, "is none of pending"},
		{"dispute", of("disputes", []object{{"id": "d1", "amount": "1"}}), 400, "is none of inquiry"},
		{"two credits in one", of("paid", object{"amount": "1", "credit": []object{{"slug": "mara", "code": "MARA20"}}}), 400, "must have one of"},
		{"empty credit", of("paid", object{"amount": "1", "credit": []object{{"offer": false}}}), 400, "must have one of"},
		{"provider's name", of("provider", "Acme Pay"), 422, "invalid_field"},
		{"not a currency", of("currency", "dollars"), 422, "invalid_field"},
		{"more tax than paid", of("paid", object{"amount": "1", "tax": "2"}), 422, "invalid_field"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			status, answer := post(s, payment(s, row.changes))
			if status != row.status || !strings.Contains(answer, row.says) {
				t.Errorf("%d %s, want %d %s", status, answer, row.status, row.says)
			}
			if len(s.AllSales()) != 0 {
				t.Error("something was booked")
			}
		})
	}
}

// TestIgnored: a payment of nothing, and a status of nobody, say why nothing was done; a
// payment of nothing that names somebody refers the customer.
func TestIgnored(t *testing.T) {
	s := newShop(t)
	if _, answer := post(s, payment(s, object{"paid": object{"amount": 0}})); !strings.Contains(answer, `"ignored":"zero_amount"`) {
		t.Error(answer)
	}
	status := object{"id": "e2", "type": "subscription", "at": "2026-01-01T00:00:00Z", "provider": "acmepay", "customer": object{"id": "c9"}, "subscription": object{"id": "s1", "status": "past_due"}}
	if _, answer := post(s, status); !strings.Contains(answer, `"ignored":"no_customer"`) {
		t.Error(answer)
	}
	post(s, payment(s, object{"paid": object{"amount": 0, "credit": []object{{"slug": "mara"}}}}))
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
}

// TestLinesUnclear: lines that do not add up are left out, and the answer says so.
func TestLinesUnclear(t *testing.T) {
	s := newShop(t)
	_, answer := post(s, payment(s, object{"paid": object{"amount": "100", "credit": []object{{"slug": "mara"}}, "lines": []object{{"productId": "beans", "amount": "70"}}}}))
	if !strings.Contains(answer, `"noLines":"lines_unclear"`) {
		t.Error(answer)
	}
	s.Want(s.Mara, "20.00")
}

// TestRenewalWaits: a renewal that names somebody, of a customer who is not known, is asked for
// again.
func TestRenewalWaits(t *testing.T) {
	s := newShop(t)
	renewal := payment(s, object{"paid": object{"amount": "100", "renewal": true, "credit": []object{{"slug": "mara"}}}})
	shoptest.Same(t, "waits", mapped(t, renewal).Wait, true)
	if status, _ := post(s, renewal); status != 503 {
		t.Errorf("status %d", status)
	}
	s.Pass(2 * 3600e9)
	if status, _ := post(s, renewal); status != 200 {
		t.Errorf("status %d after two hours", status)
	}
	shoptest.Same(t, "kind", s.Last().Action.Kind, pay.KindSale)
	s.Want(s.Mara, "20.00")
}

// TestPlantedEmail: an order of a cent by one's own link, with somebody's email, credits nobody with what that person buys
// later, unless the host says by an id of its own who they are, or the first order was a real one.
func TestPlantedEmail(t *testing.T) {
	for name, row := range map[string]struct {
		first   string
		changes object
		held    bool
	}{
		"planted":                 {"0.01", nil, true},
		"a real first order":      {"1000.00", nil, false},
		"a link of their own":     {"0.01", object{"paid": object{"amount": "10000.00", "credit": []object{{"slug": "ben"}}}}, false},
		"an id of the same payer": {"0.01", object{"customer": object{"id": "c0", "email": "tomas@example.net"}}, false},
		"an id that nobody has":   {"0.01", object{"customer": object{"id": "c1", "email": "tomas@example.net", "externalId": "17"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			post(s, payment(s, object{"ids": []string{"p0"}, "customer": object{"id": "c0", "email": "tomas@example.net"}, "paid": object{"amount": row.first, "credit": []object{{"slug": "mara"}}}}))
			later := object{"id": "e2", "ids": []string{"p1"}, "paid": object{"amount": "10000.00"}}
			maps.Copy(later, row.changes)
			if code, text := post(s, payment(s, later)); code != http.StatusOK || len(s.AllSales()) != 2 {
				t.Fatalf("%d %s", code, text)
			}
			c := s.AllSales()[0].Commissions[0]
			if held := c.ApprovalStatus == affiliate.ApprovalOnHold; held != row.held || held != strings.Contains(fmt.Sprint(c.RiskReasons), "planted_email") {
				t.Errorf("%s, %v", c.ApprovalStatus, c.RiskReasons)
			}
		})
	}
}
