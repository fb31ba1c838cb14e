package affiliate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// marshaled returns the JSON of a value by json.Marshal. For a byte that is not
// UTF-8, Go 1.26 writes the escape of U+FFFD and Go 1.27 the character. Here
// both become the escape.
func marshaled(v any) string { return escaped(scene.Must(json.Marshal(v))) }

// escaped replaces the character U+FFFD by its escape.
func escaped(document []byte) string { return strings.ReplaceAll(string(document), "\ufffd", `\ufffd`) }

// TestReplacedBytes: the encoders write the same bytes with every version of
// Go, because the payload of an event is signed.
func TestReplacedBytes(t *testing.T) {
	got := string((&affiliate.Link{Link: "a\xffb", Program: affiliate.LinkProgram{Name: "a\ufffdb"}}).AppendJSON(nil))
	for _, want := range []string{`"link":"a\ufffdb"`, "\"name\":\"a\ufffdb\""} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

// TestAppendJSON: the encoders of frequent answers write what json.Marshal
// writes, byte for byte except for the spelling of U+FFFD (marshaled).
func TestAppendJSON(t *testing.T) {
	t.Run("Affiliate", appendsJSON(func(v *affiliate.Affiliate) appender { return v }))
	t.Run("Link", appendsJSON(func(v *affiliate.Link) appender { return v }))
	t.Run("Coupon", appendsJSON(func(v *affiliate.Coupon) appender { return v }))
	t.Run("Code", appendsJSON(func(v *affiliate.Code) appender { return v }))
	t.Run("Referral", appendsJSON(func(v *affiliate.Referral) appender { return v }))
	t.Run("Sale", appendsJSON(func(v *affiliate.Sale) appender { return v }))
}

type appender interface{ AppendJSON(dst []byte) []byte }

func appendsJSON[T any](of func(*T) appender) func(*testing.T) {
	return func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			v := drawn[T](rt, true)
			if want, got := marshaled(v), escaped(of(&v).AppendJSON([]byte("x"))[1:]); got != want {
				rt.Fatalf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func FuzzCodeAppendJSON(f *testing.F) {
	f.Add("ADA20", "a<b>&\u2028\u2029", "\xff\xe2\x80", int64(125000), int64(1773221058442))
	f.Add("\x00\x1f\"\\\b\f\n\r\t\x7f", "", "🎉", int64(-1), int64(-62135596800000))
	f.Fuzz(func(t *testing.T, code, external, email string, scaled, ms int64) {
		at := affiliate.TimeOf(time.UnixMilli(ms))
		if year := at.Time().Year(); year < 1 || year > 9999 {
			t.Skip()
		}
		c := affiliate.Code{
			Code: code, ExternalID: affiliate.Set(external), ExpiresAt: affiliate.Set(at), MinimumAmount: affiliate.Set(affiliate.AmountFromScaled(scaled)),
			Affiliate: affiliate.Set(affiliate.AffiliateContact{Email: email}), CreatedAt: at, UpdatedAt: at,
			Coupon: affiliate.Set(affiliate.Coupon{Name: external, ProductIDs: []string{code, email}, CreatedAt: at, UpdatedAt: at}),
		}
		if want, got := marshaled(c), escaped(c.AppendJSON(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
