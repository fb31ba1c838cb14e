package affiliate

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/uuid7"
)

// AppendJSON appends the affiliate as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (a *Affiliate) AppendJSON(dst []byte) []byte {
	dst = uuid7.AppendJSON(append(dst, `{"id":`...), a.ID)
	dst = jsontext.AppendString(append(dst, `,"firstName":`...), a.FirstName)
	dst = jsontext.AppendString(append(dst, `,"lastName":`...), a.LastName)
	dst = jsontext.AppendString(append(dst, `,"name":`...), a.Name)
	dst = jsontext.AppendString(append(dst, `,"email":`...), a.Email)
	if a.ExternalID != "" {
		dst = jsontext.AppendString(append(dst, `,"externalId":`...), a.ExternalID)
	}
	dst = appendPercent(append(dst, `,"commissionRate":`...), a.CommissionRate)
	dst = strconv.AppendBool(append(dst, `,"useCommissionPlanCommissionRate":`...), a.UseCommissionPlanCommissionRate)
	dst = strconv.AppendBool(append(dst, `,"exemptFromCommissionTierChanges":`...), a.ExemptFromCommissionTierChanges)
	dst = appendOpt(append(dst, `,"affiliateLink":`...), a.AffiliateLink, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"link":`...), a.Link, jsontext.AppendString)
	dst = appendList(append(dst, `,"affiliateLinks":`...), a.AffiliateLinks, (*AffiliateLink).appendJSON)
	dst = jsontext.AppendString(append(dst, `,"status":`...), a.Status)
	dst = jsontext.AppendString(append(dst, `,"source":`...), a.Source)
	dst = appendOpt(append(dst, `,"commissionPlanId":`...), a.CommissionPlanID, uuid7.AppendJSON)
	dst = appendOpt(append(dst, `,"commissionTierId":`...), a.CommissionTierID, uuid7.AppendJSON)
	if a.OfferCouponID != uuid.Nil {
		dst = uuid7.AppendJSON(append(dst, `,"offerCouponId":`...), a.OfferCouponID)
	}
	if a.Note != "" {
		dst = jsontext.AppendString(append(dst, `,"note":`...), a.Note)
	}
	dst = appendOpt(append(dst, `,"affiliateGroupId":`...), a.AffiliateGroupID, jsontext.AppendString)
	dst = uuid7.AppendJSON(append(dst, `,"programId":`...), a.ProgramID)
	dst = appendOpt(append(dst, `,"payoutEmail":`...), a.PayoutEmail, jsontext.AppendString)
	dst = appendOpt(append(dst, `,"paymentMethod":`...), a.PaymentMethod, jsontext.AppendString)
	dst = strconv.AppendBool(append(dst, `,"detailsComplete":`...), a.DetailsComplete)
	dst = appendOpt(append(dst, `,"emailVerified":`...), a.EmailVerified, appendRaw)
	dst = appendOpt(append(dst, `,"image":`...), a.Image, jsontext.AppendString)
	dst = appendInt(append(dst, `,"numberOfReferredUsers":`...), a.NumberOfReferredUsers)
	dst = appendInt(append(dst, `,"numberOfClicks":`...), a.NumberOfClicks)
	dst = appendAmount(append(dst, `,"totalRevenue":`...), a.TotalRevenue)
	dst = appendAmount(append(dst, `,"totalCommissionEarned":`...), a.TotalCommissionEarned)
	dst = appendTime(append(dst, `,"createdAt":`...), a.CreatedAt)
	return append(appendTime(append(dst, `,"updatedAt":`...), a.UpdatedAt), '}')
}

func (l *AffiliateLink) appendJSON(dst []byte) []byte {
	dst = uuid7.AppendJSON(append(dst, `{"id":`...), l.ID)
	dst = jsontext.AppendString(append(dst, `,"link":`...), l.Link)
	dst = uuid7.AppendJSON(append(dst, `,"userId":`...), l.UserID)
	dst = uuid7.AppendJSON(append(dst, `,"programId":`...), l.ProgramID)
	dst = appendTime(append(dst, `,"createdAt":`...), l.CreatedAt)
	return append(appendTime(append(dst, `,"updatedAt":`...), l.UpdatedAt), '}')
}

func (s *AffiliateSummary) appendJSON(dst []byte) []byte {
	dst = uuid7.AppendJSON(append(dst, `{"id":`...), s.ID)
	dst = jsontext.AppendString(append(dst, `,"firstName":`...), s.FirstName)
	dst = jsontext.AppendString(append(dst, `,"lastName":`...), s.LastName)
	dst = jsontext.AppendString(append(dst, `,"name":`...), s.Name)
	dst = jsontext.AppendString(append(dst, `,"email":`...), s.Email)
	dst = jsontext.AppendString(append(dst, `,"status":`...), s.Status)
	dst = appendOpt(append(dst, `,"link":`...), s.Link, jsontext.AppendString)
	return append(appendList(append(dst, `,"affiliateLinks":`...), s.AffiliateLinks, (*AffiliateLink).appendJSON), '}')
}

// AppendJSON appends the link as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (l *Link) AppendJSON(dst []byte) []byte {
	dst = uuid7.AppendJSON(append(dst, `{"id":`...), l.ID)
	dst = jsontext.AppendString(append(dst, `,"link":`...), l.Link)
	dst = uuid7.AppendJSON(append(dst, `,"affiliate":{"id":`...), l.Affiliate.ID)
	dst = jsontext.AppendString(append(dst, `,"name":`...), l.Affiliate.Name)
	dst = jsontext.AppendString(append(dst, `,"email":`...), l.Affiliate.Email)
	dst = uuid7.AppendJSON(append(dst, `},"program":{"id":`...), l.Program.ID)
	dst = jsontext.AppendString(append(dst, `,"name":`...), l.Program.Name)
	dst = jsontext.AppendString(append(dst, `,"currency":`...), l.Program.Currency)
	dst = appendInt(append(dst, `},"clicks":`...), l.Clicks)
	dst = appendInt(append(dst, `,"referrals":`...), l.Referrals)
	dst = appendInt(append(dst, `,"sales":`...), l.Sales)
	if l.Conversions != 0 {
		dst = appendInt(append(dst, `,"conversions":`...), l.Conversions)
	}
	dst = appendAmount(append(dst, `,"totalRevenue":`...), l.TotalRevenue)
	if l.Aliases != nil {
		dst = appendStrings(append(dst, `,"aliases":`...), l.Aliases)
	}
	dst = appendList(append(dst, `,"fullURLs":`...), l.FullURLs, (*FullURL).appendJSON)
	dst = appendTime(append(dst, `,"createdAt":`...), l.CreatedAt)
	return append(appendTime(append(dst, `,"updatedAt":`...), l.UpdatedAt), '}')
}

func (u *FullURL) appendJSON(dst []byte) []byte {
	dst = jsontext.AppendString(append(dst, `{"baseUrl":`...), u.BaseURL)
	return append(jsontext.AppendString(append(dst, `,"fullUrl":`...), u.FullURL), '}')
}
