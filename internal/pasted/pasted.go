// Package pasted compiles the Go of a page as a reader does who pastes it: all of its
// blocks, in the order of the page, in one file. Examples run, and what they
// print is compared. Commands of a page run in a shell. It is for tests.
package pasted

import (
	"encoding/json"
	"errors"
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

// Exports are the variables that commands export, also by a file that they write. It runs all but the
// programs, in a folder of its own, and requires that nobody else may read the files.
func Exports(t *testing.T, commands string) map[string]string {
	t.Helper()
	script, dir := regexp.MustCompile(`(?m)^go run .*\n`).ReplaceAllString(commands, ""), t.TempDir()
	names := regexp.MustCompile(`(?m)^export (\w+)=`).FindAllStringSubmatch(script, -1)
	for _, name := range names {
		script += `printf '%s\n' "$` + name[1] + "\"\n"
	}
	values, variables := strings.Split(shellIn(t, dir, script, nil), "\n"), map[string]string{}
	for i, name := range names {
		variables[name[1]] = values[i]
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read %s: %v %v", file, info.Mode(), err)
		}
	}
	return variables
}

// Module runs commands that take the program of this folder into a module of one's own, which has a
// clone beside it and requires modules in the versions of ../go.mod, and builds it.
func Module(t *testing.T, commands, clone string, requires ...string) {
	t.Helper()
	clone, err := filepath.Abs(clone)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	versions, err := os.ReadFile(filepath.Join("..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), string(program))
	mod := "module shop.example/program\n\ngo 1.26.0\n"
	for _, module := range requires {
		mod += "\nrequire " + regexp.MustCompile(`(?m)^\t(`+regexp.QuoteMeta(module)+` v\S+)`).FindString(string(versions)) + "\n"
	}
	write(t, filepath.Join(dir, "go.mod"), mod)
	shellIn(t, dir, strings.ReplaceAll(commands, "../tributary", clone)+"go build -o "+os.DevNull+" .\n", nil)
}

// Shell runs commands with variables, and returns what they print.
func Shell(t *testing.T, commands string, variables map[string]string) string {
	t.Helper()
	return shellIn(t, "", commands, variables)
}

// shellIn is Shell in a folder, or in that of the test.
func shellIn(t *testing.T, dir, commands string, variables map[string]string) string {
	t.Helper()
	for _, tool := range []string{"sh", "curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("SKIPPED: ", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-euc", commands)
	cmd.Dir, cmd.Env = dir, os.Environ()
	for name, value := range variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.Output()
	if err != nil {
		said := ""
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			said = string(exit.Stderr)
		}
		t.Fatalf("%v: %s%s\n%s", err, out, said, commands)
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
