package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// A firedEvent is an event in TestCauses.
type firedEvent struct {
	Type     affiliate.EventType
	Object   string
	Revision int64
}

// firedSince returns the events after the first n, oldest first. It checks that
// each body fits its type.
func firedSince(w *scene.World, n int) []firedEvent {
	w.T.Helper()
	out := []firedEvent{}
	err := w.Store.View(w.T.Context(), w.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{}) {
			if err != nil {
				return err
			}
			if n--; n >= 0 {
				continue
			}
			var payload struct {
				Event    affiliate.EventType
				Revision int64
				Body     map[string]any
			}
			if err := json.Unmarshal(rec.Payload.Bytes(), &payload); err != nil {
				return err
			}
			id := scene.JSON(payload.Body["id"])
			if text, ok := payload.Body["id"].(string); ok {
				id = text
			}
			if payload.Event != rec.Type || payload.Revision != rec.Revision {
				w.T.Errorf("%s: payload of %s, revision %d of %d", rec.Type, payload.Event, payload.Revision, rec.Revision)
			}
			scene.Equal(w.T, (len(payload.Body) == 1), rec.Type[len(rec.Type)-8:] == ".deleted", rec.Type, payload.Body)
			out = append(out, firedEvent{rec.Type, id, rec.Revision})
		}
		return nil
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return out
}

// A cause is a call and the events that it fires, each as "type object" with
// the object's name.
type cause struct {
	name  string
	call  func() error
	fires []string
}

// Each cause in docs/contract.md 7.1 has a call that fires exactly its events,
// of the right objects, with the next revision. Refusals, reads and calls that
// change nothing fire none.
func TestCauses(t *testing.T) {
	for _, cascade := range []bool{false, true} {
		t.Run("cascade "+scene.JSON(cascade), func(t *testing.T) { walkCauses(t, cascade) })
	}
}

func walkCauses(t *testing.T, cascade bool) {
	ctx := t.Context()
	w := scene.New(t, func(c *tributary.Config) { c.CascadeEvents = cascade })
	names := map[string]string{} // names of objects by id
	var walk func(causes ...cause)
	revisions := map[string]int64{}
	walk = func(causes ...cause) {
		t.Helper()
		for _, c := range causes {
			w.Pass(time.Minute)
			before := len(w.EventTypes(0))
			err := c.call()
			if refusing := len(c.name) > 3 && c.name[:3] == "Err"; refusing != (err != nil) {
				t.Fatalf("%s: %v", c.name, err)
			}
			got := []string{}
			for _, f := range firedSince(w, before) {
				name := names[f.Object]
				got = append(got, string(f.Type)+" "+name)
				if revisions[f.Object]++; f.Revision != revisions[f.Object] {
					t.Errorf("%s: %s %s has revision %d, want %d", c.name, f.Type, name, f.Revision, revisions[f.Object])
				}
			}
			scene.Equal(t, append([]string{}, c.fires...), got, c.name)
		}
		w.Verifies()
	}
	fires := func(events ...string) []string { return events }
	only := func(children ...string) []string { // only the last one, unless the program fires the events of children too
		if !cascade {
			return children[len(children)-1:]
		}
		return children
	}
	keep := func(name string, id uuid.UUID, err error) error {
		names[id.String()] = name
		return err
	}

	var ada, ivo, bob, tim affiliate.Affiliate
	person := func(first string) affiliate.AffiliateParams {
		return affiliate.AffiliateParams{FirstName: first, LastName: "L", Email: first + "@example.com", AffiliateLink: first}
	}
	walk(
		cause{"CreateAffiliate", func() (err error) { ada, err = w.CreateAffiliate(ctx, person("ada")); return keep("ada", ada.ID, err) }, fires("affiliate.created ada")},
		cause{"CreateAffiliate by widget", func() (err error) {
			bob, err = w.From(affiliate.SourceWidget).CreateAffiliate(ctx, person("bob"))
			return keep("bob", bob.ID, err)
		}, fires("affiliate.created bob")},
		cause{"InviteAffiliate", func() (err error) { ivo, err = w.InviteAffiliate(ctx, person("ivo")); return keep("ivo", ivo.ID, err) }, fires("affiliate.created ivo")},
		cause{"CreateAffiliate pending", func() (err error) {
			in := person("tim")
			in.AffiliateStatus = "inactive"
			tim, err = w.CreateAffiliate(ctx, in)
			return keep("tim", tim.ID, err)
		}, fires("affiliate.created tim")},
		cause{"Err email taken", func() error { _, err := w.CreateAffiliate(ctx, person("ada")); return err }, nil},

		cause{"UpdateAffiliate", func() error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{LastName: scene.TextOf("M")}))
		}, fires("affiliate.updated ada")},
		cause{"UpdateAffiliate, the same", func() error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{LastName: scene.TextOf("M")}))
		}, nil},
		cause{"UpdateAffiliate with a link", func() error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{FirstName: scene.TextOf("A"), AffiliateLink: scene.TextOf("ada-2")}))
		}, fires("affiliate.updated ada")},
		cause{"UpdateAffiliate of nobody", func() error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: uuid.Max}, affiliate.AffiliateUpdate{}))
		}, nil},
		cause{"AcceptInvite", func() error {
			return scene.ErrOf(w.AcceptInvite(ctx, ivo.ID, affiliate.Acceptance{FirstName: scene.TextOf("I")}))
		}, fires("affiliate.updated ivo")},
		cause{"Err AcceptInvite twice", func() error { _, err := w.AcceptInvite(ctx, ivo.ID, affiliate.Acceptance{}); return err }, nil},
		cause{"ApproveAffiliates", func() error { _, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateActive, tim.ID); return err }, fires("affiliate.updated tim")},
		cause{"DeactivateAffiliates, many", func() error {
			return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, tim.ID, ivo.ID))
		}, fires("affiliate.updated tim", "affiliate.updated ivo")},
		cause{"Err BanAffiliates, one not active", func() error {
			return scene.ErrOf(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, bob.ID, tim.ID))
		}, nil},
		cause{"back to pending", func() error {
			return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: tim.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("inactive")}))
		}, fires("affiliate.updated tim")},
		cause{"DeclineAffiliates", func() error { _, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, tim.ID); return err }, fires("affiliate.updated tim")},
		cause{"SetPayoutDetails", func() error {
			return scene.ErrOf(w.SetPayoutDetails(ctx, ada.ID, affiliate.PayoutDetails{Email: "p@example.com", Method: "WISE"}))
		}, fires("affiliate.updated ada")},
	)

	var plan affiliate.Plan
	var tier affiliate.Tier
	walk(
		cause{"CreatePlan", func() (err error) {
			plan, err = w.CreatePlan(ctx, affiliate.PlanParams{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("10")}})
			return err
		}, nil},
		cause{"CreateTier", func() (err error) {
			tier, err = w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t", MinReferrals: 99, ConditionType: affiliate.ConditionAll})
			return err
		}, nil},
		cause{"SetAffiliatePlan, many", func() error { _, err := w.SetAffiliatePlan(ctx, plan.ID, ada.ID, bob.ID); return err }, fires("affiliate.updated ada", "affiliate.updated bob")},
		cause{"SetAffiliatePlan, one new", func() error { _, err := w.SetAffiliatePlan(ctx, plan.ID, ada.ID, ivo.ID); return err }, fires("affiliate.updated ivo")},
		cause{"SetAffiliateTier", func() error { _, err := w.SetAffiliateTier(ctx, tier.ID, bob.ID); return err }, fires("affiliate.updated bob")},
		cause{"AssignTiers", func() error { _, err := w.Run(ctx, affiliate.AssignTiersJob{}); return err }, fires("affiliate.updated bob")},
		cause{"AssignTiers again", func() error { _, err := w.Run(ctx, affiliate.AssignTiersJob{}); return err }, nil},
		cause{"UpdatePlan", func() error {
			return scene.ErrOf(w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: scene.TextOf("q")}))
		}, nil},
		cause{"Err DeletePlan in use", func() error { return w.DeletePlan(ctx, plan.ID) }, nil},
		cause{"DeleteTier", func() error { return w.DeleteTier(ctx, tier.ID) }, nil},
		cause{"CreateLink", func() error {
			return scene.ErrOf(w.CreateLink(ctx, affiliate.LinkParams{Link: "new", AffiliateID: ada.ID}))
		}, fires("affiliate.updated ada")},
		cause{"RenameLink", func() error { _, err := w.RenameLink(ctx, affiliate.LinkRef{Slug: "new"}, "newer"); return err }, fires("affiliate.updated ada")},
		cause{"RenameLink, the same", func() error { _, err := w.RenameLink(ctx, affiliate.LinkRef{Slug: "newer"}, "newer"); return err }, nil},
		cause{"DeleteLink", func() error { _, err := w.DeleteLink(ctx, affiliate.LinkRef{Slug: "newer"}); return err }, fires("affiliate.updated ada")},
		cause{"Err DeleteLink", func() error { _, err := w.DeleteLink(ctx, affiliate.LinkRef{Slug: "newer"}); return err }, nil},
		cause{"TrackClick", func() error { _, err := w.TrackClick(ctx, affiliate.ClickParams{Slug: "ada"}); return err }, nil},
	)

	var tomas, bea affiliate.Referral
	customer := func(name, of string) (affiliate.Referral, error) {
		return w.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: of, Name: name, Email: name + "@example.net", ReferredUserExternalID: name})
	}
	walk(
		cause{"CreateReferral", func() (err error) { tomas, err = customer("tomas", "ada"); return keep("tomas", tomas.ID, err) }, fires("referral.created tomas")},
		cause{"CreateReferral, known", func() error { _, err := customer("tomas", "bob"); return err }, nil},
		cause{"Err CreateReferral of nobody", func() error { _, err := customer("x", "nobody"); return err }, nil},
		cause{"CreateReferral, second", func() (err error) { bea, err = customer("bea", "bob"); return keep("bea", bea.ID, err) }, fires("referral.created bea")},
		cause{"ImportReferrals", func() error {
			return scene.ErrOf(w.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: "i", Email: "i@example.net", ReferredUserExternalID: "i"}}}))
		}, nil},
		cause{"UpdateReferral", func() error {
			return scene.ErrOf(w.UpdateReferral(ctx, tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf("T")}))
		}, fires("referral.updated tomas")},
		cause{"UpdateReferral, the same", func() error {
			return scene.ErrOf(w.UpdateReferral(ctx, tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf("T")}))
		}, nil},
		cause{"PushReferralStatus", func() error {
			return scene.ErrOf(w.PushReferralStatus(ctx, tomas.Email, affiliate.SubscriptionPastDue))
		}, fires("referral.updated tomas")},
		cause{"PushReferralStatus to refused", func() error {
			return scene.ErrOf(w.PushReferralStatus(ctx, tomas.Email, affiliate.SubscriptionDeclined))
		}, fires("referral.updated tomas")},
		cause{"RecordSale to an inactive customer", func() error {
			return scene.ErrOf(w.RecordSale(ctx, affiliate.SaleParams{Email: tomas.Email, TotalEarned: scene.Sum("1")}))
		}, nil},
		cause{"PushReferralStatus back", func() error {
			return scene.ErrOf(w.PushReferralStatus(ctx, tomas.Email, affiliate.SubscriptionActive))
		}, fires("referral.updated tomas")},
		cause{"SetReferralPlan, many", func() error { _, err := w.SetReferralPlan(ctx, plan.ID, tomas.ID, bea.ID); return err }, fires("referral.updated tomas", "referral.updated bea")},
		cause{"SetReferralPlan, one back", func() error { _, err := w.SetReferralPlan(ctx, uuid.Nil, tomas.ID); return err }, fires("referral.updated tomas")},
	)

	var coupon affiliate.Coupon
	var code, made affiliate.Code
	walk(
		cause{"CreateCoupon", func() (err error) {
			coupon, err = w.CreateCoupon(ctx, goodCoupon())
			return keep("coupon", coupon.ID, err)
		}, fires("coupon.created coupon")},
		cause{"UpdateCoupon", func() error {
			return scene.ErrOf(w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)}))
		}, fires("coupon.updated coupon")},
		cause{"UpdateCoupon back", func() error {
			return scene.ErrOf(w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(true)}))
		}, fires("coupon.updated coupon")},
		cause{"CreateCode", func() (err error) {
			code, err = w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID})
			return keep("code", code.ID, err)
		}, fires("promocode.created code")},
		cause{"CreateCode, second", func() (err error) {
			made, err = w.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "BOB20", AffiliateID: bob.ID})
			return keep("made", made.ID, err)
		}, fires("promocode.created made")},
		cause{"UpdateCode", func() error {
			return scene.ErrOf(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		}, fires("promocode.updated code")},
		cause{"Err sale by a retired code", func() error {
			return scene.ErrOf(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("1")}))
		}, nil},
		cause{"UpdateCode back", func() error {
			return scene.ErrOf(w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}, fires("promocode.updated code")},
		cause{"GenerateCodes", func() error {
			codes, err := w.GenerateCodes(ctx, affiliate.CodesParams{CodeParams: affiliate.CodeParams{
				CouponID: coupon.ID, AffiliateID: ivo.ID, IsAutoGenerated: true, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
			}, Count: 2})
			for _, c := range codes {
				names[c.ID.String()] = "bulk"
			}
			return err
		}, fires("promocode.created bulk", "promocode.created bulk")},
		cause{"Err GenerateCodes", func() error { _, err := w.GenerateCodes(ctx, affiliate.CodesParams{Count: 2}); return err }, nil},
		cause{"Evaluate", func() error { _, err := w.Evaluate(ctx, affiliate.Order{PromoCode: "ADA20"}); return err }, nil},
	)

	sales := map[string]affiliate.SaleID{}
	sell := func(name string, in affiliate.SaleParams) func() error {
		return func() error {
			in.TotalEarned = scene.Sum("100")
			res, err := w.RecordSale(ctx, in)
			sale, _ := res.Sale.Get()
			sales[name] = sale.ID
			names[scene.JSON(sale.ID)] = name
			if ref, ok := sale.ReferralID.Get(); ok && names[ref.String()] == "" {
				names[ref.String()] = "customer of " + name
			}
			return err
		}
	}
	var payout affiliate.Payout
	walk(
		cause{"RecordSale", sell("s1", affiliate.SaleParams{Email: tomas.Email, ExternalID: "e"}), fires("sale.created s1")},
		cause{"RecordSale by code: counters alone", sell("s2", affiliate.SaleParams{PromoCode: "ADA20", Email: tomas.Email}), fires("sale.created s2")},
		cause{"RecordSale, new customer", sell("s3", affiliate.SaleParams{PromoCode: "BOB20", Email: "new@example.net"}), fires("referral.created customer of s3", "sale.created s3")},
		cause{"RecordSale, duplicate", func() error {
			return scene.ErrOf(w.RecordSale(ctx, affiliate.SaleParams{Email: tomas.Email, ExternalID: "e", TotalEarned: scene.Sum("1")}))
		}, nil},
		cause{"RecordSale, unattributed", func() error {
			return scene.ErrOf(w.RecordSale(ctx, affiliate.SaleParams{Email: "u@example.net", TotalEarned: scene.Sum("1")}))
		}, nil},
		cause{"UpdateSale", func() error {
			return scene.ErrOf(w.UpdateSale(ctx, sales["s1"], affiliate.SaleUpdate{TotalEarned: scene.Amount("200")}))
		}, fires("sale.updated s1")},
		cause{"Err UpdateSale", func() error {
			return scene.ErrOf(w.UpdateSale(ctx, sales["s1"], affiliate.SaleUpdate{TotalEarned: scene.Amount("-1")}))
		}, nil},
		cause{"RefundSale in part", func() error {
			return scene.ErrOf(w.RefundSale(ctx, affiliate.Refund{SaleID: sales["s1"], Amount: scene.Amount("50"), RefundID: "r"}))
		}, fires("sale.updated s1")},
		cause{"RefundSale, repeated", func() error {
			return scene.ErrOf(w.RefundSale(ctx, affiliate.Refund{SaleID: sales["s1"], Amount: scene.Amount("50"), RefundID: "r"}))
		}, nil},
		cause{"ReviewCommissions", func() error {
			return scene.ErrOf(w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales["s1"], sales["s2"]))
		}, fires("sale.updated s1", "sale.updated s2")},
		cause{"ReviewCommissions, one back", func() error { _, err := w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, sales["s2"]); return err }, fires("sale.updated s2")},
		cause{"change of terms", func() error { _, err := w.SetAffiliatePlan(ctx, uuid.Nil, ada.ID); return err }, fires("affiliate.updated ada")},
		cause{"RecalculateSales", func() error {
			return scene.ErrOf(w.Run(ctx, affiliate.RecalculateJob{}))
		}, fires("sale.updated s1", "sale.updated s2")},
		cause{"RecalculateSales again", func() error {
			return scene.ErrOf(w.Run(ctx, affiliate.RecalculateJob{}))
		}, nil},
		cause{"CreatePayout", func() (err error) {
			payout, err = w.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: ada.ID})
			return err
		}, fires("sale.updated s2")},
		cause{"SetPayoutStatus PROCESSING", func() error { _, err := w.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutProcessing); return err }, nil},
		cause{"SetPayoutStatus PAID", func() error { _, err := w.SetPayoutStatus(ctx, payout.ID, affiliate.PayoutPaid); return err }, fires("sale.updated s2")},
		cause{"Err refund of a paid sale", func() error { _, err := w.RefundSale(ctx, affiliate.Refund{SaleID: sales["s2"]}); return err }, nil},
		cause{"Err DeleteReferral in payout", func() error { return w.Forfeiting().DeleteReferral(ctx, tomas.Email) }, nil},
		cause{"Err DeleteAffiliate in payout", func() error { return w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}) }, nil},
		cause{"RestoreRedemption", func() error { return w.RestoreRedemption(ctx, affiliate.SaleRef{ID: sales["s3"]}) }, nil},
		cause{"RefundSale in full", func() error { _, err := w.RefundSale(ctx, affiliate.Refund{SaleID: sales["s1"]}); return err }, fires("sale.deleted s1")},
		cause{"UpdateSale, refunded", func() error {
			return scene.ErrOf(w.UpdateSale(ctx, sales["s1"], affiliate.SaleUpdate{Name: scene.TextOf("n")}))
		}, nil},
		cause{"DeleteSale, refunded", func() error { return w.DeleteSale(ctx, sales["s1"]) }, nil},
		cause{"RecordSale for the reversal", sell("s4", affiliate.SaleParams{Email: bea.Email, ExternalInvoiceID: "i"}), fires("sale.created s4")},
		cause{"ReverseSale", func() error {
			return scene.ErrOf(w.ReverseSale(ctx, affiliate.SaleRef{InvoiceID: "i"}, affiliate.Reversal{}))
		}, fires("sale.deleted s4")},
		cause{"Err ReverseSale twice", func() error {
			return scene.ErrOf(w.ReverseSale(ctx, affiliate.SaleRef{InvoiceID: "i"}, affiliate.Reversal{}))
		}, nil},
		cause{"RecordSale for the removal", sell("s5", affiliate.SaleParams{Email: bea.Email}), fires("sale.created s5")},
		cause{"DeleteSale", func() error { return w.DeleteSale(ctx, sales["s5"]) }, fires("sale.deleted s5")},
		cause{"DeleteSale twice", func() error { return w.DeleteSale(ctx, sales["s5"]) }, nil},
	)

	walk(
		cause{"RecordSale before the referral goes", sell("s6", affiliate.SaleParams{Email: bea.Email}), fires("sale.created s6")},
		cause{"DeleteReferral", func() error { return w.Forfeiting().DeleteReferral(ctx, bea.ID.String()) }, only("sale.deleted s6", "referral.deleted bea")},
		cause{"DeleteReferral twice", func() error { return w.Forfeiting().DeleteReferral(ctx, bea.ID.String()) }, nil},
		cause{"EraseReferral", func() error { return w.EraseReferral(ctx, tomas.ID.String()) }, fires("referral.updated tomas")},
		cause{"EraseAffiliate", func() error { return w.Forfeiting().EraseAffiliate(ctx, ada.ID) }, fires("affiliate.updated ada")},
		cause{"DeleteCode", func() error { _, err := w.DeleteCode(ctx, code.ID); return err }, fires("promocode.deleted code")},
		cause{"DeleteAffiliate", func() error { return w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: bob.Email}) },
			only("sale.deleted s3", "referral.deleted customer of s3", "promocode.updated made", "affiliate.deleted bob")},
		cause{"DeleteAffiliate twice", func() error { return w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: bob.Email}) }, nil},
		cause{"DeleteCoupon", func() error { _, err := w.DeleteCoupon(ctx, coupon.ID); return err }, only("promocode.deleted bulk", "promocode.deleted bulk", "promocode.deleted made", "coupon.deleted coupon")},
		cause{"Err DeleteCoupon twice", func() error { _, err := w.DeleteCoupon(ctx, coupon.ID); return err }, nil},
	)
}

// EventsAfter walks all events, oldest first, from any position, also from one
// that was pruned.
func TestEventsAfter(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		w.Ada()
		w.Crowd(4)
		var want []string
		for _, e := range scene.Must(w.Events(t.Context(), affiliate.EventQuery{}, affiliate.Page{})).Items {
			want = append([]string{string(e.Payload)}, want...)
		}
		for _, size := range []int{1, 2, 7, 1000} {
			var got []string
			position := uuid.Nil
			for {
				events := scene.Must(w.EventsAfter(t.Context(), position, size))
				if len(events) == 0 {
					break
				}
				for _, e := range events {
					got = append(got, string(e.Payload))
					position = e.ID
				}
			}
			scene.Equal(t, want, got)
		}
		third := scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 3))[2].ID
		w.Raw(func(tx *record.Tx) error { return tx.Events.Delete(third) })
		scene.Equal(t, want[3], string(scene.Must(w.EventsAfter(t.Context(), third, 1))[0].Payload))
		for _, limit := range []int{0, -1, 1001} {
			if _, err := w.EventsAfter(t.Context(), uuid.Nil, limit); !errors.Is(err, affiliate.InvalidQuery) {
				t.Errorf("limit %d: %v", limit, err)
			}
		}
	})
}

// Ids of events rise in the order of the commits, also when a closure that has
// drawn its ids runs again after another commit, when the clock goes back, and
// when another process has another clock.
func TestEventOrder(t *testing.T) {
	ids := func(w *scene.World) []string {
		var out []string
		for _, e := range scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 100)) {
			out = append(out, scene.BodyOf[struct{ FirstName string }](t, e).FirstName)
		}
		return out
	}
	create := func(p *tributary.Program, name string) {
		scene.Must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: name, LastName: "x", Email: name + "@example.org"}))
	}
	t.Run("Rerun", func(t *testing.T) {
		w := scene.New(t)
		between := &between{Store: w.Store}
		between.fn = func() { create(w.Program, "first") }
		create(w.With(between), "second")
		scene.Equal(t, []string{"first", "second"}, ids(w))
		w.Verifies()
	})
	t.Run("ClockGoesBack", func(t *testing.T) {
		w := scene.New(t)
		create(w.Program, "first")
		w.Pass(-48 * time.Hour)
		other := scene.NewOn(t, w.Store) // another process, which has drawn no ids
		other.Pass(-49 * time.Hour)
		create(other.Program, "second")
		create(w.Program, "third")
		scene.Equal(t, []string{"first", "second", "third"}, ids(w))
		w.Verifies()
	})
	t.Run("ForeignIDs", func(t *testing.T) {
		n := byte(200)
		w := scene.New(t, func(c *tributary.Config) {
			c.NewID = func() uuid.UUID { n--; return uuid.UUID{0: 0xff, 6: n, 15: 0xff} } // ids that fall
		})
		create(w.Program, "first")
		create(w.Program, "second")
		scene.Equal(t, []string{"first", "second"}, ids(w))
	})
	t.Run("SeveralInOne", func(t *testing.T) {
		w := scene.New(t)
		a := w.Ada()
		scene.Must(w.GenerateCodes(t.Context(), affiliate.CodesParams{Count: 20, CodeParams: affiliate.CodeParams{
			CouponID: a.Autumn.ID, AffiliateID: a.Person.ID,
			CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}), RandomCharsLength: affiliate.Set[int64](8),
		}}))
		scene.Equal(t, 23, len(scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 100))))
		w.Verifies()
	})
}

// between runs every closure twice, as after a conflict, and commits a change
// between the two runs.
type between struct {
	record.Store
	fn func()
}

var errConflict = errors.New("conflict")

func (s *between) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	_ = s.Store.Update(ctx, id, func(tx *record.Tx) error {
		return errors.Join(fn(tx), errConflict)
	})
	s.fn()
	return s.Store.Update(ctx, id, fn)
}

// Follow sees every event once, in order, while others are committed.
func TestFollow(t *testing.T) {
	for name, store := range map[string]record.Store{"memstore": memstore.New(), "Rerun": conformance.Rerun(memstore.New())} {
		t.Run(name, func(t *testing.T) {
			p := scene.Must(tributary.New(store, tributary.Config{}))
			const writers, each = 4, 60
			var wg sync.WaitGroup
			for i := range writers {
				wg.Go(func() {
					for j := range each {
						scene.Must(p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("a%d.%d@example.org", i, j)}))
					}
				})
			}
			var got []uuid.UUID
			for e, err := range p.Follow(t.Context(), uuid.Nil) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, e.ID); len(got) == writers*each {
					break
				}
			}
			wg.Wait()
			for i, e := range scene.Must(p.EventsAfter(t.Context(), uuid.Nil, 1000)) {
				if i >= len(got) || got[i] != e.ID {
					t.Fatalf("event %d of the walk is another", i)
				}
			}
		})
	}
}

// Follow continues at once after a commit of its program, finds commits of
// other processes within a second, and ends with its context.
func TestFollowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := scene.New(t)
		ctx, cancel := context.WithCancel(t.Context())
		var waits []time.Duration
		var ended error
		began := time.Now()
		go func() {
			for _, err := range w.Follow(ctx, uuid.Nil) {
				if err != nil {
					ended = err
					return
				}
				waits = append(waits, time.Since(began))
			}
		}()
		synctest.Wait()
		time.Sleep(300 * time.Millisecond)
		w.Crowd(1)
		synctest.Wait()
		other := scene.NewOn(t, w.Store)
		other.Pass(time.Second)
		other.Join("other")
		time.Sleep(2 * time.Second)
		cancel()
		synctest.Wait()
		scene.Equal(t, []time.Duration{300 * time.Millisecond, 1300 * time.Millisecond}, waits)
		if !errors.Is(ended, context.Canceled) {
			t.Errorf("ended with %v", ended)
		}
	})
}

func TestFollowError(t *testing.T) {
	w := scene.New(t)
	w.Crowd(1)
	w.Probe.Ops.Store(0)
	w.Probe.FailAt = 1
	n := 0
	for _, err := range w.Follow(t.Context(), uuid.Nil) {
		if n++; !errors.Is(err, scene.ErrBoom) {
			t.Errorf("got %v", err)
		}
	}
	scene.Equal(t, 1, n)
}

// hookLog collects changes as "event revision: before → after".
type hookLog struct{ lines []string }

func (h *hookLog) config(c *tributary.Config) {
	c.Hooks = record.Hooks{
		Affiliate: func(_ context.Context, c record.Change[record.Affiliate]) {
			note(h, c, func(r record.Affiliate) string { return r.FirstName })
		},
		Referral: func(_ context.Context, c record.Change[record.Referral]) {
			note(h, c, func(r record.Referral) string { return r.Name + "/" + string(r.Status) })
		},
		Sale: func(_ context.Context, c record.Change[record.Sale]) {
			note(h, c, func(r record.Sale) string { return fmt.Sprint(r.TotalEarned, "/", r.Refunded, "/", r.Status) })
		},
		Coupon: func(_ context.Context, c record.Change[record.Coupon]) {
			note(h, c, func(r record.Coupon) string { return fmt.Sprint(r.Name, "/", r.TimesRedeemed) })
		},
		Code: func(_ context.Context, c record.Change[record.Code]) {
			note(h, c, func(r record.Code) string { return fmt.Sprint(r.Code, "/", r.Active, "/", r.TimesRedeemed) })
		},
	}
}

func note[R any](h *hookLog, c record.Change[R], text func(R) string) {
	show := func(o affiliate.Opt[R]) string {
		if r, ok := o.Get(); ok {
			return text(r)
		}
		return "-"
	}
	h.lines = append(h.lines, fmt.Sprintf("%s %d: %s → %s", c.Event, c.Revision, show(c.Before), show(c.After)))
}

// took returns the changes since the last call.
func (h *hookLog) took() []string {
	out := h.lines
	h.lines = nil
	return out
}

// Hooks get every change with the values before and after it.
func TestHooks(t *testing.T) {
	h := &hookLog{}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		h.took()
		a := w.Ada()
		scene.Equal(t, []string{
			"affiliate.created 1: - → Ada", "coupon.created 1: - → Autumn 20/0", "promocode.created 1: - → ADA20/true/0",
		}, h.took())
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Eva")}))
		scene.Must(w.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}, affiliate.AffiliateUpdate{FirstName: affiliate.Set("Eva")}))
		scene.Equal(t, []string{"affiliate.updated 2: Ada → Eva"}, h.took())
		w.AddLink(a.Person.ID, "eva")
		scene.Equal(t, []string{"affiliate.updated 3: Eva → Eva"}, h.took())
		w.Refer("ada", "kim@example.com")
		s, _ := scene.Must(w.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA20", ReferralID: "kim@example.com", TotalEarned: scene.Sum("100")})).Sale.Get()
		scene.Equal(t, []string{"referral.created 1: - → Kim/ACTIVE", "sale.created 1: - → 100/0/ACTIVE"}, h.took())
		scene.Must(w.UpdateCode(t.Context(), a.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		scene.Equal(t, []string{"promocode.updated 2: ADA20/true/1 → ADA20/false/1"}, h.took())
		scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: s.ID, Amount: affiliate.Set(scene.Sum("30"))}))
		scene.Must(w.RefundSale(t.Context(), affiliate.Refund{SaleID: s.ID}))
		scene.Equal(t, []string{"sale.updated 2: 100/0/ACTIVE → 100/30/ACTIVE", "sale.deleted 3: 100/30/ACTIVE → 100/100/REFUNDED"}, h.took())
		scene.Must(w.DeleteCode(t.Context(), a.ADA20.ID))
		scene.Must(w.DeleteCoupon(t.Context(), a.Autumn.ID))
		scene.Equal(t, []string{"promocode.deleted 3: ADA20/false/1 → -", "coupon.deleted 2: Autumn 20/1 → -"}, h.took())
	}, h.config)
}

// A cascade reports the children first, each with its value before.
func TestHooksCascade(t *testing.T) {
	h := &hookLog{}
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		h.took()
		a := w.Ada()
		w.Refer("ada", "kim@example.com")
		w.SellTo("kim@example.com", "50")
		h.took()
		scene.Must(0, w.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{ID: a.Person.ID}))
		scene.Equal(t, []string{
			"sale.deleted 2: 50/0/ACTIVE → -", "referral.deleted 2: Kim/ACTIVE → -",
			"promocode.updated 2: ADA20/true/0 → ADA20/true/0", "affiliate.deleted 2: Ada → -",
		}, h.took())
	}, h.config, func(c *tributary.Config) { c.CascadeEvents = true })
}

// Hooks run after the commit, once, before OnEvents, and may call the program.
func TestHooksRun(t *testing.T) {
	type key struct{}
	var calls []string
	var p *tributary.Program
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		calls, p = nil, w.Program
		scene.Must(w.CreateAffiliate(context.WithValue(t.Context(), key{}, "v"), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.org"}))
		scene.Equal(t, []string{"hook v a@example.org 2026-03-11 09:24:18.442 +0000 UTC", "events"}, calls)
		calls = nil
		_, err := w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@example.org"})
		if err == nil || len(calls) != 0 {
			t.Errorf("a refusal ran %v", calls)
		}
	}, func(c *tributary.Config) {
		c.OnEvents = func() { calls = append(calls, "events") }
		c.Hooks.Affiliate = func(ctx context.Context, c record.Change[record.Affiliate]) {
			rec, _ := c.After.Get()
			a := scene.Must(p.Affiliate(ctx, rec.ID.String()))
			event := scene.Must(p.EventsAfter(ctx, uuid.Nil, 1))[0]
			if c.EventID != event.ID {
				calls = append(calls, "another event")
			}
			calls = append(calls, fmt.Sprint("hook ", ctx.Value(key{}), " ", a.Email, " ", c.At.Time().Format("2006-01-02 15:04:05.999 -0700 MST")))
		}
	})
}

// Each event of the rich scenario has a hook call. Its value after the change
// equals the stored one.
func TestHooksMatchEvents(t *testing.T) {
	h := &hookLog{}
	w := scene.New(t, h.config)
	a := w.Ada()
	for i := range 5 {
		w.Pass(time.Minute)
		w.Refer("ada", fmt.Sprintf("kim%d@example.com", i))
		w.SellTo(fmt.Sprintf("kim%d@example.com", i), "10")
	}
	scene.Must(w.UpdateCoupon(t.Context(), a.Autumn.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)}))
	events := scene.Must(w.EventsAfter(t.Context(), uuid.Nil, 1000))
	if len(h.lines) != len(events) {
		t.Fatalf("%d calls for %d events", len(h.lines), len(events))
	}
	for i, e := range events {
		if want := fmt.Sprintf("%s %d:", e.Type, e.Revision); h.lines[i][:len(want)] != want {
			t.Errorf("call %d is %s, want %s", i, h.lines[i], want)
		}
	}
}
