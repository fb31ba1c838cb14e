package checks_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// moneyChecks names the tests that prove each of the money checks, of what happens to money
// after a sale: the folder, the test, and the sub-test when there is one.
var moneyChecks = map[int][]string{
	1:  {"internal/engine TestClawBackStory"},
	2:  {"internal/engine TestClawBackStory"},
	3:  {"internal/engine TestClawBackStory"},
	4:  {"internal/engine TestClawBackStory"},
	5:  {"internal/engine TestClawBackStory"},
	6:  {"internal/reading TestLedgerStory"},
	7:  {"internal/engine TestClawBackStory"},
	8:  {"internal/engine TestClawBackStory"},
	9:  {"internal/engine TestClawBackStory"},
	10: {"internal/engine TestClawBackStory"},
	11: {"internal/engine TestClawBackStory"},
	12: {"internal/engine TestClawBackStory"},
	13: {"internal/engine TestClawBackStory"},
	14: {"internal/engine TestClawBackStory"},
	15: {"internal/engine TestClawBackStory"},
	16: {"internal/engine TestClawBackStory"},
	17: {"internal/engine TestAdjustments"},
	18: {"internal/engine TestRecordAdjustmentErrors"},
	19: {"internal/engine TestAdjustments"},
	20: {"internal/reading TestLedgerStory"},
	21: {"internal/reading TestStatement"},
	22: {"internal/reading TestStatement"},
	23: {"conformance/servertest ledgerCases", "internal/reading TestStatementErrors"},
	24: {"internal/engine TestHoldDays/24 matures"},
	25: {"internal/engine TestHoldDays/25 a debt is due at once"},
	26: {"internal/payout TestPayoutRun"},
	27: {"internal/payout TestPayoutRun"},
	28: {"internal/payout TestPayoutRunSteps", "internal/payout TestPayoutRunsAtOnce"},
	29: {"conformance/servertest moneyCases"},
	30: {"httpapi TestScopes"},
	31: {"conformance/servertest moneyCases"},
	32: {"internal/engine TestSubtotalM68"},
	33: {"internal/engine TestSubtotalM68"},
	34: {"internal/engine TestSubtotalM65"},
	35: {"internal/engine TestFreeOrder"},
	36: {"internal/engine TestFreeOrdersAtOnce"},
	37: {"internal/engine TestFreeOrderEnds"},
	38: {"internal/engine TestClickWindowM75Check38"},
	39: {"internal/engine TestClickWindowM75Check39"},
	40: {"internal/engine TestClickWindowM75Check40"},
	41: {"internal/engine TestReview/41 Held", "internal/engine TestReview/41 Nil"},
	42: {"internal/engine TestReview/42 Gmail", "internal/engine TestReview/42 Dots"},
	43: {"conformance/servertest payoutStories"},
	44: {"internal/engine TestReview/44 Both", "internal/engine TestReviewPanics"},
	45: {"internal/reading TestExplainSale"},
	46: {"internal/reading TestExplainTerms"},
	47: {"internal/reading TestSimulate"},
	48: {"internal/proofs TestModelReport"},
	49: {"conformance/servertest reportCases", "httpapi TestPagesOfAHundred", "internal/reading TestStatementPages"},
	50: {"internal/engine TestClawBackRounds/50 example B"},
	51: {"internal/engine TestClawBackRounds/51 flat"},
	52: {"internal/engine TestClawBackRounds/52 yen"},
	53: {"internal/engine TestClawBackRounds"},
	54: {"internal/engine TestClawBackRefusals"},
	55: {"httpapi TestReplay"},
	56: {"httpapi TestIsolation", "httpapi TestForeignIsUnknown"},
	57: {"internal/engine TestClawBacksAtOnce"},
	58: {"httpapi TestConformance"},
	59: {
		"affiliate/payfile TestSplit", "affiliate/payfile TestGuardedNames", "affiliate/payfile TestRefused",
		"affiliate/payfile TestReadResultsErrors", "affiliate/payfile TestApply",
	},
	60: {"internal/engine TestOpenBooks"},
}

// TestMoneyChecks: each of the 60 checks has a test, and each test that is named
// is in the source and says in a comment or in the name of its sub-test which
// check it is.
func TestMoneyChecks(t *testing.T) { proven(t, moneyChecks, 60) }

// proven checks that each number has its tests.
func proven(t *testing.T, checks map[int][]string, last int) {
	folders := map[string]map[string]testSource{}
	for n := 1; n <= last; n++ {
		if len(checks[n]) == 0 {
			t.Errorf("check %d has no test", n)
		}
		for _, name := range checks[n] {
			folder, test, _ := strings.Cut(name, " ")
			test, sub, _ := strings.Cut(test, "/")
			if folders[folder] == nil {
				folders[folder] = testsIn(t, folder)
			}
			if err := folders[folder][test].proves(n, sub); err != nil {
				t.Errorf("check %d: %s: %v", n, name, err)
			}
		}
	}
	if len(checks) != last {
		t.Errorf("%d checks are named, want %d", len(checks), last)
	}
}

// A testSource is a function of a test file: its comments, and the strings in it.
type testSource struct {
	there    bool
	comments string
	strings  []string
}

var (
	checkNumbers = regexp.MustCompile(`(?i)\bchecks? (\d+(?:(?:–|-|, | and | to )\d+)*)`)
	oneOrMore    = regexp.MustCompile(`(\d+)(?:(?:–|-| to )(\d+))?`)
)

// proves returns an error unless the function, or the sub-test, says that it is
// the check.
func (s testSource) proves(check int, sub string) error {
	switch {
	case !s.there:
		return fmt.Errorf("there is no such function")
	case sub != "" && !slices.Contains(s.strings, sub):
		return fmt.Errorf("there is no sub-test %q", sub)
	case sub != "" && slices.Contains(regexp.MustCompile(`\d+`).FindAllString(sub, -1), strconv.Itoa(check)):
		return nil
	}
	for _, list := range checkNumbers.FindAllStringSubmatch(s.comments, -1) {
		for _, m := range oneOrMore.FindAllStringSubmatch(list[1], -1) {
			first, _ := strconv.Atoi(m[1])
			last, err := strconv.Atoi(m[2])
			if err != nil {
				last = first
			}
			if first <= check && check <= last {
				return nil
			}
		}
	}
	return fmt.Errorf("it does not say that it is this check")
}

// testsIn reads the functions of a folder.
func testsIn(t *testing.T, folder string) map[string]testSource {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, error %v", folder, len(paths), err)
	}
	all := map[string]testSource{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				all[f.Name.Name] = sourceOf(file, f)
			}
		}
	}
	return all
}

func sourceOf(file *ast.File, f *ast.FuncDecl) testSource {
	s := testSource{there: true}
	for _, group := range file.Comments {
		if group == f.Doc || group.Pos() > f.Pos() && group.End() < f.End() {
			s.comments += strings.ReplaceAll(group.Text(), "\n", " ") + "\n"
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				s.strings = append(s.strings, text)
			}
		}
		return true
	})
	return s
}

// consoleChecks names the tests that prove each of the console checks, of what the people
// who run a program have: administration over HTTP, keys, the console, the partner pages, the
// command line and observability.
var consoleChecks = map[int][]string{
	1:  {"internal/integration/apicheck TestEveryExchange"},
	2:  {"client TestEveryMethodHasARoute"},
	3:  {"conformance/servertest affiliateStories"},
	4:  {"internal/upkeep TestStepRepeated"},
	5:  {"conformance/servertest planStories", "httpapi TestVerifyOverTheWire"},
	6:  {"conformance/servertest affiliateStories"},
	7:  {"conformance/servertest planStories"},
	8:  {"internal/upkeep TestStepTiers"},
	9:  {"conformance/servertest inviteCases"},
	10: {"httpapi TestScopes"},
	11: {"conformance/servertest tradeStories"},
	12: {"conformance/servertest tradeStories"},
	13: {"internal/reading TestAttention", "conformance/servertest tradeStories", "client/cmd/tributary TestFound"},
	14: {"internal/upkeep TestStepRecalculate"},
	15: {"conformance/servertest tradeStories"},
	16: {"internal/upkeep inWholeEraseAffiliate"},
	17: {"internal/upkeep TestStepPrune"},
	18: {"client TestFollowOverTheWire"},
	19: {"internal/audit TestVerifyReport", "internal/audit TestVerifyReportBesideWriters", "httpapi TestVerifyOneAtATime", "httpapi TestVerifyOutlivesDeadlines"},
	20: {"internal/reading TestAttention", "httpapi/console TestOverviewConcerns", "httpapi/console BenchmarkConsole", "internal/engine TestCouponSummaries"},
	21: {"internal/engine TestSearchIsBounded"},
	22: {"internal/engine TestSearchSalesByTime"},
	23: {"client TestSameAsEngine"},
	24: {"conformance/servertest TestSkip"},
	25: {"httpapi TestScopes"},
	26: {"httpapi TestConformance"},
	27: {"httpapi TestHashedKeyIsNotKept"},
	28: {"httpapi TestExpiredKey"},
	29: {"internal/partner TestPartner"},
	30: {"httpapi/app TestGreeting", "httpapi/app TestKeyFile", "httpapi/app TestReadme"},
	31: {"httpapi/console TestNewRefuses", "httpapi/console TestDeniedEverywhere"},
	32: {"httpapi/console TestCrawl", "httpapi/console TestBarePrefix"},
	33: {"httpapi/console TestCrawl", "httpapi/console TestDeniedEverywhere"},
	34: {"httpapi/app TestSignIn", "httpapi/app TestSignInTries", "httpapi/app TestSignOut", "internal/integration/browser TestLogin"},
	35: {"httpapi/console TestForgedFormsOfEach", "httpapi/console TestReadOnly"},
	36: {"httpapi/console TestCrawl"},
	37: {"httpapi/console TestEachForm", "httpapi/console TestActorsName", "httpapi/console TestBulk"},
	38: {"internal/integration/browser TestKeyboard", "internal/integration/browser TestEveryStop"},
	39: {"httpapi/console TestBatch", "internal/integration/browser TestCoupons"},
	40: {"httpapi/console TestExplained", "httpapi/console TestWhy", "internal/integration/browser TestRefund"},
	41: {"httpapi/console TestEachForm", "httpapi/console TestRefusedByTheEngine", "internal/integration/browser TestRefund"},
	42: {"httpapi/console TestPayday", "internal/integration/browser TestPayday"},
	43: {"httpapi/console TestSecretOnce", "internal/integration/browser TestDeliveries"},
	44: {"httpapi/console TestBooksPage", "internal/integration/browser TestBooks"},
	45: {"internal/integration/browser TestLogin", "internal/integration/browser TestKeyboard"},
	46: {"httpapi/console TestHostileFill", "internal/integration/browser TestHostile", "httpapi/portal TestHostile"},
	47: {"internal/integration/browser TestLook", "internal/integration/browser refuse"},
	48: {"httpapi/console TestLongStatement", "internal/integration/browser TestPictures", "internal/integration/browser TestPrint"},
	49: {"internal/integration/browser TestWatch"},
	50: {"httpapi/console TestRows", "httpapi/console BenchmarkConsole"},
	51: {"httpapi/console TestStoreFails", "httpapi/console TestStoreDown"},
	52: {"httpapi/console TestKeys"},
	53: {"httpapi/portal TestVisit"},
	54: {"httpapi/portal TestForgedTokens", "httpapi/internal/ticket TestForged"},
	55: {"httpapi/portal TestTimes"},
	56: {"httpapi/portal TestForeignIDs"},
	57: {"httpapi/portal TestPayoutForm"},
	58: {"httpapi/portal TestFrames"},
	59: {"httpapi TestPartnerToken"},
	60: {"client/cmd/tributary TestAllSales"},
	61: {"client/cmd/tributary TestExitCodes", "client/cmd/tributary TestFound"},
	62: {"client/cmd/tributary TestFound", "client/cmd/tributary TestPruneAsks"},
	63: {"client/cmd/tributary TestUnknownOutcome"},
	64: {"client/cmd/tributary TestCannotLag", "client/cmd/tributary TestKeyIsSafe"},
	65: {"client/cmd/tributary TestHostileServer"},
	66: {"httpapi TestRequestIDAllocations"},
	67: {"internal/engine TestObserverSeesEveryMethod"},
	68: {"internal/engine TestObserverCountsEvents"},
	69: {"internal/engine TestObserverSeesNoData"},
	70: {"otelaffiliate TestNeedsNoSDK", "otelaffiliate TestSpansNest"},
	71: {"httpapi TestRequestID"},
	72: {"httpapi/serve TestHealth", "httpapi/app TestGracefulEnd"},
	73: {"internal/delivery TestBacklog"},
	74: {"internal/integration/browser TestMain"},
	75: {"internal/checks TestReadmeBlocks", "internal/checks TestReadmeTranscript"},
}

// TestConsoleChecks: each of the 75 checks has a test that says which it is.
func TestConsoleChecks(t *testing.T) { proven(t, consoleChecks, 75) }
