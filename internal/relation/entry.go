package relation

import (
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// The entries of lists in records, as their JSON shows them. Each has the fields of its
// record in their order, because Go converts one into the other only then: a field that
// is added to the record does not compile until it is here.

type commission struct {
	Number       int64                                    `json:"commission_id"`
	AffiliateID  uuid.UUID                                `json:"affiliate_id"`
	Earned       affiliate.Amount                         `json:"earned"`
	PayoutID     uuid.UUID                                `json:"payout_id,omitzero"`
	BonusReason  string                                   `json:"bonus_reason,omitzero"`
	Approval     affiliate.Enum[affiliate.ApprovalStatus] `json:"approval"`
	HoldReason   affiliate.Enum[affiliate.HoldReason]     `json:"hold_reason,omitzero"`
	ManuallyPaid bool                                     `json:"manually_paid,omitzero"`
	Frozen       bool                                     `json:"frozen,omitzero"`
	ClawBack     bool                                     `json:"claw_back,omitzero"`
	CreatedAt    affiliate.Instant                        `json:"created_at"`
	UpdatedAt    affiliate.Instant                        `json:"updated_at"`
	RiskReasons  []affiliate.RiskReason                   `json:"risk_reasons,omitempty"`
}

type refund struct {
	ID       string                          `json:"id,omitzero"`
	Amount   affiliate.Amount                `json:"amount"`
	Tax      affiliate.Opt[affiliate.Amount] `json:"tax,omitzero"`
	Shipping affiliate.Opt[affiliate.Amount] `json:"shipping,omitzero"`
	At       affiliate.Instant               `json:"at"`
	Fact     bool                            `json:"fact,omitzero"`
}

type handSet struct {
	Earned   affiliate.Amount `json:"earned"`
	Kept     affiliate.Amount `json:"kept"`
	Named    affiliate.Amount `json:"named,omitzero"`
	Tax      affiliate.Amount `json:"tax,omitzero"`
	Shipping affiliate.Amount `json:"shipping,omitzero"`
}

type payoutItem struct {
	Sale       int64     `json:"sale_id,omitzero"`
	Commission int64     `json:"commission_id,omitzero"`
	Adjustment uuid.UUID `json:"adjustment_id,omitzero"`
}

type secret struct {
	Value     []byte            `json:"value"`
	Hint      string            `json:"hint"`
	ExpiresAt affiliate.Instant `json:"expires_at,omitzero"`
}

type flight struct {
	Token    uuid.UUID         `json:"token"`
	ObjectID uuid.UUID         `json:"object_id"`
	Again    bool              `json:"again,omitzero"`
	Since    affiliate.Instant `json:"since"`
	Until    affiliate.Instant `json:"until"`
}

type attempt struct {
	At       affiliate.Instant `json:"at"`
	Manual   bool              `json:"manual,omitzero"`
	URL      string            `json:"url"`
	Status   int               `json:"status"`
	Took     time.Duration     `json:"took"`
	Err      string            `json:"error,omitzero"`
	Response string            `json:"response,omitzero"`
}

type paymentRefund struct {
	ID       string                          `json:"id"`
	Amount   affiliate.Amount                `json:"amount"`
	Tax      affiliate.Opt[affiliate.Amount] `json:"tax,omitzero"`
	Shipping affiliate.Opt[affiliate.Amount] `json:"shipping,omitzero"`
	State    affiliate.RefundState           `json:"state"`
	Late     bool                            `json:"late,omitzero"`
}

type paymentDispute struct {
	ID      string                 `json:"id"`
	Amount  affiliate.Amount       `json:"amount"`
	State   affiliate.DisputeState `json:"state"`
	At      affiliate.Instant      `json:"at"`
	Warning bool                   `json:"warning,omitzero"`
	Late    bool                   `json:"late,omitzero"`
}

type waitingSale struct {
	TotalEarned affiliate.Amount                 `json:"total_earned"`
	Subtotal    affiliate.Opt[affiliate.Amount]  `json:"subtotal,omitzero"`
	Tax         affiliate.Amount                 `json:"tax"`
	Shipping    affiliate.Amount                 `json:"shipping"`
	ExternalID  string                           `json:"external_id,omitzero"`
	InvoiceID   string                           `json:"external_invoice_id,omitzero"`
	Rate        affiliate.Opt[affiliate.Percent] `json:"commission_rate,omitzero"`
	ProductID   string                           `json:"product_id,omitzero"`
	ProductName string                           `json:"product_name,omitzero"`
	Trigger     affiliate.PaymentTrigger         `json:"payment_trigger,omitzero"`
	Free        bool                             `json:"free,omitzero"`
	Renewal     bool                             `json:"renewal,omitzero"`
	Nothing     bool                             `json:"nothing,omitzero"`
	Payment     int64                            `json:"payment,omitzero"`
	PaidAt      affiliate.Instant                `json:"paid_at,omitzero"`
	Tries       []affiliate.Credit               `json:"tries"`
}

type subscription struct {
	ID     string                       `json:"id"`
	Status affiliate.SubscriptionStatus `json:"status"`
	At     affiliate.Instant            `json:"at"`
}
