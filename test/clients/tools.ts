/** A call that every client must make, and the text of its answer, which every client must show. */
export interface ProvenCall {
  /** The tool that answers. */
  readonly tool: string;
  /** The tool that the client calls, as it is listed. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The text itself: the envelope alone would not do. */
  readonly answer: RegExp;
}

/** One tool that is listed, and one that is not, through `call_tool`. */
export const PROVEN_CALLS: readonly ProvenCall[] = [
  { tool: 'status', name: 'status', arguments: {}, answer: /EX-AI [\d.]+ has been up/ },
  {
    tool: 'version',
    name: 'call_tool',
    arguments: { name: 'version', arguments: {} },
    answer: /EX-AI [\d.]+, Node\.js/,
  },
];

/**
 * Checks that this is what the tool of a daemon answered, and no refusal or error of the client's;
 * gives its name.
 */
export function expectAnswer({ tool, answer }: ProvenCall, shown: string): string {
  // Clients show it as text, as JSON, as JSON in a string of JSON, and indented.
  const plain = shown.replaceAll('\\', '').replaceAll(/":\s+/g, '":');
  if (answer.test(plain) && !plain.includes('"status":"error"')) return tool;
  throw new Error(`no answer of ${tool} in: ${shown.slice(0, 2_000)}`);
}

export function expectListed(names: readonly string[]): readonly string[] {
  for (const { name } of PROVEN_CALLS)
    if (!names.includes(name)) throw new Error(`${name} is not listed, but: ${names.join(', ')}`);
  return names;
}
