package upkeep_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

// Whatever says the name and the email of an erased customer again, nothing stores
// them, and the sales count for the customer who was there.
func TestErasedStayErased(t *testing.T) {
	const email = "zork@shop.example"
	payer := affiliate.PayerFact{ID: "cus_Z", Email: email, Name: "Zork Quix", CustomerID: "zork-77"}
	for name, again := range map[string]func(s *scene.PayShop, ref uuid.UUID) error{
		"renewal": func(s *scene.PayShop, _ uuid.UUID) error {
			f := scene.Renewal(s.Paid("in_2", "29", "0"))
			f.Payer = payer
			return scene.ErrOf(s.Payments().ReportPayment(s.T.Context(), f))
		},
		"payment of another payer id": func(s *scene.PayShop, _ uuid.UUID) error {
			f := s.Paid("pi_3", "29", "0")
			f.Payer = payer
			f.Payer.ID = "cus_new"
			return scene.ErrOf(s.Payments().ReportPayment(s.T.Context(), f))
		},
		"payment through a click": func(s *scene.PayShop, _ uuid.UUID) error {
			click := scene.Must(s.TrackClick(s.T.Context(), affiliate.ClickParams{Slug: "ben", DeviceID: "zork-device", LandingURL: "https://beans.example/?u=zork", UserAgent: "zork-agent"}))
			f := s.Paid("pi_4", "29", "0", scene.JSON(click.ID))
			f.Payer = payer
			f.Payer.ID = "cus_new"
			return scene.ErrOf(s.Payments().ReportPayment(s.T.Context(), f))
		},
		"payer": func(s *scene.PayShop, _ uuid.UUID) error {
			return s.Payments().ReportPayer(s.T.Context(), "stripe", payer)
		},
		"new payer": func(s *scene.PayShop, _ uuid.UUID) error {
			another := payer
			another.ID = "cus_new"
			return s.Payments().ReportPayer(s.T.Context(), "stripe", another)
		},
		"trial": func(s *scene.PayShop, _ uuid.UUID) error {
			f := scene.Altered(s.Paid("in_5", "0", "0", "2"), func(p *affiliate.Paid) { p.Stage = affiliate.PaidNothing })
			f.Payer = payer
			f.Payer.ID = "cus_new"
			return scene.ErrOf(s.Payments().ReportPayment(s.T.Context(), f))
		},
		"waiting payment": func(s *scene.PayShop, _ uuid.UUID) error {
			f := s.Paid("pi_6", "29", "0", "Zork@shop.example")
			f.Payer = affiliate.PayerFact{ID: "cus_new"}
			return scene.ErrOf(s.Payments().ReportPayment(s.T.Context(), f))
		},
		"sale by id": func(s *scene.PayShop, ref uuid.UUID) error {
			return scene.ErrOf(s.RecordSale(s.T.Context(), affiliate.SaleParams{ReferralID: ref.String(), Email: "Zork@Shop.example", Name: "Zork Quix", TotalEarned: scene.Sum("10")}))
		},
		"sale by email": func(s *scene.PayShop, _ uuid.UUID) error {
			return scene.ErrOf(s.RecordSale(s.T.Context(), affiliate.SaleParams{Email: email, Name: "Zork Quix", TotalEarned: scene.Sum("10")}))
		},
		"sale by email as the id": func(s *scene.PayShop, _ uuid.UUID) error {
			return scene.ErrOf(s.RecordSale(s.T.Context(), affiliate.SaleParams{ReferralID: email, Name: "Zork Quix", TotalEarned: scene.Sum("10")}))
		},
		"sale by code": func(s *scene.PayShop, _ uuid.UUID) error {
			return scene.ErrOf(s.RecordSale(s.T.Context(), affiliate.SaleParams{PromoCode: "MARA20", Email: email, Name: "Zork Quix", TotalEarned: scene.Sum("10")}))
		},
		"imported customer": func(s *scene.PayShop, _ uuid.UUID) error {
			row := imported.Referral{Ref: "old:1", ReferralParams: affiliate.ReferralParams{Email: email, Name: "Zork Quix", AffiliateID: "mara"}, Payers: []affiliate.ProviderID{{Provider: "stripe", ID: "cus_old"}}}
			return scene.ErrOf(s.Imports().Referrals(s.T.Context(), []imported.Referral{row}))
		},
		"imported sale": func(s *scene.PayShop, _ uuid.UUID) error {
			return scene.ErrOf(s.Imports().Sales(s.T.Context(), []imported.Sale{{Ref: "old:2", Email: email, Name: "Zork Quix", AffiliateEmail: "mara@example.com", TotalEarned: scene.Sum("10"), CommissionEarned: scene.Sum("2")}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene.NewPayShop(t)
			first := s.Paid("in_1", "29", "0", "1")
			first.Payer = payer
			s.Reports(first)
			ref := scene.Must(s.Referral(t.Context(), email))
			scene.Must(0, s.EraseReferral(t.Context(), email))
			if err := again(s, ref.ID); err != nil {
				t.Error(err)
			}
			(&scene.Ledger{World: s.World}).Without("zork", "Zork", "Quix")
			if all := scene.Must(s.Referrals(t.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items; len(all) != 1 || all[0].ID != ref.ID {
				t.Errorf("%d customers", len(all))
			}
			for _, sale := range scene.Must(s.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items {
				if r, ok := sale.Referral.Get(); !ok || r.ID != ref.ID {
					t.Errorf("sale %d is of %v", sale.ID, sale.Referral)
				}
			}
			s.Verifies()
		})
	}
}

// Somebody whom no referral names is erased by email wherever a record shows it, and
// stays so when a payment would make a customer.
func TestEraseByEmailAlone(t *testing.T) {
	const email = "zork@shop.example"
	inWholeEraseReferral(t, func(t *testing.T, erase func(*scene.Ledger, string) error) {
		for name, c := range map[string]struct{ shows func(b *scene.Ledger) error }{
			"imported sale": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.Imports().Sales(t.Context(), []imported.Sale{{Ref: "old:2", Email: email, Name: "Zork", AffiliateEmail: "ada@example.com", TotalEarned: scene.Sum("10"), CommissionEarned: scene.Sum("2")}}))
			}},
			"updated sale": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.UpdateSale(t.Context(), 2, affiliate.SaleUpdate{Email: affiliate.Set(email), Name: affiliate.Set("Zork")}))
			}},
			"code": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "BYMAIL", LimitToCustomers: true, CustomerID: "Zork@shop.example"}))
			}},
			"payer": {func(b *scene.Ledger) error {
				return b.Payments().ReportPayer(t.Context(), "stripe", affiliate.PayerFact{ID: "cus_Z", Email: email, Name: "Zork"})
			}},
			"waiting payment": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_1"}, At: b.Now, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_Z"},
					Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("10")}, Gross: scene.Sum("10"), Tries: []affiliate.Credit{{ReferralID: email}}})}))
			}},
			"adjustment": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{AffiliateID: b.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), Reason: "for bringing Zork@shop.example."}))
			}},
			"notes about another": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.UpdateReferral(t.Context(), b.Customer.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set("friend of zork@shop.example")}))
			}},
			"deleted customer": {func(b *scene.Ledger) error {
				scene.Must(b.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: "ada", Name: "Z", Email: email, ReferredUserExternalID: "z"}))
				return b.Forfeiting().DeleteReferral(t.Context(), email)
			}},
		} {
			t.Run(name, func(t *testing.T) {
				b := scene.NewLedger(t)
				scene.Must(0, c.shows(b))
				b.Settle()
				b.Pass(time.Minute)
				for range 2 { // the second call changes nothing
					scene.Must(0, erase(b, "Zork@shop.example"))
				}
				b.Without("zork@", "Zork@")
				later := affiliate.SaleParams{ReferralID: "ada", Email: email, Name: "Zork", TotalEarned: scene.Sum("5")}
				for range 2 {
					b.Settle()
					sale, ok := scene.Must(b.RecordSale(t.Context(), later)).Sale.Get()
					if ref, of := sale.Referral.Get(); !ok || !of || ref.Email != "" {
						t.Errorf("a later sale: %+v", sale)
					}
				}
				if n := len(scene.Must(b.Referrals(t.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items); n != 3 {
					t.Errorf("%d customers", n)
				}
				b.Without("zork@", "Zork")
				b.Verifies()
			})
		}
		t.Run("nobody", func(t *testing.T) {
			b := scene.NewLedger(t)
			before := b.Dump()
			if err := erase(b, "nobody@shop.example"); !errors.Is(err, affiliate.ReferralNotFound) {
				t.Errorf("%v", err)
			}
			scene.Equal(t, before, b.Dump())
		})
	})
}

// A customer of an erasure in steps is not stored anew between two steps.
func TestErasingStores(t *testing.T) {
	b := scene.NewLedger(t)
	job, at := affiliate.EraseReferralJob{Ref: b.Customer.ID.String()}, affiliate.Step{Limit: 3}
	b.Settle()
	for n := 0; ; n++ {
		done := scene.Must(b.Step(t.Context(), job, at))
		scene.Must(b.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: b.Customer.ID.String(), Email: "carl@customer.example", Name: "Carl Customer", TotalEarned: scene.Sum("10")}))
		b.Settle()
		if at.Cursor = done.Cursor; done.Done {
			break
		}
	}
	scene.Must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000})) // the payloads of sales that were made before the last step
	b.Without("carl@", "Carl")
	b.Verifies()
}

// Another's email in which the erased one stands is another email, and metadata of
// others stays.
func TestEraseLeavesOthers(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	scene.Must(b.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "Z", Email: "zork@shop.example", ReferredUserExternalID: "z"}))
	const others = "ask azork@shop.example, big.zork@shop.example, zork@shop.example.org, zork@shop.exampleton"
	scene.Must(b.UpdateReferral(ctx, b.Customer.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set(others), Metadata: affiliate.Set(json.RawMessage(`{"a":1}`))}))
	scene.Must(0, b.EraseReferral(ctx, "zork@shop.example"))
	got := scene.Must(b.Referral(ctx, b.Customer.ID.String()))
	if got.Notes != affiliate.Set(others) || got.Email != "carl@customer.example" {
		t.Errorf("%+v", got)
	}
}
