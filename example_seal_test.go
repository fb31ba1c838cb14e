package tributary_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"log"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
)

// The secrets of endpoints are encrypted with AES-GCM. To change the key, let
// Open try the new key and then the old one.
func ExampleConfig_seal() {
	key := []byte("32 bytes from a secrets manager.") // do not write it into the source
	block, err := aes.NewCipher(key)
	if err != nil {
		log.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		log.Fatal(err)
	}
	cfg := tributary.Config{
		Seal: func(data, boundTo []byte) ([]byte, error) { return aead.Seal(nil, nil, data, boundTo), nil },
		Open: func(data, boundTo []byte) ([]byte, error) { return aead.Open(nil, nil, data, boundTo) },
	}
	program, err := tributary.New(memstore.New(), cfg)
	if err != nil {
		log.Fatal(err)
	}
	endpoint, err := program.CreateEndpoint(context.Background(), affiliate.EndpointParams{
		URL: "https://hooks.beans.example/", Events: []affiliate.EventType{affiliate.SaleCreated},
	})
	if err != nil {
		log.Fatal(err)
	}
	kept, _ := cfg.Seal([]byte(endpoint.Secret.Reveal()), endpoint.ID[:]) // as it is stored
	opened, _ := cfg.Open(kept, endpoint.ID[:])
	fmt.Println(affiliate.Secret(opened) == endpoint.Secret)
	_, err = cfg.Open(kept, uuid.Max[:]) // copied to another endpoint
	fmt.Println(err)
	// Output:
	// true
	// cipher: message authentication failed
}
