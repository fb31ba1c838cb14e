// Package pasted compiles the Go of a page as a reader does who pastes it: all of its
// blocks, in the order of the page, in one file. Examples run, and what they
// print is compared. Commands of a page run in a shell. It is for tests.
package pasted

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fence  = regexp.MustCompile("(?ms)^ *```go\n(.*?)^ *```$")
	shell  = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```$")
	folder = regexp.MustCompile(`\W+`)
)

// Commands are the blocks of commands of a page.
func Commands(t *testing.T, page string) []string {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, block := range shell.FindAllSubmatch(raw, -1) {
		all = append(all, string(block[1]))
	}
	return all
}

// Exports are the variables that commands export. It runs these lines alone.
func Exports(t *testing.T, commands string) map[string]string {
	t.Helper()
	var script strings.Builder
	variables := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^export (\w+)=.*\n`).FindAllStringSubmatch(commands, -1) {
		script.WriteString(line[0] + `printf '%s\n' "$` + line[1] + "\"\n")
		variables[line[1]] = ""
	}
	values := strings.Split(Shell(t, script.String(), nil), "\n")
	for i, line := range regexp.MustCompile(`(?m)^export (\w+)=`).FindAllStringSubmatch(script.String(), -1) {
		variables[line[1]] = values[i]
	}
	return variables
}

// Shell runs commands with variables, and returns what they print.
func Shell(t *testing.T, commands string, variables map[string]string) string {
	t.Helper()
	for _, tool := range []string{"sh", "curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("SKIPPED: ", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", commands)
	cmd.Env = os.Environ()
	for name, value := range variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, commands)
	}
	return string(out)
}

// Run pastes a page into one file and runs it with go test in the module of the test. The
// first block has the package and the imports.
func Run(t *testing.T, page string) {
	t.Helper()
	text := blocks(t, page)
	if !strings.HasPrefix(text, "package ") {
		t.Fatalf("the first block of %s has no package", page)
	}
	path := filepath.Join(t.TempDir(), "page_test.go")
	write(t, path, text)
	out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-v", path).CombinedOutput()
	if err != nil {
		t.Errorf("the blocks of %s as one file: %v\n%s", page, err, out)
	}
	if strings.Contains(text, "// Output:") && !strings.Contains(string(out), "--- PASS: Example") {
		t.Errorf("no example of %s ran:\n%s", page, out)
	}
}

// Build compiles pages in the module of the test. The first block of a page has its imports.
// A page is one package with what its blocks take from the host: Go with imports of its own,
// or nothing.
func Build(t *testing.T, hosts map[string]string) {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir, pages := t.TempDir(), []string{}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for page, host := range hosts {
		name := "pasted_" + folder.ReplaceAllString(page, "_")
		pages = append(pages, "./"+name)
		for file, text := range map[string]string{"page.go": blocks(t, page), "host.go": host} {
			path := filepath.Join(dir, name+"_"+file)
			write(t, path, "package page\n\n"+text)
			overlay.Replace[filepath.Join(here, name, file)] = path
		}
	}
	raw, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay"), string(raw))
	build := append([]string{"build", "-overlay", filepath.Join(dir, "overlay")}, pages...)
	if out, err := exec.CommandContext(t.Context(), "go", build...).CombinedOutput(); err != nil {
		t.Errorf("blocks do not compile: %v\n%s", err, out)
	}
}

// blocks is the Go of a page.
func blocks(t *testing.T, page string) string {
	t.Helper()
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, block := range fence.FindAllSubmatch(raw, -1) {
		text.Write(block[1])
		text.WriteByte('\n')
	}
	return text.String()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
