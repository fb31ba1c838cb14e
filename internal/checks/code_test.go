package checks_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestPackageState: outside of tests no package changes a package variable, its own or
// another's, and none has a function init. What a variable is stands where it is
// declared.
func TestPackageState(t *testing.T) {
	packages := map[string][]*ast.File{}
	fset := token.NewFileSet()
	walkGo(t, func(file, text string) {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "/testdata/") {
			return
		}
		parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		packages[path.Dir(file)] = append(packages[path.Dir(file)], parsed)
	})
	for _, files := range packages {
		for _, at := range stateChanges(fset, files) {
			t.Errorf("%s: changes a package variable, or is an init", fset.Position(at))
		}
	}
	if len(packages) < 50 {
		t.Errorf("%d packages were read, want all", len(packages))
	}
}

// TestPackageStateSees: each kind of change is found, and a change of what only has the
// name of a package variable is none.
func TestPackageStateSees(t *testing.T) {
	src := `package p

import "net/http"

var n, m, s = 0, map[int]int{}, struct{ f []int }{}

func init() {}
func a()    { n = 1 }
func b()    { n++ }
func c()    { m[1] = 2 }
func d()    { s.f[0], _ = 1, 2 }
func e()    { delete(m, 1) }
func f()    { clear(s.f) }
func g()    { http.DefaultClient = nil }

func local(n int) { m := m[n]; n = m; _ = n }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, at := range stateChanges(fset, []*ast.File{file}) {
		lines = append(lines, fset.Position(at).Line)
	}
	if want := []int{7, 8, 9, 10, 11, 12, 13, 14}; !slices.Equal(lines, want) {
		t.Errorf("changes in the lines %v, want %v", lines, want)
	}
}

// stateChanges are the places in a package's files that change a package variable, and
// its functions init.
func stateChanges(fset *token.FileSet, files []*ast.File) (found []token.Pos) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}} // what is not imported does not matter
	pkg, _ := conf.Check("p", fset, files, info)
	change := func(targets ...ast.Expr) {
		for _, target := range targets {
			if ofPackage(info.Uses[rootOf(target)], pkg) {
				found = append(found, target.Pos())
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					found = append(found, n.Pos())
				}
			case *ast.AssignStmt:
				change(n.Lhs...)
			case *ast.IncDecStmt:
				change(n.X)
			case *ast.CallExpr:
				if called, ok := n.Fun.(*ast.Ident); ok && (called.Name == "delete" || called.Name == "clear") {
					change(n.Args[0])
				}
			}
			return true
		})
	}
	return found
}

// ofPackage reports whether an object is a variable of a package, or the package whose
// variable it is.
func ofPackage(object types.Object, pkg *types.Package) bool {
	switch o := object.(type) {
	case *types.PkgName:
		return true
	case *types.Var:
		return o.Parent() == pkg.Scope()
	}
	return false
}

// rootOf is the name with which what is changed begins.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// nothing imports no package.
type nothing struct{}

func (nothing) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// TestDocComments: every exported name of the packages that others may import has a
// comment of its own or of its group, and the comment of a function, method or
// type begins with its name.
func TestDocComments(t *testing.T) {
	for _, pkg := range publicPackages(t) {
		files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			checkComments(t, file)
		}
	}
}

// TestConstants: every value that callers compare an answer with says what it
// means.
func TestConstants(t *testing.T) {
	said := 0
	for _, file := range []string{"affiliate/enum.go", "affiliate/errors.go"} {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				said++
				if value.Names[0].IsExported() && value.Comment == nil && (value.Doc == nil && len(group.Specs) > 1) {
					t.Errorf("%s: %s does not say what it means", fset.Position(value.Pos()), value.Names[0].Name)
				}
			}
		}
	}
	if said < 150 {
		t.Errorf("%d constants were found", said)
	}
}

func checkComments(t *testing.T, file string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && !begins(d.Doc, d.Name.Name) {
				t.Errorf("%s: %s has no comment that begins with its name", fset.Position(d.Pos()), d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if name := bare(d, spec); name != "" {
					t.Errorf("%s: %s has no comment", fset.Position(spec.Pos()), name)
				}
			}
		}
	}
}

// exportedReceiver reports whether a function is one, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}

// begins reports whether a comment begins with the name, an article before it
// aside.
func begins(doc *ast.CommentGroup, name string) bool {
	text := doc.Text()
	for _, article := range []string{"A ", "An ", "The "} {
		text = strings.TrimPrefix(text, article)
	}
	return strings.HasPrefix(text, name)
}

// bare is the exported name of a type, constant or variable that has no
// comment, or the empty string.
func bare(d *ast.GenDecl, spec ast.Spec) string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && !begins(s.Doc, s.Name.Name) && (d.Doc == nil || !d.Lparen.IsValid() && !begins(d.Doc, s.Name.Name)) {
			return s.Name.Name
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
				return name.Name
			}
		}
	}
	return ""
}

var (
	exportedName = regexp.MustCompile(`(?m)^func (?:\(.*?\) )?([A-Z]\w*)[\[(]`)
	called       = regexp.MustCompile(`\.([A-Z]\w*)\(`)
	example      = regexp.MustCompile(`(?m)^func Example\w*\(`)
)

// TestGuidesHaveExamples: every function and method of ours that a guide calls is called
// in an Example of go doc, or in a program of examples/, so a reader finds it at work.
func TestGuidesHaveExamples(t *testing.T) {
	ours := map[string]bool{}
	lists, err := os.ReadDir("internal/surface")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		for _, m := range exportedName.FindAllStringSubmatch(read(t, "internal/surface/"+list.Name()), -1) {
			ours[m[1]] = true
		}
	}
	shown, examples := map[string]bool{}, 0
	walkGo(t, func(path, text string) {
		found := len(example.FindAllString(text, -1))
		if examples += found; found == 0 && !slices.Contains(strings.Split(path, "/"), "examples") {
			return
		}
		for _, m := range called.FindAllStringSubmatch(text, -1) {
			shown[m[1]] = true
		}
	})
	if examples < 40 || len(ours) < 200 {
		t.Errorf("%d examples, %d functions and methods", examples, len(ours))
	}
	walkMarkdown(t, func(path, text string) {
		for _, block := range fence.FindAllStringSubmatch(text, -1) {
			for _, m := range called.FindAllStringSubmatch(block[2], -1) {
				if block[1] == "go" && ours[m[1]] && !shown[m[1]] {
					t.Errorf("%s calls %s, which no example shows", path, m[1])
				}
			}
		}
	})
}

// TestExamplesCanBeCopied: the programs in the folders examples, of all modules, import no
// internal package, which a copy in another module could not, and nothing but the tests of an
// example imports one. The rehearsal of the release (.ci/rehearse) copies and builds them.
func TestExamplesCanBeCopied(t *testing.T) {
	modules := map[string]bool{} // their folders
	walkGo(t, func(path, text string) {
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		test := strings.HasSuffix(path, "_test.go")
		dir, _, example := strings.Cut("/"+path, "/examples/")
		if example && !test {
			modules[dir] = true
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(name, "/")
			if example && !test && slices.Contains(parts, "internal") {
				t.Errorf("%s imports %s", path, name)
			}
			if slices.Contains(parts, "examples") && !(test && strings.HasSuffix(name, "/"+filepath.ToSlash(filepath.Dir(path)))) {
				t.Errorf("%s imports the example %s", path, name)
			}
		}
	})
	for _, dir := range []string{"", "/pay", "/pgstore"} {
		if !modules[dir] {
			t.Errorf("no examples were found in the module %q", dir)
		}
	}
}

// TestFuzzCorpora: every fuzz target has inputs in testdata/fuzz, which every run of
// the tests tries: what a long run has found is not lost with its cache.
func TestFuzzCorpora(t *testing.T) {
	targets := 0
	walkGo(t, func(path, text string) {
		for _, m := range regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`).FindAllStringSubmatch(text, -1) {
			targets++
			folder := filepath.Join(filepath.Dir(path), "testdata", "fuzz", m[1])
			if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) == 0 {
				t.Errorf("%s: %s has no inputs in %s", path, m[1], folder)
			}
		}
	})
	if targets < 30 {
		t.Errorf("%d fuzz targets were found, want all", targets)
	}
}
