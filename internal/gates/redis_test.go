package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/memstore"
)

const redisClients = 64

// redisSale does in Redis what a real sale does: the external id is new, the
// customer is found or made, both counters are below their limits and rise, and
// the sale, its ledger row and its event are written.
const redisSale = `
if redis.call('HEXISTS', 'external', ARGV[2]) == 1 then return redis.error_reply('taken') end
local code = redis.call('HMGET', 'code:' .. ARGV[1], 'active', 'used', 'max', 'coupon', 'affiliate')
if code[1] ~= '1' then return redis.error_reply('no code') end
if tonumber(code[3]) > 0 and tonumber(code[2]) >= tonumber(code[3]) then return redis.error_reply('exhausted') end
local coupon = redis.call('HMGET', 'coupon:' .. code[4], 'used', 'max')
if tonumber(coupon[2]) > 0 and tonumber(coupon[1]) >= tonumber(coupon[2]) then return redis.error_reply('exhausted') end
local customer = redis.call('HGET', 'customers', ARGV[3])
if not customer then
  customer = ARGV[3]
  redis.call('HSET', 'customers', ARGV[3], customer)
  redis.call('HSET', 'customer:' .. customer, 'name', ARGV[4], 'affiliate', code[5])
end
local number = redis.call('INCR', 'numbers')
redis.call('HSET', 'external', ARGV[2], number)
redis.call('HINCRBY', 'code:' .. ARGV[1], 'used', 1)
redis.call('HINCRBY', 'coupon:' .. code[4], 'used', 1)
redis.call('HSET', 'sale:' .. number, 'code', ARGV[1], 'customer', customer, 'affiliate', code[5], 'total', ARGV[5], 'commission', ARGV[6], 'at', ARGV[7])
redis.call('RPUSH', 'ledger:' .. ARGV[1], number)
redis.call('HINCRBY', 'totals:' .. code[5], 'sales', 1)
redis.call('HINCRBYFLOAT', 'totals:' .. code[5], 'revenue', ARGV[5])
redis.call('HINCRBYFLOAT', 'totals:' .. code[5], 'commission', ARGV[6])
redis.call('RPUSH', 'events', 'sale.created ' .. number)
return number`

// BenchmarkRedis is P3: real sales of 64 goroutines on memstore against those of
// 64 connections to Redis, each a script of its own. x-redis is how many times
// as many sales memstore records in a second.
func BenchmarkRedis(b *testing.B) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		b.Skip("redis-server is not in PATH")
	}
	r := startRedis(b, path)
	p, _ := benchkit.Shop(b, memstore.New(), 1)
	ctx := b.Context()
	const earned = "25.9" // the commission of 20 percent
	saleOf, sold := benchkit.RealSale(1), 0
	ours := func(n int) {
		first := sold
		sold += n
		share(n, func(_, i int) {
			if _, err := p.RecordSale(ctx, saleOf(first+i)); err != nil {
				b.Error(err)
			}
		})
	}
	scripted := 0
	redis := func(n int) {
		first := scripted
		scripted += n
		share(n, func(client, i int) {
			in := saleOf(first + i)
			answer, err := r.conns[client].call("EVALSHA", r.script, "0", in.PromoCode, in.ExternalID, in.Email, in.Name,
				in.TotalEarned.String(), earned, time.Now().Format(time.RFC3339))
			if err != nil || !strings.HasPrefix(answer, ":") {
				b.Errorf("%q, %v", answer, err)
			}
		})
	}
	const turn = 10_000
	ours(turn)
	redis(turn)
	b.ReportMetric(1/benchkit.Stopwatch(benchkit.Wall).Ratio(turn, redis, ours), "x-redis")
	b.StopTimer()
	benchkit.Audit(b, p, int64(sold))
	if used, err := r.conns[0].call("HGET", "code:CODE0", "used"); err != nil || used != strconv.Itoa(scripted) {
		b.Errorf("Redis counts %q, %v, after %d sales", used, err, scripted)
	}
}

// share runs n operations on as many goroutines as there are clients.
func share(n int, do func(client, i int)) {
	var wg sync.WaitGroup
	for client := range redisClients {
		wg.Go(func() {
			for i := client; i < n; i += redisClients {
				do(client, i)
			}
		})
	}
	wg.Wait()
}

// A redisServer is one on loopback that keeps nothing on disk.
type redisServer struct {
	conns  []*redisConn
	script string // the hash of redisSale
}

func startRedis(b *testing.B, path string) redisServer {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--port", strconv.Itoa(addr.Port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	cmd.Dir = b.TempDir()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stop(); cmd.Wait() })
	var r redisServer
	for range redisClients {
		r.conns = append(r.conns, dialRedis(b, addr.String()))
	}
	first := r.conns[0]
	for _, command := range [][]string{
		{"HSET", "code:CODE0", "active", "1", "used", "0", "max", "0", "coupon", "All", "affiliate", "a0"},
		{"HSET", "coupon:All", "used", "0", "max", "0"},
	} {
		if _, err := first.call(command...); err != nil {
			b.Fatal(err)
		}
	}
	if r.script, err = first.call("SCRIPT", "LOAD", redisSale); err != nil {
		b.Fatal(err)
	}
	return r
}

// dialRedis connects as soon as the server listens.
func dialRedis(b *testing.B, addr string) *redisConn {
	b.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			b.Cleanup(func() { c.Close() })
			return &redisConn{c: c, r: bufio.NewReader(c)}
		}
		if time.Now().After(deadline) {
			b.Fatal(err)
		}
	}
}

// A redisConn is a connection for one call at a time.
type redisConn struct {
	c   net.Conn
	r   *bufio.Reader
	buf []byte
}

// call sends a command and returns the answer: a bulk string without its frame,
// any other line as it is.
func (c *redisConn) call(command ...string) (string, error) {
	c.buf = fmt.Appendf(c.buf[:0], "*%d\r\n", len(command))
	for _, word := range command {
		c.buf = fmt.Appendf(c.buf, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := c.c.Write(c.buf); err != nil {
		return "", err
	}
	head, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	head = strings.TrimSuffix(head, "\r\n")
	switch head[0] {
	case '-':
		return "", errors.New(head[1:])
	case '$':
		n, err := strconv.Atoi(head[1:])
		if err != nil {
			return "", err
		}
		text := make([]byte, n+2)
		_, err = io.ReadFull(c.r, text)
		return string(text[:n]), err
	}
	return head, nil
}
