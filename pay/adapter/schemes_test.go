package adapter_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/webhooks"
)

// bodyMAC is the HMAC-SHA256 of {"id":"evt_1"} with the key "s", by openssl dgst -sha256 -hmac s.
const bodyMAC = "29a428b7d32a0119ac70c3558cf9b7505ee334e853106f188c71046cac833b18"

var signedBody = []byte(`{"id":"evt_1"}`)

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func basic(name, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))
}

// standard are the headers of Standard Webhooks, by the package that sends them.
func standard(t *testing.T, at time.Time) http.Header {
	t.Helper()
	h, err := webhooks.Sign([]affiliate.Secret{standardSecret}, "msg_1", at, signedBody)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const standardSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// TestSchemes: each scheme takes what its provider sends, with any of the secrets, and says
// of the rest why not. What headers alone show is known before the body is read.
func TestSchemes(t *testing.T) {
	raw, err := hex.DecodeString(bodyMAC)
	if err != nil {
		t.Fatal(err)
	}
	two := adapter.Secrets{"old", "s"}
	inHex, in64 := adapter.HMACHex("X-Signature", two), adapter.HMACBase64("X-Signature", two)
	hooks := adapter.StandardWebhooks(adapter.Secrets{"whsec_" + strings.Repeat("A", 32), standardSecret}, 0)
	auth, static := adapter.BasicAuth("shop", two), adapter.StaticHeader("X-Token", two)
	b64 := base64.StdEncoding.EncodeToString(raw)
	later := standard(t, now)
	later.Set("Webhook-Id", "msg_2")
	for _, row := range []struct {
		name   string
		scheme adapter.Scheme
		h      http.Header
		early  error // before the body
		want   error
	}{
		{"hex", inHex, headers("X-Signature", bodyMAC), nil, nil},
		{"hex in capitals", inHex, headers("X-Signature", strings.ToUpper(bodyMAC)), nil, nil},
		{"hex of another", inHex, headers("X-Signature", strings.Repeat("0", 64)), nil, adapter.ErrSignature},
		{"hex that is base64", inHex, headers("X-Signature", b64), adapter.ErrSignature, adapter.ErrSignature},
		{"hex cut", inHex, headers("X-Signature", bodyMAC[2:]), adapter.ErrSignature, adapter.ErrSignature},
		{"hex twice", inHex, headers("X-Signature", bodyMAC, "X-Signature", bodyMAC), adapter.ErrHeader, adapter.ErrHeader},
		{"hex missing", inHex, nil, adapter.ErrHeader, adapter.ErrHeader},
		{"hex long", inHex, headers("X-Signature", strings.Repeat("0", 5000)), adapter.ErrHeader, adapter.ErrHeader},
		{"base64", in64, headers("X-Signature", b64), nil, nil},
		{"base64 of another", in64, headers("X-Signature", base64.StdEncoding.EncodeToString(make([]byte, 32))), nil, adapter.ErrSignature},
		{"base64 for URLs", in64, headers("X-Signature", base64.RawURLEncoding.EncodeToString(raw)), adapter.ErrSignature, adapter.ErrSignature},
		{"standard", hooks, standard(t, now), nil, nil},
		{"standard with another id", hooks, later, nil, adapter.ErrSignature},
		{"standard without", hooks, nil, adapter.ErrHeader, adapter.ErrHeader},
		{"standard too old", hooks, standard(t, now.Add(-301*time.Second)), adapter.ErrSignature, adapter.ErrSignature},
		{"standard too new", hooks, standard(t, now.Add(301*time.Second)), adapter.ErrSignature, adapter.ErrSignature},
		{"basic", auth, headers("Authorization", basic("shop", "s")), nil, nil},
		{"basic of another name", auth, headers("Authorization", basic("Shop", "s")), adapter.ErrSignature, adapter.ErrSignature},
		{"basic of another password", auth, headers("Authorization", basic("shop", "S")), adapter.ErrSignature, adapter.ErrSignature},
		{"bearer", auth, headers("Authorization", "Bearer s"), adapter.ErrHeader, adapter.ErrHeader},
		{"static", static, headers("X-Token", "old"), nil, nil},
		{"static of another", static, headers("X-Token", "older"), adapter.ErrSignature, adapter.ErrSignature},
		{"static missing", static, nil, adapter.ErrHeader, adapter.ErrHeader},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := row.scheme(row.h, now); !errors.Is(err, row.early) {
				t.Errorf("before the body: %v, want %v", err, row.early)
			}
			if err := row.scheme.Verify(row.h, signedBody, now); !errors.Is(err, row.want) {
				t.Errorf("%v, want %v", err, row.want)
			}
			if err := row.scheme.Verify(row.h, []byte(`{"id":"evt_2"}`), now); err == nil && !strings.HasPrefix(row.name, "basic") && !strings.HasPrefix(row.name, "static") {
				t.Error("another body is accepted")
			}
		})
	}
}

// TestUnusableSecrets: no scheme is made of secrets that verify nothing, and no endpoint.
func TestUnusableSecrets(t *testing.T) {
	for name, secrets := range map[string]adapter.Secrets{
		"none": nil, "empty": {""}, "space": {"s "}, "eleven": strings.Split("a b c d e f g h i j k", " "),
	} {
		for kind, scheme := range map[string]adapter.Scheme{
			"hex": adapter.HMACHex("X", secrets), "base64": adapter.HMACBase64("X", secrets), "standard": adapter.StandardWebhooks(secrets, 0),
			"basic": adapter.BasicAuth("a", secrets), "static": adapter.StaticHeader("X", secrets), "timed": form.Scheme(secrets, 0),
		} {
			if _, err := (adapter.Endpoint{Scheme: scheme}).Handler(warnedProgram(t, new(time.Now()), affiliate.Terms{})); !errors.Is(err, adapter.ErrConfig) {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
	for name, scheme := range map[string]adapter.Scheme{
		"short":              adapter.StandardWebhooks(adapter.Secrets{"whsec_AAAA"}, 0),
		"negative tolerance": adapter.StandardWebhooks(adapter.Secrets{standardSecret}, -1),
	} {
		if err := scheme.Verify(standard(t, now), signedBody, now); !errors.Is(err, adapter.ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSecretsAreMasked: no way of printing a configuration shows its secrets.
func TestSecretsAreMasked(t *testing.T) {
	cfg := adapter.Config{Secrets: adapter.Secrets{"hidden-1", "hidden-2"}}
	text, err := json.Marshal(cfg.Secrets)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		text = fmt.Appendf(text, format, cfg)
	}
	text = append(text, cfg.Secrets.LogValue().String()...)
	if bytes.Contains(text, []byte("hidden")) || bytes.Contains(text, []byte("68696464656e")) || !bytes.Contains(text, []byte("*** ***")) {
		t.Errorf("%s", text)
	}
}

// TestDecimal: an amount in units of its currency is exact, as a text and as a number.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		`"19.99"`: "19.99", `19.99`: "19.99", `"0.1"`: "0.1", `1e2`: "100", `-3.5`: "-3.5", `null`: "0", `""`: "0",
		`"1,5"`: "fault", `"19.99999"`: "fault", `true`: "fault", `[1]`: "fault", `"1e40"`: "fault",
	} {
		v := read(t, `{"n": `+text+`}`)
		got := v.Get("n").Decimal().String()
		if v.Err() != nil {
			got = "fault"
		}
		if got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestTimes: times are in UTC, and what is none is a fault.
func TestTimes(t *testing.T) {
	v := read(t, `{"a": "2026-01-02T03:04:05.123456+01:00", "b": 1767225600, "c": null}`)
	if got := v.Get("a").Time(); !got.Equal(time.Date(2026, 1, 2, 2, 4, 5, 123456000, time.UTC)) || got.Location() != time.UTC {
		t.Error(got)
	}
	if got := v.Get("b").Seconds(); got != now.UTC() {
		t.Error(got)
	}
	if !v.Get("c").Time().IsZero() || !v.Get("c").Seconds().IsZero() || v.Err() != nil {
		t.Error(v.Err())
	}
	if v = read(t, `{"a": "yesterday"}`); !v.Get("a").Time().IsZero() || v.Err() == nil {
		t.Error("yesterday is a time")
	}
}
