package importer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/importer"
)

// exported is a folder of files, such as "sales.csv: id,total\n1,10\n". A mapping.json is
// that of the service csv.
func exported(t *testing.T, service string, files ...string) importer.Source {
	t.Helper()
	fsys := fstest.MapFS{}
	for _, file := range files {
		name, text, _ := strings.Cut(file, ": ")
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	src, closeAll, err := importer.Folder{FS: fsys, Service: service, Currency: "USD"}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeAll)
	return src
}

// rejected are the rejects of a report: line, field and text.
func rejected(report importer.Report) string {
	var lines []string
	for _, reject := range report.Rejects {
		lines = append(lines, fmt.Sprint(reject.Line, " ", reject.Field, ": ", reject.Err.Message))
	}
	return strings.Join(lines, "\n")
}

// twoColumns maps a file whose state is in two columns: approval, and payment.
const twoColumns = `mapping.json: [{"file": "sales.csv", "kind": "sales",
"columns": {"ref": "id", "affiliateEmail": "partner", "total": "total", "commission": "earned", "status": "approval", "payment": "paid?", "paidAt": "paid on"},
"status": {"APPROVED": "ACCEPTED", "PENDING": "ON_HOLD", "DENIED": "DECLINED"}, "words": {"payment": {"PAID": "PAID", "UNPAID": "UNPAID"}}, "optional": ["paidAt"]}]`

// TestStateInTwoColumns: what was paid there is not owed here, whichever column says so,
// and two columns that disagree refuse the row.
func TestStateInTwoColumns(t *testing.T) {
	w := partnered(t)
	report := w.run(exported(t, "csv", twoColumns, "sales.csv: id,partner,total,earned,approval,paid?,paid on\n"+
		"1,m@example.com,1100,220,APPROVED,PAID,2026-02-03\n2,m@example.com,100,20,APPROVED,UNPAID,\n3,m@example.com,100,20,PENDING,UNPAID,\n"+
		"4,m@example.com,100,20,DENIED,UNPAID,\n5,m@example.com,100,20,DENIED,PAID,\n6,m@example.com,100,20,APPROVED,UNPAID,2026-02-03\n7,m@example.com,100,20,APPROVED,Half,\n"), importer.Options{})
	if b := w.balance("mara"); b.Paid != sum("220") || b.Payable != sum("20") || b.Held != sum("20") {
		t.Errorf("paid %s, payable %s, held %s\n%s", b.Paid, b.Payable, b.Held, show(report))
	}
	want := "6 paid?: paid? does not agree with the status of the row\n" +
		"7 paid on: paid on is given, and the row is not PAID\n" +
		`8 paid?: paid? has the word "Half", which is not mapped; mapped are PAID, UNPAID`
	if got := rejected(report); got != want {
		t.Errorf("rejected:\n%s\nwant:\n%s", got, want)
	}
}

// TestPaidByItsDay: a mapped day of payment says that a commission was paid, where no
// column says otherwise.
func TestPaidByItsDay(t *testing.T) {
	for _, status := range []string{"", `, "status": "state"`} {
		w := partnered(t)
		report := w.run(exported(t, "csv", `mapping.json: [{"file": "sales.csv", "kind": "sales", "columns": {"ref": "id", "affiliateEmail": "partner", "total": "total",
"commission": "earned", "paidAt": "paid on"`+status+`}}]`, "sales.csv: id,partner,total,earned,state,paid on\n1,m@example.com,1100,220,ACCEPTED,2026-02-03\n2,m@example.com,100,20,ACCEPTED,\n"), importer.Options{})
		if b := w.balance("mara"); b.Paid != sum("220") || b.Payable != sum("20") {
			t.Errorf("%s: paid %s, payable %s\n%s", status, b.Paid, b.Payable, show(report))
		}
	}
}

// TestTotalIsNeverGuessed: a commission is no bonus because a file lacks the totals.
func TestTotalIsNeverGuessed(t *testing.T) {
	w := partnered(t)
	const start = `mapping.json: [{"file": "sales.csv", "kind": "sales", "columns": {"affiliateEmail": "partner", "commission": "earned"`
	_, err := importer.Run(t.Context(), w.Program, exported(t, "csv", start+`}}]`, "sales.csv: partner,earned\nm@example.com,20\n"), importer.Options{})
	if err == nil || !strings.Contains(err.Error(), `sales need the field total`) {
		t.Error(err)
	}
	for kind, want := range map[string]string{`}`: "2 paid: paid must be given: what the customer paid; 0 makes the row a bonus, which no refund reduces", `}, "leads": true`: ""} {
		report := w.run(exported(t, "csv", start+`, "total": "paid"`+kind+`}]`, "sales.csv: partner,earned,paid\nm@example.com,20,\nm@example.com,5,0\n"), importer.Options{})
		if got := rejected(report); got != want {
			t.Errorf("%s: rejected %q, want %q", kind, got, want)
		}
	}
	if b := w.balance("mara"); b.Payable != sum("25") {
		t.Error(b.Payable)
	}
}

// TestPendingLead: the commission of a lead that is not approved waits, and the next export
// approves it.
func TestPendingLead(t *testing.T) {
	w := partnered(t)
	files := func(state string) importer.Source {
		return exported(t, "csv", `mapping.json: [{"file": "customers.csv", "kind": "referrals", "columns": {"ref": "id", "email": "mail", "affiliateEmail": "partner"}},
{"file": "sales.csv", "kind": "sales", "columns": {"ref": "id", "customer": "who", "total": "total", "commission": "earned", "status": "state"}}]`,
			"customers.csv: id,mail,partner\n7,l@example.net,m@example.com\n", "sales.csv: id,who,total,earned,state\n1,7,0,5,"+state+"\n2,7,0,6,ON_HOLD\n3,7,0,7,DECLINED\n")
	}
	report := w.run(files("ON_HOLD"), importer.Options{})
	if b := w.balance("mara"); b.Held != sum("11") || !b.Payable.IsZero() || len(report.Rejects) > 0 {
		t.Errorf("held %s, payable %s\n%s", b.Held, b.Payable, show(report))
	}
	w.run(files("ACCEPTED"), importer.Options{})
	if b := w.balance("mara"); b.Held != sum("6") || b.Payable != sum("5") {
		t.Errorf("held %s, payable %s", b.Held, b.Payable)
	}
}

// TestAffiliatesByAnyName: a row names its affiliate by ref or by email, and a whole address
// is taken apart by the program's parameter.
func TestAffiliatesByAnyName(t *testing.T) {
	w := newWorld(t)
	report := w.run(exported(t, "csv", `mapping.json: [{"file": "a.csv", "kind": "affiliates", "columns": {"ref": "id", "email": "mail", "slug": "link"}, "parameters": ["via"]},
{"file": "sales.csv", "kind": "sales", "columns": {"ref": "id", "affiliate": "partner", "total": "total", "commission": "earned"}}]`,
		"a.csv: id,mail,link\n1,m@example.com,https://shop.example/p?utm=x&VIA=Mara_H\n2,n@example.com,https://shop.example/ref/nils/\n3,o@example.com,https://shop.example/?aff=9\n",
		"sales.csv: id,partner,total,earned\n1,1,10,2\n2,N@example.com,10,3\n3,77,10,4\n"), importer.Options{})
	want := "4 link: link is a whole address and has none of the parameters; say in the mapping, as parameters, which of them is the slug\n4 partner: partner names nothing that was imported"
	if got := rejected(report); got != want {
		t.Errorf("rejected:\n%s\nwant:\n%s\n%s", got, want, show(report))
	}
	for slug, owed := range map[string]string{"mara-h": "2", "nils": "3"} {
		if got := w.balance(slug).Payable.String(); got != owed {
			t.Errorf("%s is owed %s, want %s", slug, got, owed)
		}
	}
}

// TestTimesOfMachines: seconds and milliseconds since 1970 are times, and other digits are not.
func TestTimesOfMachines(t *testing.T) {
	for text, want := range map[string]string{"1767225600": "2026-01-01", "1767225600123": "2026-01-01", "20260101": "", "2026010112": "", "17672256001": ""} {
		for row, err := range exported(t, "csv", `mapping.json: [{"file": "a.csv", "kind": "affiliates", "columns": {"email": "mail", "createdAt": "at"}}]`, "a.csv: mail,at\nm@example.com,"+text+"\n").Rows(t.Context()) {
			got := ""
			if err == nil {
				got = row.Item.(importer.Affiliate).CreatedAt.Format("2006-01-02")
			}
			if got != want {
				t.Errorf("%s is %q, want %q (%v)", text, got, want, err)
			}
		}
	}
}

// TestMappingIsWhole: what of a mapping would be passed over is an error.
func TestMappingIsWhole(t *testing.T) {
	for want, members := range map[string]string{
		`"ok" of status is translated into "OK", it must be one of ACCEPTED, ON_HOLD, DECLINED, PAID, REFUNDED`: `"columns": {"total": "t", "status": "s"}, "status": {"ok": "OK"}`,
		`status has words, and no column`:   `"columns": {"total": "t"}, "status": {"ok": "PAID"}`,
		`total has the column "t"`:          `"columns": {"total": "t"}, "values": {"total": "1"}`,
		`name is optional, and has no`:      `"columns": {"total": "t"}, "optional": ["name"]`,
		`Mapping.Words: name has no words`:  `"columns": {"total": "t", "name": "n"}, "words": {"name": {"a": "PAID"}}`,
		`the words of type have "a" twice`:  `"columns": {"total": "t", "type": "n"}, "words": {"type": {"a": "SALE", " A": "BONUS"}}`,
		`sales have no field "paymentType"`: `"columns": {"total": "t"}, "words": {"paymentType": {}}`,
	} {
		_, err := importer.Run(t.Context(), newWorld(t).Program, exported(t, "csv", `mapping.json: [{"file": "s.csv", "kind": "sales", `+members+`}]`, "s.csv: t,s,n\n"), importer.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", members, err)
		}
	}
}

// TestListsInLists: pages in one array, lists under names, and the tables of one file.
func TestListsInLists(t *testing.T) {
	const one, two = `{"mail":"a@b.example"}`, `{"mail":"c@d.example"}`
	for text, list := range map[string]string{
		"[[" + one + "],[" + two + "]]":                               "",
		`{"affiliates":[` + one + `,` + two + `],"limit":2}`:          `, "list": "affiliates"`,
		`[{"affiliates":[` + one + `]},{"affiliates":[` + two + `]}]`: `, "list": "affiliates"`,
		`{"data":{"has_more":true,"items":[` + one + `,` + two + `]},"status":200}` + "\n" + `{"data":{"items":[],"has_more":false}}`: `, "list": "data.items"`,
		"[[COMMISSIONS]]\n!ID;!SUM\n1;2\n\n[[AFFILIATES]]\nmail;name\na@b.example;A\nc@d.example;C\n[[BANNERS]]\n!ID;x\n9;9\n":        `, "table": "Affiliates"`,
	} {
		got, err := lines(t, exported(t, "csv", `mapping.json: [{"file": "a", "kind": "affiliates", "columns": {"email": "mail"}`+list+`}]`, "a: "+text))
		if err != nil || len(got) != 2 || !strings.Contains(got[0], " a@b.example ") || !strings.Contains(got[1], " c@d.example ") {
			t.Errorf("%s: %q %v", text, got, err)
		}
	}
	_, err := lines(t, exported(t, "csv", `mapping.json: [{"file": "a", "kind": "affiliates", "columns": {"email": "mail"}}]`, "a: [[COMMISSIONS]]\nmail\n"))
	if err == nil || !strings.Contains(err.Error(), `it has the tables "COMMISSIONS", and the mapping names the table ""`) {
		t.Error(err)
	}
}

// TestCodesOfOneCampaign: 5,000 codes come as one coupon with its limit, budget and switch,
// and a second import adds only what is new.
func TestCodesOfOneCampaign(t *testing.T) {
	w := partnered(t)
	codes := func(n int, more string) importer.Source {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "C%d,summer,1,m@example.com,20\n", i)
		}
		return exported(t, "csv", `mapping.json: [{"file": "codes.csv", "kind": "codes", "columns": {"code": "code", "coupon": "campaign", "timesRedeemed": "used", "affiliateEmail": "partner",
"percentOff": "off"}, "values": {"couponMaxRedemptions": "9000", "maxDiscountTotal": "500", "couponActive": "FALSE", "maxRedemptions": "1"}}]`,
			"codes.csv: code,campaign,used,partner,off\n"+b.String()+more)
	}
	report := w.run(codes(5000, "X,summer,0,m@example.com,25\n"), importer.Options{})
	if got := rejected(report); got != "5002 campaign: campaign is that of another coupon in an earlier row; codes of one coupon share what it takes off and its limits" {
		t.Error(got)
	}
	coupons := must(w.Coupons(t.Context(), affiliate.CouponQuery{WithCodes: true}, affiliate.Page{})).Items
	if len(coupons) != 1 || coupons[0].TimesRedeemed != 5000 || coupons[0].MaxRedemptions.Or(0) != 9000 || coupons[0].Valid || coupons[0].MaxDiscountTotal.Or(affiliate.Amount{}) != sum("500") {
		t.Errorf("%d coupons: %+v", len(coupons), coupons[:min(len(coupons), 1)])
	}
	if report.Created[importer.Coupons] != 5000 {
		t.Error(show(report))
	}
	again := w.run(codes(5001, ""), importer.Options{})
	if again.Created[importer.Coupons] != 1 || again.Existing[importer.Coupons] != 5000 || len(again.Changed) > 0 {
		t.Error(show(again))
	}
}

// TestCustomersOlderThanTheProgram: who has bought before the program began gets no discount
// of a first order, and no rate of new customers, by any address of their mailbox.
func TestCustomersOlderThanTheProgram(t *testing.T) {
	w := partnered(t)
	old := func() importer.Source {
		return exported(t, "csv", `mapping.json: [{"file": "old.csv", "kind": "customers", "columns": {"email": "mail", "customerId": "id"}}]`, "old.csv: mail,id\nOld@example.net,u-1\n,u-2\nno address,\n")
	}
	report := w.run(old(), importer.Options{})
	if report.Created[importer.Referrals] != 2 || rejected(report) != "4 mail: Email is invalid" {
		t.Errorf("%s\n%s", rejected(report), show(report))
	}
	if again := w.run(old(), importer.Options{}); again.Existing[importer.Referrals] != 2 || strings.Contains(w.records(), "old@example.net") {
		t.Error(show(again))
	}
	plan := must(w.CreatePlan(t.Context(), affiliate.PlanParams{Name: "new ones", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10"), Rules: []affiliate.Rule{
		{Name: "new", When: affiliate.RuleWhen{Customer: affiliate.CustomerNew}, Pay: affiliate.RulePay{Type: affiliate.RulePercentage, Rate: affiliate.MustPercent("50")}},
	}}}))
	must(w.SetAffiliatePlan(t.Context(), plan.ID, must(w.Affiliate(t.Context(), "mara")).ID))
	coupon := must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "first", PercentOff: affiliate.Set(affiliate.MustPercent("20"))}))
	must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: coupon.ID, Code: "FIRST", AffiliateEmail: "m@example.com", FirstTimeOrder: true}))
	for mail, want := range map[string]bool{"old+shop@example.net": false, "new@example.net": true} {
		if got := must(w.Evaluate(t.Context(), affiliate.Order{PromoCode: "FIRST", Email: mail, TotalEarned: affiliate.Set(sum("100"))})); got.Valid != want {
			t.Errorf("%s: a first order: %v", mail, got.Valid)
		}
	}
	for i, mail := range []string{"old+shop@example.net", "new@example.net"} {
		sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "mara", Email: mail, Name: "T", TotalEarned: sum("100"), ExternalID: fmt.Sprint("o", i)}))
		if want := []string{"10", "50"}[i]; sale.Sale.Or(affiliate.Sale{}).CommissionEarned.String() != want {
			t.Errorf("%s earns %s, want %s", mail, sale.Sale.Or(affiliate.Sale{}).CommissionEarned, want)
		}
	}
	w.verify()
}

// TestAFileOfAnOffice: semicolons, UTF-16, decimal commas, signs of a currency, thousands,
// days as people write them, a column twice that nobody names, the sums at the end, and
// refunds as rows below zero.
func TestAFileOfAnOffice(t *testing.T) {
	text := "Nr;Partner;Umsatz;Provision;Datum;Notiz;Stand;bezahlt\r\n" +
		"1;m@example.com;1.100,00 $;220,00 $;03.02.2026;a;frei;ja\r\n" +
		"2;M@Example.com;100,00;20,00;4.2.2026;\"b; c\";frei;nein\r\n" +
		"3;m@example.com;-50,00;-10,00;05.02.2026;;frei;nein\r\n" +
		"4;m@example.com;(12,50);(2,50);05.02.2026;;frei;nein\r\n" +
		"Summe;;1.137,50;227,50;;;;\r\n"
	wide := []byte{0xff, 0xfe}
	for _, r := range text {
		wide = append(wide, byte(r), byte(r>>8))
	}
	w := partnered(t)
	report := w.run(exported(t, "csv", `mapping.json: [{"file": "s.csv", "kind": "sales", "columns": {"ref": "nr", "affiliate": "Partner", "total": "umsatz", "commission": "provision",
"createdAt": "datum", "status": "stand", "payment": "bezahlt"}, "layouts": ["2.1.2006"], "status": {"frei": "ACCEPTED"}, "words": {"payment": {"ja": "PAID", "nein": "UNPAID"}}}]`,
		"s.csv: "+string(wide)), importer.Options{})
	const back = " takes back an earlier commission: import the others, and post it as an adjustment"
	want := "4 umsatz: umsatz" + back + "\n5 umsatz: umsatz" + back + "\n6 row: row seems to be the totals of the file, which are not imported"
	if b := w.balance("mara"); b.Paid != sum("220") || b.Payable != sum("20") || rejected(report) != want {
		t.Errorf("paid %s, payable %s\n%s\n%s", b.Paid, b.Payable, rejected(report), show(report))
	}
}

// TestLimitsOfCodes: limits, budgets and windows of another service's codes are taken over, and a field
// that no code has is refused by its name.
func TestLimitsOfCodes(t *testing.T) {
	read := func(columns map[string]string, file string) (out []string, err error) {
		for row, failed := range importer.CSV(strings.NewReader(file), importer.Mapping{Kind: importer.Codes, Columns: columns, Values: map[string]string{"percentOff": "20"}, Currency: "USD"}).Rows(t.Context()) {
			if err = failed; err != nil {
				return out, err
			}
			c := row.Item.(importer.Coupon)
			code := c.Codes[0]
			out = append(out, fmt.Sprint(code.Code, " ", code.StartsAt, " ", code.ExpiresAt, " ", code.MinimumAmount, " ", code.MinimumAmountCurrency, " ", code.MinimumQuantity, " ", code.MaxRedemptionsPerCustomer, " ", c.MaxDiscount, " ", c.MaxDiscountTotal))
		}
		return out, nil
	}
	columns := map[string]string{
		"code": "code", "startsAt": "starts", "expiresAt": "ends", "minimumAmount": "from", "minimumQuantity": "pieces",
		"maxRedemptionsPerCustomer": "each", "maxDiscount": "cap", "maxDiscountTotal": "budget",
	}
	got := must(read(columns, "code;starts;ends;from;pieces;each;cap;budget\nA;2026-08-10;2026-08-31;19.50;2.5;1;30;5000\nB;2026-08-10T09:00:00Z;;;;;;\n"))
	want := []string{
		"A 2026-08-10 2026-08-31 19.5 USD 2.5 1 30 5000",
		"B 2026-08-10T09:00:00Z not given not given not given not given not given not given not given",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	delete(columns, "maxDiscount")
	columns["stackable"] = "cap"
	if _, err := read(columns, "code\nA\n"); err == nil || !strings.Contains(err.Error(), "stackable") {
		t.Errorf("a field that no code has: %v", err)
	}
}

// TestServices: the export of each service runs as it comes, what it owes, has paid and
// keeps back is what the service says, and a second run changes nothing.
func TestServices(t *testing.T) {
	usual := [4]string{"220", "20", "20", ""} // paid, owed, kept back, rejected
	for service, want := range map[string][4]string{
		"firstpromoter":    {"220", "35", "20", "commissions.json firstpromoter:sales:6 unit"},
		"tolt":             {"220", "20", "5", ""},
		"refersion":        {"220", "20", "20", "commissions.csv refersion:sales:5 is_test_conversion"},
		"partnerstack":     {"220", "35", "20", ""},
		"affiliatewp":      {"220", "20", "20", ""},
		"postaffiliatepro": {"220", "35", "20", "commissions.csv postaffiliatepro:sales:t6 !TOTALCOST"},
		"goaffpro":         usual, "uppromote": usual, "tapfiliate": usual,
		"lemonsqueezy": {"0", "20", "0", ""},
	} {
		t.Run(service, func(t *testing.T) {
			w := newWorld(t)
			read := func() importer.Source {
				d := importer.Folder{
					FS: os.DirFS(filepath.Join("testdata", "services", service)), Service: service, Currency: "USD", Location: time.UTC, Parameter: "ref",
					Bonuses: service == "affiliatewp",
				}
				if slices.Contains([]string{"goaffpro", "uppromote", "tapfiliate"}, service) {
					d.PaidBefore = time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)
				}
				src, closeAll, err := d.Open()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(closeAll)
				return src
			}
			report := w.run(read(), importer.Options{})
			var left []string
			for _, reject := range report.Rejects {
				left = append(left, reject.File+" "+reject.Ref+" "+reject.Field)
			}
			var b affiliate.Balance
			for _, a := range w.affiliates() {
				if a.Email == "mara@example.com" {
					b = must(w.Balance(t.Context(), affiliate.AffiliateRef{ID: a.ID}))
				}
			}
			if got := [4]string{b.Paid.String(), b.Payable.String(), b.Held.String(), strings.Join(left, "; ")}; got != want {
				t.Errorf("paid, owed, kept back, rejected: %q, want %q\n%s", got, want, show(report))
			}
			if again := w.run(read(), importer.Options{}); len(again.Created)+len(again.Changed) > 0 {
				t.Error(show(again))
			}
		})
	}
}

// TestServicesAreOnThePage: the page has a section for each service, and says of each what
// its mapping says: where its names come from and what is not confirmed.
func TestServicesAreOnThePage(t *testing.T) {
	raw := must(os.ReadFile("../../docs/import-services.md"))
	page := strings.Join(strings.Fields(string(raw)), " ")
	for _, service := range importer.Services() {
		if source := importer.SourceOf(service); source != "" && (!strings.Contains(page, "`-from "+service+"`") || !strings.Contains(page, source)) {
			t.Errorf("%s: the page does not say: %s", service, source)
		}
	}
	if n := len(importer.Services()); n != 13 || !slices.Contains(importer.Services(), "dub") {
		t.Errorf("%d services", n)
	}
}

// TestServicesAskWhatTheyDoNotSay: a service that does not say what was paid, or what the
// customers paid, is never read as if it did.
func TestServicesAskWhatTheyDoNotSay(t *testing.T) {
	for service, want := range map[string]string{"goaffpro": "-paid-before", "uppromote": "-paid-before", "tapfiliate": "-paid-before", "affiliatewp": "-bonuses"} {
		_, _, err := importer.Folder{FS: os.DirFS(filepath.Join("testdata", "services", service)), Service: service}.Open()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", service, err)
		}
	}
	for _, d := range []importer.Folder{{Service: "tolt", Bonuses: true}, {Service: "tolt", PaidBefore: time.Now()}, {Service: "csv", Bonuses: true}, {Service: "dub", PaidBefore: time.Now()}} {
		d.FS = os.DirFS("testdata")
		if _, _, err := d.Open(); err == nil || !strings.Contains(err.Error(), "for ") {
			t.Errorf("%+v: %v", d, err)
		}
	}
}

// TestServicesLinks: each affiliate keeps the address that they have published, and a slug of two is the first one's,
// which the report says.
func TestServicesLinks(t *testing.T) {
	w := newWorld(t)
	read := func(service, affiliates string) importer.Report {
		d := importer.Folder{FS: fstest.MapFS{"affiliates.json": {Data: []byte(affiliates)}}, Service: service, PaidBefore: w.now, Parameter: "ref"}
		src, closeAll, err := d.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll()
		return w.run(src, importer.Options{})
	}
	page := "https://northwind.example/?tap_a=1-aaaaaa&tap_s="
	read("tapfiliate", `[{"id": "mara", "email": "mara@example.com", "firstname": "Mara", "lastname": "Holm", "created_at": "2025-01-02T08:00:00+00:00", "referral_link": {"link": "`+page+`2-bbbbbb"}},
		{"id": "ben", "email": "ben@example.com", "firstname": "Ben", "lastname": "Ode", "created_at": "2025-01-02T08:00:00+00:00", "referral_link": {"link": "`+page+`3-cccccc"}}]`)
	for slug, email := range map[string]string{"2-bbbbbb": "mara@example.com", "3-cccccc": "ben@example.com", "1-aaaaaa": ""} {
		click, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: slug})
		if (err == nil) != (email != "") || err == nil && must(w.Affiliate(t.Context(), click.AffiliateID.String())).Email != email {
			t.Errorf("%s: %+v %v, want %q", slug, click, err, email)
		}
	}
	shop := "https://northwind.example/?sca_ref="
	two := `[{"id": 1, "email": "cy@example.com", "first_name": "Cy", "last_name": "Nolan", "status": "active", "affiliate_link": "` + shop + `310.uITkBB"},
		{"id": 2, "email": "dee@example.com", "first_name": "Dee", "last_name": "Ode", "status": "active", "affiliate_link": "` + shop + `310.uitkbb"}]`
	report := read("uppromote", two)
	taken := func(c importer.Reject) bool {
		return c.Ref == "uppromote:affiliates:2" && c.Err.Reason == affiliate.SlugTaken
	}
	if !slices.ContainsFunc(report.Rejects, taken) {
		t.Errorf("a slug of two affiliates: %s", show(report))
	}
}

// TestServicesPages: pages that were saved one after another are one list, and a file that ends before the last page
// is an error.
func TestServicesPages(t *testing.T) {
	page := func(id, before, after string) string {
		return `{` + before + `"data": [{"id": "` + id + `", "email": "` + id + `@example.com", "first_name": "A", "last_name": "B", "status": "active", "created_at": "2025-01-02T08:00:00Z"}]` + after + `}`
	}
	for name, row := range map[string]struct {
		file string
		lost bool
	}{
		"all pages":            {page("a", "", `, "has_more": true`) + "\n" + page("b", "", `, "has_more": false`), false},
		"the first page":       {page("a", "", `, "has_more" : true`), true},
		"without the last one": {page("a", "", `, "has_more": true`) + page("b", "", `, "has_more": true`), true},
		"a number":             {page("a", `"pagination": {"current_page": 1, "next_page": 2}, `, ""), true},
		"no number":            {page("a", `"pagination": {"current_page": 2, "next_page": null}, `, ""), false},
		"an address":           {page("a", "", `, "links": {"first": "x", "next": "y"}`), true},
		"no address":           {page("a", "", `, "links": {"first": "x", "next": null}`), false},
	} {
		d := importer.Folder{FS: fstest.MapFS{"affiliates.json": {Data: []byte(row.file)}}, Service: "tolt", Parameter: "ref"}
		src, closeAll, err := d.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = importer.Run(t.Context(), newWorld(t).Program, src, importer.Options{DryRun: true})
		if closeAll(); (err != nil) != row.lost || err != nil && !strings.Contains(err.Error(), "more follow") {
			t.Errorf("%s: %v", name, err)
		}
	}
	items := `{"data": {"has_more": true, "items": [{"key": "m", "email": "m@example.com", "first_name": "M", "last_name": "H"}]}}`
	src, closeAll, err := importer.Folder{FS: fstest.MapFS{"affiliates.json": {Data: []byte(items)}}, Service: "partnerstack"}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	if _, err = importer.Run(t.Context(), newWorld(t).Program, src, importer.Options{}); err == nil {
		t.Error("a page inside of an object is taken for the last one")
	}
}

// TestEachCheckHasATest: each numbered check of importers is a test that says its
// number, and no test says another.
func TestEachCheckHasATest(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	tests := map[string]int{}
	for _, path := range files {
		text := must(os.ReadFile(path))
		for _, m := range regexp.MustCompile(`(?m)^func (TestCheck\d+)\(t \*testing\.T\)`).FindAllStringSubmatch(string(text), -1) {
			tests[m[1]]++
		}
	}
	for check := 96; check <= 110; check++ {
		if name := fmt.Sprint("TestCheck", check); tests[name] != 1 {
			t.Errorf("check %d has %d tests %s", check, tests[name], name)
		}
		delete(tests, fmt.Sprint("TestCheck", check))
	}
	for name := range tests {
		t.Errorf("%s is of no check", name)
	}
}
