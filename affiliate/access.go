package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// PersonalData is everything that a program stores about one person, for a
// request of access. Look at it before you hand it out: texts that people wrote
// and answers of receivers may concern other people too.
//
// Source: docs/retention.md.
type PersonalData struct {
	ID       Opt[uuid.UUID]   `json:"id"`       // of the affiliate or the referral; null: no referral has the email
	ErasedAt Opt[Time]        `json:"erasedAt"` // of a customer; null: not erased
	Records  []PersonalRecord `json:"records"`  // the person's own first; never nil
}

// A PersonalRecord is what one record says of the person.
type PersonalRecord struct {
	Kind      string          `json:"kind"` // affiliate, referral, clicks, sales …: an open list
	ID        string          `json:"id"`
	CreatedAt Time            `json:"createdAt"`
	Data      json.RawMessage `json:"data"` // an object; of an event or a stored answer, a list of the objects in it that show the person
}
