package servertest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// sceneRuns previews a payout run and makes it, and reads statements and an
// explanation. Runs name their affiliates: the cases of a suite run at once.
func sceneRuns(s *scene) {
	mara, tom := s.join("mara"), s.join("tom")
	sale := s.sell(affiliate.SaleParams{ReferralID: mara.ID.String(), Email: s.email("kim"), Name: "Kim", TotalEarned: amount("100")})
	do(s, "RecordAdjustment", s.RecordAdjustment, affiliate.AdjustmentParams{AffiliateID: tom.ID, Kind: affiliate.AdjustBonus, Amount: amount("5"), Reason: "r"})
	run := affiliate.PayoutRun{
		ExternalID: s.slug("run"), Minimum: affiliate.Set(amount("10")), NoDetails: true, AffiliateIDs: []uuid.UUID{tom.ID, uuid.New(), mara.ID},
	}
	no(s, "RunPayouts", s.RunPayouts, affiliate.PayoutRun{}, RefuseNoExternalID)
	no(s, "RunPayouts", s.RunPayouts, affiliate.PayoutRun{ExternalID: "x", Minimum: affiliate.Set(amount("-1"))}, mustBe("minimum", "must be at least 0"))
	miss(s, "PayoutRun", s.PayoutRun, run.ExternalID)
	previewed := []affiliate.PayoutLine{}
	for line, err := range affiliate.All(s.ctx, s.PreviewPayouts, run) {
		if err != nil {
			s.fatal(Failure{step("PreviewPayouts", run), "no error", err.Error()})
		}
		previewed = append(previewed, line)
	}
	made := do(s, "RunPayouts", s.RunPayouts, run)
	same(s, "what the run did", []any{affiliate.RunDone, int64(1), int64(1), amount("20")}, []any{made.Status, made.Created, made.Skipped, made.Total})
	same(s, "the run again", made, do(s, "RunPayouts", s.RunPayouts, run))
	same(s, "the stored run", made, do(s, "PayoutRun", s.PayoutRun, run.ExternalID))
	other := run
	other.NoDetails = false
	no(s, "RunPayouts", s.RunPayouts, other, payoutRunMismatch)
	lines := do2(s, "PayoutLines", s.PayoutLines, run.ExternalID, affiliate.Page{}).Items
	paid := do2(s, "Payouts", s.Payouts, affiliate.PayoutQuery{RunID: given(made.ID)}, affiliate.Page{}).Items
	same(s, "the payouts of the run", []uuid.UUID{mara.ID}, owners(paid))
	byWise := do2(s, "Payouts", s.Payouts, affiliate.PayoutQuery{RunID: given(made.ID), Method: "WISE"}, affiliate.Page{}).Items
	same(s, "the payouts of the run by Wise", 0, len(byWise))
	for i := range lines {
		if lines[i].AffiliateID == mara.ID {
			same(s, "the payout in its line", given(paid[0].ID), lines[i].PayoutID)
		}
		lines[i].PayoutID = affiliate.Null[uuid.UUID]()
	}
	same(s, "the lines of the preview", lines, previewed)
	listed := do(s, "PayoutRuns", s.PayoutRuns, affiliate.Page{Limit: 1000})
	same(s, "the list of runs has it", true, slices.ContainsFunc(listed.Items, func(r affiliate.PayoutRunResult) bool { return r == made }))

	do2(s, "SetPayoutStatus", s.SetPayoutStatus, paid[0].ID, affiliate.PayoutPaid)
	s.statements(mara, sale)
}

func owners(payouts []affiliate.Payout) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, p := range payouts {
		ids = append(ids, p.AffiliateID)
	}
	return ids
}

// statements reads statements of an affiliate with a sale that was paid, and the
// explanation of the sale.
func (s *scene) statements(of affiliate.Affiliate, sale affiliate.Sale) {
	from, to := sale.CreatedAt.Time().Add(-time.Hour), sale.CreatedAt.Time().Add(24*time.Hour)
	period := func(id uuid.UUID, from time.Time) (affiliate.Statement, error) {
		return s.Statement(s.ctx, affiliate.AffiliateRef{ID: id}, from, to)
	}
	statement, err := period(of.ID, from)
	if err != nil {
		s.fatal(Failure{"Statement", "no error", err.Error()})
	}
	told := []any{}
	for line, err := range statement.Lines() {
		if err != nil {
			s.fatal(Failure{"Statement.Lines", "no error", err.Error()})
		}
		told = append(told, line.Cause, line.Amount, line.Owed)
	}
	same(s, "the lines", []any{affiliate.CauseSale, amount("20"), amount("20"), affiliate.CausePayoutPaid, amount("-20"), amount("0")}, told)
	same(s, "the end", []affiliate.Amount{amount("0"), amount("20")}, []affiliate.Amount{statement.Closing.Owed, statement.Closing.Paid})
	var rows strings.Builder
	if err := statement.WriteCSV(&rows); err != nil || strings.Count(rows.String(), "\r\n") != 5 {
		s.fatal(Failure{"Statement.WriteCSV", "5 rows", rows.String()})
	}
	for _, bad := range []struct {
		of   uuid.UUID
		from time.Time
		want denial
	}{{of.ID, to, badParameter("to", "must be after from")}, {uuid.New(), from, affiliateNotFound}, {uuid.Nil, from, ownerRequired}} {
		no2(s, "Statement", func(_ context.Context, id uuid.UUID, from time.Time) (affiliate.Statement, error) {
			return period(id, from)
		}, bad.of, bad.from, bad.want)
	}
	why := do(s, "ExplainSale", s.ExplainSale, sale.ID)
	same(s, "who was credited, and with what", []any{affiliate.CreditAffiliate, "20", amount("20")}, []any{why.Credit.By, why.Arithmetic.Exact, why.Arithmetic.Rounded})
	miss(s, "ExplainSale", s.ExplainSale, affiliate.SaleID(987654321987654321))
}
