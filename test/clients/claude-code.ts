import { command, envFlags, type Client } from './client.ts';
import { createScriptedModel } from './scripted-model.ts';

export const claudeCode: Client = {
  name: 'Claude Code',
  how: { is: 'run', program: 'claude' },
  ways: ['http', 'token', 'sse', 'shim'],
  connect(target) {
    const add = ['mcp', 'add', '--scope', 'user'];
    if (target.kind === 'local')
      return command(
        'claude',
        ...add,
        'exai',
        ...envFlags('--env', target),
        '--',
        target.command,
        ...target.args,
      );
    const header = target.token ? ['--header', `Authorization: Bearer ${target.token}`] : [];
    return command(
      'claude',
      ...add,
      '--transport',
      target.transport,
      'exai',
      target.url,
      ...header,
    );
  },
  async prove(target, sandbox) {
    const model = await createScriptedModel();
    const env = {
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
    };
    try {
      await sandbox.setUp(claudeCode.connect(target), { env });
      const { stdout } = await sandbox.run(['claude', 'mcp', 'list'], { env });
      if (!/^exai: .*Connected/m.test(stdout)) throw new Error('claude mcp list is not connected');
      const ask = ['claude', '-p', 'Which version?', '--allowedTools', 'mcp__exai'];
      await sandbox.run([...ask, '--output-format', 'stream-json', '--verbose'], { env });
      return model.proof();
    } finally {
      model.close();
    }
  },
};
