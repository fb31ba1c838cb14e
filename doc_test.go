package tributary_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
