package httpapi_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/memstore"
)

const (
	idem      = "Idempotency-Key: "
	keyReused = "400 idempotency_key_reused: Idempotency-Key was already used with a different request"
	keyWrong  = "400 idempotency_key_invalid: Idempotency-Key is invalid"
)

// replays fails the test unless a request is answered as before, byte for byte,
// and says that it is a repeat.
func (w *world) replays(first answer, op operation, headers ...string) {
	w.t.Helper()
	before := w.dump()
	again := w.do(op.method, op.target, op.body, headers...)
	if again.header.Get("Idempotent-Replayed") != "true" || first.header.Get("Idempotent-Replayed") != "" {
		w.t.Errorf("%s: not told as a repeat", op)
	}
	again.header.Del("Idempotent-Replayed")
	equal(w.t, first, again, cmp.AllowUnexported(answer{}))
	if diff := cmp.Diff(before, w.dump()); diff != "" {
		w.t.Errorf("%s: the repeat changed records (-before +after):\n%s", op, diff)
	}
}

// TestReplay: every write with a key has one effect and one answer (B427 to
// B429, B433), also when the receipts were written as JSON and read back.
// It is console check 4 and money check 55.
func TestReplay(t *testing.T) {
	w := newWorld(t)
	s := w.fill()
	sampled, checked := atlength.Every(20), atlength.Every(8)
	for i, op := range s.writes() {
		key := idem + "key-" + strconv.Itoa(i)
		first := w.do(op.method, op.target, op.body, key)
		if first.status != 200 {
			t.Fatalf("%s: %s", op, first.refusal())
		}
		w.replays(first, op, key)
		w.pass(time.Hour)
		w.replays(first, op, key)
		w.receiptsThroughJSON()
		w.replays(first, op, key)
		w.refuses(keyReused, op.method, op.target, op.body+" ", key)
		w.refuses(keyReused, op.method, op.target, strings.Replace(op.body, "{", "{ ", 1), key)
		for _, other := range s.writes() {
			if !sampled() {
				continue
			}
			if other.method != op.method || other.target != op.target {
				w.refuses(keyReused, other.method, other.target, op.body, key)
			}
		}
		if got := w.do(op.method, op.target+"?x=1", op.body, key); got.body != first.body {
			t.Errorf("%s: a query makes it another request", op)
		}
		if checked() {
			w.verify()
		}
	}
	w.verify()
}

// receiptsThroughJSON replaces every receipt by what its JSON decodes to.
func (w *world) receiptsThroughJSON() {
	w.t.Helper()
	err := w.store.Store.Update(context.Background(), w.Config().ID, func(tx *record.Tx) error {
		for rec := range tx.Receipts.List(record.Query{}) {
			var again record.Receipt
			if err := json.Unmarshal(must(json.Marshal(rec)), &again); err != nil {
				return err
			}
			if err := tx.Receipts.Replace(again); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestKeyLife: an answer is kept for 24 hours by the injected clock (B436).
func TestKeyLife(t *testing.T) {
	for after, kept := range map[time.Duration]bool{24*time.Hour - time.Second: true, 24*time.Hour + time.Second: false} {
		w := newWorld(t)
		op := operation{"POST", couponsPath, fullBody}
		first := w.do(op.method, op.target, op.body, idem+"k")
		w.pass(after)
		if kept {
			w.replays(first, op, idem+"k")
			continue
		}
		again := w.do(op.method, op.target, op.body, idem+"k")
		if again.body == first.body || again.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("after %v the first answer comes again", after)
		}
		w.replays(again, op, idem+"k")
	}
}

// TestKeyGrammar: a malformed key is refused after the gate and before the fields; no client
// of net/http sends some of these (B425, B426).
func TestKeyGrammar(t *testing.T) {
	w := newWorld(t)
	for _, key := range [][]string{{" a"}, {"a\t"}, {"a\x01"}, {"a\x7f"}, {"a\xff"}, {"a", "b"}, {"", "a"}} {
		for body, want := range map[string]string{fullBody: keyWrong, "{}": keyWrong, "{": notJSON, "": needsBody} {
			r := request("POST", couponsPath, body)
			r.Header["Idempotency-Key"] = key
			if got := w.send(r).refusal(); got != want {
				t.Errorf("%s with key %q: %s, want %s", body, key, got, want)
			}
		}
	}
}

// TestNotKept: 429 and any 5xx are not kept under the key (B434, B435).
func TestNotKept(t *testing.T) {
	w := newWorld(t, func(s *setup) { s.api.Limit = limitBy("X-Limit") })
	op := operation{"POST", couponsPath, fullBody}
	w.refuses("429 rate_limited: Too many requests. Please slow down.", op.method, op.target, op.body, "X-Limit: 1s", idem+"k")
	w.store.broken(func(s record.Store) record.Store { return conformance.FailAt(s, 1) })
	w.refuses(internal, op.method, op.target, op.body, idem+"k")
	w.store.broken(func(s record.Store) record.Store { return conformance.FailAt(s, 3) })
	w.refuses(internal, op.method, op.target, op.body, idem+"k")
	w.store.broken(nil)
	first := w.do(op.method, op.target, op.body, idem+"k")
	if first.status != 200 || first.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("afresh: %s", first.refusal())
	}
	w.replays(first, op, idem+"k")

	w.store.broken(func(s record.Store) record.Store { return conformance.LoseAnswer(s, 1) }) // it commits, and the answer is 500
	if got := w.do(op.method, op.target, op.body, idem+"lost").refusal(); got != internal {
		t.Errorf("lost answer: %s", got)
	}
	w.store.broken(nil)
	if got := w.do(op.method, op.target, op.body, idem+"lost"); got.status != 200 || got.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("after a lost answer: %s", got.refusal())
	}
	if got := strings.Count(w.do("GET", op.target, "").body, `"couponType"`); got != 2 {
		t.Errorf("%d coupons, want 2", got)
	}
}

// TestConcurrentKey: a hundred requests at once with one key have one effect
// and one answer (B430), on every write.
func TestConcurrentKey(t *testing.T) {
	w := newWorld(t)
	for _, op := range w.fill().writes() {
		var mu sync.Mutex
		answers := map[string]int{}
		fresh := 0
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				got := w.do(op.method, op.target, op.body, idem+op.method+op.target)
				mu.Lock()
				defer mu.Unlock()
				answers[got.body]++
				if got.header.Get("Idempotent-Replayed") == "" {
					fresh++
				}
			})
		}
		wg.Wait()
		if len(answers) != 1 || fresh != 1 && !strings.HasSuffix(op.target, "/test") { // two tests at once may both send
			t.Errorf("%s: %d answers, %d of them first: %v", op, len(answers), fresh, answers)
		}
	}
	w.verify()
}

// TestKeysOfTwoPrograms: a key belongs to its program (B431).
func TestKeysOfTwoPrograms(t *testing.T) {
	store := memstore.New()
	one := newWorld(t, func(s *setup) { s.store = store })
	two := newWorld(t, func(s *setup) { s.store, s.engine.ID = store, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02") })
	for _, w := range []*world{one, two} {
		if got := w.do("POST", couponsPath, fullBody, idem+"k"); got.status != 200 || got.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("%s", got.refusal())
		}
	}
}

// TestSealedAnswers: an answer that holds a secret is kept sealed, and its
// repeat shows the same secret. No other answer shows a secret.
func TestSealedAnswers(t *testing.T) {
	block := must(aes.NewCipher([]byte("a key of 32 bytes for tests only")))
	aead := must(cipher.NewGCMWithRandomNonce(block))
	w := newWorld(t, func(s *setup) {
		s.engine.Seal = func(data, boundTo []byte) ([]byte, error) { return aead.Seal(nil, nil, data, boundTo), nil }
		s.engine.Open = func(data, boundTo []byte) ([]byte, error) { return aead.Open(nil, nil, data, boundTo) }
	})
	s := w.fill()
	for _, op := range s.posts() {
		if op.path() != "/api/v1/webhooks" && op.path() != "/api/v1/webhooks/rotate-secret" {
			continue
		}
		first := w.do(op.method, op.target, op.body, idem+op.path())
		if !strings.Contains(first.body, `"secret":"whsec_`) {
			t.Errorf("%s: %s", op, first.body)
		}
		w.replays(first, op, idem+op.path())
		w.receiptsThroughJSON()
		w.replays(first, op, idem+op.path())
	}
	err := w.store.Store.View(t.Context(), w.Config().ID, func(tx *record.Tx) error {
		for rec := range tx.Receipts.List(record.Query{}) {
			if shown := strings.ReplaceAll(string(rec.Answer.Bytes())+string(rec.Secret), "whsec_***", ""); strings.Contains(shown, "whsec_") {
				t.Errorf("a receipt shows a secret: %s", shown)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range s.operations() {
		if got := w.do(op.method, op.target, op.body); op.method != "POST" && op.path() != "/api/v1/openapi.json" && strings.Contains(got.body, "whsec_") {
			t.Errorf("%s shows a secret: %s", op, got.body)
		}
	}
	if list := w.do("GET", "/api/v1/webhooks", ""); strings.Contains(list.body, "whsec_") || strings.Contains(list.body, `"secret"`) {
		t.Errorf("the list shows a secret: %s", list.body)
	}
}

// TestTestIsSentOnce: the repeat of a test sends nothing.
func TestTestIsSentOnce(t *testing.T) {
	sent := 0
	w := newWorld(t, func(s *setup) {
		s.engine.Send = func(context.Context, affiliate.Claim) affiliate.Attempt {
			sent++
			return affiliate.Attempt{Status: http.StatusNoContent, Took: 84 * time.Millisecond}
		}
	})
	s := w.fill()
	op := operation{"POST", "/api/v1/webhooks/test", `{"webhookId":"` + s.endpoint.String() + `","event":"sale.created"}`}
	first := w.do(op.method, op.target, op.body, idem+"k")
	if !strings.HasPrefix(first.body, `{"delivered":true,"statusCode":204,"durationMs":84,"error":null,"eventId":"evt_`) {
		t.Errorf("answer %s", first.body)
	}
	w.replays(first, op, idem+"k")
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
}

// FuzzIdempotency: of two requests with one key, the second is a repeat exactly
// when path and body are the first's.
func FuzzIdempotency(f *testing.F) {
	f.Add(uint8(0), fullBody, uint8(0), fullBody)
	f.Add(uint8(0), fullBody, uint8(1), fullBody)
	f.Add(uint8(0), fullBody, uint8(0), fullBody+" ")
	f.Add(uint8(1), `{"name":5}`, uint8(1), `{"name":6}`)
	var paths []string
	for _, r := range httpapi.Routes() {
		method, path, _ := strings.Cut(r, " ")
		if method == "POST" && path != "/api/v1/partner/token" { // it stores nothing, not even a receipt: contract 4.7
			paths = append(paths, path)
		}
	}
	f.Fuzz(func(t *testing.T, path1 uint8, body1 string, path2 uint8, body2 string) {
		w := newWorld(t)
		w.fill()
		p1, p2 := paths[int(path1)%len(paths)], paths[int(path2)%len(paths)]
		json := "Content-Type: application/json"
		first := w.do("POST", p1, body1, idem+"k", json)
		second := w.do("POST", p2, body2, idem+"k", json)
		switch first.code() {
		case "invalid_json", "duplicate_field", "body_required":
			return // not kept
		}
		switch second.code() {
		case "invalid_json", "duplicate_field", "body_required":
			return // before the key is looked at
		}
		same := p1 == p2 && body1 == body2
		if replayed := second.header.Get("Idempotent-Replayed") == "true"; replayed != same {
			t.Fatalf("replayed: %v, same: %v", replayed, same)
		}
		if (second.code() == "idempotency_key_reused") == same {
			t.Fatalf("same: %v, second: %s", same, second.refusal())
		}
		if same && second.body != first.body {
			t.Fatalf("%s\n%s", first.body, second.body)
		}
	})
}

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
