package importer

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// stripe is the provider of the ids in the exports of services that work with
// Stripe alone.
const stripe = "stripe"

// providerIDs returns the ids of a provider in texts; in one text there are spaces,
// commas or semicolons between them.
func providerIDs(provider string, texts ...string) (ids []affiliate.ProviderID) {
	for _, text := range texts {
		for _, id := range listOf(text) {
			ids = append(ids, affiliate.ProviderID{Provider: provider, ID: id})
		}
	}
	return ids
}

// listOf returns the parts of a field that holds several.
func listOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == ',' })
}
