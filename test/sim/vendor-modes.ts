import type { Fault } from './faults.ts';
import type { SeededRandom } from './random.ts';

/** How a vendor is for a while. */
export const VENDOR_MODES = {
  healthy: ['none'],
  sluggish: ['none', 'slow', 'slow'],
  deliberate: ['ponders', 'ponders', 'ponders', 'babbles', 'none'],
  dead: ['unreachable', 'reset'],
  failing: ['gateway', 'gateway', 'overloaded', 'reset'],
  silent: ['silent', 'silent', 'stalled'],
  flapping: ['none', 'none', 'gateway', 'cut', 'silent', 'unreachable', 'limited', 'empty'],
  limited: ['limited', 'limited_told', 'limited_told', 'none'],
  broke: ['quota', 'billing'],
  locked: ['auth'],
  gone: ['gone'],
  brittle: ['cut', 'cut', 'stalled', 'in_band', 'unfinished', 'hung_up', 'none'],
  pondering: ['thoughts', 'thoughts', 'thoughts', 'none'],
  odd: ['empty', 'thoughts', 'garbled', 'filtered', 'filtered_midway', 'too_long', 'none'],
} as const satisfies Record<string, readonly Fault[]>;

export type VendorMode = keyof typeof VENDOR_MODES;

/** From when on a vendor is how; the first from the beginning. */
export type VendorSchedule = readonly { readonly fromMs: number; readonly mode: VendorMode }[];

export const HEALTHY: VendorSchedule = [{ fromMs: 0, mode: 'healthy' }];

export function modeAt(schedule: VendorSchedule, ms: number): VendorMode {
  return schedule.findLast(({ fromMs }) => fromMs <= ms)?.mode ?? 'healthy';
}

/** Most of all those in which an answer breaks off and another goes on with it. */
const NAMES = [
  ...(Object.keys(VENDOR_MODES) as VendorMode[]),
  'brittle',
  'brittle',
  'flapping',
  'pondering',
  'deliberate',
  'deliberate',
] as const;
/** Those in which somebody has begun to read before it breaks. */
const BREAKING = ['brittle', 'brittle', 'brittle', 'flapping', 'sluggish', 'odd'] as const;
const SPELL_MS = 2500;

/** Every vendor gets well in the end, most of them on the way, too. */
export function createVendorSchedule(
  random: SeededRandom,
  kind: 'any' | 'breaking',
): VendorSchedule {
  const names = kind === 'any' ? NAMES : BREAKING;
  const spells: { fromMs: number; mode: VendorMode }[] = [];
  const count = random.between(1, 4);
  for (let fromMs = 0; spells.length < count; fromMs += random.between(200, SPELL_MS))
    spells.push({ fromMs, mode: random.chance(0.35) ? 'healthy' : random.pick(names) });
  return [...spells, { fromMs: (count + 1) * SPELL_MS, mode: 'healthy' }];
}
