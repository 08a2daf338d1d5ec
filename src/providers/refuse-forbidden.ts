import { CallError } from '#core/call-error.ts';
import { oneLine } from '#core/one-line.ts';
import type { Model } from '#models/model.ts';

/** Why the user's lists stand against a model; nothing when they do not. */
export type Forbids = (model: Model) => string | undefined;

const MAX_NAME_CHARS = 200;

/**
 * Refuses a model that the lists do not let in. Asked of the model whose id goes to the vendor, since names have many forms; its
 * `aliases` hold every other name by which a list may mean it.
 */
export function refuseForbidden(model: Model, forbids: Forbids | undefined): void {
  const because = forbids?.(model);
  if (because === undefined) return;
  const shown = oneLine(model.id, MAX_NAME_CHARS);
  throw new CallError('not_configured', `${shown} may not be used: ${because}.`, {
    field: 'model',
    fix: 'Choose another model, or change that list.',
    provider: model.provider,
    model: shown,
  });
}
