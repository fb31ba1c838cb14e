package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/sample"
)

// TestHostile (check 46): whatever people call themselves, no page makes an element of
// it, opens a dialog or breaks its policy; what is written from right to left stays in
// its place, what cannot be seen is shown, and the layout holds.
func TestHostile(t *testing.T) {
	t.Parallel()
	for set, mount := range sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).fill(attacks()...)
			must(w.UpdateReferral(t.Context(), w.made.Customer.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set(strings.Repeat("<\u200b\"", 3_333))}))(t)
			tb := newTab(t, originOf(t, mount(w)))
			crawl(tb, "/", 1, func(tb *tab, _ int) {
				tb.fits(phone)
				for _, wrong := range eval[[]string](tb, made) {
					tb.Errorf("%s: %s", tb.path(), wrong)
				}
			})
		})
	}
}

// attacks are the hostile texts, and two that cannot be broken: one is written from
// right to left.
func attacks() []string {
	all := []string{strings.Repeat("W", 90), "שלום عالم " + strings.Repeat("ארוך", 20)}
	for _, text := range sample.Hostile {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// made are the elements that only data can have made, what leaves its cell, and
// characters that cannot be seen.
const made = `(() => {
	const wrong = [], known = new Set(("html head meta title link script body a header div span bdi form button nav main footer p input h1 h2 section ul ol li b " +
		"svg title rect path polyline details summary datalist table caption thead tbody tr th td label select option textarea fieldset legend small dl dt dd code pre meter").split(" "));
	for (const e of document.querySelectorAll("*")) {
		if (!known.has(e.localName)) wrong.push("an element " + e.outerHTML.slice(0, 100));
		for (const a of e.attributes) {
			if (a.name.startsWith("on") || a.name === "style" || a.name === "srcdoc") wrong.push("an attribute " + a.name);
			if (["href", "src", "action", "formaction"].includes(a.name) && /^\s*(javascript|data):/i.test(a.value) && a.value !== "data:,") wrong.push("a link " + a.value);
		}
	}
	if (document.scripts.length !== 1) wrong.push(document.scripts.length + " scripts");
	for (const text of document.querySelectorAll("td bdi, dd bdi")) {
		const cell = text.closest("td, dd"), t = text.getBoundingClientRect(), c = cell.getBoundingClientRect();
		if (t.left < c.left - 1 || t.right > c.right + 1) wrong.push("a text leaves its cell: " + text.textContent.slice(0, 50));
	}
	if (/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/.test(document.querySelector("main").innerText)) wrong.push("a character that cannot be seen");
	return wrong.slice(0, 5);
})()`
