package affiliate

import "github.com/google/uuid"

// A Case is something that an affiliate asks the people of the program, and their answer. It
// moves no money: what does, such as giving a sale to another affiliate, is done by itself.
//
// Source: docs/rules.md 4.10.
type Case struct {
	ID          uuid.UUID `json:"id"`
	AffiliateID uuid.UUID `json:"affiliateId"` // Who asks.
	Kind        CaseKind  `json:"kind"`        // What about.
	// The sale that a SALE_QUESTION is about, else null; it may be gone.
	SaleID Opt[SaleID] `json:"saleId"`
	// The number of the order that a SALE_CLAIM is about, as the affiliate has written it, else null.
	ExternalID Opt[string] `json:"externalId"`
	Text       string      `json:"text"`       // What the affiliate has written; may be empty.
	Status     CaseStatus  `json:"status"`     // ANSWERED is final.
	Answer     Opt[string] `json:"answer"`     // Null while it is OPEN.
	AnsweredAt Opt[Time]   `json:"answeredAt"` // Null while it is OPEN.
	Actor      Opt[string] `json:"actor"`      // Who answered, as Program.By has it; null: it is not known.
	CreatedAt  Time        `json:"createdAt"`
}

// CaseKind says what a case is about.
type CaseKind string

// The kinds of cases.
const (
	SaleClaim     CaseKind = "SALE_CLAIM"     // an order that the affiliate brought, and was not credited with
	SaleQuestion  CaseKind = "SALE_QUESTION"  // a sale of the affiliate
	PayoutRequest CaseKind = "PAYOUT_REQUEST" // to be paid what is payable now
)

// CaseKinds returns the kinds of cases.
func CaseKinds() []CaseKind { return []CaseKind{SaleClaim, SaleQuestion, PayoutRequest} }

// CaseStatus says whether a case was answered.
type CaseStatus string

// The states of cases.
const (
	CaseOpen     CaseStatus = "OPEN"
	CaseAnswered CaseStatus = "ANSWERED"
)

// CaseStatuses returns the states of cases.
func CaseStatuses() []CaseStatus { return []CaseStatus{CaseOpen, CaseAnswered} }

// CaseParams is the input of Program.OpenCase. It names the affiliate by id or by email.
type CaseParams struct {
	Once `json:"-"`
	// Who asks: the id, the email or both.
	AffiliateID uuid.UUID `json:"affiliateId,omitzero"`
	// The email of who asks.
	AffiliateEmail string `json:"affiliateEmail,omitzero"`
	// What about.
	Kind CaseKind `json:"kind"`
	// A sale of the affiliate; required for SALE_QUESTION, and only for that.
	SaleID SaleID `json:"saleId,omitzero"`
	// The number of the order, 1–255 characters; required for SALE_CLAIM, and only for that.
	ExternalID string `json:"externalId,omitzero"`
	// What the affiliate has to say, at most 2,000 characters, with line breaks; only a
	// PAYOUT_REQUEST needs none.
	Text string `json:"text,omitzero" wire:"text"`
}

// CaseAnswer is the input of Program.AnswerCase.
type CaseAnswer struct {
	// What the affiliate is told: 1–2,000 characters, with line breaks.
	Answer string `json:"answer" wire:"text"`
}

// CaseQuery selects the cases that match every field that is set; without a field it selects
// all. An id or an email that is set to null or to zero selects nothing.
type CaseQuery struct {
	// The cases of this affiliate.
	AffiliateID Opt[uuid.UUID] `json:"affiliateId,omitzero"`
	// The cases of the affiliate with this email.
	AffiliateEmail Opt[string] `json:"affiliateEmail,omitzero"`
	// The cases in this status; not given: any.
	Status CaseStatus `json:"status,omitzero"`
	// The cases of this kind; not given: any.
	Kind CaseKind `json:"kind,omitzero"`
}
