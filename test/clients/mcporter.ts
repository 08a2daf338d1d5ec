import { command, envFlags, type Client } from './client.ts';
import { toolNames } from './json-rpc.ts';
import { expectAnswer, expectListed, PROVEN_TOOLS } from './tools.ts';

export const mcporter: Client = {
  name: 'mcporter',
  how: { is: 'run', program: 'mcporter' },
  ways: ['http', 'token', 'sse', 'shim'],
  connect(target) {
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
    const header = target.token ? ['--header', `Authorization=Bearer ${target.token}`] : [];
    const sse = target.transport === 'sse' ? ['--transport', 'sse'] : [];
    return command('mcporter', ...add, target.url, ...home, ...sse, ...header);
  },
  async prove(target, sandbox) {
    await sandbox.setUp(mcporter.connect(target));
    const { stdout } = await sandbox.run(['mcporter', 'list', 'exai', '--json']);
    const listed = expectListed(toolNames(JSON.parse(stdout)));
    const called: string[] = [];
    for (const tool of PROVEN_TOOLS) {
      const answer = await sandbox.run(['mcporter', 'call', `exai.${tool}`]);
      called.push(expectAnswer(tool, answer.stdout));
    }
    return { listed, called };
  },
};
