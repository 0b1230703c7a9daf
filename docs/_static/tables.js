// On a phone, a table of sentences that is wider than the screen becomes a list of its rows (site.css, "as-list"): who reads does not have to move it to and fro.
// Tables of numbers stay tables, so that their columns can be compared.
document.addEventListener("DOMContentLoaded", () => {
  const phone = window.matchMedia("(max-width: 600px)");
  const sentence = 30; // characters, from which on a cell is more than a number with its unit

  const arrange = () => {
    for (const table of document.querySelectorAll(".bd-article table:not(.autosummary)")) {
      table.classList.remove("as-list");
      const rows = [...table.querySelectorAll("tbody tr")];
      const names = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
      const long = rows.some((row) => [...row.cells].slice(1).some((cell) => cell.textContent.length > sentence));
      if (!phone.matches || !long || table.scrollWidth <= table.clientWidth) continue;
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
