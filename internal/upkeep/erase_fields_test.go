package upkeep_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/leaf"
)

// TestErasureKnowsEveryText: every text of a record that is erased with a
// person is blank afterwards, or is listed here with the reason why it stays. A
// new text fails the test until it is handled.
func TestErasureKnowsEveryText(t *testing.T) {
	textsAfterErasure(t, engine.BlankedAffiliate, nil)
	textsAfterErasure(t, engine.BlankedReferral, map[string]string{
		".Plan": "the name of what was bought",
	})
	textsAfterErasure(t, engine.BlankedSale, map[string]string{
		".ExternalID":                 "the payment's id, which makes a second delivery of it a duplicate",
		".InvoiceID":                  "the invoice's id",
		".Products":                   "ids of products",
		".Conversion":                 "the name of a conversion, which makes a second report of it a duplicate",
		".Commissions[0].BonusReason": "what the bonus of the affiliate is for",
		".Refunds[0].ID":              "the refund's id, which makes a second delivery of it a duplicate",
		".Lines[0].ID":                "the host's id of the line, which a refund names",
		".Lines[0].ProductID":         "the id of a product",
		".Lines[0].PlanID":            "the id of a plan",
		".Lines[0].Name":              "the name of what was bought",
		".Lines[0].Categories":        "categories of the product",
		".Lines[0].Rule":              "the name of a rule of the terms",
	})
	textsAfterErasure(t, engine.BlankedClick, nil)
	textsAfterErasure(t, engine.BlankedPayout, map[string]string{
		".ExternalID":     "the payment's id at whoever pays",
		".FailedReason":   "what the payer said about the payment; a customer's email in it goes",
		".ReturnedReason": "likewise",
	})
	textsAfterErasure(t, engine.BlankedPayer, map[string]string{
		".Provider":   "the provider's name",
		".PayerID":    "the provider's id: later payments find by it whom to credit",
		".Subs[0].ID": "the provider's id of the subscription",
	})
}

// TestErasureKnowsEveryTable: the texts of the other records are listed, with what
// an erasure does about them.
func TestErasureKnowsEveryTable(t *testing.T) {
	textsListed[record.Adjustment](t, ".Reason without the person", ".ExternalID of the host")
	textsListed[record.Code](t, ".CustomerID becomes an id", ".Code in use outside", ".ExternalID of the provider")
	textsListed[record.Coupon](t, ".Name of the coupon", ".ProductIDs of products", ".ExternalID of the provider")
	textsListed[record.Link](t, ".Slug in use outside", ".Aliases in use outside")
	textsListed[record.Alias](t, ".Alias in use outside")
	textsListed[record.Payment](t, ".Provider its name", ".PayerID of the provider", ".Decided a word", ".Left a word", ".Refunds[0].ID of the provider", ".Disputes[0].ID of the provider",
		".Waiting[0].ExternalID of the payment", ".Waiting[0].Awaits the name of an event", ".Waiting[0].Tries[0].HoldID of the host", ".Waiting[0].InvoiceID of the payment", ".Waiting[0].ProductID of a product", ".Waiting[0].ProductName of a product",
		".Waiting[0].Lines[0].ID of the line", ".Waiting[0].Lines[0].ProductID of a product", ".Waiting[0].Lines[0].PlanID of a plan",
		".Waiting[0].Lines[0].Name of a product", ".Waiting[0].Lines[0].Categories of a product", ".Waiting[0].Lines[0].Rule of the terms",
		".Waiting[0].Tries[0].ReferralID becomes an id", ".Waiting[0].Tries[0].PromoCode of a code", ".Waiting[0].Tries[0].CodeExternalID of a code")
	textsListed[record.PaymentKey](t, ".Provider its name", ".Key of the provider")
	textsListed[record.Erasure](t, ".Name goes, but for an id of ours")
	textsListed[record.Import](t, ".Ref names no person", ".Digest of a row")
	textsListed[record.Receipt](t, ".Key of the host", ".Outcome a word")
	textsListed[record.Event](t, ".Actor who changed it: prefer an id", ".Reason goes with the payload; of another it loses the email")
	textsListed[record.Delivery](t, ".Attempts[0].URL of the host", ".Attempts[0].Err a class", ".Attempts[0].Response goes with the payload")
	textsListed[record.Endpoint](t, ".URL of the host", ".Description of the endpoint", ".HeaderNames of the endpoint", ".Secrets[0].Hint of a secret")
	textsListed[record.Plan](t, ".Name of the plan", ".Terms.Rules[0].Name of the rule",
		".Terms.Rules[0].When.Products of products", ".Terms.Rules[0].When.Plans of plans", ".Terms.Rules[0].When.Categories of products",
		".Terms.Rules[0].When.NotProducts of products", ".Terms.Rules[0].When.NotPlans of plans", ".Terms.Rules[0].When.NotCategories of products",
		".Terms.Rules[0].When.Conversions of conversions",
		".Versions[0].Terms.Rules[0].Name of the rule",
		".Versions[0].Terms.Rules[0].When.Products of products", ".Versions[0].Terms.Rules[0].When.Plans of plans", ".Versions[0].Terms.Rules[0].When.Categories of products",
		".Versions[0].Terms.Rules[0].When.NotProducts of products", ".Versions[0].Terms.Rules[0].When.NotPlans of plans", ".Versions[0].Terms.Rules[0].When.NotCategories of products",
		".Versions[0].Terms.Rules[0].When.Conversions of conversions")
	textsListed[record.Tier](t, ".Name of the tier", ".Emoji of the tier")
	textsListed[record.Run](t, ".ExternalID of the host")
	textsListed[record.Line](t)
	textsListed[record.Queue](t)
	textsListed[record.Totals](t)
	textsListed[record.Movement](t, ".Actor who moved it: prefer an id")
	textsListed[record.Redemption](t, ".ExternalID of the order", ".HoldID of the host")
	textsListed[record.Use](t)
	textsListed[record.Hold](t, ".HoldID of the host",
		".Lines[0].ID of the order", ".Lines[0].ProductID of products", ".Lines[0].PlanID of products", ".Lines[0].Name of products", ".Lines[0].Categories of products", ".Lines[0].Rule of the terms")
}

// textsListed fails for a text of a record that is not listed, and for one that is
// listed and not there.
func textsListed[R record.Record[R]](t *testing.T, listed ...string) {
	t.Helper()
	var full R
	texts := map[string]bool{}
	for l := range leaf.Of(reflect.ValueOf(&full).Elem(), "") {
		if holdsText(l.V.Type()) {
			texts[l.Name] = true
		}
	}
	for _, line := range listed {
		name, _, _ := strings.Cut(line, " ")
		if !texts[name] {
			t.Errorf("%T%s is listed, and is none", full, name)
		}
		delete(texts, name)
	}
	for name := range texts {
		t.Errorf("%T%s is not listed", full, name)
	}
}

func textsAfterErasure[R record.Record[R]](t *testing.T, blanked func(R) R, stays map[string]string) {
	var full R
	texts := map[string]bool{}
	for l := range leaf.Of(reflect.ValueOf(&full).Elem(), "") {
		if holdsText(l.V.Type()) {
			l.Set(1)
			texts[l.Name] = true
		}
	}
	blank := blanked(full)
	kept := map[string]bool{}
	for l := range leaf.Of(reflect.ValueOf(&blank).Elem(), "") {
		if kept[l.Name] = texts[l.Name] && !l.V.IsZero(); kept[l.Name] && stays[l.Name] == "" {
			t.Errorf("%T%s stays after an erasure", full, l.Name)
		}
	}
	for name := range stays {
		if !kept[name] {
			t.Errorf("%T%s is listed to stay, and does not", full, name)
		}
	}
}

// holdsText reports whether people can write any text into a field.
func holdsText(typ reflect.Type) bool {
	switch typ {
	case reflect.TypeFor[string](), reflect.TypeFor[affiliate.Opt[string]](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]string]():
		return true
	}
	return false
}
