import * as z from 'zod';
import { argumentError } from '../errors/argument-error.schema.ts';
import { CallError } from '../errors/call-error.ts';
import { USAGE_GROUPS } from '../stores/usage.ts';
import type { UsageRequest } from './usage-report.ts';
import { isUtcDay } from '../time/utc-day.ts';

// Schemas for the parameters of the methods in usage-report.ts.

const day = z.string().max(10).refine(isUtcDay, { error: 'must be a day, such as 2026-01-31' });

const Request = z.strictObject({ by: z.enum(USAGE_GROUPS), fromDay: day, toDay: day });

export function readUsageRequest(params: unknown): UsageRequest {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw new CallError('validation', 'usage needs its params as an object.');
  }
  const { success, data, error } = Request.safeParse(params);
  if (!success) throw argumentError('usage', error, { ...params }, Request);
  if (data.fromDay <= data.toDay) return data;
  throw new CallError('validation', '"fromDay" is later than "toDay".', { field: 'fromDay' });
}
