package affiliate

import (
	"slices"

	"github.com/google/uuid"
)

// verifyPayments checks what payment providers reported against the sales.
func (a *audit) verifyPayments() {
	keyed := make(map[uuid.UUID]bool, a.payments.n)
	for r := range a.keys.records() {
		if keyed[r.PaymentID] = true; !a.payments.has(r.PaymentID) {
			a.breach("I75", named("key", r.ID), "its payment %s does not exist", r.PaymentID)
		}
	}
	readings := a.readings()
	for r := range a.payments.records() {
		name := named("payment", r.ID)
		if !keyed[r.ID] {
			a.breach("I75", name, "it has no id of its provider")
		}
		a.instants("payment", r.ID, r.CreatedAt, r.UpdatedAt)
		for _, f := range r.Refunds {
			listed(a, name, "refund", f.State, refundRanks...)
		}
		for _, f := range r.Disputes {
			listed(a, name, "dispute", f.State, disputeRanks...)
		}
		a.verifyPayment(r, readings)
	}
	unique(a, "I75", "key", &a.keys, ByPayment)
	unique(a, "I75", "payment", &a.payments, BySale)
}

// verifyPayment checks that a sale is where the facts of its payment want it.
func (a *audit) verifyPayment(r *PaymentRecord, readings []*Program) {
	name := named("payment", r.ID)
	if r.Sale == uuid.Nil && (len(r.Waiting) > 1 || len(r.Adjustments) > 0 || !r.Peak.IsZero()) || r.Sale != uuid.Nil && len(r.Waiting) > 0 {
		a.breach("I76", name, "it has sale %s, %d waiting, took %v", r.Sale, len(r.Waiting), r.Peak)
	}
	sale := a.sales.get(r.Sale)
	if sale == nil {
		return // it was deleted
	}
	var sum Amount
	for _, id := range r.Adjustments {
		if rec := a.adjusted.get(id); rec != nil {
			sum, _ = sum.Add(rec.Amount)
		}
	}
	if sum != r.Adjusted {
		a.breach("I77", name, "its adjustments add up to %v, not %v", sum, r.Adjusted)
	}
	to, err := r.aim(sale, a.cfg.Currency)
	if err != nil || to.taken != r.Peak || to.goal != sale.Refunded {
		a.breach("I76", name, "the facts took %v and want %v refunded; stored are %v and %v", to.taken, to.goal, r.Peak, sale.Refunded)
		return
	}
	if !slices.ContainsFunc(readings, func(p *Program) bool {
		wanted, err := p.makeUpFor(sale, to.kept)
		return err == nil && wanted == sum
	}) {
		a.breach("I77", name, "adjustments of %v do not make up for %v kept", sum, to.kept)
	}
}

// verifyPayers checks payers, and the status of their referrals.
func (a *audit) verifyPayers() {
	subs := make(map[uuid.UUID][]Subscription)
	byHand := make(map[uuid.UUID]bool)
	for r := range a.payers.records() {
		name := named("payer", r.ID)
		a.refers("I78", "payer", r.ID, "referral", r.ReferralID, a.referrals.has(r.ReferralID))
		a.instants("payer", r.ID, r.CreatedAt, r.UpdatedAt)
		a.verifyEmail("payer", r.ID, r.Email)
		if len(r.Subs) > maxSubs {
			a.breach("I78", name, "it has %d subscriptions", len(r.Subs))
		}
		for _, s := range r.Subs {
			listed(a, name, "subscription", s.Status, providerStatuses...)
		}
		subs[r.ReferralID] = append(subs[r.ReferralID], r.Subs...)
		byHand[r.ReferralID] = byHand[r.ReferralID] || r.ByHand
	}
	for r := range a.referrals.records() {
		wanted := statusOf(subs[r.ID])
		if wanted != "" && wanted != r.Status && !byHand[r.ID] && !r.Status.refused() {
			a.breach("I78", named("referral", r.ID), "status %s, its subscriptions say %s", r.Status, wanted)
		}
	}
	unique(a, "I78", "payer", &a.payers, ByPayer)
}
