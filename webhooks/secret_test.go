package webhooks_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

func secretOf(n int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, n))
}

func TestParseSecret(t *testing.T) { // W017
	good := string(vectorSecret)
	for _, tt := range []struct {
		name, in, want string
	}{
		{"as it is", good, good},
		{"trailing newline", good + "\n", good},
		{"white space around", "\t\r\n " + good + " \v\f\r\n", good},
		{"no prefix", strings.TrimPrefix(good, "whsec_"), good},
		{"24 bytes", secretOf(24), secretOf(24)},
		{"64 bytes", secretOf(64), secretOf(64)},
		{"ErrEmpty", "", ""},
		{"ErrPrefixAlone", "whsec_", ""},
		{"Err8Bytes", secretOf(8), ""},
		{"Err23Bytes", secretOf(23), ""},
		{"Err65Bytes", secretOf(65), ""},
		{"ErrURLSafe", strings.NewReplacer("+", "-", "/", "_").Replace(secretOf(32)), ""},
		{"ErrSigningKey", "whsk_" + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrPublicKey", "whpk_" + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrInnerNewline", good[:20] + "\n" + good[20:], ""},
		{"ErrInnerCarriageReturn", good[:20] + "\r" + good[20:], ""},
		{"ErrInnerSpace", good[:20] + " " + good[20:], ""},
		{"ErrSpaceAfterPrefix", "whsec_ " + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrUnpadded", strings.TrimRight(good, "="), ""},
		{"ErrLooseLastBits", strings.Replace(good, "WY=", "WZ=", 1), ""},
		{"ErrPrefixTwice", "whsec_" + good, ""},
		{"ErrPrefixUpper", "WHSEC_" + strings.TrimPrefix(good, "whsec_"), ""},
		{"ErrNUL", good + "\x00", ""},
		{"ErrNoBreakSpace", good + "\u00a0", ""},
		{"ErrMasked", vectorSecret.String(), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "ErrLooseLastBits" && tt.in == good {
				t.Fatal("the row changes nothing")
			}
			got, err := webhooks.ParseSecret(tt.in)
			if got.Reveal() != tt.want || errors.Is(err, webhooks.ErrSecret) != (tt.want == "") {
				t.Errorf("got %q, %v; want %q", got.Reveal(), err, tt.want)
			}
			v := verifier(affiliate.Secret(tt.in)) // a Verifier has the same rule for a secret that was not parsed
			if _, err := v.Verify(headers(), []byte(vectorBody)); errors.Is(err, webhooks.ErrSecret) != (tt.want == "") {
				t.Errorf("Verify: %v", err)
			}
		})
	}
}

func TestNewSecret(t *testing.T) {
	got, err := webhooks.NewSecret(strings.NewReader("0123456789abcdef0123456789abcdef"))
	if got != vectorSecret || err != nil {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
	broken := errors.New("no randomness")
	for _, r := range []interface{ Read([]byte) (int, error) }{iotest.ErrReader(broken), strings.NewReader("too short")} {
		if got, err := webhooks.NewSecret(r); got != "" || err == nil {
			t.Errorf("got %q, %v", got.Reveal(), err)
		}
	}
}

// FuzzParseSecret: an accepted secret has one spelling and 24 to 64 bytes, and
// it verifies its own signatures.
func FuzzParseSecret(f *testing.F) {
	for _, s := range []string{string(vectorSecret), "whsec_", "", " " + secretOf(24) + "\n", secretOf(64), "whsk_AAAA", secretOf(65)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		secret, err := webhooks.ParseSecret(s)
		if err != nil {
			if !errors.Is(err, webhooks.ErrSecret) || secret != "" {
				t.Fatalf("got %q, %v", secret.Reveal(), err)
			}
			return
		}
		again, err := webhooks.ParseSecret(secret.Reveal())
		key, decodeErr := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), "whsec_"))
		if again != secret || err != nil || decodeErr != nil || len(key) < 24 || len(key) > 64 {
			t.Fatalf("%q became %q: %v, %v", s, secret.Reveal(), err, decodeErr)
		}
		h := signed(t, "{}", affiliate.Secret(s))
		must(verifier(secret).Verify(h, []byte("{}")))
	})
}

func TestSecretsNeverPrinted(t *testing.T) { // W023
	v := verifier(vectorSecret, newerSecret)
	must(v.Verify(headers(), []byte(vectorBody)))
	r := &webhooks.Receiver{Verifier: v}
	var out strings.Builder
	logger := slog.New(slog.NewTextHandler(&out, nil))
	jsonLogger := slog.New(slog.NewJSONHandler(&out, nil))
	shown := []any{vectorSecret, v.Secrets, v, r, *r, []*webhooks.Verifier{v, nil}, struct{ S *webhooks.Signer }{&webhooks.Signer{Secrets: v.Secrets}}}
	for _, s := range []string{"whsec_", secretOf(8), string(vectorSecret) + "x", "whsk_" + string(vectorSecret), string(vectorSecret[:20]) + "\n" + string(vectorSecret[20:])} {
		_, err := webhooks.ParseSecret(s)
		_, verifyErr := verifier(affiliate.Secret(s)).Verify(headers(), nil)
		_, signErr := webhooks.Sign([]affiliate.Secret{affiliate.Secret(s)}, "evt", time.Now(), nil)
		shown = append(shown, err, verifyErr, signErr)
	}
	for _, x := range shown {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t", "%c"} {
			fmt.Fprintf(&out, verb+"\n", x)
		}
		logger.Info("x", "x", x)
		jsonLogger.Info("x", "x", x)
		if raw, err := json.Marshal(x); err == nil {
			out.Write(raw)
		}
	}
	for _, key := range []string{"MDEyMzQ1Njc4", "dHJpYnV0YXJ5", "0123456789abcdef0123456789abcdef", "tributary-webhooks", "30313233343536373839", "48 49 50 51"} {
		if at := strings.Index(out.String(), key); at >= 0 {
			t.Errorf("%q is printed: …%s…", key, out.String()[max(0, at-40):at+40])
		}
	}
	if !strings.Contains(out.String(), "whsec_***") {
		t.Error("nothing was printed at all")
	}
}
