package memstore_test

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/memstore"
)

func Example() {
	var (
		ctx     = context.Background()
		program = uuid.MustParse("0190c1d2-0000-7000-8000-000000000001")
		store   = memstore.New()
	)

	err := store.Update(ctx, program, func(tx *record.Tx) error {
		return tx.Links.Insert(record.Link{ID: uuid.UUID{15: 1}, Slug: "Ada"})
	})
	fmt.Println(err)

	err = store.View(ctx, program, func(tx *record.Tx) error {
		link, err := tx.Links.Find(record.Key{Index: record.BySlug, Text: "ada"})
		fmt.Println(link.Slug)
		return err
	})
	fmt.Println(err)

	// Output:
	// <nil>
	// Ada
	// <nil>
}
