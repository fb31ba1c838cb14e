package relation

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// couponFields describe coupons.
func couponFields() []field[record.Coupon] {
	return []field[record.Coupon]{
		id("id", "of the row", func(r *record.Coupon) *uuid.UUID { return &r.ID }),
		text("name", "as people see it", func(r *record.Coupon) *string { return &r.Name }),
		text("coupon_type", "PERCENTAGE or FLAT", func(r *record.Coupon) *affiliate.CouponType { return &r.Type }),
		percent("percent_off", "of the price; 0 unless PERCENTAGE", func(r *record.Coupon) *affiliate.Percent { return &r.PercentOff }),
		money("amount_off", "off the price; 0 unless FLAT", func(r *record.Coupon) *affiliate.Amount { return &r.AmountOff }),
		text("currency", "of amount_off; empty unless FLAT", func(r *record.Coupon) *affiliate.Currency { return &r.Currency }),
		text("duration", "once, forever or repeating, for the host's information", func(r *record.Coupon) *affiliate.Duration { return &r.Duration }),
		integer("duration_in_months", "0 unless repeating", func(r *record.Coupon) *int64 { return &r.DurationInMonths }),
		integer("max_redemptions", "of all its codes together; 0: no limit", func(r *record.Coupon) *int64 { return &r.MaxRedemptions }),
		integer("times_redeemed", "uses of its codes that were not given back", func(r *record.Coupon) *int64 { return &r.TimesRedeemed }),
		integer("opening_redeemed", "those of times_redeemed that another service had counted", func(r *record.Coupon) *int64 { return &r.OpeningRedeemed }),
		flag("limit_to_products", "it holds for product_ids only", func(r *record.Coupon) *bool { return &r.LimitToProducts }),
		list("product_ids", "the host's ids of products: texts", func(r *record.Coupon) *[]string { return &r.ProductIDs }),
		flag("valid", "its codes can be used", func(r *record.Coupon) *bool { return &r.Valid }),
		optAt("redeem_by", "its codes can be used until then, inclusive", func(r *record.Coupon) *affiliate.Instant { return &r.RedeemBy }),
		optAt("starts_at", "its codes can be used from then, inclusive", func(r *record.Coupon) *affiliate.Instant { return &r.StartsAt }),
		money("max_discount", "of one order, of a percentage; 0: no limit", func(r *record.Coupon) *affiliate.Amount { return &r.MaxDiscount }),
		money("max_discount_total", "its budget: orders get nothing once discount_total has reached it; 0: none", func(r *record.Coupon) *affiliate.Amount { return &r.MaxDiscountTotal }),
		money("discount_total", "what its redemptions took off, those given back excepted", func(r *record.Coupon) *affiliate.Amount { return &r.DiscountTotal }),
		integer("max_redemptions_per_customer", "of all its codes together; 0: no limit", func(r *record.Coupon) *int64 { return &r.MaxPerCustomer }),
		integer("times_held", "places that holds keep, lapsed ones included until their place is taken", func(r *record.Coupon) *int64 { return &r.Held }),
		money("held_discount", "what these holds take off", func(r *record.Coupon) *affiliate.Amount { return &r.HeldDiscount }),
		flag("restore_on_refund", "a sale refunded in full gives its redemption back", func(r *record.Coupon) *bool { return &r.RestoreOnRefund }),
		text("external_id", "its id elsewhere", func(r *record.Coupon) *string { return &r.ExternalID }),
		text("integration_type", "whose id external_id is: NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE or POLAR", func(r *record.Coupon) *affiliate.IntegrationType { return &r.IntegrationType }),
		integer("revision", "of the last event of this object", func(r *record.Coupon) *int64 { return &r.Revision }),
		at("created_at", "when it was recorded", func(r *record.Coupon) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Coupon) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// codeFields describe codes.
func codeFields() []field[record.Code] {
	return []field[record.Code]{
		id("id", "of the row", func(r *record.Code) *uuid.UUID { return &r.ID }),
		id("coupon_id", "its coupon", func(r *record.Code) *uuid.UUID { return &r.CouponID }).key(record.OfCoupon),
		ref("affiliate_id", "whom it credits; NULL: nobody, and it cannot be used", func(r *record.Code) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		text("code", "its text, in the spelling given", func(r *record.Code) *string { return &r.Code }),
		text("external_id", "its id elsewhere", func(r *record.Code) *string { return &r.ExternalID }),
		flag("active", "it can be used", func(r *record.Code) *bool { return &r.Active }),
		optAt("expires_at", "it can be used until then, inclusive", func(r *record.Code) *affiliate.Instant { return &r.ExpiresAt }),
		integer("max_redemptions", "0: no limit", func(r *record.Code) *int64 { return &r.MaxRedemptions }),
		integer("times_redeemed", "uses that were not given back", func(r *record.Code) *int64 { return &r.TimesRedeemed }),
		integer("opening_redeemed", "those of times_redeemed that another service had counted", func(r *record.Code) *int64 { return &r.OpeningRedeemed }),
		flag("first_time_order", "only for a customer's first order", func(r *record.Code) *bool { return &r.FirstTimeOrder }),
		optMoney("minimum_amount", "of the basket", func(r *record.Code) *affiliate.Opt[affiliate.Amount] { return &r.MinimumAmount }),
		text("minimum_amount_currency", "of minimum_amount", func(r *record.Code) *affiliate.Currency { return &r.MinimumCurrency }),
		optAt("starts_at", "it can be used from then, inclusive", func(r *record.Code) *affiliate.Instant { return &r.StartsAt }),
		money("minimum_quantity", "of pieces in the order, in 1/10,000; 0: none", func(r *record.Code) *affiliate.Amount { return &r.MinimumQuantity }),
		integer("max_redemptions_per_customer", "0: no limit; that of its coupon applies as well", func(r *record.Code) *int64 { return &r.MaxPerCustomer }),
		integer("times_held", "places that holds keep, lapsed ones included until their place is taken", func(r *record.Code) *int64 { return &r.Held }),
		flag("limit_to_customers", "only for customer_id", func(r *record.Code) *bool { return &r.LimitToCustomers }),
		text("customer_id", "a customer by the referral's id, the host's id or the email", func(r *record.Code) *string { return &r.CustomerID }),
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
		id("id", "has sale_id in its last eight bytes, to find the redemption of a sale", func(r *record.Redemption) *uuid.UUID { return &r.ID }),
		{
			Column: Column{Name: "sale_id", Kind: Integer, Doc: "the sale; may be gone"},
			get:    func(r *record.Redemption) Cell { return Cell{Int: numberOf(r.ID)} },
			set:    func(*record.Redemption, *Cell) error { return nil }, // of the id
		},
		ref("promotional_code_id", "the code; may be gone; NULL: an offer", func(r *record.Redemption) *uuid.UUID { return &r.CodeID }).key(record.OfCode),
		id("coupon_id", "the coupon; may be gone", func(r *record.Redemption) *uuid.UUID { return &r.CouponID }).key(record.OfCoupon),
		text("external_id", "of the order; empty: there is a sale", func(r *record.Redemption) *string { return &r.ExternalID }),
		money("discount", "what the code took off", func(r *record.Redemption) *affiliate.Amount { return &r.Discount }),
		flag("refunded", "it was given back, because the sale or the payment of the order was refunded in full", func(r *record.Redemption) *bool { return &r.Refunded }),
		flag("over_limit", "it went over a limit, because its hold had lapsed before the payment", func(r *record.Redemption) *bool { return &r.Over }),
		text("hold_id", "the caller's id of the hold that it confirmed", func(r *record.Redemption) *string { return &r.HoldID }),
		optAt("seen_at", "when somebody saw that it is over a limit", func(r *record.Redemption) *affiliate.Instant { return &r.SeenAt }),
		optAt("restored_at", "when it was given back; NULL: it counts", func(r *record.Redemption) *affiliate.Instant { return &r.RestoredAt }),
		at("created_at", "when the sale was recorded", func(r *record.Redemption) *affiliate.Instant { return &r.CreatedAt }),
	}
}

// useFields describe who has the places of codes that have a limit per customer.
func useFields() []field[record.Use] {
	return []field[record.Use]{
		id("id", "of the row", func(r *record.Use) *uuid.UUID { return &r.ID }),
		id("customer", "an irreversible digest of what the customer is known by: the referral, the mailbox, the host's or a provider's id", func(r *record.Use) *uuid.UUID { return &r.Customer }).key(record.OfUser),
		id("redemption_id", "the redemption, or the hold, that has the place", func(r *record.Use) *uuid.UUID { return &r.RedemptionID }).key(record.OfRedemption),
		ref("promotional_code_id", "the code; NULL: an offer", func(r *record.Use) *uuid.UUID { return &r.CodeID }),
		id("coupon_id", "the coupon", func(r *record.Use) *uuid.UUID { return &r.CouponID }),
		optAt("until", "when the hold lapses; NULL: it is a redemption", func(r *record.Use) *affiliate.Instant { return &r.Until }),
	}
}

// holdFields describe holds.
func holdFields() []field[record.Hold] {
	return []field[record.Hold]{
		id("id", "in the order of until", func(r *record.Hold) *uuid.UUID { return &r.ID }),
		text("hold_id", "the caller's id", func(r *record.Hold) *string { return &r.HoldID }).key(record.ByExternalID),
		ref("promotional_code_id", "the code; may be gone; NULL: an offer", func(r *record.Hold) *uuid.UUID { return &r.CodeID }),
		id("coupon_id", "the coupon; may be gone", func(r *record.Hold) *uuid.UUID { return &r.CouponID }),
		text("state", "HELD, CONFIRMED, RELEASED or LAPSED. A hold whose time, the column until, has passed stays HELD until somebody else takes its place", func(r *record.Hold) *affiliate.HoldState { return &r.State }),
		text("currency", "of the amounts; empty: the program's", func(r *record.Hold) *affiliate.Currency { return &r.Currency }),
		optMoney("subtotal", "what was priced", func(r *record.Hold) *affiliate.Opt[affiliate.Amount] { return &r.Basket }),
		optMoney("discount", "of subtotal", func(r *record.Hold) *affiliate.Opt[affiliate.Amount] { return &r.Discount }),
		money("discount_worth", "discount in the program's currency", func(r *record.Hold) *affiliate.Amount { return &r.Worth }),
		optMoney("total", "left to charge, before tax and shipping", func(r *record.Hold) *affiliate.Opt[affiliate.Amount] { return &r.Total }),
		listAs("lines", "the lines of the order, as lines of sales", func(r *record.Hold) *[]affiliate.StoredLine { return &r.Lines }, lineOf, line.value),
		integer("sale_id", "the sale that confirmed it; 0: none", func(r *record.Hold) *int64 { return &r.Number }),
		at("until", "when it lapses", func(r *record.Hold) *affiliate.Instant { return &r.Until }),
		at("created_at", "when it was recorded", func(r *record.Hold) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Hold) *affiliate.Instant { return &r.UpdatedAt }),
	}
}
