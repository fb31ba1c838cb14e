package affiliate_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// An imported customer belongs to the link that was named or clicked, and
// counts there. A customer by code belongs to no link.
func TestImportReferralLink(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	adas := func() affiliate.Link {
		return must(s.Links(ctx, affiliate.LinkFilter{AffiliateID: affiliate.Set(s.ada.affiliate.ID)}, affiliate.Page{})).Items[0]
	}
	link := adas().ID
	for _, tt := range []struct {
		name    string
		from    affiliate.NewReferral
		link    affiliate.Opt[uuid.UUID]
		landing affiliate.Opt[string]
		medium  affiliate.ReferralMedium
	}{
		{"slug", affiliate.NewReferral{AffiliateID: "ADA"}, affiliate.Set(link), affiliate.Null[string](), affiliate.MediumLink},
		{"click", affiliate.NewReferral{AffiliateID: jsonOf(s.click.ID)}, affiliate.Set(link), s.click.FullLandingURL, affiliate.MediumLink},
		{"affiliate", affiliate.NewReferral{AffiliateID: s.ada.affiliate.ID.String()}, affiliate.Null[uuid.UUID](), affiliate.Null[string](), affiliate.MediumLink},
		{"code", affiliate.NewReferral{AffiliateID: "ada", PromoCode: "ADA20"}, affiliate.Null[uuid.UUID](), affiliate.Null[string](), affiliate.MediumCoupon},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.on(t)
			row := affiliate.ImportedReferral{NewReferral: tt.from}
			row.Name, row.Email, row.ReferredUserExternalID = tt.name, tt.name+"@import.example", tt.name
			leads := adas().Referrals
			report := must(s.ImportReferrals(ctx, []affiliate.ImportedReferral{row}))
			if report.Created != 1 {
				t.Fatalf("%+v", report)
			}
			got := must(s.Referral(ctx, row.Email))
			equal(t, []any{s.ada.affiliate.ID, tt.link, tt.landing, tt.medium},
				[]any{got.AffiliateID, got.AffiliateLinkID, got.InitialLandingPage, got.ReferralMedium})
			if !tt.link.IsNull() {
				leads++
			}
			equal(t, leads, adas().Referrals)
			s.verify()
		})
	}
}
