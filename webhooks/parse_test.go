package webhooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

func TestParseVector(t *testing.T) {
	got := must(webhooks.Parse([]byte(vectorBody)))
	want := webhooks.Event{
		Type: affiliate.SaleDeleted, ID: "evt_test_0001", OccurredAt: time.Date(2026, 3, 14, 11, 24, 17, 250e6, time.UTC),
		ProgramID: "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01", Revision: 3, Body: json.RawMessage(`{"id":5107}`), Raw: []byte(vectorBody),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// W025: the engine's payloads can be read, and encode to the same bytes again.
func TestParseEngineEvents(t *testing.T) {
	events := engineEvents(t)
	for _, typ := range affiliate.EventTypes() {
		t.Run(string(typ), func(t *testing.T) {
			family, action, _ := strings.Cut(string(typ), ".")
			if strings.Count(string(typ), ".") != 1 || family != typ.Family() || action != "created" && action != "updated" && action != "deleted" {
				t.Errorf("the type %q is not family.action", typ)
			}
			want := events[typ]
			got := must(webhooks.Parse(want.Payload))
			if got.Type != typ || got.ID != want.MessageID() || got.Revision != want.Revision || !got.OccurredAt.Equal(want.OccurredAt.Time()) || got.Test {
				t.Errorf("got %+v, want %+v", got, want)
			}
			body := must(decoded(got))
			if diff := cmp.Diff(string(got.Body), string(must(json.Marshal(body)))); diff != "" {
				t.Errorf("body decoded and encoded (-want +got):\n%s", diff)
			}
		})
	}
}

// decoded is the body of an event in the type that the comment of Decode names.
func decoded(e webhooks.Event) (any, error) {
	switch {
	case e.Type == affiliate.SaleDeleted:
		return webhooks.Decode[affiliate.DeletedSaleBody](e)
	case strings.HasSuffix(string(e.Type), ".deleted"):
		return webhooks.Decode[affiliate.DeletedBody](e)
	}
	switch e.Type.Family() {
	case "affiliate":
		return webhooks.Decode[affiliate.AffiliateBody](e)
	case "referral":
		return webhooks.Decode[affiliate.ReferralBody](e)
	case "sale":
		return webhooks.Decode[affiliate.Sale](e)
	case "coupon":
		return webhooks.Decode[affiliate.Coupon](e)
	}
	return webhooks.Decode[affiliate.Code](e)
}

func TestParse(t *testing.T) {
	nested := func(levels int) string { // the envelope and the body are two of them
		return `{"event":"a.b","body":{"x":` + strings.Repeat("[", levels-2) + strings.Repeat("]", levels-2) + `}}`
	}
	envelope := func(rest string) string { return `{"event":"sale.created","body":{}` + rest + `}` }
	gone := func(typ, body string) string { return `{"event":"` + typ + `","body":` + body + `}` }
	for _, tt := range []struct {
		name, payload string
		ok            bool
	}{
		{"W026 unknown family", gone("payout.created", "{}"), true},
		{"W026 unknown action", gone("promotional_code.archived", "{}"), true},
		{"W026 other letter case", gone("Sale.deleted", "{}"), true},
		{"W027 event missing", `{"body":{}}`, false},
		{"W027 event null", `{"event":null,"body":{}}`, false},
		{"W027 event a number", `{"event":1,"body":{}}`, false},
		{"W027 event empty", `{"event":"","body":{}}`, false},
		{"W027 event twice", `{"event":"sale.created","event":"sale.created","body":{}}`, false},
		{"W027 event twice, once escaped", `{"event":"sale.created","\u0065vent":"sale.updated","body":{}}`, false},
		{"W027 EVENT beside it", `{"event":"sale.created","EVENT":"sale.updated","body":{}}`, false},
		{"W027 EVENT before it", `{"EVENT":"sale.updated","event":"sale.created","body":{}}`, false},
		{"W027 EVENT instead", `{"EVENT":"sale.created","body":{}}`, false},
		{"W027 long s folds to s", envelope(`,"revi` + "\u017f" + `ion":1`), false},
		{"W027 unknown key twice", envelope(`,"x":1,"x":1`), false},
		{"W027 unknown key in two cases", envelope(`,"x":1,"X":1`), true},
		{"W028 eventId null", envelope(`,"eventId":null`), false},
		{"W028 eventId empty", envelope(`,"eventId":""`), false},
		{"W028 eventId dotted", envelope(`,"eventId":"a.b"`), false},
		{"W028 eventId a number", envelope(`,"eventId":1`), false},
		{"W029 further keys", envelope(`,"z":[1,{"a":"]}"}],"sent":null,"":"\\","n":-1.5e3,"t":true`), true},
		{"W029 white space", " \n{ \"event\" : \"sale.created\" ,\t\"body\" : { } , \"n\" : 1 }\r\n ", true},
		{"body missing", `{"event":"sale.created"}`, false},
		{"body null", `{"event":"sale.created","body":null}`, false},
		{"body a list", `{"event":"sale.created","body":[]}`, false},
		{"body a text", `{"event":"sale.created","body":"{}"}`, false},
		{"occurredAt with an offset", envelope(`,"occurredAt":"2026-03-14T12:24:17+01:00"`), true},
		{"occurredAt a day", envelope(`,"occurredAt":"2026-03-14"`), false},
		{"occurredAt null", envelope(`,"occurredAt":null`), false},
		{"programId a number", envelope(`,"programId":7`), false},
		{"revision a fraction", envelope(`,"revision":1.0`), false},
		{"revision negative", envelope(`,"revision":-1`), false},
		{"revision null", envelope(`,"revision":null`), false},
		{"revision a text", envelope(`,"revision":"1"`), false},
		{"revision 2^63", envelope(`,"revision":9223372036854775808`), false},
		{"test a text", envelope(`,"test":"true"`), false},
		{"test null", envelope(`,"test":null`), false},
		{"W030 no id", gone("sale.deleted", `{}`), false},
		{"W030 null id", gone("sale.deleted", `{"id":null}`), false},
		{"W030 sale by a text", gone("sale.deleted", `{"id":"5107"}`), false},
		{"W030 sale by 2^64", gone("sale.deleted", `{"id":18446744073709551616}`), false},
		{"W030 sale by 1.0", gone("sale.deleted", `{"id":1.0}`), false},
		{"W030 sale by 1e3", gone("sale.deleted", `{"id":1e3}`), false},
		{"W030 sale by true", gone("sale.deleted", `{"id":true}`), false},
		{"W030 coupon by a number", gone("coupon.deleted", `{"id":1}`), false},
		{"W030 coupon by nothing", gone("coupon.deleted", `{"id":""}`), false},
		{"W030 coupon by null", gone("coupon.deleted", `{"id":null}`), false},
		{"W030 id in another case", gone("sale.deleted", `{"ID":1}`), false},
		{"W030 id twice", gone("sale.deleted", `{"id":1,"id":2}`), false},
		{"W030 id twice in two cases", gone("sale.deleted", `{"id":1,"Id":2}`), false},
		{"W030 further keys", gone("sale.deleted", `{"was":{"id":3},"id":1,"why":"refund"}`), true},
		{"W030 coupon", gone("coupon.deleted", `{"id":"0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"}`), true},
		{"W031 trailing bytes", vectorBody + "x", false},
		{"W031 trailing NUL", vectorBody + "\x00", false},
		{"W031 two values", vectorBody + vectorBody, false},
		{"W031 byte-order mark", "\ufeff" + vectorBody, false},
		{"W031 null", "null", false},
		{"W031 list", "[]", false},
		{"W031 text", `""`, false},
		{"W031 nothing", "", false},
		{"W031 white space", " ", false},
		{"W031 cut short", vectorBody[:len(vectorBody)-1], false},
		{"W031 cut in a string", `{"event":"sa`, false},
		{"W031 cut after a backslash", `{"event":"sa\`, false},
		{"W031 invalid UTF-8 in a key", envelope(",\"\xff\":1"), false},
		{"W031 invalid UTF-8 in a value", envelope(",\"x\":\"\xc3\""), false},
		{"W031 UTF-16", "\xff\xfe{\x00}\x00", false},
		{"W031 64 levels", nested(64), true},
		{"W031 65 levels", nested(65), false},
		{"W031 10,001 levels", nested(10_001), false},
		{"W031 a million brackets", strings.Repeat("[", 1e6), false},
		{"W031 brackets in a string", envelope(`,"x":"` + strings.Repeat(`[{\"`, 100) + `"`), true},
		{"W031 control character", envelope(",\"x\":\"\x01\""), false},
		{"W031 comma at the end", `{"event":"a","body":{},}`, false},
		{"W031 comment", `{"event":"a",/**/"body":{}}`, false},
		{"W031 NaN", envelope(`,"x":NaN`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := webhooks.Parse([]byte(tt.payload))
			if tt.ok {
				if err != nil || string(e.Raw) != tt.payload || e.Type == "" {
					t.Errorf("got %+v, %v", e, err)
				}
				return
			}
			if diff := cmp.Diff(webhooks.Event{}, e); !errors.Is(err, webhooks.ErrPayload) || diff != "" {
				t.Errorf("got %v, event %s", err, diff)
			}
		})
	}
}

// W029: the short form of the published service.
func TestParseBare(t *testing.T) {
	e := must(webhooks.Parse([]byte(`{"body":{"id":"x","extra":[1]},"event":"coupon.created","sentBy":"them"}`)))
	want := webhooks.Event{Type: affiliate.CouponCreated, Body: json.RawMessage(`{"id":"x","extra":[1]}`)}
	e.Raw = nil
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

func TestParseTest(t *testing.T) {
	e, err := webhooks.Parse([]byte(`{"event":"sale.created","revision":0,"test":true,"body":{}}`))
	if !e.Test || err != nil {
		t.Errorf("got %+v, %v", e, err)
	}
	sale, err := webhooks.Decode[affiliate.Sale](e) // an empty body is the zero object
	if diff := cmp.Diff(affiliate.Sale{}, sale); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestDecodeAmounts(t *testing.T) { // W041
	for _, amount := range []string{"0.1", "199.99", "922337203685477.5807", "-0.0001"} {
		e := must(webhooks.Parse([]byte(`{"event":"sale.created","body":{"totalEarned":` + amount + `,"later":1}}`)))
		sale, err := webhooks.Decode[affiliate.Sale](e)
		if err != nil || sale.TotalEarned != affiliate.MustAmount(amount) {
			t.Errorf("%s became %v, %v", amount, sale.TotalEarned, err)
		}
	}
}

// A body that does not fit is refused, and the error shows no part of it.
func TestDecodeRefused(t *testing.T) {
	const private = "mara-at-example-com"
	for _, body := range []string{
		`{"id":"` + private + `"}`,
		`{"createdAt":"` + private + `"}`,
		`{"affiliateId":"` + private + `"}`,
		`{"totalEarned":"` + private + `"}`,
		`{"commissions":[{"id":"` + private + `"}]}`,
	} {
		got, err := webhooks.Decode[affiliate.Sale](webhooks.Event{Body: json.RawMessage(body)})
		if !errors.Is(err, webhooks.ErrPayload) || strings.Contains(err.Error(), private) {
			t.Errorf("%s: %v", body, err)
		}
		if diff := cmp.Diff(affiliate.Sale{}, got); diff != "" {
			t.Errorf("%s: half a sale: %s", body, diff)
		}
	}
	e := webhooks.Event{Body: json.RawMessage(`"` + private + `"`)}
	if _, err := webhooks.Decode[outspokenError](e); !errors.Is(err, webhooks.ErrPayload) || strings.Contains(err.Error(), private) {
		t.Errorf("a type of the host's own: %v", err)
	}
	if _, err := webhooks.Decode[affiliate.Sale](webhooks.Event{}); !errors.Is(err, webhooks.ErrPayload) {
		t.Errorf("no body: %v", err)
	}
}

// outspokenError is a type whose errors show the value that was sent.
type outspokenError struct{}

func (*outspokenError) UnmarshalJSON(data []byte) error { return errors.New(string(data)) }

// Appending to a body does not overwrite the payload after it.
func TestParseShared(t *testing.T) {
	payload := []byte(`{"body":{},"event":"sale.created"}`)
	e := must(webhooks.Parse(payload))
	_ = append(e.Body, "xxxx"...)
	if string(e.Raw) != `{"body":{},"event":"sale.created"}` {
		t.Errorf("the payload became %s", e.Raw)
	}
}

// FuzzParse: Parse never panics. A payload that it accepts is a JSON object
// that encoding/json reads in the same way. The event, encoded again, parses to
// the same event.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		vectorBody, `{"event":"sale.created","body":{}}`, `{"event":"a","EVENT":"b","body":{}}`, "\ufeff{}", "[[[[", `{"a":"\`,
		` { "body" : {"x":[1,{"y":"}"}]} , "event" : "coupon.created" , "test" : false , "revision" : 9 } `, `{"event":"coupon.deleted","body":{"id":"x"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		before := bytes.Clone(payload)
		e, err := webhooks.Parse(payload)
		if !bytes.Equal(before, payload) {
			t.Fatal("the payload was changed")
		}
		if err != nil {
			if !errors.Is(err, webhooks.ErrPayload) {
				t.Fatal(err)
			}
			return
		}
		var reference map[string]json.RawMessage
		if err := json.Unmarshal(payload, &reference); err != nil {
			t.Fatalf("accepted %q: %v", payload, err)
		}
		var typ string
		if err := json.Unmarshal(reference["event"], &typ); err != nil || typ != string(e.Type) || !bytes.Equal(reference["body"], e.Body) {
			t.Fatalf("%q was read as %q, body %s", payload, e.Type, e.Body)
		}
		again, err := webhooks.Parse(encode(t, e))
		if err != nil {
			t.Fatalf("%q written anew: %v", payload, err)
		}
		again.Raw, again.Body, e.Raw, e.Body = nil, nil, nil, nil
		if diff := cmp.Diff(e, again); diff != "" {
			t.Fatalf("(-read +again):\n%s", diff)
		}
	})
}

// encode writes the payload of an event.
func encode(t *testing.T, e webhooks.Event) []byte {
	out := map[string]any{"event": e.Type, "body": e.Body, "revision": e.Revision, "programId": e.ProgramID}
	if e.ID != "" {
		out["eventId"] = e.ID
	}
	if e.Test {
		out["test"] = true
	}
	if !e.OccurredAt.IsZero() {
		out["occurredAt"] = e.OccurredAt
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	return raw
}
