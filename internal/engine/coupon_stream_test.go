package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
)

// A sink keeps what is written and the size of the largest piece. It may call a
// function before the first piece.
type sink struct {
	bytes.Buffer
	largest int
	first   func()
	fail    error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.first != nil {
		s.first()
		s.first = nil
	}
	if s.fail != nil {
		return 0, s.fail
	}
	s.largest = max(s.largest, len(p))
	return s.Buffer.Write(p)
}

func TestWriteCoupon(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 1024, 1300} {
		t.Run(fmt.Sprint(n, " codes"), func(t *testing.T) {
			s, c := scene.BigCoupon(t, n)
			for _, ref := range []affiliate.CouponRef{{ID: c.ID}, {Name: c.Name}} {
				var out sink
				scene.Must(0, s.WriteCoupon(t.Context(), ref, &out))
				whole := scene.Must(s.Coupon(t.Context(), ref))
				if len(whole.PromotionalCodes) != n {
					t.Fatalf("%d codes", len(whole.PromotionalCodes))
				}
				if want := scene.Must(json.Marshal(whole)); !bytes.Equal(want, out.Bytes()) {
					t.Errorf("written (%d bytes) is not json.Marshal (%d bytes)", out.Len(), len(want))
				}
				if out.largest > 32<<10 {
					t.Errorf("a piece of %d bytes", out.largest)
				}
			}
		})
	}
}

func TestWriteCouponFails(t *testing.T) {
	s, c := scene.BigCoupon(t, 600)
	var out sink
	for _, ref := range []affiliate.CouponRef{{}, {ID: uuid.New()}, {Name: "nobody"}} {
		if err := s.WriteCoupon(t.Context(), ref, &out); err != affiliate.ErrNotFound || out.Len() > 0 {
			t.Errorf("%+v: %v with %d bytes", ref, err, out.Len())
		}
	}
	broken := errors.New("broken pipe")
	if err := s.WriteCoupon(t.Context(), affiliate.CouponRef{ID: c.ID}, &sink{fail: broken}); !errors.Is(err, broken) {
		t.Errorf("writer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.WriteCoupon(ctx, affiliate.CouponRef{ID: c.ID}, &sink{first: cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("context: %v", err)
	}
}

// While the coupon is written, codes change. A code that exists all the time is
// in the list once, a deleted one may be missing, and a new one is not in it.
// The writer is called outside of transactions, so it may change the program.
func TestWriteCouponMeanwhile(t *testing.T) {
	s, c := scene.BigCoupon(t, 1300)
	ctx := t.Context()
	whole := scene.Must(s.Coupon(ctx, affiliate.CouponRef{ID: c.ID})).PromotionalCodes
	oldest := whole[len(whole)-1]
	out := sink{first: func() {
		scene.Must(s.DeleteCode(ctx, whole[511].ID)) // the last one of the first piece
		scene.Must(s.DeleteCode(ctx, oldest.ID))
		scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: c.ID, Code: "MEANWHILE"}))
	}}
	scene.Must(0, s.WriteCoupon(ctx, affiliate.CouponRef{ID: c.ID}, &out))
	var got affiliate.Coupon
	scene.Must(0, json.Unmarshal(out.Bytes(), &got))
	seen := map[string]int{}
	for _, code := range got.PromotionalCodes {
		seen[code.Code]++
	}
	for _, code := range whole[:len(whole)-1] {
		scene.Equal(t, 1, seen[code.Code], code.Code)
	}
	if seen["MEANWHILE"] != 0 || seen[oldest.Code] != 0 {
		t.Errorf("new %d, deleted %d", seen["MEANWHILE"], seen[oldest.Code])
	}
}

// TestWriteCoupons: all coupons are json.Marshal of the list, whatever the
// pieces are in which their codes are read.
func TestWriteCoupons(t *testing.T) {
	ctx := context.Background()
	for name, sizes := range map[string][]int{
		"None": {}, "Empty": {0, 0, 0}, "Small": {1, 0, 3}, "Exact": {512, 0, 512}, "Long": {513, 1024, 1300},
		"Mixed": {0, 511, 1, 513, 0, 700, 2}, "Many": slices.Repeat([]int{0, 1, 2}, 400),
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewCodeShop(t)
			for _, c := range scene.Must(s.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items {
				scene.Must(s.DeleteCoupon(ctx, c.ID))
			}
			for i, n := range sizes {
				c := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: fmt.Sprint(i), PercentOff: scene.Percent("12.5")}))
				if n > 0 {
					scene.Must(s.GenerateCodes(ctx, affiliate.CodesParams{Count: n, CodeParams: affiliate.CodeParams{
						CouponID: c.ID, AffiliateID: s.Eve.ID, RandomCharsLength: affiliate.Set[int64](8), CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
					}}))
				}
			}
			var out sink
			scene.Must(0, s.WriteCoupons(ctx, &out))
			want := scene.Must(json.Marshal(scene.Must(s.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items))
			if !bytes.Equal(want, out.Bytes()) || out.largest > 32<<10 {
				t.Errorf("written (%d bytes, the largest piece %d) is not json.Marshal (%d bytes)", out.Len(), out.largest, len(want))
			}
		})
	}
}

// TestWriteCouponsMeanwhile: a coupon that is deleted while the walk stands on
// it or before it comes is in the list once or not at all, and the others are
// there.
func TestWriteCouponsMeanwhile(t *testing.T) {
	s, big := scene.BigCoupon(t, 1300)
	ctx := t.Context()
	older := scene.Must(s.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items[1:]
	small := scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "newest", PercentOff: scene.Percent("5")}))
	out := sink{first: func() {
		scene.Must(s.DeleteCoupon(ctx, big.ID))
		scene.Must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "meanwhile", PercentOff: scene.Percent("5")}))
	}}
	scene.Must(0, s.WriteCoupons(ctx, &out))
	var got []affiliate.Coupon
	scene.Must(0, json.Unmarshal(out.Bytes(), &got))
	ids := map[uuid.UUID]int{}
	for _, c := range got {
		ids[c.ID]++
	}
	want := map[uuid.UUID]int{big.ID: ids[big.ID], small.ID: 1}
	for _, c := range older {
		want[c.ID] = 1
	}
	if scene.Equal(t, want, ids); ids[big.ID] > 1 {
		t.Errorf("the deleted coupon is there %d times", ids[big.ID])
	}
}

func TestWriteCouponsFails(t *testing.T) {
	s, _ := scene.BigCoupon(t, 1300)
	broken := errors.New("broken pipe")
	if err := s.WriteCoupons(t.Context(), &sink{fail: broken}); !errors.Is(err, broken) {
		t.Errorf("writer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.WriteCoupons(ctx, &sink{first: cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("context: %v", err)
	}
}

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
