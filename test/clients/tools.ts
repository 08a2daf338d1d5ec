import { makePdf } from '../make-pdf.ts';

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

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');

/** A file in each form that holds its content; the daemon has no model, and quotes what it got. */
const FILES = [
  {
    filename: 'gate.pdf',
    content: base64(makePdf('The gate has 13 arches.')),
    mime_type: 'application/pdf',
  },
  { name: 'tower.txt', text: 'The tower has 31 windows.' },
  `data:text/plain;name=harbour.txt;base64,${base64('The harbour has 44 piers.')}`,
  {
    uri: 'file:///elsewhere/windmill.md',
    blob: base64('The windmill has 6 sails.'),
    mimeType: 'text/markdown',
  },
];

/** One tool that is listed, one that is not, through `call_tool`, and one that gets files. */
export const PROVEN_CALLS: readonly ProvenCall[] = [
  { tool: 'status', name: 'status', arguments: {}, answer: /EX-AI [\d.]+ has been up/ },
  {
    tool: 'version',
    name: 'call_tool',
    arguments: { name: 'version', arguments: {} },
    answer: /EX-AI [\d.]+, Node\.js/,
  },
  {
    tool: 'chat',
    name: 'chat',
    arguments: { prompt: 'What do gate, tower, harbour and windmill have?', files: FILES },
    answer: /(?=[^]*13 arches)(?=[^]*31 windows)(?=[^]*44 piers)(?=[^]*6 sails)/,
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
