package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Rules that hold a commission for a person to look at. They never refuse or
// change a sale. Source: docs/money.md 15.

// maxReviewRules is the largest number of rules in a program.
const maxReviewRules = 16

// risk translates the hold of a status into the risk of a preview; empty: none.
func risk(s affiliate.AffiliateStatus) affiliate.RiskReason {
	return affiliate.RiskReason(strings.ToLower(string(s.NewSales().Or(""))))
}

// checkReview refuses rules that cannot work.
func checkReview(rules []affiliate.ReviewRule) error {
	if len(rules) > maxReviewRules {
		return fmt.Errorf("affiliate: Config.Review has more than %d rules", maxReviewRules)
	}
	for i, rule := range rules {
		if !valid(rule.Reason) {
			return fmt.Errorf("affiliate: Config.Review: %q is not a reason of a–z, 0–9 and _", string(rule.Reason))
		}
		if rule.Holds == nil {
			return fmt.Errorf("affiliate: Config.Review: %s has no Holds", rule.Reason)
		}
		if slices.ContainsFunc(rules[:i], func(r affiliate.ReviewRule) bool { return r.Reason == rule.Reason }) {
			return fmt.Errorf("affiliate: Config.Review has %s twice", rule.Reason)
		}
	}
	return nil
}

// valid: ^[a-z][a-z0-9_]{0,39}$
func valid(r affiliate.RiskReason) bool {
	for i := range len(r) {
		letter := 'a' <= r[i] && r[i] <= 'z'
		if !letter && (i == 0 || r[i] != '_' && (r[i] < '0' || r[i] > '9')) {
			return false
		}
	}
	return 1 <= len(r) && len(r) <= 40
}

// errReviewPanicked stands for a panic in a rule of Config.Review.
var errReviewPanicked = errors.New("affiliate: a rule of Config.Review panicked")

// risks asks every rule, in the order of Config.Review.
func (o *Op) risks(e affiliate.Evidence) (reasons []affiliate.RiskReason, err error) {
	err = errReviewPanicked
	defer o.Recovered(o.Ctx, "Review")
	for _, rule := range o.Cfg.Review {
		if rule.Holds(e) {
			reasons = append(reasons, rule.Reason)
		}
	}
	return reasons, nil
}

// reviewed returns the affiliate as a rule sees it.
func reviewed(r *record.Affiliate) affiliate.ReviewedAffiliate {
	return affiliate.ReviewedAffiliate{
		ID: r.ID, FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, PayoutEmail: r.PayoutEmail,
		Status: r.Status, CreatedAt: r.CreatedAt.Time(),
	}
}
