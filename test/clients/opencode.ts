import { command, envFlags, type Client } from './client.ts';
import { createScriptedModel } from './scripted-model.ts';

export const opencode: Client = {
  name: 'opencode',
  how: { is: 'run', program: 'opencode' },
  ways: ['http', 'token', 'shim'],
  connect(target) {
    const add = ['mcp', 'add', 'exai'];
    if (target.kind === 'local')
      return command(
        'opencode',
        ...add,
        ...envFlags('--env', target),
        '--',
        target.command,
        ...target.args,
      );
    const header = target.token ? ['--header', `Authorization=Bearer ${target.token}`] : [];
    return command('opencode', ...add, '--url', target.url, ...header);
  },
  async prove(target, sandbox) {
    const model = await createScriptedModel();
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: model.url, apiKey: 'none' },
      models: { scripted: {} },
    };
    const env = {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: { scripted: provider },
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
      }),
    };
    try {
      await sandbox.setUp(opencode.connect(target), { env });
      const { stdout, stderr } = await sandbox.run(['opencode', 'mcp', 'list'], { env });
      if (!/exai .*connected/.test(stdout + stderr))
        throw new Error('opencode mcp list is not connected');
      await sandbox.run(['opencode', 'run', '--format', 'json', 'Which version?'], { env });
      return model.proof();
    } finally {
      model.close();
    }
  },
};
