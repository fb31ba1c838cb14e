package engine_test

import (
	"fmt"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

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
