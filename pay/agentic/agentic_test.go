package agentic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/agentic"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func key(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func issuer(keys ...[]byte) agentic.Issuer {
	return agentic.Issuer{Provider: "partners.beans.example", Keys: keys, Now: func() time.Time { return start }}
}

func shop(t *testing.T) (*tributary.Program, affiliate.Affiliate) {
	t.Helper()
	p, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		t.Fatal(err)
	}
	mara, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example", AffiliateLink: "mara"})
	if err != nil {
		t.Fatal(err)
	}
	return p, mara
}

// TestParse: the examples of the proposal, with other values, are read; what it forbids is refused in its form, with the
// place, and what it does not know does no harm.
func TestParse(t *testing.T) {
	for raw, refused := range map[string]string{
		`{"provider": "net.example", "token": "t_01", "publisher_id": "p1", "touchpoint": "first"}`: "",
		`{"provider": "net.example", "token": "t_01", "campaign_id": "123456789012", "sub_id": "u1=a&u2=b", "touchpoint": "last", "source": {"type": "url", "url": "https://blog.example/kettles"},
			"issued_at": "2026-11-17T10:30:00Z", "expires_at": "2026-11-24T10:30:00Z", "metadata": {"content_type": "article", "rank": 1, "top": true}, "added_later": [1]}`: "",
		`{"provider": "net.example", "publisher_id": "p1"}`: "",
		`{"token": "t_01"}`:           "missing $.affiliate_attribution.provider",
		`{"provider": "net.example"}`: "missing $.affiliate_attribution.token",
		`{"provider": "net.example", "token": "t", "touchpoint": "middle"}`:                                  "invalid $.affiliate_attribution.touchpoint",
		`{"provider": "net.example", "token": "t", "metadata": {"a": {"b": 1}}}`:                             "invalid_type $.affiliate_attribution.metadata",
		`{"provider": "net.example", "token": "t", "metadata": {"a": null}}`:                                 "invalid_type $.affiliate_attribution.metadata",
		`{"provider": "net.example", "token": "t", "metadata": {"user_email": "x"}}`:                         "pii_not_allowed $.affiliate_attribution.metadata.user_email",
		`{"provider": "net.example", "token": "t", "metadata": {"a": "tomas@example.net"}}`:                  "pii_not_allowed $.affiliate_attribution.metadata.a",
		`{"provider": "net.example", "token": "t", "sub_id": "u=tomas@example.net&v=1"}`:                     "pii_not_allowed $.affiliate_attribution.sub_id",
		`{"provider": "net.example", "token": "t", "publisher_id": "+351 912 345 678"}`:                      "pii_not_allowed $.affiliate_attribution.publisher_id",
		`{"provider": 7, "token": "t"}`:                                                                      "invalid_type $.affiliate_attribution.provider",
		`[]`:                                                                                                 "invalid_type $.affiliate_attribution",
		`null`:                                                                                               "invalid_type $.affiliate_attribution",
		`{"provider": "net.example", "token": "` + strings.Repeat("t", 9_000) + `"}`:                         "invalid $.affiliate_attribution",
		`{"provider": "net.example", "token": "t", "metadata": {` + strings.TrimSuffix(many(21), ",") + `}}`: "invalid $.affiliate_attribution.metadata",
	} {
		_, err := agentic.Parse([]byte(raw))
		got := ""
		if why, ok := errors.AsType[*agentic.Error](err); ok {
			got = why.Code + " " + why.Param
			if why.Type != "invalid_request" || why.Message == "" {
				t.Errorf("%+v", why)
			}
		}
		if got != refused {
			t.Errorf("%.90s: %q, want %q", raw, got, refused)
		}
	}
}

func many(n int) (all string) {
	for i := range n {
		all += fmt.Sprintf(`"k%d": 1,`, i)
	}
	return all
}

// TestCredit: our token credits its affiliate in its program until it ends, also after the keys were changed; no other
// token does, and neither does the name of a publisher.
func TestCredit(t *testing.T) {
	p, mara := shop(t)
	of := p.Config().ID
	i := issuer(key(1))
	token, err := i.Token(of, mara.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(method jwt.SigningMethod, by any, change func(*jwt.RegisteredClaims)) string {
		c := jwt.RegisteredClaims{Issuer: i.Provider, Audience: jwt.ClaimStrings{of.String()}, Subject: mara.ID.String(), ExpiresAt: jwt.NewNumericDate(start.Add(time.Hour))}
		change(&c)
		text, err := jwt.NewWithClaims(method, c).SignedString(by)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	as := func(*jwt.RegisteredClaims) {}
	later := i
	later.Now = func() time.Time { return start.Add(time.Hour + time.Second) }
	for name, row := range map[string]struct {
		by      agentic.Issuer
		program uuid.UUID
		a       agentic.Attribution
		err     error
	}{
		"ours":                  {i, of, agentic.Attribution{Provider: i.Provider, Token: token}, nil},
		"as anybody may sign":   {i, of, agentic.Attribution{Provider: i.Provider, Token: signed(jwt.SigningMethodHS256, key(1), as)}, nil},
		"after the keys":        {issuer(key(2), key(1)), of, agentic.Attribution{Provider: i.Provider, Token: token}, nil},
		"of a key that is gone": {issuer(key(2)), of, agentic.Attribution{Provider: i.Provider, Token: token}, agentic.ErrToken},
		"of another program":    {i, uuid.New(), agentic.Attribution{Provider: i.Provider, Token: token}, agentic.ErrToken},
		"over":                  {later, of, agentic.Attribution{Provider: i.Provider, Token: token}, agentic.ErrToken},
		"without an end":        {i, of, agentic.Attribution{Provider: i.Provider, Token: signed(jwt.SigningMethodHS256, key(1), func(c *jwt.RegisteredClaims) { c.ExpiresAt = nil })}, agentic.ErrToken},
		"of another issuer":     {i, of, agentic.Attribution{Provider: i.Provider, Token: signed(jwt.SigningMethodHS256, key(1), func(c *jwt.RegisteredClaims) { c.Issuer = "net.example" })}, agentic.ErrToken},
		"of nobody":             {i, of, agentic.Attribution{Provider: i.Provider, Token: signed(jwt.SigningMethodHS256, key(1), func(c *jwt.RegisteredClaims) { c.Subject = "mara" })}, agentic.ErrToken},
		"unsigned by its own":   {i, of, agentic.Attribution{Provider: i.Provider, Token: signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, as)}, agentic.ErrToken},
		"of another method":     {i, of, agentic.Attribution{Provider: i.Provider, Token: signed(jwt.SigningMethodHS512, key(1), as)}, agentic.ErrToken},
		"cut":                   {i, of, agentic.Attribution{Provider: i.Provider, Token: token[:len(token)-2]}, agentic.ErrToken},
		"no token at all":       {i, of, agentic.Attribution{Provider: i.Provider, Token: "x"}, agentic.ErrToken},
		"foreign":               {i, of, agentic.Attribution{Provider: "net.example", Token: token}, agentic.ErrForeign},
		"a publisher":           {i, of, agentic.Attribution{Provider: i.Provider, PublisherID: mara.ID.String()}, agentic.ErrUnsigned},
		"no keys":               {agentic.Issuer{Provider: i.Provider}, of, agentic.Attribution{Provider: i.Provider, Token: token}, pay.ErrKeys},
		"short keys":            {issuer([]byte("short")), of, agentic.Attribution{Provider: i.Provider, Token: token}, pay.ErrKeys},
		"no provider":           {agentic.Issuer{Keys: pay.Keys{key(1)}}, of, agentic.Attribution{Token: token}, pay.ErrKeys},
	} {
		credit, err := row.by.Credit(row.program, row.a)
		if !errors.Is(err, row.err) || (err == nil) != (credit.ReferralID == mara.ID.String()) || err != nil && credit != (affiliate.Credit{}) {
			t.Errorf("%s: %+v, %v, want %v", name, credit, err, row.err)
		}
	}
	for _, ttl := range []time.Duration{0, -time.Second} {
		if _, err := i.Token(of, mara.ID, ttl); err == nil {
			t.Errorf("a token for %v", ttl)
		}
	}
	if _, err := issuer().Token(of, mara.ID, time.Hour); !errors.Is(err, pay.ErrKeys) {
		t.Error(err)
	}
	if other, err := i.Token(of, mara.ID, time.Hour); err != nil || other == token {
		t.Error("two tokens are the same")
	}
	said := fmt.Sprintf("%v %+v %s", agentic.Attribution{Provider: "p", Token: token}, agentic.Attribution{Token: token}, agentic.Attribution{Token: token})
	if strings.Contains(said, token) {
		t.Error("a token is printed")
	}
}

// TestChoose: of a claim at each request the program's choice decides; one that is not ours is passed over, with its reason.
func TestChoose(t *testing.T) {
	p, mara := shop(t)
	ben, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ben", LastName: "B", Email: "ben@partners.example", AffiliateLink: "ben"})
	if err != nil {
		t.Fatal(err)
	}
	i, of := issuer(key(1)), p.Config().ID
	claim := func(by uuid.UUID, at agentic.Touchpoint) agentic.Attribution {
		token, err := i.Token(of, by, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return agentic.Attribution{Provider: i.Provider, Token: token, Touchpoint: at}
	}
	foreign := agentic.Attribution{Provider: "net.example", Token: "x", Touchpoint: agentic.Last}
	for name, row := range map[string]struct {
		touch  affiliate.Touch
		claims []agentic.Attribution
		want   uuid.UUID
		err    error
	}{
		"the last":        {affiliate.TouchLast, []agentic.Attribution{claim(mara.ID, agentic.First), claim(ben.ID, agentic.Last)}, ben.ID, nil},
		"by default":      {"", []agentic.Attribution{claim(mara.ID, ""), claim(ben.ID, "")}, ben.ID, nil},
		"the first":       {affiliate.TouchFirst, []agentic.Attribution{claim(mara.ID, ""), claim(ben.ID, agentic.First)}, mara.ID, nil},
		"a foreign last":  {affiliate.TouchLast, []agentic.Attribution{claim(mara.ID, agentic.First), foreign}, mara.ID, agentic.ErrForeign},
		"nobody's":        {affiliate.TouchLast, []agentic.Attribution{foreign, {Provider: i.Provider, PublisherID: "p"}}, uuid.Nil, agentic.ErrUnsigned},
		"without a claim": {affiliate.TouchLast, nil, uuid.Nil, nil},
	} {
		credit, err := i.Choose(of, row.touch, row.claims...)
		want := affiliate.Credit{}
		if row.want != uuid.Nil {
			want.ReferralID = row.want.String()
		}
		if credit != want || !errors.Is(err, row.err) || row.err == nil && err != nil {
			t.Errorf("%s: %+v, %v", name, credit, err)
		}
	}
}

// TestRejects: every reason for which a code is refused has one of the extension, and the first that fails is said.
func TestRejects(t *testing.T) {
	raw, err := os.ReadFile("../../affiliate/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(raw), "func (e *Error) CodeRefused() bool {")
	list, _, _ = strings.Cut(list, "return true")
	want := map[string]agentic.Reason{"CodeExpired": agentic.Expired, "CouponExpired": agentic.Expired, "CodeExhausted": agentic.LimitReached, "CouponExhausted": agentic.LimitReached,
		"BudgetSpent": agentic.LimitReached, "CustomerLimit": agentic.LimitReached, "BelowMinimum": agentic.BelowMinimum, "BelowQuantity": agentic.BelowMinimum,
		"NotFirstOrder": agentic.Ineligible, "WrongCustomer": agentic.Ineligible, "WrongAffiliate": agentic.Ineligible, "CustomerRequired": agentic.NotSignedIn}
	reasons := 0
	for _, m := range regexp.MustCompile(`\b((?:[A-Z][a-z]+){2,})\b`).FindAllString(list, -1) {
		value := regexp.MustCompile(`\t` + m + `\s+Reason = "(\w+)"`).FindStringSubmatch(string(raw))
		if value == nil {
			continue
		}
		reasons++
		r, ok := agentic.Rejects("MARA15", affiliate.Evaluation{Reasons: []affiliate.Failure{{Reason: affiliate.Reason(value[1]), Message: "no"}, {Reason: affiliate.CodeExpired}}})
		if w := want[m]; !ok || r.Code != "MARA15" || r.Message != "no" || w != "" && r.Reason != w || w == "" && r.Reason != agentic.Invalid {
			t.Errorf("%s: %+v", m, r)
		}
	}
	if reasons < 20 {
		t.Errorf("%d reasons", reasons)
	}
	if r, ok := agentic.Rejects("MARA15", affiliate.Evaluation{Valid: true}); ok {
		t.Errorf("a valid code: %+v", r)
	}
	shown, err := json.Marshal(agentic.Rejected{Code: "A", Reason: agentic.Expired, Message: "m"})
	if string(shown) != `{"code":"A","reason":"discount_code_expired","message":"m"}` || err != nil {
		t.Errorf("%s, %v", shown, err)
	}
}

// FuzzParse: whatever an agent sends is an attribution with what it needs, or a refusal with a place.
func FuzzParse(f *testing.F) {
	for _, raw := range []string{`{"provider":"a","token":"b"}`, `{"provider":"a","publisher_id":"b","metadata":{"c":1}}`, `null`, `{`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := agentic.Parse(raw)
		if why, ok := errors.AsType[*agentic.Error](err); err != nil && (!ok || why.Param == "" || why.Code == "") || err == nil && (a.Provider == "" || a.Token+a.PublisherID == "") {
			t.Errorf("%+v, %v", a, err)
		}
	})
}
