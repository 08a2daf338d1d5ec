import { USUAL_TIMEOUTS, type StreamTimeouts } from '#core/llm/stream-timeouts.ts';
import type { Thinking } from '#core/llm/chat.ts';
import type { Model } from './model.ts';

/** Limits of a model that thinks: minutes may pass before the first word and between two. */
const THINKING_TIMEOUTS: StreamTimeouts = { firstTokenMs: 300_000, idleMs: 120_000 };
/** How long an answer may take in all, beyond its first token. */
const ANSWER_MS = 240_000;

/** Whether a model thinks before it answers this request. */
export function willThink(
  { thinking: { control, default: usual } }: Pick<Model, 'thinking'>,
  requested: Thinking | undefined,
): boolean {
  if (control === 'switch') return (requested?.mode ?? usual) === 'on';
  return control === 'always';
}

/**
 * The timeouts of a streamed answer. Models that think have longer ones than the usual; a setting
 * that is not the default applies to all models.
 */
export function modelTimeouts(
  model: Pick<Model, 'thinking' | 'firstTokenMs'>,
  requested: Thinking | undefined,
  settings: StreamTimeouts,
): StreamTimeouts {
  if (!willThink(model, requested)) return settings;
  const { firstTokenMs, idleMs } = settings;
  return {
    firstTokenMs:
      firstTokenMs === USUAL_TIMEOUTS.firstTokenMs
        ? (model.firstTokenMs ?? THINKING_TIMEOUTS.firstTokenMs)
        : firstTokenMs,
    idleMs: idleMs === USUAL_TIMEOUTS.idleMs ? THINKING_TIMEOUTS.idleMs : idleMs,
  };
}

/** How long an answer may take in all: until its first token, and from there to its end. */
export function totalMs({ firstTokenMs }: StreamTimeouts): number {
  return firstTokenMs + ANSWER_MS;
}
