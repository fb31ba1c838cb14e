package mcp_test

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/mcp"
)

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
