import { cite, command, envFlags, headerFlags, initFor, type Client } from './client.ts';
import { createScriptedModel } from './scripted-model.ts';

const SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  telemetry: { enabled: false },
};

// A folder that is not trusted gets no servers.
const TRUSTED = { GEMINI_CLI_TRUST_WORKSPACE: 'true' };

export const geminiCli: Client = {
  name: 'Gemini CLI',
  how: { is: 'run', program: 'gemini' },
  ways: ['shim', 'init', 'http', 'sse'],
  connect(target) {
    if (target.kind === 'written') return initFor(target, 'gemini-cli');
    const add = ['mcp', 'add', '--scope', 'user'];
    if (target.kind === 'local')
      return command(
        'gemini',
        ...add,
        ...envFlags('--env', target),
        'exai',
        target.command,
        ...target.args,
      );
    return command(
      'gemini',
      ...add,
      '--transport',
      target.transport,
      'exai',
      target.url,
      ...headerFlags('--header', target),
    );
  },
  async prove(target, sandbox) {
    const model = await createScriptedModel();
    const env = { ...TRUSTED, GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model.url };
    try {
      sandbox.write('.gemini/settings.json', JSON.stringify(SETTINGS));
      await sandbox.setUp(geminiCli.connect(target), { env });
      const { stdout, stderr } = await sandbox.run(['gemini', 'mcp', 'list'], { env });
      if (!/exai: .*Connected/.test(stdout + stderr))
        throw new Error('gemini mcp list is not connected');
      const ask = ['gemini', '-p', 'Which version?', '--approval-mode', 'yolo'];
      await sandbox.run([...ask, '--model', 'gemini-2.5-flash'], { env });
      return model.proof();
    } finally {
      model.close();
    }
  },
  async refused(target, sandbox) {
    sandbox.write('.gemini/settings.json', JSON.stringify(SETTINGS));
    await sandbox.setUp(geminiCli.connect(target), { env: TRUSTED });
    const { stdout, stderr } = await sandbox.run(['gemini', 'mcp', 'list'], { env: TRUSTED });
    return [cite('`gemini mcp list`', /exai: .* - (.*)$/m, stdout + stderr)];
  },
};
