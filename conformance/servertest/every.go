package servertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// An everyRule holds for every answer of a run, whatever the case is about. The
// rule's own case fails when any answer broke it.
type everyRule struct {
	name string
	rule string
	// wrong returns what the rule wants and what the answer has, or two empty
	// texts when the answer is right.
	wrong func(a *answer) (want, got string)
}

func everyRules() []everyRule {
	return []everyRule{
		header("E01 Content-Type", "contract 1.6: Content-Type on every answer", "Content-Type", "application/json; charset=utf-8"),
		header("E02 Cache-Control", "contract 1.6: Cache-Control on every answer", "Cache-Control", "no-store"),
		header("E03 X-Content-Type-Options", "contract 1.6: X-Content-Type-Options on every answer", "X-Content-Type-Options", "nosniff"),
		{"E04 no CORS", "contract 1.6: no CORS headers under /api/v1", noCORS},
		{"E05 status", "contract 1.6: 200 for every operation that succeeds; nothing is redirected", okOrRefused},
		{"E06 one JSON value", "contract 1.6: a body is one JSON value", oneValue},
		{"E07 error body", "contract 1.9: an error has the single field error, a string", singleError},
		{"E08 Error-Code", "contract 1.9: Error-Code, lower case with underscores, on every error and on nothing else", errorCode},
		{"E09 Error-Field", "contract 1.9: Error-Field where a field is at fault and on nothing else", errorField},
		{"E17 Error-Reasons", "contract 1.9: Error-Reasons, every rule that a code fails, where a code is refused and on nothing else", errorReasons},
		{"E10 documented keys", "contract 1.6 and 2: every documented key, of its type, null where there is no value", documented},
		{"E11 secrets", "contract 2.3, 2.12: no password ever, a secret on creation and rotation only, never the key", noSecrets},
		{"E12 Sale-Outcome", "contract 3.7: Sale-Outcome on every answer to POST /sales that is not an error, and on nothing else", saleOutcome},
		{"E13 Idempotent-Replayed", "contract 1.8: Idempotent-Replayed on a repeat and on nothing else", replayedOnly},
		{"E14 WWW-Authenticate", "contract 1.2: WWW-Authenticate: Bearer on 401", bearerOnly},
		{"E15 Allow", "contract 1.1: Allow on 405 and on nothing else", allowOnly},
		{"E16 Link", "contract 1.7: a Link on pages only", linkOnly},
	}
}

// everyCases makes a case of each rule. They come after all others.
func everyCases() []serverCase {
	var cases []serverCase
	for _, r := range everyRules() {
		cases = append(cases, serverCase{r.name, r.rule, func(x *exam) {
			for _, f := range x.suite.broken(r.name) {
				x.fail(f)
			}
		}})
	}
	return cases
}

func (u *suite) broken(rule string) []Failure {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.every[rule]
}

// observe checks an answer against the rules for every answer.
func (u *suite) observe(a *answer) {
	for _, r := range everyRules() {
		want, got := r.wrong(a)
		if want == "" && got == "" {
			continue
		}
		u.mu.Lock()
		if len(u.every[r.name]) < enough {
			u.every[r.name] = append(u.every[r.name], Failure{a.request.String(), want, got})
		}
		u.mu.Unlock()
	}
}

func header(name, rule, header, want string) everyRule {
	return everyRule{name, rule, func(a *answer) (string, string) {
		if got := a.header.Values(header); len(got) != 1 || got[0] != want {
			return want, fmt.Sprintf("%q", got)
		}
		return "", ""
	}}
}

func noCORS(a *answer) (want, got string) {
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") {
			return "no " + name, a.header.Get(name)
		}
	}
	return "", ""
}

func okOrRefused(a *answer) (want, got string) {
	if a.status != http.StatusOK && a.status < 400 {
		return "200, or an error", fmt.Sprint(a.status)
	}
	return "", ""
}

func oneValue(a *answer) (want, got string) {
	if a.request.method != http.MethodHead && decodeJSON(a.body) == notJSON {
		return "one JSON value", string(a.body)
	}
	return "", ""
}

func singleError(a *answer) (want, got string) {
	if a.status < 400 || a.request.method == http.MethodHead {
		return "", ""
	}
	body, _ := decodeJSON(a.body).(map[string]any)
	if text, ok := body["error"].(string); !ok || text == "" || len(body) != 1 {
		return `{"error": "<text>"}`, string(a.body)
	}
	return "", ""
}

var codeText = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)

func errorCode(a *answer) (want, got string) {
	lines := a.header.Values("Error-Code")
	if a.status >= 400 {
		if len(lines) != 1 || !codeText.MatchString(lines[0]) {
			return "one Error-Code", fmt.Sprintf("%d, Error-Code %q", a.status, lines)
		}
		return "", ""
	}
	if len(lines) > 0 && a.header.Get("Idempotent-Replayed") == "" {
		return "no Error-Code", fmt.Sprintf("%d, Error-Code %q", a.status, lines)
	}
	return "", ""
}

// fielded lists the codes that always name a field.
var fielded = []string{"missing_field", "invalid_field", "unknown_field", "duplicate_field"}

func errorField(a *answer) (want, got string) {
	lines, code := a.header.Values("Error-Field"), a.header.Get("Error-Code")
	switch {
	case slices.Contains(fielded, code) && len(lines) != 1:
		return "an Error-Field beside " + code, fmt.Sprintf("%q", lines)
	case a.status < 400 && len(lines) > 0:
		return "no Error-Field", fmt.Sprintf("%d, Error-Field %q", a.status, lines)
	}
	return "", ""
}

// errorReasons: a refused code has all reasons, in the form of a preview's, and
// the first one is its Error-Code.
func errorReasons(a *answer) (want, got string) {
	lines, code := a.header.Values("Error-Reasons"), a.header.Get("Error-Code")
	if !(&affiliate.Error{Reason: affiliate.Reason(code)}).CodeRefused() {
		if len(lines) > 0 {
			return "no Error-Reasons", fmt.Sprintf("%d %s, Error-Reasons %q", a.status, code, lines)
		}
		return "", ""
	}
	var reasons []affiliate.Failure
	if len(lines) != 1 || json.Unmarshal([]byte(lines[0]), &reasons) != nil || len(reasons) == 0 || string(reasons[0].Reason) != code {
		return "Error-Reasons that begin with " + code, fmt.Sprintf("%q", lines)
	}
	return "", ""
}

func documented(a *answer) (want, got string) {
	if a.status != http.StatusOK || a.request.header.Get("Amounts") == "string" { // which the cases of 1.10 look at
		return "", ""
	}
	if wrong := misshapen(a.request.method, a.request.target, decodeJSON(a.body)); wrong != "" {
		return "the documented keys", fmt.Sprintf("%s, in %s", wrong, a.body)
	}
	return "", ""
}

func noSecrets(a *answer) (want, got string) {
	body := string(a.body)
	if strings.Contains(body, a.x.server.Key) && len(a.x.server.Key) >= 8 {
		return "an answer without the key", "the key"
	}
	if a.request.target == "/openapi.json" {
		return "", "" // it describes secrets
	}
	if strings.Contains(body, `"password"`) {
		return "no key password", body
	}
	issues := a.request.method == http.MethodPost && (a.request.target == "/webhooks" || a.request.target == "/webhooks/rotate-secret")
	if !issues && (strings.Contains(body, `"secret"`) || strings.Contains(body, "whsec_")) {
		return "no secret", body
	}
	return "", ""
}

var outcomes = []string{"recorded", "duplicate", "unattributed", "inactive-customer"}

func saleOutcome(a *answer) (want, got string) {
	lines := a.header.Values("Sale-Outcome")
	recorded := a.request.method == http.MethodPost && a.request.target == "/sales" && a.status == http.StatusOK
	if !recorded && len(lines) > 0 {
		return "no Sale-Outcome", fmt.Sprintf("%q", lines)
	}
	if !recorded {
		return "", ""
	}
	if len(lines) != 1 || !slices.Contains(outcomes, lines[0]) {
		return "one Sale-Outcome of " + strings.Join(outcomes, ", "), fmt.Sprintf("%q", lines)
	}
	if null := decodeJSON(a.body) == nil; null == (lines[0] == "recorded") {
		return "a sale when it was recorded, else null", a.String()
	}
	return "", ""
}

func replayedOnly(a *answer) (want, got string) {
	lines := a.header.Values("Idempotent-Replayed")
	if len(lines) == 0 {
		return "", ""
	}
	if a.request.reads() || a.request.header.Get("Idempotency-Key") == "" || lines[0] != "true" {
		return "no Idempotent-Replayed", fmt.Sprintf("%q", lines)
	}
	return "", ""
}

func bearerOnly(a *answer) (want, got string) {
	lines := a.header.Values("Www-Authenticate")
	if a.status == http.StatusUnauthorized && (len(lines) != 1 || lines[0] != "Bearer") {
		return "WWW-Authenticate: Bearer", fmt.Sprintf("%q", lines)
	}
	if a.status != http.StatusUnauthorized && len(lines) > 0 {
		return "no WWW-Authenticate", fmt.Sprintf("%d, %q", a.status, lines)
	}
	return "", ""
}

func allowOnly(a *answer) (want, got string) {
	lines := a.header.Values("Allow")
	if (a.status == http.StatusMethodNotAllowed) != (len(lines) == 1) {
		return "one Allow on 405, none elsewhere", fmt.Sprintf("%d, Allow %q", a.status, lines)
	}
	return "", ""
}

func linkOnly(a *answer) (want, got string) {
	if len(a.header.Values("Link")) == 0 {
		return "", ""
	}
	path, query, _ := strings.Cut(a.request.target, "?")
	paged := strings.Contains(query, "limit=") || strings.Contains(query, "cursor=") ||
		slices.ContainsFunc(lookups(), func(l lookup) bool { return l.only && l.path == path })
	if a.status != http.StatusOK || !paged {
		return "no Link", a.header.Get("Link")
	}
	return "", ""
}
