import type { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { Reason } from '#core/messages/reasons.ts';

/** Classes that say "not now" rather than that something is broken. */
const LIMITED: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'rate_limit',
  'quota',
  'over_capacity',
  'overloaded',
]);

/**
 * The one class for failures that are all limits: of a vendor's rate or quota, of its capacity, or
 * of our own calls at once. Undefined if one of them is something else.
 */
export function limitedClass(classes: readonly ErrorClass[]): ErrorClass | undefined {
  if (classes.length === 0 || !classes.every((each) => LIMITED.has(each))) return undefined;
  const [first] = classes;
  if (classes.every((each) => each === first)) return first;
  // An overloaded vendor says nothing about our rate, so clients are told that it is not theirs.
  return classes.includes('overloaded') ? 'overloaded' : 'rate_limit';
}

/** The class of a failure; of an open breaker, the class that opened it. */
export function underlyingClass({ class: errorClass, reason }: CallError): ErrorClass {
  return (errorClass === 'breaker_open' && reason && openedBy(reason)) || errorClass;
}

/** The class of the one refusal that opened a breaker; undefined for any other cause. */
export function openedBy(why: Reason): ErrorClass | undefined {
  if (why.code !== 'breaker_open' || why.params.how !== 'at_once') return undefined;
  return why.params.classes[0];
}
