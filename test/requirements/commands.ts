/** Promises about the commands of `exai`: help, exit codes, completion, doctor, logs. */
export const COMMAND_REQUIREMENTS = {
  'cli:tools': '`exai tools` and `exai call` use the daemon, starting it if need be.',
  'cli:exit-codes':
    'Every failure exits with the code of its error class, and --json prints it as data.',
  'cli:help':
    'Every command has --help, and an unknown command suggests the nearest, never a destructive one.',
  'cli:completion': 'Shells complete the commands and options of `exai`.',
  'cli:start': '`--version` and `--help` load no package.',
  'cli:doctor': '`exai doctor` says what works, what does not, and the one command that fixes it.',
  'doctor:asks':
    '`exai doctor` asks every provider that is set up whether it accepts its key, all at once, 3 seconds at most.',
  'doctor:exit': '`exai doctor` exits with 22 when no model can answer.',
  'doctor:older-settings':
    '`exai doctor` names the settings that were changed since the running daemon loaded them.',
  'ask:attach':
    '`exai ask --file` and `--image` attach texts and pictures, and refuse what is neither.',
  'ask:spinner':
    '`exai ask` shows at a terminal what it waits for until the first word, and nothing elsewhere.',
  'cli:timeouts': 'Help, messages and settings take the time limits of calls from one place.',
  'security:port-other-exai':
    'Where the daemon of another home has the configured port, every command says so.',
  'code:starts':
    '`exai code` starts Claude Code, opencode or Codex on the gateway, and never prints the token.',
  'code:token':
    '`exai code` gives the tool a token for the gateway alone, which ends with the tool; never that of the owner.',
  'code:exit': '`exai code` passes arguments, streams, signals and the exit code through.',
  'code:missing':
    '`exai code` names the command that helps where a tool is missing or cannot use the gateway.',
  'cli:logs':
    '`exai logs` shows the last lines, by level and time, and follows them across rotation.',
} as const;
