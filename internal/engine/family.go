package engine

import "github.com/tributary-go/tributary/affiliate"

// IsNumbered reports whether events of the type have the number of their object.
func IsNumbered(t affiliate.EventType) bool { return t.Family() == "sale" }

// EndsObject reports whether the type is that of a deletion.
func EndsObject(t affiliate.EventType) bool { return ActionOf(t) == "deleted" }

// ActionOf returns the part of a type after the dot.
func ActionOf(t affiliate.EventType) string { return string(t[min(len(t), len(t.Family())+1):]) }
