package affiliate

import "time"

// An ImportedCoupon is a coupon of another service with its codes.
type ImportedCoupon struct {
	NewCoupon
	Ref           string         // the service's id, 1–255 characters, unique among all refs; it must name no person
	CreatedAt     time.Time      `json:",omitzero"` // zero: now; in the future: refused
	TimesRedeemed int64          `json:",omitzero"` // uses so far, of all its codes; zero: the sum of those below
	Codes         []ImportedCode `json:",omitzero"`
}

// An ImportedCode is a code of an [ImportedCoupon]. Its text is given, never
// generated, and CouponID stays empty.
type ImportedCode struct {
	NewCode
	Ref           string    `json:",omitzero"` // by which customers and sales name the code; empty: they cannot
	Via           []string  `json:",omitzero"` // refs of the affiliate; the first that was imported decides, before the fields of NewCode
	CreatedAt     time.Time `json:",omitzero"` // zero: that of the coupon
	TimesRedeemed int64     `json:",omitzero"` // uses so far
}
