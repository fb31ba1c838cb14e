package adapter_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// TestBook: what was paid is a sale, of which only a renewal of a customer whom somebody brought
// waits; nothing is a lead when it begins something and somebody brought the customer.
func TestBook(t *testing.T) {
	for _, row := range []struct {
		name                    string
		paid                    int64
		marked, renewal, begins bool
		kind                    pay.Kind
		wait                    bool
	}{
		{"a payment", 1, true, false, false, pay.KindSale, false},
		{"a renewal", 1, true, true, false, pay.KindSale, true},
		{"a renewal of nobody's customer", 1, false, true, true, pay.KindSale, false},
		{"a trial", 0, true, false, true, pay.KindCustomer, false},
		{"a trial of nobody's customer", 0, false, false, true, pay.KindIgnored, false},
		{"an order of nothing", 0, true, false, false, pay.KindIgnored, false},
		{"a renewal of nothing", 0, true, true, true, pay.KindIgnored, false},
	} {
		d := adapter.Draft{Action: pay.Action{Kind: pay.KindSale}}
		p := adapter.Paid{Renewal: row.renewal}
		if row.marked {
			p.Tries = []affiliate.Credit{{ReferralID: "mara"}}
		}
		bill := adapter.Bill{Currency: "USD", Paid: affiliate.AmountFromScaled(row.paid)}
		d.Book(bill, p, row.begins)
		if got := d.Action; got.Kind != row.kind || got.Wait != row.wait {
			t.Errorf("%s: %s, waits %t", row.name, got.Kind, got.Wait)
		}
	}
}

// TestPayer: who has no name of their own is called by their email.
func TestPayer(t *testing.T) {
	for name, want := range map[string]string{"Tomas": "Tomas", "": "t.novak", "\x00": "t.novak"} {
		if got := adapter.Payer("c1", "t.novak@customers.example", name); got.Name != want || got.ID != "c1" {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
