import type { CommandRow } from './command-table.ts';
import { shownOptions, type CommandOption } from './command.ts';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

/** A command as a completion script knows it. */
export interface CompletedCommand {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly (readonly [name: string, option: CommandOption])[];
  /** The values of its first argument; empty where they are not known. */
  readonly values: readonly string[];
}

/** Loads every command, because the options are with its code. */
export function loadCompletedCommands(rows: readonly CommandRow[]): Promise<CompletedCommand[]> {
  return Promise.all(
    rows.map(async ({ name, summary, load }) => {
      const { command } = await load();
      const values = command.positionals?.[0]?.values ?? [];
      return { name, summary, options: shownOptions(command), values };
    }),
  );
}

/** The script that a shell evaluates. It knows commands and options, and never runs `exai`. */
export function completionScript(
  shell: CompletionShell,
  commands: readonly CompletedCommand[],
): string {
  return SCRIPTS[shell](commands);
}

const SCRIPTS: Record<CompletionShell, (commands: readonly CompletedCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The first word of a command, with what may follow it. */
interface FirstWord {
  readonly word: string;
  readonly summary: string;
  readonly second: readonly CompletedCommand[];
}

function firstWords(commands: readonly CompletedCommand[]): FirstWord[] {
  const words = new Set(commands.map(({ name }) => name.split(' ', 1)[0] ?? name));
  return [...words].map((word) => {
    const second = commands.filter(({ name }) => name.startsWith(`${word} `));
    const own = commands.find(({ name }) => name === word);
    const summary = own?.summary ?? second.map((each) => secondWord(each)).join(', ');
    return { word, summary, second };
  });
}

function secondWord({ name }: CompletedCommand): string {
  return name.slice(name.indexOf(' ') + 1);
}

function flagsOf({ options }: CompletedCommand): string[] {
  return options.flatMap(([name, { short }]) =>
    short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`],
  );
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const firsts = firstWords(commands);
  const seconds = firsts.filter(({ second }) => second.length > 0);
  return `# bash completion for exai
_exai() {
  local current=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} candidates=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    candidates='${[...firsts.map(({ word }) => word), 'help', '--help', '--version'].join(' ')}'
  elif [ "$COMP_CWORD" -eq 2 ] && [ "\${current#-}" = "$current" ]; then
    case "$command" in
${seconds.map(({ word, second }) => `      ${word}) candidates='${second.map(secondWord).join(' ')}' ;;\n`).join('')}    esac
  elif [ "$COMP_CWORD" -eq 3 ] && [ "\${current#-}" = "$current" ]; then
    case "$command \${COMP_WORDS[2]}" in
${withValues(commands)
  .map(({ name, values }) => `      '${name}') candidates='${values.join(' ')}' ;;\n`)
  .join('')}    esac
    [ -z "$candidates" ] && return
  elif [ "\${current#-}" = "$current" ]; then
    return
  fi
  if [ -z "$candidates" ]; then
    case "$command \${COMP_WORDS[2]}" in
${byLength(commands)
  .map((command) => {
    const pattern = command.name.includes(' ') ? `'${command.name}'` : `'${command.name} '*`;
    return `      ${pattern}) candidates='${flagsOf(command).join(' ')}' ;;\n`;
  })
  .join('')}    esac
    [ "\${current#-}" = "$current" ] && return
  fi
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
# Where nothing fits, such as after an option with a value: files.
complete -o bashdefault -o default -F _exai exai
`;
}

/** Commands of two words whose first argument has known values. */
function withValues(commands: readonly CompletedCommand[]): CompletedCommand[] {
  return commands.filter(({ name, values }) => name.includes(' ') && values.length > 0);
}

/** Commands of two words first: `models refresh` is also an argument of `models`. */
function byLength(commands: readonly CompletedCommand[]): CompletedCommand[] {
  return commands.toSorted((a, b) => b.name.split(' ').length - a.name.split(' ').length);
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const firsts = firstWords(commands);
  const described = (name: string, text: string) =>
    zshQuote(`${name.replaceAll(':', '\\:')}:${text}`);
  const list = (entries: readonly string[], indent: string) =>
    entries.map((entry) => `${indent}${entry}\n`).join('');
  return `#compdef exai
compdef _exai exai
_exai() {
  local -a candidates
  if (( CURRENT == 2 )); then
    candidates=(
${list(
  firsts.map(({ word, summary }) => described(word, summary)),
  '      ',
)}    )
    _describe -t commands command candidates
    return
  fi
  if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
    case $words[2] in
${firsts
  .filter(({ second }) => second.length > 0)
  .map(({ word, second }) => {
    const entries = second.map((each) => described(secondWord(each), each.summary));
    return `      ${word}) candidates=(\n${list(entries, '        ')}      ) ;;\n`;
  })
  .join('')}    esac
    if (( $#candidates )); then
      _describe -t commands command candidates
      return
    fi
  fi
  if (( CURRENT == 4 )) && [[ $words[4] != -* ]]; then
    case "$words[2] $words[3]" in
${withValues(commands)
  .map(({ name, values }) => `      '${name}') candidates=(${values.join(' ')}) ;;\n`)
  .join('')}    esac
    if (( $#candidates )); then
      compadd -a candidates
      return
    fi
  fi
  if [[ $words[CURRENT] != -* ]]; then
    _files
    return
  fi
  case "$words[2] $words[3]" in
${byLength(commands)
  .map(({ name, options }) => {
    const pattern = name.includes(' ') ? `'${name}'` : `'${name} '*`;
    const entries = options.map(([option, { help }]) => described(`--${option}`, help));
    return `    ${pattern}) candidates=(\n${list(entries, '      ')}    ) ;;\n`;
  })
  .join('')}  esac
  _describe -o -t options option candidates
}
if [ "$funcstack[1]" = "_exai" ]; then
  _exai
fi
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const firsts = firstWords(commands);
  const add = (when: string, rest: string) => `complete -c exai -n ${fishQuote(when)} ${rest}\n`;
  const offer = (when: string, word: string, text: string) =>
    add(when, `-f -a ${word} -d ${fishQuote(text)}`);
  return [
    `# fish completion for exai
function __exai_at
  set -l typed (commandline -opc)
  set -e typed[1]
  test "$typed" = "$argv"
end
function __exai_in
  set -l typed (commandline -opc)
  set -e typed[1]
  for at in (seq (count $argv))
    test "$typed[$at]" = "$argv[$at]"; or return 1
  end
end
`,
    ...firsts.map(({ word, summary }) => offer('__exai_at', word, summary)),
    ...firsts.flatMap(({ word, second }) =>
      second.map((each) => offer(`__exai_at ${word}`, secondWord(each), each.summary)),
    ),
    ...withValues(commands).flatMap(({ name, values }) =>
      values.map((value) => add(`__exai_at ${name}`, `-f -a ${value}`)),
    ),
    ...commands.flatMap(({ name, options }) => {
      const longer = commands.filter((other) => other.name.startsWith(`${name} `));
      const when = [
        `__exai_in ${name}`,
        ...longer.map((other) => `not __exai_in ${other.name}`),
      ].join('; and ');
      return options.map(([option, { short, type, help }]) => {
        const flags = short === undefined ? `-l ${option}` : `-l ${option} -s ${short}`;
        return add(when, `${flags}${type === 'boolean' ? '' : ' -r'} -d ${fishQuote(help)}`);
      });
    }),
  ].join('');
}

function zshQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
