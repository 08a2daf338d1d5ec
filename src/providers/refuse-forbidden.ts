import { codedError } from '#core/errors/coded-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/text/text.ts';
import type { Model } from '#models/model.ts';

/** Why the user's lists exclude a model; nothing when they allow it. */
export type Forbids = (model: Model) => Reason | undefined;

const MAX_NAME_CHARS = 200;

/**
 * Refuses a model that the user's lists exclude. Checks the model whose id goes to the vendor,
 * because names have many forms; its `aliases` are the other names that a list may use for it.
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
