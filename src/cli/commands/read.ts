import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { CallError } from '#core/errors/call-error.ts';
import { documentMarkdown, documentText } from '#core/extract/document-text.ts';
import type { DocumentSource, PageRange, ReadDocument } from '#core/extract/document.ts';
import { oneLine } from '#core/text/text.ts';
import { defineCommand } from '../command.ts';
import { escapeControls, escapeJsonControls } from '../format/escape-controls.ts';
import type { Io } from '../io.ts';
import { cliRenderer } from '../messages/cli-sentences.ts';
import { readSecret } from '../read-secret.ts';
import { runWithDaemon } from '../run-with-daemon.ts';
import { writeOutputFile } from '../write-file.ts';

/** The limit of the extractor. */
const MAX_BYTES = 128 * 1024 * 1024;
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
  summary: 'Convert a web page or a document to Markdown',
  about:
    'Reads web pages, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB, RTF, mail, CSV, notebooks and text. Of a web page the ' +
    'main text is printed, without navigation and advertisements; of other documents the whole text. A URL is fetched by the ' +
    'daemon, which is started if needed, from public addresses only; pages are cached for 15 minutes. Files and standard ' +
    'input need no daemon. No model is called.\n' +
    '  exai read https://example.com/article\n' +
    '  exai read report.pdf --pages 3-7\n' +
    '  exai read costs.xlsx --to costs.md\n' +
    '  curl -s https://example.com | exai read - --json',
  positionals: [
    {
      name: WHAT,
      need: 'required',
      help: 'An http or https address, a file, or - for standard input',
    },
  ],
  options: {
    pages: {
      type: 'string',
      value: 'RANGE',
      help: 'Read these pages, slides, sheets or chapters alone: 3, 3-7 or 3-',
    },
    password: {
      type: 'string',
      value: 'TEXT',
      help: 'The password of an encrypted document (default: prompt)',
    },
    to: { type: 'string', value: 'FILE', help: 'Write to a file instead of standard output' },
    force: { type: 'boolean', help: 'Overwrite the file if it exists' },
    text: { type: 'boolean', help: 'Print the text without links, images and page marks' },
    json: {
      type: 'boolean',
      help: 'Print metadata and the text by its places as one JSON document',
    },
  },
  async run({ options, positionals }, io) {
    const chosen: ReadOptions = {
      ...(options.password !== undefined && { password: options.password }),
      ...(options.pages !== undefined && { pages: parsePages(options.pages) }),
    };
    const result = await readWithPassword(positionals[WHAT] ?? '', chosen, io);
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

type ReadOptions = Pick<DocumentSource, 'password' | 'pages'>;

/** Asks for the password of an encrypted document on a terminal. */
async function readWithPassword(what: string, options: ReadOptions, io: Io): Promise<ReadResult> {
  try {
    return await read(what, options, io);
  } catch (thrown) {
    const needsPassword = thrown instanceof CallError && thrown.field === 'password';
    const canAsk = options.password === undefined && what !== '-' && process.stdin.isTTY;
    if (!needsPassword) throw thrown;
    if (!canAsk) {
      throw new CallError(thrown.class, thrown.message, {
        field: '--password',
        fix: 'Add the password of the document: --password TEXT',
      });
    }
    const password = await readSecret('Password of the document: ', io.stderr);
    return read(what, { ...options, password }, io);
  }
}

async function read(what: string, options: ReadOptions, io: Io): Promise<ReadResult> {
  if (/^https?:\/\//i.test(what)) return readUrl(what, options, io);
  const { readLocal } = await import('#app/reading/read-local.ts');
  if (what === '-') {
    const bytes = await readStdinBytes();
    return { source: 'stdin', document: await readLocal(bytes, options, io.signal) };
  }
  const source = { ...options, name: basename(what) };
  return { source: 'file', document: await readLocal(readFile(what), source, io.signal) };
}

function readUrl(url: string, options: ReadOptions, io: Io): Promise<ReadResult> {
  return runWithDaemon(
    io,
    async (client) =>
      (await client.request(METHOD, { url, ...options }, { timeoutMs: TIMEOUT_MS })) as ReadResult,
  );
}

/** `3`, `3-7`, `3-` or `-7`. */
function parsePages(text: string): PageRange {
  const [, from = '', dash = '', to = ''] = /^(\d{0,9})(-?)(\d{0,9})$/.exec(text.trim()) ?? [];
  const first = from === '' ? 1 : Number(from);
  const last = dash === '' ? first : to === '' ? Number.MAX_SAFE_INTEGER : Number(to);
  if ((from === '' && to === '') || first < 1 || last < first) {
    throw new CallError('validation', '--pages must be a page or a range of pages.', {
      field: '--pages',
      fix: 'Example: --pages 3-7',
    });
  }
  return { first, last };
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

/** Of a web page the main text, of other documents all of it. */
function textOf(document: ReadDocument, view: 'markdown' | 'text'): string {
  if (document.page !== undefined) return document.page[view];
  return view === 'markdown' ? documentMarkdown(document) : documentText(document);
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** One line about what was read, and its notices. */
function describe({ document, source }: ReadResult, file: string | undefined): string {
  const { format, page, title, author, date, pageCount } = document;
  const words = textOf(document, 'text')
    .split(/\s+/u)
    .filter((word) => word !== '').length;
  const from = source === 'cache' ? 'from the cache' : source === 'confirmed' ? 'unchanged' : '';
  const facts = [
    page?.title ?? title,
    page?.kind ?? format,
    page?.author ?? author,
    page?.date ?? date,
    pageCount === undefined ? '' : formatCount(pageCount, UNITS[format] ?? 'page'),
    formatCount(words, 'word'),
    from,
  ].filter((part) => part !== undefined && part !== '');
  const written = file === undefined ? '' : `; written to ${file}`;
  const browser =
    page?.needsBrowser === undefined
      ? []
      : ['The page is probably incomplete: its text is written by scripts, which are not run.'];
  const empty = words === 0 ? ['The document has no text.'] : [];
  const notices = document.notices.map((each) => cliRenderer.notice(each));
  return [`${facts.join(' · ')}${written}`, ...empty, ...notices, ...browser].join('\n');
}

function formatCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** What a part of a format is called. */
const UNITS: Partial<Record<ReadDocument['format'], string>> = {
  pptx: 'slide',
  odp: 'slide',
  ppt: 'slide',
  xlsx: 'sheet',
  ods: 'sheet',
  xls: 'sheet',
  epub: 'chapter',
};
