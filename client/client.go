package client

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// Config says how calls are made. The zero Config is usable.
type Config struct {
	// HTTP sends the requests; nil: a client of its own, without a proxy. Its
	// transport and cookie jar are used, and its Timeout bounds an attempt where
	// Timeout below is zero. What it does with redirects does not matter, since
	// none is followed.
	HTTP *http.Client

	// Handler, when set, answers the requests itself, in the goroutine of the
	// call and with its context: no network. It excludes HTTP.
	Handler http.Handler

	// PlainHTTP allows a base URL without TLS, which sends the key in the clear,
	// for hosts other than loopback. With Handler it does not matter.
	PlainHTTP bool

	MaxRetries int           // repeats after the first attempt; zero: 2; negative: none
	MinWait    time.Duration // before a repeat; zero: 200 ms, or MaxWait when that is less
	MaxWait    time.Duration // before a repeat; zero: 2 s, or MinWait when that is more
	Timeout    time.Duration // of one attempt; zero: 10 s; the context bounds the whole call
	MaxBody    int64         // of an answer, in bytes; zero: 8 MiB; a longer one is an error
	UserAgent  string        // zero: tributary-client

	// NoRepeat is for a server that does not know Idempotency-Key: a write that
	// may have arrived is not repeated.
	NoRepeat bool

	// OnRequest is called before each attempt and may add headers or replace the
	// context (*r = *r.WithContext(ctx)). It does not see the API key, and cannot
	// change that or the Idempotency-Key. A request that it sends to another host
	// fails. Nil: not called.
	OnRequest func(r *http.Request)

	// OnResponse is called after each answer, with the body, up to MaxBody, read
	// and at hand in r.Body. Which call it belongs to is in the context of
	// r.Request, which has no API key. Nil: not called.
	OnResponse func(r *http.Response)

	// Logger gets method, path, status and count of each attempt; never a query,
	// key, body or email. Nil: discard.
	Logger *slog.Logger

	// Rand makes idempotency keys and spreads waits; it need not be safe for
	// concurrent use. Nil: crypto/rand.Reader.
	Rand io.Reader
}

// A Client calls one program on one server. It is immutable, safe for
// concurrent use, and starts no goroutine that outlives its calls, idle
// connections aside. Printed or logged it shows its base URL and not its key.
type Client struct {
	base      url.URL
	once      affiliate.Once // of writes
	transport http.RoundTripper
	jar       http.CookieJar
	cfg       Config // complete; HTTP and Handler have become transport
	rand      *source

	// bearer is the Authorization header. It is a function because package fmt
	// follows fields, also unexported ones of whoever holds a Client, but not
	// closures.
	bearer func() []string
}

// Defaults of a Config.
const (
	defaultRetries = 2
	defaultMinWait = 200 * time.Millisecond
	defaultMaxWait = 2 * time.Second
	defaultTimeout = 10 * time.Second
	defaultMaxBody = 8 << 20
	defaultAgent   = "tributary-client"
)

// New makes a client. The base URL is what stands before /api/v1; the key is
// the program's API key. Nothing is sent.
//
// Errors: a base URL that is not absolute, has user info, a query or a fragment,
// ends in /api/v1, or is not https where it must be; a key that is not 1–256
// visible ASCII characters; a bad Config. None of them shows the URL or the key.
func New(baseURL, key string, cfg Config) (*Client, error) {
	if !visible(key) || key == "" || len(key) > maxKey {
		return nil, errors.New("client: the API key must be 1 to 256 visible ASCII characters")
	}
	base, err := parseBase(baseURL, cfg.PlainHTTP || cfg.Handler != nil)
	if err != nil {
		return nil, err
	}
	c := &Client{base: *base, cfg: cfg}
	if err := c.cfg.complete(); err != nil {
		return nil, err
	}
	c.rand = &source{r: c.cfg.Rand}
	authorization := []string{"Bearer " + key}
	c.bearer = func() []string { return authorization }
	switch {
	case cfg.Handler != nil:
		c.transport = inProcess{cfg.Handler, c.cfg.MaxBody}
	case cfg.HTTP != nil:
		c.transport, c.jar = cfg.HTTP.Transport, cfg.HTTP.Jar
	}
	if c.transport == nil {
		c.transport = newTransport(c.cfg.Timeout)
	}
	return c, nil
}

// Keyed is the same client whose writes carry the key of o, where a call
// otherwise makes one of its own: [affiliate.Program.Keyed] over the wire. It is
// how a write is made repeatable that has no input to hold a key:
//
//	err := c.Keyed(affiliate.Once{Key: "close-account-17"}).DeleteReferral(ctx, "kim@example.com")
//
// A Once in the input of a create comes before it. A key is for one call; any
// other write under it is refused as [affiliate.IdempotencyKeyReused].
func (c *Client) Keyed(o affiliate.Once) *Client {
	k := *c
	k.once = o
	return &k
}

// maxKey is the longest API key and maxOnce the longest idempotency key.
const (
	maxKey  = 256
	maxOnce = 255
)

// newTransport is a transport that shares nothing with http.DefaultTransport
// and takes no proxy from the environment. The timeout bounds a dial, which
// net/http goes on with when the request that began it has ended.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    timeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    64, // all go to one host
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,

		// All calls share one connection of HTTP/2. One that goes dead without a
		// word would fail them until the kernel gives it up.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second},
	}
}

// complete fills in the defaults and refuses what cannot work.
func (c *Config) complete() error {
	if c.HTTP != nil && c.Handler != nil {
		return errors.New("client: Config.HTTP and Handler exclude each other")
	}
	if c.MinWait < 0 || c.MaxWait < 0 || c.Timeout < 0 || c.MaxBody < 0 {
		return errors.New("client: Config.MinWait, MaxWait, Timeout and MaxBody must not be negative")
	}
	if c.HTTP != nil && c.Timeout == 0 {
		c.Timeout = c.HTTP.Timeout
	}
	fill(&c.MaxRetries, defaultRetries)
	c.MaxRetries = max(c.MaxRetries, 0)
	if c.MaxWait == 0 {
		c.MaxWait = max(defaultMaxWait, c.MinWait)
	}
	fill(&c.MinWait, min(defaultMinWait, c.MaxWait))
	if c.MinWait > c.MaxWait {
		return errors.New("client: Config.MinWait must not be above MaxWait")
	}
	fill(&c.Timeout, defaultTimeout)
	fill(&c.MaxBody, defaultMaxBody)
	fill(&c.UserAgent, defaultAgent)
	if !printable(c.UserAgent) {
		return errors.New("client: Config.UserAgent must be printable ASCII")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	return nil
}

// fill sets what is zero to its default.
func fill[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// CloseIdleConnections closes the connections that wait for another call, those
// of Config.HTTP included. Calls under way and later ones are not affected.
func (c *Client) CloseIdleConnections() {
	(&http.Client{Transport: c.transport}).CloseIdleConnections()
}

// String returns the base URL.
func (c Client) String() string { return "client.Client{" + c.base.String() + "}" }

// Format writes String whatever the verb and its flags.
func (c Client) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue is String.
func (c Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// visible reports whether a text is visible ASCII throughout.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// printable is visible with spaces allowed.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
