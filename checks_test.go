package tributary_test

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

// moneyChecks names the tests that prove each check of what happens to money
// after a sale: the folder, the test, and the sub-test when there is one. The
// first of them asks over HTTP wherever there is a route.
var moneyChecks = map[int][]string{
	1:  {"httpapi TestMoneyInOrder/check 1", "internal/engine TestClawBackStory"},
	2:  {"httpapi TestMoneyInOrder/check 2", "internal/engine TestClawBackStory"},
	3:  {"httpapi TestMoneyInOrder/check 3", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	4:  {"httpapi TestMoneyInOrder/check 4", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	5:  {"httpapi TestMoneyInOrder/check 5", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	6:  {"httpapi TestMoneyInOrder/check 6", "internal/reading TestLedgerStory"},
	7:  {"httpapi TestMoneyInOrder/check 7", "internal/engine TestClawBackStory"},
	8:  {"httpapi TestMoneyInOrder/check 8", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	9:  {"httpapi TestMoneyInOrder/check 9", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	10: {"httpapi TestMoneyInOrder/check 10", "internal/engine TestClawBackStory"},
	11: {"httpapi TestMoneyInOrder/check 11", "internal/engine TestClawBackStory"},
	12: {"httpapi TestMoneyInOrder/check 12", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	13: {"httpapi TestMoneyInOrder/check 13", "httpapi TestClawBack", "internal/engine TestClawBackStory"},
	14: {"httpapi TestMoneyInOrder/check 14", "internal/engine TestClawBackStory"},
	15: {"httpapi TestMoneyInOrder/check 15", "internal/engine TestClawBackStory"},
	16: {"httpapi TestMoneyInOrder/check 16", "internal/engine TestClawBackStory"},
	17: {"httpapi TestMoneyInOrder/check 17", "internal/engine TestAdjustments"},
	18: {"httpapi TestMoneyInOrder/check 18", "internal/engine TestRecordAdjustmentErrors"},
	19: {"httpapi TestMoneyInOrder/check 19", "internal/engine TestAdjustments"},
	20: {"httpapi TestMoneyInOrder/check 20", "internal/reading TestLedgerStory"},
	21: {"httpapi TestStatements/check 21", "internal/reading TestStatement"},
	22: {"httpapi TestStatements/check 22", "internal/reading TestStatement"},
	23: {"httpapi TestStatements/check 23", "internal/reading TestStatementErrors"},
	24: {"httpapi TestHoldDaysOverTheWire/check 24", "internal/engine TestHoldDays/24 matures"},
	25: {"httpapi TestHoldDaysOverTheWire/check 25", "internal/engine TestHoldDays/25 a debt is due at once"},
	26: {"httpapi TestPayoutRuns/check 26", "internal/payout TestPayoutRun"},
	27: {"httpapi TestPayoutRuns/check 27", "internal/payout TestPayoutRun"},
	28: {
		"httpapi TestPayoutRuns/check 28 steps", "httpapi TestPayoutRuns/check 28 at once",
		"internal/payout TestPayoutRunSteps", "internal/payout TestPayoutRunsAtOnce",
	},
	29: {"httpapi TestMoneyLookups/check 29"},
	30: {"httpapi TestMoneyLookups/check 30"},
	31: {"httpapi TestMoneyLookups/check 31", "httpapi TestClawBack"},
	32: {"httpapi TestBasket/32"},
	33: {"httpapi TestBasket/33"},
	34: {"httpapi TestBasket/34"},
	35: {"httpapi TestFreeOrders/35"},
	36: {"httpapi TestFreeOrders/36"},
	37: {"httpapi TestFreeOrders/37"},
	38: {"httpapi TestClickWindow/Check38"},
	39: {"httpapi TestClickWindow/Check39"},
	40: {"httpapi TestClickWindow/Check40"},
	41: {"httpapi TestReview/41 Held", "httpapi TestReview/41 Nil"},
	42: {"httpapi TestReview/42 Gmail", "httpapi TestReview/42 Dots"},
	43: {"httpapi TestReviewOverTheWire"},
	44: {"httpapi TestReview/44 Rules", "httpapi TestReview/44 Panic"},
	45: {"httpapi TestExplain/check 45", "internal/reading TestExplainSale"},
	46: {"httpapi TestExplain/check 46", "internal/reading TestExplainTerms"},
	47: {"internal/reading TestSimulate"},
	48: {"httpapi TestReportOverTheWire"},
	49: {
		"httpapi TestReportQueries", "httpapi TestMoneyPages", "httpapi TestLedgerPages",
		"httpapi TestStatementPagesOverTheWire", "httpapi TestPayoutRunPages",
	},
	50: {"httpapi TestMoneyRounds/check 50", "internal/engine TestClawBackRounds/50 example B"},
	51: {"httpapi TestMoneyRounds/check 51", "internal/engine TestClawBackRounds/51 flat"},
	52: {"httpapi TestMoneyRounds/check 52", "internal/engine TestClawBackRounds/52 yen"},
	53: {"httpapi TestMoneyByHand", "internal/engine TestClawBackRounds"},
	54: {"httpapi TestMoneyWindow", "internal/engine TestClawBackRefusals"},
	55: {"httpapi TestMoneyOnce"},
	56: {"httpapi TestIsolation", "httpapi TestForeignIsUnknown"},
	57: {"httpapi TestMoneyAtOnce", "internal/engine TestClawBacksAtOnce"},
	58: {"httpapi newTill"},
	59: {
		"affiliate/payfile TestSplit", "affiliate/payfile TestGuardedNames", "affiliate/payfile TestRefused",
		"affiliate/payfile TestReadResultsErrors", "affiliate/payfile TestApply",
	},
	60: {"internal/engine TestOpenBooks", "httpapi TestBooksNotOpen"},
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

// testsIn reads the functions of the test files in a folder.
func testsIn(t *testing.T, folder string) map[string]testSource {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d test files, error %v", folder, len(paths), err)
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
