import type { FormPart } from '../vendor.ts';
import type { GlmError } from './errors.ts';
import type { GlmSwitches } from './switches.ts';

export interface GlmFile {
  readonly id: string;
  readonly owner: string;
  readonly filename: string;
  readonly purpose: string;
  readonly createdAt: number;
  readonly data: Buffer;
}

interface Purpose {
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly endings?: RegExp;
}

const MB = 1_048_576;

/** The hosts disagree about nearly everything here; `assistants` is on neither list. */
const PURPOSES: Readonly<Record<GlmSwitches['host'], Readonly<Record<string, Purpose>>>> = {
  zai: { agent: { maxBytes: 100 * MB, maxFiles: 100 } },
  bigmodel: {
    batch: { maxBytes: 100 * MB, maxFiles: 1_000, endings: /\.jsonl$/i },
    'file-extract': { maxBytes: 50 * MB, maxFiles: 100 },
    'code-interpreter': { maxBytes: 20 * MB, maxFiles: 100 },
    agent: { maxBytes: 20 * MB, maxFiles: 1_000 },
    'voice-clone-input': { maxBytes: 10 * MB, maxFiles: 100 },
    'fine-tune': { maxBytes: 100 * MB, maxFiles: 1_000, endings: /\.jsonl$/i },
    retrieval: { maxBytes: 50 * MB, maxFiles: 100 },
  },
};

const IMAGE = /\.(png|jpe?g|gif|bmp|webp)$/i;
const MAX_IMAGE_BYTES = 5 * MB;
/** More than any account holds, so that a flood cannot fill the machine. */
const MAX_TOTAL_BYTES = 2_048 * MB;

export interface Files {
  add(
    owner: string,
    form: readonly FormPart[],
    nowMs: number,
  ): GlmFile | { readonly error: GlmError | 'over 100 MB' };
  list(
    owner: string,
    query: URLSearchParams,
  ): { readonly files: readonly GlmFile[]; readonly more: boolean } | { readonly error: GlmError };
  find(owner: string, id: string): GlmFile | undefined;
  remove(file: GlmFile): void;
  clear(): void;
}

export function createFiles(switches: GlmSwitches): Files {
  const files = new Map<string, GlmFile>();
  let made = 0;
  let bytes = 0;

  const ofOwner = (owner: string): readonly GlmFile[] =>
    [...files.values()].filter((file) => file.owner === owner);

  function checkFile(
    owner: string,
    upload: FormPart,
    purpose: string,
  ): GlmError | 'over 100 MB' | undefined {
    const purposes = PURPOSES[switches.host];
    const rules = Object.hasOwn(purposes, purpose) ? purposes[purpose] : undefined;
    if (rules === undefined)
      return {
        code: '1214',
        about: 'purpose',
        detail: `Allowed: ${Object.keys(purposes).join(', ')}.`,
      };
    const filename = upload.filename ?? '';
    const size = upload.data.length;
    if (size === 0) return { code: '1214', about: 'file', detail: 'The file is empty.' };
    if (size > 100 * MB) return 'over 100 MB';
    const most =
      purpose === 'file-extract' && IMAGE.test(filename) ? MAX_IMAGE_BYTES : rules.maxBytes;
    if (size > most)
      return { code: '1214', about: 'file', detail: `The file is larger than ${most / MB} MB.` };
    if (rules.endings?.test(filename) === false)
      return {
        code: '1214',
        about: 'file',
        detail: `Files of purpose ${purpose} end with .jsonl.`,
      };
    const kept = ofOwner(owner).filter((file) => file.purpose === purpose).length;
    if (kept >= rules.maxFiles || bytes + size > MAX_TOTAL_BYTES)
      return {
        code: '1210',
        detail: `At most ${rules.maxFiles} files of purpose ${purpose} can be kept.`,
      };
    return undefined;
  }

  return {
    add(owner, form, nowMs) {
      const upload = form.find((part) => part.name === 'file' && part.filename !== undefined);
      const purpose = form.find((part) => part.name === 'purpose')?.data.toString('utf8');
      if (upload === undefined) return { error: { code: '1213', about: 'file' } };
      if (purpose === undefined) return { error: { code: '1213', about: 'purpose' } };
      const error = checkFile(owner, upload, purpose);
      if (error !== undefined) return { error };
      made += 1;
      bytes += upload.data.length;
      const file: GlmFile = {
        id: `file-${String(made).padStart(8, '0')}`,
        owner,
        filename: upload.filename ?? '',
        purpose,
        createdAt: Math.floor(nowMs / 1_000),
        // A copy: the part is a window on the whole request.
        data: Buffer.from(upload.data),
      };
      files.set(file.id, file);
      return file;
    },
    list(owner, query) {
      const limit = Number(query.get('limit') ?? 20);
      if (!Number.isInteger(limit) || limit < 1 || limit > 100)
        return { error: { code: '1214', about: 'limit' } };
      const purpose = query.get('purpose');
      const found = ofOwner(owner).filter((file) => purpose === null || file.purpose === purpose);
      if (query.get('order') === 'desc') found.reverse();
      const after = query.get('after');
      const start = after === null ? 0 : found.findIndex((file) => file.id === after) + 1;
      return { files: found.slice(start, start + limit), more: found.length > start + limit };
    },
    find(owner, id) {
      const file = files.get(id);
      return file?.owner === owner ? file : undefined;
    },
    remove(file) {
      if (files.delete(file.id)) bytes -= file.data.length;
    },
    clear() {
      files.clear();
      made = 0;
      bytes = 0;
    },
  };
}

export const showFile = (file: GlmFile): object => ({
  id: file.id,
  object: 'file',
  bytes: file.data.length,
  created_at: file.createdAt,
  filename: file.filename,
  purpose: file.purpose,
});
