package httpapi

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// maxIDs is the largest number of records that one request changes.
const maxIDs = 1000

// ids reads the ids of the records that an operation changes: 1 to 1,000, all
// different. none refuses an empty list.
func (in *input) ids(name string, none refusal.Refusal) []uuid.UUID {
	ids := in.someIDs(name)
	if len(ids) == 0 {
		in.fault(none)
	}
	return ids
}

// someIDs reads up to 1,000 ids, all different; nil when there are none.
func (in *input) someIDs(name string) []uuid.UUID {
	ids, again := in.listOfIDs(name)
	switch {
	case len(ids) > maxIDs:
		in.fault(refusal.FieldOver1000Entries)
	case again:
		in.fault(refusal.FieldNotDistinct)
	}
	return ids
}

// listOfIDs reads an array of ids, nil when there are none, and whether one is there
// again. A text that is not an id is an unknown one.
func (in *input) listOfIDs(name string) (ids []uuid.UUID, again bool) {
	list := texts[string](in, name).Or(nil)
	seen := make(map[string]bool, len(list))
	for _, text := range list {
		again = again || seen[text]
		seen[text] = true
		id := in.call.idOf(text)
		if text == "" {
			id = unknownID
		}
		ids = append(ids, id)
	}
	return ids, again
}

// idList reads an array of ids, which may be there again.
func (in *input) idList(name string) []uuid.UUID {
	ids, _ := in.listOfIDs(name)
	return ids
}

// idOrNull reads an id that null takes away. It must be there: absent refuses a
// body without it.
func (in *input) idOrNull(name string, absent refusal.Refusal) uuid.UUID {
	id := in.id(name)
	if in.value(name) == nil {
		in.fault(absent)
	}
	return id
}

// answers reads an array of signup answers.
func (in *input) answers(name string) (list []affiliate.Answer) {
	value, _ := in.find(name, kindAnswers)
	if value == nil {
		return nil
	}
	if value[0] != '[' {
		in.fault(refusal.FieldNotObjects)
		return nil
	}
	for element := range jsontext.Elements(value) {
		if element[0] != '{' {
			in.fault(refusal.FieldNotObjects)
			return nil
		}
		list = append(list, in.signupAnswer(name, split(element)))
	}
	return list
}

// signupAnswer reads one answer. Its fields are checked where the list is.
func (in *input) signupAnswer(name string, members []member) (a affiliate.Answer) {
	inner := input{outer: name + ".", members: members, strict: true}
	text := inner.text("questionId")
	if id := idOf(text); id.String() == text {
		a.QuestionID = id
	}
	a.Answer = inner.text("answer")
	inner.onlyKnown()
	if in.bad == nil && inner.bad != nil {
		in.bad, in.badAt = inner.bad, len(in.fields)-1
	}
	return a
}
