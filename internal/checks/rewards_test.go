package checks_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// TestRewardsPage reads every table of docs/rewards.md, with the terms that stand before it, and
// tries what each row says.
func TestRewardsPage(t *testing.T) {
	tries := map[string]func(*testing.T, affiliate.Terms, [][]string){
		"Member": membersOf(affiliate.Budget{Of: "ALL", Per: "day", CouponID: uuid.Max, UTMCampaign: "c", MaxCommission: affiliate.MustAmount("1"), MaxRewards: 1, Whole: true}), "Step": budgetStory(-1, 0), "Then": budgetStory(-1, 0), "At": budgetStory(0, 1),
		"Wanted": eachRow(budgetWanted), "Budgets": eachRow(budgetRefused), "Day": tiersByPeriod,
		"Member of a bonus": membersOf(affiliate.Bonus{Name: "b", To: "CUSTOMER", From: affiliate.Day(2026, 3, 1), Per: "day", SignUps: 1, Customers: 1,
			MinSpend: affiliate.MustAmount("1"), Revenue: affiliate.MustAmount("1"), HoldDays: 1, Times: 1, Amount: affiliate.MustAmount("1")}),
		"Date": bonusStory, "Bonuses": eachRow(bonusRefused), "Program": eachRow(programOfOthers),
	}
	var terms affiliate.Terms
	rows, lines := 0, strings.Split(read(t, "docs/rewards.md"), "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "```json" {
			end := i + slices.Index(lines[i:], "```")
			terms = affiliate.Terms{}
			if err := json.Unmarshal([]byte(strings.Join(lines[i+1:end], "\n")), &terms); err != nil {
				t.Fatal(err)
			}
			i = end
		}
		if !strings.HasPrefix(lines[i], "| ") {
			continue
		}
		head, table := cellsOf(lines[i])[0], [][]string{}
		for i += 2; strings.HasPrefix(lines[i], "|"); i++ {
			table = append(table, cellsOf(lines[i]))
		}
		try := tries[head]
		if try == nil {
			t.Fatalf("a table of %q, which nothing tries", head)
		}
		delete(tries, head)
		rows += len(table)
		t.Run(head, func(t *testing.T) { try(t, terms, table) })
	}
	if len(tries) > 0 || rows < 110 {
		t.Errorf("%d rows were tried; not on the page: %v", rows, tries)
	}
}

// membersOf compares the rows with the members of a value that has them all.
func membersOf(all any) func(*testing.T, affiliate.Terms, [][]string) {
	return func(t *testing.T, _ affiliate.Terms, rows [][]string) {
		have := map[string]any{}
		text, err := json.Marshal(all)
		if err == nil {
			err = json.Unmarshal(text, &have)
		}
		for _, row := range rows {
			name := strings.Trim(row[0], "`")
			if _, is := have[name]; !is {
				t.Errorf("%s is no member", name)
			}
			delete(have, name)
		}
		if len(have) > 0 || err != nil {
			t.Errorf("the page lacks %v (%v)", have, err)
		}
	}
}

// A budgetShop is a page's program with a second affiliate.
type budgetShop struct {
	*pageShop
	bob affiliate.Affiliate
}

func newBudgetShop(t *testing.T, terms affiliate.Terms) *budgetShop {
	t.Helper()
	s := &budgetShop{pageShop: newPageShop(t, terms, nil)}
	var err error
	s.bob, err = s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Bob", LastName: "Ross", Email: "bob@example.org", AffiliateLink: "bob"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// budgetStory tries steps one after the other; the cells before what has the day, or -1.
func budgetStory(day, what int) func(*testing.T, affiliate.Terms, [][]string) {
	return func(t *testing.T, terms affiliate.Terms, rows [][]string) {
		s := newBudgetShop(t, terms)
		for i, row := range rows {
			name := fmt.Sprintf("%d %s", i+1, row[what])
			s.now = s.now.Add(time.Minute)
			if day >= 0 {
				s.now = dayOfPage(t, row[day]).Add(12*time.Hour + time.Duration(i)*time.Second)
			}
			if err := s.does(row[what]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			same(t, name+": earned", s.earned(), row[what+1])
			same(t, name+": used", s.used(), row[what+2])
			if err := s.Verify(t.Context()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

func dayOfPage(t *testing.T, text string) time.Time {
	t.Helper()
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

var budgetStep = regexp.MustCompile(`^(\w+) sells ([\d.]+)(?:, paid (\S+))?$`)

// does what a step says.
func (s *budgetShop) does(step string) error {
	ctx := s.t.Context()
	if m := budgetStep.FindStringSubmatch(step); m != nil {
		in := affiliate.SaleParams{ReferralID: strings.ToLower(m[1]), TotalEarned: affiliate.MustAmount(m[2]), Email: strings.ToLower(m[1]) + "@example.net", Name: "N"}
		if m[3] != "" {
			in.PaidAt = dayOfPage(s.t, m[3]).Add(12 * time.Hour)
		}
		_, err := s.RecordSale(ctx, in)
		return err
	}
	var id affiliate.SaleID
	var amount, who string
	scan := func(format string, into ...any) bool {
		n, err := fmt.Sscanf(step, format, into...)
		return err == nil && n == len(into)
	}
	change := func(up affiliate.SaleUpdate) error {
		up.ClawBack = true
		_, err := s.UpdateSale(ctx, id, up)
		return err
	}
	switch {
	case scan("refund %d by %s", &id, &amount):
		_, err := s.RefundSale(ctx, affiliate.Refund{SaleID: id, Amount: affiliate.Set(affiliate.MustAmount(amount)), ClawBack: true})
		return err
	case scan("refund %d", &id):
		_, err := s.RefundSale(ctx, affiliate.Refund{SaleID: id, ClawBack: true})
		return err
	case scan("%d earns %s by hand", &id, &amount):
		return change(affiliate.SaleUpdate{CommissionEarned: affiliate.Set(affiliate.MustAmount(amount))})
	case scan("%d earns by the terms", &id):
		return change(affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()})
	case scan("total of %d is %s", &id, &amount):
		return change(affiliate.SaleUpdate{TotalEarned: affiliate.Set(affiliate.MustAmount(amount))})
	case scan("give %d to %s", &id, &who):
		return change(affiliate.SaleUpdate{AffiliateID: affiliate.Set(s.bob.ID)})
	case scan("decline %d", &id):
		_, err := s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, id)
		return err
	case scan("accept %d", &id):
		_, err := s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, id)
		return err
	case scan("delete %d", &id):
		return s.DeleteSale(ctx, id)
	case scan("maxCommission is %s", &amount):
		terms, err := s.Terms(ctx)
		if err != nil {
			return err
		}
		terms[0].Budgets[0].MaxCommission = affiliate.MustAmount(amount)
		_, err = s.SetTerms(ctx, affiliate.TermsUpdate{Budgets: affiliate.Set(terms[0].Budgets)})
		return err
	case scan("close until %s", &who):
		_, err := s.Run(ctx, affiliate.CloseBooksJob{Until: dayOfPage(s.t, who)})
		return err
	case step == "recalculate":
		_, err := s.Run(ctx, affiliate.RecalculateJob{})
		return err
	case step == "pay":
		for _, of := range []affiliate.Affiliate{s.ada, s.bob} {
			if _, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: of.ID}); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%q is no step", step)
}

// earned lists what each sale earns, what is declined in brackets.
func (s *budgetShop) earned() string {
	ctx, of := s.t.Context(), map[affiliate.SaleID]string{}
	last := affiliate.SaleID(0)
	for sale, err := range affiliate.All(ctx, s.Sales, affiliate.SaleQuery{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		of[sale.ID], last = sale.CommissionEarned.String(), max(last, sale.ID)
		if sale.Commissions[0].ApprovalStatus == affiliate.ApprovalDeclined {
			of[sale.ID] = "(" + of[sale.ID] + ")"
		}
	}
	var all []string
	for id := affiliate.SaleID(1); id <= last; id++ {
		all = append(all, cmp.Or(of[id], "–"))
	}
	return strings.Join(all, ", ")
}

// used lists how much of the budgets is used, the latest periods first.
func (s *budgetShop) used() string {
	ctx := s.t.Context()
	var uses []affiliate.BudgetUse
	for use, err := range affiliate.All(ctx, s.Budgets, affiliate.BudgetQuery{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		uses = append(uses, use)
	}
	names := map[uuid.UUID]string{s.ada.ID: "Ada", s.bob.ID: "Bob"}
	text := func(u affiliate.BudgetUse) string {
		who, month := "all", ""
		if id, one := u.AffiliateID.Get(); one {
			who = names[id]
		}
		if from, periodic := u.From.Get(); periodic {
			month = " of " + from.Time().Format("2006-01")
		}
		return fmt.Sprintf("%s %v in %d%s", who, u.Commission, u.Rewards, month)
	}
	for i := 1; i < len(uses); i++ {
		if before, after := uses[i-1].From.Or(affiliate.Time{}), uses[i].From.Or(affiliate.Time{}); before.Time().Before(after.Time()) {
			s.t.Errorf("a period from %v comes after one from %v", after, before)
		}
	}
	slices.SortStableFunc(uses, func(a, b affiliate.BudgetUse) int {
		return cmp.Or(b.From.Or(affiliate.Time{}).Time().Compare(a.From.Or(affiliate.Time{}).Time()), strings.Compare(text(a), text(b)))
	})
	return eachOf(uses, func(u affiliate.BudgetUse) any { return text(u) })
}

func budgetWanted(t *testing.T, _ affiliate.Terms, row []string) {
	s, ctx := newBudgetShop(t, affiliate.Terms{Rate: affiliate.MustPercent("10")}), t.Context()
	s.coupon(affiliate.CouponParams{PercentOff: affiliate.Set(affiliate.MustPercent("5"))})
	coupons, err := s.Coupons(ctx, affiliate.CouponQuery{}, affiliate.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var budgets []affiliate.Budget
	if err := json.Unmarshal([]byte(strings.Trim(strings.ReplaceAll(row[1], "COUPON", coupons.Items[0].ID.String()), "`")), &budgets); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetTerms(ctx, affiliate.TermsUpdate{Budgets: affiliate.Set(budgets)}); err != nil {
		t.Fatal(err)
	}
	click, err := s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", LandingURL: "https://page.example/a?ref=ada&utm_campaign=spring"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	sells := func(total affiliate.Amount, ours bool) affiliate.Amount {
		n++
		in := affiliate.SaleParams{ReferralID: "ada", TotalEarned: total, Email: fmt.Sprintf("c%d@example.net", n), Name: "N"}
		switch {
		case ours && budgets[0].CouponID != uuid.Nil:
			in.PromoCode = "ADA"
		case ours && budgets[0].UTMCampaign != "":
			in.ReferralID = fmt.Sprint(click.ID)
		}
		result, err := s.RecordSale(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		sale, _ := result.Sale.Get()
		return sale.CommissionEarned
	}
	if row[2] != "" {
		used, count, many := strings.Cut(row[2], " in ")
		sales := int64(1)
		if many {
			fmt.Sscan(count, &sales)
		}
		for range sales {
			sells(affiliate.AmountFromScaled(affiliate.MustAmount(used).Scaled()*10/sales), true)
		}
	}
	if budgets[0].CouponID != uuid.Nil || budgets[0].UTMCampaign != "" {
		same(t, "a sale without it", sells(affiliate.MustAmount("100"), false), "10")
	}
	same(t, "earned", sells(affiliate.MustAmount("100"), true), row[3])
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
}

func budgetRefused(t *testing.T, _ affiliate.Terms, row []string) {
	s := newPageShop(t, affiliate.Terms{}, nil)
	var budgets []affiliate.Budget
	if err := json.Unmarshal([]byte(strings.Trim(row[0], "`")), &budgets); err != nil {
		t.Fatal(err)
	}
	_, err := s.SetTerms(t.Context(), affiliate.TermsUpdate{Budgets: affiliate.Set(budgets)})
	same(t, row[0], err, row[1])
}

// tiersByPeriod assigns tiers three times each day: as they are, with a grace, and at the end of periods.
func tiersByPeriod(t *testing.T, _ affiliate.Terms, rows [][]string) {
	for kind, column := range map[affiliate.TierParams]int{{}: 2, {GracePeriods: 1}: 3, {AtPeriodEnd: true}: 4} {
		s, ctx := newPageShop(t, affiliate.Terms{Rate: affiliate.MustPercent("10")}, nil), t.Context()
		s.now = dayOfPage(t, rows[0][0])
		names := map[uuid.UUID]string{uuid.Nil: "none"}
		for rank, revenue := range []string{"100", "500"} {
			in := kind
			in.Tier, in.Name, in.Per, in.MinRevenue = int64(rank+1), []string{"Silver", "Gold"}[rank], affiliate.IntervalMonth, affiliate.MustAmount(revenue)
			tier, err := s.CreateTier(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			names[tier.ID] = tier.Name
		}
		for i, row := range rows {
			if s.now = dayOfPage(t, row[0]).Add(time.Hour); row[1] != "" {
				s.sell(affiliate.SaleParams{TotalEarned: affiliate.MustAmount(row[1])})
			}
			for again := range 2 {
				done, err := s.Run(ctx, affiliate.AssignTiersJob{})
				if err != nil || again > 0 && done.Changed > 0 {
					t.Errorf("%s: %d changed, %v", row[0], done.Changed, err)
				}
			}
			ada, err := s.Affiliate(ctx, s.ada.ID.String())
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%d %s, %+v", i+1, row[0], kind), names[ada.CommissionTierID.Or(uuid.Nil)], row[column])
		}
		if err := s.Verify(ctx); err != nil {
			t.Error(err)
		}
	}
}

// bonusStory grants bonuses three times after each step, of which the last two change nothing.
func bonusStory(t *testing.T, terms affiliate.Terms, rows [][]string) {
	s, ctx := newBudgetShop(t, terms), t.Context()
	for i, row := range rows {
		name := fmt.Sprintf("%d %s %s", i+1, row[0], row[1])
		s.now = dayOfPage(t, row[0]).Add(12*time.Hour + time.Duration(i)*time.Second)
		if err := s.brings(row[1]); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for again := range 3 {
			done, err := s.Run(ctx, affiliate.GrantBonusesJob{})
			if err != nil || again > 0 && done.Changed > 0 {
				t.Fatalf("%s: %d changed, %v", name, done.Changed, err)
			}
		}
		same(t, name+": Ada", s.bonusesOf(s.ada.ID.String()), row[2])
		same(t, name+": Cleo", s.bonusesOf("ext:cleo"), row[3])
		if err := s.Verify(ctx); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

var broughtSale = regexp.MustCompile(`^(\w+) by Ada pays ([\d.]+)$`)

func (s *budgetShop) brings(step string) error {
	ctx := s.t.Context()
	var name, what string
	if m := broughtSale.FindStringSubmatch(step); m != nil {
		name = strings.ToLower(m[1])
		_, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", TotalEarned: affiliate.MustAmount(m[2]),
			Email: name + "@example.net", Name: m[1], ReferredUserExternalID: name})
		return err
	}
	if n, _ := fmt.Sscanf(step, "%s joins", &name); n == 1 && strings.HasSuffix(step, "joins") {
		_, err := s.EnsureAffiliate(ctx, affiliate.AffiliateParams{ExternalID: strings.ToLower(name), FirstName: name, LastName: "N", Email: name + "@example.net"})
		return err
	}
	if cut, is := strings.CutPrefix(step, "take back "); is {
		what = strings.TrimSuffix(cut, " of Ada")
		list, err := s.Adjustments(ctx, affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(s.ada.ID)}, affiliate.Page{})
		if err != nil {
			return err
		}
		for _, a := range list.Items {
			if a.Reason == what && a.ReversedByID.IsNull() && a.ReversesID.IsNull() {
				_, err = s.RecordAdjustment(ctx, affiliate.AdjustmentParams{Reverses: a.ID, Reason: what})
			}
		}
		return err
	}
	switch step {
	case "nothing":
		return nil
	case "pay Ada":
		_, err := s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: s.ada.ID})
		return err
	case "ban Ada":
		_, err := s.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, s.ada.ID)
		return err
	}
	return s.does(step)
}

// bonusesOf sums what an affiliate was given, less what was taken back, by its reason.
func (s *budgetShop) bonusesOf(ref string) string {
	ctx, sums := s.t.Context(), map[string]affiliate.Amount{}
	of, err := s.Affiliate(ctx, ref)
	if err != nil {
		return ""
	}
	for a, err := range affiliate.All(ctx, s.Adjustments, affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(of.ID)}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if sums[a.Reason], err = sums[a.Reason].Add(a.Amount); err != nil {
			s.t.Fatal(err)
		}
	}
	var all []string
	for _, reason := range slices.Sorted(maps.Keys(sums)) {
		all = append(all, reason+" "+sums[reason].String())
	}
	return strings.Join(all, ", ")
}

func bonusRefused(t *testing.T, _ affiliate.Terms, row []string) {
	s := newPageShop(t, affiliate.Terms{Bonuses: []affiliate.Bonus{{Name: "a", From: affiliate.Day(2026, 3, 1), Customers: 3, Amount: affiliate.MustAmount("5")}}}, nil)
	var bonuses []affiliate.Bonus
	if err := json.Unmarshal([]byte(strings.Trim(row[0], "`")), &bonuses); err != nil {
		t.Fatal(err)
	}
	_, err := s.SetTerms(t.Context(), affiliate.TermsUpdate{Bonuses: affiliate.Set(bonuses)})
	same(t, row[0], err, row[1])
}

// programOfOthers brings thirteen friends, who pay, and grants bonuses forty days later.
func programOfOthers(t *testing.T, _ affiliate.Terms, row []string) {
	var terms affiliate.Terms
	if err := json.Unmarshal([]byte(strings.Trim(row[1], "`")), &terms); err != nil {
		t.Fatal(err)
	}
	s, ctx := newPageShop(t, terms, nil), t.Context()
	for i := range 13 {
		name := fmt.Sprint("friend", i)
		_, err := s.EnsureAffiliate(ctx, affiliate.AffiliateParams{ExternalID: name, FirstName: name, LastName: "N", Email: name + "@example.net"})
		if err == nil {
			_, err = s.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", TotalEarned: affiliate.MustAmount("20"), Email: name + "@example.net", Name: name, ReferredUserExternalID: name})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.now = s.now.AddDate(0, 0, 40)
	if _, err := s.Run(ctx, affiliate.GrantBonusesJob{}); err != nil {
		t.Fatal(err)
	}
	for column, ref := range map[int]affiliate.AffiliateRef{2: {ID: s.ada.ID}, 3: {ExternalID: "friend5"}} {
		balance, err := s.Balance(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		same(t, row[0], balance.Earned, row[column])
	}
	if err := s.Verify(ctx); err != nil {
		t.Error(err)
	}
}
