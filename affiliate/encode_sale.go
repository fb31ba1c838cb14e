package affiliate

import (
	"strconv"

	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// AppendJSON appends the sale as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (s *Sale) AppendJSON(dst []byte) []byte {
	dst = appendInt(append(dst, `{"id":`...), int64(s.ID))
	dst = uuid7.AppendJSON(append(dst, `,"affiliateId":`...), s.AffiliateID)
	dst = appendOpt(append(dst, `,"referralId":`...), s.ReferralID, uuid7.AppendJSON)
	dst = uuid7.AppendJSON(append(dst, `,"affiliateProgramId":`...), s.AffiliateProgramID)
	dst = appendOpt(append(dst, `,"affiliateLinkId":`...), s.AffiliateLinkID, uuid7.AppendJSON)
	dst = appendOpt(append(dst, `,"promotionalCodeId":`...), s.PromotionalCodeID, uuid7.AppendJSON)
	dst = appendOpt(append(dst, `,"externalId":`...), s.ExternalID, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"externalInvoiceId":`...), s.ExternalInvoiceID, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"name":`...), s.Name, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"email":`...), s.Email, jsontext.AppendString)
	dst = appendAmount(append(dst, `,"totalEarned":`...), s.TotalEarned)
	dst = appendOpt(append(dst, `,"subtotal":`...), s.Subtotal, appendAmount)
	dst = appendAmount(append(dst, `,"taxAmount":`...), s.TaxAmount)
	dst = appendAmount(append(dst, `,"shippingAmount":`...), s.ShippingAmount)
	dst = appendOpt(append(dst, `,"commissionRate":`...), s.CommissionRate, appendPercent)
	dst = appendAmount(append(dst, `,"commissionEarned":`...), s.CommissionEarned)
	dst = appendStrings(append(dst, `,"productsBought":`...), s.ProductsBought)
	dst = appendInt(append(dst, `,"clicks":`...), s.Clicks)
	dst = jsontext.AppendString(append(dst, `,"status":`...), s.Status)
	dst = appendAmount(append(dst, `,"refundedAmount":`...), s.RefundedAmount)
	dst = appendOpt(append(dst, `,"refundedAt":`...), s.RefundedAt, appendTime)
	dst = jsontext.AppendString(append(dst, `,"paymentTrigger":`...), s.PaymentTrigger)
	dst = jsontext.AppendString(append(dst, `,"source":`...), s.Source)
	dst = appendOpt(append(dst, `,"integrationSalesSource":`...), s.IntegrationSalesSource, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"metadata":`...), s.Metadata, appendRaw)
	if !s.PaidAt.IsZero() {
		dst = appendTime(append(dst, `,"paidAt":`...), s.PaidAt)
	}
	dst = appendTime(append(dst, `,"createdAt":`...), s.CreatedAt)
	dst = appendTime(append(dst, `,"updatedAt":`...), s.UpdatedAt)
	dst = s.Affiliate.appendJSON(append(dst, `,"affiliate":`...))
	dst = append(dst, `,"referral":`...)
	if s.Referral.state == optGiven {
		dst = s.Referral.v.AppendJSON(dst)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendList(append(dst, `,"commissions":`...), s.Commissions, (*Commission).appendJSON)
	if len(s.Lines) > 0 {
		dst = appendList(append(dst, `,"lines":`...), s.Lines, (*SaleLine).appendJSON)
	}
	if s.Conversion != "" {
		dst = jsontext.AppendString(append(dst, `,"conversion":`...), s.Conversion)
	}
	if !s.Charged.IsZero() {
		dst = appendOpt(append(dst, `,"charged":`...), s.Charged, appendCharge)
	}
	if s.Offer {
		dst = append(dst, `,"offer":true`...)
	}
	return append(dst, '}')
}

func appendCharge(dst []byte, c Charge) []byte {
	dst = jsontext.AppendString(append(dst, `{"currency":`...), c.Currency)
	dst = c.ExchangeRate.AppendJSON(append(dst, `,"exchangeRate":`...))
	dst = appendAmount(append(dst, `,"totalEarned":`...), c.TotalEarned)
	dst = appendOpt(append(dst, `,"subtotal":`...), c.Subtotal, appendAmount)
	dst = appendAmount(append(dst, `,"taxAmount":`...), c.TaxAmount)
	dst = appendAmount(append(dst, `,"shippingAmount":`...), c.ShippingAmount)
	return append(appendAmount(append(dst, `,"refundedAmount":`...), c.RefundedAmount), '}')
}

func (l *SaleLine) appendJSON(dst []byte) []byte {
	dst = appendOpt(append(dst, `{"id":`...), l.ID, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"productId":`...), l.ProductID, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"planId":`...), l.PlanID, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"name":`...), l.Name, jsontext.AppendString)
	dst = appendStrings(append(dst, `,"categories":`...), l.Categories)
	dst = appendAmount(append(dst, `,"quantity":`...), l.Quantity)
	dst = appendAmount(append(dst, `,"amount":`...), l.Amount)
	dst = appendAmount(append(dst, `,"discount":`...), l.Discount)
	dst = appendAmount(append(dst, `,"codeDiscount":`...), l.CodeDiscount)
	dst = appendAmount(append(dst, `,"refundedAmount":`...), l.Refunded)
	return append(appendOpt(append(dst, `,"rule":`...), l.Rule, jsontext.AppendString), '}')
}

func (c *Commission) appendJSON(dst []byte) []byte {
	dst = appendInt(append(dst, `{"id":`...), int64(c.ID))
	dst = appendInt(append(dst, `,"saleId":`...), int64(c.SaleID))
	dst = uuid7.AppendJSON(append(dst, `,"affiliateId":`...), c.AffiliateID)
	dst = appendAmount(append(dst, `,"commissionEarned":`...), c.CommissionEarned)
	dst = jsontext.AppendString(append(dst, `,"approvalStatus":`...), c.ApprovalStatus)
	dst = jsontext.AppendString(append(dst, `,"rewardType":`...), c.RewardType)
	dst = strconv.AppendBool(append(dst, `,"payoutCreated":`...), c.PayoutCreated)
	dst = appendOpt(append(dst, `,"payoutId":`...), c.PayoutID, uuid7.AppendJSON)
	dst = strconv.AppendBool(append(dst, `,"manuallyPaid":`...), c.ManuallyPaid)
	dst = appendOpt(append(dst, `,"holdReason":`...), c.HoldReason, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"bonusReason":`...), c.BonusReason, jsontext.AppendString)
	dst = strconv.AppendBool(append(dst, `,"clawback":`...), c.ClawBack)
	dst = appendOpt(append(dst, `,"payableAt":`...), c.PayableAt, appendTime)
	dst = appendStrings(append(dst, `,"riskReasons":`...), c.RiskReasons)
	dst = appendTime(append(dst, `,"createdAt":`...), c.CreatedAt)
	return append(appendTime(append(dst, `,"updatedAt":`...), c.UpdatedAt), '}')
}

// AppendJSON appends the referral as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (r *Referral) AppendJSON(dst []byte) []byte {
	dst = uuid7.AppendJSON(append(dst, `{"id":`...), r.ID)
	dst = uuid7.AppendJSON(append(dst, `,"affiliateId":`...), r.AffiliateID)
	dst = appendOpt(append(dst, `,"name":`...), r.Name, jsontext.AppendString)
	dst = jsontext.AppendString(append(dst, `,"email":`...), r.Email)
	dst = appendOpt(append(dst, `,"referredUserExternalId":`...), r.ReferredUserExternalID, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"plan":`...), r.Plan, jsontext.AppendString)
	dst = jsontext.AppendString(append(dst, `,"subscriptionStatus":`...), r.SubscriptionStatus)
	dst = jsontext.AppendString(append(dst, `,"status":`...), r.Status)
	dst = jsontext.AppendString(append(dst, `,"submissionType":`...), r.SubmissionType)
	dst = jsontext.AppendString(append(dst, `,"referralMedium":`...), r.ReferralMedium)
	dst = jsontext.AppendString(append(dst, `,"source":`...), r.Source)
	dst = appendOpt(append(dst, `,"integrationReferralSource":`...), r.IntegrationReferralSource, jsontext.AppendString)
	dst = appendAmount(append(dst, `,"totalRevenue":`...), r.TotalRevenue)
	dst = appendAmount(append(dst, `,"totalCommission":`...), r.TotalCommission)
	dst = appendOpt(append(dst, `,"initialLandingPage":`...), r.InitialLandingPage, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"notes":`...), r.Notes, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"metadata":`...), r.Metadata, appendRaw)
	dst = uuid7.AppendJSON(append(dst, `,"affiliateProgramId":`...), r.AffiliateProgramID)
	dst = appendOpt(append(dst, `,"affiliateLinkId":`...), r.AffiliateLinkID, uuid7.AppendJSON)
	dst = appendOpt(append(dst, `,"commissionPlanId":`...), r.CommissionPlanID, uuid7.AppendJSON)
	dst = appendTime(append(dst, `,"createdAt":`...), r.CreatedAt)
	return append(appendTime(append(dst, `,"updatedAt":`...), r.UpdatedAt), '}')
}
