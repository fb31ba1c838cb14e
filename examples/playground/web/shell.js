// The page that shows the tour beside the console. The engine runs in a worker of this page, so it lives as long as the page.
const state = document.getElementById("state");
const pages = document.querySelector("iframe");

function fail(text) {
  state.textContent = "It does not start: " + text;
  state.className = "bad";
}

async function call(method, path) {
  const answer = await fetch("app/tour/" + path, { method });
  return answer.json();
}

function show(at, said, page) {
  at.replaceChildren(...said.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
  if (page) pages.src = "app/" + page;
}

async function verify() {
  const books = document.getElementById("books");
  const check = await call("GET", "verify");
  books.textContent = check.holds ? `Verify: holds, ${check.records.toLocaleString("en")} records` : "Verify: broken";
  books.className = check.holds ? "good" : "bad";
  const said = document.getElementById("books-said");
  said.className = check.holds ? "said" : "said bad";
  show(said, check.said);
}

// busy runs what a button does, with all buttons off meanwhile.
async function busy(does) {
  const buttons = document.querySelectorAll("button");
  buttons.forEach((b) => { b.disabled = true; });
  try {
    await does();
  } finally {
    buttons.forEach((b) => { b.disabled = false; });
  }
}

async function begin() {
  const list = document.getElementById("steps");
  for (const step of await call("GET", "steps")) {
    const item = list.appendChild(document.createElement("li"));
    const said = Object.assign(document.createElement("p"), { className: "said" });
    said.setAttribute("role", "status");
    const button = Object.assign(document.createElement("button"), { textContent: step.title, id: step.name });
    const code = document.createElement("pre");
    code.appendChild(Object.assign(document.createElement("code"), { textContent: step.call }));
    item.append(button, Object.assign(document.createElement("p"), { textContent: step.text }), said, code);
    button.onclick = () => busy(async () => {
      const { said: texts, page } = await call("POST", step.name);
      show(said, texts, page);
      await verify();
    });
  }
  const clock = document.getElementById("clock");
  clock.days.oninput = () => { clock.querySelector("output").textContent = clock.days.value; };
  clock.onsubmit = (event) => {
    event.preventDefault();
    busy(async () => {
      const { said, page } = await call("POST", "clock?days=" + clock.days.value);
      show(document.getElementById("clock-said"), said, page);
      await verify();
    });
  };
  document.getElementById("check").onclick = () => busy(verify);
  for (const name of ["break", "mend"]) {
    document.getElementById(name).onclick = () => busy(async () => {
      const { said } = await call("POST", name);
      await verify();
      const at = document.getElementById("books-said");
      at.prepend(...said.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
    });
  }
  await busy(verify);
  state.textContent = "It runs.";
  pages.src = "app/console/";
}

async function start() {
  if (!("serviceWorker" in navigator)) return fail("this browser has no service workers, or the page is neither https nor on this machine.");
  await navigator.serviceWorker.register("sw.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) await new Promise((done) => { navigator.serviceWorker.oncontrollerchange = done; });
  const engine = new Worker("engine.js");
  navigator.serviceWorker.onmessage = ({ data, ports }) => engine.postMessage(data, [data.body, ports[0]]);
  engine.onmessage = ({ data }) => (data.ready ? begin().catch((failed) => fail(failed.message)) : fail(data.failed));
  engine.onerror = (event) => fail(event.message);
}

start().catch((failed) => fail(failed.message));
