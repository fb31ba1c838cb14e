package engine

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The settings of a program are its Config, completed by what its store keeps. Source:
// docs/rules.md 1.4, docs/contract.md 2.15.

// take completes c by what the store keeps, where the host gave nothing. It returns the names
// of the settings that the host gave.
func (c *Config) take(r *record.Settings) (own []string, err error) {
	t := taker{}
	take(&t, "name", &c.Name, affiliate.Set(r.Name))
	take(&t, "currency", &c.Currency, affiliate.Set(r.Currency))
	if c.Location != nil {
		t.own = append(t.own, "timeZone")
	} else if c.Location, err = time.LoadLocation(r.TimeZone); err != nil {
		return nil, refusal.Internal("affiliate: the time zone of the program", err)
	}
	kept, err := chosen(r)
	if err != nil {
		return nil, err
	}
	take(&t, "urlModifier", &c.Param, kept.URLModifier)
	takeList(&t, "oldUrlModifiers", &c.OldParams, kept.OldURLModifiers)
	takeList(&t, "keptParameters", &c.KeepParams, kept.KeptParameters)
	take(&t, "cookieDomain", &c.CookieDomain, kept.CookieDomain)
	take(&t, "cookieDuration", &c.CookieDays, asOpt(kept.CookieDuration, inDays))
	takeList(&t, "destinations", &c.Destinations, asOpt(kept.Destinations, destinationsOf))
	take(&t, "attribution", &c.Attribution, kept.Attribution)
	take(&t, "autoApprove", &c.NoAutoApprove, asOpt(kept.AutoApprove, negated))
	take(&t, "commissionOnTax", &c.CommissionOnTax, kept.CommissionOnTax)
	take(&t, "commissionOnShipping", &c.CommissionOnShipping, kept.CommissionOnShipping)
	take(&t, "refundWindowSeconds", &c.RefundWindow, asOpt(kept.RefundWindowSeconds, fromSeconds))
	take(&t, "payoutMinimum", &c.PayoutMinimum, kept.PayoutMinimum)
	take(&t, "company", &c.Company, kept.Company)
	take(&t, "termsText", &c.TermsText, kept.TermsText)
	take(&t, "termsVersion", &c.TermsVersion, kept.TermsVersion)
	take(&t, "retention", &c.Retention, asOpt(kept.Retention, agesOf))
	take(&t, "freeOrders", &c.FreeOrders, kept.FreeOrders)
	take(&t, "houseCodes", &c.HouseCodes, kept.HouseCodes)
	take(&t, "refuseSuspended", &c.RefuseSuspended, kept.RefuseSuspended)
	take(&t, "requireCustomer", &c.RequireCustomer, kept.RequireCustomer)
	take(&t, "countBots", &c.CountBots, kept.CountBots)
	take(&t, "cascadeEvents", &c.CascadeEvents, kept.CascadeEvents)
	return t.own, nil
}

// A taker collects the names of what the host gave.
type taker struct{ own []string }

// take sets a setting to what is kept, unless the host gave it: a value other than zero.
func take[T comparable](t *taker, name string, into *T, kept affiliate.Opt[T]) {
	var none T
	if *into != none {
		t.own = append(t.own, name)
		return
	}
	*into = kept.Or(none)
}

// takeList is take for a list.
func takeList[E any](t *taker, name string, into *[]E, kept affiliate.Opt[[]E]) {
	if len(*into) > 0 {
		t.own = append(t.own, name)
		return
	}
	*into = slices.Clone(kept.Or(nil))
}

// asOpt returns what f makes of a value, when there is one.
func asOpt[T, U any](o affiliate.Opt[T], f func(T) U) (_ affiliate.Opt[U]) {
	if v, there := o.Get(); there {
		return affiliate.Set(f(v))
	}
	return affiliate.Opt[U]{}
}

func negated(yes bool) bool { return !yes }

func inDays(n int64) int { return int(n) }

func fromSeconds(n int64) time.Duration { return time.Duration(n) * time.Second }

const day = 24 * time.Hour

// agesOf returns ages that are in days, and daysOf whole days of them.
func agesOf(d affiliate.RetentionDays) affiliate.Retention {
	return affiliate.Retention{Events: time.Duration(d.Events) * day, Receipts: time.Duration(d.Receipts) * day,
		Deliveries: time.Duration(d.Deliveries) * day, Clicks: time.Duration(d.Clicks) * day,
		Holds: time.Duration(d.Holds) * day}
}

func daysOf(r affiliate.Retention) affiliate.RetentionDays {
	return affiliate.RetentionDays{Events: int64(r.Events / day), Receipts: int64(r.Receipts / day),
		Deliveries: int64(r.Deliveries / day), Clicks: int64(r.Clicks / day), Holds: int64(r.Holds / day)}
}

func destinationsOf(urls []string) []affiliate.Destination {
	of := make([]affiliate.Destination, len(urls))
	for i, url := range urls {
		of[i] = affiliate.Destination{URL: url}
	}
	return of
}

// live has the settings of a program whose store keeps them, for all copies of the program.
type live struct {
	given Config // by the host, without defaults
	last  atomic.Pointer[Program]
	read  atomic.Pointer[time.Time] // when last was read; nil: it is read again

	changing sync.Mutex // of read
	changes  int        // how often forget was called
}

// settingsAge is how old settings may be that another process has changed.
const settingsAge = 5 * time.Second

// forget has the settings read again before the next operation.
func (l *live) forget() {
	l.changing.Lock()
	defer l.changing.Unlock()
	l.changes++
	l.read.Store(nil)
}

// begun returns what readAt wants to know of the time before a reading.
func (l *live) begun() int {
	l.changing.Lock()
	defer l.changing.Unlock()
	return l.changes
}

// readAt notes when the settings were read, unless they changed meanwhile.
func (l *live) readAt(now time.Time, begun int) {
	l.changing.Lock()
	defer l.changing.Unlock()
	if l.changes == begun {
		l.read.Store(&now)
	}
}

// Current returns the program with the settings that its store keeps. Every operation begins
// with it, and has the same settings to its end.
func (p *Program) Current(ctx context.Context) *Program {
	if p.live == nil {
		return p
	}
	now, read := p.Cfg.Now(), p.live.read.Load()
	if read == nil || now.Before(*read) || now.Sub(*read) >= settingsAge {
		if err := p.readSettings(ctx, now); err != nil {
			q := *p
			q.Store = unreadStore{err}
			return &q
		}
	}
	last := p.live.last.Load()
	q := *p
	q.Cfg, q.own, q.revision, q.targets, q.unset = last.Cfg, last.own, last.revision, last.targets, last.unset
	return &q
}

// An unreadStore is the store of an operation before which the settings could not be read.
type unreadStore struct{ err error }

func (s unreadStore) View(context.Context, uuid.UUID, func(*record.Tx) error) error { return s.err }

func (s unreadStore) Update(context.Context, uuid.UUID, func(*record.Tx) error) error { return s.err }

// readSettings reads what the store keeps.
func (p *Program) readSettings(ctx context.Context, now time.Time) error {
	var kept record.Settings
	begun := p.live.begun()
	err := p.Store.View(ctx, p.Cfg.ID, func(tx *record.Tx) (err error) {
		kept, err = keptSettings(tx)
		return err
	})
	if err != nil {
		return err
	}
	last := p.live.last.Load()
	for last == nil || last.revision < kept.Revision { // else somebody has read later ones
		next, err := p.live.completed(&kept)
		if err != nil {
			return err
		}
		if p.live.last.CompareAndSwap(last, next) {
			break
		}
		last = p.live.last.Load()
	}
	p.live.readAt(now, begun)
	return nil
}

// completed returns a program that has nothing but settings.
func (l *live) completed(kept *record.Settings) (*Program, error) {
	cfg := l.given
	own, err := cfg.take(kept)
	if err != nil {
		return nil, err
	}
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	p := &Program{live: l, own: own, revision: kept.Revision}
	p.configure(&cfg)
	return p, nil
}

// configure sets what is made of a Config.
func (p *Program) configure(cfg *Config) {
	p.Cfg, p.targets = cfg, targets(cfg.Destinations, cfg.Param)
	p.unset = &record.Plan{ID: programPlan(), Terms: cfg.Terms}
}

// keptSettings returns what the store keeps; zero: nothing.
func keptSettings(tx *record.Tx) (record.Settings, error) {
	kept, err := tx.Settings.Get(uuid.Max)
	if err != nil && !errors.Is(err, affiliate.ErrNotFound) {
		return kept, refusal.Internal("affiliate: read settings", err)
	}
	return kept, nil
}

// Settings implements tributary.Program.Settings.
func (p *Program) Settings(ctx context.Context) (_ affiliate.Settings, err error) {
	defer p.Begin(&ctx, "Settings", Reads).End(&err)
	return View(ctx, p, func(o *Op) (affiliate.Settings, error) {
		kept, err := keptSettings(o.Tx)
		if err != nil {
			return affiliate.Settings{}, err
		}
		return o.shownSettings(&kept, p)
	})
}

// shownSettings returns the settings of a program, of which the store keeps some.
func (o *Op) shownSettings(kept *record.Settings, of *Program) (affiliate.Settings, error) {
	own, err := o.programTerms()
	if err != nil {
		return affiliate.Settings{}, err
	}
	c := of.Cfg
	return affiliate.Settings{
		ID: c.ID, Name: c.Name, Currency: c.Currency, TimeZone: c.Location.String(),
		URLModifier: c.Param, OldURLModifiers: slices.Clone(c.OldParams),
		KeptParameters: slices.Clone(c.KeepParams), CookieDomain: c.CookieDomain,
		CookieDuration: c.CookieDays, Destinations: shownDestinations(c.Destinations),
		Attribution: c.Attribution, Terms: shownTerms(termsAt(own, o.Now)), AutoApprove: !c.NoAutoApprove,
		CommissionOnTax: c.CommissionOnTax, CommissionOnShipping: c.CommissionOnShipping,
		RefundWindowSeconds: OrNull(int64(c.RefundWindow / time.Second)), PayoutMinimum: c.PayoutMinimum,
		Company: c.Company, TermsText: c.TermsText, TermsVersion: c.TermsVersion,
		Retention: daysOf(c.Retention), FreeOrders: c.FreeOrders,
		HouseCodes: c.HouseCodes, RefuseSuspended: c.RefuseSuspended, RequireCustomer: c.RequireCustomer,
		CountBots: c.CountBots, CascadeEvents: c.CascadeEvents, DeliverySchedule: inSeconds(c.Schedule),
		SetByCode: refusal.EmptyNotNil(slices.Clone(of.setByCode())), Revision: kept.Revision, UpdatedBy: OrNull(kept.UpdatedBy),
		UpdatedAt: refusal.TimeOrNull(kept.UpdatedAt),
	}, nil
}

// setByCode returns the names of the settings that are the host's: all of those that a store
// could keep, unless it keeps some.
func (p *Program) setByCode() (names []string) {
	if p.live != nil {
		return p.own
	}
	for name := range eachSetting(&affiliate.SettingsUpdate{}) {
		names = append(names, name)
	}
	return names
}

// eachSetting yields the fields of an update, and their names on the wire.
func eachSetting(up *affiliate.SettingsUpdate) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		v := reflect.ValueOf(up).Elem()
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if !yield(name, v.Field(i)) {
				return
			}
		}
	}
}

// UpdateSettings implements tributary.Program.UpdateSettings.
func (p *Program) UpdateSettings(ctx context.Context, up affiliate.SettingsUpdate) (_ affiliate.Settings, err error) {
	defer p.Begin(&ctx, "UpdateSettings", Writes).End(&err)
	if c, err := affiliate.ParseCurrency(string(up.Currency.Or(""))); err == nil {
		up.Currency = affiliate.Set(c)
	}
	o := p.Op(ctx)
	rq := Request{Name: "program.update", Input: up, Refused: p.settingsRefused(up)}
	var with *Program // as it is afterwards
	is, err := Write(o, rq, func() (affiliate.Settings, error) {
		with = nil
		kept, err := keptSettings(o.Tx)
		if err != nil {
			return affiliate.Settings{}, err
		}
		if o.live == nil { // nothing is given that could change
			return o.shownSettings(&kept, p)
		}
		if kept.ID == uuid.Nil {
			kept = record.Settings{ID: uuid.Max, Name: o.Cfg.Name, Currency: o.Cfg.Currency, TimeZone: o.Cfg.Location.String()}
		}
		next, err := mergedSettings(kept, up)
		if err != nil {
			return affiliate.Settings{}, err
		}
		if err := o.refuseWithMoney(&kept, &next); err != nil {
			return affiliate.Settings{}, err
		}
		if with, err = o.live.completed(&next); err != nil {
			return affiliate.Settings{}, err
		}
		if err := with.CheckRetention(with.Cfg.Retention); err != nil {
			return affiliate.Settings{}, err
		}
		if o.settled = !Same(next, kept); o.settled {
			next.UpdatedBy = o.actor
			if next, err = o.keep(next); err != nil {
				return affiliate.Settings{}, err
			}
			with.revision = next.Revision
		}
		return o.shownSettings(&next, with)
	})
	if p.live != nil {
		if last := p.live.last.Load(); err == nil && with != nil && last != nil && last.revision < with.revision {
			p.live.last.CompareAndSwap(last, with) // for Config, until it is read again
		}
		p.live.forget()
	}
	return is, err
}

// chosen returns the settings that somebody set, besides the name, the currency and the zone.
func chosen(r *record.Settings) (set affiliate.SettingsUpdate, err error) {
	if len(r.Set) > 0 {
		err = json.Unmarshal(r.Set, &set)
	}
	if err != nil {
		err = refusal.Internal("affiliate: settings that are kept", err)
	}
	return set, err
}

// mergedSettings returns what is kept after an update.
func mergedSettings(r record.Settings, up affiliate.SettingsUpdate) (record.Settings, error) {
	set, err := chosen(&r)
	if err != nil {
		return r, err
	}
	r.Name, r.Currency, r.TimeZone = up.Name.Or(r.Name), up.Currency.Or(r.Currency), up.TimeZone.Or(r.TimeZone)
	up.Name, up.Currency, up.TimeZone = affiliate.Opt[string]{}, affiliate.Opt[affiliate.Currency]{}, affiliate.Opt[string]{}
	was, given := set, map[string]reflect.Value{}
	maps.Insert(given, eachSetting(&up))
	for name, into := range eachSetting(&set) {
		switch v := given[name]; {
		case v.Interface().(interface{ IsNull() bool }).IsNull():
			into.SetZero()
		case !v.IsZero():
			into.Set(v)
		}
	}
	text, version := set.TermsText.Or(""), set.TermsVersion.Or("")
	if (text == "") != (version == "") || text != "" && text != was.TermsText.Or("") && version == was.TermsVersion.Or("") {
		return r, refusal.TermsWithoutVersion.Err()
	}
	if r.Set = nil; !reflect.ValueOf(set).IsZero() {
		r.Set, err = json.Marshal(set)
	}
	return r, err
}

// refuseWithMoney refuses another currency or zone when somebody paid or earned.
func (o *Op) refuseWithMoney(kept, next *record.Settings) error {
	if kept.Currency == next.Currency && kept.TimeZone == next.TimeZone {
		return nil
	}
	found, err := holdsMoney(o.Tx)
	if err != nil {
		return refusal.Internal("look for money", err)
	}
	return refusal.First(
		refusal.SettingWithMoney.About("currency").When(found && kept.Currency != next.Currency),
		refusal.SettingWithMoney.About("timeZone").When(found && kept.TimeZone != next.TimeZone),
	)
}

// parameter is the name of a query parameter.
var parameter = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// settingsRefused checks an update by itself, and that nothing in it is the host's.
func (p *Program) settingsRefused(up affiliate.SettingsUpdate) error {
	own := p.setByCode()
	for name, v := range eachSetting(&up) {
		if !v.IsZero() && slices.Contains(own, name) {
			return refusal.SettingOfHost.Of(name)
		}
	}
	params := append(slices.Clone(up.OldURLModifiers.Or(nil)), up.KeptParameters.Or(nil)...)
	return refusal.First(
		refusal.NotCleared("name", up.Name),
		refusal.FieldEmpty.About("name").When(up.Name.Or("x") == "" || plaintext.Blank(up.Name.Or("x"))),
		refusal.CheckText("name", up.Name.Or(""), refusal.MaxName, false),
		refusal.NotCleared("currency", up.Currency),
		refusal.CurrencyUnknown.When(!up.Currency.Or("USD").Known()),
		refusal.NotCleared("timeZone", up.TimeZone),
		refusal.TimeZoneUnknown.When(!isZone(up.TimeZone.Or("UTC"))),
		refusal.FieldNotAParameter.About("urlModifier").When(!parameter.MatchString(up.URLModifier.Or("ref"))),
		refusal.FieldOver20Entries.About("oldUrlModifiers").When(len(up.OldURLModifiers.Or(nil)) > refusal.MaxCodes),
		refusal.FieldNotAParameter.About("oldUrlModifiers").When(slices.ContainsFunc(up.OldURLModifiers.Or(nil), noParameter)),
		refusal.FieldOver20Entries.About("keptParameters").When(len(up.KeptParameters.Or(nil)) > refusal.MaxCodes),
		refusal.FieldNotAParameter.About("keptParameters").When(slices.ContainsFunc(params, noParameter)),
		refusal.FieldNotADomain.About("cookieDomain").When(!domain.MatchString(up.CookieDomain.Or("shop.example"))),
		refusal.FieldNotDays.About("cookieDuration").When(up.CookieDuration.Or(1) < 1 || up.CookieDuration.Or(1) > maxCookieDays),
		refusal.FieldOver20Entries.About("destinations").When(len(up.Destinations.Or(nil)) > refusal.MaxCodes),
		refusal.DestinationNotAbsolute.When(checkDestinations(destinationsOf(up.Destinations.Or(nil))) != nil),
		AttributionCheck(up.Attribution.Or(affiliate.Attribution{})),
		refusal.FieldNotAtLeastOne.About("refundWindowSeconds").When(up.RefundWindowSeconds.Or(1) < 1),
		refusal.FieldTooLarge.About("refundWindowSeconds").When(up.RefundWindowSeconds.Or(1) > maxWindow),
		refusal.FieldNotAtLeastZero.About("payoutMinimum").When(up.PayoutMinimum.Or(affiliate.Amount{}).Sign() < 0),
		blankText("company", up.Company, refusal.MaxNote),
		blankText("termsText", up.TermsText, maxTermsText),
		blankText("termsVersion", up.TermsVersion, maxTermsVersion),
		refusal.FieldUntrimmed.About("termsVersion").When(up.TermsVersion.Or("") != strings.Join(strings.Fields(up.TermsVersion.Or("")), " ")),
		daysRefused(up.Retention.Or(affiliate.RetentionDays{})),
	)
}

// The limits of the terms that applicants accept, in characters.
const maxTermsText, maxTermsVersion = 50_000, 100

// blankText checks a text of lines that is not blank when it is given.
func blankText(field string, text affiliate.Opt[string], limit int) *affiliate.Error {
	s, given := text.Get()
	if given && (s == "" || plaintext.Blank(s)) {
		return refusal.FieldEmpty.Of(field)
	}
	return refusal.CheckText(field, s, limit, true)
}

// daysRefused checks ages by themselves.
func daysRefused(d affiliate.RetentionDays) *affiliate.Error {
	for _, age := range [...]struct {
		of   string
		days int64
	}{{"events", d.Events}, {"receipts", d.Receipts}, {"deliveries", d.Deliveries},
		{"clicks", d.Clicks}, {"holds", d.Holds}} {
		if age.days < 0 || age.days > maxCookieDays {
			return refusal.FieldNotDays.Of("retention." + age.of)
		}
	}
	return nil
}

// CheckRetention refuses a policy that would delete what is still needed.
func (p *Program) CheckRetention(r affiliate.Retention) error {
	return refusal.First(
		refusal.FieldNotAtLeastZero.About("events").When(r.Events < 0),
		refusal.FieldNotAtLeastZero.About("receipts").When(r.Receipts < 0),
		refusal.ReceiptsKeptTooShort.When(r.Receipts > 0 && r.Receipts < ReceiptLife),
		refusal.FieldNotAtLeastZero.About("deliveries").When(r.Deliveries < 0),
		refusal.FieldNotAtLeastZero.About("clicks").When(r.Clicks < 0),
		refusal.ClicksKeptTooShort.When(r.Clicks > 0 && r.Clicks < p.ClickWindow()),
		refusal.FieldNotAtLeastZero.About("holds").When(r.Holds < 0),
		refusal.HoldsKeptTooShort.When(r.Holds > 0 && r.Holds < affiliate.MaxHold),
	)
}

func noParameter(name string) bool { return !parameter.MatchString(name) }

// maxWindow is the longest time for refunds: a hundred years.
const maxWindow = maxCookieDays * 24 * 3600

// isZone reports whether a text names a zone of the IANA database. This machine's own is none.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "" && name != "Local"
}

func shownDestinations(all []affiliate.Destination) []affiliate.LinkDestination {
	shown := make([]affiliate.LinkDestination, len(all))
	for i, d := range all {
		params := url.Values{}
		maps.Copy(params, d.Params)
		for name := range params {
			params[name] = slices.Clone(params[name])
		}
		shown[i] = affiliate.LinkDestination{URL: d.URL, Params: params}
	}
	return shown
}

func inSeconds(all []time.Duration) []int64 {
	out := make([]int64, len(all))
	for i, d := range all {
		out[i] = int64(d / time.Second)
	}
	return out
}

// What the store keeps of the Config. A program without money is what its Config says; with
// money, a Config of another currency or zone is refused. Until there is money every
// transaction that writes looks, since another process may open the program otherwise and be the
// first that earns. Source: docs/rules.md 1.4.

// agree refuses a Config that says something else than the store keeps. It returns what is
// to be written in the place of what is kept, nil for nothing, and whether this is final.
func (p *Program) agree(tx *record.Tx) (change *record.Settings, final bool, err error) {
	kept, err := keptSettings(tx)
	if err != nil {
		return nil, false, err
	}
	is := kept
	is.ID, is.Name, is.Currency, is.TimeZone = uuid.Max, p.Cfg.Name, p.Cfg.Currency, p.Cfg.Location.String()
	same, look := Same(is, kept), holdsMoney
	if same { // one table is enough to know that nobody has to look again
		look = holdsSales
	}
	if final, err = look(tx); err != nil {
		return nil, false, refusal.Internal("look for money", err)
	}
	switch {
	case same:
		return nil, final, nil
	case final && kept.ID == uuid.Nil:
		return &is, final, checkAdopted(tx, is.Currency)
	case p.live != nil && kept.Revision != p.revision: // they changed since they were read
		if p.live.forget(); is.Currency == kept.Currency && is.TimeZone == kept.TimeZone {
			return nil, final, nil
		}
		return nil, false, errSettingsChanged
	case final && is.Currency != kept.Currency:
		return nil, false, &affiliate.SettingsError{Setting: "currency",
			Kept: string(kept.Currency), Given: string(is.Currency)}
	case final && is.TimeZone != kept.TimeZone:
		return nil, false, &affiliate.SettingsError{Setting: "zone", Kept: kept.TimeZone, Given: is.TimeZone}
	}
	return &is, final, nil
}

// checkAdopted refuses a currency in which the store, which keeps none, has sales as charged in
// another one than the program's.
func checkAdopted(tx *record.Tx, c affiliate.Currency) error {
	for sale, err := range tx.Sales.List(record.Query{Desc: true, Limit: 1000}) {
		if err != nil {
			return refusal.Internal("read sales", err)
		}
		if len(sale.Charged) > 0 && sale.Charged[0].Currency == c {
			return &affiliate.SettingsError{Setting: "currency", Kept: "another currency", Given: string(c)}
		}
	}
	return nil
}

// keep writes settings, and returns them as they are written.
func (o *Op) keep(is record.Settings) (record.Settings, error) {
	is.UpdatedAt = Later(o.Now, is.UpdatedAt)
	is.Revision++
	err := o.Tx.Settings.Replace(is)
	if errors.Is(err, affiliate.ErrNotFound) {
		is.CreatedAt = o.Now
		err = o.Tx.Settings.Insert(is)
	}
	if err != nil {
		return is, refusal.Internal("write settings", err)
	}
	return is, nil
}

// errSettingsChanged is the error of a write whose settings another process changed meanwhile.
var errSettingsChanged = errors.New("affiliate: the settings of the program were changed meanwhile: try again")

// holdsMoney reports whether the store has an amount in the currency of the program that
// somebody paid or earned.
func holdsMoney(tx *record.Tx) (bool, error) {
	for _, look := range [...]func() (bool, error){anyOf(tx.Sales), anyOf(tx.Movements),
		anyOf(tx.Redemptions), anyOf(tx.Payments), anyOf(tx.Payouts)} {
		if found, err := look(); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

func holdsSales(tx *record.Tx) (bool, error) { return anyOf(tx.Sales)() }

func anyOf[T record.AnyRecord](t record.Table[T]) func() (bool, error) {
	return func() (bool, error) {
		for _, err := range t.List(record.Query{Limit: 1, Desc: true}) {
			return err == nil, err
		}
		return false, nil
	}
}

// announceSettings tells the store what agree reads of a program that is what its Config says.
func (p *Program) announceSettings(tx *record.Tx) {
	if tx.Soon == nil {
		return
	}
	tx.Soon("settings", record.Key{ID: uuid.Max})
	tx.Soon("sales", record.Key{})
}
