package serve

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Probe asks a server at its URL of Health whether it is ready: the health check of a
// container that has nothing but this program. It waits for at most four seconds.
func Probe(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := new(http.Transport).RoundTrip(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, res.Status)
	}
	return nil
}
