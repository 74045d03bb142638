
"use strict";
// Search, filter and sort. Everything can be read without it, so it makes its own controls.
(() => {
  const FEW = 12, MOST = 15;
  const make = (tag, given = {}, ...inside) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...inside);
    return made;
  };
  const texts = new Map();
  const lower = part => {
    if (!texts.has(part)) texts.set(part, part.textContent.toLowerCase());
    return texts.get(part);
  };
  const rowsOf = table => [...table.tBodies[0].rows];
  let words = [];
  const found = part => words.every(word => lower(part).includes(word));

  // What a cell is sorted by: its number where it begins with one, else its text.
  const value = cell => {
    const number = /^[<+]?(-?[\d.]+)/.exec(cell.textContent.trim());
    return number ? Number(number[1]) : cell.textContent.trim();
  };
  const compare = (one, two) =>
    typeof one === "number" && typeof two === "number" ? one - two
      : typeof one === typeof two ? one.localeCompare(two, undefined, {numeric: true})
        : typeof one === "number" ? 1 : -1;

  class Sheet {
    constructor(table) {
      this.table = table;
      this.rows = rowsOf(table);
      this.tests = [];
      this.heads = [...table.tHead.rows[0].cells];
      this.count = make("span", {className: "dim"});
      this.count.setAttribute("aria-live", "polite");
      this.heads.forEach((head, at) => {
        const button = make("button", {type: "button", className: "sort"}, ...head.childNodes);
        button.addEventListener("click", () => this.sort(at, head.ariaSort === "descending" ? 1 : -1));
        head.append(button);
      });
      if (this.rows.length > FEW) this.addTools();
    }
    addTools() {
      const bar = make("div", {className: "tools"});
      const sorted = make("select", {}, make("option", {value: ""}, "default order"));
      this.heads.forEach((head, at) => sorted.append(make("option", {value: at}, head.textContent)));
      sorted.addEventListener("change", () => this.sort(sorted.value === "" ? -1 : Number(sorted.value), -1));
      bar.append(make("label", {className: "by"}, "Sort by ", sorted));
      this.heads.forEach((head, at) => {
        if (at === 0 || head.classList.contains("right") || this.table.classList.contains("heat")) return;
        const values = [...new Set(this.rows.map(row => row.cells[at].textContent))];
        if (values.length < 2 || values.length > MOST || values.length === this.rows.length) return;
        const wanted = make("select", {}, make("option", {value: ""}, "all"));
        values.sort((one, two) => one.localeCompare(two, undefined, {numeric: true}));
        values.forEach(text => wanted.append(make("option", {value: `=${text}`}, text)));
        wanted.addEventListener("change", () => this.show());
        this.tests.push(row => !wanted.value || wanted.value === `=${row.cells[at].textContent}`);
        bar.append(make("label", {}, `${head.textContent} `, wanted));
      });
      const marked = row => row.querySelector(".bad") !== null;
      if (this.rows.some(marked) && !this.rows.every(marked)) {
        const box = make("input", {type: "checkbox"});
        box.addEventListener("change", () => this.show());
        this.tests.push(row => !box.checked || marked(row));
        bar.append(make("label", {}, box, " problems only"));
      }
      bar.append(this.count);
      this.table.parentElement.before(bar);
    }
    sort(at, direction) {
      this.heads.forEach((head, place) => {
        if (place === at) head.ariaSort = direction > 0 ? "ascending" : "descending";
        else head.removeAttribute("aria-sort");
      });
      const keys = at < 0 ? null : new Map(this.rows.map(row => [row, value(row.cells[at])]));
      const rows = keys ? [...this.rows].sort((a, b) => direction * compare(keys.get(a), keys.get(b))) : this.rows;
      this.table.tBodies[0].append(...rows);
    }
    show() {
      let shown = 0;
      for (const row of this.rows) {
        row.hidden = !(found(row) && this.tests.every(test => test(row)));
        shown += !row.hidden;
      }
      this.count.textContent = shown < this.rows.length ? `${shown} of ${this.rows.length} rows` : "";
      return shown;
    }
  }

  const sheets = [...document.querySelectorAll("main table")].map(table => new Sheet(table));
  const items = [...document.querySelectorAll("main .items > li")];
  const folds = [...document.querySelectorAll("main details")].reverse();
  const opened = new Map(folds.map(fold => [fold, fold.open]));
  const hits = make("span", {className: "dim"});
  hits.setAttribute("aria-live", "polite");

  const search = text => {
    words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const sheet of sheets) count += sheet.show();
    for (const item of items) count += !(item.hidden = !found(item));
    for (const fold of folds) {
      fold.hidden = words.length > 0 && !found(fold);
      fold.open = words.length ? !fold.hidden : opened.get(fold);
    }
    for (const panel of document.querySelectorAll(".panels > div"))
      panel.hidden = !words.every(word => panel.getAttribute("aria-label").toLowerCase().includes(word));
    hits.textContent = words.length ? `${count} rows and sentences` : "";
  };
  const field = make("input", {type: "search", placeholder: "Search workloads, clusters, reasons  ( / )"});
  field.setAttribute("aria-label", "Search the page");
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(field.value), 120);
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && !/INPUT|SELECT/.test(document.activeElement.tagName)) {
      event.preventDefault();
      field.focus();
    }
  });
  document.querySelector("main").prepend(make("div", {className: "search"}, field, hits));
})();
