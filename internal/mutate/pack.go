package main

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// plan finds the sites in the files, and writes an overlay for the go command that has
// all of them. It returns the overlay's path.
func plan(files []string, dir string) ([]site, string, error) {
	p := &packPlan{dir: dir, replaced: map[string]string{}, next: 1}
	byFolder := map[string][]string{}
	for _, file := range files {
		folder := filepath.Dir(file)
		byFolder[folder] = append(byFolder[folder], file)
	}
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		if err := p.add(folder, byFolder[folder]); err != nil {
			return nil, "", err
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": p.replaced})
	if err != nil {
		return nil, "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return p.sites, overlay, os.WriteFile(overlay, raw, 0o600)
}

// packPlan holds the finds so far.
type packPlan struct {
	dir      string
	sites    []site
	replaced map[string]string // by what each file is replaced
	next     int               // the number of the next site
}

// add finds the sites in some files of one package.
func (p *packPlan) add(folder string, files []string) error {
	fset := token.NewFileSet()
	found, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	var trees []*ast.File
	paths := map[*ast.File]string{}
	for _, path := range found {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		trees, paths[tree] = append(trees, tree), path
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := config.Check(folder, fset, trees, info); err != nil {
		return err
	}
	for _, tree := range trees {
		path := paths[tree]
		if !slices.Contains(files, path) {
			continue
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s := &surgeon{fset: fset, info: info, src: src, file: filepath.ToSlash(path), next: &p.next}
		s.operate(tree)
		p.sites = append(p.sites, s.sites...)
		if err := p.put(path, apply(src, s.edits)); err != nil {
			return err
		}
	}
	chooser := []byte(strings.Replace(chooserSource, "package p", "package "+trees[0].Name.Name, 1))
	return p.put(filepath.Join(folder, "mutated_by_tool.go"), chooser)
}

// put writes a file that takes the place of another.
func (p *packPlan) put(path string, src []byte) error {
	by := filepath.Join(p.dir, strings.ReplaceAll(filepath.ToSlash(path), "/", "_"))
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	p.replaced[path] = by
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
