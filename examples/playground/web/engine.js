// The worker that runs the engine. A request comes with a port, to which the answer goes.
importScripts("wasm_exec.js");

async function start() {
  const loaded = await fetch("engine.wasm.gz");
  if (!loaded.ok) throw new Error("engine.wasm.gz: " + loaded.status);
  // Some hosts send it as the encoding of what it holds; then it is unpacked already.
  const packed = loaded.headers.get("Content-Encoding") !== "gzip";
  const unpacked = packed ? loaded.body.pipeThrough(new DecompressionStream("gzip")) : loaded.body;
  const go = new Go();
  const module = new Response(unpacked, { headers: { "Content-Type": "application/wasm" } });
  const { instance } = await WebAssembly.instantiateStreaming(module, go.importObject);
  await go.run(instance);
  throw new Error("the engine has ended");
}

let runs; // called when the engine runs
const running = new Promise((done) => { runs = done; });
self.ready = () => { runs(); self.postMessage({ ready: true }); };

self.onmessage = async ({ data, ports: [port] }) => {
  try {
    await running; // another tab may ask before
    const answer = await tributary.serve(data.method, data.path, data.type, new Uint8Array(data.body));
    port.postMessage(answer, [answer.body.buffer]);
  } catch (failed) {
    port.postMessage({ status: 500, headers: { "Content-Type": "text/plain" }, body: new TextEncoder().encode(String(failed)) });
  }
};

start().catch((failed) => self.postMessage({ failed: String(failed) }));
