import * as z from 'zod';
import { argumentError } from '../errors/argument-error.schema.ts';
import { CallError } from '../errors/call-error.ts';

// Schemas for the parameters of the methods in file-admin.ts.

const MAX_ID_CHARS = 200;
const MAX_PATH_CHARS = 4_096;
const id = z.string().min(1).max(MAX_ID_CHARS);

const Page = z.strictObject({
  limit: z.int().min(1).max(1_000).optional(),
  before: id.optional(),
});
const One = z.strictObject({ id });
const Added = z.strictObject({ path: z.string().min(1).max(MAX_PATH_CHARS) });
const Piece = z.strictObject({ id, offset: z.int().min(0) });
const Prune = z.strictObject({
  before_ms: z.int().min(0),
  mode: z.enum(['preview', 'delete']),
});

export function readFilePage(params: unknown): {
  readonly limit?: number;
  readonly before?: string;
} {
  const { limit, before } = checkedParams(Page, 'files list', params);
  return { ...(limit !== undefined && { limit }), ...(before !== undefined && { before }) };
}

export function readFileId(params: unknown): string {
  return checkedParams(One, 'files', params).id;
}

export function readAddFile(params: unknown): string {
  return checkedParams(Added, 'files add', params).path;
}

export function readFilePiece(params: unknown): { readonly id: string; readonly offset: number } {
  return checkedParams(Piece, 'files get', params);
}

export function readPrune(params: unknown): {
  readonly beforeMs: number;
  readonly mode: 'preview' | 'delete';
} {
  const { before_ms: beforeMs, mode } = checkedParams(Prune, 'files prune', params);
  return { beforeMs, mode };
}

function checkedParams<Params extends z.ZodObject>(
  schema: Params,
  method: string,
  params: unknown,
): z.output<Params> {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new CallError('validation', `${method} needs its params as an object.`);
  }
  const { success, data, error } = schema.safeParse(params);
  if (success) return data;
  throw argumentError(method, error, { ...params }, schema);
}
