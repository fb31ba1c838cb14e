package imported

import (
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A Coupon is a coupon of another service with its codes.
type Coupon struct {
	affiliate.NewCoupon
	Ref           string    // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt     time.Time `json:",omitzero"` // zero: now; in the future: refused
	TimesRedeemed int64     `json:",omitzero"` // uses so far, of all its codes; zero: the sum of those below
	Codes         []Code    `json:",omitzero"`
}

// A Code is a code of a [Coupon]. Its text is given, never
// generated, and CouponID stays empty.
type Code struct {
	affiliate.NewCode
	Ref           string    `json:",omitzero"` // by which customers and sales name the code; empty: they cannot
	Via           []string  `json:",omitzero"` // refs of the affiliate; the first that was imported decides, before the fields of NewCode
	CreatedAt     time.Time `json:",omitzero"` // zero: that of the coupon
	TimesRedeemed int64     `json:",omitzero"` // uses so far
}
