package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
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

// ownEmail returns the email of the affiliate when the customer of an order has one of the affiliate's, by what they are
// called or were before others were merged into them; else the email of the order.
func (o *Op) ownEmail(e *affiliate.Evidence, ref *record.Referral) (string, error) {
	buyer, seller := []string{e.CustomerEmail, ref.Email}, []string{e.Affiliate.Email, e.Affiliate.PayoutEmail}
	for _, side := range [...]struct {
		emails *[]string
		index  record.Index
		id     uuid.UUID
	}{{&buyer, record.OfReferral, ref.ID}, {&seller, record.OfAffiliate, e.Affiliate.ID}} {
		if side.id == uuid.Nil {
			continue
		}
		former, err := o.FormerNames(side.index, side.id)
		if err != nil {
			return "", refusal.Internal("read names", err)
		}
		for i := range former {
			*side.emails = append(*side.emails, former[i].Name)
		}
	}
	if slices.ContainsFunc(buyer, func(b string) bool {
		return slices.ContainsFunc(seller, func(s string) bool { return strings.Contains(b, "@") && affiliate.SameMailbox(b, s) })
	}) {
		return e.Affiliate.Email, nil
	}
	return e.CustomerEmail, nil
}

// risks asks every rule, in the order of Config.Review.
func (o *Op) risks(e affiliate.Evidence, ref *record.Referral) (reasons []affiliate.RiskReason, err error) {
	if len(o.Cfg.Review) > 0 {
		if e.CustomerEmail, err = o.ownEmail(&e, ref); err != nil {
			return nil, err
		}
	}
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
