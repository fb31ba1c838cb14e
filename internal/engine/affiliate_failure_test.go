package engine_test

import (
	"errors"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
