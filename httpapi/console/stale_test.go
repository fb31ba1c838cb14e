package console_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A twist is what somebody else does while a form is open.
type twist struct {
	do    func(*world)
	shows string // on the page that asks again
}

// makers are the actions whose forms show nothing that could change before they
// make something new, or that go on with a job.
var makers = map[string]bool{
	"affiliates.create": true, "sales.create": true, "sales.convert": true, "customers.create": true, "affiliates.invite": true, "coupons.create": true, "plans.create": true, "tiers.create": true, "webhooks.create": true,
	"tiers.assign": true, "bonuses.grant": true, "affiliates.recalculate": true, "customers.recalculate": true, "payouts.results": true,
}

// twists are what changes under the form of each deed that is not edited.
func twists(w *world, s stock) map[string]twist {
	ctx := w.t.Context()
	rename := func(who uuid.UUID) func(*world) {
		return func(w *world) {
			must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: who}, affiliate.AffiliateUpdate{LastName: affiliate.Set("Meanwhile")}))
		}
	}
	url := func(w *world) {
		must(w.Webhooks().UpdateEndpoint(ctx, s.hook.ID, affiliate.EndpointUpdate{URL: affiliate.Set("https://hooks.example/meanwhile")}))
	}
	percent := func(w *world) {
		must(w.UpdateCoupon(ctx, s.coupon.ID, affiliate.CouponUpdate{PercentOff: affiliate.Set(affiliate.MustPercent("55"))}))
	}
	day := affiliate.Set(affiliate.Day(2030, 1, 1))
	return map[string]twist{
		"affiliates.status":    {func(w *world) { must(w.SetAffiliateStatus(ctx, affiliate.AffiliateDeclined, w.idle.ID)) }, "is declined and cannot become active"},
		"affiliates.decide":    {func(w *world) { must(w.SetAffiliateStatus(ctx, affiliate.AffiliateActive, s.applies.ID)) }, "is active meanwhile"},
		"cases.answer":         {func(w *world) { must(w.AnswerCase(ctx, s.asked.ID, affiliate.CaseAnswer{Answer: "no"})) }, "It was answered meanwhile"},
		"affiliates.take-back": {rename(must(w.Affiliate(ctx, "banned@example.org")).ID), "Meanwhile"},
		"affiliates.adjust": {func(w *world) {
			must(w.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: w.ada.ID, Kind: affiliate.AdjustBonus, Amount: affiliate.MustAmount("7.77"), Reason: "by somebody else"}))
		}, "by somebody else"},
		"affiliates.erase":  {rename(s.extra.ID), "Meanwhile"},
		"affiliates.merge":  {rename(s.twice.ID), "Meanwhile"},
		"affiliates.delete": {rename(s.extra.ID), "Meanwhile"},
		"payouts.create": {func(w *world) {
			must(w.RefundSale(ctx, affiliate.Refund{SaleID: w.free.ID}))
		}, "can be paid now"},
		"payouts.status": {func(w *world) { must(w.SetPayoutStatus(ctx, w.payout.ID, affiliate.PayoutProcessing)) }, "It is processing now"},
		"payouts.paid":   {func(w *world) { must(w.FailPayout(ctx, s.due.ID, "no such account")) }, "Nothing of this run is still to be paid"},
		"payouts.run":    {func(w *world) { must(w.RefundSale(ctx, affiliate.Refund{SaleID: w.free.ID})) }, "in all"},
		"links.create":   {rename(w.ada.ID), "Meanwhile"},
		"links.delete":   {func(w *world) { must(w.RenameLink(ctx, affiliate.LinkRef{ID: s.spare.ID}, "meanwhile")) }, "meanwhile"},
		"coupons.delete": {func(w *world) {
			must(w.UpdateCoupon(ctx, s.empty.ID, affiliate.CouponUpdate{Valid: affiliate.Set(false)}))
		}, "It may not be used now"},
		"codes.create":     {percent, "55 % off"},
		"coupons.generate": {percent, "55 % off"},
		"codes.delete": {func(w *world) {
			must(w.UpdateCode(ctx, s.code.ID, affiliate.CodeUpdate{AffiliateEmail: affiliate.Set("idle2@example.org")}))
		}, "Idle"},
		"customers.move": {func(w *world) {
			must(w.UpdateReferral(ctx, s.extraCustomer.ID.String(), affiliate.ReferralUpdate{Name: affiliate.Set("Meanwhile")}))
		}, "Meanwhile"},
		"sales.correct": {func(w *world) {
			must(w.RefundSale(ctx, affiliate.Refund{SaleID: s.movable.ID, Amount: affiliate.Set(affiliate.MustAmount("2"))}))
		}, "It earns"},
		"sales.move": {func(w *world) {
			must(w.RefundSale(ctx, affiliate.Refund{SaleID: s.movable.ID, Amount: affiliate.Set(affiliate.MustAmount("2"))}))
		}, "It earns"},
		"customers.merge": {func(w *world) {
			must(w.UpdateReferral(ctx, s.twiceCustomer.ID.String(), affiliate.ReferralUpdate{Name: affiliate.Set("Meanwhile")}))
		}, "Meanwhile"},
		"customers.erase": {func(w *world) {
			must(w.UpdateReferral(ctx, s.extraCustomer.ID.String(), affiliate.ReferralUpdate{Name: affiliate.Set("Meanwhile")}))
		}, "Meanwhile"},
		"customers.delete": {func(w *world) {
			must(w.RecordSale(ctx, affiliate.SaleParams{ReferralID: s.extraCustomer.ID.String(), Email: s.extraCustomer.Email, Name: "Ex", TotalEarned: affiliate.MustAmount("33")}))
		}, "33.00 USD"},
		"sales.refund": {func(w *world) {
			must(w.RefundSale(ctx, affiliate.Refund{SaleID: w.free.ID, Amount: affiliate.Set(affiliate.MustAmount("2"))}))
		}, "2.00 USD was refunded so far"},
		"sales.reverse": {func(w *world) {
			must(w.RefundSale(ctx, affiliate.Refund{SaleID: w.free.ID, Amount: affiliate.Set(affiliate.MustAmount("2"))}))
		}, "2.00 USD was refunded so far"},
		"sales.review":             {func(w *world) { must(w.ReviewCommissions(ctx, affiliate.ApprovalDeclined, w.held.ID)) }, "now declined"},
		"sales.restore-redemption": {func(w *world) { must(0, w.RestoreRedemption(ctx, affiliate.SaleRef{ID: s.byCode.ID})) }, "already restored"},
		"holds.release":            {func(w *world) { must(w.ReleaseHold(ctx, s.hold)) }, "is released now"},
		"redemptions.accept":       {func(w *world) { must(0, w.AcceptRedemption(ctx, affiliate.SaleRef{ID: s.late.ID})) }, "It waits for nobody"},
		"payments.decide": {func(w *world) {
			must(w.RefundSale(ctx, affiliate.Refund{SaleID: w.paid.ID, Amount: affiliate.Set(affiliate.MustAmount("2")), ClawBack: true}))
		}, "12.00 USD was refunded"},
		"plans.delete": {func(w *world) {
			must(w.UpdatePlan(ctx, s.plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("77"))}}))
		}, "77"},
		"plans.terms": {func(w *world) {
			must(w.UpdatePlan(ctx, s.plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("77"))}}))
		}, "Now: 77 %"},
		"plans.withdraw": {func(w *world) {
			must(w.UpdatePlan(ctx, s.plan.ID, affiliate.PlanUpdate{TermsUpdate: affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("77")), From: day}}))
		}, "They are: 77 %"},
		"program.terms": {func(w *world) {
			must(w.SetTerms(ctx, affiliate.TermsUpdate{Withdraw: day}))
		}, "Now: 20 %"},
		"program.withdraw": {func(w *world) {
			must(w.SetTerms(ctx, affiliate.TermsUpdate{Rate: affiliate.Set(affiliate.MustPercent("77")), From: day}))
		}, "They are: 77 %"},
		"tiers.delete": {func(w *world) {
			must(w.UpdateTier(ctx, s.tier.ID, affiliate.TierUpdate{MinReferrals: affiliate.Set[int64](123)}))
		}, "123 customers"},
		"webhooks.headers": {url, "meanwhile"}, "webhooks.rotate": {url, "meanwhile"}, "webhooks.test": {url, "meanwhile"}, "webhooks.replay-range": {url, "meanwhile"}, "webhooks.delete": {url, "meanwhile"},
		"webhooks.replay": {func(w *world) { must(w.Webhooks().Replay(ctx, affiliate.ReplayRange{DeliveryID: w.delivery})) }, "It is pending"},
	}
}

// TestStalePages: no form of any action does what its page did not show.
// It is asked again with what is so now; a field that nobody touched is not written,
// and one that two have changed is shown with both values.
func TestStalePages(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	names := map[string]bool{}
	for i, d := range deeds(w) {
		if names[d.audit] || makers[d.audit] {
			continue
		}
		names[d.audit] = true
		t.Run(d.name, func(t *testing.T) { stalePage(t, i) })
	}
}

// stalePage opens the form of a deed, lets somebody else do something, and sends it.
func stalePage(t *testing.T, i int) {
	w := newWorld(t)
	w.fill("")
	s := w.stock()
	all := deeds(w)
	d := all[i]
	form := w.ready(d.path, d.fields...)
	turn, there := twists(w, s)[d.audit]
	if !there && form.Get("was-"+firstOf(d.fields)) == "" && !form.Has("was-"+firstOf(d.fields)) {
		t.Fatalf("%s has neither a twist nor the values that its fields had", d.audit)
	}
	if !there {
		return // its fields are compared one by one: TestTwoWriters
	}
	turn.do(w)
	before := w.effects()
	page := w.send(d.path, form)
	refused := page.status == 409 || page.status == 400 && (d.audit == "sales.restore-redemption" || d.audit == "redemptions.accept" || d.audit == "affiliates.status" || d.audit == "affiliates.decide" || d.audit == "cases.answer" || d.audit == "payouts.paid") // it is not possible any more
	if !refused || w.effects() != before || !strings.Contains(page.text(), turn.shows) {
		t.Fatalf("%d, changed %v, %q: %s", page.status, w.effects() != before, turn.shows, page.text())
	}
	if page.status == 409 && !movesMoney(d.path) {
		fields := fieldsOf(t, page.body)
		if d.audit == "customers.delete" {
			fields.Set("forfeit", "1")
		}
		if again := w.send(d.path, fields); again.status != d.done() {
			t.Errorf("asked again, and sent: %d %s", again.status, again.text())
		}
	}
}

func firstOf(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}

// TestTwoWriters: each form that edits. Another field, which somebody
// else has changed meanwhile, stays as they left it; the same field is asked about
// with both values, and then written.
func TestTwoWriters(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	ctx, s := t.Context(), w.stock()
	ada := func() affiliate.Affiliate { return must(w.Affiliate(ctx, w.ada.ID.String())) }
	at := func(section string, id uuid.UUID, verb string) string {
		return section + "/" + id.String() + "/" + verb
	}
	for _, row := range []struct {
		name, path string
		mine       []string // field, value
		theirs     []string // field, value
		now        func() string
		want       string
	}{
		{"payout details", at("affiliates", w.ada.ID, "payout-details"), []string{"paymentMethod", "WISE"}, []string{"payoutEmail", "theirs@pay.example"},
			func() string { return ada().PayoutEmail.Or("") + " " + string(ada().PaymentMethod.Or("")) }, "theirs@pay.example WISE"},
		{"affiliate", at("affiliates", w.ada.ID, "edit"), []string{"firstName", "Mine"}, []string{"lastName", "Theirs"}, func() string { return ada().Name }, "Mine Theirs"},
		{"events of an endpoint", at("webhooks", s.hook.ID, "edit"), []string{"event-sale.created", ""}, []string{"event-sale.deleted", ""},
			func() string { return fmt.Sprint(len(must(w.Webhooks().Endpoint(ctx, s.hook.ID)).Events)) }, "13"},
		{"coupon", at("coupons", s.coupon.ID, "edit"), []string{"maxRedemptions", "77"}, []string{"percentOff", "11"},
			func() string {
				c := must(w.Coupon(ctx, affiliate.CouponRef{ID: s.coupon.ID}))
				return fmt.Sprint(c.MaxRedemptions, c.PercentOff)
			}, "77 11"},
		{"code", at("codes", s.code.ID, "edit"), []string{"maxRedemptions", "4"}, []string{"minimumAmount", "12.5"},
			func() string {
				c := must(w.Code(ctx, affiliate.CodeRef{ID: s.code.ID}))
				return fmt.Sprint(c.MaxRedemptions, c.MinimumAmount)
			}, "4 12.5"},
		{"customer", at("customers", w.customer.ID, "edit"), []string{"name", "Mine"}, []string{"notes", "theirs"},
			func() string {
				r := must(w.Referral(ctx, w.customer.ID.String()))
				return r.Name.Or("") + r.Notes.Or("")
			}, "Minetheirs"},
		{"plan", at("plans", s.plan.ID, "edit"), []string{"name", "Mine"}, []string{"hold", "1"},
			func() string { p := must(w.Plan(ctx, s.plan.ID)); return fmt.Sprint(p.Name, p.AutoApproveRewards) }, "Minefalse"},
		{"tier", at("tiers", s.tier.ID, "edit"), []string{"minReferrals", "5"}, []string{"name", "Theirs"},
			func() string { p := must(w.Tier(ctx, s.tier.ID)); return fmt.Sprint(p.MinReferrals, p.Name) }, "5Theirs"},
		{"owner of a code", at("codes", s.code.ID, "give"), []string{"affiliate", "idle2@example.org"}, nil, nil, ""},
		{"link", at("links", s.link.ID, "rename"), []string{"newLink", "mine"}, nil, nil, ""},
		{"status of a customer", at("customers", w.customer.ID, "status"), []string{"subscriptionStatus", "PAST_DUE"}, nil, nil, ""},
		{"plan of a customer", at("customers", w.customer.ID, "plan"), []string{"commissionPlanId", s.plan.ID.String()}, nil, nil, ""},
		{"plan of an affiliate", "affiliates/plan?id=" + w.ada.ID.String(), []string{"commissionPlanId", s.plan.ID.String()}, nil, nil, ""},
		{"tier of an affiliate", "affiliates/tier?id=" + w.ada.ID.String(), []string{"commissionTierId", s.tier.ID.String()}, nil, nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			w.t = t
			if row.theirs != nil {
				mine, theirs := w.form(row.path, row.mine...), w.form(row.path, row.theirs...)
				for _, form := range []pageAnswer{w.send(row.path, theirs), w.send(row.path, mine)} {
					if form.status != 303 {
						t.Fatalf("%d %s", form.status, form.text())
					}
				}
				if got := row.now(); got != row.want {
					t.Errorf("%s, want %s", got, row.want)
				}
			}
			if strings.HasPrefix(row.mine[0], "event-") {
				return // a box has no third value
			}
			w.bothChange(row.path, row.mine[0])
		})
	}
}

// bothChange lets two people change one field.
func (w *world) bothChange(path, name string) {
	w.t.Helper()
	first, second := w.form(path), w.form(path)
	first.Set(name, w.other(path, name, first.Get(name)))
	second.Set(name, w.other(path, name, first.Get(name), second.Get(name)))
	if page := w.send(path, first); page.status != 303 {
		w.t.Fatalf("%d %s", page.status, page.text())
	}
	before := w.effects()
	page := w.send(path, second)
	if page.status != 409 || w.effects() != before || !strings.Contains(page.text(), "Somebody else has changed this from") {
		w.t.Fatalf("%d, changed %v: %s", page.status, w.effects() != before, page.text())
	}
	again := fieldsOf(w.t, page.body)
	if again.Get(name) != second.Get(name) || again.Get("was-"+name) != first.Get(name) {
		w.t.Errorf("it shows %q after %q, not %q after %q", again.Get(name), again.Get("was-"+name), second.Get(name), first.Get(name))
	}
	if page := w.send(path, again); page.status != 303 {
		w.t.Errorf("%d %s", page.status, page.text())
	}
	if now := w.form(path).Get(name); now != second.Get(name) {
		w.t.Errorf("it is %q, not %q", now, second.Get(name))
	}
}

// other is a value of a field that is none of these.
func (w *world) other(path, name string, not ...string) string {
	inside := false
	for _, e := range parse(w.t, w.get(path).body) {
		switch {
		case e.name == "select":
			inside = e.attrs["name"] == name
		case e.name == "option" && inside && !has(not, e.attrs["value"]) && e.attrs["value"] != "":
			return e.attrs["value"]
		}
	}
	switch {
	case name == "affiliate" && !has(not, "ada@example.org"):
		return "ada@example.org"
	case name == "affiliate" && !has(not, "idle2@example.org"):
		return "idle2@example.org"
	case name == "affiliate":
		return "idle@example.org"
	case name == "maxRedemptions" || name == "minReferrals":
		return fmt.Sprint(10 + len(not))
	}
	return fmt.Sprint("other", len(not))
}

func has(all []string, one string) bool {
	return strings.Contains("\x00"+strings.Join(all, "\x00")+"\x00", "\x00"+one+"\x00")
}

// TestNothingChanged: a form that edits and is saved as it was
// writes nothing, and does not say that it did; so a bulk change of plans that is
// saved untouched takes no plan away.
func TestNothingChanged(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	planned := must(w.Affiliate(t.Context(), "planned@example.org"))
	many := "?id=" + planned.ID.String() + "&id=" + w.ada.ID.String()
	s := w.stock()
	for _, path := range []string{
		"affiliates/plan" + many, "affiliates/tier" + many, "affiliates/plan?id=" + planned.ID.String(), "affiliates/" + w.ada.ID.String() + "/edit",
		"affiliates/" + w.ada.ID.String() + "/payout-details", "affiliates/" + w.ada.ID.String() + "/tier-exempt", "coupons/" + s.coupon.ID.String() + "/edit",
		"coupons/" + s.coupon.ID.String() + "/valid", "codes/" + s.code.ID.String() + "/active", "codes/" + s.code.ID.String() + "/give", "webhooks/" + s.hook.ID.String() + "/edit",
		"webhooks/" + s.hook.ID.String() + "/active", "links/" + s.link.ID.String() + "/rename", "customers/" + w.customer.ID.String() + "/edit",
		"customers/" + w.customer.ID.String() + "/status", "customers/" + w.customer.ID.String() + "/plan", "plans/" + s.plan.ID.String() + "/edit", "tiers/" + s.tier.ID.String() + "/edit",
	} {
		before := w.effects()
		page := w.send(path, w.form(path))
		shown := w.follow(path, page)
		if page.status != 303 || w.effects() != before || !strings.Contains(shown.text(), "Nothing was changed.") {
			t.Errorf("%s: %d, changed %v: %s", path, page.status, w.effects() != before, shown.text())
		}
	}
	path := "affiliates/plan" + many
	if page := w.send(path, w.form(path, "commissionPlanId", "")); page.status != 303 {
		t.Errorf("%d %s", page.status, page.text())
	}
	if a := must(w.Affiliate(t.Context(), planned.ID.String())); !a.CommissionPlanID.IsNull() {
		t.Errorf("the plan that was taken away is %v", a.CommissionPlanID)
	}
}

// follow is the page that an answer leads to.
func (w *world) follow(path string, answer pageAnswer) pageAnswer {
	w.t.Helper()
	return ask(w.desk, "GET", must(must(url.Parse("/"+path)).Parse(answer.head.Get("Location"))).String(), "")
}

// TestNotices: a page says that something was done only to who has done
// it, at the page where that led; no address that somebody makes up or moves says it.
func TestNotices(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	at := "affiliates/" + w.ada.ID.String()
	answer := w.send(at+"/payout-details", w.form(at+"/payout-details", "payoutEmail", "new@pay.example"))
	to := must(must(url.Parse("/" + at + "/payout-details")).Parse(answer.head.Get("Location")))
	notice := `class="notice"`
	if page := ask(w.desk, "GET", to.String(), ""); !strings.Contains(page.body, notice) {
		t.Fatalf("%s: %s", to, page.text())
	}
	token := to.Query().Get("done")
	for _, link := range []string{
		"/" + at + "?done=sales.refund", "/" + at + "?done=affiliates.payout-details", "/" + at + "?done=affiliates.payout-details~", "/" + at + "?done=unchanged",
		"/sales?done=" + url.QueryEscape(token), "/affiliates/" + w.idle.ID.String() + "?done=" + url.QueryEscape(token), "/" + at + "?done=" + url.QueryEscape(strings.Replace(token, "affiliates.payout-details", "affiliates.delete", 1)),
	} {
		if page := ask(w.desk, "GET", link, ""); strings.Contains(page.body, notice) {
			t.Errorf("%s: %s", link, page.text())
		}
	}
	if page := ask(w.desk, "GET", to.String(), "", "Actor", "somebody else"); strings.Contains(page.body, notice) {
		t.Error("somebody else is told that they have done it")
	}
	w.now = w.now.Add(14 * time.Hour)
	if page := ask(w.desk, "GET", to.String(), ""); strings.Contains(page.body, notice) {
		t.Error("the next day it says so still")
	}
	coupon := "coupons/" + w.stock().coupon.ID.String()
	for link, claim := range map[string]string{
		coupon + "?made=2026-03-10T09%3A00%3A00.000Z": "just made", at + "/erase?cursor=x": "there is more", at + "/recalculate?cursor=x": "there are more",
		"tiers/assign?cursor=x": "there are more", "bonuses/grant?cursor=x": "there are more", "payouts/new?externalId=other": "there are more", "customers/" + w.customer.ID.String() + "/erase?cursor=x": "there is more",
	} {
		if page := w.get(link); page.status != 200 || strings.Contains(page.text(), claim) {
			t.Errorf("%s claims %q: %s", link, claim, page.text())
		}
	}
}

// TestFilterStays: what is done with what is ticked leads back to the
// list as it was, with its filter and its page, and so does Cancel.
func TestFilterStays(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	list := url.Values{"status": {"INACTIVE"}, "q": {"i"}}.Encode()
	page := w.get("affiliates?" + list)
	hidden := ""
	for _, e := range parse(t, page.body) {
		if e.attrs["name"] == "list" {
			hidden = e.attrs["value"]
		}
	}
	if hidden != list {
		t.Fatalf("the list is %q, not %q", hidden, list)
	}
	ids := "?id=" + w.idle.ID.String()
	for path, fields := range map[string][]string{
		"affiliates/plan" + ids: {"commissionPlanId", w.stock().plan.ID.String()}, "affiliates/tier" + ids: {"commissionTierId", w.stock().tier.ID.String()}, "affiliates/status" + ids + "&to=DECLINED": nil,
	} {
		path += "&list=" + url.QueryEscape(list)
		form := w.get(path)
		if !strings.Contains(form.body, `href="./../affiliates?q=i&amp;status=INACTIVE"`) {
			t.Errorf("%s: Cancel leads elsewhere: %s", path, form.body)
		}
		answer := w.send(path, w.form(path, fields...))
		to := must(url.Parse(answer.head.Get("Location")))
		if answer.status != 303 || to.Path != "./../affiliates" || to.Query().Get("status") != "INACTIVE" || to.Query().Get("q") != "i" {
			t.Errorf("%s: %d, to %s", path, answer.status, to)
		}
		if shown := w.follow(path, answer); shown.status != 200 || !strings.Contains(shown.body, `class="notice"`) {
			t.Errorf("%s: %d %s", path, shown.status, shown.text())
		}
	}
	held := url.Values{"approval": {"ON_HOLD"}, "since": {"2026-01-01"}}.Encode()
	path := fmt.Sprint("sales/review?id=", w.held.ID, "&to=ACCEPTED&list=", url.QueryEscape(held))
	if answer := w.send(path, w.form(path)); !strings.HasPrefix(answer.head.Get("Location"), "./../sales?approval=ON_HOLD&done=") || !strings.Contains(answer.head.Get("Location"), "since=2026-01-01") {
		t.Errorf("%d %s", answer.status, answer.head.Get("Location"))
	}
	evil := "affiliates/plan?id=" + w.ada.ID.String() + "&list=" + url.QueryEscape("//evil.example/?done=sales.refund&nothing=1")
	if form := w.get(evil); form.status != 200 || strings.Contains(form.body, "evil") && strings.Contains(form.body, `href="//evil`) || strings.Contains(form.body, "nothing=1\"") {
		t.Errorf("%d %s", form.status, form.body)
	}
}

// TestMoneyIsRepeated: before money moves a page repeats the
// amount, and all of a sale is refunded only when that was ticked.
func TestMoneyIsRepeated(t *testing.T) {
	w := newWorld(t)
	w.fill("")
	refund := fmt.Sprint("sales/", w.free.ID, "/refund")
	before := w.effects()
	for _, fields := range [][]string{{"amount", ""}, {"amount", "5", "whole", "1"}, {"amount", "12,50"}, {"amount", "1,23.4"}, {"amount", "0,5"}} {
		if page := w.send(refund, w.form(refund, fields...)); page.status != 400 || w.effects() != before || !strings.Contains(page.body, `aria-invalid="true"`) {
			t.Errorf("%v: %d %s", fields, page.status, page.text())
		}
	}
	page := w.send(refund, w.form(refund, "amount", "5", "tax", "4", "shipping", "1"))
	if page.status != 200 || !strings.Contains(page.text(), "4.00 USD of the refund was tax. 1.00 USD of the refund was shipping.") {
		t.Errorf("%d %s", page.status, page.text())
	}
	page = w.send(refund, w.form(refund, "whole", "1"))
	if page.status != 200 || w.effects() != before || !strings.Contains(page.text(), "Refund 12.34 USD") {
		t.Fatalf("%d %s", page.status, page.text())
	}
	change := fieldsOf(t, page.body)
	change.Set("change", "1")
	if form := w.send(refund, change); form.status != 200 || w.effects() != before || fieldsOf(t, form.body).Get("whole") != "1" {
		t.Errorf("Change: %d %s", form.status, form.text())
	}
	if done := w.send(refund, fieldsOf(t, page.body)); done.status != 303 {
		t.Errorf("%d %s", done.status, done.text())
	}
	if sale := must(w.Sale(t.Context(), w.free.ID)); sale.Status != affiliate.SaleRefunded {
		t.Error(sale.Status)
	}
	adjust := "affiliates/" + w.ada.ID.String() + "/adjust"
	page = w.send(adjust, w.form(adjust, "kind", "CORRECTION", "amount", "-1,250.5", "reason", "a fee"))
	if page.status != 200 || !strings.Contains(page.text(), "Correction of −1,250.50 USD") {
		t.Errorf("%d %s", page.status, page.text())
	}
	run := "payouts/new"
	page = w.send(run, w.form(run, "externalId", "r", "minimum", "0"))
	if page.status != 200 || !strings.Contains(page.text(), "1 payout, ") {
		t.Fatalf("%d %s", page.status, page.text())
	}
	must(w.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: "ada", Email: "new@x.example", Name: "N", TotalEarned: affiliate.MustAmount("100")}))
	before = w.effects()
	if stale := w.send(run, fieldsOf(t, page.body)); stale.status != 409 || w.effects() != before || !strings.Contains(stale.text(), "has changed meanwhile") {
		t.Errorf("%d, changed %v: %s", stale.status, w.effects() != before, stale.text())
	}
}
