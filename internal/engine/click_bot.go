package engine

import (
	"slices"
	"strings"

	"github.com/tributary-go/tributary/internal/plaintext"
)

// botMarks are parts of the User-Agent, in lower case, by which crawlers, link previews and
// monitors say what they are. The names are those that several entries of the list
// github.com/monperrus/crawler-user-agents of 2026-07-02 (commit 7c7f9f25) have in common; they
// find three quarters of its 2,116 examples. The others are mostly libraries for HTTP,
// with which hosts report the clicks of people too.
var botMarks = []string{
	"bot", "crawl", "spider", "slurp", "scrap", "preview", "archiver", "validator", "checker", "scanner", "grabber",
	"+http", "(http", "; http",
	"facebookexternalhit", "facebookcatalog", "meta-external", "whatsapp", "vkshare", "pinterest/0", "flipboardproxy", "embedly", "iframely",
	"feedfetcher", "mediapartners-google", "apis-google", "googleother", "google-read-aloud", "inspectiontool", "site-verification",
	"chatgpt-user", "claude-user", "perplexity-user", "mistralai-user",
	"headless", "phantomjs", "lighthouse", "pingdom", "statuscake", "synthetics", "monitoring", "netcraft", "nutch", "heritrix",
}

// saysBot reports whether a User-Agent says that nobody reads the page. Cubot makes telephones.
func saysBot(userAgent string) bool {
	text := strings.ReplaceAll(plaintext.Lower(userAgent), "cubot", "")
	return slices.ContainsFunc(botMarks, func(mark string) bool { return strings.Contains(text, mark) })
}
