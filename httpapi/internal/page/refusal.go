package page

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// Refusal returns the refusal that an error is, if it is one that people can read.
func Refusal(err error) (why *affiliate.Error, refused bool) {
	why, refused = errors.AsType[*affiliate.Error](err)
	return why, refused && why.Kind != affiliate.KindInternal
}

// Said returns the text of a refusal in which the name that a field has on the wire is its label.
func Said(why *affiliate.Error, label string) string { return Language{}.Said(why, label) }

// Said is the function Said in a language; a text that it does not have is English.
func (l Language) Said(why *affiliate.Error, label string) string {
	rest, names := strings.CutPrefix(why.Message, why.Field+" ")
	switch text := l.texts["%s "+rest]; {
	case !names || why.Field == "" || label == "":
		return l.T(why.Message)
	case text != "":
		return fmt.Sprintf(text, label)
	}
	return label + " " + rest
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
