package engine_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A onceRefusal is a create that is refused, and a change that removes the
// cause.
type onceRefusal struct {
	create scene.OnceCreate
	want   affiliate.Reason // empty: ErrNotFound
	repair func(s scene.OnceShop)
}

func refusals(s scene.OnceShop) map[string]onceRefusal {
	ctx := context.Background()
	bad := func(name string, change func(in reflect.Value)) scene.OnceCreate {
		c := s.Creates()[name]
		v := reflect.New(reflect.TypeOf(c.Input)).Elem()
		v.Set(reflect.ValueOf(c.Input))
		change(v)
		c.Input = v.Interface()
		return c
	}
	text := func(field, value string) func(reflect.Value) {
		return func(in reflect.Value) { in.FieldByName(field).SetString(value) }
	}
	nothing := func(scene.OnceShop) {}
	return map[string]onceRefusal{
		"field":          {bad("RecordSale", text("ExternalID", " ")), affiliate.InvalidField, nothing},
		"missing":        {bad("CreateCoupon", text("Name", "")), affiliate.MissingField, nothing},
		"email taken":    {bad("CreateAffiliate", text("Email", "ADA@example.com")), affiliate.AffiliateEmailTaken, scene.OnceShop.LoseAffiliate},
		"invite":         {bad("InviteAffiliate", text("AffiliateLink", "ADA")), affiliate.SlugTaken, scene.OnceShop.LoseAffiliate},
		"slug taken":     {bad("CreateLink", text("Link", "ADA")), affiliate.SlugTaken, func(s scene.OnceShop) { scene.Must(s.DeleteLink(ctx, affiliate.LinkRef{Slug: "ada"})) }},
		"code taken":     {bad("CreateCode", text("Code", "ada20")), affiliate.CodeTaken, func(s scene.OnceShop) { scene.Must(s.DeleteCode(ctx, s.ADA20.ID)) }},
		"coupon unknown": {bad("CreateCode", func(in reflect.Value) { in.FieldByName("CouponID").Set(reflect.ValueOf(s.Hooked.ID)) }), affiliate.CouponNotFound, nothing},
		"code refused": {s.Creates()["RecordSale"], affiliate.CodeInactive, func(s scene.OnceShop) {
			scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}},
		"referral by refused code": {bad("CreateReferral", text("PromoCode", "ADA20")), affiliate.CodeInactive, func(s scene.OnceShop) {
			scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}},
		"referral of nobody": {bad("CreateReferral", text("AffiliateID", "bea")), "", func(s scene.OnceShop) {
			scene.Must(s.CreateLink(ctx, affiliate.LinkParams{Link: "bea", AffiliateID: s.Person.ID}))
		}},
		"endpoint unknown": {bad("RotateSecret", func(in reflect.Value) { in.FieldByName("WebhookID").Set(reflect.ValueOf(s.Autumn.ID)) }), affiliate.WebhookNotFound, nothing},
		"endpoint url":     {bad("CreateEndpoint", text("URL", "ftp://x")), affiliate.InvalidField, nothing},
	}
}

// A refusal is repeated too, even when its cause was removed (B432), but not
// for a corrected request (B433). A refusal stores only its receipt.
func TestOnceReplaysRefusals(t *testing.T) {
	for store, wrap := range map[string]func(record.Store) record.Store{
		"memstore": func(s record.Store) record.Store { return s }, "Rerun": conformance.Rerun,
	} {
		for name := range refusals(scene.NewOnceShop(t, memstore.New())) {
			t.Run(name+" on "+store, func(t *testing.T) {
				s := scene.NewOnceShop(t, wrap(memstore.New()))
				scene.Must(s.UpdateCode(t.Context(), s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
				r := refusals(s)[name]
				before := s.Dump()
				first, firstErr := r.create.Run(s.Program, r.create.Input, affiliate.Once{Key: "k"})
				if r.want == "" && firstErr != affiliate.ErrNotFound || r.want != "" && !errors.Is(firstErr, r.want) {
					t.Fatalf("refused as %v, want %q", firstErr, r.want)
				}
				after := s.Dump()
				if len(after["receipts"]) != 1 {
					t.Errorf("%d receipts", len(after["receipts"]))
				}
				delete(before, "receipts")
				delete(after, "receipts")
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("a refusal changed records (-before +after):\n%s", diff)
				}
				s.Replayed(t, r.create, affiliate.Once{Key: "k"}, first, firstErr)
				r.repair(s)
				s.Replayed(t, r.create, affiliate.Once{Key: "k"}, first, firstErr)
				s.Verifies()
			})
		}
	}
}

// The outcomes of a sale that is not recorded are repeated with the key,
// whatever has changed since (B438).
func TestOnceOutcomes(t *testing.T) {
	ctx := context.Background()
	for outcome, c := range map[affiliate.SaleOutcome]struct {
		in     affiliate.SaleParams
		repair func(s scene.OnceShop)
	}{
		affiliate.SaleDuplicate: {
			affiliate.SaleParams{PromoCode: "ADA20", ExternalID: "order-1"},
			func(s scene.OnceShop) {
				scene.Must(s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: "order-1"}, affiliate.Reversal{}))
			},
		},
		affiliate.SaleUnattributed: {
			affiliate.SaleParams{ReferralID: "bea", Email: "new@example.net", Name: "N"},
			func(s scene.OnceShop) {
				scene.Must(s.CreateLink(ctx, affiliate.LinkParams{Link: "bea", AffiliateID: s.Person.ID}))
			},
		},
		affiliate.SaleInactiveCustomer: {
			affiliate.SaleParams{Email: "t@example.net"},
			func(s scene.OnceShop) {
				scene.Must(s.PushReferralStatus(ctx, "t@example.net", affiliate.SubscriptionActive))
			},
		},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			s := scene.NewOnceShop(t, memstore.New())
			scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: "t@example.net", TotalEarned: affiliate.MustAmount("1"), ExternalID: "order-1"}))
			scene.Must(s.PushReferralStatus(ctx, "t@example.net", affiliate.SubscriptionDeclined))
			c.in.TotalEarned = affiliate.MustAmount("10")
			call := scene.Creator(c.in, (*tributary.Program).RecordSale)
			first := scene.Must(call.Run(s.Program, c.in, affiliate.Once{Key: "k"})).(affiliate.SaleResult)
			if first.Outcome != outcome || !first.Sale.IsNull() {
				t.Fatalf("first: %s, sale %v", first.Outcome, first.Sale)
			}
			first.Earlier = affiliate.Null[affiliate.Sale]() // not part of the answer on the wire
			s.Replayed(t, call, affiliate.Once{Key: "k"}, first, nil)
			c.repair(s)
			s.Replayed(t, call, affiliate.Once{Key: "k"}, first, nil)
			s.Verifies()
		})
	}
}

// An input that cannot be written as JSON is refused for its own error.
func TestOnceWithoutJSON(t *testing.T) {
	w := scene.New(t)
	never := affiliate.Set(affiliate.At(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)))
	in := affiliate.CouponParams{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5")), RedeemBy: never}
	in.Once.Key = "k"
	w.Refused(scene.FieldError(affiliate.InvalidField, "redeemBy", "redeemBy must be an ISO 8601 date"), func() error {
		_, err := w.CreateCoupon(t.Context(), in)
		return err
	})
}
