package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func currency(s string) affiliate.Opt[affiliate.Currency] {
	return affiliate.Set(affiliate.Currency(s))
}

var (
	couponMissing  = scene.MissingError(affiliate.CouponNotFound, "Coupon not found")
	couponIDNeeded = scene.FieldError(affiliate.MissingField, "couponId", "Coupon ID is required")
)

// couponErrorRows returns the rows of the contract's table in order, each as a
// change that makes a valid coupon invalid.
func couponErrorRows() []struct {
	name string
	edit func(*affiliate.CouponParams)
	want affiliate.Error
} {
	mf, inv := affiliate.MissingField, affiliate.InvalidField
	return []struct {
		name string
		edit func(*affiliate.CouponParams)
		want affiliate.Error
	}{
		{"B122 no name", func(c *affiliate.CouponParams) { c.Name = "" }, scene.FieldError(mf, "name", "Name is required")},
		{"B123 blank name", func(c *affiliate.CouponParams) { c.Name = "   " }, scene.FieldError(mf, "name", "Name is required")},
		{"B125 long name", func(c *affiliate.CouponParams) { c.Name = strings.Repeat("x", 256) }, scene.FieldError(inv, "name", "name is too long")},
		{"B126 newline", func(c *affiliate.CouponParams) { c.Name = "a\nb" }, scene.FieldError(inv, "name", "name contains invalid characters")},
		{"B126 U+0085", func(c *affiliate.CouponParams) { c.Name = "a\u0085b" }, scene.FieldError(inv, "name", "name contains invalid characters")},
		{"B142 type", func(c *affiliate.CouponParams) { c.CouponType = "percentage" }, scene.FieldError(inv, "couponType", "couponType must be one of PERCENTAGE, FLAT")},
		{"B128 no percent", func(c *affiliate.CouponParams) { c.PercentOff = affiliate.Opt[affiliate.Percent]{} }, scene.FieldError(mf, "percentOff", "Percent off is required when the coupon type is PERCENTAGE")},
		{"B129 null percent", func(c *affiliate.CouponParams) { c.PercentOff = affiliate.Null[affiliate.Percent]() }, scene.FieldError(mf, "percentOff", "Percent off is required when the coupon type is PERCENTAGE")},
		{"B130 zero percent", func(c *affiliate.CouponParams) { c.PercentOff = scene.Percent("0") }, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B131 below one", func(c *affiliate.CouponParams) { c.PercentOff = scene.Percent("0.9999") }, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B132 above a hundred", func(c *affiliate.CouponParams) { c.PercentOff = scene.Percent("100.01") }, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B133 negative", func(c *affiliate.CouponParams) { c.PercentOff = scene.Percent("-5") }, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B152 flat with 500 percent", func(c *affiliate.CouponParams) { makeFlat(c); c.PercentOff = scene.Percent("500") }, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B144 flat without amount", func(c *affiliate.CouponParams) { makeFlat(c); c.AmountOff = affiliate.Opt[affiliate.Amount]{} }, scene.FieldError(mf, "amountOff", "Amount off is required when the coupon type is FLAT")},
		{"B146 zero amount", func(c *affiliate.CouponParams) { makeFlat(c); c.AmountOff = scene.Amount("0") }, scene.FieldError(inv, "amountOff", "Amount off must be greater than zero")},
		{"B146 amount of a percentage coupon", func(c *affiliate.CouponParams) { c.AmountOff = scene.Amount("-1") }, scene.FieldError(inv, "amountOff", "Amount off must be greater than zero")},
		{"B145 flat without currency", func(c *affiliate.CouponParams) { makeFlat(c); c.Currency = affiliate.Opt[affiliate.Currency]{} }, scene.FieldError(mf, "currency", "Currency is required when the coupon type is FLAT")},
		{"B154 currency", func(c *affiliate.CouponParams) { makeFlat(c); c.Currency = currency("ZZZ") }, scene.FieldError(inv, "currency", "Currency must be an ISO 4217 code")},
		{"B154 currency of a percentage coupon", func(c *affiliate.CouponParams) { c.Currency = currency("ＵＳＤ") }, scene.FieldError(inv, "currency", "Currency must be an ISO 4217 code")},
		{"B156 duration", func(c *affiliate.CouponParams) { c.Duration = "Once" }, scene.FieldError(inv, "duration", "duration must be one of once, forever, repeating")},
		{"B157 no months", func(c *affiliate.CouponParams) { c.Duration = affiliate.DurationRepeating }, scene.FieldError(mf, "durationInMonths", "Duration in months is required when the duration is repeating")},
		{"B158 months", func(c *affiliate.CouponParams) { c.DurationInMonths = affiliate.Set[int64](0) }, scene.FieldError(inv, "durationInMonths", "durationInMonths must be at least 1")},
		{"B160 months", func(c *affiliate.CouponParams) { c.DurationInMonths = affiliate.Set[int64](1201) }, scene.FieldError(inv, "durationInMonths", "durationInMonths is too large")},
		{"B162 max redemptions", func(c *affiliate.CouponParams) { c.MaxRedemptions = affiliate.Set[int64](-1) }, scene.FieldError(inv, "maxRedemptions", "maxRedemptions must be at least 1")},
		{"B178 no products", func(c *affiliate.CouponParams) { c.LimitToProducts = true }, scene.FieldError(mf, "productIds", "Product IDs are required when limitToProducts is true")},
		{"products over 1000", func(c *affiliate.CouponParams) { c.ProductIDs = scene.ManyProducts(1001) }, scene.FieldError(inv, "productIds", "productIds must have at most 1000 entries")},
		{"B176 empty product", func(c *affiliate.CouponParams) { c.ProductIDs = []string{""} }, scene.FieldError(inv, "productIds", "productIds must not be empty")},
		{"long product", func(c *affiliate.CouponParams) { c.ProductIDs = []string{strings.Repeat("x", 256)} }, scene.FieldError(inv, "productIds", "productIds is too long")},
		{"B177 product twice", func(c *affiliate.CouponParams) { c.ProductIDs = []string{"a", "b", "a"} }, scene.FieldError(inv, "productIds", "productIds must have distinct entries")},
		{"B172 redeemBy", func(c *affiliate.CouponParams) {
			c.RedeemBy = affiliate.Set(affiliate.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)))
		}, scene.FieldError(inv, "redeemBy", "redeemBy must be an ISO 8601 date")},
		{"B183 blank externalId", func(c *affiliate.CouponParams) { c.ExternalID = " " }, scene.FieldError(inv, "externalId", "externalId must not be empty")},
		{"B183 long externalId", func(c *affiliate.CouponParams) { c.ExternalID = strings.Repeat("x", 256) }, scene.FieldError(inv, "externalId", "externalId is too long")},
		{"integrationType", func(c *affiliate.CouponParams) { c.IntegrationType = "stripe" }, scene.FieldError(inv, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR")},
		{"B181 externalId taken", func(c *affiliate.CouponParams) { c.ExternalID = "taken" }, affiliate.Error{
			Kind: affiliate.KindConflict, Reason: affiliate.CouponExternalIDTaken, Field: "externalId", Message: "A coupon with this external ID already exists"}},
	}
}

func makeFlat(c *affiliate.CouponParams) {
	c.CouponType, c.PercentOff = affiliate.CouponFlat, affiliate.Opt[affiliate.Percent]{}
	c.AmountOff, c.Currency = scene.Amount("5"), currency("USD")
}

func goodCoupon() affiliate.CouponParams {
	return affiliate.CouponParams{Name: "Autumn 20", PercentOff: scene.Percent("20")}
}

func TestCreateCouponErrors(t *testing.T) {
	w := scene.New(t)
	scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "first", PercentOff: scene.Percent("5"), ExternalID: "taken"}))
	for _, row := range couponErrorRows() {
		t.Run(row.name, func(t *testing.T) {
			in := goodCoupon()
			row.edit(&in)
			w.T = t
			w.Refused(row.want, func() error { _, err := w.CreateCoupon(t.Context(), in); return err })
		})
	}
}

// When two fields are wrong, the error is that of the first one in the table.
func TestCreateCouponErrorOrder(t *testing.T) {
	w := scene.New(t)
	scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "first", PercentOff: scene.Percent("5"), ExternalID: "taken"}))
	rank := map[string]int{}
	for i, field := range []string{"name", "couponType", "percentOff", "amountOff", "currency", "duration", "durationInMonths",
		"maxRedemptions", "productIds", "redeemBy", "externalId", "integrationType"} {
		rank[field] = i
	}
	rows := couponErrorRows()
	for _, a := range rows {
		for _, b := range rows {
			if rank[a.want.Field] >= rank[b.want.Field] || a.want.Reason == affiliate.CouponExternalIDTaken {
				continue
			}
			in := goodCoupon()
			b.edit(&in)
			a.edit(&in)
			if a.want.Reason == affiliate.MissingField && a.want.Field == "percentOff" && in.CouponType == affiliate.CouponFlat {
				continue // b made the coupon FLAT, so a is no error
			}
			_, err := w.CreateCoupon(t.Context(), in)
			got, ok := errors.AsType[*affiliate.Error](err)
			if !ok || rank[got.Field] > rank[a.want.Field] {
				t.Errorf("%s with %s: got %v, want the field %s or one before", a.name, b.name, err, a.want.Field)
			}
		}
	}
}

func TestCreateCoupon(t *testing.T) {
	zone := scene.Must(time.LoadLocation("Europe/Berlin"))
	w := scene.New(t, func(c *tributary.Config) { c.Location = zone })
	rows := []struct {
		name string
		in   affiliate.CouponParams
		want string
	}{
		{"defaults", goodCoupon(), `"couponType":"PERCENTAGE","percentOff":20,"amountOff":null,"currency":null,"duration":"forever","durationInMonths":null,` +
			`"maxRedemptions":null,"timesRedeemed":0,"limitToProducts":false,"productIds":[],"collectionIds":[],"valid":true,"redeemBy":null,"externalId":null,` +
			`"integrationType":null,"couponCategory":"CUSTOMER","autoCouponRule":null`},
		{"B151 flat, percent dropped", affiliate.CouponParams{Name: "n", CouponType: affiliate.CouponFlat, PercentOff: scene.Percent("20"), AmountOff: scene.Amount("10.005"), Currency: currency("usd")},
			`"couponType":"FLAT","percentOff":null,"amountOff":10.005,"currency":"USD"`},
		{"B153 amount dropped", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("12.5"), AmountOff: scene.Amount("5"), Currency: currency("EUR")},
			`"percentOff":12.5,"amountOff":null,"currency":null`},
		{"B150 largest amount", affiliate.CouponParams{Name: "n", CouponType: affiliate.CouponFlat, AmountOff: scene.Amount("922337203685477.5807"), Currency: currency("JPY")},
			`"amountOff":922337203685477.5807,"currency":"JPY"`},
		{"B161 months dropped", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("1"), Duration: affiliate.DurationOnce, DurationInMonths: affiliate.Set[int64](3)},
			`"duration":"once","durationInMonths":null`},
		{"repeating", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("100"), Duration: affiliate.DurationRepeating, DurationInMonths: affiliate.Set[int64](1200)},
			`"duration":"repeating","durationInMonths":1200`},
		{"B163 exact limit", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("1"), MaxRedemptions: affiliate.Set[int64](1<<53 + 1)}, `"maxRedemptions":9007199254740993`},
		{"B174 day of 23 hours", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("1"), RedeemBy: affiliate.Set(affiliate.Day(2026, 3, 29))}, `"redeemBy":"2026-03-29T21:59:59.999Z"`},
		{"B173 past", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("1"), RedeemBy: affiliate.Set(affiliate.Day(1, 1, 2))}, `"redeemBy":"0001-01-02T`},
		{"not valid, products", affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("1"), Valid: affiliate.Set(false), LimitToProducts: true, ProductIDs: []string{"b", "a"}, IntegrationType: "STRIPE", ExternalID: "x-1"},
			`"limitToProducts":true,"productIds":["b","a"],"collectionIds":[],"valid":false,"redeemBy":null,"externalId":"x-1","integrationType":"STRIPE"`},
		{"B127 kept as sent", affiliate.CouponParams{Name: "a\u202ee\u0301\u200b🎉", PercentOff: scene.Percent("1")}, "a\u202ee\u0301\u200b🎉"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w.T = t
			var got affiliate.Coupon
			w.Fires(func() (err error) { got, err = w.CreateCoupon(t.Context(), row.in); return err }, affiliate.CouponCreated)
			raw := string(scene.Must(json.Marshal(got)))
			if !strings.Contains(raw, row.want) || !strings.HasSuffix(raw, `"promotionalCodes":[]}`) {
				t.Errorf("got %s\nwithout %s", raw, row.want)
			}
			stored := scene.Must(w.Coupon(t.Context(), affiliate.CouponRef{ID: got.ID}))
			if diff := cmp.Diff(got, stored); diff != "" {
				t.Errorf("stored otherwise (-answered +stored):\n%s", diff)
			}
			if body := lastBody(w); body != raw {
				t.Errorf("body of the event\n got %s\nwant %s", body, raw)
			}
		})
	}
}

// lastBody returns the body of the newest event.
func lastBody(w *scene.World) string {
	w.T.Helper()
	var payload []byte
	err := w.Store.View(context.Background(), w.Config().ID, func(tx *record.Tx) error {
		for rec, err := range tx.Events.List(record.Query{Desc: true, Limit: 1}) {
			if err != nil {
				return err
			}
			payload = rec.Payload.Bytes()
		}
		return nil
	})
	if err != nil {
		w.T.Fatal(err)
	}
	var envelope struct {
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(payload, &envelope); err != nil {
		w.T.Fatalf("payload %s: %v", payload, err)
	}
	return string(envelope.Body)
}

func TestCouponLookup(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	long := strings.Repeat("名", 255)
	older := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "twice", PercentOff: scene.Percent("5"), ExternalID: "Ext"}))
	newer := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "twice", PercentOff: scene.Percent("6")}))
	wide := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: long, PercentOff: scene.Percent("7")}))
	rows := []struct {
		name string
		ref  affiliate.CouponRef
		want uuid.UUID
	}{
		{"id", affiliate.CouponRef{ID: older.ID, Name: long}, older.ID},
		{"B188 newest of a name", affiliate.CouponRef{Name: "twice"}, newer.ID},
		{"long name", affiliate.CouponRef{Name: long}, wide.ID},
		{"external id before name", affiliate.CouponRef{ExternalID: "Ext", Name: long}, older.ID},
		{"B189 other case", affiliate.CouponRef{ExternalID: "ext"}, uuid.Nil},
		{"B186 unknown id decides", affiliate.CouponRef{ID: uuid.New(), Name: "twice"}, uuid.Nil},
		{"unknown name", affiliate.CouponRef{Name: "Twice"}, uuid.Nil},
		{"nothing", affiliate.CouponRef{}, uuid.Nil},
		{"no text", affiliate.CouponRef{ExternalID: "a\x00\xff"}, uuid.Nil},
		{"no name", affiliate.CouponRef{Name: "\x01\xff"}, uuid.Nil},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			got, err := w.Coupon(ctx, row.ref)
			if row.want == uuid.Nil && err != affiliate.ErrNotFound {
				t.Fatalf("got %v, %v; want ErrNotFound", got.Name, err)
			}
			if got.ID != row.want {
				t.Errorf("got %v, %v, want %v", got.ID, err, row.want)
			}
		})
	}
}

func TestCouponsPages(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	a := w.Ada()
	for i := range 4 {
		scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: fmt.Sprint("c", i), PercentOff: scene.Percent("5")}))
	}
	whole := scene.Must(w.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{}))
	paged := scene.All(affiliate.Each(2, func(pg affiliate.Page) (affiliate.List[affiliate.Coupon], error) {
		return w.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, pg)
	}))
	if diff := cmp.Diff(whole.Items, paged); diff != "" {
		t.Errorf("pages (-whole +paged):\n%s", diff)
	}
	last := whole.Items[len(whole.Items)-1]
	if last.ID != a.Autumn.ID || len(last.PromotionalCodes) != 1 || last.PromotionalCodes[0].Affiliate.Or(affiliate.AffiliateContact{}).FirstName != "Ada" {
		t.Errorf("the oldest coupon is %+v", last)
	}
	w.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		_, err := w.Coupons(ctx, affiliate.CouponQuery{WithCodes: true}, affiliate.Page{Cursor: "garbage"})
		return err
	})
}

// I16: the codes of a coupon are listed newest first, all of them, without
// those of other coupons and deleted ones; each has its affiliate and no
// coupon.
func TestCouponCodes(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	a := w.Ada()
	second := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: a.Autumn.ID, Code: "SECOND"}))
	third := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: a.Autumn.ID, Code: "THIRD", AffiliateID: a.Person.ID}))
	other := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "other", PercentOff: scene.Percent("5")}))
	scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: other.ID, Code: "ELSEWHERE"}))
	scene.Must(w.DeleteCode(ctx, second.ID))
	got := scene.Must(w.Coupon(ctx, affiliate.CouponRef{ID: a.Autumn.ID})).PromotionalCodes
	want := []affiliate.Code{third, a.ADA20}
	for i := range want {
		want[i].Coupon = affiliate.Opt[affiliate.Coupon]{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}

func TestUpdateCouponErrors(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	perc := scene.Must(w.CreateCoupon(ctx, goodCoupon())).ID
	gone := scene.Must(w.CreateCoupon(ctx, goodCoupon())).ID
	scene.Must(w.DeleteCoupon(ctx, gone))
	type up = affiliate.CouponUpdate
	mf, inv := affiliate.MissingField, affiliate.InvalidField
	rows := []struct {
		name string
		id   uuid.UUID
		up   up
		want affiliate.Error
	}{
		{"B190 no id", uuid.Nil, up{}, couponIDNeeded},
		{"B192 unknown", uuid.New(), up{PercentOff: scene.Percent("50")}, couponMissing},
		{"B104 the fields before the look-up", uuid.New(), up{PercentOff: scene.Percent("500")}, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B192 an unknown one with what only the whole shows", uuid.New(), up{PercentOff: affiliate.Null[affiliate.Percent]()}, couponMissing},
		{"B192 deleted", gone, up{}, couponMissing},
		{"B192 an unknown one with an amount without currency", uuid.New(), up{CouponType: affiliate.Set(affiliate.CouponFlat), Currency: affiliate.Null[affiliate.Currency]()}, couponMissing},
		{"B192 an unknown one that repeats without months", uuid.New(), up{Duration: affiliate.Set(affiliate.DurationRepeating), DurationInMonths: affiliate.Null[int64]()}, couponMissing},
		{"a product of two lines", perc, up{ProductIDs: affiliate.Set([]string{"a\nb"})}, scene.FieldError(inv, "productIds", "productIds contains invalid characters")},
		{"B195 name null", perc, up{Name: affiliate.Null[string]()}, scene.FieldError(inv, "name", "name must not be null")},
		{"name empty", perc, up{Name: affiliate.Set(" ")}, scene.FieldError(inv, "name", "name must not be empty")},
		{"B195 couponType null", perc, up{CouponType: affiliate.Null[affiliate.CouponType]()}, scene.FieldError(inv, "couponType", "couponType must not be null")},
		{"couponType empty", perc, up{CouponType: affiliate.Set[affiliate.CouponType]("")}, scene.FieldError(inv, "couponType", "couponType must be one of PERCENTAGE, FLAT")},
		{"B196 percentOff null", perc, up{PercentOff: affiliate.Null[affiliate.Percent]()}, scene.FieldError(mf, "percentOff", "Percent off is required when the coupon type is PERCENTAGE")},
		{"percentOff range", perc, up{PercentOff: scene.Percent("101")}, scene.FieldError(inv, "percentOff", "Percent off must be between 1 and 100")},
		{"B194 flat", perc, up{CouponType: affiliate.Set(affiliate.CouponFlat)}, scene.FieldError(mf, "amountOff", "Amount off is required when the coupon type is FLAT")},
		{"flat without currency", perc, up{CouponType: affiliate.Set(affiliate.CouponFlat), AmountOff: scene.Amount("1")}, scene.FieldError(mf, "currency", "Currency is required when the coupon type is FLAT")},
		{"amountOff that is dropped", perc, up{AmountOff: scene.Amount("0")}, scene.FieldError(inv, "amountOff", "Amount off must be greater than zero")},
		{"currency", perc, up{Currency: currency("EURO")}, scene.FieldError(inv, "currency", "Currency must be an ISO 4217 code")},
		{"duration null", perc, up{Duration: affiliate.Null[affiliate.Duration]()}, scene.FieldError(inv, "duration", "duration must not be null")},
		{"duration empty", perc, up{Duration: affiliate.Set[affiliate.Duration]("")}, scene.FieldError(inv, "duration", "duration must be one of once, forever, repeating")},
		{"repeating", perc, up{Duration: affiliate.Set(affiliate.DurationRepeating)}, scene.FieldError(mf, "durationInMonths", "Duration in months is required when the duration is repeating")},
		{"months", perc, up{DurationInMonths: affiliate.Set[int64](0)}, scene.FieldError(inv, "durationInMonths", "durationInMonths must be at least 1")},
		{"limit", perc, up{MaxRedemptions: affiliate.Set[int64](0)}, scene.FieldError(inv, "maxRedemptions", "maxRedemptions must be at least 1")},
		{"limitToProducts null", perc, up{LimitToProducts: affiliate.Null[bool]()}, scene.FieldError(inv, "limitToProducts", "limitToProducts must not be null")},
		{"B201 limitToProducts", perc, up{LimitToProducts: affiliate.Set(true)}, scene.FieldError(mf, "productIds", "Product IDs are required when limitToProducts is true")},
		{"productIds null", perc, up{ProductIDs: affiliate.Null[[]string]()}, scene.FieldError(inv, "productIds", "productIds must not be null")},
		{"valid null", perc, up{Valid: affiliate.Null[bool]()}, scene.FieldError(inv, "valid", "valid must not be null")},
		{"redeemBy", perc, up{RedeemBy: affiliate.Set(affiliate.At(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)))}, scene.FieldError(inv, "redeemBy", "redeemBy must be an ISO 8601 date")},
		{"type before a later null", perc, up{CouponType: affiliate.Set[affiliate.CouponType]("x"), Valid: affiliate.Null[bool]()}, scene.FieldError(inv, "couponType", "couponType must be one of PERCENTAGE, FLAT")},
		{"null before a later value", perc, up{Duration: affiliate.Null[affiliate.Duration](), MaxRedemptions: affiliate.Set[int64](0)}, scene.FieldError(inv, "duration", "duration must not be null")},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w.T = t
			w.Refused(row.want, func() error { _, err := w.UpdateCoupon(ctx, row.id, row.up); return err })
		})
	}
}

// An update of each field changes the coupon and fires one event. The same
// update again changes nothing.
func TestUpdateCoupon(t *testing.T) {
	type up = affiliate.CouponUpdate
	rows := []struct {
		name string
		up   up
		want string
	}{
		{"name", up{Name: affiliate.Set("new")}, `"name":"new"`},
		{"type", up{CouponType: affiliate.Set(affiliate.CouponFlat), AmountOff: scene.Amount("5"), Currency: currency("eur")}, `"couponType":"FLAT","percentOff":null,"amountOff":5,"currency":"EUR"`},
		{"percentOff", up{PercentOff: scene.Percent("21")}, `"percentOff":21`},
		{"duration", up{Duration: affiliate.Set(affiliate.DurationOnce)}, `"duration":"once","durationInMonths":null`},
		{"months", up{DurationInMonths: affiliate.Set[int64](7)}, `"durationInMonths":7`},
		{"B197 limit cleared", up{MaxRedemptions: affiliate.Null[int64]()}, `"maxRedemptions":null`},
		{"products", up{ProductIDs: affiliate.Set([]string{"b"})}, `"productIds":["b"]`},
		{"limitToProducts", up{LimitToProducts: affiliate.Set(false)}, `"limitToProducts":false`},
		{"no products", up{LimitToProducts: affiliate.Set(false), ProductIDs: affiliate.Set([]string{})}, `"limitToProducts":false,"productIds":[]`},
		{"valid", up{Valid: affiliate.Set(false)}, `"valid":false`},
		{"B197 redeemBy cleared", up{RedeemBy: affiliate.Null[affiliate.Date]()}, `"redeemBy":null`},
		{"redeemBy", up{RedeemBy: affiliate.Set(affiliate.Day(2027, 1, 1))}, `"redeemBy":"2027-01-01T23:59:59.999Z"`},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := scene.New(t)
			ctx := t.Context()
			made := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{
				Name: "old", PercentOff: scene.Percent("20"), Duration: affiliate.DurationRepeating, DurationInMonths: affiliate.Set[int64](3),
				MaxRedemptions: affiliate.Set[int64](9), LimitToProducts: true, ProductIDs: []string{"a"}, ExternalID: "x",
				RedeemBy: affiliate.Set(affiliate.Day(2026, 12, 1)), IntegrationType: "STRIPE",
			}))
			scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: made.ID, Code: "ONE"}))
			w.Pass(time.Minute)
			var got affiliate.Coupon
			w.Fires(func() (err error) { got, err = w.UpdateCoupon(ctx, made.ID, row.up); return err }, affiliate.CouponUpdated)
			raw := string(scene.Must(json.Marshal(got)))
			if !strings.Contains(raw, row.want) {
				t.Errorf("got %s\nwithout %s", raw, row.want)
			}
			if body := lastBody(w); body != raw {
				t.Errorf("body of the event\n got %s\nwant %s", body, raw)
			}
			if diff := cmp.Diff(got, scene.Must(w.Coupon(ctx, affiliate.CouponRef{ID: made.ID}))); diff != "" {
				t.Errorf("stored otherwise (-answered +stored):\n%s", diff)
			}
			if !got.UpdatedAt.Time().Equal(w.Now) || got.CreatedAt != made.CreatedAt || got.ExternalID != made.ExternalID {
				t.Errorf("times %v %v, external id %v", got.CreatedAt, got.UpdatedAt, got.ExternalID)
			}
			w.Pass(time.Minute)
			before := w.Dump()
			w.Fires(func() error { _, err := w.UpdateCoupon(ctx, made.ID, row.up); return err })
			if diff := cmp.Diff(before, w.Dump()); diff != "" {
				t.Errorf("the same again changed records:\n%s", diff)
			}
		})
	}
}

// B193, B202: an update that changes nothing writes nothing.
func TestUpdateCouponNothing(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	in := goodCoupon()
	makeFlat(&in)
	id := scene.Must(w.CreateCoupon(ctx, in)).ID
	w.Pass(time.Hour)
	before := w.Dump()
	for name, up := range map[string]affiliate.CouponUpdate{
		"B202 empty": {}, "B193 percentOff of a flat one": {PercentOff: scene.Percent("20")},
		"B202 same": {Name: affiliate.Set("Autumn 20"), Currency: currency("usd")}, "months of one that does not repeat": {DurationInMonths: affiliate.Set[int64](4)},
	} {
		w.Fires(func() error { _, err := w.UpdateCoupon(ctx, id, up); return err })
		if diff := cmp.Diff(before, w.Dump()); diff != "" {
			t.Errorf("%s changed records:\n%s", name, diff)
		}
	}
}

func TestDeleteCoupon(t *testing.T) {
	for _, cascade := range []bool{false, true} {
		t.Run(fmt.Sprint("cascade ", cascade), func(t *testing.T) {
			w := scene.New(t, func(c *tributary.Config) { c.CascadeEvents = cascade })
			ctx := t.Context()
			a := w.Ada()
			scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: a.Autumn.ID, Code: "SECOND", ExternalID: "e"}))
			sold := scene.Must(w.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ada20", TotalEarned: affiliate.MustAmount("10")}))
			want := []affiliate.EventType{affiliate.CouponDeleted}
			if cascade {
				want = []affiliate.EventType{affiliate.PromocodeDeleted, affiliate.PromocodeDeleted, affiliate.CouponDeleted}
			}
			before := w.Dump()
			w.Fires(func() error {
				got, err := w.DeleteCoupon(ctx, a.Autumn.ID)
				if diff := cmp.Diff(affiliate.DeletedCoupon{ID: a.Autumn.ID, Name: "Autumn 20"}, got); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
				return err
			}, want...)
			if got, want := lastBody(w), fmt.Sprintf(`{"id":"%s"}`, a.Autumn.ID); got != want {
				t.Errorf("body %s, want %s", got, want)
			}
			after := w.Dump()
			if len(after["coupons"]) != 0 || len(after["codes"]) != 0 {
				t.Errorf("left: %v %v", after["coupons"], after["codes"])
			}
			for _, table := range []string{"sales", "redemptions"} {
				if diff := cmp.Diff(before[table], after[table]); diff != "" {
					t.Errorf("%s changed:\n%s", table, diff)
				}
			}
			if _, err := w.Code(ctx, affiliate.CodeRef{ID: a.ADA20.ID}); err != affiliate.ErrNotFound {
				t.Errorf("the code is still there: %v", err)
			}
			if got := scene.Must(w.Sale(ctx, sold.Sale.Or(affiliate.Sale{}).ID)).PromotionalCodeID; got != affiliate.Set(a.ADA20.ID) {
				t.Errorf("the sale's code is %v", got)
			}
			w.Refused(couponMissing, func() error { _, err := w.DeleteCoupon(ctx, a.Autumn.ID); return err })
			w.Refused(couponIDNeeded, func() error { _, err := w.DeleteCoupon(ctx, uuid.Nil); return err })
			// B182, B225: the keys can be used again, and the new coupon starts
			// at zero.
			again := scene.Must(w.CreateCoupon(ctx, goodCoupon()))
			code := scene.Must(w.CreateCode(ctx, affiliate.CodeParams{CouponID: again.ID, Code: "ADA20", ExternalID: "e"}))
			if code.TimesRedeemed != 0 || again.TimesRedeemed != 0 {
				t.Errorf("the successor starts at %d, %d", code.TimesRedeemed, again.TimesRedeemed)
			}
		})
	}
}

// A caller's change of an answer changes no record and no event.
func TestCouponAliasing(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	sent := []string{"a", "b"}
	made := scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "n", PercentOff: scene.Percent("5"), ProductIDs: sent}))
	body := lastBody(w)
	sent[0], made.ProductIDs[1] = "changed", "changed"
	got := scene.Must(w.Coupon(ctx, affiliate.CouponRef{ID: made.ID}))
	if diff := cmp.Diff([]string{"a", "b"}, got.ProductIDs); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if got := lastBody(w); got != body {
		t.Errorf("the event changed:\n got %s\nwant %s", got, body)
	}
}

func TestCreateCouponOnce(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	in := goodCoupon()
	in.Key = "k"
	first := scene.Must(w.CreateCoupon(ctx, in))
	w.Fires(func() error {
		again, err := w.CreateCoupon(ctx, in)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("replay (-first +again):\n%s", diff)
		}
		return err
	})
}

// The blanks around a new name do not count for its length.
func TestUpdateCouponNameTrimmed(t *testing.T) {
	w := scene.New(t)
	made := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "a", PercentOff: scene.Percent("20")}))
	long := strings.Repeat("a", 255)
	scene.Equal(t, long, scene.Must(w.UpdateCoupon(t.Context(), made.ID, affiliate.CouponUpdate{Name: affiliate.Set(" " + long + " ")})).Name)
}

// What a coupon is at a payment provider can be said later, by Go calls only.
func TestCouponAtProvider(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	scene.Must(w.CreateCoupon(ctx, affiliate.CouponParams{Name: "Taken", PercentOff: scene.Percent("5"), ExternalID: "co_1"}))
	id := scene.Must(w.CreateCoupon(ctx, goodCoupon())).ID
	at := func(external affiliate.Opt[string], kind affiliate.Opt[affiliate.IntegrationType]) affiliate.CouponUpdate {
		return affiliate.CouponUpdate{ExternalID: external, IntegrationType: kind}
	}
	stripe, polar := affiliate.Set[affiliate.IntegrationType]("STRIPE"), affiliate.Set[affiliate.IntegrationType]("POLAR")

	taken := affiliate.Error{Kind: affiliate.KindConflict, Reason: affiliate.CouponExternalIDTaken, Field: "externalId", Message: "A coupon with this external ID already exists"}
	for _, c := range []struct {
		up   affiliate.CouponUpdate
		want affiliate.Error
	}{
		{at(affiliate.Set("co_2"), affiliate.Set[affiliate.IntegrationType]("stripe")), scene.FieldError(affiliate.InvalidField, "integrationType", "integrationType must be one of NONE, STRIPE, CHARGEBEE, PADDLE, SHOPIFY, WOOCOMMERCE, ZYLVIE, POLAR")},
		{at(affiliate.Set(strings.Repeat("x", 256)), stripe), scene.FieldError(affiliate.InvalidField, "externalId", "externalId is too long")},
		{at(affiliate.Set("co_1"), stripe), taken},
	} {
		w.Refused(c.want, func() error { _, err := w.UpdateCoupon(ctx, id, c.up); return err })
	}

	got := scene.Must(w.UpdateCoupon(ctx, id, at(affiliate.Set("co_2"), stripe)))
	if got.ExternalID != affiliate.Set("co_2") || got.IntegrationType != stripe {
		t.Errorf("set: %v %v", got.ExternalID, got.IntegrationType)
	}
	got = scene.Must(w.UpdateCoupon(ctx, id, affiliate.CouponUpdate{Name: affiliate.Set("Renamed")}))
	if got.ExternalID != affiliate.Set("co_2") || got.IntegrationType != stripe {
		t.Errorf("not given: %v %v", got.ExternalID, got.IntegrationType)
	}
	got = scene.Must(w.UpdateCoupon(ctx, id, at(affiliate.Null[string](), affiliate.Null[affiliate.IntegrationType]())))
	if !got.ExternalID.IsNull() || !got.IntegrationType.IsNull() {
		t.Errorf("cleared: %v %v", got.ExternalID, got.IntegrationType)
	}

	keyed := w.Keyed(affiliate.Once{Key: "k"})
	scene.Must(keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), stripe)))
	scene.Must(keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), stripe)))
	reused := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyReused, Message: "Idempotency-Key was already used with a different request"}
	w.Refused(reused, func() error { _, err := keyed.UpdateCoupon(ctx, id, at(affiliate.Set("co_3"), polar)); return err })
}

// TestFirstInstantIsADate: the first instant of year 1 is a date.
func TestFirstInstantIsADate(t *testing.T) {
	w := scene.New(t)
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{
		Name: "Ancient", PercentOff: affiliate.Set(affiliate.MustPercent("5")),
		RedeemBy: affiliate.Set(affiliate.At(time.Time{})),
	}))
	if got, ok := c.RedeemBy.Get(); !ok || got.String() != "0001-01-01T00:00:00.000Z" {
		t.Errorf("redeemBy = %v, %v", got, ok)
	}
}
