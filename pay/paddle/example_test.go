package paddle_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/paddle"
)

// An event is verified before anything reads it, and then says what it asks for.
func ExampleMap() {
	body := []byte(`{"event_id":"evt_1","event_type":"adjustment.created","occurred_at":"2026-01-02T10:00:00Z","data":{
		"id":"adj_1","action":"refund","status":"approved","transaction_id":"txn_1","currency_code":"USD","totals":{"total":"3000"}}}`)
	cfg := paddle.Config{Config: adapter.Config{Secrets: []string{"pdl_ntfset_example"}}}
	h := http.Header{}
	h.Set(paddle.HeaderName, paddle.Sign("pdl_ntfset_example", time.Now(), body)) // Paddle does this
	if err := paddle.Verify(h, body, cfg); err != nil {
		fmt.Println(err)
		return
	}
	action, err := paddle.Map(body, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	refund := action.Payment.Refunds[0]
	fmt.Println(action.Kind, action.Payment.Keys, refund.ID, refund.Amount, refund.State)
	// Output: refund [txn_1] adj_1 30 succeeded
}
