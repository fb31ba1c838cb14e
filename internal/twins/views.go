package twins

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// A Row is a row of an answer, as a host sees it: a text for each column that is not NULL.
// A time has six decimals and ends with Z, a boolean is 0 or 1.
type Row map[string]string

// Views compares the views that docs/tables.md documents with the engine and the records,
// whatever the programs of a store have been through. read returns the rows of a view and a
// program, with the column program.
func Views(t *testing.T, store record.Store, read func(view string, program uuid.UUID) []Row) {
	t.Helper()
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s := newViewedShop(t, store, 3)
		s.trade(rt)
		for view, want := range s.wanted(rt.Context()) {
			got := read(view, s.Config().ID)
			for _, rows := range [][]Row{want, got} {
				slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Errorf("%s (-engine +view):\n%s", view, diff)
			}
			seen[view] += len(got)
		}
	})
	for _, view := range views {
		if seen[view] == 0 {
			t.Errorf("%s was compared with nothing", view)
		}
	}
}

// views are the views that docs/tables.md documents.
var views = []string{
	"clicks_report", "codes_report", "commissions_report", "deliveries_report", "events_report", "movements_report",
	"redemptions_report", "sales_report",
}

// ViewColumns returns the columns of each view that a page lists, by the view's name, without
// the column program, which all have.
func ViewColumns(page string) map[string][]string {
	columns := map[string][]string{}
	for _, view := range views {
		_, row, _ := strings.Cut(page, "\n| `"+view+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		for i, part := range strings.Split(row, "`") {
			if i%2 == 1 {
				columns[view] = append(columns[view], part)
			}
		}
	}
	return columns
}

// A viewedShop is a program with a clock, and what was sold.
type viewedShop struct {
	*tributary.Program
	store record.Store
	now   time.Time
	sold  []affiliate.SaleID
	paid  []uuid.UUID
}

func newViewedShop(tb testing.TB, store record.Store, holdDays int64) *viewedShop {
	tb.Helper()
	s := &viewedShop{store: store, now: time.Date(2026, 3, 11, 9, 24, 18, 442_001_000, time.UTC)}
	p, err := tributary.New(store, tributary.Config{
		ID: uuid.Must(uuid.NewV7()), Name: "Northwind Beans", Destinations: []affiliate.Destination{{URL: "https://beans.example/shop"}},
		Terms: affiliate.Terms{Rate: affiliate.MustPercent("20"), HoldDays: holdDays}, Review: []affiliate.ReviewRule{affiliate.SelfReferral()},
		Now: func() time.Time { return s.now },
	})
	if err != nil {
		tb.Fatal(err)
	}
	s.Program = p
	return s
}

// steps are what may happen, what is more frequent several times.
var steps = []string{
	"sale", "sale", "sale", "sale", "sale", "part refund", "part refund", "refund", "restore", "delete", "review", "move", "adjust",
	"payout", "paid", "payout", "cancel", "link", "deliver",
}

// trade does some of everything that the views show.
func (s *viewedShop) trade(rt *rapid.T) {
	ctx := rt.Context()
	for _, name := range []string{"ada", "bob"} {
		a := must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: name, LastName: "Doe", Email: name + "@example.com", AffiliateLink: name}))
		coupon := must(s.CreateCoupon(ctx, affiliate.CouponParams{Name: "Autumn", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
		must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: name + "20", AffiliateID: a.ID, ExternalID: "promo-" + name}))
	}
	must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: must(s.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items[0].ID, Code: "NOBODY"}))
	must(s.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://hooks.example/a", Events: []affiliate.EventType{affiliate.SaleCreated}}))
	for i := range rapid.IntRange(5, 30).Draw(rt, "steps") {
		s.now = s.now.Add(time.Duration(rapid.SampledFrom([]int{1, 20, 80}).Draw(rt, "hours"))*time.Hour + 7*time.Microsecond)
		step := rapid.SampledFrom(steps).Draw(rt, "step")
		if step == "sale" || len(s.sold) == 0 {
			s.sell(rt, i)
			continue
		}
		s.change(rt, step, rapid.SampledFrom(s.sold).Draw(rt, "sale"))
	}
}

func (s *viewedShop) sell(rt *rapid.T, i int) {
	amount := rapid.Int64Range(1, 5_000_000)
	name := rapid.SampledFrom([]string{"ada", "bob"}).Draw(rt, "affiliate")
	in := affiliate.SaleParams{TotalEarned: affiliate.AmountFromScaled(amount.Draw(rt, "total")), Name: "Kim", Email: fmt.Sprintf("c%d@example.net", i%3)}
	if rapid.Bool().Draw(rt, "by link") {
		click := must(s.TrackClick(rt.Context(), affiliate.ClickParams{Slug: name, LandingURL: "https://beans.example/shop", Repeat: i%2 == 0}))
		in.ReferralID, in.ExternalInvoiceID = fmt.Sprint(click.ID), fmt.Sprint("invoice-", i)
	} else {
		in.PromoCode = name + "20"
	}
	if rapid.Bool().Draw(rt, "external id") {
		in.ExternalID = fmt.Sprint("order-", i)
	}
	if sale, ok := must(s.RecordSale(rt.Context(), in)).Sale.Get(); ok {
		s.sold = append(s.sold, sale.ID)
	}
}

// change does something with a sale. The program may refuse it: then it changes nothing.
func (s *viewedShop) change(rt *rapid.T, step string, id affiliate.SaleID) {
	ctx := rt.Context()
	switch step {
	case "part refund":
		_, _ = s.RefundSale(ctx, affiliate.Refund{SaleID: id, Amount: affiliate.Set(affiliate.AmountFromScaled(rapid.Int64Range(1, 900_000).Draw(rt, "refund"))), ClawBack: true})
	case "refund":
		_, _ = s.RefundSale(ctx, affiliate.Refund{SaleID: id, ClawBack: true})
	case "restore":
		_ = s.RestoreRedemption(ctx, affiliate.SaleRef{ID: id})
	case "delete":
		_ = s.DeleteSale(ctx, id)
	case "review":
		_, _ = s.ReviewCommissions(ctx, rapid.SampledFrom(affiliate.ApprovalStatuses()).Draw(rt, "approval"), id)
	case "move":
		to := must(s.Affiliate(ctx, rapid.SampledFrom([]string{"ada@example.com", "bob@example.com"}).Draw(rt, "to")))
		_, _ = s.UpdateSale(ctx, id, affiliate.SaleUpdate{AffiliateID: affiliate.Set(to.ID), ClawBack: true})
	case "adjust":
		if sale, err := s.Sale(ctx, id); err == nil {
			_, _ = s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: sale.AffiliateID, Kind: affiliate.AdjustCorrection, Amount: affiliate.AmountFromScaled(-50_000), Reason: "a mistake"})
		}
	case "payout", "paid":
		paid, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateEmail: "ada@example.com", ManuallyPaid: step == "paid"})
		if err == nil {
			s.paid = append(s.paid, paid.ID)
		}
	case "cancel":
		if len(s.paid) > 0 {
			_, _ = s.SetPayoutStatus(ctx, s.paid[len(s.paid)-1], affiliate.PayoutCanceled)
		}
	case "link":
		_, _ = s.DeleteLink(ctx, affiliate.LinkRef{Slug: "bob"})
		_, _ = s.CreateLink(ctx, affiliate.LinkParams{Link: "bob", AffiliateEmail: "bob@example.com"})
	case "deliver":
		for _, claim := range must(s.Webhooks().ClaimDeliveries(ctx, 5, time.Minute)) {
			_ = s.Webhooks().SettleDeliveries(ctx, []affiliate.Attempt{{Delivery: claim.Delivery, Token: claim.Token, At: s.now, URL: claim.URL, Status: rapid.SampledFrom([]int{200, 500}).Draw(rt, "status")}})
		}
	}
}

// wanted returns the rows of each view: amounts, states and counts as the engine answers
// them, and times as the records have them, whose microseconds no answer shows.
func (s *viewedShop) wanted(ctx context.Context) map[string][]Row {
	want := map[string][]Row{}
	row := func(view string, r Row) {
		maps.DeleteFunc(r, func(_, v string) bool { return v == "" })
		r["program"] = s.Config().ID.String()
		want[view] = append(want[view], r)
	}
	err := s.store.View(ctx, s.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Sales.List(record.Query{}) {
			if err != nil {
				return err
			}
			sale := must(s.Sale(ctx, affiliate.SaleID(rec.Number)))
			row("sales_report", Row{
				"sale_id": fmt.Sprint(sale.ID), "created_at": at(rec.CreatedAt), "status": string(sale.Status), "total_earned": exact(sale.TotalEarned),
				"refunded_amount": exact(sale.RefundedAmount), "commission_earned": exact(sale.CommissionEarned), "affiliate_id": sale.AffiliateID.String(),
				"referral_id": text(sale.ReferralID), "affiliate_link_id": text(sale.AffiliateLinkID), "promotional_code_id": text(sale.PromotionalCodeID),
				"external_id": text(sale.ExternalID), "external_invoice_id": text(sale.ExternalInvoiceID), "email": text(sale.Email), "payout_id": firstPayout(sale),
			})
			for i, c := range sale.Commissions {
				entry := rec.Commissions[i]
				payable := ""
				switch {
				case c.ApprovalStatus == affiliate.ApprovalDeclined:
				case c.ClawBack:
					payable = at(entry.CreatedAt)
				default:
					payable = at(rec.CreatedAt.Add(3 * 24 * time.Hour))
				}
				if then, ok := c.PayableAt.Get(); ok != (payable != "") || ok && then.String()[:23] != payable[:23] {
					return fmt.Errorf("commission %d can be paid from %v, or %s", c.ID, c.PayableAt, payable)
				}
				row("commissions_report", Row{
					"sale_id": fmt.Sprint(sale.ID), "commission_id": fmt.Sprint(c.ID), "affiliate_id": c.AffiliateID.String(),
					"commission_earned": exact(c.CommissionEarned), "approval_status": string(c.ApprovalStatus), "hold_reason": text(c.HoldReason),
					"payout_id": text(c.PayoutID), "manually_paid": boolean(c.ManuallyPaid), "clawback": boolean(c.ClawBack), "bonus_reason": text(c.BonusReason),
					"payable_at": payable, "created_at": at(entry.CreatedAt), "updated_at": at(entry.UpdatedAt),
				})
			}
		}
		for rec := range tx.Redemptions.List(record.Query{}) {
			n := must(strconv.ParseInt(strings.ReplaceAll(rec.ID.String()[19:], "-", ""), 16, 64))
			row("redemptions_report", Row{
				"sale_id": fmt.Sprint(n), "redeemed_at": at(rec.CreatedAt), "restored_at": at(rec.RestoredAt),
				"promotional_code_id": rec.CodeID.String(), "coupon_id": rec.CouponID.String(),
			})
		}
		for rec := range tx.Codes.List(record.Query{}) {
			code := must(s.Code(ctx, affiliate.CodeRef{ID: rec.ID}))
			row("codes_report", Row{
				"promotional_code_id": code.ID.String(), "code": code.Code, "coupon_id": code.CouponID.String(), "affiliate_id": text(code.AffiliateID),
				"external_id": text(code.ExternalID), "active": boolean(code.Active), "times_redeemed": fmt.Sprint(code.TimesRedeemed), "created_at": at(rec.CreatedAt),
			})
		}
		for rec := range tx.Clicks.List(record.Query{}) {
			row("clicks_report", Row{
				"click_id": fmt.Sprint(rec.Number), "created_at": at(rec.CreatedAt), "is_unique": boolean(rec.Unique), "affiliate_id": rec.AffiliateID.String(),
				"affiliate_link_id": id(rec.LinkID), "referral_id": id(rec.ReferralID),
			})
		}
		for rec := range tx.Events.List(record.Query{}) {
			row("events_report", Row{
				"event_id": affiliate.Event{ID: rec.ID}.MessageID(), "event": string(rec.Type), "occurred_at": at(rec.OccurredAt), "object_id": rec.ObjectID.String(),
			})
		}
		for rec := range tx.Deliveries.List(record.Query{}) {
			d := must(s.Webhooks().Delivery(ctx, rec.ID))
			row("deliveries_report", Row{
				"delivery_id": d.ID.String(), "event_id": d.EventID, "webhook_id": d.WebhookID.String(), "status": string(d.State),
				"created_at": at(rec.CreatedAt), "attempts": fmt.Sprint(d.AttemptCount),
			})
		}
		for rec := range tx.Movements.List(record.Query{}) {
			sale := ""
			if rec.Sale != 0 {
				sale = fmt.Sprint(rec.Sale)
			}
			row("movements_report", Row{
				"affiliate_id": rec.AffiliateID.String(), "movement_id": rec.ID.String(), "at": at(rec.At), "cause": rec.Cause.String(),
				"from_account": rec.From.String(), "to_account": rec.To.String(), "amount": exact(rec.Amount), "sale_id": sale,
			})
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	return want
}

// exact is an amount with its four decimals.
func exact(a affiliate.Amount) string {
	whole, decimals, _ := strings.Cut(a.String(), ".")
	return whole + "." + decimals + strings.Repeat("0", 4-len(decimals))
}

func at(i affiliate.Instant) string {
	if i.IsZero() {
		return ""
	}
	return i.Time().Format("2006-01-02T15:04:05.000000Z")
}

func text[T any](v affiliate.Opt[T]) string {
	if v, ok := v.Get(); ok {
		return fmt.Sprint(v)
	}
	return ""
}

func id(v uuid.UUID) string {
	if v == uuid.Nil {
		return ""
	}
	return v.String()
}

func boolean(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func firstPayout(s affiliate.Sale) string {
	if len(s.Commissions) == 0 {
		return ""
	}
	return text(s.Commissions[0].PayoutID)
}
