"use strict";
for (const tools of document.querySelectorAll(".tools")) {
  const table = tools.parentElement.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const filter = tools.querySelector("input[type=search]");
  const gaps = tools.querySelector("input[type=checkbox]");
  const shown = tools.querySelector(".shown");
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const update = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const fits = words.every((word) => texts.get(row).includes(word));
      const isHidden = !fits || (gaps !== null && gaps.checked && !row.classList.contains("gap"));
      if (row.hidden !== isHidden) row.hidden = isHidden;
      count += isHidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${rows.length} rows`;
  };
  let waiting = 0;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, rows.length > 500 ? 250 : 50);
  });
  if (gaps !== null) gaps.addEventListener("change", update);
  tools.hidden = false;
  update();

  const heads = [...table.tHead.rows[0].cells];
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.textContent = "";
    head.append(button);
    button.addEventListener("click", () => {
      const isUp = head.getAttribute("aria-sort") !== "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      const sorted = rows.map((row) => [row.cells[at].textContent, row]);
      sorted.sort((one, other) => (isUp ? 1 : -1) * order.compare(one[0], other[0]));
      table.tBodies[0].append(...sorted.map(([, row]) => row));
    });
  });
}
