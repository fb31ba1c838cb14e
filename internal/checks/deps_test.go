package checks_test

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tributary-go/tributary"

// below are the packages on which every room is built.
var below = []string{"affiliate", "affiliate/record", "internal/refusal", "internal/engine"}

// allowed says which packages of the module a package may import, and which
// from outside the standard library. Arrows point one way: what is not here is
// forbidden.
var allowed = map[string]struct{ inside, outside []string }{
	".": {
		[]string{
			"affiliate", "affiliate/imported", "affiliate/partner", "affiliate/record", "internal/refusal", "internal/engine", "internal/reading", "internal/payout", "internal/delivery",
			"internal/payment", "internal/upkeep", "internal/imports", "internal/audit", "internal/partner",
		},
		[]string{"github.com/google/uuid"},
	},
	"affiliate": {
		[]string{
			"internal/jsontext", "internal/sheet", "internal/decimal", "internal/isodate", "internal/mailbox",
			"internal/netrange", "internal/plaintext", "internal/uuid7",
		},
		[]string{"github.com/google/uuid"},
	},
	"affiliate/imported": {[]string{"affiliate"}, []string{"github.com/google/uuid"}},
	"affiliate/partner":  {[]string{"affiliate"}, []string{"github.com/google/uuid"}},
	"affiliate/record":   {[]string{"affiliate", "affiliate/imported", "internal/mailbox", "internal/plaintext", "internal/uuid7"}, []string{"github.com/google/uuid"}},

	"affiliate/record/router": {[]string{"affiliate", "affiliate/record"}, []string{"github.com/google/uuid"}},

	// The rooms. Between them: reading, upkeep, imports → payment; imports → payout;
	// upkeep → audit; partner → reading, payout; audit → what it recounts, types and limits only.
	"internal/refusal": {
		[]string{"affiliate", "affiliate/record", "internal/decimal", "internal/jsontext", "internal/mailbox", "internal/netrange", "internal/plaintext"}, nil,
	},
	"internal/engine": {
		[]string{
			"affiliate", "affiliate/imported", "affiliate/record", "internal/refusal", "internal/decimal", "internal/isodate", "internal/mailbox", "internal/plaintext",
			"internal/unseen", "internal/uuid7",
		},
		[]string{"github.com/google/uuid"},
	},
	"internal/reading":  {append([]string{"internal/payment", "internal/isodate", "internal/uuid7"}, below...), []string{"github.com/google/uuid"}},
	"internal/payout":   {append([]string{"internal/plaintext"}, below...), []string{"github.com/google/uuid"}},
	"internal/delivery": {append([]string{"internal/plaintext"}, below...), []string{"github.com/google/uuid"}},
	"internal/payment":  {append([]string{"internal/mailbox", "internal/plaintext"}, below...), []string{"github.com/google/uuid"}},
	"internal/upkeep": {
		append([]string{"internal/audit", "internal/jsontext", "internal/mailbox", "internal/plaintext", "internal/uuid7"}, below...), []string{"github.com/google/uuid"},
	},
	"internal/imports": {append([]string{"affiliate/imported", "internal/payment", "internal/payout", "internal/isodate", "internal/mailbox", "internal/plaintext"}, below...), []string{"github.com/google/uuid"}},
	"internal/audit": {
		append([]string{"affiliate/imported", "internal/delivery", "internal/payment", "internal/payout", "internal/decimal", "internal/mailbox", "internal/plaintext"}, below...),
		[]string{"github.com/google/uuid"},
	},
	"internal/partner": {append([]string{"affiliate/partner", "internal/reading", "internal/payout"}, below...), []string{"github.com/google/uuid"}},
	"internal/proofs":  {nil, nil}, // tests alone
	"internal/model":   {[]string{"affiliate"}, nil},
	"internal/scene": { // for tests
		[]string{".", "affiliate", "affiliate/imported", "affiliate/record", "memstore", "conformance"}, []string{"github.com/google/uuid", "github.com/google/go-cmp"},
	},
	"internal/relation": {[]string{"affiliate", "affiliate/imported", "affiliate/record"}, []string{"github.com/google/uuid"}},
	"internal/leaf":     {[]string{"affiliate", "affiliate/record"}, []string{"github.com/google/uuid"}}, // for tests

	"internal/decimal":   {[]string{"internal/jsontext"}, nil},
	"internal/idn":       {nil, nil},
	"internal/isodate":   {nil, nil},
	"internal/mailbox":   {[]string{"internal/idn", "internal/plaintext"}, nil},
	"internal/netrange":  {nil, nil},
	"internal/plaintext": {nil, nil},
	"internal/uuid7":     {nil, []string{"github.com/google/uuid"}},

	"affiliate/payfile":  {[]string{"affiliate", "internal/sheet"}, []string{"github.com/google/uuid"}},
	"affiliate/importer": {[]string{".", "affiliate", "affiliate/imported", "internal/amounts", "internal/jsontext", "internal/refusal", "internal/sheet"}, nil},

	"affiliate/demo": {
		[]string{".", "affiliate", "affiliate/record", "affiliate/record/router", "memstore"}, []string{"github.com/google/uuid"},
	},
	"affiliate/importer/cli": {[]string{".", "affiliate", "affiliate/importer"}, []string{"github.com/google/uuid"}},

	"mail": {[]string{".", "affiliate"}, []string{"github.com/google/uuid"}},

	"memstore": {[]string{"affiliate", "affiliate/record"}, []string{"github.com/google/uuid"}},
	"client":   {[]string{"affiliate", "internal/refusal"}, []string{"github.com/google/uuid", "github.com/hashicorp/go-retryablehttp"}},
	"httpapi": {
		[]string{".", "affiliate", "affiliate/record", "internal/refusal", "internal/jsontext", "internal/unseen", "httpapi/internal/reqid", "httpapi/internal/ticket"}, []string{"github.com/google/uuid"},
	},
	"httpapi/internal/reqid":  {nil, nil},
	"internal/sample":         {[]string{".", "affiliate", "affiliate/record"}, []string{"github.com/google/uuid"}}, // for tests
	"httpapi/internal/page":   {[]string{"internal/sheet", "affiliate", "httpapi/internal/reqid"}, []string{"github.com/google/uuid"}},
	"httpapi/internal/ticket": {nil, []string{"github.com/google/uuid"}},
	"httpapi/portal": {
		[]string{".", "affiliate", "affiliate/partner", "httpapi/internal/page", "httpapi/internal/reqid", "httpapi/internal/ticket", "internal/mailbox"}, []string{"github.com/google/uuid"},
	},
	"httpapi/console": {
		[]string{".", "affiliate", "affiliate/payfile", "internal/sheet", "httpapi/internal/page", "httpapi/internal/reqid", "internal/amounts", "internal/mailbox"}, []string{"github.com/google/uuid"},
	},

	"httpapi/serve": {[]string{".", "affiliate", "affiliate/record"}, []string{"github.com/google/uuid"}},
	"httpapi/app": {
		[]string{
			".", "affiliate", "affiliate/demo", "affiliate/record", "memstore",
			"httpapi", "httpapi/console", "httpapi/internal/ticket", "httpapi/portal", "httpapi/serve", "mail", "webhooks",
		},
		[]string{"github.com/google/uuid"},
	},

	"conformance": {[]string{"affiliate", "affiliate/record"}, []string{"github.com/google/uuid", "github.com/google/go-cmp"}},
	"webhooks":    {[]string{"affiliate", "internal/refusal", "internal/inbound", "internal/jsontext"}, []string{"github.com/google/uuid"}},

	"internal/atlength": {nil, nil}, // for tests
	"internal/checks":   {nil, nil}, // tests alone
	"internal/encoders": {nil, nil}, // a program that writes code
	"internal/figures":  {nil, nil}, // a program about the code
	"internal/gates":    {nil, nil}, // a program that runs the benchmarks
	"internal/inbound":  {nil, nil},
	"internal/jsontext": {nil, nil},
	"internal/licenses": {nil, nil}, // a program about the modules
	"internal/mutate":   {nil, nil}, // a program that runs the tests
	"internal/pasted":   {nil, nil}, // for tests
	"internal/sheet":    {nil, nil},
	"internal/unseen":   {nil, nil},
	"internal/vulndb":   {nil, nil}, // a program about reports of vulnerabilities
	"internal/benchkit": {[]string{".", "affiliate", "affiliate/record"}, []string{"github.com/google/uuid"}},
	"internal/amounts":  {[]string{"affiliate"}, nil},
	"internal/api":      {[]string{"affiliate"}, []string{"github.com/google/uuid"}},

	"client/cmd/tributary": {[]string{"affiliate", "affiliate/payfile", "client"}, nil},

	"conformance/servertest":  {[]string{"affiliate", "client", "internal/api"}, []string{"github.com/google/uuid", "github.com/google/go-cmp"}},
	"conformance/cmd/conform": {[]string{"conformance/servertest"}, nil},

	"internal/twins": {[]string{".", "affiliate", "affiliate/demo", "affiliate/record", "affiliate/record/router", "internal/api", "internal/benchkit", "memstore"}, []string{"github.com/google/go-cmp/cmp", "github.com/google/uuid", "pgregory.net/rapid"}},

	"examples/embed":  {[]string{".", "affiliate", "memstore"}, nil},
	"examples/fake":   {[]string{"affiliate", "client"}, nil},
	"examples/import": {[]string{".", "affiliate", "affiliate/importer", "affiliate/importer/cli", "memstore"}, nil},
	"examples/playground": {
		[]string{".", "affiliate", "affiliate/demo", "affiliate/record", "memstore", "httpapi", "httpapi/console", "httpapi/portal", "httpapi/serve"}, []string{"github.com/google/uuid"},
	},
	"examples/quickstart": {[]string{".", "affiliate", "affiliate/record", "memstore", "affiliate/demo"}, []string{"github.com/google/uuid"}},
	"examples/receiver":   {[]string{"affiliate", "webhooks"}, []string{"github.com/google/uuid"}},
	"examples/server":     {[]string{"httpapi/app"}, nil},
}

// barred are packages that must not reach a host's binary, or the tests of a
// store, through the package, however far down.
var barred = map[string][]string{
	".":                {"net/http", "database/sql", "testing", "flag"},
	"affiliate":        {"net/http", "database/sql", "testing", "flag", module + "/affiliate/record"},
	"affiliate/record": {"net/http", "database/sql", "testing", "flag", module + "/internal/engine"},

	"affiliate/record/router": {"net/http", "database/sql", "testing", "flag", module + "/internal/engine"},

	"affiliate/payfile":  {"net/http", "database/sql", "testing", "flag"},
	"affiliate/importer": {"net/http", "database/sql", "testing", "flag"},
	"client":             {"database/sql", "testing", "flag"},
	"conformance":        {"net/http", "database/sql", module + "/client", module + "/webhooks", module + "/internal/engine"},
	"memstore":           {"net/http", "database/sql", "testing", "flag", module + "/internal/engine"},
	"httpapi":            {"database/sql", "testing", "flag", "html/template"}, // a host of the API alone links no pages
	"httpapi/console":    {"database/sql", "testing", "flag", module + "/httpapi"},
	"httpapi/portal":     {"database/sql", "testing", "flag", module + "/httpapi"},
	"webhooks":           {"database/sql", "testing", "flag"},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func TestImportEdges(t *testing.T) {
	for _, pkg := range list(t, "./...") {
		name := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, module), "/")
		if name == "" {
			name = "."
		}
		rule, known := allowed[name]
		if !known {
			t.Errorf("package %s has no rule: add one to allowed", name)
			continue
		}
		for _, path := range forbidden(pkg.Imports, rule.inside, rule.outside) {
			t.Errorf("%s imports %s", name, path)
		}
		for _, path := range barred[name] {
			if slices.Contains(pkg.Deps, path) {
				t.Errorf("%s pulls in %s", name, path)
			}
		}
	}
}

// forbidden lists the imports that neither the rule nor the standard library
// covers.
func forbidden(imports, inside, outside []string) []string {
	var bad []string
	for _, path := range imports {
		if rest, ok := strings.CutPrefix(path+"/", module+"/"); ok {
			if rest = cmp.Or(strings.TrimSuffix(rest, "/"), "."); !slices.Contains(inside, rest) {
				bad = append(bad, path)
			}
			continue
		}
		first, _, _ := strings.Cut(path, "/")
		under := func(root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
		if strings.Contains(first, ".") && !slices.ContainsFunc(outside, under) {
			bad = append(bad, path)
		}
	}
	return bad
}

func TestForbidden(t *testing.T) {
	imports := []string{"fmt", module + "/affiliate", module + "/client", "github.com/google/uuid", "example.com/x"}
	got := forbidden(imports, []string{"affiliate"}, []string{"github.com/google/uuid"})
	want := []string{module + "/client", "example.com/x"}
	if !slices.Equal(got, want) {
		t.Errorf("forbidden = %q, want %q", got, want)
	}
}

// TestRequirements holds the module to its four direct requirements.
func TestRequirements(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{if not .Indirect}}{{.Path}}{{end}}", "all").CombinedOutput()
	if err != nil {
		t.Fatalf("go list -m: %v\n%s", err, out)
	}
	four := []string{module, "github.com/google/uuid", "github.com/google/go-cmp", "github.com/hashicorp/go-retryablehttp", "pgregory.net/rapid"}
	for path := range strings.FieldsSeq(string(out)) {
		if !slices.Contains(four, path) {
			t.Errorf("the root module requires %s; a nested module is the place for it", path)
		}
	}
}

// TestCompiledOnce: no test makes Go compile another package a second time, which
// it does for each package between an in-package test and an external one of the same
// folder. With scene between them this is most of the module.
func TestCompiledOnce(t *testing.T) {
	out, err := exec.Command("go", "list", "-test", "-deps", "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		compiled, test, ok := strings.Cut(strings.TrimSuffix(line, "]\n"), " [")
		if of := strings.TrimSuffix(test, ".test"); ok && strings.TrimSuffix(compiled, "_test") != of {
			t.Errorf("%s is compiled again for the tests of %s: move the in-package tests outside", compiled, of)
		}
	}
}

func list(t *testing.T, pattern string) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,Standard", pattern).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var pkg listed
		if err := dec.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, pkg)
	}
	return pkgs
}

// audited is what the audit may use of the rooms that it recounts: types, limits and
// lists, what a record says of itself, and what is no amount of money.
var audited = map[string]string{
	"engine": "Program Op Config Reads Same Frozen SaleBody CouponBody CodeBody AffiliateEvent DeletedBody ObjectOf " +
		"ActionOf EndsObject IsNumbered ForReferral IsRefused AliasOf ImportKinds RefundRanks DisputeRanks AllAdjustmentKinds " +
		"BlankedSale BlankedReferral BlankedClick MovementID DueAt ValidHoldDays BudgetID Intervals CheckRate NormalizeTerms CheckAdjusted AdjustsSale " +
		"IsLive IsMemo IsMoved SlugDigest Name NameKind NameReferral NameMailbox NameCustomer NameAffiliate NameEmail NameExternal SaleFrozen CommissionFrozen AccountOf MoveBetween Standing PaidOf",
	"delivery": "Prompt AgainAt QueueOf StatusOK PerEndpoint MaxOldSecrets MaxEndpoints DeliveryStates CheckEventTypes AllEvents",
	"payment":  "ProviderStatuses MaxSubs",
	"payout":   "AddLine",
}

// TestAuditHasItsOwnRules: the audit calls no rule that computes money, since it could
// not see that such a rule is wrong. What it uses of other rooms is in audited.
func TestAuditHasItsOwnRules(t *testing.T) {
	files, err := filepath.Glob("internal/audit/*.go")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			room, ok := sel.X.(*ast.Ident)
			if !ok || room.Obj != nil { // of a variable
				return true
			}
			if names, known := audited[room.Name]; known {
				if used++; !slices.Contains(strings.Fields(names), sel.Sel.Name) {
					t.Errorf("%s uses %s.%s: if it computes no money, add it to audited", fset.Position(sel.Pos()), room.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
	if used < 50 {
		t.Errorf("%d uses of other rooms were found", used)
	}
}
