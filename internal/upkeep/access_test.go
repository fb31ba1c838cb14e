package upkeep_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/scene"
)

// told are the texts of every record that is not a payload, by table, record and
// place in it. Of events it has the reasons.
func told(b *scene.Ledger) map[string]string {
	b.T.Helper()
	out := map[string]string{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				walk(at+"."+key, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprint(at, "[", i, "]"), value)
			}
		case string:
			if raw, err := base64.StdEncoding.DecodeString(v); strings.HasSuffix(at, ".Answer") && err == nil {
				var inner any
				if json.Unmarshal(raw, &inner) == nil {
					walk(at, inner)
				}
				return
			}
			out[at] = v
		}
	}
	for table, rows := range b.Dump() {
		if table == "deliveries" {
			continue
		}
		for _, row := range rows {
			if table == "events" {
				var e record.Event
				scene.Must(0, json.NewDecoder(strings.NewReader(row)).Decode(&e))
				out[fmt.Sprint(table, " ", e.ID, ".Reason")] = e.Reason
				continue
			}
			var rec map[string]any
			scene.Must(0, json.Unmarshal([]byte(row), &rec))
			walk(fmt.Sprint(table, " ", rec["ID"]), rec)
		}
	}
	return out
}

// allTexts are the texts in JSON.
func allTexts(t testing.TB, v any) []string {
	t.Helper()
	var texts []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, value := range v {
				walk(value)
			}
		case []any:
			for _, value := range v {
				walk(value)
			}
		case string:
			texts = append(texts, v)
		}
	}
	var decoded any
	scene.Must(0, json.Unmarshal([]byte(scene.JSON(v)), &decoded))
	walk(decoded)
	return texts
}

// showsWhatErasureTakes reads a person's data, erases the person, and compares: each
// text that an erasure takes from a record, and each event that it empties, was shown.
func showsWhatErasureTakes(b *scene.Ledger, read func() (affiliate.PersonalData, error), erase func() error, least int) {
	b.T.Helper()
	stored := b.Dump()
	data := scene.Must(read())
	scene.Equal(b.T, "", cmp.Diff(stored, b.Dump()))
	shown, before := allTexts(b.T, data), told(b)
	scene.Must(0, erase())
	after, taken := told(b), 0
	for at, text := range before {
		if text == "" || after[at] == text || strings.HasSuffix(at, ".UpdatedAt") || strings.HasSuffix(at, ".updatedAt") {
			continue
		}
		if taken++; !slices.Contains(shown, text) {
			b.T.Errorf("an erasure takes %q of %s, which was not shown", text, at)
		}
	}
	if taken < least {
		b.T.Errorf("only %d texts were taken", taken)
	}
	for _, row := range b.Dump()["events"] {
		var event record.Event
		var was bool
		dec := json.NewDecoder(strings.NewReader(row))
		scene.Must(0, dec.Decode(&event))
		payload := row[dec.InputOffset():]
		for _, r := range data.Records {
			was = was || r.Kind == "events" && r.ID == event.ID.String() && len(r.Data) > len("[]")
		}
		if payload == "" && !was {
			b.T.Errorf("the payload of %s was not shown", event.ID)
		}
	}
}

// receiverSaid is the answer of a receiver, which repeats the request.
var receiverSaid = regexp.MustCompile(`"response":"(\\.|[^"\\])*"`)

// TestReferralData: the answer to an access request of a customer shows all that an
// erasure takes, wherever it stands, and nothing of it afterwards.
func TestReferralData(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	const email = "zork@shop.example"
	click := scene.Must(b.TrackClick(ctx, affiliate.ClickParams{Slug: "ada", DeviceID: "zork-device", LandingURL: "https://beans.example/?u=zork", Referrer: "https://zork.example", UserAgent: "zork-agent"}))
	in := affiliate.ReferralParams{AffiliateID: scene.JSON(click.ID), Name: "Zork Customer", Email: email, ReferredUserExternalID: "zork-77"}
	in.Once.Key = "create-customer"
	ref := scene.Must(b.CreateReferral(ctx, in))
	scene.Must(b.UpdateReferral(ctx, email, affiliate.ReferralUpdate{Notes: affiliate.Set("zork likes tea"), Metadata: affiliate.Set(json.RawMessage(`{"pet":"zork-cat"}`))}))
	scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "BYMAIL", AffiliateID: b.Person.ID, LimitToCustomers: true, CustomerID: "Zork@shop.example"}))
	scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "BYID", AffiliateID: b.Person.ID, LimitToCustomers: true, CustomerID: "zork-77"}))
	sale, _ := scene.Must(b.RecordSale(ctx, affiliate.SaleParams{ReferralID: email, Name: "Zork the payer", TotalEarned: scene.Sum("10")})).Sale.Get()
	scene.Must(b.UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Metadata: affiliate.Set(json.RawMessage(`{"for":"zork"}`))}))
	scene.Must(b.UpdateSale(ctx, 2, affiliate.SaleUpdate{Email: affiliate.Set(email), Name: affiliate.Set("Zork of another")}))
	scene.Must(0, b.Payments().ReportPayer(ctx, "stripe", affiliate.PayerFact{ID: "cus_Z", Email: email, Name: "Zork at Stripe", CustomerID: "zork-77"}))
	scene.Must(b.Payments().ReportPayment(ctx, affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_w"}, At: b.Now, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_W"},
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("10")}, Gross: scene.Sum("10"), Tries: []affiliate.Credit{{ReferralID: email}}})}))
	scene.Must(b.Payments().ReportPayment(ctx, affiliate.PaymentFact{Provider: "stripe", Keys: []string{"pi_Z"}, At: b.Now, Currency: "USD", Payer: affiliate.PayerFact{ID: "cus_Z"},
		Sale: affiliate.Set(affiliate.Paid{SaleParams: affiliate.SaleParams{TotalEarned: scene.Sum("10")}, Gross: scene.Sum("10"), Renewal: true})}))
	scene.Must(b.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: b.Person.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), Reason: "for bringing zork@shop.example"}))
	asked := scene.Must(b.OpenCase(ctx, affiliate.CaseParams{AffiliateID: b.Person.ID, Kind: affiliate.SaleClaim, ExternalID: "o", Text: "from zork@shop.example"}))
	scene.Must(b.AnswerCase(ctx, asked.ID, affiliate.CaseAnswer{Answer: "Zork@shop.example came by a link"}))
	scene.Must(b.UpdateReferral(ctx, b.Customer.ID.String(), affiliate.ReferralUpdate{Notes: affiliate.Set("friend of zork@shop.example")}))
	scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: b.Person.ID}, affiliate.AffiliateUpdate{Note: affiliate.Set("found Zork@shop.example first")}))
	scene.Must(b.Because("Zork rang").UpdateSale(ctx, sale.ID, affiliate.SaleUpdate{Name: affiliate.Set("Zork who rang")}))
	scene.Must(b.Because("Zork@shop.example says so").UpdateSale(ctx, 1, affiliate.SaleUpdate{ExternalID: affiliate.Set("o-77")}))
	scene.Must(b.Because("Carl says so").UpdateSale(ctx, 1, affiliate.SaleUpdate{ExternalID: affiliate.Set("o-78")}))
	b.Settle()
	b.Pass(time.Minute)
	read := func() (affiliate.PersonalData, error) { return b.ReferralData(ctx, "Zork@shop.example") }
	data := scene.Must(read())
	kinds := map[string]bool{}
	for _, r := range data.Records {
		kinds[r.Kind] = true
	}
	for _, kind := range []string{"referral", "clicks", "sales", "codes", "payers", "payments", "adjustments", "cases", "notes", "events", "answers"} {
		if !kinds[kind] {
			t.Errorf("no %s", kind)
		}
	}
	if data.ID != affiliate.Set(ref.ID) || data.Records[0].Kind != "referral" || !data.ErasedAt.IsNull() {
		t.Errorf("%v, %s first, erased %v", data.ID, data.Records[0].Kind, data.ErasedAt)
	}
	text := receiverSaid.ReplaceAllString(scene.JSON(data), "")
	for _, other := range []string{"carl@", "Carl", "ada@example.com", "Lovelace"} {
		if strings.Contains(text, other) {
			t.Errorf("it shows %s: %.300s", other, text[max(0, strings.Index(text, other)-150):])
		}
	}
	showsWhatErasureTakes(b, read, func() error { return b.EraseReferral(ctx, email) }, 25)
	left := scene.Must(read())
	if text := strings.ToLower(scene.JSON(left)); strings.Contains(text, "zork") || left.ErasedAt.IsNull() || left.ID != affiliate.Set(ref.ID) {
		t.Errorf("after the erasure: %s", text)
	}
	scene.Equal(t, left.Records[0].Kind, "referral")
}

// TestAffiliateData is TestReferralData for an affiliate.
func TestAffiliateData(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	in := affiliate.AffiliateParams{FirstName: "Zebulonia", LastName: "Quixwood", Email: "zq@quix.example", AffiliateLink: "z1",
		Answers: []affiliate.Answer{{QuestionID: uuid.Max, Answer: "Zebulonia herself"}}}
	in.Once.Key = "create-z"
	z := scene.Must(b.CreateAffiliate(ctx, in))
	scene.Must(b.SetPayoutDetails(ctx, z.ID, affiliate.PayoutDetails{Email: "pay@quix.example", Method: "PAYPAL"}))
	scene.Must(b.CreateCode(ctx, affiliate.CodeParams{CouponID: b.Autumn.ID, Code: "Z10", AffiliateID: z.ID}))
	scene.Must(b.RecordSale(ctx, affiliate.SaleParams{PromoCode: "Z10", Email: "eve@customer.example", Name: "Eve", TotalEarned: scene.Sum("50")}))
	scene.Must(b.RecordAdjustment(ctx, affiliate.AdjustmentParams{AffiliateID: z.ID, Kind: affiliate.AdjustBonus, Amount: scene.Sum("1"), Reason: "Quixwood asked"}))
	asked := scene.Must(b.OpenCase(ctx, affiliate.CaseParams{Once: affiliate.Once{Key: "ask"}, AffiliateID: z.ID, Kind: affiliate.SaleClaim, ExternalID: "Quixwood-7", Text: "Zebulonia again"}))
	scene.Must(b.Keyed(affiliate.Once{Key: "say"}).AnswerCase(ctx, asked.ID, affiliate.CaseAnswer{Answer: "Dear Zebulonia"}))
	scene.Must(b.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: z.ID}))
	scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: z.ID}, affiliate.AffiliateUpdate{Note: affiliate.Set("Quixwood\nis slow")}))
	scene.Must(b.UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: b.Person.ID}, affiliate.AffiliateUpdate{Note: affiliate.Set("sister of zq@quix.example")}))
	scene.Must(b.Keyed(affiliate.Once{Key: "tier"}).SetTierExempt(ctx, true, z.ID)) // its answer has the note
	scene.Must(b.Because("Zebulonia rang").SetAffiliateStatus(ctx, affiliate.AffiliateBanned, z.ID))
	scene.Must(b.Because("see zq@quix.example").SetAffiliateStatus(ctx, affiliate.AffiliateBanned, b.Person.ID))
	b.Settle()
	b.Pass(time.Minute)
	read := func() (affiliate.PersonalData, error) { return b.AffiliateData(ctx, z.ID) }
	text := scene.JSON(scene.Must(read()))
	for _, want := range []string{"affiliate", "links", "codes", "commissions", "payouts", "adjustments", "cases", "events", "answers"} {
		if !strings.Contains(text, `"kind":"`+want+`"`) {
			t.Errorf("no %s", want)
		}
	}
	if own := string(scene.Must(read()).Records[0].Data); !strings.Contains(own, `"note":"Quixwood\nis slow"`) {
		t.Errorf("of the affiliate it shows %s", own)
	}
	showsWhatErasureTakes(b, read, func() error { return b.Forfeiting().EraseAffiliate(ctx, z.ID) }, 10)
	if left := scene.JSON(scene.Must(read())); strings.Contains(left, "uix") || strings.Contains(left, "Zebulonia") {
		t.Errorf("after the erasure: %s", left)
	}
	b.Without("Quixwood", "zq@quix.example")
	scene.Equal(t, "sister of ", scene.Must(b.Affiliate(ctx, b.Person.ID.String())).Note)
}

// What nothing shows has no data; what an email alone shows has.
func TestPersonalDataOfNobody(t *testing.T) {
	b := scene.NewLedger(t)
	ctx := t.Context()
	missing := scene.MissingError(affiliate.AffiliateNotFound, "Affiliate not found")
	unknown := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.ReferralNotFound, Message: "Referral not found"}
	b.Refused(scene.FieldError(affiliate.MissingField, "affiliateId", "Affiliate ID is required"), func() error { return scene.ErrOf(b.AffiliateData(ctx, uuid.Nil)) })
	b.Refused(missing, func() error { return scene.ErrOf(b.AffiliateData(ctx, uuid.Max)) })
	b.Refused(scene.FieldError(affiliate.MissingField, "referralId", "Referral ID is required"), func() error { return scene.ErrOf(b.ReferralData(ctx, " ")) })
	b.Refused(unknown, func() error { return scene.ErrOf(b.ReferralData(ctx, "nobody@example.com")) })
	b.Refused(unknown, func() error { return scene.ErrOf(b.ReferralData(ctx, "nobody")) })
	scene.Must(0, b.Payments().ReportPayer(ctx, "stripe", affiliate.PayerFact{ID: "cus_Z", Email: "zork@shop.example", Name: "Zork"}))
	data := scene.Must(b.ReferralData(ctx, "zork@shop.example"))
	if !data.ID.IsNull() || len(data.Records) != 1 || data.Records[0].Kind != "payers" || !strings.Contains(scene.JSON(data), "Zork") {
		t.Errorf("%+v", data)
	}
	scene.Must(0, b.EraseReferral(ctx, "zork@shop.example"))
	if data, err := b.ReferralData(ctx, "zork@shop.example"); err != nil || len(data.Records) != 0 || data.ErasedAt.IsNull() || errors.Is(err, affiliate.ReferralNotFound) {
		t.Errorf("%+v, %v", data, err)
	}
}
