import { cite, command, envFlags, headerFlags, initFor } from './client.ts';
import type { Client, Remote, Setup, Shown, Target } from './client.ts';
import { toolNames } from './json-rpc.ts';
import type { Sandbox } from './sandbox.ts';
import { expectAnswer, expectListed, PROVEN_CALLS } from './tools.ts';

/**
 * An entry of `exai init` in a file that the Inspector can read, from the folder below the home.
 */
const OF_CURSOR = '../.cursor/mcp.json';

type Era = 'legacy' | 'auto' | 'modern';

/**
 * Its command line takes no proxy on the older Node.js lines, and goes nowhere but where it is
 * told.
 */
const env = { HTTP_PROXY: '', HTTPS_PROXY: '', http_proxy: '', https_proxy: '' };

function inspect(era: Era, target: Target, method: string, ...rest: readonly string[]): Setup {
  const spoken = ['--protocol-era', era, '--method', method, ...rest];
  if (target.kind === 'written')
    return command('mcp-inspector', '--cli', '--config', OF_CURSOR, '--server', 'exai', ...spoken);
  if (target.kind === 'local')
    return command(
      'mcp-inspector',
      '--cli',
      ...envFlags('-e', target),
      target.command,
      ...target.args,
      ...spoken,
    );
  const reach = ['--cli', target.url, '--transport', target.transport];
  return command('mcp-inspector', ...reach, ...headerFlags('--header', target), ...spoken);
}

function inspector(era: Era): Client {
  return {
    name: 'MCP Inspector CLI',
    variant: `${era} era`,
    how: { is: 'run', program: 'mcp-inspector' },
    // The transport of 2024 has no modern era.
    ways: era === 'legacy' ? ['shim', 'init', 'http', 'sse'] : ['shim', 'init', 'http'],
    connect: (target) => inspect('auto', target, 'tools/list'),
    async prove(target, sandbox) {
      if (target.kind === 'written') {
        sandbox.write('.cursor/mcp.json', '{}');
        await sandbox.setUp(initFor(target, 'cursor'));
      }
      const { stdout } = await sandbox.setUp(inspect(era, target, 'tools/list'), { env });
      const listed = expectListed(toolNames(JSON.parse(stdout)));
      const called: string[] = [];
      for (const proven of PROVEN_CALLS) {
        const { name, arguments: args } = proven;
        const given = Object.entries(args).flatMap(([key, value]) => [
          '--tool-arg',
          `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
        ]);
        const call = inspect(era, target, 'tools/call', '--tool-name', name, ...given);
        called.push(expectAnswer(proven, (await sandbox.setUp(call, { env })).stdout));
      }
      return { listed, called };
    },
    // All eras ask for the token in the same way.
    ...(era === 'auto' && { refused }),
  };
}

async function refused(target: Remote, sandbox: Sandbox): Promise<readonly Shown[]> {
  const setup = inspect('auto', target, 'tools/list');
  if (setup.kind === 'file') throw new Error('it takes no file');
  const said = async (...more: readonly string[]) => {
    const { stdout, stderr } = await sandbox.tryRun([...setup.argv, ...more], { env });
    const line = (stdout + stderr).split('\n').find((each) => each.startsWith('{"error":')) ?? '';
    return (JSON.parse(line) as { error: { message: string } }).error.message;
  };
  return [
    cite('`mcp-inspector --cli`', /(.*)/, await said()),
    cite('with `--stored-auth-only`', /(.*)/, await said('--stored-auth-only')),
  ];
}

export const inspectors: readonly Client[] = [
  inspector('legacy'),
  inspector('auto'),
  inspector('modern'),
];
