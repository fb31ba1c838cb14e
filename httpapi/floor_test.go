package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// The floor of the benchmarks: a handler that reads the body, decodes the same
// request with encoding/json and encodes the same answer with it. No key, no
// check, no store, no record.

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

// floorHandler answers a value of plain types that has this JSON.
func floorHandler(sample string) http.HandlerFunc {
	value := plain(sample)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			var in floorSale
			if err != nil || json.Unmarshal(body, &in) != nil {
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
