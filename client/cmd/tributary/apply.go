package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// A programFile is a program as a file. What a file does not name stays as it is. Coupons stand in it
// by their names, because their ids are of one program.
type programFile struct {
	Settings affiliate.SettingsUpdate `json:"settings,omitzero"`
	Coupons  []couponPart             `json:"coupons,omitempty"`
	Terms    termsPart                `json:"terms,omitzero"`
	Plans    []planPart               `json:"plans,omitempty"`
}

type couponPart struct {
	ExternalID      affiliate.Opt[string]                    `json:"externalId,omitzero"`
	IntegrationType affiliate.Opt[affiliate.IntegrationType] `json:"integrationType,omitzero"`
	affiliate.CouponUpdate
}

type termsPart struct {
	affiliate.TermsUpdate
	OfferCoupon affiliate.Opt[string] `json:"offerCoupon,omitzero"`
}

type planPart struct {
	affiliate.PlanUpdate
	OfferCoupon affiliate.Opt[string] `json:"offerCoupon,omitzero"`
}

// elsewhere are the members of these structs that a file cannot have, and why.
var elsewhere = map[string]string{
	"from":          "a file has the terms that are in force: tributary terms set and plans update take others",
	"withdraw":      "a file has the terms that are in force: tributary terms set and plans update take others",
	"offerCouponId": "offerCoupon names the coupon",
}

// membersOf returns what a part of a file may have, in order.
func membersOf[T any]() []field {
	return slices.DeleteFunc(fieldsOf[T](), func(f field) bool { return elsewhere[f.name] != "" })
}

// A section of a file has parts of one kind.
type section struct {
	name, path string // where it is made and changed
	id         string // the member that names one in a change; empty: there is only one
	fields     []field
	in         func(*programFile) any // its place in a file, a new one of those of which there are several
}

var (
	settingsSection = &section{"settings", "/program", "", membersOf[affiliate.SettingsUpdate](), func(f *programFile) any { return &f.Settings }}
	couponSection   = &section{"coupon", "/coupons", "couponId", membersOf[couponPart](), func(f *programFile) any { return another(&f.Coupons) }}
	termsSection    = &section{"terms", "/terms", "", membersOf[termsPart](), func(f *programFile) any { return &f.Terms }}
	planSection     = &section{"plan", "/commission-plans", "commissionPlanId", membersOf[planPart](), func(f *programFile) any { return another(&f.Plans) }}
)

// another appends a part, and returns it.
func another[T any](all *[]T) *T {
	*all = append(*all, *new(T))
	return &(*all)[len(*all)-1]
}

// A part is one thing of a program: its settings, its terms, a coupon or a plan.
type part struct {
	*section
	key, id   string // the key says which coupon or plan; no id: it has none, or is not there
	has, want entry  // nil: it is not there, or not in the file
}

func (p *part) String() string {
	if p.key == "" {
		return p.name
	}
	return fmt.Sprintf("%s %q", p.name, p.key)
}

// keyOf returns what a coupon or a plan is called: its external id, or without one its name.
func (s *section) keyOf(e entry) string {
	if s.id == "" {
		return ""
	}
	return cmp.Or(textOf(e, "externalId"), textOf(e, "name"))
}

// textOf returns a member that is a text; empty: it is none.
func textOf(e entry, name string) string {
	text, _ := e[name].(string)
	return text
}

// entryOf returns a value as the members of its JSON.
func entryOf(v any) (entry, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return read(raw)
}

// within returns the members of an answer that a file has; nil: none.
func within(fields []field, answer any) (entry, error) {
	all, err := entryOf(answer)
	e := entry{}
	for _, f := range fields {
		if e[f.name] = all[f.name]; f.kind == boolean && e[f.name] == nil {
			e[f.name] = false
		}
	}
	return e, err
}

// A model is a program, as parts that are there.
type model struct {
	settings affiliate.Settings
	parts    []part
}

// add adds an answer as a part of a section. offer is the id of the coupon that it offers.
func (m *model) add(s *section, id string, answer any, offer string) (*part, error) {
	has, err := within(s.fields, answer)
	if err != nil {
		return nil, err
	}
	for _, p := range m.parts {
		if p.section == couponSection && p.id == offer {
			has["offerCoupon"] = p.key
		}
	}
	m.parts = append(m.parts, part{section: s, key: s.keyOf(has), id: id, has: has})
	return &m.parts[len(m.parts)-1], nil
}

// model reads the program.
func (j *job) model() (m model, err error) {
	if m.settings, err = j.client.Settings(j.ctx); err != nil {
		return m, err
	}
	settings, err := m.add(settingsSection, "", m.settings, "")
	if err != nil {
		return m, err
	}
	urls := []any{}
	for _, d := range m.settings.Destinations {
		urls = append(urls, d.URL)
	}
	settings.has["destinations"] = urls
	for c, err := range affiliate.All(j.ctx, j.client.Coupons, affiliate.CouponQuery{}) {
		if err == nil {
			_, err = m.add(couponSection, c.ID.String(), c, "")
		}
		if err != nil {
			return m, err
		}
	}
	return m, j.withTerms(&m)
}

// withTerms adds the terms and the plans.
func (j *job) withTerms(m *model) error {
	versions, err := j.client.Terms(j.ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(versions, func(v affiliate.DatedTerms) bool { return v.InForce })
	if i < 0 {
		return errors.New("the answer has no terms in force")
	}
	now := versions[i].ProgramTerms
	if err := j.addTerms(m, termsSection, "", now, versions, now.OfferCouponID.String()); err != nil {
		return err
	}
	plans := func(pg affiliate.Page) (affiliate.List[affiliate.Plan], error) { return j.client.Plans(j.ctx, pg) }
	for p, err := range affiliate.Each(readAtOnce, plans) {
		if err == nil {
			err = j.addTerms(m, planSection, p.ID.String(), p, p.Versions, p.OfferCouponID.String())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addTerms adds a part with terms, and says from when on it has others.
func (j *job) addTerms(m *model, s *section, id string, answer any, versions []affiliate.DatedTerms, offer string) error {
	p, err := m.add(s, id, answer, offer)
	if err != nil {
		return err
	}
	if p.has["monthsFrom"] == nil {
		p.has["monthsFrom"] = string(affiliate.MonthsFromPayment)
	}
	for i, v := range versions {
		if i > 0 && versions[i-1].InForce {
			j.say("%s: from %s on there are other terms, which are in no file", p, v.From)
		}
	}
	return nil
}

// find returns the part with a key, and refuses a key that two have.
func (m *model) find(s *section, key string) (found *part, err error) {
	for i := range m.parts {
		switch p := &m.parts[i]; {
		case p.section != s || p.key != key:
		case found != nil:
			return nil, usage("two have the name of %s: give one of them another name", p)
		default:
			found = p
		}
	}
	return found, nil
}

// coupon returns the coupon with a key; without one, that with this name. An external id is given when a
// coupon is made, so one that wants another is refused: it would be there twice.
func (m *model) coupon(key string, want entry) (found *part, err error) {
	if found, err = m.find(couponSection, key); found != nil || err != nil {
		return found, err
	}
	named, external := cmp.Or(textOf(want, "name"), key), textOf(want, "externalId")
	for i := range m.parts {
		switch p := &m.parts[i]; {
		case p.section != couponSection || textOf(p.has, "name") != named:
		case external == "" && found != nil:
			return nil, usage("two coupons have the name %q: give the externalId of one", named)
		case external == "":
			found = p
		case p.has["externalId"] == nil:
			return nil, usage("%s is there without an externalId, which cannot be given later: give %q another name", p, external)
		}
	}
	return found, nil
}

// exportProgram prints the program as a file.
func exportProgram(j *job) error {
	m, err := j.model()
	if err != nil {
		return err
	}
	slices.SortStableFunc(m.parts, func(a, b part) int { return cmp.Compare(a.key, b.key) })
	var f programFile
	for i := range m.parts {
		p := &m.parts[i]
		if _, err := m.find(p.section, p.key); err != nil {
			return err
		}
		raw, err := json.Marshal(p.has)
		if err == nil {
			err = json.Unmarshal(raw, p.in(&f))
		}
		if err != nil {
			return err
		}
	}
	raw, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return j.printJSON([]byte(j.blank(string(raw))))
}

// readProgram reads a file into the parts that it wants, in the order in which they are applied.
func readProgram(path string, zone func(string) (*time.Location, error)) (parts []part, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("%v", err)
	}
	var f programFile
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err = d.Decode(&f); err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("something follows the object")
		}
	}
	var given, taken any
	if err == nil {
		again, _ := json.Marshal(f)
		err = errors.Join(decode(raw, &given), decode(again, &taken))
	}
	if at := untaken(given, taken); err == nil && at != "" {
		err = fmt.Errorf("unknown field %s", at)
	}
	if err != nil {
		return nil, usage("%s: %v", path, err)
	}
	if err := f.normalize(zone); err != nil {
		return nil, err
	}
	add := func(s *section, what any) {
		want, failed := entryOf(what)
		if err = cmp.Or(err, failed); err == nil && len(want) > 0 {
			parts = append(parts, part{section: s, key: s.keyOf(want), want: want})
			err = parts[len(parts)-1].check(path)
		}
	}
	add(settingsSection, f.Settings)
	for _, c := range f.Coupons {
		add(couponSection, c)
	}
	add(termsSection, f.Terms)
	for _, p := range f.Plans {
		add(planSection, p)
	}
	return parts, err
}

// normalize writes currencies and days as answers have them.
func (f *programFile) normalize(zone func(string) (*time.Location, error)) error {
	at, err := zone(f.Settings.TimeZone.Or(""))
	if err != nil {
		return err
	}
	upper(&f.Settings.Currency)
	for i := range f.Coupons {
		c := &f.Coupons[i]
		upper(&c.Currency)
		c.RedeemBy, c.StartsAt = moment(c.RedeemBy, affiliate.Date.Instant, at), moment(c.StartsAt, affiliate.Date.FirstInstant, at)
	}
	return nil
}

// untaken returns the path of a member that has a value and was not read; empty: there is none.
func untaken(given, taken any) string {
	switch given := given.(type) {
	case map[string]any:
		taken, _ := taken.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(given)) {
			value, there := taken[name]
			if !there && !none(given[name]) {
				return name
			}
			if at := untaken(given[name], value); there && at != "" {
				return name + "." + at
			}
		}
	case []any:
		taken, _ := taken.([]any)
		for i := range min(len(given), len(taken)) {
			if at := untaken(given[i], taken[i]); at != "" {
				return at
			}
		}
	}
	return ""
}

func upper(c *affiliate.Opt[affiliate.Currency]) {
	if is, err := affiliate.ParseCurrency(string(c.Or(""))); err == nil {
		*c = affiliate.Set(is)
	}
}

// moment returns a plain date as the moment that it stands for.
func moment(o affiliate.Opt[affiliate.Date], of func(affiliate.Date, *time.Location) time.Time, at *time.Location) affiliate.Opt[affiliate.Date] {
	if d, there := o.Get(); there {
		return affiliate.Set(affiliate.At(of(d, at)))
	}
	return o
}

// check refuses what no part can have.
func (p *part) check(path string) error {
	if p.section.id != "" && (p.key == "" || strings.TrimSpace(p.key) != p.key) {
		return usage("%s: a %s has no name, or spaces around it", path, p.name)
	}
	for name := range p.want {
		if why := elsewhere[name]; why != "" {
			return usage("%s: %s has %s; %s", path, p, name, why)
		}
	}
	for _, f := range p.fields {
		if value, there := p.want[f.name]; there && value == nil && f.kind == boolean {
			return usage("%s: %s of %s must be true or false", path, f.name, p)
		}
	}
	return nil
}

// wanted returns the parts of a file beside what is there.
func (j *job) wanted(m *model) (parts []part, err error) {
	parts, err = readProgram(j.file, func(name string) (*time.Location, error) {
		zone, err := time.LoadLocation(cmp.Or(name, m.settings.TimeZone))
		if err != nil {
			return nil, usage("%s: %v", j.file, err)
		}
		return zone, nil
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range parts {
		if err := j.match(m, &parts[i], seen); err != nil {
			return nil, err
		}
	}
	return parts, j.checkFixed(m, parts)
}

// match finds what a part of a file changes. seen has those before it.
func (j *job) match(m *model, p *part, seen map[string]bool) (err error) {
	var is *part
	if p.section == couponSection {
		is, err = m.coupon(p.key, p.want)
	} else {
		is, err = m.find(p.section, p.key)
	}
	if err != nil {
		return err
	}
	if is != nil {
		p.key, p.has, p.id = is.key, is.has, is.id
	}
	if seen[p.String()] {
		return usage("%s: %s is there twice", j.file, p)
	}
	seen[p.String()] = true
	offer := textOf(p.want, "offerCoupon")
	if offer == "" || seen[(&part{section: couponSection, key: offer}).String()] {
		return nil
	}
	coupon, err := m.coupon(offer, nil)
	switch {
	case err != nil:
		return err
	case coupon == nil:
		return usage("%s: %s offers the coupon %q, which is neither there nor in the file", j.file, p, offer)
	}
	p.want["offerCoupon"] = coupon.key
	return nil
}

// checkFixed refuses what cannot change: settings of the host, the currency and the zone once there is
// money, and what a coupon is called elsewhere.
func (j *job) checkFixed(m *model, parts []part) error {
	for i := range parts {
		p := &parts[i]
		for _, name := range p.differs() {
			switch {
			case p.has == nil:
			case name == "integrationType":
				return usage("%s: integrationType cannot change", p)
			case p.section == settingsSection && slices.Contains(m.settings.SetByCode, name):
				return usage("%s is set by the code of the program's host", p.lines(name)[0])
			case p.section == settingsSection && (name == "currency" || name == "timeZone"):
				sales, err1 := j.client.Sales(j.ctx, affiliate.SaleQuery{}, affiliate.Page{Limit: 1})
				booked, err2 := j.client.Movements(j.ctx, affiliate.MovementQuery{}, affiliate.Page{Limit: 1})
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				if len(sales.Items)+len(booked.Items) > 0 {
					return usage("%s: it cannot change, because the program has money", p.lines(name)[0])
				}
			}
		}
	}
	return nil
}

// none reports whether a value says nothing: null, 0, and what is empty.
func none(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// differs returns the members that are not as the file says.
func (p *part) differs() (names []string) {
	for _, f := range p.fields {
		if want, given := p.want[f.name]; given && !same(p.has[f.name], want) {
			names = append(names, f.name)
		}
	}
	return names
}

// lines say what becomes of a member: of an object, which a change replaces, what becomes of each of its
// members.
func (p *part) lines(name string) []string {
	return changes(fmt.Sprintf("%s: %s", p, name), p.has[name], p.want[name])
}

func changes(of string, has, want any) (all []string) {
	was, one := has.(map[string]any)
	will, two := want.(map[string]any)
	switch {
	case one && two && len(was) > 0 && len(will) > 0:
		names := maps.Clone(was)
		maps.Copy(names, will)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			all = append(all, changes(of+"."+name, was[name], will[name])...)
		}
	case !same(has, want):
		all = append(all, fmt.Sprintf("%s %s → %s", of, said(has), said(want)))
	}
	return all
}

// same reports whether two values are the same JSON, or both none.
func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y) || none(a) && none(b)
}

func said(v any) string {
	if none(v) {
		return "none"
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}

// applyProgram makes the program what a file says, or with --dry-run says what that would change.
func applyProgram(j *job) error {
	m, err := j.model()
	if err != nil {
		return err
	}
	parts, err := j.wanted(&m)
	if err != nil {
		return err
	}
	n, err := j.compare(&m, parts)
	switch {
	case err != nil:
		return err
	case n == 0:
		fmt.Fprintln(j.stdout, "nothing differs")
		return nil
	case j.dry:
		return problemFound{}
	}
	for i := range parts {
		if err := j.apply(&m, &parts[i], fmt.Sprint(j.key, "-", i)); err != nil {
			return fmt.Errorf("%s: %w", &parts[i], err)
		}
	}
	if m, err = j.model(); err == nil {
		parts, err = j.wanted(&m)
	}
	for i := range parts {
		for _, name := range parts[i].differs() {
			j.say("the file says otherwise than the program: write the first of %s", parts[i].lines(name)[0])
			err = problemFound{}
		}
	}
	return err
}

// compare prints what differs, and returns how many members do.
func (j *job) compare(m *model, parts []part) (n int, err error) {
	for i := range parts {
		p := &parts[i]
		names := p.differs()
		n += len(names)
		if p.has == nil {
			fmt.Fprintln(j.stdout, inert(j.blank(p.String()+": made")))
		}
		for _, name := range names {
			for _, line := range p.lines(name) {
				fmt.Fprintln(j.stdout, inert(j.blank(line)))
			}
		}
		if len(names) > 0 && p.has != nil && (p.section == planSection || p.section == termsSection) {
			if err := j.cost(m, p); err != nil {
				return n, err
			}
		}
	}
	for i := range m.parts {
		p := &m.parts[i]
		if p.key != "" && !slices.ContainsFunc(parts, func(q part) bool { return q.String() == p.String() }) {
			fmt.Fprintln(j.stdout, inert(j.blank(p.String()+": not in the file, and stays as it is")))
		}
	}
	return n, nil
}

// costDays is for how many days the cost of other terms is said.
const costDays = 90

// cost says what the last sales would have earned by the terms of a part.
func (j *job) cost(m *model, p *part) error {
	body := entry{"days": costDays}
	for _, f := range fieldsOf[affiliate.Terms]() {
		value, named := p.want[f.name]
		if !named {
			value = p.has[f.name]
		}
		if value != nil {
			body[f.name] = value
		}
	}
	if p.id != "" {
		body["commissionPlanId"] = p.id
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer, err := j.client.Do(j.ctx, "POST", "/terms/simulate", nil, raw)
	if err != nil { // it is said for people, and changes nothing
		fmt.Fprintln(j.stderr, inert(fmt.Sprintf("%s: what it would have cost is not known: %v", p, err)))
		return nil
	}
	r, err := read(answer.Body)
	in := string(m.settings.Currency)
	fmt.Fprintln(j.stdout, inert(fmt.Sprintf("%s: the last %d days: %v sales and %v conversions earned %v %s, and would have earned %v %s",
		p, costDays, r["sales"], r["conversions"], r["was"], in, r["would"], in)))
	return err
}

// apply makes or changes a part.
func (j *job) apply(m *model, p *part, key string) error {
	names := p.differs()
	if len(names) == 0 {
		return nil
	}
	body := entry{}
	for _, name := range names {
		if body[name] = p.want[name]; name == "offerCoupon" {
			delete(body, name)
			body["offerCouponId"] = nil
			if offer := textOf(p.want, name); offer != "" {
				coupon, err := m.find(couponSection, offer)
				if err != nil {
					return err
				}
				body["offerCouponId"] = coupon.id
			}
		}
	}
	method := "PUT"
	if p.has == nil {
		method = "POST"
		maps.DeleteFunc(body, func(_ string, v any) bool { return v == nil })
	} else if p.section.id != "" {
		body[p.section.id] = p.id
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer, err := j.client.Keyed(affiliate.Once{Key: key}).Do(j.ctx, method, p.path, nil, raw)
	if err != nil || p.section != couponSection || p.has != nil {
		return err
	}
	made, err := read(answer.Body) // others may offer it
	m.parts = append(m.parts, part{section: couponSection, key: p.key, id: textOf(made, "id")})
	return err
}
