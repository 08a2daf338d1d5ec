import type { Agent } from './gateway-turns.ts';

const claudeCode: Agent = {
  name: 'Claude Code',
  tool: 'claude-code',
  env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  argv: (prompt, more) => [
    'claude',
    '-p',
    prompt,
    '--allowedTools',
    'Read,mcp__exai',
    '--output-format',
    'json',
    ...more,
  ],
  shown(stdout) {
    const told = JSON.parse(stdout) as {
      is_error: boolean;
      result: string;
      structured_output?: object;
    };
    if (told.is_error) throw new Error(told.result);
    return told.structured_output ? JSON.stringify(told.structured_output) : told.result;
  },
  toRead: (...files) => {
    const calls = files.map((file) => `[[call Read ${JSON.stringify({ file_path: file })}]]`);
    return `Go. ${calls.join(' ')}`;
  },
  readsPdf: true,
  answerBy: (schema) => ['--json-schema', schema],
  ours: {
    connect: (command, home) => [
      'claude',
      'mcp',
      'add',
      '--scope',
      'user',
      'exai',
      '--env',
      `EXAI_HOME=${home}`,
      '--',
      ...command,
    ],
    toCall: (tool, args) => `Go. [[call mcp__exai__${tool} ${JSON.stringify(args)}]]`,
  },
};

const opencode: Agent = {
  name: 'opencode',
  tool: 'opencode',
  env: {
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  },
  argv: (prompt, more) => ['opencode', 'run', '--format', 'json', prompt, ...more],
  shown: (stdout) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { type: string; part?: { text?: string } })
      .map(({ type, part }) => (type === 'text' ? (part?.text ?? '') : ''))
      .join('\n'),
  // It would put quotation marks around an argument with spaces, and write those within it
  // otherwise.
  toRead: (...files) =>
    `Go.${files.map((file) => `[[call\tread${JSON.stringify({ filePath: file })}]]`).join('')}`,
  attach: (image) => ['--file', image],
};

const codex: Agent = {
  name: 'Codex',
  tool: 'codex',
  file: '.codex/exai.config.toml',
  env: {},
  argv: (prompt, more, start) => [
    'codex',
    'exec',
    ...more,
    ...(start === 'exai code' ? [] : ['--profile', 'exai']),
    '--skip-git-repo-check',
    '--sandbox',
    'danger-full-access',
    '--json',
    '-c',
    'analytics.enabled=false',
    '-c',
    'check_for_update_on_startup=false',
    prompt,
  ],
  shown: (stdout) =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { item?: { type: string; text?: string } })
      .map(({ item }) => (item?.type === 'agent_message' ? (item.text ?? '') : ''))
      .join('\n'),
  toRead: (...files) => {
    const calls = files.map((file) => JSON.stringify({ cmd: `cat ${file}` }));
    return `Go. ${calls.map((args) => `[[call exec_command ${args}]]`).join(' ')}`;
  },
  attach: (image) => ['--image', image],
  answerBy: (_schema, file) => ['--output-schema', file],
};

/** Every coding agent that we say can have its models from us. */
export const agents: readonly Agent[] = [claudeCode, opencode, codex];
