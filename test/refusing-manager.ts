import type { Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';

const refuse = () =>
  Promise.reject(new CallError('not_configured', 'There is no model here to ask.'));

/** A manager for what asks no model. */
export const REFUSING_MANAGER: Manager = { ask: refuse, explain: refuse, classify: refuse };
