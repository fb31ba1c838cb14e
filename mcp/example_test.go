package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/mcp"
	"github.com/tributary-go/tributary/memstore"
)

// An assistant asks a program in the same process what it owes.
func Example() {
	ctx := context.Background()
	p := must(tributary.New(memstore.New(), tributary.Config{Destinations: []affiliate.Destination{{URL: "https://beans.example"}}}))
	api := must(httpapi.New(p, httpapi.Config{APIKeys: []string{ownerKey}}))
	here, there := sdk.NewInMemoryTransports()
	must(must(newServer(ctx, api, ownerKey)).Connect(ctx, here, nil))
	assistant := must(sdk.NewClient(&sdk.Implementation{Name: "example"}, nil).Connect(ctx, there, nil))
	defer assistant.Close()
	answer := must(assistant.CallTool(ctx, &sdk.CallToolParams{Name: "getTotalBalance", Arguments: json.RawMessage(`{"at":"2026-11-30"}`)}))
	fmt.Println(answer.Content[0].(*sdk.TextContent).Text)
	// Output: {"record":{"currency":"USD","held":"0 USD","maturing":"0 USD","payable":"0 USD","inPayout":"0 USD","debts":"0 USD","owed":"0 USD","paid":"0 USD","earned":"0 USD","affiliates":0,"notOpen":0,"at":"2026-12-01T00:00:00.000Z"}}
}

// The login of the host says whose assistant it is.
func ExamplePartnerHandler() {
	p := must(tributary.New(memstore.New(), tributary.Config{Destinations: []affiliate.Destination{{URL: "https://beans.example"}}}))
	mux := http.NewServeMux()
	mux.Handle("/assistant", mcp.PartnerHandler(p, func(*http.Request) (uuid.UUID, bool) { return uuid.Nil, false }, mcp.PartnerConfig{}))
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("POST", "/assistant", nil))
	fmt.Println(answer.Code)
	// Output: 401
}

// newServer returns the tools of a program in this process.
func newServer(ctx context.Context, api *httpapi.Handler, key string) (*sdk.Server, error) {
	c, err := client.New("https://in.process", key, client.Config{Handler: api})
	if err != nil {
		return nil, err
	}
	return mcp.New(ctx, c, mcp.Config{})
}

// mount puts the tools of affiliates on a mux, behind the login of the host.
func mount(mux *http.ServeMux, p *tributary.Program, who func(*http.Request) (uuid.UUID, bool)) {
	mux.Handle("/assistant", mcp.PartnerHandler(p, who, mcp.PartnerConfig{}))
}
