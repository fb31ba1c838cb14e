package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

const (
	secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	newer  = "whsec_dHJpYnV0YXJ5LXdlYmhvb2tzLXRlc3Qta2V5LTAwMDI="
)

// start runs the program and returns its URL, the lines of its output, the lines
// of its errors, and a function that ends it and returns its result.
func start(t *testing.T, getenv func(string) string, args ...string) (url string, out, errs *bufio.Scanner, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	outReader, stdout := io.Pipe()
	errReader, stderr := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, getenv, stdout, stderr)
		stdout.Close()
		stderr.Close()
		ended <- err
	}()
	out, errs = bufio.NewScanner(outReader), bufio.NewScanner(errReader)
	if !out.Scan() {
		t.Fatalf("no first line: %v", <-ended)
	}
	url, ok := strings.CutPrefix(out.Text(), "listening on ")
	if !ok {
		t.Fatalf("first line %q", out.Text())
	}
	return url, out, errs, func() error { cancel(); return <-ended }
}

// deliver posts a payload that is signed with a secret, and returns the status.
func deliver(t *testing.T, url, id string, by affiliate.Secret, payload string) int {
	t.Helper()
	h, err := webhooks.Sign([]affiliate.Secret{by}, id, time.Now(), []byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/hooks", strings.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestReceiver(t *testing.T) {
	const a = "0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"
	url, out, errs, stop := start(t, func(string) string { return newer + "," + secret }, "-addr", "127.0.0.1:0")
	for i, tt := range []struct{ payload, want string }{
		{`{"event":"sale.created","revision":1,"body":{"id":7,"totalEarned":49.9,"commissionEarned":9.98,"affiliateId":"` + a + `","email":"kim@example.net"}}`, "sale.created revision 1: 7: 9.98 of 49.9 to affiliate " + a},
		{`{"event":"sale.deleted","revision":2,"body":{"id":7}}`, "sale.deleted revision 2: 7"},
		{`{"event":"affiliate.created","revision":0,"test":true,"body":{"id":"` + a + `","status":"ACTIVE"}}`, "affiliate.created revision 0 (test): " + a + ` is "ACTIVE"`},
		{`{"event":"referral.updated","revision":3,"body":{"id":"` + a + `","subscriptionStatus":"CANCELED"}}`, "referral.updated revision 3: " + a + " is \"CANCELED\""},
		{`{"event":"coupon.updated","revision":3,"body":{"id":"` + a + `","name":"Spring\n20"}}`, "coupon.updated revision 3: " + a + ` "Spring\n20"`},
		{`{"event":"promocode.created","revision":1,"body":{"id":"` + a + `","code":"MARA20"}}`, "promocode.created revision 1: " + a + ` "MARA20"`},
		{`{"event":"promocode.deleted","revision":2,"body":{"id":"` + a + `"}}`, "promocode.deleted revision 2: " + a},
		{`{"event":"payout.created\nx","body":{}}`, `"payout.created\nx" is of a type that this program does not know`},
	} {
		id := "evt_" + string(rune('a'+i))
		by := []affiliate.Secret{secret, newer}[i%2]
		lines := make(chan string, 1)
		go func() { out.Scan(); lines <- out.Text() }()
		for range 2 { // the second time it is a repeat, and prints nothing
			if got := deliver(t, url, id, by, tt.payload); got != 204 {
				t.Errorf("%s: answered %d", tt.want, got)
			}
		}
		if got := <-lines; got != id+" "+tt.want {
			t.Errorf("printed %q, want %q", got, id+" "+tt.want)
		}
	}
	lines := make(chan string, 1)
	go func() { errs.Scan(); lines <- errs.Text() }()
	if got := deliver(t, url, "evt_z", "whsec_"+affiliate.Secret(strings.Repeat("A", 32)), "{}"); got != 401 {
		t.Errorf("a stranger: answered %d", got)
	}
	if got := <-lines; !strings.HasPrefix(got, "refused: 127.0.0.1:") || !strings.HasSuffix(got, ": webhooks: signature refused") {
		t.Errorf("told %q", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestArguments(t *testing.T) {
	url, _, _, stop := start(t, func(string) string { return "not used" }, "-addr", "127.0.0.1:0", "-secret", secret)
	for name, args := range map[string][]string{
		"no secret": {}, "empty secret": {"-secret", ""}, "bad secret": {"-secret", "whsec_"}, "bad second secret": {"-secret", secret + ","},
		"bad address": {"-secret", secret, "-addr", "nowhere"}, "taken": {"-secret", secret, "-addr", strings.TrimPrefix(url, "http://")},
		"argument": {"-secret", secret, "x"}, "flag": {"-port", "1"}, "help": {"-h"},
	} {
		err := run(t.Context(), args, func(string) string { return "" }, io.Discard, io.Discard)
		if err == nil || strings.Contains(err.Error(), secret) || errors.Is(err, flag.ErrHelp) != (name == "help") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestRestart: after a restart the program knows nothing of the deliveries of before. A
// repeat is answered and printed again: it keeps nothing but memory.
func TestRestart(t *testing.T) {
	for range 2 {
		url, out, _, stop := start(t, func(string) string { return "" }, "-addr", "127.0.0.1:0", "-secret", secret)
		lines := make(chan string, 1)
		go func() { out.Scan(); lines <- out.Text() }()
		if got := deliver(t, url, "evt_a", secret, `{"event":"sale.deleted","revision":2,"body":{"id":7}}`); got != 204 {
			t.Errorf("answered %d", got)
		}
		if got := <-lines; got != "evt_a sale.deleted revision 2: 7" {
			t.Errorf("printed %q", got)
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
}
