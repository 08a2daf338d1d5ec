import * as z from 'zod';
import type { AddClientRequest, AccessExplainRequest, CoverageRequest } from './access-admin.ts';
import { argumentError } from '../errors/argument-error.schema.ts';
import { CallError } from '../errors/call-error.ts';

// Schemas for the parameters of the methods in access-admin.ts.

const name = z.string().max(64);
const agent = z.string().min(1).max(64);

const Explain = z.strictObject({
  tool: z.string().min(1).max(256),
  client: name.optional(),
  agent: agent.optional(),
  args: z.record(z.string(), z.unknown()).optional(),
});

const Covered = z.strictObject({ client: name.optional(), agent: agent.optional() });

const Add = z.strictObject({
  name,
  scopes: z.array(z.string().max(160)).min(1).max(64).optional(),
  restore: z.boolean().optional(),
});

const Remove = z.strictObject({ name });

export function readExplain(params: unknown): AccessExplainRequest {
  return checked(Explain, 'access explain', params);
}

export function readCoverage(params: unknown): CoverageRequest {
  return checked(Covered, 'access coverage', params);
}

export function readAdd(params: unknown): AddClientRequest {
  return checked(Add, 'access add', params);
}

export function readRemove(params: unknown): { readonly name: string } {
  return checked(Remove, 'access remove', params);
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
