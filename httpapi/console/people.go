package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/internal/mailbox"
)

// The people whom forms name, and what is kept when something moves from one to another.

// picks is the number of affiliates that a field offers.
const picks = 50

// picker completes a field that names an affiliate: it offers those whom the typed text fits, else the
// newest.
func (v *visit) picker(f field) (field, error) {
	f.Hint = cmp.Or(f.Hint,
		"Email, id, link, or ext: and your own id. A part of the name will do where it fits one alone.")
	var typed string
	if v.sent != nil {
		typed = v.sent.text(f.Name)
	}
	list, err := v.affiliatesWith(typed)
	if err == nil && len(list) == 0 {
		list, err = v.affiliatesWith("")
	}
	for _, a := range list {
		f.Picks = append(f.Picks, option{a.Email, page.Text(a.Name, page.InList)})
	}
	return f, err
}

// affiliatesWith returns the affiliates whom a text fits; empty: the newest.
func (v *visit) affiliatesWith(text string) ([]affiliate.Affiliate, error) {
	var q affiliate.AffiliateQuery
	switch n := utf8.RuneCountInString(text); {
	case n > maxSearch:
		return nil, nil // nobody has a part as long as that
	case n > 0:
		q.Search = affiliate.Set(text)
	}
	list, err := v.program.Affiliates(v.Ctx(), q, affiliate.Page{Limit: picks})
	if _, refused := page.Refusal(err); refused {
		return nil, nil // it has characters that nobody's name has
	}
	return list.Items, err
}

// affiliateTyped returns the affiliate whom a field names: exactly, or as the only one whom it fits.
func (v *visit) affiliateTyped(in *input, name string) (affiliate.Affiliate, error) {
	text := in.text(name)
	if text == "" {
		return affiliate.Affiliate{}, wrongField(name, "Name an affiliate.")
	}
	found, err := v.program.Affiliate(v.Ctx(), text)
	if !errors.Is(err, affiliate.ErrNotFound) {
		return found, err
	}
	fits, err := v.affiliatesWith(text)
	switch {
	case err != nil || len(fits) == 1:
		return append(fits, found)[0], err
	case len(fits) == 0:
		return found, wrongField(name, "No affiliate is called this.")
	}
	var names []string
	for _, a := range fits[:min(len(fits), 5)] {
		names = append(names, page.Text(a.Name, page.InList)+", "+a.Email)
	}
	return found, wrongField(name,
		"This fits more than one affiliate: choose one, such as "+strings.Join(names, "; ")+".")
}

// customerTyped returns the customer whom a text names: by id, by email, or by the host's own id after
// ext:. Nobody is [affiliate.ErrNotFound].
func (v *visit) customerTyped(text string) (affiliate.Referral, error) {
	own, isOwn := affiliate.ExternalIn(text)
	if !isOwn {
		return v.program.Referral(v.Ctx(), text)
	}
	list, err := v.program.Referrals(v.Ctx(),
		affiliate.ReferralQuery{ReferredUserExternalID: affiliate.Set(own)},
		affiliate.Page{Limit: 1})
	for _, r := range list.Items {
		return r, nil
	}
	return affiliate.Referral{}, cmp.Or(err, affiliate.ErrNotFound)
}

// A credit is whom a form credits, and for which customer, as the engine is told.
type credit struct{ ReferralID, Email, Name string }

// The fields of a credit.
const (
	fieldAffiliate = "affiliate"
	fieldCustomer  = "email"
	fieldName      = "name"
)

// creditTyped reads who is credited, and for which customer. A known customer brings the affiliate whom
// they came by, unless another one is named.
func (v *visit) creditTyped(in *input) (c credit, err error) {
	text := in.text(fieldCustomer)
	known, err := v.customerTyped(text)
	switch _, valid := mailbox.Canonical(text); {
	case err == nil:
		c = credit{known.ID.String(), known.Email, known.Name.Or("")}
	case !errors.Is(err, affiliate.ErrNotFound):
		return c, err
	case !valid:
		return c, wrongField(fieldCustomer, "No customer is called this. A new one needs an email.")
	default:
		c = credit{"", text, in.text(fieldName)}
	}
	if in.text(fieldAffiliate) == "" {
		return c, nil
	}
	a, err := v.affiliateTyped(in, fieldAffiliate)
	c.ReferralID = a.ID.String()
	return c, err
}

// creditFields are the fields that creditTyped reads. The query may name both.
func (v *visit) creditFields() ([]field, error) {
	who, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate", Own: true,
		Hint:  "Who is credited. Empty: who brought the customer, or the owner of the code.",
		Value: v.query.Get(paramAffiliate)})
	return []field{
		{Name: fieldCustomer, Label: "Customer", Hint: "Email, or id, or ext: and your own id.",
			Required: true, Value: v.query.Get(paramCustomer), Own: true},
		{Name: fieldName, Label: "Name of a new customer", Own: true,
			Hint: "Needed where the customer is not known yet.", Perhaps: true},
		who,
	}, err
}

// paramCustomer names a customer.
const paramCustomer = "customer"

// keptMoves is the key of metadata under which the moves of a customer or a sale are kept, and mostMoves
// how many of them.
const (
	keptMoves = "tributary_moves"
	mostMoves = 10
)

// A move says that something was given to another affiliate.
type move struct {
	At     affiliate.Time `json:"at"`
	By     string         `json:"by"` // the actor
	From   uuid.UUID      `json:"from"`
	Reason string         `json:"reason"`
}

// movesIn returns the moves that are kept in metadata, the oldest first.
func movesIn(metadata affiliate.Opt[json.RawMessage]) (moves []move) {
	all := map[string]json.RawMessage{}
	if raw, ok := metadata.Get(); ok && json.Unmarshal(raw, &all) == nil && json.Unmarshal(all[keptMoves], &moves) != nil {
		return nil // somebody else has written there
	}
	return moves
}

// moved returns metadata with one move more, whose reason the form says.
func (v *visit) moved(in *input, metadata affiliate.Opt[json.RawMessage],
	from uuid.UUID) (affiliate.Opt[json.RawMessage], error) {
	reason := in.text(fieldReason)
	if reason == "" {
		in.wrong(fieldReason, "Say why.")
	}
	if in.err != nil {
		return metadata, in.err
	}
	all := map[string]json.RawMessage{}
	if raw, ok := metadata.Get(); ok {
		if err := json.Unmarshal(raw, &all); err != nil {
			return metadata, err // the engine takes objects alone
		}
	}
	moves := append(movesIn(metadata), move{affiliate.TimeOf(v.now()), v.actor, from, reason})
	list, err := json.Marshal(moves[max(len(moves)-mostMoves, 0):])
	if err != nil {
		return metadata, err
	}
	all[keptMoves] = list
	raw, err := json.Marshal(all)
	return affiliate.Set(json.RawMessage(raw)), err
}

// moveFields are the fields of a form that moves something.
func (v *visit) moveFields() ([]field, error) {
	to, err := v.picker(field{Name: fieldAffiliate, Label: "Affiliate", Required: true,
		Value: v.query.Get(paramAffiliate)})
	return []field{to,
		{Name: fieldReason, Label: "Reason", Hint: "It is kept with what is moved.",
			Required: true}}, err
}

// fieldReason is the field for the reason of an action.
const fieldReason = "reason"

// whyField is a field that says why something is done, where nobody has to.
func whyField() field {
	return field{Name: fieldReason, Label: "Reason",
		Hint: "For the people of the program: the history shows it, and nobody else is told."}
}
