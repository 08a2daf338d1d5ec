import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Notice } from '#core/messages/notices.ts';
import { oneLine } from '#core/text/text.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import type { Catalogue, Model } from '#models/model.ts';
import { refuseForbidden, type Forbids } from './refuse-forbidden.ts';

export interface PickedModel {
  readonly model: Model;
  /** Why it is not the model that was named. */
  readonly notices: readonly Notice[];
}

/** The models to choose from. */
export interface ModelChoice {
  readonly catalogue: Catalogue;
  readonly forbids: Forbids | undefined;
}

/**
 * Resolves a model name at this provider. A retired model is replaced by its successor, an unknown
 * name is an error with the nearest name, and a model that the user's lists exclude is refused.
 */
export function pickModel(
  name: string,
  provider: ProviderId,
  { catalogue, forbids }: ModelChoice,
): PickedModel {
  const picked = findModel(name, provider, catalogue);
  refuseForbidden(picked.model, forbids);
  return picked;
}

function findModel(name: string, provider: ProviderId, catalogue: Catalogue): PickedModel {
  // Two providers may have a model of the same name.
  const own = catalogue.find(name, provider);
  if (own?.state === 'live') return { model: own, notices: [] };
  const resolved = catalogue.resolve(name);
  if (resolved.is === 'found' && resolved.model.provider === provider) {
    const { model, notice } = resolved;
    return { model, notices: notice === undefined ? [] : [notice] };
  }
  const shown = oneLine(name, 80);
  if (resolved.is === 'found') {
    const message = `${shown} is a model of ${resolved.model.provider}, not of ${provider}.`;
    throw new CallError('not_found', message, {
      field: 'model',
      fixes: [fix('list_models')],
    });
  }
  const near = resolved.nearest === undefined ? '' : `, did you mean "${resolved.nearest}"?`;
  throw new CallError('not_found', `There is no model "${shown}"${near || '.'}`, {
    field: 'model',
    fixes: [fix('list_models'), fix('refresh_models')],
  });
}
