package engine_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// For every call, the store fails at each of its operations in turn. The call
// returns this error, which is not a refusal, and stores nothing.
func TestAffiliateStoreFailures(t *testing.T) {
	type prepared struct {
		*scene.World
		a, b affiliate.Affiliate
		plan affiliate.Plan
		tier affiliate.Tier
	}
	ref := func(w prepared) affiliate.AffiliateRef { return affiliate.AffiliateRef{ID: w.a.ID, Email: w.a.Email} }
	link := func(w prepared) affiliate.LinkRef { return affiliate.LinkRef{ID: w.a.AffiliateLinks[0].ID, Slug: "a"} }
	calls := map[string]func(prepared) error{
		"Affiliate":        func(w prepared) error { return scene.ErrOf(w.Affiliate(w.T.Context(), w.a.ID.String())) },
		"AffiliateByClick": func(w prepared) error { return scene.ErrOf(w.Affiliate(w.T.Context(), "1")) },
		"AffiliateBySlug":  func(w prepared) error { return scene.ErrOf(w.Affiliate(w.T.Context(), "a")) },
		"AffiliateByEmail": func(w prepared) error { return scene.ErrOf(w.AffiliateByEmail(w.T.Context(), w.a.Email)) },
		"Affiliates":       func(w prepared) error { return scene.ErrOf(w.Affiliates(w.T.Context(), affiliate.Page{})) },
		"Links": func(w prepared) error {
			return scene.ErrOf(w.Links(w.T.Context(), affiliate.LinkFilter{}, affiliate.Page{}))
		},
		"LinkByID": func(w prepared) error {
			return scene.ErrOf(w.Links(w.T.Context(), affiliate.LinkFilter{ID: affiliate.Set(link(w).ID)}, affiliate.Page{}))
		},
		"LinksByEmail": func(w prepared) error {
			return scene.ErrOf(w.Links(w.T.Context(), affiliate.LinkFilter{AffiliateEmail: affiliate.Set(w.a.Email)}, affiliate.Page{}))
		},
		"Plans": func(w prepared) error { return scene.ErrOf(w.Plans(w.T.Context(), affiliate.Page{})) },
		"Tiers": func(w prepared) error { return scene.ErrOf(w.Tiers(w.T.Context(), affiliate.Page{})) },
		"CreatePlan": func(w prepared) error {
			return scene.ErrOf(w.CreatePlan(w.T.Context(), affiliate.PlanParams{Name: "x"}))
		},
		"CreateTier": func(w prepared) error {
			return scene.ErrOf(w.CreateTier(w.T.Context(), affiliate.TierParams{Tier: 1, Name: "x"}))
		},
		"UpdatePlan": func(w prepared) error {
			return scene.ErrOf(w.UpdatePlan(w.T.Context(), w.plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("x")}))
		},
		"UpdateTier": func(w prepared) error {
			return scene.ErrOf(w.UpdateTier(w.T.Context(), w.tier.ID, affiliate.TierUpdate{Name: affiliate.Set("x")}))
		},
		"AssignTiers": func(w prepared) error { return scene.ErrOf(w.Run(w.T.Context(), affiliate.AssignTiersJob{})) },
		"SetAffiliatePlan": func(w prepared) error {
			return scene.ErrOf(w.SetAffiliatePlan(w.T.Context(), uuid.Nil, w.a.ID, w.b.ID))
		},
		"SetAffiliateTier": func(w prepared) error { return scene.ErrOf(w.SetAffiliateTier(w.T.Context(), w.tier.ID, w.b.ID)) },
		"BanAffiliates": func(w prepared) error {
			return scene.ErrOf(w.SetAffiliateStatus(w.T.Context(), affiliate.AffiliateBanned, w.a.ID, w.b.ID))
		},
		"SetPayoutDetails": func(w prepared) error {
			return scene.ErrOf(w.SetPayoutDetails(w.T.Context(), w.a.ID, affiliate.PayoutDetails{Method: "BANK"}))
		},
		"SetPayoutNothing": func(w prepared) error {
			return scene.ErrOf(w.SetPayoutDetails(w.T.Context(), w.a.ID, affiliate.PayoutDetails{}))
		},
		"TrackClick": func(w prepared) error {
			return scene.ErrOf(w.TrackClick(w.T.Context(), affiliate.ClickParams{Slug: "a"}))
		},
		"CreateLink": func(w prepared) error {
			return scene.ErrOf(w.CreateLink(w.T.Context(), affiliate.LinkParams{Link: "x", AffiliateID: w.a.ID, AffiliateEmail: w.a.Email}))
		},
		"RenameLink":        func(w prepared) error { return scene.ErrOf(w.RenameLink(w.T.Context(), link(w), "x")) },
		"RenameLinkNothing": func(w prepared) error { return scene.ErrOf(w.RenameLink(w.T.Context(), link(w), "a")) },
		"DeleteLink":        func(w prepared) error { return scene.ErrOf(w.DeleteLink(w.T.Context(), link(w))) },
		"DeleteAffiliate":   func(w prepared) error { return w.Forfeiting().DeleteAffiliate(w.T.Context(), ref(w)) },
		"UpdateNothing": func(w prepared) error {
			return scene.ErrOf(w.UpdateAffiliate(w.T.Context(), ref(w), affiliate.AffiliateUpdate{}))
		},
		"UpdateAffiliate": func(w prepared) error {
			return scene.ErrOf(w.UpdateAffiliate(w.T.Context(), ref(w), affiliate.AffiliateUpdate{
				Email: affiliate.Set("new@b.co"), AffiliateLink: affiliate.Set("x"), CommissionRate: affiliate.Set(affiliate.MustPercent("3")),
			}))
		},
		"CreateAffiliate": func(w prepared) error {
			in := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@b.co", CommissionPlanID: w.plan.ID, Answers: []affiliate.Answer{{QuestionID: w.Config().ID, Answer: "x"}}}
			return scene.ErrOf(w.CreateAffiliate(w.T.Context(), in))
		},
		"CreateWithSlug": func(w prepared) error {
			return scene.ErrOf(w.CreateAffiliate(w.T.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@b.co", AffiliateLink: "x"}))
		},
		"AcceptInvite": func(w prepared) error {
			return scene.ErrOf(w.AcceptInvite(w.T.Context(), w.b.ID, affiliate.AffiliateUpdate{}))
		},
		"DeletePlan": func(w prepared) error { return w.DeletePlan(w.T.Context(), w.plan.ID) },
		"DeleteTier": func(w prepared) error { return w.DeleteTier(w.T.Context(), w.tier.ID) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			w := prepared{World: scene.New(t)}
			w.plan = scene.Must(w.CreatePlan(w.T.Context(), affiliate.PlanParams{Name: "p"}))
			w.tier = scene.Must(w.CreateTier(w.T.Context(), affiliate.TierParams{Tier: 1, Name: "t"}))
			w.a, w.b = w.Join("a"), w.Join("b")
			switch name {
			case "DeletePlan", "DeleteTier":
			case "AcceptInvite":
				w.b = scene.Must(w.InviteAffiliate(w.T.Context(), affiliate.AffiliateParams{FirstName: "C", LastName: "C", Email: "c@b.co"}))
			default:
				scene.Must(w.SetAffiliatePlan(w.T.Context(), w.plan.ID, w.a.ID))
				scene.Must(w.SetAffiliateTier(w.T.Context(), w.tier.ID, w.a.ID))
			}
			scene.Must(w.TrackClick(w.T.Context(), affiliate.ClickParams{Slug: "a"}))
			w.Refer("a", "kim@b.co")
			w.SellTo("kim@b.co", "10")
			issue(w.World, w.a.ID, "CODE")
			everyFailure(w.World, func() error { return call(w) })
			w.Verifies()
		})
	}
}

// When a look-up misses a record, the unique index of the store refuses it with
// the same text.
func TestAffiliateUniqueIndexes(t *testing.T) {
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	named := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "new@b.co", AffiliateLink: "A"}
	mailed := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: a.Email, AffiliateLink: "new"}
	self := affiliate.AffiliateRef{ID: a.ID}
	for name, tt := range map[string]struct {
		want string
		call func() error
	}{
		"CreateSlug":  {"The requested affiliate link is already in use", func() error { return scene.ErrOf(w.CreateAffiliate(t.Context(), named)) }},
		"CreateEmail": {"An affiliate with this email already exists", func() error { return scene.ErrOf(w.CreateAffiliate(t.Context(), mailed)) }},
		"UpdateSlug": {"The requested affiliate link is already in use", func() error {
			return scene.ErrOf(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("B")}))
		}},
		"UpdateEmail": {"An affiliate with this email already exists", func() error {
			return scene.ErrOf(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{Email: affiliate.Set(b.Email)}))
		}},
		"Link": {"This link already exists for this affiliate program", func() error {
			return scene.ErrOf(w.CreateLink(t.Context(), affiliate.LinkParams{Link: "B", AffiliateID: a.ID}))
		}},
		"Rename": {"This link already exists for this affiliate program", func() error {
			return scene.ErrOf(w.RenameLink(t.Context(), affiliate.LinkRef{ID: a.AffiliateLinks[0].ID}, "B"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			before := w.Dump()
			w.Probe.Blind = true
			err := tt.call()
			w.Probe.Blind = false
			if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Message != tt.want {
				t.Errorf("got %v", err)
			}
			scene.Equal(t, before, w.Dump())
		})
	}
}
