package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// opened is the world, in which a moment of 2026 is now.
func opened(t *testing.T) *world {
	t.Helper()
	w, err := newWorld(t.Context(), func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ask asks the world, which answers with a status.
func (w *world) ask(t *testing.T, status int, method, path, contentType, body string) *answer {
	t.Helper()
	a, err := w.serve(t.Context(), method, path, contentType, []byte(body))
	if err != nil || a.status != status {
		t.Fatalf("%s %s: %d %v\n%s", method, path, a.status, err, a.body.String())
	}
	return a
}

// does takes a step, whose page there is, and returns what it said.
func (w *world) does(t *testing.T, step string) string {
	t.Helper()
	var o Outcome
	if err := json.Unmarshal(w.ask(t, http.StatusOK, "POST", "/tour/"+step, "", "").body.Bytes(), &o); err != nil {
		t.Fatal(err)
	}
	if o.Page != "" {
		w.ask(t, http.StatusOK, "GET", "/"+o.Page, "", "")
	}
	return strings.Join(o.Said, " ")
}

func (w *world) holds(t *testing.T) bool {
	t.Helper()
	var c check
	if err := json.Unmarshal(w.ask(t, http.StatusOK, "GET", "/tour/verify", "", "").body.Bytes(), &c); err != nil || c.Holds != (len(c.Said) == 0) || c.Records < 5_000 {
		t.Fatalf("%+v, %v", c, err)
	}
	return c.Holds
}

// TestTour: every step says what is true, and again as time passes, and the books stay right; a cent that
// is taken out is seen.
func TestTour(t *testing.T) {
	w := opened(t)
	for round := range 3 {
		for _, step := range []struct{ name, says, first string }{
			{"why", "was paid; the rate is applied to", "27.20 was paid; the rate is applied to 27.20. 20 per cent, from the tier: exactly 136/25, rounded once to 5.44."},
			{"checkout", "is left to pay", "the code takes off 4.80, and 27.20 is left to pay. After it: sale "},
			{"refund", "8.00 of 27.20 is refunded", "8.00 of 27.20 is refunded; the commission was 5.44 and is 3.84."},
			{"why", "8.00 of it was refunded; what is left, 19.20, earns.", "20 per cent, from the tier: exactly 96/25, rounded once to 3.84."},
			{"refund", "16.00 of 27.20 is refunded", ""},
			{"refund", "24.00 of 27.20 is refunded", ""},
			{"refund", "8.00 of 27.20 is refunded", ""},
			{"race", "3 of 50 have the discount; 47 were told: code_exhausted.", ""},
			{"terms", " more.", "306 sales of 4 affiliates in three months: 1590.53 was earned, 1717.74 it would have been, 127.21 more."},
			{"dispute", "The bank takes the 250.00 back", "A payment of 250.00 earns 50.00. A month later everything that is due is paid: "},
			{"refund", "8.00 of 27.20 is refunded", ""},
			{"clock?days=31", "It is ", "It is 2 August 2026."},
		} {
			if said := w.does(t, step.name); !strings.Contains(said, step.says) || round == 0 && !strings.Contains(said, step.first) {
				t.Errorf("%s says %q", step.name, said)
			}
			if !w.holds(t) {
				t.Fatalf("%s breaks the books", step.name)
			}
		}
	}
	w.does(t, "break")
	if w.holds(t) {
		t.Error("nobody sees the cent")
	}
	w.ask(t, http.StatusConflict, "POST", "/tour/break", "", "")
	if w.does(t, "mend"); !w.holds(t) {
		t.Error("it is not mended")
	}
	for _, path := range []string{"/tour/mend", "/tour/unknown", "/tour/clock", "/tour/clock?days=0", "/tour/clock?days=401"} {
		w.ask(t, http.StatusConflict, "POST", path, "", "")
	}
}

// TestPages: the console and the pages of an affiliate answer as behind a server: with the cookies that
// they set, in a frame of the playground and in no other; the API needs no key here.
func TestPages(t *testing.T) {
	w := opened(t)
	a := w.ask(t, http.StatusOK, "GET", "/console/", "", "")
	if policy := a.header.Get("Content-Security-Policy"); a.header.Get("X-Frame-Options") != "" || !strings.Contains(policy, "frame-ancestors 'self'") || a.header.Get("Set-Cookie") != "" {
		t.Errorf("%v", a.header)
	}
	var sales []affiliate.Sale
	if err := json.Unmarshal(w.ask(t, http.StatusOK, "GET", "/api/v1/sales?limit=2", "", "").body.Bytes(), &sales); err != nil || len(sales) != 2 {
		t.Errorf("%d sales, %v", len(sales), err)
	}
	made := w.ask(t, http.StatusOK, "POST", "/api/v1/sales", "application/json", `{"referralId": "mara", "totalEarned": 10, "email": "x@customers.example", "name": "X"}`)
	if !strings.Contains(made.body.String(), `"commissionEarned"`) {
		t.Error(made.body.String())
	}
	mara, err := w.mara(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.pages.Token(mara.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := w.ask(t, http.StatusSeeOther, "GET", "/partner/enter?token="+token, "", "")
	if in.header.Get("Set-Cookie") != "" {
		t.Error("the cookie leaves the engine")
	}
	if page := w.ask(t, http.StatusOK, "GET", "/partner/", "", ""); !strings.Contains(page.body.String(), "Mara") {
		t.Error("the cookie is not kept")
	}
	w.ask(t, http.StatusNotFound, "GET", "/elsewhere", "", "")
	if _, err := w.serve(t.Context(), "GET", "%", "", nil); err == nil {
		t.Error("no path, and no error")
	}
}

// TestFlags: what cannot be done is said, with the exit code of a wrong use.
func TestFlags(t *testing.T) {
	var out strings.Builder
	for code, args := range map[int][]string{0: {"-h"}, 2: {"-out"}, 1: {"-out", "/dev/null/x"}} {
		if got := run(args, &out, &out); got != code {
			t.Errorf("%v: %d", args, got)
		}
	}
	if got := run([]string{"x"}, &out, &out); got != 2 {
		t.Errorf("an argument: %d", got)
	}
}

// TestStamp: whatever changes of what a visitor loads, the service worker is another one, so that browsers load it again; and
// it keeps all of it.
func TestStamp(t *testing.T) {
	folder := t.TempDir()
	stamped := func(engine string) string {
		t.Helper()
		size := int64(0)
		for _, name := range files {
			data, err := web.ReadFile("web/" + name)
			if err != nil {
				data = []byte(engine)
			}
			size += int64(len(data))
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := stamp(folder); err != nil || got != size {
			t.Fatalf("%d bytes, want %d, %v", got, size, err)
		}
		worker, err := os.ReadFile(filepath.Join(folder, "sw.js"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if name != "sw.js" && !strings.Contains(string(worker), `"`+name+`"`) {
				t.Errorf("the service worker does not keep %s", name)
			}
		}
		return string(worker)
	}
	one, same, other := stamped("a"), stamped("a"), stamped("b")
	if one != same || one == other || strings.Contains(one, "VERSION") {
		t.Error("the worker has another version for the same, or the same for another")
	}
	if _, err := stamp(t.TempDir()); err == nil {
		t.Error("nothing there, and no error")
	}
}
