package affiliate_test

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
	"github.com/tributary-go/tributary/memstore"
)

// A onceRefusal is a create that is refused, and a change that removes the
// cause.
type onceRefusal struct {
	create onceCreate
	want   affiliate.Reason // empty: ErrNotFound
	repair func(s onceShop)
}

func (s onceShop) refusals() map[string]onceRefusal {
	ctx := context.Background()
	bad := func(name string, change func(in reflect.Value)) onceCreate {
		c := s.creates()[name]
		v := reflect.New(reflect.TypeOf(c.input)).Elem()
		v.Set(reflect.ValueOf(c.input))
		change(v)
		c.input = v.Interface()
		return c
	}
	text := func(field, value string) func(reflect.Value) {
		return func(in reflect.Value) { in.FieldByName(field).SetString(value) }
	}
	nothing := func(onceShop) {}
	return map[string]onceRefusal{
		"field":          {bad("RecordSale", text("ExternalID", " ")), affiliate.InvalidField, nothing},
		"missing":        {bad("CreateCoupon", text("Name", "")), affiliate.MissingField, nothing},
		"email taken":    {bad("CreateAffiliate", text("Email", "ADA@example.com")), affiliate.AffiliateEmailTaken, onceShop.loseAffiliate},
		"invite":         {bad("InviteAffiliate", text("AffiliateLink", "ADA")), affiliate.SlugTaken, onceShop.loseAffiliate},
		"slug taken":     {bad("CreateLink", text("Link", "ADA")), affiliate.SlugTaken, func(s onceShop) { must(s.DeleteLink(ctx, affiliate.LinkRef{Slug: "ada"})) }},
		"code taken":     {bad("CreateCode", text("Code", "ada20")), affiliate.CodeTaken, func(s onceShop) { must(s.DeleteCode(ctx, s.code.ID)) }},
		"coupon unknown": {bad("CreateCode", func(in reflect.Value) { in.FieldByName("CouponID").Set(reflect.ValueOf(s.endpoint.ID)) }), affiliate.CouponNotFound, nothing},
		"code refused": {s.creates()["RecordSale"], affiliate.CodeInactive, func(s onceShop) {
			must(s.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}},
		"referral by refused code": {bad("CreateReferral", text("PromoCode", "ADA20")), affiliate.CodeInactive, func(s onceShop) {
			must(s.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}},
		"referral of nobody": {bad("CreateReferral", text("AffiliateID", "bea")), "", func(s onceShop) {
			must(s.CreateLink(ctx, affiliate.NewLink{Link: "bea", AffiliateID: s.affiliate.ID}))
		}},
		"endpoint unknown": {bad("RotateSecret", func(in reflect.Value) { in.FieldByName("WebhookID").Set(reflect.ValueOf(s.coupon.ID)) }), affiliate.WebhookNotFound, nothing},
		"endpoint url":     {bad("CreateEndpoint", text("URL", "ftp://x")), affiliate.InvalidField, nothing},
	}
}

func (s onceShop) loseAffiliate() {
	must(0, s.DeleteAffiliate(context.Background(), affiliate.AffiliateRef{ID: s.affiliate.ID}))
}

// A refusal is repeated too, even when its cause was removed (B432), but not
// for a corrected request (B433). A refusal stores only its receipt.
func TestOnceReplaysRefusals(t *testing.T) {
	for store, wrap := range map[string]func(record.Store) record.Store{
		"memstore": func(s record.Store) record.Store { return s }, "Rerun": conformance.Rerun,
	} {
		for name := range newOnceShop(t, memstore.New()).refusals() {
			t.Run(name+" on "+store, func(t *testing.T) {
				s := newOnceShop(t, wrap(memstore.New()))
				must(s.UpdateCode(t.Context(), s.code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
				r := s.refusals()[name]
				before := s.dump()
				first, firstErr := r.create.run(s.Program, r.create.input, affiliate.Once{Key: "k"})
				if r.want == "" && firstErr != affiliate.ErrNotFound || r.want != "" && !errors.Is(firstErr, r.want) {
					t.Fatalf("refused as %v, want %q", firstErr, r.want)
				}
				after := s.dump()
				if len(after["receipts"]) != 1 {
					t.Errorf("%d receipts", len(after["receipts"]))
				}
				delete(before, "receipts")
				delete(after, "receipts")
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("a refusal changed records (-before +after):\n%s", diff)
				}
				s.replayed(t, r.create, affiliate.Once{Key: "k"}, first, firstErr)
				r.repair(s)
				s.replayed(t, r.create, affiliate.Once{Key: "k"}, first, firstErr)
				s.verify()
			})
		}
	}
}

// The outcomes of a sale that is not recorded are repeated with the key,
// whatever has changed since (B438).
func TestOnceOutcomes(t *testing.T) {
	ctx := context.Background()
	for outcome, c := range map[affiliate.SaleOutcome]struct {
		in     affiliate.NewSale
		repair func(s onceShop)
	}{
		affiliate.SaleDuplicate: {
			affiliate.NewSale{PromoCode: "ADA20", ExternalID: "order-1"},
			func(s onceShop) {
				must(s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: "order-1"}, affiliate.Reversal{}))
			},
		},
		affiliate.SaleUnattributed: {
			affiliate.NewSale{ReferralID: "bea", Email: "new@example.net", Name: "N"},
			func(s onceShop) { must(s.CreateLink(ctx, affiliate.NewLink{Link: "bea", AffiliateID: s.affiliate.ID})) },
		},
		affiliate.SaleInactiveCustomer: {
			affiliate.NewSale{Email: "t@example.net"},
			func(s onceShop) { must(s.PushReferralStatus(ctx, "t@example.net", affiliate.SubscriptionActive)) },
		},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			s := newOnceShop(t, memstore.New())
			must(s.RecordSale(ctx, affiliate.NewSale{PromoCode: "ADA20", Email: "t@example.net", TotalEarned: affiliate.MustAmount("1"), ExternalID: "order-1"}))
			must(s.PushReferralStatus(ctx, "t@example.net", affiliate.SubscriptionDeclined))
			c.in.TotalEarned = affiliate.MustAmount("10")
			call := creator(c.in, (*tributary.Program).RecordSale)
			first := must(call.run(s.Program, c.in, affiliate.Once{Key: "k"})).(affiliate.SaleResult)
			if first.Outcome != outcome || !first.Sale.IsNull() {
				t.Fatalf("first: %s, sale %v", first.Outcome, first.Sale)
			}
			first.Earlier = affiliate.Null[affiliate.Sale]() // not part of the answer on the wire
			s.replayed(t, call, affiliate.Once{Key: "k"}, first, nil)
			c.repair(s)
			s.replayed(t, call, affiliate.Once{Key: "k"}, first, nil)
			s.verify()
		})
	}
}

// An input that cannot be written as JSON is refused for its own error.
func TestOnceWithoutJSON(t *testing.T) {
	w := newWorld(t)
	never := affiliate.Set(affiliate.At(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)))
	in := affiliate.NewCoupon{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5")), RedeemBy: never}
	in.Once.Key = "k"
	w.refused(fieldError(affiliate.InvalidField, "redeemBy", "redeemBy must be an ISO 8601 date"), func() error {
		_, err := w.CreateCoupon(t.Context(), in)
		return err
	})
}
