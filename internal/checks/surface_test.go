package checks_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files in internal/surface, and httpapi/errors.json")

// TestSurface: internal/surface has a file for each package that others may import, nested
// modules too, and it lists all exported declarations. A change of what others
// compile against is so a change of a file that a reviewer sees:
//
//	go test ./internal/checks -run TestSurface -update
func TestSurface(t *testing.T) {
	var want []string
	for _, dir := range publicPackages(t) {
		file := filepath.Join("internal", "surface", strings.ReplaceAll(strings.Replace(filepath.ToSlash(dir), ".", "tributary", 1), "/", "_")+".txt")
		want = append(want, file)
		surface := strings.Join(surfaceOf(t, dir), "\n") + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(surface), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		kept, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("package %s has no list of what it exports: %v; run go test ./internal/checks -run TestSurface -update", dir, err)
			continue
		}
		if line := firstChange(string(kept), surface); line != "" {
			t.Errorf("package %s exports something else than %s says; run go test ./internal/checks -run TestSurface -update, and say it in CHANGELOG.md\n%s", dir, file, line)
		}
	}
	if len(want) < 10 {
		t.Errorf("%d packages were found, want all: %s", len(want), want)
	}
	kept, _ := filepath.Glob("internal/surface/*.txt")
	for _, file := range kept {
		if !slices.Contains(want, file) {
			t.Errorf("%s is the list of no package", file)
		}
	}
}

// TestSurfaceSees: what others can use is in the list, and what they cannot is
// not.
func TestSurfaceSees(t *testing.T) {
	dir := t.TempDir()
	src := "package p\n\n// A T is one.\ntype T[V any] struct {\n\tA int // kept\n\tb int\n}\n\nfunc (t *T[V]) M(n int) error { return nil }\nfunc (t T[V]) m() {}\n\n" +
		"type u struct{}\n\nfunc (u) N() {}\n\nconst (\n\tC = 1\n\td = 2\n)\n\nvar V, w = 1, 2\n\nfunc F() {}\n\nfunc g() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	got := surfaceOf(t, dir)
	want := []string{"const C = 1", "func (t *T[V]) M(n int) error", "func F()", "type T[V any] struct {\n A int\n _ unexported\n}", "var V"}
	if !slices.Equal(got, want) {
		t.Errorf("the surface is\n%q, want\n%q", got, want)
	}
	if line := firstChange("a\nb\n", "a\nc\n"); line != "-b\n+c" {
		t.Errorf("the first change is %q", line)
	}
}

// publicPackages are the folders of the packages that others may import: no
// programs, no tests, nothing internal.
func publicPackages(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != "." && (name == "internal" || name == "testdata" || name == "examples" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		pkg, err := build.ImportDir(path, 0)
		if err == nil && pkg.Name != "main" && len(pkg.GoFiles) > 0 && !onlyDoc(pkg) {
			dirs = append(dirs, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// onlyDoc reports whether a package has nothing but a comment beside its tests.
func onlyDoc(pkg *build.Package) bool { return slices.Equal(pkg.GoFiles, []string{"doc.go"}) }

// surfaceOf lists the exported declarations of a package, without comments and
// without bodies.
func surfaceOf(t *testing.T, dir string) (lines []string) {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			for _, node := range exported(decl) {
				lines = append(lines, print(t, node))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// exported splits a declaration into its exported parts.
func exported(decl ast.Decl) (nodes []ast.Node) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			d.Body = nil
			nodes = append(nodes, d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					trimFields(s.Type)
					nodes = append(nodes, &ast.GenDecl{Tok: token.TYPE, Specs: []ast.Spec{s}})
				}
			case *ast.ValueSpec:
				nodes = append(nodes, values(d.Tok, s)...)
			}
		}
	}
	return nodes
}

// values are the exported names of a line of constants or variables. The value
// of a constant is part of the surface, that of a variable is not.
func values(tok token.Token, s *ast.ValueSpec) (nodes []ast.Node) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		one := &ast.ValueSpec{Names: []*ast.Ident{name}, Type: s.Type}
		if tok == token.CONST && i < len(s.Values) {
			one.Values = s.Values[i : i+1]
		}
		nodes = append(nodes, &ast.GenDecl{Tok: tok, Specs: []ast.Spec{one}})
	}
	return nodes
}

// trimFields leaves out the fields of a struct that others cannot name, and says
// that there are some.
func trimFields(typ ast.Expr) {
	s, ok := typ.(*ast.StructType)
	if !ok {
		return
	}
	var kept []*ast.Field
	hidden := false
	for _, field := range s.Fields.List {
		public := slices.DeleteFunc(slices.Clone(field.Names), func(name *ast.Ident) bool { return !name.IsExported() })
		hidden = hidden || len(public) < len(field.Names)
		if len(public) > 0 || len(field.Names) == 0 {
			kept = append(kept, &ast.Field{Names: public, Type: field.Type, Tag: field.Tag})
		}
	}
	if hidden {
		kept = append(kept, &ast.Field{Names: []*ast.Ident{ast.NewIdent("_")}, Type: ast.NewIdent("unexported")})
	}
	s.Fields.List = kept
}

func print(t *testing.T, node ast.Node) string {
	t.Helper()
	var text bytes.Buffer
	if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 1}).Fprint(&text, token.NewFileSet(), node); err != nil {
		t.Fatal(err)
	}
	return aligned.ReplaceAllString(text.String(), "$1 ") // a new field moves no column
}

var aligned = regexp.MustCompile(`(\S) {2,}`)

// firstChange is the first line in which two texts differ.
func firstChange(was, is string) string {
	old, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range max(len(old), len(now)) {
		a, b := "", ""
		if i < len(old) {
			a = old[i]
		}
		if i < len(now) {
			b = now[i]
		}
		if a != b {
			return "-" + a + "\n+" + b
		}
	}
	return ""
}

// TestPackagesAreNamed: the table of docs/README.md names every package that others may
// import.
func TestPackagesAreNamed(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/README.md"), "| Package |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, dir := range publicPackages(t) {
		if !regexp.MustCompile("(?m)^\\| [^|]*`" + dir + "`").MatchString(table) {
			t.Errorf("the table of docs/README.md has no %s", dir)
		}
	}
}

// dials is how a package makes connections of its own.
var dials = regexp.MustCompile(`http\.(?:Client\{|DefaultClient|DefaultTransport|Get\(|Post\()|net\.(?:Dialer\{|Dial\()|pgxpool\.New|pgx\.Connect`)

// TestConnectionsAreNamed: SECURITY.md names every package that connects to anybody by
// itself. Programs are not packages, and pgstore takes the pool of the host.
func TestConnectionsAreNamed(t *testing.T) {
	_, text, _ := strings.Cut(read(t, "SECURITY.md"), "There is no telemetry.")
	text, _, _ = strings.Cut(text, "\n\n")
	found := 0
	public := map[string]bool{}
	for _, dir := range publicPackages(t) {
		public[dir] = true
	}
	walkGo(t, func(file, source string) {
		if dir := path.Dir(file); public[dir] && !strings.HasSuffix(file, "_test.go") && dials.MatchString(source) {
			found++
			if !strings.Contains(text, "`"+dir+"`") {
				t.Errorf("SECURITY.md does not say that %s connects by itself: %s", dir, file)
			}
		}
	})
	if found < 4 {
		t.Errorf("%d files make connections: they were not found", found)
	}
}
