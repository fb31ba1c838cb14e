package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/payfile"
)

// TestMoneyRounds are checks 50 to 52 of docs/money.md: what a PAID commission
// loses is rounded so that the entries add up.
func TestMoneyRounds(t *testing.T) {
	flat := func(s *setup) {
		s.engine.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5")}
	}
	yen := func(s *setup) { s.engine.Currency, s.engine.Terms.Rate = "JPY", affiliate.MustPercent("10") }
	for _, tt := range []struct {
		name    string
		change  func(*setup)
		total   string
		parts   []string
		entries []float64
		earned  float64
	}{
		{"check 50", func(*setup) {}, "20.01", []string{"6.67", "6.67", "6.67"}, []float64{4, -1.33, -1.34, -1.33}, 0},
		{"check 51", flat, "100", []string{"60"}, []float64{5, -3}, 2},
		{"check 52", yen, "1255", []string{"255"}, []float64{126, -26}, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newTill(t, tt.change)
			k.sell("S1", tt.total)
			k.pay("P1", "")
			files, refused, err := payfile.PayPal(k.Transfers(t.Context(), affiliate.PayoutFilter{}), "x", payfile.PayPalOptions{})
			if err != nil || len(refused) > 0 || len(files) != 1 {
				t.Fatalf("%d files, refused %v, error %v", len(files), refused, err)
			}
			digits := map[string]string{"check 50": ",4.00,USD,", "check 51": ",5.00,USD,", "check 52": ",126,JPY,"}
			if !strings.Contains(string(files[0].Data), digits[tt.name]) {
				t.Errorf("the file lacks %s: %s", digits[tt.name], files[0].Data)
			}
			k.ask("PATCH", "/payouts", `{"payoutId":"{P1}","status":"PAID"}`)
			for i, part := range tt.parts {
				k.ask("PATCH", "/sales", fmt.Sprintf(`{"saleId":{S1},"amount":%s,"clawback":true,"refundId":"r%d"}`, part, i))
				k.verify()
			}
			equal(t, tt.entries, k.entries("S1"))
			k.has(k.ask("GET", "/sales?id={S1}", ""), object{"commissionEarned": tt.earned})
		})
	}
}

// TestMoneyWindow is check 54: the flag does not lift the refund window.
func TestMoneyWindow(t *testing.T) {
	k := newTill(t, func(s *setup) { s.engine.RefundWindow = 30 * 24 * time.Hour })
	k.sell("S1", "100")
	k.pay("P1", "")
	k.pass(30 * 24 * time.Hour)
	k.ask("PATCH", "/sales", `{"saleId":{S1},"amount":1,"clawback":true}`)
	k.pass(24 * time.Hour)
	k.no("400 outside_refund_window: Sale is outside the refund window", "PATCH", "/sales", `{"saleId":{S1},"clawback":true}`)
	equal(t, []float64{20, -0.2}, k.entries("S1"))
}

// TestMoneyAtOnce is check 57: refunds of a PAID sale beside payouts.
func TestMoneyAtOnce(t *testing.T) {
	k := newTill(t)
	k.sell("S1", "100")
	k.pay("P1", "")
	k.ask("PATCH", "/payouts", `{"payoutId":"{P1}","status":"PAID"}`)
	k.sell("S2", "1000")
	var wg sync.WaitGroup
	refunds := make([]string, 50)
	for i := range refunds {
		wg.Go(func() {
			refunds[i] = k.do("PATCH", "/api/v1/sales", k.named(fmt.Sprintf(`{"saleId":{S1},"amount":1,"clawback":true,"refundId":"r%d"}`, i))).refusal()
		})
	}
	payouts := make([]string, 5)
	for i := range payouts {
		wg.Go(func() { payouts[i] = k.do("POST", "/api/v1/payouts", `{"affiliateId":"`+k.ada+`"}`).refusal() })
	}
	wg.Wait()
	for _, answer := range append(refunds, payouts...) {
		if answer != "200" && !strings.HasPrefix(answer, "400 nothing_payable") {
			t.Error(answer)
		}
	}
	k.has(k.ask("GET", "/sales?id={S1}", ""), object{"refundedAmount": 50.0, "commissionEarned": 10.0})
	sum := affiliate.Amount{}
	for _, c := range must(k.Sales(t.Context(), affiliate.SaleFilter{}, affiliate.Page{})).Items[1].Commissions {
		sum = must(sum.Add(c.CommissionEarned))
	}
	equal(t, "10", sum.String())
	open := 0.0
	for _, p := range k.list("/payouts?status=PENDING") {
		open += p["amount"].(float64)
	}
	b := k.ask("GET", "/balances?affiliateEmail=ada@example.org", "")
	equal(t, []any{210.0, open, 20.0}, []any{b["earned"], b["inPayout"], b["paid"]})
	k.verify()
}

// TestLedgerPages is the part of check 49 about balances and movements: without
// a limit a page has 100 records and a Link.
func TestLedgerPages(t *testing.T) {
	k := newTill(t)
	for i := range 99 { // beside Ada and Bo
		must(k.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "N", LastName: "N", Email: fmt.Sprintf("n%d@example.org", i)}))
	}
	for range 101 {
		k.id("POST", "/adjustments", `{"affiliateId":"`+k.ada+`","kind":"BONUS","amount":1,"reason":"r"}`)
	}
	k.paged(`"affiliateId"`, "balances", "movements", "movements?affiliateId="+k.ada+"&cause=ADJUSTMENT")
}
