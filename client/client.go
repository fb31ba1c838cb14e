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
	// HTTP sends the requests; nil: a new client without a proxy. Its transport
	// and cookie jar are used, and its Timeout limits an attempt when Timeout
	// below is zero. Its CheckRedirect is not used, because redirects are never
	// followed.
	HTTP *http.Client

	// Handler answers the requests without a network, in the goroutine of the
	// call and with its context. Nil: requests are sent by HTTP. Setting both
	// HTTP and Handler is an error.
	Handler http.Handler

	// PlainHTTP allows a base URL without TLS for hosts other than loopback.
	// The key is then sent unencrypted. With Handler it has no effect.
	PlainHTTP bool

	MaxRetries int           // repeats after the first attempt; zero: 2; negative: none
	MinWait    time.Duration // before a repeat; zero: 200 ms, or MaxWait when that is less
	MaxWait    time.Duration // before a repeat; zero: 2 s, or MinWait when that is more
	Timeout    time.Duration // of one attempt; zero: 10 s; the context bounds the whole call
	MaxBody    int64         // of an answer, in bytes; zero: 8 MiB; a longer one is an error
	UserAgent  string        // zero: tributary-client

	// NoRepeat is for a server that does not know Idempotency-Key: a write that
	// may have reached the server is not repeated.
	NoRepeat bool

	// OnRequest is called before each attempt and may add headers or replace
	// the context (*r = *r.WithContext(ctx)). It does not see the API key, and
	// cannot change the API key or the Idempotency-Key. When it changes the
	// host, the request fails. Nil: not called.
	OnRequest func(r *http.Request)

	// OnResponse is called after each answer. r.Body holds the body, up to
	// MaxBody. The context of r.Request is that of the call; r.Request has no
	// API key. Nil: not called.
	OnResponse func(r *http.Response)

	// Logger gets method, path, status and number of each attempt; never a
	// query, key, body or email. Nil: nothing is logged.
	Logger *slog.Logger

	// Rand makes idempotency keys and spreads waits; it need not be safe for
	// concurrent use. Nil: crypto/rand.Reader.
	Rand io.Reader
}

// A Client calls one program on one server. It is immutable and safe for
// concurrent use. Only idle connections have goroutines that outlive its calls.
// When it is printed or logged, it shows its base URL and not its key.
type Client struct {
	base      url.URL
	once      affiliate.Once // of writes
	forfeit   bool           // what is owed is given up
	transport http.RoundTripper
	jar       http.CookieJar
	cfg       Config // complete; HTTP and Handler have become transport
	rand      *source

	// bearer is the Authorization header. It is a function because package fmt
	// prints the fields of a struct that holds a Client, unexported ones too,
	// but never the variables of a closure.
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

// New makes a client. The base URL is the part before /api/v1; the key is the
// program's API key. Nothing is sent.
//
// Errors: a base URL that is not absolute, has user info, a query or a
// fragment, ends in /api/v1, or is not https where https is required; a key
// that is not 1–256 visible ASCII characters; a bad Config. No error shows the
// URL or the key.
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
		c.transport = handlerTransport{cfg.Handler, c.cfg.MaxBody}
	case cfg.HTTP != nil:
		c.transport, c.jar = cfg.HTTP.Transport, cfg.HTTP.Jar
	}
	if c.transport == nil {
		c.transport = newTransport(c.cfg.Timeout)
	}
	return c, nil
}

// Keyed returns a client whose writes all carry the key of o; otherwise each
// call makes a key of its own. It is [tributary.Program.Keyed] over the wire.
// Use it to make a write repeatable when its input has no field for a key:
//
//	err := c.Keyed(affiliate.Once{Key: "close-account-17"}).DeleteReferral(ctx, "kim@example.com")
//
// A key in the Once of an input is used instead of it. A key is for one call;
// any other write with it is refused as [affiliate.IdempotencyKeyReused].
func (c *Client) Keyed(o affiliate.Once) *Client {
	k := *c
	k.once = o
	return &k
}

// Forfeiting returns a client whose DeleteAffiliate, DeleteReferral and EraseAffiliate give up what
// is owed. It is [tributary.Program.Forfeiting] over the wire.
func (c *Client) Forfeiting() *Client {
	k := *c
	k.forfeit = true
	return &k
}

// maxKey is the longest API key and maxOnce the longest idempotency key.
const (
	maxKey  = 256
	maxOnce = 255
)

// newTransport returns a transport that shares nothing with http.DefaultTransport
// and takes no proxy from the environment. The timeout limits a dial, because
// net/http continues to dial after the request has ended.
func newTransport(timeout time.Duration) *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: timeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    timeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    64, // all requests go to one host
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,

		// All calls share one HTTP/2 connection. Pings find out that it is
		// dead; otherwise all calls would fail until the kernel notices.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 5 * time.Second},
	}
}

// complete fills in the defaults and refuses values that cannot work.
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

// fill sets a zero value to its default.
func fill[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// CloseIdleConnections closes the idle connections, including those of
// Config.HTTP. Running and later calls are not affected.
func (c *Client) CloseIdleConnections() {
	(&http.Client{Transport: c.transport}).CloseIdleConnections()
}

// String returns the base URL.
func (c Client) String() string { return "client.Client{" + c.base.String() + "}" }

// Format writes String for every verb and flag.
func (c Client) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue is String.
func (c Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// visible reports whether all characters of a text are visible ASCII.
func visible(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// printable is visible, but it allows spaces.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
