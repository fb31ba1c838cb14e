// Package app is a whole server of affiliate programs, on any store: the HTTP API, the
// tracking endpoints, the delivery of webhooks, the console behind a login, the pages for
// affiliates, and a page that shows how to call them. Its flags, and the variables of the
// environment, are those that -h lists:
//
//	func main() { os.Exit(app.Main(new(app.Memory))) }
//
// app.go reads the flags, tenant.go makes the programs and reads their keys, run.go puts the
// handlers together and runs the server, page.go shows the page, and login.go stands before
// the console.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/httpapi/console"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/mail"
	"github.com/tributary-go/tributary/memstore"
)

// A Storage is the place of a server's programs.
type Storage interface {
	// Flags adds flags of its own.
	Flags(flags *flag.FlagSet)
	// Lasts reports whether the store keeps what it has when the server stops. Then it
	// has one program, the one with the id ProgramID.
	Lasts() bool
	// Open returns the store. said tells the operator where the data is, or is empty.
	Open(ctx context.Context) (store record.Store, said string, err error)
	// Gone returns why the store does not have the programs any more, such as that they were
	// moved; nil: it has them. The server asks when something failed, and tells clients.
	Gone(ctx context.Context) error
	// Endpoints returns handlers of its own, such as those for the events of payment
	// providers, and what the owner's console shows of these; nil: nothing. They answer within the
	// limit of the server.
	Endpoints(Host) ([]Endpoint, console.Providers, error)
	// Mailer returns what sends the mails; nil: nothing does. said tells the operator where they go,
	// or what does not work without it, or is empty.
	Mailer() (mailer mail.Mailer, said string, err error)
	// IdentityProvider returns where people prove who they are; nil: nowhere.
	IdentityProvider() (IdentityProvider, error)
	// Close is called when nothing uses the store any more.
	Close() error
}

// A Host is the server of an Endpoint.
type Host struct {
	Program *tributary.Program // the first one
	URL     string             // under which others reach the server, without a slash at its end
	Logger  *slog.Logger
}

// An Endpoint answers the requests of one path.
type Endpoint struct {
	Path    string // such as /pay/stripe
	Handler http.Handler
	Said    string // tells the operator what it is for; empty: nothing

	// Background is called when the server starts, and runs until its context ends; nil: nothing does.
	Background func(context.Context)
}

// Memory is the storage of a server that keeps nothing.
type Memory struct{}

// Flags adds none.
func (*Memory) Flags(*flag.FlagSet) {}

// Lasts is false.
func (*Memory) Lasts() bool { return false }

// Gone returns nil.
func (*Memory) Gone(context.Context) error { return nil }

// Open returns an empty store.
func (*Memory) Open(context.Context) (record.Store, string, error) {
	return memstore.New(), "everything is in memory and gone when the server stops", nil
}

// Endpoints returns none.
func (*Memory) Endpoints(Host) ([]Endpoint, console.Providers, error) { return nil, nil, nil }

// Mailer returns none.
func (*Memory) Mailer() (mail.Mailer, string, error) { return nil, "", nil }

// IdentityProvider returns none.
func (*Memory) IdentityProvider() (IdentityProvider, error) { return nil, nil }

// Close does nothing.
func (*Memory) Close() error { return nil }

// Main runs a server with the arguments and the environment of the process until an
// interrupt, and returns the exit code. A second interrupt ends the process at once.
func Main(storage Storage) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one is not caught
	return Run(ctx, storage, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
}

// settings are the values of the flags, the clock and the source of randomness.
type settings struct {
	addr          string
	keys          []string // each opens a program; none, and no file: people and stored keys, or one is made
	keyFile       string   // of keys of the first program
	made          bool     // the server made the key, so it may show it
	env           string   // the key in the environment
	destinations  []string // none: the page
	url           string   // under which others reach the server; empty: the address that it listens on
	base          string   // that, or the address, once it listens
	frames        []string // origins whose pages may show those for affiliates in a frame
	brand         portal.Brand
	logo          string // the file of its logo; empty: none
	demo, private bool
	lasts         bool              // the store keeps what it has when the server stops
	signUp, mails string            // the file of what applicants are asked, and the folder of texts; empty: none
	noKeys        bool              // keys of the API do not open the console
	mailer        mail.Mailer       // nil: none
	provider      IdentityProvider  // nil: none
	providers     console.Providers // of the first program; nil: none
	proposals     func(*tributary.Program) console.Proposals
	limit         int            // requests of an address in a minute; zero: perMinute
	proxies       []netip.Prefix // whose X-Forwarded-For is believed

	applicants *portal.SignUp // nil: nobody applies
	texts      *mail.Texts
	operators  []string    // emails that hear what waits
	off        []mail.Kind // what is not mailed

	check string // the URL of a server that is asked whether it is ready

	storage Storage
	getenv  func(string) string
	now     func() time.Time
	rand    io.Reader
}

// Run is Main with the arguments, the environment and the outputs of a caller. It runs
// until ctx ends.
func Run(ctx context.Context, storage Storage, args []string, getenv func(string) string, stdout,
	stderr io.Writer) int {
	set, err := parse(storage, args, getenv, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	work := func() error { return runServer(ctx, set, stdout, stderr) }
	if set.check != "" {
		work = func() error { return probe(ctx, set.check) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(stderr, "server:", err)
		return 1
	}
	return 0
}

// The variables of the environment that flags have as their defaults. The lines of curl
// read the key too.
const (
	keyVariable         = "TRIBUTARY_KEY"
	destinationVariable = "TRIBUTARY_DESTINATION"
	proxyVariable       = "TRIBUTARY_PROXY"
	signUpVariable      = "TRIBUTARY_SIGN_UP"
	mailsVariable       = "TRIBUTARY_MAILS"
	urlVariable         = "TRIBUTARY_PUBLIC_URL"
	framesVariable      = "TRIBUTARY_FRAMES"
	colorVariable       = "TRIBUTARY_COLOR"
	logoVariable        = "TRIBUTARY_LOGO"
	contactVariable     = "TRIBUTARY_CONTACT"
)

func parse(storage Storage, args []string, getenv func(string) string, stderr io.Writer) (settings, error) {
	set := settings{env: getenv(keyVariable), storage: storage, lasts: storage.Lasts(),
		getenv: getenv, now: time.Now, rand: rand.Reader}
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&set.addr, "addr", "127.0.0.1:8080", "`address` to listen on; with port 0 the system picks one")
	flags.Func("key", "`key` of the API, 20 characters or more; given again, each opens a program of its own. The list of processes\n"+
		"shows it to whoever is on this machine; the variable "+keyVariable+" does not (default: the variable; without it people and stored keys open a store that lasts, and another one gets a key that is printed)", add(&set.keys))
	flags.StringVar(&set.keyFile, "key-file", "",
		"`file` of keys of the first program, one in a line: NAME SCOPE SECRET, the scope full, integration, read or propose")
	flags.Func("destination",
		"`URL` that links lead to; may be given again (default: the variable "+destinationVariable+
			"; without it the page of this server)", add(&set.destinations))
	flags.StringVar(&set.url, "url", getenv(urlVariable), "`URL` under which others reach this server, such as https://partners.shop.example: the pages for affiliates open there\n"+
		"(default: the variable "+urlVariable+"; without it the address that it listens on)")
	frames := flags.String("frames", getenv(framesVariable), "`origins` whose pages may show those for affiliates in a frame, such as https://app.shop.example, with commas between\n"+
		"(default: the variable "+framesVariable+"; without it none may)")
	flags.StringVar(&set.brand.Color, "color", getenv(colorVariable), "`color` of links and buttons on the pages for affiliates, such as #0b5d57 (default: the variable "+colorVariable+")")
	flags.StringVar(&set.logo, "logo", getenv(logoVariable), "PNG or JPEG `file` that they show beside the name of the program (default: the variable "+logoVariable+")")
	flags.StringVar(&set.brand.Contact, "contact", getenv(contactVariable), "`address` or URL where affiliates ask (default: the variable "+contactVariable+")")
	flags.StringVar(&set.signUp, "sign-up", getenv(signUpVariable), "JSON `file` of what people are asked who apply at "+partnerPath+"apply (default: the variable "+signUpVariable+
		"; without it nobody applies)")
	flags.StringVar(&set.mails, "mails", getenv(mailsVariable), "`folder` of texts of mails that replace those of the server (default: the variable "+mailsVariable+")")
	flags.IntVar(&set.limit, "limit", 0,
		fmt.Sprintf("how many `requests` an address may make in a minute; -1: any number (default %d)",
			perMinute))
	proxies := flags.String("proxy", getenv(proxyVariable), "`networks` of your proxies, such as 10.0.0.0/8, whose X-Forwarded-For says where a request comes from\n"+
		"(default: the variable "+proxyVariable+"; without it none is believed)")
	flags.StringVar(&set.check, "check", "",
		"ask the server at this `URL` whether it is ready, and end: exit code 0 if it is")
	flags.BoolVar(&set.noKeys, "no-key-sign-in", false, "keys of the API do not open the console: people sign in by a mailed link, or an identity provider")
	storage.Flags(flags)
	flags.BoolVar(&set.demo, "demo", false, "fill the first program with a year of orders")
	flags.BoolVar(&set.private, "allow-private-webhooks", false,
		"deliver webhooks over http and to private addresses too: to receivers on this machine")
	if err := flags.Parse(args); err != nil {
		return set, err
	}
	var err, bad error
	if set.proxies, err = serve.ParseProxies(*proxies); err != nil {
		bad = fmt.Errorf("-proxy: %w", err)
	}
	for origin := range strings.FieldsFuncSeq(*frames, func(r rune) bool { return r == ',' || r == ' ' }) {
		set.frames = append(set.frames, origin)
	}
	if set.logo != "" {
		if set.brand.Logo, err = os.ReadFile(set.logo); err != nil {
			bad = fmt.Errorf("-logo: %w", err)
		}
	}
	if set.url, err = baseURL(set.url); err != nil {
		bad = fmt.Errorf("-url: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		bad = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case set.addr == "":
		bad = errors.New("-addr is empty") // it would mean all networks of this machine
	}
	if bad != nil {
		fmt.Fprintln(stderr, "server:", bad)
	}
	if len(set.keys) == 0 && set.keyFile == "" && set.env != "" {
		set.keys = []string{set.env}
	}
	if url := getenv(destinationVariable); len(set.destinations) == 0 && url != "" {
		set.destinations = []string{url}
	}
	return set, bad
}

// baseURL reads a URL to which paths are added. It may be empty.
func baseURL(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" ||
		at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return "", errors.New("it must be like https://partners.shop.example")
	}
	return strings.TrimSuffix(at.String(), "/"), nil
}

// add collects the values of a flag that may be given again.
func add(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}
