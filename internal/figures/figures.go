package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// The figures of a package.
type figures struct {
	files, lines, types, functions int
	median, p95                    int // lines of a function
	longest                        function
	complex                        []string // functions of a cyclomatic complexity above 15
	knot                           []string // the most declarations that need one another
	arrows                         int      // pairs of files, one of which uses the other
	up                             []string // uses from a noun's file (sale.go) into its operations (sale_refund.go)
}

type function struct {
	name  string
	lines int
}

const tooComplex = 15

func (p *pkg) figures() figures {
	f := figures{files: len(p.files), types: p.exportedTypes()}
	var functions []function
	for _, file := range p.files {
		f.lines += p.fset.File(file.Pos()).LineCount()
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			functions = append(functions, function{fn.Name.Name, p.linesOf(fn)})
			if c := complexity(fn); c > tooComplex {
				f.complex = append(f.complex, fmt.Sprintf("%s %d", fn.Name.Name, c))
			}
		}
	}
	slices.SortFunc(functions, func(a, b function) int { return cmp.Compare(a.lines, b.lines) })
	if f.functions = len(functions); f.functions > 0 {
		f.median, f.p95 = functions[f.functions/2].lines, functions[f.functions*95/100].lines
		f.longest = functions[f.functions-1]
	}
	f.arrows, f.up = p.arrows()
	f.knot = p.knot()
	return f
}

func (p *pkg) exportedTypes() (n int) {
	for _, name := range p.of.Scope().Names() {
		if _, ok := p.of.Scope().Lookup(name).(*types.TypeName); ok && token.IsExported(name) {
			n++
		}
	}
	return n
}

// complexity is one more than the number of places where a function may branch.
func complexity(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// arrows counts the pairs of files of which one uses the other, and lists the
// uses that go from a noun's file to a file of its operations.
func (p *pkg) arrows() (count int, up []string) {
	seen := map[[2]string]bool{}
	for _, file := range p.files {
		from := p.name(file.Pos())
		p.uses(file, func(obj types.Object) {
			to := p.name(obj.Pos())
			arrow := [2]string{from, to}
			if from == to || seen[arrow] {
				return
			}
			seen[arrow] = true
			if strings.HasPrefix(to, strings.TrimSuffix(from, ".go")+"_") {
				up = append(up, fmt.Sprintf("%s -> %s (%s)", from, to, obj.Name()))
			}
		})
	}
	slices.Sort(up)
	return len(seen), up
}
