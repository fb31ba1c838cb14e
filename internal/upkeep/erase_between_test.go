package upkeep_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// An interruptedStore is a Store that calls a function after the first View: between
// the two passes of an erasure.
type interruptedStore struct {
	record.Store
	happens func()
}

func (s *interruptedStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	err := s.Store.View(ctx, id, fn)
	if happens := s.happens; happens != nil {
		s.happens = nil
		happens()
	}
	return err
}

// A record that is written between the two passes of an erasure is erased too.
func TestEraseBetween(t *testing.T) {
	ctx := t.Context()
	const later = "later@quix.example"
	erase := map[string]struct {
		make    func(b *scene.Ledger) uuid.UUID
		happens func(b *scene.Ledger, id uuid.UUID)
		call    func(p *tributary.Program, id uuid.UUID) error
	}{
		"affiliate, another event": {
			func(b *scene.Ledger) uuid.UUID { return b.Person.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{LastName: affiliate.Set("Quixwood")}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.Forfeiting().EraseAffiliate(ctx, id) },
		},
		// When its event was read, the email of the code's customer belonged to
		// nobody.
		"affiliate, another email": {
			func(b *scene.Ledger) uuid.UUID { return b.Person.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{Email: affiliate.Set(later)}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.Forfeiting().EraseAffiliate(ctx, id) },
		},
		"referral, another event": {
			func(b *scene.Ledger) uuid.UUID { return b.Customer.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateReferral(ctx, id.String(), affiliate.ReferralUpdate{Name: affiliate.Set("Quixwood")}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.EraseReferral(ctx, id.String()) },
		},
		"referral, another email": {
			func(b *scene.Ledger) uuid.UUID { return b.Customer.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateReferral(ctx, id.String(), affiliate.ReferralUpdate{Email: affiliate.Set(later)}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.EraseReferral(ctx, id.String()) },
		},
	}
	for name, c := range erase {
		t.Run(name, func(t *testing.T) {
			b := scene.NewLedger(t)
			id := c.make(b)
			code := scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "LATER", LimitToCustomers: true, CustomerID: later}))
			b.Settle()
			p := b.With(&interruptedStore{Store: b.Store, happens: func() { c.happens(b, id); b.Settle() }})
			scene.Must(0, c.call(p, id))
			b.Without("Quixwood")
			if strings.HasSuffix(name, "email") {
				for _, e := range scene.Must(b.Events(ctx, affiliate.EventQuery{ObjectID: affiliate.Set(code.ID.String())}, affiliate.Page{})).Items {
					if e.Payload != nil {
						t.Errorf("payload %s", e.Payload)
					}
				}
			}
			b.Verifies()
		})
	}
}

// Codes that are limited to other customers, or to none, stay as they are.
func TestEraseLeavesOtherCodes(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	limited := func(name, customer string) {
		scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: name, LimitToCustomers: customer != "", CustomerID: customer}))
	}
	limited("CARL", "user-77")
	limited("CARLSMAIL", "Carl@customer.example")
	limited("OTHER", "user-78")
	limited("OTHERMAIL", "dora@customer.example")
	limited("PREFIX", "user-7")
	customers := func() map[string]string {
		got := map[string]string{}
		for code := range scene.OnlyValues(affiliate.All(ctx, b.Codes, affiliate.CodeQuery{})) {
			got[code.Code] = code.CustomerID.Or("")
		}
		return got
	}
	carl := scene.Must(b.Referral(ctx, "carl@customer.example")).ID.String()
	want := customers()
	want["CARL"], want["CARLSMAIL"] = carl, carl
	scene.Must(0, b.EraseReferral(ctx, carl))
	scene.Equal(t, want, customers())
	// Dora came with a sale and has no external id.
	dora := scene.Must(b.Referral(ctx, "dora@customer.example")).ID.String()
	want["OTHERMAIL"] = dora
	scene.Must(0, b.EraseReferral(ctx, dora))
	scene.Equal(t, want, customers())
	scene.Must(0, b.EraseReferral(ctx, dora))
	scene.Equal(t, want, customers())
	b.Verifies()
}
