// How the site's search ranks what it finds: Sphinx's own scores, and pages for users before the C and C++ reference and the developers' pages.
const USERS = /^(guide\/|questions|messages|get-started|command-line|distributed|cpp|cython|libsvm|liblinear|scikit-learn)/;
const RARE = /^(api\/cpp|developers\/|about\/|reproduce\/|model-format)/;

var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    if (/^(C|C\+\+) .*parameter, /.test(description ?? "")) return score - 20;  // a function's argument
    return score + (USERS.test(page) ? 2 : RARE.test(page) ? -9 : 0);
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
