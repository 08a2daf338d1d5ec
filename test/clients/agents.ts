import type { Agent } from './gateway.ts';

const claudeCode: Agent = {
  name: 'Claude Code',
  path: '/v1/messages',
  async ask({ url, key, model }, sandbox, prompt) {
    const env = {
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
    };
    const argv = ['claude', '-p', prompt, '--allowedTools', 'Read', '--output-format', 'json'];
    const { stdout } = await sandbox.run(argv, { env });
    const told = JSON.parse(stdout) as { is_error: boolean; result: string };
    if (told.is_error) throw new Error(told.result);
    return told.result;
  },
  toRead: (file) => `Go. [[call Read ${JSON.stringify({ file_path: file })}]]`,
};

const opencode: Agent = {
  name: 'opencode',
  path: '/v1/chat/completions',
  async ask({ url, key, model }, sandbox, prompt) {
    const exai = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${url}/v1`, apiKey: key },
      models: { [model]: {} },
    };
    const config = { provider: { exai }, model: `exai/${model}`, small_model: `exai/${model}` };
    const env = {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    };
    const argv = ['opencode', 'run', '--format', 'json', prompt];
    const { stdout } = await sandbox.run(argv, { env });
    return stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { type: string; part?: { text?: string } })
      .map(({ type, part }) => (type === 'text' ? (part?.text ?? '') : ''))
      .join('\n');
  },
  // It would put quotation marks around an argument with spaces, and write those within it otherwise.
  toRead: (file) => `Go.[[call\tread${JSON.stringify({ filePath: file })}]]`,
};

/** Every coding agent that we say can have its models from us. */
export const agents: readonly Agent[] = [claudeCode, opencode];
