// <tributary-partner src="…"> shows the pages of an affiliate, as high as they are. src is the
// url that POST /api/v1/partner/token has answered. What stands in the element is shown in place
// of the pages when the visit is over; the event "over" says so.
customElements.get("tributary-partner") ??
customElements.define("tributary-partner", class extends HTMLElement {
  static observedAttributes = ["src"];
  #frame = document.createElement("iframe");
  #text = document.createElement("slot");
  #origin; // of the pages
  #told = false; // the page in the frame has said something
  #wait;

  constructor() {
    super();
    this.#text.textContent = "Your visit is over. Load this page again.";
    this.#frame.allow = "clipboard-write";
    this.#frame.style.cssText = "border: 0; width: 100%";
    this.attachShadow({ mode: "open" }).append(this.#frame, this.#text);
    this.#show(true);
  }

  connectedCallback() {
    this.#frame.title = this.title || "Affiliate pages";
    addEventListener("message", this);
  }
  disconnectedCallback() { removeEventListener("message", this); }

  attributeChangedCallback(name, was, src) {
    const link = Object.assign(document.createElement("a"), { href: src ?? "" });
    const { protocol, origin, href } = link;
    if (!/^https?:$/.test(protocol)) return; // such as javascript:
    this.#origin = origin;
    this.#told = false;
    clearTimeout(this.#wait);
    const before = this.#frame; // whose page may still say that the visit is over
    this.#frame = before.cloneNode();
    this.#frame.addEventListener("load", () => this.#loaded());
    this.#frame.src = href;
    this.#show(true);
    before.replaceWith(this.#frame);
  }

  handleEvent({ source, origin, data }) {
    const said = data?.tributary;
    if (source !== this.#frame.contentWindow || origin !== this.#origin || !said) return;
    this.#told = true;
    clearTimeout(this.#wait);
    if (said.over) this.#over();
    else if (said.height > 0) this.#frame.style.height = `${Math.ceil(said.height)}px`;
  }

  #loaded() {
    clearTimeout(this.#wait);
    if (this.#frame.src && !this.#told) this.#wait = setTimeout(() => this.#silent(), 2000);
    this.#told = false;
  }

  #silent() {
    console.warn(`tributary: the pages cannot be shown in ${location.origin}:`,
      "the server's TRIBUTARY_FRAMES has the origins that may");
    this.#over();
  }

  #over() {
    if (this.#frame.style.display === "none") return;
    this.#show(false);
    this.dispatchEvent(new Event("over"));
  }

  #show(pages) {
    this.#frame.style.display = pages ? "block" : "none";
    this.#text.style.display = pages ? "none" : "contents";
  }
});
