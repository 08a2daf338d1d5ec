/** Which files the daemon opens for writing while it reads files of callers. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { findStrace } from '../../scripts/system-programs.ts';
import { archiveOf, docxOf } from '../../src/extract/documents/office/office-files.fixture.ts';
import { png } from '../cases/provider-png.ts';
import { openClient } from '../cases/tools-client.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { makePdf } from '../make-pdf.ts';
import { verifies } from '../verifies.ts';

const MARK = 'The well at Orford is 57 feet deep';
/** Calls that create, open, rename or change files. */
const CALLS =
  'open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,mkdir,mkdirat,mknod,mknodat,truncate';
const strace = findStrace();
const canTrace =
  strace !== undefined && spawnSync(strace, ['-qq', '-o', '/dev/null', 'true']).status === 0;

/** What the daemon itself writes in its home: the store, logs, and what a start leaves. */
const OWN = [
  /^data\/exai\.db(?:-wal|-shm|-journal)?$/,
  /^audit-head(?:\.tmp)?$/,
  /^data\/(?:audit-keys\.json|writer-id)(?:\.\d+\.tmp)?$/,
  /^logs\/[\w.-]+\.jsonl$/,
  /^(?:daemon|start)[\w.-]*$/,
  /^(?:data|logs|cache|backups|workspaces)$/,
  /^\.env[\w.-]*$/,
];

let folder: string;
let harness: ToolsHarness;

describe.skipIf(!canTrace && !process.env['CI'])('the daemon', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'exai-trace-'));
    // The daemon stays the child, and strace watches from beside it.
    const watcher = [strace ?? '', '-D', '-f', '-qq', '-s', '4096', '-e', `trace=${CALLS}`];
    harness = await openToolsHarness({ watcher: [...watcher, '-o', join(folder, 'trace')] });
  });
  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true, force: true });
  });

  verifies('files:not-on-disk', 'writes files of callers to its store alone', async () => {
    const client = await openClient(harness, 'http legacy');
    writeFileSync(join(harness.project, 'well.pdf'), makePdf(MARK));
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
    const body = `<w:p><w:r><w:t>${MARK}</w:t></w:r></w:p>`;
    // So long that its content is taken out of the call before the rest is read.
    const noise = randomBytes(4_000_000).toString('base64');
    const files = [
      'well.pdf',
      { filename: 'well.docx', content: base64(docxOf(body)) },
      { filename: 'wells.zip', content: base64(archiveOf({ 'a/well.txt': MARK })) },
      { filename: 'big.docx', content: base64(docxOf(body, { 'word/noise.bin': noise })) },
      `data:text/plain;base64,${base64(Buffer.from(MARK))}`,
      { uri: 'file:///x/well.md', text: MARK },
    ];
    const images = [{ filename: 'well.png', content: base64(png(4, 4)) }];
    for (const [tool, args] of [
      ['chat', { prompt: 'How deep is it?', files, images }],
      ['chat', { prompt: 'How deep is it?', files, model: 'kimi-k2.6' }],
      ['file_chat', { prompt: 'How deep is it?', files: files.slice(0, 3) }],
      ['kimi_upload_and_extract', { files: ['well.pdf', files[1]], include_text: true }],
      ['kimi_multi_file_chat', { prompt: 'How deep is it?', files: files.slice(0, 2) }],
      ['glm_upload_file', { file: files[1] }],
    ] as const) {
      const { envelope } = await client.call(tool, args);
      expect([tool, envelope.status, envelope.detail]).toEqual([tool, 'success', envelope.detail]);
    }
    await upload(Buffer.from(`${MARK}\n`.repeat(200_000)));
    await client.close();
    await harness.lookInto(async () => undefined);

    const written = writtenPaths(readFileSync(join(folder, 'trace'), 'utf8'));
    // The trace shows something at all.
    expect(written.some((path) => path.endsWith('/data/exai.db-wal'))).toBe(true);
    const foreign = written.filter((path) => !isOwn(path));
    expect(foreign).toEqual([]);
    expect(filesWith(MARK, harness.home)).toEqual([]);
  });
});

async function upload(content: Buffer): Promise<void> {
  const form = new FormData();
  form.append('purpose', 'assistants');
  form.append('file', new Blob([new Uint8Array(content)]), 'wells.txt');
  const headers = { authorization: `Bearer ${harness.ownerToken}` };
  const answer = await fetch(`${harness.url()}/v1/files`, { method: 'POST', body: form, headers });
  expect(answer.status).toBe(200);
}

/** The absolute paths that calls which succeeded opened for writing, created or renamed. */
function writtenPaths(trace: string): readonly string[] {
  const paths = new Set<string>();
  for (const line of trace.split('\n')) {
    if (/= -1 E[A-Z]+/.test(line)) continue;
    const isOpen = /\bopen(?:at2?)?\(/.test(line);
    if (isOpen && !/O_WRONLY|O_RDWR|O_CREAT/.test(line)) continue;
    for (const [, path = ''] of line.matchAll(/"((?:[^"\\]|\\.)*)"/g)) paths.add(path);
  }
  return [...paths].toSorted();
}

function isOwn(path: string): boolean {
  if (/^\/(?:dev|proc)\//.test(path)) return true;
  const { home } = harness;
  if (path === home) return true;
  return path.startsWith(`${home}/`) && OWN.some((own) => own.test(path.slice(home.length + 1)));
}

/** Files of the daemon beside its store that contain a text. */
function filesWith(text: string, home: string): readonly string[] {
  const encoded = Buffer.from(text).toString('base64').slice(0, 24);
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(home, name);
    if (name.startsWith('data/') || !statSync(path).isFile()) return false;
    const content = readFileSync(path, 'latin1');
    return content.includes(text) || content.includes(encoded);
  });
}
