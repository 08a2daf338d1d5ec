import type { Attempt, Envelope } from '#core/envelope.schema.ts';
import { failureDeed } from './failure-deed.ts';
import type { Paint } from './paint.ts';
import { harmless } from './terminal-text.ts';

/** Why the last answer came from whom, as its envelope tells it. */
export function explainAnswer(
  { route, model, provider, status, detail }: Partial<Envelope>,
  paint: Paint,
): string {
  if (!route) {
    const why = status === 'error' && detail !== undefined ? ` ${detail}` : '';
    return harmless(`No model was asked.${why}`);
  }
  const { because, attempts, notices = [], seams = [] } = route;
  const by = provider === undefined ? '' : ` (${provider})`;
  const who = status === 'error' ? 'Nobody answered' : `${model ?? 'Nobody'}${by} answered`;
  const how = [
    ...(route.class === undefined ? [] : [`class ${route.class}`]),
    ...(route.rule === undefined ? [] : [`rule ${route.rule}`]),
  ].join(', ');
  return [
    paint('bold', harmless(`${who}${how === '' ? '' : `: ${how}`}`)),
    ...because.map((sentence) => `  ${harmless(sentence)}`),
    ...section('Asked', attempts.map(attemptWords), paint),
    ...section(
      'Went on with the answer',
      seams.map((seam) => `${seam.model} (${seam.provider}), after ${seam.at} characters`),
      paint,
    ),
    ...section('Notices', notices, paint),
  ].join('\n');
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  if (lines.length === 0) return [];
  return [paint('bold', title), ...lines.map((line) => `  ${harmless(line)}`)];
}

function attemptWords({
  attempt,
  model,
  provider,
  elapsed_ms: ms,
  outcome,
  because,
}: Attempt): string {
  const deed = outcome === 'ok' ? 'answered' : failureDeed(outcome);
  const why = because === undefined || outcome === 'ok' ? '' : `: ${because}`;
  return `${attempt}. ${model} (${provider}) ${deed} after ${(ms / 1000).toFixed(1)} s${why}`;
}
