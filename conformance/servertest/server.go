package servertest

import (
	"context"
	"net/http"
	"slices"
	"testing"
)

// A Server is a server of the HTTP API that is to be tested.
//
// Its program has terms in percent, US dollars as its currency and the other
// options of [affiliate.Config] at their defaults, and the server takes bodies
// of 1 MiB. There is room for at least five more webhook endpoints. The program
// may hold data of any kind and be in use.
type Server struct {
	URL   string       // what stands before /api/v1
	Key   string       // of the program
	HTTP  *http.Client // nil: one of its own. Redirects are not followed
	Known []string     // cases that this server is known to fail, by name

	// PrivateAddresses says that the server delivers webhooks to addresses that
	// are not public, and perhaps over http: [affiliate.AddressPolicy]. Which of
	// them it opens is its own affair, but one must be open, every form of an
	// address counts as the address, and metadata services stay closed. False:
	// all are closed.
	PrivateAddresses bool
}

// TestServer runs the wire contract against a server: one sub-test for each
// case. A case that fails logs the rule that it defends, the request, what the
// contract says and what came.
//
// The cases make records of their own under names that no run has used before,
// and leave most of them behind; webhook endpoints are deleted. A case in
// s.Known must fail: one that passes, or does not exist, is an error.
//
// Source: docs/contract.md 1 to 4.
func TestServer(t *testing.T, s Server) {
	report, err := CheckServer(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		t.Run(r.Name, func(t *testing.T) {
			if r.Outcome == Failed || r.Outcome == Unexpected {
				t.Error(r)
			}
		})
	}
	t.Logf("%d cases, %d requests: %s", len(report.Results), report.Requests, report.counts())
}

// CheckServer is [TestServer] for programs: it runs the same cases and reports.
//
// Errors: a server that does not answer or does not take the key, a URL that is
// none, a known case that does not exist, the end of ctx.
func CheckServer(ctx context.Context, s Server) (Report, error) {
	u, err := newSuite(s)
	if err != nil {
		return Report{}, err
	}
	if err := u.knock(ctx); err != nil {
		return Report{}, err
	}
	return u.check(ctx, serverCases())
}

// serverCases lists the cases in the order of the contract. Those over all
// answers of a run come last.
func serverCases() []serverCase {
	return slices.Concat(
		accessCases(), methodCases(), bodyCases(), gateCases(), queryCases(), pageCases(),
		couponCases(), couponChangeCases(), codeCases(), codeChangeCases(),
		affiliateCases(), affiliateChangeCases(), linkCases(), referralCases(),
		saleCases(), saleRefusalCases(), saleChangeCases(), previewCases(),
		onceCases(), changeCases(), endpointCases(), deliveryCases(), eventCases(), raceCases(), scenarioCases(),
		everyCases(),
	)
}
