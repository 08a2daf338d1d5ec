import { nearest } from './nearest.ts';
import type { Vendor } from './vendor.ts';

const MAX_SHOWN = 60;

export interface FaultNames {
  /** Which transport and streams have, with what each wants to know. */
  readonly frame: Readonly<Record<string, readonly string[]>>;
  /** Whose requests it is meant for. */
  readonly owners: readonly Vendor[];
}

/**
 * The sentence about a fault that is none: what its vendor has, and what it may have been meant to
 * be.
 */
export function noSuchFault(id: unknown, vendor: string | undefined, names: FaultNames): string {
  const frame = Object.keys(names.frame);
  const own = [...new Set(names.owners.flatMap(({ faults }) => Object.keys(faults)))];
  const near = nearest(typeof id === 'string' ? id : '', new Set([...own, ...frame]));
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  const who = vendor ?? 'any vendor';
  const start = `id: ${shown(id)} is not a fault of ${who}.${meant}`;
  if (vendor === undefined) return `${start} GET / lists the faults of each vendor.`;
  return `${start} ${vendor} has ${own.join(', ') || 'no specific faults'}; every vendor has ${frame.join(', ')}.`;
}

/**
 * The sentence about an option that the fault does not know; none when all is well, or when the fault
 * does not tell what it knows.
 */
export function unknownOptionProblem(
  id: string,
  faultOptions: Readonly<Record<string, unknown>>,
  { frame, owners }: FaultNames,
): string | undefined {
  const having = owners.filter(({ faults }) => Object.hasOwn(faults, id));
  const told = having.map((owner) => listed(owner.faultOptions, id));
  if (Object.hasOwn(frame, id)) told.push(frame[id]);
  if (told.includes(undefined)) return undefined;
  const known = new Set(told.flatMap((names) => names ?? []));
  const stranger = Object.keys(faultOptions).find((name) => !known.has(name));
  if (stranger === undefined) return undefined;
  const has = known.size === 0 ? 'takes nothing there' : `takes ${[...known].join(', ')}`;
  const beside = ['after', 'times', 'path'].includes(stranger)
    ? `; "${stranger}" stands beside id`
    : '';
  return `with: ${id} knows no ${shown(stranger)}; it ${has}${beside}.`;
}

function listed(
  faultOptions: Readonly<Record<string, readonly string[]>> | undefined,
  id: string,
): readonly string[] | undefined {
  return faultOptions !== undefined && Object.hasOwn(faultOptions, id)
    ? faultOptions[id]
    : undefined;
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};
