package payment_test

import (
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

// sales: how many sales there are.
func sales(s *scene.PayShop) int {
	return len(scene.Must(s.Sales(s.T.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items)
}

func credited(s *scene.PayShop, sale affiliate.Sale, to affiliate.Affiliate) {
	s.T.Helper()
	scene.Equal(s.T, to.ID, sale.AffiliateID, to.FirstName)
}

func TestMain(m *testing.M) { atlength.Main(m) }
