package app

import (
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/tributary-go/tributary/httpapi"
)

//go:embed page.html
var pageText string

// A page shows what the server is and how to call it.
type page struct {
	all      []tenant
	set      settings
	addr     net.Addr
	template *template.Template
}

func newPage(all []tenant, set settings, addr net.Addr) *page {
	return &page{all, set, addr, template.Must(template.New("page").Parse(pageText))}
}

// A line is a call as the page shows it.
type line struct{ Says, Curl string }

// view holds the data of the template.
type view struct {
	Base          string
	Programs      []tenant
	Lines         []line
	Demo, Private bool
	Lasts         bool // the program is there after the server has stopped
	HasKey, Made  bool
	Variable      string // that the lines take the key from
	Slug          string // of a link to follow
	Click         string // that this browser came through
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := p.caller(r)
	v := view{
		Base: c.base, Programs: p.all, Demo: p.set.demo, Lasts: p.set.lasts, Private: p.set.private,
		HasKey: c.key != "", Made: p.set.made, Variable: keyVariable, Slug: "ada",
		Click: httpapi.ClickFrom(p.all[0].Program, r),
	}
	if p.set.demo {
		v.Slug = "mara"
	}
	for _, call := range calls(p.all[0], p.set) {
		v.Lines = append(v.Lines, line{call.Says, c.curl(call)})
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	p.template.Execute(w, v) // fails only when the client has gone
}

// caller decides what the lines show to the sender of a request. A key that was
// given is shown to nobody. A key that the program made is shown only to this
// machine. For that, the server must listen only on this machine. The browser
// must have asked by a name of this machine, so that another site cannot read
// the page by giving its own name this address. And no proxy may have passed the
// request on. Everybody else sees the name of a variable in place of the key.
func (p *page) caller(r *http.Request) caller {
	if isLoopback(p.addr.String()) && isLoopback(r.Host) && !forwarded(r.Header) {
		c := caller{base: local(p.addr)}
		if p.set.made {
			c.key = p.all[0].key
		}
		return c
	}
	if plainHost(r.Host) {
		return caller{base: "http://" + r.Host}
	}
	return caller{base: local(p.addr)}
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if bare, _, err := net.SplitHostPort(host); err == nil {
		host = bare
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// forwarded reports whether a proxy passed the request on, as its headers say.
func forwarded(h http.Header) bool {
	for name := range h {
		switch {
		case name == "Forwarded", name == "Via", name == "X-Real-Ip", strings.HasPrefix(name, "X-Forwarded-"):
			return true
		}
	}
	return false
}

// plainHost reports whether a host may stand in a line for the shell.
func plainHost(host string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]"
	return host != "" && strings.Trim(host, letters) == ""
}

// A call is a request that the page shows as a line of curl.
type call struct {
	Says         string
	method, path string
	body         string // JSON; empty: none
	open         bool   // takes no key
}

// A caller writes lines of curl for one reader.
type caller struct {
	base string // http://127.0.0.1:8080
	key  string // empty: the line takes it from a variable of the shell
}

// curl returns the call as a line for the shell.
func (c caller) curl(call call) string {
	words := []string{"curl"}
	if call.method != "GET" && (call.method != "POST" || call.body == "") {
		words = append(words, "-X", call.method)
	}
	words = append(words, quote(c.base+call.path))
	switch {
	case call.open:
	case c.key == "":
		words = append(words, "-H", `"Authorization: Bearer $`+keyVariable+`"`)
	default:
		words = append(words, "-H", quote("Authorization: Bearer "+c.key))
	}
	if call.body != "" {
		words = append(words, "-H", quote("Content-Type: application/json"), "-d", quote(call.body))
	}
	return strings.Join(words, " ")
}

// quote makes any text one word of the shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// calls returns what a reader may try, in an order that works.
func calls(t tenant, set settings) []call {
	const api = "/api/v1"
	code, answer := "NOBODY20", "a code that nobody issued, and why it is refused"
	if set.demo {
		code, answer = "INES15", "what a code would take off, without using it up"
	}
	list := []call{
		{Says: "an affiliate joins", method: "POST", path: api + "/affiliates",
			body: `{"firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","affiliateLink":"ada"}`},
		{Says: "her links, with where they lead and what they brought", method: "GET",
			path: api + "/links?affiliateEmail=ada@example.com"},
		{Says: "a visit through one of them; browsers report it, so it takes no key", method: "POST", path: "/api/affiliates/add-click",
			body: `{"programId":"` + t.Config().ID.String() + `","referralCode":"ada"}`, open: true},
		{Says: "the visitor buys", method: "POST", path: api + "/sales",
			body: `{"referralId":"ada","email":"tomas@example.net","name":"Tomas Berg","totalEarned":49.90,"externalId":"order-2001"}`},
		{Says: "the last sales", method: "GET", path: api + "/sales?limit=2"},
		{Says: answer, method: "POST", path: api + "/promotional-codes/validate",
			body: `{"promoCode":"` + code + `","subtotal":40}`},
	}
	if set.private {
		list = append(list, call{Says: "a receiver on this machine is told of sales; the answer has its secret", method: "POST", path: api + "/webhooks",
			body: `{"url":"http://127.0.0.1:9090/","events":["sale.created","sale.deleted"]}`})
	}
	return list
}
