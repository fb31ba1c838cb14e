package partner_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// An affiliate asks for themselves alone, sees their own cases alone, and asks nothing any more
// once they are merged into another one.
func TestPartnerCases(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	request := affiliate.CaseParams{Kind: affiliate.PayoutRequest}
	bob := s.Partner(s.Bob.ID)
	made := scene.Must(bob.OpenCase(ctx, request))
	scene.Must(s.Partner(s.Ada.Person.ID).OpenCase(ctx, request))
	if all := scene.Must(bob.Cases(ctx, affiliate.Page{})).Items; len(all) != 1 || all[0].ID != made.ID {
		t.Errorf("they see %+v", all)
	}
	for _, other := range []affiliate.CaseParams{{AffiliateID: s.Ada.Person.ID}, {AffiliateEmail: "ada@example.com"}} {
		other.Kind = affiliate.PayoutRequest
		if _, err := bob.OpenCase(ctx, other); !errors.Is(err, affiliate.IdentifiersMismatch) {
			t.Errorf("for somebody else: %v", err)
		}
	}
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: s.Bob.ID.String(), Into: s.Ada.Person.ID.String()}))
	for _, of := range []uuid.UUID{s.Bob.ID, uuid.Max} {
		if _, err := s.Partner(of).OpenCase(ctx, request); !errors.Is(err, affiliate.AffiliateNotFound) {
			t.Errorf("of nobody: %v", err)
		}
	}
}
