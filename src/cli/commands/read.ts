import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { ReadDocument } from '#app/reading/read-document.ts';
import { CallError } from '#core/errors/call-error.ts';
import { oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { escapeControls, escapeJsonControls } from '../format/escape-controls.ts';
import type { Io } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';
import { writeOutputFile } from '../write-file.ts';

/** The limit of the extractor. */
const MAX_BYTES = 32 * 1024 * 1024;
const WHAT = 'file or URL';
const METHOD = 'exai/read';
/** Longer than the daemon's own limit for a page. */
const TIMEOUT_MS = 90_000;

/** What was read, and where it is from. */
interface ReadResult {
  readonly url?: string;
  readonly source: 'file' | 'stdin' | 'network' | 'cache' | 'confirmed';
  readonly document: ReadDocument;
}

export const command = defineCommand({
  name: 'read',
  summary: 'Convert a web page or an HTML file to Markdown',
  about:
    'Prints the main text of a page as Markdown, without navigation and advertisements. A URL is fetched by the daemon, ' +
    'which is started if needed, from public addresses only; pages are cached for 15 minutes. Files and standard input ' +
    'need no daemon. No model is called.\n' +
    '  exai read https://example.com/article\n' +
    '  exai read saved.html --to article.md\n' +
    '  curl -s https://example.com | exai read - --json',
  positionals: [
    {
      name: WHAT,
      need: 'required',
      help: 'An http or https address, a file, or - for standard input',
    },
  ],
  options: {
    to: { type: 'string', value: 'FILE', help: 'Write to a file instead of standard output' },
    force: { type: 'boolean', help: 'Overwrite the file if it exists' },
    text: { type: 'boolean', help: 'Print plain text instead of Markdown' },
    json: { type: 'boolean', help: 'Print metadata, Markdown and text as one JSON document' },
  },
  async run({ options, positionals }, io) {
    const result = await read(positionals[WHAT] ?? '', io);
    const output = options.json
      ? `${escapeJsonControls(JSON.stringify(result, null, 2))}\n`
      : withLineEnd(textOf(result.document, options.text === true ? 'text' : 'markdown'));
    if (options.to !== undefined) {
      writeOutputFile(options.to, output, options.force ? 'overwrite' : 'keep');
    } else if (io.width === undefined || options.json) io.documents.write(output);
    else io.stdout.write(escapeControls(output));
    if (!options.json) io.stderr.write(`${escapeControls(describe(result, options.to))}\n`);
  },
});

async function read(what: string, io: Io): Promise<ReadResult> {
  if (/^https?:\/\//i.test(what)) return readUrl(what, io);
  const { readLocal } = await import('#app/reading/read-local.ts');
  if (what === '-') {
    const bytes = await readStdinBytes();
    return { source: 'stdin', document: await readLocal(bytes, undefined, io.signal) };
  }
  const bytes = readFile(what);
  return { source: 'file', document: await readLocal(bytes, basename(what), io.signal) };
}

function readUrl(url: string, io: Io): Promise<ReadResult> {
  return runWithDaemon(
    io,
    async (client) =>
      (await client.request(METHOD, { url }, { timeoutMs: TIMEOUT_MS })) as ReadResult,
  );
}

function readFile(path: string): Uint8Array {
  const field = WHAT;
  try {
    const about = statSync(path);
    if (!about.isFile()) {
      throw new CallError('validation', `${oneLine(path, 200)} is not a file.`, { field });
    }
    requireSize(about.size);
    return readFileSync(path);
  } catch (thrown) {
    if (thrown instanceof CallError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      throw new CallError('not_found', `There is no file ${oneLine(path, 200)}.`, {
        field,
        fix: 'An address begins with http:// or https://.',
      });
    }
    throw new CallError(
      'permission',
      `${oneLine(path, 200)} cannot be read (${code ?? 'error'}).`,
      {
        field,
        cause: thrown,
      },
    );
  }
}

async function readStdinBytes(): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    size += part.length;
    requireSize(size);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function requireSize(bytes: number): void {
  if (bytes <= MAX_BYTES) return;
  throw new CallError('too_large', `The document is larger than ${MAX_BYTES} bytes.`, {
    field: WHAT,
    fix: 'Read a smaller document, or a part of this one.',
  });
}

function textOf(document: ReadDocument, view: 'markdown' | 'text'): string {
  return document.is === 'text' ? document.text : document[view];
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** One line about what was read. */
function describe({ document, source }: ReadResult, file: string | undefined): string {
  const text = textOf(document, 'text');
  const words = text.split(/\s+/u).filter((word) => word !== '').length;
  const parts =
    document.is === 'page'
      ? [document.title ?? 'no title', document.kind, document.author, document.date]
      : ['plain text'];
  const from = source === 'cache' ? 'from the cache' : source === 'confirmed' ? 'unchanged' : '';
  const facts = [...parts, `${words} words`, from].filter(
    (part) => part !== undefined && part !== '',
  );
  const written = file === undefined ? '' : `; written to ${file}`;
  const browser =
    document.is === 'page' && document.needsBrowser !== undefined
      ? '\nThe page is probably incomplete: its text is written by scripts, which are not run.'
      : '';
  return `${facts.join(' · ')}${written}${browser}`;
}
