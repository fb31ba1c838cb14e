package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Rules that hold a commission for a person to look at. They never refuse or
// change a sale. Source: docs/money.md 15.

const (
	maxReviewRules  = 16    // in a program
	maxNewCustomers = 1_000 // that are read for a sale, and as many sales
)

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
		if counts := rule.Within != 0 || rule.UpTo != 0; counts &&
			(rule.Within <= 0 || rule.UpTo < 1 || rule.UpTo > maxNewCustomers) {
			return fmt.Errorf("affiliate: Config.Review: %s counts customers, but not 1 to %d within a time",
				rule.Reason, maxNewCustomers)
		}
		if rule.Latest < 0 || rule.Latest > maxNewCustomers {
			return fmt.Errorf("affiliate: Config.Review: %s counts in the latest sales, but not in 1 to %d",
				rule.Reason, maxNewCustomers)
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
func (o *Op) ownEmail(e *affiliate.Evidence, seller *record.Affiliate, ref *record.Referral) (string, error) {
	if !seller.Merged && !ref.Merged {
		return e.CustomerEmail, nil
	}
	theirs, err1 := o.mailboxes(record.OfReferral, ref.ID, e.CustomerEmail, ref.Email)
	own, err2 := o.mailboxes(record.OfAffiliate, seller.ID, seller.Email, seller.PayoutEmail)
	if slices.ContainsFunc(theirs, func(m string) bool { return slices.Contains(own, m) }) {
		return seller.Email, nil
	}
	return e.CustomerEmail, errors.Join(err1, err2)
}

// mailboxes returns those of emails, and of the former emails of a customer or an affiliate.
func (o *Op) mailboxes(ix record.Index, owner uuid.UUID, emails ...string) (all []string, err error) {
	former, err := o.FormerNames(ix, owner)
	for i := range former {
		emails = append(emails, former[i].Name)
	}
	for _, email := range emails {
		if strings.Contains(email, "@") {
			all = append(all, mailbox.Of(email))
		}
	}
	return all, err
}

// risks asks every rule, in the order of Config.Review.
func (o *Op) risks(e affiliate.Evidence, seller *record.Affiliate, ref *record.Referral) (reasons []affiliate.RiskReason, err error) {
	if e.CustomerEmail, err = o.ownEmail(&e, seller, ref); err != nil {
		return nil, refusal.Internal("read names", err)
	}
	came := ref.CreatedAt.Time()
	if e.NewCustomer {
		came = e.At
	}
	brought, err := o.brought(&e, seller, ref, came)
	if err != nil {
		return nil, refusal.Internal("read referrals", err)
	}
	refunded, err := o.refunded(seller.ID)
	if err != nil {
		return nil, refusal.Internal("read sales", err)
	}
	err = errReviewPanicked
	defer o.Recovered(o.Ctx, "Review")
	for i := range o.Cfg.Review {
		rule := &o.Cfg.Review[i]
		e.Refunded = refundedOf(refunded[:min(rule.Latest, len(refunded))])
		if e.NewCustomers = newCustomers(rule, e.At, came, brought); rule.Holds(e) {
			reasons = append(reasons, rule.Reason)
		}
	}
	return reasons, nil
}

// refunded says of the latest sales of an affiliate, the newest first, whether they were refunded, as far as the
// rules count.
func (o *Op) refunded(seller uuid.UUID) (all []bool, err error) {
	most := 0
	for i := range o.Cfg.Review {
		most = max(most, o.Cfg.Review[i].Latest)
	}
	if most == 0 {
		return nil, nil
	}
	key := record.Key{Index: record.OfAffiliate, ID: seller}
	for r, err := range o.Tx.Sales.List(record.Query{Key: key, Limit: most, Desc: true}) {
		if err != nil {
			return nil, err
		}
		all = append(all, r.Status.Is(affiliate.SaleRefunded))
	}
	return all, nil
}

func refundedOf(sales []bool) (n int) {
	for _, refunded := range sales {
		if refunded {
			n++
		}
	}
	return n
}

// brought returns when the newest customers of an affiliate came, that of an order among them, who came
// then, as far as the rules count; none: no rule counts that one.
func (o *Op) brought(e *affiliate.Evidence, seller *record.Affiliate, ref *record.Referral, came time.Time) (all []time.Time, err error) {
	most := 0
	for i := range o.Cfg.Review {
		if rule := &o.Cfg.Review[i]; isRecent(rule, e.At, came) {
			most = max(most, rule.UpTo)
		}
	}
	if most == 0 || !e.NewCustomer && ref.AffiliateID != seller.ID {
		return nil, nil
	}
	if e.NewCustomer {
		all = append(all, came)
	}
	key := record.Key{Index: record.OfAffiliate, ID: seller.ID}
	for r, err := range o.Tx.Referrals.List(record.Query{Key: key, Limit: most, Desc: true}) {
		if err != nil {
			return nil, err
		}
		all = append(all, r.CreatedAt.Time())
	}
	return all, nil
}

// isRecent reports whether a rule counts a customer who came then.
func isRecent(rule *affiliate.ReviewRule, now, came time.Time) bool {
	return rule.UpTo > 0 && came.After(now.Add(-rule.Within))
}

// newCustomers counts who was brought for a rule, unless the customer of the order came before its time.
func newCustomers(rule *affiliate.ReviewRule, now, came time.Time, brought []time.Time) (n int) {
	if !isRecent(rule, now, came) {
		return 0
	}
	for _, at := range brought {
		if n < rule.UpTo && isRecent(rule, now, at) {
			n++
		}
	}
	return n
}

// reviewed returns the affiliate as a rule sees it.
func reviewed(r *record.Affiliate) affiliate.ReviewedAffiliate {
	return affiliate.ReviewedAffiliate{
		ID: r.ID, FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, PayoutEmail: r.PayoutEmail,
		Status: r.Status, CreatedAt: r.CreatedAt.Time(),
	}
}

// Recalculate calculates the commission of a sale again, and reports whether that
// changed it.
func (o *Op) Recalculate(before record.Sale) (bool, error) {
	if inPayout(&before) || before.Status.Is(affiliate.SaleRefunded) {
		return false, nil
	}
	if _, byHand := before.ByHand.Get(); byHand {
		return false, nil
	}
	rec := before.Clone()
	rec.Why.Deduct = affiliate.EnumOf(o.deduction())
	if err := o.applyTerms(&rec); err != nil {
		return false, err
	}
	if err := o.Recompute(&rec); err != nil {
		return false, err
	}
	if err := o.fit(&before, &rec); err != nil || sameMoney(&before, &rec) {
		return false, err
	}
	_, err := o.saveWithFacts(before, rec, affiliate.CauseUpdate)
	return err == nil, err
}

// ReviewCommissions implements tributary.Program.ReviewCommissions.
func (p *Program) ReviewCommissions(ctx context.Context, status affiliate.ApprovalStatus, ids ...affiliate.SaleID) (_ []affiliate.Sale, err error) {
	defer p.Begin(&ctx, "ReviewCommissions", Writes).End(&err)
	o := p.Op(ctx)
	rq := Request{Name: "sale.review", Input: []any{status, ids}, Refused: refusal.First(refusal.OneOf("approvalStatus", status, approvalStatuses), p.CheckBulk(len(ids)))}
	return Write(o, rq, func() ([]affiliate.Sale, error) {
		for _, id := range ids {
			if _, _, err := o.reviewed(id, status); err != nil {
				return nil, err
			}
		}
		return eachOf(ids, func(id affiliate.SaleID) (affiliate.Sale, error) {
			before, after, err := o.reviewed(id, status)
			if err != nil {
				return affiliate.Sale{}, err
			}
			return o.saveWithFacts(before, after, affiliate.CauseReview)
		})
	})
}

// releaseApproved accepts the commissions that waited for the approval of their
// affiliate.
func (o *Op) releaseApproved(affiliateID uuid.UUID) error {
	var waiting []record.Sale
	for sale, err := range o.Tx.Sales.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: affiliateID}}) {
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if slices.ContainsFunc(sale.Commissions, waitsForApproval) {
			waiting = append(waiting, sale)
		}
	}
	return o.shown(waiting, func(before record.Sale) error {
		after := before.Clone()
		for i := range after.Commissions {
			if c := &after.Commissions[i]; waitsForApproval(*c) {
				review(c, affiliate.ApprovalAccepted, o.Now)
			}
		}
		_, err := o.saveWithFacts(before, after, affiliate.CauseReview)
		return err
	})
}

func waitsForApproval(c record.Commission) bool {
	return c.Approval.Is(affiliate.ApprovalOnHold) && c.HoldReason.Is(affiliate.HoldAffiliateNotApproved)
}

// reviewed returns a sale before and after a review.
func (o *Op) reviewed(id affiliate.SaleID, status affiliate.ApprovalStatus) (before, after record.Sale, err error) {
	if before, err = o.SaleByNumber(id); err != nil {
		return before, after, refusal.SaleNotFound.IfMissing(err)
	}
	after = before.Clone()
	for i := range after.Commissions {
		review(&after.Commissions[i], status, o.Now)
	}
	if inPayout(&before) && !Same(before, after) {
		return before, after, refusal.SaleInPayout.Err()
	}
	return before, after, nil
}
