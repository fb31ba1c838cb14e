package client_test

import (
	"fmt"
	"iter"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
	"github.com/tributary-go/tributary/client"
)

// money is the part of the story about adjustments and payouts.
func (s *teller) money(ada affiliate.Affiliate) {
	s.adjustments(ada)
	c, x := s.Operations, s.ctx
	type P = affiliate.Payout
	pay := func(step string, in affiliate.NewPayout) P { return told[P](s, step)(c.CreatePayout(x, in)) }
	first := pay("payout", affiliate.NewPayout{AffiliateEmail: "ADA@example.com", Minimum: affiliate.MustAmount("0.01"), ExternalID: "run 1/2"})
	pay("payout of nothing", affiliate.NewPayout{AffiliateID: ada.ID, Until: time.Date(2026, 3, 1, 0, 0, 0, 1000, time.FixedZone("", 3600))})
	pay("payout of nobody", affiliate.NewPayout{AffiliateID: anID})
	pay("payout of whom?", affiliate.NewPayout{ManuallyPaid: true})
	pay("payout below nothing", affiliate.NewPayout{AffiliateID: ada.ID, Minimum: affiliate.MustAmount("-1")})
	told[P](s, "get")(c.Payout(x, first.ID))
	told[P](s, "get none")(c.Payout(x, anID))
	told[P](s, "get nil")(c.Payout(x, uuid.Nil))
	told[P](s, "fail")(c.FailPayout(x, first.ID, "returned\nby the bank"))
	told[P](s, "fail again")(c.FailPayout(x, first.ID, "closed"))
	told[P](s, "fail why?")(c.FailPayout(x, first.ID, " "))
	told[P](s, "fail none")(c.FailPayout(x, anID, "x"))
	told[P](s, "fail what?")(c.FailPayout(x, uuid.Nil, "x"))
	told[P](s, "cancel")(c.CancelPayout(x, first.ID))
	told[P](s, "cancel again")(c.CancelPayout(x, first.ID))
	told[P](s, "too late")(c.SetPayoutStatus(x, first.ID, affiliate.PayoutPaid))
	told[P](s, "status of none")(c.SetPayoutStatus(x, anID, affiliate.PayoutPaid))
	told[P](s, "status of what?")(c.SetPayoutStatus(x, uuid.Nil, affiliate.PayoutPaid))
	told[P](s, "which status?")(c.SetPayoutStatus(x, first.ID, ""))
	told[P](s, "no such status")(c.SetPayoutStatus(x, first.ID, "paid"))
	pay("payout by hand", affiliate.NewPayout{AffiliateID: ada.ID, AffiliateEmail: "ada@example.com", ManuallyPaid: true})
	pay("nothing left", affiliate.NewPayout{AffiliateID: ada.ID})
	for _, f := range []affiliate.PayoutFilter{
		{}, {AffiliateID: affiliate.Set(ada.ID), Status: affiliate.PayoutCanceled}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {AffiliateID: affiliate.Set(anID)},
		{RunID: affiliate.Set(anID)}, {RunID: affiliate.Null[uuid.UUID]()}, {AffiliateID: affiliate.Null[uuid.UUID]()}, {AffiliateEmail: affiliate.Set("")}, {Status: "paid"}, {Status: affiliate.PayoutPending},
		{AffiliateID: affiliate.Set(anID), AffiliateEmail: affiliate.Set("ada@example.com")},
	} {
		told[affiliate.List[P]](s, "payouts")(c.Payouts(x, f, affiliate.Page{}))
		told[[]affiliate.Payment](s, "payments")(gathered(c.Payments(x, f)))
		told[int](s, "in pages")(pages(func(pg affiliate.Page) (affiliate.List[P], error) { return c.Payouts(x, f, pg) }))
	}
	told[affiliate.Balance](s, "balance")(c.Balance(x, ada.ID))
	told[affiliate.List[affiliate.Balance]](s, "balances")(c.Balances(x, affiliate.Page{}))
	for _, f := range []affiliate.MovementFilter{
		{}, {AffiliateEmail: affiliate.Set("ada@example.com"), Cause: affiliate.CauseAdjustment}, {PayoutID: affiliate.Set(first.ID)}, {SaleID: affiliate.Set[affiliate.SaleID](999)},
		{Cause: "x"}, {From: time.Date(2026, 3, 12, 0, 0, 0, 0, time.UTC)}, {To: time.Date(2026, 3, 12, 0, 0, 0, 0, time.FixedZone("", 3600))},
	} {
		told[affiliate.List[affiliate.Movement]](s, "movements")(c.Movements(x, f, affiliate.Page{}))
	}
	s.reports(ada)
	told[affiliate.List[P]](s, "limit 1001")(c.Payouts(x, affiliate.PayoutFilter{}, affiliate.Page{Limit: 1001}))
	told[affiliate.List[P]](s, "bad cursor")(c.Payouts(x, affiliate.PayoutFilter{}, affiliate.Page{Cursor: "x"}))
}

func (s *teller) reports(ada affiliate.Affiliate) {
	march := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, q := range []affiliate.ReportQuery{
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalDay}, {From: march, To: march.AddDate(0, 0, 250), By: affiliate.IntervalDay},
		{From: march.Add(time.Hour), To: march.AddDate(1, 0, 0).In(time.FixedZone("", 3600)), By: affiliate.IntervalWeek, AffiliateID: affiliate.Set(ada.ID)},
		{From: march, To: march.AddDate(5, 0, 0), By: affiliate.IntervalMonth, CodeID: affiliate.Set(anID)}, {From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalMonth, LinkID: affiliate.Set(uuid.Nil)},
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalMonth, AffiliateID: affiliate.Null[uuid.UUID]()},
		{From: march, To: march, By: affiliate.IntervalDay}, {From: march, To: march.AddDate(3, 0, 0), By: affiliate.IntervalDay}, {From: march, To: march.AddDate(0, 1, 0), By: "DAY"}, {},
		{From: march, To: march.AddDate(0, 1, 0), By: affiliate.IntervalDay, AffiliateID: affiliate.Set(ada.ID), LinkID: affiliate.Set(anID)},
	} {
		told[[]affiliate.Bucket](s, "report")(s.Report(s.ctx, q))
	}
}

func (s *teller) adjustments(ada affiliate.Affiliate) {
	c, x := s.Operations, s.ctx
	type A = affiliate.Adjustment
	sum := affiliate.MustAmount
	record := func(step string, in affiliate.NewAdjustment) A { return told[A](s, step)(c.RecordAdjustment(x, in)) }
	bonus := record("bonus", affiliate.NewAdjustment{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: sum("12.345"), Reason: "a <spring>\nbonus", ExternalID: "b/1?"})
	record("bonus again", affiliate.NewAdjustment{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: sum("12.345"), Reason: "x", ExternalID: "b/1?"})
	record("bonus of 0", affiliate.NewAdjustment{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Reason: "x"})
	record("correction of 0", affiliate.NewAdjustment{AffiliateID: ada.ID, Kind: affiliate.AdjustCorrection, Reason: "x"})
	record("no kind", affiliate.NewAdjustment{AffiliateID: ada.ID, Amount: sum("1"), Reason: "x"})
	record("no reason", affiliate.NewAdjustment{AffiliateID: ada.ID, Kind: affiliate.AdjustBonus, Amount: sum("1")})
	record("whose?", affiliate.NewAdjustment{Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "x"})
	record("nobody's", affiliate.NewAdjustment{AffiliateEmail: "no@example.com", Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "x"})
	record("two affiliates'", affiliate.NewAdjustment{AffiliateID: anID, AffiliateEmail: "ada@example.com", Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "x"})
	record("of which sale?", affiliate.NewAdjustment{AffiliateID: ada.ID, Kind: affiliate.AdjustChargebackFee, Amount: sum("-1"), Reason: "x"})
	record("of no sale", affiliate.NewAdjustment{AffiliateID: ada.ID, SaleID: 999, Kind: affiliate.AdjustChargebackFee, Amount: sum("-1"), Reason: "x"})
	sale := must(c.Sales(x, affiliate.SaleFilter{AffiliateID: affiliate.Set(ada.ID)}, affiliate.Page{Limit: 1})).Items[0]
	record("fee", affiliate.NewAdjustment{AffiliateEmail: "ada@example.com", SaleID: sale.ID, Kind: affiliate.AdjustChargebackFee, Amount: sum("-1"), Reason: "x"})
	record("reversal", affiliate.NewAdjustment{Reverses: bonus.ID, Reason: "typo"})
	record("reversal again", affiliate.NewAdjustment{Reverses: bonus.ID, Reason: "typo"})
	record("reversal of nothing", affiliate.NewAdjustment{Reverses: anID, Reason: "typo"})
	record("reversal of an amount", affiliate.NewAdjustment{Reverses: bonus.ID, Amount: sum("1"), Reason: "typo"})
	told[A](s, "get")(c.Adjustment(x, bonus.ID))
	told[A](s, "get none")(c.Adjustment(x, anID))
	told[A](s, "get nil")(c.Adjustment(x, uuid.Nil))
	for _, f := range []affiliate.AdjustmentFilter{
		{}, {AffiliateID: affiliate.Set(ada.ID), Kind: affiliate.AdjustBonus}, {AffiliateEmail: affiliate.Set("ada@example.com")}, {SaleID: affiliate.Set(sale.ID)},
		{SaleID: affiliate.Set[affiliate.SaleID](0)}, {SaleID: affiliate.Set[affiliate.SaleID](-5)}, {PayoutID: affiliate.Set(anID)}, {Kind: "bonus"},
	} {
		told[affiliate.List[A]](s, "adjustments")(c.Adjustments(x, f, affiliate.Page{}))
		told[int](s, "in pages")(pages(func(pg affiliate.Page) (affiliate.List[A], error) { return c.Adjustments(x, f, pg) }))
	}
}

// gathered is everything that a sequence yields, and its error.
func gathered[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for item, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// TestPayoutFilesOverTheWire: the files of package payfile are made and read back through the
// client, as through the engine.
func TestPayoutFilesOverTheWire(t *testing.T) {
	p, h := newEngine(t)
	srv := httptest.NewServer(h)
	defer srv.Close()
	c := must(client.New(srv.URL, testKey, client.Config{}))
	defer c.CloseIdleConnections()
	ctx := t.Context()
	for i := range 150 {
		a := must(p.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "A", LastName: fmt.Sprint(i), Email: fmt.Sprintf("a%d@example.com", i)}))
		must(p.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Method: "PAYPAL", Email: fmt.Sprintf("pay%d@example.com", i)}))
		must(p.RecordAdjustment(ctx, affiliate.NewAdjustment{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("8"), Reason: "r"}))
		must(c.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: a.ID}))
	}
	pending := affiliate.PayoutFilter{Status: affiliate.PayoutPending}
	here, _, err := payfile.PayPal(p.Payments(ctx, pending), "2026-03")
	if err != nil {
		t.Fatal(err)
	}
	there, refused, err := payfile.PayPal(c.Payments(ctx, pending), "2026-03")
	if diff := cmp.Diff(here, there); diff != "" || err != nil || len(refused) > 0 || here[0].Count != 150 {
		t.Fatalf("%v, %v (-engine +client):\n%s", refused, err, diff)
	}
	payments, err := gathered(c.Payments(ctx, pending))
	if err != nil || !slices.IsSortedFunc(payments, func(a, b affiliate.Payment) int { return strings.Compare(a.PayoutID.String(), b.PayoutID.String()) }) {
		t.Errorf("payments are not in the order of their ids, %v", err)
	}
	report := "Customer ID,Status,Reason\n" +
		payfile.Ref(payments[0].PayoutID) + ",SUCCESS,\n" + payfile.Ref(payments[1].PayoutID) + ",RETURNED,closed\n" + payfile.Ref(payments[2].PayoutID) + ",UNCLAIMED,\n"
	for range 2 { // the second time nothing changes
		results, err := payfile.ReadResults(strings.NewReader(report), c.Payments(ctx, affiliate.PayoutFilter{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := payfile.Apply(ctx, c, results); err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, payment := range payments[:3] {
			payout := must(p.Payout(ctx, payment.PayoutID))
			got = append(got, string(payout.Status)+payout.FailedReason.Or(""))
		}
		if diff := cmp.Diff([]string{"PAID", "FAILEDclosed", "PENDING"}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPaymentsEnd: a walk ends at the first error, and at a break.
func TestPaymentsEnd(t *testing.T) {
	n := 0
	for _, err := range always(500, `{"error":"x"}`).client(t, func(cfg *client.Config) { cfg.MaxRetries = -1 }).Payments(t.Context(), affiliate.PayoutFilter{}) {
		if n++; failure(t, err).Status != 500 {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d errors", n)
	}
	for payment := range always(200, `[{"amount":1},{"amount":2}]`).client(t).Payments(t.Context(), affiliate.PayoutFilter{}) {
		if payment.Amount.String() != "2" {
			t.Errorf("first %v", payment)
		}
		break
	}
}
