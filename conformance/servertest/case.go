package servertest

import (
	"maps"
	"slices"
	"strings"
)

// A serverCase is one way to break the wire contract.
type serverCase struct {
	name string // begins with its number in the corpus of bad inputs, where it has one
	rule string // printed when the case fails
	run  func(x *exam)
}

// A refusedCase is a request that is refused.
type refusedCase struct {
	name, body string
	want       denial
}

// An acceptedCase is a request that is answered with 200 and the members of want.
type acceptedCase struct{ name, body, want string }

// rowOf splits a row into its number and its value.
func rowOf(row string) (number, value string) {
	number, value, _ = strings.Cut(row, " ")
	return number, value
}

// refusals makes a case of each row.
func refusals(rule, operation string, rows ...refusedCase) []serverCase {
	cases := make([]serverCase, len(rows))
	for i, row := range rows {
		cases[i] = serverCase{row.name, rule, func(x *exam) { x.do(operation, row.body).refused(row.want) }}
	}
	return cases
}

// successes makes a case of each row.
func successes(rule, operation string, rows ...acceptedCase) []serverCase {
	cases := make([]serverCase, len(rows))
	for i, row := range rows {
		cases[i] = serverCase{row.name, rule, func(x *exam) { x.do(operation, row.body).has(row.want) }}
	}
	return cases
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// A table collects the cases of one operation.
type table struct {
	operation string
	cases     []serverCase
}

// no adds a case for each row that is refused.
func (t *table) no(rule string, rows ...refusedCase) {
	t.cases = append(t.cases, refusals(rule, t.operation, rows...)...)
}

// yes adds a case for each row that succeeds.
func (t *table) yes(rule string, rows ...acceptedCase) {
	t.cases = append(t.cases, successes(rule, t.operation, rows...)...)
}
