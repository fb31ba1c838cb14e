package relation

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// affiliateFields describe affiliates.
func affiliateFields() []field[record.Affiliate] {
	return []field[record.Affiliate]{
		id("id", "of the row", func(r *record.Affiliate) *uuid.UUID { return &r.ID }),
		text("first_name", "the name", func(r *record.Affiliate) *string { return &r.FirstName }),
		text("last_name", "the name", func(r *record.Affiliate) *string { return &r.LastName }),
		text("email", "canonical: lower case, trimmed, its domain in ASCII", func(r *record.Affiliate) *string { return &r.Email }),
		text("external_id", "the host's own id of the user, account or tenant", func(r *record.Affiliate) *string { return &r.ExternalID }),
		text("language", "in which it is written to, a tag of BCP 47 such as pt-BR; empty: not known", func(r *record.Affiliate) *string { return &r.Language }),
		word("status", "ACTIVE, INACTIVE (waits for an approval), INVITED, DECLINED, DEACTIVATED or BANNED", func(r *record.Affiliate) *affiliate.AffiliateStatus { return &r.Status }).key(record.OfState),
		text("source", "who recorded it: API, MANUAL, IMPORTED, AFFILIATE_PORTAL, WIDGET, REFERLY_MARKETPLACE, INFLUENCER_DISCOVERY or UNKNOWN", func(r *record.Affiliate) *affiliate.AffiliateSource { return &r.Source }),
		optPercent("commission_rate", "own rate; NULL: that of the tier, plan or program", func(r *record.Affiliate) *affiliate.Opt[affiliate.Percent] { return &r.Rate }),
		text("commission_type", "of commission_rate: PERCENTAGE, or FLAT, an amount for each sale; empty: no rate, or one stored without a type", func(r *record.Affiliate) *affiliate.CommissionType { return &r.RateType }),
		ref("commission_plan_id", "own plan", func(r *record.Affiliate) *uuid.UUID { return &r.PlanID }).key(record.OfPlan),
		ref("commission_tier_id", "its tier", func(r *record.Affiliate) *uuid.UUID { return &r.TierID }).key(record.OfTier),
		ref("offer_coupon_id", "what its links give customers; NULL: the offer of the terms", func(r *record.Affiliate) *uuid.UUID { return &r.OfferCouponID }).key(record.OfCoupon),
		text("note", "note of the program's people, for themselves", func(r *record.Affiliate) *string { return &r.Note }),
		flag("exempt_from_commission_tier_changes", "AssignTiersJob does not move it to another tier", func(r *record.Affiliate) *bool { return &r.TierExempt }),
		text("payout_email", "where payouts go", func(r *record.Affiliate) *string { return &r.PayoutEmail }),
		text("payee", "the mailbox of payout_email, the same for all its addresses", func(r *record.Affiliate) *string { return &r.Payee }),
		flag("payee_shared", "another affiliate was paid there when payout_email was set", func(r *record.Affiliate) *bool { return &r.PayeeShared }),
		text("payment_method", "WISE, WISE_BANK, PAYPAL, BANK, CREDITS, COUPON or REFERLY", func(r *record.Affiliate) *affiliate.PaymentMethod { return &r.PaymentMethod }),
		listAs("question_answers", "answers to signup questions: {id, question_id, answer}", func(r *record.Affiliate) *[]affiliate.Answer { return &r.Answers }, questionAnswerOf, questionAnswer.value),
		integer("opening_clicks", "visits that another service had counted, deleted links included", func(r *record.Affiliate) *int64 { return &r.OpeningClicks }),
		flag("merged", "others were merged into it; their names in erasures lead here", func(r *record.Affiliate) *bool { return &r.Merged }),
		integer("revision", "of the last event of this object", func(r *record.Affiliate) *int64 { return &r.Revision }),
		at("created_at", "when it was recorded", func(r *record.Affiliate) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Affiliate) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// linkFields describe links.
func linkFields() []field[record.Link] {
	return []field[record.Link]{
		id("id", "of the row", func(r *record.Link) *uuid.UUID { return &r.ID }),
		id("affiliate_id", "its owner", func(r *record.Link) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		text("slug", "the link on the wire, in the spelling given", func(r *record.Link) *string { return &r.Slug }),
		list("aliases", "former slugs that still lead to it: texts", func(r *record.Link) *[]string { return &r.Aliases }),
		integer("opening_clicks", "visits that another service had counted", func(r *record.Link) *int64 { return &r.OpeningClicks }),
		at("created_at", "when it was recorded", func(r *record.Link) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Link) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// aliasFields describe aliases.
func aliasFields() []field[record.Alias] {
	return []field[record.Alias]{
		id("id", "the alias; of a slug that leads to nobody its digest", func(r *record.Alias) *uuid.UUID { return &r.ID }),
		ref("affiliate_link_id", "its link; NULL: it leads to nobody", func(r *record.Alias) *uuid.UUID { return &r.LinkID }).key(record.OfLink),
		ref("affiliate_id", "whose it was, may be gone; NULL: it leads to a link", func(r *record.Alias) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		text("alias", "the text, in the spelling given; empty: it leads to nobody", func(r *record.Alias) *string { return &r.Alias }),
	}
}

// clickFields describe clicks.
func clickFields() []field[record.Click] {
	return []field[record.Click]{
		id("id", "of the row", func(r *record.Click) *uuid.UUID { return &r.ID }),
		integer("click_id", "the id on the wire", func(r *record.Click) *int64 { return &r.Number }).key(record.ByNumber),
		id("affiliate_id", "whose link it was", func(r *record.Click) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		ref("affiliate_link_id", "the link", func(r *record.Click) *uuid.UUID { return &r.LinkID }).key(record.OfLink),
		ref("referral_id", "the customer that the visitor became", func(r *record.Click) *uuid.UUID { return &r.ReferralID }).key(record.OfReferral),
		text("device_id", "the visitor's device, as the host said", func(r *record.Click) *string { return &r.DeviceID }),
		text("full_landing_url", "where the visitor arrived, without the parts of the query that may be secret", func(r *record.Click) *string { return &r.LandingURL }),
		text("document_referrer", "the page with the link, cut likewise", func(r *record.Click) *string { return &r.Referrer }),
		text("user_agent", "the visitor's browser", func(r *record.Click) *string { return &r.UserAgent }),
		flag("is_unique", "the visitor had not come before", func(r *record.Click) *bool { return &r.Unique }),
		optInteger("earlier_click_id", "the visitor's click before this one, where the first click credits", func(r *record.Click) *int64 { return &r.Earlier }),
		at("created_at", "when the visit was recorded", func(r *record.Click) *affiliate.Instant { return &r.CreatedAt }),
	}
}

// referralFields describe referrals.
func referralFields() []field[record.Referral] {
	return []field[record.Referral]{
		id("id", "of the row", func(r *record.Referral) *uuid.UUID { return &r.ID }),
		id("affiliate_id", "who is credited", func(r *record.Referral) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		ref("affiliate_link_id", "the link", func(r *record.Referral) *uuid.UUID { return &r.LinkID }).key(record.OfLink),
		ref("commission_plan_id", "the affiliate's plan when recorded, or one set for this customer", func(r *record.Referral) *uuid.UUID { return &r.PlanID }).key(record.OfPlan),
		flag("commission_plan_fixed", "the plan was set for this customer, and wins", func(r *record.Referral) *bool { return &r.PlanFixed }),
		text("name", "the customer's name", func(r *record.Referral) *string { return &r.Name }),
		text("email", "canonical", func(r *record.Referral) *string { return &r.Email }),
		text("referred_user_external_id", "the host's own id of the customer", func(r *record.Referral) *string { return &r.CustomerID }),
		text("plan", "what the customer subscribed to; N/A or empty: not said", func(r *record.Referral) *string { return &r.Plan }),
		text("status", "of the subscription: ACTIVE, SUBMITTED, DECLINED, PAST_DUE or CANCELLED", func(r *record.Referral) *affiliate.SubscriptionStatus { return &r.Status }),
		text("submission_type", "AUTOMATIC or MANUAL", func(r *record.Referral) *affiliate.SubmissionType { return &r.SubmissionType }),
		text("referral_medium", "how the customer came: LINK, or COUPON, a promotional code", func(r *record.Referral) *affiliate.ReferralMedium { return &r.Medium }),
		text("source", "who recorded it: API, MANUAL, IMPORTED, INTEGRATION, AFFILIATE_SUBMITTED or UNKNOWN", func(r *record.Referral) *affiliate.ReferralSource { return &r.Source }),
		text("integration_referral_source", "JAVASCRIPT, MAKE, ZAPIER, STRIPE, SHOPIFY, WOOCOMMERCE, PADDLE, CHARGEBEE, MEMBERSTACK, POLAR, SKILLPLATE or ZYLVIE", func(r *record.Referral) *affiliate.Integration { return &r.Integration }),
		text("initial_landing_page", "where the customer arrived", func(r *record.Referral) *string { return &r.LandingPage }),
		optText("notes", "the host's notes", func(r *record.Referral) *affiliate.Opt[string] { return &r.Notes }),
		rawJSON("metadata", "a JSON object of the host, byte for byte", func(r *record.Referral) *json.RawMessage { return &r.Metadata }),
		optAt("erased_at", "from then on nothing that shows the customer is stored", func(r *record.Referral) *affiliate.Instant { return &r.Erased }),
		flag("merged", "others were merged into it; their names in erasures lead here", func(r *record.Referral) *bool { return &r.Merged }),
		integer("revision", "of the last event of this object", func(r *record.Referral) *int64 { return &r.Revision }),
		at("created_at", "when it was recorded", func(r *record.Referral) *affiliate.Instant { return &r.CreatedAt }),
		at("updated_at", "when it last changed", func(r *record.Referral) *affiliate.Instant { return &r.UpdatedAt }),
	}
}

// caseFields describe cases.
func caseFields() []field[record.Case] {
	return []field[record.Case]{
		id("id", "of the row", func(r *record.Case) *uuid.UUID { return &r.ID }),
		id("affiliate_id", "who asks", func(r *record.Case) *uuid.UUID { return &r.AffiliateID }).key(record.OfAffiliate),
		text("kind", "SALE_CLAIM, SALE_QUESTION or PAYOUT_REQUEST", func(r *record.Case) *affiliate.CaseKind { return &r.Kind }),
		optInteger("sale_id", "the sale of a question; may be gone", func(r *record.Case) *int64 { return &r.Sale }),
		text("external_id", "the number of the order of a claim, as the affiliate has written it", func(r *record.Case) *string { return &r.ExternalID }),
		text("text", "what the affiliate has written", func(r *record.Case) *string { return &r.Text }),
		word("status", "OPEN or ANSWERED", func(r *record.Case) *affiliate.CaseStatus { return &r.Status }).key(record.OfState),
		text("answer", "what the affiliate is told", func(r *record.Case) *string { return &r.Answer }),
		text("actor", "who answered: a person, an API key", func(r *record.Case) *string { return &r.Actor }),
		optAt("answered_at", "when it was answered", func(r *record.Case) *affiliate.Instant { return &r.AnsweredAt }),
		at("created_at", "when it was opened", func(r *record.Case) *affiliate.Instant { return &r.CreatedAt }),
	}
}
