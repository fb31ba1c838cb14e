package affiliate_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
)

// saleMissing is the refusal of an unknown sale.
var saleMissing = missingError(affiliate.SaleNotFound, "Sale not found")

var saleIDMissing = fieldError(affiliate.MissingField, "saleId", "Sale ID is required")

func rawObject(s string) affiliate.Opt[json.RawMessage] { return affiliate.Set(json.RawMessage(s)) }

func textOf(s string) affiliate.Opt[string] { return affiliate.Set(s) }

// payout creates a payout of everything that is payable to Ada.
func (s saleShop) payout(change ...func(*affiliate.NewPayout)) affiliate.Payout {
	s.t.Helper()
	in := affiliate.NewPayout{AffiliateID: s.ada.affiliate.ID}
	for _, c := range change {
		c(&in)
	}
	return must(s.CreatePayout(s.t.Context(), in))
}

// Contract 3.7, PUT: every row.
func TestUpdateSaleErrors(t *testing.T) {
	s := newSaleShop(t)
	sale := s.sell(affiliate.NewSale{Email: s.tomas.Email, TotalEarned: sum("100"), Tax: sum("10"), Shipping: sum("20")})
	s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: "taken", ExternalInvoiceID: "inv"})
	must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: amount("40")}))
	refunded := s.toTomas("50")
	must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: refunded.ID}))
	flat := must(s.CreatePlan(t.Context(), affiliate.NewPlan{Name: "flat", Terms: affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5")}}))
	must(s.SetAffiliatePlan(t.Context(), flat.ID, s.bob.ID))
	flatSale := s.sell(affiliate.NewSale{Email: s.bea.Email})
	paid := s.sell(affiliate.NewSale{PromoCode: "ADA20"})
	s.payout(func(in *affiliate.NewPayout) { in.Until = s.now })
	open := s.toTomas("100")
	// The first sale is in the payout too; the following changes are of a sale
	// that is not.
	must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: open.ID, Amount: amount("40")}))
	taxed := s.sell(affiliate.NewSale{Email: s.tomas.Email, TotalEarned: sum("100"), Tax: sum("10"), Shipping: sum("20")})

	long := strings.Repeat("x", 256)
	inPayout := stateError(affiliate.InPayout, "", "Sale is part of a payout")
	isRefunded := stateError(affiliate.SaleHasBeenRefunded, "", "Sale has been refunded")
	for _, tt := range []struct {
		name string
		id   affiliate.SaleID
		up   affiliate.SaleUpdate
		want affiliate.Error
	}{
		{"ErrNoID B406", 0, affiliate.SaleUpdate{Email: textOf("x")}, saleIDMissing},
		{"ErrEmailEmpty", open.ID, affiliate.SaleUpdate{Email: textOf(""), TotalEarned: amount("-1")}, fieldError(affiliate.InvalidField, "email", "email must not be empty")},
		{"ErrEmail", open.ID, affiliate.SaleUpdate{Email: textOf("x"), TotalEarned: amount("-1")}, fieldError(affiliate.InvalidField, "email", "Email is invalid")},
		{"ErrTotalZero B410", open.ID, affiliate.SaleUpdate{TotalEarned: amount("0"), Name: textOf(" ")}, fieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero")},
		{"ErrTotalNegative B410", open.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Set(affiliate.AmountFromScaled(math.MinInt64))}, fieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must be greater than zero")},
		{"ErrTotalNull", open.ID, affiliate.SaleUpdate{TotalEarned: affiliate.Null[affiliate.Amount]()}, fieldError(affiliate.InvalidField, "totalEarned", "totalEarned must not be null")},
		{"ErrName", open.ID, affiliate.SaleUpdate{Name: textOf(""), ExternalID: textOf("")}, fieldError(affiliate.InvalidField, "name", "name must not be empty")},
		{"ErrNameUTF8", open.ID, affiliate.SaleUpdate{Name: textOf("\xff")}, fieldError(affiliate.InvalidField, "name", "name contains invalid characters")},
		{"ErrExternalID", open.ID, affiliate.SaleUpdate{ExternalID: textOf(""), ExternalInvoiceID: textOf("")}, fieldError(affiliate.InvalidField, "externalId", "externalId must not be empty")},
		{"ErrExternalIDLong", open.ID, affiliate.SaleUpdate{ExternalID: textOf(long)}, fieldError(affiliate.InvalidField, "externalId", "externalId is too long")},
		{"ErrInvoice", open.ID, affiliate.SaleUpdate{ExternalInvoiceID: textOf("a\x00")}, fieldError(affiliate.InvalidField, "externalInvoiceId", "externalInvoiceId contains invalid characters")},
		{"ErrEarnedNull", open.ID, affiliate.SaleUpdate{CommissionEarned: affiliate.Null[affiliate.Amount]()}, fieldError(affiliate.InvalidField, "commissionEarned", "commissionEarned must not be null")},
		{"ErrEarned B412", open.ID, affiliate.SaleUpdate{CommissionEarned: amount("-1"), Metadata: rawObject("[]")}, fieldError(affiliate.InvalidField, "commissionEarned", "commissionEarned must be at least 0")},
		{"ErrMetadata", open.ID, affiliate.SaleUpdate{Metadata: rawObject("[]")}, fieldError(affiliate.InvalidField, "metadata", "metadata must be an object")},
		{"ErrMetadataNUL", open.ID, affiliate.SaleUpdate{Metadata: rawObject(`{"a":"\u0000"}`)}, fieldError(affiliate.InvalidField, "metadata", "metadata contains invalid characters")},
		{"ErrMetadataLong", open.ID, affiliate.SaleUpdate{Metadata: rawObject(`{"a":"` + strings.Repeat("x", 16_384) + `"}`)}, fieldError(affiliate.InvalidField, "metadata", "metadata is too long")},
		{"ErrMetadataDeep", open.ID, affiliate.SaleUpdate{Metadata: rawObject(strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33))}, fieldError(affiliate.InvalidField, "metadata", "metadata must be an object")},
		{"ErrUnknown B406", 99, affiliate.SaleUpdate{CommissionRate: percent("-1")}, saleMissing},
		{"ErrNegativeID", -1, affiliate.SaleUpdate{}, saleMissing},
		{"ErrLowestID", math.MinInt64, affiliate.SaleUpdate{}, saleMissing},
		{"ErrRate", taxed.ID, affiliate.SaleUpdate{CommissionRate: percent("101"), TotalEarned: amount("5")}, fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must be between 0 and 100")},
		{"ErrRateFlat", flatSale.ID, affiliate.SaleUpdate{CommissionRate: percent("-1")}, fieldError(affiliate.InvalidField, "commissionRate", "Commission rate must not be negative")},
		{"ErrDeductions", taxed.ID, affiliate.SaleUpdate{TotalEarned: amount("29.9999"), ExternalID: textOf("taken")}, fieldError(affiliate.InvalidField, "totalEarned", "Tax and shipping must not exceed the total amount earned")},
		{"ErrBelowRefunded B411", open.ID, affiliate.SaleUpdate{TotalEarned: amount("39.9999"), ExternalID: textOf("taken")}, fieldError(affiliate.InvalidField, "totalEarned", "Total Amount Earned must not be less than the refunded amount")},
		{"ErrExternalIDTaken B413", open.ID, affiliate.SaleUpdate{ExternalID: textOf("taken"), ExternalInvoiceID: textOf("inv")}, stateError(affiliate.SaleExternalIDTaken, "externalId", "A sale with this external ID already exists")},
		{"ErrInvoiceTaken B413", paid.ID, affiliate.SaleUpdate{ExternalInvoiceID: textOf("inv"), TotalEarned: amount("7")}, stateError(affiliate.SaleInvoiceIDTaken, "externalInvoiceId", "A sale with this external invoice ID already exists")},
		{"ErrInPayout total B414", paid.ID, affiliate.SaleUpdate{TotalEarned: amount("99"), Name: textOf("n")}, inPayout},
		{"ErrInPayout rate", paid.ID, affiliate.SaleUpdate{CommissionRate: percent("21")}, inPayout},
		{"ErrInPayout earned", paid.ID, affiliate.SaleUpdate{CommissionEarned: amount("1")}, inPayout},
		{"ErrRefunded total B414", refunded.ID, affiliate.SaleUpdate{TotalEarned: amount("51")}, isRefunded},
		{"ErrRefunded rate", refunded.ID, affiliate.SaleUpdate{CommissionRate: percent("21")}, isRefunded},
		{"ErrRefunded earned", refunded.ID, affiliate.SaleUpdate{CommissionEarned: amount("1")}, isRefunded},
		{"ErrTotalAboveBound B387", open.ID, affiliate.SaleUpdate{TotalEarned: amount("100000000000.0001")}, tooLarge("totalEarned")},
		{"ErrTotalLargest", 99, affiliate.SaleUpdate{TotalEarned: amount("922337203685477.5807")}, tooLarge("totalEarned")},
		{"ErrEarnedOverflow", open.ID, affiliate.SaleUpdate{CommissionEarned: amount("922337203685477.5807")}, tooLarge("commissionEarned")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.on(t)
			s.refused(tt.want, func() error { _, err := s.UpdateSale(t.Context(), tt.id, tt.up); return err })
		})
	}
	s.verify()
}

// The effect of an update on the amounts of a sale of 100 at 20 %, after the
// updates before it.
func TestUpdateSaleMoney(t *testing.T) {
	type step struct {
		up          affiliate.SaleUpdate
		refund      string // instead of an update
		rate, total string
		earned      string
	}
	for name, steps := range map[string][]step{
		"total": {{affiliate.SaleUpdate{TotalEarned: amount("199.99")}, "", "20", "199.99", "40"}},
		"rate":  {{affiliate.SaleUpdate{CommissionRate: percent("12.5")}, "", "12.5", "100", "12.5"}},
		"both":  {{affiliate.SaleUpdate{TotalEarned: amount("50"), CommissionRate: percent("10")}, "", "10", "50", "5"}},
		"on what is kept": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{TotalEarned: amount("150")}, "", "20", "150", "20"},
			{affiliate.SaleUpdate{CommissionRate: percent("10")}, "", "10", "150", "10"},
		},
		"by hand, rounded": {{affiliate.SaleUpdate{CommissionEarned: amount("12.345")}, "", "20", "100", "12.35"}},
		"by hand wins over total and rate": {
			{affiliate.SaleUpdate{TotalEarned: amount("300"), CommissionRate: percent("50"), CommissionEarned: amount("1")}, "", "50", "300", "1"},
			{affiliate.SaleUpdate{}, "150", "50", "300", "0.5"},
		},
		"by hand, then total": {
			{affiliate.SaleUpdate{CommissionEarned: amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{TotalEarned: amount("200")}, "", "20", "200", "40"},
		},
		"by hand, then the same total": { // contract 3.7: totalEarned computes the commission again
			{affiliate.SaleUpdate{CommissionEarned: amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{TotalEarned: amount("100")}, "", "20", "100", "20"},
		},
		"by hand, then the same rate": {
			{affiliate.SaleUpdate{CommissionEarned: amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{CommissionRate: percent("20")}, "", "20", "100", "20"},
		},
		"by hand, then a name": {
			{affiliate.SaleUpdate{CommissionEarned: amount("1")}, "", "20", "100", "1"},
			{affiliate.SaleUpdate{Name: textOf("n")}, "", "20", "100", "1"},
		},
		"by hand what it was, with a new total": {
			{affiliate.SaleUpdate{TotalEarned: amount("200"), CommissionEarned: amount("20")}, "", "20", "200", "20"},
			{affiliate.SaleUpdate{}, "100", "20", "200", "10"},
		},
		"by hand twice, the second with a new total": {
			{affiliate.SaleUpdate{CommissionEarned: amount("30")}, "", "20", "100", "30"},
			{affiliate.SaleUpdate{TotalEarned: amount("200"), CommissionEarned: amount("30")}, "", "20", "200", "30"},
			{affiliate.SaleUpdate{}, "1", "20", "200", "29.85"},
		},
		"by hand on a part, then refunded": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{CommissionEarned: amount("8")}, "", "20", "100", "8"},
			{affiliate.SaleUpdate{}, "25", "20", "100", "4"},
			{affiliate.SaleUpdate{}, "25", "20", "100", "0"},
		},
		"null rate is that of today": {
			{affiliate.SaleUpdate{CommissionRate: percent("5")}, "", "5", "100", "5"},
			{affiliate.SaleUpdate{CommissionRate: affiliate.Null[affiliate.Percent]()}, "", "20", "100", "20"},
		},
		"nothing left, by hand": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{TotalEarned: amount("50"), CommissionEarned: amount("5")}, "", "20", "50", "0"},
		},
		"nothing left": {
			{affiliate.SaleUpdate{}, "50", "20", "100", "10"},
			{affiliate.SaleUpdate{TotalEarned: amount("50")}, "", "20", "50", "0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSaleShop(t)
			sale := s.toTomas("100")
			for i, st := range steps {
				s.pass(time.Second)
				if st.refund != "" {
					must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: amount(st.refund)}))
				} else {
					got := must(s.UpdateSale(t.Context(), sale.ID, st.up))
					if diff := cmp.Diff(must(s.Sale(t.Context(), sale.ID)), got); diff != "" {
						t.Errorf("step %d: the answer is not the sale (-want +got):\n%s", i, diff)
					}
				}
				got := must(s.Sale(t.Context(), sale.ID))
				rate, _ := got.CommissionRate.Get()
				if diff := cmp.Diff([]string{st.rate, st.total, st.earned}, []string{rate.String(), got.TotalEarned.String(), got.CommissionEarned.String()}); diff != "" {
					t.Errorf("step %d: rate, total, earned (-want +got):\n%s", i, diff)
				}
				s.verify()
			}
		})
	}
}

// A total that equals what was refunded is the full refund.
func TestUpdateSaleToRefunded(t *testing.T) {
	s := newSaleShop(t)
	sale := s.toTomas("100")
	must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: amount("40")}))
	s.fires(func() error {
		got, err := s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: amount("40")})
		if got.Status != affiliate.SaleRefunded || got.RefundedAt.IsNull() || !got.CommissionEarned.IsZero() {
			t.Errorf("%+v", got)
		}
		return err
	}, affiliate.SaleDeleted)
	s.fires(func() error {
		_, err := s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Name: textOf("n"), TotalEarned: amount("40"), CommissionRate: percent("20"), CommissionEarned: amount("0")})
		return err
	})
	s.fires(func() error {
		_, err := s.ReviewCommissions(t.Context(), affiliate.ApprovalOnHold, sale.ID)
		return err
	})
	s.verify()
	s.fires(func() error { return s.DeleteSale(t.Context(), sale.ID) })
	s.verify()
}

// A sale that is in a payout or refunded accepts updates that change no amount.
func TestUpdateSaleInPayout(t *testing.T) {
	s := newSaleShop(t)
	plain, byHand := s.toTomas("100"), s.toTomas("100")
	must(s.UpdateSale(t.Context(), byHand.ID, affiliate.SaleUpdate{CommissionEarned: amount("7")}))
	s.payout()
	s.fires(func() error {
		_, err := s.UpdateSale(t.Context(), plain.ID, affiliate.SaleUpdate{
			Name: textOf("n"), Email: textOf("n@example.net"), TotalEarned: amount("100"), CommissionEarned: amount("20"), Metadata: rawObject(`{"a": 1}`),
		})
		return err
	}, affiliate.SaleUpdated)
	s.fires(func() error {
		_, err := s.UpdateSale(t.Context(), byHand.ID, affiliate.SaleUpdate{CommissionEarned: amount("7"), ExternalID: textOf("e")})
		return err
	}, affiliate.SaleUpdated)
	s.verify()
}

// Texts and metadata are set, kept and cleared; an equal value fires no event.
func TestUpdateSaleTexts(t *testing.T) {
	s := newSaleShop(t)
	sale := s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: "e", ExternalInvoiceID: "i"})
	s.pass(time.Hour)
	set := affiliate.SaleUpdate{
		Name: textOf("Tom"), Email: textOf(" Other@Example.NET "), ExternalID: textOf("E"), ExternalInvoiceID: textOf("I"), Metadata: rawObject(`{ "b" : [1.50] }`),
	}
	want := sale
	want.Name, want.Email, want.ExternalID, want.ExternalInvoiceID = textOf("Tom"), textOf("other@example.net"), textOf("E"), textOf("I")
	want.Metadata, want.UpdatedAt = rawObject(`{"b":[1.50]}`), affiliate.TimeOf(s.now)
	s.fires(func() error {
		got, err := s.UpdateSale(t.Context(), sale.ID, set)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("set (-want +got):\n%s", diff)
		}
		return err
	}, affiliate.SaleUpdated)
	s.pass(time.Hour)
	for name, up := range map[string]affiliate.SaleUpdate{
		"same": set, "empty": {}, "same total": {TotalEarned: amount("100")}, "same money": {TotalEarned: amount("100.00"), CommissionEarned: amount("20")},
		"same ids": {ExternalID: textOf("E"), ExternalInvoiceID: textOf("I")},
	} {
		before := s.dump()
		s.fires(func() error {
			got, err := s.UpdateSale(t.Context(), sale.ID, up)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			return err
		})
		if diff := cmp.Diff(before, s.dump()); diff != "" {
			t.Errorf("%s changed records:\n%s", name, diff)
		}
	}
	null := affiliate.Null[string]()
	s.fires(func() error {
		got, err := s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{Name: null, Email: null, ExternalID: null, ExternalInvoiceID: null, Metadata: affiliate.Null[json.RawMessage]()})
		if !got.Name.IsNull() || !got.Email.IsNull() || !got.ExternalID.IsNull() || !got.ExternalInvoiceID.IsNull() || !got.Metadata.IsNull() || !got.ReferralID.Equal(sale.ReferralID) {
			t.Errorf("cleared: %+v", got)
		}
		return err
	}, affiliate.SaleUpdated)
	if ref := must(s.Referral(t.Context(), s.tomas.ID.String())); ref.Email != s.tomas.Email || ref.Name != s.tomas.Name {
		t.Error("the update reached the referral")
	}
	for _, id := range []string{"E", "e"} {
		if got := s.sell(affiliate.NewSale{Email: s.tomas.Email, ExternalID: id}); got.ID == 0 {
			t.Errorf("%s was not freed", id)
		}
	}
	s.verify()
}

// A commission that is set by hand on a sale without one creates the entry,
// held like other commissions of that affiliate.
func TestUpdateSaleMakesEntry(t *testing.T) {
	for _, banned := range []bool{false, true} {
		s := newSaleShop(t, func(c *tributary.Config) { c.Terms.MaxPayments = 1 })
		s.toTomas("100")
		sale := s.toTomas("100")
		want := []any{affiliate.ApprovalAccepted, affiliate.Null[affiliate.HoldReason]()}
		if banned {
			must(s.BanAffiliates(t.Context(), s.ada.affiliate.ID))
			want = []any{affiliate.ApprovalOnHold, affiliate.Set(affiliate.HoldAffiliateBanned)}
		}
		s.fires(func() error {
			_, err := s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{TotalEarned: amount("200")})
			return err
		}, affiliate.SaleUpdated)
		got := must(s.UpdateSale(t.Context(), sale.ID, affiliate.SaleUpdate{CommissionEarned: amount("3")}))
		if len(got.Commissions) != 1 || got.CommissionEarned != sum("3") || got.Commissions[0].CommissionEarned != sum("3") {
			t.Fatalf("%+v", got.Commissions)
		}
		if diff := cmp.Diff(want, []any{got.Commissions[0].ApprovalStatus, got.Commissions[0].HoldReason}); diff != "" {
			t.Errorf("banned %v (-want +got):\n%s", banned, diff)
		}
		s.verify()
	}
}

// Contract 3.7, PATCH: every row, in its order.
func TestRefundSaleErrors(t *testing.T) {
	s := newSaleShop(t, func(c *tributary.Config) { c.RefundWindow = time.Hour })
	ctx := t.Context()
	inPayout, paid, byHand := s.toTomas("100"), s.sell(affiliate.NewSale{Email: s.bea.Email}), affiliate.Sale{}
	must(s.payout(), error(nil))
	p := must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.bob.ID}))
	must(s.SetPayoutStatus(ctx, p.ID, affiliate.PayoutPaid))
	byHand = s.toTomas("100")
	s.payout(func(in *affiliate.NewPayout) { in.ManuallyPaid = true })
	open := s.toTomas("100")
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: open.ID, Amount: amount("60"), RefundID: "r"}))
	exceeds := affiliate.Error{Kind: affiliate.KindInvalid, Reason: affiliate.RefundExceedsSale, Field: "amount", Message: "Refund amount exceeds the amount left on the sale"}
	for _, tt := range []struct {
		name string
		in   affiliate.Refund
		want affiliate.Error
	}{
		{"ErrNoID B415", affiliate.Refund{Amount: amount("-1")}, saleIDMissing},
		{"ErrAmount B416", affiliate.Refund{SaleID: 99, Amount: amount("0")}, fieldError(affiliate.InvalidField, "amount", "Refund amount must be greater than zero")},
		{"ErrAmountNull", affiliate.Refund{SaleID: open.ID, Amount: affiliate.Null[affiliate.Amount]()}, fieldError(affiliate.InvalidField, "amount", "amount must not be null")},
		{"ErrAmountNegative B416", affiliate.Refund{SaleID: open.ID, Amount: affiliate.Set(affiliate.AmountFromScaled(math.MinInt64))}, fieldError(affiliate.InvalidField, "amount", "Refund amount must be greater than zero")},
		{"ErrRefundIDBlank", affiliate.Refund{SaleID: 99, RefundID: " "}, fieldError(affiliate.InvalidField, "refundId", "refundId must not be empty")},
		{"ErrRefundIDLong", affiliate.Refund{SaleID: open.ID, RefundID: strings.Repeat("x", 256)}, fieldError(affiliate.InvalidField, "refundId", "refundId is too long")},
		{"ErrRefundIDNUL", affiliate.Refund{SaleID: open.ID, RefundID: "\x00x"}, fieldError(affiliate.InvalidField, "refundId", "refundId contains invalid characters")},
		{"ErrUnknown B415", affiliate.Refund{SaleID: 99}, saleMissing},
		{"ErrNegative", affiliate.Refund{SaleID: -5}, saleMissing},
		{"ErrManuallyPaid B419", affiliate.Refund{SaleID: byHand.ID, Amount: amount("1000")}, stateError(affiliate.ManuallyPaid, "", "Sale has been marked as manually paid")},
		{"ErrPaid B419", affiliate.Refund{SaleID: paid.ID, Amount: amount("1000")}, stateError(affiliate.AlreadyPaid, "", "Sale has already been paid out")},
		{"ErrInPayout B419", affiliate.Refund{SaleID: inPayout.ID, Amount: amount("1000")}, stateError(affiliate.IncludedInPayout, "", "Sale is included in a payout")},
		{"ErrExceeds B416", affiliate.Refund{SaleID: open.ID, Amount: amount("40.0001")}, exceeds},
		{"ErrExceedsMost", affiliate.Refund{SaleID: open.ID, Amount: amount("922337203685477.5807")}, exceeds},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.on(t)
			s.refused(tt.want, func() error { _, err := s.RefundSale(ctx, tt.in); return err })
		})
	}
	s.on(t)
	s.pass(time.Hour)
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: open.ID, Amount: amount("1")})) // the last instant of the window
	s.pass(time.Microsecond)
	late := stateError(affiliate.OutsideRefundWindow, "", "Sale is outside the refund window")
	for _, id := range []affiliate.SaleID{open.ID, byHand.ID, paid.ID, inPayout.ID} {
		s.refused(late, func() error { _, err := s.RefundSale(ctx, affiliate.Refund{SaleID: id}); return err })
	}
	if got := must(s.RefundSale(ctx, affiliate.Refund{SaleID: open.ID, RefundID: "r"})); !got.AlreadyRefunded {
		t.Error("the repeat was not recognised before the window")
	}
	s.verify()
}

// Partial, repeated and full refunds: B417, B418.
func TestRefundSale(t *testing.T) {
	s := newSaleShop(t)
	must(s.UpdateCode(t.Context(), s.code.ID, affiliate.CodeUpdate{MaxRedemptions: affiliate.Set[int64](1)}))
	sale := s.sell(affiliate.NewSale{PromoCode: "ADA20", Email: s.tomas.Email, TotalEarned: sum("199.99"), Tax: sum("9.99")})
	events := func(want ...affiliate.EventType) []affiliate.EventType { return want }
	for _, st := range []struct {
		in     affiliate.Refund
		reason affiliate.RefundReason
		earned string
		fires  []affiliate.EventType
	}{
		{affiliate.Refund{Amount: amount("99.99"), RefundID: "a"}, affiliate.RefundedInPart, "19", events(affiliate.SaleUpdated)},
		{affiliate.Refund{Amount: amount("99.99"), RefundID: "a"}, affiliate.RefundedAlready, "19", nil},
		{affiliate.Refund{Amount: amount("5"), RefundID: "a"}, affiliate.RefundedAlready, "19", nil},
		{affiliate.Refund{RefundID: "a"}, affiliate.RefundedAlready, "19", nil},
		{affiliate.Refund{Amount: amount("0.0001")}, affiliate.RefundedInPart, "19", events(affiliate.SaleUpdated)},
		{affiliate.Refund{Amount: amount("0.0001")}, affiliate.RefundedInPart, "19", events(affiliate.SaleUpdated)},
		{affiliate.Refund{RefundID: "b"}, affiliate.RefundedInFull, "0", events(affiliate.SaleDeleted)},
		{affiliate.Refund{RefundID: "b"}, affiliate.RefundedAlready, "0", nil},
		{affiliate.Refund{}, affiliate.RefundedAlready, "0", nil},
		{affiliate.Refund{Amount: amount("1000"), RefundID: "c"}, affiliate.RefundedAlready, "0", nil},
	} {
		s.pass(time.Second)
		st.in.SaleID = sale.ID
		before := s.dump()
		s.fires(func() error {
			got, err := s.RefundSale(t.Context(), st.in)
			if diff := cmp.Diff(affiliate.RefundResult{Success: true, AlreadyRefunded: st.reason == affiliate.RefundedAlready, Reason: st.reason}, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", st.in, diff)
			}
			return err
		}, st.fires...)
		if st.fires == nil && !cmp.Equal(before, s.dump()) {
			t.Errorf("%+v changed records", st.in)
		}
		if got := must(s.Sale(t.Context(), sale.ID)); got.CommissionEarned.String() != st.earned || got.TotalEarned != sale.TotalEarned {
			t.Errorf("%+v: earned %v, want %s", st.in, got.CommissionEarned, st.earned)
		}
		s.verify()
	}
	got := must(s.Sale(t.Context(), sale.ID))
	if got.Status != affiliate.SaleRefunded || got.RefundedAmount != sale.TotalEarned || len(got.Commissions) != 1 {
		t.Errorf("%+v", got)
	}
	at, _ := got.RefundedAt.Get()
	if want := start.Add(7 * time.Second); !at.Equal(affiliate.TimeOf(want)) {
		t.Errorf("refundedAt %v, want %v", at, want)
	}
	if code := must(s.Code(t.Context(), affiliate.CodeRef{ID: s.code.ID})); code.TimesRedeemed != 1 {
		t.Errorf("a refund moved the counter to %d", code.TimesRedeemed)
	}
	if a := must(s.Affiliate(t.Context(), "ada")); !a.TotalRevenue.IsZero() || !a.TotalCommissionEarned.IsZero() {
		t.Errorf("totals %v, %v", a.TotalRevenue, a.TotalCommissionEarned)
	}
}

// A flat commission is reduced by a refund too, and a sale without a commission
// can be refunded.
func TestRefundSaleFlat(t *testing.T) {
	s := newSaleShop(t, func(c *tributary.Config) {
		c.Terms = affiliate.Terms{Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("10"), MaxPayments: 1}
	})
	first, second := s.toTomas("3"), s.toTomas("3")
	for _, sale := range []affiliate.Sale{first, second} {
		must(s.RefundSale(t.Context(), affiliate.Refund{SaleID: sale.ID, Amount: amount("1")}))
	}
	if got := must(s.Sale(t.Context(), first.ID)); got.CommissionEarned != sum("6.67") {
		t.Errorf("earned %v", got.CommissionEarned)
	}
	s.fires(func() error { _, err := s.RefundSale(t.Context(), affiliate.Refund{SaleID: second.ID}); return err }, affiliate.SaleDeleted)
	s.verify()
}

// Contract 3.7, DELETE, and ReverseSale by each identifier: B421–B424.
func TestRemoveSale(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	s.refused(saleIDMissing, func() error { return s.DeleteSale(ctx, 0) })
	s.refused(saleIDMissing, func() error { return errOf(s.ReverseSale(ctx, affiliate.SaleRef{}, affiliate.Reversal{})) })
	before := s.dump()
	for _, id := range []affiliate.SaleID{99, -1, math.MinInt64, math.MaxInt64} {
		if err := s.DeleteSale(ctx, id); err != nil {
			t.Errorf("unknown sale %d: %v", id, err)
		}
	}
	for _, ref := range []affiliate.SaleRef{{ID: 99}, {ID: -1, ExternalID: "e1"}, {ExternalID: "x"}, {InvoiceID: "x"}, {ExternalID: "\x00"}, {InvoiceID: strings.Repeat("\xff", 1<<20)}} {
		s.refused(saleMissing, func() error { return errOf(s.ReverseSale(ctx, ref, affiliate.Reversal{})) })
	}
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Error(diff)
	}
	for name, remove := range map[string]func(affiliate.Sale) error{
		"delete": func(sale affiliate.Sale) error { return s.DeleteSale(ctx, sale.ID) },
		"by id": func(sale affiliate.Sale) error {
			return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: sale.ID, ExternalID: "x"}, affiliate.Reversal{}))
		},
		"by ext": func(sale affiliate.Sale) error {
			return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ExternalID: "e1", InvoiceID: "x"}, affiliate.Reversal{}))
		},
		"by invoice": func(sale affiliate.Sale) error {
			return errOf(s.ReverseSale(ctx, affiliate.SaleRef{InvoiceID: "i1"}, affiliate.Reversal{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.on(t)
			sale := s.sell(affiliate.NewSale{PromoCode: "ADA20", Email: s.tomas.Email, ExternalID: "e1", ExternalInvoiceID: "i1"})
			redeemed := must(s.Code(ctx, affiliate.CodeRef{ID: s.code.ID})).TimesRedeemed
			s.fires(func() error { return remove(sale) }, affiliate.SaleDeleted)
			s.fires(func() error { return s.DeleteSale(ctx, sale.ID) }) // a second time
			if got := must(s.Code(ctx, affiliate.CodeRef{ID: s.code.ID})).TimesRedeemed; got != redeemed {
				t.Errorf("the counter moved from %d to %d", redeemed, got)
			}
			s.verify()
		})
	}
	s.on(t)
	paid := s.toTomas("100")
	s.payout()
	for _, call := range []func() error{
		func() error { return s.DeleteSale(ctx, paid.ID) },
		func() error { return errOf(s.ReverseSale(ctx, affiliate.SaleRef{ID: paid.ID}, affiliate.Reversal{})) },
	} {
		s.refused(stateError(affiliate.InPayout, "", "Sale is part of a payout"), call)
	}
	if totals := must(s.Affiliate(ctx, "ada")); totals.TotalRevenue != paid.TotalEarned {
		t.Errorf("revenue %v", totals.TotalRevenue)
	}
}

func TestRecalculateSales(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	plain, own := s.toTomas("100"), s.sell(affiliate.NewSale{Email: s.tomas.Email, CommissionRate: percent("50")})
	hand, part, full := s.toTomas("100"), s.toTomas("100"), s.toTomas("100")
	other := s.sell(affiliate.NewSale{Email: s.bea.Email, ExternalID: "bob-1", ExternalInvoiceID: "inv-1"})
	must(s.UpdateSale(ctx, hand.ID, affiliate.SaleUpdate{CommissionEarned: amount("3")}))
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: part.ID, Amount: amount("50")}))
	must(s.RefundSale(ctx, affiliate.Refund{SaleID: full.ID}))
	inPayout := s.sell(affiliate.NewSale{Email: s.customer("bob", "carol").Email})
	must(s.CreatePayout(ctx, affiliate.NewPayout{AffiliateID: s.bob.ID}))
	s.sell(affiliate.NewSale{Email: s.bea.Email, ExternalID: "bob-2", ExternalInvoiceID: "inv-2"})
	plan := must(s.CreatePlan(ctx, affiliate.NewPlan{Name: "p", Terms: affiliate.Terms{Rate: affiliate.MustPercent("30"), MaxPayments: 1}}))
	must(s.SetAffiliatePlan(ctx, plan.ID, s.ada.affiliate.ID, s.bob.ID))
	s.pass(time.Hour)

	nothing := map[string]affiliate.SaleFilter{
		"unknown affiliate": {AffiliateID: affiliate.Set(uuid.Max)}, "unknown email": {AffiliateEmail: affiliate.Set("x@example.com")}, "no email": {AffiliateEmail: affiliate.Set("\x00")},
		"unknown referral": {ReferralID: affiliate.Set("nobody")}, "unknown id": {ExternalID: affiliate.Set("nope")}, "no id": {ExternalID: affiliate.Set("\x00")}, "unknown invoice": {ExternalInvoiceID: affiliate.Set("nope")},
		"in a payout": {ExternalID: affiliate.Set("bob-1")},
	}
	for name, f := range nothing {
		s.fires(func() error {
			n, err := s.RecalculateSales(ctx, f)
			if n != 0 {
				t.Errorf("%s: %d", name, n)
			}
			return err
		})
	}
	recalculate := func(f affiliate.SaleFilter, want int) {
		t.Helper()
		events := make([]affiliate.EventType, want)
		for i := range events {
			events[i] = affiliate.SaleUpdated
		}
		s.fires(func() error {
			n, err := s.RecalculateSales(ctx, f)
			if n != want {
				t.Errorf("%+v: %d changed, want %d", f, n, want)
			}
			return err
		}, events...)
	}
	recalculate(affiliate.SaleFilter{ExternalInvoiceID: affiliate.Set("inv-2")}, 1)
	recalculate(affiliate.SaleFilter{ReferralID: affiliate.Set(s.tomas.Email)}, 2)
	recalculate(affiliate.SaleFilter{}, 0)
	for id, want := range map[affiliate.SaleID]string{plain.ID: "30", own.ID: "50", hand.ID: "3", part.ID: "15", full.ID: "0", other.ID: "20", inPayout.ID: "20"} {
		if got := must(s.Sale(ctx, id)).CommissionEarned.String(); got != want {
			t.Errorf("sale %d earns %s, want %s", id, got, want)
		}
	}
	s.verify()
	must(s.SetAffiliatePlan(ctx, uuid.Nil, s.ada.affiliate.ID))
	recalculate(affiliate.SaleFilter{AffiliateEmail: affiliate.Set("ADA@example.com")}, 2)
	s.verify()
}

func TestReviewCommissions(t *testing.T) {
	ctx := t.Context()
	s := newSaleShop(t)
	a, b, c := s.toTomas("100"), s.toTomas("50"), s.toTomas("10")
	s.payoutOf(c)
	unknown := fieldError(affiliate.InvalidField, "approvalStatus", "approvalStatus must be one of ACCEPTED, ON_HOLD, DECLINED")
	s.refused(unknown, func() error { _, err := s.ReviewCommissions(ctx, "accepted", a.ID); return err })
	s.refused(unknown, func() error { _, err := s.ReviewCommissions(ctx, ""); return err })
	s.refused(saleMissing, func() error { _, err := s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, a.ID, 99); return err })
	s.refused(stateError(affiliate.InPayout, "", "Sale is part of a payout"), func() error {
		_, err := s.ReviewCommissions(ctx, affiliate.ApprovalDeclined, a.ID, c.ID)
		return err
	})
	review := func(status affiliate.ApprovalStatus, reason affiliate.HoldReason, total string, fires int, ids ...affiliate.SaleID) {
		t.Helper()
		events := make([]affiliate.EventType, fires)
		for i := range events {
			events[i] = affiliate.SaleUpdated
		}
		s.fires(func() error {
			got, err := s.ReviewCommissions(ctx, status, ids...)
			for i, sale := range got {
				if sale.ID != ids[i] || sale.Commissions[0].ApprovalStatus != status || sale.Commissions[0].HoldReason.Or("") != reason {
					t.Errorf("%d: %+v", i, sale.Commissions)
				}
			}
			return err
		}, events...)
		if got := must(s.Affiliate(ctx, "ada")).TotalCommissionEarned.String(); got != total {
			t.Errorf("total commission %s, want %s", got, total)
		}
		s.verify()
	}
	review(affiliate.ApprovalOnHold, affiliate.HoldProgramSettings, "32", 2, a.ID, b.ID)
	review(affiliate.ApprovalDeclined, affiliate.HoldProgramSettings, "12", 1, a.ID, a.ID)
	review(affiliate.ApprovalDeclined, affiliate.HoldProgramSettings, "12", 0, a.ID)
	review(affiliate.ApprovalAccepted, "", "32", 2, a.ID, b.ID)
	review(affiliate.ApprovalAccepted, "", "32", 0, c.ID)
	review(affiliate.ApprovalAccepted, "", "32", 0)
	must(s.BanAffiliates(ctx, s.ada.affiliate.ID))
	held := s.toTomas("10")
	review(affiliate.ApprovalDeclined, affiliate.HoldAffiliateBanned, "32", 1, held.ID)
}

// payoutOf creates a payout of the sale; Ada's other sales are held.
func (s saleShop) payoutOf(sale affiliate.Sale) affiliate.Payout {
	s.t.Helper()
	ctx := s.t.Context()
	var others []affiliate.SaleID
	for _, other := range must(s.Sales(ctx, affiliate.SaleFilter{AffiliateID: affiliate.Set(s.ada.affiliate.ID)}, affiliate.Page{})).Items {
		if other.ID != sale.ID {
			others = append(others, other.ID)
		}
	}
	must(s.ReviewCommissions(ctx, affiliate.ApprovalOnHold, others...))
	p := s.payout()
	must(s.ReviewCommissions(ctx, affiliate.ApprovalAccepted, others...))
	return p
}
