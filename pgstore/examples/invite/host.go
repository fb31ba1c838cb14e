package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
)

// tables makes both schemas and the tables of the host, or none of them.
const tables = `CREATE SCHEMA invite; CREATE SCHEMA invite_tributary;
CREATE TABLE invite.users (
	id text PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL UNIQUE,
	first_name text NOT NULL, last_name text NOT NULL,
	session bytea UNIQUE, -- the digest of what the cookie has
	credit numeric NOT NULL DEFAULT 0 CHECK (credit >= 0) -- paid out by the program, and not spent
);
CREATE TABLE invite.invoices (
	user_id text NOT NULL REFERENCES invite.users, number int NOT NULL, -- 1, 2, 3 … of each user
	total numeric NOT NULL, credit numeric NOT NULL, -- what it costs, and what of it credit paid
	status text NOT NULL, sale bigint, -- open, paid or refunded; the sale of what was paid in money
	PRIMARY KEY (user_id, number)
)`

// The limits of the rewards of an inviter.
const (
	perMonth = 5
	forLife  = 20
)

// terms are what inviter and friend earn; the rate of flat terms is an amount. HoldDays, here and
// in the bonus, would keep it from the next invoice until a refund is unlikely.
func terms() affiliate.Terms {
	return affiliate.Terms{
		Type: affiliate.CommissionFlat, Rate: affiliate.MustPercent("5"), MaxPayments: 1,
		Budgets: []affiliate.Budget{
			{Of: affiliate.BudgetOfAffiliate, Per: affiliate.IntervalMonth, MaxRewards: perMonth},
			{Of: affiliate.BudgetOfAffiliate, MaxRewards: forLife},
		},
		Bonuses: []affiliate.Bonus{{
			Name: "Welcome", To: affiliate.BonusToCustomer, From: affiliate.Day(2026, time.January, 1),
			Customers: 1, Amount: affiliate.MustAmount("4"),
		}},
	}
}

// A service has users, who pay invoices and invite friends. Every user is an affiliate of the
// program, by the id of the user.
type service struct {
	pool    *pgxpool.Pool
	store   *pgstore.Store
	program *tributary.Program
	base    string           // the address of the first page
	price   affiliate.Amount // of each invoice
}

func newService(pool *pgxpool.Pool, base string, now func() time.Time) (*service, error) {
	store, err := pgstore.New(pool, pgstore.Config{Schema: "invite_tributary"})
	if err != nil {
		return nil, err
	}
	program, err := tributary.New(store, tributary.Config{
		Name: "Acme", Currency: "USD", Terms: terms(), Now: now,
		Destinations: []affiliate.Destination{{URL: base}},
		// A reward for oneself is held, and keeps its place until somebody declines it.
		Review: []affiliate.ReviewRule{affiliate.SelfReferral()},
	})
	return &service{pool, store, program, base, affiliate.MustAmount("20")}, err
}

// A user is a customer, and may be the friend of another one.
type user struct{ ID, Email, First, Last string }

// money is an amount that can be read from a numeric column.
type money struct{ affiliate.Amount }

// Scan reads what a query found.
func (m *money) Scan(found any) (err error) {
	text, ok := found.(string)
	if !ok {
		return fmt.Errorf("%T is no amount", found)
	}
	m.Amount, err = affiliate.ParseAmount(text)
	return err
}

// signIn opens a session of the user with an email, and returns the user's id and what the cookie
// has. An email that nobody has signs up, and whom the invitation names has brought this user.
//
// Whoever knows an email gets in: let a password, or a link in a mail, come before it.
func (s *service) signIn(ctx context.Context, u user, invitation string) (id, token string, err error) {
	token = rand.Text()
	digest := sha256.Sum256([]byte(token))
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		made, err := tx.Exec(ctx, `INSERT INTO invite.users (email, first_name, last_name)
			VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, u.Email, u.First, u.Last)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, "UPDATE invite.users SET session = $2 WHERE email = $1 RETURNING id",
			u.Email, digest[:]).Scan(&id)
		if err != nil || made.RowsAffected() == 0 { // who is a user already is nobody's new friend
			return err
		}
		inside := s.program.With(s.store.In(tx))
		if _, err := inside.EnsureAffiliate(ctx, affiliate.AffiliateParams{
			ExternalID: id, Email: u.Email, FirstName: u.First, LastName: u.Last,
		}); err != nil || invitation == "" {
			return err
		}
		_, err = inside.CreateReferral(ctx, affiliate.ReferralParams{
			AffiliateID: invitation, ReferredUserExternalID: id, Email: u.Email, Name: u.First + " " + u.Last,
		})
		return unlessRefused(ctx, err, "a user signed up without the inviter", id)
	})
	return id, token, err
}

// unlessRefused is the error, but nil for a refusal of the program and when it finds nobody to
// credit: of that a line in the log is enough, because it must cost nobody the account or the
// invoice that they have paid.
func unlessRefused(ctx context.Context, err error, what, id string) error {
	refused, ok := errors.AsType[*affiliate.Error](err)
	if ok && refused.Kind != affiliate.KindInternal || errors.Is(err, affiliate.ErrNotFound) {
		slog.WarnContext(ctx, what, "user", id, "err", err)
		return nil
	}
	return err
}

// bill makes an invoice, which takes all the credit that it can: what the program owes is paid out
// into the credit of the user first. The number has to be the user's next one, so a repeat does
// nothing.
//
// Here and below rows of the host are locked before the program is, in the same order everywhere,
// so that no two transactions wait for each other.
func (s *service) bill(ctx context.Context, id string, number int) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var wallet money
		var last int
		err := tx.QueryRow(ctx, "SELECT credit FROM invite.users WHERE id = $1 FOR UPDATE", id).Scan(&wallet)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, "SELECT count(*) FROM invite.invoices WHERE user_id = $1", id).Scan(&last)
		if err != nil || number != last+1 {
			return err
		}
		inside := s.program.With(s.store.In(tx))
		owed, err := inside.Balance(ctx, affiliate.AffiliateRef{ExternalID: id})
		if err != nil {
			return err
		}
		var paid affiliate.Payout
		if owed.Payable.Sign() > 0 {
			paid, err = inside.CreatePayout(ctx, affiliate.PayoutParams{AffiliateID: owed.AffiliateID, ManuallyPaid: true})
			if err != nil {
				return err
			}
		}
		has, err := wallet.Add(owed.Payable) // below zero: the user owes it, after a refund
		if err != nil {
			return err
		}
		spent := affiliate.AmountFromScaled(min(max(has.Scaled(), 0), s.price.Scaled()))
		_, err = tx.Exec(ctx, "UPDATE invite.users SET credit = credit + $2 - $3 WHERE id = $1",
			id, paid.Amount.String(), spent.String())
		if err != nil {
			return err
		}
		status := "open"
		if spent.Equal(s.price) {
			status = "paid"
		}
		_, err = tx.Exec(ctx, "INSERT INTO invite.invoices VALUES ($1, $2, $3, $4, $5)",
			id, number, s.price.String(), spent.String(), status)
		return err
	})
}

// pay marks an open invoice as paid and records the sale of what was paid in money. Call it when
// the provider says that the card was charged. A repeat does nothing.
func (s *service) pay(ctx context.Context, id string, number int) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var u user
		var due money
		err := tx.QueryRow(ctx, `UPDATE invite.invoices i SET status = 'paid' FROM invite.users u
			WHERE u.id = $1 AND i.user_id = $1 AND i.number = $2 AND i.status = 'open'
			RETURNING u.email, u.first_name, u.last_name, i.total - i.credit`,
			id, number).Scan(&u.Email, &u.First, &u.Last, &due)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		res, err := s.program.With(s.store.In(tx)).RecordSale(ctx, affiliate.SaleParams{
			ReferredUserExternalID: id, Email: u.Email, Name: u.First + " " + u.Last,
			ExternalID: fmt.Sprintf("%s/%d", id, number), TotalEarned: due.Amount,
		})
		if err = unlessRefused(ctx, err, "a paid invoice has no sale", id); err != nil {
			return err
		}
		if sale, ok := res.Sale.Get(); ok { // not ok: nobody has brought this user
			_, err = tx.Exec(ctx, "UPDATE invite.invoices SET sale = $3 WHERE user_id = $1 AND number = $2",
				id, number, sale.ID)
		}
		return err
	})
}

// refund takes a paid invoice back: its credit returns to the user, and what the inviter has earned
// is taken back, also when it was paid out. A repeat does nothing.
func (s *service) refund(ctx context.Context, id string, number int) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var sale affiliate.SaleID
		err := tx.QueryRow(ctx, `WITH back AS (UPDATE invite.invoices SET status = 'refunded'
				WHERE user_id = $1 AND number = $2 AND status = 'paid' RETURNING credit, sale)
			UPDATE invite.users SET credit = users.credit + back.credit FROM back
			WHERE users.id = $1 RETURNING coalesce(back.sale, 0)`, id, number).Scan(&sale)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil || sale == 0 {
			return err
		}
		_, err = s.program.With(s.store.In(tx)).RefundSale(ctx, affiliate.Refund{SaleID: sale, ClawBack: true})
		return err
	})
}
