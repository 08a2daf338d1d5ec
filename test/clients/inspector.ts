import { command, envFlags, type Client, type Setup, type Target } from './client.ts';
import { toolNames } from './json-rpc.ts';
import { expectAnswer, expectListed, PROVEN_TOOLS } from './tools.ts';

type Era = 'legacy' | 'auto' | 'modern';

/** Its command line takes no proxy on the older Node.js lines, and goes nowhere but where it is told. */
const env = { HTTP_PROXY: '', HTTPS_PROXY: '', http_proxy: '', https_proxy: '' };

function inspect(era: Era, target: Target, method: string, ...rest: readonly string[]): Setup {
  const spoken = ['--protocol-era', era, '--method', method, ...rest];
  if (target.kind === 'local')
    return command(
      'mcp-inspector',
      '--cli',
      ...envFlags('-e', target),
      target.command,
      ...target.args,
      ...spoken,
    );
  const header = target.token ? ['--header', `Authorization: Bearer ${target.token}`] : [];
  const reach = ['--cli', target.url, '--transport', target.transport, ...header];
  return command('mcp-inspector', ...reach, ...spoken);
}

function inspector(era: Era): Client {
  return {
    name: 'MCP Inspector CLI',
    variant: `${era} era`,
    how: { is: 'run', program: 'mcp-inspector' },
    // The transport of 2024 has no modern era.
    ways: era === 'legacy' ? ['http', 'token', 'sse', 'shim'] : ['http', 'token', 'shim'],
    connect: (target) => inspect('auto', target, 'tools/list'),
    async prove(target, sandbox) {
      const { stdout } = await sandbox.setUp(inspect(era, target, 'tools/list'), { env });
      const listed = expectListed(toolNames(JSON.parse(stdout)));
      const called: string[] = [];
      for (const tool of PROVEN_TOOLS) {
        const call = inspect(era, target, 'tools/call', '--tool-name', tool);
        called.push(expectAnswer(tool, (await sandbox.setUp(call, { env })).stdout));
      }
      return { listed, called };
    },
  };
}

export const inspectors: readonly Client[] = [
  inspector('legacy'),
  inspector('auto'),
  inspector('modern'),
];
