const ENDING =
  /(?:ation|ition|ional|ator|ment|able|ible|ance|ence|ical|abl|ibl|anc|enc|iti|ity|ist|ism|ive|ant|ent|ion|ual|ial|ure|age|ing|iv|al|ic|or|er|at|ur|e|i|y)$/;
const WORD = /^[a-z]{5,}$/;
const MIN_CHARS = 5;
const MAX_ENDINGS = 2;

/**
 * What a stem has in common with those of words derived from the same one: `translat` and `translator`
 * are `transl`. It joins words that mean different things, too, so it only relates them.
 */
export function wordRoot(stem: string): string {
  let root = stem;
  if (!WORD.test(stem)) return root;
  for (let cut = 0; cut < MAX_ENDINGS; cut += 1) {
    const shorter = root.replace(ENDING, '');
    if (shorter.length < MIN_CHARS) break;
    root = shorter;
  }
  return root;
}
