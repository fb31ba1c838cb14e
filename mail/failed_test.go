package mail_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/mail"
)

// failMany makes affiliates with numbers, each with a payout that has failed.
func (s *shop) failMany(from, to int) (all []affiliate.Payout) {
	ctx := s.t.Context()
	for i := from; i < to; i++ {
		n := fmt.Sprintf("a%d", i)
		a := must(s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "L", Email: n + "@example.com", AffiliateLink: n, AffiliateStatus: "active"}))
		s.sell(n, "o-"+n)
		must(s.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: n + "@pay.example", Method: "PAYPAL"}))
		p := must(s.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: a.ID}))
		must(s.FailPayout(ctx, p.ID, "bank down"))
		all = append(all, p)
	}
	return all
}

// TestPostOfManyFailures: payouts that have failed are told once each, however many fail and are paid.
func TestPostOfManyFailures(t *testing.T) {
	s := newShop(t)
	s.Off = []mail.Kind{mail.Welcome, mail.FirstSale}
	s.failMany(0, 900)
	s.round()
	for _, f := range must(s.Payouts(t.Context(), affiliate.PayoutQuery{Status: affiliate.PayoutFailed}, affiliate.Page{})).Items {
		must(s.SetPayoutStatus(t.Context(), f.ID, affiliate.PayoutProcessing))
		must(s.SetPayoutStatus(t.Context(), f.ID, affiliate.PayoutPaid))
	}
	s.failMany(900, 1800)
	failed := 0
	for range 3 {
		s.sent = nil
		if _, err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, m := range s.sent {
			if m.ID[:len(mail.PayoutFailed)] == string(mail.PayoutFailed) {
				failed++
			}
		}
	}
	if failed != 900 {
		t.Errorf("%d mails of 900 payouts", failed)
	}
}
