package audit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/scene"
)

// A merged shop is one in which Ben, with a sale and a bonus, was merged into Ada, and Kim
// into Tomas.
type merged struct {
	scene.Shop
	ben uuid.UUID
}

func newMerged(t *testing.T) merged {
	s, ctx := scene.NewShop(t), t.Context()
	ben := s.Join("ben")
	kim := s.Customer("ben", "kim")
	s.Sell(affiliate.SaleParams{Email: kim.Email})
	s.Adjust(affiliate.AdjustmentParams{
		AffiliateID: ben.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("3"), Reason: "r",
	})
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: ben.Email, Into: s.Ada.Person.Email}))
	scene.Must(s.MergeReferrals(ctx, affiliate.Merge{From: kim.Email, Into: s.Tomas.Email}))
	s.Verifies()
	return merged{s, ben.ID}
}

// lastOfBen removes the last movement of Ben, which takes the bonus out of his ledger.
func lastOfBen(m merged, tx *record.Tx) error {
	var last uuid.UUID
	for r := range scene.OnlyValues(tx.Movements.List(record.Query{})) {
		if r.AffiliateID == m.ben {
			last = r.ID
		}
	}
	return tx.Movements.Delete(last)
}

// leaves changes the movement with which the sale leaves the ledger of Ben.
func leaves(change func(*record.Movement)) func(merged, *record.Tx) error {
	return func(m merged, tx *record.Tx) error {
		return scene.Edit(tx.Movements, func(r record.Movement) bool {
			return r.AffiliateID == m.ben && r.Cause.Is(affiliate.CauseMerge) && r.Sale != 0
		}, change)
	}
}

// renames changes what is kept of a former name.
func renames(text string, change func(merged, *record.Erasure)) func(merged, *record.Tx) error {
	return func(m merged, tx *record.Tx) error {
		fits := func(r record.Erasure) bool { return r.Name == text }
		return scene.Edit(tx.Erasures, fits, func(r *record.Erasure) { change(m, r) })
	}
}

// bobIsThere keeps the id of Bob as the name of somebody who was merged.
func bobIsThere(m merged, tx *record.Tx) error {
	config := engine.Config(m.Config())
	name := engine.Name{Kind: engine.NameAffiliate, Text: m.Bob.ID.String()}
	return tx.Erasures.Insert(record.Erasure{
		ID: config.Digest(name), AffiliateID: m.Ada.Person.ID, Name: name.Text, CreatedAt: scene.Began,
	})
}

// TestVerifyMerges: I91, and nothing else finds it.
func TestVerifyMerges(t *testing.T) {
	const (
		seller, customer = "ben@example.org", "cust-kim"
		ledger           = "it was merged, and its movements lead to held 0, payable "
		digest           = "it is not kept under its digest, or leads to "
		another          = "into whom nobody was merged"
	)
	for name, c := range map[string]struct {
		change func(merged, *record.Tx) error
		want   string
	}{
		"bonus left": {lastOfBen, ledger + "3, in payouts 0, paid 0, 0 sales, 0 conversions, revenue 0"},
		"sale left": {
			leaves(func(r *record.Movement) { r.Sales = 0 }),
			ledger + "0, in payouts 0, paid 0, 1 sales",
		},
		"conversion": {leaves(func(r *record.Movement) { r.Conversions = -1 }), "-1 conversions"},
		"revenue":    {leaves(func(r *record.Movement) { r.Revenue = scene.Sum("-99") }), "revenue 1"},
		"another text of an affiliate": {
			renames(seller, func(_ merged, r *record.Erasure) { r.Name = "bob@example.org" }), digest,
		},
		"another text of a customer": {
			renames(customer, func(_ merged, r *record.Erasure) { r.Name = "cust-lou" }), digest,
		},
		"of nobody": {
			renames(customer, func(_ merged, r *record.Erasure) { r.ReferralID = uuid.Nil }), digest,
		},
		"of two": {
			renames(seller, func(m merged, r *record.Erasure) { r.ReferralID = m.Tomas.ID }), digest,
		},
		"without a text": {
			renames(seller, func(_ merged, r *record.Erasure) { r.Name = "" }), "without a text",
		},
		"of nobody who is there": {
			renames(seller, func(_ merged, r *record.Erasure) { r.AffiliateID = uuid.Max }), "not exist",
		},
		"of Bob": {
			renames(seller, func(m merged, r *record.Erasure) { r.AffiliateID = m.Bob.ID }), another,
		},
		"of Bea": {
			renames(customer, func(m merged, r *record.Erasure) { r.ReferralID = m.Bea.ID }), another,
		},
		"of who is there": {bobIsThere, "was merged, and is there"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMerged(t)
			m.Raw(func(tx *record.Tx) error { return c.change(m, tx) })
			err := m.Verify(t.Context())
			diff := cmp.Diff([]string{"I91"}, scene.Broken(err))
			if diff != "" || !scene.Says(err, "I91: "+c.want) {
				t.Errorf("nothing says %q (-want +got):\n%s%v", c.want, diff, err)
			}
			scene.ReportEquals(t, m.Program, err)
		})
	}
}

// TestVerifyMergedOnce: a ledger in which a movement is wrong is not said to be left, too.
func TestVerifyMergedOnce(t *testing.T) {
	m := newMerged(t)
	m.Raw(func(tx *record.Tx) error {
		return leaves(func(r *record.Movement) { r.Number = 9 })(m, tx)
	})
	scene.Equal(t, []string{"I62"}, scene.Broken(m.Verify(t.Context())))
}
