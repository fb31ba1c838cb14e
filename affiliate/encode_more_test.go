package affiliate_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
)

func anyAmount() *rapid.Generator[affiliate.Amount] {
	return rapid.Map(rapid.Int64(), affiliate.AmountFromScaled)
}

func anyPercent() *rapid.Generator[affiliate.Percent] {
	return rapid.Map(rapid.Int64(), affiliate.PercentFromScaled)
}

// anyDocument draws metadata: JSON with every kind of escape.
func anyDocument() *rapid.Generator[json.RawMessage] {
	return rapid.Custom(func(t *rapid.T) json.RawMessage {
		doc := map[string]any{anyText().Draw(t, "name"): anyText().Draw(t, "text"), "n": rapid.Float64Range(-1e9, 1e9).Draw(t, "n"), "l": []any{nil, true}}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return append(append(json.RawMessage(" "), raw...), '\n')
	})
}

func anyAffiliateLinks() *rapid.Generator[[]affiliate.AffiliateLink] {
	link := rapid.Custom(func(t *rapid.T) affiliate.AffiliateLink {
		return affiliate.AffiliateLink{
			ID: anyID().Draw(t, "id"), Link: anyText().Draw(t, "link"), UserID: anyID().Draw(t, "user"), ProgramID: anyID().Draw(t, "program"),
			CreatedAt: anyTime().Draw(t, "created"), UpdatedAt: anyTime().Draw(t, "updated"),
		}
	})
	return rapid.OneOf(rapid.Just([]affiliate.AffiliateLink(nil)), rapid.SliceOfN(link, 0, 3))
}

func anyAffiliate() *rapid.Generator[affiliate.Affiliate] {
	return rapid.Custom(func(t *rapid.T) affiliate.Affiliate {
		return affiliate.Affiliate{
			ID: anyID().Draw(t, "id"), FirstName: anyText().Draw(t, "first"), LastName: anyText().Draw(t, "last"), Name: anyText().Draw(t, "name"),
			Email: anyText().Draw(t, "email"), CommissionRate: anyPercent().Draw(t, "rate"), UseCommissionPlanCommissionRate: rapid.Bool().Draw(t, "use"),
			ExemptFromCommissionTierChanges: rapid.Bool().Draw(t, "exempt"), AffiliateLink: optOf(anyText()).Draw(t, "affiliateLink"),
			Link: optOf(anyText()).Draw(t, "link"), AffiliateLinks: anyAffiliateLinks().Draw(t, "links"), Status: textAs[affiliate.AffiliateStatus]().Draw(t, "status"),
			Source: textAs[affiliate.AffiliateSource]().Draw(t, "source"), CommissionPlanID: optOf(anyID()).Draw(t, "plan"), CommissionTierID: optOf(anyID()).Draw(t, "tier"),
			AffiliateGroupID: optOf(anyText()).Draw(t, "group"), ProgramID: anyID().Draw(t, "program"), PayoutEmail: optOf(anyText()).Draw(t, "payoutEmail"),
			PaymentMethod: optOf(textAs[affiliate.PaymentMethod]()).Draw(t, "method"), DetailsComplete: rapid.Bool().Draw(t, "details"),
			EmailVerified: optOf(anyRaw()).Draw(t, "verified"), Image: optOf(anyText()).Draw(t, "image"), NumberOfReferredUsers: rapid.Int64().Draw(t, "referred"),
			NumberOfClicks: rapid.Int64().Draw(t, "clicks"), TotalRevenue: anyAmount().Draw(t, "revenue"), TotalCommissionEarned: anyAmount().Draw(t, "commission"),
			CreatedAt: anyTime().Draw(t, "created"), UpdatedAt: anyTime().Draw(t, "updated"),
		}
	})
}

func anyLink() *rapid.Generator[affiliate.Link] {
	url := rapid.Custom(func(t *rapid.T) affiliate.FullURL {
		return affiliate.FullURL{BaseURL: anyText().Draw(t, "base"), FullURL: anyText().Draw(t, "full")}
	})
	return rapid.Custom(func(t *rapid.T) affiliate.Link {
		return affiliate.Link{
			ID: anyID().Draw(t, "id"), Link: anyText().Draw(t, "link"),
			Affiliate: affiliate.LinkOwner{ID: anyID().Draw(t, "owner"), Name: anyText().Draw(t, "name"), Email: anyText().Draw(t, "email")},
			Program:   affiliate.LinkProgram{ID: anyID().Draw(t, "program"), Name: anyText().Draw(t, "title"), Currency: textAs[affiliate.Currency]().Draw(t, "currency")},
			Clicks:    rapid.Int64().Draw(t, "clicks"), Referrals: rapid.Int64().Draw(t, "referrals"), Sales: rapid.Int64().Draw(t, "sales"),
			TotalRevenue: anyAmount().Draw(t, "revenue"), FullURLs: rapid.OneOf(rapid.Just([]affiliate.FullURL(nil)), rapid.SliceOfN(url, 0, 3)).Draw(t, "urls"),
			CreatedAt: anyTime().Draw(t, "created"), UpdatedAt: anyTime().Draw(t, "updated"),
		}
	})
}

func anyReferral() *rapid.Generator[affiliate.Referral] {
	return rapid.Custom(func(t *rapid.T) affiliate.Referral {
		return affiliate.Referral{
			ID: anyID().Draw(t, "id"), AffiliateID: anyID().Draw(t, "affiliate"), Name: optOf(anyText()).Draw(t, "name"), Email: anyText().Draw(t, "email"),
			ReferredUserExternalID: optOf(anyText()).Draw(t, "external"), Plan: optOf(anyText()).Draw(t, "plan"),
			SubscriptionStatus: textAs[affiliate.SubscriptionStatus]().Draw(t, "subscription"), Status: textAs[affiliate.SubscriptionStatus]().Draw(t, "status"),
			SubmissionType: textAs[affiliate.SubmissionType]().Draw(t, "submission"), ReferralMedium: textAs[affiliate.ReferralMedium]().Draw(t, "medium"),
			Source: textAs[affiliate.ReferralSource]().Draw(t, "source"), IntegrationReferralSource: optOf(textAs[affiliate.Integration]()).Draw(t, "integration"),
			TotalRevenue: anyAmount().Draw(t, "revenue"), TotalCommission: anyAmount().Draw(t, "commission"), InitialLandingPage: optOf(anyText()).Draw(t, "landing"),
			Notes: optOf(anyText()).Draw(t, "notes"), Metadata: optOf(anyDocument()).Draw(t, "metadata"), AffiliateProgramID: anyID().Draw(t, "program"),
			AffiliateLinkID: optOf(anyID()).Draw(t, "link"), CommissionPlanID: optOf(anyID()).Draw(t, "planId"),
			CreatedAt: anyTime().Draw(t, "created"), UpdatedAt: anyTime().Draw(t, "updated"),
		}
	})
}

func anyCommission() *rapid.Generator[affiliate.Commission] {
	return rapid.Custom(func(t *rapid.T) affiliate.Commission {
		return affiliate.Commission{
			ID: affiliate.CommissionID(rapid.Int64().Draw(t, "id")), SaleID: affiliate.SaleID(rapid.Int64().Draw(t, "sale")), AffiliateID: anyID().Draw(t, "affiliate"),
			CommissionEarned: anyAmount().Draw(t, "earned"), ApprovalStatus: textAs[affiliate.ApprovalStatus]().Draw(t, "approval"),
			RewardType: textAs[affiliate.RewardType]().Draw(t, "reward"), PayoutCreated: rapid.Bool().Draw(t, "created?"), PayoutID: optOf(anyID()).Draw(t, "payout"),
			ManuallyPaid: rapid.Bool().Draw(t, "manually"), HoldReason: optOf(textAs[affiliate.HoldReason]()).Draw(t, "hold"), BonusReason: optOf(anyText()).Draw(t, "bonus"),
			CreatedAt: anyTime().Draw(t, "created"), UpdatedAt: anyTime().Draw(t, "updated"),
		}
	})
}

func anySale() *rapid.Generator[affiliate.Sale] {
	return rapid.Custom(func(t *rapid.T) affiliate.Sale {
		return affiliate.Sale{
			ID: affiliate.SaleID(rapid.Int64().Draw(t, "id")), AffiliateID: anyID().Draw(t, "affiliateId"), ReferralID: optOf(anyID()).Draw(t, "referralId"),
			AffiliateProgramID: anyID().Draw(t, "program"), AffiliateLinkID: optOf(anyID()).Draw(t, "link"), PromotionalCodeID: optOf(anyID()).Draw(t, "code"),
			ExternalID: optOf(anyText()).Draw(t, "external"), ExternalInvoiceID: optOf(anyText()).Draw(t, "invoice"), Name: optOf(anyText()).Draw(t, "name"),
			Email: optOf(anyText()).Draw(t, "email"), TotalEarned: anyAmount().Draw(t, "total"), Subtotal: optOf(anyAmount()).Draw(t, "subtotal"), TaxAmount: anyAmount().Draw(t, "tax"), ShippingAmount: anyAmount().Draw(t, "shipping"),
			CommissionRate: optOf(anyPercent()).Draw(t, "rate"), CommissionEarned: anyAmount().Draw(t, "earned"),
			ProductsBought: rapid.OneOf(rapid.Just([]string(nil)), rapid.SliceOfN(anyText(), 0, 2)).Draw(t, "products"), Clicks: rapid.Int64().Draw(t, "clicks"),
			Status: textAs[affiliate.SaleStatus]().Draw(t, "status"), RefundedAmount: anyAmount().Draw(t, "refunded"), RefundedAt: optOf(anyTime()).Draw(t, "refundedAt"),
			PaymentTrigger: textAs[affiliate.PaymentTrigger]().Draw(t, "trigger"), Source: textAs[affiliate.SaleSource]().Draw(t, "source"),
			IntegrationSalesSource: optOf(textAs[affiliate.Integration]()).Draw(t, "integration"), Metadata: optOf(anyDocument()).Draw(t, "metadata"),
			CreatedAt: anyTime().Draw(t, "created"), UpdatedAt: anyTime().Draw(t, "updated"),
			Affiliate: affiliate.AffiliateSummary{
				ID: anyID().Draw(t, "seller"), FirstName: anyText().Draw(t, "first"), LastName: anyText().Draw(t, "last"), Name: anyText().Draw(t, "full"),
				Email: anyText().Draw(t, "mail"), Status: textAs[affiliate.AffiliateStatus]().Draw(t, "sellerStatus"), Link: optOf(anyText()).Draw(t, "slug"),
				AffiliateLinks: anyAffiliateLinks().Draw(t, "links"),
			},
			Referral:    optOf(anyReferral()).Draw(t, "referral"),
			Commissions: rapid.OneOf(rapid.Just([]affiliate.Commission(nil)), rapid.SliceOfN(anyCommission(), 0, 2)).Draw(t, "commissions"),
		}
	})
}

// TestAppendJSON: the encoders of the hot answers write what json.Marshal makes
// of the same values, byte for byte but for the spelling of U+FFFD (marshaled).
func TestAppendJSON(t *testing.T) {
	type appender interface{ AppendJSON([]byte) []byte }
	for name, draw := range map[string]func(*rapid.T) appender{
		"affiliate": func(t *rapid.T) appender { v := anyAffiliate().Draw(t, "affiliate"); return &v },
		"link":      func(t *rapid.T) appender { v := anyLink().Draw(t, "link"); return &v },
		"referral":  func(t *rapid.T) appender { v := anyReferral().Draw(t, "referral"); return &v },
		"sale":      func(t *rapid.T) appender { v := anySale().Draw(t, "sale"); return &v },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				v := draw(rt)
				if want, got := marshaled(v), escaped(v.AppendJSON([]byte("x"))[1:]); got != want {
					rt.Fatalf("got  %s\nwant %s", got, want)
				}
			})
		})
	}
}
