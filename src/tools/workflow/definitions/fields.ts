import * as z from 'zod';
import { SEVERITIES } from '../findings.ts';

/**
 * Arguments of several definitions: one name, one meaning and one limit. Limits are validated but
 * not listed, and self-explanatory names have no description, because every listed word is sent to
 * a model with every question.
 */

const MAX_LISTED = 50;
const MAX_ENTRY_CHARS = 4_096;
const MAX_TEXT_CHARS = 20_000;

export const textField = z
  .string()
  .refine(
    (text) => text.length <= MAX_TEXT_CHARS,
    `it has at most ${MAX_TEXT_CHARS} characters; put the rest into a file of relevant_files`,
  );

export const listField = z
  .array(z.string())
  .refine(
    (list) => list.length <= MAX_LISTED && list.every((entry) => entry.length <= MAX_ENTRY_CHARS),
    `it has at most ${MAX_LISTED} entries of at most ${MAX_ENTRY_CHARS} characters`,
  );

export const severityFilterField = z
  .enum([...SEVERITIES, 'all'])
  .default('all')
  .describe('The least to report.');
