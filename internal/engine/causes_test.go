package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
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
			if deleted := rec.Type[len(rec.Type)-8:] == ".deleted"; deleted != (len(payload.Body) == 1) {
				w.T.Errorf("%s with the body %v", rec.Type, payload.Body)
			}
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
			if diff := cmp.Diff(append([]string{}, c.fires...), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
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
			_, err := w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{LastName: scene.TextOf("M")})
			return err
		}, fires("affiliate.updated ada")},
		cause{"UpdateAffiliate, the same", func() error {
			_, err := w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{LastName: scene.TextOf("M")})
			return err
		}, nil},
		cause{"UpdateAffiliate with a link", func() error {
			_, err := w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{FirstName: scene.TextOf("A"), AffiliateLink: scene.TextOf("ada-2")})
			return err
		}, fires("affiliate.updated ada")},
		cause{"UpdateAffiliate of nobody", func() error {
			_, err := w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: uuid.Max}, affiliate.AffiliateUpdate{})
			return err
		}, nil},
		cause{"AcceptInvite", func() error {
			_, err := w.AcceptInvite(ctx, ivo.ID, affiliate.AffiliateUpdate{FirstName: scene.TextOf("I")})
			return err
		}, fires("affiliate.updated ivo")},
		cause{"Err AcceptInvite twice", func() error { _, err := w.AcceptInvite(ctx, ivo.ID, affiliate.AffiliateUpdate{}); return err }, nil},
		cause{"ApproveAffiliates", func() error { _, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateActive, tim.ID); return err }, fires("affiliate.updated tim")},
		cause{"DeactivateAffiliates, many", func() error {
			_, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateDeactivated, tim.ID, ivo.ID)
			return err
		}, fires("affiliate.updated tim", "affiliate.updated ivo")},
		cause{"Err BanAffiliates, one not active", func() error {
			_, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, bob.ID, tim.ID)
			return err
		}, nil},
		cause{"back to pending", func() error {
			_, err := w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: tim.ID}, affiliate.AffiliateUpdate{AffiliateStatus: affiliate.Set("inactive")})
			return err
		}, fires("affiliate.updated tim")},
		cause{"DeclineAffiliates", func() error { _, err := w.SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, tim.ID); return err }, fires("affiliate.updated tim")},
		cause{"SetPayoutDetails", func() error {
			_, err := w.SetPayoutDetails(ctx, ada.ID, affiliate.PayoutDetails{Email: "p@example.com", Method: "WISE"})
			return err
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
			_, err := w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: scene.TextOf("q")})
			return err
		}, nil},
		cause{"Err DeletePlan in use", func() error { return w.DeletePlan(ctx, plan.ID) }, nil},
		cause{"DeleteTier", func() error { return w.DeleteTier(ctx, tier.ID) }, nil},
		cause{"CreateLink", func() error {
			_, err := w.CreateLink(ctx, affiliate.LinkParams{Link: "new", AffiliateID: ada.ID})
			return err
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
			_, err := w.Imports().Referrals(ctx, []imported.Referral{{ReferralParams: affiliate.ReferralParams{AffiliateID: "ada", Name: "i", Email: "i@example.net", ReferredUserExternalID: "i"}}})
			return err
		}, nil},
		cause{"UpdateReferral", func() error {
			_, err := w.UpdateReferral(ctx, tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf("T")})
			return err
		}, fires("referral.updated tomas")},
		cause{"UpdateReferral, the same", func() error {
			_, err := w.UpdateReferral(ctx, tomas.Email, affiliate.ReferralUpdate{Name: scene.TextOf("T")})
			return err
		}, nil},
		cause{"PushReferralStatus", func() error {
			_, err := w.PushReferralStatus(ctx, tomas.Email, affiliate.SubscriptionPastDue)
			return err
		}, fires("referral.updated tomas")},
		cause{"PushReferralStatus to refused", func() error {
			_, err := w.PushReferralStatus(ctx, tomas.Email, affiliate.SubscriptionDeclined)
			return err
		}, fires("referral.updated tomas")},
		cause{"RecordSale to an inactive customer", func() error {
			_, err := w.RecordSale(ctx, affiliate.SaleParams{Email: tomas.Email, TotalEarned: scene.Sum("1")})
			return err
		}, nil},
		cause{"PushReferralStatus back", func() error {
			_, err := w.PushReferralStatus(ctx, tomas.Email, affiliate.SubscriptionActive)
			return err
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
			_, err := w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)})
			return err
		}, fires("coupon.updated coupon")},
		cause{"UpdateCoupon back", func() error {
			_, err := w.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Valid: affiliate.Set(true)})
			return err
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
			_, err := w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)})
			return err
		}, fires("promocode.updated code")},
		cause{"Err sale by a retired code", func() error {
			_, err := w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", TotalEarned: scene.Sum("1")})
			return err
		}, nil},
		cause{"UpdateCode back", func() error {
			_, err := w.UpdateCode(ctx, code.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)})
			return err
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
			_, err := w.RecordSale(ctx, affiliate.SaleParams{Email: tomas.Email, ExternalID: "e", TotalEarned: scene.Sum("1")})
			return err
		}, nil},
		cause{"RecordSale, unattributed", func() error {
			_, err := w.RecordSale(ctx, affiliate.SaleParams{Email: "u@example.net", TotalEarned: scene.Sum("1")})
			return err
		}, nil},
		cause{"UpdateSale", func() error {
			_, err := w.UpdateSale(ctx, sales["s1"], affiliate.SaleUpdate{TotalEarned: scene.Amount("200")})
			return err
		}, fires("sale.updated s1")},
		cause{"Err UpdateSale", func() error {
			_, err := w.UpdateSale(ctx, sales["s1"], affiliate.SaleUpdate{TotalEarned: scene.Amount("-1")})
			return err
		}, nil},
		cause{"RefundSale in part", func() error {
			_, err := w.RefundSale(ctx, affiliate.Refund{SaleID: sales["s1"], Amount: scene.Amount("50"), RefundID: "r"})
			return err
		}, fires("sale.updated s1")},
		cause{"RefundSale, repeated", func() error {
			_, err := w.RefundSale(ctx, affiliate.Refund{SaleID: sales["s1"], Amount: scene.Amount("50"), RefundID: "r"})
			return err
		}, nil},
		cause{"ReviewCommissions", func() error {
			_, err := w.ReviewCommissions(ctx, affiliate.ApprovalOnHold, sales["s1"], sales["s2"])
			return err
		}, fires("sale.updated s1", "sale.updated s2")},
		cause{"ReviewCommissions, one back", func() error { _, err := w.ReviewCommissions(ctx, affiliate.ApprovalAccepted, sales["s2"]); return err }, fires("sale.updated s2")},
		cause{"change of terms", func() error { _, err := w.SetAffiliatePlan(ctx, uuid.Nil, ada.ID); return err }, fires("affiliate.updated ada")},
		cause{"RecalculateSales", func() error {
			_, err := w.Run(ctx, affiliate.RecalculateJob{})
			return err
		}, fires("sale.updated s1", "sale.updated s2")},
		cause{"RecalculateSales again", func() error {
			_, err := w.Run(ctx, affiliate.RecalculateJob{})
			return err
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
			_, err := w.UpdateSale(ctx, sales["s1"], affiliate.SaleUpdate{Name: scene.TextOf("n")})
			return err
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
