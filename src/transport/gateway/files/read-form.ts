import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { CallError } from '#core/errors/call-error.ts';
import type { UploadedFile } from '#core/llm/gateway.ts';
import type { StoredFile } from '#core/stores/files.ts';
import { oneLine } from '#core/text/text.ts';
import { isEncoded, UNSUPPORTED_ENCODING } from '../../http/read-body.ts';
import { fieldProblem } from '../fields.ts';

/** What a client may upload a file for; the last two are those of Kimi and Z.ai. */
const PURPOSES: readonly string[] = [
  'assistants',
  'user_data',
  'vision',
  'batch',
  'fine-tune',
  'evals',
  'file-extract',
  'agent',
];

export interface FormOptions {
  /** OpenAI's API requires it, Anthropic's has none. */
  readonly purpose: 'required' | 'none';
}

const LIMITS = {
  files: 1,
  fields: 16,
  parts: 32,
  fieldSize: 1024,
  headerPairs: 32,
  headerSize: 16_384,
} as const;

/**
 * Reads a form with one file, which `store` gets as it arrives. The chunks end only after the form
 * did, so that a bad form stores nothing.
 */
export async function readForm(
  request: IncomingMessage,
  { purpose }: FormOptions,
  store: (file: UploadedFile) => Promise<StoredFile>,
): Promise<StoredFile> {
  if (isEncoded(request)) throw UNSUPPORTED_ENCODING;
  const parser = createParser(request);
  const fields = new Map<string, string>();
  const complete = formEnd(parser, fields).then(() => {
    if (purpose === 'required') requirePurpose(fields.get('purpose'));
  });
  const received = new Promise<StoredFile>((resolve, reject) => {
    let current: BusboyFileStream | undefined;
    parser.on('file', (field, stream, filename, _encoding, mime) => {
      // The reader of its chunks gets the error.
      stream.on('error', ignore);
      if (field !== 'file') {
        stream.resume();
        return reject(MISSING_FILE);
      }
      current = stream;
      store({
        name: cleanName(filename),
        mime: cleanType(mime),
        chunks: chunksOf(stream, complete),
        purpose: () => fields.get('purpose'),
      }).then(resolve, reject);
    });
    complete.then(
      () => current ?? reject(MISSING_FILE),
      (error: CallError) => (current ? current.destroy(error) : reject(error)),
    );
  });
  try {
    request.pipe(parser);
    return await received;
  } finally {
    request.unpipe(parser);
    parser.on('error', ignore).destroy();
    // The rest is read and discarded: a client that is still sending could not read the answer.
    request.resume();
  }
}

function ignore(): void {}

function createParser({ headers }: IncomingMessage): BusboyInstance {
  const { 'content-type': type = '' } = headers;
  if (!/^\s*multipart\/form-data\s*;/i.test(type)) throw NOT_A_FORM;
  try {
    return new Busboy({ headers: { ...headers, 'content-type': type.trim() }, limits: LIMITS });
  } catch {
    // The parser throws for a missing boundary alone.
    throw NOT_A_FORM;
  }
}

/** Resolves at the end of a form, and collects its fields. */
function formEnd(parser: BusboyInstance, fields: Map<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.on('finish', resolve);
    parser.on('error', () => reject(BROKEN_FORM));
    parser.on('partsLimit', () => reject(TOO_MANY_PARTS));
    parser.on('fieldsLimit', () => reject(TOO_MANY_PARTS));
    parser.on('filesLimit', () => reject(ONE_FILE));
    parser.on('field', (name, value) => {
      if (name === 'file') reject(MISSING_FILE);
      if (name.startsWith('expires_after')) reject(NO_EXPIRY);
      fields.set(name, value);
    });
  });
}

async function* chunksOf(
  stream: BusboyFileStream,
  complete: Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (thrown) {
    throw thrown instanceof CallError ? thrown : BROKEN_FORM;
  }
  await complete;
}

const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;
const MAX_NAME_CHARS = 255;
const MAX_TYPE_CHARS = 100;

/** The last part of a path, without what could hide or reverse it. */
function cleanName(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  const name = oneLine(last.replaceAll(UNSEEN, ''), MAX_NAME_CHARS).trim();
  return name === '' || name === '.' || name === '..' ? 'upload' : name;
}

/** What the bytes are is found out when the file is used. */
function cleanType(type: string): string {
  const isType = type.length <= MAX_TYPE_CHARS && /^[\w.+-]+\/[\w.+-]+$/.test(type);
  return isType ? type : 'application/octet-stream';
}

export function requirePurpose(purpose: string | undefined): void {
  if (purpose !== undefined && PURPOSES.includes(purpose)) return;
  const is = purpose === undefined ? 'is missing' : 'is not one of the known purposes';
  throw fieldProblem('purpose', is, `Send one of: ${PURPOSES.join(', ')}.`);
}

function badForm(message: string, fix: string, field = 'body'): CallError {
  return new CallError('bad_request', message, { field, fix });
}

const SEND_FORM = 'Send multipart/form-data with the file in the field `file`.';
const NOT_A_FORM = badForm(
  'The body must be multipart/form-data with a boundary.',
  SEND_FORM,
  'content-type',
);
const BROKEN_FORM = badForm('The form ends before its last boundary.', SEND_FORM);
const TOO_MANY_PARTS = badForm('The form has too many parts.', SEND_FORM);
const ONE_FILE = badForm('The form has more than one file.', 'Upload one file at a time.', 'file');
const MISSING_FILE = fieldProblem('file', 'is missing', SEND_FORM);
const NO_EXPIRY = fieldProblem(
  'expires_after',
  'is not supported: files are kept for retention.filesDays after their last use',
  'Leave it out, and delete the file when it is not needed any more.',
);
