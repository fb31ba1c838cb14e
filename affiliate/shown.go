package affiliate

import (
	"encoding/json"

	"github.com/google/uuid"
)

// What each record says of its person, in the words of the wire. An empty text is one
// that was not said, or was erased.

// moment is a time as it is shown; zero: none.
func moment(at Instant) Opt[Time] { return timeOrNull(at) }

// shownMetadata is metadata as it is shown.
func shownMetadata(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

func (r *AffiliateRecord) profile() any {
	return struct {
		FirstName     string          `json:"firstName"`
		LastName      string          `json:"lastName"`
		Email         string          `json:"email"`
		PayoutEmail   string          `json:"payoutEmail"`
		PaymentMethod PaymentMethod   `json:"paymentMethod"`
		Answers       []Answer        `json:"answers"`
		Status        AffiliateStatus `json:"status"`
		Source        AffiliateSource `json:"source"`
		Rate          Opt[Percent]    `json:"commissionRate"`
		PlanID        uuid.UUID       `json:"commissionPlanId"`
		TierID        uuid.UUID       `json:"tierId"`
		UpdatedAt     Opt[Time]       `json:"updatedAt"`
	}{
		r.FirstName, r.LastName, r.Email, r.PayoutEmail, r.PaymentMethod, emptyNotNil(r.Answers), r.Status, r.Source,
		r.Rate, r.PlanID, r.TierID, moment(r.UpdatedAt),
	}
}

func (r *ReferralRecord) profile() any {
	return struct {
		Name        string             `json:"name"`
		Email       string             `json:"email"`
		CustomerID  string             `json:"referredUserExternalId"`
		Notes       Opt[string]        `json:"notes"`
		Metadata    json.RawMessage    `json:"metadata"`
		LandingPage string             `json:"initialLandingPage"`
		AffiliateID uuid.UUID          `json:"affiliateId"`
		LinkID      uuid.UUID          `json:"affiliateLinkId"`
		Plan        string             `json:"plan"`
		Status      SubscriptionStatus `json:"subscriptionStatus"`
		Medium      ReferralMedium     `json:"referralMedium"`
		Source      ReferralSource     `json:"source"`
		UpdatedAt   Opt[Time]          `json:"updatedAt"`
	}{
		r.Name, r.Email, r.CustomerID, nothingOrNull(r.Notes), shownMetadata(r.Metadata), r.LandingPage, r.AffiliateID, r.LinkID,
		r.Plan, r.Status, r.Medium, r.Source, moment(r.UpdatedAt),
	}
}

func (r *ClickRecord) visit() (Instant, any) {
	return r.CreatedAt, struct {
		ID         int64     `json:"id"`
		DeviceID   string    `json:"deviceId"`
		LandingURL string    `json:"landingUrl"`
		Referrer   string    `json:"referrer"`
		UserAgent  string    `json:"userAgent"`
		LinkID     uuid.UUID `json:"affiliateLinkId"`
	}{r.Number, r.DeviceID, r.LandingURL, r.Referrer, r.UserAgent, r.LinkID}
}

// bought is a sale as its customer's.
func (r *SaleRecord) bought() (Instant, any) {
	return r.CreatedAt, struct {
		ID          int64           `json:"id"`
		Name        string          `json:"name"`
		Email       string          `json:"email"`
		Metadata    json.RawMessage `json:"metadata"`
		ExternalID  string          `json:"externalId"`
		InvoiceID   string          `json:"externalInvoiceId"`
		TotalEarned Amount          `json:"totalEarned"`
		Tax         Amount          `json:"taxAmount"`
		Shipping    Amount          `json:"shippingAmount"`
		Refunded    Amount          `json:"refundedAmount"`
		Products    []string        `json:"productsBought"`
		Status      SaleStatus      `json:"status"`
		PaidAt      Opt[Time]       `json:"paidAt"`
	}{
		r.Number, r.Name, r.Email, shownMetadata(r.Metadata), r.ExternalID, r.InvoiceID, r.TotalEarned, r.Tax, r.Shipping, r.Refunded,
		emptyNotNil(r.Products), r.Status.Value(), moment(r.PaidAt),
	}
}

// credited is a sale as its affiliate's, without its customer.
func (r *SaleRecord) credited() (Instant, any) {
	return r.CreatedAt, struct {
		SaleID      int64        `json:"saleId"`
		TotalEarned Amount       `json:"totalEarned"`
		Refunded    Amount       `json:"refundedAmount"`
		Commissions []Commission `json:"commissions"`
	}{r.Number, r.TotalEarned, r.Refunded, r.commissionsOf()}
}

func (r *CodeRecord) limited() (Instant, any) {
	return r.CreatedAt, struct {
		Code       string `json:"code"`
		CustomerID string `json:"customerId"`
		Active     bool   `json:"active"`
	}{r.Code, r.CustomerID, r.Active}
}

// A shownSubscription is a [Subscription] as it is shown.
type shownSubscription struct {
	ID     string             `json:"id"`
	Status SubscriptionStatus `json:"status"`
	At     Opt[Time]          `json:"at"`
}

func (r *PayerRecord) pay() (Instant, any) {
	subs := make([]shownSubscription, len(r.Subs))
	for i, s := range r.Subs {
		subs[i] = shownSubscription{s.ID, s.Status, moment(s.At)}
	}
	return r.CreatedAt, struct {
		Provider      string              `json:"provider"`
		PayerID       string              `json:"payerId"`
		Email         string              `json:"email"`
		Name          string              `json:"name"`
		Subscriptions []shownSubscription `json:"subscriptions"`
	}{r.Provider, r.PayerID, r.Email, r.Name, subs}
}

func (r *PaymentRecord) facts() (Instant, any) {
	named := []string{}
	for i := range r.Waiting {
		for _, try := range r.Waiting[i].Tries {
			if try.ReferralID != "" {
				named = append(named, try.ReferralID)
			}
		}
	}
	return r.CreatedAt, struct {
		Provider string      `json:"provider"`
		PayerID  string      `json:"payerId"`
		Gross    Opt[Amount] `json:"gross"`
		Refunded Opt[Amount] `json:"refunded"`
		Named    []string    `json:"referralIds"` // whom it names, while it waits
	}{r.Provider, r.PayerID, nothingOrNull(r.Gross), nothingOrNull(r.Refunded), named}
}

// paid is a payout as its affiliate's.
func (r *PayoutRecord) paid() (Instant, any) {
	return r.CreatedAt, struct {
		PayeeName      string        `json:"payeeName"`
		PayeeEmail     string        `json:"payeeEmail"`
		PaymentMethod  PaymentMethod `json:"paymentMethod"`
		Amount         Amount        `json:"amount"`
		Status         PayoutStatus  `json:"status"`
		ExternalID     string        `json:"externalId"`
		FailedReason   string        `json:"failedReason"`
		ReturnedReason string        `json:"returnedReason"`
		PaidAt         Opt[Time]     `json:"paidAt"`
	}{r.PayeeName, r.PayeeEmail, r.PaymentMethod, r.Amount, r.Status, r.ExternalID, r.FailedReason, r.ReturnedReason, moment(r.PaidAt)}
}

// given is an adjustment as its affiliate's.
func (r *AdjustmentRecord) given() (Instant, any) {
	return r.CreatedAt, struct {
		Kind       AdjustmentKind `json:"kind"`
		Amount     Amount         `json:"amount"`
		Reason     string         `json:"reason"`
		ExternalID string         `json:"externalId"`
	}{r.Kind, r.Amount, r.Reason, r.ExternalID}
}
