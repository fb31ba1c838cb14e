package signatures_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/webhooks"
)

// A question asks the JavaScript libraries to verify; with an id also to sign.
type question struct {
	Secret    string            `json:"secret"`
	Headers   map[string]string `json:"headers"`
	Body      []byte            `json:"body"`
	ID        string            `json:"id,omitempty"`
	Timestamp int64             `json:"timestamp,omitempty"`
}

type answer struct {
	Verified  bool   `json:"verified"`
	Signature string `json:"signature"`
	Error     string `json:"error"`
}

// node sends questions to node/run.mjs. It runs in a new folder, in which npm
// has installed the packages of the lock file.
func node(t *testing.T, questions []question) []map[string]answer {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED: the libraries of JavaScript are not asked, because there is no %s", program)
		}
	}
	if testing.Short() {
		t.Skip("SKIPPED: the libraries of JavaScript are not asked with -short")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("node")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules")); err != nil { // remove packages of another installation
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	input, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "node", "run.mjs")
	run.Dir, run.Stdin, run.Stderr = dir, bytes.NewReader(input), os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var answers []map[string]answer
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions: %v", len(answers), len(questions), err)
	}
	return answers
}

// nodeHeaders are the headers in the form of a Node server: lower case, and
// lines merged.
func nodeHeaders(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		out[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return out
}

// TestNode: the JavaScript libraries agree with the table. They verify our
// signed payloads of the engine, and we verify their signatures.
func TestNode(t *testing.T) {
	now := time.Now()
	rows := append(requests(now), flips(now)...)
	var questions []question
	for _, r := range rows {
		questions = append(questions, question{Secret: r.secret, Headers: nodeHeaders(r.headers), Body: r.body})
	}
	all := payloads(t)
	for _, payload := range all {
		h, err := webhooks.Sign([]affiliate.Secret{newer, secret}, messageID, now, payload)
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, question{secret, nodeHeaders(h), payload, messageID, now.Unix()})
	}
	answers := node(t, questions)

	for i, r := range rows {
		for name, want := range map[string]bool{"standardwebhooks": r.want.standardNode, "svix": r.want.svixNode} {
			if got := answers[i][name]; got.Verified != want {
				t.Errorf("%s: %s: verified %t (%s), want %t", r.name, name, got.Verified, got.Error, want)
			}
		}
	}
	for i, payload := range all {
		for name, got := range answers[len(rows)+i] {
			if !got.Verified {
				t.Errorf("%s does not verify %s: %s", name, payload, got.Error)
			}
			h, err := webhooks.Sign([]affiliate.Secret{secret}, messageID, now, payload)
			if err != nil {
				t.Fatal(err)
			}
			if got.Signature != h.Get("webhook-signature") {
				t.Errorf("%s signs %q, we sign %q", name, got.Signature, h.Get("webhook-signature"))
			}
			h.Set("webhook-signature", got.Signature)
			if err := ours(secret, h, payload); err != nil {
				t.Errorf("signed by %s: %v", name, err)
			}
		}
	}
}
