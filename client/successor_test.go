package client_test

import (
	"testing"
	"testing/synctest"

	"github.com/tributary-go/tributary/affiliate"
)

// TestLostAnswerAndAnotherCaller: the answer of a write is lost, another caller
// changes the same record, and then the write is repeated. The repeat has no
// effect: the other caller's change stays.
func TestLostAnswerAndAnotherCaller(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, s *shop){
		"a code is switched on again":             codeStaysOff,
		"an affiliate's successor is deleted":     affiliateStays,
		"a customer's successor is deleted":       customerStays,
		"a link of another affiliate is deleted":  linkStays,
		"a link is renamed under its old owner":   renamedLinkStays,
		"a part of a sale is refunded once again": partIsRefundedOnce,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t)
				test(t, s)
				if s.line.seen != 2 {
					t.Errorf("%d attempts, want 2", s.line.seen)
				}
				if err := s.Verify(t.Context()); err != nil {
					t.Errorf("Verify: %v", err)
				}
			})
		})
	}
}

func codeStaysOff(t *testing.T, s *shop) {
	code := must(s.Code(t.Context(), affiliate.CodeRef{Code: "ADA"}))
	active := func(on bool) affiliate.CodeUpdate { return affiliate.CodeUpdate{Active: affiliate.Set(on)} }
	must(s.UpdateCode(t.Context(), code.ID, active(false)))
	s.line.meanwhile = func() {
		if got := must(s.UpdateCode(t.Context(), code.ID, active(false))); got.Active {
			t.Error("the other caller is told that the code is active")
		}
	}
	got, err := s.client.UpdateCode(t.Context(), code.ID, active(true))
	if err != nil || !got.Active {
		t.Errorf("answered active %v, %v; want what the first attempt did", got.Active, err)
	}
	if must(s.Code(t.Context(), affiliate.CodeRef{ID: code.ID})).Active {
		t.Error("the repeat switched the code on again")
	}
}

func affiliateStays(t *testing.T, s *shop) {
	in := affiliate.AffiliateParams{FirstName: "Ada", LastName: "M", Email: "bea@example.com", AffiliateLink: "bea"}
	must(s.CreateAffiliate(t.Context(), in))
	var sale affiliate.Sale
	s.line.meanwhile = func() {
		must(s.ReleaseSlug(t.Context(), "bea"))
		must(s.CreateAffiliate(t.Context(), in))
		sale = must(s.RecordSale(t.Context(), affiliate.SaleParams{
			ReferralID: "bea", Email: "kim@example.net", Name: "Kim", TotalEarned: affiliate.MustAmount("5"),
		})).Sale.Or(affiliate.Sale{})
	}
	if err := s.client.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{Email: "bea@example.com"}); err != nil {
		t.Error(err)
	}
	if _, err := s.Affiliate(t.Context(), "bea@example.com"); err != nil {
		t.Errorf("the repeat deleted the successor: %v", err)
	}
	if _, err := s.Sale(t.Context(), sale.ID); err != nil {
		t.Errorf("and its sale: %v", err)
	}
}

func customerStays(t *testing.T, s *shop) {
	in := affiliate.ReferralParams{AffiliateEmail: "ada@example.com", Name: "Kim", Email: "kim@example.net", ReferredUserExternalID: "7"}
	must(s.CreateReferral(t.Context(), in))
	s.line.meanwhile = func() { must(s.CreateReferral(t.Context(), in)) }
	if err := s.client.Forfeiting().DeleteReferral(t.Context(), "kim@example.net"); err != nil {
		t.Error(err)
	}
	if _, err := s.Referral(t.Context(), "kim@example.net"); err != nil {
		t.Errorf("the repeat deleted the successor: %v", err)
	}
}

func linkStays(t *testing.T, s *shop) {
	ada := must(s.Affiliate(t.Context(), "ada@example.com"))
	bea := must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com"}))
	first := must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: ada.ID}))
	s.line.meanwhile = func() {
		must(s.ReleaseSlug(t.Context(), "spring"))
		must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: bea.ID}))
	}
	got, err := s.client.DeleteLink(t.Context(), affiliate.LinkRef{Slug: "spring"})
	if err != nil || got.ID != first.ID {
		t.Errorf("answered %v, %v; want link %v", got, err, first.ID)
	}
	if left := must(s.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("spring")}, affiliate.Page{})).Items; len(left) != 1 {
		t.Errorf("the repeat deleted the new link: %v", left)
	}
}

func renamedLinkStays(t *testing.T, s *shop) {
	ada := must(s.Affiliate(t.Context(), "ada@example.com"))
	bea := must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com"}))
	first := must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: ada.ID}))
	s.line.meanwhile = func() {
		must(s.ReleaseSlug(t.Context(), "spring"))
		must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: bea.ID}))
	}
	got, err := s.client.RenameLink(t.Context(), affiliate.LinkRef{Slug: "spring"}, "summer")
	if err != nil || got.ID != first.ID {
		t.Errorf("answered %v, %v; want link %v", got.ID, err, first.ID)
	}
}

func partIsRefundedOnce(t *testing.T, s *shop) {
	part := affiliate.Refund{SaleID: s.sale.ID, Amount: affiliate.Set(affiliate.MustAmount("30"))}
	got, err := s.client.RefundSale(t.Context(), part)
	if err != nil || got.AlreadyRefunded || got.Reason != affiliate.RefundedInPart {
		t.Errorf("answered %+v, %v", got, err)
	}
	s.refunded(t, affiliate.MustAmount("30"))
}
