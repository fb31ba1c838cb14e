package main

import (
	"go/ast"
	"go/types"
	"slices"
)

// knot returns the largest set of declarations each of which needs, directly or
// through others, all the rest. A type needs what its fields name, a function
// or method what its body uses. A type does not need its methods, so a method
// that uses its own type is not a knot.
func (p *pkg) knot() []string {
	needs := p.needs()
	var largest []string
	for _, group := range components(needs) {
		if len(group) > len(largest) {
			largest = largest[:0]
			for _, obj := range group {
				largest = append(largest, nameOf(obj))
			}
		}
	}
	slices.Sort(largest)
	return largest
}

// needs maps each declaration to those that it uses.
func (p *pkg) needs() map[types.Object][]types.Object {
	needs := map[types.Object][]types.Object{}
	add := func(id *ast.Ident, n ast.Node) {
		obj := p.info.Defs[id]
		if obj == nil || id.Name == "_" {
			return
		}
		needs[obj] = nil
		p.uses(n, func(used types.Object) { needs[obj] = append(needs[obj], used) })
	}
	for _, file := range p.files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(d.Name, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add(s.Name, s)
					case *ast.ValueSpec:
						for _, id := range s.Names {
							add(id, s)
						}
					}
				}
			}
		}
	}
	return needs
}

func nameOf(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
		return types.TypeString(fn.Signature().Recv().Type(),
			func(*types.Package) string { return "" }) + "." + fn.Name()
	}
	return obj.Name()
}

// components returns the strongly connected groups of a graph (Tarjan).
func components(needs map[types.Object][]types.Object) [][]types.Object {
	var (
		groups [][]types.Object
		stack  []types.Object
		index  = map[types.Object]int{}
		low    = map[types.Object]int{}
		on     = map[types.Object]bool{}
		visit  func(types.Object)
	)
	visit = func(v types.Object) {
		index[v], low[v] = len(index)+1, len(index)+1
		stack, on[v] = append(stack, v), true
		for _, w := range needs[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		for _, w := range stack[at:] {
			on[w] = false
		}
		groups = append(groups, slices.Clone(stack[at:]))
		stack = stack[:at]
	}
	for v := range needs {
		if index[v] == 0 {
			visit(v)
		}
	}
	return groups
}
