package affiliate_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// For every call, the store fails at each of its operations in turn. The call
// returns this error, which is not a refusal, and stores nothing.
func TestAffiliateStoreFailures(t *testing.T) {
	type prepared struct {
		*world
		a, b affiliate.Affiliate
		plan affiliate.Plan
		tier affiliate.Tier
	}
	ref := func(w prepared) affiliate.AffiliateRef { return affiliate.AffiliateRef{ID: w.a.ID, Email: w.a.Email} }
	link := func(w prepared) affiliate.LinkRef { return affiliate.LinkRef{ID: w.a.AffiliateLinks[0].ID, Slug: "a"} }
	calls := map[string]func(prepared) error{
		"Affiliate":        func(w prepared) error { return errOf(w.Affiliate(w.t.Context(), w.a.ID.String())) },
		"AffiliateByClick": func(w prepared) error { return errOf(w.Affiliate(w.t.Context(), "1")) },
		"AffiliateBySlug":  func(w prepared) error { return errOf(w.Affiliate(w.t.Context(), "a")) },
		"AffiliateByEmail": func(w prepared) error { return errOf(w.AffiliateByEmail(w.t.Context(), w.a.Email)) },
		"Affiliates":       func(w prepared) error { return errOf(w.Affiliates(w.t.Context(), affiliate.Page{})) },
		"Links":            func(w prepared) error { return errOf(w.Links(w.t.Context(), affiliate.LinkFilter{}, affiliate.Page{})) },
		"LinkByID": func(w prepared) error {
			return errOf(w.Links(w.t.Context(), affiliate.LinkFilter{ID: affiliate.Set(link(w).ID)}, affiliate.Page{}))
		},
		"LinksByEmail": func(w prepared) error {
			return errOf(w.Links(w.t.Context(), affiliate.LinkFilter{AffiliateEmail: affiliate.Set(w.a.Email)}, affiliate.Page{}))
		},
		"Plans":      func(w prepared) error { return errOf(w.Plans(w.t.Context(), affiliate.Page{})) },
		"Tiers":      func(w prepared) error { return errOf(w.Tiers(w.t.Context(), affiliate.Page{})) },
		"CreatePlan": func(w prepared) error { return errOf(w.CreatePlan(w.t.Context(), affiliate.NewPlan{Name: "x"})) },
		"CreateTier": func(w prepared) error {
			return errOf(w.CreateTier(w.t.Context(), affiliate.NewTier{Tier: 1, Name: "x"}))
		},
		"UpdatePlan": func(w prepared) error {
			return errOf(w.UpdatePlan(w.t.Context(), w.plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("x")}))
		},
		"UpdateTier": func(w prepared) error {
			return errOf(w.UpdateTier(w.t.Context(), w.tier.ID, affiliate.TierUpdate{Name: affiliate.Set("x")}))
		},
		"AssignTiers":      func(w prepared) error { return errOf(w.AssignTiers(w.t.Context())) },
		"SetAffiliatePlan": func(w prepared) error { return errOf(w.SetAffiliatePlan(w.t.Context(), uuid.Nil, w.a.ID, w.b.ID)) },
		"SetAffiliateTier": func(w prepared) error { return errOf(w.SetAffiliateTier(w.t.Context(), w.tier.ID, w.b.ID)) },
		"BanAffiliates":    func(w prepared) error { return errOf(w.BanAffiliates(w.t.Context(), w.a.ID, w.b.ID)) },
		"SetPayoutDetails": func(w prepared) error {
			return errOf(w.SetPayoutDetails(w.t.Context(), w.a.ID, affiliate.PayoutDetails{Method: "BANK"}))
		},
		"SetPayoutNothing": func(w prepared) error {
			return errOf(w.SetPayoutDetails(w.t.Context(), w.a.ID, affiliate.PayoutDetails{}))
		},
		"TrackClick": func(w prepared) error { return errOf(w.TrackClick(w.t.Context(), affiliate.NewClick{Slug: "a"})) },
		"CreateLink": func(w prepared) error {
			return errOf(w.CreateLink(w.t.Context(), affiliate.NewLink{Link: "x", AffiliateID: w.a.ID, AffiliateEmail: w.a.Email}))
		},
		"RenameLink":        func(w prepared) error { return errOf(w.RenameLink(w.t.Context(), link(w), "x")) },
		"RenameLinkNothing": func(w prepared) error { return errOf(w.RenameLink(w.t.Context(), link(w), "a")) },
		"DeleteLink":        func(w prepared) error { return errOf(w.DeleteLink(w.t.Context(), link(w))) },
		"DeleteAffiliate":   func(w prepared) error { return w.DeleteAffiliate(w.t.Context(), ref(w)) },
		"UpdateNothing": func(w prepared) error {
			return errOf(w.UpdateAffiliate(w.t.Context(), ref(w), affiliate.AffiliateUpdate{}))
		},
		"UpdateAffiliate": func(w prepared) error {
			return errOf(w.UpdateAffiliate(w.t.Context(), ref(w), affiliate.AffiliateUpdate{
				Email: affiliate.Set("new@b.co"), AffiliateLink: affiliate.Set("x"), CommissionRate: affiliate.Set(affiliate.MustPercent("3")),
			}))
		},
		"CreateAffiliate": func(w prepared) error {
			in := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "a@b.co", CommissionPlanID: w.plan.ID, Answers: []affiliate.Answer{{QuestionID: w.Config().ID, Answer: "x"}}}
			return errOf(w.CreateAffiliate(w.t.Context(), in))
		},
		"CreateWithSlug": func(w prepared) error {
			return errOf(w.CreateAffiliate(w.t.Context(), affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "a@b.co", AffiliateLink: "x"}))
		},
		"AcceptInvite": func(w prepared) error {
			return errOf(w.AcceptInvite(w.t.Context(), w.b.ID, affiliate.AffiliateUpdate{}))
		},
		"DeletePlan": func(w prepared) error { return w.DeletePlan(w.t.Context(), w.plan.ID) },
		"DeleteTier": func(w prepared) error { return w.DeleteTier(w.t.Context(), w.tier.ID) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			w := prepared{world: newWorld(t)}
			w.plan = must(w.CreatePlan(w.t.Context(), affiliate.NewPlan{Name: "p"}))
			w.tier = must(w.CreateTier(w.t.Context(), affiliate.NewTier{Tier: 1, Name: "t"}))
			w.a, w.b = w.join("a"), w.join("b")
			switch name {
			case "DeletePlan", "DeleteTier":
			case "AcceptInvite":
				w.b = must(w.InviteAffiliate(w.t.Context(), affiliate.NewAffiliate{FirstName: "C", LastName: "C", Email: "c@b.co"}))
			default:
				must(w.SetAffiliatePlan(w.t.Context(), w.plan.ID, w.a.ID))
				must(w.SetAffiliateTier(w.t.Context(), w.tier.ID, w.a.ID))
			}
			must(w.TrackClick(w.t.Context(), affiliate.NewClick{Slug: "a"}))
			w.refer("a", "kim@b.co")
			w.sale("kim@b.co", "10")
			w.issue(w.a.ID, "CODE")
			w.everyFailure(func() error { return call(w) })
			w.verify()
		})
	}
}

// When a look-up misses a record, the unique index of the store refuses it with
// the same text.
func TestAffiliateUniqueIndexes(t *testing.T) {
	w := newWorld(t)
	a, b := w.join("a"), w.join("b")
	named := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: "new@b.co", AffiliateLink: "A"}
	mailed := affiliate.NewAffiliate{FirstName: "A", LastName: "B", Email: a.Email, AffiliateLink: "new"}
	self := affiliate.AffiliateRef{ID: a.ID}
	for name, tt := range map[string]struct {
		want string
		call func() error
	}{
		"CreateSlug":  {"The requested affiliate link is already in use", func() error { return errOf(w.CreateAffiliate(t.Context(), named)) }},
		"CreateEmail": {"An affiliate with this email already exists", func() error { return errOf(w.CreateAffiliate(t.Context(), mailed)) }},
		"UpdateSlug": {"The requested affiliate link is already in use", func() error {
			return errOf(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("B")}))
		}},
		"UpdateEmail": {"An affiliate with this email already exists", func() error {
			return errOf(w.UpdateAffiliate(t.Context(), self, affiliate.AffiliateUpdate{Email: affiliate.Set(b.Email)}))
		}},
		"Link": {"This link already exists for this affiliate program", func() error {
			return errOf(w.CreateLink(t.Context(), affiliate.NewLink{Link: "B", AffiliateID: a.ID}))
		}},
		"Rename": {"This link already exists for this affiliate program", func() error {
			return errOf(w.RenameLink(t.Context(), affiliate.LinkRef{ID: a.AffiliateLinks[0].ID}, "B"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			before := w.dump()
			w.probe.blind = true
			err := tt.call()
			w.probe.blind = false
			if e, ok := errors.AsType[*affiliate.Error](err); !ok || e.Message != tt.want {
				t.Errorf("got %v", err)
			}
			equal(t, before, w.dump())
		})
	}
}
