package engine_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

func TestCreateAffiliateEventIsComplete(t *testing.T) {
	w := scene.New(t)
	plan := scene.Must(w.CreatePlan(context.Background(), affiliate.PlanParams{
		Name: "Standard", Terms: affiliate.Terms{Rate: affiliate.MustPercent("25"), MaxPayments: 12}, AutoApproveRewards: affiliate.Set(false),
	}))
	tier := scene.Must(w.CreateTier(context.Background(), affiliate.TierParams{Tier: 1, Name: "Green bean", Emoji: "🌱"}))
	question := uuid.New()
	plan.CreatedAt, plan.UpdatedAt, tier.CreatedAt, tier.UpdatedAt = affiliate.Time{}, affiliate.Time{}, affiliate.Time{}, affiliate.Time{} // events do not have them
	var a affiliate.Affiliate
	created := w.Fired(func() {
		a = w.Join("mara", func(in *affiliate.AffiliateParams) {
			in.CommissionPlanID = plan.ID
			in.Answers = []affiliate.Answer{{QuestionID: question, Answer: "I run a\n\tcoffee newsletter"}}
		})
	})
	body := scene.BodyOf[affiliate.AffiliateBody](t, created[0])
	scene.Equal(t, affiliate.Set(plan), body.CommissionPlan)
	scene.Equal(t, affiliate.MustPercent("25"), body.CommissionRate)
	if len(body.QuestionAnswers) != 1 || body.QuestionAnswers[0].ID == uuid.Nil || body.QuestionAnswers[0].QuestionID != question {
		t.Errorf("answers %+v", body.QuestionAnswers)
	}

	older, newer := issue(w, a.ID, "MARA10"), issue(w, a.ID, "MARA20")
	w.AddLink(a.ID, "second")
	updated := w.Fired(func() {
		scene.Must(w.SetAffiliateTier(context.Background(), tier.ID, a.ID))
	})
	body = scene.BodyOf[affiliate.AffiliateBody](t, updated[0])
	scene.Equal(t, affiliate.Set(tier), body.CommissionTier)
	scene.Equal(t, affiliate.Set("mara"), body.Link)
	scene.Equal(t, []string{"mara", "second"}, slugsOf(body.Affiliate))
	scene.Equal(t, []affiliate.AffiliateCode{
		{ID: newer.ID, Code: "MARA20", Active: true, ExpiresAt: affiliate.Null[affiliate.Time](), CouponID: newer.CouponID},
		{ID: older.ID, Code: "MARA10", Active: true, ExpiresAt: affiliate.Null[affiliate.Time](), CouponID: older.CouponID},
	}, body.PromotionalCodes)
	scene.Equal(t, 3, updated[0].Revision)
}

// slugsOf returns the slugs of the affiliate, oldest first.
func slugsOf(a affiliate.Affiliate) []string {
	slugs := []string{}
	for _, l := range a.AffiliateLinks {
		slugs = append(slugs, l.Link)
	}
	return slugs
}

// TestAnswerRefusals: the answer to a question is a text of its question.
func TestAnswerRefusals(t *testing.T) {
	w := scene.New(t)
	for what, answer := range map[string]affiliate.Answer{
		"must not be empty":           {QuestionID: w.Config().ID},
		"is too long":                 {QuestionID: w.Config().ID, Answer: strings.Repeat("a", 10_001)},
		"contains invalid characters": {QuestionID: w.Config().ID, Answer: "a\x00"},
	} {
		in := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "a@b.co", Answers: []affiliate.Answer{answer}}
		w.Refused(scene.FieldError(affiliate.InvalidField, "questionAnswers.answer", "questionAnswers.answer "+what),
			func() error { return scene.ErrOf(w.CreateAffiliate(t.Context(), in)) })
	}
}

// When several rows of contract 3.1 apply, the error is the first of them: each
// row is tried with all later rows broken as well.
func TestCreateAffiliateErrorOrder(t *testing.T) {
	w := scene.New(t)
	w.Join("taken", func(in *affiliate.AffiliateParams) { in.AffiliateLink = "used" })
	in := affiliate.AffiliateParams{
		AffiliateLink: "a b", CommissionPlanID: uuid.New(), AffiliateGroupID: affiliate.Set("x"),
		CommissionRate: affiliate.Set(affiliate.MustPercent("200")),
	}
	for _, step := range []struct {
		want string
		fix  func()
	}{
		{"First name is required", func() { in.FirstName = "A" }},
		{"Last name is required", func() { in.LastName = "B" }},
		{"Email is required", func() { in.Email = "x" }},
		{"Email is invalid", func() { in.Email = "taken@example.org" }},
		{"Link can only contain letters, numbers, and hyphens", func() { in.AffiliateLink = strings.Repeat("a", 101) }},
		{"Link must be at most 100 characters", func() { in.AffiliateLink = "used" }},
		{"Commission plan not found", func() { in.CommissionPlanID = uuid.Nil }},
		{"Affiliate group not found", func() { in.AffiliateGroupID = affiliate.Null[string]() }},
		{"Commission rate must be between 0 and 100", func() { in.CommissionRate = affiliate.Null[affiliate.Percent]() }},
		{"An affiliate with this email already exists", func() { in.Email = "free@example.org" }},
		{"The requested affiliate link is already in use", func() { in.AffiliateLink = "free" }},
	} {
		if _, err := w.CreateAffiliate(t.Context(), in); err == nil || err.Error() != step.want {
			t.Fatalf("got %v, want %s", err, step.want)
		}
		step.fix()
	}
	a := scene.Must(w.CreateAffiliate(t.Context(), in))
	if !a.UseCommissionPlanCommissionRate {
		t.Error("a null rate became an own one")
	}
}

func TestCreateAffiliateSource(t *testing.T) {
	w := scene.New(t)
	for src, want := range map[affiliate.Source]affiliate.AffiliateSource{affiliate.SourceWidget: "WIDGET", affiliate.SourceIntegration: "UNKNOWN"} {
		in := affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: strings.ToLower(string(src)) + "@b.co"}
		scene.Equal(t, want, scene.Must(w.From(src).CreateAffiliate(t.Context(), in)).Source)
	}
}

func TestGeneratedSlugs(t *testing.T) { // B283
	w := scene.New(t)
	long := strings.Repeat("a", 120)
	for _, tt := range []struct{ email, want string }{
		{"Mara.Lindqvist@b.co", "mara-lindqvist"},
		{"+++@b.co", "affiliate"},
		{"_+_@b.co", "affiliate-2"},
		{"--a!!b--@b.co", "a-b"},
		{"007@b.co", "007"},
		{long + "@b.co", long[:100]},
		{long + "b@b.co", long[:98] + "-2"},
		{strings.Repeat("b", 97) + "-c-d@b.co", strings.Repeat("b", 97) + "-c"},
		{strings.Repeat("b", 97) + "-c-e@b.co", strings.Repeat("b", 97) + "-2"},
	} {
		got := scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: tt.email}))
		scene.Equal(t, []string{tt.want}, slugsOf(got))
	}
}

func TestGeneratedSlugsCollide(t *testing.T) {
	w := scene.New(t)
	valid := regexp.MustCompile(`^kim(-[2-9]|-[a-z0-9]{12})?$`)
	seen := map[string]bool{}
	for i := range 50 {
		w.Probe.Ops.Store(0)
		a := scene.Must(w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("kim@b%d.co", i)}))
		slug := slugsOf(a)[0]
		if !valid.MatchString(slug) || seen[slug] {
			t.Fatalf("slug %q", slug)
		}
		scene.Equal(t, (len(slug) <= len("kim-9")), i < 9, i, slug)
		seen[slug] = true
		if w.Probe.Ops.Load() > 31 {
			t.Fatalf("affiliate %d took %d operations of the store", i, w.Probe.Ops.Load())
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestGeneratedSlugsWithoutRandomness(t *testing.T) {
	w := scene.New(t, func(c *tributary.Config) { c.Rand = zeros{} })
	var err error
	for i := range 11 {
		_, err = w.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: fmt.Sprintf("kim@b%d.co", i)})
		if i < 10 && err != nil {
			t.Fatal(err)
		}
	}
	if _, refused := errors.AsType[*affiliate.Error](err); err == nil || refused {
		t.Errorf("got %v, want an internal error", err)
	}
}

// A closure that runs twice, and a store that fails at any call, leave the same
// records as one run.
func TestAffiliateWritesRerun(t *testing.T) {
	run := func(store record.Store) map[string][]string {
		w := scene.NewOn(t, store)
		affiliateScript(w)
		w.Verifies()
		dump := w.Dump()
		for _, rows := range dump { // a sequence may leave gaps
			for i := range rows {
				rows[i] = regexp.MustCompile(`"Number":\d+`).ReplaceAllString(rows[i], `"Number":0`)
			}
		}
		return dump
	}
	scene.Equal(t, run(memstore.New()), run(conformance.Rerun(memstore.New())))
}

// affiliateScript makes one call of every write.
func affiliateScript(w *scene.World) {
	ctx := context.Background()
	plan := scene.Must(w.CreatePlan(ctx, affiliate.PlanParams{Name: "p"}))
	tier := scene.Must(w.CreateTier(ctx, affiliate.TierParams{Tier: 1, Name: "t"}))
	a := w.Join("a", func(in *affiliate.AffiliateParams) {
		in.Answers = []affiliate.Answer{{QuestionID: w.Config().ID, Answer: "x"}}
	})
	b := scene.Must(w.InviteAffiliate(ctx, affiliate.AffiliateParams{FirstName: "B", LastName: "B", Email: "b@b.co"}))
	scene.Must(w.AcceptInvite(ctx, b.ID, affiliate.Acceptance{FirstName: affiliate.Set("Bo")}))
	scene.Must(w.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: a.ID}, affiliate.AffiliateUpdate{AffiliateLink: affiliate.Set("two")}))
	w.AddLink(a.ID, "three")
	scene.Must(w.RenameLink(ctx, affiliate.LinkRef{Slug: "three"}, "four"))
	scene.Must(w.TrackClick(ctx, affiliate.ClickParams{Slug: "four"}))
	scene.Must(w.DeleteLink(ctx, affiliate.LinkRef{Slug: "four"}))
	scene.Must(w.SetPayoutDetails(ctx, a.ID, affiliate.PayoutDetails{Email: "p@b.co", Method: "PAYPAL"}))
	scene.Must(w.SetAffiliatePlan(ctx, plan.ID, a.ID, b.ID))
	scene.Must(w.Run(ctx, affiliate.AssignTiersJob{}))
	scene.Must(w.SetAffiliateStatus(ctx, affiliate.AffiliateBanned, a.ID))
	scene.Must(w.UpdatePlan(ctx, plan.ID, affiliate.PlanUpdate{Name: affiliate.Set("q")}))
	scene.Must(w.UpdateTier(ctx, tier.ID, affiliate.TierUpdate{Name: affiliate.Set("u")}))
	scene.Must(0, w.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: b.ID}))
}

// TestEnsureAffiliate: one affiliate for an external id, which stays as it is, until it is
// erased or loses the id.
func TestEnsureAffiliate(t *testing.T) {
	w, ctx := scene.New(t), t.Context()
	in := affiliate.AffiliateParams{ExternalID: "tenant/7", FirstName: "Mara", LastName: "Berg", Email: "mara@example.org"}
	first := scene.Must(w.EnsureAffiliate(ctx, in))
	in.FirstName, in.Email, in.AffiliateStatus = "Ida", "ida@example.org", "inactive"
	scene.Equal(t, first, scene.Must(w.EnsureAffiliate(ctx, in)))
	for _, name := range []string{affiliate.External("tenant/7"), first.ID.String()} {
		scene.Equal(t, first, scene.Must(w.Affiliate(ctx, name)))
	}
	for _, name := range []string{"tenant/7", affiliate.External("tenant/7 "), affiliate.External("Tenant/7"), affiliate.External("")} {
		if _, err := w.Affiliate(ctx, name); !errors.Is(err, affiliate.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
	in.ExternalID = "tenant/8"
	in.Email = "mara@example.org"
	scene.WantReason(t, "somebody else's email", affiliate.AffiliateEmailTaken, scene.ErrOf(w.EnsureAffiliate(ctx, in)))
	in.ExternalID = ""
	scene.WantReason(t, "no external id", affiliate.MissingField, scene.ErrOf(w.EnsureAffiliate(ctx, in)))
	both := affiliate.AffiliateRef{ID: first.ID, ExternalID: "tenant/9"}
	if _, err := w.UpdateAffiliate(ctx, both, affiliate.AffiliateUpdate{FirstName: affiliate.Set("No")}); !errors.Is(err, affiliate.IdentifiersMismatch) {
		t.Errorf("two names of two: %v", err)
	}
	scene.Must(0, w.Forfeiting().EraseAffiliate(ctx, first.ID))
	in.ExternalID = "tenant/7"
	again := scene.Must(w.EnsureAffiliate(ctx, in))
	if erased := scene.Must(w.Affiliate(ctx, first.ID.String())); again.ID == first.ID || erased.ExternalID != "" {
		t.Errorf("after the erasure %s has it, and the erased one has %q", again.ID, erased.ExternalID)
	}
	w.Verifies()
}

// TestBadAttribution: a value that no program has is refused when it is made.
func TestBadAttribution(t *testing.T) {
	good := []affiliate.Attribution{
		{}, {Touch: affiliate.TouchLast, Customer: affiliate.CreditEachOrder, Code: affiliate.CodeAlways},
		{Touch: affiliate.TouchFirst, Customer: affiliate.CreditKeptCustomer, Code: affiliate.CodeUnbrought},
	}
	for _, a := range good {
		p := scene.Must(tributary.New(memstore.New(), tributary.Config{ID: uuid.New(), Attribution: a}))
		scene.Equal(t, a, scene.Must(p.Settings(t.Context())).Attribution)
	}
	for _, a := range []affiliate.Attribution{{Touch: "first"}, {Customer: "KEPT"}, {Code: "NEVER"}} {
		if _, err := tributary.New(memstore.New(), tributary.Config{Attribution: a}); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
}

// TestFirstTouch: a click of nobody, of another visitor and in a program of the last click
// changes nothing, and the walk ends.
func TestFirstTouch(t *testing.T) {
	ctx := t.Context()
	for touch, owner := range map[affiliate.Touch]string{affiliate.TouchLast: "Ben", affiliate.TouchFirst: "Ada"} {
		p := scene.Must(tributary.New(memstore.New(), tributary.Config{Attribution: affiliate.Attribution{Touch: touch}}))
		for _, name := range []string{"Ada", "Ben"} {
			scene.Must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: name, LastName: "M", Email: name + "@example.org", AffiliateLink: name}))
		}
		last := scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", Earlier: 999_999})).ID
		for range 150 {
			last = scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", Earlier: last})).ID
		}
		last = scene.Must(p.TrackClick(ctx, affiliate.ClickParams{Slug: "ben", Earlier: last})).ID
		ref := scene.Must(p.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: fmt.Sprint(last), Name: "I", Email: "i@example.net", ReferredUserExternalID: "i"}))
		got := scene.Must(p.Affiliate(ctx, ref.AffiliateID.String()))
		scene.Equal(t, owner, got.FirstName)
		scene.Must(0, p.Verify(ctx))
	}
}

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
