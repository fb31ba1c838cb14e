package main

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// plan finds the sites in the named files of the package in a folder, and writes
// an overlay for the go command that has all of them. It returns the overlay's
// path.
func plan(folder string, names []string, dir string) ([]site, string, error) {
	fset := token.NewFileSet()
	found, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, "", err
	}
	var trees []*ast.File
	paths := map[*ast.File]string{}
	for _, path := range found {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, "", err
		}
		trees, paths[tree] = append(trees, tree), path
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := config.Check(folder, fset, trees, info); err != nil {
		return nil, "", err
	}
	var sites []site
	replaced := map[string]string{}
	next := 1
	for _, tree := range trees {
		name := filepath.Base(paths[tree])
		if !slices.Contains(names, name) {
			continue
		}
		src, err := os.ReadFile(paths[tree])
		if err != nil {
			return nil, "", err
		}
		s := &surgeon{fset: fset, info: info, src: src, file: name, next: &next}
		s.operate(tree)
		sites = append(sites, s.sites...)
		if err := put(replaced, paths[tree], filepath.Join(dir, name), apply(src, s.edits)); err != nil {
			return nil, "", err
		}
	}
	chooser := []byte(strings.Replace(chooserSource, "package p", "package "+trees[0].Name.Name, 1))
	if err := put(replaced, filepath.Join(folder, "mutated_by_tool.go"), filepath.Join(dir, "mutated_by_tool.go"), chooser); err != nil {
		return nil, "", err
	}
	raw, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return sites, overlay, os.WriteFile(overlay, raw, 0o600)
}

// put writes a file that takes the place of another.
func put(replaced map[string]string, path, by string, src []byte) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	replaced[path] = by
	return os.WriteFile(by, src, 0o600)
}

// chooserSource is added to the package: which mutant is the wrong one comes from the
// environment, and so does the file that says which were reached.
const chooserSource = `package p

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var (
	mutantOn, _  = strconv.Atoi(os.Getenv("MUTANT"))
	mutantsFile  = os.Getenv("MUTANTS_REACHED")
	mutantsMu    sync.Mutex
	mutantsFound = map[int]bool{}
)

func mutated(id int) bool {
	if mutantsFile != "" {
		mutantsMu.Lock()
		defer mutantsMu.Unlock()
		if !mutantsFound[id] {
			mutantsFound[id] = true
			f, err := os.OpenFile(mutantsFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(f, id)
			f.Close()
		}
	}
	return id == mutantOn
}

func mutantOr[T any](id int, wrong, right T) T {
	if mutated(id) {
		return wrong
	}
	return right
}
`

// compile builds the tests of the package with the overlay.
func compile(folder, overlay, binary string) ([]byte, error) {
	return exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./"+folder).CombinedOutput()
}
