import * as z from 'zod';
import type { Reason } from '#core/messages/reasons.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { toUsd } from '#core/text/money.ts';
import { formatWindow } from '#core/text/format.ts';
import type { ListedModel } from '#models/listed-model.ts';
import type { ModelStatus, ProviderStatus } from '#models/model-directory.ts';
import { ReasonShape } from './reasons.ts';

export const ModelShape = z.strictObject({
  id: z.string(),
  provider: z.string(),
  title: z.string(),
  state: z.enum(['live', 'retired']),
  usable: z.boolean(),
  because: z.string().optional(),
  reason: ReasonShape.optional(),
  unlisted_since: z.string().optional(),
  assumed: z.literal(true).optional(),
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
  isUsable,
  reason,
  unlistedSince,
  roles,
}: ModelStatus): z.infer<typeof ModelShape> {
  const { id, provider, title, state, price, since, until, successor } = model;
  return {
    id,
    provider,
    title,
    state,
    usable: isUsable,
    ...(reason && { because: baseRenderer.reason(reason), reason }),
    ...(unlistedSince !== undefined && { unlisted_since: unlistedSince }),
    ...((model as Partial<ListedModel>).isAssumed && { assumed: true as const }),
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

/** Renders a model on one line. */
export function renderModel(status: ModelStatus): string {
  const { model, reason, roles } = status;
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
    `${formatWindow(model.contextTokens)} tokens`,
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

/**
 * Explains why no model of these providers is usable, and what to do; undefined if one is usable.
 * The extractive fallback counts only if it is the only provider asked about.
 */
export function explainNoUsableModel(
  providers: readonly ProviderStatus[],
  models: readonly ModelStatus[],
): string | undefined {
  const real = providers.filter(({ id }) => providers.length === 1 || id !== 'extractive');
  const isUsable = ({ id }: ProviderStatus) =>
    models.some(({ model, isUsable }) => model.provider === id && isUsable);
  if (real.some(isUsable)) return undefined;

  const setUp = real.filter(({ configured }) => configured);
  if (setUp.length > 0) return setUp.map((provider) => reason(provider, models)).join('; ');
  const [first, second] = real.flatMap(({ fix }) => fix ?? []);
  if (first === undefined) return undefined;
  return second === undefined ? first : `${first}, or ${second}`;
}

function reason({ id, title }: ProviderStatus, models: readonly ModelStatus[]): string {
  const refused = models.filter(
    ({ model, obstacle }) => model.provider === id && obstacle === 'lists',
  );
  if (refused.length === 0) {
    return `no model of ${title} is known; exai models refresh asks for them`;
  }
  const settings = new Set(refused.flatMap(({ reason: why }) => settingOf(why)));
  const leave = settings.size === 1 ? 'leaves' : 'leave';
  return `${[...settings].join(' and ')} ${leave} no model of ${title} in use`;
}

/** The setting that excludes the model. */
function settingOf(why: Reason | undefined): readonly string[] {
  if (why?.code !== 'model_denied' && why?.code !== 'model_not_allowed') return [];
  return [why.params.setting];
}
