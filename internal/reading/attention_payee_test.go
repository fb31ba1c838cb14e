package reading_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/internal/scene"
)

// TestSharedPayees: affiliates who are paid at one mailbox are listed together, however it is
// written and however it came, until one of them is paid elsewhere or is gone.
func TestSharedPayees(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	pays := func(id uuid.UUID, email string) {
		t.Helper()
		scene.Must(s.SetPayoutDetails(ctx, id, affiliate.PayoutDetails{Email: email, Method: affiliate.MethodPayPal}))
	}
	listed := func(want ...[]affiliate.Payee) {
		t.Helper()
		got := scene.Must(s.Attention(ctx, 0)).SharedPayees
		var all [][]affiliate.Payee
		for _, item := range got.Items {
			all = append(all, item.Affiliates)
		}
		scene.Equal(t, want, all)
		if got.Count != len(want) || got.More {
			t.Errorf("%d wait, more: %v", got.Count, got.More)
		}
		s.Verifies()
	}
	ada, bob := s.Ada.Person, s.Bob
	of := func(a affiliate.Affiliate, email string) affiliate.Payee {
		return affiliate.Payee{ID: a.ID, Name: a.Name, PayoutEmail: email}
	}
	pays(ada.ID, "ada@paid.example")
	pays(bob.ID, "bob@paid.example")
	listed()
	pays(bob.ID, " Ada+two@PAID.example ")
	both := []affiliate.Payee{of(ada, "ada@paid.example"), of(bob, "ada+two@paid.example")}
	listed(both)
	pays(ada.ID, "ada@paid.example") // again: nothing changes
	listed(both)
	scene.Must(s.Imports().Affiliates(ctx, []imported.Affiliate{{
		Ref: "r1", FirstName: "C", LastName: "D", Email: "c@d.example", PayoutEmail: "ADA@paid.example", PaymentMethod: affiliate.MethodPayPal, Status: affiliate.AffiliateActive, CreatedAt: scene.Start,
	}}))
	third := scene.Must(s.Affiliate(ctx, "c@d.example"))
	listed(append([]affiliate.Payee{of(third, "ada@paid.example")}, both...)) // who was there before the others
	pays(ada.ID, "other@paid.example")
	listed([]affiliate.Payee{of(third, "ada@paid.example"), both[1]})
	scene.Must(0, s.EraseAffiliate(ctx, third.ID))
	listed()
	pays(ada.ID, "ada@paid.example")
	listed(both)
	scene.Must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}))
	listed()
}
