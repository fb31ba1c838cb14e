package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// The same key with the same request returns the first answer and has no second
// effect (B427). After a day the key can be used again (B436).
func TestOnceReplaysAnswers(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		o := affiliate.Once{Key: "k", Replayed: func([]byte) { t.Error("the first answer is called a replay") }}
		first := scene.Must(c.Run(s.Program, c.Input, o))
		s.Replayed(t, c, o, first, nil)
		s.Pass(24*time.Hour - time.Second)
		s.Replayed(t, c, o, first, nil)
	})
}

func TestOnceDay(t *testing.T) {
	s := scene.NewOnceShop(t, memstore.New())
	c := s.Creates()["RecordSale"]
	o := affiliate.Once{Key: "k"}
	first := scene.Must(c.Run(s.Program, c.Input, o))
	s.Pass(24*time.Hour + time.Second)
	second := scene.Must(c.Run(s.Program, c.Input, o))
	if scene.Wire(first) == scene.Wire(second) {
		t.Error("after a day the key still gives the first answer")
	}
	s.Replayed(t, c, o, second, nil)
	s.Pass(23 * time.Hour)
	s.Replayed(t, c, o, second, nil)
	scene.Equal(t, 1, len(s.Dump()["receipts"]))
	s.Verifies()
}

// An invalid key is refused before all other checks (B425).
func TestOnceKeySyntax(t *testing.T) {
	want := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyInvalid, Message: "Idempotency-Key is invalid"}
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		for _, key := range []string{strings.Repeat("k", 256), "a b", " a", "a\tb", "a\n", "\x00", "a\x7f", "ä", "\xff"} {
			for _, input := range []any{c.Input, reflect.Zero(reflect.TypeOf(c.Input)).Interface()} {
				s.Refused(want, func() error { _, err := c.Run(s.Program, input, affiliate.Once{Key: key}); return err })
			}
		}
		for _, key := range []string{"!", "~", strings.Repeat("k", 255)} {
			o := affiliate.Once{Key: key}
			first, err := c.Run(s.Program, c.Input, o)
			s.Replayed(t, c, o, first, err)
		}
	})
}

// A key belongs to its program (B431).
func TestOnceScope(t *testing.T) {
	store := memstore.New()
	one := scene.NewOnceShop(t, store)
	two := scene.NewOnceShop(t, store, func(c *tributary.Config) { c.ID = uuid.UUID{1} })
	for name, c := range one.Creates() {
		o := affiliate.Once{Key: name}
		first, err := c.Run(one.Program, c.Input, o)
		d := two.Creates()[name]
		o.Replayed = func([]byte) { t.Errorf("%s: the other program replays", name) }
		if _, other := d.Run(two.Program, d.Input, o); other != nil && err == nil {
			t.Errorf("%s: %v in the other program", name, other)
		}
		if err == nil {
			one.Replayed(t, c, affiliate.Once{Key: name}, first, nil)
		}
	}
	one.Verifies()
	two.Verifies()
}

// An answer with a secret is sealed like the secret (SEC49).
func TestOnceSealed(t *testing.T) {
	s := scene.NewOnceShop(t, memstore.New(), scene.Sealed)
	for _, name := range []string{"CreateEndpoint", "RotateSecret"} {
		c := s.Creates()[name]
		o := affiliate.Once{Key: name}
		first := scene.Must(c.Run(s.Program, c.Input, o)).(affiliate.IssuedEndpoint)
		secret := first.Secret.Reveal()
		err := s.Store.View(t.Context(), s.Config().ID, func(tx *record.Tx) error {
			rec, err := tx.Receipts.Find(record.Key{Index: record.ByRequest, Text: name})
			if err == nil && (!rec.Sealed || strings.Contains(string(rec.Answer.Bytes()), secret[len("whsec_"):])) {
				t.Errorf("%s: the receipt shows the secret", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Replayed(t, c, o, first, nil)
		scene.Equal(t, secret, scene.Must(c.Run(s.Program, c.Input, o)).(affiliate.IssuedEndpoint).Secret.Reveal(), name)
		(&scene.Ledger{World: s.World}).Without(secret[len("whsec_"):])
	}
}

// A onceRefusal is a create that is refused, and a change that removes the
// cause.
type onceRefusal struct {
	create scene.OnceCreate
	want   affiliate.Reason // empty: ErrNotFound
	repair func(s scene.OnceShop)
}

func refusals(s scene.OnceShop) map[string]onceRefusal {
	ctx := context.Background()
	bad := func(name string, change func(in reflect.Value)) scene.OnceCreate {
		c := s.Creates()[name]
		v := reflect.New(reflect.TypeOf(c.Input)).Elem()
		v.Set(reflect.ValueOf(c.Input))
		change(v)
		c.Input = v.Interface()
		return c
	}
	text := func(field, value string) func(reflect.Value) {
		return func(in reflect.Value) { in.FieldByName(field).SetString(value) }
	}
	nothing := func(scene.OnceShop) {}
	return map[string]onceRefusal{
		"field":          {bad("RecordSale", text("ExternalID", " ")), affiliate.InvalidField, nothing},
		"missing":        {bad("CreateCoupon", text("Name", "")), affiliate.MissingField, nothing},
		"email taken":    {bad("CreateAffiliate", text("Email", "ADA@example.com")), affiliate.AffiliateEmailTaken, scene.OnceShop.LoseAffiliate},
		"invite":         {bad("InviteAffiliate", text("AffiliateLink", "ADA")), affiliate.SlugTaken, scene.OnceShop.LoseAffiliate},
		"slug taken":     {bad("CreateLink", text("Link", "ADA")), affiliate.SlugTaken, func(s scene.OnceShop) { scene.Must(s.DeleteLink(ctx, affiliate.LinkRef{Slug: "ada"})) }},
		"code taken":     {bad("CreateCode", text("Code", "ada20")), affiliate.CodeTaken, func(s scene.OnceShop) { scene.Must(s.DeleteCode(ctx, s.ADA20.ID)) }},
		"coupon unknown": {bad("CreateCode", func(in reflect.Value) { in.FieldByName("CouponID").Set(reflect.ValueOf(s.Hooked.ID)) }), affiliate.CouponNotFound, nothing},
		"code refused": {s.Creates()["RecordSale"], affiliate.CodeInactive, func(s scene.OnceShop) {
			scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}},
		"referral by refused code": {bad("CreateReferral", text("PromoCode", "ADA20")), affiliate.CodeInactive, func(s scene.OnceShop) {
			scene.Must(s.UpdateCode(ctx, s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(true)}))
		}},
		"referral of nobody": {bad("CreateReferral", text("AffiliateID", "bea")), "", func(s scene.OnceShop) {
			scene.Must(s.CreateLink(ctx, affiliate.LinkParams{Link: "bea", AffiliateID: s.Person.ID}))
		}},
		"endpoint unknown": {bad("RotateSecret", func(in reflect.Value) { in.FieldByName("WebhookID").Set(reflect.ValueOf(s.Autumn.ID)) }), affiliate.WebhookNotFound, nothing},
		"endpoint url":     {bad("CreateEndpoint", text("URL", "ftp://x")), affiliate.InvalidField, nothing},
	}
}

// A refusal is repeated too, even when its cause was removed (B432), but not
// for a corrected request (B433). A refusal stores only its receipt.
func TestOnceReplaysRefusals(t *testing.T) {
	for store, wrap := range map[string]func(record.Store) record.Store{
		"memstore": func(s record.Store) record.Store { return s }, "Rerun": conformance.Rerun,
	} {
		for name := range refusals(scene.NewOnceShop(t, memstore.New())) {
			t.Run(name+" on "+store, func(t *testing.T) {
				s := scene.NewOnceShop(t, wrap(memstore.New()))
				scene.Must(s.UpdateCode(t.Context(), s.ADA20.ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
				r := refusals(s)[name]
				before := s.Dump()
				first, firstErr := r.create.Run(s.Program, r.create.Input, affiliate.Once{Key: "k"})
				if r.want == "" && firstErr != affiliate.ErrNotFound || r.want != "" && !errors.Is(firstErr, r.want) {
					t.Fatalf("refused as %v, want %q", firstErr, r.want)
				}
				after := s.Dump()
				scene.Equal(t, 1, len(after["receipts"]))
				delete(before, "receipts")
				delete(after, "receipts")
				scene.Equal(t, before, after)
				s.Replayed(t, r.create, affiliate.Once{Key: "k"}, first, firstErr)
				r.repair(s)
				s.Replayed(t, r.create, affiliate.Once{Key: "k"}, first, firstErr)
				s.Verifies()
			})
		}
	}
}

// The outcomes of a sale that is not recorded are repeated with the key,
// whatever has changed since (B438).
func TestOnceOutcomes(t *testing.T) {
	ctx := context.Background()
	for outcome, c := range map[affiliate.SaleOutcome]struct {
		in     affiliate.SaleParams
		repair func(s scene.OnceShop)
	}{
		affiliate.SaleDuplicate: {
			affiliate.SaleParams{PromoCode: "ADA20", ExternalID: "order-1"},
			func(s scene.OnceShop) {
				scene.Must(s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: "order-1"}, affiliate.Reversal{}))
			},
		},
		affiliate.SaleUnattributed: {
			affiliate.SaleParams{ReferralID: "bea", Email: "new@example.net", Name: "N"},
			func(s scene.OnceShop) {
				scene.Must(s.CreateLink(ctx, affiliate.LinkParams{Link: "bea", AffiliateID: s.Person.ID}))
			},
		},
		affiliate.SaleInactiveCustomer: {
			affiliate.SaleParams{Email: "t@example.net"},
			func(s scene.OnceShop) {
				scene.Must(s.PushReferralStatus(ctx, "t@example.net", affiliate.SubscriptionActive))
			},
		},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			s := scene.NewOnceShop(t, memstore.New())
			scene.Must(s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA20", Email: "t@example.net", TotalEarned: affiliate.MustAmount("1"), ExternalID: "order-1"}))
			scene.Must(s.PushReferralStatus(ctx, "t@example.net", affiliate.SubscriptionDeclined))
			c.in.TotalEarned = affiliate.MustAmount("10")
			call := scene.Creator(c.in, (*tributary.Program).RecordSale)
			first := scene.Must(call.Run(s.Program, c.in, affiliate.Once{Key: "k"})).(affiliate.SaleResult)
			if first.Outcome != outcome || !first.Sale.IsNull() {
				t.Fatalf("first: %s, sale %v", first.Outcome, first.Sale)
			}
			first.Earlier = affiliate.Null[affiliate.Sale]() // not part of the answer on the wire
			s.Replayed(t, call, affiliate.Once{Key: "k"}, first, nil)
			c.repair(s)
			s.Replayed(t, call, affiliate.Once{Key: "k"}, first, nil)
			s.Verifies()
		})
	}
}

// An input that cannot be written as JSON is refused for its own error.
func TestOnceWithoutJSON(t *testing.T) {
	w := scene.New(t)
	never := affiliate.Set(affiliate.At(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)))
	in := affiliate.CouponParams{Name: "x", PercentOff: affiliate.Set(affiliate.MustPercent("5")), RedeemBy: never}
	in.Once.Key = "k"
	w.Refused(scene.FieldError(affiliate.InvalidField, "redeemBy", "redeemBy must be an ISO 8601 date"), func() error {
		return scene.ErrOf(w.CreateCoupon(t.Context(), in))
	})
}

// The same key with any other field of the request is refused (B428, B429,
// B433), and nothing is written.
func TestOnceReused(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		o := affiliate.Once{Key: "k"}
		scene.Must(c.Run(s.Program, c.Input, o))
		want := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.IdempotencyKeyReused, Message: "Idempotency-Key was already used with a different request"}
		for _, field := range scene.Variants(t, c.Input) {
			t.Run(field.Name, func(t *testing.T) {
				s.Refused(want, func() error { _, err := c.Run(s.Program, field.Input, o); return err })
			})
		}
		for _, other := range s.Creates() {
			if !reflect.DeepEqual(other.Input, c.Input) {
				s.Refused(want, func() error { _, err := other.Run(s.Program, other.Input, o); return err })
			}
		}
	})
}

// A digest from the caller stands for the request: the engine ignores the
// input.
func TestOnceDigest(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		o := affiliate.Once{Key: "k", Digest: [32]byte{1}}
		first := scene.Must(c.Run(s.Program, c.Input, o))
		for _, field := range scene.Variants(t, c.Input) {
			c.Input = field.Input
			s.Replayed(t, c, o, first, nil)
		}
		if _, err := c.Run(s.Program, c.Input, affiliate.Once{Key: "k", Digest: [32]byte{2}}); !errors.Is(err, affiliate.IdempotencyKeyReused) {
			t.Errorf("another digest: %v", err)
		}
	})
}

// TestKeysAfterDeletion: what names a record can name another one after the record was
// deleted, which begins at zero; before that it is refused. Slugs are told of in
// TestFormerSlugs, and numbers never come again.
func TestKeysAfterDeletion(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	coupon := func() (string, error) {
		made, err := s.CreateCoupon(ctx, affiliate.CouponParams{Name: "C", PercentOff: scene.Percent("10"), ExternalID: "coupon-ext"})
		return made.ID.String(), err
	}
	code := func() (string, error) {
		made, err := s.CreateCode(ctx, affiliate.CodeParams{CouponID: s.Autumn.ID, Code: "again", ExternalID: "code-ext", AffiliateID: s.Bob.ID})
		if err == nil && made.TimesRedeemed != 0 {
			t.Errorf("a code begins with %d redemptions", made.TimesRedeemed)
		}
		return made.ID.String(), err
	}
	sale := func() (string, error) {
		made, err := s.RecordSale(ctx, affiliate.SaleParams{PromoCode: "AGAIN", Email: "kim@b.co", Name: "K", TotalEarned: scene.Sum("5"), ExternalID: "order-again", ExternalInvoiceID: "invoice-again"})
		return fmt.Sprint(made.Sale.Or(affiliate.Sale{}).ID), err
	}
	person := func() (string, error) {
		made, err := s.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "A", LastName: "B", Email: "again@b.co", ExternalID: "user-again"})
		return made.ID.String(), err
	}
	hold := func() (string, error) {
		made, err := s.HoldRedemption(ctx, affiliate.HoldParams{ID: "hold-again", Until: s.Now.Add(time.Hour), Order: affiliate.Order{PromoCode: "AGAIN", Email: "lea@b.co", Subtotal: scene.Amount("10")}})
		return made.PromotionalCode.Or(affiliate.CodeName{}).ID.String(), err
	}
	payer := func() (string, error) {
		scene.Must(s.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "ada", Name: "P", Email: "payer@b.co", ReferredUserExternalID: "host-again"}))
		known := scene.Must(s.Payments().Payer(ctx, "stripe", affiliate.PayerFact{ID: "cus_again"}))
		if known.Known {
			t.Error("the payer of a deleted customer is known")
		}
		scene.Must(0, s.Payments().ReportPayer(ctx, "stripe", affiliate.PayerFact{ID: "cus_again", Email: "payer@b.co"}))
		known = scene.Must(s.Payments().Payer(ctx, "stripe", affiliate.PayerFact{ID: "cus_again"}))
		return known.Referral.Or(affiliate.Referral{}).ID.String(), nil
	}
	adjustment := func() (string, error) {
		made, err := s.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateEmail: "again@b.co", Kind: affiliate.AdjustBonus, Amount: scene.Sum("5"), Reason: "r", ExternalID: "bonus-again"})
		return made.ID.String(), err
	}
	webhook := func() (string, error) {
		made, err := s.Webhooks().CreateEndpoint(ctx, affiliate.EndpointParams{URL: "https://again.example/hook", Events: []affiliate.EventType{affiliate.SaleCreated}})
		return made.ID.String(), err
	}
	run := func() (string, error) {
		made, err := s.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run-again", Minimum: affiliate.Set(scene.Sum("1000"))})
		return made.ID.String(), err
	}
	only := scene.Must(s.RunPayouts(ctx, affiliate.PayoutRun{ExternalID: "run-again", Minimum: affiliate.Set(scene.Sum("1000"))})).ID
	last := map[string]string{}
	for range 2 {
		for _, kind := range []struct {
			name  string
			make  func() (string, error)
			taken affiliate.Reason // of a second one; empty: it is the first one again
		}{
			{"coupon", coupon, affiliate.CouponExternalIDTaken},
			{"code", code, affiliate.CodeTaken},
			{"sale", sale, ""},
			{"affiliate", person, affiliate.AffiliateEmailTaken},
		} {
			id, err := kind.make()
			if err != nil || id == last[kind.name] {
				t.Fatalf("%s: %s after %s, %v", kind.name, id, last[kind.name], err)
			}
			last[kind.name] = id
			if again, err := kind.make(); kind.taken != "" && !errors.Is(err, kind.taken) || kind.taken == "" && (err != nil || again != "0") { // told again, a sale is a duplicate
				t.Errorf("%s twice: %s, %v", kind.name, again, err)
			}
		}
		for name, make := range map[string]func() (string, error){"hold": hold, "payer": payer, "adjustment": adjustment, "webhook": webhook} {
			id, err := make()
			if err != nil || id == last[name] || id == uuid.Nil.String() {
				t.Fatalf("%s: %s after %s, %v", name, id, last[name], err)
			}
			last[name] = id
		}
		if id := scene.Must(run()); id != only.String() { // a run is never deleted
			t.Errorf("run %s, and %s before", id, only)
		}
		if id := scene.Must(webhook()); id == last["webhook"] { // an address may have several
			t.Errorf("webhook %s", id)
		}
		for _, ep := range scene.Must(s.Webhooks().Endpoints(ctx, affiliate.Page{})).Items {
			scene.Must(s.Webhooks().DeleteEndpoint(ctx, ep.ID))
		}
		scene.Must(0, s.DeleteReferral(ctx, "payer@b.co"))
		sold := scene.Must(s.Sales(ctx, affiliate.SaleQuery{ExternalID: scene.TextOf("order-again")}, affiliate.Page{})).Items[0]
		scene.Must(0, s.DeleteSale(ctx, sold.ID))
		made := scene.Must(s.Code(ctx, affiliate.CodeRef{Code: "AGAIN"}))
		scene.Must(s.DeleteCode(ctx, made.ID))
		found := scene.Must(s.Coupon(ctx, affiliate.CouponRef{ExternalID: "coupon-ext"}))
		scene.Must(s.DeleteCoupon(ctx, found.ID))
		scene.Must(0, s.DeleteReferral(ctx, "kim@b.co"))
		scene.Must(0, s.Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{Email: "again@b.co"}))
	}
	s.Verifies()
}

// TestKeysThatStay: what still names a record that was deleted: a payment, a confirmed hold and an
// idempotency key. The id of a refund is its sale's.
func TestKeysThatStay(t *testing.T) {
	ctx, s := t.Context(), scene.NewShop(t)
	paid := affiliate.PaymentFact{
		Provider: "stripe", Keys: []string{"pi_1"}, Payer: affiliate.PayerFact{ID: "cus_1", Email: "kim@b.co"}, At: s.Now, Currency: "USD",
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("100")}, Gross: scene.Sum("100"), Tries: []affiliate.Credit{{PromoCode: "ADA20"}}}),
	}
	told := func(want affiliate.SaleOutcome) affiliate.Sale {
		t.Helper()
		res := scene.Must(s.Payments().ReportPayment(ctx, paid))
		scene.Equal(t, want, res.Outcome, paid.Keys)
		return res.Sale.Or(affiliate.Sale{})
	}
	first := told(affiliate.SaleRecorded)
	scene.Must(0, s.DeleteSale(ctx, first.ID))
	paid.Keys = []string{"pi_1", "ch_1"}
	told(affiliate.SaleDuplicate)

	order := affiliate.Order{PromoCode: "ADA20", Email: "lea@b.co", Subtotal: scene.Amount("100")}
	scene.Must(s.HoldRedemption(ctx, affiliate.HoldParams{ID: "h", Until: s.Now.Add(time.Hour), Order: order}))
	sale := affiliate.SaleParams{HoldID: "h", Email: "lea@b.co", Name: "L", TotalEarned: scene.Sum("80"), ExternalID: "o-1"}
	scene.Must(0, s.DeleteSale(ctx, s.Sell(sale).ID))
	_, err := s.RecordSale(ctx, sale)
	scene.RefusedAs(t, "the hold again", affiliate.HoldIsConfirmed, err)
	sale.HoldID, sale.PromoCode = "", "ADA20"
	again := s.Sell(sale)

	refund := affiliate.Refund{SaleID: again.ID, Amount: scene.Amount("10"), RefundID: "re_1"}
	scene.Must(s.RefundSale(ctx, refund))
	scene.Must(0, s.DeleteSale(ctx, again.ID))
	refund.SaleID = s.Sell(sale).ID
	if scene.Must(s.RefundSale(ctx, refund)).AlreadyRefunded {
		t.Error("a refund of the new sale counts as told")
	}

	in := affiliate.AffiliateParams{Once: affiliate.Once{Key: "k"}, FirstName: "A", LastName: "B", Email: "once@b.co"}
	made := scene.Must(s.CreateAffiliate(ctx, in))
	scene.Must(0, s.DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: made.ID}))
	if got := scene.Must(s.CreateAffiliate(ctx, in)); got.ID != made.ID {
		t.Error("the key made another affiliate")
	}
	s.Verifies()
}

// A secret can be opened only in the record that it was sealed for: not at
// another endpoint, not in a receipt if it was sealed for an endpoint, nor the
// reverse.
func TestSealBound(t *testing.T) {
	const key = "k"
	create := affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Once: affiliate.Once{Key: key}}
	find := record.Key{Index: record.ByRequest, Text: key}
	for name, forge := range map[string]func(*record.Tx, *record.Endpoint, *record.Endpoint, *record.Receipt){
		"another endpoint": func(_ *record.Tx, theirs, mine *record.Endpoint, _ *record.Receipt) {
			mine.Secrets[0].Value = theirs.Secrets[0].Value
		},
		"from a receipt": func(_ *record.Tx, _, mine *record.Endpoint, receipt *record.Receipt) {
			mine.Secrets[0].Value = receipt.Secret
		},
		"into a receipt": func(_ *record.Tx, theirs, _ *record.Endpoint, receipt *record.Receipt) {
			receipt.Secret = theirs.Secrets[0].Value
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := scene.New(t, scene.Sealed)
			theirs := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create))
			mine := w.HookAt("https://mine.example/")
			if got := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create)); got.Secret.Reveal() != theirs.Secret.Reveal() {
				t.Fatal("the repeat shows another secret")
			}
			scene.Behind(t, w, func(tx *record.Tx) {
				a, b, r := scene.Must(tx.Endpoints.Get(theirs.ID)), scene.Must(tx.Endpoints.Get(mine.ID)), scene.Must(tx.Receipts.Find(find))
				forge(tx, &a, &b, &r)
				scene.Must(0, tx.Endpoints.Replace(b))
				scene.Must(0, tx.Receipts.Replace(r))
			})
			if name == "into a receipt" {
				if got, err := w.Webhooks().CreateEndpoint(t.Context(), create); err == nil {
					t.Errorf("the receipt opens as %q", got.Secret.Reveal())
				}
				return
			}
			w.Crowd(1)
			for _, c := range w.Claim(64) {
				if c.Endpoint == mine.ID {
					t.Errorf("signed with %q, the secret of endpoint %v is %q", c.Secrets[0].Reveal(), theirs.ID, theirs.Secret.Reveal())
				}
			}
		})
	}
}

// Seal and Open may call a service, so they are not called inside a
// transaction.
func TestSealOutsideTransactions(t *testing.T) {
	store := &closureWatch{Store: memstore.New()}
	calls := 0
	w := scene.NewOn(t, store, func(c *tributary.Config) {
		scene.Sealed(c)
		seal, open := c.Seal, c.Open
		count := func() {
			if calls++; store.depth > 0 {
				t.Error("called inside a transaction")
			}
		}
		c.Seal = func(data, boundTo []byte) ([]byte, error) { count(); return seal(data, boundTo) }
		c.Open = func(data, boundTo []byte) ([]byte, error) { count(); return open(data, boundTo) }
		c.Send = func(context.Context, affiliate.Claim) affiliate.Attempt { return affiliate.Attempt{Status: 204} }
	})
	create := affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Once: affiliate.Once{Key: "create"}}
	ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create))
	scene.Must(w.Webhooks().CreateEndpoint(t.Context(), create))
	rotate := affiliate.Rotation{WebhookID: ep.ID, Once: affiliate.Once{Key: "rotate"}}
	scene.Must(w.Webhooks().RotateSecret(t.Context(), rotate))
	scene.Must(w.Webhooks().RotateSecret(t.Context(), rotate))
	scene.Must(w.Webhooks().TestEndpoint(t.Context(), affiliate.EndpointTest{WebhookID: ep.ID, Event: affiliate.SaleCreated}))
	w.Crowd(1)
	w.ClaimOne()
	if calls < 10 {
		t.Errorf("%d calls", calls)
	}
}

// closureWatch is a Store that knows whether one of its closures runs.
type closureWatch struct {
	record.Store
	depth int
}

func (s *closureWatch) in(fn func(*record.Tx) error) func(*record.Tx) error {
	return func(tx *record.Tx) error {
		s.depth++
		defer func() { s.depth-- }()
		return fn(tx)
	}
}

func (s *closureWatch) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.View(ctx, id, s.in(fn))
}

func (s *closureWatch) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return s.Store.Update(ctx, id, s.in(fn))
}

// A secret is bound to the id of its endpoint or receipt.
func TestSealBoundTo(t *testing.T) {
	var bound [][]byte
	w := scene.New(t, func(c *tributary.Config) {
		scene.Sealed(c)
		seal := c.Seal
		c.Seal = func(data, boundTo []byte) ([]byte, error) {
			bound = append(bound, slices.Clone(boundTo))
			return seal(data, boundTo)
		}
	})
	ep := scene.Must(w.Webhooks().CreateEndpoint(t.Context(), affiliate.EndpointParams{URL: scene.HookURL, Events: []affiliate.EventType{"*"}, Once: affiliate.Once{Key: "k"}}))
	var receipt uuid.UUID
	scene.Behind(t, w, func(tx *record.Tx) {
		receipt = scene.Must(tx.Receipts.Find(record.Key{Index: record.ByRequest, Text: "k"})).ID
	})
	scene.Equal(t, [][]byte{ep.ID[:], receipt[:]}, bound)
}

// Secrets that were stored before Seal was set sign if Open returns them
// unchanged, and rotation seals the new ones.
func TestSealLater(t *testing.T) {
	scene.OnStores(t, func(t *testing.T, w *scene.World) {
		ep := w.Hook()
		cfg := w.Config()
		scene.Sealed(&cfg)
		open := cfg.Open
		cfg.Open = func(data, boundTo []byte) ([]byte, error) {
			if bytes.HasPrefix(data, []byte("whsec_")) {
				return data, nil
			}
			return open(data, boundTo)
		}
		w.Program = scene.Must(tributary.New(w.Store, cfg))
		w.Crowd(1)
		c := w.ClaimOne()
		scene.Equal(t, []string{ep.Secret.Reveal()}, reveal(c.Secrets))
		w.Settle(200, c)
		rotated := scene.Must(w.Webhooks().RotateSecret(t.Context(), affiliate.Rotation{WebhookID: ep.ID}))
		w.Crowd(1)
		scene.Equal(t, []string{rotated.Secret.Reveal(), ep.Secret.Reveal()}, reveal(w.ClaimOne().Secrets))
		scene.Behind(t, w, func(tx *record.Tx) {
			rec := scene.Must(tx.Endpoints.Get(ep.ID))
			if bytes.Contains(rec.Secrets[0].Value, []byte("whsec_")) {
				t.Error("the new secret stands in clear")
			}
		})
	})
}

func reveal(all []affiliate.Secret) (out []string) {
	for _, s := range all {
		out = append(out, s.Reveal())
	}
	return out
}
