package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// A claim waits, is answered once by somebody, and can be made again.
func TestCase(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	claim := affiliate.CaseParams{AffiliateEmail: "ada@example.com", Kind: affiliate.SaleClaim,
		ExternalID: "#7", Text: "My reader\nbought it"}
	made := scene.Must(s.OpenCase(ctx, claim))
	want := affiliate.Case{ID: made.ID, AffiliateID: s.Ada.Person.ID, Kind: affiliate.SaleClaim,
		SaleID: affiliate.Null[affiliate.SaleID](), ExternalID: affiliate.Set("#7"),
		Text: claim.Text, Status: affiliate.CaseOpen, Answer: affiliate.Null[string](),
		AnsweredAt: affiliate.Null[affiliate.Time](), Actor: affiliate.Null[string](),
		CreatedAt: affiliate.TimeOf(scene.Start)}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Error(diff)
	}
	open := scene.StateError(affiliate.CaseIsOpen, "", "The affiliate waits for an answer to the same already")
	s.Refused(open, func() error { return scene.ErrOf(s.OpenCase(ctx, claim)) })

	answered := scene.Must(s.By("kim").AnswerCase(ctx, made.ID, affiliate.CaseAnswer{Answer: "It is."}))
	want.Status, want.Answer = affiliate.CaseAnswered, affiliate.Set("It is.")
	want.AnsweredAt, want.Actor = affiliate.Set(affiliate.TimeOf(scene.Start)), affiliate.Set("kim")
	if diff := cmp.Diff(want, answered); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, scene.Must(s.Case(ctx, made.ID))); diff != "" {
		t.Error(diff)
	}
	s.Refused(scene.PayoutStuck, func() error {
		return scene.ErrOf(s.AnswerCase(ctx, made.ID, affiliate.CaseAnswer{Answer: "It is not."}))
	})
	if again := scene.Must(s.OpenCase(ctx, claim)); again.ID == made.ID || again.Status != affiliate.CaseOpen {
		t.Errorf("made again: %+v", again)
	}
	s.Verifies()
}

func TestOpenCaseRefusals(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	sale := s.ToTomas("10")
	gone := s.Join("gone")
	scene.Must(0, s.EraseAffiliate(ctx, gone.ID))
	of := func(k affiliate.CaseKind, set func(*affiliate.CaseParams)) affiliate.CaseParams {
		in := affiliate.CaseParams{AffiliateID: s.Ada.Person.ID, Kind: k, Text: "t"}
		set(&in)
		return in
	}
	nobody := scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")
	noSale := scene.MissingError(affiliate.SaleNotFound, "Sale not found")
	for name, tt := range map[string]struct {
		in   affiliate.CaseParams
		want affiliate.Error
	}{
		"no kind":               {of("", func(*affiliate.CaseParams) {}), scene.FieldError(affiliate.MissingField, "kind", "Kind is required")},
		"another kind":          {of("x", func(*affiliate.CaseParams) {}), scene.FieldError(affiliate.InvalidField, "kind", "kind must be one of SALE_CLAIM, SALE_QUESTION, PAYOUT_REQUEST")},
		"nobody":                {of(affiliate.PayoutRequest, func(in *affiliate.CaseParams) { in.AffiliateID = uuid.Max }), nobody},
		"erased":                {of(affiliate.PayoutRequest, func(in *affiliate.CaseParams) { in.AffiliateID = gone.ID }), nobody},
		"a claim of no order":   {of(affiliate.SaleClaim, func(*affiliate.CaseParams) {}), scene.FieldError(affiliate.MissingField, "externalId", "External ID is required")},
		"a claim without words": {of(affiliate.SaleClaim, func(in *affiliate.CaseParams) { in.ExternalID, in.Text = "o", " " }), scene.FieldError(affiliate.MissingField, "text", "Text is required")},
		"a claim of a sale":     {of(affiliate.SaleClaim, func(in *affiliate.CaseParams) { in.ExternalID, in.SaleID = "o", sale.ID }), scene.FieldError(affiliate.InvalidField, "saleId", "saleId must not be sent")},
		"a question of nothing": {of(affiliate.SaleQuestion, func(*affiliate.CaseParams) {}), scene.FieldError(affiliate.MissingField, "saleId", "Sale ID is required")},
		"a question of an order": {of(affiliate.SaleQuestion, func(in *affiliate.CaseParams) { in.ExternalID, in.SaleID = "o", sale.ID }), scene.FieldError(affiliate.InvalidField, "externalId",
			"externalId must not be sent")},
		"a question of no sale":      {of(affiliate.SaleQuestion, func(in *affiliate.CaseParams) { in.SaleID = 99 }), noSale},
		"a question of another's":    {of(affiliate.SaleQuestion, func(in *affiliate.CaseParams) { in.AffiliateID, in.SaleID = s.Bob.ID, sale.ID }), noSale},
		"a request with an order":    {of(affiliate.PayoutRequest, func(in *affiliate.CaseParams) { in.ExternalID = "o" }), scene.FieldError(affiliate.InvalidField, "externalId", "externalId must not be sent")},
		"more than 2,000 characters": {of(affiliate.PayoutRequest, func(in *affiliate.CaseParams) { in.Text = strings.Repeat("ä", 2001) }), scene.FieldError(affiliate.InvalidField, "text", "text is too long")},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.Refused(tt.want, func() error { return scene.ErrOf(s.OpenCase(ctx, tt.in)) })
		})
	}
	id := scene.Must(s.OpenCase(ctx, of(affiliate.SaleQuestion, func(in *affiliate.CaseParams) { in.SaleID = sale.ID }))).ID
	for name, tt := range map[string]struct {
		id     uuid.UUID
		answer string
		want   affiliate.Error
	}{
		"no case":      {uuid.Nil, "a", scene.FieldError(affiliate.MissingField, "caseId", "Case ID is required")},
		"another case": {uuid.Max, "a", scene.MissingError(affiliate.CaseNotFound, "Case not found")},
		"no answer":    {id, " \n", scene.FieldError(affiliate.MissingField, "answer", "Answer is required")},
		"too long":     {id, strings.Repeat("ä", 2001), scene.FieldError(affiliate.InvalidField, "answer", "answer is too long")},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			s.Refused(tt.want, func() error {
				return scene.ErrOf(s.AnswerCase(ctx, tt.id, affiliate.CaseAnswer{Answer: tt.answer}))
			})
		})
	}
}

// Twenty cases of an affiliate may wait; those of others and answered ones do not count.
func TestOpenCaseLimit(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	claim := func(of uuid.UUID, n int) (affiliate.Case, error) {
		return s.OpenCase(ctx, affiliate.CaseParams{AffiliateID: of, Kind: affiliate.SaleClaim,
			ExternalID: fmt.Sprint(n), Text: "mine"})
	}
	scene.Must(claim(s.Bob.ID, 1))
	first := scene.Must(claim(s.Ada.Person.ID, 1))
	for n := range 19 {
		scene.Must(claim(s.Ada.Person.ID, n+2))
	}
	s.Refused(scene.StateError(affiliate.CaseLimitReached, "", "The affiliate waits for the answers to 20 cases"),
		func() error { return scene.ErrOf(claim(s.Ada.Person.ID, 21)) })
	scene.Must(s.AnswerCase(ctx, first.ID, affiliate.CaseAnswer{Answer: "yes"}))
	scene.Must(claim(s.Ada.Person.ID, 21))
}

func TestCases(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	open := func(of uuid.UUID, k affiliate.CaseKind, order string) uuid.UUID {
		return scene.Must(s.OpenCase(ctx, affiliate.CaseParams{AffiliateID: of, Kind: k, ExternalID: order, Text: "t"})).ID
	}
	ada, bob := open(s.Ada.Person.ID, affiliate.SaleClaim, "1"), open(s.Bob.ID, affiliate.SaleClaim, "1")
	paid := open(s.Ada.Person.ID, affiliate.PayoutRequest, "")
	scene.Must(s.AnswerCase(ctx, ada, affiliate.CaseAnswer{Answer: "no"}))
	for name, tt := range map[string]struct {
		q    affiliate.CaseQuery
		want []uuid.UUID
	}{
		"all":      {affiliate.CaseQuery{}, []uuid.UUID{paid, bob, ada}},
		"open":     {affiliate.CaseQuery{Status: affiliate.CaseOpen}, []uuid.UUID{paid, bob}},
		"answered": {affiliate.CaseQuery{Status: affiliate.CaseAnswered}, []uuid.UUID{ada}},
		"of one":   {affiliate.CaseQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID)}, []uuid.UUID{paid, ada}},
		"by email": {affiliate.CaseQuery{AffiliateEmail: affiliate.Set("bob@example.com")}, []uuid.UUID{bob}},
		"combined": {affiliate.CaseQuery{AffiliateID: affiliate.Set(s.Ada.Person.ID), Status: affiliate.CaseOpen, Kind: affiliate.PayoutRequest}, []uuid.UUID{paid}},
		"a kind":   {affiliate.CaseQuery{Kind: affiliate.SaleClaim}, []uuid.UUID{bob, ada}},
		"nobody":   {affiliate.CaseQuery{AffiliateID: affiliate.Null[uuid.UUID]()}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []uuid.UUID
			for _, c := range scene.Must(s.Cases(ctx, tt.q, affiliate.Page{})).Items {
				got = append(got, c.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Cases go with an affiliate who is merged into another one, and are deleted with one.
func TestCasesOfWhoGoes(t *testing.T) {
	s, ctx := scene.NewShop(t), t.Context()
	a, b := s.Join("one"), s.Join("two")
	id := scene.Must(s.OpenCase(ctx, affiliate.CaseParams{AffiliateID: a.ID, Kind: affiliate.PayoutRequest})).ID
	scene.Must(s.MergeAffiliates(ctx, affiliate.Merge{From: a.Email, Into: b.Email}))
	if of := scene.Must(s.Case(ctx, id)).AffiliateID; of != b.ID {
		t.Errorf("after the merge it is of %s", of)
	}
	s.Verifies()
	scene.Must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: b.ID}))
	if _, err := s.Case(ctx, id); err != affiliate.ErrNotFound {
		t.Errorf("after the deletion: %v", err)
	}
	s.Verifies()
}
