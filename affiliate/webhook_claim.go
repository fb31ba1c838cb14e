package affiliate

import (
	"time"

	"github.com/google/uuid"
)

// A Claim is a delivery that a dispatcher has claimed, with everything that one
// attempt needs. It is valid until its lease ends: an attempt that is settled
// later counts only if nobody has claimed the delivery in between.
type Claim struct {
	Delivery    uuid.UUID
	Token       uuid.UUID // of this claim; the attempt gives it back
	Endpoint    uuid.UUID // zero: a test, see Program.TestEndpoint
	Event       EventType
	MessageID   string   // the webhook-id: the same on every attempt
	URL         string   // of the endpoint, read with the claim
	Payload     []byte   // the bytes to send, unchanged; the slice is shared, so do not change it
	Secrets     []Secret // the secrets that sign, newest first
	SvixHeaders bool
	Headers     EndpointHeaders // of the receiver's own
	Attempt     int             // 1, 2, …
	Manual      bool            // caused by a replay or a test, not by the schedule
}

// An Attempt is the result of a claim.
type Attempt struct {
	Delivery   uuid.UUID
	Token      uuid.UUID     // of the claim
	At         time.Time     // when the request was made; zero: Took before the settlement
	URL        string        // where it went
	Status     int           // of the answer; 0: none
	Err        string        // the class of the failure, such as [FailedTimeout]; never a text from outside
	RetryAfter time.Duration // the wait that the answer asked for; 0: none
	Took       time.Duration // from the request to the end of the answer
	Response   string        // start of the answer's body; empty where it must not be shown
}
