package webhooks_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/webhooks"
)

func TestVerifyHeaders(t *testing.T) {
	const ts = "1773487458"
	junk := "v1," + strings.Repeat("A", 43) + "="
	sig := vectorV1[3:]
	raw := must(base64.StdEncoding.DecodeString(sig))
	rawString := hmac.New(sha256.New, []byte(vectorSecret))
	rawString.Write([]byte("evt_test_0001." + ts + "." + vectorBody))
	v1 := func(mac string) http.Header { return headers("webhook-signature", "v1,"+mac) }
	id := func(id string) http.Header { return headers("webhook-id", id) }
	at := func(ts string) http.Header { return headers("webhook-timestamp", ts) }

	for _, tt := range []struct {
		name string
		h    http.Header
		want error
	}{
		{"W003 timestamp replaced", at("1773487459"), webhooks.ErrSignature},
		{"W004 milliseconds", at(ts + "000"), webhooks.ErrTimestampSyntax},
		{"W004 zero", at("0"), webhooks.ErrTooOld},
		{"W004 negative", at("-1"), webhooks.ErrTimestampSyntax},
		{"W004 text", at("now"), webhooks.ErrTimestampSyntax},
		{"W004 11 digits", at("99999999999"), webhooks.ErrTooNew},
		{"W004 12 digits", at("100000000000"), webhooks.ErrTimestampSyntax},
		{"W004 20 digits", at(strings.Repeat("1", 20)), webhooks.ErrTimestampSyntax},
		{"W004 2^63-1", at("9223372036854775807"), webhooks.ErrTimestampSyntax},
		{"W004 2^63 times 10", at("92233720368547758080"), webhooks.ErrTimestampSyntax},
		{"W004 underscore", at("1_773487458"), webhooks.ErrTimestampSyntax},
		{"W005 letters after", at(ts + "abc"), webhooks.ErrTimestampSyntax},
		{"W005 fraction", at(ts + ".9"), webhooks.ErrTimestampSyntax},
		{"W005 plus", at("+" + ts), webhooks.ErrTimestampSyntax},
		{"W005 leading zero", at("0" + ts), webhooks.ErrTimestampSyntax},
		{"W005 space before", at(" " + ts), webhooks.ErrTimestampSyntax},
		{"W005 space after", at(ts + " "), webhooks.ErrTimestampSyntax},
		{"W005 comma joined", at(ts + ", " + ts), webhooks.ErrTimestampSyntax},
		{"W005 NUL", at(ts + "\x00"), webhooks.ErrTimestampSyntax},
		{"W005 exponent", at("1e9"), webhooks.ErrTimestampSyntax},
		{"W005 other digits", at("\u0661\u0667\u0667"), webhooks.ErrTimestampSyntax},
		{"W006 the secret's text as the key", v1(base64.StdEncoding.EncodeToString(rawString.Sum(nil))), webhooks.ErrSignature},
		{"W008 only v2", headers("webhook-signature", "v2,"+sig), webhooks.ErrSignature},
		{"W008 v1a", headers("webhook-signature", "v1a,"+sig), webhooks.ErrSignature},
		{"W008 V1", headers("webhook-signature", "V1,"+sig), webhooks.ErrSignature},
		{"W008 no version", headers("webhook-signature", sig), webhooks.ErrSignature},
		{"W008 empty version", headers("webhook-signature", ","+sig), webhooks.ErrSignature},
		{"W008 empty value", v1(""), webhooks.ErrSignature},
		{"W008 equals sign", headers("webhook-signature", "v1="+sig), webhooks.ErrSignature},
		{"W009 hex", v1(hex.EncodeToString(raw)), webhooks.ErrSignature},
		{"W009 truncated", v1(sig[:40]), webhooks.ErrSignature},
		{"W009 unpadded", v1(strings.TrimRight(sig, "=")), webhooks.ErrSignature},
		{"W009 padded twice", v1(sig + "="), webhooks.ErrSignature},
		{"W009 URL-safe", v1(base64.URLEncoding.EncodeToString(raw)), webhooks.ErrSignature},
		{"W009 loose last bits", v1(sig[:42] + "1="), webhooks.ErrSignature},
		{"W009 junk after a comma", v1(sig + ",junk"), webhooks.ErrSignature},
		{"W009 comma at the end", v1(sig + ","), webhooks.ErrSignature},
		{"W009 31 bytes", v1(base64.StdEncoding.EncodeToString(raw[:31])), webhooks.ErrSignature},
		{"W009 newline inside", v1(sig[:20] + "\n" + sig[20:]), webhooks.ErrSignature},
		{"W009 space inside", v1(" " + sig), webhooks.ErrSignature},
		{"W009 tab before", headers("webhook-signature", "\t"+vectorV1), webhooks.ErrSignature},
		{"W009 tab between", headers("webhook-signature", junk+"\t"+vectorV1), webhooks.ErrSignature},
		{"W009 NUL after", v1(sig + "\x00"), webhooks.ErrSignature},
		{"W009 quoted", headers("webhook-signature", `"`+vectorV1+`"`), webhooks.ErrSignature},
		{"W009 spaces around", headers("webhook-signature", "  "+vectorV1+"  "), nil},
		{"W010 no id", headers("webhook-id", "-"), webhooks.ErrIDMissing},
		{"W010 no timestamp", headers("webhook-timestamp", "-"), webhooks.ErrTimestampMissing},
		{"W010 no signature", headers("webhook-signature", "-"), webhooks.ErrSignatureMissing},
		{"W010 none", http.Header{}, webhooks.ErrIDMissing},
		{"W010 nil", nil, webhooks.ErrIDMissing},
		{"W010 id empty", id(""), webhooks.ErrIDMissing},
		{"W010 timestamp empty", at(""), webhooks.ErrTimestampMissing},
		{"W010 signature empty", headers("webhook-signature", ""), webhooks.ErrSignatureMissing},
		{"W010 signature lines empty", lines("webhook-signature", "", ""), webhooks.ErrSignatureMissing},
		{"W010 key without a value", lines("webhook-id"), webhooks.ErrIDMissing},
		{"W011 two ids", lines("webhook-id", "evt_test_0001", "evt_test_0002"), webhooks.ErrIDRepeated},
		{"W011 one id twice", lines("webhook-id", "evt_test_0001", "evt_test_0001"), webhooks.ErrIDRepeated},
		{"W011 two timestamps", lines("webhook-timestamp", ts, "1773487459"), webhooks.ErrTimestampRepeated},
		{"W011 an empty timestamp first", lines("webhook-timestamp", "", ts), webhooks.ErrTimestampRepeated},
		{"W012 good line second", lines("webhook-signature", junk, vectorV1), nil},
		{"W012 empty line first", lines("webhook-signature", "", vectorV1), nil},
		{"W012 merged, good one first", headers("webhook-signature", vectorV1+", "+junk), nil},
		{"W012 merged, good one last", headers("webhook-signature", junk+", "+vectorV1), nil},
		{"W012 merged without a space", headers("webhook-signature", junk+","+vectorV1), webhooks.ErrSignature},
		{"W013 20 before the good one", headers("webhook-signature", strings.Repeat(junk+" ", 20)+vectorV1), nil},
		{"W013 99 before it", headers("webhook-signature", strings.Repeat(junk+" ", 99)+vectorV1), webhooks.ErrSignatureLong},
		{"W013 1 MiB", headers("webhook-signature", strings.Repeat("v", 1<<20)), webhooks.ErrSignatureLong},
		{"W013 exactly 1 KiB", headers("webhook-signature", vectorV1+strings.Repeat(" ", 1024-len(vectorV1))), nil},
		{"W013 one byte more", headers("webhook-signature", vectorV1+strings.Repeat(" ", 1025-len(vectorV1))), webhooks.ErrSignatureLong},
		{"W013 1 KiB over two lines", lines("webhook-signature", strings.Repeat("v", 600), strings.Repeat("v", 600)), webhooks.ErrSignatureLong},
		{"W013 a million empty lines", lines("webhook-signature", make([]string, 1e6)...), webhooks.ErrSignatureLong},
		{"W014 dotted id", id("evt.test"), webhooks.ErrIDSyntax},
		{"W014 65 bytes", id(strings.Repeat("a", 65)), webhooks.ErrIDSyntax},
		{"W014 64 bytes", id(strings.Repeat("a", 64)), webhooks.ErrSignature},
		{"W014 700 bytes", id(strings.Repeat("a", 700)), webhooks.ErrIDSyntax},
		{"W014 CR LF", id("evt\r\nx"), webhooks.ErrIDSyntax},
		{"W014 space", id("evt_test_0001 "), webhooks.ErrIDSyntax},
		{"W014 not ASCII", id("evt_t\u00e9st"), webhooks.ErrIDSyntax},
		{"W014 NUL", id("evt_test_0001\x00"), webhooks.ErrIDSyntax},
		{"W014 comma joined", id("evt_test_0001, evt_test_0002"), webhooks.ErrIDSyntax},
		{"W014 boundary shifted", headers("webhook-id", "evt_test_0001."+ts, "webhook-timestamp", "1"), webhooks.ErrIDSyntax},
		{"W019 svix alone", asSvix(headers()), nil},
		{"W019 id of one, rest of the other", both(asSvix(headers()), http.Header{"Webhook-Id": {"evt_test_0001"}}), webhooks.ErrTimestampMissing},
		{"W019 signature of the other", both(headers("webhook-signature", "-"), asSvix(headers())), webhooks.ErrSignatureMissing},
		{"W019 both, equal", both(headers(), asSvix(headers())), nil},
		{"W019 both, only svix valid", both(v1(junk[3:]), asSvix(headers())), webhooks.ErrSignature},
		{"W019 only the timestamp beside svix", both(asSvix(headers()), http.Header{"Webhook-Timestamp": {ts}}), webhooks.ErrIDMissing},
		{"W019 only the signature beside svix", both(asSvix(headers()), http.Header{"Webhook-Signature": {vectorV1}}), webhooks.ErrIDMissing},
		{"W019 webhook-id empty beside svix", both(asSvix(headers()), http.Header{"Webhook-Id": {""}}), webhooks.ErrIDMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := verifier(vectorSecret).Verify(tt.h, []byte(vectorBody))
			if err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
