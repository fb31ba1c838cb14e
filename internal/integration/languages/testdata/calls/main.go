// Calls makes three calls with a client that oapi-codegen makes: a record, a refusal, a
// list. Package api is made by the test.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/oapi-codegen/runtime/types"

	"github.com/tributary-go/tributary/internal/integration/languages/testdata/calls/api"
)

func main() {
	ctx, key := context.Background(), os.Args[2]
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	slug, email := "ada", types.Email("ada@example.com")
	made, err := client.CreateAffiliateWithResponse(ctx, nil, api.CreateAffiliateJSONRequestBody{
		FirstName: "Ada", LastName: "Lovelace", Email: email, AffiliateLink: &slug,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.StatusCode(), made.JSON200.Email)

	refused, err := client.CreateLinkWithResponse(ctx, nil,
		api.CreateLinkJSONRequestBody{Link: slug, AffiliateEmail: &email})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(refused.StatusCode(), refused.JSON400.Error)

	listed, err := client.GetLinksWithResponse(ctx, &api.GetLinksParams{AffiliateEmail: (*string)(&email)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listed.StatusCode(), string(listed.Body) != "[]")
}
