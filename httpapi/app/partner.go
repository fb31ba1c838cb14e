package app

import (
	"cmp"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/httpapi/portal"
	"github.com/tributary-go/tributary/httpapi/serve"
	"github.com/tributary-go/tributary/mail"
)

// partnerPath is the path of the pages for affiliates.
const partnerPath = "/partner/"

// partnerPages are the pages for the affiliates of all programs, the first program's by themselves,
// and the link by which POST /api/v1/partner/token opens them.
type partnerPages struct {
	handler http.Handler
	first   *portal.Portal
	link    *httpapi.PortalLink
	signIns *signIns // nil: no link is mailed
	post    *mail.Post
	own     []Endpoint
	said    string // what does not work, for the operator
}

// newPartner makes the pages. Links that are mailed begin with the URL of the settings; without
// one, and without a mailer, none are.
func newPartner(ctx context.Context, programs []*tributary.Program, set settings, base string,
	logger *slog.Logger) (made partnerPages, err error) {
	key, err := partnerKey(set)
	if err != nil {
		return made, err
	}
	forms := &serve.Limiter{Most: min(cmp.Or(set.limit, perMinute), formsPerMinute),
		Proxies: set.proxies, Now: set.now}
	cfg := portal.Config{Prefix: partnerPath, Key: key, Frames: set.frames, SignUp: set.applicants,
		Brand: set.brand, Writes: set.texts.Has, Cases: true, Logger: logger}
	if cfg.SignUp != nil {
		cfg.SignUp.Guard = func(r *http.Request) error { return often(forms, r) }
	}
	switch {
	case set.mailer == nil:
	case set.url == "":
		made.said = "mail: none is sent to affiliates, because links in mails need a beginning: set " +
			urlVariable
	default:
		made.signIns = &signIns{program: programs[0], mailer: set.mailer, texts: set.texts,
			limiter: forms, links: newLinkLimit(programs[0], set.now),
			logger: logger, waiting: make(chan askedFrom, maxWaiting),
			changes: make(chan portal.EmailChange, maxWaiting)}
		cfg.SignIn = &portal.SignIn{URL: set.url + partnerPath, Ask: made.signIns.ask,
			Change: made.signIns.change}
		cfg.Session = mailedSession
		if made.post, made.own, err = newPost(ctx, programs[0], set, key, logger); err != nil {
			return made, err
		}
	}
	if set.demo {
		cfg.MaxLinks = 5
	}
	all, err := portals(programs, cfg, set.signUp)
	if err != nil {
		return made, err
	}
	if made.signIns != nil {
		made.signIns.pages = all[0]
	}
	made.handler, made.first = portal.Many(all[0], all[1:]...), all[0]
	made.link = &httpapi.PortalLink{Key: key, URL: base + partnerPath}
	return made, nil
}

// portals returns the pages of each program.
func portals(programs []*tributary.Program, cfg portal.Config, signUp string) (all []*portal.Portal, err error) {
	for _, p := range programs {
		pages, err := portal.New(p, cfg)
		if err != nil && signUp != "" {
			err = fmt.Errorf("-sign-up: %s: %w", signUp, err)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, pages)
	}
	return all, nil
}

// tasks are what runs beside the requests.
func (p partnerPages) tasks() (all []func(context.Context)) {
	if p.signIns != nil {
		for range mailers {
			all = append(all, p.signIns.run)
		}
		all = append(all, p.post.Run)
	}
	return all
}

// mailedSession is how long a visit lasts where links are mailed.
const mailedSession = 24 * time.Hour

// readPages reads what applicants are asked, and the texts of mails.
func (set *settings) readPages() (err error) {
	if set.signUp != "" {
		if set.applicants, err = readSignUp(set.signUp); err != nil {
			return fmt.Errorf("-sign-up: %w", err)
		}
	}
	if set.operators, set.off, err = mailsOf(set.getenv); err != nil {
		return err
	}
	set.texts, err = mail.ReadTexts(set.mails)
	return err
}

// partnerKey returns the key of the pages for affiliates. In a store that lasts it is derived from
// the newest seal key, so that visits go on when the server starts again; else it is new.
func partnerKey(set settings) ([]byte, error) {
	if sealed(set) {
		newest, _, _ := strings.Cut(set.getenv(sealVariable), ",")
		raw, err := hex.DecodeString(strings.TrimSpace(newest))
		if err != nil {
			return nil, errors.New(sealVariable + " has no hex digits")
		}
		return hkdf.Key(sha256.New, raw, nil, "tributary partner pages v1", portalKey)
	}
	key := make([]byte, portalKey)
	_, err := io.ReadFull(set.rand, key)
	return key, err
}

const portalKey = 32 // bytes

// sealed reports whether there is a key that lasts.
func sealed(set settings) bool { return set.lasts && set.getenv(sealVariable) != "" }

// A signUpFile is what the flag -sign-up names.
type signUpFile struct {
	Questions []struct {
		Name     string // of the answers, which keep it when the label changes
		Label    string
		Kind     portal.QuestionKind
		Choices  []string
		Required bool
	}
}

// readSignUp reads what applicants are asked.
func readSignUp(path string) (*portal.SignUp, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var in signUpFile
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: something follows the object", path)
	}
	s := new(portal.SignUp)
	for _, q := range in.Questions {
		if q.Name == "" {
			return nil, fmt.Errorf("%s: the question %q has no name", path, q.Label)
		}
		s.Questions = append(s.Questions, portal.Question{ID: signUpID("question", q.Name), Label: q.Label,
			Kind:    q.Kind,
			Choices: q.Choices, Required: q.Required})
	}
	return s, nil
}

// signUpID returns the id of what a sign-up asks, under which the answers are.
func signUpID(of, name string) uuid.UUID {
	return uuid.NewSHA1(uuid.MustParse(ProgramID), []byte("sign-up "+of+" "+name))
}

// labels returns what a sign-up for programs asks, for the console.
func labels(s *portal.SignUp, programs []*tributary.Program) map[uuid.UUID]string {
	if s == nil {
		return nil
	}
	all := map[uuid.UUID]string{}
	for _, p := range programs {
		all[portal.TermsID(p.Config().ID)] = "Terms"
	}
	for _, q := range s.Questions {
		all[q.ID] = q.Label
	}
	return all
}

// formsPerMinute is how often an address may send the forms that need no key.
const formsPerMinute = 10

var errTooOften = errors.New("an address asks too often, or all of them together do")

// often returns an error when the address of a request asks too often.
func often(limiter *serve.Limiter, r *http.Request) error {
	if limiter.Limit(r) > 0 {
		return errTooOften
	}
	return nil
}

// signIns mails the links that affiliates ask for. It is safe for concurrent use.
type signIns struct {
	program *tributary.Program
	pages   *portal.Portal
	mailer  mail.Mailer
	texts   *mail.Texts
	limiter *serve.Limiter
	links   linkLimit
	logger  *slog.Logger
	waiting chan askedFrom
	changes chan portal.EmailChange
}

// An askedFrom is what somebody asked for, and the network from which.
type askedFrom struct {
	portal.SignInRequest
	from netip.Prefix
}

// mailers is how many links are mailed at once, and maxWaiting how many wait.
const (
	mailers    = 4
	maxWaiting = 100
)

// ask is the pages' SignIn.Ask.
func (s *signIns) ask(r *http.Request, asked portal.SignInRequest) error {
	if err := often(s.limiter, r); err != nil {
		return err
	}
	select {
	case s.waiting <- askedFrom{asked, s.limiter.Source(r)}:
		return nil
	default:
		return errTooOften
	}
}

// change is the pages' SignIn.Change. What is asked for too often is told, because it is no stranger.
func (s *signIns) change(r *http.Request, asked portal.EmailChange) error {
	if err := often(s.limiter, r); err != nil {
		return err
	}
	for _, of := range []string{asked.Affiliate.String(), asked.New} {
		lets, err := s.links.lets(r.Context(), "change "+of, s.limiter.Source(r), false)
		if err != nil {
			return err
		}
		if !lets {
			return errTooOften
		}
	}
	select {
	case s.changes <- asked:
		return nil
	default:
		return errTooOften
	}
}

// sendChange mails both links of a change of email.
func (s *signIns) sendChange(ctx context.Context, asked portal.EmailChange) error {
	of, err := s.program.Affiliate(ctx, asked.Affiliate.String())
	if err != nil {
		return err
	}
	is, err := s.program.Settings(ctx)
	if err != nil {
		return err
	}
	texts := s.texts.In(of.Language)
	send := func(kind mail.Kind, to string, data mail.Data) error {
		data.Program = is.Name
		m, err := texts.Write(kind, data)
		if err != nil {
			return err
		}
		m.ID, m.To = uuid.NewString(), to
		return s.mailer.Send(ctx, m)
	}
	return errors.Join(
		send(mail.EmailOld, asked.Old, mail.Data{Name: of.Name, Link: asked.OldLink, Email: asked.New}),
		send(mail.EmailNew, asked.New, mail.Data{Link: asked.NewLink}))
}

// run mails links until ctx ends.
func (s *signIns) run(ctx context.Context) {
	for {
		select {
		case asked := <-s.changes:
			if err := s.sendChange(ctx, asked); err != nil && ctx.Err() == nil {
				s.logger.Error("mail a change of email", "error", err)
			}
		case asked := <-s.waiting:
			if err := s.send(ctx, asked); err != nil && ctx.Err() == nil {
				s.logger.Error("mail a link to sign in", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// send mails a link to the affiliate who has the email, if there is one.
func (s *signIns) send(ctx context.Context, asked askedFrom) error {
	of, err := s.program.Affiliate(ctx, asked.Email)
	if errors.Is(err, affiliate.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	lets, err := s.links.lets(ctx, of.ID.String(), asked.from, asked.Known == of.ID)
	if err != nil {
		return err
	}
	if !lets {
		s.logger.Warn("a link to sign in is not mailed: too many were", "affiliate", of.ID)
		return nil
	}
	link, err := s.pages.SignInLink(of.ID, asked.SignInRequest)
	if err != nil {
		return err
	}
	is, err := s.program.Settings(ctx)
	if err != nil {
		return err
	}
	m, err := s.texts.In(of.Language).Write(mail.SignIn, mail.Data{Program: is.Name, Link: link})
	if err != nil {
		return err
	}
	m.ID, m.To = uuid.NewString(), of.Email
	return s.mailer.Send(ctx, m)
}
