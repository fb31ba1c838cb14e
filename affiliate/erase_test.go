package affiliate_test

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// settle marks every pending delivery as delivered. The answers repeat the
// request.
func (b *booksLedger) settle() {
	b.t.Helper()
	b.raw(func(tx *record.Tx) error {
		for q, err := range tx.Queue.List(record.Query{}) {
			if err != nil {
				return err
			}
			d, err := tx.Deliveries.Get(q.DeliveryID)
			if err != nil {
				return err
			}
			event, err := tx.Events.Get(d.EventID)
			if err != nil {
				return err
			}
			d = d.Clone()
			d.State, d.NextAttemptAt, d.UpdatedAt = affiliate.DeliveryDelivered, affiliate.Instant{}, affiliate.InstantOf(b.now)
			d.Attempts = append(d.Attempts, record.Attempt{At: affiliate.InstantOf(b.now), Status: 200, Response: string(event.Payload.Bytes())})
			if err := tx.Deliveries.Replace(d); err != nil {
				return err
			}
			if err := tx.Queue.Delete(q.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

var booksBytes = regexp.MustCompile(`"(Payload|Answer|Refusal|Value)":"([A-Za-z0-9+/=]*)"`)

// opened returns the dump with all base64 values decoded.
func (b *booksLedger) opened() string {
	var all strings.Builder
	for table, rows := range b.dump() {
		for _, row := range rows {
			all.WriteString(table + " " + booksBytes.ReplaceAllStringFunc(row, func(s string) string {
				raw, err := base64.StdEncoding.DecodeString(booksBytes.FindStringSubmatch(s)[2])
				if err != nil {
					b.t.Fatal(err)
				}
				return string(raw)
			}) + "\n")
		}
	}
	return all.String()
}

// without fails the test if a table has one of the words.
func (b *booksLedger) without(words ...string) {
	b.t.Helper()
	for line := range strings.Lines(b.opened()) {
		for _, word := range words {
			if strings.Contains(line, word) {
				b.t.Errorf("%q is left in %s", word, line)
			}
		}
	}
}

// figures returns what an erasure must not change: totals, redemptions,
// payouts, the amounts of sales, the counters of codes and coupons.
func (b *booksLedger) figures() map[string]any {
	b.t.Helper()
	dump := b.dump()
	out := map[string]any{"totals": dump["totals"], "redemptions": dump["redemptions"], "coupons": dump["coupons"], "links": dump["links"]}
	for _, row := range dump["sales"] {
		var sale record.Sale
		if err := json.Unmarshal([]byte(row), &sale); err != nil {
			b.t.Fatal(err)
		}
		sale.Name, sale.Email, sale.Metadata = "", "", nil
		out["sale "+sale.ID.String()] = jsonOf(sale)
	}
	for _, row := range dump["payouts"] {
		var payout record.Payout
		if err := json.Unmarshal([]byte(row), &payout); err != nil {
			b.t.Fatal(err)
		}
		payout.PayeeName, payout.PayeeEmail = "", ""
		out["payout "+payout.ID.String()] = jsonOf(payout)
	}
	for _, row := range dump["codes"] {
		var code record.Code
		if err := json.Unmarshal([]byte(row), &code); err != nil {
			b.t.Fatal(err)
		}
		code.CustomerID = ""
		out["code "+code.ID.String()] = jsonOf(code)
	}
	return out
}

// erases runs an erasure and checks what every erasure must keep.
func (b *booksLedger) erases(call func() error, want ...affiliate.EventType) {
	b.t.Helper()
	before := b.figures()
	b.fires(call, want...)
	if diff := cmp.Diff(before, b.figures()); diff != "" {
		b.t.Errorf("the books moved (-before +after):\n%s", diff)
	}
	b.verify()
}

func TestEraseAffiliate(t *testing.T) {
	inWholeEraseAffiliate(t, func(t *testing.T, erase func(*booksLedger, uuid.UUID) error) {
		b := newBooksLedger(t)
		in := affiliate.NewAffiliate{FirstName: "Zebulonia", LastName: "Quixwood", Email: "zq@quix.example", AffiliateLink: "z1",
			Answers: []affiliate.Answer{{QuestionID: uuid.Max, Answer: "Zebulonia herself"}}}
		in.Once.Key = "create-z"
		z := must(b.CreateAffiliate(t.Context(), in))
		must(b.SetPayoutDetails(t.Context(), z.ID, affiliate.PayoutDetails{Email: "pay@quix.example", Method: "PAYPAL"}))
		code := must(b.CreateCode(t.Context(), affiliate.NewCode{CouponID: b.coupon.ID, Code: "Z10", AffiliateID: z.ID}))
		gone := must(b.CreateCode(t.Context(), affiliate.NewCode{CouponID: b.coupon.ID, Code: "Z11", AffiliateID: z.ID}))
		must(b.UpdateCoupon(t.Context(), b.coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("Renamed")}))
		must(b.DeleteCode(t.Context(), gone.ID))
		sale := affiliate.NewSale{PromoCode: "Z10", Email: "eve@customer.example", Name: "Eve", TotalEarned: sum("50")}
		sale.Once.Key = "sale-z"
		must(b.RecordSale(t.Context(), sale))
		must(b.UpdateAffiliate(t.Context(), affiliate.AffiliateRef{ID: z.ID}, affiliate.AffiliateUpdate{LastName: affiliate.Set("Quixwood-Old"), Email: affiliate.Set("new@quix.example")}))
		b.settle()
		b.pass(time.Minute)
		b.erases(func() error { return erase(b, z.ID) }, affiliate.AffiliateUpdated)
		b.without("Zebulonia", "Quixwood", "@quix.example")

		got := must(b.Affiliate(t.Context(), z.ID.String()))
		if got.Email != "" || got.Name != "" || !got.PayoutEmail.IsNull() || got.TotalRevenue != sum("50") || !got.UpdatedAt.Equal(affiliate.TimeOf(b.now)) {
			t.Errorf("erased: %+v", got)
		}
		if text := b.opened(); !strings.Contains(text, "ada@example.com") || !strings.Contains(text, "eve@customer.example") {
			t.Error("another person went with them")
		}
		for _, e := range must(b.Events(t.Context(), affiliate.EventFilter{ObjectID: affiliate.Set(code.ID.String())}, affiliate.Page{})).Items {
			if e.Payload != nil {
				t.Errorf("payload %s", e.Payload)
			}
		}
		erased := must(b.Events(t.Context(), affiliate.EventFilter{ObjectID: affiliate.Set(z.ID.String())}, affiliate.Page{})).Items
		b.settle()
		b.erases(func() error { return erase(b, z.ID) })
		if diff := cmp.Diff(erased, must(b.Events(t.Context(), affiliate.EventFilter{ObjectID: affiliate.Set(z.ID.String())}, affiliate.Page{})).Items); diff != "" || erased[0].Payload == nil {
			t.Errorf("erasing again changes events (-want +got):\n%s", diff)
		}
		must(b.CreateAffiliate(t.Context(), affiliate.NewAffiliate{FirstName: "New", LastName: "Person", Email: "new@quix.example"}))
		b.verify()
	})
}

// The payload of a delivery that waits stays until the delivery is settled.
func TestErasePending(t *testing.T) {
	inWholeEraseAffiliate(t, func(t *testing.T, erase func(*booksLedger, uuid.UUID) error) {
		b := newBooksLedger(t)
		b.erases(func() error { return erase(b, b.affiliate.ID) }, affiliate.AffiliateUpdated)
		if !strings.Contains(b.opened(), "ada@example.com") {
			t.Error("a pending payload is gone")
		}
		b.settle()
		b.erases(func() error { return erase(b, b.affiliate.ID) })
		b.without("ada@example.com", "Lovelace")
		for _, d := range must(b.Deliveries(t.Context(), affiliate.DeliveryFilter{Event: affiliate.AffiliateCreated}, affiliate.Page{})).Items {
			if got := must(b.Delivery(t.Context(), d.ID)); !got.Payload.IsNull() {
				t.Errorf("payload of an erased event: %v", got.Payload)
			}
		}
	})
}

func TestEraseReferral(t *testing.T) {
	inWholeEraseReferral(t, func(t *testing.T, erase func(*booksLedger, string) error) {
		b := newBooksLedger(t)
		click := must(b.TrackClick(t.Context(), affiliate.NewClick{Slug: "ada", DeviceID: "zork-device", LandingURL: "https://beans.example/?u=zork", Referrer: "https://zork.example", UserAgent: "zork-agent"}))
		in := affiliate.NewReferral{AffiliateID: jsonOf(click.ID), Name: "Zork Customer", Email: "zork@shop.example", ReferredUserExternalID: "zork-77"}
		in.Once.Key = "create-customer"
		ref := must(b.CreateReferral(t.Context(), in))
		must(b.UpdateReferral(t.Context(), ref.Email, affiliate.ReferralUpdate{Notes: affiliate.Set("zork likes tea"), Metadata: affiliate.Set(json.RawMessage(`{"pet":"zork-cat"}`))}))
		must(b.CreateCode(t.Context(), affiliate.NewCode{CouponID: b.coupon.ID, Code: "BYMAIL", AffiliateID: b.affiliate.ID, LimitToCustomers: true, CustomerID: "zork@shop.example"}))
		must(b.CreateCode(t.Context(), affiliate.NewCode{CouponID: b.coupon.ID, Code: "BYID", AffiliateID: b.affiliate.ID, LimitToCustomers: true, CustomerID: "zork-77"}))
		sale, _ := must(b.RecordSale(t.Context(), affiliate.NewSale{ReferralID: ref.Email, TotalEarned: sum("10")})).Sale.Get()
		must(b.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"for":"zork"}`))}))
		must(b.UpdateSale(t.Context(), 2, affiliate.SaleUpdate{Email: affiliate.Set("zork@shop.example"), Name: affiliate.Set("Zork")}))
		b.settle()
		b.pass(time.Minute)
		b.erases(func() error { return erase(b, "Zork@shop.example") }, affiliate.ReferralUpdated)
		b.without("zork", "Zork")
		if text := b.opened(); !strings.Contains(text, "carl@customer.example") || !strings.Contains(text, "device-1") {
			t.Error("another person went with them")
		}
		for _, name := range []string{"BYMAIL", "BYID"} {
			if got := must(b.Code(t.Context(), affiliate.CodeRef{Code: name})); got.CustomerID != affiliate.Set(ref.ID.String()) {
				t.Errorf("%s is limited to %v", name, got.CustomerID)
			}
			if ok := must(b.RecordSale(t.Context(), affiliate.NewSale{PromoCode: name, ReferralID: ref.ID.String(), TotalEarned: sum("1")})); ok.Outcome != affiliate.SaleRecorded {
				t.Errorf("%s: %s", name, ok.Outcome)
			}
		}
		b.settle()
		b.erases(func() error { return erase(b, ref.ID.String()) })
		if again := must(b.CreateReferral(t.Context(), in)); again.ID != ref.ID {
			t.Error("the request was carried out again")
		}
		in.Once.Key = ""
		if again := must(b.CreateReferral(t.Context(), in)); again.ID == ref.ID {
			t.Error("the email is not free")
		}
		b.verify()
	})
}

// inWholeEraseAffiliate runs a test with the whole erasure and with that in steps of
// three records (check 16 of console.md).
func inWholeEraseAffiliate(t *testing.T, test func(*testing.T, func(*booksLedger, uuid.UUID) error)) {
	t.Run("whole", func(t *testing.T) {
		test(t, func(b *booksLedger, id uuid.UUID) error { return b.EraseAffiliate(t.Context(), id) })
	})
	t.Run("in steps", func(t *testing.T) {
		test(t, func(b *booksLedger, id uuid.UUID) error { return b.inSteps(affiliate.EraseAffiliateJob{ID: id}) })
	})
}

// inWholeEraseReferral is inWholeEraseAffiliate for a customer.
func inWholeEraseReferral(t *testing.T, test func(*testing.T, func(*booksLedger, string) error)) {
	t.Run("whole", func(t *testing.T) {
		test(t, func(b *booksLedger, ref string) error { return b.EraseReferral(t.Context(), ref) })
	})
	t.Run("in steps", func(t *testing.T) {
		test(t, func(b *booksLedger, ref string) error { return b.inSteps(affiliate.EraseReferralJob{Ref: ref}) })
	})
}

// inSteps does a job in steps of three records, each of them twice.
func (b *booksLedger) inSteps(job affiliate.Job) error {
	b.t.Helper()
	for at := (affiliate.Step{Limit: 3}); ; {
		if _, err := b.Step(b.t.Context(), job, at); err != nil {
			return err
		}
		done, err := b.Step(b.t.Context(), job, at)
		if err != nil || done.Done {
			return err
		}
		at.Cursor = done.Cursor
	}
}

// Steps say how many payloads wait, and refuse what the whole calls refuse.
func TestEraseSteps(t *testing.T) {
	b := newBooksLedger(t)
	job := affiliate.EraseAffiliateJob{ID: b.affiliate.ID}
	first := must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000}))
	if !first.Done || first.PayloadsPending == 0 || first.Changed == 0 {
		t.Errorf("got %+v", first)
	}
	b.settle()
	if again := must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000})); again.PayloadsPending != 0 || again.Changed == 0 {
		t.Errorf("again: %+v", again)
	}
	if last := must(b.Step(t.Context(), job, affiliate.Step{Limit: 10_000})); last.Changed != 0 || last.PayloadsPending != 0 {
		t.Errorf("nothing is left: %+v", last)
	}
	step := func(job affiliate.Job) func() error {
		return func() error { return errOf(b.Step(t.Context(), job, affiliate.Step{})) }
	}
	b.refused(fieldError(affiliate.MissingField, "affiliateId", "Affiliate ID is required"), step(affiliate.EraseAffiliateJob{}))
	b.refused(missingError(affiliate.AffiliateNotFound, "Affiliate not found"), step(affiliate.EraseAffiliateJob{ID: b.referral.ID}))
	b.refused(fieldError(affiliate.MissingField, "referralId", "Referral ID is required"), step(affiliate.EraseReferralJob{Ref: " "}))
	b.refused(affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.ReferralNotFound, Message: "Referral not found"}, step(affiliate.EraseReferralJob{Ref: "nobody@example.com"}))
}

func TestEraseErrors(t *testing.T) {
	b := newBooksLedger(t)
	missing := missingError(affiliate.AffiliateNotFound, "Affiliate not found")
	unknown := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.ReferralNotFound, Message: "Referral not found"}
	b.refused(fieldError(affiliate.MissingField, "affiliateId", "Affiliate ID is required"), func() error { return b.EraseAffiliate(t.Context(), uuid.Nil) })
	b.refused(missing, func() error { return b.EraseAffiliate(t.Context(), b.referral.ID) })
	b.refused(fieldError(affiliate.MissingField, "referralId", "Referral ID is required"), func() error { return b.EraseReferral(t.Context(), " ") })
	b.refused(unknown, func() error { return b.EraseReferral(t.Context(), "nobody@example.com") })
}

// A request that is repeated with its key after an erasure gets its answer
// without the person's data, and is not executed again.
func TestEraseKeepsReceipts(t *testing.T) {
	type call struct {
		name string
		run  func() (any, error)
	}
	once := func(key string) affiliate.Once { return affiliate.Once{Key: key} }
	b := newBooksLedger(t)
	ctx := t.Context()
	z := affiliate.NewAffiliate{Once: once("affiliate"), FirstName: "Zebulonia", LastName: "Quixwood", Email: "zq@quix.example", AffiliateLink: "z1"}
	id := must(b.CreateAffiliate(ctx, z)).ID
	link := affiliate.NewLink{Once: once("link"), Link: "z2", AffiliateID: id}
	code := affiliate.NewCode{Once: once("code"), CouponID: b.coupon.ID, Code: "Z10", AffiliateID: id, LimitToCustomers: true, CustomerID: " Zork@Shop.example"}
	batch := affiliate.NewCodes{Count: 2, NewCode: affiliate.NewCode{
		Once: once("batch"), CouponID: b.coupon.ID, AffiliateID: id, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
	}}
	referral := affiliate.NewReferral{Once: once("referral"), AffiliateID: "z1", Name: "Zork", Email: "zork@shop.example", ReferredUserExternalID: "zork-77"}
	sale := affiliate.NewSale{Once: once("sale"), PromoCode: "Z10", Email: "zork@shop.example", Name: "Zork", TotalEarned: sum("50")}
	calls := []call{
		{"affiliate", func() (any, error) { return b.CreateAffiliate(ctx, z) }},
		{"link", func() (any, error) { return b.CreateLink(ctx, link) }},
		{"code", func() (any, error) { return b.CreateCode(ctx, code) }},
		{"batch", func() (any, error) { return b.GenerateCodes(ctx, batch) }},
		{"referral", func() (any, error) { return b.CreateReferral(ctx, referral) }},
		{"sale", func() (any, error) { return b.RecordSale(ctx, sale) }},
	}
	for _, c := range calls {
		must(c.run())
	}
	b.settle()
	customer := must(b.Referral(ctx, "zork@shop.example")).ID.String()
	b.erases(func() error { return b.EraseAffiliate(ctx, id) }, affiliate.AffiliateUpdated)
	b.settle()
	b.erases(func() error { return b.EraseReferral(ctx, customer) }, affiliate.ReferralUpdated)
	b.without("Zebulonia", "Quixwood", "quix.example", "zork", "Zork", "hop.example")
	for _, c := range calls {
		before := b.dump()
		got, err := c.run()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(before, b.dump()); diff != "" {
			t.Errorf("%s was carried out again (-before +after):\n%s", c.name, diff)
		}
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
			if !ok || got.Outcome != affiliate.SaleRecorded || !s.Email.IsNull() || !s.Name.IsNull() || s.TotalEarned != sum("50") {
				t.Errorf("sale: %+v", got)
			}
		}
	}
}

// TestEraseAnswersAsRecords: the answer in a receipt loses the same texts as
// its record. All texts of the person are set. After the erasure each key of
// the stored answer has the value that the record now has.
func TestEraseAnswersAsRecords(t *testing.T) {
	b := newBooksLedger(t)
	ctx := t.Context()
	id := must(b.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Zoe", LastName: "Quix", Email: "zq@quix.example", AffiliateLink: "z1"})).ID
	partner := func() (affiliate.Affiliate, error) {
		details := affiliate.PayoutDetails{Email: "pay@quix.example", Method: "PAYPAL"}
		return b.Keyed(affiliate.Once{Key: "affiliate"}).SetPayoutDetails(ctx, id, details)
	}
	must(partner())
	referral := must(b.CreateReferral(ctx, affiliate.NewReferral{AffiliateID: "z1", Name: "Z", Email: "z@shop.example", ReferredUserExternalID: "z-7"})).ID
	customer := func() (affiliate.Referral, error) {
		return b.Keyed(affiliate.Once{Key: "referral"}).UpdateReferral(ctx, referral.String(), affiliate.ReferralUpdate{
			Name: affiliate.Set("Zork"), Email: affiliate.Set("zork@shop.example"), ReferredUserExternalID: affiliate.Set("zork-77"),
			Plan: affiliate.Set("pro"), Notes: affiliate.Set("likes blue"), Metadata: affiliate.Set(json.RawMessage(`{"shirt":"XL"}`)),
		})
	}
	must(customer())
	sale := must(b.RecordSale(ctx, affiliate.NewSale{ReferralID: referral.String(), Email: "zork@shop.example", TotalEarned: sum("50")})).Sale.Or(affiliate.Sale{}).ID
	payment := func() (affiliate.Sale, error) {
		return b.Keyed(affiliate.Once{Key: "sale"}).UpdateSale(ctx, sale, affiliate.SaleUpdate{
			Name: affiliate.Set("Zork the first"), ExternalID: affiliate.Set("pi_7"), Metadata: affiliate.Set(json.RawMessage(`{"shirt":"XL"}`)),
		})
	}
	must(payment())
	b.settle()
	b.erases(func() error { return b.EraseAffiliate(ctx, id) }, affiliate.AffiliateUpdated)
	b.settle()
	b.erases(func() error { return b.EraseReferral(ctx, referral.String()) }, affiliate.ReferralUpdated)
	for _, c := range []struct {
		name      string
		kept, now any
		moved     []string // keys without personal data that have changed since
	}{
		{"affiliate", must(partner()), must(b.Affiliate(ctx, id.String())),
			[]string{"numberOfReferredUsers", "totalRevenue", "totalCommissionEarned", "detailsComplete"}},
		{"referral", must(customer()), must(b.Referral(ctx, referral.String())), []string{"totalRevenue", "totalCommission"}},
		{"sale", must(payment()), must(b.Sale(ctx, sale)), []string{"referral"}},
	} {
		kept, now := keysOf(c.kept), keysOf(c.now)
		for _, key := range append(c.moved, "updatedAt") {
			delete(kept, key)
			delete(now, key)
		}
		if diff := cmp.Diff(now, kept, cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })); diff != "" {
			t.Errorf("%s (-record +answer):\n%s", c.name, diff)
		}
	}
}
