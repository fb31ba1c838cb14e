package robustness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// explain shows where the check of a history is stuck: the last calls of the
// longest order that the model accepts, and the calls that could come next, of
// which none fits.
func explain(tr trade, h history) string {
	_, info := porcupine.CheckOperationsVerbose(modelOf(tr, h), h.calls, patience)
	var longest []porcupine.Operation
	for _, part := range info.PartialLinearizationsOperations() {
		for _, order := range part {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	done := map[[2]int64]bool{}
	key := func(op porcupine.Operation) [2]int64 { return [2]int64{int64(op.ClientId), op.Call} }
	for _, op := range longest {
		done[key(op)] = true
	}
	var next []porcupine.Operation
	first := forever
	for _, op := range h.calls {
		if !done[key(op)] {
			next = append(next, op)
			first = min(first, op.Return)
		}
	}
	next = slices.DeleteFunc(next, func(op porcupine.Operation) bool { return op.Call > first })
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d of %d calls in order; the last of them:", len(longest), len(h.calls))
	for _, op := range longest[max(0, len(longest)-12):] {
		fmt.Fprintf(&b, "\n  client %d: %+v → %+v", op.ClientId, op.Input, op.Output)
	}
	b.WriteString("\nnone of these can be next:")
	for _, op := range next {
		fmt.Fprintf(&b, "\n  client %d: %+v → %+v", op.ClientId, op.Input, op.Output)
	}
	return b.String()
}
