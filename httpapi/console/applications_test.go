package console_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/console"
)

// TestApplications: a page has the applicants with what they answered, the first to apply first.
// Each is decided by themselves, with a reason of their own, and those who are left to later wait
// on. Who waits no more is not decided again, and nobody else of that form is.
func TestApplications(t *testing.T) {
	site, why := uuid.New(), uuid.New()
	w := newWorld(t, func(_ *tributary.Config, c *console.Config) {
		c.Questions = map[uuid.UUID]string{site: "Where do you write?", why: "About <b>what</b>?"}
	})
	var who []affiliate.Affiliate
	for i, answers := range [][]affiliate.Answer{
		{{QuestionID: site, Answer: "https://blog.example/a?b=1"}, {QuestionID: why, Answer: "<i>Beans</i>"}},
		{{QuestionID: why, Answer: "javascript:alert(1)"}, {QuestionID: site, Answer: "ftp://blog.example/b"}}, {}, {},
	} {
		who = append(who, must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: fmt.Sprint("No", i),
			LastName: "Body", Email: fmt.Sprintf("n%d@site%d.example", i, i), AffiliateStatus: "inactive", Answers: answers})))
	}
	const path = "affiliates/applications"
	page := w.get(path)
	for _, has := range []string{`<a href="https://blog.example/a?b=1" rel="nofollow`, "About &lt;b&gt;what&lt;/b&gt;?", "&lt;i&gt;Beans&lt;/i&gt;", "<bdi>javascript:alert(1)</bdi>", `data-label="Where do you write?"><bdi>ftp://blog.example/b</bdi>`, `affiliates?q=%40site0.example"`} {
		if !strings.Contains(page.body, has) {
			t.Errorf("the page lacks %s", has)
		}
	}
	if text := page.text(); strings.Index(text, "No0") > strings.Index(text, "No3") {
		t.Error("the last to apply stands first")
	}
	if none := w.send(path, w.form(path)); none.status != 400 || !strings.Contains(none.text(), "Decide about one of them at least.") {
		t.Errorf("nothing was decided: %d %s", none.status, none.text())
	}
	to := func(i int) string { return "to-" + who[i].ID.String() }
	reason := func(i int) string { return "why-" + who[i].ID.String() }
	other := w.form(path, to(0), "DECLINED", to(2), "ACTIVE")
	if sent := w.send(path, w.form(path, to(0), "ACTIVE", to(1), "DECLINED", reason(1), "No site.")); sent.status != 303 {
		t.Fatalf("%d %s", sent.status, sent.text())
	}
	states := func() (all []string) {
		for _, a := range who {
			all = append(all, string(must(w.Affiliate(t.Context(), a.ID.String())).Status))
		}
		return all
	}
	const want = "[ACTIVE DECLINED INACTIVE INACTIVE]"
	if got := fmt.Sprint(states()); got != want {
		t.Errorf("they are %s", got)
	}
	events := must(w.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(who[1].ID.String())}, affiliate.Page{Limit: 1})).Items
	if events[0].Reason != "No site." {
		t.Errorf("the history says %q", events[0].Reason)
	}
	if late := w.send(path, other); late.status != 400 || !strings.Contains(late.text(), "No0 Body is active meanwhile") {
		t.Errorf("decided before: %d %s", late.status, late.text())
	}
	for _, form := range [][]string{{to(2), "BANNED"}, {to(2), "ACTIVE", reason(3), "nobody is told this"}, {"to-x", "ACTIVE"}, {"to-" + uuid.NewString(), "ACTIVE"}} {
		if bad := w.send(path, w.form(path, form...)); bad.status == 303 {
			t.Errorf("%v: %d", form, bad.status)
		}
	}
	if got := fmt.Sprint(states()); got != want {
		t.Errorf("a refusal has changed them: %s", got)
	}
	w.send(path, w.form(path, to(2), "ACTIVE", to(3), "ACTIVE"))
	if last := w.get(path); !strings.Contains(last.text(), "Nobody waits for approval.") {
		t.Error("somebody waits still")
	}
}

// TestHeldGroups: sales on hold stand by affiliate and reason, each group with its number and sum
// and a way to decide about all of it, which the history explains.
func TestHeldGroups(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	sold := func(who, total string) affiliate.SaleID {
		sale := must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: must(w.Affiliate(t.Context(), who)).ID.String(),
			Email: uuid.NewString() + "@x.example", Name: "X", TotalEarned: affiliate.MustAmount(total)})).Sale
		return sale.Or(affiliate.Sale{}).ID
	}
	idle := []affiliate.SaleID{sold(w.idle.ID.String(), "10"), 0, sold(w.idle.ID.String(), "100.50")}
	must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Idle", LastName: "Too", Email: "too@example.org", AffiliateStatus: "inactive"}))
	idle[1] = sold("too@example.org", "30")
	page := w.get("sales?approval=ON_HOLD")
	var group string
	for _, body := range strings.Split(page.body, "<tbody>") {
		if strings.Contains(body, fmt.Sprintf(`value="%v"`, idle[0])) {
			group = body
		}
	}
	for _, has := range []string{"affiliates/" + w.idle.ID.String(), "2 sales", ">22.10<", fmt.Sprintf(`value="%v"`, idle[2])} {
		if !strings.Contains(group, has) {
			t.Errorf("the group lacks %s: %s", has, group)
		}
	}
	if strings.Contains(group, fmt.Sprintf(`value="%v"`, idle[1])) {
		t.Error("a sale of another affiliate stands in the group")
	}
	_, link, _ := strings.Cut(group, `href="./sales/review?`)
	link, _, _ = strings.Cut(link, `"`)
	path := "sales/review?" + html.UnescapeString(link)
	if answer := w.send(path, w.form(path, "reason", "asked them")); answer.status != 303 || !strings.Contains(answer.head.Get("Location"), "approval=ON_HOLD") {
		t.Fatalf("%d %s", answer.status, answer.text())
	}
	for i, want := range []affiliate.ApprovalStatus{affiliate.ApprovalAccepted, affiliate.ApprovalOnHold, affiliate.ApprovalAccepted} {
		if got := must(w.Sale(t.Context(), idle[i])).Commissions[0].ApprovalStatus; got != want {
			t.Errorf("sale %d is %s", i, got)
		}
	}
	events := must(w.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(fmt.Sprint(idle[0]))}, affiliate.Page{Limit: 1})).Items
	if events[0].Reason != "asked them" {
		t.Errorf("the history says %q", events[0].Reason)
	}
}
