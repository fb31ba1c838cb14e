package relation

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// couponFields describe coupons.
func couponFields() []field[record.Coupon] {
	return []field[record.Coupon]{
		id("id", "the coupon", func(r *record.Coupon) *uuid.UUID { return &r.ID }),
		text("name", "as people see it", func(r *record.Coupon) *string { return &r.Name }),
		text("coupon_type", "PERCENTAGE or FLAT", func(r *record.Coupon) *affiliate.CouponType { return &r.Type }),
		percent("percent_off", "of the price; 0 unless PERCENTAGE", func(r *record.Coupon) *affiliate.Percent { return &r.PercentOff }),
		money("amount_off", "off the price; 0 unless FLAT", func(r *record.Coupon) *affiliate.Amount { return &r.AmountOff }),
		text("currency", "of amount_off; empty unless FLAT", func(r *record.Coupon) *affiliate.Currency { return &r.Currency }),
		text("duration", "for which payments, for the host's information: once, forever or repeating", func(r *record.Coupon) *affiliate.Duration { return &r.Duration }),
		integer("duration_in_months", "0 unless repeating", func(r *record.Coupon) *int64 { return &r.DurationInMonths }),
		integer("max_redemptions", "of all its codes together; 0: no limit", func(r *record.Coupon) *int64 { return &r.MaxRedemptions }),
		integer("times_redeemed", "how often its codes were used, and the use was not given back", func(r *record.Coupon) *int64 { return &r.TimesRedeemed }),
		integer("opening_redeemed", "those of times_redeemed that another service had counted", func(r *record.Coupon) *int64 { return &r.OpeningRedeemed }),
		flag("limit_to_products", "it holds for product_ids only", func(r *record.Coupon) *bool { return &r.LimitToProducts }),
		list("product_ids", "a list of the host's ids of products", func(r *record.Coupon) *[]string { return &r.ProductIDs }),
		flag("valid", "its codes can be used", func(r *record.Coupon) *bool { return &r.Valid }),
		optAt("redeem_by", "its codes can be used until then, inclusive; NULL: no end", func(r *record.Coupon) *affiliate.Instant { return &r.RedeemBy }),
		text("external_id", "its id elsewhere; empty: none", func(r *record.Coupon) *string { return &r.ExternalID }),
		text("integration_type", "whose id external_id is: NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE or POLAR; empty: not said", func(r *record.Coupon) *affiliate.IntegrationType { return &r.IntegrationType }),
		integer("revision", "of the last event of this object", func(r *record.Coupon) *int64 { return &r.Revision }),
		at("created_at", "when it was recorded", func(r *record.Coupon) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Coupon) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// codeFields describe codes.
func codeFields() []field[record.Code] {
	return []field[record.Code]{
		id("id", "the promotional code", func(r *record.Code) *uuid.UUID { return &r.ID }),
		id("coupon_id", "its coupon", func(r *record.Code) *uuid.UUID { return &r.CouponID }).key(record.OfCoupon),
		ref("affiliate_id", "whom it credits; NULL: nobody, and it cannot be used", func(r *record.Code) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		text("code", "its text, in the spelling given", func(r *record.Code) *string { return &r.Code }),
		text("external_id", "its id elsewhere; empty: none", func(r *record.Code) *string { return &r.ExternalID }),
		flag("active", "it can be used", func(r *record.Code) *bool { return &r.Active }),
		optAt("expires_at", "it can be used until then, inclusive; NULL: no end", func(r *record.Code) *affiliate.Instant { return &r.ExpiresAt }),
		integer("max_redemptions", "0: no limit", func(r *record.Code) *int64 { return &r.MaxRedemptions }),
		integer("times_redeemed", "how often it was used, and the use was not given back", func(r *record.Code) *int64 { return &r.TimesRedeemed }),
		integer("opening_redeemed", "those of times_redeemed that another service had counted", func(r *record.Code) *int64 { return &r.OpeningRedeemed }),
		flag("first_time_order", "only for a customer's first order", func(r *record.Code) *bool { return &r.FirstTimeOrder }),
		optMoney("minimum_amount", "of the basket; NULL: none", func(r *record.Code) *affiliate.Opt[affiliate.Amount] { return &r.MinimumAmount }),
		text("minimum_amount_currency", "of minimum_amount; empty: there is none", func(r *record.Code) *affiliate.Currency { return &r.MinimumCurrency }),
		flag("limit_to_customers", "only for customer_id", func(r *record.Code) *bool { return &r.LimitToCustomers }),
		text("customer_id", "the referral id, the host's id or the email of a customer; empty: none", func(r *record.Code) *string { return &r.CustomerID }),
		flag("limit_to_affiliate", "only for customers of its affiliate", func(r *record.Code) *bool { return &r.LimitToAffiliate }),
		flag("is_auto_generated", "the program made its text", func(r *record.Code) *bool { return &r.AutoGenerated }),
		flag("is_affiliate_generated", "the affiliate made it", func(r *record.Code) *bool { return &r.AffiliateGenerated }),
		integer("revision", "of the last event of this object", func(r *record.Code) *int64 { return &r.Revision }),
		at("created_at", "when it was recorded", func(r *record.Code) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Code) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// redemptionFields describe redemptions.
func redemptionFields() []field[record.Redemption] {
	return []field[record.Redemption]{
		id("id", "sale_id in the last eight bytes, which finds the redemption of a sale", func(r *record.Redemption) *uuid.UUID { return &r.ID }),
		{
			Column: Column{Name: "sale_id", Kind: Integer, Doc: "the sale, which may be gone"},
			get:    func(r *record.Redemption) Cell { return Cell{Int: numberOf(r.ID)} },
			set:    func(*record.Redemption, *Cell) error { return nil }, // of the id
		},
		id("promotional_code_id", "the code, which may be gone", func(r *record.Redemption) *uuid.UUID { return &r.CodeID }).key(record.OfCode),
		id("coupon_id", "the coupon, which may be gone", func(r *record.Redemption) *uuid.UUID { return &r.CouponID }).key(record.OfCoupon),
		optAt("restored_at", "when it was given back; NULL: it counts", func(r *record.Redemption) *affiliate.Instant { return &r.RestoredAt }),
		at("created_at", "when the sale was recorded", func(r *record.Redemption) *affiliate.Instant { return &r.CreatedAt }),
	}
}
