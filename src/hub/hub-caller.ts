import type { Caller } from '#core/calls/call.ts';

/** The hub itself, which lists what servers have. */
export const HUB_CALLER: Caller = { principal: 'exai', scopes: [], roots: [] };
