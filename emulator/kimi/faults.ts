import { CALL_FAULTS } from '../call-faults.ts';
import { isObject } from '../is-object.ts';
import type { Fault, FaultAnswer, Headers, Reply } from '../vendor.ts';
import { unauthorised } from './account.ts';
import { invalid, noBalance, noModel, overloaded, Refusal, retryHints } from './errors.ts';
import { TOO_LARGE, tooMany, ZERO_SIZE } from './serve-files.ts';
import type { KimiState } from './state.ts';

/** What may be told about them. */
export const KIMI_FAULT_OPTIONS = { F1: ['seconds', 'hint'] };

/**
 * The faults that have Kimi's words. Those that only say `through` are looked at where the answer
 * is made.
 */
export function kimiFaults(
  state: KimiState,
  headersFor: () => Headers,
): Readonly<Record<string, FaultAnswer>> {
  const send = async (reply: Reply, refusal: Refusal): Promise<'answered'> => {
    await reply.json(refusal.status, refusal.body(), { ...headersFor(), ...refusal.headers });
    return 'answered';
  };
  const through: FaultAnswer = () => 'through';
  const always =
    (make: (fault: Fault) => Refusal): FaultAnswer =>
    (_, reply, fault) =>
      send(reply, make(fault));
  const uploads =
    (message: () => string): FaultAnswer =>
    (ask, reply) =>
      ask.method === 'POST' && ask.path === '/files' ? send(reply, invalid(message())) : 'through';
  const contents =
    (make: () => Refusal): FaultAnswer =>
    (ask, reply) =>
      ask.path.endsWith('/content') ? send(reply, make()) : 'through';

  return {
    F1: always(rateLimit),
    F2: always(() => noBalance()),
    F3: always(() => overloaded()),
    'F7.choice': through,
    'F7.top': through,
    'F7.missing': through,
    ...Object.fromEntries(CALL_FAULTS.map((kind) => [`F8.${kind}`, through])),
    F10: (ask, reply) => {
      const model = isObject(ask.json) ? ask.json['model'] : undefined;
      return send(reply, noModel(typeof model === 'string' ? model.slice(0, 200) : ''));
    },
    F13: through,
    F14: through,
    'F15.toolarge': uploads(() => TOO_LARGE),
    'F15.zero': uploads(() => ZERO_SIZE),
    'F15.count': uploads(() => tooMany(state.switches.maxFiles)),
    'F15.extract': contents(() => new Refusal(500, '', 'extract task failed: failed')),
    'F15.server': contents(
      () => new Refusal(500, 'server_error', 'Failed to extract file: the file is damaged'),
    ),
    'F15.status': through,
    'F15.forgot': (ask) => {
      if (ask.path.startsWith('/files')) state.files.clear();
      return 'through';
    },
    F16: always(() => unauthorised(state.switches)),
    F20: always(
      () =>
        new Refusal(
          429,
          'rate_limit_reached_error',
          'Your account org-emulated<ak-emulated> request reached max organization concurrency: 1, please try again after 1 seconds',
          retryHints(1),
        ),
    ),
    F21: through,
  };
}

/**
 * `with.seconds`, and `with.hint`: default: both headers; or `header`, `x-header`, `message`,
 * `none`.
 */
function rateLimit(fault: Fault): Refusal {
  const seconds = Number(fault.with?.['seconds'] ?? 1);
  const requested = fault.with?.['hint'];
  const hint = typeof requested === 'string' ? requested : 'headers';
  const both = retryHints(seconds);
  const hints: Readonly<Record<string, Headers>> = {
    headers: both,
    header: { 'retry-after': String(seconds) },
    'x-header': { 'x-retry-after': String(seconds) },
  };
  const message =
    hint === 'none'
      ? 'Organization Rate limit exceeded'
      : `Your account org-emulated<ak-emulated> request reached organization max RPM: 3, please try again after ${seconds} seconds`;
  return new Refusal(429, 'rate_limit_reached_error', message, hints[hint] ?? {});
}
