import { readFileSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { quoteName } from '#config/secrets/secret-guard.ts';
import { CallError } from '#core/errors/call-error.ts';
import { faultText, type JsonFault } from '#core/json-text/json-fault.ts';
import { readJsonText } from '#core/json-text/json-text.ts';

/** The largest message that a daemon accepts. */
const MAX_BYTES = 33_554_432;

export interface CallArgsOptions {
  readonly args?: string;
  readonly 'args-file'?: string;
}

/**
 * The arguments of a tool call, read from the command line, a file or standard input. Without any,
 * an empty object.
 */
export async function readCallArgs(
  options: CallArgsOptions,
  signal: AbortSignal,
  readInput: (signal: AbortSignal) => Promise<string> = readPipedArgs,
): Promise<Record<string, unknown>> {
  const { args, 'args-file': file } = options;
  if (args !== undefined && file !== undefined) {
    throw new CallError('bad_request', '--args and --args-file are two ways for one thing.', {
      field: '--args-file',
      fix: 'Give one of them.',
    });
  }
  if (args !== undefined)
    return parseCallArgs(await resolveArgs(args, signal, readInput), '--args');
  if (file === undefined) return {};
  return parseCallArgs(
    file === '-' ? await readInput(signal) : readFileSync(file, 'utf8'),
    '--args-file',
  );
}

/**
 * Resolves `@file` and `-` to the text they refer to. No JSON text starts with `@`, and none is
 * `-`.
 */
async function resolveArgs(
  args: string,
  signal: AbortSignal,
  readInput: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  if (args === '-') return readInput(signal);
  return args.startsWith('@') ? readFileSync(args.slice(1), 'utf8') : args;
}

export function parseCallArgs(text: string, option: string): Record<string, unknown> {
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
    throw new CallError('validation', `${option} is not JSON${describeJsonError(text)}`, {
      field: option,
      fix: `Write it like: --args '{"tail_lines": 10}'`,
      cause,
    });
  }
}

/**
 * The position and the cause of a syntax error. JSON.parse does not report them on every engine.
 */
function describeJsonError(text: string): string {
  const fault = findFault(text);
  if (!fault) return '.';
  return `: line ${fault.line}, column ${fault.column}: ${faultText(fault, { subject: 'It', quoteName })}.`;
}

/** Undefined also where the text is so large that looking for the fault exhausts the stack. */
function findFault(text: string): JsonFault | undefined {
  try {
    const read = readJsonText(text);
    return read.is === 'read' ? undefined : read.fault;
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

async function readPipedArgs(signal: AbortSignal): Promise<string> {
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
