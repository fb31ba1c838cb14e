package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

func TestAffiliateByIdentifier(t *testing.T) { // I34, B289–B294
	w := scene.New(t)
	a, b := w.Join("a"), w.Join("b")
	oldLink(w, b.ID, "1")
	w.AddLink(b.ID, "007")
	w.AddLink(b.ID, strings.Repeat("9", 30))
	w.AddLink(b.ID, b.ID.String()[:35]+"x")
	oldLink(w, a.ID, b.ID.String()) // a slug that looks like another affiliate's id
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	for _, tt := range []struct {
		name, ident string
		want        uuid.UUID
	}{
		{"ClickBeforeSlug", "1", a.ID},
		{"Click", "2", a.ID},
		{"ID", a.ID.String(), a.ID},
		{"IDBeforeSlug", b.ID.String(), b.ID},
		{"Slug", "b", b.ID},
		{"SlugOtherCase", "B", b.ID},
		{"SlugLikeAnID", b.ID.String()[:35] + "x", b.ID},
		{"LeadingZeroIsNoClick", "007", b.ID},
		{"TooLargeForAClickIsStillASlug", strings.Repeat("9", 30), b.ID},
		{"MissDigits", "3", uuid.Nil},
		{"MissOverflow", strings.Repeat("8", 30), uuid.Nil},
		{"MissMaxInt", "9223372036854775807", uuid.Nil},
		{"MissPlus", "+1", uuid.Nil},
		{"MissUnderscore", "1_0", uuid.Nil},
		{"MissHex", "0x1", uuid.Nil},
		{"MissArabicDigit", "٣", uuid.Nil},
		{"MissLeadingZero", "01", uuid.Nil},
		{"MissUnknownID", uuid.NewString(), uuid.Nil},
		{"MissURN", "urn:uuid:" + a.ID.String(), uuid.Nil},
		{"MissBraces", "{" + a.ID.String() + "}", uuid.Nil},
		{"MissNoHyphens", strings.ReplaceAll(a.ID.String(), "-", ""), uuid.Nil},
		{"MissUpperCaseID", strings.ToUpper(a.ID.String()), uuid.Nil},
		{"MissNilID", uuid.Nil.String(), uuid.Nil},
		{"Email", "A@example.org", a.ID},
		{"MissEmpty", "", uuid.Nil},
		{"MissNUL", "a\x00", uuid.Nil},
		{"MissLong", strings.Repeat("a", 4000), uuid.Nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := w.Affiliate(t.Context(), tt.ident)
			if tt.want == uuid.Nil {
				if err != affiliate.ErrNotFound {
					t.Errorf("got %v, %v", got.ID, err)
				}
				return
			}
			if err != nil || got.ID != tt.want {
				t.Errorf("got %v, %v; want %v", got.ID, err, tt.want)
			}
		})
	}
}

// The click of a deleted link still leads to its affiliate.
func TestAffiliateByClickOfDeletedLink(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	scene.Must(w.DeleteLink(t.Context(), affiliate.LinkRef{Slug: "a"}))
	scene.Equal(t, a.ID, scene.Must(w.Affiliate(t.Context(), "1")).ID)
}

func TestAffiliateByEmail(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	scene.Equal(t, a, scene.Must(w.Affiliate(t.Context(), " A@Example.org")))
	for _, miss := range []string{"b@example.org", "nonsense", "", "a@example.org\x00"} {
		if _, err := w.Affiliate(t.Context(), miss); err != affiliate.ErrNotFound {
			t.Errorf("%q: %v", miss, err)
		}
	}
}

func TestAffiliatesList(t *testing.T) {
	w := scene.New(t)
	empty := scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
	if empty.Items == nil || len(empty.Items) != 0 {
		t.Errorf("empty list: %#v", empty.Items)
	}
	a, b, c := w.Join("a"), w.Join("b"), w.Join("c")
	all := scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{}))
	scene.Equal(t, []affiliate.Affiliate{c, b, a}, all.Items)
	first := scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 2}))
	scene.Equal(t, []affiliate.Affiliate{c, b}, first.Items)
	rest := scene.Must(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 2, Cursor: first.Next}))
	scene.Equal(t, affiliate.List[affiliate.Affiliate]{Items: []affiliate.Affiliate{a}}, rest)
	w.Refused(scene.FieldError(affiliate.InvalidQuery, "limit", "limit must be an integer from 1 to 1000"), func() error {
		return scene.ErrOf(w.Affiliates(t.Context(), affiliate.AffiliateQuery{}, affiliate.Page{Limit: 1001}))
	})
	w.Refused(scene.FieldError(affiliate.InvalidQuery, "cursor", "Invalid cursor"), func() error {
		return scene.ErrOf(w.Links(t.Context(), affiliate.LinkQuery{}, affiliate.Page{Cursor: first.Next}))
	})
}

// No answer shares memory with a record or an event.
func TestAffiliateAnswersAreCopies(t *testing.T) {
	w := scene.New(t)
	answers := []affiliate.Answer{{QuestionID: w.Config().ID, Answer: "x"}}
	var a affiliate.Affiliate
	events := w.Fired(func() {
		a = w.Join("a", func(in *affiliate.AffiliateParams) { in.Answers = answers })
		a.AffiliateLinks[0].Link = "changed"
		answers[0].Answer = "changed"
	})
	body := scene.BodyOf[affiliate.AffiliateBody](t, events[0])
	scene.Equal(t, "x", body.QuestionAnswers[0].Answer)
	scene.Equal(t, []string{"a"}, slugsOf(body.Affiliate))
	scene.Equal(t, []string{"a"}, slugsOf(scene.Must(w.Affiliate(t.Context(), "a"))))
	if answers[0].ID != uuid.Nil {
		t.Error("the input was changed")
	}
}

// A reference to a record that does not exist is an internal error, not a miss.
func TestAffiliateDanglingReferences(t *testing.T) {
	w := scene.New(t)
	a := w.Join("a")
	scene.Must(w.TrackClick(t.Context(), affiliate.ClickParams{Slug: "a"}))
	w.Raw(func(tx *record.Tx) error { return tx.Affiliates.Delete(a.ID) })
	link := a.AffiliateLinks[0].ID
	for name, call := range map[string]func() error{
		"Click": func() error { return scene.ErrOf(w.Affiliate(t.Context(), "1")) },
		"Slug":  func() error { return scene.ErrOf(w.Affiliate(t.Context(), "a")) },
		"Link": func() error {
			return scene.ErrOf(w.Links(t.Context(), affiliate.LinkQuery{ID: affiliate.Set(link)}, affiliate.Page{}))
		},
		"Links":  func() error { return scene.ErrOf(w.Links(t.Context(), affiliate.LinkQuery{}, affiliate.Page{})) },
		"Rename": func() error { return scene.ErrOf(w.RenameLink(t.Context(), affiliate.LinkRef{ID: link}, "b")) },
		"Delete": func() error { return scene.ErrOf(w.DeleteLink(t.Context(), affiliate.LinkRef{ID: link})) },
	} {
		if err := call(); err == nil || errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Raw(func(tx *record.Tx) error { return tx.Links.Delete(link) })
	if _, err := w.Affiliate(t.Context(), "1"); err == nil || errors.Is(err, affiliate.ErrNotFound) {
		t.Errorf("click without its link: %v", err)
	}
}
