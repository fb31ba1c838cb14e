package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// A pkg is a package without its tests, parsed and with its names resolved.
type pkg struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	of    *types.Package
}

// read parses and checks the package in a folder. Imported packages are read
// from source, so nothing has to be built first.
func read(folder string) (*pkg, error) {
	p := &pkg{fset: token.NewFileSet(),
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	found, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range found {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(p.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
	}
	config := types.Config{Importer: importer.ForCompiler(p.fset, "source", nil)}
	p.of, err = config.Check(folder, p.fset, p.files, p.info)
	return p, err
}

// name returns the name of a file without its folder.
func (p *pkg) name(pos token.Pos) string { return filepath.Base(p.fset.Position(pos).Filename) }

// linesOf counts the lines of a node.
func (p *pkg) linesOf(n ast.Node) int {
	return p.fset.Position(n.End()).Line - p.fset.Position(n.Pos()).Line + 1
}

// uses calls see with every package-level declaration of this package, or
// method of one, that the node uses.
func (p *pkg) uses(n ast.Node, see func(types.Object)) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj := p.info.Uses[id]
		if obj == nil || obj.Pkg() != p.of {
			return true
		}
		if fn, ok := obj.(*types.Func); ok {
			obj = fn.Origin()
		}
		if obj.Parent() == p.of.Scope() || isMethod(obj) {
			see(obj)
		}
		return true
	})
}

func isMethod(obj types.Object) bool {
	fn, ok := obj.(*types.Func)
	return ok && fn.Signature().Recv() != nil
}
