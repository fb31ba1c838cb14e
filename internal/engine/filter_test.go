package engine_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A setting is a way to set a field of a filter.
type setting[F any] struct {
	set    func(*F)
	nobody bool // names no record: selects nothing
}

// values are the ways to set a field that names a record.
func values[F any, T comparable](at func(*F) *affiliate.Opt[T], all ...T) []setting[F] {
	var zero T
	out := []setting[F]{
		{set: func(f *F) { *at(f) = affiliate.Null[T]() }, nobody: true},
		{set: func(f *F) { *at(f) = affiliate.Set(zero) }, nobody: true},
	}
	for _, v := range all {
		out = append(out, setting[F]{set: func(f *F) { *at(f) = affiliate.Set(v) }})
	}
	return out
}

// A filterCheck lists with every combination of the fields. A combination must
// select the records that each of its fields selects alone.
type filterCheck[F, T any] struct {
	*testing.T
	list     func(context.Context, F, affiliate.Page) (affiliate.List[T], error)
	name     func(T) string
	selected int
}

func checkFilter[F, T any](
	t *testing.T, list func(context.Context, F, affiliate.Page) (affiliate.List[T], error), name func(T) string, fields ...[]setting[F],
) {
	t.Helper()
	c := &filterCheck[F, T]{T: t, list: list, name: name}
	var none F
	everything := c.names(none)
	if len(everything) < 2 {
		t.Fatalf("%d records tell no filters apart", len(everything))
	}
	c.try(none, everything, fields)
	if c.selected == len(everything) {
		t.Error("no filter selects anything")
	}
}

// names lists the records at once and in pages.
func (c *filterCheck[F, T]) names(f F) []string {
	c.Helper()
	out, paged := []string{}, []string{}
	for _, item := range scene.Must(c.list(c.Context(), f, affiliate.Page{})).Items {
		out = append(out, c.name(item))
	}
	for item, err := range affiliate.Each(2, func(pg affiliate.Page) (affiliate.List[T], error) { return c.list(c.Context(), f, pg) }) {
		paged = append(paged, c.name(scene.Must(item, err)))
	}
	if diff := cmp.Diff(out, paged); diff != "" {
		c.Errorf("%+v (-whole +paged):\n%s", f, diff)
	}
	return out
}

// try lists with f and each of the ways to set the remaining fields.
func (c *filterCheck[F, T]) try(f F, want []string, fields [][]setting[F]) {
	c.Helper()
	if len(fields) == 0 {
		if got := c.names(f); !slices.Equal(want, got) {
			c.Errorf("%+v selects %q, want %q", f, got, want)
		}
		c.selected += len(want)
		return
	}
	c.try(f, want, fields[1:])
	for _, field := range fields[0] {
		with, both := f, []string{}
		field.set(&with)
		if !field.nobody {
			var alone F
			field.set(&alone)
			single := c.names(alone)
			both = slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !slices.Contains(single, s) })
		}
		c.try(with, both, fields[1:])
	}
}

// TestFilters: all fields that are set must match. A field that is null or zero
// selects nothing.
func TestFilters(t *testing.T) {
	ctx := t.Context()
	t.Run("Sales", func(t *testing.T) {
		s := scene.NewShop(t)
		s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, ExternalID: "o1", ExternalInvoiceID: "i1"})
		s.Sell(affiliate.SaleParams{Email: s.Bea.Email, ExternalID: "o2"})
		s.Sell(affiliate.SaleParams{PromoCode: "ADA20", Email: s.Bea.Email, ExternalInvoiceID: "i2"})
		type F = affiliate.SaleQuery
		checkFilter(t, s.Sales, func(v affiliate.Sale) string { return fmt.Sprint(v.ID) },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ADA@example.com", "x@example.com"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ReferralID }, s.Bea.ID.String(), "TOMAS@example.net"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ExternalID }, "o1", "none"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ExternalInvoiceID }, "i1", "i2"))
		plan := scene.Must(s.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30")}}))
		scene.Must(s.SetAffiliatePlan(ctx, plan.ID, s.Ada.Person.ID, s.Bob.ID))
		before := s.Dump()
		for _, f := range []affiliate.RecalculateJob{{AffiliateID: affiliate.Set(uuid.Nil)}, {AffiliateEmail: affiliate.Null[string]()}} {
			if n := scene.Must(s.Run(ctx, f)).Changed; n != 0 {
				t.Errorf("%+v recalculated %d sales", f, n)
			}
		}
		scene.Equal(t, before, s.Dump())
		if n := scene.Must(s.Run(ctx, affiliate.RecalculateJob{AffiliateID: affiliate.Set(s.Bob.ID)})).Changed; n != 1 {
			t.Errorf("recalculated %d sales of bob, want 1", n)
		}
	})
	t.Run("Referrals", func(t *testing.T) {
		s := scene.NewShop(t)
		scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "n", Email: "n@example.net", ReferredUserExternalID: "cust-n"}))
		type F = affiliate.ReferralQuery
		checkFilter(t, s.Referrals, func(v affiliate.Referral) string { return v.Email },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ada@example.com", "bob@example.com"),
			values(func(f *F) *affiliate.Opt[string] { return &f.ReferredUserExternalID }, "cust-bea", "cust-n"))
	})
	t.Run("Codes", func(t *testing.T) {
		s := scene.NewShop(t)
		other := issue(s.World, s.Bob.ID, "BOB10")
		scene.Must(s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Ada.Autumn.ID, Code: "BOB20", AffiliateID: s.Bob.ID}))
		type F = affiliate.CodeQuery
		checkFilter(t, s.Codes, func(v affiliate.Code) string { return v.Code },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.CouponID }, s.Ada.Autumn.ID, other.CouponID),
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ada@example.com", "bob@example.com"))
	})
	t.Run("Links", func(t *testing.T) {
		s := scene.NewShop(t)
		more := s.AddLink(s.Ada.Person.ID, "ada-2")
		type F = affiliate.LinkQuery
		checkFilter(t, s.Links, func(v affiliate.Link) string { return v.Link },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.ID }, more.ID, s.Bob.AffiliateLinks[0].ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.Slug }, "ADA-2", "bob", "a b"),
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID),
			values(func(f *F) *affiliate.Opt[string] { return &f.AffiliateEmail }, "ada@example.com", "bob@example.com"))
	})
	t.Run("Payouts", func(t *testing.T) {
		s := scene.NewShop(t)
		fill(s)
		type F = affiliate.PayoutQuery
		checkFilter(t, s.Payouts, func(v affiliate.Payout) string { return v.ID.String() },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.AffiliateID }, s.Ada.Person.ID, s.Bob.ID))
	})
	t.Run("Events", func(t *testing.T) {
		s := scene.NewShop(t)
		sale := s.ToTomas("10")
		gone := s.ToTomas("20")
		scene.Must(0, s.DeleteSale(ctx, gone.ID))
		type F = affiliate.EventQuery
		checkFilter(t, s.Events, func(v affiliate.Event) string { return v.ID.String() },
			values(func(f *F) *affiliate.Opt[string] { return &f.ObjectID },
				s.Tomas.ID.String(), fmt.Sprint(sale.ID), fmt.Sprint(gone.ID), uuid.Nil.String()),
			[]setting[F]{
				{set: func(f *F) { f.Type = affiliate.SaleCreated }}, {set: func(f *F) { f.Type = affiliate.ReferralCreated }},
			})
	})
	t.Run("Deliveries", func(t *testing.T) {
		b := scene.NewLedger(t)
		type F = affiliate.DeliveryQuery
		checkFilter(t, b.Webhooks().Deliveries, func(v affiliate.Delivery) string { return v.ID.String() },
			values(func(f *F) *affiliate.Opt[uuid.UUID] { return &f.WebhookID }, b.Hooked.ID, b.Disabled.ID, uuid.Max),
			[]setting[F]{
				{set: func(f *F) { f.State = affiliate.DeliveryPending }}, {set: func(f *F) { f.State = affiliate.DeliverySkipped }},
			},
			[]setting[F]{{set: func(f *F) { f.Event = affiliate.SaleCreated }}})
	})
}

// TestFilterFields: every field of a filter that names a record is an Opt, so
// that null differs from not given.
func TestFilterFields(t *testing.T) {
	plain := map[reflect.Type]bool{ // these name a class and not a record
		reflect.TypeFor[affiliate.DeliveryState]():  true,
		reflect.TypeFor[affiliate.EventType]():      true,
		reflect.TypeFor[affiliate.PayoutStatus]():   true,
		reflect.TypeFor[affiliate.PaymentMethod]():  true,
		reflect.TypeFor[affiliate.AdjustmentKind](): true,
		reflect.TypeFor[affiliate.Cause]():          true,
		reflect.TypeFor[time.Time]():                true, // a bound
		reflect.TypeFor[bool]():                     true, // how it is listed
		reflect.TypeFor[affiliate.SaleStatus]():     true, reflect.TypeFor[affiliate.ApprovalStatus](): true,
		reflect.TypeFor[affiliate.SubscriptionStatus](): true, reflect.TypeFor[affiliate.CodeState](): true,
		reflect.TypeFor[affiliate.Currency](): true,
	}
	for _, filter := range []reflect.Type{
		reflect.TypeFor[affiliate.SaleQuery](), reflect.TypeFor[affiliate.ReferralQuery](), reflect.TypeFor[affiliate.CodeQuery](),
		reflect.TypeFor[affiliate.LinkQuery](), reflect.TypeFor[affiliate.PayoutQuery](), reflect.TypeFor[affiliate.AdjustmentQuery](), reflect.TypeFor[affiliate.MovementQuery](), reflect.TypeFor[affiliate.EventQuery](),
		reflect.TypeFor[affiliate.DeliveryQuery](),
	} {
		for f := range filter.Fields() {
			if _, isOpt := f.Type.MethodByName("IsNull"); !isOpt && !plain[f.Type] {
				t.Errorf("%v.%s is a %v", filter, f.Name, f.Type)
			}
		}
	}
}
