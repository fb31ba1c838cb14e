package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall/js"
	"time"
)

// main runs in a worker of the browser. It makes the world, says that it is ready, and answers requests: tributary.serve has
// the method, the path, the content type and the body of one, and promises status, headers and body.
func main() {
	w, err := newWorld(context.Background(), time.Now)
	if err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
	js.Global().Set("tributary", map[string]any{"serve": js.FuncOf(func(_ js.Value, args []js.Value) any {
		return promised(func() (any, error) {
			if len(args) != 4 {
				return nil, errors.New("method, path, content type and body are needed")
			}
			body := make([]byte, args[3].Length())
			js.CopyBytesToGo(body, args[3])
			a, err := w.serve(context.Background(), args[0].String(), args[1].String(), args[2].String(), body)
			if err != nil {
				return nil, err
			}
			headers := map[string]any{}
			for name := range a.header {
				headers[name] = a.header.Get(name)
			}
			sent := js.Global().Get("Uint8Array").New(a.body.Len())
			js.CopyBytesToJS(sent, a.body.Bytes())
			return map[string]any{"status": a.status, "headers": headers, "body": sent}, nil
		})
	})})
	js.Global().Call("ready")
	select {}
}

// promised returns a promise of what do returns, so that requests run beside each other.
func promised(do func() (any, error)) js.Value {
	var run js.Func
	run = js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			defer run.Release()
			if v, err := do(); err != nil {
				settle[1].Invoke(js.Global().Get("Error").New(err.Error()))
			} else {
				settle[0].Invoke(js.ValueOf(v))
			}
		}()
		return nil
	})
	return js.Global().Get("Promise").New(run)
}
