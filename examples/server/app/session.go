package app

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	sessionTime = 8 * time.Hour
	maxSessions = 1024 // of all keys; the oldest makes room
)

// sessions are the sessions of those who are signed in. They are in memory: a
// session that is ended has ended for every copy of its cookie, and all have
// when the server stops. It is safe for concurrent use.
type sessions struct {
	now  func() time.Time
	rand io.Reader

	mu   sync.Mutex
	open map[[sha256.Size]byte]session // by the digest of the id
}

// A session has the key, because the authority is asked about it at every
// request.
type session struct {
	key  string
	ends time.Time
}

// newSessions returns no sessions. A nil random is that of crypto/rand.
func newSessions(now func() time.Time, random io.Reader) *sessions {
	if random == nil {
		random = rand.Reader
	}
	return &sessions{now: now, rand: random, open: map[[sha256.Size]byte]session{}}
}

// begin begins a session of a key and returns its id.
func (s *sessions) begin(key string) (id string, err error) {
	var raw [32]byte
	if _, err := io.ReadFull(s.rand, raw[:]); err != nil {
		return "", err
	}
	id = base64.RawURLEncoding.EncodeToString(raw[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if len(s.open) >= maxSessions {
		s.makeRoom(now)
	}
	s.open[sha256.Sum256([]byte(id))] = session{key, now.Add(sessionTime)}
	return id, nil
}

// makeRoom drops the sessions that are over and, when there are none, the one
// that would end first.
func (s *sessions) makeRoom(now time.Time) {
	var first [sha256.Size]byte
	var ends time.Time
	for digest, open := range s.open {
		if !now.Before(open.ends) {
			delete(s.open, digest)
		} else if ends.IsZero() || open.ends.Before(ends) {
			first, ends = digest, open.ends
		}
	}
	if len(s.open) >= maxSessions {
		delete(s.open, first)
	}
}

// find returns the key of a session that has not ended.
func (s *sessions) find(id string) (key string, found bool) {
	digest := sha256.Sum256([]byte(id))
	s.mu.Lock()
	defer s.mu.Unlock()
	open, found := s.open[digest]
	if found && !s.now().Before(open.ends) {
		delete(s.open, digest)
		return "", false
	}
	return open.key, found
}

// end ends a session, if there is one of the id.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, sha256.Sum256([]byte(id)))
}

// sessionOf returns the id that a request brings.
func sessionOf(r *http.Request) string {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setSession gives the browser the id of a session, or takes it back when age is
// negative. The cookie goes over https only, but for a browser on this machine. It
// has no path: browsers keep it for the folder of the form, which only they know
// when a proxy cuts paths.
func setSession(w http.ResponseWriter, r *http.Request, id string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: id, MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || !onThisMachine(r),
	})
}

// onThisMachine reports whether the sender of a request is on this machine. A
// proxy on this machine speaks for others.
func onThisMachine(r *http.Request) bool {
	return isLoopback(r.RemoteAddr) && !forwarded(r.Header)
}
