import type { Manager } from '#core/ask.ts';
import { CallError } from '#core/call-error.ts';

const refuse = () =>
  Promise.reject(new CallError('not_configured', 'There is no model here to ask.'));

/** A manager for what asks no model. */
export const NOBODY_TO_ASK: Manager = { ask: refuse, explain: refuse, classify: refuse };
