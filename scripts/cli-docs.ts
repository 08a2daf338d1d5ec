import { COMMANDS, type CommandRow } from '../src/cli/command-table.ts';
import { groupCommands } from '../src/cli/command-groups.ts';
import { formatUsage } from '../src/cli/command-help.ts';
import { COMMON_OPTIONS, shownOptions, type Command } from '../src/cli/command.ts';

/** docs/cli.md: every command with its arguments and options, from the tables that parse them. */
export async function cliPage(): Promise<string> {
  const groups = groupCommands(COMMANDS);
  const details = await Promise.all(groups.flatMap(({ rows }) => rows.map(commandSection)));
  return `# Commands

\`exai help <command>\`, or \`exai <command> --help\`, prints the same as this page. Each command takes \`--json\` and \`--help\`, and its exit code is that
of the [error class](errors.md): 0 for success. Commands that need the daemon start it. \`exai completion bash|zsh|fish\` prints a completion script.

${groups.map(({ title, rows }) => `## ${title}\n\n${overview(rows)}`).join('\n\n')}

## Reference

${details.join('\n\n')}
`;
}

function overview(rows: readonly CommandRow[]): string {
  const lines = rows.map(
    ({ name, summary }) => `| [\`exai ${name}\`](#${anchor(name)}) | ${cell(summary)} |`,
  );
  return ['| command | |', '|---|---|', ...lines].join('\n');
}

async function commandSection({ name, load }: CommandRow): Promise<string> {
  const { command } = await load();
  const { about, positionals = [], rest } = command;
  const rows = [
    ...[...positionals, ...(rest ? [rest] : [])].map(({ name: word, help }) => [
      `\`${word}\``,
      help,
    ]),
    ...ownOptions(command),
  ];
  const table = rows.map(([left, right = '']) => `| ${left} | ${cell(right)} |`);
  return [
    `### exai ${name}`,
    `${command.summary}.`,
    `\`\`\`\n${formatUsage(command)}\n\`\`\``,
    ...(rows.length > 0 ? [['| | |', '|---|---|', ...table].join('\n')] : []),
    ...(about === undefined ? [] : [formatAbout(about)]),
  ].join('\n\n');
}

/** Its options, without those that every command has. */
function ownOptions(command: Command): string[][] {
  return shownOptions(command)
    .filter(
      ([option, { help }]) => COMMON_OPTIONS[option as keyof typeof COMMON_OPTIONS]?.help !== help,
    )
    .map(([option, { short, type, value, help }]) => {
      const long = type === 'boolean' ? `--${option}` : `--${option} ${value ?? 'VALUE'}`;
      return [short === undefined ? `\`${long}\`` : `\`-${short}\`, \`${long}\``, help];
    });
}

/** Paragraphs stay; indented lines are examples. */
function formatAbout(about: string): string {
  return about
    .split('\n\n')
    .map((part) => (/^ {2}/mu.test(part) ? `\`\`\`\n${part}\n\`\`\`` : escapeText(part)))
    .join('\n\n');
}

const anchor = (name: string) => `exai-${name.replaceAll(' ', '-')}`;
const escapeText = (text: string) => text.replaceAll('<', '&lt;').replaceAll('*', '\\*');
const cell = (text: string) => escapeText(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
