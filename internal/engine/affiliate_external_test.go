package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// TestEnsureAffiliate: one affiliate for an external id, which stays as it is, until it is
// erased or loses the id.
func TestEnsureAffiliate(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	in := affiliate.AffiliateParams{ExternalID: "tenant/7", FirstName: "Mara", LastName: "Berg", Email: "mara@example.org"}
	first := scene.Must(w.EnsureAffiliate(ctx, in))
	in.FirstName, in.Email, in.AffiliateStatus = "Ida", "ida@example.org", "inactive"
	scene.Equal(t, first, scene.Must(w.EnsureAffiliate(ctx, in)))
	for _, name := range []string{affiliate.External("tenant/7"), first.ID.String()} {
		scene.Equal(t, first, scene.Must(w.Affiliate(ctx, name)))
	}
	for _, name := range []string{"tenant/7", affiliate.External("tenant/7 "), affiliate.External("Tenant/7"), affiliate.External("")} {
		if _, err := w.Affiliate(ctx, name); !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
	in.ExternalID = "tenant/8"
	in.Email = "mara@example.org"
	if _, err := w.EnsureAffiliate(ctx, in); !errors.Is(err, affiliate.AffiliateEmailTaken) {
		t.Errorf("somebody else's email: %v", err)
	}
	in.ExternalID = ""
	if _, err := w.EnsureAffiliate(ctx, in); !errors.Is(err, affiliate.MissingField) {
		t.Errorf("no external id: %v", err)
	}
	both := affiliate.AffiliateRef{ID: first.ID, ExternalID: "tenant/9"}
	if _, err := w.UpdateAffiliate(ctx, both, affiliate.AffiliateUpdate{FirstName: affiliate.Set("No")}); !errors.Is(err, affiliate.IdentifiersMismatch) {
		t.Errorf("two names of two: %v", err)
	}
	scene.Must(0, w.Forfeiting().EraseAffiliate(ctx, first.ID))
	in.ExternalID = "tenant/7"
	again := scene.Must(w.EnsureAffiliate(ctx, in))
	if erased := scene.Must(w.Affiliate(ctx, first.ID.String())); again.ID == first.ID || erased.ExternalID != "" {
		t.Errorf("after the erasure %s has it, and the erased one has %q", again.ID, erased.ExternalID)
	}
	w.Verifies()
}

// TestBadAttribution: a value that no program has is refused when it is made.
func TestBadAttribution(t *testing.T) {
	good := []affiliate.Attribution{
		{}, {Touch: affiliate.TouchLast, Customer: affiliate.CreditEachOrder, Code: affiliate.CodeAlways},
		{Touch: affiliate.TouchFirst, Customer: affiliate.CreditKeptCustomer, Code: affiliate.CodeUnbrought},
	}
	for _, a := range good {
		p := scene.Must(tributary.New(memstore.New(), tributary.Config{ID: uuid.New(), Attribution: a}))
		scene.Equal(t, a, scene.Must(p.Settings(t.Context())).Attribution)
	}
	for _, a := range []affiliate.Attribution{{Touch: "first"}, {Customer: "KEPT"}, {Code: "NEVER"}} {
		if _, err := tributary.New(memstore.New(), tributary.Config{Attribution: a}); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
}

// TestFirstTouch: a click of nobody, of another visitor and in a program of the last click
// changes nothing, and the walk ends.
func TestFirstTouch(t *testing.T) {
	ctx := t.Context()
	for touch, owner := range map[affiliate.Touch]string{affiliate.TouchLast: "Ben", affiliate.TouchFirst: "Ada"} {
		p := scene.Must(tributary.New(memstore.New(), tributary.Config{Attribution: affiliate.Attribution{Touch: touch}}))
		for _, name := range []string{"Ada", "Ben"} {
			scene.Must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: name, LastName: "M", Email: name + "@example.org", AffiliateLink: name}))
		}
		last := scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", Earlier: 999_999})).ID
		for range 150 {
			last = scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", Earlier: last})).ID
		}
		last = scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ben", Earlier: last})).ID
		ref := scene.Must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: fmt.Sprint(last), Name: "I", Email: "i@example.net", ReferredUserExternalID: "i"}))
		got := scene.Must(p.Affiliate(ctx, ref.AffiliateID.String()))
		scene.Equal(t, owner, got.FirstName)
		if err := p.Verify(ctx); err != nil {
			t.Error(err)
		}
	}
}
