package httpapi

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
)

// fixEnums completes the enumerations of the source: constants of a type, or the list of all
// its values.
func (src *goSource) fixEnums() {
	maps.Copy(src.enums, sourcesOf())
	src.enums["EventType"] = enumTexts(affiliate.EventTypes())            // without *, which stands for all
	src.enums["RewardType"] = append(src.enums["RewardType"], "NON_CASH") // the engine never makes it; receivers know it
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
