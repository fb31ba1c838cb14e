package scene

import (
	"context"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
)

var pastDay = time.Date(2025, 5, 1, 10, 0, 0, 0, time.UTC)

var importedOne = []imported.Affiliate{{
	Ref: "old:affiliate:1", FirstName: "Mara", LastName: "Holm", Email: "mara@example.com", CreatedAt: pastDay,
	Links: []imported.Link{{Ref: "old:link:1", Slug: "mara", Clicks: 7}, {Ref: "old:link:2", Slug: "mara blog"}},
}}

var importedCoupon = []imported.Coupon{{
	CouponParams: affiliate.CouponParams{Name: "Spring", PercentOff: Percent("20")},
	Ref:          "old:coupon:1", CreatedAt: pastDay,
	Codes: []imported.Code{{CodeParams: affiliate.CodeParams{Code: "MARA20"}, Ref: "old:code:1",
		Via: []string{"old:affiliate:1"}, TimesRedeemed: 3}},
}}

// ImportedCustomer is the customer of the past of Imports.
var ImportedCustomer = []imported.Referral{{
	ReferralParams: affiliate.ReferralParams{Name: "Tomas", Email: "tomas@example.net"},
	Ref:            "old:customer:1", Via: []string{"old:link:1"}, CreatedAt: pastDay,
	Payers: []affiliate.ProviderID{{Provider: "stripe", ID: "cus_T"}, {Provider: "paddle", ID: "ctm_T"}},
}}

// ImportedSales are the sales and the bonus of the past of Imports.
var ImportedSales = []imported.Sale{
	{
		Ref: "old:sale:1", CreatedAt: pastDay, Customer: "old:customer:1", TotalEarned: Sum("120"),
		Tax: Sum("20"), Refunded: Sum("30"), CommissionEarned: Sum("15"),
		Keys: []affiliate.ProviderID{{Provider: "stripe", ID: "ch_1"}, {Provider: "stripe", ID: "in_1"}},
	},
	{Ref: "old:sale:2", CreatedAt: pastDay, Via: []string{"old:code:1"}, TotalEarned: Sum("50"),
		CommissionEarned: Sum("10")},
	{Ref: "old:bonus:1", CreatedAt: pastDay, Via: []string{"old:affiliate:1"}, CommissionEarned: Sum("5")},
}

var importedPayout = []imported.Payout{{Ref: "old:payout:1", PaidAt: pastDay,
	Sales: []string{"old:sale:2", "old:bonus:1"}, Amount: Sum("15")}}

// Imports are the import calls in their order.
var Imports = []struct {
	Name string
	Call func(ctx context.Context, p *tributary.Program) (imported.Report, error)
}{
	{"ImportAffiliates", func(ctx context.Context, p *tributary.Program) (imported.Report, error) {
		return p.Imports().Affiliates(ctx, importedOne)
	}},
	{"ImportCoupons", func(ctx context.Context, p *tributary.Program) (imported.Report, error) {
		return p.Imports().Coupons(ctx, importedCoupon)
	}},
	{"ImportReferrals", func(ctx context.Context, p *tributary.Program) (imported.Report, error) {
		return p.Imports().Referrals(ctx, ImportedCustomer)
	}},
	{"ImportSales", func(ctx context.Context, p *tributary.Program) (imported.Report, error) {
		return p.Imports().Sales(ctx, ImportedSales)
	}},
	{"ImportPayouts", func(ctx context.Context, p *tributary.Program) (imported.Report, error) {
		return p.Imports().Payouts(ctx, importedPayout)
	}},
}
