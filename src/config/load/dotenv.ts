import { fix } from '#core/messages/fixes.ts';
import { notice } from '#core/messages/notices.ts';
import { readTextFile } from './read-text.ts';
import type { ConfigReport } from './report.ts';

export interface DotenvVariable {
  readonly value: string;
  readonly line: number;
}

export interface Dotenv {
  readonly path: string;
  readonly variables: ReadonlyMap<string, DotenvVariable>;
}

/**
 * A line that sets a variable, in three parts: the text before its name, the name, and the rest.
 */
export const ASSIGNMENT = /^(\s*(?:export\s+)?)([A-Za-z_]\w*)\s*=(.*)$/s;

const IGNORED = /^\s*(?:#.*)?$/s;
const QUOTED = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$|^'([^']*)'\s*(?:#.*)?$/s;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  $: '$',
  '`': '`',
};

/** Reads EXAI_HOME/.env; a missing file has no variables. */
export function readDotenv(path: string, report: ConfigReport): Dotenv {
  const file = readTextFile(path, report);
  if (file?.readableBy === 'others') {
    report.notice(() => notice('env_file_readable', { file: path }));
  }
  return { path, variables: parseDotenv(path, file?.text ?? '', report) };
}

export function parseDotenv(
  path: string,
  text: string,
  report: ConfigReport,
): Map<string, DotenvVariable> {
  const variables = new Map<string, DotenvVariable>();
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (IGNORED.test(content)) continue;
    const line = index + 1;
    // Messages never quote a line, because a malformed line may be a key.
    const refuse = (reason: string) =>
      report.problem(() => ({
        field: path,
        message: `${path}:${line}: ${reason}.`,
        fixes: [fix('correct_setting', { setting: path })],
      }));
    const [, , name, rest] = ASSIGNMENT.exec(content) ?? [];
    if (name === undefined || rest === undefined) {
      refuse('This line is not NAME=VALUE');
      continue;
    }
    const value = readValue(rest.trim());
    if (value === undefined) {
      refuse(`The quotes around ${name} do not match; a value cannot span several lines`);
      continue;
    }
    const earlier = variables.get(name);
    if (earlier) {
      const lines = [earlier.line, line] as const;
      report.notice(() => notice('variable_repeated', { file: path, variable: name, lines }));
    }
    variables.set(name, { value, line });
  }
  return variables;
}

function readValue(written: string): string | undefined {
  if (!/^["']/.test(written)) return written.replace(/(^|\s)#.*$/s, '').trimEnd();
  const quoted = QUOTED.exec(written);
  if (!quoted) return undefined;
  const [, double, single] = quoted;
  return (
    double?.replaceAll(/\\(.)/gs, (pair: string, char: string) => ESCAPES[char] ?? pair) ?? single
  );
}

/** Quotes a value so that this parser, a shell and other .env readers all read the same value. */
export function quoteDotenvValue(value: string): string {
  if (/^[\w./:+=@%,-]+$/.test(value)) return value;
  if (!value.includes("'")) return `'${value}'`;
  return `"${value.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}
