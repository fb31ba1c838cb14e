package main

import (
	"encoding/json"
	"net/http"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/stripe"
)

// mount returns what a host writes: the endpoint of Stripe's events, and clicks on its
// own pages.
func mount(mux *http.ServeMux, program *tributary.Program, cfg stripe.Config, pages http.Handler) error {
	hook, err := stripe.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/stripe", hook)
	mux.Handle("/", httpapi.Attribution(program, pages))
	return nil
}

// carry returns what the host adds to the Checkout session that it makes at Stripe.
func carry(program *tributary.Program, r *http.Request, cfg stripe.Config) (checkout, error) {
	metadata, err := cfg.Carry(program, r, stripe.ViaSession, pay.Carried{})
	return checkout{Metadata: metadata, PaymentIntentData: intentData{Metadata: metadata}}, err
}

// A checkout has the parameters of a Checkout session that carry the visit.
type checkout struct {
	Metadata          map[string]string `json:"metadata"`
	PaymentIntentData intentData        `json:"payment_intent_data"`
}

type intentData struct {
	Metadata map[string]string `json:"metadata"`
}

// checkoutOf answers with the parameters that a real shop sends to Stripe.
func checkoutOf(program *tributary.Program, cfg stripe.Config) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		carried, err := carry(program, r, cfg)
		if err != nil {
			http.Error(w, "the checkout cannot carry the visit", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(carried) // fails only when the client has gone
	})
}
