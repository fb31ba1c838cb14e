package page

import (
	"errors"

	"github.com/tributary-go/tributary/affiliate"
)

// Refusal returns the refusal that an error is, if it is one that people can read.
func Refusal(err error) (why *affiliate.Error, refused bool) {
	why, refused = errors.AsType[*affiliate.Error](err)
	return why, refused && why.Kind != affiliate.KindInternal
}

// Outcome returns the result of an action for the audit log: ok, the reason of its
// refusal, or failed.
func Outcome(err error) string {
	if why, refused := Refusal(err); refused {
		return string(why.Reason)
	}
	if err != nil {
		return "failed"
	}
	return "ok"
}
