package upkeep_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/leaf"
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
			scene.Must(0, again(s, ref.ID))
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
			"case": {func(b *scene.Ledger) error {
				return scene.ErrOf(b.OpenCase(t.Context(), affiliate.CaseParams{AffiliateID: b.Person.ID, Kind: affiliate.PayoutRequest, Text: "for bringing Zork@shop.example."}))
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
				scene.Equal(t, 3, len(scene.Must(b.Referrals(t.Context(), affiliate.ReferralQuery{}, affiliate.Page{})).Items))
				b.Without("zork@", "Zork")
				b.Verifies()
			})
		}
		t.Run("nobody", func(t *testing.T) {
			b := scene.NewLedger(t)
			before := b.Dump()
			scene.WantReason(t, "refused", affiliate.ReferralNotFound, erase(b, "nobody@shop.example"))
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

// What would write the data of an erased customer again is refused and changes
// nothing; the rest of an update goes on.
func TestErasedIsRefused(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	id := b.Customer.ID.String()
	sale := b.SalesMade[1].ID
	scene.Must(0, b.EraseReferral(ctx, id))
	before := b.Dump()
	for name, up := range map[string]affiliate.ReferralUpdate{
		"name": {Name: affiliate.Set("Carl")}, "email": {Email: affiliate.Set("carl@customer.example")},
		"external id": {ReferredUserExternalID: affiliate.Set("user-77")}, "notes": {Notes: affiliate.Set("Carl")},
		"metadata": {Metadata: affiliate.Set(json.RawMessage(`{"carl":1}`))},
	} {
		scene.WantReason(t, name, affiliate.ReferralErased, scene.ErrOf(b.UpdateReferral(ctx, id, up)))
	}
	for name, up := range map[string]affiliate.SaleUpdate{
		"name": {Name: affiliate.Set("Carl")}, "email": {Email: affiliate.Set("other@customer.example")}, "metadata": {Metadata: affiliate.Set(json.RawMessage(`{"carl":1}`))},
	} {
		scene.WantReason(t, name, affiliate.ReferralErased, scene.ErrOf(b.UpdateSale(ctx, sale, up)))
	}
	another := b.SalesMade[3].ID
	if _, err := b.UpdateSale(ctx, another, affiliate.SaleUpdate{Email: affiliate.Set("Carl@customer.example")}); !errors.Is(err, affiliate.ReferralErased) {
		t.Errorf("sale of another with the email: %v", err)
	}
	scene.Equal(t, before, b.Dump())
	scene.Must(b.UpdateReferral(ctx, id, affiliate.ReferralUpdate{Plan: affiliate.Set("pro"), Name: affiliate.Null[string](), Notes: affiliate.Null[string]()}))
	scene.Must(b.UpdateSale(ctx, sale, affiliate.SaleUpdate{ExternalID: affiliate.Set("order-2b"), Name: affiliate.Null[string]()}))
	scene.Must(b.PushReferralStatus(ctx, id, affiliate.SubscriptionCancelled))
	b.Verifies()
}

// Who signs up again is a customer again. The old records stay erased, and a second
// erasure finds the new ones.
func TestErasedComeBack(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	const email = "carl@customer.example"
	old := b.Customer.ID
	for range 2 {
		scene.Must(0, b.EraseReferral(ctx, email))
		ref := scene.Must(b.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "Carl", Email: email, ReferredUserExternalID: "user-78"}))
		sale, _ := scene.Must(b.RecordSale(ctx, affiliate.SaleParams{Email: email, TotalEarned: scene.Sum("10")})).Sale.Get()
		if ref.ID == old || sale.ReferralID != affiliate.Set(ref.ID) || sale.Email != affiliate.Set(email) {
			t.Errorf("%+v", sale)
		}
		old = ref.ID
		b.Verifies()
	}
	scene.Must(0, b.Forfeiting().DeleteReferral(ctx, email))
	scene.Must(b.UpdateReferral(ctx, scene.Must(b.Referral(ctx, "dora@customer.example")).ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set(email)}))
	if sale, _ := scene.Must(b.RecordSale(ctx, affiliate.SaleParams{Email: email, TotalEarned: scene.Sum("10")})).Sale.Get(); sale.Email != affiliate.Set(email) {
		t.Errorf("%+v", sale)
	}
	b.Verifies()
}

// A customer who was erased and deleted is not stored by the next payment; another
// key knows nobody of before.
func TestErasedAndDeleted(t *testing.T) {
	ctx := t.Context()
	key := func(k string) func(*tributary.Config) {
		return func(c *tributary.Config) { c.ErasureKey = []byte(k) }
	}
	if _, err := tributary.New(scene.NewLedger(t).Store, tributary.Config{ErasureKey: []byte("short")}); err == nil {
		t.Error("a key of 5 bytes")
	}
	b := scene.NewLedger(t, key("0123456789abcdef"))
	scene.Must(b.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "zork@shop.example", Name: "Zork", TotalEarned: scene.Sum("10")}))
	zork := scene.Must(b.Referral(ctx, "zork@shop.example"))
	scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "BYMAIL", AffiliateID: b.Person.ID, LimitToCustomers: true, CustomerID: "alone@shop.example"}))
	for _, ref := range []string{"zork@shop.example", "alone@shop.example"} {
		scene.Must(0, b.EraseReferral(ctx, ref))
	}
	scene.Must(0, b.Forfeiting().DeleteReferral(ctx, zork.ID.String()))
	b.Verifies()
	for range 2 {
		sale, _ := scene.Must(b.RecordSale(ctx, affiliate.SaleParams{ReferralID: "ada", Email: "zork@shop.example", Name: "Zork", TotalEarned: scene.Sum("10")})).Sale.Get()
		if sale.Email != affiliate.Null[string]() || sale.ReferralID.Or(uuid.Nil) == uuid.Nil {
			t.Errorf("%+v", sale)
		}
	}
	// The code is still theirs, and nobody else's.
	for email, want := range map[string]bool{"alone@shop.example": true, "other@shop.example": false} {
		got := scene.Must(b.Evaluate(ctx, affiliate.Order{PromoCode: "BYMAIL", Email: email, TotalEarned: affiliate.Set(scene.Sum("10"))}))
		scene.Equal(t, want, got.Valid, email, got.Reasons)
	}
	b.Verifies()
}

func TestVerifySaysErased(t *testing.T) {
	var gone uuid.UUID
	erased := func(change func(tx *record.Tx) error) func(*scene.Ledger, *record.Tx) error {
		return func(b *scene.Ledger, tx *record.Tx) error {
			gone = b.Customer.ID
			err := scene.Edit(tx.Referrals, func(r record.Referral) bool { return r.ID == gone }, func(r *record.Referral) {
				*r = record.Referral{ID: r.ID, AffiliateID: r.AffiliateID, LinkID: r.LinkID, PlanID: r.PlanID, Plan: r.Plan, Status: r.Status, Revision: r.Revision,
					Erased: r.CreatedAt, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
			})
			if err != nil {
				return err
			}
			return change(tx)
		}
	}
	scene.RunSayings(t, []scene.Saying{
		{Name: "sales and clicks", Change: erased(func(*record.Tx) error { return nil }), Want: "I83: it shows customer"},
		{Name: "click alone", Change: erased(func(*record.Tx) error { return nil }), Want: "I83: click"},
		{Name: "referral", Change: erased(func(tx *record.Tx) error {
			return scene.Edit(tx.Referrals, func(r record.Referral) bool { return r.ID == gone }, func(r *record.Referral) { r.Name = "Carl" })
		}), Want: "I83: referral"},
		{Name: "payer", Change: erased(func(tx *record.Tx) error {
			return tx.Payers.Insert(record.Payer{ID: uuid.Max, Provider: "stripe", PayerID: "cus_1", ReferralID: gone, Name: "Carl"})
		}), Want: "I83: payer"},
		{Name: "erasure of a missing referral", Change: erased(func(tx *record.Tx) error {
			return tx.Erasures.Insert(record.Erasure{ID: uuid.Max, ReferralID: uuid.Max})
		}), Want: "I83: its referral"},
	})
}

// TestErasureKnowsEveryText: every text of a record that is erased with a
// person is blank afterwards, or is listed here with the reason why it stays. A
// new text fails the test until it is handled.
func TestErasureKnowsEveryText(t *testing.T) {
	textsAfterErasure(t, engine.BlankedAffiliate, nil)
	textsAfterErasure(t, engine.BlankedReferral, map[string]string{
		".Plan": "the name of what was bought",
	})
	textsAfterErasure(t, engine.BlankedSale, map[string]string{
		".ExternalID":                    "the payment's id, which makes a second delivery of it a duplicate",
		".InvoiceID":                     "the invoice's id",
		".Products":                      "ids of products",
		".Conversion":                    "the name of a conversion, which makes a second report of it a duplicate",
		".Commissions[0].BonusReason":    "what the bonus of the affiliate is for",
		".Refunds[0].ID":                 "the refund's id, which makes a second delivery of it a duplicate",
		".Lines[0].ID":                   "the host's id of the line, which a refund names",
		".Lines[0].ProductID":            "the id of a product",
		".Lines[0].PlanID":               "the id of a plan",
		".Lines[0].Name":                 "the name of what was bought",
		".Lines[0].Categories":           "categories of the product",
		".Lines[0].Rule":                 "the name of a rule of the terms",
		".Budgets[0].Budget.UTMCampaign": "the name of a campaign, of the terms",
	})
	textsAfterErasure(t, engine.BlankedClick, nil)
	textsAfterErasure(t, engine.BlankedPayout, map[string]string{
		".ExternalID":     "the payment's id at whoever pays",
		".FailedReason":   "what the payer said about the payment; a customer's email in it goes",
		".ReturnedReason": "likewise",
	})
	textsAfterErasure(t, engine.BlankedPayer, map[string]string{
		".Provider":   "the provider's name",
		".PayerID":    "the provider's id: later payments find by it whom to credit",
		".Subs[0].ID": "the provider's id of the subscription",
	})
}

// TestErasureKnowsEveryTable: the texts of the other records are listed, with what
// an erasure does about them.
func TestErasureKnowsEveryTable(t *testing.T) {
	textsListed[record.Adjustment](t, ".Reason without the person", ".ExternalID of the host")
	textsListed[record.Case](t, ".ExternalID goes", ".Text goes", ".Answer goes", ".Actor who did it")
	textsListed[record.Code](t, ".CustomerID becomes an id", ".Code in use outside", ".ExternalID of the provider")
	textsListed[record.Coupon](t, ".Name of the coupon", ".ProductIDs of products", ".ExternalID of the provider")
	textsListed[record.Link](t, ".Slug in use outside", ".Aliases in use outside")
	textsListed[record.Alias](t, ".Alias in use outside")
	textsListed[record.Payment](t, ".Provider its name", ".PayerID of the provider", ".Decided a word", ".Left a word", ".Refunds[0].ID of the provider", ".Disputes[0].ID of the provider",
		".Waiting[0].ExternalID of the payment", ".Waiting[0].Awaits the name of an event", ".Waiting[0].Tries[0].HoldID of the host", ".Waiting[0].InvoiceID of the payment", ".Waiting[0].ProductID of a product", ".Waiting[0].ProductName of a product",
		".Waiting[0].Lines[0].ID of the line", ".Waiting[0].Lines[0].ProductID of a product", ".Waiting[0].Lines[0].PlanID of a plan",
		".Waiting[0].Lines[0].Name of a product", ".Waiting[0].Lines[0].Categories of a product", ".Waiting[0].Lines[0].Rule of the terms",
		".Waiting[0].Tries[0].ReferralID becomes an id", ".Waiting[0].Tries[0].PromoCode of a code", ".Waiting[0].Tries[0].CodeExternalID of a code")
	textsListed[record.PaymentKey](t, ".Provider its name", ".Key of the provider")
	textsListed[record.Erasure](t, ".Name goes, but for an id of ours")
	textsListed[record.Import](t, ".Ref names no person", ".Digest of a row")
	textsListed[record.Receipt](t, ".Key of the host", ".Outcome a word")
	textsListed[record.Event](t, ".Actor who changed it: prefer an id", ".Reason goes with the payload; of another it loses the email")
	textsListed[record.Delivery](t, ".Attempts[0].URL of the host", ".Attempts[0].Err a class", ".Attempts[0].Response goes with the payload")
	textsListed[record.Endpoint](t, ".URL of the host", ".Description of the endpoint", ".HeaderNames of the endpoint", ".Secrets[0].Hint of a secret")
	textsListed[record.Budget](t, ".Budget.UTMCampaign of campaigns")
	textsListed[record.Plan](t, ".Name of the plan", ".Terms.Budgets[0].UTMCampaign of campaigns", ".Versions[0].Terms.Budgets[0].UTMCampaign of campaigns", ".Terms.Bonuses[0].Name of the bonus", ".Versions[0].Terms.Bonuses[0].Name of the bonus", ".Terms.Rules[0].Name of the rule",
		".Terms.Rules[0].When.Products of products", ".Terms.Rules[0].When.Plans of plans", ".Terms.Rules[0].When.Categories of products",
		".Terms.Rules[0].When.NotProducts of products", ".Terms.Rules[0].When.NotPlans of plans", ".Terms.Rules[0].When.NotCategories of products",
		".Terms.Rules[0].When.Conversions of conversions",
		".Versions[0].Terms.Rules[0].Name of the rule",
		".Versions[0].Terms.Rules[0].When.Products of products", ".Versions[0].Terms.Rules[0].When.Plans of plans", ".Versions[0].Terms.Rules[0].When.Categories of products",
		".Versions[0].Terms.Rules[0].When.NotProducts of products", ".Versions[0].Terms.Rules[0].When.NotPlans of plans", ".Versions[0].Terms.Rules[0].When.NotCategories of products",
		".Versions[0].Terms.Rules[0].When.Conversions of conversions")
	textsListed[record.Tier](t, ".Name of the tier", ".Emoji of the tier")
	textsListed[record.Run](t, ".ExternalID of the host")
	textsListed[record.Line](t)
	textsListed[record.Queue](t)
	textsListed[record.Totals](t)
	textsListed[record.Movement](t, ".Actor who moved it: prefer an id")
	textsListed[record.Redemption](t, ".ExternalID of the order", ".HoldID of the host")
	textsListed[record.Use](t)
	textsListed[record.Hold](t, ".HoldID of the host",
		".Lines[0].ID of the order", ".Lines[0].ProductID of products", ".Lines[0].PlanID of products", ".Lines[0].Name of products", ".Lines[0].Categories of products", ".Lines[0].Rule of the terms")
}

// textsListed fails for a text of a record that is not listed, and for one that is
// listed and not there.
func textsListed[R record.Record[R]](t *testing.T, listed ...string) {
	t.Helper()
	var full R
	texts := map[string]bool{}
	for l := range leaf.Of(reflect.ValueOf(&full).Elem(), "") {
		if holdsText(l.V.Type()) {
			texts[l.Name] = true
		}
	}
	for _, line := range listed {
		name, _, _ := strings.Cut(line, " ")
		if !texts[name] {
			t.Errorf("%T%s is listed, and is none", full, name)
		}
		delete(texts, name)
	}
	for name := range texts {
		t.Errorf("%T%s is not listed", full, name)
	}
}

func textsAfterErasure[R record.Record[R]](t *testing.T, blanked func(R) R, stays map[string]string) {
	var full R
	texts := map[string]bool{}
	for l := range leaf.Of(reflect.ValueOf(&full).Elem(), "") {
		if holdsText(l.V.Type()) {
			l.Set(1)
			texts[l.Name] = true
		}
	}
	blank := blanked(full)
	kept := map[string]bool{}
	for l := range leaf.Of(reflect.ValueOf(&blank).Elem(), "") {
		if kept[l.Name] = texts[l.Name] && !l.V.IsZero(); kept[l.Name] && stays[l.Name] == "" {
			t.Errorf("%T%s stays after an erasure", full, l.Name)
		}
	}
	for name := range stays {
		if !kept[name] {
			t.Errorf("%T%s is listed to stay, and does not", full, name)
		}
	}
}

// holdsText reports whether people can write any text into a field.
func holdsText(typ reflect.Type) bool {
	switch typ {
	case reflect.TypeFor[string](), reflect.TypeFor[affiliate.Opt[string]](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]string]():
		return true
	}
	return false
}
