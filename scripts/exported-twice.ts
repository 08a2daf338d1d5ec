/** Exported names that may exist in more than one file, each with the reason. */
export const TWICE: ReadonlyMap<string, string> = new Map([
  [
    'command',
    'each file of cli/commands exports one, and the table of commands imports it by path',
  ],
]);
