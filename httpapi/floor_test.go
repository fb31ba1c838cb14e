package httpapi_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/tributary-go/tributary/internal/benchkit"
)

// Two handlers to compare with. The bare one reads the body, decodes the same
// request with encoding/json and encodes the same answer with it: no key, no
// check, no store, no record. The till does the sale besides, with the store
// that somebody would write by hand, and keeps the answer under the request's
// Idempotency-Key.

// floorSale is the request of a sale.
type floorSale struct {
	PromoCode  string  `json:"promoCode"`
	Email      string  `json:"email"`
	Name       string  `json:"name"`
	Total      float64 `json:"totalEarned"`
	Tax        float64 `json:"tax"`
	ExternalID string  `json:"externalId"`
	Product    struct {
		ProductID string  `json:"productId"`
		Quantity  float64 `json:"quantity"`
		Price     float64 `json:"price"`
		Name      string  `json:"name"`
	} `json:"product"`
}

// bareHandler answers a value of plain types that has this JSON.
func bareHandler(sample string) http.HandlerFunc {
	return floorHandler(sample, func(*http.Request, []byte, floorSale) error { return nil })
}

// tillHandler is bareHandler for sales on the floor of the engine.
func tillHandler(sample string, codes int) http.HandlerFunc {
	floor, kept := benchkit.FillFloor(codes), receipts{answers: map[string]receipt{}}
	return floorHandler(sample, func(r *http.Request, body []byte, in floorSale) error {
		if err := floor.Sell(in.PromoCode, in.ExternalID, in.Name, in.Email, int64(in.Total*10_000)); err != nil {
			return err
		}
		return kept.keep(r.Header.Get("Idempotency-Key"), body, sample)
	})
}

// receipts are the answers of a till, by key.
type receipts struct {
	mu      sync.Mutex
	answers map[string]receipt
}

// A receipt has the hash of a request and its answer.
type receipt struct {
	Sum    [sha256.Size]byte
	Answer string
}

func (r *receipts) keep(key string, body []byte, answer string) error {
	if key == "" {
		return nil
	}
	sum := sha256.Sum256(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.answers[key]; known {
		return errors.New("key known")
	}
	r.answers[key] = receipt{sum, answer}
	return nil
}

// floorHandler does a sale, then answers a value of plain types that has the
// JSON of the sample.
func floorHandler(sample string, sell func(*http.Request, []byte, floorSale) error) http.HandlerFunc {
	value := plain(sample)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			var in floorSale
			if err != nil || json.Unmarshal(body, &in) != nil || sell(r, body, in) != nil {
				http.Error(w, "bad", http.StatusBadRequest)
				return
			}
		}
		out, err := json.Marshal(value)
		if err != nil {
			http.Error(w, "bad", http.StatusInternalServerError)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Length", strconv.Itoa(len(out)))
		w.WriteHeader(http.StatusOK)
		w.Write(out)
	}
}

// plain is JSON as a pointer to a value of plain structs, slices and basic
// types with tags, as one would write them by hand. encoding/json is fast with
// them.
func plain(sample string) any {
	var v any
	if err := json.Unmarshal([]byte(sample), &v); err != nil {
		panic(err)
	}
	out := reflect.New(plainType(v))
	if err := json.Unmarshal([]byte(sample), out.Interface()); err != nil {
		panic(err)
	}
	return out.Interface()
}

func plainType(v any) reflect.Type {
	switch v := v.(type) {
	case map[string]any:
		var fields []reflect.StructField
		for _, name := range sortedKeys(v) {
			fields = append(fields, reflect.StructField{
				Name: strings.ToUpper(name[:1]) + name[1:], Type: plainType(v[name]), Tag: reflect.StructTag(`json:"` + name + `"`),
			})
		}
		return reflect.StructOf(fields)
	case []any:
		if len(v) == 0 {
			return reflect.TypeFor[[]string]()
		}
		return reflect.SliceOf(plainType(v[0]))
	case nil:
		return reflect.TypeFor[*string]()
	}
	return reflect.TypeOf(v)
}
