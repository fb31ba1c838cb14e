package affiliate_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// What would write the data of an erased customer again is refused and changes
// nothing; the rest of an update goes on.
func TestErasedIsRefused(t *testing.T) {
	b := newBooksLedger(t)
	ctx := t.Context()
	id := b.referral.ID.String()
	sale := b.sales[1].ID
	if err := b.EraseReferral(ctx, id); err != nil {
		t.Fatal(err)
	}
	before := b.dump()
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
	another := b.sales[3].ID
	if _, err := b.UpdateSale(ctx, another, affiliate.SaleUpdate{Email: affiliate.Set("Carl@customer.example")}); !errors.Is(err, affiliate.ReferralErased) {
		t.Errorf("sale of another with the email: %v", err)
	}
	equal(t, before, b.dump())
	must(b.UpdateReferral(ctx, id, affiliate.ReferralUpdate{Plan: affiliate.Set("pro"), Name: affiliate.Null[string](), Notes: affiliate.Null[string]()}))
	must(b.UpdateSale(ctx, sale, affiliate.SaleUpdate{ExternalID: affiliate.Set("order-2b"), Name: affiliate.Null[string]()}))
	must(b.PushReferralStatus(ctx, id, affiliate.SubscriptionCancelled))
	b.verify()
}

// Who signs up again is a customer again. The old records stay erased, and a second
// erasure finds the new ones.
func TestErasedComeBack(t *testing.T) {
	b := newBooksLedger(t)
	ctx := t.Context()
	const email = "carl@customer.example"
	old := b.referral.ID
	for range 2 {
		if err := b.EraseReferral(ctx, email); err != nil {
			t.Fatal(err)
		}
		ref := must(b.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: "ada", Name: "Carl", Email: email, ReferredUserExternalID: "user-78"}))
		sale, _ := must(b.RecordSale(ctx, affiliate.NewSale{Email: email, TotalEarned: sum("10")})).Sale.Get()
		if ref.ID == old || sale.ReferralID != affiliate.Set(ref.ID) || sale.Email != affiliate.Set(email) {
			t.Errorf("%+v", sale)
		}
		old = ref.ID
		b.verify()
	}
	if err := b.DeleteReferral(ctx, email); err != nil {
		t.Fatal(err)
	}
	must(b.UpdateReferral(ctx, must(b.Referral(ctx, "dora@customer.example")).ID.String(), affiliate.ReferralUpdate{Email: affiliate.Set(email)}))
	if sale, _ := must(b.RecordSale(ctx, affiliate.NewSale{Email: email, TotalEarned: sum("10")})).Sale.Get(); sale.Email != affiliate.Set(email) {
		t.Errorf("%+v", sale)
	}
	b.verify()
}

// A customer who was erased and deleted is not stored by the next payment; another
// key knows nobody of before.
func TestErasedAndDeleted(t *testing.T) {
	ctx := t.Context()
	key := func(k string) func(*tributary.Config) {
		return func(c *tributary.Config) { c.ErasureKey = []byte(k) }
	}
	if _, err := tributary.New(newBooksLedger(t).store, tributary.Config{ErasureKey: []byte("short")}); err == nil {
		t.Error("a key of 5 bytes")
	}
	b := newBooksLedger(t, key("0123456789abcdef"))
	must(b.RecordSale(ctx, affiliate.NewSale{ReferralID: "ada", Email: "zork@shop.example", Name: "Zork", TotalEarned: sum("10")}))
	zork := must(b.Referral(ctx, "zork@shop.example"))
	must(b.CreateCode(ctx, affiliate.NewCode{CouponID: b.coupon.ID, Code: "BYMAIL", AffiliateID: b.affiliate.ID, LimitToCustomers: true, CustomerID: "alone@shop.example"}))
	for _, ref := range []string{"zork@shop.example", "alone@shop.example"} {
		if err := b.EraseReferral(ctx, ref); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.DeleteReferral(ctx, zork.ID.String()); err != nil {
		t.Fatal(err)
	}
	b.verify()
	for range 2 {
		sale, _ := must(b.RecordSale(ctx, affiliate.NewSale{ReferralID: "ada", Email: "zork@shop.example", Name: "Zork", TotalEarned: sum("10")})).Sale.Get()
		if sale.Email != affiliate.Null[string]() || sale.ReferralID.Or(uuid.Nil) == uuid.Nil {
			t.Errorf("%+v", sale)
		}
	}
	// The code is still theirs, and nobody else's.
	for email, want := range map[string]bool{"alone@shop.example": true, "other@shop.example": false} {
		got := must(b.Evaluate(ctx, affiliate.Order{PromoCode: "BYMAIL", Email: email, TotalEarned: affiliate.Set(sum("10"))}))
		if got.Valid != want {
			t.Errorf("%s: %v", email, got.Reasons)
		}
	}
	b.verify()
}

func TestVerifySaysErased(t *testing.T) {
	var gone uuid.UUID
	erased := func(change func(tx *record.Tx) error) func(*booksLedger, *record.Tx) error {
		return func(b *booksLedger, tx *record.Tx) error {
			gone = b.referral.ID
			err := booksEdit(tx.Referrals, func(r record.Referral) bool { return r.ID == gone }, func(r *record.Referral) {
				*r = record.Referral{ID: r.ID, AffiliateID: r.AffiliateID, LinkID: r.LinkID, PlanID: r.PlanID, Plan: r.Plan, Status: r.Status, Revision: r.Revision,
					Erased: r.CreatedAt, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt}
			})
			if err != nil {
				return err
			}
			return change(tx)
		}
	}
	runBooksSayings(t, []booksSaying{
		{"sales and clicks", erased(func(*record.Tx) error { return nil }), "I83: it shows customer"},
		{"click alone", erased(func(*record.Tx) error { return nil }), "I83: click"},
		{"referral", erased(func(tx *record.Tx) error {
			return booksEdit(tx.Referrals, func(r record.Referral) bool { return r.ID == gone }, func(r *record.Referral) { r.Name = "Carl" })
		}), "I83: referral"},
		{"payer", erased(func(tx *record.Tx) error {
			return tx.Payers.Insert(record.Payer{ID: uuid.Max, Provider: "stripe", PayerID: "cus_1", ReferralID: gone, Name: "Carl"})
		}), "I83: payer"},
		{"erasure of a missing referral", erased(func(tx *record.Tx) error {
			return tx.Erasures.Insert(record.Erasure{ID: uuid.Max, ReferralID: uuid.Max})
		}), "I83: its referral"},
	})
}
