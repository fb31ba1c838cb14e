package affiliate

import "github.com/google/uuid"

// A ReplayRange is the input of Program.Replay: DeliveryID, or else WebhookID
// with Since.
type ReplayRange struct {
	Once       `json:"-"`
	DeliveryID uuid.UUID `json:"deliveryId,omitzero"` // this delivery, in whatever state it is
	WebhookID  uuid.UUID `json:"webhookId,omitzero"`  // every failed and skipped delivery of this endpoint
	Since      Opt[Date] `json:"since,omitzero"`      // created then or later, ≤ 14 days ago; a plain date: its first millisecond
	Until      Opt[Date] `json:"until,omitzero"`      // created then or earlier; a plain date: its last; not given: no end
}
