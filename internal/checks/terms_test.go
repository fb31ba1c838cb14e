package checks_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

const termsPage = "docs/terms.md"

// TestTermsPage reads every table of docs/terms.md, with the terms that stand before it,
// and tries what each row says.
func TestTermsPage(t *testing.T) {
	tries := map[string]func(*testing.T, affiliate.Terms, [][]string){
		"Condition":    knownConditions,
		"Refused sale": eachRow(refusedSale), "Code": eachRow(codeOfLines), "Sale": eachRow(baseOfLines), "Explained sale": eachRow(exactOfLines),
		"Refunds, one after the other": eachRow(keptOfLines), "Line": eachRow(decidedLine), "Rules": eachRow(refusedRules),
		"Orders of one customer, one after the other": numberedPayments, "Zone": eachRow(monthOfSale), "The customer's payments, one after the other": limitedPayments,
		"Payments of one customer, one after the other": cappedPayments, "What one customer does, one after the other": conversions,
		"Paid at": datedSales, "Charged": eachRow(chargedSale), "Sale with something for nothing": eachRow(amountForNothing), "Reported, one after the other": reportedLate,
		"To pay": eachRow(expressed), "Also": namedExamples,
	}
	var terms affiliate.Terms
	tried, rows := map[string]bool{}, 0
	lines := strings.Split(read(t, termsPage), "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "```json" {
			end := i + slices.Index(lines[i:], "```")
			terms = termsOfPage(t, strings.Join(lines[i+1:end], "\n"))
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
		if try == nil || tried[head] {
			t.Fatalf("a table of %q, which nothing tries", head)
		}
		tried[head] = true
		rows += len(table)
		t.Run(head, func(t *testing.T) { try(t, terms, table) })
	}
	if len(tried) != len(tries) || rows < 70 {
		t.Errorf("%d rows of the tables %v were tried", rows, tried)
	}
}

func eachRow(try func(*testing.T, affiliate.Terms, []string)) func(*testing.T, affiliate.Terms, [][]string) {
	return func(t *testing.T, terms affiliate.Terms, rows [][]string) {
		for _, row := range rows {
			t.Run(row[0], func(t *testing.T) { try(t, terms, row) })
		}
	}
}

func cellsOf(line string) []string {
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// termsOfPage reads terms as the wire has those of a plan.
func termsOfPage(t *testing.T, text string) affiliate.Terms {
	t.Helper()
	var plan struct {
		CommissionRate   affiliate.Percent
		NumberOfPayments int64
		NumberOfMonths   int64
		MaxPerSale       affiliate.Amount
		MaxPerCustomer   affiliate.Amount
		Rules            []affiliate.Rule
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return affiliate.Terms{
		Rate: plan.CommissionRate, MaxPayments: plan.NumberOfPayments, MaxMonths: plan.NumberOfMonths, Rules: plan.Rules,
		MaxPerSale: plan.MaxPerSale, MaxPerCustomer: plan.MaxPerCustomer,
	}
}

// A pageShop is a program with one affiliate, and a clock.
type pageShop struct {
	*tributary.Program
	t   *testing.T
	now time.Time
	ada affiliate.Affiliate
}

func newPageShop(t *testing.T, terms affiliate.Terms, zone *time.Location) *pageShop {
	t.Helper()
	s := &pageShop{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	p, err := tributary.New(memstore.New(), tributary.Config{
		Name: "Page", Destinations: []affiliate.Destination{{URL: "https://page.example"}}, Terms: terms, Location: zone, FreeOrders: true,
		Now: func() time.Time { return s.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Program = p
	s.ada, err = p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Moss", Email: "ada@example.org", AffiliateLink: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// coupon makes the code ADA of a coupon.
func (s *pageShop) coupon(in affiliate.CouponParams) {
	s.t.Helper()
	in.Name = "Ada"
	c, err := s.CreateCoupon(s.t.Context(), in)
	if err == nil {
		_, err = s.CreateCode(s.t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: "ADA", AffiliateID: s.ada.ID})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// sell records a sale of the customer Ida.
func (s *pageShop) sell(in affiliate.SaleParams) affiliate.Sale {
	s.t.Helper()
	sale, err := s.trySell(in)
	if err != nil {
		s.t.Fatal(err)
	}
	return sale
}

func (s *pageShop) trySell(in affiliate.SaleParams) (affiliate.Sale, error) {
	if in.PromoCode == "" {
		in.ReferralID, in.Email, in.Name = "ada", "ida@example.net", "Ida"
	}
	res, err := s.RecordSale(s.t.Context(), in)
	sale, _ := res.Sale.Get()
	return sale, err
}

func (s *pageShop) explain(sale affiliate.Sale) affiliate.Explanation {
	s.t.Helper()
	e, err := s.ExplainSale(s.t.Context(), sale.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return e
}

var lineOfPage = regexp.MustCompile(`^(?:#(\w+) )?(?:(\d+) × )?([A-Z]+)(?:@([\w-]+))?(?:/(\w+))? (-?[\d.]+)(?: − ([\d.]+))?$`)

// linesOfPage reads lines as the page writes them.
func linesOfPage(t *testing.T, text string) (lines []affiliate.Line) {
	t.Helper()
	for part := range strings.SplitSeq(text, ", ") {
		m := lineOfPage.FindStringSubmatch(part)
		if m == nil {
			t.Fatalf("%q is no line", part)
		}
		l := affiliate.Line{ID: m[1], ProductID: m[3], PlanID: m[4], Amount: affiliate.MustAmount(m[6])}
		if m[2] != "" {
			l.Quantity = affiliate.Set(affiliate.MustAmount(m[2]))
		}
		if m[5] != "" {
			l.Categories = []string{m[5]}
		}
		if m[7] != "" {
			l.Discount = affiliate.MustAmount(m[7])
		}
		lines = append(lines, l)
	}
	return lines
}

// saleOfPage reads a sale: its lines and, after semicolons, the rest.
func saleOfPage(t *testing.T, text string) affiliate.SaleParams {
	t.Helper()
	lines, rest, _ := strings.Cut(text, "; ")
	in := affiliate.SaleParams{Lines: linesOfPage(t, lines)}
	for part := range strings.SplitSeq(rest, "; ") {
		switch name, value, _ := strings.Cut(part, " "); name {
		case "paid":
			in.TotalEarned = affiliate.MustAmount(value)
		case "tax":
			in.Tax = affiliate.MustAmount(value)
		case "subtotal":
			in.Subtotal = affiliate.Set(affiliate.MustAmount(value))
		case "product":
			in.Product = affiliate.Set(affiliate.Product{ProductID: value})
		default:
			t.Fatalf("%q of %q", part, text)
		}
	}
	return in
}

// eachOf writes one value of each line as the page does.
func eachOf[T any](lines []T, value func(T) any) string {
	var all []string
	for _, l := range lines {
		all = append(all, fmt.Sprint(value(l)))
	}
	return strings.Join(all, ", ")
}

func same(t *testing.T, what string, got any, want string) {
	t.Helper()
	if fmt.Sprint(got) != want {
		t.Errorf("%s: %v, and the page says %s", what, got, want)
	}
}

func knownConditions(t *testing.T, _ affiliate.Terms, rows [][]string) {
	named := map[string]bool{}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[0], ", ") {
			named[strings.Trim(name, "`")] = true
		}
	}
	all := affiliate.RuleWhen{
		Products: []string{"a"}, Plans: []string{"a"}, Categories: []string{"a"}, NotProducts: []string{"b"}, NotPlans: []string{"b"}, NotCategories: []string{"b"},
		PaymentFrom: 1, PaymentTo: 1, MonthFrom: 1, MonthTo: 1, Customer: affiliate.CustomerNew, Triggers: []affiliate.PaymentTrigger{"PURCHASE"},
		Conversions: []string{"lead"},
	}
	var have map[string]any
	text, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(text, &have)
	}
	if err != nil || len(have) != len(named) {
		t.Errorf("%d conditions, and the page has %d (%v)", len(have), len(named), err)
	}
	for name := range have {
		if !named[name] {
			t.Errorf("the page has no %s", name)
		}
	}
}

func refusedSale(t *testing.T, _ affiliate.Terms, row []string) {
	_, err := newPageShop(t, affiliate.Terms{}, nil).trySell(saleOfPage(t, row[0]))
	same(t, row[0], err, row[1])
}

func codeOfLines(t *testing.T, _ affiliate.Terms, row []string) {
	s := newPageShop(t, affiliate.Terms{Rate: affiliate.MustPercent("10")}, nil)
	off, of, _ := strings.Cut(row[0], " of ")
	var in affiliate.CouponParams
	if rate, percent := strings.CutSuffix(off, " %"); percent {
		in.PercentOff = affiliate.Set(affiliate.MustPercent(rate))
	} else {
		in.CouponType, in.AmountOff, in.Currency = affiliate.CouponFlat, affiliate.Set(affiliate.MustAmount(off)), affiliate.Set(affiliate.Currency("USD"))
	}
	if of != "everything" {
		in.LimitToProducts, in.ProductIDs = true, strings.Split(of, ", ")
	}
	s.coupon(in)
	lines := linesOfPage(t, row[1])
	e, err := s.Evaluate(t.Context(), affiliate.Order{PromoCode: "ADA", Lines: lines})
	if err != nil || !e.Valid {
		t.Fatal(err, e.Reasons)
	}
	total, _ := e.Total.Get()
	same(t, "to pay", total, row[3])
	sale := s.sell(affiliate.SaleParams{PromoCode: "ADA", Lines: lines, TotalEarned: total})
	same(t, "taken off", eachOf(sale.Lines, func(l affiliate.SaleLine) any { return l.CodeDiscount }), row[2])
}

func baseOfLines(t *testing.T, terms affiliate.Terms, row []string) {
	s := newPageShop(t, terms, nil)
	sale := s.sell(saleOfPage(t, row[0]))
	e := s.explain(sale)
	same(t, "bases", eachOf(e.Lines, func(l affiliate.ExplainedLine) any { return l.Base }), row[1])
	same(t, "earned", sale.CommissionEarned, row[2])
}

func exactOfLines(t *testing.T, terms affiliate.Terms, row []string) {
	s := newPageShop(t, terms, nil)
	e := s.explain(s.sell(saleOfPage(t, row[0])))
	same(t, "of each line", eachOf(e.Lines, func(l affiliate.ExplainedLine) any { return l.Exact }), row[1])
	same(t, "exactly", e.Arithmetic.Exact, row[2])
	same(t, "rounded", e.Arithmetic.Rounded, row[3])
}

func keptOfLines(t *testing.T, terms affiliate.Terms, row []string) {
	of := regexp.MustCompile("sale\\s`(#a [^`]+)`").FindStringSubmatch(read(t, termsPage))
	s := newPageShop(t, terms, nil)
	sale := s.sell(saleOfPage(t, of[1]))
	for i, part := range strings.Split(row[0], ", ") {
		in := affiliate.Refund{SaleID: sale.ID, RefundID: fmt.Sprint("r", i)}
		line, amount, named := strings.Cut(part, " ")
		if !named {
			amount = line
		}
		in.Amount = affiliate.Set(affiliate.MustAmount(amount))
		if named {
			in.Lines = []affiliate.RefundLine{{ID: line, Amount: affiliate.MustAmount(amount)}}
		}
		if _, err := s.RefundSale(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	e := s.explain(sale)
	same(t, "kept", eachOf(e.Lines, func(l affiliate.ExplainedLine) any { return l.Kept }), row[1])
	same(t, "earned", e.Arithmetic.Rounded, row[2])
}

func decidedLine(t *testing.T, terms affiliate.Terms, row []string) {
	s := newPageShop(t, terms, nil)
	if row[1] != "" {
		up := affiliate.AffiliateUpdate{CommissionRate: affiliate.Set(affiliate.MustPercent(row[1]))}
		if _, err := s.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: s.ada.ID}, up); err != nil {
			t.Fatal(err)
		}
	}
	in := saleOfPage(t, row[0]+"; paid 100")
	if row[2] != "" {
		in.CommissionRate = affiliate.Set(affiliate.MustPercent(row[2]))
	}
	sale := s.sell(in)
	same(t, "decided by", sale.Lines[0].Rule.Or("the rate"), row[3])
	same(t, "earned", sale.CommissionEarned, row[4])
}

func refusedRules(t *testing.T, _ affiliate.Terms, row []string) {
	s := newPageShop(t, affiliate.Terms{}, nil)
	_, err := s.CreatePlan(t.Context(), affiliate.PlanParams{Name: "P", Terms: termsOfPage(t, `{"rules": `+strings.Trim(row[0], "`")+`}`)})
	same(t, row[0], err, row[1])
}

// numberedPayments has rows that follow one another.
func numberedPayments(t *testing.T, _ affiliate.Terms, rows [][]string) {
	s := newPageShop(t, affiliate.Terms{Rules: []affiliate.Rule{{
		Name: "from the first", When: affiliate.RuleWhen{PaymentFrom: 1}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("1")},
	}}}, nil)
	s.coupon(affiliate.CouponParams{PercentOff: affiliate.Set(affiliate.MustPercent("100"))})
	ten := affiliate.MustAmount("10")
	var sales []affiliate.Sale
	for _, row := range rows {
		var in affiliate.SaleParams
		switch row[0] {
		case "a payment":
			in = affiliate.SaleParams{TotalEarned: ten}
		case "a payment without a customer":
			in = affiliate.SaleParams{PromoCode: "ADA", TotalEarned: ten}
		case "a free order":
			in = affiliate.SaleParams{PromoCode: "ADA", Email: "ida@example.net", Subtotal: affiliate.Set(ten), Free: true}
		case "the second is refunded in full":
			if _, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: sales[1].ID}); err != nil {
				t.Fatal(err)
			}
			continue
		default:
			t.Fatalf("row %q", row[0])
		}
		s.now = s.now.Add(time.Hour)
		sale := s.sell(in)
		sales = append(sales, sale)
		number := "none"
		if n, ok := s.explain(sale).Terms.Payment.Get(); ok {
			number = fmt.Sprint(n)
		}
		same(t, row[0], number, row[1])
		if ruled := !sale.CommissionEarned.IsZero(); ruled != (row[1] != "none") {
			t.Errorf("%s: the rule holds: %v", row[0], ruled)
		}
	}
}

func monthOfSale(t *testing.T, _ affiliate.Terms, row []string) {
	zone, err := time.LoadLocation(row[0])
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if day, dayErr := time.ParseInLocation(time.DateOnly, text, zone); err != nil && dayErr == nil {
			return day
		} else if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for i, from := range []affiliate.MonthsFrom{affiliate.MonthsFromPayment, affiliate.MonthsFromReferral} {
		s := newPageShop(t, affiliate.Terms{Rate: affiliate.MustPercent("10"), MaxMonths: 1_000, MonthsFrom: from}, zone)
		s.now = at(row[1])
		if _, err := s.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "ada", Email: "ida@example.net", Name: "Ida", ReferredUserExternalID: "ida"}); err != nil {
			t.Fatal(err)
		}
		var sale affiliate.Sale
		for _, day := range row[2:4] {
			s.now = at(day)
			sale = s.sell(affiliate.SaleParams{TotalEarned: affiliate.MustAmount("10")})
		}
		same(t, string(from), s.explain(sale).Terms.Month, row[4+i])
	}
}

// cappedPayments has rows that follow one another.
func cappedPayments(t *testing.T, terms affiliate.Terms, rows [][]string) {
	s := newPageShop(t, terms, nil)
	var sales []affiliate.Sale
	for _, row := range rows {
		var sale affiliate.Sale
		if row[0] == "the first is refunded in full" {
			if _, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: sales[0].ID}); err != nil {
				t.Fatal(err)
			}
			sale = sales[0]
		} else {
			sale = s.sell(affiliate.SaleParams{TotalEarned: affiliate.MustAmount(row[0])})
			sales = append(sales, sale)
		}
		e := s.explain(sale).Arithmetic
		same(t, "cap", e.Cap.Or(affiliate.Amount{}), row[1])
		same(t, "earned", e.Rounded, row[2])
	}
}

// conversions has rows that follow one another.
func conversions(t *testing.T, terms affiliate.Terms, rows [][]string) {
	s := newPageShop(t, terms, nil)
	made := map[string]affiliate.Sale{}
	for _, row := range rows {
		var (
			res affiliate.SaleResult
			err error
		)
		total, paid := strings.CutPrefix(row[0], "pays ")
		switch {
		case paid:
			res, err = s.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "ida@example.net", Name: "Ida", TotalEarned: affiliate.MustAmount(total)})
		case strings.HasSuffix(row[0], " is refunded"):
			signup := made["signup"]
			if _, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: signup.ID}); err != nil {
				t.Fatal(err)
			}
			signup, err = s.Program.Sale(t.Context(), signup.ID)
			res = affiliate.SaleResult{Outcome: affiliate.SaleRecorded, Sale: affiliate.Set(signup)}
		default:
			res, err = s.RecordConversion(t.Context(), affiliate.ConversionParams{Conversion: row[0], ReferralID: "ada", Email: "ida@example.net", Name: "Ida"})
			if res.Outcome == affiliate.SaleRecorded {
				made[row[0]] = res.Sale.Or(affiliate.Sale{})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, "outcome of "+row[0], res.Outcome, row[1])
		if row[2] != "" {
			same(t, row[0]+" earns", res.Sale.Or(affiliate.Sale{}).CommissionEarned, row[2])
		}
	}
}

// limitedPayments has rows that follow one another.
func limitedPayments(t *testing.T, terms affiliate.Terms, rows [][]string) {
	s := newPageShop(t, terms, nil)
	var sales []affiliate.Sale
	for _, row := range rows {
		rate := affiliate.Null[affiliate.Percent]()
		if row[1] != "" {
			rate = affiliate.Set(affiliate.MustPercent(row[1]))
		}
		var sale affiliate.Sale
		if of := regexp.MustCompile(`^the (second|third) `).FindStringSubmatch(row[0]); of != nil {
			sale = sales[map[string]int{"second": 1, "third": 2}[of[1]]]
			var err error
			if sale, err = s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionRate: rate}); err != nil {
				t.Fatal(err)
			}
		} else {
			in := saleOfPage(t, row[0]+"; paid 100")
			in.CommissionRate = rate
			sale = s.sell(in)
			sales = append(sales, sale)
		}
		same(t, "over", s.explain(sale).Terms.Over.Or(""), row[2])
		same(t, "earned", sale.CommissionEarned, row[3])
	}
}

func amountForNothing(t *testing.T, terms affiliate.Terms, row []string) {
	s := newPageShop(t, terms, nil)
	sale := s.sell(saleOfPage(t, row[0]))
	if row[1] != "" {
		if _, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount(row[1]))}); err != nil {
			t.Fatal(err)
		}
	}
	e := s.explain(sale)
	same(t, "bases", eachOf(e.Lines, func(l affiliate.ExplainedLine) any { return l.Base }), row[2])
	same(t, "earned", e.Arithmetic.Rounded, row[3])
}

// reportedLate has rows that follow one another.
func reportedLate(t *testing.T, _ affiliate.Terms, rows [][]string) {
	s := newPageShop(t, affiliate.Terms{MaxMonths: 12}, nil)
	for _, row := range rows {
		var at [2]time.Time
		for i := range at {
			var err error
			if at[i], err = time.Parse(time.DateOnly, row[i]); err != nil {
				t.Fatal(err)
			}
		}
		s.now = at[0]
		sale := s.sell(affiliate.SaleParams{TotalEarned: affiliate.MustAmount("10"), PaidAt: at[1]})
		same(t, row[0], s.explain(sale).Terms.Month, row[2])
	}
}

// datedSales has rows of sales of 100, before and after the terms change.
func datedSales(t *testing.T, terms affiliate.Terms, rows [][]string) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, row := range rows {
		s := newPageShop(t, terms, berlin)
		s.now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		up := affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("15")), From: affiliate.Set(affiliate.Day(2027, time.January, 1))}
		if _, err := s.SetTerms(t.Context(), up); err != nil {
			t.Fatal(err)
		}
		in := affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100")}
		s.now = at(row[0])
		if row[1] != "the same" {
			in.PaidAt, s.now = s.now, at(row[1])
		}
		same(t, "earned", s.sell(in).CommissionEarned, row[2])
	}
}

// chargedSale has a sale in another currency, its rate, and refunds in that currency.
func chargedSale(t *testing.T, terms affiliate.Terms, row []string) {
	s := newPageShop(t, terms, nil)
	currency, total, _ := strings.Cut(row[0], " ")
	in := affiliate.SaleParams{TotalEarned: affiliate.MustAmount(total), Currency: affiliate.Currency(currency), ExchangeRate: affiliate.MustExchangeRate(row[1])}
	sale := s.sell(in)
	for amount := range strings.SplitSeq(row[2], ", ") {
		if amount == "" {
			continue
		}
		refund := affiliate.Refund{SaleID: sale.ID, Amount: affiliate.Set(affiliate.MustAmount(amount)), Currency: in.Currency}
		if _, err := s.RefundSale(t.Context(), refund); err != nil {
			t.Fatal(err)
		}
	}
	sale, err := s.Sale(t.Context(), sale.ID)
	if err != nil {
		t.Fatal(err)
	}
	explained, err := s.ExplainSale(t.Context(), sale.ID)
	if err != nil {
		t.Fatal(err)
	}
	if exact, want := rational(t, explained.Arithmetic.Exact), rational(t, row[5]); exact.Cmp(want) != 0 {
		t.Errorf("exactly %v, the page says %v", exact, want)
	}
	same(t, "total", sale.TotalEarned, row[3])
	same(t, "refunded", sale.RefundedAmount, row[4])
	same(t, "earned", sale.CommissionEarned, row[6])
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return x
}

// lessLater pays 30 % of the first payment, then 10 %, for twelve months.
var lessLater = affiliate.Terms{
	Rate: affiliate.MustPercent("10"), MaxMonths: 12,
	Rules: []affiliate.Rule{{
		Name: "first payment",
		When: affiliate.RuleWhen{PaymentTo: 1},
		Pay:  affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("30")},
	}},
}

// expressed has terms, and payments of one customer with the day on which they are made, if it
// matters.
func expressed(t *testing.T, _ affiliate.Terms, row []string) {
	terms := termsOfPage(t, strings.Trim(row[1], "`"))
	if terms.MaxMonths > 0 && !reflect.DeepEqual(terms, lessLater) {
		t.Errorf("the row has %+v, the block in Go %+v", terms, lessLater)
	}
	s := newPageShop(t, terms, nil)
	var earned []string
	for payment := range strings.SplitSeq(row[2], "; ") {
		if day, rest, _ := strings.Cut(payment, " "); len(day) == len(time.DateOnly) && strings.Count(day, "-") == 2 {
			var err error
			if s.now, err = time.Parse(time.DateOnly, day); err != nil {
				t.Fatal(err)
			}
			payment = rest
		}
		in := affiliate.SaleParams{Lines: linesOfPage(t, payment)}
		for _, line := range in.Lines {
			var err error
			if in.TotalEarned, err = in.TotalEarned.Add(line.Amount); err != nil {
				t.Fatal(err)
			}
		}
		earned = append(earned, fmt.Sprint(s.sell(in).CommissionEarned))
	}
	same(t, row[0], strings.Join(earned, "; "), row[3])
}

// namedExamples: the examples of the package that the page names are there.
func namedExamples(t *testing.T, _ affiliate.Terms, rows [][]string) {
	source := read(t, "example_test.go")
	for _, row := range rows {
		for _, name := range regexp.MustCompile(`Example\w+`).FindAllString(row[1], -1) {
			if !strings.Contains(source, "func "+name+"()") {
				t.Errorf("there is no %s", name)
			}
		}
	}
}
