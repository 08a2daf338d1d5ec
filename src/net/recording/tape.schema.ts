import * as z from 'zod';
import { isErrorClass, type ErrorClass } from '#core/errors/error-class.ts';

const headers = z.record(z.string(), z.string());
const chunk = z.union([
  z.strictObject({ atMs: z.number(), text: z.string() }),
  z.strictObject({ atMs: z.number(), base64: z.string() }),
]);

/** How the request ended after the recorded `response`: complete, left by its reader, or failed. */
const ended = z.union([
  z.literal('whole'),
  z.literal('left by its reader'),
  z.strictObject({
    class: z.custom<ErrorClass>((name) => typeof name === 'string' && isErrorClass(name)),
    message: z.string(),
  }),
]);

/** One recorded request, as in its file. */
export const Taped = z.strictObject({
  version: z.literal(1),
  request: z.strictObject({
    method: z.string(),
    url: z.string(),
    headers,
    /** The key of the recording, together with the method. */
    path: z.string(),
    bodySha256: z.string(),
    /** JSON and texts in full; of anything else the beginning. */
    body: z.unknown().optional(),
  }),
  response: z.strictObject({ status: z.int(), headers, chunks: z.array(chunk) }).optional(),
  ended,
});
export type Taped = z.infer<typeof Taped>;
export type TapedChunk = z.infer<typeof chunk>;
export type TapeEnd = z.infer<typeof ended>;
