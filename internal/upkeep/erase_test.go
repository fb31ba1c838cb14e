package upkeep_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// figures returns what an erasure must not change: totals, redemptions,
// payouts, the amounts of sales, the counters of codes and coupons.
func figures(b *scene.Ledger) map[string]any {
	b.T.Helper()
	dump := b.Dump()
	out := map[string]any{"totals": dump["totals"], "redemptions": dump["redemptions"], "coupons": dump["coupons"], "links": dump["links"]}
	for _, row := range dump["sales"] {
		var sale record.Sale
		scene.Must(0, json.Unmarshal([]byte(row), &sale))
		sale.Name, sale.Email, sale.Metadata = "", "", nil
		out["sale "+sale.ID.String()] = scene.JSON(sale)
	}
	for _, row := range dump["payouts"] {
		var payout record.Payout
		scene.Must(0, json.Unmarshal([]byte(row), &payout))
		payout.PayeeName, payout.PayeeEmail = "", ""
		out["payout "+payout.ID.String()] = scene.JSON(payout)
	}
	for _, row := range dump["codes"] {
		var code record.Code
		scene.Must(0, json.Unmarshal([]byte(row), &code))
		code.CustomerID = ""
		out["code "+code.ID.String()] = scene.JSON(code)
	}
	return out
}

// erases runs an erasure and checks what every erasure must keep.
func erases(b *scene.Ledger, call func() error, want ...affiliate.EventType) {
	b.T.Helper()
	before := figures(b)
	b.Fires(call, want...)
	scene.Equal(b.T, before, figures(b))
	b.Verifies()
}

// waive takes back what is owed to an affiliate, so that an erasure moves nothing.
func waive(b *scene.Ledger, id uuid.UUID) {
	b.T.Helper()
	owed := scene.Must(b.Balance(b.T.Context(), affiliate.AffiliateRef{ID: id}))
	sum := scene.Must(scene.Must(owed.Held.Add(owed.Maturing)).Add(owed.Payable))
	if sum.Sign() > 0 {
		scene.Must(b.RecordAdjustment(b.T.Context(), affiliate.AdjustmentParams{AffiliateID: id, Kind: affiliate.AdjustCorrection, Amount: sum.Neg(), Reason: "waived"}))
	}
}

func TestEraseAffiliate(t *testing.T) {
	inWholeEraseAffiliate(t, func(t *testing.T, erase func(*scene.Ledger, uuid.UUID) error) {
		b := scene.NewLedger(t)
		in := affiliate.AffiliateParams{FirstName: "Zebulonia", LastName: "Quixwood", Email: "zq@quix.example", AffiliateLink: "z1",
			Answers: []affiliate.Answer{{QuestionID: uuid.Max, Answer: "Zebulonia herself"}}}
		in.Once.Key = "create-z"
		z := scene.Must(b.CreateAffiliate(t.Context(), in))
		scene.Must(b.SetPayoutDetails(t.Context(), z.ID, affiliate.PayoutDetails{Email: "pay@quix.example", Method: "PAYPAL"}))
		code := scene.Must(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "Z10", AffiliateID: z.ID}))
		gone := scene.Must(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "Z11", AffiliateID: z.ID}))
		scene.Must(b.UpdateCoupon(t.Context(), b.Autumn.ID, affiliate.CouponUpdate{Name: affiliate.Set("Renamed")}))
		scene.Must(b.DeleteCode(t.Context(), gone.ID))
		sale := affiliate.SaleParams{PromoCode: "Z10", Email: "eve@customer.example", Name: "Eve", TotalEarned: scene.Sum("50")}
		sale.Once.Key = "sale-z"
		scene.Must(b.RecordSale(t.Context(), sale))
		scene.Must(b.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: z.ID}, affiliate.AffiliateUpdate{LastName: affiliate.Set("Quixwood-Old"), Email: affiliate.Set("new@quix.example")}))
		b.Settle()
		b.Pass(time.Minute)
		waive(b, z.ID)
		erases(b, func() error { return erase(b, z.ID) }, affiliate.AffiliateUpdated)
		b.Without("Zebulonia", "Quixwood", "@quix.example")

		got := scene.Must(b.Affiliate(t.Context(), z.ID.String()))
		if got.Email != "" || got.Name != "" || !got.PayoutEmail.IsNull() || got.TotalRevenue != scene.Sum("50") || !got.UpdatedAt.Equal(affiliate.TimeOf(b.Now)) {
			t.Errorf("erased: %+v", got)
		}
		if text := b.Opened(); !strings.Contains(text, "ada@example.com") || !strings.Contains(text, "eve@customer.example") {
			t.Error("another person went with them")
		}
		for _, e := range scene.Must(b.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(code.ID.String())}, affiliate.Page{})).Items {
			if e.Payload != nil {
				t.Errorf("payload %s", e.Payload)
			}
		}
		erased := scene.Must(b.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(z.ID.String())}, affiliate.Page{})).Items
		b.Settle()
		erases(b, func() error { return erase(b, z.ID) })
		if diff := cmp.Diff(erased, scene.Must(b.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(z.ID.String())}, affiliate.Page{})).Items); diff != "" || erased[0].Payload == nil {
			t.Errorf("erasing again changes events (-want +got):\n%s", diff)
		}
		scene.Must(b.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "New", LastName: "Person", Email: "new@quix.example"}))
		b.Verifies()
	})
}

// The payload of a delivery that waits stays until the delivery is settled.
func TestErasePending(t *testing.T) {
	inWholeEraseAffiliate(t, func(t *testing.T, erase func(*scene.Ledger, uuid.UUID) error) {
		b := scene.NewLedger(t)
		waive(b, b.Person.ID)
		erases(b, func() error { return erase(b, b.Person.ID) }, affiliate.AffiliateUpdated)
		if !strings.Contains(b.Opened(), "ada@example.com") {
			t.Error("a pending payload is gone")
		}
		b.Settle()
		erases(b, func() error { return erase(b, b.Person.ID) })
		b.Without("ada@example.com", "Lovelace")
		for _, d := range scene.Must(b.Webhooks().Deliveries(t.Context(), affiliate.DeliveryQuery{Event: affiliate.AffiliateCreated}, affiliate.Page{})).Items {
			if got := scene.Must(b.Webhooks().Delivery(t.Context(), d.ID)); !got.Payload.IsNull() {
				t.Errorf("payload of an erased event: %v", got.Payload)
			}
		}
	})
}

func TestEraseReferral(t *testing.T) {
	inWholeEraseReferral(t, func(t *testing.T, erase func(*scene.Ledger, string) error) {
		b := scene.NewLedger(t)
		click := scene.Must(b.TrackClick(t.Context(), affiliate.ClickParams{Slug: "ada", DeviceID: "zork-device", LandingURL: "https://beans.example/?u=zork", Referrer: "https://zork.example", UserAgent: "zork-agent"}))
		in := affiliate.ReferralParams{AffiliateID: scene.JSON(click.ID), Name: "Zork Customer", Email: "zork@shop.example", ReferredUserExternalID: "zork-77"}
		in.Once.Key = "create-customer"
		ref := scene.Must(b.CreateReferral(t.Context(), in))
		scene.Must(b.UpdateReferral(t.Context(), ref.Email, affiliate.ReferralUpdate{Notes: affiliate.Set("zork likes tea"), Metadata: affiliate.Set(json.RawMessage(`{"pet":"zork-cat"}`))}))
		scene.Must(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "BYMAIL", AffiliateID: b.Person.ID, LimitToCustomers: true, CustomerID: "zork@shop.example"}))
		scene.Must(b.CreateCode(t.Context(), affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "BYID", AffiliateID: b.Person.ID, LimitToCustomers: true, CustomerID: "zork-77"}))
		sale, _ := scene.Must(b.RecordSale(t.Context(), affiliate.SaleParams{ReferralID: ref.Email, TotalEarned: scene.Sum("10")})).Sale.Get()
		scene.Must(b.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"for":"zork"}`))}))
		scene.Must(b.UpdateSale(t.Context(), 2, affiliate.SaleUpdate{Email: affiliate.Set("zork@shop.example"), Name: affiliate.Set("Zork")}))
		b.Settle()
		b.Pass(time.Minute)
		erases(b, func() error { return erase(b, "Zork@shop.example") }, affiliate.ReferralUpdated)
		b.Without("zork", "Zork")
		if text := b.Opened(); !strings.Contains(text, "carl@customer.example") || !strings.Contains(text, "device-1") {
			t.Error("another person went with them")
		}
		for _, name := range []string{"BYMAIL", "BYID"} {
			scene.Equal(t, affiliate.Set(ref.ID.String()), scene.Must(b.Code(t.Context(), affiliate.CodeRef{Code: name})).CustomerID, name)
			if ok := scene.Must(b.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: name, ReferralID: ref.ID.String(), TotalEarned: scene.Sum("1")})); ok.Outcome != affiliate.SaleRecorded {
				t.Errorf("%s: %s", name, ok.Outcome)
			}
		}
		b.Settle()
		erases(b, func() error { return erase(b, ref.ID.String()) })
		if again := scene.Must(b.CreateReferral(t.Context(), in)); again.ID != ref.ID {
			t.Error("the request was carried out again")
		}
		in.Once.Key = ""
		if again := scene.Must(b.CreateReferral(t.Context(), in)); again.ID == ref.ID {
			t.Error("the email is not free")
		}
		b.Verifies()
	})
}

// inWholeEraseAffiliate runs a test with the whole erasure and with that in steps of
// three records (console check 16).
func inWholeEraseAffiliate(t *testing.T, test func(*testing.T, func(*scene.Ledger, uuid.UUID) error)) {
	t.Run("whole", func(t *testing.T) {
		test(t, func(b *scene.Ledger, id uuid.UUID) error { return b.Forfeiting().EraseAffiliate(t.Context(), id) })
	})
	t.Run("in steps", func(t *testing.T) {
		test(t, func(b *scene.Ledger, id uuid.UUID) error { return inSteps(b, affiliate.EraseAffiliateJob{ID: id}) })
	})
}

// inWholeEraseReferral is inWholeEraseAffiliate for a customer.
func inWholeEraseReferral(t *testing.T, test func(*testing.T, func(*scene.Ledger, string) error)) {
	t.Run("whole", func(t *testing.T) {
		test(t, func(b *scene.Ledger, ref string) error { return b.EraseReferral(t.Context(), ref) })
	})
	t.Run("in steps", func(t *testing.T) {
		test(t, func(b *scene.Ledger, ref string) error { return inSteps(b, affiliate.EraseReferralJob{Ref: ref}) })
	})
}

// inSteps does a job in steps of three records, each of them twice.
func inSteps(b *scene.Ledger, job affiliate.Job) error {
	b.T.Helper()
	for at := (affiliate.Step{Limit: 3}); ; {
		if _, err := b.Step(b.T.Context(), job, at); err != nil {
			return err
		}
		done, err := b.Step(b.T.Context(), job, at)
		if err != nil || done.Done {
			return err
		}
		at.Cursor = done.Cursor
	}
}

// Steps say how many payloads wait, and refuse what the whole calls refuse.
func TestEraseSteps(t *testing.T) {
	b := scene.NewLedger(t)
	job := affiliate.EraseAffiliateJob{ID: b.Person.ID, Forfeit: true}
	first := scene.Must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000}))
	if !first.Done || first.PayloadsPending == 0 || first.Changed == 0 {
		t.Errorf("got %+v", first)
	}
	b.Settle()
	if again := scene.Must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000})); again.PayloadsPending != 0 || again.Changed == 0 {
		t.Errorf("again: %+v", again)
	}
	if last := scene.Must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000})); last.Changed != 0 || last.PayloadsPending != 0 {
		t.Errorf("nothing is left: %+v", last)
	}
	step := func(job affiliate.Job) func() error {
		return func() error { return scene.ErrOf(b.Step(t.Context(), job, affiliate.Step{})) }
	}
	b.Refused(scene.FieldError(affiliate.MissingField, "affiliateId", "Affiliate ID is required"), step(affiliate.EraseAffiliateJob{}))
	b.Refused(scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found"), step(affiliate.EraseAffiliateJob{ID: b.Customer.ID}))
	b.Refused(scene.FieldError(affiliate.MissingField, "referralId", "Referral ID is required"), step(affiliate.EraseReferralJob{Ref: " "}))
	b.Refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.ReferralNotFound, Message: "Referral not found"}, step(affiliate.EraseReferralJob{Ref: "nobody@example.com"}))
}

func TestEraseErrors(t *testing.T) {
	b := scene.NewLedger(t)
	missing := scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")
	unknown := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.ReferralNotFound, Message: "Referral not found"}
	b.Refused(scene.FieldError(affiliate.MissingField, "affiliateId", "Affiliate ID is required"), func() error { return b.Forfeiting().EraseAffiliate(t.Context(), uuid.Nil) })
	b.Refused(missing, func() error { return b.Forfeiting().EraseAffiliate(t.Context(), b.Customer.ID) })
	b.Refused(scene.FieldError(affiliate.MissingField, "referralId", "Referral ID is required"), func() error { return b.EraseReferral(t.Context(), " ") })
	b.Refused(unknown, func() error { return b.EraseReferral(t.Context(), "nobody@example.com") })
}

// A request that is repeated with its key after an erasure gets its answer
// without the person's data, and is not executed again.
func TestEraseKeepsReceipts(t *testing.T) {
	type call struct {
		name string
		run  func() (any, error)
	}
	once := func(key string) affiliate.Once { return affiliate.Once{Key: key} }
	b := scene.NewLedger(t)
	ctx := t.Context()
	z := affiliate.AffiliateParams{Once: once("affiliate"), FirstName: "Zebulonia", LastName: "Quixwood", Email: "zq@quix.example", AffiliateLink: "z1"}
	id := scene.Must(b.CreateAffiliate(ctx, z)).ID
	link := affiliate.LinkParams{Once: once("link"), Link: "z2", AffiliateID: id}
	code := affiliate.CodeParams{Once: once("code"), CouponID: b.Autumn.ID, Code: "Z10", AffiliateID: id, LimitToCustomers: true, CustomerID: " Zork@Shop.example"}
	batch := affiliate.CodesParams{Count: 2, CodeParams: affiliate.CodeParams{
		Once: once("batch"), CouponID: b.Autumn.ID, AffiliateID: id, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
	}}
	referral := affiliate.ReferralParams{Once: once("referral"), AffiliateID: "z1", Name: "Zork", Email: "zork@shop.example", ReferredUserExternalID: "zork-77"}
	sale := affiliate.SaleParams{Once: once("sale"), PromoCode: "Z10", Email: "zork@shop.example", Name: "Zork", TotalEarned: scene.Sum("50")}
	calls := []call{
		{"affiliate", func() (any, error) { return b.CreateAffiliate(ctx, z) }},
		{"link", func() (any, error) { return b.CreateLink(ctx, link) }},
		{"code", func() (any, error) { return b.CreateCode(ctx, code) }},
		{"batch", func() (any, error) { return b.GenerateCodes(ctx, batch) }},
		{"referral", func() (any, error) { return b.CreateReferral(ctx, referral) }},
		{"sale", func() (any, error) { return b.RecordSale(ctx, sale) }},
	}
	for _, c := range calls {
		scene.Must(c.run())
	}
	b.Settle()
	customer := scene.Must(b.Referral(ctx, "zork@shop.example")).ID.String()
	waive(b, id)
	erases(b, func() error { return b.EraseAffiliate(ctx, id) }, affiliate.AffiliateUpdated)
	b.Settle()
	erases(b, func() error { return b.EraseReferral(ctx, customer) }, affiliate.ReferralUpdated)
	b.Without("Zebulonia", "Quixwood", "quix.example", "zork", "Zork", "hop.example")
	for _, c := range calls {
		before := b.Dump()
		got, err := c.run()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		scene.Equal(t, before, b.Dump(), c.name)
		switch got := got.(type) {
		case affiliate.Affiliate:
			if got.ID != id || got.Name != "" || got.Email != "" || got.AffiliateLinks[0].Link != "z1" {
				t.Errorf("affiliate: %+v", got)
			}
		case affiliate.Code:
			if got.CustomerID != affiliate.Set(customer) || got.Code != "Z10" {
				t.Errorf("code: %+v", got)
			}
		case affiliate.Referral:
			if got.Email != "" || !got.Name.IsNull() || !got.ReferredUserExternalID.IsNull() || got.Plan != affiliate.Set("N/A") {
				t.Errorf("referral: %+v", got)
			}
		case affiliate.SaleResult:
			s, ok := got.Sale.Get()
			if !ok || got.Outcome != affiliate.SaleRecorded || !s.Email.IsNull() || !s.Name.IsNull() || s.TotalEarned != scene.Sum("50") {
				t.Errorf("sale: %+v", got)
			}
		}
	}
}

// TestEraseAnswersAsRecords: the answer in a receipt loses the same texts as
// its record. All texts of the person are set. After the erasure each key of
// the stored answer has the value that the record now has.
func TestEraseAnswersAsRecords(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	id := scene.Must(b.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Zoe", LastName: "Quix", Email: "zq@quix.example", AffiliateLink: "z1"})).ID
	partner := func() (affiliate.Affiliate, error) {
		details := affiliate.PayoutDetails{Email: "pay@quix.example", Method: "PAYPAL"}
		return b.Keyed(affiliate.Once{Key: "affiliate"}).SetPayoutDetails(ctx, id, details)
	}
	scene.Must(partner())
	referral := scene.Must(b.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: "z1", Name: "Z", Email: "z@shop.example", ReferredUserExternalID: "z-7"})).ID
	customer := func() (affiliate.Referral, error) {
		return b.Keyed(affiliate.Once{Key: "referral"}).UpdateReferral(ctx, referral.String(), affiliate.ReferralUpdate{
			Name: affiliate.Set("Zork"), Email: affiliate.Set("zork@shop.example"), ReferredUserExternalID: affiliate.Set("zork-77"),
			Plan: affiliate.Set("pro"), Notes: affiliate.Set("likes blue"), Metadata: affiliate.Set(json.RawMessage(`{"shirt":"XL"}`)),
		})
	}
	scene.Must(customer())
	sale := scene.Must(b.RecordSale(ctx, affiliate.SaleParams{ReferralID: referral.String(), Email: "zork@shop.example", TotalEarned: scene.Sum("50")})).Sale.Or(affiliate.Sale{}).ID
	payment := func() (affiliate.Sale, error) {
		return b.Keyed(affiliate.Once{Key: "sale"}).UpdateSale(ctx, sale, affiliate.SaleUpdate{
			Name: affiliate.Set("Zork the first"), ExternalID: affiliate.Set("pi_7"), Metadata: affiliate.Set(json.RawMessage(`{"shirt":"XL"}`)),
		})
	}
	scene.Must(payment())
	b.Settle()
	waive(b, id)
	erases(b, func() error { return b.EraseAffiliate(ctx, id) }, affiliate.AffiliateUpdated)
	b.Settle()
	erases(b, func() error { return b.EraseReferral(ctx, referral.String()) }, affiliate.ReferralUpdated)
	for _, c := range []struct {
		name      string
		kept, now any
		moved     []string // keys without personal data that have changed since
	}{
		{"affiliate", scene.Must(partner()), scene.Must(b.Affiliate(ctx, id.String())),
			[]string{"numberOfReferredUsers", "totalRevenue", "totalCommissionEarned", "detailsComplete"}},
		{"referral", scene.Must(customer()), scene.Must(b.Referral(ctx, referral.String())), []string{"totalRevenue", "totalCommission"}},
		{"sale", scene.Must(payment()), scene.Must(b.Sale(ctx, sale)), []string{"referral"}},
	} {
		kept, now := scene.KeysOf(c.kept), scene.KeysOf(c.now)
		for _, key := range append(c.moved, "updatedAt") {
			delete(kept, key)
			delete(now, key)
		}
		scene.Equal(t, "", cmp.Diff(now, kept, cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })), c.name)
	}
}

// The reason of an event goes where the event shows the person, also while its payload waits for a
// delivery. Of any other it loses their email, and the rest of it stays.
func TestEraseReasons(t *testing.T) {
	reasons := func(b *scene.Ledger, object string) (got []string) {
		for _, e := range scene.Must(b.Events(t.Context(), affiliate.EventQuery{ObjectID: affiliate.Set(object)}, affiliate.Page{})).Items {
			if e.Reason != "" {
				got = append(got, e.Reason)
			}
		}
		return got
	}
	inWholeEraseAffiliate(t, func(t *testing.T, erase func(*scene.Ledger, uuid.UUID) error) {
		b := scene.NewLedger(t)
		ctx := t.Context()
		ben := b.Join("ben")
		sale := affiliate.SaleID(1)
		scene.Must(b.Because("Lovelace rang").UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: b.Person.ID}, affiliate.AffiliateUpdate{LastName: affiliate.Set("L")}))
		scene.Must(b.Because("she said so").UpdateSale(ctx, sale, affiliate.SaleUpdate{ExternalID: affiliate.Set("o-77")}))
		scene.Must(b.Because("knows ADA@example.com, and ada@example.community").SetAffiliateStatus(ctx, affiliate.AffiliateBanned, ben.ID))
		waive(b, b.Person.ID)
		erases(b, func() error { return erase(b, b.Person.ID) }, affiliate.AffiliateUpdated)
		if !strings.Contains(b.Opened(), "ada@example.com") {
			t.Error("a pending payload is gone")
		}
		if got := append(reasons(b, b.Person.ID.String()), reasons(b, fmt.Sprint(sale))...); got != nil {
			t.Errorf("left are %q", got)
		}
		scene.Equal(t, []string{"knows , and ada@example.community"}, reasons(b, ben.ID.String()))
		b.Verifies()
	})
	inWholeEraseReferral(t, func(t *testing.T, erase func(*scene.Ledger, string) error) {
		b := scene.NewLedger(t)
		ctx := t.Context()
		scene.Must(b.Because("Carl rang").UpdateReferral(ctx, b.Customer.ID.String(), affiliate.ReferralUpdate{Plan: affiliate.Set("pro")}))
		scene.Must(b.Because("carl@customer.example wrote").UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: b.Person.ID}, affiliate.AffiliateUpdate{LastName: affiliate.Set("L")}))
		scene.Must(b.Because("zork@shop.example wrote").SetAffiliateStatus(ctx, affiliate.AffiliateBanned, b.Person.ID))
		erases(b, func() error { return erase(b, "carl@customer.example") }, affiliate.ReferralUpdated)
		if got := reasons(b, b.Customer.ID.String()); got != nil {
			t.Errorf("left are %q", got)
		}
		scene.Equal(t, []string{"zork@shop.example wrote", " wrote"}, reasons(b, b.Person.ID.String()))

		// A reason is enough to show somebody whom nothing else does.
		scene.Must(0, erase(b, "zork@shop.example"))
		scene.Equal(t, []string{" wrote", " wrote"}, reasons(b, b.Person.ID.String()))
		b.Verifies()
	})
}

func sells(b *scene.Ledger, in affiliate.SaleParams) {
	b.T.Helper()
	scene.Must(b.RecordSale(b.T.Context(), in))
}

// An access report of somebody shows what is held under the names of those who were merged into them, and an erasure
// blanks it, in one call and in steps; their emails stay erased.
func TestEraseWhoWasMerged(t *testing.T) {
	for name, erase := range map[string]func(b *scene.Ledger) error{
		"one call":           func(b *scene.Ledger) error { return b.EraseReferral(t.Context(), "carl@customer.example") },
		"by the former name": func(b *scene.Ledger) error { return b.EraseReferral(t.Context(), "Quix@wood.example") },
		"steps": func(b *scene.Ledger) error {
			for at := (affiliate.Step{Limit: 1}); ; {
				p, err := b.Step(t.Context(), affiliate.EraseReferralJob{Ref: "carl@customer.example"}, at)
				if at.Cursor = p.Cursor; err != nil || p.Done {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, ctx := scene.NewLedger(t), t.Context()
			b.Customer = scene.Must(b.Referral(ctx, "carl@customer.example"))
			quix := scene.Must(b.CreateReferral(ctx, affiliate.ReferralParams{AffiliateID: b.Person.ID.String(), Name: "Quixwood", Email: "quix@wood.example", ReferredUserExternalID: "user-quix"}))
			sells(b, affiliate.SaleParams{Email: quix.Email, Name: "Quixwood", TotalEarned: scene.Sum("50"), ExternalID: "quix-1"})
			scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "QUIXONLY", LimitToCustomers: true, CustomerID: "user-quix"}))
			scene.Must(b.MergeReferrals(ctx, affiliate.Merge{From: quix.Email, Into: b.Customer.ID.String()}))
			b.Settle()
			shown := ""
			for _, r := range scene.Must(b.ReferralData(ctx, b.Customer.ID.String())).Records {
				shown += r.Kind + string(r.Data) + "\n"
			}
			for _, want := range []string{`name{"name":"quix@wood.example"}`, `name{"name":"user-quix"}`, "QUIXONLY", `"email":"quix@wood.example"`} {
				if !strings.Contains(shown, want) {
					t.Errorf("the report lacks %s", want)
				}
			}
			scene.Must(0, erase(b))
			b.Without("Quixwood")
			b.Without("quix@wood.example")
			b.Without("user-quix")
			sells(b, affiliate.SaleParams{Email: "quix@wood.example", Name: "Quixwood", TotalEarned: scene.Sum("20"), ExternalID: "quix-2"})
			b.Without("quix@wood.example")
			scene.Equal(t, b.Customer.ID, scene.Must(b.Referral(ctx, quix.ID.String())).ID)
			b.Verifies()
		})
	}
}

// An interruptedStore is a Store that calls a function after the first View: between
// the two passes of an erasure.
type interruptedStore struct {
	record.Store
	happens func()
}

func (s *interruptedStore) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	err := s.Store.View(ctx, id, fn)
	if happens := s.happens; happens != nil {
		s.happens = nil
		happens()
	}
	return err
}

// A record that is written between the two passes of an erasure is erased too.
func TestEraseBetween(t *testing.T) {
	ctx := t.Context()
	const later = "later@quix.example"
	erase := map[string]struct {
		make    func(b *scene.Ledger) uuid.UUID
		happens func(b *scene.Ledger, id uuid.UUID)
		call    func(p *tributary.Program, id uuid.UUID) error
	}{
		"affiliate, another event": {
			func(b *scene.Ledger) uuid.UUID { return b.Person.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{LastName: affiliate.Set("Quixwood")}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.Forfeiting().EraseAffiliate(ctx, id) },
		},
		// When its event was read, the email of the code's customer belonged to
		// nobody.
		"affiliate, another email": {
			func(b *scene.Ledger) uuid.UUID { return b.Person.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: id}, affiliate.AffiliateUpdate{Email: affiliate.Set(later)}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.Forfeiting().EraseAffiliate(ctx, id) },
		},
		"referral, another event": {
			func(b *scene.Ledger) uuid.UUID { return b.Customer.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateReferral(ctx, id.String(), affiliate.ReferralUpdate{Name: affiliate.Set("Quixwood")}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.EraseReferral(ctx, id.String()) },
		},
		"referral, another email": {
			func(b *scene.Ledger) uuid.UUID { return b.Customer.ID },
			func(b *scene.Ledger, id uuid.UUID) {
				scene.Must(b.UpdateReferral(ctx, id.String(), affiliate.ReferralUpdate{Email: affiliate.Set(later)}))
			},
			func(p *tributary.Program, id uuid.UUID) error { return p.EraseReferral(ctx, id.String()) },
		},
	}
	for name, c := range erase {
		t.Run(name, func(t *testing.T) {
			b := scene.NewLedger(t)
			id := c.make(b)
			code := scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "LATER", LimitToCustomers: true, CustomerID: later}))
			b.Settle()
			p := b.With(&interruptedStore{Store: b.Store, happens: func() { c.happens(b, id); b.Settle() }})
			scene.Must(0, c.call(p, id))
			b.Without("Quixwood")
			if strings.HasSuffix(name, "email") {
				for _, e := range scene.Must(b.Events(ctx, affiliate.EventQuery{ObjectID: affiliate.Set(code.ID.String())}, affiliate.Page{})).Items {
					if e.Payload != nil {
						t.Errorf("payload %s", e.Payload)
					}
				}
			}
			b.Verifies()
		})
	}
}

// Codes that are limited to other customers, or to none, stay as they are.
func TestEraseLeavesOtherCodes(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	limited := func(name, customer string) {
		scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: name, LimitToCustomers: customer != "", CustomerID: customer}))
	}
	limited("CARL", "user-77")
	limited("CARLSMAIL", "Carl@customer.example")
	limited("OTHER", "user-78")
	limited("OTHERMAIL", "dora@customer.example")
	limited("PREFIX", "user-7")
	customers := func() map[string]string {
		got := map[string]string{}
		for code := range scene.OnlyValues(affiliate.All(ctx, b.Codes, affiliate.CodeQuery{})) {
			got[code.Code] = code.CustomerID.Or("")
		}
		return got
	}
	carl := scene.Must(b.Referral(ctx, "carl@customer.example")).ID.String()
	want := customers()
	want["CARL"], want["CARLSMAIL"] = carl, carl
	scene.Must(0, b.EraseReferral(ctx, carl))
	scene.Equal(t, want, customers())
	// Dora came with a sale and has no external id.
	dora := scene.Must(b.Referral(ctx, "dora@customer.example")).ID.String()
	want["OTHERMAIL"] = dora
	scene.Must(0, b.EraseReferral(ctx, dora))
	scene.Equal(t, want, customers())
	scene.Must(0, b.EraseReferral(ctx, dora))
	scene.Equal(t, want, customers())
	b.Verifies()
}
