// The service worker: what is below app/ is answered by the engine, which runs beside the page that
// shows the playground; the rest is kept, so that it works offline.
const kept = "playground-VERSION"; // of all files
const files = ["./", "index.html", "style.css", "shell.js", "engine.js", "wasm_exec.js", "engine.wasm.gz"];
const root = new URL("./", self.location);
const app = root.pathname + "app";

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(kept);
    await cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("playground-") && name !== kept);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== root.origin) return;
  event.respondWith(url.pathname.startsWith(app + "/") ? asked(event.request, url) : file(event.request));
});

async function file(request) {
  return (await caches.match(request, { ignoreSearch: true })) ?? fetch(request);
}

// asked has the engine answer a request.
async function asked(request, url) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shell = windows.find((w) => [root.pathname, root.pathname + "index.html"].includes(new URL(w.url).pathname));
  if (!shell) return Response.redirect(root.href, 303);
  const { port1, port2 } = new MessageChannel();
  const answered = new Promise((done) => { port1.onmessage = ({ data }) => done(data); });
  const body = await request.arrayBuffer();
  shell.postMessage({ method: request.method, path: url.pathname.slice(app.length) + url.search, type: request.headers.get("Content-Type") ?? "", body }, [port2]);
  const { status, headers, body: sent } = await answered;
  if (headers.Location) {
    const to = new URL(headers.Location, "https://playground.example" + url.pathname.slice(app.length));
    return Response.redirect(root.origin + app + to.pathname + to.search + to.hash, status);
  }
  return new Response([204, 304].includes(status) ? null : sent, { status, headers });
}
