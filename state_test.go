package tributary_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"
)

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
