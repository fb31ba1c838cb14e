package proofs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestRefundsInAnyOrder: the refunds of a sale in any order end at the same commission and at
// the same explanation (T4).
func TestRefundsInAnyOrder(t *testing.T) {
	scratch := scene.New(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := newTermsModel(rt, scratch, func(change func(*tributary.Config)) *scene.World {
			return scene.NewOn(t, memstore.New(), change)
		})
		m.sell(rt)
		if len(m.sales) == 0 || m.sales[0].free {
			rt.Skip("no payment")
		}
		s, in := m.sales[0], m.last
		var refunds []termsRefund
		for range rapid.IntRange(2, 6).Draw(rt, "refunds") {
			r := m.drawRefund(rt, s)
			r.Amount = affiliate.Set(amountOf(r.part)) // of all means another amount in another order
			if !s.refunded && !s.exceeds(&r) {
				refunds = append(refunds, r)
				s.takesBack(&r)
			}
		}
		other := m.open()
		other.Now = m.w.Now
		scene.Must(other.RecordSale(rt.Context(), in))
		var ends []string
		for _, end := range []struct {
			w     *scene.World
			order []termsRefund
		}{{m.w, refunds}, {other, rapid.Permutation(refunds).Draw(rt, "order")}} {
			for _, r := range end.order {
				scene.Must(end.w.RefundSale(rt.Context(), r.Refund))
			}
			if err := end.w.Verify(rt.Context()); err != nil {
				rt.Errorf("Verify: %v", err)
			}
			sale, e := scene.Must(end.w.Sale(rt.Context(), s.id)), scene.Must(end.w.ExplainSale(rt.Context(), s.id))
			if scene.RatOf(sale.CommissionEarned).Cmp(s.earned()) != 0 {
				rt.Errorf("it earns %v, want %s", sale.CommissionEarned, scene.Plain(s.earned()))
			}
			ends = append(ends, fmt.Sprint(sale.CommissionEarned, sale.RefundedAmount, sale.Status, scene.JSON(sale.Lines), scene.JSON(e.Arithmetic), scene.JSON(e.Base), scene.JSON(e.Lines)))
		}
		if diff := cmp.Diff(ends[0], ends[1]); diff != "" {
			rt.Errorf("%d refunds in another order (-one +other):\n%s", len(refunds), diff)
		}
	})
}

// TestCoveredRules: rules are refused when one of them can never decide, and only then (T12). That is
// tried with every line at every stage.
func TestCoveredRules(t *testing.T) {
	w := scene.New(t)
	var lines []*termsLine
	for _, product := range append(termsProducts, "other") {
		for _, plan := range append(termsPlans, "other") {
			for _, categories := range [][]string{nil, {"gift"}, {"office"}, {"gift", "office"}, {"other"}, {"gift", "other"}, {"office", "other"}, {"gift", "office", "other"}} {
				lines = append(lines, &termsLine{product: product, plan: plan, categories: categories})
			}
		}
	}
	var stages []termsSale
	for payment := range int64(6) {
		for month := range int64(6) {
			for _, trigger := range termsTriggers {
				for _, source := range []affiliate.RateSource{affiliate.RateOfProgram, affiliate.RateOfAffiliate, affiliate.RateOfSale} {
					stages = append(stages, termsSale{payment: payment, month: month, trigger: trigger, source: source})
				}
			}
		}
	}
	// decides says whether a rule ever decides, beside another one.
	decides := func(rules []affiliate.Rule, at int) bool {
		return slices.ContainsFunc(stages, func(s termsSale) bool {
			return slices.ContainsFunc(lines, func(l *termsLine) bool { return s.deciding(rules, l) == &rules[at] })
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		conditions := choose(rt, "about", append(ruleConditions, slices.Concat(ruleConditions...))...)
		rules := []affiliate.Rule{drawRule(rt, "a", 3, conditions), drawRule(rt, "b", 3, conditions)}
		want := ""
		switch {
		case !decides(rules[:1], 0), !decides(rules[1:], 0):
			want = "contradict each other"
		case !decides(rules, 0):
			want = "Rule a can never hold, because rule b decides before it"
		case !decides(rules, 1):
			want = "Rule b can never hold, because rule a decides before it"
		}
		_, err := w.CreatePlan(rt.Context(), affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rules: rules}})
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			rt.Errorf("%+v\nare refused with %v, want %q", rules, err, want)
		}
	})
}
