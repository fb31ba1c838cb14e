package payfile

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// refs finds payouts by what a provider says is their reference.
type refs []refOf // in the order of the references

type refOf struct {
	ref string
	id  uuid.UUID
}

// shortest is the smallest number of characters of a reference that was cut, so that it
// is not taken for another one.
const shortest = 8

// refsOf returns the references of payments.
func refsOf(of iter.Seq2[Transfer, error]) (known refs, err error) {
	for p, err := range of {
		if err != nil {
			return nil, err
		}
		known = append(known, refOf{Ref(p.PayoutID), p.PayoutID}, refOf{longRef(p.PayoutID), p.PayoutID})
	}
	slices.SortFunc(known, func(a, b refOf) int { return cmp.Compare(a.ref, b.ref) })
	return known, nil
}

// find returns the payout with a reference. The text may be in any letter case, contain
// blanks, or lack its end; found is false when no payout fits. It is an error when two
// payouts may fit.
func (known refs) find(text string) (id uuid.UUID, found bool, err error) {
	text = strings.ToUpper(strings.Join(strings.Fields(text), "")) // statements write long words in groups
	if len(text) < shortest {
		return id, false, nil
	}
	at, _ := slices.BinarySearchFunc(known, text, func(r refOf, text string) int { return cmp.Compare(r.ref, text) })
	for ; at < len(known) && strings.HasPrefix(known[at].ref, text); at++ {
		if found && known[at].id != id {
			return id, false, fmt.Errorf("the reference %q may be that of the payout %s or of %s: set these two by hand, and leave the line out", text, id, known[at].id)
		}
		id, found = known[at].id, true
	}
	return id, found, nil
}
