package affiliate

import (
	"fmt"
	"slices"
)

// An Enum is an enumeration in a stored record: one byte in place of a text,
// because programs keep millions of records. In JSON it is the text. The zero
// Enum is the empty text. Enums of the same value are equal.
//
// An Enum has only the values that this version of the package knows: a store
// cannot read a record into which a newer version has written a new value.
type Enum[T enumeration[T]] struct {
	n uint8 // the position in the list of T plus one; 0: empty
}

// An enumeration is a text with a list of values. Values are added to the end
// of the list.
type enumeration[T any] interface {
	~string
	values() []T
}

// EnumOf returns v as a stored value. It returns the zero Enum for a text that
// is not a value of T.
func EnumOf[T enumeration[T]](v T) Enum[T] {
	return Enum[T]{uint8(slices.Index(v.values(), v) + 1)}
}

// Value returns the value.
func (e Enum[T]) Value() (v T) {
	if e.n > 0 {
		v = v.values()[e.n-1]
	}
	return v
}

// Is reports whether e has the value v.
func (e Enum[T]) Is(v T) bool { return e.Value() == v }

// Equal reports whether e and f have the same value. So does ==.
func (e Enum[T]) Equal(f Enum[T]) bool { return e == f }

// String returns the text.
func (e Enum[T]) String() string { return string(e.Value()) }

// MarshalText returns the text.
func (e Enum[T]) MarshalText() ([]byte, error) { return []byte(e.Value()), nil }

// UnmarshalText reads a text. It returns an error for a text that is neither
// empty nor a value of T.
func (e *Enum[T]) UnmarshalText(text []byte) error {
	v := EnumOf(T(text))
	if v.n == 0 && len(text) > 0 {
		return fmt.Errorf("affiliate: unknown %T in a stored record", T(""))
	}
	*e = v
	return nil
}

func (CommissionType) values() []CommissionType { return commissionTypes }
func (SaleStatus) values() []SaleStatus         { return saleStatuses }
func (PaymentTrigger) values() []PaymentTrigger { return paymentTriggers }
func (SaleSource) values() []SaleSource         { return saleSources }
func (Integration) values() []Integration       { return integrations }
func (ApprovalStatus) values() []ApprovalStatus { return approvalStatuses }
func (HoldReason) values() []HoldReason         { return holdReasons }
func (Account) values() []Account               { return accounts }
func (Cause) values() []Cause                   { return causes }

// Enumerations that are in the frozen bodies of events.

func (AffiliateStatus) values() []AffiliateStatus       { return affiliateStatuses }
func (SubscriptionStatus) values() []SubscriptionStatus { return subscriptionStatuses }
func (SubmissionType) values() []SubmissionType         { return submissionTypes }
func (ReferralMedium) values() []ReferralMedium         { return referralMedia }
func (ReferralSource) values() []ReferralSource         { return referralSources }

// The lists that only stored values use.
var (
	commissionTypes = []CommissionType{CommissionPercentage, CommissionFlat}
	saleStatuses    = []SaleStatus{SaleActive, SaleRefunded}
	saleSources     = []SaleSource{"API", "MANUAL", "IMPORTED", "INTEGRATION", "AUTOMATED", "UNKNOWN"}
	submissionTypes = []SubmissionType{SubmissionAutomatic, SubmissionManual}
	referralMedia   = []ReferralMedium{MediumLink, MediumCoupon}
	referralSources = []ReferralSource{"API", "MANUAL", "IMPORTED", "INTEGRATION", "AFFILIATE_SUBMITTED", "UNKNOWN"}
	holdReasons     = []HoldReason{HoldProgramSettings, HoldFraudPrevention, HoldAffiliateDeactivated, HoldAffiliateBanned, HoldAffiliateNotApproved}
)
