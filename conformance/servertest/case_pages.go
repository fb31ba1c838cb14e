package servertest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// walk reads a list page by page, following its Links, and returns the ids.
func (x *exam) walk(target string, visit func(page int)) []string {
	var ids []string
	path, _, _ := strings.Cut(target, "?")
	for page := 1; ; page++ {
		a := x.get(target)
		ids = append(ids, a.ids()...)
		next, more := nextPage(a)
		if !more {
			return ids
		}
		if page > 10_000 {
			a.wants("an end")
		}
		if visit != nil {
			visit(page)
		}
		target = path + next
	}
}

// nextPage returns the query in the Link of a page.
func nextPage(a *answer) (query string, more bool) {
	lines := a.header.Values("Link")
	if len(lines) == 0 {
		return "", false
	}
	rest, ok := strings.CutSuffix(lines[0], `>; rel="next"`)
	query, opened := strings.CutPrefix(rest, "<")
	values, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if len(lines) != 1 || !ok || !opened || !strings.HasPrefix(query, "?") || err != nil || values.Get("cursor") == "" || values.Get("limit") == "" {
		a.wants(`Link: <?limit=…&cursor=…>; rel="next"`)
	}
	return query, true
}

// fiveLinks makes an affiliate with five links and returns their ids, newest
// first.
func fiveLinks(x *exam) []string {
	a := x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example","affiliateLink":"{{u}}"}`).as("a", "email")
	ids := []string{a.text("affiliateLinks.0.id")}
	for i := range 4 {
		ids = append(ids, x.do("POST /links", fmt.Sprintf(`{"affiliateId":"{{a}}","link":"{{u}}-%d"}`, i)).id())
	}
	slices.Reverse(ids)
	return ids
}

func pageCases() []serverCase {
	return []serverCase{
		{"B120 pages of a filtered list", pagesRule, func(x *exam) {
			want := fiveLinks(x)
			for limit := 1; limit <= 6; limit++ {
				target := fmt.Sprintf("/links?affiliateId={{a}}&limit=%d", limit)
				x.sameIDs(target, want, x.walk(target, nil))
			}
			x.sameIDs("/links?affiliateEmail={{a.email}}&limit=2", want, x.walk("/links?affiliateEmail={{a.email}}&limit=2", nil))
		}},
		{"B120 the whole list", pagesRule, func(x *exam) {
			x.sameIDs("/links?affiliateId={{a}}", fiveLinks(x), x.get("/links?affiliateId={{a}}").headed("Link", "").ids())
		}},
		{"B120 a whole list that is long", pagesRule, func(x *exam) {
			fiveLinks(x)
			for i := range 60 {
				x.do("POST /links", fmt.Sprintf(`{"affiliateId":"{{a}}","link":"{{u}}-x%d"}`, i)).ok()
			}
			x.sameIDs("/links?affiliateId={{a}}", x.walk("/links?affiliateId={{a}}&limit=50", nil), x.get("/links?affiliateId={{a}}").headed("Link", "").ids())
			x.sameIDs("/links?affiliateEmail={{a.email}}", x.walk("/links?affiliateId={{a}}&limit=50", nil), x.get("/links?affiliateEmail={{a.email}}").ids())
		}},
		{"B120 a page that is just full", pagesRule, func(x *exam) {
			fiveLinks(x)
			x.get("/links?affiliateId={{a}}&limit=5").headed("Link", "")
		}},
		{"B120 a cursor without a limit", "contract 1.7: cursor without limit means limit=100", func(x *exam) {
			want := fiveLinks(x)
			next, _ := nextPage(x.get("/links?affiliateId={{a}}&limit=2"))
			values, _ := url.ParseQuery(strings.TrimPrefix(next, "?"))
			values.Del("limit")
			x.sameIDs("/links?…", want[2:], x.get("/links?"+values.Encode()).headed("Link", "").ids())
		}},
		{"B120 records are added and deleted meanwhile", pagesRule, func(x *exam) {
			want := fiveLinks(x)
			got := x.walk("/links?affiliateId={{a}}&limit=1", func(page int) {
				x.do("POST /links", fmt.Sprintf(`{"affiliateId":"{{a}}","link":"{{u}}-new%d"}`, page)).ok()
				if page == 2 {
					x.do("DELETE /links", `{"id":"`+want[1]+`"}`).ok() // it was on this page: the next pages must not shift
					x.do("DELETE /links", `{"id":"`+want[3]+`"}`).ok() // it is on no later page
				}
			})
			x.sameIDs("/links?…", []string{want[0], want[1], want[2], want[4]}, got)
		}},
		{"B120 newest first over everything", pagesRule, newestFirst},
		{"B119 a cursor of another operation", cursorRule, func(x *exam) {
			fiveLinks(x)
			cursor := x.cursorOf("/links?affiliateId={{a}}&limit=2")
			x.get("/coupons?limit=2&cursor=" + cursor).refused(badCursor)
			x.get("/sales?affiliateId={{a}}&limit=2&cursor=" + cursor).refused(badCursor)
		}},
		{"B119 a cursor of other filters", cursorRule, func(x *exam) {
			fiveLinks(x)
			cursor := x.cursorOf("/links?affiliateId={{a}}&limit=2")
			x.get("/links?limit=2&cursor=" + cursor).refused(badCursor)
			x.get("/links?affiliateId={{affiliate}}&limit=2&cursor=" + cursor).refused(badCursor)
		}},
		{"B119 a cursor with another limit", "contract 1.7: limit is no filter", func(x *exam) {
			want := fiveLinks(x)
			cursor := x.cursorOf("/links?affiliateId={{a}}&limit=2")
			x.sameIDs("/links?…", want[2:], x.get("/links?affiliateId={{a}}&limit=3&cursor="+cursor).ids())
		}},
		{"B118 a cursor that was changed", cursorRule, func(x *exam) {
			fiveLinks(x)
			raw, _ := url.QueryUnescape(x.cursorOf("/links?affiliateId={{a}}&limit=2"))
			for i := range len(raw) {
				other := raw[:i] + string(rune('A'+(raw[i]+1)%26)) + raw[i+1:]
				if other != raw {
					x.get("/links?affiliateId={{a}}&limit=2&cursor=" + url.QueryEscape(other)).refused(badCursor)
				}
			}
			x.get("/links?affiliateId={{a}}&limit=2&cursor=" + url.QueryEscape(raw[:len(raw)-1])).refused(badCursor)
			x.get("/links?affiliateId={{a}}&limit=2&cursor=" + url.QueryEscape(raw+"A")).refused(badCursor)
		}},
		{"B120 the Link keeps a filter that needs escaping", pagesRule, func(x *exam) {
			x.do("POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}+a&b@conform.example"}`).as("a")
			x.do("POST /links", `{"affiliateId":"{{a}}","link":"{{u}}-x"}`).ok()
			target := "/links?limit=1&affiliateEmail=" + url.QueryEscape(x.unique+"+a&b@conform.example")
			if got := x.walk(target, nil); len(got) != 2 {
				x.fail(Failure{target, "2 links", fmt.Sprint(got)})
			}
		}},
	}
}

func (x *exam) cursorOf(target string) string {
	a := x.get(target)
	next, more := nextPage(a)
	if !more {
		a.wants("a Link")
	}
	values, _ := url.ParseQuery(strings.TrimPrefix(next, "?"))
	return url.QueryEscape(values.Get("cursor"))
}

func (x *exam) sameIDs(what string, want, got []string) {
	if !slices.Equal(want, got) {
		x.fail(Failure{"GET " + x.fill(what), fmt.Sprint(want), fmt.Sprint(got)})
	}
}

// newestFirst makes three records of each kind and expects them in their order
// at the head of the whole list.
func newestFirst(x *exam) {
	bodies := map[string]string{
		"/coupons":           `{"name":"{{u}}","percentOff":10}`,
		"/affiliates":        `{"firstName":"A","lastName":"B","email":"{{u}}-%d@conform.example"}`,
		"/promotional-codes": `{"couponId":"{{coupon}}","code":"{{u}}-%d"}`,
		"/referrals":         `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}-%d@conform.example","referredUserExternalId":"{{u}}-%d"}`,
		"/sales":             `{"referralId":"{{customer}}","totalEarned":1}`,
		"/links":             `{"affiliateId":"{{affiliate}}","link":"{{u}}-l%d"}`,
	}
	for _, path := range sortedKeys(bodies) {
		var want []string
		for i := range 3 {
			want = append(want, x.do("POST "+path, strings.ReplaceAll(bodies[path], "%d", fmt.Sprint(i))).id())
		}
		slices.Reverse(want)
		var got []string
		for _, id := range x.get(path + "?limit=100").ids() {
			if slices.Contains(want, id) {
				got = append(got, id)
			}
		}
		x.sameIDs(path+"?limit=100", want, got)
	}
}
