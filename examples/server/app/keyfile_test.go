package app

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
// It is check 30 of console.md.
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
