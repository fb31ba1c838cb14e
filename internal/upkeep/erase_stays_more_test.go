package upkeep_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

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
		if _, err := b.UpdateReferral(ctx, id, up); !errors.Is(err, affiliate.ReferralErased) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, up := range map[string]affiliate.SaleUpdate{
		"name": {Name: affiliate.Set("Carl")}, "email": {Email: affiliate.Set("other@customer.example")}, "metadata": {Metadata: affiliate.Set(json.RawMessage(`{"carl":1}`))},
	} {
		if _, err := b.UpdateSale(ctx, sale, up); !errors.Is(err, affiliate.ReferralErased) {
			t.Errorf("sale, %s: %v", name, err)
		}
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
		if got.Valid != want {
			t.Errorf("%s: %v", email, got.Reasons)
		}
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
