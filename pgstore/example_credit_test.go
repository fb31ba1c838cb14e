package pgstore_test

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// A host is an application whose users all are affiliates. It keeps what they have in a table
// of its own, beside the store: wallets (account text PRIMARY KEY, credit numeric NOT NULL).
type host struct {
	pool    *pgxpool.Pool
	store   *pgstore.Store
	program *tributary.Program
}

// A member is a user of the host.
type member struct{ id, firstName, lastName, email string }

// affiliateOf returns the affiliate that a member is, and makes it at the first call: at the
// sign-up, or when they first ask for a link.
func (h *host) affiliateOf(ctx context.Context, m member) (affiliate.Affiliate, error) {
	return h.program.EnsureAffiliate(ctx, affiliate.AffiliateParams{
		ExternalID: m.id, FirstName: m.firstName, LastName: m.lastName, Email: m.email,
	})
}

// payCredit moves what a member has earned into their wallet, and records the payout of it: both or
// neither, because they are one transaction. Call it again after any error: what a payout holds is
// not payable again, so nothing is credited twice.
func (h *host) payCredit(ctx context.Context, userID string) (paid affiliate.Amount, err error) {
	err = pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		inside := h.program.With(h.store.In(tx))
		who, err := inside.Affiliate(ctx, affiliate.External(userID))
		if err != nil {
			return err
		}
		payout, err := inside.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: who.ID, ManuallyPaid: true})
		if errors.Is(err, affiliate.NothingPayable) {
			return nil
		}
		if err != nil {
			return err
		}
		paid = payout.Amount
		_, err = tx.Exec(ctx, `INSERT INTO wallets (account, credit) VALUES ($1, $2)
			ON CONFLICT (account) DO UPDATE SET credit = wallets.credit + EXCLUDED.credit`, userID, payout.Amount.String())
		return err
	})
	if err != nil {
		return affiliate.Amount{}, err
	}
	return paid, nil
}

func ExampleStore_In_credit() {
	month := func(ctx context.Context, h *host, m member) error {
		if _, err := h.affiliateOf(ctx, m); err != nil {
			return err
		}
		_, err := h.payCredit(ctx, m.id)
		return err
	}
	_ = month
}
