import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RouteFacts } from '#core/route.ts';
import type { RouteWorld } from './route-world.ts';

/** Why a quotation of what was given cannot be an answer to this; nothing when it can, or has to. */
export function quotationLacks(facts: RouteFacts, world: RouteWorld): Reason | undefined {
  if (world.localAnswers === 'always') return undefined;
  if (facts.tools > 0) return reason('quotation_unsuitable', { lacks: 'tools' });
  if (facts.format !== 'text') return reason('quotation_unsuitable', { lacks: 'json' });
  if (facts.images + facts.videos > 0) {
    return reason('quotation_unsuitable', { lacks: 'vision' });
  }
  return undefined;
}

/** Why nobody wants a quotation at the end of the chain; nothing when it is welcome. */
export function quotationUnwanted(facts: RouteFacts, world: RouteWorld): Reason | undefined {
  if (facts.lastResort === 'none') return reason('quotation_unwanted', { by: 'caller' });
  return world.localAnswers === 'never'
    ? reason('quotation_unwanted', { by: 'setting' })
    : undefined;
}
