/**
 * Cline starts with a login alone, so it is not run: what it sends is replayed, as its public
 * sources have it (github.com/cline/cline at 21cb8d2, 22 August 2026:
 * apps/vscode/src/services/mcp/McpHub.ts and sdk/packages/core/src/extensions/mcp/client.ts). By
 * URL both use the client of the MCP SDK 1.x and its fetch.
 */
import type { Client, Setup, Target, Way } from './client.ts';
import { toolNames, type Result } from './json-rpc.ts';
import { openHttp, openSse, openStdio, type Wire } from './replay.ts';
import type { Sandbox } from './sandbox.ts';
import { expectAnswer, expectListed, PROVEN_CALLS } from './tools.ts';

const WAYS: readonly Way[] = ['shim', 'http', 'sse'];
/** The environment of a server that the SDK starts. */
const PASSED_ON = new Set(['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']);

interface Opening {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
  readonly firstId: number;
  /** How long it waits for the answer to `initialize`, the start of the program included. */
  readonly connectTimeoutMs: number;
  /** What it asks for after the opening: all lists at once, or the tools. */
  readonly lists: 'every' | 'tools';
}

const EXTENSION: Opening = {
  clientInfo: { name: 'Cline', version: '4.1.13' },
  protocolVersion: '2025-11-25',
  firstId: 0,
  connectTimeoutMs: 60_000,
  lists: 'every',
};
const CORE_BY_URL: Opening = {
  ...EXTENSION,
  clientInfo: { name: '@cline/core', version: '0.0.0' },
  lists: 'tools',
};
const CORE_BY_STDIO: Opening = {
  ...CORE_BY_URL,
  protocolVersion: '2024-11-05',
  firstId: 1,
  // After that it takes the server for one with Content-Length before each message.
  connectTimeoutMs: 3_000,
};

export const clines: readonly Client[] = [
  {
    name: 'Cline',
    variant: 'VS Code',
    how: { is: 'replayed', version: '4.1.13' },
    ways: WAYS,
    connect,
    prove: (target, sandbox) => replay(EXTENSION, target, sandbox),
  },
  {
    name: 'Cline',
    variant: 'CLI',
    how: { is: 'replayed', version: '3.0.56' },
    ways: WAYS,
    connect,
    prove: (target, sandbox) =>
      replay(target.kind === 'local' ? CORE_BY_STDIO : CORE_BY_URL, target, sandbox),
  },
];

function connect(target: Target): Setup {
  if (target.kind === 'written') throw new Error('it is not run, so it reads no settings');
  const server =
    target.kind === 'local'
      ? {
          command: target.command,
          args: target.args,
          ...(hasAny(target.env) && { env: target.env }),
        }
      : {
          // Without a type it would be taken for a server of 2024.
          type: target.transport === 'sse' ? 'sse' : 'streamableHttp',
          url: target.url,
          ...(target.token && { headers: { Authorization: `Bearer ${target.token}` } }),
        };
  const text = `${JSON.stringify({ mcpServers: { exai: server } }, null, 2)}\n`;
  return { kind: 'file', path: '~/.cline/data/settings/cline_mcp_settings.json', text };
}

function hasAny(env: object): boolean {
  return Object.keys(env).length > 0;
}

async function replay(opening: Opening, target: Target, sandbox: Sandbox) {
  const wire = await open(opening, target, sandbox);
  try {
    let id = opening.firstId;
    const ask = (method: string, params?: object, timeoutMs?: number) =>
      wire.ask({ method, ...(params && { params }), jsonrpc: '2.0', id: id++ }, timeoutMs);
    const { capabilities } = (await ask(
      'initialize',
      {
        protocolVersion: opening.protocolVersion,
        capabilities: {},
        clientInfo: opening.clientInfo,
      },
      opening.connectTimeoutMs,
    )) as { capabilities: Result };
    await wire.tell({ method: 'notifications/initialized', jsonrpc: '2.0' });
    // They leave together, and no list but the tools' is asked for that was not promised.
    const [tools] = await Promise.all([
      ask('tools/list'),
      ...(opening.lists === 'every' ? otherLists(capabilities).map((method) => ask(method)) : []),
    ]);
    const listed = expectListed(toolNames(tools));
    const called: string[] = [];
    for (const proven of PROVEN_CALLS) {
      const { name, arguments: args } = proven;
      const result = await ask('tools/call', { name, arguments: args });
      called.push(expectAnswer(proven, JSON.stringify(result)));
    }
    return { listed, called };
  } finally {
    wire.close();
  }
}

function otherLists(capabilities: Result): string[] {
  return [
    ...('resources' in capabilities ? ['resources/list', 'resources/templates/list'] : []),
    ...('prompts' in capabilities ? ['prompts/list'] : []),
  ];
}

function open(opening: Opening, target: Target, sandbox: Sandbox): Promise<Wire> {
  if (target.kind === 'remote') {
    const headers = { ...(target.token && { Authorization: `Bearer ${target.token}` }) };
    return target.transport === 'sse'
      ? openSse(target.url, headers)
      : openHttp(target.url, headers);
  }
  if (target.kind === 'written') throw new Error('it is not run, so it reads no settings');
  const argv = [target.command, ...target.args];
  if (opening === CORE_BY_STDIO) return openStdio(sandbox.start(argv, { env: target.env }));
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.has(name));
  const env = { ...(Object.fromEntries(passed) as Record<string, string>), HOME: sandbox.home };
  return openStdio(sandbox.startBare(argv, { env: { ...env, ...target.env } }));
}
