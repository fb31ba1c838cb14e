package affiliate_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// TestOptPrints: an Opt prints as its value with every verb, and not as its
// fields.
func TestOptPrints(t *testing.T) {
	id := uuid.MustParse("0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01")
	noon := affiliate.TimeOf(time.Date(2026, 3, 11, 9, 24, 18, 442e6, time.UTC))
	for _, tt := range []struct{ got, want string }{
		{fmt.Sprint(affiliate.Set(id)), "0197d9a4-6c1e-7b52-9a3f-2f4c1d7e8a01"},
		{fmt.Sprint(affiliate.Set(noon)), "2026-03-11T09:24:18.442Z"},
		{fmt.Sprint(affiliate.Set(affiliate.MustAmount("12.5"))), "12.5"},
		{affiliate.Set(affiliate.MustAmount("12.5")).String(), "12.5"},
		{fmt.Sprint(affiliate.Null[uuid.UUID]()), "null"},
		{affiliate.Null[uuid.UUID]().String(), "null"},
		{fmt.Sprint(affiliate.Opt[string]{}), "not given"},
		{fmt.Sprintf("%q", affiliate.Set("a b")), `"a b"`},
		{fmt.Sprintf("%05d|%-5s|%5s", affiliate.Set(int64(42)), affiliate.Set("ab"), affiliate.Null[string]()), "00042|ab   | null"},
		{fmt.Sprintf("%+v", affiliate.SaleUpdate{Name: affiliate.Set("Tomas")}.Name), "Tomas"},
		{fmt.Sprintf("%+v", struct{ A, B, C affiliate.Opt[int] }{affiliate.Set(1), affiliate.Null[int](), affiliate.Opt[int]{}}), "{A:1 B:null C:not given}"},
		{fmt.Sprintf("%#v", affiliate.Set("a")), `affiliate.Set("a")`},
		{fmt.Sprintf("%#v", affiliate.Null[int64]()), "affiliate.Null[int64]()"},
		{fmt.Sprintf("%#v", affiliate.Opt[uuid.UUID]{}), "affiliate.Opt[uuid.UUID]{}"},
		{fmt.Sprint(affiliate.Set(affiliate.Secret("whsec_secret"))), "whsec_***"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// TestOptLogs: a log shows the value, or null as nothing, and leaves out fields
// that were not given.
func TestOptLogs(t *testing.T) {
	attrs := []any{
		"value", affiliate.Set(affiliate.MustAmount("12.5")), "null", affiliate.Null[string](), "none", affiliate.Opt[string]{},
		"secret", affiliate.Set(affiliate.Secret("whsec_secret")),
	}
	var out bytes.Buffer
	plain := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}
	slog.New(slog.NewTextHandler(&out, plain)).Info("m", attrs...)
	slog.New(slog.NewJSONHandler(&out, plain)).Info("m", attrs...)
	want := []string{
		`msg=m value=12.5 null=<nil> secret=whsec_***`,
		`{"msg":"m","value":12.5,"null":null,"secret":"whsec_***"}`,
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); diff != "" {
		t.Error(diff)
	}
}
