package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A site is a place of the source and one wrong way to write it.
type site struct {
	id   int
	file string // from the root of the module
	line int
	fn   string // the function, with its receiver's type
	was  string // the source, in one line
	now  string // what is wrong about the mutant
	nth  int    // of those of the function that read alike, from 1
}

// key names a site without its line, so that a list of survivors outlives
// changes elsewhere in the file.
func (s site) key() string {
	key := fmt.Sprintf("%s %s: %s => %s", s.file, s.fn, s.was, s.now)
	if s.nth > 1 {
		key += fmt.Sprintf(" (%d)", s.nth)
	}
	return key
}

// An edit puts text before and after a part of the source, or in its place.
// Edits of nested parts nest.
type edit struct {
	from, to      int
	before, after string
}

// A surgeon finds the sites of a file and the edits that put all of them into
// one program: each asks at run time whether it is the one that is wrong.
type surgeon struct {
	fset  *token.FileSet
	info  *types.Info
	src   []byte
	file  string
	fn    string
	next  *int
	sites []site
	edits []edit
}

// operate looks through the functions of a file.
func (s *surgeon) operate(tree *ast.File) {
	for _, decl := range tree.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body != nil {
			s.fn = d.Name.Name
			if d.Recv != nil {
				s.fn = strings.TrimPrefix(s.text(d.Recv.List[0].Type), "*") + "." + s.fn
			}
			ast.Inspect(d.Body, s.visit)
		}
	}
}

func (s *surgeon) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		s.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			s.wrap(n, "without the !", "(mutated(%d) != (", "))")
		}
	case *ast.Ident:
		if c, ok := s.info.Uses[n].(*types.Const); ok && c.Parent() == types.Universe && (n.Name == "true" || n.Name == "false") {
			s.wrap(n, "the opposite", "(mutated(%d) != ", ")")
		}
	case *ast.CallExpr:
		s.call(n)
	case *ast.BlockStmt:
		s.statements(n.List)
	case *ast.CaseClause:
		s.statements(n.Body)
	}
	return true
}

// opposites are the operators that arithmetic becomes.
var opposites = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "+", token.QUO: "*"}

func (s *surgeon) binary(n *ast.BinaryExpr) {
	x, y := s.text(n.X), s.text(n.Y)
	switch n.Op {
	case token.LSS, token.GTR:
		s.wrap(n, n.Op.String()+"=", "(", fmt.Sprintf(" || mutated(%%d) && %s == %s)", x, y))
	case token.LEQ, token.GEQ:
		s.wrap(n, n.Op.String()[:1], "(", fmt.Sprintf(" && !(mutated(%%d) && %s == %s))", x, y))
	case token.LAND:
		s.wrap(n, "||", "((", fmt.Sprintf(") || mutated(%%d) && ((%s) || (%s)))", x, y))
		return
	case token.LOR:
		s.wrap(n, "&&", "((", fmt.Sprintf(") && !(mutated(%%d) && !((%s) && (%s))))", x, y))
		return
	}
	switch n.Op {
	case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
		s.wrap(n, "not so", "(mutated(%d) != (", "))")
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if tv := s.info.Types[n]; tv.Value == nil && numeric(tv.Type) {
			s.wrap(n, opposites[n.Op], fmt.Sprintf("mutantOr(%%d, %s %s %s, ", x, opposites[n.Op], y), ")")
		}
	}
}

func numeric(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// swaps are methods of the same shape that mean the opposite.
var swaps = map[string]string{"Add": "Sub", "Sub": "Add", "After": "Before", "Before": "After"}

// call swaps a method for its opposite, if the receiver's type has both.
func (s *surgeon) call(n *ast.CallExpr) {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || swaps[sel.Sel.Name] == "" {
		return
	}
	chosen := s.info.Selections[sel]
	if chosen == nil {
		return
	}
	other, _, _ := types.LookupFieldOrMethod(chosen.Recv(), true, chosen.Obj().Pkg(), swaps[sel.Sel.Name])
	if f, ok := other.(*types.Func); ok && types.Identical(f.Signature(), chosen.Obj().(*types.Func).Signature()) {
		s.wrap(sel, swaps[sel.Sel.Name], fmt.Sprintf("mutantOr(%%d, %s.%s, ", s.text(sel.X), swaps[sel.Sel.Name]), ")")
	}
}

// statements leaves out the statements that something else follows from.
func (s *surgeon) statements(list []ast.Stmt) {
	for _, stmt := range list {
		switch n := stmt.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt, *ast.IncDecStmt:
		default:
			continue
		}
		s.wrap(stmt, "left out", "if !mutated(%d) { ", " }")
	}
}

// wrap adds a site. The texts have the place of its number.
func (s *surgeon) wrap(n ast.Node, now, before, after string) {
	id := *s.next
	*s.next++
	number := fmt.Sprint(id)
	one := site{id: id, file: s.file, line: s.fset.Position(n.Pos()).Line, fn: s.fn,
		was: strings.Join(strings.Fields(s.text(n)), " "), now: now, nth: 1}
	for _, before := range s.sites {
		if before.fn == one.fn && before.was == one.was && before.now == one.now {
			one.nth++
		}
	}
	s.sites = append(s.sites, one)
	s.edits = append(s.edits, edit{
		from: s.offset(n.Pos()), to: s.offset(n.End()),
		before: strings.ReplaceAll(before, "%d", number), after: strings.ReplaceAll(after, "%d", number),
	})
}

func (s *surgeon) offset(p token.Pos) int { return s.fset.Position(p).Offset }

func (s *surgeon) text(n ast.Node) string {
	return string(s.src[s.offset(n.Pos()):s.offset(n.End())])
}

// apply makes the edits. Of two at the same place, the one of the larger part
// comes first, and the one that was found first is outside.
func apply(src []byte, edits []edit) []byte {
	before, after := make([]strings.Builder, len(src)+1), make([]string, len(src)+1)
	for _, e := range edits {
		before[e.from].WriteString(e.before)
		after[e.to] = e.after + after[e.to]
	}
	var out strings.Builder
	for i := range len(src) + 1 {
		out.WriteString(after[i])
		out.WriteString(before[i].String())
		if i < len(src) {
			out.WriteByte(src[i])
		}
	}
	return []byte(out.String())
}
