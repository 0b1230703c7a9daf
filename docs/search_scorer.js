// How the site's search ranks what it finds: Sphinx's own scores; pages for users first, then pages that explain a method or a function, then the
// pages made from the code, last the C and C++ reference and the developers' pages.
const USERS = /^(guide\/|questions|messages|get-started|command-line|distributed|cpp|cython|libsvm|liblinear|scikit-learn)/;
const EXPLAINS = /^(methods\/|reference\/|auto_gallery\/|migrate\/|glossary)/;
const RARE = /^(api\/cpp|developers\/|about\/|reproduce\/|model-format)/;

var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    if (/^(C|C\+\+) .*parameter, /.test(description ?? "")) return score - 20;  // a function's argument
    return score + (USERS.test(page) ? 2 : EXPLAINS.test(page) ? 1 : RARE.test(page) ? -9 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
