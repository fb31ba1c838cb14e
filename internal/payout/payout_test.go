package payout_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

var (
	payoutMissing = scene.MissingError(affiliate.PayoutNotFound, "Payout not found")
)

func TestCreatePayoutErrors(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	// None of these can be paid: held, declined, earned nothing, refunded, too
	// late.
	held, declined := s.ToTomas("1"), s.ToTomas("1")
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, held.ID))
	scene.Must(s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, declined.ID))
	s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, CommissionRate: scene.Percent("0")})
	full := s.ToTomas("100")
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: full.ID}))
	s.Pass(time.Millisecond)
	s.ToTomas("5")
	before := s.Now.Add(-time.Millisecond)
	s.Pass(time.Hour)
	nothing := scene.StateError(affiliate.NothingPayable, "", "Nothing is payable to this affiliate")
	for _, tt := range []struct {
		name string
		in   affiliate.PayoutParams
		want affiliate.Error
	}{
		{"ErrExternalIDNUL", affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, ExternalID: "\x00"}, scene.FieldError(affiliate.InvalidField, "externalId", "externalId contains invalid characters")},
		{"ErrNothing", affiliate.PayoutParams{AffiliateID: s.Bob.ID}, nothing},
		{"ErrNothingUntil", affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, Until: before}, nothing},
		{"ErrNothingInYear1", affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, Until: time.Time{}.Add(1)}, nothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.On(t)
			s.Refused(tt.want, func() error { _, err := s.CreatePayout(ctx, tt.in); return err })
		})
	}
}

func TestCreatePayout(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	scene.Must(s.SetPayoutDetails(ctx, s.Ada.Person.ID, affiliate.PayoutDetails{Email: "pay@example.com", Method: "WISE"}))
	first := s.ToTomas("100")
	s.Pass(time.Hour)
	second := s.ToTomas("50")
	until := s.Now
	s.Pass(time.Hour)
	third := s.ToTomas("10")
	s.Pass(time.Hour)
	var got affiliate.Payout
	s.Fires(func() (err error) {
		got, err = s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, Until: until.In(time.FixedZone("x", 3600)), ExternalID: "wire-7"})
		return err
	}, affiliate.SaleUpdated, affiliate.SaleUpdated)
	want := affiliate.Payout{
		ID: got.ID, AffiliateID: s.Ada.Person.ID, Amount: scene.Sum("30"), Currency: "USD", Status: affiliate.PayoutPending,
		PaymentMethod: affiliate.Set[affiliate.PaymentMethod]("WISE"), PeriodStart: affiliate.Set(first.CreatedAt), PeriodEnd: affiliate.Set(second.CreatedAt),
		ExternalID: scene.TextOf("wire-7"), PaidAt: affiliate.Null[affiliate.Time](), CanceledAt: affiliate.Null[affiliate.Time](), ReturnedAt: affiliate.Null[affiliate.Time](),
		ReturnedReason: affiliate.Null[string](), RunID: affiliate.Null[uuid.UUID](),
		PayeeName: scene.TextOf("Ada Lovelace"), PayeeEmail: scene.TextOf("pay@example.com"), FailedReason: affiliate.Null[string](),
		AdjustmentIDs: []uuid.UUID{},
		CommissionIDs: []affiliate.CommissionID{first.Commissions[0].ID, second.Commissions[0].ID},
		CreatedAt:     affiliate.TimeOf(s.Now), UpdatedAt: affiliate.TimeOf(s.Now),
	}
	scene.Equal(t, want, got)
	scene.Equal(t, got, scene.Must(s.Payout(ctx, got.ID)))
	for id, in := range map[affiliate.SaleID]bool{first.ID: true, second.ID: true, third.ID: false} {
		c := scene.Must(s.Sale(ctx, id)).Commissions[0]
		if c.PayoutCreated != in || c.PayoutID.Or(uuid.Nil) == got.ID != in || c.ManuallyPaid {
			t.Errorf("sale %d: %+v", id, c)
		}
	}
	s.Verifies()

	paid := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, ManuallyPaid: true}))
	if at, ok := paid.PaidAt.Get(); paid.Status != affiliate.PayoutPaid || !paid.ManuallyPaid || !ok || !at.Equal(affiliate.TimeOf(s.Now)) || paid.Amount != scene.Sum("2") {
		t.Errorf("%+v", paid)
	}
	if c := scene.Must(s.Sale(ctx, third.ID)).Commissions[0]; !c.ManuallyPaid || !c.PayoutCreated {
		t.Errorf("%+v", c)
	}
	if list := scene.Must(s.Payouts(ctx, affiliate.PayoutQuery{}, affiliate.Page{})).Items; len(list) != 2 || list[0].ID != paid.ID || list[1].ID != got.ID {
		t.Errorf("payouts %+v", list)
	}
	for name, f := range map[string]affiliate.PayoutQuery{"bob": {AffiliateID: affiliate.Set(s.Bob.ID)}, "nobody": {AffiliateID: affiliate.Set(uuid.Max)}} {
		if list := scene.Must(s.Payouts(ctx, f, affiliate.Page{})).Items; list == nil || len(list) != 0 {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if _, err := s.Payout(ctx, uuid.Max); err != affiliate.ErrNotFound {
		t.Errorf("unknown payout: %v", err)
	}
	s.Verifies()
}

// Every change of a payout's status, allowed or not.
func TestPayoutStatus(t *testing.T) {
	ctx := t.Context()
	all := []affiliate.PayoutStatus{affiliate.PayoutPending, affiliate.PayoutProcessing, affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled, affiliate.PayoutReturned}
	way := map[affiliate.PayoutStatus][]affiliate.PayoutStatus{
		affiliate.PayoutPending: nil, affiliate.PayoutProcessing: {affiliate.PayoutProcessing},
		affiliate.PayoutPaid: {affiliate.PayoutPaid}, affiliate.PayoutFailed: {affiliate.PayoutProcessing, affiliate.PayoutFailed},
		affiliate.PayoutCanceled: {affiliate.PayoutCanceled}, affiliate.PayoutReturned: {affiliate.PayoutPaid, affiliate.PayoutReturned},
	}
	allowed := map[affiliate.PayoutStatus]string{
		affiliate.PayoutPending: "PROCESSING PAID FAILED CANCELED", affiliate.PayoutProcessing: "PAID FAILED", affiliate.PayoutFailed: "PROCESSING CANCELED",
		affiliate.PayoutPaid: "RETURNED", affiliate.PayoutCanceled: "", affiliate.PayoutReturned: "",
	}
	for _, from := range all {
		for _, to := range all {
			t.Run(string(from)+" to "+string(to), func(t *testing.T) {
				s := scene.NewShop(t)
				s.ToTomas("100")
				s.ToTomas("100")
				p := s.PaysOut()
				for _, status := range way[from] {
					p = scene.Must(s.SetPayoutStatus(ctx, p.ID, status))
				}
				s.Pass(time.Hour)
				move := func() error {
					got, err := s.SetPayoutStatus(ctx, p.ID, to)
					if err != nil {
						return err
					}
					if diff := cmp.Diff(scene.Must(s.Payout(ctx, p.ID)), got); diff != "" || got.Status != to {
						t.Errorf("%s %s", got.Status, diff)
					}
					scene.Equal(t, (from != to), got.UpdatedAt != p.UpdatedAt)
					if paid := !got.PaidAt.IsNull(); paid != (to == affiliate.PayoutPaid || to == affiliate.PayoutReturned) {
						t.Errorf("paidAt %v", got.PaidAt)
					}
					scene.Equal(t, (to == affiliate.PayoutCanceled), !got.CanceledAt.IsNull(), got.CanceledAt)
					scene.Equal(t, (to == affiliate.PayoutReturned), !got.ReturnedAt.IsNull(), got.ReturnedAt)
					return nil
				}
				switch {
				case from == to:
					s.Fires(move)
				case !strings.Contains(allowed[from], string(to)):
					s.Refused(scene.PayoutStuck, move)
				case to == affiliate.PayoutPaid || to == affiliate.PayoutCanceled || to == affiliate.PayoutReturned:
					s.Fires(move, affiliate.SaleUpdated, affiliate.SaleUpdated)
				default:
					s.Fires(move)
				}
				s.Verifies()
			})
		}
	}
}

func TestFailPayout(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	s.ToTomas("100")
	p := s.PaysOut()
	field := func(text string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, "failedReason", "failedReason "+text)
	}
	for reason, want := range map[string]affiliate.Error{
		"": field("must not be empty"), " \n": field("must not be empty"), "a\x00": field("contains invalid characters"),
		strings.Repeat("x", 10_001): field("is too long"),
	} {
		s.Refused(want, func() error { _, err := s.FailPayout(ctx, p.ID, reason); return err })
	}
	s.Refused(payoutMissing, func() error { _, err := s.FailPayout(ctx, uuid.Max, "x"); return err })
	s.Refused(payoutMissing, func() error { _, err := s.SetPayoutStatus(ctx, uuid.Max, affiliate.PayoutPaid); return err })
	s.Refused(scene.FieldError(affiliate.MissingField, "payoutId", "Payout ID is required"), func() error { _, err := s.SetPayoutStatus(ctx, uuid.Nil, affiliate.PayoutCanceled); return err })
	s.Refused(scene.FieldError(affiliate.MissingField, "payoutId", "Payout ID is required"), func() error { _, err := s.FailPayout(ctx, uuid.Nil, " "); return err })
	s.Refused(scene.FieldError(affiliate.MissingField, "status", "Status is required"), func() error { _, err := s.SetPayoutStatus(ctx, p.ID, ""); return err })
	s.Refused(scene.FieldError(affiliate.InvalidField, "status", "status must be one of PENDING, PROCESSING, PAID, FAILED, CANCELED, RETURNED"), func() error {
		return scene.ErrOf(s.SetPayoutStatus(ctx, p.ID, "paid"))
	})
	var last affiliate.Payout
	for _, reason := range []string{"account\nclosed", "account\nclosed", "no such account"} {
		s.Pass(time.Hour)
		s.Fires(func() (err error) {
			last, err = s.FailPayout(ctx, p.ID, reason)
			if last.Status != affiliate.PayoutFailed || last.FailedReason.Or("") != reason {
				t.Errorf("%+v", last)
			}
			return err
		})
	}
	if same := scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutFailed)); !cmp.Equal(last, same) {
		t.Errorf("the same status again changed the payout: %s", cmp.Diff(last, same))
	}
	if again := scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutProcessing)); !again.FailedReason.IsNull() {
		t.Errorf("still failed: %v", again.FailedReason)
	}
	if c := scene.Must(s.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})).Items[0].Commissions[0]; !c.PayoutCreated {
		t.Error("a failed payout let go of its commission")
	}
	scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid))
	s.Refused(scene.PayoutStuck, func() error { _, err := s.FailPayout(ctx, p.ID, "x"); return err })
	s.Verifies()
}

// The same return again changes nothing, and another reason only the reason.
func TestReturnPayoutAgain(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	s.ToTomas("100")
	p := s.PaysOut()
	scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid))
	back := scene.Must(s.ReturnPayout(ctx, p.ID, "no such account"))
	s.Pass(time.Hour)
	scene.Equal(t, back, scene.Must(s.ReturnPayout(ctx, p.ID, "no such account")))
	other := scene.Must(s.ReturnPayout(ctx, p.ID, "account closed"))
	if other.ReturnedReason.Or("") != "account closed" || other.UpdatedAt == back.UpdatedAt {
		t.Errorf("with another reason: %+v", other)
	}
	s.Verifies()
}

// What was paid and came back is owed again, in the month in which it is said: the
// months before stay as they are.
func TestReturnPayout(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	ada := s.Ada.Person.ID
	sale, free := s.ToTomas("100"), affiliate.AdjustmentParams{AffiliateID: ada, Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "spring"}
	bonus := scene.Must(s.RecordAdjustment(ctx, free))
	field := func(text string) affiliate.Error {
		return scene.FieldError(affiliate.InvalidField, "returnedReason", "returnedReason "+text)
	}
	p := s.PaysOut()
	s.Refused(scene.PayoutStuck, func() error { _, err := s.ReturnPayout(ctx, p.ID, "x"); return err })
	scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid))
	s.Pass(time.Hour)
	scene.Must(s.Run(ctx, affiliate.CloseBooksJob{Until: s.Now}))
	march := s.Now
	asJSON, asCSV := scene.StatementTexts(t, s.Program, ada, scene.Start, march)
	s.Pass(40 * 24 * time.Hour)
	for reason, want := range map[string]affiliate.Error{
		"": field("must not be empty"), " \n": field("must not be empty"), "a\x00": field("contains invalid characters"),
		strings.Repeat("x", 10_001): field("is too long"),
	} {
		s.Refused(want, func() error { _, err := s.ReturnPayout(ctx, p.ID, reason); return err })
	}
	s.Refused(payoutMissing, func() error { _, err := s.ReturnPayout(ctx, uuid.Max, "x"); return err })
	s.Refused(scene.FieldError(affiliate.MissingField, "payoutId", "Payout ID is required"), func() error { _, err := s.ReturnPayout(ctx, uuid.Nil, " "); return err })

	back := affiliate.Set(affiliate.TimeOf(s.Now))
	var got affiliate.Payout
	s.Fires(func() (err error) { got, err = s.ReturnPayout(ctx, p.ID, "no such\naccount"); return err }, affiliate.SaleUpdated)
	if got.Status != affiliate.PayoutReturned || got.ReturnedAt != back || got.ReturnedReason.Or("") != "no such\naccount" || got.Amount != scene.Sum("25") || got.PaidAt.IsNull() || len(got.CommissionIDs) != 1 {
		t.Errorf("%+v", got)
	}
	if c := scene.Must(s.Sale(ctx, sale.ID)).Commissions[0]; c.PayoutCreated || c.ManuallyPaid || scene.Must(s.Adjustment(ctx, bonus.ID)).PayoutCreated {
		t.Errorf("the payout holds what it took: %+v", c)
	}
	if b := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: ada})); b.Paid != scene.Sum("0") || b.Payable != scene.Sum("25") || b.Earned != scene.Sum("25") || b.InPayout != scene.Sum("0") {
		t.Errorf("%+v", b)
	}
	if again, csv := scene.StatementTexts(t, s.Program, ada, scene.Start, march); again != asJSON || csv != asCSV {
		t.Errorf("a closed month changed:\n%s\n%s", asCSV, csv)
	}
	var lines []string
	for line, err := range scene.Must(s.Statement(ctx, affiliate.AffiliateRef{ID: ada}, scene.Start, s.Now.Add(time.Hour))).Lines() {
		scene.Must(0, err)
		lines = append(lines, fmt.Sprint(line.Cause, " ", line.Amount, " ", line.Owed))
	}
	scene.Equal(t, []string{"SALE 20 20", "ADJUSTMENT 5 25", "PAYOUT_PAID -25 0", "PAYOUT_RETURNED 25 25"}, lines)
	s.Verifies()

	s.Pass(time.Hour)
	s.Fires(func() (err error) { got, err = s.ReturnPayout(ctx, p.ID, "the account is closed"); return err }) // another reason
	if got.ReturnedAt != back || got.ReturnedReason.Or("") != "the account is closed" {
		t.Errorf("%+v", got)
	}
	for _, status := range []affiliate.PayoutStatus{affiliate.PayoutPaid, affiliate.PayoutFailed, affiliate.PayoutCanceled} {
		s.Refused(scene.PayoutStuck, func() error { _, err := s.SetPayoutStatus(ctx, p.ID, status); return err })
	}
	if same := scene.Must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutReturned)); !cmp.Equal(got, same) {
		t.Errorf("the same status again changed the payout: %s", cmp.Diff(got, same))
	}
	next := scene.Must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada, ManuallyPaid: true}))
	if next.Amount != scene.Sum("25") || !cmp.Equal(next.CommissionIDs, p.CommissionIDs) || !cmp.Equal(next.AdjustmentIDs, p.AdjustmentIDs) {
		t.Errorf("what came back is paid as %+v", next)
	}
	scene.Must(s.ReturnPayout(ctx, next.ID, "again"))
	scene.Must(s.RefundSale(ctx, affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(scene.Sum("60"))})) // it is in no payout, and needs no flag
	scene.Must(0, s.DeleteSale(ctx, sale.ID))
	if b := scene.Must(s.Balance(ctx, affiliate.AffiliateRef{ID: ada})); b.Payable != scene.Sum("5") || b.Paid != scene.Sum("0") {
		t.Errorf("%+v", b)
	}
	s.Verifies()
}

// A plain date ends at its last millisecond, and sales have microseconds: one of
// the day's last half millisecond belongs to the day, for a payout and for a run.
func TestPayoutUntilTheEndOfADay(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	end := affiliate.Day(2026, 3, 11).Instant(time.UTC)
	s.Now = end.Add(999 * time.Microsecond)
	s.ToTomas("100")
	s.Pass(time.Microsecond) // the next day
	s.ToTomas("10")
	in := affiliate.PayoutParams{AffiliateID: s.Ada.Person.ID, Until: end}
	for line, err := range affiliate.All(ctx, s.PreviewPayouts, affiliate.PayoutRun{Until: end, NoDetails: true}) {
		if err != nil || line.Amount != scene.Sum("20") {
			t.Errorf("a run would pay %v, %v", line.Amount, err)
		}
	}
	p, err := s.CreatePayout(ctx, in)
	if err != nil || p.Amount != scene.Sum("20") {
		t.Errorf("%v was paid, %v", p.Amount, err)
	}
	s.Verifies()
}

// A run over named affiliates in steps: each step takes the next ones in the order of
// their ids, whatever the order and the repetitions of the names.
func TestStepsOfNamed(t *testing.T) {
	ctx := t.Context()
	want := []string{"Ada 28 paid", "Bo 6 below_minimum", "Di 0 on_hold", "Gil 12 no_payout_method"}
	for limit := 1; limit <= 5; limit++ {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			s := newRunShop(t)
			named := may()
			for _, name := range []string{"Gil", "Di", "Ada", "Bo", "Ada"} {
				named.AffiliateIDs = append(named.AffiliateIDs, s.of[name].ID)
			}
			for step := 1; ; step++ {
				run := scene.Must(s.RunPayouts(ctx, atMost(limit, named)))
				done := min(step*limit, len(want))
				s.is(fmt.Sprint("lines after step ", step), want[:done], s.lines("2026-05"))
				if over := done == len(want); over != (run.Status == affiliate.RunDone) {
					t.Fatalf("after step %d: %+v", step, run)
				}
				if run.Status == affiliate.RunDone {
					break
				}
			}
			s.Verifies()
		})
	}
}

// The smallest and the largest step.
func TestStepLimits(t *testing.T) {
	for _, limit := range []int{0, 1000} {
		s := newRunShop(t)
		scene.Equal(t, affiliate.RunDone, scene.Must(s.RunPayouts(t.Context(), atMost(limit, may()))).Status, limit)
	}
}

// Where a reason to pay nothing ends: a sum of nothing is not paid, the minimum itself
// is, and both parts of the details are needed.
func TestSkipEdges(t *testing.T) {
	ctx := t.Context()
	s := newRunShop(t)
	s.owes("Bo", "4")  // 10 in all: the minimum
	s.owes("Cy", "5")  // 0 in all
	s.owes("Eve", "1") // banned all the same
	s.Pass(1)
	s.Raw(func(tx *record.Tx) error {
		ada := scene.Must(tx.Affiliates.Get(s.of["Ada"].ID))
		ada.PaymentMethod = "" // as a record from before may be
		return tx.Affiliates.Replace(ada)
	})
	scene.Must(s.RunPayouts(ctx, may()))
	s.is("lines", []string{
		"Ada 28 no_payout_method", "Bo 10 paid", "Cy 0 negative", "Di 0 on_hold", "Eve 16 banned", "Fay 0 nothing_matured", "Gil 12 no_payout_method",
	}, s.lines("2026-05"))
	s.Verifies()
}

// Before the books are open, the sales tell whether a commission is on hold: one that
// earns something and that no payout took.
func TestOnHoldBeforeBooks(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(*record.Sale)
		want []string
	}{
		"on hold": {func(*record.Sale) {}, []string{"Di 0 on_hold"}},
		"declined": {func(r *record.Sale) {
			r.Commissions[0].Approval = affiliate.EnumOf(affiliate.ApprovalDeclined)
		}, []string{}},
		"of nothing":    {func(r *record.Sale) { r.Commissions[0].Earned = affiliate.Amount{} }, []string{}},
		"in a payout":   {func(r *record.Sale) { r.Commissions[0].PayoutID = uuid.Max }, []string{}},
		"no commission": {func(r *record.Sale) { r.Commissions = nil }, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRunShop(t)
			di := s.of["Di"].ID
			s.Raw(func(tx *record.Tx) error {
				totals := scene.Must(tx.Totals.Get(di))
				totals.Books = record.Books{}
				err := tx.Totals.Replace(totals)
				for sale := range tx.Sales.List(record.Query{Key: record.Key{Index: record.OfAffiliate, ID: di}}) {
					changed := sale.Clone()
					tt.edit(&changed)
					err = tx.Sales.Replace(changed)
				}
				return err
			})
			in := affiliate.PayoutRun{AffiliateIDs: []uuid.UUID{di}}
			s.is("preview", tt.want, s.previews(in))
		})
	}
}

// A payout that takes two commissions of one sale changes the sale once, and says when.
// So it does when it is paid.
func TestPayoutOfTwoEntriesOfASale(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale := s.ToTomas("100")
	s.Pass(time.Hour)
	first := s.PaysOut()
	s.ClawsBack(sale.ID, "50", "r1")
	s.Pass(time.Hour)
	scene.Must(s.SetPayoutStatus(ctx, first.ID, affiliate.PayoutCanceled))
	s.Pass(time.Hour)
	before := scene.CountOf(s.EventTypes(0), affiliate.SaleUpdated)
	second := s.PaysOut()
	if n := scene.CountOf(s.EventTypes(0), affiliate.SaleUpdated) - before; n != 1 || len(second.CommissionIDs) != 2 {
		t.Errorf("%d sale.updated for a payout of %v", n, second.CommissionIDs)
	}
	for i, c := range scene.Must(s.Sale(ctx, sale.ID)).Commissions {
		scene.Equal(t, affiliate.TimeOf(s.Now), c.UpdatedAt, i, s.Now)
	}
	s.Fires(func() error { s.Moves(second, affiliate.PayoutPaid); return nil }, affiliate.SaleUpdated)
	s.Verifies()
}

// TestPayoutEntries: what a payout took, with the reasons of its adjustments, adds up to
// its amount, in pages; what was deleted after it was canceled has no amount.
func TestPayoutEntries(t *testing.T) {
	ctx, w := t.Context(), scene.New(t)
	a := w.Ada().Person
	sell := func(total string) affiliate.Sale {
		return scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "kim@example.net", Name: "Kim", TotalEarned: scene.Sum(total)})).Sale.Or(affiliate.Sale{})
	}
	first := sell("100")
	sell("50")
	scene.Must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: a.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("7.5"), Reason: "spring"}))
	p := scene.Must(w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID}))
	walk := func(limit int) (said []string, total affiliate.Amount) {
		for pg := (affiliate.Page{Limit: limit}); ; {
			list := scene.Must(w.PayoutEntries(ctx, p.ID, pg))
			for _, e := range list.Items {
				said = append(said, fmt.Sprint(e.SaleID, " ", e.Kind, " ", e.Reason, " ", e.Amount))
				total = scene.Must(total.Add(e.Amount.Or(affiliate.Amount{})))
			}
			if pg.Cursor = list.Next; pg.Cursor == "" {
				return said, total
			}
		}
	}
	want := []string{"1 null null 20", "2 null null 10", "null BONUS spring 7.5"}
	for _, limit := range []int{0, 1, 2, 3} {
		said, total := walk(limit)
		scene.Equal(t, want, said)
		scene.Equal(t, p.Amount, total)
	}
	for _, pg := range []affiliate.Page{{Limit: -1}, {Limit: 1001}, {Cursor: "x"}, {Cursor: "-1"}, {Cursor: "01"}} {
		if _, err := w.PayoutEntries(ctx, p.ID, pg); !errors.Is(err, affiliate.InvalidQuery) {
			t.Errorf("%+v: %v", pg, err)
		}
	}
	if _, err := w.PayoutEntries(ctx, uuid.New(), affiliate.Page{}); !errors.Is(err, affiliate.ErrNotFound) {
		t.Error(err)
	}
	if _, err := w.Partner(uuid.New()).PayoutEntries(ctx, p.ID, affiliate.Page{}); !errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("somebody else sees it: %v", err)
	}
	scene.Must(w.SetPayoutStatus(ctx, p.ID, affiliate.PayoutCanceled))
	scene.Must(0, w.DeleteSale(ctx, first.ID))
	said, _ := walk(0)
	scene.Equal(t, "1 null null null", said[0])
}

// TestHeldForAffiliates: an affiliate is told why a commission is on hold, but not that a
// rule suspects the sale.
func TestHeldForAffiliates(t *testing.T) {
	ctx := t.Context()
	w := scene.New(t, func(cfg *tributary.Config) { cfg.Review = []affiliate.ReviewRule{affiliate.SelfReferral()} })
	a := w.Ada().Person
	sell := func(email string) {
		scene.Must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: email, Name: "Kim", TotalEarned: scene.Sum("100")}))
	}
	sell("kim@example.net")
	sell(a.Email)
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a.ID))
	sell("lee@example.net")
	var told []string
	for _, s := range scene.Must(w.Partner(a.ID).Sales(ctx, affiliate.Page{})).Items {
		told = append(told, s.HoldReason.String())
	}
	scene.Equal(t, []string{"AFFILIATE_BANNED", "PROGRAM_SETTINGS", "null"}, told)
}
