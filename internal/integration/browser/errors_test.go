package browser

import "strings"

// refuse fills every form in wrongly (check 47): it comes back with what is wrong, the
// summary has the focus, each field says what is wrong with it, the page fits, and
// everybody can read it. Of those with the same kinds of fields, one is read by all. It
// returns how many were refused.
func (tb *tab) refuse(forms []string) (refused int) {
	tb.Helper()
	read := map[string]bool{}
	for _, path := range forms {
		tb.open(path)
		if !tb.sendWrong() {
			continue
		}
		refused++
		tb.refusalLeads()
		tb.fits(phone)
		if kinds := eval[string](tb, kindsOfFields); !read[kinds] {
			read[kinds] = true
			tb.accessible(light)
			tb.accessible(dark)
		}
	}
	return refused
}

const kindsOfFields = `[...new Set([...document.querySelectorAll("main .field > :not(.hint)")].map((e) =>
	e.localName + "." + e.className + e.type + e.ariaInvalid))].sort().join()`

// sendWrong puts what cannot be right into every field that is typed into, past the
// browser's own checks, sends the form, and reports whether it came back.
func (tb *tab) sendWrong() bool {
	tb.Helper()
	eval[int](tb, `(() => {
	for (const form of document.forms) form.noValidate = true;
	for (const field of document.querySelectorAll("main .field input, main .field textarea")) {
		if (["text", "email", "url", "textarea"].includes(field.type)) field.value = field.required ? "" : "?!";
		if (field.type === "number") field.value = "-1";
	}
	return 0;
})()`)
	tb.watch.forget()
	tb.click("button", `document.querySelector("main form[method=post] button.main")`)
	if !tb.watch.loaded(patience) {
		tb.Fatalf("%s: the form was not sent", tb.path())
	}
	status := tb.watch.page().status
	problem := tb.text("main .problem")
	if (status >= 400) != (problem != "") || status >= 500 {
		tb.Errorf("%s: %d, and the page says %q", tb.path(), status, problem)
	}
	return strings.TrimSpace(problem) != ""
}
