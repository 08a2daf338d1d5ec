import * as z from 'zod';
import { CallError } from '#core/errors/call-error.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { oneLine } from '#core/text/text.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory, ModelStatus, ProviderStatus } from '#models/model-directory.ts';
import { noticeFields } from './shared/notices.ts';
import { explainNoUsableModel, modelContent, ModelShape, renderModel } from './reporting/models.ts';

type Directory = Pick<ModelDirectory, 'models' | 'providers' | 'refreshedAtMs' | 'resolve'>;

export function listmodels(modelDirectory: Directory): Tool {
  return defineTool({
    name: 'listmodels',
    title: 'Models',
    description:
      'The models that can be asked for by name: window, price, what each takes, and whether it can be used now. All, those of one provider, or the one that a name means.',
    input: z.strictObject({
      provider: z
        .string()
        .max(40)
        .optional()
        .describe('Only of this provider, such as kimi, glm, custom or one that was added.'),
      include_retired: z.boolean().default(false).describe('Also those that are switched off.'),
      model: z
        .string()
        .max(256)
        .optional()
        .describe('Only this one, by any of its names; a retired name gives its successor.'),
    }),
    output: z.strictObject({
      models: z.array(ModelShape),
      hint: z.string().optional(),
      refreshed_at: z.string().optional(),
    }),
    effect: 'reads',
    profile: 'lean',
    async run({ provider: given, include_retired: withRetired, model: name }) {
      const provider = findProviderId(modelDirectory, given);
      // Clients that fill in every argument send an empty name.
      const wanted = name === undefined || name.trim() === '' ? undefined : name.trim();
      const one = wanted === undefined ? undefined : findOne(modelDirectory, wanted, provider);
      const shown = one
        ? [one.status]
        : modelDirectory
            .models()
            .filter(
              ({ model }) =>
                (provider === undefined || model.provider === provider) &&
                (withRetired || model.state === 'live'),
            );
      const asked = modelDirectory
        .providers()
        .filter(({ id }) => provider === undefined || id === provider);
      const hint = one ? undefined : explainNoUsableModel(asked, shown);
      const refreshedAtMs = modelDirectory.refreshedAtMs();
      const notices = one?.notice ? [one.notice] : [];
      return {
        text: one
          ? [...notices.map(baseRenderer.notice), renderModel(one.status)].join('\n')
          : [...asked.map((each) => section(each, shown)), ...footnote(shown)].join('\n\n'),
        content: {
          models: shown.map(modelContent),
          ...(hint !== undefined && { hint }),
          ...(refreshedAtMs !== undefined && {
            refreshed_at: new Date(refreshedAtMs).toISOString(),
          }),
        },
        ...noticeFields(notices),
      };
    },
  });
}

interface One {
  readonly status: ModelStatus;
  readonly notice?: Notice;
}

function findProviderId(
  modelDirectory: Directory,
  name: string | undefined,
): ProviderId | undefined {
  if (name === undefined || name.trim() === '') return undefined;
  const ids = modelDirectory.providers().map(({ id }) => id);
  const found = ids.find((id) => id === name.trim().toLowerCase());
  if (found !== undefined) return found;
  throw new CallError('validation', `There is no provider ${JSON.stringify(oneLine(name, 40))}.`, {
    field: 'provider',
    fix: `Use one of ${ids.join(', ')}.`,
  });
}

/** Resolves a name. With a provider, its own model of exactly that name comes first. */
function findOne(modelDirectory: Directory, name: string, provider: ProviderId | undefined): One {
  const all = modelDirectory.models();
  const own = all.find(
    ({ model }) =>
      model.provider === provider &&
      model.state === 'live' &&
      model.id.toLowerCase() === name.toLowerCase(),
  );
  if (own) return { status: own };
  const resolved = modelDirectory.resolve(name);
  const quoted = JSON.stringify(oneLine(name, 80));
  if (resolved.is === 'unknown') {
    const near = resolved.nearest === undefined ? '.' : `, did you mean "${resolved.nearest}"?`;
    throw absent(`There is no model ${quoted}${near}`);
  }
  const { model, notice } = resolved;
  const status = all.find(
    (each) => each.model.provider === model.provider && each.model.id === model.id,
  );
  if (!status || (provider !== undefined && provider !== model.provider)) {
    throw absent(`${quoted} is a model of ${model.provider}, not of ${provider}.`);
  }
  return { status, ...(notice && { notice }) };
}

function absent(message: string): CallError {
  return new CallError('not_found', message, {
    field: 'model',
    fixes: [fix('list_models'), fix('refresh_models')],
  });
}

function section(
  { id, title, configured, fix }: ProviderStatus,
  shown: readonly ModelStatus[],
): string {
  const own = shown.filter(({ model }) => model.provider === id);
  const state = configured ? '' : ` (not set up${fix === undefined ? '' : `; ${fix}`})`;
  const none = configured ? 'no models are known; exai models refresh asks for them' : '';
  const lines = own.map((status) => `- ${renderModel(status)}`);
  return [`${title}${state}:${own.length === 0 && none ? ` ${none}` : ''}`, ...lines].join('\n');
}

function footnote(shown: readonly ModelStatus[]): readonly string[] {
  const isAny = shown.some(
    ({ isUsable, unlistedSince }) => isUsable && unlistedSince !== undefined,
  );
  return isAny
    ? ['Unlisted: not in the list of its provider any more; it may be switched off.']
    : [];
}
