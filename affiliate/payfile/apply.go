package payfile

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
)

// A Payer changes payouts, as *tributary.Program does.
type Payer interface {
	Payout(ctx context.Context, id uuid.UUID) (affiliate.Payout, error)
	SetPayoutStatus(ctx context.Context, id uuid.UUID, status affiliate.PayoutStatus) (affiliate.Payout, error)
	FailPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error)
	ReturnPayout(ctx context.Context, id uuid.UUID, reason string) (affiliate.Payout, error)
}

// Applied says what [Apply] did.
type Applied struct {
	Paid, Failed int // payouts that became so now
	Returned     int // the same: payouts that were PAID, and whose money came back
	Unchanged    int // that were so before
	Waiting      int // the provider has not decided
	Unknown      []Result
	Conflicts    []Conflict
}

// A Conflict is a result that contradicts the final status of a payout. The payout
// stays as it is, and somebody has to look at it.
type Conflict struct {
	Result Result
	Status affiliate.PayoutStatus // of the payout
}

// Apply sets the payouts of results to PAID, FAILED and RETURNED, the last two with
// the provider's reason, or its word when it gives none. What came back is RETURNED
// when the payout was PAID, and FAILED when it was not. A payout that is PAID and
// failed at the provider, or is CANCELED or RETURNED and paid there, is a [Conflict].
// A payout that was FAILED and is paid now becomes PROCESSING and then PAID. Applying
// the same results again changes nothing.
//
// Errors: those of to. What was applied before an error stays applied, and is in
// applied; so apply all results again.
func Apply(ctx context.Context, to Payer, results []Result) (applied Applied, err error) {
	for _, r := range results {
		switch r.State {
		case Paid, Failed, Returned:
			if err := applied.settle(ctx, to, r); err != nil {
				return applied, fmt.Errorf("payfile: payout %s: %w", r.PayoutID, err)
			}
		case Waiting:
			applied.Waiting++
		default:
			applied.Unknown = append(applied.Unknown, r)
		}
	}
	return applied, nil
}

// settle applies a result that is final.
func (a *Applied) settle(ctx context.Context, to Payer, r Result) error {
	payout, err := to.Payout(ctx, r.PayoutID)
	switch {
	case err != nil:
		return err
	case r.State == Paid:
		return a.pay(ctx, to, payout, r)
	}
	return a.fail(ctx, to, payout, r)
}

func (a *Applied) pay(ctx context.Context, to Payer, payout affiliate.Payout, r Result) error {
	switch payout.Status {
	case affiliate.PayoutPaid:
		a.Unchanged++
		return nil
	case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		a.Conflicts = append(a.Conflicts, Conflict{r, payout.Status})
		return nil
	case affiliate.PayoutFailed:
		if _, err := to.SetPayoutStatus(ctx, r.PayoutID, affiliate.PayoutProcessing); err != nil {
			return err
		}
	}
	if _, err := to.SetPayoutStatus(ctx, r.PayoutID, affiliate.PayoutPaid); err != nil {
		return err
	}
	a.Paid++
	return nil
}

func (a *Applied) fail(ctx context.Context, to Payer, payout affiliate.Payout, r Result) error {
	why := reasonOf(r)
	switch payout.Status {
	case affiliate.PayoutPaid:
		if r.State != Returned {
			a.Conflicts = append(a.Conflicts, Conflict{r, payout.Status})
			return nil
		}
		if _, err := to.ReturnPayout(ctx, r.PayoutID, why); err != nil {
			return err
		}
		a.Returned++
		return nil
	case affiliate.PayoutCanceled, affiliate.PayoutReturned:
		a.Unchanged++
		return nil
	case affiliate.PayoutFailed:
		if before, _ := payout.FailedReason.Get(); before == why {
			a.Unchanged++
			return nil
		}
	}
	if _, err := to.FailPayout(ctx, r.PayoutID, why); err != nil {
		return err
	}
	a.Failed++
	return nil
}

const maxReason = 10_000 // characters of the reason of a payout that failed or came back

// reasonOf returns why a payment failed, as a text that the engine takes.
func reasonOf(r Result) string {
	for _, why := range []string{r.Reason, r.Said} {
		if why = strings.TrimSpace(plain(why)); why != "" {
			return cut(why, maxReason)
		}
	}
	return string(r.State)
}

// plain replaces the characters that the engine does not accept in a text.
func plain(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && c != '\n' && c != '\t' {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(text, "\ufffd"))
}
