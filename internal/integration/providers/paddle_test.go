package providers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	sdk "github.com/PaddleHQ/paddle-go-sdk/v4"
	"github.com/PaddleHQ/paddle-go-sdk/v4/pkg/paddlenotification"
	diff "github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/paddle"
)

const paddleSecret = "pdl_ntfset_01jz_interop"

// paddleVerifies reports whether Paddle's own library takes a signature.
func paddleVerifies(t *testing.T, header string, body []byte) bool {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set(paddle.HeaderName, header)
	ok, err := sdk.NewWebhookVerifier(paddleSecret).Verify(r)
	return ok && err == nil
}

// TestPaddleSignatures: what this module signs, Paddle's library verifies, and
// both refuse the same changes of it.
func TestPaddleSignatures(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	cfg := paddle.Config{Config: adapter.Config{Secrets: []string{"pdl_ntfset_another", paddleSecret}, Now: func() time.Time { return signedAt }}}
	for i := range 200 {
		body := make([]byte, 1+random.IntN(4096))
		for n := range body {
			body[n] = byte(random.Uint32())
		}
		header := paddle.Sign(paddleSecret, signedAt, body)
		if err := paddle.Verify(http.Header{paddle.HeaderName: {header}}, body, cfg); err != nil || !paddleVerifies(t, header, body) {
			t.Fatalf("%d: %v", i, err)
		}
		body[random.IntN(len(body))] ^= 1 << random.IntN(8)
		if err := paddle.Verify(http.Header{paddle.HeaderName: {header}}, body, cfg); err == nil || paddleVerifies(t, header, body) {
			t.Fatalf("%d: a changed body is accepted: %v", i, err)
		}
	}
}

// decodedAs is an event as Paddle's library has it.
func decodedAs[T any](t *testing.T, name string) (event paddlenotification.GenericNotificationEvent, data T, body []byte) {
	t.Helper()
	body, err := os.ReadFile("../../../pay/paddle/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	whole := struct {
		*paddlenotification.GenericNotificationEvent
		Data *T `json:"data"`
	}{&event, &data}
	if err := json.Unmarshal(body, &whole); err != nil {
		t.Fatal(err)
	}
	return event, data, body
}

// cents is an amount that Paddle writes in minor units of dollars.
func cents(t *testing.T, text string) affiliate.Amount {
	t.Helper()
	var n int64
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatal(err)
	}
	amount, err := pay.Minor(n, "USD", 2)
	if err != nil {
		t.Fatal(err)
	}
	return amount
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment.UTC()
}

// TestPaddleFields: what this module reads of the recorded events is what Paddle's
// types have.
func TestPaddleFields(t *testing.T) {
	same := func(t *testing.T, body []byte, e paddlenotification.GenericNotificationEvent, want pay.Action) {
		t.Helper()
		got, err := paddle.Map(body, paddle.Config{})
		if err != nil {
			t.Fatal(err)
		}
		want.Event = pay.Event{ID: e.EventID, Type: string(e.EventType), At: at(t, e.OccurredAt)}
		if text := diff.Diff(asText(t, want), asText(t, got)); text != "" {
			t.Errorf("(-library +ours):\n%s", text)
		}
	}
	t.Run("transaction", func(t *testing.T) {
		e, o, body := decodedAs[paddlenotification.TransactionNotification](t, "transaction")
		totals, line := o.Details.Totals, o.Details.LineItems[0]
		same(t, body, e, pay.Action{Kind: pay.KindSale, Payment: affiliate.PaymentFact{
			Provider: "paddle", Keys: []string{o.ID, *o.InvoiceID}, At: at(t, e.OccurredAt), Currency: affiliate.Currency(o.CurrencyCode),
			Payer: affiliate.PayerFact{ID: *o.CustomerID},
			Sale: affiliate.Set(affiliate.Paid{Gross: cents(t, totals.GrandTotal), SaleParams: affiliate.SaleParams{
				TotalEarned: cents(t, totals.GrandTotal), Tax: cents(t, totals.Tax), Subtotal: affiliate.Set(cents(t, totals.Subtotal)),
				ExternalID: o.ID, ExternalInvoiceID: *o.InvoiceID, PaidAt: at(t, *o.Payments[0].CapturedAt),
				Lines: []affiliate.Line{{
					ID: line.ID, ProductID: line.Product.ID, PlanID: line.PriceID, Name: line.Product.Name, Amount: cents(t, line.Totals.Subtotal),
					Quantity: affiliate.Set(affiliate.AmountFromScaled(int64(line.Quantity) * 10_000)),
				}},
			}}),
		}})
	})
	t.Run("adjustment", func(t *testing.T) {
		e, o, body := decodedAs[paddlenotification.AdjustmentNotification](t, "adjustment")
		if o.Action != paddlenotification.AdjustmentActionRefund || o.Status != paddlenotification.AdjustmentStatusApproved {
			t.Fatalf("%+v", o)
		}
		same(t, body, e, pay.Action{Kind: pay.KindRefund, Payment: affiliate.PaymentFact{
			Provider: "paddle", Keys: []string{o.TransactionID}, At: at(t, e.OccurredAt), Currency: affiliate.Currency(o.CurrencyCode),
			Refunds: []affiliate.RefundFact{{
				ID: o.ID, Amount: cents(t, o.Totals.Total), State: affiliate.RefundSucceeded,
				Tax: affiliate.Set(cents(t, o.Totals.Tax)), Shipping: affiliate.Set(affiliate.Amount{}),
			}},
		}})
	})
	t.Run("subscription", func(t *testing.T) {
		e, o, body := decodedAs[paddlenotification.SubscriptionNotification](t, "subscription")
		same(t, body, e, pay.Action{Kind: pay.KindStatus, Status: affiliate.SubscriptionFact{
			Provider: "paddle", Payer: affiliate.PayerFact{ID: o.CustomerID}, Subscription: o.ID, Status: affiliate.SubscriptionActive, At: at(t, e.OccurredAt),
		}})
	})
	t.Run("customer", func(t *testing.T) {
		e, o, body := decodedAs[paddlenotification.CustomerNotification](t, "customer")
		same(t, body, e, pay.Action{Kind: pay.KindCustomer, Payment: affiliate.PaymentFact{
			Provider: "paddle", At: at(t, e.OccurredAt), Payer: affiliate.PayerFact{ID: o.ID, Email: o.Email, Name: *o.Name},
		}})
	})
}

// asText is an action as JSON, for a comparison.
func asText(t *testing.T, a pay.Action) string {
	t.Helper()
	raw, err := json.MarshalIndent(a, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPaddleWords: the words that this module knows are those of Paddle's library:
// none is misspelt, and no state of theirs is unknown here.
func TestPaddleWords(t *testing.T) {
	_, _, body := decodedAs[paddlenotification.SubscriptionNotification](t, "subscription")
	for _, status := range []paddlenotification.SubscriptionStatus{
		paddlenotification.SubscriptionStatusActive, paddlenotification.SubscriptionStatusCanceled, paddlenotification.SubscriptionStatusPastDue,
		paddlenotification.SubscriptionStatusPaused, paddlenotification.SubscriptionStatusTrialing,
	} {
		a, err := paddle.Map(bytes.Replace(body, []byte(`"status": "active"`), fmt.Appendf(nil, `"status": %q`, status), 1), paddle.Config{})
		if err != nil || a.Kind != pay.KindStatus {
			t.Errorf("%s: %+v, %v", status, a, err)
		}
	}
	_, _, body = decodedAs[paddlenotification.AdjustmentNotification](t, "adjustment")
	for action, want := range map[paddlenotification.AdjustmentAction]pay.Kind{
		paddlenotification.AdjustmentActionRefund: pay.KindRefund, paddlenotification.AdjustmentActionChargeback: pay.KindDispute,
		paddlenotification.AdjustmentActionChargebackReverse: pay.KindDispute, paddlenotification.AdjustmentActionChargebackWarning: pay.KindDispute,
		paddlenotification.AdjustmentActionChargebackWarningReverse: pay.KindDispute,
		paddlenotification.AdjustmentActionCredit:                   pay.KindIgnored, paddlenotification.AdjustmentActionCreditReverse: pay.KindIgnored,
	} {
		a, err := paddle.Map(bytes.Replace(body, []byte(`"action": "refund"`), fmt.Appendf(nil, `"action": %q`, action), 1), paddle.Config{})
		if err != nil || a.Kind != want || a.Reason == pay.UnknownEvent {
			t.Errorf("%s: %+v, %v", action, a, err)
		}
	}
	known := map[string]bool{}
	for _, name := range []sdk.EventTypeName{
		sdk.EventTypeNameTransactionCompleted, sdk.EventTypeNameAdjustmentCreated, sdk.EventTypeNameAdjustmentUpdated,
		sdk.EventTypeNameSubscriptionCreated, sdk.EventTypeNameSubscriptionUpdated, sdk.EventTypeNameSubscriptionActivated,
		sdk.EventTypeNameSubscriptionTrialing, sdk.EventTypeNameSubscriptionPastDue, sdk.EventTypeNameSubscriptionPaused,
		sdk.EventTypeNameSubscriptionResumed, sdk.EventTypeNameSubscriptionCanceled, sdk.EventTypeNameCustomerCreated, sdk.EventTypeNameCustomerUpdated, sdk.EventTypeNameCustomerImported,
	} {
		known[string(name)] = true
	}
	for _, name := range paddle.Events() {
		if !known[name] {
			t.Errorf("Paddle's library has no event %s", name)
		}
	}
	if len(known) != len(paddle.Events()) {
		t.Errorf("%d events", len(known))
	}
}
