package httpapi

import (
	"maps"

	"github.com/tributary-go/tributary/affiliate"
)

// merged is a map with the entries of two.
func merged[T any](a, b map[string]T) map[string]T {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func affiliateManyBodies() map[string]note {
	return map[string]note{
		"from":             plain("Who goes: an id, an email, or ext: with an externalId.", identText),
		"into":             plain("Who stays, named likewise.", identText),
		"cursor":           stepCursor(),
		"limit":            stepLimit(),
		"forfeit":          plain("What is owed to the affiliate is given up; without it that is refused."),
		"affiliateIds":     plain("The ids of the affiliates: all are changed or none.", distinct("1", "1000")),
		"status":           plain("ACTIVE approves and DECLINED declines who is INACTIVE. DEACTIVATED and BANNED are for who is ACTIVE: commissions of later sales are on hold.", only("ACTIVE", "DECLINED", "DEACTIVATED", "BANNED")),
		"commissionTierId": plain("The tier; null: none.", identText),
		"exempt":           plain("True when tier changes leave the affiliates alone."),
		"payoutEmail":      plain("Where payouts are announced; absent or null clears it.", emailText),
		"paymentMethod":    plain("How payouts are made; absent or null clears it.", values[affiliate.PaymentMethod]()),
		"questionAnswers":  plain("Answers to the questions of the signup."),
	}
}

// nullable is for a field that must be there and may be null.
func nullable(s *schema) { s.Type = append(s.Type, "null") }

func affiliateManyOperations() map[string]about {
	many := func(id, summary, field string) about {
		return about{
			id: id, summary: summary,
			text:     "Answers the affiliates in the order of the ids. Fires affiliate.updated for each that changed.",
			required: []string{"affiliateIds", field},
			refused: refused{
				invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.BulkLimitExceeded},
				notFound: []affiliate.Reason{affiliate.AffiliateNotFound},
			},
		}
	}
	status := many("setAffiliateStatus", "Approve, decline, deactivate or ban affiliates", "status")
	status.refused.invalid = append(status.refused.invalid, affiliate.StatusNotAllowed)
	plan := many("setAffiliatePlan", "Put affiliates on a commission plan, for future sales", "commissionPlanId")
	plan.refused.invalid = append(plan.refused.invalid, affiliate.PlanNotFound)
	plan.limits = map[string]limit{"commissionPlanId": nullable}
	tier := many("setAffiliateTier", "Put affiliates into a tier, exempt ones too", "commissionTierId")
	tier.refused.notFound = append(tier.refused.notFound, affiliate.TierNotFound)
	tier.limits = map[string]limit{"commissionTierId": nullable}
	return map[string]about{
		"POST /affiliates/status":      status,
		"POST /affiliates/plan":        plan,
		"POST /affiliates/tier":        tier,
		"POST /affiliates/tier-exempt": many("setTierExempt", "Say whether tier changes leave affiliates alone", "exempt"),
		"POST /affiliates/erase": erasureNote("eraseAffiliate", "Erase an affiliate", "affiliateId",
			refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.MoneyOwed}, notFound: []affiliate.Reason{affiliate.AffiliateNotFound}}),
		"POST /affiliates/merge": mergeNote("mergeAffiliates", "Make one affiliate of two",
			"Links with their former slugs, clicks, codes, customers, sales, adjustments and payouts of from become those of into, as they are; both ledgers say MERGE. The id, the email and the externalId of from name into from then on. "+
				"What was merged before is answered as it is. Fires promocode.updated, referral.updated and sale.updated for what moved, affiliate.deleted and affiliate.updated.",
			refused{invalid: []affiliate.Reason{affiliate.MissingField, affiliate.InPayout, affiliate.StatusNotAllowed}, notFound: []affiliate.Reason{affiliate.AffiliateNotFound}}),
		"POST /affiliates/payout-details": {
			id: "setPayoutDetails", summary: "Replace how an affiliate is paid",
			text:     "Fires affiliate.updated when something changed.",
			required: []string{"affiliateId"},
			refused: refused{
				invalid: []affiliate.Reason{affiliate.MissingField}, notFound: []affiliate.Reason{affiliate.AffiliateNotFound},
			},
		},
		"POST /affiliates/invite": {
			id: "inviteAffiliate", summary: "Add an affiliate that is INVITED",
			text:     "Fires affiliate.created.",
			required: []string{"firstName", "lastName", "email"},
			refused: refused{invalid: []affiliate.Reason{
				affiliate.MissingField, affiliate.SlugSyntax, affiliate.PlanNotFound, affiliate.GroupNotFound,
				affiliate.AffiliateEmailTaken, affiliate.AffiliateExternalIDTaken, affiliate.SlugTaken,
			}, notFound: []affiliate.Reason{affiliate.CouponNotFound}},
		},
		"POST /affiliates/accept-invite": {
			id: "acceptInvite", summary: "End an invitation",
			text:     "The affiliate becomes ACTIVE, or INACTIVE when the program does not approve by itself. Fires affiliate.updated.",
			required: []string{"affiliateId"},
			refused: refused{
				invalid: []affiliate.Reason{
					affiliate.MissingField, affiliate.StatusNotAllowed, affiliate.SlugSyntax, affiliate.AffiliateEmailTaken, affiliate.AffiliateExternalIDTaken, affiliate.SlugTaken,
					affiliate.LinkLimitReached,
				},
				notFound: []affiliate.Reason{affiliate.AffiliateNotFound},
			},
		},
	}
}
