import * as z from 'zod';

/** A reason or a notice as data: a code of a closed list and its parameters. */
export const ReasonShape = z.strictObject({
  code: z.string(),
  params: z.record(z.string(), z.unknown()),
});
