package servertest

import (
	"strings"
	"testing"
)

// TestSkip (console check 24): the group admin has the cases of every operation
// of administration, and skipping it leaves all others.
func TestSkip(t *testing.T) {
	all := serverCases()
	var published, admin []string
	for _, c := range all {
		if strings.HasPrefix(c.name, adminCase) {
			admin = append(admin, c.name)
		} else {
			published = append(published, c.name)
		}
	}
	left := Server{Skip: []string{"admin"}}.wanted(serverCases())
	if len(left) != len(published) || len(published) < 1000 {
		t.Errorf("%d cases are left of %d", len(left), len(published))
	}
	for i, c := range left {
		if c.name != published[i] {
			t.Fatalf("%s is left, want %s", c.name, published[i])
		}
	}
	if n := len(Server{}.wanted(all)); n != len(published)+len(admin) {
		t.Errorf("%d cases without Skip", n)
	}
	for _, r := range routes() {
		_, path, _ := strings.Cut(r.operation, " ")
		named := false
		for _, name := range admin {
			named = named || strings.Contains(name, r.operation+" ")
		}
		if named != administers(path) {
			t.Errorf("%s: it is of the group %v, its cases are %v", r.operation, administers(path), named)
		}
	}
	if _, err := newSuite(Server{URL: "http://conform.example", Key: "k", Skip: []string{"money"}}); err == nil {
		t.Error("a group that does not exist is skipped")
	}
}
