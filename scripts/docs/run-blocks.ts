import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { startEmulator } from '../../emulator/start.ts';
import type { DocsProblem } from './check-pages.ts';
import { readMarkdownPage } from './markdown-page.ts';

/** The flag of a block that is run: ```sh runnable */
const RUNNABLE = 'runnable';
const DEFAULT_PORT = '8765';
const LIMIT_MS = 120_000;

/** The number of runnable blocks, and those that failed. */
export interface BlocksResult {
  readonly ran: number;
  readonly problems: readonly DocsProblem[];
}

/**
 * Runs every block marked `runnable`, in order, with the built program, against the emulator. Each
 * page has its own home and a git repository with one file, `notes.md`, as its working folder; the
 * default port is replaced by a free one.
 */
export async function runBlocks(paths: readonly string[]): Promise<BlocksResult> {
  const problems: DocsProblem[] = [];
  let ran = 0;
  const emulator = await startEmulator();
  try {
    for (const path of paths) {
      const blocks = readMarkdownPage(path).blocks.filter(({ flags }) => flags.includes(RUNNABLE));
      if (blocks.length === 0) continue;
      const page = await openPage(emulator.url);
      for (const { line, text } of blocks) {
        ran += 1;
        const { code, output } = await page.run(text);
        if (code !== 0) {
          problems.push({ path, line, problem: `The block ended with ${code}:\n${output}` });
        }
      }
      await page.close();
    }
  } finally {
    await emulator.close();
  }
  return { ran, problems };
}

interface PageRun {
  run(script: string): Promise<{ code: number; output: string }>;
  close(): Promise<void>;
}

async function openPage(emulatorUrl: string): Promise<PageRun> {
  const folder = mkdtempSync(join(tmpdir(), 'exai-docs-'));
  const port = await findFreePort();
  const program = join(folder, 'exai');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${resolve('bin/exai.cjs')}" "$@"\n`);
  chmodSync(program, 0o755);
  // Not the home folder: the daemon reads no files for a caller there.
  const project = join(folder, 'project');
  mkdirSync(project);
  spawnSync('git', ['init', '--quiet', project]);
  writeFileSync(join(project, 'notes.md'), '# Notes\n\nThe release is planned for Friday.\n');
  const env = {
    PATH: [folder, process.env['PATH'] ?? ''].join(delimiter),
    HOME: folder,
    LANG: 'C.UTF-8',
    EXAI_HOME: join(folder, 'home'),
    EXAI_PORT: String(port),
    KIMI_API_URL: `${emulatorUrl}/kimi/v1`,
    GLM_API_URL: `${emulatorUrl}/glm/api/paas/v4`,
    KIMI_API_KEY: 'sk-emulated',
    GLM_API_KEY: 'emulated.secret',
  };
  const run = (script: string) =>
    new Promise<{ code: number; output: string }>((done) => {
      const text = script.replaceAll(DEFAULT_PORT, String(port));
      const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
        cwd: project,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: LIMIT_MS,
      });
      const parts: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => parts.push(part));
      child.stderr.on('data', (part: Buffer) => parts.push(part));
      child.on('close', (code) => done({ code: code ?? -1, output: Buffer.concat(parts).toString() }));
    });
  return {
    run,
    async close() {
      await run('exai stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findFreePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => found(port));
    });
  });
}
