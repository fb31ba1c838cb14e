package httpapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What the document says of a struct and of its fields are the comments in Go: of each the
// first paragraph. Names of fields in it become those on the wire.

// A goStruct is what a struct's source says.
type goStruct struct {
	comment string
	members map[string]string // comments by JSON name
	embeds  []string          // names of the structs in it
}

// goSource holds the structs of package affiliate and of this one, by package and name, and
// the values of enumerations by the name of their type.
type goSource struct {
	structs map[string]*goStruct
	enums   map[string][]any
	names   map[string]string // JSON names of several words, by their letters in lower case
}

// readSource reads the Go files.
func readSource(t *testing.T) *goSource {
	t.Helper()
	src := &goSource{map[string]*goStruct{}, map[string][]any{}, map[string]string{}}
	for _, dir := range []string{"../affiliate", "."} {
		paths, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				if group, ok := decl.(*ast.GenDecl); ok {
					src.read(file.Name.Name, group)
				}
			}
		}
	}
	src.fixEnums()
	return src
}

// read takes the structs and the constants of a declaration.
func (src *goSource) read(pkg string, group *ast.GenDecl) {
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			collect(src.enums, spec)
		case *ast.TypeSpec:
			if of, ok := spec.Type.(*ast.StructType); ok {
				doc := spec.Doc
				if doc == nil {
					doc = group.Doc
				}
				src.structs[pkg+"."+spec.Name.Name] = src.structOf(pkg, of, doc)
			}
		}
	}
}

func (src *goSource) structOf(pkg string, of *ast.StructType, doc *ast.CommentGroup) *goStruct {
	s := &goStruct{comment: doc.Text(), members: map[string]string{}}
	for _, f := range of.Fields.List {
		if len(f.Names) == 0 {
			switch typ := f.Type.(type) {
			case *ast.Ident:
				s.embeds = append(s.embeds, pkg+"."+typ.Name)
			case *ast.SelectorExpr:
				s.embeds = append(s.embeds, "affiliate."+typ.Sel.Name)
			}
		}
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		name := wireName(reflect.StructField{Tag: reflect.StructTag(tag)})
		if strings.ToLower(name) != name {
			src.names[strings.ToLower(name)] = name
		}
		if s.members[name] = f.Doc.Text(); f.Doc == nil {
			s.members[name] = f.Comment.Text()
		}
	}
	return s
}

// keyOfType is the key of a struct.
func keyOfType(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] + "." + name
}

// typeText is what the source says of a struct, which the document calls by a name.
func (src *goSource) typeText(t reflect.Type, called string) string {
	key := keyOfType(t)
	name := key[strings.IndexByte(key, '.')+1:]
	first, _, _ := strings.Cut(src.structs[key].comment, "\n\n")
	for _, article := range []string{"A ", "An ", ""} {
		for _, verb := range []string{" is ", " are "} {
			if what, ok := strings.CutPrefix(first, article+name+verb); ok {
				said := src.said(what)
				return strings.ToUpper(said[:1]) + said[1:]
			}
		}
	}
	return strings.Replace(src.said(first), src.said(name), called, 1)
}

// notGiven is what is said of a member that a request lacks. In an update it stays as it is.
var notGiven = regexp.MustCompile(`; not given: [^.;]*| Not given: [^.]*\.`)

// memberText is the comment on a member of a struct. One without a comment is as in the
// struct that the update, or the input, is about: CouponUpdate, CouponParams, Coupon.
func (src *goSource) memberText(key, name string) string {
	if text := src.said(src.comment(key, name)); text != "" {
		return text
	}
	if of, ok := strings.CutSuffix(key, "Update"); ok {
		if text := src.memberText(of+"Params", name); text != "" {
			return notGiven.ReplaceAllString(text, "")
		}
		return notGiven.ReplaceAllString(src.memberText(of, name), "")
	}
	if of, ok := strings.CutSuffix(key, "Params"); ok {
		return src.memberText(of, name)
	}
	return ""
}

func (src *goSource) comment(key, name string) string {
	s := src.structs[key]
	if s == nil {
		return ""
	}
	if text := s.members[name]; text != "" {
		return text
	}
	for _, inner := range s.embeds {
		if text := src.comment(inner, name); text != "" {
			return text
		}
	}
	return ""
}

var goWord = regexp.MustCompile(`\b[A-Z]\w+`)

// said is the first paragraph of a comment in the words of the wire.
func (src *goSource) said(comment string) string {
	first, _, _ := strings.Cut(comment, "\n\n")
	return goWord.ReplaceAllStringFunc(strings.Join(strings.Fields(first), " "), func(word string) string {
		if name := src.names[strings.ToLower(word)]; name != "" {
			return name
		}
		return word
	})
}
