package proofs_test

import (
	"fmt"
	"math/big"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// run makes a payout run over the one affiliate of the model. Its line, and that
// of a preview before, is decided from the definition (docs/money.md 6).
func (m *moneyModel) run(rt *rapid.T) {
	m.runs++
	owner := m.drawPayee(rt)
	in := affiliate.PayoutRun{
		AffiliateIDs: []uuid.UUID{owner.ID},
		ExternalID:   fmt.Sprint("run ", m.runs), Minimum: drawCents(rt, "minimum", 0, 2_000), NoDetails: rapid.Bool().Draw(rt, "no details"),
		Until: m.w.Now.Add(-time.Duration(rapid.IntRange(0, 3).Draw(rt, "hours ago")) * time.Hour),
	}
	open, held := 0, new(big.Rat) // entries on hold that cancel out are nothing
	for _, e := range m.all() {
		switch {
		case e.owner != owner || e.payout >= 0 || e.amount.Sign() == 0 || e.approval == affiliate.ApprovalDeclined:
		case e.approval == affiliate.ApprovalOnHold:
			held.Add(held, e.amount)
		default:
			open++
		}
	}
	took, sum := m.payable(owner, in.Until)
	var want []string
	switch {
	case open == 0 && held.Sign() == 0:
	case open == 0:
		want = []string{"0 on_hold"}
	case len(took) == 0:
		want = []string{"0 nothing_matured"}
	case sum.Sign() <= 0:
		want = []string{scene.Plain(sum) + " negative"}
	case !in.NoDetails:
		want = []string{scene.Plain(sum) + " no_payout_method"}
	case sum.Cmp(scene.RatOf(in.Minimum)) < 0:
		want = []string{scene.Plain(sum) + " below_minimum"}
	default:
		want = []string{scene.Plain(sum) + " paid"}
	}
	told := func(lines []affiliate.PayoutLine) (out []string) {
		for _, l := range lines {
			out = append(out, fmt.Sprint(l.Amount, " ", l.Skipped.Or("paid")))
		}
		return out
	}
	preview := scene.Must(m.w.PreviewPayouts(rt.Context(), in, affiliate.Page{}))
	run, err := m.w.RunPayouts(rt.Context(), in)
	scene.RefusedAs(rt, "RunPayouts", "", err)
	lines := scene.Must(m.w.PayoutLines(rt.Context(), in.ExternalID, affiliate.Page{})).Items
	sameLines(rt, "preview", want, told(preview.Items))
	sameLines(rt, "lines", want, told(lines))
	if run.Created == 1 {
		id, _ := lines[0].PayoutID.Get()
		m.paid(owner, id, took, sum)
	}
}
