// The search: sections with all the words, those with them in their heading first.
const root = document.currentScript.dataset.root;
const field = document.querySelector("search input");
const found = document.getElementById("found");

fetch(root + "search.json").then((answer) => answer.json()).then((sections) => {
  field.disabled = false;
  field.oninput = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    for (const s of words.length ? sections : []) {
      const heading = (s.p + " " + s.h).toLowerCase(), all = heading + " " + s.t.toLowerCase();
      if (words.every((word) => all.includes(word))) hits.push([words.filter((word) => heading.includes(word)).length, s]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    found.replaceChildren(...hits.slice(0, 12).map(([, s]) => {
      const link = Object.assign(document.createElement("a"), { href: root + s.u, textContent: s.p === s.h ? s.h : s.p + ": " + s.h });
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    found.hidden = !hits.length;
  };
});
