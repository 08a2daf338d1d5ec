import type { Ask, FormPart, Headers, Reply } from '../vendor.ts';
import type { Account } from './account.ts';
import { invalid, noFile, noPath, Refusal } from './errors.ts';
import { extractText, typeOf } from './extract-text.ts';
import type { KimiFile } from './file-store.ts';
import type { KimiState } from './state.ts';
import type { KimiSwitches } from './switches.ts';

const MAX_FILE_BYTES = 104_857_600;
const MAX_ALL_BYTES = 10 * 1_073_741_824;

const PURPOSES: Readonly<Record<string, readonly string[]>> = {
  current: ['file-extract', 'image', 'video', 'batch'],
  wide: ['file-extract', 'image', 'video', 'batch', 'batch_output', 'lambda'],
  'extract-only': ['file-extract'],
};

export const TOO_LARGE =
  'File size is too large, max file size is 100MB, please confirm and re-upload the file';
export const ZERO_SIZE = 'File size is zero, please confirm and re-upload the file';
export const tooMany = (most: number): string =>
  `The number of files you have uploaded exceeded the max file count ${most}, please delete previous uploaded files`;

export async function serveFiles(
  ask: Ask,
  reply: Reply,
  account: Account,
  headers: Headers,
  state: KimiState,
): Promise<void> {
  const { switches, files } = state;
  const [, , id, detail] = ask.path.split('/');
  if (id === undefined || id === '') {
    if (ask.method === 'POST') return reply.json(200, upload(ask, account, state), headers);
    if (ask.method !== 'GET') throw noPath();
    const data = files.list(account.uid).map((file) => show(file, switches));
    return reply.json(200, { object: 'list', data }, headers);
  }
  const file = files.get(account.uid, id);
  if (file === undefined) throw noFile(id.slice(0, 100));
  if (detail === 'content' && ask.method === 'GET')
    return sendContent(reply, file, headers, switches);
  if (detail !== undefined) throw noPath();
  if (ask.method === 'GET') return reply.json(200, show(file, switches), headers);
  if (ask.method !== 'DELETE') throw noPath();
  files.delete(account.uid, id);
  return reply.json(200, { id, object: 'file', deleted: true }, headers);
}

function upload(ask: Ask, account: Account, state: KimiState): object {
  const { switches, files } = state;
  const part = ask.form.find((one) => one.name === 'file');
  const purpose = ask.form.find((one) => one.name === 'purpose')?.data.toString('utf8') ?? '';
  const allowed = PURPOSES[switches.filePurposes] ?? [];
  if (!allowed.includes(purpose))
    throw invalid(`Invalid purpose: only ${allowed.map((one) => `'${one}'`).join(', ')} accepted`);
  if (part === undefined) throw invalid('Invalid request: file is missing');
  if (part.data.length === 0) throw invalid(ZERO_SIZE);
  if (part.data.length > MAX_FILE_BYTES) throw invalid(TOO_LARGE);
  const mine = files.list(account.uid);
  if (mine.length >= switches.maxFiles) throw invalid(tooMany(switches.maxFiles));
  const total = mine.reduce((sum, file) => sum + file.bytes, part.data.length);
  if (total > MAX_ALL_BYTES)
    throw invalid('The total size of the files you have uploaded exceeded the max total size 10GB');
  const file = store(part, purpose, ask, state);
  files.add(account.uid, file);
  return show(file, switches);
}

function store(part: FormPart, purpose: string, ask: Ask, state: KimiState): KimiFile {
  const filename = part.filename ?? 'file';
  const type = purpose === 'batch' ? 'application/jsonl' : typeOf(filename);
  if (type === undefined) throw invalid('Invalid request: unsupported file type');
  const isText = purpose === 'file-extract';
  if (!isText && purpose !== 'batch' && !type.startsWith(`${purpose}/`))
    throw invalid(`Invalid request: the file is not a ${purpose}`);
  return {
    id: `d${state.nextId()}`,
    bytes: part.data.length,
    createdAt: Math.floor(ask.now() / 1_000),
    filename,
    purpose,
    type,
    status: ask.fault?.id === 'F15.status' ? 'error' : 'good',
    text: isText ? extractText(part.data, type) : '',
    data: isText ? Buffer.alloc(0) : part.data,
  };
}

function show(file: KimiFile, switches: KimiSwitches): object {
  return {
    id: file.id,
    object: 'file',
    bytes: file.bytes,
    created_at: file.createdAt,
    filename: file.filename,
    purpose: file.purpose,
    status: file.status === 'error' ? 'error' : switches.fileStatus,
    status_details: file.status === 'error' ? 'extract failed' : '',
  };
}

function sendContent(
  reply: Reply,
  file: KimiFile,
  headers: Headers,
  switches: KimiSwitches,
): Promise<void> {
  if (file.purpose !== 'file-extract')
    throw invalid("Invalid request: only files with the purpose 'file-extract' have content");
  if (file.status === 'error') throw new Refusal(500, '', 'extract task failed: failed');
  if (switches.fileContent === 'text')
    return reply.raw(200, file.text, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  const body = JSON.stringify({
    content: file.text,
    file_type: file.type,
    filename: file.filename,
    title: '',
    type: 'file',
  });
  return reply.raw(200, body, { 'content-type': 'application/json; charset=utf-8', ...headers });
}
