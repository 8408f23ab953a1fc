"use strict";
// Sort and filter the table of all trials. Without scripts the table is there, unsorted and whole.
for (const box of document.querySelectorAll(".trials")) {
  const table = box.querySelector("table"), body = table.tBodies[0], count = box.querySelector(".count");
  const heads = [...table.tHead.rows[0].cells], rows = [...body.rows], names = heads.map(head => head.textContent.toLowerCase());
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const x = Number(a), y = Number(b);
    return isNaN(x) || isNaN(y) ? a.localeCompare(b) : x - y;
  };
  const matches = (row, word) => {
    const [, name, sign, wanted] = word.match(/^(.*?)(<=|>=|=|<|>)(.*)$/) || [];
    const column = names.indexOf(name);
    if (column < 0) return row.textContent.toLowerCase().includes(word);
    const text = row.cells[column].textContent.toLowerCase();
    if (text === "") return false;
    const order = compare(text, wanted);
    return sign === "=" ? order === 0 : sign[0] === "<" ? order < 0 || (sign[1] && order === 0) : order > 0 || (sign[1] && order === 0);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const texts = new Map(rows.map(row => [row, row.cells[column].textContent]));
      rows.sort((a, b) => {
        const one = texts.get(a), other = texts.get(b);
        return one === "" || other === "" ? compare(one, other) : (down ? -1 : 1) * compare(one, other);
      });
      body.append(...rows);
    });
  });
  const field = box.querySelector("input");
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !words.every(word => matches(row, word));
    count.textContent = rows.filter(row => !row.hidden).length + " of " + rows.length;
  });
  field.parentElement.hidden = false;
}
