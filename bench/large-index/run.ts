/**
 * `file_chat` over 1 GB of text in 500 files, which no context window holds: the daemon indexes them,
 * answers from the best passages, and answers a second question. No model is asked: without a key the
 * passages are quoted. Measured are the memory of the daemon at most, its CPU time, and the size of its store.
 */
import { execFile, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { report } from '../report.ts';

const FILES = 500;
const BYTES_PER_FILE = 2_000_000;
const VOCABULARY = 50_000;
const SENTENCES = 20_000;
const MAX_RSS_MB = 400;
const TICKS_PER_SECOND = 100;
const run = promisify(execFile);

/** Numbers of 0..1 that are the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Paragraphs of sentences whose words are as frequent as those of a language, with one fact per file. */
function writeFiles(folder: string): void {
  const random = createRandom(7);
  const wordOf = () => `w${Math.floor(VOCABULARY ** random()).toString(36)}`;
  const sentences = Array.from(
    { length: SENTENCES },
    () => `${Array.from({ length: 8 + Math.floor(random() * 10) }, wordOf).join(' ')}.`,
  );
  for (let file = 0; file < FILES; file += 1) {
    const paragraphs: string[] = [`Vault ${file} is opened with the key named sesame${file}.`];
    for (let bytes = 0; bytes < BYTES_PER_FILE - 1_000;) {
      const some = Array.from(
        { length: 5 },
        () => sentences[Math.floor(random() * SENTENCES)] ?? '',
      );
      const paragraph = some.join(' ');
      paragraphs.push(paragraph);
      bytes += paragraph.length + 2;
    }
    writeFileSync(join(folder, `part-${file}.txt`), paragraphs.join('\n\n'));
  }
}

const home = mkdtempSync(join(tmpdir(), 'exai-bench-index-'));
const folder = join(home, 'files');
mkdirSync(folder);
writeFiles(folder);
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  EXAI_HOME: join(home, 'exai'),
  EXAI_ALLOWED_DIRS: folder,
};
const daemon = spawn(process.execPath, ['bin/exai.cjs', 'serve', '--port', '0'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const pid = daemon.pid ?? 0;

function peakMb(): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Asks for the fact of a file, which the answer must have. */
async function ask(file: number): Promise<number> {
  const before = cpuSeconds();
  const question = `prompt=With which key is vault ${file} opened?`;
  const args = ['bin/exai.cjs', 'call', 'file_chat', question, `files=${folder}`];
  const { stdout } = await run(process.execPath, [...args, '--timeout', '7200'], { env });
  if (!stdout.includes(`sesame${file}.`)) throw new Error(`The answer lacks the fact: ${stdout}`);
  return cpuSeconds() - before;
}

function folderBytes(path: string): number {
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

try {
  await new Promise((resolve) => daemon.stdout.once('data', resolve));
  const first = await ask(Math.floor(FILES / 3));
  const indexing = peakMb();
  const second = await ask(Math.floor(FILES / 2));
  const peak = peakMb();
  const stored = folderBytes(join(home, 'exai', 'data')) / folderBytes(folder);
  const goal = { goal: `≤ ${MAX_RSS_MB} MB`, ok: peak <= MAX_RSS_MB };
  const what = `${(FILES * BYTES_PER_FILE) / 1_000_000_000} GB in ${FILES} files`;
  report('large-index', [
    { what: `${what}: CPU of indexing and the first question`, value: first, unit: 's' },
    { what: `${what}: memory by then`, value: indexing, unit: 'MB' },
    { what: `${what}: CPU of a second question`, value: second, unit: 's' },
    { what: `${what}: memory at most`, value: peak, unit: 'MB', ...goal },
    { what: `${what}: size of the store, of the size of the text`, value: stored, unit: '×' },
  ]);
} finally {
  daemon.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
}
process.exit(0);
