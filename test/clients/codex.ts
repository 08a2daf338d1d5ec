import { command, envFlags, type Client, type Proof } from './client.ts';
import { peerOf } from './json-rpc.ts';
import type { Sandbox } from './sandbox.ts';
import { expectAnswer, expectListed, PROVEN_TOOLS } from './tools.ts';

// Codex would look for its model at once; there is none on this port.
const NO_MODEL = '{ name = "none", base_url = "http://127.0.0.1:9/v1", wire_api = "responses" }';
const OFFLINE = [
  'model_provider="none"',
  `model_providers.none=${NO_MODEL}`,
  'analytics.enabled=false',
  'check_for_update_on_startup=false',
].flatMap((setting) => ['-c', setting]);

interface ServerStatus {
  readonly name: string;
  readonly tools: Readonly<Record<string, unknown>>;
}

export const codex: Client = {
  name: 'Codex',
  variant: 'app server',
  how: { is: 'run', program: 'codex' },
  ways: ['http', 'token', 'shim'],
  connect(target) {
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
    const bearer = target.token ? ['--bearer-token-env-var', 'EXAI_TOKEN'] : [];
    return command('codex', ...add, '--url', target.url, ...bearer);
  },
  async prove(target, sandbox) {
    const token = target.kind === 'remote' ? target.token : undefined;
    const env = { ...(token && { EXAI_TOKEN: token }) };
    sandbox.write('.codex/config.toml', '');
    await sandbox.setUp(codex.connect(target), { env });
    return proveByAppServer(sandbox, env);
  },
};

/** `codex mcp list` shows the configuration alone; the app server, which editors use, connects and calls. */
async function proveByAppServer(
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
): Promise<Proof> {
  const peer = peerOf(sandbox.start(['codex', 'app-server', ...OFFLINE], { env }), 'unsaid');
  await peer.request('initialize', { clientInfo: { name: 'exai-client-matrix', version: '1' } });
  peer.notify('initialized');
  const { data } = await peer.request('mcpServerStatus/list', {});
  const server = (data as readonly ServerStatus[]).find(({ name }) => name === 'exai');
  const listed = expectListed(Object.keys(server?.tools ?? {}));
  const { thread } = await peer.request('thread/start', { cwd: sandbox.home, ephemeral: true });
  const { id: threadId } = thread as { id: string };
  const called: string[] = [];
  for (const tool of PROVEN_TOOLS) {
    const params = { threadId, server: 'exai', tool, arguments: {} };
    const result = await peer.request('mcpServer/tool/call', params);
    called.push(expectAnswer(tool, JSON.stringify(result)));
  }
  return { listed, called };
}
