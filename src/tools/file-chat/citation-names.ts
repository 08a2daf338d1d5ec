/** What a model sees as the name of a file; the manager shows no more of a name. */
const MAX_CHARS = 180;
/** Control characters, and those that hide or reverse the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;
/** A name with such an end would read as a place in another file. */
const PLACE_END =
  /(?:\b(?:p|pp|page|pages|slide|slides|sheet|section|sections|chapter|line|lines|l)\b\.?\s*\d*|[:,]\s*l?\d+|[-–]\s*\d+|[:;,.\s'])$/iu;

/**
 * The names that citations use, in the order of the files: one line each, without brackets and
 * quotes, never like a place, and no two alike.
 */
export function citationNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = plainName(name);
    let unique = plain;
    for (let number = 2; taken.has(foldName(unique)); number++) unique = `${plain} (${number})`;
    taken.add(foldName(unique));
    return unique;
  });
}

function plainName(name: string): string {
  const line = name
    .toWellFormed()
    .replaceAll(UNSEEN, ' ')
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll(/["“”„‟«»<>]/gu, "'")
    .trim();
  const short = line.length > MAX_CHARS ? `…${line.slice(-MAX_CHARS).toWellFormed()}` : line;
  if (short === '') return 'file';
  return PLACE_END.test(short) ? `${short} (file)` : short;
}

/** Names that differ in case or in the form of their letters alone are one name in a citation. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}
