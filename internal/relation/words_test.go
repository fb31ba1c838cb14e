package relation_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/internal/relation"
)

// enumerations are the columns that hold a word of a few, with the row of section 6 of
// docs/contract.md that lists these.
var enumerations = map[string]string{
	"affiliates.status": "affiliate `status`", "affiliates.source": "affiliate `source`", "affiliates.commission_type": "`couponType`, `commissionType`",
	"affiliates.payment_method": "`paymentMethod`", "referrals.status": "`subscriptionStatus`, referral `status`",
	"referrals.submission_type": "`submissionType`", "referrals.referral_medium": "`referralMedium`", "referrals.source": "referral `source`",
	"referrals.integration_referral_source": "`integrationSalesSource`, `integrationReferralSource`",
	"coupons.coupon_type":                   "`couponType`, `commissionType`", "coupons.duration": "`duration`", "coupons.integration_type": "`integrationType`",
	"sales.commission_type": "`couponType`, `commissionType`", "sales.status": "sale `status`", "sales.payment_trigger": "`paymentTrigger`", "sales.source": "sale `source`",
	"sales.integration_sales_source": "`integrationSalesSource`, `integrationReferralSource`",
	"plans.commission_type":          "`couponType`, `commissionType`", "plans.payment_trigger": "`paymentTrigger`",
	"tiers.condition_type": "`conditionType`", "tiers.commission_type": "`couponType`, `commissionType`",
	"payouts.status": "payout `status`", "payouts.payment_method": "`paymentMethod`", "adjustments.kind": "adjustment `kind`",
	"movements.from_account": "movement `from`, `to`", "movements.to_account": "movement `from`, `to`", "movements.cause": "movement `cause`",
	"receipts.outcome": "`Sale-Outcome`",
}

var (
	quoted = regexp.MustCompile("`([A-Za-z_-]+)`")
	word   = regexp.MustCompile(`[A-Za-z]+(?:[_-][A-Za-z]+)*`)
	upper  = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)*\b`)
)

// TestWords: what a column of an enumeration means says all of its words, and no
// others.
func TestWords(t *testing.T) {
	raw, err := os.ReadFile("../../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, contract, _ := strings.Cut(string(raw), "\n## 6. Enumerations\n")
	found := 0
	for _, table := range relation.Tables() {
		for _, c := range table.Columns {
			row, listed := enumerations[table.Name+"."+c.Name]
			if !listed {
				continue
			}
			found++
			_, rest, _ := strings.Cut(contract, "\n| "+row+" | ")
			line, _, _ := strings.Cut(rest, "\n")
			var want []string
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				want = append(want, m[1])
			}
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
