package proofs_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// unite merges one affiliate into the other, and somebody new comes for the one who goes. All
// that was theirs is of who stays, and nothing else changes (docs/rules.md 4.9).
func (m *moneyModel) unite(rt *rapid.T) {
	from, into := m.bob, m.ada
	if rapid.Bool().Draw(rt, "the owner of the code goes") {
		from, into = into, from
	}
	var want affiliate.Reason
	for _, p := range m.payouts {
		if p.owner == from && slices.Contains([]affiliate.PayoutStatus{affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutFailed}, p.status) {
			want = affiliate.InPayout
		}
	}
	in := affiliate.Merge{From: choose(rt, "from", from.Email, from.ID.String()), Into: into.ID.String()}
	_, err := m.w.MergeAffiliates(rt.Context(), in)
	scene.RefusedAs(rt, "MergeAffiliates", want, err)
	if err != nil {
		return
	}
	for _, s := range m.sales {
		if s.owner == from {
			s.owner = into
		}
		for _, e := range s.entries {
			e.owner = s.owner
		}
	}
	for _, a := range m.adjustments {
		if a.owner == from {
			a.owner = into
		}
	}
	for _, p := range m.payouts {
		if p.owner == from {
			p.owner, p.lines = into, strings.ReplaceAll(p.lines, from.ID.String(), into.ID.String())
		}
	}
	if got := scene.Must(m.w.Affiliate(rt.Context(), from.ID.String())); got.ID != into.ID {
		rt.Errorf("%s leads to %s, not to %s", from.ID, got.ID, into.ID)
	}
	m.left = append(m.left, from.ID)
	m.ada, m.bob = into, &payee{Affiliate: m.w.Join(fmt.Sprint("bob", len(m.left))), rate: scene.PercentRat(affiliate.MustPercent("20"))}
}

// checkLeft: nothing is left in the ledgers of those who were merged, and their totals are of who stays.
func (m *moneyModel) checkLeft(rt *rapid.T) {
	for _, id := range m.left {
		left := scene.RatOf(affiliate.Amount{})
		for _, r := range scene.Must(m.w.Movements(rt.Context(), affiliate.MovementQuery{AffiliateID: affiliate.Set(id)}, affiliate.Page{})).Items {
			if r.From == affiliate.AccountAccrual {
				left.Add(left, scene.RatOf(r.Amount))
			}
			if r.To == affiliate.AccountAccrual {
				left.Sub(left, scene.RatOf(r.Amount))
			}
		}
		if left.Sign() != 0 {
			rt.Errorf("%s is left in the ledger of %s, who was merged", scene.Plain(left), id)
		}
	}
}

// merge makes one customer of two. What is known of both is counted together from then on.
func (m *redeemMachine) merge(rt *rapid.T) {
	ident := func(label string) string {
		if maybe(rt, label+": anybody", 6) {
			return choose(rt, label, m.idents()...)
		}
		r := anyFrom(rt, label, m.referrals)
		return choose(rt, label+" by", r.email, r.id.String())
	}
	in := affiliate.Merge{From: ident("from"), Into: ident("into")}
	_, err := m.w.MergeReferrals(m.ctx, in)
	from, into := m.referral(in.From), m.referral(in.Into)
	switch {
	case in.From == "" || in.Into == "":
		scene.RefusedAs(rt, "MergeReferrals", affiliate.MissingField, err)
	case from == nil || into == nil:
		scene.RefusedAs(rt, "MergeReferrals", affiliate.ReferralNotFound, err)
	case from == into && (in.From == from.id.String() || box(in.From) == box(from.email)):
		scene.RefusedAs(rt, "MergeReferrals", affiliate.InvalidField, err)
	case from == into: // it was merged before
		scene.RefusedAs(rt, "MergeReferrals", "", err)
	default:
		scene.RefusedAs(rt, "MergeReferrals", "", err)
		m.merged(from, into)
	}
}

func (m *redeemMachine) merged(from, into *shopReferral) {
	for _, x := range m.sales {
		if x.referral != from.id {
			continue
		}
		if x.referral = into.id; x.email == "" {
			x.email = into.email
		}
		if !x.refundedInFull() {
			m.story.foretell(affiliate.SaleUpdated, x.id)
		}
	}
	drop(&m.referrals, func(r *shopReferral) bool { return r == from })
	m.gone = append(m.gone, from.id)
	m.story.foretell(affiliate.ReferralDeleted, from.id)
	kept := *from
	if into.former = append(into.former, &kept); into.external == "" {
		into.external = from.external
	}
	m.story.foretell(affiliate.ReferralUpdated, into.id)
}
