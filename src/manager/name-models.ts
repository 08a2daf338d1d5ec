import { CallError } from '#core/call-error.ts';
import { codedError } from '#core/coded-error.ts';
import { GATEWAY_OPERATIONS } from '#core/gateway.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import { oneLine } from '#core/one-line.ts';
import type { RouteFacts } from '#core/route.ts';
import { meaningFix } from './meaning-fix.ts';
import type { RouteWorld } from './route-world.ts';
import type { Named } from './rules/rule.ts';
import type { NamedModels } from './situation.ts';

export interface FoundNames extends NamedModels {
  readonly notices: readonly Notice[];
}

const MAX_SHOWN_CHARS = 80;

/** The models that the caller, the settings and the thread name. A name that means nothing is an error, never a guess. */
export function nameModels(facts: RouteFacts, world: RouteWorld): FoundNames | CallError {
  const notices: Notice[] = [];
  const resolve = (name: string, by: Named['by']): Named | CallError => {
    const shown = oneLine(name, MAX_SHOWN_CHARS);
    const resolved = world.resolve(name);
    if (resolved.is === 'found') {
      if (resolved.notice) notices.push(resolved.notice);
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
    notices.push(notice('unknown_thread_model', { model: shown }));
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

function unknownSetting(model: string, nearest: string | undefined): CallError {
  const setting = 'models.default';
  const why = reason('unknown_model', {
    model,
    setting,
    ...(nearest !== undefined && { nearest }),
  });
  return codedError('not_found', why, { field: setting, fixes: fixesFor(model) });
}

function unknownToAll(model: string, facts: RouteFacts, nearest: string | undefined): CallError {
  const hint = nearest === undefined ? {} : { nearest };
  if (facts.namedAs !== undefined) {
    const writtenAs = oneLine(facts.namedAs, MAX_SHOWN_CHARS);
    return codedError('not_found', reason('unknown_model', { model, writtenAs, ...hint }), {
      field: 'model',
      fixes: [advice('Change that entry; auto lets EX-AI choose.'), fix('list_models')],
    });
  }
  const isGateways = facts.tool === GATEWAY_OPERATIONS.chat;
  return codedError('not_found', reason('unknown_model', { model, ...hint }), {
    field: 'model',
    fixes: [...(isGateways ? [meaningFix(model)] : []), ...fixesFor(model)],
  });
}

function fixesFor(model: string): readonly Fix[] {
  return /^[^/]+\/[^/]+$/.test(model)
    ? [
        advice('Names with a slash are mostly those of OpenRouter.'),
        fix('add_key', { provider: 'openrouter' }),
        fix('list_models'),
      ]
    : [
        advice('auto lets EX-AI choose.'),
        fix('list_models'),
        fix('run_command', {
          command: 'exai models refresh',
          purpose: 'ask the providers for new ones',
        }),
      ];
}
