import type { RouteFacts } from '#core/route.ts';
import type { RouteWorld } from './route-world.ts';

/** Why a quotation of what was given cannot be an answer to this; nothing when it can, or has to. */
export function quotationLacks(facts: RouteFacts, world: RouteWorld): string | undefined {
  if (world.localAnswers === 'always') return undefined;
  if (facts.tools > 0) return 'it is no model and calls no tools';
  if (facts.format !== 'text') return 'it is no model and writes no JSON';
  if (facts.images + facts.videos > 0) return 'it is no model and sees no pictures';
  return undefined;
}

/** Why nobody wants a quotation at the end of the chain; nothing when it is welcome. */
export function quotationUnwanted(facts: RouteFacts, world: RouteWorld): string | undefined {
  if (facts.lastResort === 'none') return 'a quotation will not do for this caller';
  return world.localAnswers === 'never' ? 'fallback.local is never' : undefined;
}
