import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import { GATEWAY_OPERATIONS } from '#core/llm/gateway.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import { advice, fix, type Fix } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import { reason } from '#core/messages/reasons.ts';
import type { Mutable } from '#core/mutable.ts';
import { slashNameFixes } from '#models/slash-name-fixes.ts';
import { oneLine } from '#core/text/text.ts';
import type { RoutingState } from './routing-state.ts';
import type { RequestedModel, RequestedModels } from './routing-context.ts';

interface ResolvedModels extends RequestedModels {
  readonly notices: readonly Notice[];
}

const MAX_SHOWN_CHARS = 80;

/**
 * Resolves the models named by the caller, the settings and the thread. An unknown name is an
 * error, never a guess.
 */
export function resolveRequestedModels(
  facts: RouteFacts,
  routing: RoutingState,
): ResolvedModels | CallError {
  const notices: Notice[] = [];
  const resolve = (name: string, by: RequestedModel['by']): RequestedModel | CallError => {
    const shown = oneLine(name, MAX_SHOWN_CHARS);
    const resolved = routing.resolve(name);
    if (resolved.is === 'found') {
      if (resolved.notice) notices.push(resolved.notice);
      const isWritten = by === 'caller' && facts.namedAs !== undefined;
      const writtenAs = isWritten ? oneLine(facts.namedAs, MAX_SHOWN_CHARS) : undefined;
      const found: Mutable<RequestedModel> = { name: shown, by, model: resolved.model };
      if (writtenAs !== undefined) found.writtenAs = writtenAs;
      if (resolved.isOnTrust) found.isOnTrust = true;
      return found;
    }
    if (by === 'caller') return unknownToAll(shown, facts, resolved.nearest, routing);
    if (by === 'setting') return unknownSetting(shown, resolved.nearest, routing);
    notices.push(notice('unknown_thread_model', { model: shown }));
    return { name: shown, by };
  };

  const locked = facts.lockedModel === undefined ? undefined : resolve(facts.lockedModel, 'thread');
  if (locked instanceof CallError) return locked;
  // A thread is not locked to the extractive fallback, which only stood in for a model.
  const isLock = locked !== undefined && locked.model?.provider !== 'extractive';
  const named = namedBy(facts, routing);
  const found = named && resolve(named.name, named.by);
  if (found instanceof CallError) return found;
  return { notices, ...(found && { named: found }), ...(isLock && { locked }) };
}

/** The requested name; the model of a thread overrides the default setting. */
function namedBy(
  facts: RouteFacts,
  routing: RoutingState,
): Pick<RequestedModel, 'name' | 'by'> | undefined {
  if (facts.model !== undefined) return { name: facts.model, by: 'caller' };
  const name = routing.defaultModel.trim();
  if (facts.lockedModel !== undefined || name === '' || name.toLowerCase() === 'auto')
    return undefined;
  return { name, by: 'setting' };
}

function unknownSetting(
  model: string,
  nearest: string | undefined,
  routing: RoutingState,
): CallError {
  const setting = 'models.default';
  const why = reason('unknown_model', {
    model,
    setting,
    ...(nearest !== undefined && { nearest }),
  });
  const auto = fix('set_setting', { setting, value: 'auto' });
  return codedError('not_found', why, { field: setting, fixes: fixesFor(model, auto, routing) });
}

function unknownToAll(
  model: string,
  facts: RouteFacts,
  nearest: string | undefined,
  routing: RoutingState,
): CallError {
  const hint = nearest === undefined ? {} : { nearest };
  if (facts.namedAs !== undefined) {
    const writtenAs = oneLine(facts.namedAs, MAX_SHOWN_CHARS);
    return codedError('not_found', reason('unknown_model', { model, writtenAs, ...hint }), {
      field: 'model',
      fixes: [fix('correct_setting', { setting: 'gateway.aliases' }), fix('list_models')],
    });
  }
  const isGateways = facts.tool === GATEWAY_OPERATIONS.chat;
  return codedError('not_found', reason('unknown_model', { model, ...hint }), {
    field: 'model',
    fixes: [...(isGateways ? [aliasHint(model)] : []), ...fixesFor(model, CHOOSE_AUTO, routing)],
  });
}

/** EX-AI chooses then. */
const CHOOSE_AUTO = fix('set_argument', { argument: 'model', value: 'auto' });

function fixesFor(
  model: string,
  auto: Fix,
  { openrouterIs = 'not_configured' }: RoutingState,
): readonly Fix[] {
  return /^[^/]+\/[^/]+$/.test(model)
    ? [...slashNameFixes(openrouterIs), fix('list_models')]
    : [auto, fix('list_models'), fix('refresh_models')];
}

/** A valid alias in `gateway.aliases`. */
const NAME = /^[^\s,;=*\p{Cc}]{1,80}$/u;

/** A hint how to define an alias in `gateway.aliases`. */
export function aliasHint(shown: string): Fix {
  const example = NAME.test(shown) ? `${shown}=auto` : 'gpt-4o=auto';
  return advice(`gateway.aliases can give it a meaning: ${example}.`);
}
