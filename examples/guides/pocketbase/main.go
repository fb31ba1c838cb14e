// Pocketbase is a PocketBase application with an affiliate program beside it: a hook on orders
// tells the program what is paid and refunded. docs/guide-pocketbase.md is about it.
package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/sqlitestore"
)

func main() {
	app := pocketbase.New()
	beside(app, os.Getenv)
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}

// beside runs the program beside an application that serves.
func beside(app core.App, getenv func(string) string) {
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		store, err := sqlitestore.Open(context.Background(), getenv("TRIBUTARY_FILE"), sqlitestore.Config{})
		if err != nil {
			return err
		}
		app.OnTerminate().BindFunc(func(e *core.TerminateEvent) error { return errors.Join(e.Next(), store.Close()) })
		program, err := tributary.New(store, tributary.Config{
			ID:           uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e01"), // yours, for good
			Destinations: []affiliate.Destination{{URL: getenv("SITE_URL")}},
			Terms:        affiliate.Terms{Rate: affiliate.MustPercent("25")},
			Review:       []affiliate.ReviewRule{affiliate.SelfReferral()},
		})
		if err != nil {
			return err
		}
		api, err := httpapi.New(program, httpapi.Config{APIKeys: []string{getenv("TRIBUTARY_KEY")}})
		if err := errors.Join(err, collection(app)); err != nil {
			return err
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} { // a pattern for all would conflict with GET /{path...}
			e.Router.Route(method, "/api/v1/{path...}", apis.WrapStdHandler(api))
		}
		e.Router.BindFunc(apis.WrapStdMiddleware(func(next http.Handler) http.Handler { return httpapi.Attribution(program, next) }))
		e.Router.GET("/{path...}", apis.Static(os.DirFS("pb_public"), true))
		hooks(app, program)
		return e.Next()
	})
}

// collection makes the orders, unless they are there. Amounts are cents. Everybody may order, and
// superusers alone see orders and change them: so does what hears from your payment provider.
func collection(app core.App) error {
	if _, err := app.FindCollectionByNameOrId("orders"); !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	orders := core.NewBaseCollection("orders")
	orders.CreateRule = new("")
	orders.Fields.Add(
		&core.EmailField{Name: "email", Required: true}, &core.TextField{Name: "name"},
		&core.TextField{Name: "code"}, &core.TextField{Name: "click"},
		&core.NumberField{Name: "total", OnlyInt: true}, &core.NumberField{Name: "refunded", OnlyInt: true},
		&core.DateField{Name: "paid"}, &core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
	return app.Save(orders)
}

// hooks keep what the program knows of orders as the orders are.
func hooks(app core.App, program *tributary.Program) {
	app.OnRecordCreateRequest("orders").BindFunc(func(e *core.RecordRequestEvent) error {
		e.Record.Set("click", httpapi.ClickFrom(program, e.Request)) // who brought the visitor
		if !e.HasSuperuserAuth() {                                   // what a visitor may not say
			e.Record.Set("total", 4000)
			e.Record.Set("refunded", 0)
			e.Record.Set("paid", "")
		}
		return e.Next()
	})
	changed := func(e *core.RecordEvent) error {
		if err := tell(e.Context, program, e.Record); err != nil {
			app.Logger().Error("the program does not know an order", "order", e.Record.Id, "error", err)
		}
		return e.Next() // it is saved: the job below tells it again
	}
	app.OnRecordAfterCreateSuccess("orders").BindFunc(changed)
	app.OnRecordAfterUpdateSuccess("orders").BindFunc(changed)
	app.Cron().MustAdd("affiliates", "7 * * * *", func() {
		since := dbx.Params{"since": time.Now().UTC().AddDate(0, 0, -30).Format(types.DefaultDateLayout)}
		orders, err := app.FindRecordsByFilter("orders", "paid != '' && updated > {:since}", "", 0, 0, since)
		for _, order := range orders {
			err = errors.Join(err, tell(context.Background(), program, order))
		}
		if err != nil {
			app.Logger().Error("the program does not know all orders", "error", err)
		}
	})
}

// tell says all that an order is. Said again it changes nothing.
func tell(ctx context.Context, program *tributary.Program, order *core.Record) error {
	paid := order.GetDateTime("paid")
	if paid.IsZero() {
		return nil
	}
	currency := program.Config().Currency
	total, err := affiliate.AmountFromMinor(int64(order.GetInt("total")), currency)
	if err != nil {
		return err
	}
	refunded, err := affiliate.AmountFromMinor(int64(order.GetInt("refunded")), currency)
	if err != nil {
		return err
	}
	sale := affiliate.Paid{Gross: total, SaleParams: affiliate.SaleParams{ExternalID: order.Id, TotalEarned: total}}
	if code := order.GetString("code"); code != "" {
		sale.Tries = append(sale.Tries, affiliate.Credit{PromoCode: code})
	}
	if click := order.GetString("click"); click != "" {
		sale.Tries = append(sale.Tries, affiliate.Credit{ReferralID: click})
	}
	fact := affiliate.PaymentFact{
		Provider: "pocketbase", Keys: []string{order.Id}, At: paid.Time(), Currency: currency, Sale: affiliate.Set(sale),
		Payer: affiliate.PayerFact{Email: order.GetString("email"), Name: order.GetString("name")},
	}
	if refunded.Sign() > 0 {
		fact.Refunded = affiliate.Set(refunded)
	}
	_, err = program.Payments().ReportPayment(ctx, fact)
	return err
}
