package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/leaf"
	"github.com/tributary-go/tributary/internal/scene"
)

// A fieldTarget is a record that a test changes and reads back.
type fieldTarget struct {
	update func(up any) error
	read   func() any
	events int                 // that a change fires
	also   map[string][]string // keys that change together with that of a field
}

// A fieldChange is an update and the value that a key of the record then has.
// It sets one field, and others only when the field has no meaning without
// them.
type fieldChange struct {
	up         any
	key, shows string
}

// TestUpdateEachField updates every field alone and reads the record back: its
// key has the new value, no other key has changed, the event has fired, and the
// same update again changes nothing.
func TestUpdateEachField(t *testing.T) {
	missing := map[string]bool{}
	for _, c := range fieldChanges() {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(c.up)) {
			missing[fmt.Sprintf("%T.%s", c.up, field.Name)] = true
		}
	}
	for _, c := range fieldChanges() {
		v := reflect.ValueOf(c.up)
		for _, field := range reflect.VisibleFields(v.Type()) {
			if !v.FieldByIndex(field.Index).IsZero() {
				delete(missing, fmt.Sprintf("%T.%s", c.up, field.Name))
			}
		}
		t.Run(fmt.Sprintf("%T %s %s", c.up, c.key, c.shows), func(t *testing.T) {
			w := scene.New(t)
			changesField(w, fieldTargetOf(w, c.up), c)
			w.Verifies()
		})
	}
	delete(missing, "affiliate.SaleUpdate.ClawBack")           // no field of the sale: it allows the others
	delete(missing, "affiliate.SaleUpdate.Currency")           // no field of the sale: TestCurrencyOfAmounts in httpapi
	delete(missing, "affiliate.SaleUpdate.AffiliateID")        // names another record: TestMoveSale
	delete(missing, "affiliate.ReferralUpdate.AffiliateID")    // the same: TestMoveReferral
	delete(missing, "affiliate.AffiliateUpdate.AffiliateLink") // adds an entry to a list; a second time the slug is taken
	delete(missing, "affiliate.CouponUpdate.IntegrationType")  // not on the wire alone: TestCouponAtProvider
	delete(missing, "affiliate.AffiliateUpdate.OfferCouponID") // names another record: TestOfferOfWhom
	delete(missing, "affiliate.PlanUpdate.OfferCouponID")      // the same: TestOfferedSale
	delete(missing, "affiliate.PlanUpdate.From")               // no field of the plan: TestTermsFrom
	delete(missing, "affiliate.PlanUpdate.Withdraw")           // the same: TestTermsWithdraw
	for field := range missing {
		t.Errorf("%s has no row: add one to fieldChanges in update_fields_test.go", field)
	}
}

// clearable are the fields that null clears, and that no row of fieldChanges sets, each with the
// test that shows it.
var clearable = map[string]string{
	"affiliate.AffiliateUpdate.OfferCouponID": "TestOfferOfWhom",
	"affiliate.PlanUpdate.OfferCouponID":      "TestOfferedSale",
	"affiliate.CouponUpdate.IntegrationType":  "TestCouponAtProvider",
}

// afterNull are the fields whose members are not null when null has cleared them.
var afterNull = map[string]string{
	"affiliate.AffiliateUpdate.CommissionRate":   "20", // the program's
	"affiliate.SaleUpdate.CommissionRate":        "20",
	"affiliate.CodeUpdate.MinimumAmountCurrency": `"USD"`,
	"affiliate.EndpointUpdate.Headers":           "[]",
}

// TestUpdateNull sets each field to null when it has a value: that is refused, or clears it.
func TestUpdateNull(t *testing.T) {
	changes := map[string]fieldChange{}
	for _, c := range fieldChanges() {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(c.up)) {
			name := fmt.Sprintf("%T.%s", c.up, f.Name)
			if _, takesNull := reflect.Zero(f.Type).Interface().(interface{ IsNull() bool }); !takesNull {
				continue
			}
			if !reflect.ValueOf(c.up).FieldByIndex(f.Index).IsZero() {
				changes[name] = c
			} else if _, there := changes[name]; !there {
				changes[name] = fieldChange{up: reflect.Zero(reflect.TypeOf(c.up)).Interface()}
			}
		}
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) { setsToNull(t, name, c) })
	}
}

func setsToNull(t *testing.T, name string, c fieldChange) {
	field := name[strings.LastIndexByte(name, '.')+1:]
	w := scene.New(t)
	target := fieldTargetOf(w, c.up)
	if c.key != "" {
		scene.Must(0, target.update(c.up))
	}
	null := reflect.New(reflect.TypeOf(c.up)).Elem()
	scene.Must(0, json.Unmarshal([]byte("null"), null.FieldByName(field).Addr().Interface()))
	err := target.update(null.Interface())
	if _, refused := errors.AsType[*affiliate.Error](err); refused || clearable[name] != "" {
		return
	}
	want := cmp.Or(afterNull[name], "null")
	got := cmp.Or(string(scene.KeysOf(target.read())[c.key]), "null")
	if err != nil || got != want || c.key == "" {
		t.Errorf("null is taken, and %s is %s, %v: refuse it by refusal.NotCleared, or clear it "+
			"(what it is then, if not null, is a line of afterNull in update_fields_test.go)", c.key, got, err)
	}
}

// TestUpdateKeepsOtherFields makes all changes of a record one after another,
// and in the opposite order on another record. Each change keeps the values of
// the earlier ones.
func TestUpdateKeepsOtherFields(t *testing.T) {
	changes := fieldChanges()
	for _, order := range [][]fieldChange{changes, reversed(changes)} {
		targets := map[reflect.Type]*keptFields{}
		for _, c := range order {
			typ := reflect.TypeOf(c.up)
			if targets[typ] == nil {
				w := scene.New(t)
				targets[typ] = &keptFields{w, fieldTargetOf(w, c.up), map[string]string{}}
			}
			targets[typ].change(c)
		}
	}
}

func reversed[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// keptFields is a record with the keys that changes have set.
type keptFields struct {
	*scene.World
	target fieldTarget
	set    map[string]string
}

func (k *keptFields) change(c fieldChange) {
	k.T.Helper()
	k.Pass(time.Minute)
	if err := k.target.update(c.up); err != nil {
		k.T.Fatalf("%T %s: %v", c.up, c.key, err)
	}
	now := scene.KeysOf(k.target.read())
	for key, was := range k.set {
		if key != c.key && !slices.Contains(k.target.also[c.key], key) && string(now[key]) != was {
			k.T.Errorf("%T: a change of %s turned %s from %s into %s", c.up, c.key, key, was, now[key])
		}
		k.set[key] = string(now[key])
	}
	k.set[c.key] = string(now[c.key])
}

func changesField(w *scene.World, r fieldTarget, c fieldChange) {
	w.T.Helper()
	before, events := scene.KeysOf(r.read()), len(w.EventTypes(0))
	w.Pass(time.Minute)
	scene.Must(0, r.update(c.up))
	after := scene.KeysOf(r.read())
	if string(after[c.key]) != c.shows || string(before[c.key]) == c.shows {
		w.T.Errorf("%s is %s, was %s, want %s", c.key, after[c.key], before[c.key], c.shows)
	}
	for _, key := range append(r.also[c.key], c.key, "updatedAt") {
		delete(before, key)
		delete(after, key)
	}
	scene.Equal(w.T, before, after)
	scene.Equal(w.T, r.events, len(w.EventTypes(events)))
	stored := w.Dump()
	w.Pass(time.Minute)
	scene.Must(0, r.update(c.up))
	scene.Equal(w.T, stored, w.Dump())
}

// fieldChanges returns the updates.
func fieldChanges() []fieldChange {
	text, number, yes := affiliate.Set[string], affiliate.Set[int64], affiliate.Set(true)
	sum, percent := affiliate.MustAmount, affiliate.MustPercent
	type (
		person   = affiliate.AffiliateUpdate
		discount = affiliate.CouponUpdate
		code     = affiliate.CodeUpdate
		customer = affiliate.ReferralUpdate
		sale     = affiliate.SaleUpdate
		plan     = affiliate.PlanUpdate
		tier     = affiliate.TierUpdate
		endpoint = affiliate.EndpointUpdate
	)
	document := affiliate.Set(json.RawMessage(`{"a":1}`))
	return []fieldChange{
		{person{FirstName: text("Augusta")}, "firstName", `"Augusta"`},
		{person{LastName: text("King")}, "lastName", `"King"`},
		{person{ExternalID: text("user-7")}, "externalId", `"user-7"`},
		{person{Language: text("pt-BR")}, "language", `"pt-BR"`},
		{person{Note: text("two\nlines")}, "note", `"two\nlines"`},
		{person{Email: text("king@example.com")}, "email", `"king@example.com"`},
		{person{CommissionRate: affiliate.Set(percent("30"))}, "commissionRate", `30`},
		{person{AffiliateStatus: text("inactive")}, "status", `"INACTIVE"`},

		{discount{Name: text("new")}, "name", `"new"`},
		{discount{CouponType: affiliate.Set(affiliate.CouponFlat), AmountOff: scene.Amount("5"), Currency: currency("EUR")}, "couponType", `"FLAT"`},
		{discount{PercentOff: affiliate.Set(percent("21"))}, "percentOff", `21`},
		{discount{Duration: affiliate.Set(affiliate.DurationOnce)}, "duration", `"once"`},
		{discount{DurationInMonths: number(7)}, "durationInMonths", `7`},
		{discount{MaxRedemptions: number(7)}, "maxRedemptions", `7`},
		{discount{LimitToProducts: affiliate.Set(false)}, "limitToProducts", `false`},
		{discount{ProductIDs: affiliate.Set([]string{"b"})}, "productIds", `["b"]`},
		{discount{Valid: affiliate.Set(false)}, "valid", `false`},
		{discount{ExternalID: text("promo_x")}, "externalId", `"promo_x"`},
		{discount{RedeemBy: affiliate.Set(affiliate.Day(2027, 1, 1))}, "redeemBy", `"2027-01-01T23:59:59.999Z"`},
		{discount{StartsAt: affiliate.Set(affiliate.Day(2027, 1, 1))}, "startsAt", `"2027-01-01T00:00:00.000Z"`},
		{discount{MaxDiscount: scene.Amount("7")}, "maxDiscount", `7`},
		{discount{MaxDiscountTotal: scene.Amount("70")}, "maxDiscountTotal", `70`},
		{discount{MaxRedemptionsPerCustomer: number(7)}, "maxRedemptionsPerCustomer", `7`},
		{discount{RestoreOnRefund: affiliate.Set(true)}, "restoreOnRefund", `true`},

		{code{Code: text("KING20")}, "code", `"KING20"`},
		{code{Code: text("ada20")}, "code", `"ada20"`}, // the same code in another letter case
		{code{AffiliateID: affiliate.Null[uuid.UUID]()}, "affiliateId", `null`},
		{code{AffiliateEmail: affiliate.Null[string]()}, "affiliateId", `null`},
		{code{ExternalID: text("x")}, "externalId", `"x"`},
		{code{Active: affiliate.Set(false)}, "active", `false`},
		{code{ExpiresAt: affiliate.Set(affiliate.Day(2027, 1, 1))}, "expiresAt", `"2027-01-01T23:59:59.999Z"`},
		{code{MaxRedemptions: number(7)}, "maxRedemptions", `7`},
		{code{StartsAt: affiliate.Set(affiliate.Day(2027, 1, 1))}, "startsAt", `"2027-01-01T00:00:00.000Z"`},
		{code{MinimumQuantity: scene.Amount("7")}, "minimumQuantity", `7`},
		{code{MaxRedemptionsPerCustomer: number(7)}, "maxRedemptionsPerCustomer", `7`},
		{code{FirstTimeOrder: yes}, "firstTimeOrder", `true`},
		{code{MinimumAmount: scene.Amount("5")}, "minimumAmount", `5`},
		{code{MinimumAmountCurrency: currency("EUR")}, "minimumAmountCurrency", `"EUR"`},
		{code{LimitToCustomers: yes}, "limitToCustomers", `true`},
		{code{CustomerID: text("other")}, "customerId", `"other"`},
		{code{LimitToAffiliate: yes}, "limitToAffiliate", `true`},

		{customer{Name: text("Tom")}, "name", `"Tom"`},
		{customer{Email: text("tom@example.net")}, "email", `"tom@example.net"`},
		{customer{ReferredUserExternalID: text("other")}, "referredUserExternalId", `"other"`},
		{customer{Plan: text("Yearly")}, "plan", `"Yearly"`},
		{customer{SubscriptionStatus: affiliate.Set(affiliate.SubscriptionDeclined)}, "subscriptionStatus", `"DECLINED"`},
		{customer{Notes: text("")}, "notes", `""`},
		{customer{Metadata: document}, "metadata", `{"a":1}`},

		{sale{Email: text("tom@example.net")}, "email", `"tom@example.net"`},
		{sale{Name: text("Tom")}, "name", `"Tom"`},
		{sale{TotalEarned: affiliate.Set(sum("200"))}, "totalEarned", `200`},
		{sale{Subtotal: affiliate.Set(sum("250"))}, "subtotal", `250`},
		{sale{ExternalID: text("x")}, "externalId", `"x"`},
		{sale{ExternalInvoiceID: text("x")}, "externalInvoiceId", `"x"`},
		{sale{CommissionRate: affiliate.Set(percent("30"))}, "commissionRate", `30`},
		{sale{CommissionEarned: affiliate.Set(sum("7"))}, "commissionEarned", `7`},
		{sale{Metadata: document}, "metadata", `{"a":1}`},

		{plan{Name: text("new")}, "name", `"new"`},
		{plan{TermsUpdate: affiliate.Terms{Rate: percent("9")}.Update()}, "commissionRate", `9`},
		{plan{PaymentTrigger: affiliate.Set(affiliate.TriggerSignup)}, "paymentTrigger", `"SIGNUP"`},
		{plan{AutoApproveRewards: affiliate.Set(false)}, "autoApproveRewards", `false`},
		{plan{TermsUpdate: affiliate.TermsUpdate{Type: affiliate.Set(affiliate.CommissionFlat)}}, "commissionType", `"FLAT"`},
		{plan{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(percent("8"))}}, "commissionRate", `8`},
		{plan{TermsUpdate: affiliate.TermsUpdate{MaxPayments: number(7)}}, "numberOfPayments", `7`},
		{plan{TermsUpdate: affiliate.TermsUpdate{MaxMonths: number(6)}}, "numberOfMonths", `6`},
		{plan{TermsUpdate: affiliate.TermsUpdate{Rules: affiliate.Set([]affiliate.Rule{{Name: "none", Pay: affiliate.RulePay{Type: affiliate.RuleNone}}})}}, "rules", `[{"name":"none","pay":{"commissionType":"NONE","commissionRate":0}}]`},
		{plan{TermsUpdate: affiliate.TermsUpdate{MonthsFrom: affiliate.Set(affiliate.MonthsFromReferral)}}, "monthsFrom", `"REFERRAL"`},
		{plan{TermsUpdate: affiliate.TermsUpdate{MaxPerSale: affiliate.Set(sum("30"))}}, "maxPerSale", `30`},
		{plan{TermsUpdate: affiliate.TermsUpdate{MaxPerCustomer: affiliate.Set(sum("500"))}}, "maxPerCustomer", `500`},
		{plan{TermsUpdate: affiliate.TermsUpdate{Budgets: affiliate.Set([]affiliate.Budget{{Of: affiliate.BudgetOfAll, MaxRewards: 3}})}}, "budgets", `[{"of":"ALL","maxRewards":3}]`},
		{plan{TermsUpdate: affiliate.TermsUpdate{Bonuses: affiliate.Set([]affiliate.Bonus{{Name: "b", From: affiliate.Day(2026, 3, 1), SignUps: 3, Amount: sum("5")}})}}, "bonuses", `[{"name":"b","from":"2026-03-01","signUps":3,"amount":5}]`},
		{plan{TermsUpdate: affiliate.TermsUpdate{HoldDays: number(5)}}, "holdDays", `5`},

		{tier{Tier: number(7)}, "tier", `7`},
		{tier{Name: text("new")}, "name", `"new"`},
		{tier{Emoji: text("★")}, "emoji", `"★"`},
		{tier{MinReferrals: number(7)}, "minReferrals", `7`},
		{tier{MinRevenue: affiliate.Set(sum("7"))}, "minRevenue", `7`},
		{tier{Per: affiliate.Set(affiliate.IntervalWeek)}, "per", `"week"`},
		{tier{GracePeriods: number(3)}, "gracePeriods", `3`},
		{tier{AtPeriodEnd: affiliate.Set(true)}, "atPeriodEnd", `true`},
		{tier{ConditionType: affiliate.Set(affiliate.ConditionSome)}, "conditionType", `"SOME"`},
		{tier{Rate: affiliate.Set(percent("9"))}, "commissionRate", `9`},

		{endpoint{URL: text("https://hooks.example/b")}, "url", `"https://hooks.example/b"`},
		{endpoint{Events: affiliate.Set([]affiliate.EventType{affiliate.SaleDeleted})}, "events", `["sale.deleted"]`},
		{endpoint{Description: text("new")}, "description", `"new"`},
		{endpoint{Active: affiliate.Set(false)}, "active", `false`},
		{endpoint{SvixHeaders: yes}, "svixHeaders", `true`},
		{endpoint{Headers: affiliate.Set(affiliate.EndpointHeaders{"x-key": "k"})}, "headerNames", `["X-Key"]`},
	}
}

// fieldTargetOf returns a record of the kind that an update changes.
func fieldTargetOf(w *scene.World, up any) fieldTarget {
	ctx := context.Background()
	switch up.(type) {
	case affiliate.AffiliateUpdate:
		id := w.Ada().Person.ID
		return fieldTarget{
			func(up any) error {
				return scene.ErrOf(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, up.(affiliate.AffiliateUpdate)))
			},
			func() any { return scene.Must(w.Affiliate(ctx, id.String())) }, 1,
			map[string][]string{
				"firstName": {"name"}, "lastName": {"name"}, "commissionRate": {"useCommissionPlanCommissionRate"},
			},
		}
	case affiliate.CouponUpdate:
		id := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{
			Name: "old", PercentOff: scene.Percent("20"), Duration: affiliate.DurationRepeating, DurationInMonths: affiliate.Set[int64](3),
			LimitToProducts: true, ProductIDs: []string{"a"},
		})).ID
		return fieldTarget{
			func(up any) error { return scene.ErrOf(w.UpdateCoupon(ctx, id, up.(affiliate.CouponUpdate))) },
			func() any { return scene.Must(w.Coupon(ctx, affiliate.CouponRef{ID: id})) }, 1,
			map[string][]string{"couponType": {"percentOff", "amountOff", "currency", "maxDiscount"}, "duration": {"durationInMonths"}, "maxDiscountTotal": {"discountTotal"}},
		}
	case affiliate.CodeUpdate:
		a := w.Ada()
		id := a.ADA20.ID
		scene.Must(w.UpdateCode(ctx, id, affiliate.CodeUpdate{CustomerID: affiliate.Set("c"), MinimumAmount: scene.Amount("1")}))
		return fieldTarget{
			func(up any) error { return scene.ErrOf(w.UpdateCode(ctx, id, up.(affiliate.CodeUpdate))) },
			func() any { return scene.Must(w.Code(ctx, affiliate.CodeRef{ID: id})) }, 1,
			map[string][]string{"affiliateId": {"affiliate"}},
		}
	case affiliate.ReferralUpdate:
		id := fieldSale(w).Referral.Or(affiliate.Referral{}).ID.String()
		return fieldTarget{
			func(up any) error { return scene.ErrOf(w.UpdateReferral(ctx, id, up.(affiliate.ReferralUpdate))) },
			func() any { return scene.Must(w.Referral(ctx, id)) }, 1,
			map[string][]string{"subscriptionStatus": {"status"}},
		}
	case affiliate.SaleUpdate:
		id := fieldSale(w).ID
		money := []string{"commissionEarned", "commissions", "referral"}
		return fieldTarget{
			func(up any) error { return scene.ErrOf(w.UpdateSale(ctx, id, up.(affiliate.SaleUpdate))) },
			func() any { return scene.Must(w.Sale(ctx, id)) }, 1,
			map[string][]string{"totalEarned": money, "commissionRate": money, "commissionEarned": money},
		}
	}
	return quietTarget(w, up)
}

// quietTarget returns a record whose changes fire no event.
func quietTarget(w *scene.World, up any) fieldTarget {
	ctx := context.Background()
	switch up.(type) {
	case affiliate.PlanUpdate:
		id := scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "old"})).ID
		return fieldTarget{
			func(up any) error { return scene.ErrOf(w.UpdatePlan(ctx, id, up.(affiliate.PlanUpdate))) },
			func() any { return scene.Must(w.Plans(ctx, affiliate.Page{})).Items[0] }, 0,
			map[string][]string{"commissionRate": {"commissionType", "numberOfPayments", "numberOfMonths", "holdDays", "rules", "monthsFrom", "maxPerSale", "maxPerCustomer", "budgets", "bonuses"}}, // Terms are replaced as a whole
		}
	case affiliate.TierUpdate:
		id := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "old", Per: affiliate.IntervalMonth})).ID
		return fieldTarget{
			func(up any) error { return scene.ErrOf(w.UpdateTier(ctx, id, up.(affiliate.TierUpdate))) },
			func() any { return scene.Must(w.Tiers(ctx, affiliate.Page{})).Items[0] }, 0, nil,
		}
	}
	id := scene.Must(w.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://hooks.example/a", Events: []affiliate.EventType{"sale.created"}})).ID
	return fieldTarget{
		func(up any) error {
			return scene.ErrOf(w.Webhooks().UpdateEndpoint(ctx, id, up.(affiliate.EndpointUpdate)))
		},
		func() any { return scene.Must(w.Webhooks().Endpoint(ctx, id)) }, 0,
		map[string][]string{"active": {"status", "disabledReason", "disabledAt"}},
	}
}

// fieldSale returns a sale of ada's customer.
func fieldSale(w *scene.World) affiliate.Sale {
	w.Ada()
	return scene.Must(w.RecordSale(context.Background(), affiliate.SaleParams{
		ReferralID: "ada", Email: "tomas@example.net", Name: "Tomas", TotalEarned: affiliate.MustAmount("100"),
	})).Sale.Or(affiliate.Sale{})
}

// TestUpdateFieldsBeforeLookUp: an invalid field is refused before the record
// is looked up (contract 1.9, order of checks). Whether null is allowed may
// depend on the record.
func TestUpdateFieldsBeforeLookUp(t *testing.T) {
	w := scene.New(t)
	ctx, nobody := context.Background(), uuid.Max
	percent, amount := affiliate.MustPercent, affiliate.MustAmount
	for name, c := range map[string]struct {
		up   affiliate.CouponUpdate
		want affiliate.Error
	}{
		"percentOff": {affiliate.CouponUpdate{PercentOff: affiliate.Set(percent("500"))}, scene.FieldError(affiliate.InvalidField, "percentOff", "Percent off must be between 1 and 100")},
		"amountOff":  {affiliate.CouponUpdate{AmountOff: affiliate.Set(amount("0"))}, scene.FieldError(affiliate.InvalidField, "amountOff", "Amount off must be greater than zero")},
		"name null":  {affiliate.CouponUpdate{Name: affiliate.Null[string]()}, scene.FieldError(affiliate.InvalidField, "name", "name must not be null")},
		"null that may be right": {affiliate.CouponUpdate{
			PercentOff: affiliate.Null[affiliate.Percent](), AmountOff: affiliate.Null[affiliate.Amount](),
			Currency: affiliate.Null[affiliate.Currency](), DurationInMonths: affiliate.Null[int64](),
		}, scene.MissingError(affiliate.CouponNotFound, "Coupon not found")},
		"a type that may be right": {affiliate.CouponUpdate{
			CouponType: affiliate.Set(affiliate.CouponFlat), Duration: affiliate.Set(affiliate.DurationRepeating), LimitToProducts: affiliate.Set(true),
		}, scene.MissingError(affiliate.CouponNotFound, "Coupon not found")},
	} {
		t.Run("coupon "+name, func(t *testing.T) {
			w.Refused(c.want, func() error { return scene.ErrOf(w.UpdateCoupon(ctx, nobody, c.up)) })
		})
	}
	for name, c := range map[string]struct {
		up   affiliate.CodeUpdate
		want affiliate.Error
	}{
		"code":        {affiliate.CodeUpdate{Code: affiliate.Set("A B")}, scene.FieldError(affiliate.CodeSyntax, "code", "Code contains invalid characters")},
		"active null": {affiliate.CodeUpdate{Active: affiliate.Null[bool]()}, scene.FieldError(affiliate.InvalidField, "active", "active must not be null")},
		"null that may be right": {affiliate.CodeUpdate{
			CustomerID: affiliate.Null[string](), LimitToCustomers: affiliate.Set(true),
		}, scene.MissingError(affiliate.PromotionalCodeNotFound, "Promotional code not found")},
	} {
		t.Run("code "+name, func(t *testing.T) {
			w.Refused(c.want, func() error { return scene.ErrOf(w.UpdateCode(ctx, nobody, c.up)) })
		})
	}
}

// TestSameEveryField: a record with one changed field is not the same, for
// every field of every record at any depth; a copy is the same. A new field is
// tested automatically.
func TestSameEveryField(t *testing.T) {
	for _, table := range record.Schema() {
		t.Run(table.Name, func(t *testing.T) { everyField(t, table) })
	}
}

func everyField(t *testing.T, table record.TableSchema) {
	of := func(rec record.AnyRecord) reflect.Value {
		v := reflect.New(reflect.TypeOf(rec)).Elem()
		v.Set(reflect.ValueOf(rec))
		return v
	}
	full := func() reflect.Value {
		v := of(table.Empty())
		for field := range leaf.Of(v, "") {
			field.Set(1)
		}
		return v
	}
	if !engine.SameValue(full(), of(table.Clone(full().Interface().(record.AnyRecord)))) {
		t.Error("a copy is not the same")
	}
	for i := 0; ; i++ {
		changed, n := full(), 0
		for field := range leaf.Of(changed, "") {
			if n++; n == i+1 {
				field.Set(2)
				if engine.SameValue(full(), changed) || engine.SameValue(changed, full()) {
					t.Errorf("%s alone makes no difference", field.Name)
				}
			}
		}
		if n <= i {
			return
		}
	}
}

// The deductions from the base belong to the commission too: after they change,
// the commission differs at the same rate.
func TestRecalculateAfterADeduction(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	sale := s.Sell(affiliate.SaleParams{Email: s.Tomas.Email, Tax: scene.Sum("10")})
	cfg := s.Config()
	cfg.CommissionOnTax = true
	later := scene.Must(tributary.New(s.Store, cfg))
	scene.Equal(t, 1, scene.Must(later.Run(ctx, affiliate.RecalculateJob{})).Changed)
	scene.Equal(t, []affiliate.Amount{scene.Sum("18"), scene.Sum("20")}, []affiliate.Amount{sale.CommissionEarned, scene.Must(s.Sale(ctx, sale.ID)).CommissionEarned})
	scene.Equal(t, 0, scene.Must(later.Run(ctx, affiliate.RecalculateJob{})).Changed)
	s.Verifies()
}
