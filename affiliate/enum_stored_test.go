package affiliate_test

import (
	"encoding/json"
	"testing"
	"unsafe"

	"github.com/tributary-go/tributary/affiliate"
)

// A stored enumeration has the JSON of its text, and takes one byte.
func TestEnum(t *testing.T) {
	for _, v := range []affiliate.SaleStatus{"", affiliate.SaleActive, affiliate.SaleRefunded} {
		e := affiliate.EnumOf(v)
		raw, err := json.Marshal(e)
		want, _ := json.Marshal(v)
		back := affiliate.EnumOf(affiliate.SaleActive)
		if err2 := json.Unmarshal(raw, &back); err != nil || err2 != nil || string(raw) != string(want) || back != e {
			t.Errorf("%q: %s, want %s; back %q; %v, %v", v, raw, want, back, err, err2)
		}
		if e.Value() != v || !e.Is(v) || e.Is("x") || e.String() != string(v) || !e.Equal(back) {
			t.Errorf("%q became %q", v, e)
		}
	}
	var e affiliate.Enum[affiliate.SaleStatus]
	if err := json.Unmarshal([]byte(`"GONE"`), &e); err == nil || e != affiliate.EnumOf(affiliate.SaleStatus("GONE")) {
		t.Errorf("an unknown text became %q, %v", e, err)
	}
	if got := unsafe.Sizeof(e); got != 1 {
		t.Errorf("%d bytes", got)
	}
}
