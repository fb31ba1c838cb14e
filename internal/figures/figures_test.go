package main

import (
	"go/ast"
	"slices"
	"testing"
)

// TestFigures: the figures of a package that has one of each thing.
func TestFigures(t *testing.T) {
	p, err := read("testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	f := p.figures()
	if f.files != 2 || f.lines != 29 || f.types != 1 || f.functions != 3 {
		t.Errorf("%d files, %d lines, %d types, %d functions", f.files, f.lines, f.types, f.functions)
	}
	if f.median != 1 || f.longest != (function{"worth", 13}) {
		t.Errorf("median %d, longest %v", f.median, f.longest)
	}
	if want := []string{"even", "odd"}; !slices.Equal(f.knot, want) {
		t.Errorf("knot %v, want %v", f.knot, want)
	}
	if want := []string{"sale.go -> sale_refund.go (refund)"}; f.arrows != 1 || !slices.Equal(f.up, want) {
		t.Errorf("%d arrows, up %v, want %v", f.arrows, f.up, want)
	}
	for _, file := range p.files {
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "worth" && complexity(fn) != 5 {
				t.Errorf("complexity of worth: %d, want 5", complexity(fn))
			}
		}
	}
}
