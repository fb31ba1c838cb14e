package affiliate_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// Whatever says the name and the email of an erased customer again, nothing stores
// them, and the sales count for the customer who was there.
func TestErasedStayErased(t *testing.T) {
	const email = "zork@shop.example"
	payer := affiliate.PayerFact{ID: "cus_Z", Email: email, Name: "Zork Quix", CustomerID: "zork-77"}
	for name, again := range map[string]func(s *payShop, ref uuid.UUID) error{
		"renewal": func(s *payShop, _ uuid.UUID) error {
			f := renewal(s.paid("in_2", "29", "0"))
			f.Payer = payer
			return errOf(s.ReportPayment(s.t.Context(), f))
		},
		"payment of another payer id": func(s *payShop, _ uuid.UUID) error {
			f := s.paid("pi_3", "29", "0")
			f.Payer = payer
			f.Payer.ID = "cus_new"
			return errOf(s.ReportPayment(s.t.Context(), f))
		},
		"payment through a click": func(s *payShop, _ uuid.UUID) error {
			click := must(s.TrackClick(s.t.Context(), affiliate.NewClick{Slug: "ben", DeviceID: "zork-device", LandingURL: "https://beans.example/?u=zork", UserAgent: "zork-agent"}))
			f := s.paid("pi_4", "29", "0", jsonOf(click.ID))
			f.Payer = payer
			f.Payer.ID = "cus_new"
			return errOf(s.ReportPayment(s.t.Context(), f))
		},
		"payer": func(s *payShop, _ uuid.UUID) error { return s.ReportPayer(s.t.Context(), "stripe", payer) },
		"new payer": func(s *payShop, _ uuid.UUID) error {
			another := payer
			another.ID = "cus_new"
			return s.ReportPayer(s.t.Context(), "stripe", another)
		},
		"trial": func(s *payShop, _ uuid.UUID) error {
			f := altered(s.paid("in_5", "0", "0", "2"), func(p *affiliate.Paid) { p.Stage = affiliate.PaidNothing })
			f.Payer = payer
			f.Payer.ID = "cus_new"
			return errOf(s.ReportPayment(s.t.Context(), f))
		},
		"waiting payment": func(s *payShop, _ uuid.UUID) error {
			f := s.paid("pi_6", "29", "0", "Zork@shop.example")
			f.Payer = affiliate.PayerFact{ID: "cus_new"}
			return errOf(s.ReportPayment(s.t.Context(), f))
		},
		"sale by id": func(s *payShop, ref uuid.UUID) error {
			return errOf(s.RecordSale(s.t.Context(), affiliate.NewSale{ReferralID: ref.String(), Email: "Zork@Shop.example", Name: "Zork Quix", TotalEarned: sum("10")}))
		},
		"sale by email": func(s *payShop, _ uuid.UUID) error {
			return errOf(s.RecordSale(s.t.Context(), affiliate.NewSale{Email: email, Name: "Zork Quix", TotalEarned: sum("10")}))
		},
		"sale by email as the id": func(s *payShop, _ uuid.UUID) error {
			return errOf(s.RecordSale(s.t.Context(), affiliate.NewSale{ReferralID: email, Name: "Zork Quix", TotalEarned: sum("10")}))
		},
		"sale by code": func(s *payShop, _ uuid.UUID) error {
			return errOf(s.RecordSale(s.t.Context(), affiliate.NewSale{PromoCode: "MARA20", Email: email, Name: "Zork Quix", TotalEarned: sum("10")}))
		},
		"imported customer": func(s *payShop, _ uuid.UUID) error {
			row := affiliate.ImportedReferral{Ref: "old:1", NewReferral: affiliate.NewReferral{Email: email, Name: "Zork Quix", AffiliateID: "mara"}, Payers: []affiliate.ProviderID{{Provider: "stripe", ID: "cus_old"}}}
			return errOf(s.ImportReferrals(s.t.Context(), []affiliate.ImportedReferral{row}))
		},
		"imported sale": func(s *payShop, _ uuid.UUID) error {
			return errOf(s.ImportSales(s.t.Context(), []affiliate.ImportedSale{{Ref: "old:2", Email: email, Name: "Zork Quix", AffiliateEmail: "mara@example.com", TotalEarned: sum("10"), CommissionEarned: sum("2")}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPayShop(t)
			first := s.paid("in_1", "29", "0", "1")
			first.Payer = payer
			s.report(first)
			ref := must(s.Referral(t.Context(), email))
			if err := s.EraseReferral(t.Context(), email); err != nil {
				t.Fatal(err)
			}
			if err := again(s, ref.ID); err != nil {
				t.Error(err)
			}
			(&booksLedger{world: s.world}).without("zork", "Zork", "Quix")
			if all := must(s.Referrals(t.Context(), affiliate.ReferralFilter{}, affiliate.Page{})).Items; len(all) != 1 || all[0].ID != ref.ID {
				t.Errorf("%d customers", len(all))
			}
			for _, sale := range must(s.Sales(t.Context(), affiliate.SaleFilter{}, affiliate.Page{})).Items {
				if r, ok := sale.Referral.Get(); !ok || r.ID != ref.ID {
					t.Errorf("sale %d is of %v", sale.ID, sale.Referral)
				}
			}
			s.verify()
		})
	}
}

// Somebody whom no referral names is erased by email wherever a record shows it, and
// stays so when a payment would make a customer.
func TestEraseByEmailAlone(t *testing.T) {
	const email = "zork@shop.example"
	inWholeEraseReferral(t, func(t *testing.T, erase func(*booksLedger, string) error) {
		for name, c := range map[string]struct{ shows func(b *booksLedger) error }{
			"imported sale": {func(b *booksLedger) error {
				return errOf(b.ImportSales(t.Context(), []affiliate.ImportedSale{{Ref: "old:2", Email: email, Name: "Zork", AffiliateEmail: "ada@example.com", TotalEarned: sum("10"), CommissionEarned: sum("2")}}))
			}},
			"updated sale": {func(b *booksLedger) error {
				return errOf(b.UpdateSale(t.Context(), 2, affiliate.SaleUpdate{Email: affiliate.Set(email), Name: affiliate.Set("Zork")}))
			}},
			"code": {func(b *booksLedger) error {
				return errOf(b.CreateCode(t.Context(), affiliate.NewCode{CouponID: b.coupon.ID, Code: "BYMAIL", LimitToCustomers: true, CustomerID: "Zork@shop.example"}))
			}},
			"payer": {func(b *booksLedger) error {
				return b.ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_Z", Email: email, Name: "Zork"})
			}},
			"waiting payment": {func(b *booksLedger) error {
				return errOf(b.ReportPayment(t.Context(), affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_1"}, At: b.now, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_Z"},
					Sale: affiliate.Set(affiliate.Paid{NewSale: affiliate.NewSale{TotalEarned: sum("10")}, Gross: sum("10"), Tries: []affiliate.Credit{{ReferralID: email}}})}))
			}},
			"adjustment": {func(b *booksLedger) error {
				return errOf(b.RecordAdjustment(t.Context(), affiliate.NewAdjustment{AffiliateID: b.affiliate.ID, Kind: affiliate.AdjustBonus, Amount: sum("1"), Reason: "for bringing Zork@shop.example."}))
			}},
			"notes about another": {func(b *booksLedger) error {
				return errOf(b.UpdateReferral(t.Context(), b.referral.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set("friend of zork@shop.example")}))
			}},
			"deleted customer": {func(b *booksLedger) error {
				must(b.CreateReferral(t.Context(), affiliate.NewReferral{AffiliateID: "ada", Name: "Z", Email: email, ReferredUserExternalID: "z"}))
				return b.DeleteReferral(t.Context(), email)
			}},
		} {
			t.Run(name, func(t *testing.T) {
				b := newBooksLedger(t)
				if err := c.shows(b); err != nil {
					t.Fatal(err)
				}
				b.settle()
				b.pass(time.Minute)
				for range 2 { // the second call changes nothing
					if err := erase(b, "Zork@shop.example"); err != nil {
						t.Fatal(err)
					}
				}
				b.without("zork@", "Zork@")
				later := affiliate.NewSale{ReferralID: "ada", Email: email, Name: "Zork", TotalEarned: sum("5")}
				for range 2 {
					b.settle()
					sale, ok := must(b.RecordSale(t.Context(), later)).Sale.Get()
					if ref, of := sale.Referral.Get(); !ok || !of || ref.Email != "" {
						t.Errorf("a later sale: %+v", sale)
					}
				}
				if n := len(must(b.Referrals(t.Context(), affiliate.ReferralFilter{}, affiliate.Page{})).Items); n != 3 {
					t.Errorf("%d customers", n)
				}
				b.without("zork@", "Zork")
				b.verify()
			})
		}
		t.Run("nobody", func(t *testing.T) {
			b := newBooksLedger(t)
			before := b.dump()
			if err := erase(b, "nobody@shop.example"); !errors.Is(err, affiliate.ReferralNotFound) {
				t.Errorf("%v", err)
			}
			equal(t, before, b.dump())
		})
	})
}

// A customer of an erasure in steps is not stored anew between two steps.
func TestErasingStores(t *testing.T) {
	b := newBooksLedger(t)
	job, at := affiliate.EraseReferralJob{Ref: b.referral.ID.String()}, affiliate.Step{Limit: 3}
	b.settle()
	for n := 0; ; n++ {
		done := must(b.Step(t.Context(), job, at))
		must(b.RecordSale(t.Context(), affiliate.NewSale{ReferralID: b.referral.ID.String(), Email: "carl@customer.example", Name: "Carl Customer", TotalEarned: sum("10")}))
		b.settle()
		if at.Cursor = done.Cursor; done.Done {
			break
		}
	}
	must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000})) // the payloads of sales that were made before the last step
	b.without("carl@", "Carl")
	b.verify()
}

// Another's email in which the erased one stands is another email, and metadata of
// others stays.
func TestEraseLeavesOthers(t *testing.T) {
	b := newBooksLedger(t)
	ctx := t.Context()
	must(b.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: "ada", Name: "Z", Email: "zork@shop.example", ReferredUserExternalID: "z"}))
	const others = "ask azork@shop.example, big.zork@shop.example, zork@shop.example.org, zork@shop.exampleton"
	must(b.UpdateReferral(ctx, b.referral.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set(others), Metadata: affiliate.Set(json.RawMessage(`{"a":1}`))}))
	if err := b.EraseReferral(ctx, "zork@shop.example"); err != nil {
		t.Fatal(err)
	}
	got := must(b.Referral(ctx, b.referral.ID.String()))
	if got.Notes != affiliate.Set(others) || got.Email != "carl@customer.example" {
		t.Errorf("%+v", got)
	}
}
