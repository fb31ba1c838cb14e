package page

import (
	"errors"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// Refusal returns the refusal that an error is, if it is one that people can read.
func Refusal(err error) (why *affiliate.Error, refused bool) {
	why, refused = errors.AsType[*affiliate.Error](err)
	return why, refused && why.Kind != affiliate.KindInternal
}

// Said returns the text of a refusal in which the name that a field has on the wire is its label.
func Said(why *affiliate.Error, label string) string {
	if rest, names := strings.CutPrefix(why.Message, why.Field+" "); names && why.Field != "" && label != "" {
		return label + " " + rest
	}
	return why.Message
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
