package languages

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

const key = "a-key-for-these-tests"

// TestTypeScript: openapi-typescript makes types of the document, a strict compiler takes
// a program that uses them, and its calls get what they should.
func TestTypeScript(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"calls.ts", "package.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	document, err := filepath.Abs("../../../httpapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		out, err := command.Output()
		return string(out), err
	}
	if out, err := run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
		t.Skipf("SKIPPED: npm cannot install the generator: %v\n%s", err, out)
	}
	for _, step := range [][]string{
		{"npx", "--no-install", "openapi-typescript", document, "-o", "api.ts"},
		{"npx", "--no-install", "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "calls.ts"},
	} {
		if out, err := run(step[0], step[1:]...); err != nil {
			t.Fatalf("%v: %v\n%s", step, err, out)
		}
	}
	got, err := run("node", "calls.js", serve(t), key)
	const want = "200 ada@example.com\n400 This link already exists for this affiliate program\n200 [ 'ada' ]\n"
	if err != nil || got != want {
		t.Errorf("the calls print %q, error %v, want %q", got, err, want)
	}
}

// serve starts the API on a program of its own with some affiliates, and returns its URL.
func serve(t *testing.T, affiliates ...affiliate.AffiliateParams) string {
	t.Helper()
	program, err := tributary.New(memstore.New(), tributary.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, params := range affiliates {
		if _, err := program.CreateAffiliate(t.Context(), params); err != nil {
			t.Fatal(err)
		}
	}
	api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	return server.URL
}
