import { stripVTControlCharacters } from 'node:util';
import { cite, command, envFlags, headerFlags, initFor, type Client } from './client.ts';
import { createScriptedModel } from './scripted-model.ts';

const OFFLINE = {
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
};

export const opencode: Client = {
  name: 'opencode',
  how: { is: 'run', program: 'opencode' },
  ways: ['shim', 'init', 'http'],
  connect(target) {
    if (target.kind === 'written') return initFor(target, 'opencode');
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
    const header = headerFlags('--header', target, '=');
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
      ...OFFLINE,
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: { scripted: provider },
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
      }),
    };
    try {
      sandbox.write('.config/opencode/opencode.json', '{}');
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
  async refused(target, sandbox) {
    await sandbox.setUp(opencode.connect(target), { env: OFFLINE });
    const list = await sandbox.run(['opencode', 'mcp', 'list'], { env: OFFLINE });
    const auth = await sandbox.tryRun(['opencode', 'mcp', 'auth', 'exai'], { env: OFFLINE });
    return [
      cite(
        '`opencode mcp list`',
        /exai (.*)$/m,
        stripVTControlCharacters(list.stdout + list.stderr),
      ),
      cite(
        '`opencode mcp auth exai`',
        /^■ {2}(.*)$/m,
        stripVTControlCharacters(auth.stdout + auth.stderr),
      ),
    ];
  },
};
