// Checkout is a shop whose order and whose affiliate sale are one transaction:
// both are there or neither is.
//
//	go run ./examples/checkout                          # a PostgreSQL server of its own, gone afterwards
//	go run ./examples/checkout -dsn postgres://…/shop   # a database of yours
//
// It previews a promotional code, takes an order and its sale together, loses an
// order after the sale was recorded, and shows what is stored. With -dsn it
// writes to the schemas checkout and checkout_tributary, which it makes and
// drops.
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

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/pgstore/internal/cluster"
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
		server, err := cluster.Start(ctx, true)
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
	defer func() {
		_, dropped := pool.Exec(ctx, "DROP SCHEMA IF EXISTS checkout, checkout_tributary CASCADE")
		err = errors.Join(err, dropped)
	}()
	if err := errors.Join(store.Migrate(ctx), makeShop(ctx, pool)); err != nil {
		return err
	}
	s := shop{pool: pool, store: store, out: out}
	if s.program, err = affiliate.New(store, affiliate.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("15")}}); err != nil {
		return err
	}
	return s.day(ctx)
}

// makeShop makes the shop's own table.
func makeShop(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, "CREATE SCHEMA checkout; CREATE TABLE checkout.orders (id text PRIMARY KEY, total numeric NOT NULL)")
	return err
}

// A shop sells, and pays those who send it customers.
type shop struct {
	pool    *pgxpool.Pool
	store   *pgstore.Store
	program *affiliate.Program
	out     io.Writer
}

// day is what happens in it.
func (s *shop) day(ctx context.Context) error {
	ada, err := s.program.CreateAffiliate(ctx, affiliate.NewAffiliate{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"})
	if err != nil {
		return err
	}
	coupon, err := s.program.CreateCoupon(ctx, affiliate.NewCoupon{Name: "Spring", PercentOff: affiliate.Set(affiliate.MustPercent("20"))})
	if err != nil {
		return err
	}
	if _, err := s.program.CreateCode(ctx, affiliate.NewCode{CouponID: coupon.ID, Code: "ADA20", AffiliateID: ada.ID, MinimumAmount: affiliate.Set(affiliate.MustAmount("70"))}); err != nil {
		return err
	}
	basket := affiliate.MustAmount("80")
	preview, err := s.program.Evaluate(ctx, affiliate.Order{PromoCode: "ada20", Subtotal: affiliate.Set(basket)})
	if err != nil {
		return err
	}
	off, _ := preview.Discount.Get()
	total, _ := preview.Total.Get() // what to charge
	fmt.Fprintf(s.out, "preview: valid %v, %v off %v\n", preview.Valid, off, basket)

	if err := s.checkout(ctx, "order-1", basket, total, nil); err != nil {
		return err
	}
	declined := errors.New("card declined")
	if err := s.checkout(ctx, "order-2", basket, total, declined); !errors.Is(err, declined) {
		return fmt.Errorf("order-2: %w", err)
	}
	return s.report(ctx)
}

// checkout stores an order and its sale in one transaction. The sale comes last
// of what is written: from there on the program's lock is held.
func (s *shop) checkout(ctx context.Context, id string, basket, total affiliate.Amount, payment error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "INSERT INTO checkout.orders VALUES ($1, $2::text::numeric)", id, total.String()); err != nil {
			return err
		}
		_, err := s.program.With(s.store.In(tx)).RecordSale(ctx, affiliate.NewSale{
			PromoCode: "ADA20", ExternalID: id, Email: "grace@example.net", Name: "Grace",
			TotalEarned: total, Subtotal: affiliate.Set(basket), // a code's minimum is about the basket
		})
		return errors.Join(err, payment) // an error here takes both back
	})
}

// report prints what is stored, and has the engine recount it.
func (s *shop) report(ctx context.Context) error {
	var orders int
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM checkout.orders").Scan(&orders); err != nil {
		return err
	}
	sales, err := s.program.Sales(ctx, affiliate.SaleFilter{}, affiliate.Page{})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "orders: %d\n", orders)
	for _, sale := range sales.Items {
		id, _ := sale.ExternalID.Get()
		fmt.Fprintf(s.out, "sale: %s of %v, %v for %s\n", id, sale.TotalEarned, sale.CommissionEarned, sale.Affiliate.FirstName)
	}
	if err := s.program.Verify(ctx); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "the books hold")
	return nil
}
