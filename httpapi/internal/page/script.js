"use strict";
// Everything works without this script: it copies texts and ticks all boxes.
document.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    navigator.clipboard.writeText(copy.dataset.copy).then(() => { copy.textContent = "Copied"; });
  }
  if (event.target.matches("[data-all]")) {
    for (const box of event.target.form.elements[event.target.dataset.all] || []) box.checked = event.target.checked;
  }
});
for (const hidden of document.querySelectorAll("[data-script]")) hidden.hidden = false;
