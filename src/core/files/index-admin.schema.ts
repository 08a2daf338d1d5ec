import * as z from 'zod';
import { argumentError } from '../errors/argument-error.schema.ts';
import { CallError } from '../errors/call-error.ts';

// Schemas for the parameters of the methods in index-admin.ts.

const MAX_PATH_CHARS = 4_096;
const MAX_QUERY_CHARS = 4_000;
const MAX_PATHS = 1_000;
const MAX_LIMIT = 100;

const Paths = z.strictObject({
  paths: z.array(z.string().min(1).max(MAX_PATH_CHARS)).min(1).max(MAX_PATHS),
});
const Update = Paths.extend({
  folders: z.array(z.string().min(1).max(MAX_PATH_CHARS)).max(MAX_PATHS).default([]),
});
const Search = z.strictObject({
  query: z.string().min(1).max(MAX_QUERY_CHARS),
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
});

export function readIndexPaths(method: string, params: unknown): readonly string[] {
  return checked(Paths, method, params).paths;
}

export function readIndexUpdate(params: unknown): {
  readonly paths: readonly string[];
  readonly folders: readonly string[];
} {
  return checked(Update, 'index update', params);
}

export function readIndexSearch(params: unknown): {
  readonly query: string;
  readonly limit?: number;
} {
  const { query, limit } = checked(Search, 'index search', params);
  return { query, ...(limit !== undefined && { limit }) };
}

function checked<Params extends z.ZodObject>(
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
