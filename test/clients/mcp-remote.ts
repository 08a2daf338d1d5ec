import { command, type Client, type Remote, type Target } from './client.ts';
import { converse, peerOf } from './json-rpc.ts';

export const mcpRemote: Client = {
  name: 'mcp-remote',
  how: { is: 'run', program: 'mcp-remote' },
  ways: ['http', 'token', 'sse'],
  connect: (target) => command('mcp-remote', ...flags(remote(target))),
  async prove(target, sandbox) {
    const child = sandbox.start(['mcp-remote', ...flags(remote(target))], {
      env: { MCP_REMOTE_CONFIG_DIR: sandbox.home },
    });
    return converse(peerOf(child));
  },
};

function flags({ url, transport, token }: Remote): string[] {
  // Without the space it survives clients that split arguments at spaces; the bridge trims.
  const header = token ? ['--header', `Authorization:Bearer ${token}`] : [];
  return [url, '--transport', `${transport}-only`, ...header];
}

function remote(target: Target): Remote {
  if (target.kind === 'remote') return target;
  throw new Error('mcp-remote reaches servers by URL alone');
}
