import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmulator } from '../../emulator/start.ts';
import type { LeanTask } from './lean-model.ts';
import { claudeCode } from './claude-code.ts';
import type { Target } from './client.ts';
import { startDaemon } from './daemon.ts';
import { createLeanModel } from './lean-model.ts';
import { opencode } from './opencode.ts';
import { createSandbox } from './sandbox.ts';

/** The folder whose lock file has the servers of the tasks. */
export const UPSTREAMS = 'test/tools/upstreams';

const PACKAGES = resolve(UPSTREAMS, 'node_modules/@modelcontextprotocol');
const serverOf = (name: string) => join(PACKAGES, `server-${name}/dist/index.js`);
const FINDER = resolve('test/fixtures/search-server.mjs');

/** Ten tasks over five servers, for a model that sees the profile `lean` alone. */
function tasksIn(folder: string, person: string): readonly LeanTask[] {
  return [
    { query: 'echo a message back', arguments: { message: 'heron' }, answer: /Echo: heron/ },
    { query: 'get the sum of two numbers', arguments: { a: 19, b: 23 }, answer: /42/ },
    {
      query: 'write a new file with content',
      servers: ['files'],
      writes: true,
      arguments: { path: join(folder, 'a.md'), content: 'The gate has 13 arches.' },
      answer: /wrote to/,
    },
    {
      query: 'read the text of a file',
      servers: ['files'],
      arguments: { path: join(folder, 'a.md') },
      answer: /13 arches/,
    },
    {
      query: 'list the files of a directory',
      servers: ['files'],
      arguments: { path: folder },
      answer: /a\.md/,
    },
    {
      query: 'create entities in the knowledge graph',
      writes: true,
      arguments: {
        entities: [{ name: person, entityType: 'person', observations: ['likes herons'] }],
      },
      answer: /likes herons/,
    },
    {
      query: 'search nodes of the knowledge graph',
      arguments: { query: person },
      answer: /likes herons/,
    },
    { query: '搜索网页', servers: ['finder'], arguments: { q: 'heron' }, answer: /Rocket Heron/ },
    {
      query: 'send an email through Gmail',
      writes: true,
      arguments: { to: 'ann@example.com', subject: 'Hi', body: 'Hello' },
      answer: /SENT/,
    },
    {
      query: 'search for the latest news articles',
      servers: ['composio'],
      arguments: { query: 'solar', num_results: 2 },
      answer: /solar: report 2/,
    },
  ];
}

export interface LeanOutcome {
  readonly client: string;
  /** Empty where all tasks were completed. */
  readonly problem: string;
  readonly done: number;
  readonly transcript: string;
}

/** Lets Claude Code and opencode complete the tasks with `search_tools` and the two wrappers. */
export async function proveLeanTasks(
  root: string,
  isWanted: (name: string) => boolean,
): Promise<readonly LeanOutcome[]> {
  const clients = [claudeCode, opencode].filter(({ name }) => isWanted(name));
  if (clients.length === 0) return [];
  const emulator = await startEmulator();
  const home = join(root, 'lean');
  const folder = join(home, 'files');
  mkdirSync(folder, { recursive: true });
  const node = process.execPath;
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({
      mcpServers: {
        everything: { command: node, args: [serverOf('everything')] },
        files: { command: node, args: [serverOf('filesystem'), folder] },
        memory: {
          command: node,
          args: [serverOf('memory')],
          env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
        },
        finder: { command: node, args: [FINDER] },
      },
    }),
  );
  const daemon = await startDaemon(home, {
    COMPOSIO_API_KEY: 'ak_emulated',
    COMPOSIO_BASE_URL: `${emulator.url}/composio`,
    DEFAULT_USER_ID: 'tester',
  });
  try {
    const url = `${daemon.url}/mcp`;
    const target = { kind: 'remote', transport: 'http', url, token: daemon.ownerToken } as const;
    const outcomes: LeanOutcome[] = [];
    for (const client of clients) {
      outcomes.push(await proveOne(client.name, target, join(home, client.name), folder));
    }
    return outcomes;
  } finally {
    await daemon.stop();
    await emulator.close();
  }
}

async function proveOne(
  client: string,
  target: Target,
  place: string,
  folder: string,
): Promise<LeanOutcome> {
  const sandbox = createSandbox(place.replaceAll(' ', '-'), {});
  const tasks = tasksIn(folder, client);
  const model = await createLeanModel(tasks);
  try {
    if (client === claudeCode.name) await runClaudeCode(target, sandbox, model.url);
    else await runOpencode(target, sandbox, model.url);
    return { client, ...model.outcome(), transcript: sandbox.transcript() };
  } catch (error) {
    const { done } = model.outcome();
    return { client, done, problem: String(error), transcript: sandbox.transcript() };
  } finally {
    model.close();
    await sandbox.close();
  }
}

type TestSandbox = ReturnType<typeof createSandbox>;

async function runClaudeCode(target: Target, sandbox: TestSandbox, url: string): Promise<void> {
  const env = {
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
  };
  sandbox.write('.claude.json', '{}');
  await sandbox.setUp(claudeCode.connect(target), { env });
  await sandbox.run(['claude', '-p', 'Do the tasks.', '--allowedTools', 'mcp__exai'], { env });
}

async function runOpencode(target: Target, sandbox: TestSandbox, url: string): Promise<void> {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: url, apiKey: 'none' },
    models: { scripted: {} },
  };
  const env = {
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      provider: { scripted: provider },
      model: 'scripted/scripted',
      small_model: 'scripted/scripted',
    }),
  };
  sandbox.write('.config/opencode/opencode.json', '{}');
  await sandbox.setUp(opencode.connect(target), { env });
  await sandbox.run(['opencode', 'run', '--format', 'json', 'Do the tasks.'], { env });
}
