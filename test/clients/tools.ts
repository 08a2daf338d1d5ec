/**
 * The tools that every client must list and call, and the text of an answer of theirs, which every
 * client must show: the envelope alone would not do.
 */
const ANSWERS = {
  version: /EX-AI [\d.]+, Node\.js/,
  status: /EX-AI [\d.]+ has been up/,
} as const;

export type ProvenTool = keyof typeof ANSWERS;
export const PROVEN_TOOLS = Object.keys(ANSWERS) as readonly ProvenTool[];

/** Whether this is what the tool of a daemon answered, and no refusal or error of the client's. */
export function isAnswer(tool: ProvenTool, shown: string): boolean {
  // Clients show it as text, as JSON, as JSON in a string of JSON, and indented.
  const plain = shown.replaceAll('\\', '').replaceAll(/":\s+/g, '":');
  return ANSWERS[tool].test(plain) && !plain.includes('"status":"error"');
}

export function expectAnswer(tool: ProvenTool, shown: string): ProvenTool {
  if (!isAnswer(tool, shown)) throw new Error(`no answer of ${tool} in: ${shown.slice(0, 2_000)}`);
  return tool;
}

export function expectListed(names: readonly string[]): readonly string[] {
  for (const tool of PROVEN_TOOLS)
    if (!names.includes(tool)) throw new Error(`${tool} is not listed, but: ${names.join(', ')}`);
  return names;
}
