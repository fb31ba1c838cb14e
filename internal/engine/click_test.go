package engine_test

import (
	"fmt"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

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

// pages maps URLs of pages to what a click keeps of them, in a program whose
// slug parameter is ref and that also keeps campaign.
func pages() map[string]string {
	long := strings.Repeat("x", 3000)
	return map[string]string{
		"":                              "",
		"https://b.co":                  "https://b.co",
		"https://b.co/":                 "https://b.co/",
		"http://localhost:8080/a/b?":    "http://localhost:8080/a/b",
		"HTTPS://B.co/Shop":             "https://B.co/Shop",
		"https://[2001:db8::1]:81/a":    "https://[2001:db8::1]:81/a",
		"https://my_shop.b.co/a%20b;c":  "https://my_shop.b.co/a%20b;c",
		"https://b.co/100%/%4x/%41":     "https://b.co/100%25/%254x/%41",
		"https://b.co/é":                "https://b.co/%C3%A9",
		`https://b.co/"><script>`:       "https://b.co/%22%3E%3Cscript%3E",
		"https://ida:secret@b.co/a":     "https://b.co/a",
		"https://b.co/a#token=1&ref=b":  "https://b.co/a",
		"https://b.co/a?token=1#?ref=b": "https://b.co/a",

		"https://b.co/?ref=x&reset_token=SECRET&email=a@b.co": "https://b.co/?ref=x",
		"https://b.co/?a=1&utm_source=n&b&ref=x&utm_b=é":      "https://b.co/?utm_source=n&ref=x&utm_b=%C3%A9",
		"https://b.co/?campaign=1&Campaign=2&REF=3&UTM_a=4":   "https://b.co/?campaign=1",
		"https://b.co/?%72ef=x&r%65f&ref=%zz":                 "https://b.co/?%72ef=x&r%65f&ref=%25zz",
		"https://b.co/?%zz=x&ref;utm_a=1&&=ref":               "https://b.co/",
		`https://b.co/?utm_a="><b>'`:                          "https://b.co/?utm_a=%22%3E%3Cb%3E%27",
		"https://b.co/?utm_a=" + long:                         "https://b.co/?utm_a=" + long[:492],
		"https://b.co/" + long:                                "https://b.co/" + long[:499],
		"https://b.co/" + long[:498] + "é":                    "https://b.co/" + long[:498],
		"https://b.co/" + long[:497] + "é":                    "https://b.co/" + long[:497],
		"https://b.co/" + long[:496] + "é":                    "https://b.co/" + long[:496] + "%C3",

		"javascript:alert(1)":                      "",
		" javascript:alert(1)":                     "",
		"JavaScript://b.co/%0aalert(1)":            "",
		"data:text/html,<script>alert(1)</script>": "",
		"vbscript:x":                               "", "file:///etc/passwd": "", "ftp://b.co/": "", "blob:https://b.co/1": "",
		"android-app://com.example/": "", "about:blank": "", "https:b.co": "", "https:/b.co": "",
		"https:///a": "", "https://": "", "//b.co/a": "", "/shop?ref=x": "", "b.co": "", "x": "",
		"https://b.co:port/": "", `https://"onload=x/`: "", "https://a b/": "", "https://бух.example/": "", " https://b.co/": "",
	}
}

// TestClickPages: of the URLs of a click, the origin, the path and the allowed
// parameters are kept. A URL that is not a page is dropped, and the click
// counts.
func TestClickPages(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.KeepParams = []string{"campaign"} })
	w.Join("a")
	for in, want := range pages() {
		kept := affiliate.Set(want)
		if want == "" {
			kept = affiliate.Null[string]()
		}
		got := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: in}))
		if got.FullLandingURL != kept || !got.DocumentReferrer.IsNull() {
			t.Errorf("landing page %.80q: kept %.80q, want %.80q", in, got.FullLandingURL.Or(""), want)
		}
		got = scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", Referrer: in}))
		if got.DocumentReferrer != kept || !got.FullLandingURL.IsNull() {
			t.Errorf("referrer %.80q: kept %.80q, want %.80q", in, got.DocumentReferrer.Or(""), want)
		}
	}
	scene.Equal(t, int64(2*len(pages())), scene.Must(w.Affiliate(t.Context(), "a")).NumberOfClicks)
}

// TestClickPagesParam: the parameter of the slug is the one of the program.
func TestClickPagesParam(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Param = "via" })
	w.Join("a")
	got := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: "https://b.co/?ref=a&via=b&campaign=c"}))
	scene.Equal(t, affiliate.Set("https://b.co/?via=b"), got.FullLandingURL)
}

// TestClickPagesAny: for any input, the stored text is an ASCII URL of a page
// with allowed parameters only, and cleaning it again changes nothing.
func TestClickPagesAny(t *testing.T) {
	w := scene.New(t)
	w.Join("a")
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"https://", "HTTP://", "javascript:", "b.co", "user:pw@", ":80", "/", "//", `\`, "?", "&", "#", "=", ";", "%", "%41", "%3", "ref", "utm_", "token",
			"é", "🙂", `"`, "'", "<", ">", " ", "+", strings.Repeat("y", 700), strings.Repeat("é", 300),
		}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "page") {
			in = "https://b.co" + in
		}
		got, err := w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: in})
		if err != nil || got.FullLandingURL.IsNull() {
			return
		}
		kept := got.FullLandingURL.Or("")
		if len(kept) > 512 || strings.Trim(kept, printable) != "" || strings.ContainsAny(kept, "\"'<>`# ") {
			t.Errorf("%q: kept %q", in, kept)
		}
		u := scene.Must(url.Parse(kept))
		if u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
			t.Errorf("%q: kept %q", in, kept)
		}
		_, query, _ := strings.Cut(kept, "?")
		for name := range strings.SplitSeq(query, "&") {
			name, _, _ = strings.Cut(name, "=")
			name, err := url.QueryUnescape(name)
			if len(kept) < 504 && query != "" && (err != nil || name != "ref" && !strings.HasPrefix(name, "utm_")) {
				t.Errorf("%q: kept %q of %q", in, name, kept)
			}
		}
		if again := scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a", LandingURL: kept})); len(kept) < 504 && again.FullLandingURL != got.FullLandingURL {
			t.Errorf("%q is kept as %q", kept, again.FullLandingURL.Or(""))
		}
	})
}

// printable is ASCII without space and control characters.
var printable = func() string {
	var b strings.Builder
	for c := byte('!'); c <= '~'; c++ {
		b.WriteByte(c)
	}
	return b.String()
}()

// What was added to a slug on the way is left out, where a click is reported and where a sale names
// the link. What may be another name is nobody.
func TestSlugWithin(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	for _, text := range []string{
		"ada", " ADA ", "ada?utm_source=x", "ada?ref=bob", "ada/", "ada/pricing", "ada/?x=1", "ada#top", "ada&x=1", "ada;x=1", "ada.", "ada,", "ada)", "ada).", "ada!", "ada…",
		`"ada"`, `ada"`, "'ada'", "“ada”", "«ada»", "(ada)", "<ada>", `ada"></a>`, "*ada*", "_ada_", "~ada~", "ada%22", "ada%2522", "ada%3Futm_source%3Dx", "ada ",
		"%22ada%22", "=ada", "/ada", "@ada", "ada\\", "ada|x", "ada%", "ada%zz", "ada\u200b?x", "ada。", "ada！", "（ada）", "「ada」", "ada🔥", "ada❤️", "→ada", "ada €",
	} {
		click, err := s.TrackClick(ctx, affiliate.ClickParams{Slug: text})
		if err != nil || click.AffiliateID != s.Ada.Person.ID {
			t.Errorf("a click of %q: %v", text, err)
		}
		res, err := s.RecordSale(ctx, affiliate.SaleParams{ReferralID: text, Email: fmt.Sprintf("c%d@example.net", click.ID), Name: "C", TotalEarned: scene.Sum("10")})
		if sale, _ := res.Sale.Get(); err != nil || sale.Affiliate.ID != s.Ada.Person.ID {
			t.Errorf("a sale of %q: %v %v", text, res.Outcome, err)
		}
	}
	for _, text := range []string{"", "?", "/", "%22", "?ada", "ad", "adaa", "ada.bob", "ada_bob", "ada@bob.example", "ada's", "ada look", "ada%20look", "ada\r\nx: y", "ada,bob", "bob/ada-x?", "ada-", "ada\u0301", "ada文"} {
		click, err := s.TrackClick(ctx, affiliate.ClickParams{Slug: text})
		if err == nil && click.AffiliateID == s.Ada.Person.ID {
			t.Errorf("%q is a click of Ada", text)
		}
	}
	s.Verifies()
}

// A visitor who says to be a crawler or a link preview is no click, unless the program counts them.
func TestBotsAreNoClicks(t *testing.T) {
	people := []string{
		"", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (Linux; Android 14; CUBOT NOTE 50) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/21F90 [FBAN/FBIOS;FBAV/470.0;FBDV/iPhone15,2]",
		"Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/139.0.0.0 Mobile Safari/537.36 Instagram 390.0.0.43",
		"Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Go-http-client/1.1", "okhttp/4.12.0",
	}
	bots := []string{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "facebookexternalhit/1.1", "WhatsApp/2.23.20.0", "TelegramBot (like TwitterBot)",
		"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Mozilla/5.0 (compatible; Discordbot/2.0)", "LinkedInBot/1.0", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
		"Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0 Safari/537.36", "GPTBot/1.2", "Mozilla/5.0 (compatible; Yahoo! Slurp)", "Applebot/0.1", "UptimeRobot/2.0",
	}
	s, ctx := scene.NewShop(t), t.Context()
	counts := scene.NewShop(t, func(c *tributary.Config) { c.CountBots = true })
	for i, agent := range append(people, bots...) {
		_, err := s.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", UserAgent: agent})
		if bot := i >= len(people); (err == nil) == bot || bot && err != affiliate.ErrNotFound {
			t.Errorf("%q: %v", agent, err)
		}
		scene.Must(counts.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", UserAgent: agent}))
	}
	s.Verifies()
}

// The attribution window of a click: docs/money.md 14, with the numbers of its
// rules and checks.

// window is the window of a program without CookieDays.
const window = 60 * 24 * time.Hour

// visit records a click and returns its id as a sale names it.
func visit(s scene.Shop, slug string) (affiliate.ClickID, string) {
	s.T.Helper()
	click := scene.Must(s.TrackClick(s.T.Context(), affiliate.ClickParams{Slug: slug, LandingURL: "https://beans.example/shop?ref=" + slug}))
	return click.ID, fmt.Sprint(click.ID)
}

// report records a sale of 10 with the fields of the row.
func report(s scene.Shop, in affiliate.SaleParams) affiliate.SaleResult {
	s.T.Helper()
	in.TotalEarned = affiliate.MustAmount("10")
	return scene.Must(s.RecordSale(s.T.Context(), in))
}

// joined returns the referral that a click was joined to; zero: none.
func joined(s scene.Shop, id affiliate.ClickID) uuid.UUID {
	s.T.Helper()
	var out uuid.UUID
	s.Raw(func(tx *record.Tx) error {
		for rec, err := range tx.Clicks.List(record.Query{}) {
			if err != nil {
				return err
			}
			if affiliate.ClickID(rec.Number) == id {
				out = rec.ReferralID
			}
		}
		return nil
	})
	return out
}

// Check 38: a click attributes until its time + 60 days, inclusive, and no
// longer.
func TestClickWindowM75Check38(t *testing.T) {
	s := scene.NewShop(t)
	_, first := visit(s, "ada")
	late, second := visit(s, "ada")
	s.Pass(window)
	got := report(s, affiliate.SaleParams{ReferralID: first, Email: "new@example.net", Name: "New"})
	scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
	scene.Equal(t, s.Ada.Person.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
	scene.Equal(t, affiliate.Null[affiliate.ClickID](), got.LateClick)

	for _, more := range []time.Duration{time.Microsecond, time.Second, 340 * 24 * time.Hour} {
		s.Pass(more)
		before := s.Dump()
		got = report(s, affiliate.SaleParams{ReferralID: second, Email: "newer@example.net", Name: "Newer"})
		want := affiliate.SaleResult{
			Outcome: affiliate.SaleUnattributed, Sale: affiliate.Null[affiliate.Sale](), Earlier: affiliate.Null[affiliate.Sale](),
			LateClick: affiliate.Set(late),
		}
		scene.Equal(t, want, got)
		scene.Equal(t, before, s.Dump())
	}
}

// Check 39: with a late click, a sale is attributed by its email and a new
// referral by nothing. A look-up still finds the click.
func TestClickWindowM75Check39(t *testing.T) {
	ctx := t.Context()
	s := scene.NewShop(t)
	late, number := visit(s, "ada")
	s.Pass(window + time.Second)

	got := report(s, affiliate.SaleParams{ReferralID: number, Email: s.Bea.Email})
	sale := got.Sale.Or(affiliate.Sale{})
	scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
	scene.Equal(t, s.Bob.ID, sale.AffiliateID)
	scene.Equal(t, s.Bea.AffiliateLinkID, sale.AffiliateLinkID)
	scene.Equal(t, affiliate.Set(late), got.LateClick)
	scene.Equal(t, uuid.Nil, joined(s, late))

	in := affiliate.ReferralParams{AffiliateID: number, Name: "New", Email: "new@example.net", ReferredUserExternalID: "c"}
	before := s.Dump()
	if _, err := s.CreateReferral(ctx, in); err != affiliate.ErrNotFound {
		t.Errorf("a referral by a late click: %v", err)
	}
	scene.Equal(t, before, s.Dump())
	scene.Equal(t, s.Ada.Person.ID, scene.Must(s.Affiliate(ctx, number)).ID)
	s.Verifies()
}

// Check 40: a customer stays with its affiliate.
func TestClickWindowM75Check40(t *testing.T) {
	s := scene.NewShop(t)
	_, number := visit(s, "ada")
	got := report(s, affiliate.SaleParams{ReferralID: number, Email: "new@example.net", Name: "New"})
	scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
	s.Pass(400 * 24 * time.Hour)
	for _, in := range []affiliate.SaleParams{
		{Email: "new@example.net"}, {ReferralID: "new@example.net"}, {Email: s.Tomas.Email}, {ReferralID: s.Tomas.ID.String()},
		{ReferralID: number, Email: "new@example.net"},
	} {
		got := report(s, in)
		scene.Equal(t, affiliate.SaleRecorded, got.Outcome)
		scene.Equal(t, s.Ada.Person.ID, got.Sale.Or(affiliate.Sale{}).AffiliateID)
	}
}

// M76: CookieDays is 1 to 36,500; zero is 60.
func TestCookieDaysM76(t *testing.T) {
	for _, days := range []int{-1, 36_501} {
		if _, err := tributary.New(scene.New(t).Store, tributary.Config{CookieDays: days}); err == nil {
			t.Errorf("%d days are accepted", days)
		}
	}
	for _, days := range []int{1, 36_500} {
		s := scene.NewShop(t, func(c *tributary.Config) { c.CookieDays = days })
		_, number := visit(s, "ada")
		s.Pass(time.Duration(days) * 24 * time.Hour)
		scene.Equal(t, affiliate.SaleRecorded, report(s, affiliate.SaleParams{ReferralID: number, Email: "a@example.net", Name: "A"}).Outcome)
		s.Pass(time.Microsecond)
		scene.Equal(t, affiliate.SaleUnattributed, report(s, affiliate.SaleParams{ReferralID: number, Email: "b@example.net", Name: "B"}).Outcome)
	}
}

// reasonsOf returns the reasons of an evaluation.
func reasonsOf(e affiliate.Evaluation) []affiliate.Reason {
	out := []affiliate.Reason{}
	for _, f := range e.Reasons {
		out = append(out, f.Reason)
	}
	return out
}
