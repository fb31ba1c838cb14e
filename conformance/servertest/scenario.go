package servertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// api is what the engine and the client have in common: every operation of the
// wire, with one signature. A scenario runs on either.
type api interface {
	Affiliate(ctx context.Context, ident string) (affiliate.Affiliate, error)
	AffiliateByEmail(ctx context.Context, email string) (affiliate.Affiliate, error)
	Affiliates(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Affiliate], error)
	CreateAffiliate(ctx context.Context, in affiliate.NewAffiliate) (affiliate.Affiliate, error)
	UpdateAffiliate(ctx context.Context, ref affiliate.AffiliateRef, up affiliate.AffiliateUpdate) (int, error)
	DeleteAffiliate(ctx context.Context, ref affiliate.AffiliateRef) error
	Links(ctx context.Context, f affiliate.LinkFilter, pg affiliate.Page) (affiliate.List[affiliate.Link], error)
	CreateLink(ctx context.Context, in affiliate.NewLink) (affiliate.Link, error)
	RenameLink(ctx context.Context, ref affiliate.LinkRef, slug string) (affiliate.Link, error)
	DeleteLink(ctx context.Context, ref affiliate.LinkRef) (affiliate.DeletedLink, error)
	Coupon(ctx context.Context, ref affiliate.CouponRef) (affiliate.Coupon, error)
	Coupons(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Coupon], error)
	CreateCoupon(ctx context.Context, in affiliate.NewCoupon) (affiliate.Coupon, error)
	UpdateCoupon(ctx context.Context, id uuid.UUID, up affiliate.CouponUpdate) (affiliate.Coupon, error)
	DeleteCoupon(ctx context.Context, id uuid.UUID) (affiliate.DeletedCoupon, error)
	Code(ctx context.Context, ref affiliate.CodeRef) (affiliate.Code, error)
	Codes(ctx context.Context, f affiliate.CodeFilter, pg affiliate.Page) (affiliate.List[affiliate.Code], error)
	CreateCode(ctx context.Context, in affiliate.NewCode) (affiliate.Code, error)
	UpdateCode(ctx context.Context, id uuid.UUID, up affiliate.CodeUpdate) (affiliate.Code, error)
	DeleteCode(ctx context.Context, id uuid.UUID) (affiliate.DeletedCode, error)
	Evaluate(ctx context.Context, o affiliate.Order) (affiliate.Evaluation, error)
	Referral(ctx context.Context, ident string) (affiliate.Referral, error)
	Referrals(ctx context.Context, f affiliate.ReferralFilter, pg affiliate.Page) (affiliate.List[affiliate.Referral], error)
	CreateReferral(ctx context.Context, in affiliate.NewReferral) (affiliate.Referral, error)
	UpdateReferral(ctx context.Context, ident string, up affiliate.ReferralUpdate) (affiliate.Referral, error)
	DeleteReferral(ctx context.Context, ident string) error
	Sale(ctx context.Context, id affiliate.SaleID) (affiliate.Sale, error)
	Sales(ctx context.Context, f affiliate.SaleFilter, pg affiliate.Page) (affiliate.List[affiliate.Sale], error)
	RecordSale(ctx context.Context, in affiliate.NewSale) (affiliate.SaleResult, error)
	UpdateSale(ctx context.Context, id affiliate.SaleID, up affiliate.SaleUpdate) (affiliate.Sale, error)
	RefundSale(ctx context.Context, in affiliate.Refund) (affiliate.RefundResult, error)
	DeleteSale(ctx context.Context, id affiliate.SaleID) error
	Endpoint(ctx context.Context, id uuid.UUID) (affiliate.Endpoint, error)
	Endpoints(ctx context.Context, pg affiliate.Page) (affiliate.List[affiliate.Endpoint], error)
	CreateEndpoint(ctx context.Context, in affiliate.NewEndpoint) (affiliate.IssuedEndpoint, error)
	UpdateEndpoint(ctx context.Context, id uuid.UUID, up affiliate.EndpointUpdate) (affiliate.Endpoint, error)
	DeleteEndpoint(ctx context.Context, id uuid.UUID) (affiliate.DeletedEndpoint, error)
	RotateSecret(ctx context.Context, in affiliate.Rotation) (affiliate.IssuedEndpoint, error)
	TestEndpoint(ctx context.Context, in affiliate.EndpointTest) (affiliate.TestResult, error)
	Delivery(ctx context.Context, id uuid.UUID) (affiliate.Delivery, error)
	Deliveries(ctx context.Context, f affiliate.DeliveryFilter, pg affiliate.Page) (affiliate.List[affiliate.Delivery], error)
	Replay(ctx context.Context, in affiliate.ReplayRange) (int, error)
}

var (
	_ api = (*affiliate.Program)(nil)
	_ api = (*client.Client)(nil)
)

// A scenario is a story of several calls that goes the same way on the engine
// and through the client.
type scenario struct {
	name string
	rule string // printed when it fails
	run  func(s *scene)
}

func scenarios() []scenario {
	return []scenario{
		{"S a shop's year", "rules 3 to 5: sales by code, link and email, refunds and deletes, and the totals of all of them", shopYear},
		{"S pages", "contract 1.7: affiliate.Each over a list gives every record once, newest first", scenePages},
		{"S previews", "rule 3.6: the preview names every failing rule, and the sale is refused for the first", scenePreviews},
		{"S updates", "contract 1.3: what is not given stays, null clears", sceneUpdates},
		{"S repeats", "contract 1.8: a key gives the first answer again", sceneRepeats},
		{"S endpoints", "contract 4.2: endpoints, their secrets, their deliveries", sceneEndpoints},
		{"S reasons", "errors.Is tells every reason on the engine and over the wire", sceneReasons},
		{"S misses", "contract 1.6: a look-up that misses is ErrNotFound, a list that finds nothing is empty", sceneMisses},
	}
}

// scenarioCases are the scenarios as cases, through the client.
func scenarioCases() []serverCase {
	var cases []serverCase
	for _, sc := range scenarios() {
		cases = append(cases, serverCase{sc.name, sc.rule, func(x *exam) {
			c, err := client.New(x.base, x.server.Key, client.Config{HTTP: x.http, PlainHTTP: true, MaxRetries: -1})
			if err != nil {
				x.fatal(Failure{"client.New", "a client", err.Error()})
			}
			sc.run(&scene{api: c, exam: x})
		}})
	}
	return cases
}

// A scene is a scenario as it runs.
type scene struct {
	api
	*exam
}

// email is an address of the scene's own.
func (s *scene) email(local string) string { return s.unique + "-" + local + "@conform.example" }

// slug is a slug or code of the scene's own.
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

// done makes a call that answers nothing and must succeed.
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

// same compares.
func same[T any](s *scene, what string, want, got T) {
	if diff := cmp.Diff(want, got); diff != "" {
		s.fatal(Failure{what, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v (-want +got):\n%s", got, diff)})
	}
}

// step is a call for a report.
func step(name string, in any) string {
	text, err := json.Marshal(in)
	if err != nil {
		return name
	}
	return name + " " + string(text)
}

// amount is an amount that is right.
func amount(s string) affiliate.Amount { return affiliate.MustAmount(s) }

// given is a value that is given.
func given[T any](v T) affiliate.Opt[T] { return affiliate.Set(v) }

// join makes an affiliate who earns 20 percent.
func (s *scene) join(local string) affiliate.Affiliate {
	return do(s, "CreateAffiliate", s.CreateAffiliate, affiliate.NewAffiliate{
		FirstName: "Mara", LastName: "Lindqvist", Email: s.email(local), AffiliateLink: s.slug(local), CommissionRate: given(affiliate.MustPercent("20")),
	})
}

// coupon makes a coupon of 20 percent.
func (s *scene) coupon() affiliate.Coupon {
	return do(s, "CreateCoupon", s.CreateCoupon, affiliate.NewCoupon{Name: s.unique, PercentOff: given(affiliate.MustPercent("20"))})
}

// sell records a sale.
func (s *scene) sell(in affiliate.NewSale) affiliate.Sale {
	result := do(s, "RecordSale", s.RecordSale, in)
	sale, ok := result.Sale.Get()
	if !ok || result.Outcome != affiliate.SaleRecorded {
		s.fatal(Failure{step("RecordSale", in), "recorded", string(result.Outcome)})
	}
	return sale
}
