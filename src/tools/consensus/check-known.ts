import { CallError } from '#core/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { oneLine } from '#core/one-line.ts';
import type { ProviderId } from '#core/provider.ts';
import type { ModelDesk } from '#models/desk.ts';

type Desk = Pick<ModelDesk, 'resolve' | 'providers'>;

const MAX_SHOWN_CHARS = 80;

/** Nobody is asked, and paid, beside a name that means nothing. */
export function checkKnown(names: readonly string[], desk: Desk): void {
  const unknown = names.flatMap((name) => {
    const resolved = desk.resolve(name);
    if (resolved.is === 'found' || mayBeElsewhere(name, desk)) return [];
    return [{ shown: oneLine(name, MAX_SHOWN_CHARS), nearest: resolved.nearest }];
  });
  if (unknown.length === 0) return;
  const sentences = new Set(
    unknown.map(({ shown, nearest }) => {
      const hint = nearest === undefined ? '.' : `, did you mean "${nearest}"?`;
      return `There is no model "${shown}"${hint}`;
    }),
  );
  const isRouted = unknown.some(({ shown }) => shown.includes('/'));
  const routed = isRouted
    ? ' Names with a slash are mostly OpenRouter’s: exai keys add openrouter.'
    : '';
  throw new CallError('not_found', [...sentences].join(' '), {
    field: 'models',
    fixes: [
      fix('list_models'),
      fix('omit_argument', { argument: 'models' }),
      `Without models three are chosen.${routed}`,
    ],
  });
}

/** With a slash it may be a model of the user's own server or of OpenRouter, whose lists are never complete. */
function mayBeElsewhere(name: string, desk: Desk): boolean {
  const [, before] = /^([^/\s]+)\/\S/.exec(name) ?? [];
  if (before === undefined) return false;
  const owner: ProviderId = /^(?:custom|local)$/i.test(before) ? 'custom' : 'openrouter';
  return desk.providers().some(({ id, configured }) => id === owner && configured);
}
