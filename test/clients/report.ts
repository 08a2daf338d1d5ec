import { titleOf, WAYS, type Client, type Target, type Way } from './client.ts';
import type { Cell, Row } from './matrix.ts';

const HEADS: Readonly<Record<Way, string>> = {
  http: 'HTTP `/mcp`',
  token: '`/mcp` with a token',
  sse: 'HTTP+SSE `/sse`',
  shim: '`exai stdio`',
};

/** The targets as a user has them. */
const EXAMPLES: Readonly<Record<Way, Target>> = {
  http: { kind: 'remote', transport: 'http', url: 'http://127.0.0.1:8765/mcp' },
  token: { kind: 'remote', transport: 'http', url: 'http://127.0.0.1:8765/mcp', token: '<token>' },
  sse: { kind: 'remote', transport: 'sse', url: 'http://127.0.0.1:8765/sse' },
  shim: { kind: 'local', command: 'exai', args: ['stdio'], env: {} },
};

const REMARKS: Readonly<Record<Way, string>> = {
  http: 'over HTTP',
  token: 'over HTTP, where a token is asked for',
  sse: 'over HTTP+SSE',
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

/** How a user connects each client, as the matrix did. */
export function instructions(clients: readonly Client[]): string {
  const texts = new Map<string, Set<string>>();
  for (const client of clients)
    texts.set(client.name, new Set([...(texts.get(client.name) ?? []), howTo(client)]));
  return [...texts].map(([name, each]) => [`### ${name}`, ...each].join('\n\n')).join('\n\n');
}

function howTo(client: Client): string {
  const setups = (['http', 'shim', 'token', 'sse'] as const)
    .filter((way) => client.ways.includes(way))
    // The old transport is for those that cannot do better.
    .filter((way) => way !== 'sse' || !client.ways.includes('http'))
    .map((way) => ({ way, setup: client.connect(EXAMPLES[way]) }));
  const lines = setups.flatMap(({ way, setup }) =>
    setup.kind === 'command' ? [`# ${REMARKS[way]}`, setup.argv.map(quote).join(' ')] : [],
  );
  const files = setups.flatMap(({ way, setup }) =>
    setup.kind === 'file' ? [inFile(REMARKS[way], setup.path, setup.text)] : [],
  );
  return [...(lines.length > 0 ? [['```sh', ...lines, '```'].join('\n')] : []), ...files].join(
    '\n\n',
  );
}

function inFile(remark: string, path: string, text: string): string {
  return [`\`${path}\`, ${remark}:`, '', '```json', text.trim(), '```'].join('\n');
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
