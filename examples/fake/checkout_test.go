package fake_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/examples/fake"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

const key = "a-key-for-these-tests"

// newShop returns a program in which Ada's code works once, its handler, and the
// shop's client.
func newShop(t *testing.T) (*tributary.Program, http.Handler, *client.Client) {
	engine, api, partners := newFake()

	ada := must(engine.CreateAffiliate(t.Context(), affiliate.AffiliateParams{
		FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", CommissionRate: affiliate.Set(affiliate.MustPercent("20")),
	}))
	ten := must(engine.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "Ten", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	must(engine.CreateCode(t.Context(), affiliate.CodeParams{
		CouponID: ten.ID, Code: "ADA10", AffiliateID: ada.ID, MaxRedemptions: affiliate.Set[int64](1), MinimumAmount: affiliate.Set(affiliate.MustAmount("50")),
	}))
	return engine, api, partners
}

// newFake returns a program, the handler of its API, and a client of it.
func newFake() (*tributary.Program, http.Handler, *client.Client) {
	engine, _ := tributary.New(memstore.New(), tributary.Config{})
	api, _ := httpapi.New(engine, httpapi.Config{APIKeys: []string{"a-key-for-these-tests"}})
	partners, _ := client.New("http://tributary.test", "a-key-for-these-tests", client.Config{Handler: api})
	return engine, api, partners
}

// newClient returns a client like the shop's for another handler.
func newClient(key string, h http.Handler) *client.Client {
	return must(client.New("http://tributary.test", key, client.Config{Handler: h, MinWait: 1, MaxWait: 1}))
}

var order = fake.Order{
	ID: "order-1", Email: "kim@example.com", Name: "Kim", Code: "ada10",
	Basket: affiliate.MustAmount("50"), Total: affiliate.MustAmount("45"),
}

// TestPreview: the sale agrees with the preview before the payment. The total of
// 45 is below the minimum, but the basket is not.
func TestPreview(t *testing.T) {
	_, _, partners := newShop(t)
	for _, tt := range []struct {
		code, basket string
		want         fake.Offer
	}{
		{"ada10", "50", fake.Offer{Charge: order.Total}},
		{"ada10", "49.99", fake.Offer{affiliate.MustAmount("49.99"), "Order does not reach the minimum amount for this promo code"}},
		{"none", "50", fake.Offer{order.Basket, "Promo code not found"}},
	} {
		if diff := cmp.Diff(tt.want, must(fake.Preview(t.Context(), partners, tt.code, affiliate.MustAmount(tt.basket)))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", tt.code, tt.basket, diff)
		}
	}
	if _, err := fake.Preview(t.Context(), newClient(key, http.NotFoundHandler()), "ada10", order.Basket); err == nil {
		t.Error("a program that is not there is no refusal")
	}
	if told := must(fake.Checkout(t.Context(), partners, order)); told.CodeRefused != "" {
		t.Errorf("refused after the payment: %s", told.CodeRefused)
	}
}

// TestCheckout: orders by a code that works, by one that does not, and twice.
func TestCheckout(t *testing.T) {
	engine, _, partners := newShop(t)
	second, stranger := order, order
	second.ID, stranger.ID, stranger.Email = "order-2", "order-3", "lou@example.com"
	const limit = "Promo code has reached its redemption limit"
	for _, step := range []struct {
		name  string
		order fake.Order
		want  fake.Receipt
	}{
		{"OK", order, fake.Receipt{Affiliate: "Ada Lovelace"}},
		{"Again", order, fake.Receipt{}}, // the sale is there: nothing is counted twice
		{"RefusedOfKnownCustomer", second, fake.Receipt{Affiliate: "Ada Lovelace", CodeRefused: limit}},
		{"RefusedOfStranger", stranger, fake.Receipt{CodeRefused: limit}},
	} {
		if diff := cmp.Diff(step.want, must(fake.Checkout(t.Context(), partners, step.order))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if code := must(engine.Code(t.Context(), affiliate.CodeRef{Code: "ADA10"})); code.TimesRedeemed != 1 {
		t.Errorf("the code counts %d redemptions, want 1", code.TimesRedeemed)
	}
	if sales := must(engine.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items; len(sales) != 2 {
		t.Errorf("%d sales, want those of the known customer", len(sales))
	}
}

// outages are clients for a program that does not answer as it should.
var outages = map[string]func(api http.Handler) *client.Client{
	"wrong key": func(api http.Handler) *client.Client { return newClient("another-key-of-22-chars", api) },
	"store down": func(http.Handler) *client.Client {
		return newClient(key, answering(http.StatusInternalServerError, "internal_error", "Internal server error"))
	},
	"rate limit": func(http.Handler) *client.Client {
		return newClient(key, answering(http.StatusTooManyRequests, "rate_limited", "Too many requests. Please slow down."))
	},
	"wrong address": func(http.Handler) *client.Client { return newClient(key, http.NotFoundHandler()) },
	"proxy":         func(http.Handler) *client.Client { return newClient(key, answering(http.StatusBadGateway, "", "")) },
	"answers lost": func(api http.Handler) *client.Client {
		return newClient(key, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			api.ServeHTTP(discard{}, r)
			panic(http.ErrAbortHandler)
		}))
	},
}

// TestOutage: while the program cannot be reached, or refuses the shop's key,
// Checkout returns an error and no receipt. The shop calls again later, and the
// sale is recorded once.
func TestOutage(t *testing.T) {
	for name, down := range outages {
		t.Run(name, func(t *testing.T) {
			engine, api, partners := newShop(t)
			receipt, err := fake.Checkout(t.Context(), down(api), order)
			if err == nil || receipt != (fake.Receipt{}) {
				t.Errorf("the checkout says %+v, %v", receipt, err)
			}
			if _, err := fake.Checkout(t.Context(), partners, order); err != nil {
				t.Errorf("and again: %v", err)
			}
			sales := must(engine.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items
			if len(sales) != 1 || sales[0].Affiliate.Name != "Ada Lovelace" {
				t.Errorf("sales %+v", sales)
			}
		})
	}
}

// TestBadInput: a mistake of the shop is an error, not a message for the
// customer.
func TestBadInput(t *testing.T) {
	_, _, partners := newShop(t)
	free := order
	free.Total = affiliate.Amount{}
	if receipt, err := fake.Checkout(t.Context(), partners, free); err == nil {
		t.Errorf("the checkout says %+v", receipt)
	}
}

// answering is a server that answers everything with one error.
func answering(status int, code, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Error-Code", code)
		w.WriteHeader(status)
		w.Write([]byte(`{"error":"` + text + `"}`))
	})
}

// discard takes an answer that nobody gets.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) WriteHeader(int)             {}
func (discard) Write(b []byte) (int, error) { return len(b), nil }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
