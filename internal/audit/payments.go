package audit

import (
	"math/big"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/payment"
)

// verifyPayments checks what payment providers reported against the sales.
func (a *audit) verifyPayments() {
	keyed := make(map[uuid.UUID]bool)
	for r := range a.keys.records() {
		if !a.mine(r.PaymentID) {
			continue
		}
		if keyed[r.PaymentID] = true; !a.payments.has(r.PaymentID) {
			a.breach("I75", named("key", r.ID), "its payment %s does not exist", r.PaymentID)
		}
	}
	for r := range a.payments.records() {
		if a.mine(r.ID) {
			if !keyed[r.ID] {
				a.breach("I75", named("payment", r.ID), "it has no id of its provider")
			}
			a.verifyPayment(r)
		}
		if a.mine(r.Sale) {
			a.verifyPaid(r)
		}
	}
	unique(a, "I75", "key", &a.keys, record.ByPayment)
	unique(a, "I75", "payment", &a.payments, record.BySale)
}

// verifyPayment checks a payment by itself.
func (a *audit) verifyPayment(r *record.Payment) {
	name := named("payment", r.ID)
	a.instants("payment", r.ID, r.CreatedAt, r.UpdatedAt)
	for _, f := range r.Refunds {
		listed(a, name, "refund", f.State, engine.RefundRanks...)
	}
	for _, f := range r.Disputes {
		listed(a, name, "dispute", f.State, engine.DisputeRanks...)
	}
	if r.Conflict != uuid.Nil && (r.Sale != uuid.Nil || len(r.Waiting) != 1) {
		a.breach("I82", name, "it waits for a decision about sale %s and has sale %s, %d waiting",
			r.Conflict, r.Sale, len(r.Waiting))
	}
	revoked, differs := r.Left == string(affiliate.SaleRevoked), r.Left == string(affiliate.SaleDiffers)
	if revoked && r.Revoked.Before(r.Stands) || differs && r.Raised.IsZero() {
		a.breach("I82", name, "it waits as %s and nothing says so", r.Left)
	}
	if r.Left != "" &&
		(r.Sale != uuid.Nil != (revoked || differs) || r.Conflict != uuid.Nil ||
			r.Gross.IsZero() != (len(r.Waiting) == 1 && r.Waiting[0].Untold)) {
		a.breach("I82", name, "it waits as %s and has sale %s, conflict %s, gross %v", r.Left,
			r.Sale, r.Conflict, r.Gross)
	}
	if r.Left == string(affiliate.SaleOtherCurrency) &&
		(r.Counted == "" || !r.Rate.IsZero() || len(r.Waiting) > 0 &&
			r.Waiting[0].Currency == "") || r.Rate.Scaled() < 0 {
		a.breach("I82", name, "it waits as %q and is counted in %q, at %v, %d waiting", r.Left,
			r.Counted, r.Rate, len(r.Waiting))
	}
	if len(r.Waiting) > 1 || r.Sale != uuid.Nil && len(r.Waiting) > 0 && r.PayerID == "" {
		a.breach("I76", name, "it has sale %s, %d waiting", r.Sale, len(r.Waiting))
	}
}

// verifyPaid checks that a sale is where the facts of its payment want it.
func (a *audit) verifyPaid(r *record.Payment) {
	sale := a.sales.get(r.Sale)
	if sale == nil {
		return // it was deleted
	}
	sale, c := a.chargedAs(sale)
	a.verifyTaken(r, sale, c)
	made := !r.Adjusted.IsZero() // by adjustments, before a sale could count again
	if want := a.wantsRefunded(r, sale, c); want.Cmp(fraction(sale.Refunded)) != 0 && !made {
		a.breach("I76", named("payment", r.ID), "the facts want %s refunded; %v is", figure(want), sale.Refunded)
	}
}

// verifyTaken checks that no report took more off a sale than its payment brought.
func (a *audit) verifyTaken(r *record.Payment, sale *record.Sale, c affiliate.Currency) {
	taken := new(big.Rat)
	for i := range sale.Refunds {
		if sale.Refunds[i].Fact {
			taken = plus(taken, fraction(sale.Refunds[i].Amount))
		}
	}
	if brought := a.broughtOf(r, taken, c); taken.Cmp(brought) > 0 {
		a.breach("I82", named("payment", r.ID),
			"it brought %s, and its refunds took %s off its sale", figure(brought), figure(taken))
	}
}

// verifyPayers checks payers, and the status of their referrals.
func (a *audit) verifyPayers() {
	subs := make(map[uuid.UUID][]affiliate.Subscription)
	byHand := make(map[uuid.UUID]bool)
	for r := range a.payers.records() {
		a.verifyPayer(r)
		if !a.mine(r.ReferralID) {
			continue
		}
		if !r.ByEmail {
			subs[r.ReferralID] = append(subs[r.ReferralID], r.Subs...)
		}
		byHand[r.ReferralID] = byHand[r.ReferralID] || r.ByHand
	}
	for r := range a.referrals.records() {
		wanted := wantsStatus(subs[r.ID])
		if wanted != "" && wanted != r.Status && !byHand[r.ID] && !engine.IsRefused(r.Status) {
			a.breach("I78", named("referral", r.ID), "status %s, its subscriptions say %s", r.Status, wanted)
		}
	}
	unique(a, "I78", "payer", &a.payers, record.ByPayer)
	unique(a, "I20", "value", &a.hosted, record.ByName)
}

func (a *audit) verifyPayer(r *record.Payer) {
	name, own := named("payer", r.ID), a.own(r.ID)
	refers(a, "I78", "payer", r.ID, "referral", r.ReferralID, &a.referrals)
	if own {
		a.instants("payer", r.ID, r.CreatedAt, r.UpdatedAt)
		a.verifyEmail("payer", r.ID, r.Email)
	}
	a.verifyHidden(r.ReferralID, "payer", r.ID, func() bool { return r.Email != "" || r.Name != "" })
	if !own {
		return
	}
	if len(r.Subs) > payment.MaxSubs {
		a.breach("I78", name, "it has %d subscriptions", len(r.Subs))
	}
	for _, s := range r.Subs {
		listed(a, name, "subscription", s.Status, payment.ProviderStatuses...)
	}
}

// siftPayments sifts payments, their keys, and payers.
func (a *audit) siftPayments() {
	sift(a, &a.keys, func(r *record.PaymentKey) {
		siftKeys(a, inPayments, &a.keys, r)
		if k := a.key(r.PaymentID); a.learn(k, k.num(isKeyed)) {
			a.add(inPayments, k, k.num(isKeyed), 1)
		}
	})
	sift(a, &a.payments, func(r *record.Payment) {
		k := a.key(r.ID)
		a.about(inPayments, k)
		a.verifyPayment(r)
		siftKeys(a, inPayments, &a.payments, r)
		a.add(inPayments, k, k.num(isKeyed), -1)
		if gross, worth := r.Gross.Or(affiliate.Amount{}),
			r.Worth.Or(affiliate.Amount{}); len(r.Refunds) > 0 || len(r.Disputes) > 0 ||
			!r.Refunded.IsZero() || gross.Sign() < 0 || worth.Sign() < 0 {
			a.pick(inPayments, a.key(r.Sale))
		}
	})
	sift(a, &a.payers, func(r *record.Payer) {
		a.about(inPayers, a.key(r.ID))
		a.verifyPayer(r)
		siftKeys(a, inPayers, &a.payers, r)
		k := a.key(r.ReferralID)
		if wanted := wantsStatus(r.Subs); wanted != "" && !r.ByEmail && !r.ByHand && a.here(k) &&
			!a.knows(k, k.num(isStatus).text(string(wanted))) && !a.knows(k, k.num(isStatus)) {
			a.pick(inPayers, k)
		}
	})
}

// refundedByHost reports whether a sale is refunded as the host said, and no report took
// anything off it. Then it is where a payment without refunds and disputes wants it.
func refundedByHost(r *record.Sale) bool {
	if len(r.Refunds) == 0 {
		return r.Refunded.IsZero() && r.TotalEarned.Sign() >= 0
	}
	sum := fraction(affiliate.Amount{})
	for i := range r.Refunds {
		if r.Refunds[i].Fact {
			return false
		}
		sum = plus(sum, fraction(r.Refunds[i].Amount))
	}
	total := fraction(r.TotalEarned)
	return total.Sign() >= 0 && least(sum, total).Cmp(fraction(r.Refunded)) == 0
}
