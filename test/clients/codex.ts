import { setTimeout } from 'node:timers/promises';
import { cite, command, envFlags, initFor } from './client.ts';
import type { Client, Proof, Target } from './client.ts';
import { peerOf, type Peer } from './json-rpc.ts';
import type { Sandbox } from './sandbox.ts';
import { expectAnswer, expectListed, PROVEN_CALLS } from './tools.ts';

// Codex would look for its model at once; there is none on this port.
const NO_MODEL = '{ name = "none", base_url = "http://127.0.0.1:9/v1", wire_api = "responses" }';
const OFFLINE = [
  'model_provider="none"',
  `model_providers.none=${NO_MODEL}`,
  'analytics.enabled=false',
  'check_for_update_on_startup=false',
].flatMap((setting) => ['-c', setting]);

/** Not EXAI_TOKEN, which a daemon that is started from the same shell would take for its own. */
const TOKEN_VARIABLE = 'CODEX_EXAI_TOKEN';
const STARTUP_TIMEOUT_MS = 90_000;

interface ServerStatus {
  readonly name: string;
  readonly tools: Readonly<Record<string, unknown>>;
}

export const codex: Client = {
  name: 'Codex',
  variant: 'app server',
  how: { is: 'run', program: 'codex' },
  ways: ['shim', 'init', 'http'],
  connect(target) {
    if (target.kind === 'written') return initFor(target, 'codex');
    const add = ['mcp', 'add', 'exai'];
    if (target.kind === 'local')
      return command(
        'codex',
        ...add,
        ...envFlags('--env', target),
        '--',
        target.command,
        ...target.args,
      );
    const bearer = target.token ? ['--bearer-token-env-var', TOKEN_VARIABLE] : [];
    return command('codex', ...add, '--url', target.url, ...bearer);
  },
  async prove(target, sandbox) {
    const env = await setUp(target, sandbox);
    return proveByAppServer(sandbox, env);
  },
  async refused(target, sandbox) {
    const env = await setUp(target, sandbox);
    const peer = await startAppServer(sandbox, env);
    await peer.request('thread/start', { cwd: sandbox.home, ephemeral: true });
    const failure = /"name":"exai","status":"failed","error":"([^"]*)"/;
    await until(() => failure.test(sandbox.transcript()));
    const login = await sandbox.tryRun(['codex', 'mcp', 'login', 'exai'], { env });
    return [
      cite('at the start', failure, sandbox.transcript()),
      cite('`codex mcp login exai`', /^Error: (.*)$/m, login.stdout + login.stderr),
    ];
  },
};

async function setUp(target: Target, sandbox: Sandbox): Promise<Record<string, string>> {
  const token = target.kind === 'remote' ? target.token : undefined;
  const env = { ...(token && { [TOKEN_VARIABLE]: token }) };
  sandbox.write('.codex/config.toml', '');
  await sandbox.setUp(codex.connect(target), { env });
  return env;
}

async function until(isSo: () => boolean): Promise<void> {
  const late = Date.now() + STARTUP_TIMEOUT_MS;
  while (!isSo()) {
    if (Date.now() > late) throw new Error('codex does not say that the server failed');
    await setTimeout(50);
  }
}

async function startAppServer(
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
): Promise<Peer> {
  const peer = peerOf(sandbox.start(['codex', 'app-server', ...OFFLINE], { env }), 'unsaid');
  await peer.request('initialize', { clientInfo: { name: 'exai-client-matrix', version: '1' } });
  peer.notify('initialized');
  return peer;
}

/**
 * `codex mcp list` shows the configuration alone; the app server, which editors use, connects and
 * calls.
 */
async function proveByAppServer(
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
): Promise<Proof> {
  const peer = await startAppServer(sandbox, env);
  const { data } = await peer.request('mcpServerStatus/list', {});
  const server = (data as readonly ServerStatus[]).find(({ name }) => name === 'exai');
  const listed = expectListed(Object.keys(server?.tools ?? {}));
  const { thread } = await peer.request('thread/start', { cwd: sandbox.home, ephemeral: true });
  const { id: threadId } = thread as { id: string };
  const called: string[] = [];
  for (const proven of PROVEN_CALLS) {
    const { name: tool, arguments: args } = proven;
    const params = { threadId, server: 'exai', tool, arguments: args };
    const result = await peer.request('mcpServer/tool/call', params);
    called.push(expectAnswer(proven, JSON.stringify(result)));
  }
  return { listed, called };
}
