package importer_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

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
