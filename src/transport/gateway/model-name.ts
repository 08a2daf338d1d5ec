import { CallError } from '#core/errors/call-error.ts';
import type { GatewayModel, GatewayModels } from '#core/llm/gateway.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/text/text.ts';
import { fieldError, isAbsent } from './fields.ts';

/** Longer than any model name. */
const MAX_CHARS = 256;

/** Reads the name of a model; `auto` if it is missing or empty, as apps send an empty setting. */
export function readModelName(value: unknown): string {
  if (isAbsent(value) || value === '') return 'auto';
  if (typeof value === 'string' && value.length <= MAX_CHARS) return value;
  const fix = 'Send a name from GET /v1/models, or auto.';
  throw fieldError('model', `model must be a text of up to ${MAX_CHARS} characters.`, fix);
}

/** Finds a model in the list of the gateway. Throws `not_found`. */
export function findGatewayModel({ models }: GatewayModels, id: string): GatewayModel {
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
