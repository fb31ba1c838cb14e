package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

func sumCases() []storeCase {
	return []storeCase{{"as listed", "where a View has a Sum, it gives what List gives, added up; bounds of ids are exclusive, the last edge too", sumsAsListed},
		{"joined", "a Sum by columns of other tables has what the sale of a movement, its redemption, click and customer say", sumsJoined}}
}

// sumsJoined asks for sums by what the sales of movements say.
func sumsJoined(tb testing.TB, s record.Store) {
	plans := []uuid.UUID{{}, numbered(71), numbered(72)}
	want := map[string]int64{}
	update(tb, s, func(tx *record.Tx) error {
		clear(want) // a store may run it again
		err := tx.Clicks.Insert(record.Click{ID: numbered(61), Number: 5, LandingURL: "https://beans.example/a"})
		if err == nil {
			err = tx.Redemptions.Insert(record.Redemption{ID: record.NumberID(2), CouponID: numbered(81)})
		}
		for i := range 12 {
			n := int64(i/2 + 1)
			sale := record.Sale{ID: numbered(100 + i), Number: n, Why: record.Why{PlanID: plans[n%3], Click: 5 * (n % 2)}}
			said := []any{plans[n%3], "", uuid.Nil}
			if n%2 == 1 {
				said[1] = "https://beans.example/a"
			}
			if n == 2 {
				said[2] = numbered(81)
			}
			if n == 6 { // its sale is gone
				said = []any{uuid.Nil, "", uuid.Nil}
			} else if err == nil && i%2 == 0 {
				err = tx.Sales.Insert(sale)
			}
			if err == nil {
				err = tx.Movements.Insert(record.Movement{ID: numbered(i + 1), AffiliateID: numbered(1), Number: int64(i), Sale: n,
					Cause: affiliate.EnumOf(affiliate.CauseSale), Amount: affiliate.AmountFromScaled(int64(i))})
			}
			want[fmt.Sprint(said)] += int64(i)
		}
		return err
	})
	view(tb, s, func(tx *record.Tx) {
		if tx.Sum == nil {
			return
		}
		got := map[string]int64{}
		sums, err := tx.Sum(record.Sum{Table: "movements", Add: []string{"amount"},
			By: []string{"sales.why_commission_plan_id", "clicks.full_landing_url", "redemptions.coupon_id"}})
		for _, sum := range sums {
			said := []any{uuid.Nil, "", uuid.Nil}
			for _, rec := range sum.With {
				switch rec := rec.(type) {
				case record.Sale:
					said[0] = rec.Why.PlanID
				case record.Click:
					said[1] = rec.LandingURL
				case record.Redemption:
					said[2] = rec.CouponID
				}
			}
			got[fmt.Sprint(said)] += sum.AnyRecord.(record.Movement).Amount.Scaled()
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			tb.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// sumsAsListed asks for the sums of movements in many ways.
func sumsAsListed(tb testing.TB, s record.Store) {
	rnd := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	var all []record.Movement
	causes := []affiliate.Cause{affiliate.CauseSale, affiliate.CauseUpdate, ""}
	for i := range 60 {
		all = append(all, record.Movement{
			ID: numbered(i + 1), AffiliateID: numbered(1 + rnd.IntN(2)), Number: int64(i), At: affiliate.InstantOf(begin.Add(time.Duration(rnd.IntN(6)) * time.Minute)),
			Cause: affiliate.EnumOf(causes[rnd.IntN(3)]), Amount: affiliate.AmountFromScaled(rnd.Int64N(1 << 50)), Sales: rnd.Int64N(5) - 2, LinkID: []uuid.UUID{{}, numbered(7)}[rnd.IntN(2)],
		})
	}
	update(tb, s, func(tx *record.Tx) error {
		for _, rec := range all {
			if err := tx.Movements.Insert(rec); err != nil {
				return err
			}
		}
		return nil
	})
	edge := func(minutes ...int) (edges []affiliate.Instant) {
		for _, m := range minutes {
			edges = append(edges, affiliate.InstantOf(begin.Add(time.Duration(m)*time.Minute)))
		}
		return edges
	}
	view(tb, s, func(tx *record.Tx) {
		if tx.Sum == nil {
			return
		}
		for _, q := range []record.Sum{
			{}, {By: []string{"affiliate_id"}}, {By: []string{"cause", "affiliate_link_id"}, Signs: []string{"sales"}},
			{Key: record.Key{Index: record.OfAffiliate, ID: numbered(1)}, Signs: []string{"sales"}},
			{Key: record.Key{Index: record.OfAffiliate, ID: numbered(9)}}, {After: numbered(10), Before: numbered(20)},
			{By: []string{"cause", "affiliate_link_id"}, Where: map[string]uuid.UUID{"affiliate_link_id": numbered(7)}},
			{By: []string{"affiliate_id", "affiliate_link_id"}, Where: map[string]uuid.UUID{"affiliate_link_id": numbered(7), "affiliate_id": numbered(2)}},
			{By: []string{"affiliate_link_id"}, Where: map[string]uuid.UUID{"affiliate_link_id": numbered(8)}},
			{Edges: edge(1, 5)}, {By: []string{"cause"}, Edges: edge(0, 1, 2, 3, 4, 6)}, {Edges: edge(-9, -8)},
		} {
			q.Table, q.Add = "movements", []string{"amount", "sales"}
			if q.Edges != nil {
				q.At = "at"
			}
			got, err := tx.Sum(q)
			if err != nil {
				tb.Fatalf("%+v: %v", q, err)
			}
			if diff := cmp.Diff(addedUp(all, &q), lines(got)); diff != "" {
				tb.Errorf("%+v (-want +got):\n%s", q, diff)
			}
			q.Limit = 1
			if got, err := tx.Sum(q); err != nil || len(got) > 1 {
				tb.Errorf("%+v: %d, %v", q, len(got), err)
			}
		}
	})
}

// addedUp is what a Sum of movements gives.
func addedUp(all []record.Movement, q *record.Sum) []string {
	sums := map[string]*record.Summed{}
	for _, rec := range all {
		at := affiliate.Instant{}
		if n := len(q.Edges); n > 0 {
			if rec.At.Before(q.Edges[0]) || !rec.At.Before(q.Edges[n-1]) {
				continue
			}
			for _, edge := range q.Edges {
				if !rec.At.Before(edge) {
					at = edge
				}
			}
		}
		columns := map[string]uuid.UUID{"affiliate_id": rec.AffiliateID, "affiliate_link_id": rec.LinkID}
		if slices.ContainsFunc(q.By, func(name string) bool { id, only := q.Where[name]; return only && id != columns[name] }) {
			continue
		}
		below := func(id, bound uuid.UUID) bool { return string(id[:]) < string(bound[:]) }
		if q.Key.Index != "" && rec.AffiliateID != q.Key.ID || q.After != uuid.Nil && !below(q.After, rec.ID) || q.Before != uuid.Nil && !below(rec.ID, q.Before) {
			continue
		}
		one := record.Movement{At: at}
		for _, name := range q.By {
			switch name {
			case "affiliate_id":
				one.AffiliateID = rec.AffiliateID
			case "affiliate_link_id":
				one.LinkID = rec.LinkID
			case "cause":
				one.Cause = rec.Cause
			}
		}
		key := fmt.Sprint(one, len(q.Signs) > 0 && rec.Sales < 0)
		if sums[key] == nil {
			sums[key] = &record.Summed{AnyRecord: one}
		}
		sum := sums[key].AnyRecord.(record.Movement)
		sum.Amount, sum.Sales = affiliate.AmountFromScaled(sum.Amount.Scaled()+rec.Amount.Scaled()), sum.Sales+rec.Sales
		sums[key].AnyRecord, sums[key].N = sum, sums[key].N+1
	}
	var list []record.Summed
	for _, sum := range sums {
		list = append(list, *sum)
	}
	return lines(list)
}

// lines are sums as texts, in order.
func lines(all []record.Summed) (texts []string) {
	for _, one := range all {
		texts = append(texts, fmt.Sprintf("%d of %+v", one.N, one.AnyRecord))
	}
	slices.Sort(texts)
	return texts
}
