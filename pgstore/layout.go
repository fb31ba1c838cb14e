package pgstore

import (
	"reflect"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// layouts are the fields of the compact records. The number of a field is its
// place, from 1. Stored rows have these numbers: a new field is added at the end
// of its list, and no field moves.
var layouts = map[reflect.Type][]string{
	reflect.TypeFor[record.Redemption](): {"ID", "CodeID", "CouponID", "RestoredAt", "CreatedAt"},
	reflect.TypeFor[record.Click](): {
		"ID", "Number", "AffiliateID", "LinkID", "ReferralID", "DeviceID", "LandingURL", "Referrer", "UserAgent", "Unique", "CreatedAt",
	},
	reflect.TypeFor[record.Sale](): {
		"ID", "Number", "AffiliateID", "ReferralID", "LinkID", "CodeID", "ExternalID", "InvoiceID", "Name", "Email",
		"TotalEarned", "Subtotal", "Tax", "Shipping", "Refunded", "Rate", "RateType", "RateFixed", "ByHand",
		"CreatedAt", "UpdatedAt", "Commissions", "Refunds", "Products", "Clicks", "Status", "RefundedAt",
		"Trigger", "Source", "Integration", "Metadata", "Revision", "DeletedFired", "HoldDays", "Free", "Why", "Past",
		"PaidAt",
	},
	reflect.TypeFor[record.Why]():     {"By", "RateFrom", "PlanFrom", "Over", "Deduct", "Click", "Payment", "PlanID", "TierID"},
	reflect.TypeFor[record.HandSet](): {"Earned", "Kept", "Named", "Tax", "Shipping"},
	reflect.TypeFor[record.Commission](): {
		"Number", "AffiliateID", "Earned", "Approval", "HoldReason", "PayoutID", "ManuallyPaid", "BonusReason", "CreatedAt", "UpdatedAt",
		"Frozen", "ClawBack", "RiskReasons",
	},
	reflect.TypeFor[record.Refund](): {"ID", "Amount", "At", "Fact", "Tax", "Shipping"},
	reflect.TypeFor[record.Movement](): {
		"ID", "AffiliateID", "Number", "At", "From", "To", "Cause", "Amount", "Sale", "Commission", "PayoutID", "AdjustmentID",
		"LinkID", "CodeID", "Sales", "Revenue", "Refunds", "Held", "Payable", "InPayout", "Paid",
	},
	reflect.TypeFor[record.Payment](): {
		"ID", "Provider", "PayerID", "Sale", "Gross", "CreatedAt", "UpdatedAt", "Waiting", "Refunds", "Refunded", "Late", "Disputes",
		"Peak", "Adjusted", "Adjustments", "Counted", "Conflict", "Decided", "Worth", "Left",
	},
	reflect.TypeFor[affiliate.PaymentRefund]():  {"ID", "Amount", "State", "Late", "Tax", "Shipping"},
	reflect.TypeFor[affiliate.PaymentDispute](): {"ID", "Amount", "State", "At", "Late", "Warning"},
	reflect.TypeFor[affiliate.WaitingSale](): {
		"TotalEarned", "Subtotal", "Tax", "Shipping", "ExternalID", "InvoiceID", "Rate", "ProductID", "ProductName",
		"Trigger", "Free", "Renewal", "PaidAt", "Tries", "Nothing", "Payment",
	},
	reflect.TypeFor[affiliate.Credit]():  {"PromoCode", "CodeExternalID", "ReferralID"},
	reflect.TypeFor[record.PaymentKey](): {"ID", "PaymentID", "Provider", "Key"},
	reflect.TypeFor[record.Receipt](): {
		"ID", "Key", "Digest", "Answer", "Sealed", "Secret", "Outcome", "Refusal", "CreatedAt",
	},
	reflect.TypeFor[record.Event](): {"ID", "Type", "ObjectID", "Number", "Revision", "OccurredAt", "Payload"},
	reflect.TypeFor[record.Delivery](): {
		"ID", "EventID", "EndpointID", "Type", "State", "CreatedAt", "UpdatedAt", "NextAttemptAt", "Attempts",
	},
	reflect.TypeFor[record.Attempt](): {"At", "Manual", "URL", "Status", "Took", "Err", "Response"},
}

// words are texts that records repeat. Stored rows have their places: a new word
// is added at the end, and no word moves.
var words = []string{
	"ACTIVE", "REFUNDED", "PERCENTAGE", "FLAT",
	"SIGNUP", "PURCHASE", "BONUS", "CONTENT_REWARD",
	"API", "MANUAL", "IMPORTED", "UNKNOWN", "INTEGRATION", "AUTOMATED",
	"ACCEPTED", "ON_HOLD", "DECLINED",
	"PROGRAM_SETTINGS", "FRAUD_PREVENTION", "AFFILIATE_DEACTIVATED", "AFFILIATE_BANNED",
	"pending", "delivered", "failed", "skipped", "canceled",
	"affiliate.created", "affiliate.updated", "affiliate.deleted",
	"referral.created", "referral.updated", "referral.deleted",
	"sale.created", "sale.updated", "sale.deleted",
	"coupon.created", "coupon.updated", "coupon.deleted",
	"promocode.created", "promocode.updated", "promocode.deleted",
	"JAVASCRIPT", "MAKE", "ZAPIER", "STRIPE", "SHOPIFY", "WOOCOMMERCE",
	"PADDLE", "CHARGEBEE", "MEMBERSTACK", "POLAR", "SKILLPLATE", "ZYLVIE",
	"recorded", "duplicate",
	"ACCRUAL", "HELD", "PAYABLE", "IN_PAYOUT", "PAID",
	"SALE", "UPDATE", "REFUND", "CLAW_BACK", "REVIEW", "DELETION", "ADJUSTMENT",
	"PAYOUT_CREATED", "PAYOUT_PAID", "PAYOUT_CANCELED", "OPENING",
	"CODE", "CLICK", "LINK", "AFFILIATE", "REFERRAL", "EMAIL", "TIER", "PLAN", "PROGRAM", "CUSTOMER",
	"PAYMENTS", "MONTHS", "NONE", "TAX", "SHIPPING", "TAX_AND_SHIPPING",
	"stripe", "paddle", "polar", "lemonsqueezy", "succeeded", "inquiry", "withdrawn", "lost", "won", "released",
	"PAYOUT_RETURNED", "MOVE", "AFFILIATE_NOT_APPROVED",
}

// places are the places of the words.
var places = func() map[string]int {
	at := make(map[string]int, len(words))
	for i, word := range words {
		at[word] = i
	}
	return at
}()
