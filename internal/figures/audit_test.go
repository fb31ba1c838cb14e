package main

import (
	"go/types"
	"path"
	"slices"
	"strings"
	"testing"
)

// rules are the files with rules that compute money, or what follows from it.
var rules = []string{
	"balance*", "books*", "commission", "movement_post", "payer*", "payment_*", "redeem", "redemption", "refund_parts", "report*",
	"sale_*", "statement*", "totals",
}

// TestAuditHasItsOwnRules: Verify calls no rule of the engine that computes money,
// since it could not see that such a rule is wrong.
func TestAuditHasItsOwnRules(t *testing.T) {
	p, err := read(engine)
	if err != nil {
		t.Fatal(err)
	}
	audited := 0
	for _, file := range p.files {
		name := p.name(file.Pos())
		if !strings.HasPrefix(name, "verify") {
			continue
		}
		audited++
		p.uses(file, func(obj types.Object) {
			from := strings.TrimSuffix(p.name(obj.Pos()), ".go")
			isRule := slices.ContainsFunc(rules, func(pattern string) bool {
				is, _ := path.Match(pattern, from)
				return is
			})
			if _, isFunc := obj.(*types.Func); isFunc && isRule {
				t.Errorf("%s uses %s of %s.go", name, obj.Name(), from)
			}
		})
	}
	if audited < 10 {
		t.Errorf("%d files of the audit were found", audited)
	}
}
