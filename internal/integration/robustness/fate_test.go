package robustness

import (
	"errors"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// notFound is the why of a call whose record is missing, whatever it is called.
const notFound = "not found"

// fateOf reads the error of a call.
func fateOf(err error) fate {
	if err == nil {
		return fate{}
	}
	if lost, ok := errors.AsType[*client.Error](err); ok && (lost.Status < 400 || lost.Status >= 500) {
		return fate{unknown: true, said: err.Error()}
	}
	refusal, ok := errors.AsType[*affiliate.Error](err)
	switch {
	case errors.Is(err, affiliate.CodeNotFound):
		return fate{why: string(affiliate.CodeNotFound)}
	case errors.Is(err, affiliate.ErrNotFound):
		return fate{why: notFound}
	case !ok:
		return fate{unknown: true, said: err.Error()}
	case refusal.Kind == affiliate.KindNotFound, strings.HasSuffix(string(refusal.Reason), "_not_found"):
		return fate{why: notFound}
	}
	return fate{why: reasons(refusal), limit: atLimit(refusal)}
}

// atLimit reports whether one of the rules that refused is about something that
// is used up, taken or settled.
func atLimit(refusal *affiliate.Error) bool {
	return refusalAtLimit[refusal.Reason] || slices.ContainsFunc(refusal.Failures, func(f affiliate.Failure) bool { return refusalAtLimit[f.Reason] })
}

// reasons joins every failing rule of a refusal.
func reasons(refusal *affiliate.Error) string {
	if len(refusal.Failures) == 0 {
		return string(refusal.Reason)
	}
	return failing(refusal.Failures)
}

func failing(rules []affiliate.Failure) string {
	var names []string
	for _, f := range rules {
		names = append(names, string(f.Reason))
	}
	return strings.Join(names, " ")
}
