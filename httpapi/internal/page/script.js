"use strict";
// Everything works without this script: it copies texts, ticks all boxes, takes what was
// said once out of the address, and lets a
// telephone show the rows of a table below each other, with what each cell is, and the
// entry of the navigation where one is.
document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      copy.textContent = document.body.dataset.copied ?? "Copied";
    } catch {
      copy.textContent = document.body.dataset.byHand ?? "Select it and copy it by hand";
    }
  }
  if (event.target.matches("[data-all]")) {
    const within = event.target.closest(event.target.dataset.within ?? "table");
    for (const box of within.querySelectorAll(`input[name="${event.target.dataset.all}"]`)) box.checked = event.target.checked;
  }
});
// Esc closes what is unfolded over the page, and Ctrl or Command with K leads to the search.
document.addEventListener("keydown", (event) => {
  const menu = document.querySelector("details.more[open]"), search = document.querySelector(".find input");
  if (event.key === "Escape" && menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (event.key === "k" && (event.ctrlKey || event.metaKey) && search) {
    event.preventDefault();
    search.focus();
  }
});
for (const table of document.querySelectorAll(".scroll > table")) {
  const labels = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
    let column = 0;
    for (const cell of row.cells) {
      if (cell.colSpan === 1 && labels[column]) cell.dataset.label = labels[column];
      column += cell.colSpan;
    }
  }
  table.classList.add("stack");
}
// What was done is said once: the address forgets it, and a reload says nothing.
const here = new URL(location.href);
if (document.querySelector(".notice[role=status]") && here.searchParams.has("done")) {
  here.searchParams.delete("done");
  history.replaceState(null, "", here);
}
// In a frame, the page around it learns how high this one is, and whether the visit is over.
if (parent !== window) {
  const tell = () => parent.postMessage({ tributary: {
    height: document.documentElement.offsetHeight, over: document.querySelector("[data-over]") !== null,
  } }, "*");
  new ResizeObserver(tell).observe(document.documentElement);
  tell(); // a frame that is not in the window is not observed
}
for (const hidden of document.querySelectorAll("[data-script]")) hidden.hidden = false;
for (const entry of document.querySelectorAll("nav.main [aria-current]")) entry.scrollIntoView({ block: "nearest", inline: "center" });
