package console

import (
	"net/url"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
)

// TestFieldsHaveMembers: the lists of fields that forms share are read whole by the inputs of the
// engine that they are for. A field that no member takes is no silent loss.
func TestFieldsHaveMembers(t *testing.T) {
	kinds := append(kindFields(affiliate.CouponFlat, true), kindFields(affiliate.CouponPercentage, true)...)
	for name, c := range map[string]struct {
		fields []field
		inputs []any
		wrong  string
	}{
		"coupon":       {append(kinds, couponRules...), []any{new(affiliate.CouponParams), new(affiliate.CouponUpdate)}, ""},
		"code":         {codeFields, []any{new(affiliate.CodeParams), new(affiliate.CodeUpdate)}, ""},
		"tier":         {tierFields, []any{new(affiliate.TierParams), new(affiliate.TierUpdate)}, ""},
		"terms":        {append(termFields, planFields(affiliate.Plan{})...), []any{new(affiliate.PlanParams)}, ""},
		"person":       {personFields(), []any{new(affiliate.AffiliateParams), new(affiliate.AffiliateUpdate)}, ""},
		"its own":      {[]field{{Name: "x", Own: true}, {Name: "y", Row: 1}}, []any{new(affiliate.CodeUpdate)}, ""},
		"no member":    {[]field{{Name: "maxUses"}}, []any{new(affiliate.CodeUpdate)}, "maxUses"},
		"another kind": {[]field{{Name: "metadata"}}, []any{new(affiliate.ReferralUpdate)}, "metadata"},
	} {
		for _, to := range c.inputs {
			t.Run(name, func(t *testing.T) {
				defer func() {
					said, _ := recover().(string)
					if (said != "") != (c.wrong != "") || !strings.HasSuffix(said, c.wrong) {
						t.Errorf("it panics with %q", said)
					}
				}()
				in := &input{Values: url.Values{}, fields: c.fields}
				in.into(to)
			})
		}
	}
}
