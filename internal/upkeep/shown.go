package upkeep

import (
	"encoding/json"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// What each record says of its person, with the names of the wire. An empty text was
// never given, or was erased.

// moment returns a time as it is shown; zero: none.
func moment(at affiliate.Instant) affiliate.Opt[affiliate.Time] { return refusal.TimeOrNull(at) }

// shownMetadata is metadata as it is shown.
func shownMetadata(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

func profile(r *record.Affiliate) any {
	return struct {
		FirstName     string                           `json:"firstName"`
		LastName      string                           `json:"lastName"`
		Email         string                           `json:"email"`
		ExternalID    string                           `json:"externalId,omitzero"`
		PayoutEmail   string                           `json:"payoutEmail"`
		PaymentMethod affiliate.PaymentMethod          `json:"paymentMethod"`
		Answers       []affiliate.Answer               `json:"answers"`
		Note          string                           `json:"note"`
		Status        affiliate.AffiliateStatus        `json:"status"`
		Source        affiliate.AffiliateSource        `json:"source"`
		Rate          affiliate.Opt[affiliate.Percent] `json:"commissionRate"`
		PlanID        uuid.UUID                        `json:"commissionPlanId"`
		TierID        uuid.UUID                        `json:"tierId"`
		UpdatedAt     affiliate.Opt[affiliate.Time]    `json:"updatedAt"`
	}{
		r.FirstName, r.LastName, r.Email, r.ExternalID, r.PayoutEmail, r.PaymentMethod,
		refusal.EmptyNotNil(r.Answers), r.Note, r.Status, r.Source,
		r.Rate, r.PlanID, r.TierID, moment(r.UpdatedAt),
	}
}

func referralProfile(r *record.Referral) any {
	return struct {
		Name        string                        `json:"name"`
		Email       string                        `json:"email"`
		CustomerID  string                        `json:"referredUserExternalId"`
		Notes       affiliate.Opt[string]         `json:"notes"`
		Metadata    json.RawMessage               `json:"metadata"`
		LandingPage string                        `json:"initialLandingPage"`
		AffiliateID uuid.UUID                     `json:"affiliateId"`
		LinkID      uuid.UUID                     `json:"affiliateLinkId"`
		Plan        string                        `json:"plan"`
		Status      affiliate.SubscriptionStatus  `json:"subscriptionStatus"`
		Medium      affiliate.ReferralMedium      `json:"referralMedium"`
		Source      affiliate.ReferralSource      `json:"source"`
		UpdatedAt   affiliate.Opt[affiliate.Time] `json:"updatedAt"`
	}{
		r.Name, r.Email, r.CustomerID, refusal.NothingOrNull(r.Notes), shownMetadata(r.Metadata),
		r.LandingPage, r.AffiliateID, r.LinkID,
		r.Plan, r.Status, r.Medium, r.Source, moment(r.UpdatedAt),
	}
}

func visit(r *record.Click) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		ID         int64     `json:"id"`
		DeviceID   string    `json:"deviceId"`
		LandingURL string    `json:"landingUrl"`
		Referrer   string    `json:"referrer"`
		UserAgent  string    `json:"userAgent"`
		Earlier    int64     `json:"earlierClickId,omitzero"`
		LinkID     uuid.UUID `json:"affiliateLinkId"`
	}{r.Number, r.DeviceID, r.LandingURL, r.Referrer, r.UserAgent, r.Earlier, r.LinkID}
}

// bought returns a sale as its customer's.
func bought(r *record.Sale) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		ID          int64                         `json:"id"`
		Name        string                        `json:"name"`
		Email       string                        `json:"email"`
		Metadata    json.RawMessage               `json:"metadata"`
		ExternalID  string                        `json:"externalId"`
		InvoiceID   string                        `json:"externalInvoiceId"`
		TotalEarned affiliate.Amount              `json:"totalEarned"`
		Tax         affiliate.Amount              `json:"taxAmount"`
		Shipping    affiliate.Amount              `json:"shippingAmount"`
		Refunded    affiliate.Amount              `json:"refundedAmount"`
		Products    []string                      `json:"productsBought"`
		Status      affiliate.SaleStatus          `json:"status"`
		PaidAt      affiliate.Opt[affiliate.Time] `json:"paidAt"`
		Charged     []affiliate.Charge            `json:"charged,omitempty"` // in another currency
	}{
		r.Number, r.Name, r.Email, shownMetadata(r.Metadata), r.ExternalID, r.InvoiceID,
		r.TotalEarned, r.Tax, r.Shipping, r.Refunded,
		refusal.EmptyNotNil(r.Products), r.Status.Value(), moment(r.PaidAt), r.Charged,
	}
}

// credited returns a sale as its affiliate's, without its customer.
func credited(r *record.Sale) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		SaleID      int64                  `json:"saleId"`
		TotalEarned affiliate.Amount       `json:"totalEarned"`
		Refunded    affiliate.Amount       `json:"refundedAmount"`
		Commissions []affiliate.Commission `json:"commissions"`
	}{r.Number, r.TotalEarned, r.Refunded, engine.CommissionsOf(r)}
}

func limited(r *record.Code) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		Code       string `json:"code"`
		CustomerID string `json:"customerId"`
		Active     bool   `json:"active"`
	}{r.Code, r.CustomerID, r.Active}
}

// A shownSubscription is a [affiliate.Subscription] as it is shown.
type shownSubscription struct {
	ID     string                        `json:"id"`
	Status affiliate.SubscriptionStatus  `json:"status"`
	At     affiliate.Opt[affiliate.Time] `json:"at"`
}

func pay(r *record.Payer) (affiliate.Instant, any) {
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

func facts(r *record.Payment) (affiliate.Instant, any) {
	named := []string{}
	for i := range r.Waiting {
		for _, try := range r.Waiting[i].Tries {
			if try.ReferralID != "" {
				named = append(named, try.ReferralID)
			}
		}
	}
	return r.CreatedAt, struct {
		Provider string                          `json:"provider"`
		PayerID  string                          `json:"payerId"`
		Gross    affiliate.Opt[affiliate.Amount] `json:"gross"`
		Refunded affiliate.Opt[affiliate.Amount] `json:"refunded"`
		Named    []string                        `json:"referralIds"` // whom it names, while it waits
	}{r.Provider, r.PayerID, refusal.NothingOrNull(r.Gross), refusal.NothingOrNull(r.Refunded), named}
}

// paid returns a payout as its affiliate's.
func paid(r *record.Payout) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		PayeeName      string                        `json:"payeeName"`
		PayeeEmail     string                        `json:"payeeEmail"`
		PaymentMethod  affiliate.PaymentMethod       `json:"paymentMethod"`
		Amount         affiliate.Amount              `json:"amount"`
		Status         affiliate.PayoutStatus        `json:"status"`
		ExternalID     string                        `json:"externalId"`
		FailedReason   string                        `json:"failedReason"`
		ReturnedReason string                        `json:"returnedReason"`
		PaidAt         affiliate.Opt[affiliate.Time] `json:"paidAt"`
	}{r.PayeeName, r.PayeeEmail, r.PaymentMethod, r.Amount, r.Status, r.ExternalID, r.FailedReason, r.ReturnedReason, moment(r.PaidAt)}
}

// given returns an adjustment as its affiliate's.
func given(r *record.Adjustment) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		Kind       affiliate.AdjustmentKind `json:"kind"`
		Amount     affiliate.Amount         `json:"amount"`
		Reason     string                   `json:"reason"`
		ExternalID string                   `json:"externalId"`
	}{r.Kind, r.Amount, r.Reason, r.ExternalID}
}

// asked returns a case as its affiliate's.
func asked(r *record.Case) (affiliate.Instant, any) {
	return r.CreatedAt, struct {
		Kind       affiliate.CaseKind `json:"kind"`
		ExternalID string             `json:"externalId"`
		Text       string             `json:"text"`
		Answer     string             `json:"answer"`
	}{r.Kind, r.ExternalID, r.Text, r.Answer}
}
