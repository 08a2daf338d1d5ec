import { CallError } from '#core/call-error.ts';
import type { GatewayModel, GatewayModels } from '#core/gateway.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';

/** Throws `not_found`. */
export function findModel({ models }: GatewayModels, id: string): GatewayModel {
  const found = models.find((model) => model.id === id);
  if (found) return found;
  throw new CallError('not_found', `There is no model "${oneLine(id, 80)}" that can be asked.`, {
    field: 'model',
    fixes: [
      'GET /v1/models lists them.',
      fix('set_argument', { argument: 'model', value: 'auto' }),
    ],
  });
}
