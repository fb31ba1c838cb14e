package engine_test

import (
	"reflect"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
)

// TestBodiesHoldValues: an event that is not yet encoded refers to no Program
// and no Store, because it lives longer than the operation that wrote it.
func TestBodiesHoldValues(t *testing.T) {
	for _, body := range []any{
		engine.SaleBody{}, engine.CouponBody{}, engine.CodeBody{}, engine.AffiliateEvent{}, affiliate.ReferralBody{}, affiliate.DeletedBody{}, affiliate.DeletedSaleBody{},
	} {
		typ := reflect.TypeOf(body)
		holdsValues(t, typ.Name(), typ, map[reflect.Type]bool{})
	}
}

func holdsValues(t *testing.T, path string, typ reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if seen[typ] {
		return
	}
	seen[typ] = true
	switch typ.Kind() {
	case reflect.Struct:
		if typ == reflect.TypeFor[engine.Program]() || typ == reflect.TypeFor[record.Tx]() {
			t.Errorf("%s leads to a %s", path, typ.Name())
			return
		}
		for i := range typ.NumField() {
			holdsValues(t, path+"."+typ.Field(i).Name, typ.Field(i).Type, seen)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		holdsValues(t, path, typ.Elem(), seen)
	case reflect.Func, reflect.Chan:
		t.Errorf("%s is a %s", path, typ.Kind())
	}
}
