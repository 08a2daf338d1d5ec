import { cite, command, headerFlags, type Client, type Remote, type Target } from './client.ts';
import { converse, logOfRefused, peerOf } from './json-rpc.ts';

export const mcpRemote: Client = {
  name: 'mcp-remote',
  how: { is: 'run', program: 'mcp-remote' },
  ways: ['http', 'sse'],
  connect: (target) => command('mcp-remote', ...flags(remote(target))),
  async prove(target, sandbox) {
    const child = sandbox.start(['mcp-remote', ...flags(remote(target))], {
      env: { MCP_REMOTE_CONFIG_DIR: sandbox.home },
    });
    return converse(peerOf(child));
  },
  async refused(target, sandbox) {
    const child = sandbox.start(['mcp-remote', ...flags(target)], {
      env: { MCP_REMOTE_CONFIG_DIR: sandbox.home },
    });
    return [cite('its log', /Fatal error: (.*)$/m, await logOfRefused(child))];
  },
};

function flags(target: Remote): string[] {
  // Without the space it survives clients that split arguments at spaces; the bridge trims.
  const header = headerFlags('--header', target, ':');
  return [target.url, '--transport', `${target.transport}-only`, ...header];
}

function remote(target: Target): Remote {
  if (target.kind === 'remote') return target;
  throw new Error('mcp-remote reaches servers by URL alone');
}
