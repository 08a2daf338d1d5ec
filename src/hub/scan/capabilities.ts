/** The words of a name: `readWholeFile` and `read_whole-file`. */
export function wordsOfName(name: string): readonly string[] {
  return name
    .slice(0, 256)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Verbs at the beginning of a name that change something. */
const CHANGING = new Set(
  'delete remove drop destroy purge erase wipe truncate overwrite kill terminate uninstall'.split(
    ' ',
  ),
);

/** Whether a tool that claims only to read has a name that says it destroys. */
export function claimsToRead(nameWords: readonly string[], annotations: unknown): boolean {
  const { readOnlyHint } = (annotations ?? {}) as { readonly readOnlyHint?: unknown };
  return readOnlyHint === true && CHANGING.has(nameWords[0] ?? '');
}
