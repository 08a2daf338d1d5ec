import { CallError } from '#core/call-error.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import { oneLine } from '#core/one-line.ts';
import type { RouteFacts } from '#core/route.ts';
import { meaningFix } from './means-words.ts';
import type { RouteWorld } from './route-world.ts';
import type { Named } from './rules/rule.ts';
import type { NamedModels } from './situation.ts';

export interface FoundNames extends NamedModels {
  readonly notices: readonly string[];
}

const MAX_SHOWN_CHARS = 80;

/** The models that the caller, the settings and the thread name. A name that means nothing is an error, never a guess. */
export function nameModels(facts: RouteFacts, world: RouteWorld): FoundNames | CallError {
  const notices: string[] = [];
  const resolve = (name: string, by: Named['by']): Named | CallError => {
    const shown = oneLine(name, MAX_SHOWN_CHARS);
    const resolved = world.resolve(name);
    if (resolved.is === 'found') {
      if (resolved.notice !== undefined) notices.push(resolved.notice);
      const isWritten = by === 'caller' && facts.namedAs !== undefined;
      const writtenAs = isWritten ? oneLine(facts.namedAs, MAX_SHOWN_CHARS) : undefined;
      return {
        name: shown,
        by,
        ...(writtenAs !== undefined && { writtenAs }),
        model: resolved.model,
      };
    }
    if (by === 'caller') return unknownToAll(shown, facts, resolved.nearest);
    if (by === 'setting') return unknownSetting(shown, resolved.nearest);
    notices.push(`The thread was with ${shown}, which is not known any more.`);
    return { name: shown, by };
  };

  const locked = facts.lockedModel === undefined ? undefined : resolve(facts.lockedModel, 'thread');
  if (locked instanceof CallError) return locked;
  // A quotation stood in for a model once; the thread does not want another.
  const isLock = locked !== undefined && locked.model?.provider !== 'local';
  const named = namedBy(facts, world);
  const found = named && resolve(named.name, named.by);
  if (found instanceof CallError) return found;
  return { ...(found && { named: found }), ...(isLock && { locked }), notices };
}

/** What is set for all yields to what a thread has chosen. */
function namedBy(facts: RouteFacts, world: RouteWorld): Pick<Named, 'name' | 'by'> | undefined {
  if (facts.model !== undefined) return { name: facts.model, by: 'caller' };
  const name = world.defaultModel.trim();
  if (facts.lockedModel !== undefined || name === '' || name.toLowerCase() === 'auto')
    return undefined;
  return { name, by: 'setting' };
}

function unknownSetting(shown: string, nearest: string | undefined): CallError {
  const message = `models.default names "${shown}", and there is no such model${hintOf(nearest)}`;
  return new CallError('not_found', message, { field: 'models.default', fix: fixFor(shown) });
}

function unknownToAll(shown: string, facts: RouteFacts, nearest: string | undefined): CallError {
  const hint = hintOf(nearest);
  if (facts.namedAs !== undefined) {
    const written = oneLine(facts.namedAs, MAX_SHOWN_CHARS);
    const message = `gateway.models says that "${written}" means "${shown}", and there is no such model${hint}`;
    const fix = 'Change that entry; exai models lists the models, auto lets EX-AI choose.';
    return new CallError('not_found', message, { field: 'model', fix });
  }
  const isGateways = facts.tool === GATEWAY_OPERATIONS.chat;
  const fix = isGateways ? `${fixFor(shown)} ${meaningFix(shown)}.` : fixFor(shown);
  return new CallError('not_found', `There is no model "${shown}"${hint}`, { field: 'model', fix });
}

function hintOf(nearest: string | undefined): string {
  return nearest === undefined ? '.' : `, did you mean "${nearest}"?`;
}

function fixFor(shown: string): string {
  return /^[^/]+\/[^/]+$/.test(shown)
    ? 'Names with a slash are mostly OpenRouter’s: exai keys add openrouter. exai models lists the others.'
    : 'exai models lists them; exai models refresh asks the providers for new ones; auto lets EX-AI choose.';
}
