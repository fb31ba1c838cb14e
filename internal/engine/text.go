package engine

import (
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// canonicalCode returns a code without blanks around it and invisible
// characters, and whether the result is a valid code.
//
// Source: docs/rules.md 1.9.
func canonicalCode(s string) (string, bool) {
	s = plaintext.Bare(s)
	return s, refusal.ValidCode(s)
}
