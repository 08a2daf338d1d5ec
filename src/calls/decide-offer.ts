import type { Caller } from '#core/call.ts';
import type { Decision } from '#core/decision.ts';
import { reason } from '#core/messages/reasons.ts';
import { decide } from './decide.ts';
import type { Offer } from './offer.ts';
import type { Registry } from './registry.ts';

/** Whoever may use the tool that an offer draws on may use the offer. */
export function decideOffer(caller: Caller, offer: Offer, registry: Registry): Decision {
  if (offer.uses === undefined) return decide(caller, offer.tool);
  const tool = registry.find(offer.uses);
  if (tool) return decide(caller, tool);
  return { verdict: 'deny', reasons: [reason('used_tool_off', { tool: offer.uses })] };
}
