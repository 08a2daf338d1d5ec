import * as z from 'zod';
import type { ProviderId } from '#core/llm/provider.ts';
import type { ProviderDescriptor, UnusedEndpoint } from '#core/providers/descriptor.ts';
import { PROVIDERS } from '#core/providers/list.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory, ProviderStatus } from '#models/model-directory.ts';
import { isMachineOwner } from './reporting/visibility.ts';

export function providerCapabilities(
  modelDirectory: Pick<ModelDirectory, 'models' | 'providers'>,
): Tool {
  const usable = (id: string) =>
    modelDirectory.models().filter(({ model, isUsable }) => model.provider === id && isUsable)
      .length;
  return defineTool({
    name: 'provider_capabilities',
    title: 'Providers',
    description:
      'What each provider can do (search, files, embeddings …), whether it is set up, and what is missing.',
    input: z.strictObject({
      include_tools: z.boolean().default(true).describe('Ignored: exai tools lists tools.'),
      show_advanced: z.boolean().default(false).describe('Ignored: everything is shown.'),
      invalidate_cache: z.boolean().default(false).describe('Ignored: nothing is cached.'),
    }),
    output: z.strictObject({
      providers: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          configured: z.boolean(),
          host: z.string().optional(),
          can: z.array(z.string()),
          max_calls: z.number().optional(),
          usable_models: z.number(),
          fix: z.string().optional(),
          not_used: z
            .array(z.strictObject({ endpoint: z.string(), because: z.string() }))
            .optional()
            .describe('Endpoints of the vendor that EX-AI does not use.'),
        }),
      ),
    }),
    effect: 'reads',
    profile: 'standard',
    async run(_args, { caller }) {
      // Only the owner is told hosts and set-up instructions.
      const isOwner = isMachineOwner(caller);
      const providers = modelDirectory.providers().map(({ host, fix, ...known }) => ({
        ...known,
        ...(isOwner && host !== undefined && { host }),
        ...(isOwner && fix !== undefined && { fix }),
      }));
      return {
        text: providers.map((provider) => renderProvider(provider, usable(provider.id))).join('\n'),
        content: {
          providers: providers.map(({ id, title, configured, host, can, maxCalls, fix }) => ({
            name: id,
            title,
            configured,
            ...(host !== undefined && { host }),
            can: [...can],
            ...(maxCalls !== undefined && { max_calls: maxCalls }),
            usable_models: usable(id),
            ...(fix !== undefined && { fix }),
            ...notUsedField(unusedOf(id)),
          })),
        },
      };
    },
  });
}

function renderProvider(
  { id, title, configured, host, can, fix }: ProviderStatus,
  models: number,
): string {
  const at = host === undefined ? '' : ` at ${host}`;
  if (!configured) return `${title}: not set up${fix === undefined ? '' : `; ${fix}`}`;
  const more = can.length === 0 ? '' : `, ${can.join(', ').replaceAll('_', ' ')}`;
  const unused = unusedOf(id).map((each) => `\n  not used: ${each.endpoint}. ${each.because}`);
  return `${title}${at}: ${models} ${models === 1 ? 'model' : 'models'}; chat${more}${unused.join('')}`;
}

function unusedOf(id: ProviderId): readonly UnusedEndpoint[] {
  const descriptor: ProviderDescriptor | undefined = PROVIDERS.find((each) => each.id === id);
  return descriptor?.unused ?? [];
}

function notUsedField(unused: readonly UnusedEndpoint[]) {
  return unused.length === 0 ? {} : { not_used: unused.map((each) => ({ ...each })) };
}
