package console

import (
	"net/url"
	"strings"
)

// A redirect after an action shows what was done, and only on that page: the URL has a
// token for the action and the page, so no made-up link can show a notice.

// paramDone is the parameter with the name of an action and its token.
const paramDone = "done"

// unchanged is the notice for a form that changes nothing.
var unchanged = &action{name: "unchanged", done: "Nothing was changed."}

// redirect leads to a page that shows what was done.
func (v *visit) redirect(to string, a *action) {
	path, query, _ := strings.Cut(to, "?")
	values, _ := url.ParseQuery(query) // the console has made it
	values.Set(paramDone, a.name+"~"+v.forms.Once(v.now(), v.told(a.name, path, values)...))
	v.Lead(v.Root + path + "?" + values.Encode())
}

// told returns what the token of an action is about: who has done it, and the page that
// says so.
func (v *visit) told(name, path string, query url.Values) []string {
	return []string{v.program.Config().ID.String(), v.actor, paramDone, name, path, without(query, paramDone).Encode()}
}

// did returns the name of the action that has led to this page; empty: none has. isNew: a moment ago.
func (v *visit) did() (name string, isNew bool) {
	name, token, _ := strings.Cut(v.query.Get(paramDone), "~")
	valid, isNew := v.forms.Told(v.now(), token, v.told(name, v.Path, v.query)...)
	if !valid {
		return "", false
	}
	return name, isNew
}

// Notice says what the action before this page has done. The form of an unfinished
// action says it itself.
func (v *view) Notice() string {
	name, isNew := v.did()
	if here, _ := v.find(); !isNew || here.act != nil && v.query.Has(paramCursor) {
		return ""
	}
	if name == unchanged.name {
		return unchanged.done
	}
	for _, rt := range v.routes {
		if rt.act != nil && rt.act.name == name {
			return rt.act.done
		}
	}
	return ""
}

// without returns a query without a parameter.
func without(query url.Values, name string) url.Values {
	rest := url.Values{}
	for other, values := range query {
		if other != name {
			rest[other] = values
		}
	}
	return rest
}

// paramList is the query of the list in which the objects of an action were ticked: its
// filter and its page, to which the action redirects.
const paramList = "list"

// listOf returns a list as it was when objects in it were ticked.
func (v *visit) listOf(section string) string {
	asked, err := url.ParseQuery(v.query.Get(paramList))
	if err != nil {
		return section
	}
	kept := url.Values{}
	for _, rt := range v.routes {
		if rt.path != section {
			continue
		}
		for _, name := range rt.params {
			if asked.Has(name) {
				kept.Set(name, asked.Get(name))
			}
		}
	}
	if len(kept) == 0 {
		return section
	}
	return section + "?" + kept.Encode()
}

// Listed returns the query of this list, for the forms of what is ticked in it.
func (v *view) Listed() string { return without(v.query, paramDone).Encode() }
