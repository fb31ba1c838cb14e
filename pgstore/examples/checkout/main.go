// Checkout is a shop that stores an order and its affiliate sale in one
// transaction: either both are stored or neither is.
//
//	go run ./examples/checkout                          # starts a PostgreSQL server and removes it afterwards
//	go run ./examples/checkout -dsn postgres://…/shop   # uses a database of yours
//
// It previews a promotional code, and stores an order together with its sale. The
// payment of a second order fails after its sale was recorded, so neither is
// stored. The code does not work for a third order, which is stored without it. The sale
// of a guest, whom nobody brought, is refused, and the order is stored all the same. Then
// it prints what is stored. With -dsn it makes the schemas checkout and
// checkout_tributary, and drops them at the end. If there is one of them already, it
// touches neither.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/pgtest"
)

func main() {
	dsn := flag.String("dsn", "", "connection string; empty: start a server")
	flag.Parse()
	if err := run(context.Background(), *dsn, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "checkout:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dsn string, out io.Writer) (err error) {
	if dsn == "" {
		server, err := pgtest.Start(ctx, true)
		if err != nil {
			return err
		}
		defer func() { _ = server.Stop() }()
		dsn = server.URL()
	}
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	store, err := pgstore.New(pool, pgstore.Config{Schema: "checkout_tributary"})
	if err != nil {
		return err
	}
	if err := makeShop(ctx, pool); err != nil {
		return err
	}
	defer func() { // also when the work was interrupted
		_, dropped := pool.Exec(context.WithoutCancel(ctx), "DROP SCHEMA checkout, checkout_tributary CASCADE")
		err = errors.Join(err, dropped)
	}()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	s := shop{pool: pool, store: store, out: out}
	if s.program, err = tributary.New(store, tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("15")}}); err != nil {
		return err
	}
	return s.day(ctx)
}

// makeShop makes both schemas, or none of them.
func makeShop(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "CREATE SCHEMA checkout; CREATE SCHEMA checkout_tributary; CREATE TABLE checkout.orders (id text PRIMARY KEY, total numeric NOT NULL)")
	return err
}

// A shop sells, and pays commissions on its sales.
type shop struct {
	pool    *pgxpool.Pool
	store   *pgstore.Store
	program *tributary.Program
	out     io.Writer
}

// day runs a day of the shop.
func (s *shop) day(ctx context.Context) error {
	ada, err := s.program.CreateAffiliate(ctx,
		affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"})
	if err != nil {
		return err
	}
	coupon, err := s.program.CreateCoupon(ctx,
		affiliate.CouponParams{Name: "Spring",
			PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	if err != nil {
		return err
	}
	if _, err := s.program.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(affiliate.MustAmount("70"))}); err != nil {
		return err
	}
	basket := affiliate.MustAmount("80")
	preview, err := s.program.Evaluate(ctx, affiliate.Order{PromoCode: "ada20", Subtotal: affiliate.Set(basket)})
	if err != nil {
		return err
	}
	total := basket // what the customer pays
	if preview.Valid {
		total = preview.Total.Or(basket)
	}
	fmt.Fprintf(s.out, "preview: valid %v, %v off %v\n", preview.Valid, preview.Discount, basket)

	const grace = "grace@example.net"
	first := order{id: "order-1", code: "ADA20", email: grace, basket: basket, total: total}
	if err := s.sell(ctx, first); err != nil {
		return err
	}
	second := order{id: "order-2", code: "ADA20", email: grace, basket: basket, total: total,
		payment: errors.New("card declined")}
	if err := s.sell(ctx, second); !errors.Is(err, second.payment) {
		return fmt.Errorf("order-2: %w", err)
	}
	small := affiliate.MustAmount("20")
	if err := s.sell(ctx, order{id: "order-3", code: "ADA20", email: grace, basket: small, total: small}); err != nil {
		return err
	}
	if err := s.sell(ctx, order{id: "order-4", basket: small, total: small}); err != nil {
		return err
	}
	return s.report(ctx)
}

// An order is a purchase of a customer.
type order struct {
	id, code, email string           // of a guest without a code and an email
	basket, total   affiliate.Amount // before and after the discount
	payment         error            // what becomes of the payment
}

// sell stores an order, and prints what was refused of it.
func (s *shop) sell(ctx context.Context, o order) error {
	refused, err := s.checkout(ctx, o)
	if err == nil && refused != "" {
		fmt.Fprintln(s.out, o.id, refused)
	}
	return err
}

// checkout stores an order and its sale in one transaction. It records the sale
// last, because the program's lock is held from then on.
//
// The customer has paid, so a code that does not work any more costs no order: its
// sale is recorded without the code, and credits whoever brought the customer before. An
// order whose sale is refused for another reason, as that of a guest without an email is,
// is stored without one.
//
// The id of the order makes a repeat safe, when the answer of the commit was lost.
func (s *shop) checkout(ctx context.Context, o order) (refused string, err error) {
	sale := affiliate.SaleParams{
		PromoCode: o.code, ExternalID: o.id, Email: o.email, Name: "Grace",
		TotalEarned: o.total, Subtotal: affiliate.Set(o.basket), // a code's minimum applies to the basket
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO checkout.orders VALUES ($1, $2::text::numeric) ON CONFLICT DO NOTHING", o.id, o.total.String()); err != nil {
			return err
		}
		program := s.program.With(s.store.In(tx))
		_, err := program.RecordSale(ctx, sale)
		if bad, ok := errors.AsType[*affiliate.Error](err); ok && bad.CodeRefused() { // the transaction is as before
			refused, sale.PromoCode = "without its code: "+bad.Message, ""
			_, err = program.RecordSale(ctx, sale)
		}
		if bad, ok := errors.AsType[*affiliate.Error](err); ok && bad.Kind != affiliate.KindInternal {
			refused, err = "without a sale: "+bad.Message, nil // the customer has paid all the same
		}
		return errors.Join(err, o.payment) // an error rolls back both
	})
	return refused, err
}

// report prints what is stored, and verifies it.
func (s *shop) report(ctx context.Context) error {
	var orders int
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM checkout.orders").Scan(&orders); err != nil {
		return err
	}
	sales, err := s.program.Sales(ctx, affiliate.SaleQuery{}, affiliate.Page{})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "orders: %d\n", orders)
	for _, sale := range sales.Items {
		id, _ := sale.ExternalID.Get()
		fmt.Fprintf(s.out, "sale: %s of %v, %v for %s\n", id, sale.TotalEarned,
			sale.CommissionEarned, sale.Affiliate.FirstName)
	}
	if err := s.program.Verify(ctx); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "the books hold")
	return nil
}
