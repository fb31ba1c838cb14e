"use strict";
// Everything works without this script: it copies texts and ticks all boxes.
document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Select it and copy it by hand";
    }
  }
  if (event.target.matches("[data-all]")) {
    for (const box of document.querySelectorAll(`input[name="${event.target.dataset.all}"]`)) box.checked = event.target.checked;
  }
});
for (const hidden of document.querySelectorAll("[data-script]")) hidden.hidden = false;
