import type { Dictionary } from '../is-object.ts';

/** The files of one sandbox; code in it is understood as far as files and texts go. */
export interface Sandbox {
  readonly id: string;
  readonly files: Map<string, Buffer>;
}

export interface CodeResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly error?: string;
}

export const HOME = '/home/user';
/** Code runs up to three minutes; `sleep` beyond it is cut without waiting. */
const MAX_SECONDS = 180;

const pathOf = (given: string): string => (given.startsWith('/') ? given : `${HOME}/${given}`);

/** Python, as far as it writes, reads and prints texts. */
export function runPython({ files }: Sandbox, code: string): CodeResult {
  const late = timeLimit(/time\.sleep\(\s*(\d+)/.exec(code)?.[1]);
  if (late) return late;
  const texts = new Map<string, string>();
  for (const [, name = '', quoted = ''] of code.matchAll(
    /^\s*(\w+)\s*=\s*(?:r|b)?(['"](?:[^'"\\\n]|\\.)*['"])\s*$/gm,
  )) {
    texts.set(name, unquoted(quoted));
  }
  const valueOf = (source: string): string | undefined => {
    const term = source.trim();
    return /^['"]/.test(term) ? unquoted(term) : texts.get(term);
  };
  const write =
    /open\(\s*([^,)]+?)\s*,\s*['"]w(b?)['"][^)]*\)(?:\s*as\s*(\w+)\s*:\s*|\s*)\.?(?:\3\.)?write\(\s*(base64\.b64decode\()?\s*([^)]*?)\s*\)/g;
  for (const [, target = '', , , decode, content = ''] of code.matchAll(write)) {
    const [path, value] = [valueOf(target), valueOf(content.replace(/\.encode\(.*$/, ''))];
    if (path === undefined || value === undefined) continue;
    files.set(pathOf(path), Buffer.from(value, decode === undefined ? 'utf8' : 'base64'));
  }
  const printed: string[] = [];
  for (const [, inner = ''] of code.matchAll(/print\(\s*(.+?)\s*\)\s*(?:$|;)/gm)) {
    const read = /^open\(\s*(.+?)\s*(?:,[^)]*)?\)\.read\(\)?$/.exec(inner);
    const path = read?.[1] === undefined ? undefined : valueOf(read[1]);
    if (path !== undefined) {
      const data = files.get(pathOf(path));
      if (!data) return missingFile(path, printed);
      printed.push(data.toString('utf8'));
    } else printed.push(valueOf(inner) ?? '');
  }
  const stdout = printed.map((line) => `${line}\n`).join('');
  return { stdout, stderr: '' };
}

function missingFile(path: string, printed: readonly string[]): CodeResult {
  const stderr = `FileNotFoundError: [Errno 2] No such file or directory: '${path}'`;
  return { stdout: printed.map((line) => `${line}\n`).join(''), stderr, error: stderr };
}

/** A pipeline of `cat`, `head -c`, `tail -c`, `base64`, `wc -c`, `ls` and `echo`. */
export function runShell(sandbox: Sandbox, command: string): CodeResult {
  const late = timeLimit(/\bsleep\s+(\d+)/.exec(command)?.[1]);
  if (late) return late;
  let data: Buffer = Buffer.alloc(0);
  for (const part of command.split('|')) {
    const step = runStep(sandbox, part.trim(), data);
    if (typeof step === 'string') return { stdout: '', stderr: step, error: step };
    data = step;
  }
  return { stdout: data.toString('utf8'), stderr: '' };
}

function runStep({ files }: Sandbox, step: string, given: Buffer): Buffer | string {
  const words = [...step.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
  const [program = '', ...rest] = words.filter((word) => word !== '<');
  const options = rest.filter((word) => /^[-+]/.test(word));
  const operand = rest.findLast((word) => word.startsWith('/') || /\.\w+$/.test(word));
  const file = operand === undefined ? undefined : files.get(pathOf(operand));
  const missing = `${program}: ${operand ?? ''}: No such file or directory`;
  const data = operand === undefined ? given : file;
  const count = Number(rest.find((word) => /^\+?\d+$/.test(word)) ?? NaN);
  switch (program) {
    case 'echo':
      return Buffer.from(`${rest.join(' ')}\n`);
    case 'ls': {
      const names = [...files.keys()].filter((name) => name.startsWith(operand ?? HOME));
      return Buffer.from(names.map((name) => `${name}\n`).join(''));
    }
    case 'cat':
      return data ?? missing;
    case 'head':
      return data?.subarray(0, count) ?? missing;
    case 'tail':
      return data?.subarray(Math.max(0, count - 1)) ?? missing;
    case 'wc':
      return data ? Buffer.from(`${data.length}\n`) : missing;
    case 'base64':
      if (!data) return missing;
      return options.includes('-d')
        ? Buffer.from(data.toString('utf8'), 'base64')
        : Buffer.from(`${data.toString('base64')}\n`);
    default:
      return `bash: ${program}: command not found`;
  }
}

function timeLimit(seconds: string | undefined): CodeResult | undefined {
  if (seconds === undefined || Number(seconds) <= MAX_SECONDS) return undefined;
  const error = `Execution timed out after ${MAX_SECONDS} seconds`;
  return { stdout: '', stderr: error, error };
}

function unquoted(source: string): string {
  const inner = source.trim().slice(1, -1);
  return inner.replaceAll(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

/** The answer of the workbench. */
export const toWorkbenchData = ({ stdout, stderr, error }: CodeResult): Dictionary => ({
  stdout,
  stderr,
  results: '',
  ...(error !== undefined && { error }),
});
