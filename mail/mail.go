// Package mail writes the mails of a program and has them sent. The engine sends none: a host
// gives a [Mailer], such as one that talks to an SMTP server.
package mail

import (
	"context"
	"errors"
)

// A Mail is one message to one person.
type Mail struct {
	ID          string // of letters, digits, - and _; no other mail has it, and another try keeps it
	To          string // an email address
	Subject     string // one line
	Text        string
	HTML        string // the same message; empty: none
	Unsubscribe string // an https URL that stops such mails with a POST; empty: it is necessary
}

// A Mailer sends mails. It is safe for concurrent use.
type Mailer interface {
	// Send returns nil when the mail server has taken the mail. An error that is ErrRefused
	// means that it will never take it. No error has the text of the mail or its address.
	Send(context.Context, Mail) error
}

// ErrRefused is the error of a mail that is not worth another try, as when there is no such mailbox.
var ErrRefused = errors.New("the mail server refuses this mail for good")
