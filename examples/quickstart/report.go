package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/examples/internal/orders"
)

// maxUnused is how many of the rows that could not be used are printed.
const maxUnused = 20

// books are a shop and the store behind it.
type books struct {
	*orders.Shop
	store affiliate.Store
}

// report prints the state of the program after the last row, and reports whether
// its books hold.
func (s *books) report(ctx context.Context, file string, out io.Writer) (holds bool, err error) {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s: %s, %d rows", s.Config().Name, file, s.Rows)
	if s.Rows > 0 {
		fmt.Fprintf(w, " from %s to %s", s.Since.Format("2006-01-02"), s.Now.Format("2006-01-02"))
	}
	fmt.Fprintln(w)
	sections := []func(context.Context, io.Writer) error{
		s.printAffiliates, s.printCoupons, s.printCodes, s.printOutcomes, s.printRefused, s.printEvents,
	}
	for _, section := range sections {
		if err := section(ctx, w); err != nil {
			return false, err
		}
	}
	s.printUnused(w)
	holds, err = s.verify(ctx, w)
	return holds, errors.Join(err, w.Flush())
}

// An account is the sum of an affiliate's sales.
type account struct {
	sales                         int
	revenue, refunded, commission affiliate.Amount
	held, payable, gathered, paid affiliate.Amount
}

// add adds a sale. paid holds the payouts that have been paid.
func (a *account) add(sale affiliate.Sale, paid map[uuid.UUID]bool) error {
	a.sales++
	err := errors.Join(
		sum(&a.revenue, sale.TotalEarned), sum(&a.refunded, sale.RefundedAmount), sum(&a.commission, sale.CommissionEarned),
	)
	for _, c := range sale.Commissions {
		part := &a.held
		if payout, ok := c.PayoutID.Get(); ok && paid[payout] {
			part = &a.paid
		} else if ok {
			part = &a.gathered
		} else if c.ApprovalStatus == affiliate.ApprovalAccepted {
			part = &a.payable
		}
		err = errors.Join(err, sum(part, c.CommissionEarned))
	}
	return err
}

// cells returns the account as it is printed.
func (a *account) cells() []string {
	return []string{
		fmt.Sprint(a.sales), money(a.revenue), money(a.refunded), money(a.commission),
		money(a.held), money(a.payable), money(a.gathered), money(a.paid),
	}
}

func sum(total *affiliate.Amount, a affiliate.Amount) (err error) {
	*total, err = total.Add(a)
	return err
}

// accounts reads every sale once. It returns an account for each affiliate, and
// one for all of them under the zero id.
func (s *books) accounts(ctx context.Context) (map[uuid.UUID]*account, error) {
	paid := map[uuid.UUID]bool{}
	for payout, err := range affiliate.All(ctx, s.Payouts, affiliate.PayoutFilter{}) {
		if err != nil {
			return nil, err
		}
		paid[payout.ID] = payout.Status == affiliate.PayoutPaid
	}
	accounts := map[uuid.UUID]*account{uuid.Nil: {}}
	for sale, err := range affiliate.All(ctx, s.Sales, affiliate.SaleFilter{}) {
		if err != nil {
			return nil, err
		}
		if accounts[sale.AffiliateID] == nil {
			accounts[sale.AffiliateID] = new(account)
		}
		err := errors.Join(accounts[sale.AffiliateID].add(sale, paid), accounts[uuid.Nil].add(sale, paid))
		if err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// printAffiliates prints the affiliates with what they brought, largest kept
// revenue first. The column of revenue is gross; the commission follows the kept
// revenue.
func (s *books) printAffiliates(ctx context.Context, w io.Writer) error {
	accounts, err := s.accounts(ctx)
	if err != nil {
		return err
	}
	all, err := s.Affiliates(ctx, affiliate.Page{})
	if err != nil {
		return err
	}
	slices.SortFunc(all.Items, func(a, b affiliate.Affiliate) int {
		return cmp.Or(b.TotalRevenue.Cmp(a.TotalRevenue), strings.Compare(a.Name, b.Name))
	})
	rows := [][]string{{
		"Affiliate", "Status", ">Clicks", ">Referrals", ">Sales", ">Revenue", ">Refunded",
		">Commission", ">On hold", ">Payable", ">In payout", ">Paid",
	}}
	var clicks, referrals int64
	for _, aff := range all.Items {
		acc := cmp.Or(accounts[aff.ID], new(account))
		clicks, referrals = clicks+aff.NumberOfClicks, referrals+aff.NumberOfReferredUsers
		rows = append(rows, append([]string{
			aff.Name, string(aff.Status), fmt.Sprint(aff.NumberOfClicks), fmt.Sprint(aff.NumberOfReferredUsers),
		}, acc.cells()...))
	}
	last := []string{"all", "", fmt.Sprint(clicks), fmt.Sprint(referrals)}
	table(w, append(rows, append(last, accounts[uuid.Nil].cells()...)))
	return nil
}

func (s *books) printCoupons(ctx context.Context, w io.Writer) error {
	all, err := s.Coupons(ctx, affiliate.Page{})
	if err != nil {
		return err
	}
	rows := [][]string{{"Coupon", ">Discount", ">Codes", ">Redeemed", ">Limit", "State"}}
	for _, c := range slices.Backward(all.Items) {
		discount := c.PercentOff.Or(affiliate.Percent{}).String() + " %"
		if off, flat := c.AmountOff.Get(); flat {
			discount = money(off)
		}
		rows = append(rows, []string{
			c.Name, discount, fmt.Sprint(len(c.PromotionalCodes)), fmt.Sprint(c.TimesRedeemed),
			limit(c.MaxRedemptions), s.state(c.Valid, c.RedeemBy, c.MaxRedemptions, c.TimesRedeemed),
		})
	}
	table(w, rows)
	return nil
}

func (s *books) printCodes(ctx context.Context, w io.Writer) error {
	all, err := s.Codes(ctx, affiliate.CodeFilter{}, affiliate.Page{})
	if err != nil {
		return err
	}
	rows := [][]string{{"Code", "Coupon", "Affiliate", ">Redeemed", ">Limit", "State"}}
	for _, c := range slices.Backward(all.Items) {
		var coupon, owner string
		if parent, ok := c.Coupon.Get(); ok {
			coupon = parent.Name
		}
		if aff, ok := c.Affiliate.Get(); ok {
			owner = aff.FirstName + " " + aff.LastName
		}
		rows = append(rows, []string{
			c.Code, coupon, owner, fmt.Sprint(c.TimesRedeemed), limit(c.MaxRedemptions),
			s.state(c.Active, c.ExpiresAt, c.MaxRedemptions, c.TimesRedeemed),
		})
	}
	table(w, rows)
	return nil
}

// state returns why a coupon or a code cannot be redeemed.
func (s *books) state(on bool, until affiliate.Opt[affiliate.Time], limit affiliate.Opt[int64], used int64) string {
	if !on {
		return "stopped"
	}
	if t, ok := until.Get(); ok && s.Now.After(t.Time()) {
		return "expired"
	}
	if n, ok := limit.Get(); ok && used >= n {
		return "used up"
	}
	return "open"
}

func limit(n affiliate.Opt[int64]) string {
	if max, ok := n.Get(); ok {
		return fmt.Sprint(max)
	}
	return "-"
}

// printOutcomes prints the results of the rows that customers caused.
func (s *books) printOutcomes(_ context.Context, w io.Writer) error {
	rows := [][]string{{"Row", "Outcome", ">Rows"}}
	for _, k := range orders.Kinds() {
		for _, o := range slices.SortedFunc(maps.Keys(s.Outcomes), byResult) {
			if o.Kind == k.Name {
				rows = append(rows, []string{o.Kind, o.Result, fmt.Sprint(s.Outcomes[o])})
			}
		}
	}
	table(w, rows)
	return nil
}

// byResult sorts recorded rows first and refused rows last.
func byResult(a, b orders.Outcome) int {
	rank := map[string]int{"recorded": -1, "refused": 1}
	return cmp.Or(cmp.Compare(rank[a.Result], rank[b.Result]), strings.Compare(a.Result, b.Result))
}

// printRefused prints the rules that refused rows, in the order in which the
// rules of a code are checked.
func (s *books) printRefused(_ context.Context, w io.Writer) error {
	texts := affiliate.Refusals()
	rank := func(rule orders.Refusal) uint { // of a rule that is not in the table: the highest
		return uint(slices.IndexFunc(texts, func(e *affiliate.Error) bool { return e.Reason == rule.Reason }))
	}
	rules := slices.SortedFunc(maps.Keys(s.Refused), func(a, b orders.Refusal) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Text, b.Text))
	})
	rows := [][]string{{"Refused", ">Rows", "Text"}}
	for _, rule := range rules {
		rows = append(rows, []string{string(rule.Reason), fmt.Sprint(s.Refused[rule]), rule.Text})
	}
	table(w, rows)
	return nil
}

func (s *books) printEvents(ctx context.Context, w io.Writer) error {
	counts, total := map[affiliate.EventType]int{}, 0
	for e, err := range affiliate.All(ctx, s.Events, affiliate.EventFilter{}) {
		if err != nil {
			return err
		}
		counts[e.Type]++
		total++
	}
	rows := [][]string{{"Event", ">Fired"}}
	for _, typ := range affiliate.EventTypes() {
		rows = append(rows, []string{string(typ), fmt.Sprint(counts[typ])})
	}
	table(w, append(rows, []string{"all", fmt.Sprint(total)}))
	return nil
}

func (s *books) printUnused(w io.Writer) {
	if len(s.Unused) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRows that could not be used: %d\n", len(s.Unused))
	for _, reason := range s.Unused[:min(len(s.Unused), maxUnused)] {
		fmt.Fprintf(w, "  %s\n", reason)
	}
	if more := len(s.Unused) - maxUnused; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// verify lets the program recompute its books from its records.
func (s *books) verify(ctx context.Context, w io.Writer) (holds bool, err error) {
	var records, events int
	err = s.store.View(ctx, s.Config().ID, func(tx *affiliate.Tx) error {
		records = size(tx.Affiliates) + size(tx.Links) + size(tx.Clicks) + size(tx.Referrals) + size(tx.Coupons) +
			size(tx.Codes) + size(tx.Redemptions) + size(tx.Sales) + size(tx.Plans) + size(tx.Payouts) + size(tx.Adjustments) + size(tx.Movements) +
			size(tx.Runs) + size(tx.Lines) + size(tx.Totals)
		events = size(tx.Events)
		return nil
	})
	if err != nil {
		return false, err
	}
	if breaches := s.Verify(ctx); breaches != nil {
		fmt.Fprintf(w, "\nVerify: does not hold\n%v\n", breaches)
		return false, nil
	}
	fmt.Fprintf(w, "\nVerify: holds (%d records, %d events checked)\n", records, events)
	return true, nil
}

func size[T affiliate.Record[T]](t affiliate.Table[T]) (n int) {
	for range t.List(affiliate.Query{}) {
		n++
	}
	return n
}

// money writes an amount with two decimals.
func money(a affiliate.Amount) string {
	return fmt.Sprintf("%d.%02d", a.Scaled()/10_000, a.Scaled()%10_000/100)
}

// table prints rows in columns under the headings of the first row. A heading
// that begins with > has its column aligned to the right. A table without rows
// is left out.
func table(w io.Writer, rows [][]string) {
	if len(rows) < 2 {
		return
	}
	widths := make([]int, len(rows[0]))
	right := make([]bool, len(rows[0]))
	for i, heading := range rows[0] {
		rows[0][i], right[i] = strings.CutPrefix(heading, ">")
	}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	fmt.Fprintln(w)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if right[i] {
				cell, pad = pad+cell, ""
			}
			line.WriteString(cell + pad + "  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
