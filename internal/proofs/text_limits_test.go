package proofs_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// tooLongText is above the limit of every text: metadata may have 16,384 bytes.
var tooLongText = strings.Repeat("x", 20_000)

// TestTextsHaveLimits: no write stores a text of 20,000 bytes, whichever text of
// its input that is. The texts are found by reflection: a new field whose length
// is not checked is named here.
func TestTextsHaveLimits(t *testing.T) {
	tried := 0
	for method, args := range newKeyedShop(t, memstore.New()).writes {
		for i := range args {
			for place := range textPlaces(reflect.ValueOf(args[i])) {
				if tried++; tried%5 != 0 && !atlength.On() {
					continue
				}
				s := newKeyedShop(t, memstore.New())
				sent := slices.Clone(s.writes[method])
				for p, value := range textPlaces(reflect.ValueOf(sent[i])) {
					if p == place {
						sent[i] = value
					}
				}
				_, err := s.call(s.Program, method, sent)
				for table, records := range s.Dump() {
					if strings.Contains(strings.Join(records, ""), tooLongText) {
						t.Errorf("%s stores a text of any length from %s in %s, error %v", method, place, table, err)
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d texts were tried, want all", tried)
	}
}

// textPlaces returns the places of an input that hold a text, each with a copy of
// the input that has the long text there.
func textPlaces(v reflect.Value) func(yield func(place string, changed any) bool) {
	return func(yield func(string, any) bool) {
		_, isTime := v.Interface().(time.Time)
		_, isJSON := v.Interface().(json.RawMessage)
		_, isOpt := reflect.New(v.Type()).Interface().(json.Unmarshaler)
		switch {
		case isTime || v.Kind() == reflect.Array:
		case v.Kind() == reflect.String:
			yield("", reflect.ValueOf(tooLongText).Convert(v.Type()).Interface())
		case isOpt && !isJSON:
			for _, sample := range []string{`"*"`, `["*"]`, `{"x":"*"}`, `{"productId":"*"}`, `{"name":"*"}`} {
				long := reflect.New(v.Type())
				err := json.Unmarshal([]byte(strings.Replace(sample, "*", tooLongText, 1)), long.Interface())
				if err == nil && strings.Contains(string(scene.Must(json.Marshal(long.Interface()))), tooLongText) && !yield(sample, long.Elem().Interface()) {
					return
				}
			}
		case isJSON:
			yield("", json.RawMessage(`{"x":"`+tooLongText+`"}`))
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				for place, changed := range textPlaces(v.Field(i)) {
					whole := reflect.New(v.Type()).Elem()
					whole.Set(v)
					whole.Field(i).Set(reflect.ValueOf(changed))
					if !yield(v.Type().Field(i).Name+" "+place, whole.Interface()) {
						return
					}
				}
			}
		case v.Kind() == reflect.Slice:
			element := reflect.Zero(v.Type().Elem())
			if v.Len() > 0 {
				element = v.Index(0)
			}
			for place, changed := range textPlaces(element) {
				list := reflect.MakeSlice(v.Type(), 1, 1)
				list.Index(0).Set(reflect.ValueOf(changed))
				if !yield(place, list.Interface()) {
					return
				}
			}
		}
	}
}
