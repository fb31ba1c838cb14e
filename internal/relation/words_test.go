package relation_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/tributary-go/tributary/internal/relation"
)

// enumerations are the columns that hold a word of a few, with the member or the header
// in httpapi/openapi.json that lists these.
var enumerations = map[string]string{
	"affiliates.status": "Affiliate.status", "affiliates.source": "Affiliate.source", "affiliates.commission_type": "CommissionPlan.commissionType",
	"affiliates.payment_method": "Affiliate.paymentMethod", "referrals.status": "Referral.subscriptionStatus",
	"referrals.submission_type": "Referral.submissionType", "referrals.referral_medium": "Referral.referralMedium", "referrals.source": "Referral.source",
	"referrals.integration_referral_source": "Referral.integrationReferralSource",
	"coupons.coupon_type":                   "Coupon.couponType", "coupons.duration": "Coupon.duration", "coupons.integration_type": "Coupon.integrationType",
	"sales.commission_type": "CommissionPlan.commissionType", "sales.status": "Sale.status", "sales.payment_trigger": "Sale.paymentTrigger", "sales.source": "Sale.source",
	"sales.integration_sales_source": "Sale.integrationSalesSource",
	"plans.commission_type":          "CommissionPlan.commissionType", "plans.payment_trigger": "CommissionPlan.paymentTrigger",
	"tiers.condition_type": "CommissionTier.conditionType", "tiers.commission_type": "CommissionPlan.commissionType",
	"payouts.status": "Payout.status", "payouts.payment_method": "Payout.paymentMethod", "adjustments.kind": "Adjustment.kind",
	"movements.from_account": "Movement.from", "movements.to_account": "Movement.to", "movements.cause": "Movement.cause",
	"receipts.outcome": "Sale-Outcome",
}

var (
	word  = regexp.MustCompile(`[A-Za-z]+(?:[_-][A-Za-z]+)*`)
	upper = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)*\b`)
)

// TestWords: what a column of an enumeration means says all of its words, and no
// others.
func TestWords(t *testing.T) {
	words := documented(t)
	found := 0
	for _, table := range relation.Tables() {
		for _, c := range table.Columns {
			member, listed := enumerations[table.Name+"."+c.Name]
			if !listed {
				continue
			}
			found++
			want := words[member]
			said := word.FindAllString(c.Doc, -1)
			missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return slices.Contains(said, w) })
			others := slices.DeleteFunc(upper.FindAllString(c.Doc, -1), func(w string) bool { return w == "NULL" || slices.Contains(want, w) })
			if len(want) == 0 || len(missing)+len(others) > 0 {
				t.Errorf("%s.%s: of the values %q it does not say %q, and %q are none", table.Name, c.Name, want, missing, others)
			}
		}
	}
	if found != len(enumerations) {
		t.Errorf("%d of the columns %d were found", found, len(enumerations))
	}
}

// documented are the values of the enumerations that the API documents, by member.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("../../httpapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	type values struct {
		Enum []any `json:"enum"`
	}
	var doc struct {
		Components struct {
			Headers map[string]struct {
				Schema values `json:"schema"`
			} `json:"headers"`
			Schemas map[string]struct {
				Properties map[string]values `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	words := map[string][]string{}
	add := func(name string, of values) {
		for _, value := range of.Enum {
			if w, is := value.(string); is { // null is none
				words[name] = append(words[name], w)
			}
		}
	}
	for name, h := range doc.Components.Headers {
		add(name, h.Schema)
	}
	for name, schema := range doc.Components.Schemas {
		for member, of := range schema.Properties {
			add(name+"."+member, of)
		}
	}
	return words
}
