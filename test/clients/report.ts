import { titleOf, WAYS, type Client, type Shown, type Target, type Way } from './client.ts';
import type { Cell, Row } from './matrix.ts';
import type { Refusal } from './refusals.ts';

const HEADS: Readonly<Record<Way, string>> = {
  shim: '`exai stdio`',
  init: 'entry of `exai init`',
  http: 'HTTP `/mcp`',
  sse: 'HTTP+SSE `/sse`',
};

/** The shell puts the owner's token in. */
const TOKEN = '$(exai token show)';

/** The targets as a user has them. */
const EXAMPLES: Readonly<Record<Exclude<Way, 'init'>, Target>> = {
  http: { kind: 'remote', transport: 'http', url: 'http://127.0.0.1:8765/mcp', token: TOKEN },
  sse: { kind: 'remote', transport: 'sse', url: 'http://127.0.0.1:8765/sse', token: TOKEN },
  shim: { kind: 'local', command: 'exai', args: ['stdio'], env: {} },
};

const REMARKS: Readonly<Record<Exclude<Way, 'init'>, string>> = {
  http: 'over HTTP, with the token',
  sse: 'over HTTP+SSE, with the token',
  shim: 'through the shim',
};

/** The matrix as a Markdown table. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ client, version, cells }) => [
    titleOf(client),
    client.how.is === 'run' ? version : `${version}, replayed, not run`,
    ...WAYS.map((way) => toText(cells.get(way))),
  ]);
  const head = ['client', 'version', ...WAYS.map((way) => HEADS[way])];
  return [head, head.map(() => '---'), ...lines]
    .map((each) => `| ${each.join(' | ')} |`)
    .join('\n');
}

function toText(cell: Cell | undefined): string {
  if (cell === undefined) return '–';
  return cell.is === 'failed' ? '**fails**' : `lists ${cell.listed}, calls`;
}

/** What each client says about a missing and about a wrong token, as a Markdown table. */
export function refusalTable(refusals: readonly Refusal[]): string {
  const head = ['client', 'without a token', 'with a wrong token'];
  const lines = refusals.map(({ client, missing, wrong }) => [
    client.name,
    ...[missing, wrong].map((shown) => shown.map(quotation).join('<br>')),
  ]);
  return [head, head.map(() => '---'), ...lines]
    .map((each) => `| ${each.join(' | ')} |`)
    .join('\n');
}

function quotation({ where, words }: Shown): string {
  // Of an answer of ours that is cited whole, what it says.
  const shorter = words.replace(
    /\{.*"(?:message|error_description)":"((?:[^"\\]|\\.)*)".*$/,
    (_, message: string) => `{…${message}…}`,
  );
  const plain = shorter.replaceAll('\\"', '"').replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return `${where}: “${plain}”`;
}

/** How a user connects each client, as the matrix did. */
export function instructions(clients: readonly Client[]): string {
  const texts = new Map<string, Set<string>>();
  for (const client of clients)
    texts.set(client.name, new Set([...(texts.get(client.name) ?? []), howTo(client)]));
  return [...texts].map(([name, each]) => [`### ${name}`, ...each].join('\n\n')).join('\n\n');
}

function howTo(client: Client): string {
  const setups = (['shim', 'http', 'sse'] as const)
    .filter((way) => client.ways.includes(way))
    // The old transport is for those that cannot do better.
    .filter((way) => way !== 'sse' || !client.ways.includes('http'))
    .map((way) => ({ way, setup: client.connect(EXAMPLES[way]) }));
  const lines = setups.flatMap(({ way, setup }) =>
    setup.kind === 'command' ? [`# ${REMARKS[way]}`, ...shellLines(setup.argv)] : [],
  );
  const files = setups.flatMap(({ way, setup }) =>
    setup.kind === 'file' ? [inFile(REMARKS[way], setup.path, setup.text)] : [],
  );
  return [...(lines.length > 0 ? [['```sh', ...lines, '```'].join('\n')] : []), ...files].join(
    '\n\n',
  );
}

/** A client that takes the name of a variable needs the variable, too. */
function shellLines(argv: readonly string[]): string[] {
  const variable = argv[argv.indexOf('--bearer-token-env-var') + 1];
  const line = argv.map(quote).join(' ');
  return argv.includes('--bearer-token-env-var')
    ? [`export ${variable}="${TOKEN}"   # set it wherever the client is started`, line]
    : [line];
}

function inFile(remark: string, path: string, text: string): string {
  // No shell reads a file.
  const shown = text.trim().replaceAll(TOKEN, '<token>');
  return [`\`${path}\`, ${remark}:`, '', '```json', shown, '```'].join('\n');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`;
}

/** Puts a text between the two marks of that name. */
export function replaceBlock(document: string, name: string, text: string): string {
  const [before, after] = document.split(
    new RegExp(`(?<=<!-- ${name} -->\n)[^]*(?=<!-- /${name} -->)`),
  );
  if (before === undefined || after === undefined) throw new Error(`no block ${name}`);
  return `${before}\n${text}\n\n${after}`;
}
