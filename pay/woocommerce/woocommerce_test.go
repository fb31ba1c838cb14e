package woocommerce_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/woocommerce"
)

// TestOrder: an order is a sale of what was paid, with its tax and its lines, for who was
// carried.
func TestOrder(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order"))
	sale := s.Sale()
	shoptest.Same(t, "externalId", sale.ExternalID, affiliate.Set("727"))
	shoptest.Same(t, "total", sale.TotalEarned, amount("120"))
	shoptest.Same(t, "email", s.Referral().Email, "tomas@example.net")
	shoptest.Same(t, "time", mapped(t, load(s, "order", "date_created_gmt", "2025-12-31T00:00:00")).Event.At, s.Now)
	shoptest.Same(t, "name", s.Referral().Name, affiliate.Set("Tomas Novak"))
	s.Want(s.Mara, "20.00")
	s.Send(brought(s, "order", "status", "completed"))
	shoptest.Same(t, "outcome", s.Last().Outcome, affiliate.SaleDuplicate)
	s.Want(s.Mara, "20.00")
}

// TestCoupon: a coupon credits its affiliate, in lower case as WooCommerce keeps it. Fees earn,
// shipping and tax do not, and amounts are without tax also where prices include it.
func TestCoupon(t *testing.T) {
	s := newShop(t)
	e := load(s, "order_coupon")
	paid, _ := mapped(t, e).Payment.Sale.Get()
	var lines []string
	for _, l := range paid.Lines {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s less %s", l.Name, l.ProductID, l.PlanID, l.Amount, l.Discount))
	}
	shoptest.Same(t, "lines", strings.Join(lines, "; "), "House Blend 81 : 100 less 10; Grinder 82 821: 25 less 2.5; Gift wrap  : 5 less 0")
	s.Send(e)
	s.Want(s.Mara, "23.50") // of 117.50
	shoptest.Same(t, "a guest", s.Last().Action.Payment.Payer.ID, "")
	off := load(s, "order_coupon", "id", 7281, "number", "7281", "fee_lines.0.total", "-5.00", "fee_lines.0.total_tax", "-1.00", "total", "141.00", "total_tax", "23.50")
	shoptest.Same(t, "a fee below zero", mapped(t, off).NoLines, "")
	s.Send(off)
	s.Want(s.Mara, "45.00") // and of 107.50
}

// TestRefunds: an order tells all its refunds each time, also when it is cancelled.
func TestRefunds(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order_refunded"))
	s.Want(s.Mara, "10.00")
	s.Send(load(s, "order_refunded", "status", "cancelled", "refunds.0.id", 750, "refunds.0.total", "-60.00"))
	s.Want(s.Mara, "0.00")
	deposit := newShop(t)
	deposit.Send(brought(deposit, "order_refunded", "status", "refunded"))
	shoptest.Same(t, "given back, and less than its price", len(deposit.AllSales()), 0)
	deposit.Send(brought(deposit, "order_refunded"))
	deposit.Want(deposit.Mara, "10.00")
	early := newShop(t)
	early.Send(load(early, "order_refunded", "status", "failed"), brought(early, "order_refunded", "refunds", []any{}))
	early.Want(early.Mara, "10.00")
}

// TestOrders: an order tells its life in any order and repeatedly, and the books are the same.
func TestOrders(t *testing.T) {
	s := newShop(t)
	back := func(ids ...int) (list []any) {
		for _, id := range ids {
			list = append(list, map[string]any{"id": id, "reason": "", "total": "-30.00"})
		}
		return append(list, map[string]any{"id": 900, "reason": "nothing but stock", "total": "-0.00"})
	}
	told := []pay.Action{
		mapped(t, load(s, "order", "status", "pending", "date_paid_gmt", nil)), mapped(t, brought(s, "order")), mapped(t, brought(s, "order", "refunds", back(1))),
		mapped(t, brought(s, "order", "status", "cancelled", "refunds", back(2, 1))), mapped(t, brought(s, "order", "status", "refunded", "refunds", back(4, 3, 2, 1))),
	}
	for n, want := range map[int]string{4: "Mara 10.00, Ben 0.00; sale of 120", 5: "Mara 0.00, Ben 0.00; sale of 120"} {
		shoptest.Orders(n, func(order []int) {
			if got := shoptest.Play(t, told[:n], order).Money(); got != want {
				t.Errorf("%v: %s", order, got)
			}
		})
	}
}

// TestGiftCards: what a gift card paid is no part of the total, and paid a part of tax and
// shipping.
func TestGiftCards(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order_gift_cards"))
	shoptest.Same(t, "total", s.Sale().TotalEarned, amount("62"))
	shoptest.Same(t, "lines", s.Last().Action.NoLines, pay.LinesUnclear)
	s.Want(s.Mara, "9.39") // of 62 less 10.33 and 4.70
}

// TestCredit: a credit that is a fee below zero may pay a part of the tax: the order is booked, and
// what is left of it is tax.
func TestCredit(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order", "total", "10.00", "fee_lines", []any{map[string]any{"id": 1, "name": "Store credit", "total": "-110.00"}}))
	sale := s.Sale()
	shoptest.Same(t, "total", sale.TotalEarned, amount("10"))
	shoptest.Same(t, "tax", sale.TaxAmount, amount("10"))
	s.Want(s.Mara, "0.00")
}

// TestLarge: an order of more than 1 MiB is read, as plugins make them.
func TestLarge(t *testing.T) {
	s := newShop(t)
	e := brought(s, "order")
	s.Send(e.With("meta_data", append(e["meta_data"].([]any), map[string]any{"id": 1, "key": "_label", "value": strings.Repeat("x", 2<<20)})))
	s.Want(s.Mara, "20.00")
}

// TestRenewal: a renewal of a subscription is one of its customer, and redeems no code.
func TestRenewal(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order"), load(s, "order_renewal", "coupon_lines", []any{map[string]any{"code": "MARA20"}}))
	s.Want(s.Mara, "22.90")
	paid, _ := s.Last().Action.Payment.Sale.Get()
	if !paid.Renewal || len(paid.Tries) != 1 { // which it does not redeem
		t.Errorf("%t %v", paid.Renewal, paid.Tries)
	}
}

// TestTrial: an order of nothing refers its customer.
func TestTrial(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order", "total", "0.00", "total_tax", "0.00", "line_items.0.total", "0.00"))
	shoptest.Same(t, "affiliate", s.Referral().AffiliateID, s.Mara.ID)
	shoptest.Same(t, "source", s.Referral().IntegrationReferralSource, affiliate.Set(affiliate.Integration("WOOCOMMERCE")))
}

// TestGuest: a guest has no id and is referred by an order of nothing too, once.
func TestGuest(t *testing.T) {
	for name, changes := range map[string][]any{
		"a slug":   {"coupon_lines", []any{}},
		"a coupon": {"meta_data", []any{}},
	} {
		s := newShop(t)
		e := brought(s, "order", append(changes, "customer_id", 0, "total", "0.00", "total_tax", "0.00", "line_items.0.total", "0.00")...)
		if name == "a coupon" {
			e = e.With("meta_data", []any{}, "coupon_lines", []any{map[string]any{"id": 1, "code": "mara20", "discount": "100.00", "discount_tax": "20.00"}})
		}
		s.Send(e, e)
		shoptest.Same(t, name, s.Referral().AffiliateID, s.Mara.ID)
		shoptest.Same(t, name+": email", s.Referral().Email, "tomas@example.net")
		s.Send(load(s, "order", "id", 800, "number", "800", "customer_id", 0))
		s.Want(s.Mara, "20.00")
	}
}

// TestShops: ids of two shops of one program never meet.
func TestShops(t *testing.T) {
	s := newShop(t)
	body := brought(s, "order").JSON()
	for _, shop := range []string{"", "eu", "us"} {
		cfg := config(s)
		cfg.Shop = shop
		a, err := woocommerce.Map(body, cfg)
		if err != nil {
			t.Fatal(err)
		}
		shoptest.Same(t, shop, shoptest.Must(pay.Apply(t.Context(), s.Program, a)).Outcome, affiliate.SaleRecorded)
	}
	var ids []string
	for _, sale := range s.AllSales() {
		ids = append(ids, sale.ExternalID.Or(""))
	}
	shoptest.Same(t, "ids", strings.Join(ids, " "), "us-727 eu-727 727")
}

// TestCurrencies: amounts are in units of their currency, with as many decimals as the shop shows.
func TestCurrencies(t *testing.T) {
	for _, row := range []struct {
		currency               affiliate.Currency
		total, tax, line, want string
	}{{"JPY", "1200", "200", "1000", "200"}, {"USD", "12", "2", "10", "2.00"}, {"KWD", "12.345", "2.345", "10.000000", "2.000"}} {
		s := newShop(t, func(c *tributary.Config) { c.Currency = row.currency })
		s.Send(brought(s, "order", "currency", row.currency, "total", row.total, "total_tax", row.tax, "line_items.0.subtotal", row.line, "line_items.0.total", row.line))
		shoptest.Same(t, "lines", s.Last().Action.NoLines, "")
		s.Want(s.Mara, row.want)
	}
	s := newShop(t)
	s.Send(brought(s, "order", "currency", "EUR"))
	shoptest.Same(t, "another currency", s.Last().Action.Reason, pay.OtherCurrency)
}

// TestNotRead: what cannot be booked safely is not, and says why.
func TestNotRead(t *testing.T) {
	s := newShop(t)
	for _, row := range []struct {
		name string
		e    event
		want pay.Reason
	}{
		{"not paid", load(s, "order", "date_paid_gmt", nil), pay.Unpaid},
		{"an empty date", load(s, "order", "date_paid_gmt", ""), pay.Unpaid},
		{"pending", load(s, "order", "status", "pending"), pay.Unpaid},
		{"on hold", load(s, "order", "status", "on-hold"), pay.Unpaid},
		{"failed", load(s, "order", "status", "failed"), pay.Unpaid},
		{"cancelled", load(s, "order", "status", "cancelled"), pay.Unpaid},
		{"refunded, without refunds", load(s, "order", "status", "refunded"), pay.Unpaid},
		{"no status", load(s, "order", "status", nil), pay.Unpaid},
		{"nothing", load(s, "order", "total", "0.00", "total_tax", "0.00"), pay.ZeroAmount},
		{"a subscription", load(s, "subscription"), pay.UnknownEvent},
		{"a product", event{"id": 81, "name": "House Blend", "price": "100"}, pay.UnknownEvent},
		{"one that was deleted", event{"id": 727}, pay.UnknownEvent},
	} {
		s.Send(row.e)
		shoptest.Same(t, row.name, s.Last().Action.Reason, row.want)
	}
	for name, e := range map[string]event{
		"no total": load(s, "order", "total", ""), "below zero": load(s, "order", "total", "-1"), "too exact": load(s, "order", "total", "1.23456"),
		"no tax": load(s, "order", "total_tax", nil), "no shipping": load(s, "order", "shipping_total", nil),
		"no currency": load(s, "order", "currency", ""), "no time": load(s, "order", "date_modified_gmt", nil, "date_created_gmt", nil), "a time with a zone": load(s, "order", "date_modified_gmt", "2026-01-01T00:00:00Z"),
		"what a user gets who may not read orders": {"code": "woocommerce_rest_cannot_view", "message": "Sorry, you cannot view this resource.", "data": map[string]any{"status": 401}},
		"no id": load(s, "order", "id", 0), "no key": load(s, "order", "order_key", ""), "a refund above zero": load(s, "order_refunded", "refunds.0.total", "16.20"),
		"a refund of nobody": load(s, "order_refunded", "refunds.0.id", nil), "a refund of no amount": load(s, "order_refunded", "refunds.0.total", "-"),
	} {
		if got := s.Status(e); got != http.StatusBadRequest {
			t.Errorf("%s: status %d", name, got)
		}
	}
	shoptest.Same(t, "sales", len(s.AllSales()), 0)
}

// TestPlugins: a status of a plugin is one of an order that was paid when it was; lines that
// cannot be read leave the order whole.
func TestPlugins(t *testing.T) {
	s := newShop(t)
	s.Send(brought(s, "order", "status", "shipped", "line_items.0.quantity", 1.5, "line_items.0.total", "twelve"))
	shoptest.Same(t, "lines", s.Last().Action.NoLines, pay.LinesUnclear)
	s.Want(s.Mara, "20.00")
	many := newShop(t)
	many.Send(brought(many, "order", "line_items.0.quantity", int64(1)<<60))
	many.Want(many.Mara, "20.00")
	half, _ := mapped(t, load(s, "order", "line_items.0.quantity", 1.5)).Payment.Sale.Get()
	shoptest.Same(t, "quantity", half.Lines[0].Quantity, affiliate.Opt[affiliate.Amount]{})
}

// TestPing: the ping of a new webhook is answered, and no other form is.
func TestPing(t *testing.T) {
	s := newShop(t)
	for body, want := range map[string]int{
		"webhook_id=7": 200, "webhook_id=": 415, "webhook_id=7&total=1": 415, "webhook_id=" + strings.Repeat("7", 100): 415, "total=1": 415, "": 415,
	} {
		r := httptest.NewRequest(http.MethodPost, "/webhooks/woocommerce", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.Hook.ServeHTTP(w, r)
		shoptest.Same(t, body, w.Code, want)
	}
	timed := &bodyTimer{ResponseRecorder: httptest.NewRecorder()}
	ping := httptest.NewRequest(http.MethodPost, "/webhooks/woocommerce", strings.NewReader("webhook_id=7"))
	ping.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	s.Hook.ServeHTTP(timed, ping)
	if len(timed.set) != 2 || time.Until(timed.set[0]) > time.Minute || !timed.set[1].IsZero() {
		t.Errorf("a ping arrives within %v", timed.set)
	}
	r := signed([]byte("webhook_id=7"), s.Now)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.Hook.ServeHTTP(w, r)
	shoptest.Same(t, "signed", w.Code, 415)
	shoptest.Same(t, "results", len(s.Results), 0)
}

// bodyTimer keeps what was set for the time in which a body arrives.
type bodyTimer struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *bodyTimer) SetReadDeadline(at time.Time) error {
	d.set = append(d.set, at)
	return nil
}

// TestTopics: every recorded event of a topic in the list is read.
func TestTopics(t *testing.T) {
	shoptest.Same(t, "topics", strings.Join(woocommerce.Topics(), " "), "order.created order.updated customer.created customer.updated")
	provider.Kinds(t, map[string]pay.Kind{
		"order": pay.KindSale, "order_coupon": pay.KindSale, "order_refunded": pay.KindSale, "order_gift_cards": pay.KindSale, "order_renewal": pay.KindSale, "customer": pay.KindCustomer,
	})
}

// TestConfig: there is no tolerance where there is no time, no wait where nothing is repeated,
// and no shop that could not be a part of a name.
func TestConfig(t *testing.T) {
	provider.Unusable(t, map[string]func(*woocommerce.Config){
		"a tolerance": func(cfg *woocommerce.Config) { cfg.Tolerance = 1 },
		"a wait":      func(cfg *woocommerce.Config) { cfg.Wait = 1 },
		"no secret":   func(cfg *woocommerce.Config) { cfg.Secrets = nil },
		"a shop":      func(cfg *woocommerce.Config) { cfg.Shop = "Europe" },
		"a long shop": func(cfg *woocommerce.Config) { cfg.Shop = strings.Repeat("x", 21) },
	})
	s := newShop(t)
	body, h := load(s, "order").JSON(), http.Header{}
	sign(h, body, s.Now)
	if err := woocommerce.Verify(h, body, config(s)); err != nil {
		t.Error(err)
	}
}
