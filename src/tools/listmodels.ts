import * as z from 'zod';
import { CallError } from '#core/call-error.ts';
import { defineTool } from '#core/define-tool.schema.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { oneLine } from '#core/one-line.ts';
import { PROVIDER_IDS, type ProviderId } from '#core/provider.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk, ModelStanding, ProviderStanding } from '#models/desk.ts';
import { noticeFacts } from './asking/beside-answer.ts';
import { modelContent, ModelShape, modelWords } from './reporting/models.ts';
import { noneUsable } from './reporting/none-usable.ts';

type Desk = Pick<ModelDesk, 'models' | 'providers' | 'refreshedAtMs' | 'resolve'>;

export function listmodels(desk: Desk): Tool {
  return defineTool({
    name: 'listmodels',
    title: 'Models',
    description:
      'The models that can be asked for by name: window, price, what each takes, and whether it can be used now. All, those of one provider, or the one that a name means.',
    input: z.strictObject({
      provider: z.enum(PROVIDER_IDS).optional().describe('Only of this provider.'),
      include_retired: z.boolean().default(false).describe('Also those that are switched off.'),
      model: z
        .string()
        .max(256)
        .optional()
        .describe('Only this one, by any of its names; a retired name gives its successor.'),
    }),
    output: z.strictObject({
      models: z.array(ModelShape),
      /** Why none of them can be used, and what to do. */
      hint: z.string().optional(),
      refreshed_at: z.string().optional(),
    }),
    effect: 'reads',
    profile: 'lean',
    async run({ provider, include_retired: withRetired, model: name }) {
      // Clients that fill in every argument send an empty one.
      const wanted = name === undefined || name.trim() === '' ? undefined : name.trim();
      const one = wanted === undefined ? undefined : findOne(desk, wanted, provider);
      const shown = one
        ? [one.standing]
        : desk
            .models()
            .filter(
              ({ model }) =>
                (provider === undefined || model.provider === provider) &&
                (withRetired || model.state === 'live'),
            );
      const asked = desk.providers().filter(({ id }) => provider === undefined || id === provider);
      const hint = one ? undefined : noneUsable(asked, shown);
      const refreshedAtMs = desk.refreshedAtMs();
      const notices = one?.notice ? [one.notice] : [];
      return {
        text: one
          ? [...notices.map(baseRenderer.notice), modelWords(one.standing)].join('\n')
          : [...asked.map((each) => section(each, shown)), ...footnote(shown)].join('\n\n'),
        content: {
          models: shown.map(modelContent),
          ...(hint !== undefined && { hint }),
          ...(refreshedAtMs !== undefined && {
            refreshed_at: new Date(refreshedAtMs).toISOString(),
          }),
        },
        ...noticeFacts(notices),
      };
    },
  });
}

interface One {
  readonly standing: ModelStanding;
  readonly notice?: Notice;
}

/** What a name means; of one provider, its own model of that very name comes first. */
function findOne(desk: Desk, name: string, provider: ProviderId | undefined): One {
  const all = desk.models();
  const own = all.find(
    ({ model }) =>
      model.provider === provider &&
      model.state === 'live' &&
      model.id.toLowerCase() === name.toLowerCase(),
  );
  if (own) return { standing: own };
  const resolved = desk.resolve(name);
  const quoted = JSON.stringify(oneLine(name, 80));
  if (resolved.is === 'unknown') {
    const near = resolved.nearest === undefined ? '.' : `, did you mean "${resolved.nearest}"?`;
    throw absent(`There is no model ${quoted}${near}`);
  }
  const { model, notice } = resolved;
  const standing = all.find(
    (each) => each.model.provider === model.provider && each.model.id === model.id,
  );
  if (!standing || (provider !== undefined && provider !== model.provider)) {
    throw absent(`${quoted} is a model of ${model.provider}, not of ${provider}.`);
  }
  return { standing, ...(notice && { notice }) };
}

function absent(message: string): CallError {
  return new CallError('not_found', message, {
    field: 'model',
    fixes: [fix('list_models'), fix('refresh_models')],
  });
}

function section(
  { id, title, configured, fix }: ProviderStanding,
  shown: readonly ModelStanding[],
): string {
  const own = shown.filter(({ model }) => model.provider === id);
  const state = configured ? '' : ` (not set up${fix === undefined ? '' : `; ${fix}`})`;
  const none = configured ? 'no models are known; exai models refresh asks for them' : '';
  const lines = own.map((standing) => `- ${modelWords(standing)}`);
  return [`${title}${state}:${own.length === 0 && none ? ` ${none}` : ''}`, ...lines].join('\n');
}

function footnote(shown: readonly ModelStanding[]): readonly string[] {
  const isAny = shown.some(
    ({ usable, unlistedSince }) => usable === 'yes' && unlistedSince !== undefined,
  );
  return isAny
    ? ['Unlisted: not in the list of its provider any more; it may be switched off.']
    : [];
}
