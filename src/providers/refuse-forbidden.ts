import { codedError } from '#core/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/one-line.ts';
import type { Model } from '#models/model.ts';

/** Why the user's lists stand against a model; nothing when they do not. */
export type Forbids = (model: Model) => Reason | undefined;

const MAX_NAME_CHARS = 200;

/**
 * Refuses a model that the lists do not let in. Asked of the model whose id goes to the vendor, since names have many forms; its
 * `aliases` hold every other name by which a list may mean it.
 */
export function refuseForbidden(model: Model, forbids: Forbids | undefined): void {
  const against = forbids?.(model);
  if (against === undefined) return;
  const shown = oneLine(model.id, MAX_NAME_CHARS);
  throw codedError('not_configured', reason('model_forbidden', { model: shown, reason: against }), {
    field: 'model',
    fixes: [fix('use_other_model'), 'Or change that list.'],
    provider: model.provider,
    model: shown,
  });
}
