package app

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
)

const keyLines = `# the keys of the coffee shop
shop     integration  a-secret-of-the-shop-01

reports  read         sha256:ebfe5cd8d1f95d2f4ba4dbd52c5b5b1a52a4cde1ea3d5f8d6ea4bb0d8f7dbd11
`

// keyFile writes a file of keys.
func keyFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKeyFile: the keys of a file open the first program, each with its scope.
// No output and no page shows one.
// It is console check 30.
func TestKeyFile(t *testing.T) {
	path := keyFile(t, keyLines, 0o600)
	for name, args := range map[string][]string{"Alone": nil, "BesideKeys": {"-key", testKey}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, append(args, "-key-file", path)...)
			for method, want := range map[string]int{http.MethodGet: 200, http.MethodPost: 400} {
				if got := askWith(t, method, s.url+"/api/v1/coupons", "a-secret-of-the-shop-01"); got != want {
					t.Errorf("%s: status %d, want %d", method, got, want)
				}
			}
			if got := askWith(t, http.MethodPost, s.url+"/api/v1/webhooks", "a-secret-of-the-shop-01"); got != 403 {
				t.Errorf("a key of the shop adds an endpoint: %d", got)
			}
			if got := askWith(t, http.MethodGet, s.url+"/api/v1/coupons", "a-secret-of-the-shop-02"); got != 401 {
				t.Errorf("another key: %d", got)
			}
			res, err := http.Get(s.url + "/")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			page, _ := io.ReadAll(res.Body)
			for _, text := range []string{s.output.String(), string(page)} {
				if strings.Contains(text, "a-secret-of") || strings.Contains(text, "sha256:") || !strings.Contains(text, "$TRIBUTARY_KEY") {
					t.Errorf("shown:\n%s", text)
				}
			}
		})
	}
}

// askWith is the status of a request with a key.
func askWith(t *testing.T, method, url, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// TestKeyFileErrors: a bad file ends the server with an error that shows no
// secret; a file that others may read is warned about.
func TestKeyFileErrors(t *testing.T) {
	for want, text := range map[string]string{
		"no key": "# none\n",
		"line 2 has 2 words, want NAME SCOPE SECRET":             "# one\nshop a-secret-of-the-shop-01\n",
		"the scope of key shop is not full, integration or read": "shop admin a-secret-of-the-shop-01\n",
		"key shop is shorter than 20 characters":                 "shop read short-secret\n",
		"two keys are called shop":                               "shop read a-secret-of-the-shop-01\nshop read a-secret-of-the-shop-02\n",
		"the Hash of key shop must be":                           "shop read sha256:short-secret\n",
	} {
		var stdout, stderr bytes.Buffer
		code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0", "-key-file", keyFile(t, text, 0o600)}, nothing, &stdout, &stderr)
		if code != 1 || !strings.Contains(stderr.String(), want) || strings.Contains(stderr.String(), "secret") {
			t.Errorf("exit %d, %s, want %q", code, &stderr, want)
		}
	}
	var stdout, stderr bytes.Buffer
	missing := filepath.Join(t.TempDir(), "none")
	if code := Run(t.Context(), new(Memory), []string{"-addr", "127.0.0.1:0", "-key-file", missing}, nothing, &stdout, &stderr); code != 1 {
		t.Errorf("no file: exit %d", code)
	}
	var warning bytes.Buffer
	if keys, err := readKeys(keyFile(t, keyLines, 0o644), &warning); len(keys) != 2 || err != nil || !strings.Contains(warning.String(), "has mode 644: others on this machine may read the keys") {
		t.Errorf("%d keys, error %v, warning %q", len(keys), err, &warning)
	}
}

// TestSeal: the first key seals, every key opens, what was stored before is read as it
// is, and no error shows a key.
func TestSeal(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	with := func(keys string) (cfg tributary.Config) {
		if err := seal(&cfg, keys, logger); err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	old, fresh := strings.Repeat("a1", 32), strings.Repeat("b2", 32)
	before, both := with(old), with(fresh+", "+old)
	secret, id := []byte("whsec_secret"), []byte("endpoint")
	for name, c := range map[string]struct{ by, with tributary.Config }{"old": {before, before}, "rotated": {before, both}, "fresh": {both, with(fresh)}} {
		sealed, err := c.by.Seal(secret, id)
		if err != nil || bytes.Contains(sealed, secret) {
			t.Fatalf("%s: %q, %v", name, sealed, err)
		}
		if got, err := c.with.Open(sealed, id); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if _, err := c.with.Open(sealed, []byte("another")); err == nil {
			t.Errorf("%s: it opens for another endpoint", name)
		}
	}
	if got, err := both.Open(secret, id); err != nil || !bytes.Equal(got, secret) {
		t.Errorf("stored before there was a key: %q, %v", got, err)
	}
	if cfg := with(""); cfg.Seal != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a key: %s", &log)
	}
	for _, bad := range []string{"short", old + "00", old[1:] + "g", old + ","} {
		if err := seal(new(tributary.Config), bad, logger); err == nil || strings.Contains(err.Error(), bad[:5]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestErasureKey: the key is 64 hex digits, no error shows it, and without one the log
// says so.
func TestErasureKey(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	var cfg tributary.Config
	if err := erasureKey(&cfg, "", logger); err != nil || cfg.ErasureKey != nil || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("without a key: %v, %s", err, &log)
	}
	good := strings.Repeat("a1", 32)
	if err := erasureKey(&cfg, good, logger); err != nil || len(cfg.ErasureKey) != 32 {
		t.Errorf("%v, %d bytes", err, len(cfg.ErasureKey))
	}
	for _, bad := range []string{"short", good + "00", good[1:] + "g"} {
		if err := erasureKey(new(tributary.Config), bad, logger); err == nil || strings.Contains(err.Error(), bad[:5]) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
