package webhooks_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// noon is the time of every example. A real program does not set Now.
func noon() time.Time { return time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC) }

const exampleSecret affiliate.Secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// A receiver of sales, and a delivery that a test makes for it.
func Example() {
	secrets := []affiliate.Secret{exampleSecret}
	receiver := salesReceiver(secrets)
	receiver.Verifier.Now = noon

	payload := `{"event":"sale.created","eventId":"evt_1","revision":1,"body":{"id":7,"commissionEarned":12.5}}`
	for range 2 { // senders repeat
		header, err := webhooks.Sign(secrets, "evt_1", noon(), []byte(payload))
		if err != nil {
			log.Fatal(err)
		}
		header.Set("Content-Type", "application/json")
		request := httptest.NewRequest("POST", "/hooks", strings.NewReader(payload))
		request.Header = header
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	// Output:
	// evt_1 credits 12.5
	// 204
	// 204
}

// salesReceiver prints what each sale earns.
func salesReceiver(secrets []affiliate.Secret) *webhooks.Receiver {
	return &webhooks.Receiver{
		Verifier: &webhooks.Verifier{Secrets: secrets},
		Dedup:    webhooks.NewMemoryDedup(0, 0),
		SaleCreated: func(_ context.Context, e webhooks.Event, s affiliate.Sale) error {
			fmt.Println(e.ID, "credits", s.CommissionEarned)
			return nil
		},
	}
}

// Verify works with every framework that gives access to headers and raw bytes.
func ExampleVerifier_Verify() {
	verifier := &webhooks.Verifier{Secrets: []affiliate.Secret{exampleSecret}, Now: noon}
	body := []byte(`{"event":"sale.deleted","body":{"id":5107}}`)
	header, _ := webhooks.Sign(verifier.Secrets, "evt_1", noon().Add(-time.Minute), body)

	proof, err := verifier.Verify(header, body)
	fmt.Println(proof.ID, proof.At.Format(time.TimeOnly), err)

	_, err = verifier.Verify(header, append(body, ' '))
	fmt.Println(err)

	header, _ = webhooks.Sign(verifier.Secrets, "evt_1", noon().Add(-time.Hour), body)
	_, err = verifier.Verify(header, body)
	fmt.Println(errors.Is(err, webhooks.ErrTimestamp), err == webhooks.ErrTooOld)
	// Output:
	// evt_1 11:59:00 <nil>
	// webhooks: signature refused
	// true true
}

// While a secret is being replaced, the receiver has both.
func ExampleVerifier_rotation() {
	const newer affiliate.Secret = "whsec_dHJpYnV0YXJ5LXdlYmhvb2tzLXRlc3Qta2V5LTAwMDI="
	verifier := &webhooks.Verifier{Secrets: []affiliate.Secret{newer, exampleSecret}, Now: noon}
	for _, sender := range []affiliate.Secret{exampleSecret, newer} {
		header, _ := webhooks.Sign([]affiliate.Secret{sender}, "evt_1", noon(), nil)
		proof, err := verifier.Verify(header, nil)
		fmt.Println("secret", proof.Secret, err)
	}
	// Output:
	// secret 1 <nil>
	// secret 0 <nil>
}

func ExampleDecode() {
	event, err := webhooks.Parse([]byte(`{"event":"sale.updated","revision":2,"body":{"id":7,"totalEarned":199.99}}`))
	if err != nil {
		log.Fatal(err)
	}
	switch event.Type {
	case affiliate.SaleCreated, affiliate.SaleUpdated:
		sale, err := webhooks.Decode[affiliate.Sale](event)
		fmt.Println(sale.ID, sale.TotalEarned, err)
	default: // an unknown type
	}
	// Output:
	// 7 199.99 <nil>
}

// A copy of the sales in another system: events arrive in any order, and the
// one with the highest revision is the current state.
func ExampleEvent_revision() {
	type row struct {
		revision int64
		total    affiliate.Amount
		gone     bool
	}
	mirror := map[affiliate.SaleID]row{}
	keep := func(id affiliate.SaleID, r row) error {
		if r.revision > mirror[id].revision {
			mirror[id] = r
		}
		return nil
	}
	changed := func(_ context.Context, e webhooks.Event, s affiliate.Sale) error {
		return keep(s.ID, row{revision: e.Revision, total: s.TotalEarned})
	}
	var handler http.Handler = &webhooks.Receiver{
		Verifier:    &webhooks.Verifier{Secrets: []affiliate.Secret{exampleSecret}, Now: noon},
		SaleCreated: changed, SaleUpdated: changed,
		SaleDeleted: func(_ context.Context, e webhooks.Event, id affiliate.SaleID) error {
			return keep(id, row{revision: e.Revision, gone: true})
		},
	}

	deliver(handler, `{"event":"sale.updated","revision":2,"body":{"id":7,"totalEarned":20}}`)
	deliver(handler, `{"event":"sale.created","revision":1,"body":{"id":7,"totalEarned":10}}`)
	fmt.Println(mirror[7].total)
	deliver(handler, `{"event":"sale.deleted","revision":4,"body":{"id":7}}`)
	deliver(handler, `{"event":"sale.updated","revision":3,"body":{"id":7,"totalEarned":30}}`)
	fmt.Println(mirror[7].gone)
	// Output:
	// 20
	// true
}

// deliver posts a payload as the sender does.
func deliver(handler http.Handler, payload string) {
	request := httptest.NewRequest("POST", "/hooks", strings.NewReader(payload))
	header := must(webhooks.Sign([]affiliate.Secret{exampleSecret}, "evt_1", noon(), []byte(payload)))
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	handler.ServeHTTP(httptest.NewRecorder(), request)
}

func ExampleSigner() {
	signer := &webhooks.Signer{Secrets: []affiliate.Secret{exampleSecret}}
	line := []byte("webhook-signature: ")
	line, err := signer.AppendSignatures(line, "evt_1", noon(), []byte("{}"))
	fmt.Println(string(line[:22]), err)
	// Output: webhook-signature: v1, <nil>
}
