package signatures_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The secrets of the cases, each with its key.
const (
	key       = "0123456789abcdef0123456789abcdef"
	secret    = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	newer     = "whsec_dHJpYnV0YXJ5LXdlYmhvb2tzLXRlc3Qta2V5LTAwMDI="
	newerKey  = "tributary-webhooks-test-key-0002"
	messageID = "evt_test_0001"
	body      = `{"event":"sale.deleted","body":{"id":5107}}`
)

// verdicts say which libraries accept a request.
type verdicts struct{ ours, standard, svix, standardNode, svixNode bool }

var (
	everybody = verdicts{true, true, true, true, true}
	nobody    = verdicts{}
	others    = verdicts{false, true, true, true, true}
)

// A request arrives at a receiver with the secret.
type request struct {
	name    string
	secret  string
	headers http.Header
	body    []byte
	want    verdicts
}

// sign computes the signature of a message without our code and without theirs.
func sign(key, id, timestamp, body string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(id + "." + timestamp + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// arriving makes webhook-* headers from pairs of name and value.
func arriving(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

// requests are the cases at a time: those on which all libraries agree, and
// those that they treat differently.
func requests(now time.Time) []request {
	ts := strconv.FormatInt(now.Unix(), 10)
	good := sign(key, messageID, ts, body)
	junk := "v1," + strings.Repeat("A", 43) + "="
	with := func(id, timestamp, signature string) http.Header {
		return arriving("webhook-id", id, "webhook-timestamp", timestamp, "webhook-signature", signature)
	}
	signature := func(s string) http.Header { return with(messageID, ts, s) }
	signedAt := func(timestamp string) http.Header {
		return with(messageID, timestamp, sign(key, messageID, timestamp, body))
	}
	signedAs := func(id string) http.Header { return with(id, ts, sign(key, id, ts, body)) }
	at := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).Unix(), 10) }
	svixOnly := arriving("svix-id", messageID, "svix-timestamp", ts, "svix-signature", good)
	add := func(h http.Header, name, value string) http.Header { h.Add(name, value); return h }
	keyed := func(key string) string { return "whsec_" + base64.StdEncoding.EncodeToString([]byte(key)) }
	invalid := "{\"name\":\"\xff\"}"
	repaired := "{\"name\":\"\ufffd\"}"

	rows := []request{
		{"one signature", secret, signature(good), nil, everybody},
		{"rotation, old secret held", secret, signature(sign(newerKey, messageID, ts, body) + " " + good), nil, everybody},
		{"rotation, new secret held", newer, signature(sign(newerKey, messageID, ts, body) + " " + good), nil, everybody},
		{"rotation over", newer, signature(good), nil, nobody},
		{"unknown versions beside it", secret, signature("v1a," + junk[3:] + " v2," + junk[3:] + " " + good), nil, everybody},
		{"only another version", secret, signature("v2," + good[3:]), nil, nobody},
		{"a minute old", secret, signedAt(at(-time.Minute)), nil, everybody},
		{"a minute ahead", secret, signedAt(at(time.Minute)), nil, everybody},
		{"ten minutes old", secret, signedAt(at(-10 * time.Minute)), nil, nobody},
		{"ten minutes ahead", secret, signedAt(at(10 * time.Minute)), nil, nobody},
		{"timestamp replaced", secret, with(messageID, at(time.Second), good), nil, nobody},
		{"id replaced", secret, with("evt_test_0002", ts, good), nil, nobody},
		{"body changed", secret, signature(good), []byte(body + " "), nobody},
		{"truncated signature", secret, signature(good[:30]), nil, nobody},
		{"unpadded signature", secret, signature(strings.TrimRight(good, "=")), nil, nobody},
		{"no signature", secret, arriving("webhook-id", messageID, "webhook-timestamp", ts), nil, nobody},
		{"no id", secret, arriving("webhook-timestamp", ts, "webhook-signature", good), nil, nobody},
		{"no timestamp", secret, arriving("webhook-id", messageID, "webhook-signature", good), nil, nobody},
		{"20 before the good one", secret, signature(strings.Repeat(junk+" ", 20) + good), nil, everybody},
		{"no prefix", strings.TrimPrefix(secret, "whsec_"), signature(good), nil, everybody},
		{"24-byte secret", keyed(key[:24]), with(messageID, ts, sign(key[:24], messageID, ts, body)), nil, everybody},

		// The libraries read the following requests differently; ours reads
		// them strictly.
		{"letters after the timestamp", secret, with(messageID, ts+"abc", good), nil, verdicts{standardNode: true, svixNode: true}},
		{"fraction of a second", secret, with(messageID, ts+".9", good), nil, verdicts{standardNode: true, svixNode: true}},
		{"plus before the timestamp", secret, with(messageID, "+"+ts, good), nil, others},
		{"zero before the timestamp", secret, with(messageID, "0"+ts, good), nil, others},
		{"junk after the signature", secret, signature(good + ",junk"), nil, others},
		{"two lines, good one second", secret, add(signature(junk), "webhook-signature", good), nil, verdicts{ours: true, standardNode: true, svixNode: true}},
		{"two ids, first one signed", secret, add(signature(good), "webhook-id", "evt_test_0002"), nil, verdicts{standard: true, svix: true}},
		{"signed repaired, arrives invalid", secret, signature(sign(key, messageID, ts, repaired)), []byte(invalid), verdicts{standardNode: true, svixNode: true}},
		{"signed invalid, arrives invalid", secret, signature(sign(key, messageID, ts, invalid)), []byte(invalid), verdicts{ours: true, standard: true, svix: true}},
		{"newline after the secret", secret + "\n", signature(good), nil, verdicts{ours: true, standard: true, svix: true}},
		{"empty secret", "whsec_", with(messageID, ts, sign("", messageID, ts, body)), nil, verdicts{standard: true, svix: true, svixNode: true}},
		{"8-byte secret", keyed(key[:8]), with(messageID, ts, sign(key[:8], messageID, ts, body)), nil, others},
		{"dotted id", secret, signedAs("evt.test"), nil, others},
		{"700-byte id", secret, signedAs(strings.Repeat("a", 700)), nil, others},
		{"100 signatures", secret, signature(strings.Repeat(junk+" ", 99) + good), nil, others},
		{"svix names", secret, svixOnly, nil, verdicts{ours: true, svix: true, svixNode: true}},
	}
	for i, r := range rows {
		if r.body == nil {
			rows[i].body = []byte(body)
		}
	}
	return rows
}

// flips are copies of a good request, each with one bit of its body changed.
func flips(now time.Time) []request {
	ts := strconv.FormatInt(now.Unix(), 10)
	var out []request
	for i := range 64 {
		changed := bytes.Clone([]byte(body))
		changed[i%len(changed)] ^= 1 << (i % 8)
		out = append(out, request{
			"bit of the body", secret,
			arriving("webhook-id", messageID, "webhook-timestamp", ts, "webhook-signature", sign(key, messageID, ts, body)), changed, nobody,
		})
	}
	return out
}
