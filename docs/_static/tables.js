// On a phone, a table of sentences becomes a list of its rows (site.css, "as-list"), so that nobody has to move it sideways to read.
// Tables of numbers stay tables, so that their columns can be compared; a number and its unit stay in one line where the table has room for it.
document.addEventListener("DOMContentLoaded", () => {
  const phone = window.matchMedia("(max-width: 600px)");
  const sentence = 40; // characters, from which on a cell is more than a number with its unit or a name
  const number = /^[-+~<>]?\s?\d.{0,18}$/; // a short cell that begins with one

  const arrange = () => {
    for (const table of document.querySelectorAll(".bd-article table:not(.autosummary, .genindextable)")) {
      table.classList.remove("as-list", "one-line");
      const rows = [...table.querySelectorAll("tbody tr")];
      const names = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
      const long = rows.some((row) => [...row.cells].some((cell) => cell.textContent.length > sentence));
      const fits = names.length <= 2 && table.scrollWidth <= table.clientWidth;
      if (!phone.matches || !long || fits) {
        const width = table.scrollWidth;
        for (const cell of table.querySelectorAll("td")) cell.classList.toggle("number", number.test(cell.textContent.trim()));
        table.classList.add("one-line");
        if (table.scrollWidth > Math.max(width, table.clientWidth)) table.classList.remove("one-line");
        continue;
      }
      for (const row of rows) {
        [...row.cells].forEach((cell, i) => {
          // two columns need no names: a thing, and what is said about it
          if (i > 0 && names.length > 2 && names[i]) cell.dataset.column = names[i];
        });
      }
      table.classList.add("as-list");
    }
  };

  arrange();
  phone.addEventListener("change", arrange);
});
