import * as z from 'zod';
import { isErrorClass, type ErrorClass } from '#core/error-class.ts';

const headers = z.record(z.string(), z.string());
const chunk = z.union([
  z.strictObject({ atMs: z.number(), text: z.string() }),
  z.strictObject({ atMs: z.number(), base64: z.string() }),
]);

/** How the exchange ended: whole, by its reader, or by a failure, after what stands in `response`. */
const ended = z.union([
  z.literal('whole'),
  z.literal('left by its reader'),
  z.strictObject({
    class: z.custom<ErrorClass>((name) => typeof name === 'string' && isErrorClass(name)),
    message: z.string(),
  }),
]);

/** One exchange as it stands in its file. */
export const Taped = z.strictObject({
  version: z.literal(1),
  request: z.strictObject({
    method: z.string(),
    url: z.string(),
    headers,
    /** What it is found by again, together with the method. */
    path: z.string(),
    bodySha256: z.string(),
    /** JSON as it is, other texts as they are, the beginning of anything else. */
    body: z.unknown().optional(),
  }),
  response: z.strictObject({ status: z.int(), headers, chunks: z.array(chunk) }).optional(),
  ended,
});
export type Taped = z.infer<typeof Taped>;
export type TapedChunk = z.infer<typeof chunk>;
export type Ended = z.infer<typeof ended>;
