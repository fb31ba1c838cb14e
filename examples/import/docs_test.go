package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/importer"
	"github.com/tributary-go/tributary/memstore"
)

// The blocks of docs/import.md.

func bringOver(ctx context.Context, program *tributary.Program, affiliates, commissions *os.File) error {
	source := importer.Dub(importer.Files{Affiliates: affiliates, Commissions: commissions})
	report, err := importer.Run(ctx, program, source, importer.Options{Progress: importer.Terminal(os.Stderr)})
	fmt.Print(report)
	return err
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var block = regexp.MustCompile("(?ms)^ *```([a-z]+)\n(.*?)^ *```$")

// blocks are the blocks of the guide in a language, without the indentation of
// their list.
func blocks(t *testing.T, language string) (found []string) {
	t.Helper()
	for _, m := range block.FindAllStringSubmatch(read(t, "../../docs/import.md"), -1) {
		if m[1] != language {
			continue
		}
		text := m[2]
		if strings.HasPrefix(m[0], " ") {
			text = regexp.MustCompile("(?m)^   ").ReplaceAllString(text, "")
		}
		found = append(found, text)
	}
	return found
}

// TestGuide: the blocks of the guide are what runs here; the first one of Go has the imports.
func TestGuide(t *testing.T) {
	goBlocks, json, text := blocks(t, "go"), blocks(t, "json"), blocks(t, "text")
	if len(goBlocks) != 2 || len(json) != 1 || len(text) != 1 {
		t.Fatalf("%d, %d and %d blocks", len(goBlocks), len(json), len(text))
	}
	if !strings.Contains(strings.ReplaceAll(read(t, "docs_test.go"), "\t", " "), strings.ReplaceAll(goBlocks[1], "\t", " ")) {
		t.Error("the Go block is not the function of this file")
	}
	if json[0] != read(t, filepath.Join("testdata", "csv", "mapping.json")) {
		t.Error("the JSON block is not the mapping of the example")
	}
	code, out, errs := printed(t, "-from", "rewardful", "-discount", "20%", filepath.Join("testdata", "rewardful"))
	if code != 3 || out != text[0] {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
	if w, ok := newWorld(t); ok {
		affiliates, commissions := open(t, "affiliates.csv"), open(t, "commissions.csv")
		if err := bringOver(t.Context(), w, affiliates, commissions); err != nil {
			t.Error(err)
		}
	}
}

// TestGuideCommands: the commands of the guide run in the root of a clone, and each reads
// the folder of the first step, wherever "go run" goes.
func TestGuideCommands(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^go run (?:-C (\S+) )?\.(?:/(\S+))? (.*) (\S+)$`).FindAllStringSubmatch(strings.Join(blocks(t, "sh"), ""), -1)
	if len(commands) != 3 {
		t.Errorf("the guide has %d commands", len(commands))
	}
	for _, m := range commands {
		if _, err := os.Stat(filepath.Join("../..", m[1], m[2], "main.go")); err != nil {
			t.Errorf("%s: %v", m[0], err)
		}
		if got := filepath.Join(m[1], m[4]); got != "export" {
			t.Errorf("%s reads the folder %s", m[0], got)
		}
	}
}

func newWorld(t *testing.T) (*tributary.Program, bool) {
	p, err := tributary.New(memstore.New(), tributary.Config{})
	if err != nil {
		t.Error(err)
	}
	return p, err == nil
}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "dub", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestGuideDownload: the script saves every page of every list, and what it saves
// is imported.
func TestGuideDownload(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: the guide's script needs curl")
	}
	const service = "https://api.getrewardful.com/"
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, strings.TrimPrefix(r.URL.Path, "/v1/")+" "+r.FormValue("page")+" "+r.FormValue("expand[]"))
		if user, _, _ := r.BasicAuth(); user != "YOUR_API_SECRET" || r.FormValue("limit") != "100" {
			t.Errorf("asked as %q for %v", user, r.Form)
		}
		next := "null"
		if r.URL.Path == "/v1/affiliates" && r.FormValue("page") == "1" {
			next = "2"
		}
		data := ""
		if r.URL.Path == "/v1/affiliates" {
			data = fmt.Sprintf(`{"id":"a%s","first_name":"P","last_name":"Q","email":"p%[1]s@example.com","state":"active"}`, r.FormValue("page"))
		}
		fmt.Fprintf(w, `{"pagination":{"current_page":%s,"next_page":%s},"data":[%s]}`, r.FormValue("page"), next, data)
	}))
	defer srv.Close()
	var script string
	for _, b := range blocks(t, "sh") {
		if strings.Contains(b, service) {
			script = strings.ReplaceAll(b, service, srv.URL+"/")
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte(`user = "YOUR_API_SECRET:"`), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "sh", "-c", script)
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := "affiliates 1 links, affiliates 2 links, affiliate_coupons 1 , referrals 1 , commissions 1 sale, payouts 1 commissions"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %s\nwant  %s", got, want)
	}
	code, out, errs := printed(t, "-from", "rewardful", filepath.Join(dir, "export"))
	if code != 0 || !strings.HasPrefix(out, "created: affiliates 2\n") {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
}
