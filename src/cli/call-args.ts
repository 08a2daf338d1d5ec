import { readFileSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { quoteName } from '#config/secret-guard.ts';
import { CallError } from '#core/call-error.ts';
import { faultText } from '#core/json-text/json-fault.ts';
import { readJsonText } from '#core/json-text/json-text.ts';

/** As much as a daemon takes in one message. */
const MAX_BYTES = 33_554_432;

export interface ArgsOptions {
  readonly args?: string;
  readonly 'args-file'?: string;
}

/** The arguments of a call, from the command line, a file, or what is piped in; none means an empty object. */
export async function callArgs(
  options: ArgsOptions,
  signal: AbortSignal,
  readInput: (signal: AbortSignal) => Promise<string> = piped,
): Promise<Record<string, unknown>> {
  const { args, 'args-file': file } = options;
  if (args !== undefined && file !== undefined) {
    throw new CallError('bad_request', '--args and --args-file are two ways for one thing.', {
      field: '--args-file',
      fix: 'Give one of them.',
    });
  }
  if (args !== undefined) return parseArgs(await named(args, signal, readInput), '--args');
  if (file === undefined) return {};
  return parseArgs(
    file === '-' ? await readInput(signal) : readFileSync(file, 'utf8'),
    '--args-file',
  );
}

/** `@file` and `-` stand for what they name: no JSON begins like the one, or is the other. */
async function named(
  args: string,
  signal: AbortSignal,
  readInput: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  if (args === '-') return readInput(signal);
  return args.startsWith('@') ? readFileSync(args.slice(1), 'utf8') : args;
}

export function parseArgs(text: string, option: string): Record<string, unknown> {
  const value = parse(text, option);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CallError('validation', `${option} must be a JSON object, but is ${kindOf(value)}.`, {
    field: option,
    fix: `Write it like: --args '{"tail_lines": 10}'`,
  });
}

function parse(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CallError('validation', `${option} is not JSON${placeOf(text)}`, {
      field: option,
      fix: `Write it like: --args '{"tail_lines": 10}'`,
      cause,
    });
  }
}

/** Where and why: JSON.parse itself says neither on every engine. */
function placeOf(text: string): string {
  const read = readJsonText(text);
  if (read.is === 'read') return '.';
  const { fault } = read;
  return `: line ${fault.line}, column ${fault.column}: ${faultText(fault, { subject: 'It', quoteName })}.`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

async function piped(signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      throw new CallError('too_large', `More than ${MAX_BYTES} bytes were piped in.`, {
        field: '--args-file',
      });
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}
