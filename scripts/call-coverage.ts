/**
 * Counts the source files that a call runs through. A daemon from the sources runs with V8's
 * coverage, once for the baseline and once with the call; what only the second run executes is the
 * call's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startEmulator } from '../emulator/start.ts';

const root = path.resolve(import.meta.dirname, '..');
const TOKEN = 'shape-token-0123456789abcdef';

interface Daemon {
  readonly mcp: Client;
  readonly post: (target: string, body: unknown) => Promise<string>;
}

type Drive = (daemon: Daemon) => Promise<unknown>;

/** Files and functions that only the call runs. */
export interface CallCoverage {
  readonly files: readonly string[];
  readonly functions: number;
}

/** One `tools/call chat` over HTTP, and one streamed `POST /v1/chat/completions`. */
export async function measureCalls(): Promise<{ tool: CallCoverage; stream: CallCoverage }> {
  const question = 'What is 2 + 3?';
  const baseline = await run(async ({ mcp }) => mcp.listTools());
  const tool = await run(async ({ mcp }) => {
    await mcp.listTools();
    await mcp.callTool({ name: 'chat', arguments: { prompt: question } });
  });
  const stream = await run(async ({ mcp, post }) => {
    await mcp.listTools();
    await post('/v1/chat/completions', {
      model: 'auto',
      stream: true,
      messages: [{ role: 'user', content: question }],
    });
  });
  return { tool: beyond(tool, baseline), stream: beyond(stream, baseline) };
}

function beyond(run: ReadonlySet<string>, baseline: ReadonlySet<string>): CallCoverage {
  const functions = [...run].filter((key) => !baseline.has(key));
  const files = new Set(functions.map((key) => key.slice(0, key.indexOf(' '))));
  return { files: [...files].toSorted(), functions: functions.length };
}

/** The functions that ran, each as `file start-end`. */
async function run(drive: Drive): Promise<ReadonlySet<string>> {
  const home = mkdtempSync(path.join(tmpdir(), 'exai-shape-'));
  const coverage = path.join(home, 'coverage');
  const emulator = await startEmulator();
  try {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', 'src/cli/main.ts', 'serve', '--port', '0'],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          EXAI_HOME: path.join(home, 'home'),
          EXAI_TOKEN: TOKEN,
          NODE_V8_COVERAGE: coverage,
          GLM_API_KEY: 'emulated.secret0002',
          GLM_API_URL: `${emulator.url}/glm/api/paas/v4`,
        },
      },
    );
    const url = await listening(child.stdout);
    const mcp = new Client({ name: 'shape', version: '1' });
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
      }),
    );
    await drive({ mcp, post: (target, body) => post(`${url}${target}`, body) });
    await mcp.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
    return readCoverage(coverage);
  } finally {
    await emulator.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function listening(stdout: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const part of stdout) {
    text += String(part);
    const url = /listening on (\S+)/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`The daemon did not start: ${text}`);
}

async function post(url: string, body: unknown): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
  }[];
}

function readCoverage(folder: string): ReadonlySet<string> {
  const base = `${pathToFileURL(path.join(root, 'src')).href}/`;
  const ran = new Set<string>();
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as {
      result: readonly ScriptCoverage[];
    };
    for (const { url, functions } of result) {
      if (!url.startsWith(base)) continue;
      const file = `src/${url.slice(base.length).replace(/\?.*$/, '')}`;
      for (const { ranges } of functions) {
        const [range] = ranges;
        if (range && range.count > 0) ran.add(`${file} ${range.startOffset}-${range.endOffset}`);
      }
    }
  }
  return ran;
}
