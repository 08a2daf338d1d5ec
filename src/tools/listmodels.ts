import * as z from 'zod';
import { defineTool } from '#core/define-tool.schema.ts';
import { PROVIDER_IDS } from '#core/provider.ts';
import type { Tool } from '#core/tool.ts';
import type { ModelDesk, ModelStanding, ProviderStanding } from '#models/desk.ts';
import { modelContent, ModelShape, modelWords } from './reporting/models.ts';

export function listmodels(desk: Pick<ModelDesk, 'models' | 'providers' | 'refreshedAtMs'>): Tool {
  return defineTool({
    name: 'listmodels',
    title: 'Models',
    description:
      'The models that can be asked for by name: window, price, what each takes, and whether it can be used now.',
    input: z.strictObject({
      provider: z.enum(PROVIDER_IDS).optional().describe('Only of this provider.'),
      include_retired: z.boolean().default(false).describe('Also those that are switched off.'),
      model: z.string().max(256).optional().describe('Ignored.'),
    }),
    output: z.strictObject({
      models: z.array(ModelShape),
      refreshed_at: z.string().optional(),
    }),
    effect: 'reads',
    profile: 'lean',
    async run({ provider, include_retired: withRetired }) {
      const shown = desk
        .models()
        .filter(
          ({ model }) =>
            (provider === undefined || model.provider === provider) &&
            (withRetired || model.state === 'live'),
        );
      const refreshedAtMs = desk.refreshedAtMs();
      return {
        text: desk
          .providers()
          .filter(({ id }) => provider === undefined || id === provider)
          .map((each) => section(each, shown))
          .join('\n\n'),
        content: {
          models: shown.map(modelContent),
          ...(refreshedAtMs !== undefined && {
            refreshed_at: new Date(refreshedAtMs).toISOString(),
          }),
        },
      };
    },
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
