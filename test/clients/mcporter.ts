import { cite, command, envFlags, headerFlags, initFor, type Client } from './client.ts';
import { toolNames } from './json-rpc.ts';
import { expectAnswer, expectListed, PROVEN_CALLS } from './tools.ts';

export const mcporter: Client = {
  name: 'mcporter',
  how: { is: 'run', program: 'mcporter' },
  ways: ['shim', 'init', 'http', 'sse'],
  connect(target) {
    // It has no settings that `exai init` knows, but reads those of Cursor.
    if (target.kind === 'written') return initFor(target, 'cursor');
    const add = ['config', 'add', 'exai'];
    const home = ['--scope', 'home'];
    if (target.kind === 'local')
      return command(
        'mcporter',
        ...add,
        ...home,
        ...envFlags('--env', target),
        '--command',
        target.command,
        '--',
        ...target.args,
      );
    const header = headerFlags('--header', target, '=');
    const sse = target.transport === 'sse' ? ['--transport', 'sse'] : [];
    return command('mcporter', ...add, target.url, ...home, ...sse, ...header);
  },
  async prove(target, sandbox) {
    if (target.kind === 'written') sandbox.write('.cursor/mcp.json', '{}');
    await sandbox.setUp(mcporter.connect(target));
    const { stdout } = await sandbox.run(['mcporter', 'list', 'exai', '--json']);
    const listed = expectListed(toolNames(JSON.parse(stdout)));
    const called: string[] = [];
    for (const proven of PROVEN_CALLS) {
      const { name, arguments: args } = proven;
      const given = ['--args', JSON.stringify(args)];
      const answer = await sandbox.run(['mcporter', 'call', `exai.${name}`, ...given]);
      called.push(expectAnswer(proven, answer.stdout));
    }
    return { listed, called };
  },
  async refused(target, sandbox) {
    await sandbox.setUp(mcporter.connect(target));
    const { stdout, stderr } = await sandbox.run(['mcporter', 'list', 'exai']);
    return [cite('`mcporter list exai`', /Reason: (.*)$/m, stdout + stderr)];
  },
};
