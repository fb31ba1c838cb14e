package servertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/api"
)

// A scene is one run of a scenario.
type scene struct {
	api.Operations
	*exam
}

// email returns an address that no other scene has.
func (s *scene) email(local string) string { return s.unique + "-" + local + "@conform.example" }

// slug returns a slug or code that no other scene has.
func (s *scene) slug(end string) string { return s.unique + "-" + end }

// do makes a call that must succeed.
func do[In, Out any](s *scene, name string, call func(context.Context, In) (Out, error), in In) Out {
	out, err := call(s.ctx, in)
	if err != nil {
		s.fatal(Failure{step(name, in), "no error", err.Error()})
	}
	return out
}

// do2 is do for a call with two inputs.
func do2[A, B, Out any](s *scene, name string, call func(context.Context, A, B) (Out, error), a A, b B) Out {
	return do(s, name, func(ctx context.Context, in [2]any) (Out, error) { return call(ctx, a, b) }, [2]any{a, b})
}

// whole is a list with the zero page, which is all of it.
func whole[F, T any](list func(context.Context, F, affiliate.Page) (affiliate.List[T], error)) func(context.Context, F) ([]T, error) {
	return func(ctx context.Context, f F) ([]T, error) {
		l, err := list(ctx, f, affiliate.Page{})
		return l.Items, err
	}
}

// done makes a call that returns nothing and must succeed.
func done[In any](s *scene, name string, call func(context.Context, In) error, in In) {
	do(s, name, func(ctx context.Context, in In) (struct{}, error) { return struct{}{}, call(ctx, in) }, in)
}

// denied makes a call that must be refused for a reason.
func denied[In, Out any](s *scene, name string, call func(context.Context, In) (Out, error), in In, want affiliate.Reason) *affiliate.Error {
	_, err := call(s.ctx, in)
	e, ok := errors.AsType[*affiliate.Error](err)
	if !ok || !errors.Is(err, want) || e.Reason != want {
		s.fatal(Failure{step(name, in), "an *affiliate.Error with the reason " + string(want), fmt.Sprint(err)})
	}
	return e
}

// miss makes a call that must find nothing.
func miss[In, Out any](s *scene, name string, call func(context.Context, In) (Out, error), in In) {
	if _, err := call(s.ctx, in); !errors.Is(err, affiliate.ErrNotFound) {
		s.fatal(Failure{step(name, in), "affiliate.ErrNotFound", fmt.Sprint(err)})
	}
}

// no makes a call that must be refused, with the kind, field and text that the
// wire has.
func no[In, Out any](s *scene, name string, call func(context.Context, In) (Out, error), in In, want denial) {
	e := denied(s, name, call, in, affiliate.Reason(want.code))
	got := denial{e.Kind.Status(), string(e.Reason), e.Field, e.Message}
	same(s, step(name, in), fmt.Sprint(want), fmt.Sprint(got))
}

// no2 is no for a call with two inputs.
func no2[A, B, Out any](s *scene, name string, call func(context.Context, A, B) (Out, error), a A, b B, want denial) {
	no(s, name, func(ctx context.Context, in [2]any) (Out, error) { return call(ctx, a, b) }, [2]any{a, b}, want)
}

// same compares two values and ends the scene when they differ.
func same[T any](s *scene, what string, want, got T) {
	if diff := cmp.Diff(want, got); diff != "" {
		s.fatal(Failure{what, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v (-want +got):\n%s", got, diff)})
	}
}

// step describes a call in a report.
func step(name string, in any) string {
	text, err := json.Marshal(in)
	if err != nil {
		return name
	}
	return name + " " + string(text)
}

// amount returns an amount. The text must be right.
func amount(s string) affiliate.Amount { return affiliate.MustAmount(s) }

// given returns an Opt with a value.
func given[T any](v T) affiliate.Opt[T] { return affiliate.Set(v) }

// join makes an affiliate who earns 20 percent.
func (s *scene) join(local string) affiliate.Affiliate {
	return do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.AffiliateParams{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email(local), AffiliateLink: s.slug(local), CommissionRate: given(affiliate.MustPercent("20")),
	})
}

// coupon makes a coupon of 20 percent.
func (s *scene) coupon() affiliate.Coupon {
	return do(s, "CreateCoupon", s.CreateCoupon, affiliate.CouponParams{Name: s.unique, PercentOff: given(affiliate.MustPercent("20"))})
}

// sell records a sale.
func (s *scene) sell(in affiliate.SaleParams) affiliate.Sale {
	result := do(s, "RecordSale", s.RecordSale, in)
	sale, ok := result.Sale.Get()
	if !ok || result.Outcome != affiliate.SaleRecorded {
		s.fatal(Failure{step("RecordSale", in), "recorded", string(result.Outcome)})
	}
	return sale
}
