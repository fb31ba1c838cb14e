package imports_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

// An imported customer belongs to the link that was named or clicked, and
// counts there. A customer by code belongs to no link.
func TestImportReferralLink(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	adas := func() affiliate.Link {
		return scene.Must(s.Links(ctx, affiliate.LinkQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, affiliate.Page{})).Items[0]
	}
	link := adas().ID
	for _, tt := range []struct {
		name    string
		from    affiliate.ReferralParams
		link    affiliate.Opt[uuid.UUID]
		landing affiliate.Opt[string]
		medium  affiliate.ReferralMedium
	}{
		{"slug", affiliate.ReferralParams{AffiliateID: "ADA"}, affiliate.Set(link), affiliate.Null[string](), affiliate.MediumLink},
		{"click", affiliate.ReferralParams{AffiliateID: scene.JSON(s.Click.ID)}, affiliate.Set(link), s.Click.FullLandingURL, affiliate.MediumLink},
		{"affiliate", affiliate.ReferralParams{AffiliateID: s.Ada.Person.ID.String()}, affiliate.Null[uuid.UUID](), affiliate.Null[string](), affiliate.MediumLink},
		{"code", affiliate.ReferralParams{AffiliateID: "ada", PromoCode: "ADA20"}, affiliate.Null[uuid.UUID](), affiliate.Null[string](), affiliate.MediumCoupon},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			row := imported.Referral{ReferralParams: tt.from}
			row.Name, row.Email, row.ReferredUserExternalID = tt.name, tt.name+"@import.example", tt.name
			leads := adas().Referrals
			report := scene.Must(s.Imports().Referrals(ctx, []imported.Referral{row}))
			if report.Created != 1 {
				t.Fatalf("%+v", report)
			}
			got := scene.Must(s.Referral(ctx, row.Email))
			scene.Equal(t, []any{s.Ada.Person.ID, tt.link, tt.landing, tt.medium},
				[]any{got.AffiliateID, got.AffiliateLinkID, got.InitialLandingPage, got.ReferralMedium})
			if !tt.link.IsNull() {
				leads++
			}
			scene.Equal(t, leads, adas().Referrals)
			s.Verifies()
		})
	}
}
