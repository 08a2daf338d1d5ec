const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word for a command that people copy into a shell: as it is, or in quotes where the shell would take it apart. */
export function shellQuote(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
