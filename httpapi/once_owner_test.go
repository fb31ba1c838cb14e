package httpapi_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi"
)

const (
	ownerKey = "tk_of_the_owner_0123456789"
	shopKey  = "tk_of_the_shop_01234567890"
)

func by(secret string) string { return "Authorization: Bearer " + secret }

// withCallers lets the owner and the shop call.
func withCallers(s *setup) {
	s.api.APIKeys = nil
	s.api.Keys = []httpapi.Key{{Name: "owner", Secret: ownerKey}, {Name: "shop", Secret: shopKey, Scope: httpapi.ScopeIntegration}}
}

// TestKeyOfAnotherCaller: an idempotency key belongs to the API key that sent it,
// so a shop uses up nothing of the owner's, by a write or by a refusal, and
// neither gets the other's answer.
func TestKeyOfAnotherCaller(t *testing.T) {
	w := newWorld(t, withCallers)
	s := w.fill()
	const key = idem + "payout-2026-11"
	spring := operation{"POST", couponsPath, `{"name":"spring","percentOff":10}`}
	for _, first := range []operation{spring, {"POST", couponsPath, `{}`}} {
		w.pass(25 * time.Hour)
		ofShop := w.do(first.method, first.target, first.body, key, by(shopKey))
		adjust := operation{"POST", "/api/v1/adjustments", `{"affiliateId":"` + s.affiliate.String() + `","kind":"BONUS","amount":30,"reason":"November"}`}
		ofOwner := w.do(adjust.method, adjust.target, adjust.body, key, by(ownerKey))
		if ofOwner.status != 200 {
			t.Fatalf("the owner's write: %s", ofOwner.refusal())
		}
		w.replays(ofShop, first, key, by(shopKey))
		w.replays(ofOwner, adjust, key, by(ownerKey))
		w.refuses(keyReused, "POST", couponsPath, `{"name":"autumn","percentOff":10}`, key, by(shopKey))
	}
	w.pass(25 * time.Hour)
	one := w.do(spring.method, spring.target, spring.body, key, by(shopKey))
	two := w.do(spring.method, spring.target, spring.body, key, by(ownerKey))
	if one.body == two.body || two.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the owner got the shop's answer: %s", two.body)
	}
	w.verify()
}

// TestKeyOfHost: the host's own code and the API have idempotency keys of their
// own, whatever the API key is called.
func TestKeyOfHost(t *testing.T) {
	w := newWorld(t, withCallers)
	w.fill()
	const body = `{"name":"spring","percentOff":10}`
	must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Once: affiliate.Once{Key: "spring"}, Name: "spring", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	if got := w.do("POST", couponsPath, body, idem+"spring", by(shopKey)); got.status != 200 || got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("a key of the host: %s %v", got.refusal(), got.header)
	}
	_, err := w.CreateCoupon(t.Context(), affiliate.CouponParams{Once: affiliate.Once{Key: "spring", Owner: "a b"}, Name: "spring", PercentOff: affiliate.Set(affiliate.MustPercent("10"))})
	if err == nil || !strings.Contains(err.Error(), "Idempotency-Key is invalid") {
		t.Errorf("an owner with a blank: %v", err)
	}
}

// TestKeySaysWho: an event says by which key its object was changed; a key without a name
// says nothing.
func TestKeySaysWho(t *testing.T) {
	for name, want := range map[string]string{"shop": "shop", "": ""} {
		w := newWorld(t, func(s *setup) { s.api.APIKeys, s.api.Keys = nil, []httpapi.Key{{Name: name, Secret: shopKey}} })
		if got := w.do("POST", couponsPath, `{"name":"spring","percentOff":10}`, by(shopKey)); got.status != 200 {
			t.Fatal(got.refusal())
		}
		if got := must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{Limit: 1})).Items[0]; got.Actor != want || strings.Contains(string(got.Payload), "shop") {
			t.Errorf("of the key %q: %q, %s", name, got.Actor, got.Payload)
		}
	}
}

// TestKeyAfterRotation: a request that is repeated with the new secret of its API
// key finds the answer that the old secret got, beside it and after it.
func TestKeyAfterRotation(t *testing.T) {
	const fresh = "tk_of_the_shop_renewed_012"
	rotated := []httpapi.Key{{Name: "shop", Secret: shopKey, ExpiresAt: start.Add(time.Hour)}, {Name: "shop", Secret: fresh}}
	w := newWorld(t, func(s *setup) { s.api.APIKeys, s.api.Keys = nil, rotated })
	op := operation{"POST", couponsPath, `{"name":"spring","percentOff":10}`}
	first := w.do(op.method, op.target, op.body, idem+"k", by(shopKey))
	w.replays(first, op, idem+"k", by(fresh))
	w.pass(2 * time.Hour)
	w.replays(first, op, idem+"k", by(fresh))
	for what, keys := range map[string][]httpapi.Key{
		"no end":      {{Name: "shop", Secret: shopKey}, {Name: "shop", Secret: fresh}},
		"two ends":    {{Name: "shop", Secret: shopKey, ExpiresAt: start}, {Name: "shop", Secret: fresh, ExpiresAt: start}},
		"other scope": {{Name: "shop", Secret: shopKey, ExpiresAt: start}, {Name: "shop", Secret: fresh, Scope: httpapi.ScopeRead}},
	} {
		if _, err := httpapi.KeyRing(w.Program, keys...); err == nil || !strings.Contains(err.Error(), "two keys are called shop") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestKeyWithoutName: API keys without a name, or with one that is no name, have
// idempotency keys of their own; the place in the list does not matter.
func TestKeyWithoutName(t *testing.T) {
	for what, name := range map[string]func(string) string{
		"none": func(string) string { return "" }, "of people": func(secret string) string { return "shop " + strconv.FormatBool(secret == shopKey) },
		"the same": func(string) string { return "our shop" },
	} {
		w := newWorld(t, func(s *setup) {})
		w = newWorld(t, func(s *setup) {
			s.api.Logger = nil // such names are quoted
			s.auth = func(_ context.Context, secret string) (httpapi.Access, error) {
				return httpapi.Access{Program: w.Program, KeyName: name(secret)}, nil
			}
		})
		op := operation{"POST", couponsPath, `{"name":"spring","percentOff":10}`}
		one := w.do(op.method, op.target, op.body, idem+"k", by(shopKey))
		two := w.do(op.method, op.target, op.body, idem+"k", by(ownerKey))
		if again := two.header.Get("Idempotent-Replayed") == "true"; again != (what == "the same") {
			t.Errorf("%s: %v %s %s", what, again, one.body, two.body)
		}
		w.replays(one, op, idem+"k", by(shopKey))
	}
	w := newWorld(t, func(s *setup) { s.api.APIKeys = []string{shopKey, ownerKey} })
	op := operation{"POST", couponsPath, `{"name":"spring","percentOff":10}`}
	first := w.do(op.method, op.target, op.body, idem+"k", by(ownerKey))
	w.api = must(httpapi.New(w.Program, httpapi.Config{APIKeys: []string{ownerKey}}))
	w.replays(first, op, idem+"k", by(ownerKey))
}

// TestKeyBeforeOwners: a request whose receipt was stored before idempotency keys
// had owners still gets its answer.
func TestKeyBeforeOwners(t *testing.T) {
	w := newWorld(t, withCallers)
	op := operation{"POST", couponsPath, `{"name":"spring","percentOff":10}`}
	first := w.do(op.method, op.target, op.body, idem+"k", by(shopKey))
	must(0, w.store.Update(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Receipts.List(record.Query{}) {
			if err != nil {
				return err
			}
			rec.Key = "k"
			return tx.Receipts.Replace(rec)
		}
		return nil
	}))
	w.replays(first, op, idem+"k", by(ownerKey)) // as before: of whichever key
	w.replays(first, op, idem+"k", by(shopKey))
	if got := w.do("POST", couponsPath, `{"name":"autumn","percentOff":10}`, idem+"k", by(shopKey)); got.status != 200 {
		t.Errorf("another request: %s", got.refusal())
	}
	w.verify()
}
