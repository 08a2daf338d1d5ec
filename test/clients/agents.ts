import type { Agent } from './gateway.ts';

const claudeCode: Agent = {
  name: 'Claude Code',
  tool: 'claude-code',
  env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  argv: (prompt) => ['claude', '-p', prompt, '--allowedTools', 'Read', '--output-format', 'json'],
  shown(stdout) {
    const told = JSON.parse(stdout) as { is_error: boolean; result: string };
    if (told.is_error) throw new Error(told.result);
    return told.result;
  },
  toRead: (file) => `Go. [[call Read ${JSON.stringify({ file_path: file })}]]`,
};

const opencode: Agent = {
  name: 'opencode',
  tool: 'opencode',
  env: {
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  },
  argv: (prompt) => ['opencode', 'run', '--format', 'json', prompt],
  shown: (stdout) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { type: string; part?: { text?: string } })
      .map(({ type, part }) => (type === 'text' ? (part?.text ?? '') : ''))
      .join('\n'),
  // It would put quotation marks around an argument with spaces, and write those within it
  // otherwise.
  toRead: (file) => `Go.[[call\tread${JSON.stringify({ filePath: file })}]]`,
};

/** Every coding agent that we say can have its models from us. */
export const agents: readonly Agent[] = [claudeCode, opencode];
