import * as z from 'zod';
import { EFFORTS } from '#core/llm/chat.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { toProviderId } from '#core/providers/list.ts';
import { isModelName } from './model-name.ts';
import type { Overlay } from './overlay.ts';

const tokens = z.int().min(1).max(100_000_000);
const microUsd = z.int().min(0).max(1_000_000_000_000);
const day = z.iso.date();

/** The stored overlay. */
const MAX_ENTRIES = 20_000;

const overlaySchema: z.ZodType<Overlay> = z
  .array(
    z.strictObject({
      provider: z.custom<ProviderId>(
        (value) => typeof value === 'string' && toProviderId(value) !== undefined,
        'not the id of a provider',
      ),
      id: z.string().refine(isModelName, 'not the name of a model'),
      seenOn: day.exactOptional(),
      missingSince: day.exactOptional(),
      contextTokens: tokens.exactOptional(),
      maxOutputTokens: tokens.exactOptional(),
      images: z.boolean().exactOptional(),
      video: z.boolean().exactOptional(),
      tools: z.boolean().exactOptional(),
      thinking: z.boolean().exactOptional(),
      alwaysThinks: z.boolean().exactOptional(),
      efforts: z.array(z.enum(EFFORTS)).max(EFFORTS.length).readonly().exactOptional(),
      price: z
        .strictObject({ input: microUsd, cached: microUsd, output: microUsd })
        .exactOptional(),
    }),
  )
  .max(MAX_ENTRIES)
  .readonly();

/** Reads the stored overlay. A damaged one is ignored, and the notice says how to recreate it. */
export function readOverlay(json: unknown): {
  readonly overlay: Overlay;
  readonly notice?: Notice;
} {
  const read = overlaySchema.safeParse(json);
  if (read.success) return { overlay: read.data };
  const issue = read.error.issues[0];
  const path = issue?.path.join('.').slice(0, 100) ?? '';
  return {
    overlay: [],
    notice: notice('model_lists_damaged', path === '' ? {} : { path }),
  };
}
