package affiliate

import (
	"encoding/json"
	"slices"

	"github.com/google/uuid"
)

// A Proposal is an operation of the HTTP API that somebody asks for who may not do it, such as an
// assistant. It changes nothing until a person accepts it, who does it then.
//
// Source: docs/contract.md 2.16.
type Proposal struct {
	ID uuid.UUID `json:"id"`
	// WAITING, until a person decides. ACCEPTED for as long as it is not known whether it was done.
	Status ProposalStatus `json:"status"`
	// What is to be done.
	Operation ProposalOperation `json:"operation"`
	// What it is done with: the body of the operation.
	Body json.RawMessage `json:"body"`
	// Why, in the words of who proposes it.
	Why string `json:"why"`
	// The name of the key that proposed it.
	ProposedBy string `json:"proposedBy"`
	// Who accepted or declined it; null while it is WAITING.
	DecidedBy Opt[string] `json:"decidedBy"`
	// Null while it is WAITING.
	DecidedAt Opt[Time] `json:"decidedAt"`
	// Why it is DECLINED, or FAILED; else null.
	Reason    Opt[string] `json:"reason"`
	CreatedAt Time        `json:"createdAt"`
}

// ProposalStatus says what became of a proposal.
type ProposalStatus string

// The states of a proposal. DONE, DECLINED and FAILED are final.
const (
	ProposalWaiting  ProposalStatus = "WAITING"
	ProposalAccepted ProposalStatus = "ACCEPTED" // it is being done, or was when the server stopped
	ProposalDone     ProposalStatus = "DONE"
	ProposalDeclined ProposalStatus = "DECLINED"
	ProposalFailed   ProposalStatus = "FAILED" // it was accepted, and refused when it was to be done
)

// ProposalStatuses returns the states of a proposal.
func ProposalStatuses() []ProposalStatus {
	return []ProposalStatus{ProposalWaiting, ProposalAccepted, ProposalDone, ProposalDeclined, ProposalFailed}
}

// ProposalOperation is an operation that can be proposed: its method, and its path below /api/v1.
type ProposalOperation string

// proposalOperations are those that decide about people, commissions and money, one by one.
var proposalOperations = []ProposalOperation{"POST /sales/review", "POST /affiliates/status", "POST /adjustments",
	"POST /payouts", "POST /payments/decide", "POST /cases/answer"}

// ProposalOperations returns the operations that can be proposed.
func ProposalOperations() []ProposalOperation { return slices.Clone(proposalOperations) }

// ProposalParams is what somebody proposes.
type ProposalParams struct {
	// What is to be done.
	Operation ProposalOperation `json:"operation"`
	// What it is done with: the body of the operation.
	Body json.RawMessage `json:"body"`
	// Why, for the person who decides: 1–400 characters, in one line.
	Why string `json:"why"`
}

// A ProposalEffect is what a proposal would do if it were accepted now: of more than 200 movements or
// events the last 200.
type ProposalEffect struct {
	Movements []Movement // of money, the oldest first
	Events    []Event    // that would be told, the oldest first
}
