package engine

import (
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The events of an affiliate list its links, and those of a coupon its codes.
// Consecutive events of one object share the memory of such a list: otherwise
// 4,000 links that are added one by one take more than a gigabyte.

const (
	sharedFrom   = 16   // shorter lists are not worth sharing
	sharedOwners = 4096 // how many objects are remembered
)

// sharedLists remembers the lists in the last event of some objects, as long as
// a payload holds them. It is safe for concurrent use.
type sharedLists struct {
	mu sync.Mutex
	of map[uuid.UUID]weak.Pointer[ownLists]
}

// ownLists are the lists in the events of one object.
type ownLists struct {
	mu       sync.Mutex
	links    roll[affiliate.AffiliateLink]
	shown    roll[affiliate.AffiliateCode]
	codes    roll[record.Code]
	contacts Contacts
}

// get returns the lists of an object. Events can share them only while somebody
// holds them, so the body of the event must.
func (s *sharedLists) get(id uuid.UUID) *ownLists {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own := s.of[id].Value(); own != nil {
		return own
	}
	if len(s.of) >= sharedOwners {
		maps.DeleteFunc(s.of, func(_ uuid.UUID, p weak.Pointer[ownLists]) bool { return p.Value() == nil })
	}
	if s.of == nil || len(s.of) >= sharedOwners {
		s.of = make(map[uuid.UUID]weak.Pointer[ownLists])
	}
	own := new(ownLists)
	s.of[id] = weak.Make(own)
	return own
}

// A roll is a list that events share. Entries are only added at its end;
// existing entries never change.
type roll[T comparable] struct{ entries []T }

// share returns the entries of list in memory of the roll. They equal those of
// list, which the caller may change afterwards.
func (r *roll[T]) share(list []T) []T {
	n, same := min(len(r.entries), len(list)), 0
	for same < n && r.entries[same] == list[same] {
		same++
	}
	switch same {
	case len(list):
	case len(r.entries):
		r.entries = append(r.entries, list[same:]...)
	default:
		r.entries = slices.Clone(list)
	}
	return r.entries[:len(list):len(list)]
}

// An AffiliateEvent is the body of an affiliate's event.
type AffiliateEvent struct {
	affiliate.AffiliateBody
	own *ownLists // nil: it shares nothing
}

// freeze returns the body for an event. Afterwards the caller may change the
// slices of the body that it gave.
func (s *sharedLists) freeze(body affiliate.AffiliateBody) AffiliateEvent {
	if len(body.AffiliateLinks) < sharedFrom && len(body.PromotionalCodes) < sharedFrom {
		body.AffiliateLinks = refusal.EmptyNotNil(slices.Clone(body.AffiliateLinks))
		return AffiliateEvent{AffiliateBody: body}
	}
	own := s.get(body.ID)
	own.mu.Lock()
	defer own.mu.Unlock()
	body.AffiliateLinks = refusal.EmptyNotNil(own.links.share(body.AffiliateLinks))
	body.PromotionalCodes = refusal.EmptyNotNil(own.shown.share(body.PromotionalCodes))
	return AffiliateEvent{body, own}
}

// freezeCoupon returns the body of a coupon's event. The codes are newest first;
// the event keeps them oldest first, so that new ones come at the end. The
// caller must not use codes and seen afterwards.
func (s *sharedLists) freezeCoupon(coupon affiliate.Coupon, codes []record.Code, seen Contacts) CouponBody {
	slices.Reverse(codes)
	if len(codes) < sharedFrom {
		return CouponBody{Coupon: coupon, Codes: codes, Contacts: seen}
	}
	own := s.get(coupon.ID)
	own.mu.Lock()
	defer own.mu.Unlock()
	if !maps.Equal(own.contacts, seen) {
		own.contacts = seen
	}
	return CouponBody{coupon, own.codes.share(codes), own.contacts, own}
}
