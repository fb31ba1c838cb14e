package servertest

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A Server is a server of the HTTP API that is to be tested.
//
// Its program has terms in percent, US dollars as its currency, and otherwise the
// defaults of [tributary.Config]. The server accepts bodies of 1 MiB. The program
// has room for at least five more webhook endpoints. It may hold data of any kind
// and be in use.
type Server struct {
	URL   string       // without /api/v1
	Key   string       // of the program
	HTTP  *http.Client // nil: a client of its own. Redirects are not followed
	Known []string     // cases that this server is known to fail, by name
	Skip  []string     // groups of cases that are not run: admin, the administration of a program

	// PrivateAddresses says that the server delivers webhooks to some addresses
	// that are not public, and perhaps over http: [affiliate.AddressPolicy]. The
	// server decides which addresses it opens. At least one must be open, all
	// notations of an address are treated alike, and metadata services stay
	// closed. False: all addresses that are not public are closed.
	PrivateAddresses bool

	// HouseCodes says that the program has Config.HouseCodes: codes without an affiliate
	// discount and count. False: they are refused.
	HouseCodes bool
}

// TestServer runs the wire contract against a server: one sub-test for each
// case. A case that fails logs the rule that it defends, the request, what the
// contract says and what the server answered.
//
// The cases make records under names that no run has used before, and leave most
// of them behind. Webhook endpoints are deleted. A case in s.Known must fail: it is
// an error when it passes or does not exist.
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
// Errors: the server does not answer or does not accept the key; the URL is not
// one; a known case or a skipped group does not exist; ctx has ended.
func CheckServer(ctx context.Context, s Server) (Report, error) {
	u, err := newSuite(s)
	if err != nil {
		return Report{}, err
	}
	if err := u.knock(ctx); err != nil {
		return Report{}, err
	}
	return u.check(ctx, s.wanted(serverCases()))
}

// serverCases lists the cases in the order of the contract. The rules about every
// answer come last.
func serverCases() []serverCase {
	return marked(slices.Concat(
		accessCases(), methodCases(), bodyCases(), gateCases(), queryCases(), pageCases(),
		couponCases(), couponChangeCases(), codeCases(), codeChangeCases(),
		affiliateCases(), affiliateChangeCases(), externalCases(), linkCases(), referralCases(), moneyCases(), reportCases(),
		saleCases(), saleRefusalCases(), saleChangeCases(), previewCases(),
		adminAffiliateCases(), adminPlanCases(), adminTradeCases(), adminSearchCases(), codeTermsCases(), holdCases(),
		onceCases(), changeCases(), amountCases(), endpointCases(), deliveryCases(), eventCases(), raceCases(), scenarioCases(),
		everyCases(),
	))
}

// groups are the groups of cases that a run may leave out.
var groups = []string{"admin"}

// wanted returns the cases that a server is tested with.
func (s Server) wanted(cases []serverCase) []serverCase {
	return slices.DeleteFunc(cases, func(c serverCase) bool {
		group, _, grouped := strings.Cut(c.name, "/")
		return grouped && slices.Contains(groups, group) && slices.Contains(s.Skip, group)
	})
}
