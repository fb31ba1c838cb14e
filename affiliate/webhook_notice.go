package affiliate

import "github.com/google/uuid"

// NoticeKind is the kind of a [Notice].
type NoticeKind string

// The kinds of notices.
const (
	NoticeAttempt   NoticeKind = "attempt"   // an attempt was settled, successful or not
	NoticeDead      NoticeKind = "dead"      // a delivery has failed for good; it can be replayed
	NoticeFailing   NoticeKind = "failing"   // every attempt has failed for 24 hours; once, until it recovers
	NoticeDisabled  NoticeKind = "disabled"  // an endpoint was disabled because it is gone or only fails
	NoticeRecovered NoticeKind = "recovered" // the first success after NoticeFailing
)

// A Notice tells the host about deliveries, for monitoring. It contains ids and
// figures, and no payload, URL or text of a receiver.
type Notice struct {
	Kind     NoticeKind
	Endpoint uuid.UUID
	Delivery uuid.UUID // the attempt that brought it about
	EventID  string    // the webhook-id
	Event    EventType
	State    DeliveryState  // of the delivery, after the attempt
	Attempts int            // that were made for the delivery
	Status   int            // of the answer; 0: none
	Err      string         // class of the failure, see [Attempt]
	Reason   DisabledReason // of NoticeDisabled
	At       Time           // when the attempt was settled
}
