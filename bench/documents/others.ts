/** The programs that are compared: poppler's pdftotext and pandoc, where they are installed. */
import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import { pathOf, type CaseOutput, type DocumentCase } from './cases.ts';

const TIMEOUT_MS = 20_000;
const PANDOC = new Set(['.docx', '.odt', '.epub', '.html', '.ipynb', '.csv', '.rtf']);

export interface Other {
  readonly name: string;
  readonly extensions: ReadonlySet<string>;
  command(path: string): readonly [program: string, args: readonly string[]];
}

const POPPLER: Other = {
  name: 'pdftotext',
  extensions: new Set(['.pdf']),
  command: (path) => ['pdftotext', ['-layout', path, '-']],
};

const PANDOC_PROGRAM: Other = {
  name: 'pandoc',
  extensions: PANDOC,
  command: (path) => ['pandoc', ['--to=gfm', '--wrap=none', path]],
};

export function installedOthers(): readonly Other[] {
  return [POPPLER, PANDOC_PROGRAM].filter(
    (other) => spawnSync(other.command('')[0], ['--version']).error === undefined,
  );
}

export function canRead(other: Other, each: DocumentCase): boolean {
  return other.extensions.has(extname(each.file));
}

export function readWith(other: Other, each: DocumentCase): CaseOutput {
  const [program, args] = other.command(pathOf(each));
  const { stdout, stderr, status, signal } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (signal !== null) return { timeout: true };
  if (status !== 0) return { error: stderr.trim() || `exit ${status}` };
  const pages = program === 'pdftotext' ? stdout.split('\f').length - 1 : undefined;
  return { text: stdout, ...(pages !== undefined && { pages }) };
}
