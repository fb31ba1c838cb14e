package audit_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/audit"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/leaf"
	"github.com/tributary-go/tributary/internal/scene"
)

// budgets of which the second sale of 50 finds nothing left.
var budgets = []affiliate.Budget{
	{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalYear, MaxCommission: affiliate.MustAmount("20"), MaxRewards: 3},
	{Of: affiliate.BudgetOfAll, MaxRewards: 1},
}

// sieved are programs with records of every kind.
var sieved = map[string]func(t *testing.T) *scene.World{
	"ledger": func(t *testing.T) *scene.World {
		b := scene.NewLedger(t)
		ctx := t.Context()
		b.Raw(func(tx *record.Tx) error {
			adjusts(b, tx, "a1")
			return nil
		})
		scene.Must(b.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: b.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "r"}))
		asked := scene.Must(b.OpenCase(ctx, affiliate.CaseParams{AffiliateID: b.Person.ID, Kind: affiliate.SaleQuestion, SaleID: 1, Text: "t"}))
		scene.Must(b.By("kim").AnswerCase(ctx, asked.ID, affiliate.CaseAnswer{Answer: "a"}))
		scene.Must(b.OpenCase(ctx, affiliate.CaseParams{AffiliateID: b.Person.ID, Kind: affiliate.SaleClaim, ExternalID: "o", Text: "t"}))
		scene.Must(b.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run", NoDetails: true}))
		b.SellTo("carl@customer.example", "50")
		scene.Must(b.SetTerms(ctx, affiliate.TermsUpdate{Budgets: affiliate.Set(budgets)}))
		b.SellTo("carl@customer.example", "50")
		b.SellTo("carl@customer.example", "50")
		b.Verifies()
		return b.World
	},
	"imports": func(t *testing.T) *scene.World {
		w := scene.New(t)
		for _, call := range scene.Imports {
			scene.Must(call.Call(t.Context(), w.Program))
		}
		w.Verifies()
		return w
	},
	"shop": func(t *testing.T) *scene.World {
		s := scene.NewShop(t, func(c *tributary.Config) {
			c.Terms.MaxPerSale, c.Terms.MaxPerCustomer = scene.Sum("30"), scene.Sum("90")
			c.Terms.Rules = []affiliate.Rule{
				{Name: "gifts", When: affiliate.RuleWhen{Categories: []string{"gift"}}, Pay: paid(affiliate.RuleNone, "0")},
				{Name: "seats", When: affiliate.RuleWhen{Products: []string{"SEAT"}}, Pay: paid(affiliate.RuleUnit, "1.5")},
			}
		})
		ctx := t.Context()
		s.Hook(affiliate.SaleCreated)
		byClick := s.Sell(affiliate.SaleParams{ReferralID: fmt.Sprint(s.Click.ID), Email: "click@example.net", Name: "N", ExternalID: "x1"})
		code := s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: "code@example.net", Name: "N", ExternalID: "x2", TotalEarned: scene.Sum("76"), Lines: []affiliate.Line{
			{ID: "a", ProductID: "SEAT", Quantity: affiliate.Set(scene.Sum("3")), Amount: scene.Sum("60")}, {ID: "b", Categories: []string{"gift"}, Amount: scene.Sum("40"), Discount: scene.Sum("5")},
		}})
		s.Pass(time.Hour)
		canceled := s.PaysOut()
		scene.Must(s.SetPayoutStatus(ctx, canceled.ID, affiliate.PayoutCanceled))
		paid := s.PaysOut()
		s.Moves(paid, affiliate.PayoutPaid)
		s.ClawsBack(byClick.ID, "30", "r1")
		moved, gone := s.ToTomas("70"), s.ToTomas("80")
		scene.Must(s.UpdateSale(ctx, moved.ID, affiliate.SaleUpdate{AffiliateID: affiliate.Set(s.Bob.ID)}))
		s.Pass(time.Hour)
		scene.Must(s.Run(ctx, affiliate.PruneJob{Before: s.Now.Add(-time.Minute)}))
		s.ToTomas("90")
		scene.Must(0, errors.Join(s.DeleteSale(ctx, gone.ID), s.Forfeiting().DeleteReferral(ctx, s.Bea.ID.String()), s.EraseReferral(ctx, "code@example.net")))
		scene.Must(s.UpdateSale(ctx, code.ID, affiliate.SaleUpdate{ExternalInvoiceID: affiliate.Set("in-1")}))
		s.Verifies()
		return s.World
	},
	"before": func(t *testing.T) *scene.World {
		b := scene.NewLedger(t)
		b.Ages()
		b.Verifies()
		return b.World
	},
	"holds":  newHolds,
	"merges": func(t *testing.T) *scene.World { return newMerged(t).World },
	"payments": func(t *testing.T) *scene.World {
		s := scene.NewPayShop(t)
		s.Play("S", "R:re_1:30", "H:5:h1", "P")
		s.Verifies()
		return s.World
	},
}

// TestSieveMissesNothing: whatever field of whatever record is changed, the sieve picks the
// objects that a check of everything names, and the report is the same. So it is when each
// group of objects is checked by itself, and when the keys are sifted in shares.
func TestSieveMissesNothing(t *testing.T) {
	for name, start := range sieved {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			f := &finder{T: t, w: w, p: scene.Must(engine.New(w.Probe, engine.Config(w.Config())))}
			f.sharesKeys()
			for seed := range uint64(rounds()) {
				f.changeSome(seed)
			}
			f.changeEach()
			t.Logf("%d changes, %d of them break something", f.tried, f.broken)
			if f.broken < f.tried/4 {
				t.Errorf("of %d changes %d break something", f.tried, f.broken)
			}
		})
	}
}

// A finder changes the records of a program, and compares what is found.
type finder struct {
	*testing.T
	w             *scene.World
	p             *engine.Program
	tried, broken int
}

// find returns the breaches in the order of their texts: that of some is the order of a map.
func (f *finder) find(way audit.Way) []string {
	breaches, _, err := audit.Breaches(f.Context(), f.p, way)
	if err != nil {
		f.Fatal(err)
	}
	list := make([]string, len(breaches))
	for i := range breaches {
		list[i] = breaches[i].Error()
	}
	slices.Sort(list)
	return list
}

// sharesKeys fails unless a small sieve goes over the records several times.
func (f *finder) sharesKeys() {
	reads := func(way audit.Way) int64 {
		before := f.w.Probe.Looked.Load()
		f.find(way)
		return f.w.Probe.Looked.Load() - before
	}
	if once, shared := reads(audit.Way{}), reads(audit.Way{Small: true}); shared < 2*once {
		f.Errorf("%d reads, in shares %d", once, shared)
	}
}

// compare fails at once if the ways differ.
func (f *finder) compare(what string) {
	ways := []audit.Way{{}}
	if f.tried++; f.tried%10 == 0 {
		ways = append(ways, audit.Way{Whole: true, Apart: true}, audit.Way{Small: true})
	}
	whole := f.find(audit.Way{Whole: true})
	if len(whole) > 0 {
		f.broken++
	}
	for _, way := range ways {
		if diff := cmp.Diff(whole, f.find(way)); diff != "" {
			f.Fatalf("%s: %+v (-whole +got):\n%s", what, way, diff)
		}
	}
}

// changeEach changes fields of records, one at a time: every twelfth, at length every
// fourth, and each with TRIBUTARY_SIEVE=1, as before a release.
func (f *finder) changeEach() {
	n, every := 0, 12
	if atlength.On() {
		every = 4
	}
	if os.Getenv("TRIBUTARY_SIEVE") != "" {
		every = 1
	}
	some := func() bool { n++; return n%every == 0 }
	for _, table := range record.Schema() {
		recs := recordsOf(f.w, table)
		for i, rec := range recs {
			options := changes(table, rec, recs[(i+1)%len(recs)])
			for _, what := range slices.Sorted(maps.Keys(options)) {
				if !some() || put(f.w, table, rec, options[what]) != nil {
					continue // another record has its id or a key
				}
				f.compare(fmt.Sprintf("%s %v %s", table.Name, rec.RecordID(), what))
				scene.Must(0, put(f.w, table, options[what], rec))
			}
		}
	}
}

// rounds: how often several records are changed.
func rounds() int {
	if atlength.On() {
		return 400
	}
	return 20
}

// changeSome changes a few records at once.
func (f *finder) changeSome(seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	type change struct {
		table    record.TableSchema
		was, now record.AnyRecord
	}
	var all []change
	what := fmt.Sprint("seed ", seed)
	for range 1 + rnd.IntN(5) {
		table := record.Schema()[rnd.IntN(len(record.Schema()))]
		recs := recordsOf(f.w, table)
		if len(recs) == 0 {
			continue
		}
		rec := recs[rnd.IntN(len(recs))]
		options := changes(table, rec, recs[rnd.IntN(len(recs))])
		name := slices.Sorted(maps.Keys(options))[rnd.IntN(len(options))]
		if put(f.w, table, rec, options[name]) == nil {
			all = append(all, change{table, rec, options[name]})
			what += fmt.Sprintf("; %s %v %s", table.Name, rec.RecordID(), name)
		}
	}
	f.compare(what)
	for _, c := range slices.Backward(all) {
		scene.Must(0, put(f.w, c.table, c.now, c.was))
	}
}

func recordsOf(w *scene.World, table record.TableSchema) (recs []record.AnyRecord) {
	w.Raw(func(tx *record.Tx) error {
		for rec, err := range table.In(tx).List(record.Query{}) {
			if err != nil {
				return err
			}
			recs = append(recs, rec)
		}
		return nil
	})
	return recs
}

// changes returns a record without each of its fields, with others in it, and with those of
// the next record; and no record.
func changes(table record.TableSchema, rec, next record.AnyRecord) map[string]record.AnyRecord {
	all := map[string]record.AnyRecord{"dropped": nil}
	of := func(rec record.AnyRecord) (whole reflect.Value, leaves []leaf.Leaf) {
		whole = reflect.New(reflect.TypeOf(rec)).Elem()
		whole.Set(reflect.ValueOf(table.Clone(rec)))
		return whole, slices.Collect(leaf.Of(whole, ""))
	}
	_, fields := of(rec)
	_, others := of(next)
	for i, field := range fields {
		for n := range 5 {
			whole, leaves := of(rec)
			switch n {
			case 3:
				leaves[i].V.SetZero()
			case 4:
				leaves[i].V.Set(others[i].V)
			default:
				leaves[i].Set(n)
			}
			all[strings.TrimPrefix(field.Name, ".")+fmt.Sprint(" ", n)] = whole.Interface().(record.AnyRecord)
		}
	}
	return all
}

// put replaces a record by another one; nil is none.
func put(w *scene.World, table record.TableSchema, old, rec record.AnyRecord) error {
	return w.Store.Update(w.T.Context(), w.Config().ID, func(tx *record.Tx) error {
		in := table.In(tx)
		if old != nil {
			if err := in.Delete(old.RecordID()); err != nil {
				return err
			}
		}
		if rec == nil {
			return nil
		}
		return in.Insert(rec)
	})
}

// TestSievePlanted: what takes several records to break is found, too.
func TestSievePlanted(t *testing.T) {
	for want, plant := range map[string]func(s scene.Shop, tx *record.Tx) error{
		"I74": func(s scene.Shop, tx *record.Tx) error { // the click of a sale of Ada, named by one of Bob
			return scene.Edit(tx.Sales, func(r record.Sale) bool { return r.AffiliateID == s.Bob.ID }, func(r *record.Sale) {
				r.Why.By, r.Why.Click = affiliate.EnumOf(affiliate.CreditClick), int64(s.Click.ID)
			})
		},
		"I62": func(s scene.Shop, tx *record.Tx) error { // the second movement, before the first
			for r := range scene.OnlyValues(tx.Movements.List(record.Query{})) {
				if r.AffiliateID == s.Ada.Person.ID && r.Number == 2 {
					was := r.ID
					r.At = scene.Began.Add(-time.Hour)
					r.ID = engine.MovementID(r.At, r.Number, r.AffiliateID)
					return errors.Join(tx.Movements.Delete(was), tx.Movements.Insert(r))
				}
			}
			return errors.New("no such movement")
		},
		"I73": func(s scene.Shop, tx *record.Tx) error { // taken from the former affiliate, and not given back
			return tx.Adjustments.Insert(record.Adjustment{ID: scene.ScaleID(1, 1), AffiliateID: s.Ada.Person.ID, Sale: 1, Kind: affiliate.AdjustMove,
				Amount: scene.Sum("-5"), CreatedAt: scene.Began})
		},
	} {
		t.Run(want, func(t *testing.T) {
			s := scene.NewShop(t)
			s.Sell(affiliate.SaleParams{ReferralID: fmt.Sprint(s.Click.ID), Email: "click@example.net", Name: "N"})
			s.ToTomas("10")
			s.Sell(affiliate.SaleParams{ReferralID: s.Bea.ID.String()})
			s.Verifies()
			s.Raw(func(tx *record.Tx) error { return plant(s, tx) })
			if got := scene.Broken(s.Verify(t.Context())); !slices.Contains(got, want) {
				t.Errorf("found %v, want %s", got, want)
			}
			f := &finder{T: t, w: s.World, p: scene.Must(engine.New(s.Probe, engine.Config(s.Config())))}
			for range 10 {
				f.compare(want)
			}
		})
	}
}
