package proofs_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// mostTouched is the number of records that one transaction of a write reads and writes at most,
// however many its object has: so long everybody else waits.
const mostTouched = 2000

// unbounded are the writes of which a transaction grows with what one object has, with the reason.
var unbounded = map[string]string{
	"CreatePayout": paysAll, "RunPayouts": paysAll, "RunPayouts step": paysAll,
	"DeleteAffiliate": goesAlong, "DeleteLink": goesAlong, "DeleteReferral": goesAlong,
	"EraseAffiliate": "it is at once; Step does it in pieces", "EraseReferral": "it is at once; Step does it in pieces",
	"MergeAffiliates": "it is one transaction: docs/rules.md 4.9", "MergeReferrals": "it is one transaction: docs/rules.md 4.9",
	"SetAffiliateStatus approve": "what waited for the approval is accepted with it: docs/rules.md 4.1",
}

const (
	paysAll   = "a payout takes all that is open of an affiliate, and each sale says so"
	goesAlong = "what belongs to it goes, or loses it, with it"
)

// grown are whose sales grow for a write, by a link and an email, if not those of the others.
var grown = map[string][2]string{
	"MergeAffiliates": {"twin", "max@example.net"}, "MergeReferrals": {"paid", "lee@example.net"},
	"SetAffiliateStatus approve": {"pending", "pam@example.net"},
}

// TestNoDeedHoldsWriters: no write touches more than so many records in one transaction, in a program
// with a coupon, an affiliate and a customer that have more.
func TestNoDeedHoldsWriters(t *testing.T) {
	most := map[string]int64{}
	for _, method := range slices.Sorted(maps.Keys(newKeyedShop(t, memstore.New()).writes)) {
		if unbounded[method] != "" && !atlength.On() {
			continue
		}
		s := newKeyedShop(t, memstore.New())
		whose, ok := grown[method]
		if !ok {
			whose = [2]string{"ada", "kim@example.net"}
		}
		s.grow(t, mostTouched+mostTouched/10, whose)
		args := s.writes[method]
		if in, many := args[0].(affiliate.CodesParams); many {
			in.Count, in.RandomCharsLength = mostTouched, affiliate.Set[int64](8)
			args = []any{in}
		}
		p := &scene.Probe{Store: s.Store}
		if err := invoke(t.Context(), s.With(p), method, args); err != nil {
			t.Errorf("%s: %v", method, err)
		}
		if most[method] = p.Touched.Load(); (most[method] > mostTouched) != (unbounded[method] != "") {
			t.Errorf("%s touches %d records in one transaction, at most %d are allowed; unbounded: %q", method, most[method], mostTouched, unbounded[method])
		}
	}
	t.Attr("touched", fmt.Sprint(most))
}

// grow gives n sales to a customer and their affiliate, and n codes to the coupon and the affiliate.
func (s keyedShop) grow(t *testing.T, n int, whose [2]string) {
	for range n {
		scene.Must(s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: whose[0], Email: whose[1], Name: "Kim", TotalEarned: affiliate.MustAmount("10")}))
	}
	scene.Must(s.GenerateCodes(t.Context(), affiliate.CodesParams{Count: n, CodeParams: affiliate.CodeParams{
		CouponID: s.Autumn.ID, AffiliateID: s.Person.ID, RandomCharsLength: affiliate.Set[int64](8),
		CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
	}}))
}
