package affiliate

// NewConversion is the input of Program.RecordConversion: what a customer did without a
// payment, such as a sign-up, a trial or a qualified lead. Who is credited is found as for
// a sale, see [NewSale]. It always has a customer: a ReferralID that names one is enough;
// otherwise Email is required, and for a new customer without a PromoCode Name too.
//
// Source: docs/terms.md 6; docs/contract.md 3.7.
type NewConversion struct {
	Once                   `json:"-"`
	Conversion             string `json:"conversion" wire:"text"`                      // what it is, 1–100 characters, such as signup: counted once for each customer
	ExternalID             string `json:"externalId,omitzero"`                         // unique among live conversions; those of sales are apart
	PromoCode              string `json:"promoCode,omitzero"`                          // judged as for a sale whose basket is not known; it is not redeemed
	ReferralID             string `json:"referralId,omitzero" wire:"ident"`            // referral id, customer email, click id, affiliate id or slug
	ReferredUserExternalID string `json:"referredUserExternalId,omitzero" wire:"text"` // the customer, by the host's own id
	Email                  string `json:"email,omitzero" wire:"sent= "`                // the customer; see [SaleResult].Ignored
	Name                   string `json:"name,omitzero" wire:"text"`                   // the customer; empty: the referral's
}
