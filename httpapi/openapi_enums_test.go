package httpapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// engineEnums are the values of the engine's enumerations by the name of their
// type, as its source declares them: constants of a type, or the list of all
// its values.
func engineEnums(t *testing.T) map[string][]any {
	t.Helper()
	paths, err := filepath.Glob("../affiliate/*.go")
	if err != nil {
		t.Fatal(err)
	}
	enums := map[string][]any{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range group.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					collect(enums, v)
				}
			}
		}
	}
	maps.Copy(enums, sourcesOf())
	enums["EventType"] = enumTexts(affiliate.EventTypes())        // without *, which stands for all
	enums["RewardType"] = append(enums["RewardType"], "NON_CASH") // the engine never makes it; receivers know it
	return enums
}

// collect adds the values of one declaration: a typed text constant, or a list
// of literals of a type.
func collect(enums map[string][]any, v *ast.ValueSpec) {
	if len(v.Values) != 1 {
		return
	}
	switch value := v.Values[0].(type) {
	case *ast.BasicLit:
		if typ, ok := v.Type.(*ast.Ident); ok && value.Kind == token.STRING {
			add(enums, typ.Name, value)
		}
	case *ast.CompositeLit:
		list, ok := value.Type.(*ast.ArrayType)
		if !ok {
			return
		}
		typ, ok := list.Elt.(*ast.Ident)
		if !ok {
			return
		}
		for _, item := range value.Elts {
			if lit, ok := item.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				add(enums, typ.Name, lit)
			}
		}
	}
}

func add(enums map[string][]any, typ string, lit *ast.BasicLit) {
	text, err := strconv.Unquote(lit.Value)
	if err != nil || typ == "string" {
		return
	}
	if !slices.Contains(enums[typ], any(text)) {
		enums[typ] = append(enums[typ], text)
	}
}

// sourcesOf are the sources that each record may show, in the contract's order.
// Callers of the engine may use more.
//
// Source: docs/contract.md 6.
func sourcesOf() map[string][]any {
	return map[string][]any{
		"AffiliateSource": enumTexts([]affiliate.Source{
			affiliate.SourceAffiliatePortal, affiliate.SourceAPI, affiliate.SourceWidget, affiliate.SourceManual,
			affiliate.SourceImported, affiliate.SourceMarketplace, affiliate.SourceInfluencerDiscovery, affiliate.SourceUnknown,
		}),
		"ReferralSource": enumTexts([]affiliate.Source{
			affiliate.SourceUnknown, affiliate.SourceAPI, affiliate.SourceIntegration, affiliate.SourceManual,
			affiliate.SourceImported, affiliate.SourceAffiliateSubmitted,
		}),
		"SaleSource": enumTexts([]affiliate.Source{
			affiliate.SourceUnknown, affiliate.SourceAPI, affiliate.SourceIntegration, affiliate.SourceManual,
			affiliate.SourceImported, affiliate.SourceAutomated,
		}),
	}
}

// enumTexts is a list as the values of an enumeration.
func enumTexts[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// enumName is the name of an enumeration's type.
func enumName[T ~string]() string { return reflect.TypeFor[T]().Name() }
