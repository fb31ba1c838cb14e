package mail_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/mail"
)

// The texts of mails, and the mail of one.
func ExampleReadTexts() {
	texts, err := mail.ReadTexts("")
	if err != nil {
		panic(err)
	}
	m, err := texts.Write(mail.Declined, mail.Data{Program: "Beans", Name: "Ada", Reason: "We have enough podcasts."})
	fmt.Println(m.Subject)
	fmt.Print(m.Text, err)
	// Output:
	// Your application to Beans
	// Hello Ada,
	//
	// Beans has decided not to take you into its affiliate program.
	//
	// What it says: We have enough podcasts.
	// <nil>
}

// postMails mails the events of a program until ctx ends.
func postMails(ctx context.Context, program *tributary.Program, mailer mail.Mailer, logger *slog.Logger) error {
	texts, err := mail.ReadTexts("")
	if err != nil {
		return err
	}
	post := &mail.Post{
		Program: program,
		Values:  program.Values("mails"), // how far it is
		Mailer:  mailer,                  // yours
		Texts:   texts,
		Pages:   "https://shop.example/partner/",
		Console: "https://shop.example/console/",
		Logger:  logger,
	}
	if err := post.Begin(ctx); err != nil { // what happens from now on
		return err
	}
	post.Run(ctx)
	return nil
}

// TestPostOfAnyHost: what docs/mail.md shows mails what happens.
func TestPostOfAnyHost(t *testing.T) {
	s := newShop(t)
	before := s.another()
	before.Values = s.Program.Values("mails")
	must(0, before.Begin(t.Context()))
	s.now = s.now.Add(3 * time.Minute)
	s.add("Bob", "active")
	ctx, end := context.WithCancel(t.Context())
	mailer := sending(func(m mail.Mail) error {
		s.sent = append(s.sent, m)
		end()
		return nil
	})
	if err := postMails(ctx, s.Program, mailer, slog.New(slog.DiscardHandler)); err != nil || len(s.sent) != 1 || s.sent[0].To != "bob@example.com" {
		t.Errorf("got %+v, error %v", s.sent, err)
	}
}
