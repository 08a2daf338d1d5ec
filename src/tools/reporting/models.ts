import * as z from 'zod';
import { baseRenderer } from '#core/messages/render.ts';
import { toUsd } from '#core/money.ts';
import { windowWords } from '#core/window-words.ts';
import type { ModelStanding } from '#models/desk.ts';
import { ReasonShape } from './reason-shape.ts';

export const ModelShape = z.strictObject({
  id: z.string(),
  provider: z.string(),
  title: z.string(),
  state: z.enum(['live', 'retired']),
  usable: z.boolean(),
  because: z.string().optional(),
  reason: ReasonShape.optional(),
  unlisted_since: z.string().optional(),
  context_tokens: z.number(),
  max_output_tokens: z.number(),
  usd_per_million: z
    .strictObject({ input: z.number(), cached: z.number(), output: z.number() })
    .optional(),
  input: z.array(z.string()),
  tools: z.boolean(),
  thinking: z.enum(['never', 'switch', 'always']),
  since: z.string().optional(),
  until: z.string().optional(),
  successor: z.string().optional(),
  aliases: z.array(z.string()),
  roles: z.array(z.string()),
});

export function modelContent({
  model,
  usable,
  reason,
  unlistedSince,
  roles,
}: ModelStanding): z.infer<typeof ModelShape> {
  const { id, provider, title, state, price, since, until, successor } = model;
  return {
    id,
    provider,
    title,
    state,
    usable: usable === 'yes',
    ...(reason && { because: baseRenderer.reason(reason), reason }),
    ...(unlistedSince !== undefined && { unlisted_since: unlistedSince }),
    context_tokens: model.contextTokens,
    max_output_tokens: model.maxOutputTokens,
    ...(price && {
      usd_per_million: {
        input: toUsd(price.input),
        cached: toUsd(price.cached),
        output: toUsd(price.output),
      },
    }),
    input: [...model.input],
    tools: model.tools === 'yes',
    thinking: model.thinking.control,
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(successor !== undefined && { successor }),
    aliases: [...model.aliases],
    roles: [...roles],
  };
}

/** A model on one line. */
export function modelWords(standing: ModelStanding): string {
  const { model, reason, roles } = standing;
  const { id, state, until, successor, price } = model;
  const cost =
    price === undefined
      ? ''
      : price.input + price.output === 0
        ? 'free'
        : `$${toUsd(price.input)} in, $${toUsd(price.output)} out`;
  const takes = model.input.filter((kind) => kind !== 'text');
  const end = state === 'retired' ? ended(until, successor) : until && `ends ${until}`;
  const facts = [
    `${windowWords(model.contextTokens)} tokens`,
    cost,
    takes.length > 0 ? `takes ${takes.join(', ')}` : '',
    roles.length > 0 ? `plays ${roles.join(', ')}` : '',
    end,
    state === 'live' && reason ? baseRenderer.reason(reason) : '',
  ];
  return `${id}: ${facts.filter(Boolean).join('; ')}`;
}

function ended(until: string | undefined, successor: string | undefined): string {
  const when = until === undefined ? 'switched off' : `switched off ${until}`;
  return successor === undefined ? when : `${when}, ${successor} answers`;
}
