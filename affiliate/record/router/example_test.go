package router_test

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/affiliate/record/router"
	"github.com/tributary-go/tributary/memstore"
)

func Example() {
	ctx, one, two, id := context.Background(), memstore.New(), memstore.New(), uuid.UUID{1}
	if err := several(ctx, one, two, id); err != nil {
		fmt.Println(err)
	}
	// Output: eu-1, then eu-2, with 1 affiliate
}

func several(ctx context.Context, one, two record.Store, id uuid.UUID) error {
	stores, program, err := overBoth(one, two, id)
	if err != nil {
		return err
	}
	ada := affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com"}
	if _, err := program.CreateAffiliate(ctx, ada); err != nil {
		return err
	}
	before, err := stores.Home(ctx, id)
	if err != nil {
		return err
	}
	if err := stores.Move(ctx, id, "eu-2"); err != nil { // beside its callers, who notice no more than a pause
		return err
	}
	after, err := stores.Home(ctx, id)
	if err != nil {
		return err
	}
	list, err := program.Affiliates(ctx, affiliate.AffiliateQuery{}, affiliate.Page{})
	fmt.Printf("%s, then %s, with %d affiliate\n", before, after, len(list.Items))
	return err
}

// overBoth returns a program on whichever of two stores it lives.
func overBoth(one, two record.Store, id uuid.UUID) (*router.Store, *tributary.Program, error) {
	stores, err := router.New(router.Config{Stores: []router.NamedStore{
		{Name: "eu-1", Store: one}, // the store that you have, in every process: it stays the first
		{Name: "eu-2", Store: two},
	}})
	if err != nil {
		return nil, nil, err
	}
	program, err := tributary.New(stores, tributary.Config{ID: id})
	return stores, program, err
}
