package engine_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestTrackClick(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	second := w.AddLink(a.ID, "b")
	w.Now = w.Now.Add(time.Hour)
	var got affiliate.Click
	events := w.Fired(func() {
		got = scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{
			Slug: "B", DeviceID: "d", LandingURL: "https://b.co/?ref=b", Referrer: "https://c.co", UserAgent: "curl",
		}))
		scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "b", Repeat: true}))
		scene.Must(w.SetAffiliateStatus(t.Context(), affiliate.AffiliateBanned, a.ID))
		scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	})
	scene.Equal(t, 1, len(events)) // the event of the ban
	scene.Equal(t, affiliate.Click{
		ID: 1, AffiliateID: a.ID, AffiliateLinkID: affiliate.Set(second.ID), ReferralID: affiliate.Null[uuid.UUID](),
		DeviceID: affiliate.Set("d"), UniqueClick: true, FullLandingURL: affiliate.Set("https://b.co/?ref=b"),
		DocumentReferrer: affiliate.Set("https://c.co"), UserAgent: affiliate.Set("curl"), CreatedAt: affiliate.TimeOf(w.Now),
	}, got)
	scene.Equal(t, int64(3), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfClicks)
	links := scene.Must(w.Links(t.Context(), affiliate.LinkQuery{}, affiliate.Page{})).Items
	scene.Equal(t, []int64{2, 1}, []int64{links[0].Clicks, links[1].Clicks})
	w.Raw(func(tx *record.Tx) error {
		for rec, err := range tx.Clicks.List(record.Query{}) {
			if err != nil {
				return err
			}
			scene.Equal(t, rec.Number != 2, rec.Unique)
		}
		return nil
	})
}

func TestTrackClickUnknownSlug(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	before := w.Dump()
	for _, slug := range []string{"", "zzz", "a b", "a\x00", strings.Repeat("a", 5000), "а"} {
		if _, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: slug}); err != affiliate.ErrNotFound {
			t.Errorf("%.20q: %v", slug, err)
		}
	}
	scene.Equal(t, before, w.Dump())
}

// TestKeptTextsShareNothing: a text that was cut or trimmed does not keep the
// caller's whole text in memory.
func TestKeptTextsShareNothing(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	c := scene.Must(w.CreateCoupon(t.Context(), affiliate.CouponParams{Name: "c", PercentOff: affiliate.Set(affiliate.MustPercent("5"))}))
	const n, mebibyte = 32, 1 << 20
	long := func(end string) string { return strings.Repeat(" ", mebibyte) + end }
	for name, keep := range map[string]func(i int){
		"Click": func(int) {
			scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: long("")}))
		},
		"Code": func(i int) {
			scene.Must(w.CreateCode(t.Context(), affiliate.CodeParams{CouponID: c.ID, Code: long(strconv.Itoa(i))}))
		},
		"Email": func(i int) {
			scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: long(strconv.Itoa(i) + "@b.co")}))
		},
	} {
		before := scene.Heap()
		for i := range n {
			keep(i)
		}
		if grown := int64(scene.Heap()) - int64(before); grown > n*mebibyte/4 {
			t.Errorf("%s: %d records keep %d KiB", name, n, grown>>10)
		}
	}
	runtime.KeepAlive(w)
}

func TestTrackClickTexts(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	fit := strings.Repeat("x", 512)
	for _, tt := range []struct{ name, in, want string }{
		{"Fits", fit, fit},
		{"Long", fit + "y", fit},
		{"BetweenRunes", fit[:510] + "éé", fit[:510] + "é"},
		{"InsideTwoBytes", fit[:511] + "é", fit[:511]},
		{"InsideFourBytes", fit[:509] + "🙂", fit[:509]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", UserAgent: tt.in}))
			scene.Equal(t, affiliate.Set(tt.want), got.UserAgent)
		})
	}
	for _, tt := range []struct {
		field string
		in    affiliate.ClickParams
	}{
		{"deviceId", affiliate.ClickParams{Slug: "a", DeviceID: "\xff", UserAgent: "\x00"}},
		{"fullLandingUrl", affiliate.ClickParams{Slug: "a", LandingURL: "a\nb"}},
		{"documentReferrer", affiliate.ClickParams{Slug: "a", Referrer: "a\x00"}},
		{"userAgent", affiliate.ClickParams{Slug: "a", UserAgent: strings.Repeat("\x80", 3000)}},
	} {
		t.Run("Err "+tt.field, func(t *testing.T) {
			w.T = t
			w.Refused(scene.FieldError(affiliate.InvalidField, tt.field, tt.field+" contains invalid characters"), func() error {
				return scene.ErrOf(w.TrackClick(t.Context(), tt.in))
			})
		})
	}
}
