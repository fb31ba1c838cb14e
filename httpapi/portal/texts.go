package portal

import (
	"cmp"
	_ "embed" // the German texts
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The texts of the pages in languages. English ones stand in the code, and are the keys.

//go:embed texts/de.json
var deJSON []byte

// german has a text for each English one, so its keys are all there are.
var german = sync.OnceValue(func() (texts map[string]string) {
	if err := json.Unmarshal(deJSON, &texts); err != nil {
		panic(err) // the file is wrong
	}
	return texts
})

// languages are those that the pages are written in, by their tags in lower case.
type languages map[string]page.Language

// newLanguages returns English, German, and what a host adds or replaces.
func newLanguages(own map[string]map[string]string) (languages, error) {
	texts := map[string]map[string]string{"de": german()}
	all := languages{"en": {}, "de": page.NewLanguage("de", german())}
	seen := map[string]bool{}
	for _, tag := range slices.SortedFunc(maps.Keys(own), shortFirst) { // pt before pt-BR
		lower := strings.ToLower(tag)
		switch {
		case !affiliate.IsLanguage(tag):
			return nil, fmt.Errorf("%q is no language such as de or pt-BR", tag)
		case seen[lower]:
			return nil, fmt.Errorf("%s: this language is there twice", tag)
		}
		seen[lower] = true
		for _, english := range slices.Sorted(maps.Keys(own[tag])) {
			if err := fits(tag, english, own[tag][english]); err != nil {
				return nil, fmt.Errorf("%s, %q: %w", tag, english, err)
			}
		}
		for base := lower; base != "" && texts[lower] == nil; base = parent(base) {
			texts[lower] = texts[base]
		}
		merged := maps.Clone(texts[lower])
		if merged == nil {
			merged = map[string]string{}
		}
		maps.Copy(merged, own[tag])
		texts[lower], all[lower] = merged, page.NewLanguage(tag, merged)
	}
	return all, nil
}

func shortFirst(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// parent returns a tag without its last part: pt of pt-BR; empty: it has one part.
func parent(tag string) string { return tag[:max(0, strings.LastIndexByte(tag, '-'))] }

// in returns the language of the first tag that there are texts for, and else English.
func (l languages) in(tags ...string) page.Language {
	for _, tag := range tags {
		for tag = strings.ToLower(tag); tag != ""; tag = parent(tag) {
			if found, there := l[tag]; there {
				return found
			}
		}
	}
	return l["en"]
}

// speak chooses the language of the visit: that of the affiliate, else the one that the browser
// prefers.
func (v *visit) speak(affiliates string) {
	v.Language = v.languages.in(append([]string{affiliates}, preferred(v.R)...)...)
}

// preferred returns the tags of the languages that a browser asks for, which are in order.
func preferred(r *http.Request) (tags []string) {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(part, ";")
		tags = append(tags, strings.TrimSpace(tag))
	}
	return tags
}

// fits refuses a text that the pages do not have, or that does not say the same.
func fits(tag, english, text string) error {
	switch _, known := german()[english]; {
	case !known:
		return errors.New("the pages have no such text")
	case strings.TrimSpace(text) == "":
		return errors.New("the text is empty")
	case english == page.NumberText:
		if _, _, ok := page.Marks(text); !ok {
			return fmt.Errorf("%q is not this number", text)
		}
		return nil
	case slices.Contains([]string{page.WhenText, page.DayText, page.MonthText}, english):
		return sameTime(english, text)
	}
	in := strings.Split(english, "|")
	forms, want := strings.Split(text, "|"), arguments(in[len(in)-1])
	if most := page.PluralForms(tag, len(in)); len(forms) != most {
		return fmt.Errorf("%q has %d forms, and not %d", text, len(forms), most)
	}
	for _, form := range forms { // one of several may leave the number out: the first, the second
		if have := arguments(form); have != want && (have != "" || len(forms) == 1) {
			return fmt.Errorf("%q has other arguments", text)
		}
	}
	return nil
}

// sameTime refuses a layout of package time that says less than the English one.
func sameTime(english, layout string) error {
	at := time.Date(2026, 11, 23, 14, 45, 0, 0, time.UTC)
	want, _ := time.Parse(english, at.Format(english)) // as far as the layout goes
	if got, err := time.Parse(layout, at.Format(layout)); err != nil || !got.Equal(want) {
		return fmt.Errorf("%q is no such layout of package time", layout)
	}
	return nil
}

var verb = regexp.MustCompile(`%(?:\[(\d)\])?(.?)`)

// arguments returns which arguments a text has, in a form that can be compared: 1s 2d.
func arguments(text string) string {
	found, next := []string{}, 1
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		at := m[1]
		switch {
		case m[0] == "%%":
			continue
		case at == "":
			at = strconv.Itoa(next)
			next++
		}
		found = append(found, at+m[2])
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " ")
}
