package engine_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestSaleNames: which identifiers are enough for a sale, as the comment of
// SaleParams says.
func TestSaleNames(t *testing.T) {
	noEmail := scene.FieldError(affiliate.MissingField, "email", "Email is required")
	noName := scene.FieldError(affiliate.MissingField, "name", "Name is required")
	none := scene.FieldError(affiliate.AttributionRequired, "", "Either Referral ID, email, or Promo Code is required")
	s := scene.NewShop(t)
	for name, tt := range map[string]struct {
		in      affiliate.SaleParams
		refused affiliate.Error // zero: not refused
		outcome affiliate.SaleOutcome
	}{
		"Nothing":                {affiliate.SaleParams{}, none, ""},
		"Code":                   {affiliate.SaleParams{PromoCode: "ADA20"}, affiliate.Error{}, affiliate.SaleRecorded},
		"CodeAndStranger":        {affiliate.SaleParams{PromoCode: "ADA20", Email: "code@example.net"}, affiliate.Error{}, affiliate.SaleRecorded},
		"ReferralID":             {affiliate.SaleParams{ReferralID: s.Tomas.ID.String()}, affiliate.Error{}, affiliate.SaleRecorded},
		"ReferralEmail":          {affiliate.SaleParams{ReferralID: s.Tomas.Email}, affiliate.Error{}, affiliate.SaleRecorded},
		"Customer":               {affiliate.SaleParams{Email: s.Tomas.Email}, affiliate.Error{}, affiliate.SaleRecorded},
		"Stranger":               {affiliate.SaleParams{Email: "new@example.net", Name: "New"}, affiliate.Error{}, affiliate.SaleUnattributed},
		"SlugAlone":              {affiliate.SaleParams{ReferralID: "ada"}, noEmail, ""},
		"AffiliateAlone":         {affiliate.SaleParams{ReferralID: s.Ada.Person.ID.String()}, noEmail, ""},
		"ClickAlone":             {affiliate.SaleParams{ReferralID: fmt.Sprint(s.Click.ID)}, noEmail, ""},
		"SlugAndStranger":        {affiliate.SaleParams{ReferralID: "ada", Email: "new@example.net"}, noName, ""},
		"SlugAndCustomer":        {affiliate.SaleParams{ReferralID: "ada", Email: s.Tomas.Email}, affiliate.Error{}, affiliate.SaleRecorded},
		"SlugAndStrangerByName":  {affiliate.SaleParams{ReferralID: "ada", Email: "slug@example.net", Name: "New"}, affiliate.Error{}, affiliate.SaleRecorded},
		"ClickAndStrangerByName": {affiliate.SaleParams{ReferralID: fmt.Sprint(s.Click.ID), Email: "click@example.net", Name: "New"}, affiliate.Error{}, affiliate.SaleRecorded},
	} {
		t.Run(name, func(t *testing.T) {
			s.On(t)
			tt.in.TotalEarned = affiliate.MustAmount("10")
			if tt.refused.Reason != "" {
				s.Refused(tt.refused, func() error { return scene.ErrOf(s.RecordSale(t.Context(), tt.in)) })
				return
			}
			scene.Equal(t, tt.outcome, scene.Must(s.RecordSale(t.Context(), tt.in)).Outcome)
		})
	}
}
